//! Calls of library functions, drawn at random around what they need: objects a byte too short, just right and longer, strings with and without
//! an end, ranges that overlap, numbers at the limits of their types.

use std::fmt::Write as _;
use testkit::Random;

/// Who sees that a need is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The address sanitizer looks at the function.
    BySanitizer,
    /// It does not, or not at all that matters: the standard says it.
    ByStandardOnly,
}

/// A call with what surrounds it.
pub struct Call {
    pub function: &'static str,
    pub code: String,
    pub seen: Seen,
    /// Open choices of the description that are tried both ways.
    pub open_choices: u32,
}

impl Call {
    /// Does a message say which call it is about?
    pub fn is_named_in(&self, message: &str) -> bool {
        message.strip_prefix('`').is_some_and(|told| told.starts_with(self.function))
    }
}

/// How a function is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `f(to, from)`
    Copy,
    /// `f(to, from, count)`
    CopyPart,
    /// `f(to, from, byte, count)`
    CopyTo,
    /// `f(to, byte, count)`
    Fill,
    /// `f(a, b)` giving a number
    Compare,
    /// `f(a, b, count)` giving a number
    ComparePart,
    /// `f(in, byte)` giving a pointer
    Find,
    /// `f(in, byte, count)` giving a pointer
    FindPart,
    /// `f(in, n, wanted, m)`
    FindBytes,
    /// `f(in, wanted)` giving a pointer
    FindString,
    /// `f(in)` giving a size
    Length,
    /// `f(in, most)` giving a size
    LengthPart,
    /// `f(in, set)` giving a size
    Span,
    /// `f(in, set)` again and again
    Cut,
    /// `f(in)` or `f(in, most)` giving a new string
    Duplicate,
    /// `f(text, &end, base)`
    Number,
    /// `f(text)` giving a number
    ShortNumber,
    /// `f(text, &end)` or `f(text)` giving a floating number that is known
    Real,
    /// `f(from, to, count)`
    Swap,
    /// `f(number)`
    OfNumber,
    /// `f(character)`
    OfCharacter,
    Sort,
    Search,
}

struct Function {
    name: &'static str,
    shape: Shape,
    seen: Seen,
    has_needs: bool,
}

const fn seen(name: &'static str, shape: Shape) -> Function {
    Function { name, shape, seen: Seen::BySanitizer, has_needs: true }
}

const fn unseen(name: &'static str, shape: Shape) -> Function {
    Function { name, shape, seen: Seen::ByStandardOnly, has_needs: true }
}

const fn total(name: &'static str, shape: Shape) -> Function {
    Function { name, shape, seen: Seen::ByStandardOnly, has_needs: false }
}

const FUNCTIONS: &[Function] = &[
    seen("memcpy", Shape::CopyPart),
    seen("memmove", Shape::CopyPart),
    seen("memset", Shape::Fill),
    unseen("mempcpy", Shape::CopyPart),
    unseen("memccpy", Shape::CopyTo),
    seen("memcmp", Shape::ComparePart),
    unseen("bcmp", Shape::ComparePart),
    unseen("bzero", Shape::Fill),
    seen("memchr", Shape::FindPart),
    unseen("memrchr", Shape::FindPart),
    unseen("memmem", Shape::FindBytes),
    seen("strlen", Shape::Length),
    seen("strnlen", Shape::LengthPart),
    seen("strcpy", Shape::Copy),
    unseen("stpcpy", Shape::Copy),
    seen("strncpy", Shape::CopyPart),
    unseen("stpncpy", Shape::CopyPart),
    seen("strcat", Shape::Copy),
    seen("strncat", Shape::CopyPart),
    seen("strcmp", Shape::Compare),
    seen("strncmp", Shape::ComparePart),
    seen("strcasecmp", Shape::Compare),
    seen("strncasecmp", Shape::ComparePart),
    seen("strchr", Shape::Find),
    seen("strrchr", Shape::Find),
    unseen("strchrnul", Shape::Find),
    seen("strstr", Shape::FindString),
    seen("strpbrk", Shape::FindString),
    seen("strspn", Shape::Span),
    seen("strcspn", Shape::Span),
    unseen("strtok", Shape::Cut),
    unseen("strsep", Shape::Cut),
    seen("strdup", Shape::Duplicate),
    unseen("strndup", Shape::Duplicate),
    seen("strtol", Shape::Number),
    unseen("strtoul", Shape::Number),
    unseen("strtoll", Shape::Number),
    unseen("strtoull", Shape::Number),
    seen("atoi", Shape::ShortNumber),
    seen("atol", Shape::ShortNumber),
    unseen("strtod", Shape::Real),
    unseen("atof", Shape::Real),
    unseen("strcasestr", Shape::FindString),
    unseen("swab", Shape::Swap),
    total("htonl", Shape::OfNumber),
    total("htons", Shape::OfNumber),
    unseen("abs", Shape::OfNumber),
    unseen("labs", Shape::OfNumber),
    unseen("isalpha", Shape::OfCharacter),
    unseen("isdigit", Shape::OfCharacter),
    unseen("isspace", Shape::OfCharacter),
    unseen("ispunct", Shape::OfCharacter),
    unseen("isxdigit", Shape::OfCharacter),
    unseen("tolower", Shape::OfCharacter),
    unseen("toupper", Shape::OfCharacter),
    unseen("qsort", Shape::Sort),
    unseen("bsearch", Shape::Search),
    total("ffs", Shape::OfNumber),
];

pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

pub fn functions_with_needs() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().filter(|function| function.has_needs).map(|function| function.name)
}

pub fn draw(rng: &mut Random) -> Call {
    let function = &FUNCTIONS[rng.below(FUNCTIONS.len())];
    drawn(rng, function)
}

pub fn draw_of(rng: &mut Random, names: &[&str]) -> Call {
    let wanted: Vec<&Function> = FUNCTIONS.iter().filter(|function| names.contains(&function.name)).collect();
    let which = rng.below(wanted.len());
    drawn(rng, wanted[which])
}

/// Bytes of a block, as a C string literal, and how many there are.
fn bytes(rng: &mut Random, alphabet: &[u8], ends: bool) -> (String, usize) {
    let size = 1 + rng.below(6);
    let mut text = String::new();
    for at in 0..size {
        let byte = if ends && at + 1 == size { 0 } else { alphabet[rng.below(alphabet.len())] };
        let _ = write!(text, "\\{byte:03o}");
    }
    (text, size)
}

const LETTERS: &[u8] = b"abAB x\xf0";
const DIGITS: &[u8] = b"0019 -+xfz";

/// Two blocks, or one with two ranges in it that may overlap.
fn two_blocks(rng: &mut Random, ends: [bool; 2], copies: bool) -> (String, usize) {
    if rng.below(3) == 0 {
        let (text, size) = bytes(rng, LETTERS, true);
        let (one, two) = (rng.below(size), rng.below(size));
        let code = format!(
            "    char *whole = block(\"{text}\", {size}), *a = whole + {one}, *b = whole + {two};\n    size_t a_size = {}, b_size = {};\n",
            size - one,
            size - two
        );
        return (code, size);
    }
    let (mut first, mut one) = bytes(rng, LETTERS, ends[0]);
    // Room behind the string, for what appends to it; or two that are the same as far as they go, for what compares.
    if copies && rng.below(2) == 0 {
        let room = 1 + rng.below(6);
        first.push_str(&"\\000".repeat(room));
        one += room;
    }
    let (mut second, mut two) = bytes(rng, LETTERS, ends[1]);
    if !copies && rng.below(2) == 0 {
        (second, two) = (first.clone(), one);
    }
    let code = format!(
        "    char *a = block(\"{first}\", {one}), *b = block(\"{second}\", {two});\n    size_t a_size = {one}, b_size = {two};\n"
    );
    (code, one.max(two))
}

fn one_block(rng: &mut Random, alphabet: &[u8]) -> (String, usize) {
    let ends = rng.below(if alphabet == DIGITS { 2 } else { 4 }) > 0;
    // A number without an end goes on to the end of its block, in every base.
    let alphabet = if alphabet == DIGITS && !ends { &b"0111"[..] } else { alphabet };
    let (text, size) = bytes(rng, alphabet, ends);
    (format!("    char *a = block(\"{text}\", {size});\n    size_t a_size = {size};\n"), size)
}

/// Is the second of two strings in one block empty?
fn is_empty_inside(code: &str) -> bool {
    let text = code.split('"').nth(1).unwrap_or_default();
    let at = code.split("*b = whole + ").nth(1).and_then(|rest| rest.split(';').next()?.parse().ok());
    at.is_some_and(|at: usize| text.split('\\').nth(at + 1) == Some("000"))
}

const SHOW_TWO: &str = "    show(a, a_size);\n    show(b, b_size);\n";

