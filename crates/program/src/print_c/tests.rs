//! Programs built by hand, printed and compiled. Whole C programs make the round trip in the tests of `lower`'s users.

use crate::tests::Builder;
use crate::types::{ArrayLength, Field};
use crate::*;
use std::io::Write;
use std::process::{Command, Stdio};

/// Compiles and runs; `None` (told plainly) without a C compiler.
fn run(text: &str) -> Option<i32> {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("concord-print-{}-{number}", std::process::id()));
    let compiler = Command::new("cc")
        .args(["-std=gnu11", "-w", "-fno-strict-aliasing", "-x", "c", "-", "-o"])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut compiler) = compiler else {
        std::io::stderr().write_all(b"no C compiler here: the printed program was not compiled\n").ok();
        return None;
    };
    compiler.stdin.take().expect("piped").write_all(text.as_bytes()).expect("cc reads its input");
    assert!(compiler.wait().expect("cc ends").success(), "cc rejects:\n{text}");
    let status = Command::new(&path).status().expect("the compiled program starts");
    std::fs::remove_file(&path).expect("it was just made");
    Some(status.code().unwrap_or(-1))
}

#[test]
fn loops_records_and_shadowed_names_survive() {
    let mut b = Builder::new();
    let int = b.int();
    let four = b.program.types.array(int, ArrayLength::Known(4));
    let (first, first_type) = b.record(RecordKind::Struct, "s", &[("n", int), ("a", four)]);
    // A second record of the same tag, from another unit.
    let (second, second_type) = b.record(RecordKind::Struct, "s", &[("z", int)]);
    let global = b.global("x", first_type);
    let other = b.global("x", second_type);
    let two = b.number(2);
    let seven = b.number(7);
    let element = {
        let array = b.field(b.place(global), first, 1);
        b.element(array, two)
    };
    b.program.variables[global].initial =
        vec![InitialValue { place: element.clone(), value: InitialData::Value(seven) }];
    let main_type = b.function_type(int, &[], false);
    let main = b.declare("main", main_type);
    b.begin(main);
    let x = b.local("x", int);
    let i = b.local("i", int);
    let zero = b.number(0);
    b.assign(b.place(x), zero.clone());
    b.assign(b.place(i), zero);
    let z = b.field(b.place(other), second, 0);
    let min = b.number(i128::from(i32::MIN));
    b.assign(z.clone(), min.clone());
    let head = b.here();
    let five = b.number(5);
    let condition = {
        let left = b.value(i);
        b.binary(BinaryOp::Less, left, five)
    };
    let (inside, behind) = b.branch(condition);
    b.go_on_at(inside);
    let sum = {
        let (left, right) = (b.value(x), Expr::load(element));
        b.binary(BinaryOp::Add, left, right)
    };
    b.assign(b.place(x), sum);
    let one = b.number(1);
    let next = {
        let left = b.value(i);
        b.binary(BinaryOp::Add, left, one)
    };
    b.assign(b.place(i), next);
    b.jump(head);
    b.go_on_at(behind);
    let is_min = b.binary(BinaryOp::Equal, Expr::load(z), min);
    let result = {
        let left = b.value(x);
        b.binary(BinaryOp::Add, left, is_min)
    };
    b.finish_with(Some(result));
    let text = print_c(&b.finish());
    if let Some(status) = run(&text) {
        assert_eq!(status, 36, "{text}");
    }
}

#[test]
fn layouts_are_asserted() {
    let mut b = Builder::new();
    let int = b.int();
    let char = b.program.types.char();
    let (record, ty) = b.record(RecordKind::Struct, "bits", &[]);
    let field = |name: Option<&str>, ty: TypeId, bit_width: Option<u32>| Field {
        name: name.map(Into::into),
        ty: ty.into(),
        bit_width,
        alignment: None,
        type_alignment: None,
        is_packed: false,
        span: Span::NOWHERE,
    };
    b.program.types.records[record].alignment = Some(16);
    b.program.types.complete_record(
        record,
        vec![
            field(Some("a"), char, None),
            field(Some("b"), int, Some(3)),
            field(None, int, Some(0)),
            field(Some("c"), int, Some(7)),
            field(Some("d"), int, None),
        ],
    );
    let x = b.global("x", ty);
    let main_type = b.function_type(int, &[], false);
    let main = b.declare("main", main_type);
    b.begin(main);
    let place = b.field(b.place(x), record, 3);
    let value = b.number(-5);
    b.assign(place.clone(), value);
    let minus = Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(Expr::load(place))), ty: int };
    b.finish_with(Some(minus));
    let text = print_c(&b.finish());
    assert!(text.contains("_Static_assert(sizeof(struct bits)"), "{text}");
    if let Some(status) = run(&text) {
        assert_eq!(status, 5, "{text}");
    }
}

#[test]
fn variable_arguments_and_function_pointers_survive() {
    let mut b = Builder::new();
    let int = b.int();
    let void = b.program.types.void();
    let list_type = b.program.types.va_list();
    let Type::Array(tag, _) = *b.program.types.get(list_type) else { panic!("LP64 lists are arrays") };
    let sum_type = b.function_type(int, &[int], true);
    let any = b.function_type(void, &[], false);
    let start = b.declare("__builtin_va_start", any);
    let next = b.declare("__builtin_va_arg", any);
    let end = b.declare("__builtin_va_end", any);
    let sum = b.declare("sum", sum_type);
    b.begin(sum);
    b.parameter("count", int);
    let list = b.local("list", list_type);
    let (x, y) = (b.local("x", int), b.local("y", int));
    let tag_pointer = b.pointer(tag.id);
    let list_pointer = b.address_of(list).cast(tag_pointer);
    b.call(None, start, vec![list_pointer.clone()]);
    let target = b.place(x);
    b.call(Some(target), next, vec![list_pointer.clone()]);
    let target = b.place(y);
    b.call(Some(target), next, vec![list_pointer.clone()]);
    b.call(None, end, vec![list_pointer]);
    let difference = {
        let (left, right) = (b.value(x), b.value(y));
        b.binary(BinaryOp::Subtract, left, right)
    };
    b.finish_with(Some(difference));
    let main_type = b.function_type(int, &[], false);
    let main = b.declare("main", main_type);
    b.begin(main);
    let pointer_type = b.pointer(sum_type);
    let pointer = b.local("sum", pointer_type);
    let address = b.function_address(sum);
    b.assign(b.place(pointer), address);
    let result = b.local("r", int);
    let arguments = [2, 50, 8].map(|value| b.number(value)).to_vec();
    let (target, callee) = (b.place(result), b.value(pointer));
    b.step(Action::Call { result: Some(target), callee: Callee::Indirect(callee), arguments });
    b.finish_with(Some(b.value(result)));
    let text = print_c(&b.finish());
    if let Some(status) = run(&text) {
        assert_eq!(status, 42, "{text}");
    }
}
