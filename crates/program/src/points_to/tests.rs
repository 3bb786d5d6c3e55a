//! Hand-written programs with what their pointers point to.

use super::*;
use crate::tests::Builder;
use crate::types::{ArrayLength, IntegerKind};
use crate::*;

fn names(program: &Program, points_to: &PointsTo, targets: &[Target]) -> Vec<String> {
    let show = |target: &Target| {
        let object = match points_to.object(target.object) {
            ObjectKind::Unknown => "?".to_owned(),
            ObjectKind::Variable(id) => program.variables[id].name.to_string(),
            ObjectKind::Allocation(_, edge) => format!("heap{edge}"),
            ObjectKind::Procedure(id) => program.procedures[id].name.to_string(),
            ObjectKind::Result(_) => "result".into(),
            ObjectKind::ExtraArguments => "extra".into(),
        };
        match target.offset {
            OffsetInObject::At(0) => object,
            OffsetInObject::At(offset) => format!("{object}+{offset}"),
            OffsetInObject::Element { at, .. } => format!("{object}[{at}]"),
            OffsetInObject::Anywhere => format!("{object}+*"),
        }
    };
    targets.iter().map(show).collect()
}

fn main_of(b: &mut Builder) {
    let int = b.int();
    let ty = b.function_type(int, &[], false);
    let main = b.declare("main", ty);
    b.begin(main);
}

fn finish(mut b: Builder) -> (Program, PointsTo) {
    let zero = b.number(0);
    b.finish_with(Some(zero));
    let program = b.finish();
    let points_to = PointsTo::of(&program);
    (program, points_to)
}

#[test]
fn copies_loads_and_stores() {
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let pp_type = b.pointer(p_type);
    main_of(&mut b);
    let (x, y) = (b.local("x", int), b.local("y", int));
    let (p, q, r) = (b.local("p", p_type), b.local("q", p_type), b.local("r", p_type));
    let pp = b.local("pp", pp_type);
    // p = &x; pp = &p; *pp = &y; q = *pp; r = &x
    let address = b.address_of(x);
    b.assign(b.place(p), address.clone());
    b.assign(b.place(r), address);
    let address = b.address_of(p);
    b.assign(b.place(pp), address);
    let address = b.address_of(y);
    b.assign(b.deref(b.value(pp)), address);
    b.assign(b.place(q), Expr::load(b.deref(b.value(pp))));
    let (value_q, value_r) = (b.value(q), b.value(r));
    let (star_q, star_r) = (b.deref(value_q.clone()), b.deref(value_r.clone()));
    let (place_x, place_y) = (b.place(x), b.place(y));
    let (program, points_to) = finish(b);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value_q)), ["x", "y"]);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value_r)), ["x"]);
    assert!(points_to.may_alias(&program, &star_q, &place_y));
    assert!(!points_to.may_alias(&program, &star_r, &place_y));
    assert!(points_to.may_alias(&program, &star_r, &place_x));
}

#[test]
fn fields_are_told_apart_and_record_copies_carry_them() {
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let (record, ty) = b.record(RecordKind::Struct, "pair", &[("a", p_type), ("b", p_type)]);
    let record_pointer = b.pointer(ty);
    main_of(&mut b);
    let (x, y) = (b.local("x", int), b.local("y", int));
    let (s, t) = (b.local("s", ty), b.local("t", ty));
    let w = b.local("w", record_pointer);
    let address = b.address_of(x);
    b.assign(b.field(b.place(s), record, 0), address);
    let address = b.address_of(y);
    b.assign(b.field(b.place(s), record, 1), address);
    b.assign(b.place(t), b.value(s));
    let address = b.address_of(t);
    b.assign(b.place(w), address);
    let through = b.deref(b.value(w));
    let (a, second) =
        (Expr::load(b.field(through.clone(), record, 0)), Expr::load(b.field(through, record, 1)));
    b.assign(b.place(w), b.value(w)); // keeps the loads below inside the program's cells
    let (program, points_to) = finish(b);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &a)), ["x"]);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &second)), ["y"]);
}