fn drawn(rng: &mut Random, function: &'static Function) -> Call {
    let name = function.name;
    let letter = |rng: &mut Random| u32::from(LETTERS[rng.below(LETTERS.len())]);
    let mut open_choices = 0;
    let mut is_seen = function.seen;
    let code = match function.shape {
        Shape::Copy | Shape::CopyPart | Shape::CopyTo => {
            let ends = [rng.below(4) > 0, rng.below(4) > 0];
            let (mut code, most) = two_blocks(rng, ends, true);
            let count = rng.below(most + 2);
            let byte = letter(rng);
            let arguments = match function.shape {
                Shape::Copy => "a, b".to_owned(),
                Shape::CopyPart => format!("a, b, {count}"),
                _ => format!("a, b, {byte}, {count}"),
            };
            // The sanitizer looks for overlaps only where more than an end is appended.
            if matches!(name, "strcat" | "strncat") && is_empty_inside(&code) {
                is_seen = Seen::ByStandardOnly;
            }
            let _ = writeln!(code, "    char *given = {name}({arguments});");
            code.push_str("    printf(\"%ld \", given ? (long)(given - a) : -99L);\n");
            code + SHOW_TWO
        }
        Shape::Fill => {
            let (mut code, size) = one_block(rng, LETTERS);
            let at = rng.below(size);
            let count = rng.below(size + 2);
            let byte = letter(rng);
            let arguments = if name == "bzero" {
                format!("a + {at}, {count}")
            } else {
                format!("a + {at}, {byte}, {count}")
            };
            let _ = writeln!(code, "    {name}({arguments});\n    show(a, a_size);");
            code
        }
        Shape::Compare | Shape::ComparePart => {
            let ends = [rng.below(2) > 0, rng.below(2) > 0];
            let (mut code, most) = two_blocks(rng, ends, false);
            let count = rng.below(most + 2);
            let part =
                if function.shape == Shape::ComparePart { format!(", {count}") } else { String::new() };
            let _ = writeln!(code, "    printf(\"%d \", {name}(a, b{part}));");
            code
        }
        Shape::Find | Shape::FindPart => {
            let (mut code, size) = one_block(rng, LETTERS);
            // A letter that is nowhere is looked for to the end.
            let byte = [0, u32::from(b'q'), letter(rng), letter(rng)][rng.below(4)];
            let count = if rng.below(2) == 0 { size + 1 } else { rng.below(size + 2) };
            let part = if function.shape == Shape::FindPart { format!(", {count}") } else { String::new() };
            let _ = writeln!(code, "    char *given = {name}(a, {byte}{part});");
            code + "    printf(\"%ld \", given ? (long)(given - a) : -99L);\n"
        }
        Shape::FindBytes => {
            let (mut code, _) = two_blocks(rng, [false, false], false);
            let (n, m) = (rng.below(7), rng.below(4));
            let _ = writeln!(code, "    char *given = {name}(a, {n}, b, {m});");
            code + "    printf(\"%ld \", given ? (long)(given - a) : -99L);\n"
        }
        Shape::FindString | Shape::Span => {
            let ends = [rng.below(4) > 0, rng.below(4) > 0];
            let (mut code, _) = two_blocks(rng, ends, false);
            // How far the sanitizer looks in a string that the function leaves early is its own affair.
            is_seen = if ends == [true, true] { is_seen } else { Seen::ByStandardOnly };
            if function.shape == Shape::Span {
                let _ = writeln!(code, "    printf(\"%zu \", {name}(a, b));");
                code
            } else {
                let _ = writeln!(code, "    char *given = {name}(a, b);");
                code + "    printf(\"%ld \", given ? (long)(given - a) : -99L);\n"
            }
        }
        Shape::Length => {
            let (mut code, _) = one_block(rng, LETTERS);
            let _ = writeln!(code, "    printf(\"%zu \", {name}(a));");
            code
        }
        Shape::LengthPart => {
            let (mut code, size) = one_block(rng, LETTERS);
            let most = rng.below(size + 3);
            let _ = writeln!(code, "    printf(\"%zu \", {name}(a, {most}));");
            code
        }
        Shape::Cut => {
            let (mut code, _) = one_block(rng, LETTERS);
            let first = if rng.below(8) == 0 { "0" } else { "a" };
            if name == "strsep" {
                code.push_str("    char *rest = a;\n    for (int i = 0; i < 4; i++) {\n        char *given = strsep(&rest, \" x\");\n");
            } else {
                let _ = writeln!(
                    code,
                    "    for (int i = 0; i < 4; i++) {{\n        char *given = strtok(i ? 0 : {first}, \" x\");"
                );
            }
            code + "        printf(\"%ld \", given ? (long)(given - a) : -99L);\n    }\n    show(a, a_size);\n"
        }
        Shape::Duplicate => {
            let (mut code, size) = one_block(rng, LETTERS);
            let most = if rng.below(2) == 0 { size + 1 } else { rng.below(size + 2) };
            let part = if name == "strndup" { format!(", {most}") } else { String::new() };
            let _ = writeln!(
                code,
                "    char *given = {name}(a{part});\n    show(given, strlen(given) + 1);\n    free(given);"
            );
            code
        }
        Shape::Number => {
            let long = [
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551615",
                "18446744073709551616",
                "0x",
                "0xg",
                " -0x7f",
                "077",
            ];
            let mut code = if rng.below(3) == 0 {
                let text = rng.one_of(&long);
                format!("    char *a = block(\"{text}\", {});\n", text.len() + 1)
            } else {
                one_block(rng, DIGITS).0
            };
            let base = [0, 2, 8, 10, 16, 36, 1, 37, -1][rng.below(9)];
            let _ = writeln!(
                code,
                "    char *end = a;\n    errno = 0;\n    long long given = {name}(a, &end, {base});"
            );
            is_seen = Seen::ByStandardOnly;
            code + "    printf(\"%lld %d %ld \", given, errno, (long)(end - a));\n"
        }
        Shape::ShortNumber => {
            let mut code = one_block(rng, DIGITS).0;
            is_seen = Seen::ByStandardOnly;
            let _ = writeln!(code, "    long given = {name}(a);");
            code + "    printf(\"%ld \", given);\n"
        }
        Shape::Real => {
            let digits = |rng: &mut Random, most: usize| -> String {
                (0..rng.below(most)).map(|_| char::from(b'0' + rng.below(10) as u8)).collect()
            };
            let exponent = ["", "", "e", "e+", "e3", "e-4", "E2x", "p3"][rng.below(8)];
            let drawn = format!(
                "{}{}{}{}{exponent}",
                ["", "-", "+", " \\t", "- "][rng.below(5)],
                digits(rng, 8),
                ["", ".", ".", ".."][rng.below(4)],
                digits(rng, 7)
            );
            let known = [
                "inf",
                "-Infinity",
                "infinit",
                "0x",
                "0xg",
                "",
                ".",
                "e5",
                "1e",
                "1e+",
                "000000000000000000012",
            ];
            let text = if rng.below(3) == 0 { rng.one_of(&known).to_owned() } else { drawn };
            let size = text.replace('\\', "").len() + usize::from(rng.below(8) > 0);
            is_seen = Seen::ByStandardOnly;
            let call = if name == "strtod" { "strtod(a, &end)" } else { "atof(a)" };
            format!(
                "    char *a = block(\"{text}\", {size}), *end = a;\n    double given = {call};\n    unsigned long long bits;\n    \
                 memcpy(&bits, &given, sizeof bits);\n    printf(\"%llx %ld \", bits, (long)(end - a));\n"
            )
        }
        Shape::Swap => {
            let (code, size) = one_block(rng, LETTERS);
            let room = rng.below(size + 2);
            let count = rng.below(size + 2) as i64 - 1;
            format!(
                "{code}    char *b = malloc({room});\n    {name}(a, b, {count});\n    show(b, {count} > 1 ? {count} / 2 * 2 : 0);\n"
            )
        }
        Shape::OfNumber => {
            let ty = if name == "labs" { "long" } else { "int" };
            let least = if ty == "long" { "-9223372036854775807L - 1" } else { "-2147483647 - 1" };
            let drawn = rng.below(100).to_string();
            let number = rng.one_of(&[least, "-2147483647", "2147483647", "0", "-1", &drawn]).to_owned();
            format!("    {ty} number = {number};\n    printf(\"%ld \", (long){name}(number));\n")
        }
        Shape::OfCharacter => {
            let drawn = rng.below(256).to_string();
            let c = rng
                .one_of(&["-1", "-128", "255", "256", "-129", "1000000", &drawn, &drawn, &drawn])
                .to_owned();
            format!("    int c = {c};\n    printf(\"%d \", ({name})(c));\n")
        }
        Shape::Sort => {
            let (mut code, size) = one_block(rng, b"abc");
            let width = 1 + rng.below(2);
            let count = rng.below(size / width + 2).min(4);
            let _ = writeln!(code, "    {name}(a, {count}, {width}, by_first);\n    show(a, a_size);");
            open_choices = 6;
            code
        }
        Shape::Search => {
            let (text, _) = bytes(rng, b"abc", false);
            let mut sorted: Vec<String> = text.split('\\').skip(1).map(str::to_owned).collect();
            sorted.sort();
            let count = sorted.len() + rng.below(2);
            let size = sorted.len();
            let text = sorted.iter().fold(String::new(), |all, byte| all + "\\" + byte);
            let key = ["a", "b", "c", "d"][rng.below(4)];
            open_choices = 6;
            format!(
                "    char *a = block(\"{text}\", {size});\n    char *given = {name}(\"{key}\", a, {count}, 1, by_first);\n    printf(\"%ld \", given ? (long)(given - a) : -99L);\n"
            )
        }
    };
    Call { function: name, code, seen: is_seen, open_choices }
}
