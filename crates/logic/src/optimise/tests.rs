//! Against trying all assignments.

use super::*;
use crate::sat::{Literal, TakeClauses};
use base::random::Random;
use base::{Budget, Id};

const VARIABLES: usize = 9;

fn is_true(literal: Literal, row: u32) -> bool {
    (row >> literal.variable().index() & 1 == 1) == literal.is_positive()
}

fn value(sum: &[Weighted], row: u32) -> i64 {
    sum.iter().filter(|&&(literal, _)| is_true(literal, row)).map(|&(_, weight)| weight).sum()
}

#[test]
fn both_modes_find_the_minimum_under_all_constraints() {
    let mut random = Random::new(11);
    let (mut minima, mut impossible) = (0, 0);
    for round in 0..150 {
        // Every second time sums are added in binary, whatever their size.
        let unary_clauses = if round % 2 == 0 { MinimiserSettings::default().unary_clauses } else { 0 };
        let mut core_guided = Minimiser::with_settings(MinimiserSettings { unary_clauses });
        let mut linear = Minimiser::with_settings(MinimiserSettings { unary_clauses });
        // The gates' own variable is number 0 in both; ours follow.
        let literals: Vec<Literal> = (0..VARIABLES).map(|_| core_guided.new_literal()).collect();
        let same: Vec<Literal> = (0..VARIABLES).map(|_| linear.new_literal()).collect();
        assert_eq!(literals, same);
        let first = literals[0].variable().index();
        let pick = |random: &mut Random| random.pick(&literals).negated_if(random.coin());
        let mut clauses: Vec<Vec<Literal>> = Vec::new();
        for _ in 0..random.below(12) {
            let clause: Vec<Literal> = (0..1 + random.below(3)).map(|_| pick(&mut random)).collect();
            clauses.push(clause);
        }
        let mut sums: Vec<(Vec<Weighted>, Comparison, i64)> = Vec::new();
        for _ in 0..random.below(4) {
            let equal_weights = random.coin();
            let terms: Vec<Weighted> = (0..2 + random.below(5))
                .map(|_| (pick(&mut random), if equal_weights { 1 } else { random.below(9) as i64 - 3 }))
                .collect();
            let comparison = *random.pick(&[Comparison::AtMost, Comparison::AtLeast, Comparison::Exactly]);
            sums.push((terms, comparison, random.below(8) as i64 - 1));
        }
        for solver in [&mut core_guided, &mut linear] {
            for clause in &clauses {
                solver.add_clause(clause);
            }
            for (terms, comparison, bound) in &sums {
                solver.add_pseudo_boolean(terms, *comparison, *bound);
            }
        }
        let negative = random.coin();
        let objective: Vec<Weighted> = (0..VARIABLES + 2)
            .map(|_| (pick(&mut random), random.below(7) as i64 - if negative { 3 } else { 0 }))
            .collect();
        let allowed = |row: u32| {
            clauses.iter().all(|clause| clause.iter().any(|&literal| is_true(literal, row)))
                && sums.iter().all(|(terms, comparison, bound)| {
                    let sum = value(terms, row);
                    match comparison {
                        Comparison::AtMost => sum <= *bound,
                        Comparison::AtLeast => sum >= *bound,
                        Comparison::Exactly => sum == *bound,
                    }
                })
        };
        let rows = (0..1u32 << VARIABLES).map(|row| row << first);
        let expected = rows.filter(|&row| allowed(row)).map(|row| value(&objective, row)).min();
        for (solver, mode) in [(&mut core_guided, Mode::CoreGuided), (&mut linear, Mode::Linear)] {
            // Twice: a search must not bind the next.
            for _ in 0..2 {
                match (solver.minimise(&objective, mode, &Budget::unlimited()), expected) {
                    (Optimum::Minimum { cost, assignment }, Some(expected)) => {
                        assert_eq!(cost, expected, "{mode:?}");
                        let row = literals.iter().fold(0u32, |row, literal| {
                            let index = literal.variable().index();
                            row | u32::from(assignment[index]) << index
                        });
                        assert!(allowed(row) && value(&objective, row) == cost);
                        minima += 1;
                    }
                    (Optimum::Unsatisfiable, None) => impossible += 1,
                    (found, expected) => panic!("{mode:?}: {found:?} instead of {expected:?}"),
                }
            }
        }
    }
    assert!(minima > 100 && impossible > 20, "{minima} {impossible}");
}

