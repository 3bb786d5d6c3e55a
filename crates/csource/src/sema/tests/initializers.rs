//! Initialisers against gcc: the bytes of static objects, random ones among them.

use super::super::fold::{Constant, fold_in};
use crate::Session;
use crate::tree::{Expr, Initializer, PartValue, PathStep, Unit, VariableId};
use crate::types::{ArrayLength, DataModel, Type, TypeId};
use base::Severity;
use std::fmt::Write;
use std::process::Command;

const STRIDE: usize = 2048;

fn analyse(text: &str, model: DataModel) -> (Session, Unit) {
    let mut session = Session::new(model);
    let source = session.sources.add("initializers.i", text).expect("small");
    let unit = crate::parser::parse(source, &mut session);
    let typed = crate::sema::analyse(&unit, &mut session);
    let errors: Vec<_> = session.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    (session, typed)
}

/// The object's bytes as the typed tree has them.
fn bytes_of(session: &Session, unit: &Unit, id: VariableId) -> Vec<u8> {
    let variable = &unit.variables[id];
    let size = session.types.size_of(variable.ty.id).expect("complete") as usize;
    let mut object = vec![0; size.max(STRIDE)];
    match variable.initializer.as_ref().expect("initialised") {
        Initializer::Value(value) => write_value(session, unit, &mut object, 0, None, value),
        Initializer::String(string) => {
            let count = array_length(session, variable.ty.id);
            write_string(unit, &mut object, 0, count, *string);
        }
        Initializer::Parts(parts) => {
            for part in parts {
                let (offset, width) = locate(session, variable.ty.id, &part.path);
                let value = match part.value {
                    PartValue::SameAs(first) => &parts[first].value,
                    ref value => value,
                };
                match value {
                    PartValue::Expr(value) => write_value(session, unit, &mut object, offset, width, value),
                    PartValue::String(string) => {
                        clear(&mut object, offset, session.types.size_of(part.ty).unwrap_or(0) * 8);
                        let count = array_length(session, part.ty);
                        write_string(unit, &mut object, offset, count, *string);
                    }
                    PartValue::SameAs(_) => panic!("a repetition of a repetition"),
                }
            }
        }
    }
    object
}

fn array_length(session: &Session, ty: TypeId) -> usize {
    match session.types.get(ty) {
        Type::Array(_, ArrayLength::Known(count)) => *count as usize,
        other => panic!("{other:?} holds no string"),
    }
}

fn locate(session: &Session, whole: TypeId, path: &[PathStep]) -> (u64, Option<u32>) {
    let mut offset = 0;
    let mut width = None;
    let mut element_size = element_of(session, whole);
    for step in path {
        match step {
            PathStep::Field(record, field) => {
                let record = &session.types.records[*record];
                let layout = record.layout.as_ref().expect("complete").fields[*field as usize];
                offset += layout.bit_offset;
                width = layout.bit_width;
                element_size =
                    element_of(session, record.fields.as_ref().expect("complete")[*field as usize].ty.id);
            }
            PathStep::Index(index) => {
                let (size, inner) = element_size.expect("an array");
                offset += index * size * 8;
                element_size = element_of(session, inner);
            }
        }
    }
    (offset, width)
}

fn element_of(session: &Session, ty: TypeId) -> Option<(u64, TypeId)> {
    match session.types.get(ty) {
        Type::Array(element, _) => Some((session.types.size_of(element.id)?, element.id)),
        _ => None,
    }
}

fn write_bits(object: &mut [u8], offset: u64, count: u64, bits: u128) {
    for bit in 0..count {
        let at = (offset + bit) as usize;
        let mask = 1 << (at % 8);
        object[at / 8] = object[at / 8] & !mask | if bits >> bit & 1 == 1 { mask } else { 0 };
    }
}

fn clear(object: &mut [u8], offset: u64, count: u64) {
    for bit in (0..count).step_by(8) {
        write_bits(object, offset + bit, 8, 0);
    }
}

fn write_value(
    session: &Session,
    unit: &Unit,
    object: &mut [u8],
    offset: u64,
    width: Option<u32>,
    value: &Expr,
) {
    let constant = fold_in(&session.types, unit, value).expect("constant");
    let size = session.types.size_of(value.ty.id).expect("complete") * 8;
    let (Constant::Integer(bits) | Constant::Float(bits)) = constant;
    write_bits(object, offset, width.map_or(size, u64::from).min(128), bits);
}

