//! Sizes, alignments, member offsets and bit positions, compared with gcc itself for both data models.
//!
//! gcc answers without running anything: sizes by `_Static_assert`, bit positions by the bytes of objects with one bit-field
//! set, read out of the object file. That works for i386 too, without its libraries.

#![allow(clippy::print_stderr, reason = "a test that cannot compare says so")]

use crate::common::{analyse, errors, gcc_is_present};
use csource::Session;
use csource::syntax::RecordKind;
use csource::types::{DataModel, RecordId};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use testkit::Random;

/// Bytes reserved for each object whose bits are read back.
const STRIDE: usize = 512;

/// Records that follow the rules one by one; the random ones mix them.
const CHOSEN: &str = "
typedef int aligned_int __attribute__((aligned(16)));
typedef int loose_int __attribute__((aligned(1)));
typedef long long tight __attribute__((aligned(8)));
enum small { A, B }; enum __attribute__((packed)) tiny { C, D = 200 }; enum big { E = 0x100000000 };
struct empty { };
struct plain { char a; int b; short c; long d; char e; };
struct wide { char a; long long b; double c; long double d; };
struct bits { int a : 3; unsigned b : 7; int c : 25; char d : 5; char : 0; long e : 20; _Bool f : 1; };
struct unnamed { char a; int : 5; int : 0; char b; long long : 33; char c; };
struct straddle { char a : 6; short b : 12; int c : 20; long long d : 50; long long e : 30; };
struct __attribute__((packed)) tight_struct { char a; int b; long long c : 40; short d; int e : 3; };
struct partly { char a; int b __attribute__((packed)); short c __attribute__((aligned(8))); char d; };
struct packed_bits { char a; int b : 9 __attribute__((packed)); int c : 30 __attribute__((packed)); };
struct __attribute__((aligned(32))) over { char a; };
struct with_over { char a; struct over b; char c; };
struct typedefs { char a; aligned_int b; char c; loose_int d; char e; tight f; };
struct __attribute__((packed)) packed_typedefs { char a; aligned_int b; char c; loose_int d; int e __attribute__((aligned(4))); };
#pragma pack(push, 1)
struct pack1 { char a; int b; long long c : 40; double d; aligned_int e; int f : 3; int : 0; char g; };
#pragma pack(2)
struct pack2 { char a; int b; struct over c; short d : 9; int e : 20; long f __attribute__((aligned(16))); };
#pragma pack(4)
struct pack4 { char a; long long b; long double c; char d; };
#pragma pack(pop)
union both { char a; int b : 9; long long c; char d[11]; };
union __attribute__((packed)) packed_union { int a; short b; char c[5]; };
struct anonymous { char a; struct { int b; union { char c; double d; }; }; char e; };
struct flexible { int n; char tail[]; };
struct zero_array { char a; int b[0]; char c; };
struct enums { char a; enum small b; char c; enum tiny d; char e; enum big f; enum small g : 2; enum tiny h : 8; };
struct arrays { char a; struct { char x; short y; } b[3]; long long c[2]; char d; };
struct aligned_bits { char a; int b : 3 __attribute__((aligned(8))); int c : 4; };
struct float128 { char a; __float128 b; char c; };
struct complex { char a; double _Complex b; char c; float _Complex d; };
struct pointers { char a; void *b; char c; void (*d)(void); };
struct atomics { char a; _Atomic long long b; char c; _Atomic int d; };
struct bool_bits { _Bool a : 1; _Bool b : 1; int c : 31; int d : 32; long long e : 64; };
struct vectors { char a; int b __attribute__((vector_size(16))); };
struct modes { char a; int b __attribute__((mode(DI))); char c; int d __attribute__((mode(HI))); int e __attribute__((mode(word))); };
";

/// One line of C per field, with the types of both models.
fn random_records(random: &mut Random, count: usize, model: DataModel) -> String {
    let mut text = String::from(
        "typedef int al16 __attribute__((aligned(16)));\ntypedef long long al1 __attribute__((aligned(1)));\nenum e { EA };\nenum __attribute__((packed)) pe { PA, PB };\n",
    );
    for number in 0..count {
        let limit = if random.one_in(6) { Some(*random.pick(&[1, 2, 4, 8, 16])) } else { None };
        if let Some(limit) = limit {
            writeln!(text, "#pragma pack(push, {limit})").expect("a string");
        }
        let keyword = if random.one_in(6) { "union" } else { "struct" };
        let attribute = match random.below(8) {
            0 => "__attribute__((packed)) ",
            1 => "__attribute__((aligned(8))) ",
            2 => "__attribute__((packed, aligned(2))) ",
            _ => "",
        };
        writeln!(text, "{keyword} {attribute}r{number} {{").expect("a string");
        let fields = 1 + random.below(8);
        for field in 0..fields {
            let line = random_field(random, field, number, model);
            writeln!(text, "  {line}").expect("a string");
        }
        text.push_str("};\n");
        if limit.is_some() {
            text.push_str("#pragma pack(pop)\n");
        }
    }
    text
}