#[test]
fn hitting_sets_are_minimal() {
    let mut random = Random::new(3);
    for _ in 0..60 {
        let count = 8;
        let weights: Vec<u32> = (0..count).map(|_| random.below(6) as u32).collect();
        let sets: Vec<Vec<usize>> = (0..1 + random.below(8))
            .map(|_| (0..1 + random.below(4)).map(|_| random.below(count)).collect())
            .collect();
        let hits = |row: u32| sets.iter().all(|set| set.iter().any(|&element| row >> element & 1 == 1));
        let price =
            |row: u32| (0..count).filter(|&e| row >> e & 1 == 1).map(|e| u64::from(weights[e])).sum::<u64>();
        let expected = (0..1u32 << count).filter(|&row| hits(row)).map(price).min().unwrap();
        for mode in [Mode::CoreGuided, Mode::Linear] {
            let found = minimum_hitting_set(&weights, &sets, mode, &Budget::unlimited());
            let HittingSet::Minimum { elements, cost } = found else { panic!("{found:?}") };
            let row = elements.iter().fold(0u32, |row, &element| row | 1 << element);
            assert!(hits(row) && price(row) == cost && cost == expected);
        }
    }
    let nothing = minimum_hitting_set(&[1], &[vec![]], Mode::CoreGuided, &Budget::unlimited());
    assert_eq!(nothing, HittingSet::Impossible);
}

/// Larger than enumeration can do: the two searches against each other.
#[test]
fn both_modes_agree_on_larger_problems() {
    let mut random = Random::new(8);
    for _ in 0..12 {
        let count = 25;
        let weights: Vec<u32> = (0..count).map(|_| 1 + random.below(30) as u32).collect();
        let sets: Vec<Vec<usize>> =
            (0..50).map(|_| (0..2 + random.below(3)).map(|_| random.below(count)).collect()).collect();
        let [below, above] = [Mode::CoreGuided, Mode::Linear].map(|mode| {
            match minimum_hitting_set(&weights, &sets, mode, &Budget::unlimited()) {
                HittingSet::Minimum { elements, cost } => {
                    assert!(sets.iter().all(|set| set.iter().any(|element| elements.contains(element))));
                    assert_eq!(elements.iter().map(|&e| u64::from(weights[e])).sum::<u64>(), cost);
                    cost
                }
                other => panic!("{other:?}"),
            }
        });
        assert_eq!(below, above);
    }
}

/// The same search twice takes the same way: nothing inside looks at the clock.
#[test]
fn searches_are_repeatable() {
    let mut random = Random::new(21);
    let weights: Vec<u32> = (0..40).map(|_| 1 + random.below(50) as u32).collect();
    let sets: Vec<Vec<usize>> =
        (0..90).map(|_| (0..2 + random.below(3)).map(|_| random.below(40)).collect()).collect();
    let search = || minimum_hitting_set(&weights, &sets, Mode::CoreGuided, &Budget::unlimited());
    assert_eq!(search(), search());
}

#[test]
fn an_ended_budget_is_unknown() {
    let ended = Budget::unlimited().with_time(std::time::Duration::ZERO);
    for mode in [Mode::CoreGuided, Mode::Linear] {
        let found = minimum_hitting_set(&[1, 1], &[vec![0, 1]], mode, &ended);
        assert!(matches!(found, HittingSet::Unknown { best: None, .. }), "{found:?}");
    }
}