#[test]
fn unions_are_seen_through_both_members() {
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let long = b.program.types.integer(IntegerKind::Long);
    let (record, ty) = b.record(RecordKind::Union, "view", &[("p", p_type), ("n", long)]);
    main_of(&mut b);
    let (x, u, q) = (b.local("x", int), b.local("u", ty), b.local("q", p_type));
    let address = b.address_of(x);
    b.assign(b.field(b.place(u), record, 0), address);
    let number = Expr::load(b.field(b.place(u), record, 1));
    b.assign(b.place(q), number.cast(p_type));
    let value = b.value(q);
    let (program, points_to) = finish(b);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value)), ["?+*", "x"]);
}

#[test]
fn walking_an_array_stays_in_it() {
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let ten = b.program.types.array(int, ArrayLength::Known(10));
    let (record, ty) = b.record(RecordKind::Struct, "s", &[("a", ten), ("next", p_type)]);
    main_of(&mut b);
    let (s, p, x) = (b.local("s", ty), b.local("p", p_type), b.local("x", int));
    let zero = b.number(0);
    let first = {
        let array = b.field(b.place(s), record, 0);
        b.element(array, zero)
    };
    let decayed = b.address(first);
    b.assign(b.place(p), decayed);
    let one = b.number(1);
    let next = Expr {
        ty: p_type,
        kind: ExprKind::PointerOffset { pointer: Box::new(b.value(p)), index: Box::new(one) },
    };
    b.assign(b.place(p), next);
    let address = b.address_of(x);
    let link = b.field(b.place(s), record, 1);
    b.assign(link.clone(), address);
    let seven = b.number(7);
    let star = b.deref(b.value(p));
    b.assign(star.clone(), seven);
    let value = b.value(p);
    let (program, points_to) = finish(b);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value)), ["s[0]"]);
    assert!(!points_to.may_alias(&program, &star, &link));
    let region = points_to.region_of(&program, &link).expect("in memory");
    assert!(points_to.regions()[region].is_singleton);
    let folded = points_to.region_of(&program, &star).expect("in memory");
    assert!(!points_to.regions()[folded].is_singleton);
}

#[test]
fn bytes_carry_pointers() {
    // A user's own memcpy: char by char.
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let char = b.program.types.char();
    let char_pointer = b.pointer(char);
    main_of(&mut b);
    let (x, p, q) = (b.local("x", int), b.local("p", p_type), b.local("q", p_type));
    let (from, to) = (b.local("from", char_pointer), b.local("to", char_pointer));
    let address = b.address_of(x);
    b.assign(b.place(p), address);
    let address = b.address_of(p).cast(char_pointer);
    b.assign(b.place(from), address);
    let address = b.address_of(q).cast(char_pointer);
    b.assign(b.place(to), address);
    b.assign(b.deref(b.value(to)), Expr::load(b.deref(b.value(from))));
    for pointer in [from, to] {
        let one = b.number(1);
        let moved = ExprKind::PointerOffset { pointer: Box::new(b.value(pointer)), index: Box::new(one) };
        b.assign(b.place(pointer), Expr { ty: char_pointer, kind: moved });
    }
    let value = b.value(q);
    let (program, points_to) = finish(b);
    let found = names(&program, &points_to, &points_to.points_to(&program, &value));
    assert!(found.contains(&"x".to_owned()), "{found:?}");
}

#[test]
fn indirect_calls_find_their_targets_and_miss_none() {
    let mut b = Builder::new();
    let int = b.int();
    let p_type = b.pointer(int);
    let callback_type = b.function_type(p_type, &[p_type], false);
    let callback_pointer = b.pointer(callback_type);
    let id_function = b.declare("id", callback_type);
    b.begin(id_function);
    let parameter = b.parameter("a", p_type);
    b.finish_with(Some(b.value(parameter)));
    let other = b.declare("other", callback_type);
    b.begin(other);
    b.parameter("a", p_type);
    let global = b.global("g", int);
    let address = b.address_of(global);
    b.finish_with(Some(address));
    main_of(&mut b);
    let main = b.program.main.expect("declared");
    let (x, f, lost, r) = (
        b.local("x", int),
        b.local("f", callback_pointer),
        b.local("lost", callback_pointer),
        b.local("r", p_type),
    );
    let address = b.function_address(id_function);
    b.assign(b.place(f), address);
    let argument = b.address_of(x);
    let (result, callee) = (b.place(r), b.value(f));
    let call = b.step(Action::Call {
        result: Some(result.clone()),
        callee: Callee::Indirect(callee),
        arguments: vec![argument.clone()],
    });
    let callee = b.value(lost);
    let nowhere = b.step(Action::Call {
        result: Some(result),
        callee: Callee::Indirect(callee),
        arguments: vec![argument],
    });
    let value = b.value(r);
    let (mut program, points_to) = finish(b);
    assert_eq!(points_to.targets(main, call), [id_function]);
    assert!(points_to.targets(main, nowhere).is_empty());
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value)), ["x"]);
    record_missing_targets(&mut program, &points_to);
    let kinds: Vec<_> =
        program.assumptions.iter().map(|assumption| (assumption.kind, &*assumption.subject)).collect();
    assert_eq!(kinds, [(AssumptionKind::NoCallTarget, "lost")]);
    record_missing_targets(&mut program, &points_to);
    assert_eq!(program.assumptions.len(), 1);
}

