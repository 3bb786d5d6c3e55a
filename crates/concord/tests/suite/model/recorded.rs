//! Models from outside the repository against the answers recorded for them. All of them in one table:
//!
//!     cargo nextest run -p concord --test model recorded_answers --no-capture

use super::*;
use lks::Lks;

struct Recorded {
    file: String,
    property: String,
    expected: bool,
    composite: String,
}

impl Recorded {
    /// The rows of LTSA name a composition; those of fspc mean every composition of the file.
    fn is_of_ltsa(&self) -> bool {
        !self.composite.starts_with('(')
    }
}

/// The FSP rows of the manifest.
fn recorded() -> Vec<Recorded> {
    let Some(bench) = shared("bench") else { return Vec::new() };
    let manifest = std::fs::read_to_string(bench.join("manifest.csv")).expect("the manifest");
    let rows = manifest.lines().filter(|line| line.starts_with("fsp/"));
    rows.map(|line| line.split(',').collect::<Vec<_>>())
        .map(|columns| Recorded {
            file: columns[0].to_owned(),
            property: columns[2].to_owned(),
            expected: columns[3] == "true",
            composite: columns[8].replace("composite=", ""),
        })
        .collect()
}

/// What we answer: "holds", "violated", "undecided", "refused", or why the question is not asked.
fn ours(row: &Recorded, path: &str) -> &'static str {
    let mut arguments = vec![path];
    match row.property.as_str() {
        "parse-error" => {
            return if run(&[path]).status == Exit::BadInput { "refused" } else { "accepted" };
        }
        "progress" => {
            let declares = std::fs::read_to_string(path).expect("readable").contains("progress");
            if !row.is_of_ltsa() && !declares {
                return "(declares no progress)";
            }
            arguments.extend(["--check", "progress"]);
        }
        _ => arguments.extend(["--check", "safety"]),
    }
    if row.is_of_ltsa() && row.composite != "DEFAULT" {
        arguments.extend(["--process", &row.composite]);
    }
    let found = verdicts(&arguments);
    assert!(!found.is_empty(), "{path}: nothing was asked");
    if found.iter().any(|verdict| verdict == "violated") {
        "violated"
    } else if found.iter().all(|verdict| verdict == "holds") {
        "holds"
    } else {
        "undecided"
    }
}

#[test]
fn recorded_answers_are_ours() {
    let Some(bench) = shared("bench") else { return };
    let rows = recorded();
    assert!(rows.len() > 150, "only {} rows are recorded", rows.len());
    let (mut table, mut wrong, mut unasked) = (String::new(), 0, 0);
    for row in &rows {
        let path = bench.join(&row.file).display().to_string();
        let expected = match (row.property.as_str(), row.expected) {
            ("parse-error", _) => "refused",
            (_, true) => "holds",
            (_, false) => "violated",
        };
        let found = ours(row, &path);
        let is_asked = !found.starts_with('(');
        let is_wrong = is_asked && found != expected;
        unasked += usize::from(!is_asked);
        wrong += usize::from(is_wrong);
        let mark = if is_wrong { "  <-- differs" } else { "" };
        table.push_str(&format!(
            "{:60} {:16} {:16} {expected:9} {found}{mark}\n",
            row.file.trim_start_matches("fsp/"),
            row.composite,
            row.property
        ));
    }
    table.push_str(&format!("{} rows, {wrong} differ, {unasked} are not asked\n", rows.len()));
    #[allow(clippy::print_stdout, reason = "the table is what this command is for")]
    {
        println!("{:60} {:16} {:16} {:9} ours", "file", "system", "question", "recorded");
        println!("{table}");
    }
    assert_eq!(wrong, 0, "{table}");
}