fn write_string(unit: &Unit, object: &mut [u8], offset: u64, count: usize, id: crate::tree::StringId) {
    let string = &unit.strings[id];
    let size = match string.encoding {
        crate::syntax::Encoding::Plain => 8,
        crate::syntax::Encoding::Utf16 => 16,
        _ => 32,
    };
    for (at, unit) in string.units.iter().take(count).enumerate() {
        write_bits(object, offset + at as u64 * size, size, u128::from(*unit));
    }
}

/// Compares every variable `v0`, `v1` … of the text.
fn compare(text: &str, model: DataModel, name: &str) {
    let (session, unit) = analyse(text, model);
    let mut ours = Vec::new();
    for (id, variable) in unit.variables.iter_enumerated() {
        if let Some(number) = variable.name.strip_prefix('v').and_then(|rest| rest.parse::<usize>().ok()) {
            let sized = session.types.size_of(variable.ty.id).expect("complete");
            ours.push((number, sized, bytes_of(&session, &unit, id), variable.span));
        }
    }
    assert!(!ours.is_empty());
    let mut source = String::new();
    for line in text.lines() {
        match line.split_once(" = ") {
            Some((declared, value)) if line.contains(" v") => {
                let section = format!("__attribute__((section(\".probe\"), aligned({STRIDE})))");
                writeln!(source, "{declared} {section} = {value}").expect("a string");
            }
            _ => writeln!(source, "{line}").expect("a string"),
        }
    }
    for (number, size, ..) in &ours {
        writeln!(source, "_Static_assert(sizeof(v{number}) == {size}, \"size of v{number} is not {size}\");")
            .expect("a string");
    }
    let folder = std::env::temp_dir().join(format!("concord-init-{name}-{model:?}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let (c, object, binary) = (folder.join("a.c"), folder.join("a.o"), folder.join("a.bin"));
    std::fs::write(&c, &source).expect("the temporary folder is writable");
    let machine = if model == DataModel::Lp64 { "-m64" } else { "-m32" };
    let compiled = Command::new("gcc")
        .args(["-w", "-c", "-fno-toplevel-reorder", machine, "-o"])
        .arg(&object)
        .arg(&c)
        .output();
    let Ok(compiled) = compiled else {
        std::fs::remove_dir_all(folder).expect("ours");
        return; // without gcc, only that nothing is refused is tested
    };
    assert!(compiled.status.success(), "{}\n{source}", String::from_utf8_lossy(&compiled.stderr));
    let copied = Command::new("objcopy")
        .args(["-O", "binary", "--only-section=.probe"])
        .args([&object, &binary])
        .status()
        .expect("objcopy comes with gcc's assembler");
    assert!(copied.success());
    let mut theirs = std::fs::read(&binary).expect("objcopy wrote it");
    theirs.resize(theirs.len() + STRIDE, 0);
    ours.sort_by_key(|(number, ..)| *number);
    let mut start = 0;
    for (number, size, bytes, span) in &ours {
        let size = *size as usize;
        let line = session.sources.line_around(span.start).map_or("", |(line, _)| line);
        assert_eq!(bytes[..size], theirs[start..start + size], "{model:?} v{number}\n{line}");
        start += size.max(1).next_multiple_of(STRIDE);
    }
    std::fs::remove_dir_all(folder).expect("ours");
}

const TYPES: &str = "
struct p { int x, y; };
struct n { char c; struct p p; int a[3]; };
struct b { int a : 3; unsigned : 4; unsigned b : 7; int c; };
union u { char c; int i; struct p p; char s[9]; };
struct a { int k; union { int i; char c[6]; }; struct { short s; short t; }; };
struct s { char name[5]; short wide[3]; };
struct m { struct n n[2]; union u u; struct a a; double d; long double ld; float f[2]; _Bool t; };
static const int constant
  = 41;
";

#[test]
fn chosen_initializers_give_gccs_bytes() {
    let text = format!(
        "{TYPES}
int v0 = 5;
int v1[] = {{ 1, 2, 3 }};
int v2[5] = {{ [3] = 4, 5, [0] = 6 }};
int v3[] = {{ [2] = 5, [4 ... 6] = 9, 10 }};
char v4[] = \"abc\";
char v5[3] = \"abc\";
char v6[10] = {{ \"ab\\0cd\" }};
struct p v7 = {{ .y = 2, .x = 1 }};
struct n v8 = {{ 1, 2, 3, 4, 5 }};
struct n v9 = {{ 1, {{ 2 }}, {{ [2] = 7 }} }};
struct n v10[2] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }};
struct n v11[] = {{ [1].p.y = 9, 1, 2, [0] = {{ 5 }}, [1].c = 3 }};
struct b v12 = {{ 1, 2, 3 }};
struct b v13 = {{ .c = 9, .a = -1, 100 }};
union u v14 = {{ 65 }};
union u v15 = {{ .p = {{ 1, 2 }} }};
union u v16 = {{ .p.y = 3, .i = 7 }};
union u v17 = {{ .s = \"text\", .s[5] = 'x' }};
struct a v18 = {{ 1, 2, 3, 4 }};
struct a v19 = {{ .c = \"hey\", .t = 9 }};
struct a v20 = {{ 1, {{ .c = {{ 1, 2 }} }}, {{ 5 }} }};
struct s v21[] = {{ \"one\", 1, 2, 3, \"two\", {{ 4 }}, {{ \"three\" }} }};
struct m v22 = {{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, {{ .i = 5 }}, 1, 2, 3, 4, 1.5, 2.5L, 3.5f, 4, 0.5 }};
struct m v23 = {{ .n[1].a[1] = 5, 6, 65, .ld = 1, .n = {{ {{ 1 }} }} }};
int v24[2][3] = {{ {{ 1 }}, {{ 2, 3 }} }};
int v25[2][3] = {{ 1, 2, 3, 4 }};
int v26[][2] = {{ 1, 2, 3 }};
int v27[4][2] = {{ [1 ... 2] = {{ 3, 4 }}, [2] = {{ 5 }} }};
int v28[6] = {{ [0 ... 5] = 1, [2 ... 3] = 2, [3] = 3 }};
struct p v29[4] = {{ [0 ... 3] = {{ 1, 2 }}, [1].y = 9, [2] = {{ 7 }} }};
struct p v30[3] = {{ [0 ... 1].x = 4, [0].y = 1 }};
_Bool v31[4] = {{ 2, 0.5, 0, -1 }};
float v32 = 1;
unsigned char v33[] = {{ 300, -1, 3.9 }};
struct p v34 = {{ }};
int v35[3] = {{ }};
int v36 = {{ 7 }};
double v37[] = {{ 1, 0.1f, 0.1, 0.1L, 1.0 / 3, 1e308 * 10, 0x1p-1074 }};
struct n v38 = {{ .p = {{ .y = 1 }}, .p.x = 2, .a[1] = 3, .p = {{ .x = 4 }} }};
char v39[2][4] = {{ \"ab\", \"cd\" }};
char v40[][3] = {{ [2] = \"xy\", [0] = {{ 'q' }} }};
unsigned short v41[] = u\"wide\";
int v42[] = {{ sizeof(v1), sizeof(v3) / sizeof(v3[0]), (char)200, 'a', -5 >> 1, 7 / -2, 1 ? 2 : 3 }};
long long v43[] = {{ -1, 0xffffffff, 1u - 2, 2147483647 + 1ll }};
struct p v44[] = {{ (struct p){{ 1, 2 }}, {{ 3 }}, (struct p){{ .y = 5 }} }};
int v45[] = (int[]){{ 1, 2, 3, 4 }};
int v46 = constant + 1;
struct {{ struct {{ }} e; int x; }} v47 = {{ 5 }};
struct {{ int a; int z[0]; int b; }} v48 = {{ 1, {{ }}, 2 }};
struct p v49[5] = {{ [0 ... 2] = 1, 2, 3 }};
struct p v50[5] = {{ [1 ... 2].x = 7, 8, 9 }};
struct n v51[3] = {{ [0].c = 1, [1].p.x = 5, [0 ... 2].p = {{ .y = 3 }}, 4, [1].a[1] = 6 }};
struct n v52[4] = {{ [0 ... 3].a[1 ... 2] = 5, [1 ... 2].a[0] = 6, [3].c = 7 }};
struct p v53[4] = {{ [0 ... 3].y = 2, [1 ... 3].x = 1, [2 ... 3] = {{ .x = 9 }} }};
"
    );
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        compare(&text, model, "chosen");
    }
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}

/// A random initialiser of a type, by our own description of it. `Shape` mirrors `TYPES`.
enum Shape {
    Scalar,
    Text(u64),
    Array(u64, &'static Shape),
    Record(&'static [(&'static str, &'static Shape)]),
    Union(&'static [(&'static str, &'static Shape)]),
}

static POINT: Shape = Shape::Record(&[("x", &Shape::Scalar), ("y", &Shape::Scalar)]);
static NESTED: Shape =
    Shape::Record(&[("c", &Shape::Scalar), ("p", &POINT), ("a", &Shape::Array(3, &Shape::Scalar))]);
static UNION: Shape =
    Shape::Union(&[("c", &Shape::Scalar), ("i", &Shape::Scalar), ("p", &POINT), ("s", &Shape::Text(9))]);
static BITS: Shape = Shape::Record(&[("a", &Shape::Scalar), ("b", &Shape::Scalar), ("c", &Shape::Scalar)]);
static STRINGS: Shape =
    Shape::Record(&[("name", &Shape::Text(5)), ("wide", &Shape::Array(3, &Shape::Scalar))]);

impl Random {
    fn scalar(&mut self) -> String {
        match self.below(6) {
            0 => "-1".into(),
            1 => "'x'".into(),
            2 => format!("{}.75", self.below(3)), // past the width of a bit-field it would be undefined
            _ => format!("{}", self.below(100)),
        }
    }

    fn value(&mut self, shape: &Shape, out: &mut String) {
        match shape {
            Shape::Scalar => out.push_str(&self.scalar()),
            Shape::Text(_) if self.below(2) == 0 => out.push_str("\"tx\""),
            // Braces left out behind a designator: the value goes to the first scalar inside.
            _ if self.below(4) == 0 => out.push_str(&self.scalar()),
            _ => self.braced(shape, out),
        }
    }

    fn braced(&mut self, shape: &Shape, out: &mut String) {
        out.push_str("{ ");
        let entries = self.below(5);
        for _ in 0..entries {
            let designated = self.below(2) == 0;
            match shape {
                Shape::Scalar => {
                    out.push_str(&self.scalar());
                    break;
                }
                Shape::Text(length) => {
                    if designated {
                        write!(out, "[{}] = ", self.below(*length)).expect("a string");
                    }
                    out.push_str(&self.scalar());
                }
                _ if !designated => out.push_str(&self.scalar()), // braces elided
                Shape::Array(length, element) => {
                    let low = self.below(*length);
                    if self.below(4) == 0 {
                        let high = low + self.below(length - low);
                        write!(out, "[{low} ... {high}]").expect("a string");
                        self.designated(element, out);
                    } else {
                        write!(out, "[{low}]").expect("a string");
                        self.designated(element, out);
                    }
                }
                Shape::Record(members) | Shape::Union(members) => {
                    let (name, member) = members[self.below(members.len() as u64) as usize];
                    write!(out, ".{name}").expect("a string");
                    self.designated(member, out);
                }
            }
            out.push_str(", ");
        }
        out.push('}');
    }

    fn designated(&mut self, shape: &Shape, out: &mut String) {
        match shape {
            Shape::Array(length, element) if self.below(2) == 0 => {
                write!(out, "[{}]", self.below(*length)).expect("a string");
                self.designated(element, out);
            }
            Shape::Record(members) | Shape::Union(members) if self.below(2) == 0 => {
                let (name, member) = members[self.below(members.len() as u64) as usize];
                write!(out, ".{name}").expect("a string");
                self.designated(member, out);
            }
            _ => {
                out.push_str(" = ");
                self.value(shape, out);
            }
        }
    }
}

#[test]
fn random_initializers_give_gccs_bytes() {
    let rounds = if std::env::var_os("CONCORD_DEEP").is_some() { 40 } else { 3 };
    let shapes: [(&str, &str, &Shape); 7] = [
        ("struct p", "", &POINT),
        ("struct n", "", &NESTED),
        ("union u", "", &UNION),
        ("struct b", "", &BITS),
        ("struct s", "", &STRINGS),
        ("struct n", "[4]", &Shape::Array(4, &NESTED)),
        ("union u", "[3]", &Shape::Array(3, &UNION)),
    ];
    for seed in 0..rounds {
        let mut random = Random(seed * 7919 + 12345);
        let mut text = TYPES.to_owned();
        for number in 0..300 {
            let (ty, brackets, shape) = shapes[random.below(shapes.len() as u64) as usize];
            let mut value = String::new();
            random.braced(shape, &mut value);
            writeln!(text, "{ty} v{number}{brackets} = {value};").expect("a string");
        }
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            compare(&text, model, &format!("random{seed}"));
        }
    }
}
