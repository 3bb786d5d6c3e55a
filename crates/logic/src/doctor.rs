//! What answers questions on this machine: the back ends, where they come from, their versions, and whether they
//! pass the conformance suite. The command line prints it.

use crate::bdd::{BddManager, BddSettings, NodeLimitReached};
use crate::conformance::{CaseResult, run_conformance};
use crate::optimise::{HittingSet, Mode, minimum_hitting_set};
use crate::sat::cadical_version;
use crate::smt::{EmbeddedSolver, ProcessSolver, SolverCommand};
use base::Budget;
use std::time::Duration;

/// The version of OxiDD that is compiled in; a test compares it to the workspace's dependency.
const OXIDD_VERSION: &str = "0.13";

/// One back end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackEndReport {
    /// What the back end is called.
    pub name: String,
    /// Its version, in its own words; `None` when it could not be started.
    pub version: Option<String>,
    /// Where it comes from.
    pub obtained: Obtained,
    /// What it is used for.
    pub used_for: &'static str,
    /// How the self-test went.
    pub self_test: SelfTest,
}

/// Where a back end comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obtained {
    /// Compiled into Concord.
    CompiledIn,
    /// Started with this command.
    Command(String),
}

/// How a self-test went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelfTest {
    /// All so many questions were answered rightly.
    Passed {
        /// How many questions it answered.
        questions: usize,
    },
    /// Some were not: what went wrong.
    Failed(Vec<String>),
    /// It is not there, or does not start: why.
    NotRun(String),
}

/// Which back ends to look at, and how thoroughly.
#[derive(Clone, Debug, Default)]
pub struct DoctorSettings {
    /// Solver commands given by the user, besides the usual ones.
    pub commands: Vec<SolverCommand>,
}

/// Looks at every back end: the compiled-in ones, z3 and cvc5 if they are installed, and the commands given.
pub fn doctor(settings: &DoctorSettings) -> Vec<BackEndReport> {
    let mut reports = vec![
        BackEndReport {
            name: "embedded solver (CaDiCaL)".to_owned(),
            version: Some(cadical_version()),
            obtained: Obtained::CompiledIn,
            used_for: "bit-vectors, arrays, functions, SAT",
            self_test: self_test(&run_conformance(EmbeddedSolver::default)),
        },
        BackEndReport {
            name: "minimiser (CaDiCaL)".to_owned(),
            version: Some(cadical_version()),
            obtained: Obtained::CompiledIn,
            used_for: "minimum predicate sets, hitting sets",
            self_test: minimiser_self_test(),
        },
        BackEndReport {
            name: "BDDs (OxiDD)".to_owned(),
            version: Some(OXIDD_VERSION.to_owned()),
            obtained: Obtained::CompiledIn,
            used_for: "symbolic sets of states",
            self_test: bdd_self_test(),
        },
    ];
    let usual = ["z3", "cvc5"].into_iter().filter_map(SolverCommand::parse);
    for command in usual.chain(settings.commands.iter().cloned()) {
        reports.push(process_report(&command));
    }
    reports
}

fn process_report(command: &SolverCommand) -> BackEndReport {
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    let version = ProcessSolver::new(command.clone()).version(&budget);
    let self_test = match &version {
        Ok(_) => self_test(&run_conformance(|| ProcessSolver::new(command.clone()))),
        Err(reason) => SelfTest::NotRun(reason.to_string()),
    };
    let words: Vec<&str> = std::iter::once(command.program.as_str())
        .chain(command.arguments.iter().map(String::as_str))
        .collect();
    BackEndReport {
        name: command.program.clone(),
        version: version.ok(),
        obtained: Obtained::Command(words.join(" ")),
        used_for: "second opinion, floats",
        self_test,
    }
}

fn self_test(results: &[CaseResult]) -> SelfTest {
    let failures: Vec<String> = results
        .iter()
        .filter_map(|result| result.outcome.as_ref().err().map(|what| format!("{}: {what}", result.name)))
        .collect();
    if failures.is_empty() {
        SelfTest::Passed { questions: results.len() }
    } else {
        SelfTest::Failed(failures)
    }
}

fn minimiser_self_test() -> SelfTest {
    // A triangle with a tail: two of the triangle's corners, or one and the tail.
    let sets = [vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3]];
    let failures: Vec<String> = [Mode::CoreGuided, Mode::Linear]
        .into_iter()
        .filter_map(|mode| match minimum_hitting_set(&[3, 2, 2, 5], &sets, mode, &Budget::unlimited()) {
            HittingSet::Minimum { cost: 4, .. } => None,
            other => Some(format!("{mode:?}: {other:?} instead of cost 4")),
        })
        .collect();
    if failures.is_empty() { SelfTest::Passed { questions: 2 } } else { SelfTest::Failed(failures) }
}

fn bdd_self_test() -> SelfTest {
    let count = || -> Result<Option<u128>, NodeLimitReached> {
        // Exactly one of eight.
        let manager = BddManager::new(BddSettings { node_limit: 1 << 12, cache_entries: 1 << 8 });
        let variables = manager.add_variables(8);
        let mut sum = manager.constant(false);
        for &chosen in &variables {
            let literals: Vec<_> = variables.iter().map(|&variable| (variable, variable == chosen)).collect();
            sum = sum.or(&manager.cube(&literals)?)?;
        }
        Ok(sum.count_exactly(8))
    };
    match count() {
        Ok(Some(8)) => SelfTest::Passed { questions: 1 },
        other => SelfTest::Failed(vec![format!("exactly one of eight: {other:?} instead of 8")]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_in_back_ends_are_healthy() {
        let reports = doctor(&DoctorSettings {
            commands: SolverCommand::parse("no-such-solver").into_iter().collect(),
        });
        for report in &reports {
            if report.obtained == Obtained::CompiledIn {
                assert!(matches!(report.self_test, SelfTest::Passed { .. }), "{report:?}");
            }
        }
        let missing = reports.last().unwrap();
        assert!(missing.version.is_none() && matches!(missing.self_test, SelfTest::NotRun(_)), "{missing:?}");
    }

    #[test]
    fn the_version_told_is_the_version_used() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let text = std::fs::read_to_string(manifest).unwrap();
        assert!(
            text.contains(&format!("oxidd = {{ version = \"{OXIDD_VERSION}\"")),
            "OxiDD has another version"
        );
    }
}
