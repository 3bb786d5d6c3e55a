//! CaDiCaL behind our traits, against enumeration of all assignments.

use super::*;
use crate::answer::UnknownReason;
use base::Exhausted;
use base::random::Random;
use std::time::Duration;

const VARIABLES: usize = 8;

fn holds(clauses: &[Vec<Literal>], row: u32) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|literal| is_true(*literal, row)))
}

fn is_true(literal: Literal, row: u32) -> bool {
    (row >> base::Id::index(literal.variable()) & 1 == 1) == literal.is_positive()
}

/// Is there an assignment of clauses and assumptions? By trying all.
fn by_enumeration(clauses: &[Vec<Literal>], assumptions: &[Literal]) -> bool {
    (0..1u32 << VARIABLES)
        .any(|row| holds(clauses, row) && assumptions.iter().all(|literal| is_true(*literal, row)))
}

#[test]
fn incremental_answers_models_and_cores_agree_with_enumeration() {
    let mut random = Random::new(7);
    let budget = Budget::unlimited();
    let (mut sats, mut unsats) = (0, 0);
    for _ in 0..60 {
        let mut solver = CadicalSolver::new();
        let variables: Vec<_> = (0..VARIABLES).map(|_| solver.new_variable()).collect();
        let mut clauses: Vec<Vec<Literal>> = Vec::new();
        for _ in 0..40 {
            let length = 1 + random.below(3).max(random.below(3));
            let clause: Vec<_> =
                (0..length).map(|_| random.pick(&variables).literal(random.coin())).collect();
            solver.add_clause(&clause);
            clauses.push(clause);
            let mut assumptions: Vec<_> =
                (0..random.below(5)).map(|_| random.pick(&variables).literal(random.coin())).collect();
            assumptions.sort();
            assumptions.dedup();
            let expected = by_enumeration(&clauses, &assumptions);
            match solver.solve_under(&assumptions, &budget) {
                Answer::Sat => {
                    assert!(expected);
                    sats += 1;
                    for clause in &clauses {
                        assert!(clause.iter().any(|&literal| solver.value(literal) == Some(true)));
                    }
                    for &assumption in &assumptions {
                        assert_eq!(solver.value(assumption), Some(true));
                        assert_eq!(solver.value(!assumption), Some(false));
                    }
                }
                Answer::Unsat => {
                    assert!(!expected);
                    unsats += 1;
                    assert_eq!(solver.value(variables[0].positive()), None, "no model after unsat");
                    let core = solver.failed_assumptions().to_vec();
                    assert!(core.iter().all(|literal| assumptions.contains(literal)));
                    assert!(!by_enumeration(&clauses, &core));
                    let minimal = minimise_failed(&mut solver, &core, &budget);
                    assert!(!by_enumeration(&clauses, &minimal));
                    for dropped in 0..minimal.len() {
                        let mut rest = minimal.clone();
                        rest.remove(dropped);
                        assert!(by_enumeration(&clauses, &rest), "a minimal core has nothing to spare");
                    }
                }
                Answer::Unknown(reason) => panic!("{reason}"),
            }
        }
    }
    assert!(sats > 500 && unsats > 500, "both answers are tested: {sats} {unsats}");
}

#[test]
fn a_clause_for_one_call_agrees_with_enumeration() {
    let mut random = Random::new(23);
    let budget = Budget::unlimited();
    let (mut blamed, mut unsats) = (0, 0);
    for _ in 0..60 {
        let mut solver = CadicalSolver::new();
        let variables: Vec<_> = (0..VARIABLES).map(|_| solver.new_variable()).collect();
        let pick = |random: &mut Random, count: usize| -> Vec<Literal> {
            (0..count).map(|_| random.pick(&variables).literal(random.coin())).collect()
        };
        let mut clauses: Vec<Vec<Literal>> = Vec::new();
        for _ in 0..25 {
            let clause = pick(&mut random, 2);
            solver.add_clause(&clause);
            clauses.push(clause);
            let length = random.below(4);
            let (extra, mut assumptions) = (pick(&mut random, length), pick(&mut random, 3));
            assumptions.sort();
            assumptions.dedup();
            let mut with_extra = clauses.clone();
            with_extra.push(extra.clone());
            let answer = solver.solve_with_clause(&assumptions, &extra, &budget);
            assert_eq!(answer.is_sat(), by_enumeration(&with_extra, &assumptions));
            if answer == Answer::Unsat {
                unsats += 1;
                let core = solver.failed_assumptions().to_vec();
                assert!(core.iter().all(|literal| assumptions.contains(literal)));
                let to_blame = solver.is_clause_to_blame();
                assert!(!by_enumeration(if to_blame { &with_extra } else { &clauses }, &core));
                blamed += usize::from(to_blame);
            } else {
                let found = solver.literals_of(&variables).unwrap();
                let row = found.iter().fold(0u32, |row, literal| {
                    row | u32::from(literal.is_positive()) << base::Id::index(literal.variable())
                });
                assert!(holds(&with_extra, row));
            }
            // The clause is gone with the call.
            let answer = solver.solve_under(&assumptions, &budget);
            assert_eq!(answer.is_sat(), by_enumeration(&clauses, &assumptions));
            assert!(!solver.is_clause_to_blame());
        }
    }
    assert!(blamed > 50 && unsats > blamed, "{blamed} {unsats}");
}