fn random_field(random: &mut Random, field: usize, number: usize, model: DataModel) -> String {
    let widths: &[(&str, usize)] = &[
        ("char", 8),
        ("signed char", 8),
        ("unsigned char", 8),
        ("short", 16),
        ("unsigned short", 16),
        ("int", 32),
        ("unsigned", 32),
        ("long", if model == DataModel::Lp64 { 64 } else { 32 }),
        ("unsigned long long", 64),
        ("long long", 64),
        ("_Bool", 1),
        ("enum e", 32),
        ("al16", 32),
    ];
    let attribute = match random.below(12) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(4)))",
        2 => " __attribute__((aligned(16)))",
        _ => "",
    };
    if random.one_in(2) {
        let (ty, most) = random.pick(widths);
        let width = random.below(most + 1);
        if width == 0 || random.one_in(8) {
            return format!("{ty} : {width};");
        }
        return format!("{ty} f{field} : {width}{attribute};");
    }
    let mut types = vec![
        "char",
        "short",
        "int",
        "long",
        "long long",
        "float",
        "double",
        "long double",
        "void *",
        "_Bool",
        "al16",
        "al1",
        "enum pe",
        "__float128",
        "double _Complex",
    ];
    if model == DataModel::Lp64 {
        types.push("__int128");
    }
    let nested;
    let mut ty = *random.pick(&types);
    if number > 0 && random.one_in(5) {
        nested = format!("__typeof__(*(__typeof__(p{}))0)", random.below(number));
        ty = &nested;
    }
    if random.one_in(5) && ty != "al16" && !ty.contains("typeof") {
        return format!("{ty} f{field}[{}]{attribute};", random.below(4));
    }
    format!("{ty} f{field}{attribute};")
}

/// Pointers to the random records, so that a field can name an earlier one whether it is a struct or a union.
fn with_pointers(text: &str) -> String {
    let mut result = String::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        result.push_str(line);
        result.push('\n');
        if (line.starts_with("struct") || line.starts_with("union"))
            && let Some(name) = line.trim_end_matches(" {").split_whitespace().last()
        {
            let keyword = line.split_whitespace().next().unwrap_or("struct");
            open = Some(format!("extern {keyword} {name} *p{};\n", &name[1..]));
        }
        if line == "};"
            && let Some(pointer) = open.take()
        {
            result.push_str(&pointer);
        }
    }
    result
}

/// A record with a tag as we lay it out: what gcc is asked to confirm.
fn claims(session: &Session) -> (String, Vec<(String, String, u64, u32)>) {
    let mut asserts = String::new();
    let mut bit_fields = Vec::new();
    for (id, record) in session.types.records.iter_enumerated() {
        let (Some(tag), Some(layout), Some(fields)) = (&record.tag, &record.layout, &record.fields) else {
            continue;
        };
        if record.is_va_list {
            continue;
        }
        let keyword = if record.kind == RecordKind::Struct { "struct" } else { "union" };
        let name = format!("{keyword} {tag}");
        writeln!(
            asserts,
            "_Static_assert(sizeof({name}) == {}, \"size of {name} is not {0}\");",
            layout.size
        )
        .expect("a string");
        writeln!(
            asserts,
            "_Static_assert(_Alignof({name}) == {}, \"alignment of {name} is not {0}\");",
            layout.alignment
        )
        .expect("a string");
        for (path, offset, width) in members(session, id) {
            match width {
                None => writeln!(
                    asserts,
                    "_Static_assert(__builtin_offsetof({name}, {path}) == {}, \"offset of {path} in {name} is not {0}\");",
                    offset / 8
                )
                .expect("a string"),
                Some(width) => bit_fields.push((name.clone(), path, offset, width)),
            }
        }
        assert_eq!(fields.len(), layout.fields.len());
    }
    (asserts, bit_fields)
}

