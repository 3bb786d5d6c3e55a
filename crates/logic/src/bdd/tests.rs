//! Differential tests: every operation against truth tables.

use super::*;
use base::random::Random;

const VARIABLES: usize = 5;

/// A function of five variables as 32 truth values.
fn build(manager: &BddManager, variables: &[BddVariable], table: u32) -> Bdd {
    let mut result = manager.constant(false);
    for row in 0..1u32 << VARIABLES {
        if table >> row & 1 == 1 {
            let literals: Vec<_> =
                variables.iter().enumerate().map(|(i, &v)| (v, row >> i & 1 == 1)).collect();
            result = result.or(&manager.cube(&literals).unwrap()).unwrap();
        }
    }
    result
}

fn table_of(bdd: &Bdd, variables: &[BddVariable]) -> u32 {
    (0..1u32 << VARIABLES)
        .filter(|row| bdd.evaluate(variables.iter().enumerate().map(|(i, &v)| (v, row >> i & 1 == 1))))
        .fold(0, |table, row| table | 1 << row)
}

fn quantify(table: u32, variable: usize, join: impl Fn(bool, bool) -> bool) -> u32 {
    (0..32u32)
        .filter(|row| {
            join(table >> (row | 1 << variable) & 1 == 1, table >> (row & !(1 << variable)) & 1 == 1)
        })
        .fold(0, |result, row| result | 1 << row)
}

#[test]
fn operations_agree_with_truth_tables() {
    let mut random = Random::new(1);
    let manager = BddManager::new(BddSettings { node_limit: 1 << 16, cache_entries: 1 << 12 });
    let variables = manager.add_variables(VARIABLES);
    for round in 0..60 {
        let (a, b, c) = (random.bits() as u32, random.bits() as u32, random.bits() as u32);
        let [f, g, h] = [a, b, c].map(|table| build(&manager, &variables, table));
        let check = |bdd: Bdd, expected: u32| {
            assert_eq!(table_of(&bdd, &variables), expected);
            assert_eq!(bdd, build(&manager, &variables, expected), "equal functions are equal values");
        };
        check(f.not().unwrap(), !a);
        check(f.and(&g).unwrap(), a & b);
        check(f.or(&g).unwrap(), a | b);
        check(f.xor(&g).unwrap(), a ^ b);
        check(f.equivalent(&g).unwrap(), !(a ^ b));
        check(f.implies(&g).unwrap(), !a | b);
        check(f.minus(&g).unwrap(), a & !b);
        check(f.ite(&g, &h).unwrap(), a & b | !a & c);
        let quantified = round % VARIABLES;
        let set = manager.variable_set(&[variables[quantified]]).unwrap();
        check(f.exists(&set).unwrap(), quantify(a, quantified, |x, y| x || y));
        check(f.forall(&set).unwrap(), quantify(a, quantified, |x, y| x && y));
        check(f.and_exists(&g, &set).unwrap(), quantify(a & b, quantified, |x, y| x || y));
        check(f.implies_forall(&g, &set).unwrap(), quantify(!a | b, quantified, |x, y| x && y));
        let fixed = manager.literal(variables[quantified], true).unwrap();
        check(f.restrict(&fixed).unwrap(), quantify(a, quantified, |high, _| high));
        // Simultaneous substitution: swap two variables, and put a function for a third.
        let renaming = manager.renaming(&[
            (variables[0], manager.variable(variables[1]).unwrap()),
            (variables[1], manager.variable(variables[0]).unwrap()),
            (variables[2], g.clone()),
        ]);
        let expected = (0..32u32)
            .filter(|row| {
                let moved = row & !0b111 | (row & 1) << 1 | (row >> 1 & 1) | (b >> row & 1) << 2;
                a >> moved & 1 == 1
            })
            .fold(0, |table, row| table | 1 << row);
        check(f.substitute(&renaming).unwrap(), expected);
        assert_eq!(f.count(VARIABLES), f64::from(a.count_ones()));
        assert_eq!(f.count_exactly(VARIABLES), Some(u128::from(a.count_ones())));
        assert_eq!(f.count_exactly(VARIABLES + 3), Some(u128::from(a.count_ones()) * 8));
        assert_eq!(f.is_subset_of(&g).unwrap(), a & !b == 0);
        let from_cubes = f.cubes().fold(manager.constant(false), |sum, cube| {
            let cube = manager.cube(&cube).unwrap();
            assert!(sum.and(&cube).unwrap().is_false(), "cubes do not overlap");
            sum.or(&cube).unwrap()
        });
        assert_eq!(from_cubes, f);
        if let Some(cube) = f.pick_cube() {
            let fixed = variables.iter().filter_map(|&v| Some((v, cube[base::Id::index(v)]?)));
            assert!(manager.cube(&fixed.collect::<Vec<_>>()).unwrap().is_subset_of(&f).unwrap());
        } else {
            assert_eq!(a, 0);
        }
    }
}

