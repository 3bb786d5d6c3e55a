//! What the analysis leaves open in a file: how many operations of each kind, and where; and how many alarms Frama-C's Eva
//! raises in it.

use base::Budget;
use intervals::{Certainty, Settings, analyse_closely};
use program::{DataModel, Origin};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A line for the file, and one for each place if asked for.
pub fn of(file: &Path, model: DataModel, levels: &[Settings], all: bool, level: &str) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let program = match crate::read::file(file, model) {
        Ok(program) => program,
        Err(message) => return format!("{name}\tunread\t{message}"),
    };
    let began = Instant::now();
    let analysis = match analyse_closely(&program, levels, &Budget::unlimited()) {
        Ok(analysis) => analysis,
        Err(limit) => return format!("{name}\t{level}\t{limit}"),
    };
    let time = began.elapsed().as_millis();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places = String::new();
    let users = |procedure| program.procedures[procedure].origin == Origin::User;
    let open =
        analysis.findings.iter().filter(|one| one.certainty != Certainty::Excluded && users(one.procedure));
    for finding in open {
        *kinds.entry(finding.kind.name()).or_default() += 1;
        let line = program.sources.location(finding.span).map_or(0, |place| place.line);
        let _ = write!(
            places,
            "\n    {line}: {} {:?} `{}` {}",
            finding.kind.name(),
            finding.certainty,
            finding.about,
            finding.detail
        );
    }
    for call in analysis.error_calls.iter().filter(|call| call.can_be_reached) {
        *kinds.entry("error-call").or_default() += 1;
        let line = program.sources.location(call.span).map_or(0, |place| place.line);
        let _ = write!(places, "\n    {line}: error-call");
    }
    let count: usize = kinds.values().sum();
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    if !all {
        places.clear();
    }
    format!("{name}\t{level}\t{count}\t{time} ms\t{} steps\t{}{places}", analysis.steps, kinds.join(", "))
}

/// A line with Eva's alarms in the file, at one of its levels of precision, in so many seconds at most.
pub fn of_eva(file: &Path, model: DataModel, precision: u8, seconds: u64) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let machine = if model == DataModel::Ilp32 { "gcc_x86_32" } else { "gcc_x86_64" };
    let began = Instant::now();
    let output = Command::new("timeout")
        .args([&seconds.to_string(), "frama-c", "-eva", "-eva-precision", &precision.to_string()])
        .args(["-machdep", machine])
        .arg(file)
        .output();
    let time = began.elapsed().as_millis();
    let told = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => return format!("{name}\teva {precision}\tcannot be started: {error}"),
    };
    let alarms = told.lines().find_map(|line| {
        let (count, _) = line.trim().split_once(" alarm")?;
        count.parse::<u32>().ok()
    });
    match alarms {
        Some(count) => format!("{name}\teva {precision}\t{count}\t{time} ms"),
        None => format!("{name}\teva {precision}\tno answer\t{time} ms"),
    }
}
