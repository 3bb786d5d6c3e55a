//! All solutions over indicators on transitions: the solver's own enumeration beside the other's, and the service,
//! which splits, remembers and reuses.

use crate::table;
use crate::transitions::TransitionSet;
use base::Budget;
use logic::abstraction::{AbstractionService, AbstractionSettings, Exactness};
use logic::traits::{AllSolutions, Assert, Completeness, SolutionLimit};
use logic::{EmbeddedSolver, ProcessSolver, SolverCommand, TermId, TermPool};
use std::collections::BTreeSet;
use testkit::clock::{Elapsed, Stopwatch};

/// The process gets so many transitions; figures are per check.
const TRANSITIONS_FOR_THE_OTHER: usize = 10;

struct Measured {
    elapsed: Elapsed,
    checks: u64,
    rows: Vec<BTreeSet<Vec<Option<bool>>>>,
}

fn enumerate<S: Assert + AllSolutions>(
    pool: &mut TermPool,
    questions: &[(TermId, Vec<TermId>)],
    mut make: impl FnMut() -> S,
) -> Measured {
    let (mut checks, mut rows) = (0, Vec::new());
    let started = Stopwatch::start();
    for (step, indicators) in questions {
        let mut solver = make();
        solver.assert(pool, *step);
        let found = solver.all_solutions(pool, indicators, &[], SolutionLimit::All, &Budget::unlimited());
        assert_eq!(found.completeness, Completeness::Complete, "an unlimited enumeration is complete");
        // One check for each, and one to know that there are no more.
        checks += found.cubes.len() as u64 + 1;
        rows.push(found.cubes.into_iter().collect());
    }
    Measured { elapsed: started.read(), checks, rows }
}

/// Prints the tables.
pub fn measure(set: &TransitionSet, name: &str, other: Option<&SolverCommand>) {
    let mut rows = Vec::new();
    let mut pool = TermPool::new();
    let mut copier = logic::term::TermCopier::new();
    let copied: Vec<(TermId, Vec<TermId>, Vec<TermId>)> = set
        .transitions
        .iter()
        .map(|transition| {
            let mut copy = |term: TermId| copier.copy(&set.pool, &mut pool, term);
            let before = transition.before.iter().map(|&term| copy(term)).collect();
            let after = transition.after.iter().map(|&term| copy(term)).collect();
            (copy(transition.step), before, after)
        })
        .collect();
    for count in [4, 8, 12] {
        // Half before the step, half after it.
        let questions: Vec<(TermId, Vec<TermId>)> = copied
            .iter()
            .map(|(step, before, after)| {
                let half = (count / 2).min(before.len());
                (*step, before[..half].iter().chain(&after[..half]).copied().collect())
            })
            .collect();
        let ours = enumerate(&mut pool, &questions, EmbeddedSolver::default);
        let each = table::micros_each(ours.elapsed, ours.checks);
        rows.push(vec![
            count.to_string(),
            "embedded".to_owned(),
            questions.len().to_string(),
            (ours.checks - questions.len() as u64).to_string(),
            format!("{each:.1}"),
            format!("{:.1}", table::wall_micros_each(ours.elapsed, ours.checks)),
            "1.0x".to_owned(),
        ]);
        if let Some(command) = other {
            let some = &questions[..questions.len().min(TRANSITIONS_FOR_THE_OTHER)];
            let theirs = enumerate(&mut pool, some, || ProcessSolver::new(command.clone()));
            assert_eq!(theirs.rows[..], ours.rows[..some.len()], "both solvers find the same solutions");
            let slower = table::micros_each(theirs.elapsed, theirs.checks);
            rows.push(vec![
                count.to_string(),
                format!("{} (process)", command.program),
                some.len().to_string(),
                (theirs.checks - some.len() as u64).to_string(),
                format!("{slower:.1}"),
                format!("{:.1}", table::wall_micros_each(theirs.elapsed, theirs.checks)),
                table::ratio(each, slower),
            ]);
        }
    }
    let header =
        ["indicators", "solver", "transitions", "solutions", "us/check (cpu)", "us/check (wall)", "cpu"];
    table::print(&format!("All solutions, {name}: half before, half after the step"), &header, &rows);

    let mut rows = Vec::new();
    let mut service = AbstractionService::new(AbstractionSettings::default());
    for count in [4, 8, 12] {
        let before_this = service.statistics();
        let started = Stopwatch::start();
        let mut exact = 0;
        for (step, before, after) in &copied {
            let count = count.min(before.len());
            let relation = service
                .relation(&mut pool, *step, &before[..count], &after[..count], &Budget::unlimited())
                .expect("an unlimited budget does not end");
            exact += usize::from(relation.exactness() == Exactness::Exact);
        }
        let elapsed = started.read();
        let now = service.statistics();
        let checks = now.checks - before_this.checks;
        rows.push(vec![
            format!("{count} + {count}"),
            copied.len().to_string(),
            exact.to_string(),
            format!("{:.1}", table::micros_each(elapsed, copied.len() as u64)),
            checks.to_string(),
            format!("{:.1}", table::micros_each(elapsed, checks)),
            (now.remembered_parts - before_this.remembered_parts).to_string(),
            (now.reused_solutions - before_this.reused_solutions).to_string(),
        ]);
    }
    let header = [
        "predicates",
        "transitions",
        "exact",
        "us/transition (cpu)",
        "checks",
        "us/check (cpu)",
        "parts remembered",
        "solutions reused",
    ];
    table::print(
        &format!("Abstract relations by the service, {name}: refined from row to row"),
        &header,
        &rows,
    );
}