#[test]
fn a_new_order_keeps_every_function() {
    let manager = BddManager::new(BddSettings { node_limit: 1 << 16, cache_entries: 1 << 12 });
    let variables = manager.add_variables(VARIABLES);
    let functions: Vec<_> = (0..20u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9))
        .map(|t| (t, build(&manager, &variables, t)))
        .collect();
    let mut order = variables.clone();
    order.reverse();
    manager.set_order(&order);
    assert_eq!(manager.order(), order);
    for (table, function) in functions {
        assert_eq!(table_of(&function, &variables), table);
        assert_eq!(function, build(&manager, &variables, table));
    }
}

#[test]
fn interleaved_copies_stand_next_to_each_other() {
    let manager = BddManager::new(BddSettings::default());
    let copies = manager.add_interleaved(3, 2);
    let expected: Vec<_> = (0..3).flat_map(|place| [copies[0][place], copies[1][place]]).collect();
    assert_eq!(manager.order(), expected);
    // The places in another order; the copies of each stay together.
    let groups: Vec<Vec<BddVariable>> =
        [2, 0, 1].map(|place| vec![copies[0][place], copies[1][place]]).to_vec();
    let same = (0..3).try_fold(manager.constant(true), |all, place| {
        let (a, b) = (manager.variable(copies[0][place])?, manager.variable(copies[1][place])?);
        all.and(&a.equivalent(&b)?)
    });
    let same = same.unwrap();
    let (size, count) = (same.node_count(), same.count_exactly(6));
    manager.set_group_order(&groups);
    assert_eq!(manager.order(), groups.concat());
    assert_eq!((same.node_count(), same.count_exactly(6)), (size, count));
}

#[test]
fn a_full_manager_says_so_and_goes_on() {
    let manager = BddManager::new(BddSettings { node_limit: 200, cache_entries: 64 });
    let variables = manager.add_variables(24);
    // Σ x_i ≡ parity-like sums of products with a bad order need far more than 200 nodes.
    let grow = || -> Result<Bdd, NodeLimitReached> {
        let mut sum = manager.constant(false);
        for i in 0..12 {
            let product = manager.variable(variables[i])?.and(&manager.variable(variables[i + 12])?)?;
            sum = sum.or(&product)?;
        }
        Ok(sum)
    };
    assert_eq!(grow().unwrap_err(), NodeLimitReached { limit: 200 });
    manager.collect_garbage();
    let still =
        manager.variable(variables[0]).unwrap().and(&manager.variable(variables[1]).unwrap()).unwrap();
    assert!(still.evaluate([(variables[0], true), (variables[1], true)]));
}

#[test]
fn garbage_is_collected() {
    let manager = BddManager::new(BddSettings { node_limit: 1 << 16, cache_entries: 1 << 10 });
    let variables = manager.add_variables(VARIABLES);
    let kept = build(&manager, &variables, 0x1234_5678);
    drop(build(&manager, &variables, 0xdead_beef));
    manager.collect_garbage();
    let after = manager.statistics().nodes;
    manager.collect_garbage();
    assert_eq!(manager.statistics().nodes, after, "nothing is left to collect");
    assert_eq!(table_of(&kept, &variables), 0x1234_5678);
    assert!(after >= kept.node_count() - 2);
}

#[test]
fn threads_may_share_a_manager() {
    fn is_shareable<T: Send + Sync>() {}
    is_shareable::<BddManager>();
    is_shareable::<Bdd>();
    let manager = BddManager::new(BddSettings::default());
    let variables = manager.add_variables(VARIABLES);
    let tables: Vec<u32> = (1..9u32).map(|i| i.wrapping_mul(0x0123_4567)).collect();
    let built: Vec<Bdd> = std::thread::scope(|scope| {
        let handles: Vec<_> = tables
            .iter()
            .map(|&table| {
                scope.spawn({
                    let (m, v) = (&manager, &variables);
                    move || build(m, v, table)
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    for (table, bdd) in tables.iter().zip(&built) {
        assert_eq!(*bdd, build(&manager, &variables, *table));
    }
}