#[test]
fn groups_hold_while_they_are_assumed() {
    let mut solver = CadicalSolver::new();
    let budget = Budget::unlimited();
    let (a, b) = (solver.new_literal(), solver.new_literal());
    solver.add_clause(&[a, b]);
    let (first, second) = (ClauseGroup::open(&mut solver), ClauseGroup::open(&mut solver));
    first.add_clause(&mut solver, &[!a]);
    second.add_clause(&mut solver, &[!b]);
    assert_eq!(solver.solve_under(&[first.active()], &budget), Answer::Sat);
    assert_eq!(solver.value(b), Some(true));
    assert_eq!(solver.solve_under(&[first.active(), second.active()], &budget), Answer::Unsat);
    assert_eq!(solver.failed_assumptions().len(), 2);
    let first_active = first.active();
    first.close(&mut solver);
    assert_eq!(solver.solve_under(&[second.active()], &budget), Answer::Sat);
    assert_eq!(solver.solve_under(&[first_active], &budget), Answer::Unsat, "a closed group stays closed");
}

#[test]
fn an_interrupt_before_the_call_stops_that_call_only() {
    let mut solver = CadicalSolver::new();
    let literal = solver.new_literal();
    solver.add_clause(&[literal]);
    solver.interrupter().interrupt();
    let budget = Budget::unlimited();
    assert_eq!(solver.solve_under(&[], &budget), Answer::Unknown(UnknownReason::Interrupted));
    assert_eq!(solver.solve_under(&[], &budget), Answer::Sat);
}

/// n+1 pigeons in n holes: unsatisfiable, and hard for every resolution-based solver.
fn pigeons(solver: &mut CadicalSolver, holes: usize) {
    let place: Vec<Vec<Literal>> =
        (0..=holes).map(|_| (0..holes).map(|_| solver.new_literal()).collect()).collect();
    for pigeon in &place {
        solver.add_clause(pigeon);
    }
    for (position, first) in place.iter().enumerate() {
        for second in &place[..position] {
            for (&a, &b) in first.iter().zip(second) {
                solver.add_clause(&[!a, !b]);
            }
        }
    }
}

#[test]
fn time_ends_with_unknown() {
    let mut solver = CadicalSolver::new();
    pigeons(&mut solver, 12);
    let budget = Budget::unlimited().with_time(Duration::from_millis(50));
    assert_eq!(solver.solve_under(&[], &budget), Answer::Unknown(UnknownReason::Exhausted(Exhausted::Time)));
}

#[test]
fn another_thread_can_interrupt_and_the_solver_goes_on() {
    let mut solver = CadicalSolver::new();
    let free = solver.new_literal();
    let guard = solver.new_literal();
    solver.add_clause(&[!guard, free]);
    pigeons(&mut solver, 12);
    let interrupter = solver.interrupter();
    let answer = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            interrupter.interrupt();
        });
        solver.solve_under(&[], &Budget::unlimited())
    });
    assert_eq!(answer, Answer::Unknown(UnknownReason::Interrupted));
    let cancelled = Budget::unlimited();
    cancelled.cancel();
    assert_eq!(
        solver.solve_under(&[], &cancelled),
        Answer::Unknown(UnknownReason::Exhausted(Exhausted::Cancelled))
    );
    assert_eq!(solver.solve_under(&[guard, !free], &Budget::unlimited()), Answer::Unsat);
}

#[test]
fn the_empty_clause_is_final() {
    let mut solver = CadicalSolver::new();
    assert_eq!(solver.solve_under(&[], &Budget::unlimited()), Answer::Sat);
    solver.add_clause(&[]);
    assert_eq!(solver.solve_under(&[], &Budget::unlimited()), Answer::Unsat);
    assert!(cadical_version().starts_with("cadical-"), "{}", cadical_version());
}
