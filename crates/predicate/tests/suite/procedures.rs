//! A system of two procedures, one of which calls itself, against its Boolean program.

use base::{Budget, IndexVec, Span};
use boolprog::Setup;
use boolprog::graph::{Action, VariableId};
use boolprog::summaries::{SummarySettings, check_by_summaries};
use logic::evaluate::Evaluator;
use logic::{Bits, Model, TermId, TermPool, Value};
use predicate::procedure::system::Values;
use predicate::procedure::{
    Abstracter, BooleanProgram, Call, Cut, CutId, LargeBlock, Routine, RoutineId, Scopes, StepMeaning,
    System, Target,
};
use question::Monitor;
use question::decided::word;
use rustc_hash::FxHashMap;
use verdict::Statistics;

/// `count(n)` returns 0 if n is 0, else `count(n - 1) + 1`; `main` fails if `count(m)` is not m.
struct Counting {
    pool: TermPool,
    system: System,
    /// At the entry of `count`, at its call, its end, what the call left; at the call of `main`, and what that left.
    n: TermId,
    called: [TermId; 2],
    end: TermId,
    left: TermId,
    m: TermId,
    left_in_main: TermId,
}

const WIDTH: u32 = 4;

fn counting() -> Counting {
    let mut pool = TermPool::new();
    let symbol = |pool: &mut TermPool, name: &str| pool.bitvec_symbol(name, WIDTH);
    let (n, n_at_call, k) = (symbol(&mut pool, "n"), symbol(&mut pool, "n'"), symbol(&mut pool, "k"));
    let (end, left) = (symbol(&mut pool, "end"), symbol(&mut pool, "left"));
    let (m, left_in_main) = (symbol(&mut pool, "m"), symbol(&mut pool, "left in main"));
    let input = symbol(&mut pool, "input");
    let (zero, one) = (pool.number(WIDTH, 0), pool.number(WIDTH, 1));
    let [main, count]: [RoutineId; 2] = [0, 1].map(base::Id::from_index);
    let [start, entry, call, main_call]: [CutId; 4] = [0, 1, 2, 3].map(base::Id::from_index);
    let values = |pairs: &[(TermId, TermId)]| -> Values { pairs.iter().copied().collect() };
    let cut = |routine, symbols: &[TermId], call, name: &str| Cut {
        routine,
        symbols: symbols.to_vec(),
        call,
        name: name.to_owned(),
        span: Span::NOWHERE,
    };
    let inner = Call { callee: count, entering: values(&[(n, k)]), leaving: values(&[(end, left)]) };
    let outer = Call { callee: count, entering: values(&[(n, m)]), leaving: values(&[(end, left_in_main)]) };
    let cuts: IndexVec<CutId, Cut> = [
        cut(main, &[], None, "start"),
        cut(count, &[n], None, "entry"),
        cut(count, &[n_at_call, k], Some(inner), "call"),
        cut(main, &[m], Some(outer), "main_call"),
    ]
    .into_iter()
    .collect();
    let is_zero = pool.equal(n, zero);
    let is_more = pool.not(is_zero);
    let less = pool.bvsub(n, one);
    let more = pool.bvadd(left, one);
    let yes = pool.tt();
    let same = pool.equal(left_in_main, m);
    let wrong = pool.not(same);
    let blocks = [
        LargeBlock { from: start, to: Target::Cut(main_call, values(&[(m, input)])), guard: yes },
        LargeBlock { from: entry, to: Target::End(values(&[(end, zero)])), guard: is_zero },
        LargeBlock {
            from: entry,
            to: Target::Cut(call, values(&[(n_at_call, n), (k, less)])),
            guard: is_more,
        },
        LargeBlock { from: call, to: Target::End(values(&[(end, more)])), guard: yes },
        LargeBlock { from: main_call, to: Target::Failure, guard: wrong },
    ];
    let routine = |name: &str, entry, ends: &[TermId]| Routine {
        name: name.to_owned(),
        entry,
        ends: ends.to_vec(),
        span: Span::NOWHERE,
    };
    let routines = [routine("main", start, &[]), routine("count", entry, &[end])].into_iter().collect();
    let system = System { routines, cuts, blocks: blocks.into_iter().collect(), main: Some(main) };
    Counting { pool, system, n, called: [n_at_call, k], end, left, m, left_in_main }
}

fn abstracted(counting: &mut Counting, scopes: &Scopes) -> BooleanProgram {
    let mut number = 0;
    let mut name = |_, _, _| {
        number += 1;
        format!("b{number}")
    };
    let (system, pool) = (&counting.system, &mut counting.pool);
    Abstracter::new().abstracted(system, scopes, pool, &mut name, &Budget::unlimited()).expect("no limit")
}

