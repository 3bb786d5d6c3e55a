//! Against enumeration of all concrete steps.

use super::*;
use crate::answer::Answer;
use crate::bdd::{BddManager, BddSettings};
use crate::bits::Bits;
use crate::model::{Model, Value};
use crate::random_terms::{RandomTerms, TermShape, Theories};
use crate::smt::EmbeddedSolver;
use crate::term::{Sort, TermId, TermPool};
use crate::traits::{Assert, CheckAssuming, Completeness, SolutionLimit};
use base::random::Random;
use base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

const WIDTH: u32 = 2;

struct World {
    pool: TermPool,
    before: Vec<TermId>,
    after: Vec<TermId>,
}

impl World {
    fn new() -> World {
        let mut pool = TermPool::new();
        let before = ["x", "y", "z"].map(|name| pool.bitvec_symbol(name, WIDTH)).to_vec();
        let after = ["x'", "y'", "z'"].map(|name| pool.bitvec_symbol(name, WIDTH)).to_vec();
        World { pool, before, after }
    }

    /// A guard and an assignment to one variable, as statements are; sometimes nothing is known of another.
    fn random_step(&mut self, random: &mut Random) -> TermId {
        let pool = &mut self.pool;
        let (x, y, z) = (self.before[0], self.before[1], self.before[2]);
        let k = pool.number(WIDTH, random.below(4) as i128);
        let guard = match random.below(5) {
            0 => pool.equal(x, k),
            1 => pool.ult(x, y),
            2 => pool.slt(y, z),
            3 => pool.distinct(z, k),
            _ => pool.tt(),
        };
        let changed = random.below(3);
        let mut conjuncts = vec![guard];
        for place in 0..3 {
            let now = self.before[place];
            let value = if place != changed {
                if random.below(8) == 0 {
                    continue;
                }
                now
            } else {
                match random.below(6) {
                    0 => pool.bvadd(now, k),
                    1 => pool.bvmul(x, y),
                    2 => pool.bvsub(y, z),
                    3 => pool.bvand(now, k),
                    4 => pool.ite(guard, k, now),
                    _ => k,
                }
            };
            conjuncts.push(pool.equal(self.after[place], value));
        }
        pool.all_of(&conjuncts)
    }

    fn random_predicates(&mut self, random: &mut Random, count: usize) -> (Vec<TermId>, Vec<TermId>) {
        let shape = TermShape { widest: WIDTH, depth: 1, theories: Theories::BitVectors };
        let to_after: FxHashMap<TermId, TermId> =
            self.before.iter().copied().zip(self.after.iter().copied()).collect();
        let mut before = Vec::new();
        while before.len() < count {
            let pool = &mut self.pool;
            let (a, b) = (*random.pick(&self.before), *random.pick(&self.before));
            let k = pool.number(WIDTH, random.below(4) as i128);
            before.push(match random.below(6) {
                0 => pool.equal(a, k),
                1 => pool.ult(a, b),
                2 => pool.sle(a, k),
                3 => pool.equal(a, b),
                4 => pool.distinct(a, k),
                _ => {
                    // Terms with symbols of their own belong to neither side: leave those out.
                    let term = RandomTerms::new(random.bits(), shape).formula(pool);
                    let foreign =
                        crate::term::symbols_in(pool, &[term]).iter().any(|s| !self.before.contains(s));
                    if foreign { pool.uadd_overflow(a, k) } else { term }
                }
            });
        }
        let after = self.pool.substitute_all(&before, &to_after);
        (before, after)
    }

    /// The rows that concrete steps show.
    fn concrete_rows(&self, step: TermId, indicators: &[TermId]) -> BTreeSet<Vec<bool>> {
        let symbols: Vec<TermId> = self.before.iter().chain(&self.after).copied().collect();
        let mut rows = BTreeSet::new();
        for state in 0..1u64 << (WIDTH * 6) {
            let mut model = Model::new();
            for (place, &symbol) in symbols.iter().enumerate() {
                model.set(symbol, Value::Bits(Bits::from_u64(WIDTH, state >> (place as u32 * WIDTH))));
            }
            if model.satisfies(&self.pool, step) {
                rows.insert(indicators.iter().map(|&term| model.satisfies(&self.pool, term)).collect());
            }
        }
        rows
    }
}