#[test]
fn the_figures_of_the_thesis() {
    let Some(figures) = shared("data/figures") else { return };
    let file = |name: &str| figures.join(format!("{name}.lts")).display().to_string();
    let simulated = |left: &str, right: &str, strength: &[&str]| {
        let options = ["--simulates", left, right, "--unknown-actions", "forbidden"];
        verdicts(&[&[file(left).as_str(), file(right).as_str()], &options[..], strength].concat())
            == ["holds"]
    };
    let strongly = |left: &str, right: &str| simulated(left, right, &["--silence", "strong"]);
    let directly = |left: &str, right: &str| simulated(left, right, &["--silence", "direct"]);
    let weakly = |left: &str, right: &str| simulated(left, right, &[]);
    for left in ["im_none", "im_3", "im_4"] {
        assert!(!strongly(left, "sp"), "{left}");
    }
    assert!(strongly("im_34", "sp"));
    assert!(strongly("cw", "im_none") && !strongly("cw", "sp"));
    for weakly in [&weakly as &dyn Fn(&str, &str) -> bool, &directly] {
        assert!(weakly("cw", "im_3") && weakly("cw", "im_4") && !weakly("cw", "im_34"));
        assert!(weakly("example4_m1", "example4_m2") && weakly("figure2_4_m1", "figure2_4_m2"));
    }
    assert!(strongly("example3_m1", "example3_m2") && !strongly("example3_m2", "example3_m1"));
    assert!(!strongly("example4_m1", "example4_m2"));
    // The thesis wants actions answered at once; Concord's weak simulation lets silent steps come first.
    assert!(!directly("example4_m2", "example4_m1") && weakly("example4_m2", "example4_m1"));
    let eventually = |name: &str| verdicts(&[&file(name), "--formula", "F alpha"]) == ["holds"];
    assert!(!eventually("figure2_4_m1") && eventually("figure2_4_m2"));
    let free = |names: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| file(name)).collect();
        let system = names.join("||");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--process", &system, "--check", "deadlock"]);
        verdicts(&arguments) == ["holds"]
    };
    assert!(!free(&["example19_m1"]) && !free(&["example19_m2"]) && !free(&["example19_m1", "example19_m2"]));
    let [m1, m2, m3, m4] = ["example20_m1", "example20_m2", "example20_m3", "example20_m4"];
    assert!(!free(&[m1]) && !free(&[m2]) && free(&[m1, m2]));
    assert!(free(&[m3]) && free(&[m4]) && !free(&[m3, m4]));
    assert!(!free(&[m1, m3]) && free(&[m1, m4]));
    let satisfies = |formula: &str| verdicts(&[&file("seltl_8_3"), "--formula", formula]) == ["holds"];
    assert!(satisfies("G(c => F [r])") && satisfies("G(d => F [r])"));
    assert!(!satisfies("G(b => F [r])") && !satisfies("G(d => X F [r])"));
}

#[test]
fn surge_protectors() {
    let Some(surge) = shared("data/surge") else { return };
    let formulas =
        [("phi_se", "holds"), ("phi_e", "holds"), ("phi_e_until", "violated"), ("phi_se_bad", "violated")];
    // The files go to n = 12, which takes minutes in a test build.
    for n in 2..=6usize {
        let file = |name: &str| surge.join(format!("n{n:02}")).join(name).display().to_string();
        for (formula, expected) in formulas {
            let found =
                verdicts(&[&file("surge.lts"), &file(&format!("{formula}.seltl")), "--check", formula]);
            assert_eq!(found, [expected], "n = {n}, {formula}");
        }
    }
}

#[test]
fn diners_as_tables() {
    let Some(dining) = shared("data/dining") else { return };
    for n in 2..=4usize {
        let folder = dining.join(format!("n{n:02}"));
        let people = (1..=n).flat_map(|i| [format!("phil_{i}"), format!("fork_{i}")]);
        let parts: Vec<String> = people.chain(["lock".to_owned()]).collect();
        let path = |name: &String| folder.join(format!("{name}.lts")).display().to_string();
        let files: Vec<String> = parts.iter().chain([&"safe".to_owned()]).map(path).collect();
        let system = parts.join("||");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--process", &system, "--check", "deadlock", "--traces", &system, "safe"]);
        assert_eq!(verdicts(&arguments), ["holds", "holds"], "n = {n}");
    }
}

/// The philosophers as tables of n = 2 with their numbers changed; forks, lock and property from the
/// specifications.
#[test]
fn diners_as_specifications() {
    let Some(dining) = shared("data/dining") else { return };
    let table = std::fs::read_to_string(dining.join("n02/phil_1.lts")).expect("a philosopher");
    for n in 2..=7usize {
        let specification = dining.join(format!("n{n:02}/dining.spec"));
        let text = std::fs::read_to_string(specification).expect("a specification");
        let text = text.replace("\nSafe = ", "\nproperty Safe = ");
        let mut files = vec![temporary(&format!("dining_{n}.spec"), &text)];
        for phil in 1..=n {
            let text = table.replace("_1", &format!("_{phil}"));
            files.push(temporary(&format!("dining_{n}_{phil}.lts"), &text));
        }
        let people = (1..=n).flat_map(|i| [format!("phil_{i}"), format!("Fork_{i}")]);
        let parts: Vec<String> = people.chain(["Lock".to_owned(), "Safe".to_owned()]).collect();
        let system = parts.join("||");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--process", &system, "--check", "deadlock", "--check", "property"]);
        assert_eq!(verdicts(&arguments), ["holds", "holds"], "n = {n}");
        // Without the lock, all can hold their left fork.
        let hasty = system.replace("||Lock", "");
        let position = arguments.iter().position(|argument| *argument == system).expect("just put there");
        arguments[position] = &hasty;
        assert_eq!(verdicts(&arguments), ["violated", "violated"], "n = {n}, no lock");
    }
}