fn verdict(boolean: &BooleanProgram) -> &'static str {
    let question = Setup::copies_of_main(&boolean.program, 1, Some(1)).expect("there is a main");
    let budget = Budget::unlimited();
    let (settings, monitor) = (SummarySettings::default(), Monitor::silent(&budget));
    word(&check_by_summaries(&boolean.program, &question, settings, monitor, &mut Statistics::default()))
}

/// The predicates that the proof needs: the result is the argument, and at the call the argument is one less.
fn enough(counting: &mut Counting) -> Scopes {
    let mut scopes = Scopes::new(&counting.system);
    let pool = &mut counting.pool;
    let promise = pool.equal(counting.end, counting.n);
    let one = pool.number(WIDTH, 1);
    let less = pool.bvsub(counting.n, one);
    let link = pool.equal(counting.called[1], less);
    let [_, call]: [CutId; 2] = [1, 2].map(base::Id::from_index);
    let count: RoutineId = base::Id::from_index(1);
    assert!(scopes.add_at_end(pool, count, promise) && scopes.add(pool, call, link));
    assert!(!scopes.add(pool, call, link), "it is there already");
    scopes
}

#[test]
fn predicates_decide_what_the_boolean_program_shows() {
    let mut counting = counting();
    let none = Scopes::new(&counting.system);
    assert_eq!(verdict(&abstracted(&mut counting, &none)), "violated");
    let scopes = enough(&mut counting);
    let boolean = abstracted(&mut counting, &scopes);
    assert_eq!(boolean.inexact, 0);
    assert_eq!(verdict(&boolean), "holds");
}

#[test]
fn concrete_runs_are_abstract_runs() {
    let mut counting = counting();
    let scopes = {
        let mut scopes = enough(&mut counting);
        let pool = &mut counting.pool;
        let [entry, call, main_call]: [CutId; 3] = [1, 2, 3].map(base::Id::from_index);
        let three = pool.number(WIDTH, 3);
        for (cut, term) in [(entry, counting.n), (call, counting.called[0]), (main_call, counting.m)] {
            let small = pool.ult(term, three);
            scopes.add(pool, cut, small);
        }
        let small = pool.ult(counting.end, three);
        scopes.add_at_end(pool, base::Id::from_index(1), small);
        scopes
    };
    let boolean = abstracted(&mut counting, &scopes);
    let mut steps = 0;
    for bits in 0..1u128 << (2 * WIDTH) {
        let (one, two) = (bits & 15, bits >> WIDTH);
        // In a state of the activation `count(one)`; `two` is what calls left, and what `main` read.
        let mut model = Model::new();
        let given = [
            (counting.n, one),
            (counting.called[0], one),
            (counting.called[1], one.wrapping_sub(1) & 15),
            (counting.left, two),
            (counting.m, one),
            (counting.left_in_main, two),
        ];
        for (symbol, value) in given {
            model.set(symbol, Value::Bits(Bits::from_i128(WIDTH, value as i128)));
        }
        let input = counting.pool.find_symbol("input").expect("it was made");
        model.set(input, Value::Bits(Bits::from_i128(WIDTH, two as i128)));
        for (edge_id, edge) in boolean.program.edges().iter_enumerated() {
            let StepMeaning::LargeBlock(block) = boolean.meaning[edge_id] else { continue };
            let block = &counting.system.blocks[block];
            let holds =
                |pool: &TermPool, term| Evaluator::new(&model).evaluate(pool, term) == Ok(Value::Bool(true));
            if !holds(&counting.pool, block.guard) {
                continue;
            }
            let empty = Values::default();
            let after = match &block.to {
                Target::Cut(_, values) | Target::End(values) => values,
                Target::Failure => &empty,
            };
            let mut truth: FxHashMap<(VariableId, bool), bool> = FxHashMap::default();
            for (&variable, &predicate) in &boolean.predicate_of {
                let later = counting.pool.substitute(predicate, after);
                truth.insert((variable, false), holds(&counting.pool, predicate));
                truth.insert((variable, true), holds(&counting.pool, later));
            }
            let value = |variable: VariableId, is_next: bool| truth[&(variable, is_next)];
            let allowed = match &edge.action {
                Action::Assign { constraint, .. } => constraint.possible(&value).yes,
                _ => edge.guard.possible(&value).yes,
            };
            assert!(allowed, "{block:?} with {given:?}");
            steps += 1;
        }
    }
    assert!(steps > 500, "only {steps} steps were looked at");
}