fn rows_of(relation: &AbstractRelation) -> BTreeSet<Vec<bool>> {
    let solutions = relation.cubes(SolutionLimit::All);
    assert_eq!(solutions.completeness, Completeness::Complete);
    let mut rows = BTreeSet::new();
    for cube in solutions.cubes {
        let open: Vec<usize> = (0..cube.len()).filter(|&i| cube[i].is_none()).collect();
        for choice in 0..1u32 << open.len() {
            let mut row: Vec<bool> = cube.iter().map(|value| value.unwrap_or(false)).collect();
            for (bit, &place) in open.iter().enumerate() {
                row[place] = choice >> bit & 1 == 1;
            }
            assert!(rows.insert(row), "cubes do not overlap");
        }
    }
    rows
}

/// The relation as cubes, as a BDD and as a question are one.
fn check_readings(relation: &AbstractRelation) -> BTreeSet<Vec<bool>> {
    let rows = rows_of(relation);
    let count = relation.indicator_count();
    let manager = BddManager::new(BddSettings { node_limit: 1 << 16, cache_entries: 1 << 10 });
    let variables = manager.add_variables(count);
    let bdd = relation.to_bdd(&manager, &variables).unwrap();
    assert_eq!(bdd.count_exactly(count), Some(rows.len() as u128));
    for number in 0..1u32 << count {
        let row: Vec<bool> = (0..count).map(|i| number >> i & 1 == 1).collect();
        let inside = rows.contains(&row);
        assert_eq!(relation.contains(&row), inside);
        assert_eq!(bdd.evaluate(variables.iter().copied().zip(row.iter().copied())), inside);
    }
    assert_eq!(relation.is_empty(), rows.is_empty());
    rows
}

#[test]
fn concrete_steps_stay_inside() {
    let mut random = Random::new(5);
    let (mut exact, mut entailed, mut reused, mut remembered) = (0, 0, 0, 0);
    for _ in 0..25 {
        let mut world = World::new();
        let mut precise = AbstractionService::new(AbstractionSettings::default());
        let coarse_settings =
            AbstractionSettings { exact_predicates: 2, exact_solutions: 3, samples: 2, clause_length: 2 };
        let mut coarse = AbstractionService::new(coarse_settings);
        let (before, after) = world.random_predicates(&mut random, 4);
        for _ in 0..3 {
            let step = world.random_step(&mut random);
            // Predicates come one by one, as refinement finds them.
            for count in 1..=before.len() {
                let (before, after) = (&before[..count], &after[..count]);
                let indicators: Vec<TermId> = before.iter().chain(after).copied().collect();
                let concrete = world.concrete_rows(step, &indicators);
                let relation =
                    precise.relation(&mut world.pool, step, before, after, &Budget::unlimited()).unwrap();
                assert_eq!(relation.exactness(), Exactness::Exact);
                assert_eq!(relation.method(), Method::Enumeration);
                assert_eq!(check_readings(&relation), concrete);
                exact += 1;
                let relation =
                    coarse.relation(&mut world.pool, step, before, after, &Budget::unlimited()).unwrap();
                let rows = check_readings(&relation);
                assert!(concrete.is_subset(&rows), "the relation contains every concrete step");
                if relation.exactness() == Exactness::Exact {
                    assert_eq!(rows, concrete);
                } else {
                    assert_eq!(relation.method(), Method::Entailment);
                    entailed += 1;
                }
            }
        }
        let statistics = precise.statistics();
        remembered += statistics.remembered_parts;
        reused += statistics.reused_solutions;
    }
    assert!(exact == 300 && entailed > 20 && reused > 100, "{exact} {entailed} {reused}");
    assert!(remembered > 50, "{remembered}");
}