/// What `my_proc` really does against what the tutorial's specifications allow.
#[test]
fn processes_of_the_tutorial() {
    let Some(tutorial) = shared("data/tutorial") else { return };
    let specification = tutorial.join("my_spec.spec").display().to_string();
    let real = temporary(
        "my_proc.lts",
        "ZERO = (call_foo -> return {$0 == 20} -> STOP). OTHER = (call_bar -> return {$0 == 40} -> STOP).\n",
    );
    let conforms = |left: &str, right: &str| {
        let options = ["--simulates", left, right, "--unknown-actions", "forbidden"];
        verdicts(&[&[specification.as_str(), &real][..], &options].concat()) == ["holds"]
    };
    assert!(conforms("ZERO", "S1") && conforms("OTHER", "S3"));
    assert!(!conforms("ZERO", "S3") && !conforms("OTHER", "S1"));
}

fn table(figures: &Path, name: &str) -> Lks {
    let text = std::fs::read_to_string(figures.join(format!("{name}.lts"))).expect("a figure");
    let (_, lks) = spec::table::read(&text, 0).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
    (*lks).clone()
}

/// Every path from an initial state of a structure without cycles, as the actions and the last state.
fn paths(lks: &Lks) -> Vec<(Vec<String>, lks::StateId)> {
    let mut all: Vec<(Vec<String>, lks::StateId)> =
        lks.initial().iter().map(|&state| (Vec::new(), state)).collect();
    let mut next = 0;
    while next < all.len() {
        let (actions, at) = all[next].clone();
        for (action, to) in lks.transitions(at) {
            let mut longer = actions.clone();
            longer.push(lks.alphabet().name(action).to_owned());
            all.push((longer, to));
        }
        assert!(all.len() < 1000, "no cycles were expected");
        next += 1;
    }
    all
}

#[test]
fn sizes_paths_and_failures_of_the_figures() {
    use std::collections::BTreeSet;
    let Some(figures) = shared("data/figures") else { return };
    assert_eq!(table(&figures, "im_none").state_count(), 13);
    // Example 2.
    let example = table(&figures, "example1");
    let state = |name: &str| {
        let mut all = example.states();
        all.find(|&state| example.state_name(state) == Some(name)).expect("a state of that name")
    };
    let after = |name: &str, action: &str, label: Option<&[&str]>| -> Vec<String> {
        let action = example.alphabet().find(action).expect("an action");
        let named = |to: lks::StateId| -> Vec<&str> {
            example.label(to).iter().map(|id| example.propositions().name(id)).collect()
        };
        let targets = example.successors_by(state(name), action).iter();
        let fitting = targets.filter(|&&to| label.is_none_or(|label| named(to) == label));
        fitting.map(|&to| example.state_name(to).expect("named").to_owned()).collect()
    };
    assert_eq!(after("1", "alpha", None), ["2", "3"]);
    assert_eq!(after("1", "alpha", Some(&["q"])), ["2"]);
    assert_eq!(after("2", "beta", Some(&["p", "q"])), ["4"]);
    // Example 19.
    let failures = |lks: &Lks| -> BTreeSet<(String, String)> {
        let refused = |at: lks::StateId| -> String {
            let refused = lks.alphabet().visible().filter(|&action| !lks.offers(at, action));
            let names: BTreeSet<&str> = refused.map(|action| lks.alphabet().name(action)).collect();
            names.into_iter().collect::<Vec<_>>().join(" ")
        };
        paths(lks).into_iter().map(|(actions, at)| (actions.join(" "), refused(at))).collect()
    };
    let traces =
        |lks: &Lks| paths(lks).into_iter().map(|(actions, _)| actions).collect::<BTreeSet<_>>().len();
    let [m1, m2] = ["example19_m1", "example19_m2"].map(|name| table(&figures, name));
    assert_eq!((paths(&m1).len(), traces(&m1)), (7, 4));
    let four = [("", "b c"), ("a", "a c"), ("a b", "a b"), ("a b c", "a b c")];
    assert_eq!(failures(&m1), four.map(|(trace, refused)| (trace.to_owned(), refused.to_owned())).into());
    assert_eq!((paths(&m2).len(), traces(&m2), failures(&m2).len()), (4, 4, 4));
    // Example 20 (v).
    let m1 = table(&figures, "example20_m1");
    let one_class = lks::Partition::by_key(m1.states().map(|_| ()));
    let quotient = m1.quotient(&one_class, lks::quotient::InnerSilence::Kept);
    assert!(quotient.states().all(|state| quotient.transitions(state).len() > 0));
}
