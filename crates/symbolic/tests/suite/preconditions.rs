//! Weakest preconditions through pointers and structures: what textual substitution gets wrong.

use csource::types::DataModel;
use logic::traits::{Assert, CheckAssuming};
use logic::{Answer, EmbeddedSolver};
use program::{Action, PointsTo, Program};
use symbolic::{Encoder, Meaning};

fn load(text: &str) -> Program {
    testkit::c::load_text(text, DataModel::Lp64)
}

/// The precondition of `*p = value` for `x == value`, where `p` may point to `x`: it holds if `p` is `&x`, and if it is not, only if `x` had the
/// value before.
#[test]
fn an_assignment_through_a_pointer_may_change_a_variable() {
    let text = "int x, y; int *p;\nint main(int argc) { p = argc ? &x : &y; *p = 7; return x; }\n";
    let program = load(text);
    let points_to = PointsTo::of(&program);
    let meaning = Meaning::new(&program, &points_to);
    let mut encoder = Encoder::new(&meaning);
    let (mut initial, _) = encoder.initial_state();
    let main = program.main.expect("a main");
    let argc = encoder.terms.pool.bitvec_symbol("argc", 32);
    encoder.enter(&mut initial, main, &[symbolic::Value::Scalar(argc)], base::Span::default());
    let before = encoder.any_state("s:", &initial.frames);
    let body = program.procedures[main].body.as_ref().expect("a body");
    let is_store = |edge: &&program::Edge| matches!(&edge.action, Action::Assign { target, .. } if matches!(target.base, program::PlaceBase::Pointer(_)));
    let store = body.edges.iter().find(is_store).expect("the store");
    let read = body
        .edges
        .iter()
        .find_map(|edge| match &edge.action {
            Action::Return { value: Some(value) } => Some(value.clone()),
            _ => None,
        })
        .expect("the return");
    // `x == 7` over the state before.
    let mut state = before.clone();
    let x = encoder.scalar(&mut state, &read);
    let seven = encoder.terms.number(32, 7);
    let formula = encoder.terms.equal(x, seven);
    let transition = encoder.transition(&before, &store.action, store.span);
    let precondition = encoder.weakest_precondition(&transition, formula);
    let x_place =
        program.variables.iter_enumerated().find(|(_, variable)| &*variable.name == "x").expect("x").0;
    let address = meaning.layout.address(meaning.static_object(x_place).expect("x is in memory"));
    let address = encoder.terms.number(64, address);
    let p_place =
        program.variables.iter_enumerated().find(|(_, variable)| &*variable.name == "p").expect("p").0;
    let p = before.globals[&p_place];
    let points_to_x = encoder.terms.equal(p, address);
    let elsewhere = encoder.terms.not(points_to_x);
    let mut solver = EmbeddedSolver::default();
    let budget = base::Budget::unlimited();
    let not_precondition = encoder.terms.not(precondition);
    solver.assert(&mut encoder.terms.pool, not_precondition);
    let pool = &mut encoder.terms.pool;
    assert_eq!(solver.check_assuming(pool, &[points_to_x], &budget), Answer::Unsat, "a store to x sets it");
    assert_eq!(solver.check_assuming(pool, &[elsewhere], &budget), Answer::Sat, "another store leaves x");
    assert_eq!(
        solver.check_assuming(pool, &[elsewhere, formula], &budget),
        Answer::Unsat,
        "and what x was it stays"
    );
}