/// Named members with their bit offsets, through anonymous ones.
fn members(session: &Session, id: RecordId) -> Vec<(String, u64, Option<u32>)> {
    let record = &session.types.records[id];
    let mut found = Vec::new();
    let pairs = record.fields.iter().flatten().zip(record.layout.iter().flat_map(|layout| &layout.fields));
    for (field, layout) in pairs {
        match (&field.name, session.types.record_id(field.ty.id)) {
            (Some(name), _) => found.push((name.to_string(), layout.bit_offset, layout.bit_width)),
            (None, Some(inner)) => {
                let nested = members(session, inner).into_iter();
                found.extend(nested.map(|(name, offset, width)| (name, offset + layout.bit_offset, width)));
            }
            (None, None) => {}
        }
    }
    found
}

fn gcc(model: DataModel) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-w", "-std=gnu11", if model == DataModel::Lp64 { "-m64" } else { "-m32" }]);
    command
}

/// The bytes of objects that each have one bit-field set to ones, from the object file.
fn bits_by_gcc(
    folder: &Path,
    text: &str,
    fields: &[(String, String, u64, u32)],
    model: DataModel,
) -> Vec<u8> {
    let mut source = text.to_owned();
    for (number, (record, field, _, _)) in fields.iter().enumerate() {
        writeln!(
            source,
            "union {{ {record} r; char pad[{STRIDE}]; }} probe{number} __attribute__((section(\".probe\"), aligned({STRIDE}))) = {{ .r = {{ .{field} = -1 }} }};"
        )
        .expect("a string");
    }
    let (c, object, bytes) = (folder.join("bits.c"), folder.join("bits.o"), folder.join("bits.bin"));
    std::fs::write(&c, source).expect("the temporary folder is writable");
    let output = gcc(model)
        .args(["-c", "-fno-toplevel-reorder", "-o"])
        .arg(&object)
        .arg(&c)
        .output()
        .expect("gcc ran before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let copied = Command::new("objcopy")
        .args(["-O", "binary", "--only-section=.probe"])
        .arg(&object)
        .arg(&bytes)
        .status()
        .expect("objcopy comes with gcc's assembler");
    assert!(copied.success());
    std::fs::read(bytes).expect("objcopy wrote it")
}

fn set_bits(bytes: &[u8]) -> Option<(u64, u32)> {
    let bits = bytes.len() * 8;
    let is_set = |bit: usize| bytes[bit / 8] >> (bit % 8) & 1 == 1;
    let first = (0..bits).find(|&bit| is_set(bit))?;
    let width = (first..bits).take_while(|&bit| is_set(bit)).count();
    (first + width..bits).all(|bit| !is_set(bit)).then_some((first as u64, width as u32))
}

fn compare_with_gcc(text: &str, model: DataModel, name: &str) {
    let (session, _) = analyse(text, model);
    assert!(errors(&session).is_empty(), "{}\n{text}", errors(&session).join("\n"));
    let (asserts, bit_fields) = claims(&session);
    if !gcc_is_present() {
        eprintln!("no gcc: the layouts are computed but not compared");
        return;
    }
    let folder = std::env::temp_dir().join(format!("concord-layout-{name}-{model:?}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let file = folder.join("sizes.c");
    std::fs::write(&file, format!("{text}\n{asserts}")).expect("the temporary folder is writable");
    let output = gcc(model).arg("-fsyntax-only").arg(&file).output().expect("gcc ran before");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{model:?}\n{}\n{text}",
        messages.lines().take(30).collect::<Vec<_>>().join("\n")
    );

    let bytes = bits_by_gcc(&folder, text, &bit_fields, model);
    for (number, (record, field, offset, width)) in bit_fields.iter().enumerate() {
        let object = &bytes[number * STRIDE..(number + 1) * STRIDE];
        let found = set_bits(object);
        assert_eq!(found, Some((*offset, *width)), "{model:?} {record} {field}\n{text}");
    }
    assert!(!bit_fields.is_empty() && asserts.lines().count() > 10);
    std::fs::remove_dir_all(folder).expect("ours");
}

#[test]
fn chosen_records_are_laid_out_as_gcc_does() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        compare_with_gcc(CHOSEN, model, "chosen");
    }
}

#[test]
fn random_records_are_laid_out_as_gcc_does() {
    let rounds = if std::env::var_os("CONCORD_DEEP").is_some() { 30 } else { 2 };
    for seed in 0..rounds {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let mut random = Random::new(seed * 7919 + 1);
            let text = with_pointers(&random_records(&mut random, 150, model));
            compare_with_gcc(&text, model, &format!("random{seed}"));
        }
    }
}
