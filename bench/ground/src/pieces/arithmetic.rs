//! Integer expressions of all types: overflow, division, shifts, conversions.

use crate::piece::Piece;
use crate::random::Random;

const TYPES: &[&str] = &[
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "short",
    "unsigned short",
    "signed char",
    "unsigned char",
    "_Bool",
    "long long",
    "char",
];

fn constant(random: &mut Random) -> String {
    match random.below(12) {
        0 => "2147483647".into(),
        1 => "(-2147483647 - 1)".into(),
        2 => "4294967295u".into(),
        3 => "9223372036854775807L".into(),
        4 => "(-1L)".into(),
        5 => "65535".into(),
        6 => "'a'".into(),
        7 => "1ul".into(),
        _ => format!("({})", random.within(-9, 33)),
    }
}

/// An operand that gcc reads where it stands: it knows that `x - x` is 0, adds the opposite of the least number where that is
/// subtracted, and puts constants together, and UBSan does not see what overflows there.
fn opaque(operand: &str) -> String {
    format!("⟦{operand}⟧")
}

/// An expression over the names.
pub fn expression(random: &mut Random, names: &[String], depth: usize) -> String {
    if depth == 0 || random.chance(15) {
        let operand = if random.chance(65) { random.pick(names).clone() } else { constant(random) };
        return opaque(&operand);
    }
    let part = |random: &mut Random| expression(random, names, depth - 1);
    let (mut left, right) = (part(random), part(random));
    if !left.contains('$') {
        // gcc computes constants itself, and UBSan does not see what overflows there.
        left = opaque(&random.pick(names).clone());
    }
    match random.below(20) {
        0..=5 => format!("({left} {} {right})", random.text(&["+", "-", "+", "-", "*"])),
        6 => format!("({left} / {right})"),
        7 => format!("({left} % {right})"),
        8 => format!("({left} << ({right} & {}))", random.text(&["7", "31", "15", "63"])),
        9 => format!("({left} >> ({right} & {}))", random.text(&["7", "31", "63"])),
        10..=12 => format!("({left} {} {right})", random.text(&["&", "|", "^"])),
        13 | 14 => format!("({left} {} {right})", random.text(&["<", "<=", "==", "!=", ">", ">="])),
        15 => format!("({} ? {right} : {})", condition(random, names), part(random)),
        // gcc computes a sum that is converted to less in the lesser type, where UBSan sees no overflow: only names are converted.
        16 => format!("(({})({}))", random.text(TYPES), random.pick(names)),
        17 => format!("(-{left})"),
        18 => format!("(~{left})"),
        _ => {
            let operator = random.text(&["&&", "||"]);
            format!("({} {operator} {})", condition(random, names), condition(random, names))
        }
    }
}

/// A condition. gcc makes `x != 3` of `if (x - 3)` before UBSan sees that the difference overflows, so there is none in it.
fn condition(random: &mut Random, names: &[String]) -> String {
    let name = random.pick(names).clone();
    match random.below(3) {
        0 => name,
        1 => format!("!{name}"),
        _ => format!("({name} {} {})", random.text(&["<", "==", "!=", ">"]), constant(random)),
    }
}

/// Variables of several types, assigned and looked at.
pub fn expressions(random: &mut Random) -> Piece {
    let mut piece = Piece::new("arithmetic", random);
    let first = if random.chance(50) { piece.input(random, 7) } else { piece.int_input(random, -3, 4) };
    let mut names = vec![first];
    if random.chance(50) {
        names.push(piece.input(random, 3));
    }
    let volatile = if random.chance(15) { "volatile " } else { "" };
    for number in 0..random.within(2, 5) {
        let ty = random.text(TYPES);
        let value = if ty == "_Bool" { condition(random, &names) } else { expression(random, &names, 2) };
        let name = format!("$v{number}");
        let wide = format!("$w{number}");
        piece.line(format!("long long {wide} = {value};"));
        let value = wide;
        if random.chance(20) {
            piece.outside(0, format!("{ty} {name};"));
            piece.line(format!("{name} = {value};"));
        } else {
            piece.line(format!("{volatile}{ty} {name} = {value};"));
        }
        names.push(name.clone());
        if random.chance(25) {
            let operator = random.text(&["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="]);
            let value = random.pick(&names).clone();
            let value = if operator.len() == 3 { format!("({value}) & 7") } else { value };
            let (name, operator) = if operator == "*=" || operator == "+=" || operator == "-=" {
                (format!("$w{number}"), operator)
            } else {
                (name.clone(), operator)
            };
            piece.line(format!("{name} {operator} {value};"));
        }
        if random.chance(15) {
            piece.line(format!("{name}{};", random.text(&["++", "--"])));
        }
        if random.chance(60) {
            piece.line(format!("«{name}»;"));
        }
    }
    let last = names.last().expect("there is one").clone();
    piece.line(format!("«{last}»;"));
    if random.chance(20) {
        let condition = condition(random, &names);
        piece.line(format!("if ({condition})"));
        piece.line(format!("«{}»;", expression(random, &names, 1)));
    }
    piece
}

/// Values through narrow types, by assignment, argument and return.
pub fn conversions(random: &mut Random) -> Piece {
    let mut piece = Piece::new("conversions", random);
    let (from, to, through) = (random.text(TYPES), random.text(TYPES), random.text(TYPES));
    let input = piece.int_input(random, -4, 3);
    let scale = random.text(&["1", "100", "20000", "70000", "1000000000", "3000000000"]);
    let is_static = random.chance(50);
    if is_static {
        piece.outside(0, format!("static {to} $convert({from} x) {{ {through} y = x; return y; }}"));
    } else {
        piece.shared(format!("{to} $convert({from});"));
        piece.outside_either(random, format!("{to} $convert({from} x) {{ {through} y = x; return y; }}"));
    }
    piece.line(format!("{from} $x = ({from})({input} * {scale}L);"));
    piece.line("«$x»;");
    piece.line("«$convert($x)»;");
    piece.line(format!("«$convert($x) {} $x»;", random.text(&["==", "<", ">", "!="])));
    piece.line(format!(
        "«sizeof($x + {}) * 2 + ({}1 < {input})»;",
        random.text(&["1", "1L", "1u", "'a'"]),
        random.text(&["", "-", "~"])
    ));
    piece
}
