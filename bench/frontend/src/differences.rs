//! Many programs compared, differences made small and saved. Used by the test run (few programs) and the deep run (many).

use crate::compare::{self, Difference, Settings, Verdict};
use crate::native::Scratch;
use crate::{minimise, parallel};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A family of programs by number.
pub trait Source: Sync {
    /// Its name, for reports and file names.
    fn name(&self) -> &str;
    /// The text of the program with this number, and the ending its file needs (`c` or `i`); `None` if it cannot be made.
    fn program(&self, number: u64) -> Option<(String, &'static str)>;
    /// How its programs are compared.
    fn settings(&self) -> &Settings;
}

/// Figures of a run over many programs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs on which all agree.
    pub same: u64,
    /// Programs that gave nothing to compare, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Programs that Concord was too slow for.
    pub too_slow: Vec<u64>,
    /// Differences found: the program's number, the difference, and the file it was saved to.
    pub found: Vec<(u64, Difference, PathBuf)>,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} same, {} differences", self.same, self.found.len())?;
        if !self.too_slow.is_empty() {
            write!(f, ", {} too slow {:?}", self.too_slow.len(), self.too_slow)?;
        }
        for (reason, count) in &self.skipped {
            write!(f, ", {count} skipped ({reason})")?;
        }
        let mut by_kind: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for found in &self.found {
            by_kind.entry(&found.1.kind).or_default().push(found);
        }
        for (kind, found) in by_kind {
            write!(f, "\n[{kind}] {} programs", found.len())?;
            for (number, difference, path) in found.iter().take(MOST_SHOWN_PER_KIND) {
                let detail: Vec<&str> = difference.detail.lines().take(6).collect();
                write!(f, "\n  program {number}: {}\n    {}", path.display(), detail.join("\n    "))?;
            }
            if found.len() > MOST_SHOWN_PER_KIND {
                let rest: Vec<u64> = found.iter().skip(MOST_SHOWN_PER_KIND).map(|found| found.0).collect();
                write!(f, "\n  and {rest:?}")?;
            }
        }
        Ok(())
    }
}

/// Differences of one kind beyond this many are only counted in the report.
const MOST_SHOWN_PER_KIND: usize = 4;

/// Differences of one kind beyond this many are saved as they are: most have the same cause.
const MOST_MINIMISED_PER_KIND: usize = 2;

/// Compares the programs `first`, `first + 1`, … and saves what differs under `folder`.
pub fn compare_all(
    source: &dyn Source,
    first: u64,
    count: u64,
    minimise_for: Duration,
    folder: &Path,
    mut progress: impl FnMut(u64, &Summary),
) -> Summary {
    let mut summary = Summary::default();
    let job = |index: u64| verdict_of(source, first + index);
    let mut done = 0;
    let mut differing = Vec::new();
    parallel::for_each(count, job, |index, verdict| {
        let number = first + index;
        match verdict {
            Verdict::Same => summary.same += 1,
            Verdict::Skipped(reason) => *summary.skipped.entry(reason).or_default() += 1,
            Verdict::TooSlow => summary.too_slow.push(number),
            Verdict::Differs(difference) => differing.push((number, difference)),
        }
        done += 1;
        progress(done, &summary);
    });
    differing.sort_by_key(|(number, _)| *number);
    let mut minimised: BTreeMap<String, usize> = BTreeMap::new();
    for (number, difference) in differing {
        let times = minimised.entry(difference.kind.clone()).or_default();
        *times += 1;
        let time = if *times <= MOST_MINIMISED_PER_KIND { minimise_for } else { Duration::ZERO };
        let path = save(source, number, &difference, time, folder);
        summary.found.push((number, difference, path));
    }
    summary
}

fn verdict_of(source: &dyn Source, number: u64) -> Verdict {
    match source.program(number) {
        None => Verdict::Skipped("the generator gave none"),
        Some((text, ending)) => verdict_of_text(&text, ending, source.settings()),
    }
}

fn verdict_of_text(text: &str, ending: &str, settings: &Settings) -> Verdict {
    let compared = Scratch::new().and_then(|scratch| {
        let path = scratch.file(&format!("program.{ending}"));
        std::fs::write(&path, text)?;
        compare::compare(&path, settings)
    });
    compared.unwrap_or_else(|error| {
        let detail = format!("the comparison itself failed: {error}");
        Verdict::Differs(Difference { kind: "harness".to_string(), detail })
    })
}

fn save(source: &dyn Source, number: u64, difference: &Difference, time: Duration, folder: &Path) -> PathBuf {
    let (text, ending) = source.program(number).expect("the program was made before");
    let settings = source.settings();
    // A difference is of the same kind, and the smaller program is still a defined one.
    let shows_it = |candidate: &str| {
        may_differ(candidate, ending, settings, &difference.kind)
            && match verdict_of_text(candidate, ending, settings) {
                Verdict::Differs(found) => {
                    found.kind == difference.kind && is_defined(candidate, ending, settings)
                }
                _ => false,
            }
    };
    let small = match time.is_zero() {
        true => text,
        false => minimise::minimise(&text, time, shows_it),
    };
    let path = folder.join(format!("{}-{number}-{}.{ending}", source.name(), difference.kind));
    let comment = format!("/* {}: {} */\n", difference.kind, difference.detail.replace("*/", "* /"));
    let saved = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, comment + &small));
    match saved {
        Ok(()) => path,
        Err(error) => PathBuf::from(format!("(not saved: {error})")),
    }
}

fn is_defined(text: &str, ending: &str, settings: &Settings) -> bool {
    in_file(text, ending, |path| compare::is_defined(path, settings))
}

fn may_differ(text: &str, ending: &str, settings: &Settings, kind: &str) -> bool {
    in_file(text, ending, |path| compare::may_differ(path, settings, kind))
}

fn in_file(text: &str, ending: &str, ask: impl FnOnce(&Path) -> bool) -> bool {
    let Ok(scratch) = Scratch::new() else { return false };
    let path = scratch.file(&format!("program.{ending}"));
    std::fs::write(&path, text).is_ok() && ask(&path)
}

/// The programs of [`crate::generate`].
#[derive(Debug)]
pub struct Own {
    /// Which programs.
    pub generate: crate::generate::Settings,
    /// How they are compared.
    pub settings: Settings,
    /// Their name in reports.
    pub name: String,
}

impl Own {
    /// The programs for a data model.
    pub fn new(model: crate::generate::Model) -> Own {
        Own {
            generate: crate::generate::Settings { model, ..Default::default() },
            settings: Settings::small(model),
            name: format!("own-{model:?}").to_lowercase(),
        }
    }
}

impl Source for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn program(&self, number: u64) -> Option<(String, &'static str)> {
        Some((crate::generate::program(number, self.generate), "i"))
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }
}