#[test]
fn an_unchanged_variable_costs_nothing() {
    let mut world = World::new();
    let mut random = Random::new(1);
    let (before, after) = world.random_predicates(&mut random, 6);
    let mut service = AbstractionService::new(AbstractionSettings::default());
    let equations: Vec<TermId> = world
        .before
        .clone()
        .into_iter()
        .zip(world.after.clone())
        .map(|(b, a)| world.pool.equal(a, b))
        .collect();
    let skip = world.pool.all_of(&equations);
    let first = service.relation(&mut world.pool, skip, &before, &after, &Budget::unlimited()).unwrap();
    for cube in first.cubes(SolutionLimit::All).cubes {
        assert_eq!(cube[..6], cube[6..], "nothing changes");
    }
    // Another statement that does not touch the variables: everything is remembered.
    let flag = world.pool.bool_symbol("flag");
    let other = world.pool.and(skip, flag);
    let checks = service.statistics().checks;
    let second = service.relation(&mut world.pool, other, &before, &after, &Budget::unlimited()).unwrap();
    assert_eq!(rows_of(&first), rows_of(&second));
    assert_eq!(service.statistics().checks, checks, "no solver was asked");
}

/// Memory as an array: a write through one pointer, predicates through another.
#[test]
fn writes_to_memory_are_related() {
    let mut pool = TermPool::new();
    let sort = pool.array_sort(Sort::BitVec(32), Sort::BitVec(8));
    let (memory, memory_after) = (pool.symbol("memory", sort), pool.symbol("memory'", sort));
    let (p, q) = (pool.bitvec_symbol("p", 32), pool.bitvec_symbol("q", 32));
    let (five, other) = (pool.number(8, 5), pool.number(8, 6));
    let written = pool.store(memory, p, five);
    let step = pool.equal(memory_after, written);
    let (read, read_after) = (pool.select(memory, q), pool.select(memory_after, q));
    let before = [pool.equal(p, q), pool.equal(read, five), pool.equal(read, other)];
    let after = [before[0], pool.equal(read_after, five), pool.equal(read_after, other)];
    let mut service = AbstractionService::new(AbstractionSettings::default());
    let relation = service.relation(&mut pool, step, &before, &after, &Budget::unlimited()).unwrap();
    assert_eq!(relation.exactness(), Exactness::Exact);
    let rows = rows_of(&relation);
    // Aliased: five afterwards. Not aliased: as before. Never both values.
    let mut expected = BTreeSet::new();
    for (five_before, other_before) in [(false, false), (true, false), (false, true)] {
        expected.insert(vec![true, five_before, other_before, true, true, false]);
        expected.insert(vec![false, five_before, other_before, false, five_before, other_before]);
    }
    assert_eq!(rows, expected);
    // The relation is also what the solver says, asked directly.
    let mut solver = EmbeddedSolver::default();
    solver.assert(&mut pool, step);
    let stays = pool.not(after[1]);
    assert_eq!(solver.check_assuming(&mut pool, &[before[0], stays], &Budget::unlimited()), Answer::Unsat);
}

#[test]
fn what_cannot_be_decided_is_possible() {
    let mut pool = TermPool::new();
    // A predicate over an array of arrays, which the embedded solver refuses.
    let row = pool.array_sort(Sort::BitVec(8), Sort::BitVec(8));
    let table = pool.array_sort(Sort::BitVec(8), row);
    let (table, index) = (pool.symbol("table", table), pool.bitvec_symbol("index", 8));
    let row = pool.select(table, index);
    let element = pool.select(row, index);
    let same = pool.equal(element, index);
    let step = pool.tt();
    let mut service = AbstractionService::new(AbstractionSettings::default());
    let relation = service.relation(&mut pool, step, &[same], &[], &Budget::unlimited()).unwrap();
    assert!(matches!(relation.exactness(), Exactness::Unknown(_)));
    assert!(relation.contains(&[true]) && relation.contains(&[false]));
    let ended = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let p = pool.bool_symbol("p");
    assert_eq!(service.relation(&mut pool, step, &[p], &[], &ended).err(), Some(Exhausted::Time));
}

#[test]
fn an_impossible_step_is_empty() {
    let mut pool = TermPool::new();
    let (x, p) = (pool.bitvec_symbol("x", 8), pool.bool_symbol("p"));
    let (one, two) = (pool.number(8, 1), pool.number(8, 2));
    let (is_one, is_two) = (pool.equal(x, one), pool.equal(x, two));
    let step = pool.and(is_one, is_two);
    let mut service = AbstractionService::new(AbstractionSettings::default());
    let relation = service.relation(&mut pool, step, &[p], &[p], &Budget::unlimited()).unwrap();
    assert!(relation.is_empty());
    assert!(check_readings(&relation).is_empty());
}