#[test]
fn what_escapes_may_come_back() {
    let mut b = Builder::new();
    let int = b.int();
    let void = b.program.types.void();
    let p_type = b.pointer(int);
    let pp_type = b.pointer(p_type);
    let take_type = b.function_type(void, &[pp_type], false);
    let take = b.declare("take", take_type);
    let give_type = b.function_type(pp_type, &[], false);
    let give = b.declare("give", give_type);
    main_of(&mut b);
    let (x, y, p, kept) =
        (b.local("x", int), b.local("y", int), b.local("p", p_type), b.local("kept", p_type));
    let got = b.local("got", pp_type);
    let address = b.address_of(x);
    b.assign(b.place(p), address);
    let address = b.address_of(y);
    b.assign(b.place(kept), address);
    let address = b.address_of(p);
    b.call(None, take, vec![address]);
    let target = b.place(got);
    b.call(Some(target), give, vec![]);
    let star = b.deref(b.value(got));
    let zero = b.number(0);
    b.assign(b.deref(Expr::load(star.clone())), zero);
    let (value_kept, place_p, place_kept) = (b.value(kept), b.place(p), b.place(kept));
    let star_star = b.deref(Expr::load(star.clone()));
    let (place_x, place_y) = (b.place(x), b.place(y));
    let (program, points_to) = finish(b);
    assert!(points_to.may_alias(&program, &star, &place_p));
    assert!(!points_to.may_alias(&program, &star, &place_kept));
    assert!(points_to.may_alias(&program, &star_star, &place_x));
    assert!(!points_to.may_alias(&program, &star_star, &place_y));
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &value_kept)), ["y"]);
}

#[test]
fn each_allocation_is_its_own_object_with_fields() {
    let mut b = Builder::new();
    let int = b.int();
    let void = b.program.types.void();
    let void_pointer = b.pointer(void);
    let size = b.program.types.size_type();
    let p_type = b.pointer(int);
    let malloc_type = b.function_type(void_pointer, &[size], false);
    let malloc = b.declare("malloc", malloc_type);
    let (record, ty) = b.record(RecordKind::Struct, "node", &[("value", p_type), ("next", p_type)]);
    let node_pointer = b.pointer(ty);
    main_of(&mut b);
    let (x, y, i) = (b.local("x", int), b.local("y", int), b.local("i", int));
    let raw = b.local("raw", void_pointer);
    let other = b.local("other", void_pointer);
    let node = b.local("node", node_pointer);
    let bytes = b.number_of(160, IntegerKind::UnsignedLong);
    let target = b.place(raw);
    b.call(Some(target), malloc, vec![bytes.clone()]);
    let target = b.place(other);
    b.call(Some(target), malloc, vec![bytes]);
    b.assign(b.place(node), b.value(raw).cast(node_pointer));
    // node[i].value = &x; node[i].next = &y
    let moved = ExprKind::PointerOffset { pointer: Box::new(b.value(node)), index: Box::new(b.value(i)) };
    let element = b.deref(Expr { ty: node_pointer, kind: moved });
    let address = b.address_of(x);
    b.assign(b.field(element.clone(), record, 0), address);
    let address = b.address_of(y);
    b.assign(b.field(element, record, 1), address);
    let first = Expr::load(b.field(b.deref(b.value(node)), record, 0));
    let (raw, other) = (b.value(raw), b.value(other));
    let (program, points_to) = finish(b);
    assert_eq!(names(&program, &points_to, &points_to.points_to(&program, &first)), ["x"]);
    let (raw, other) = (points_to.points_to(&program, &raw), points_to.points_to(&program, &other));
    assert!(raw.len() == 1 && other.len() == 1 && raw != other);
}
