//! The conformance suite on every back end that is here.

use base::Budget;
use logic::conformance::run_conformance;
use logic::{EmbeddedSettings, EmbeddedSolver, ProcessSolver, SolverCommand};
use std::time::Duration;

fn all_pass(results: &[logic::conformance::CaseResult]) {
    let failures: Vec<_> = results.iter().filter(|result| result.outcome.is_err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(results.len() >= 12);
}

#[test]
fn the_embedded_solver_conforms() {
    all_pass(&run_conformance(EmbeddedSolver::default));
}

#[test]
fn the_embedded_solver_conforms_without_its_simplifier() {
    let settings = EmbeddedSettings { simplification: logic::smt::Simplification::Off, ..Default::default() };
    all_pass(&run_conformance(|| EmbeddedSolver::new(settings)));
}

/// Solvers that may be installed; a missing one is told, not failed.
#[test]
#[allow(clippy::print_stderr)]
fn installed_smtlib_solvers_conform() {
    for name in ["z3", "cvc5"] {
        let command = SolverCommand::parse(name).unwrap();
        match ProcessSolver::new(command.clone())
            .version(&Budget::unlimited().with_time(Duration::from_secs(10)))
        {
            Err(reason) => eprintln!("{name} is absent, so the suite does not run on it: {reason}"),
            Ok(version) => {
                eprintln!("running the suite on {version}");
                let results = run_conformance(|| ProcessSolver::new(command.clone()));
                for result in &results {
                    eprintln!("{:>8} ms  {}", result.elapsed.as_millis(), result.name);
                }
                all_pass(&results);
            }
        }
    }
}

#[test]
fn a_program_that_is_no_solver_is_unknown() {
    use logic::traits::{Assert, CheckAssuming};
    for command in ["false", "no-such-solver-anywhere", "cat"] {
        let mut pool = logic::TermPool::new();
        let mut solver = ProcessSolver::new(SolverCommand::parse(command).unwrap());
        let p = pool.bool_symbol("p");
        solver.assert(&mut pool, p);
        let answer = solver.check(&mut pool, &Budget::unlimited().with_time(Duration::from_secs(5)));
        assert!(matches!(answer, logic::Answer::Unknown(_)), "{command}: {answer:?}");
    }
}
