//! What people see.

use crate::tests::Builder;
use crate::types::{ArrayLength, Enum, IntegerKind};
use crate::*;

fn cast(expr: Expr, ty: TypeId) -> Expr {
    expr.cast(ty)
}

#[test]
fn implied_conversions_are_left_out_and_real_ones_shown() {
    let mut b = Builder::new();
    let int = b.int();
    let long = b.program.types.integer(IntegerKind::Long);
    let unsigned = b.program.types.integer(IntegerKind::UnsignedInt);
    let (x, y) = (b.global("x", int), b.global("y", int));
    let (l, u) = (b.global("l", long), b.global("u", unsigned));
    // l + x: C widens x.
    let widened = cast(b.value(x), long);
    let sum = {
        let left = b.value(l);
        b.binary(BinaryOp::Add, left, widened)
    };
    // (long)x * y: the program asked for a wide product.
    let (wide_x, wide_y) = (cast(b.value(x), long), cast(b.value(y), long));
    let product = b.binary(BinaryOp::Multiply, wide_x, wide_y);
    // u < 3, x - (y - 1)
    let three = b.number_of(3, IntegerKind::UnsignedInt);
    let less = {
        let left = b.value(u);
        b.binary(BinaryOp::Less, left, three)
    };
    let one = b.number(1);
    let inner = {
        let left = b.value(y);
        b.binary(BinaryOp::Subtract, left, one)
    };
    let nested = {
        let left = b.value(x);
        b.binary(BinaryOp::Subtract, left, inner)
    };
    let narrowed = cast(b.value(l), int);
    let program = b.finish();
    let show = program.show();
    assert_eq!(show.expr(&sum), "l + x");
    assert_eq!(show.expr(&product), "(long)x * y");
    assert_eq!(show.expr(&less), "u < 3");
    assert_eq!(show.condition(&less, false), "u >= 3");
    assert_eq!(show.expr(&nested), "x - (y - 1)");
    assert_eq!(show.expr(&narrowed), "(int)l");
    let assign = Action::Assign { target: Place::variable(x, int), value: narrowed };
    assert_eq!(show.action(&assign), "x = l");
}

#[test]
fn places_read_as_c() {
    let mut b = Builder::new();
    let int = b.int();
    let four = b.program.types.array(int, ArrayLength::Known(4));
    let (inner, inner_type) = b.record(RecordKind::Struct, "inner", &[("g", int)]);
    let (outer, outer_type) = b.record(RecordKind::Struct, "outer", &[("", inner_type), ("a", four)]);
    let pointer = b.pointer(outer_type);
    let (p, s, i) = (b.global("p", pointer), b.global("s", outer_type), b.global("i", int));
    let through = b.deref(b.value(p));
    let g = {
        let anonymous = b.field(through.clone(), outer, 0);
        b.field(anonymous, inner, 0)
    };
    let element = {
        let array = b.field(through.clone(), outer, 1);
        b.element(array, b.value(i))
    };
    let zero = b.number(0);
    let first = {
        let array = b.field(b.place(s), outer, 1);
        b.element(array, zero)
    };
    let decayed = b.address(first);
    let moved = Expr {
        ty: decayed.ty,
        kind: ExprKind::PointerOffset { pointer: Box::new(decayed.clone()), index: Box::new(b.value(i)) },
    };
    let indexed = b.deref(moved.clone());
    let back = Expr {
        ty: pointer,
        kind: ExprKind::PointerOffset { pointer: Box::new(b.value(p)), index: Box::new(b.number(-1)) },
    };
    let program = b.finish();
    let show = program.show();
    assert_eq!(show.place(&g), "p->g");
    assert_eq!(show.place(&element), "p->a[i]");
    assert_eq!(show.place(&through), "*p");
    assert_eq!(show.expr(&decayed), "s.a");
    assert_eq!(show.expr(&moved), "s.a + i");
    assert_eq!(show.place(&indexed), "s.a[i]");
    assert_eq!(show.expr(&back), "p - 1");
}

#[test]
fn constants_are_named_by_what_they_stand_beside() {
    let mut b = Builder::new();
    let int = b.int();
    let char = b.program.types.char();
    let unsigned = b.program.types.integer(IntegerKind::UnsignedInt);
    let color = b.program.types.enums.push(Enum {
        tag: Some("color".into()),
        span: Span::NOWHERE,
        underlying: unsigned,
        constants: Some(vec![("RED".into(), 0), ("BLUE".into(), 1)]),
    });
    let color = b.program.types.intern(Type::Enum(color));
    let (c, e) = (b.global("c", char), b.global("e", color));
    let letter = b.number(97);
    let is_a = {
        let left = b.value(c).cast(int);
        b.binary(BinaryOp::Equal, left, letter)
    };
    let one = b.number_of(1, IntegerKind::UnsignedInt);
    let is_blue = {
        let left = b.value(e).cast(unsigned);
        b.binary(BinaryOp::Equal, left, one)
    };
    let int_pointer = b.pointer(int);
    let program = b.finish();
    let show = program.show();
    assert_eq!(show.expr(&is_a), "c == 'a'");
    assert_eq!(show.condition(&is_blue, false), "e != BLUE");
    assert_eq!(show.constant(0, int_pointer), "NULL");
    assert_eq!(show.constant(0xffff_fffe, int), "-2");
    assert_eq!(show.constant(0xffff_fffe, unsigned), "0xfffffffe");
    assert_eq!(show.constant(b'\n'.into(), char), "'\\n'");
}

#[test]
fn temporaries_are_the_text_they_stand_for() {
    let mut b = Builder::new();
    let int = b.int();
    let text = "x = a && b;\ny = f(a,\n   1);";
    let id = b.sources.add("t.c", text).expect("small");
    let base = b.sources.source(id).base();
    let span_of = |needle: &str| {
        let at = text.find(needle).expect("present") as u32 + base;
        Span::new(at, at + needle.len() as u32)
    };
    let x = b.global("x", int);
    let and = b.variable("tmp", int, VariableKind::Temporary, false);
    b.program.variables[and].span = span_of("a && b");
    let call = b.variable("tmp", int, VariableKind::Temporary, false);
    b.program.variables[call].span = span_of("f(a,\n   1)");
    let ty = b.function_type(int, &[int, int], false);
    let f = b.declare("f", ty);
    let a = b.global("a", int);
    let one = b.number(1);
    let sum = {
        let (left, right) = (b.value(and), b.value(call));
        b.binary(BinaryOp::Add, left, right)
    };
    let assign = Action::Assign { target: b.place(and), value: one.clone() };
    let calls = Action::Call {
        result: Some(b.place(call)),
        callee: Callee::Direct(f),
        arguments: vec![b.value(a), one],
    };
    let stores = Action::Assign { target: b.place(x), value: b.value(and) };
    let negated = Expr { ty: int, kind: ExprKind::Unary(UnaryOp::Not, Box::new(b.value(and))) };
    let program = b.finish();
    let show = program.show();
    assert_eq!(show.expr(&sum), "(a && b) + f(a, 1)");
    assert_eq!(show.action(&assign), "1 /* a && b */");
    assert_eq!(show.action(&calls), "f(a, 1)");
    assert_eq!(show.action(&stores), "x = a && b");
    assert_eq!(show.expr(&negated), "!(a && b)");
}
