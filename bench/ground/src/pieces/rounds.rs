//! Loops over memory that a run makes once or again, pointers that are kept to locals, values that stay or change while loops run, sums of the
//! same parts in another order: what proofs suppose at the heads of loops.

use crate::piece::Piece;
use crate::random::Random;

/// Names that statements of a loop may use.
struct Names {
    /// Arrays and blocks with their lengths, which are written from the start.
    arrays: Vec<(String, i64)>,
    /// Integers.
    numbers: Vec<String>,
    /// Pointers to an `int` that lives.
    pointers: Vec<String>,
    /// Integers that are read but not drawn to be written, such as lengths.
    fixed: Vec<String>,
}

/// Loops over what is allocated.
pub fn rounds(random: &mut Random) -> Piece {
    let mut piece = Piece::new("rounds", random);
    piece.include("stdlib.h");
    piece.include("alloca.h");
    let mut names = Names { arrays: vec![], numbers: vec![], pointers: vec![], fixed: vec![] };
    let length = random.within(2, 9);
    let is_careless = random.chance(20);
    // A length that is set once, or is an input; sometimes a loop changes it.
    let size = match random.below(4) {
        0 => length.to_string(),
        1 => {
            let input = piece.int_input(random, length, length + 2);
            piece.line(format!("int $n = {input};"));
            "$n".to_string()
        }
        2 => {
            piece.outside(0, format!("static int $n = {length};"));
            "$n".to_string()
        }
        _ => {
            piece.line(format!("int $n = {length};"));
            "$n".to_string()
        }
    };
    names.fixed.push(size.clone());
    for (place, name) in ["$x", "$y"].into_iter().enumerate() {
        let start = random.within(-3, 9);
        if place == 1 && random.chance(30) {
            piece.outside(0, format!("static int $y = {start};"));
        } else {
            piece.line(format!("int {name} = {start};"));
        }
        names.numbers.push(name.into());
    }
    if random.chance(60) {
        piece.line(format!("int *$q = &{};", random.text(&["$x", "$y"])));
        names.pointers.push("$q".into());
    }
    if random.chance(30) {
        piece.line("int **$qq = &$r;".to_string());
        piece.body.insert(piece.body.len() - 1, "int *$r = &$x;".into());
        names.pointers.push("*$qq".into());
        names.pointers.push("$r".into());
    }
    for number in 0..random.within(1, 2) {
        let name = format!("$a{number}");
        make(&mut piece, random, &name, &size, length);
        names.arrays.push((name, length));
    }
    if random.chance(30) {
        let (first, _) = names.arrays[0].clone();
        let offset = random.within(0, 1);
        piece.line(format!("int *$w = {first} + {offset};"));
        names.arrays.push(("$w".into(), length - offset));
    }
    let loops = random.within(1, 3);
    for number in 0..loops {
        piece.line("/* wait */");
        a_loop(&mut piece, random, &names, &size, number, is_careless);
        if is_careless && random.chance(15) {
            let (name, _) = random.pick(&names.arrays).clone();
            if piece.body.iter().any(|line| line.contains("alloc(") && line.contains(&format!("{name} ="))) {
                let condition = piece.number(random, 0, 2);
                piece.line(format!("if ({condition} == 1) free({name});"));
            }
        }
    }
    for _ in 0..random.within(2, 4) {
        let look = match random.below(6) {
            0 => random.pick(&names.numbers).clone(),
            1 if !names.pointers.is_empty() => format!("*{}", random.pick(&names.pointers)),
            2 if names.pointers.len() > 1 => format!("{} == &$x", random.pick(&names.pointers)),
            3 => format!("{} == {}", names.arrays[0].0, names.arrays[names.arrays.len() - 1].0),
            _ => {
                let (name, length) = random.pick(&names.arrays).clone();
                let index = piece.number(random, 0, length - 1);
                format!("{name}[{index}]")
            }
        };
        piece.line(format!("«{look}»;"));
    }
    // Blocks are given back, so that a leak is none.
    for line in piece.body.clone() {
        for number in 0..2 {
            let name = format!("$a{number}");
            if line.starts_with(&format!("int *{name} =")) && !line.contains("alloca") {
                piece.line(format!("free({name});"));
            }
        }
    }
    piece
}

/// Makes an array of a length and writes all of it.
fn make(piece: &mut Piece, random: &mut Random, name: &str, size: &str, length: i64) {
    let first = random.within(-2, 7);
    match random.below(7) {
        0 => piece.line(format!("int *{name} = malloc({size} * sizeof(int));")),
        1 => piece.line(format!("int *{name} = calloc({size}, sizeof *{name});")),
        2 => {
            piece.outside(
                0,
                format!("static int *{name}_make(int n) {{ int *b = malloc(n * sizeof *b); return b; }}"),
            );
            piece.line(format!("int *{name} = {name}_make({size});"));
        }
        3 => piece.line(format!("int *{name} = alloca({size} * sizeof(int));")),
        4 => piece.line(format!("int {name}[{size}];")),
        5 => {
            piece.outside(0, format!("static int {name}[{}];", length + 2));
        }
        _ => {
            // Made again in rounds; the last one is kept.
            piece.line(format!("int *{name} = 0;"));
            piece.line(format!("for (int k = 0; k < {}; k++) {{", random.within(1, 3)));
            piece.line(format!("free({name});"));
            piece.line(format!("{name} = malloc({size} * sizeof(int));"));
            piece.line(format!("{name}[0] = k;"));
            piece.line("}");
        }
    }
    let value = random.text(&["k", "k + 1", "2 * k", "$x", "$x + k"]);
    piece.line(format!("for (int k = 0; k < {size}; k++)"));
    piece.line(format!("{name}[k] = {first} + {value};"));
}

/// A loop that reads and writes what there is.
fn a_loop(piece: &mut Piece, random: &mut Random, names: &Names, size: &str, number: i64, is_careless: bool) {
    let counter = format!("$k{number}");
    let beyond = if is_careless && random.chance(40) { " + 1" } else { "" };
    let has_sums = random.chance(40);
    if has_sums {
        piece.line(format!("unsigned $s{number} = 0, $t{number} = 0;"));
    }
    if random.chance(30) {
        piece.line(format!("const int $c{number} = {};", random.within(2, 5)));
    } else {
        piece.line(format!("int $c{number} = {};", random.within(-2, 5)));
    }
    let constant = format!("$c{number}");
    piece.line(format!("int {counter} = 0;"));
    let closing = match random.below(5) {
        0 => {
            piece.line(format!("while ({counter} < {size}{beyond}) {{"));
            format!("{counter}++; }}")
        }
        1 => {
            piece.line(format!("{counter} = {size}{beyond};"));
            piece.line(format!("while ({counter}-- > 0) {{"));
            "}".to_string()
        }
        2 => {
            piece.line(format!("$again{number}:"));
            piece.line(format!("if ({counter} < {size}{beyond}) {{"));
            format!("{counter}++; goto $again{number}; }}")
        }
        3 => {
            piece.line(format!("for ({counter} = 0; {counter} < {size}{beyond}; {counter} += 2) {{"));
            "}".to_string()
        }
        _ => {
            piece.line(format!("for (; {counter} != {size}{beyond}; ++{counter}) {{"));
            "}".to_string()
        }
    };
    if has_sums {
        let parts = parts(random, names, &counter, &constant);
        let mut other = parts.clone();
        for place in 0..other.len() {
            other.swap(place, random.below(parts.len()));
        }
        if random.chance(20) {
            other.pop();
        }
        let joined = |parts: &[String], operator: &str| match parts {
            [] => "0".to_string(),
            parts => parts.join(operator),
        };
        let operator = random.text(&[" + ", " ^ "]);
        let assigned = if operator == " + " { "+=" } else { "^=" };
        piece.line(format!("$s{number} {assigned} {};", joined(&parts, operator)));
        piece.line(format!("$t{number} {assigned} {};", joined(&other, operator)));
    }
    for place in 0..random.within(1, 4) {
        statement(piece, random, names, &counter, &constant, &format!("{number}_{place}"));
    }
    piece.line(closing);
    if has_sums {
        piece.line(format!("«$s{number} {} $t{number}»;", random.text(&["-", "==", "^"])));
    }
    if random.chance(50) {
        piece.line(format!("«{constant}»;"));
    }
}

/// Values that are added up.
fn parts(random: &mut Random, names: &Names, counter: &str, constant: &str) -> Vec<String> {
    (0..random.within(2, 5))
        .map(|_| match random.below(5) {
            0 => counter.to_string(),
            1 => constant.to_string(),
            2 => format!("(unsigned){}", random.pick(&names.numbers)),
            _ => format!("{}[{counter} % {}]", random.pick(&names.arrays).0, 2),
        })
        .map(|part| if part.starts_with('(') { part } else { format!("(unsigned)({part})") })
        .collect()
}

/// A statement of a loop.
fn statement(
    piece: &mut Piece,
    random: &mut Random,
    names: &Names,
    counter: &str,
    constant: &str,
    label: &str,
) {
    let (array, length) = random.pick(&names.arrays).clone();
    let variable = random.pick(&names.numbers).clone();
    let index = match random.below(4) {
        0 => format!("{counter} % {length}"),
        1 => random.within(0, length - 1).to_string(),
        2 => format!("({counter} + 1) % {length}"),
        _ if length == names.arrays[0].1 => counter.to_string(),
        _ => format!("{counter} % {length}"),
    };
    let value = match random.below(6) {
        0 => random.within(-4, 60).to_string(),
        1 => format!("{counter} + {constant}"),
        2 => variable.clone(),
        3 => format!("{constant} * {}", random.text(&["3", "$x", "2"])),
        4 => format!("{}[0]", random.pick(&names.arrays).0),
        _ => counter.to_string(),
    };
    let when = format!("{counter} == {}", random.within(0, length));
    match random.below(14) {
        0..=2 => piece.line(format!("{array}[{index}] = {value};")),
        3 => piece.line(format!("{variable} = {value};")),
        4 => piece.line(format!("if ({when}) {variable} = {value};")),
        5 if !names.pointers.is_empty() => {
            piece.line(format!("*{} = {};", random.pick(&names.pointers), random.within(-2, 9)));
        }
        6 if !names.pointers.is_empty() => {
            let target = random.text(&["&$x", "&$y"]);
            piece.line(format!("if ({when}) {} = {target};", random.pick(&names.pointers)));
        }
        7 if !piece.body.iter().any(|line| line == &format!("$again{}:", &label[..1])) => {
            piece.line(format!("if ({when}) break;"));
        }
        8 if !piece.body.iter().any(|line| line.contains(&format!("const int {constant}"))) => {
            piece.line(format!("if ({when}) {constant} = {value};"));
        }
        9 => {
            let change = random.text(&["*p += 1", "*p = n", "if (n == 2) *p = 7", "n = *p"]);
            piece.outside(0, format!("static void $call{label}(int *p, int n) {{ {change}; }}"));
            let target = match random.below(3) {
                0 => format!("&{constant}"),
                1 => format!("&{array}[{index}]"),
                _ => format!("&{variable}"),
            };
            let target = if piece.body.iter().any(|line| line.contains(&format!("const int {constant}"))) {
                format!("&{variable}")
            } else {
                target
            };
            piece.line(format!("$call{label}({target}, {counter});"));
        }
        10 => {
            // A block of each round.
            piece.line(format!("int *$b{label} = malloc(sizeof(int));"));
            piece.line(format!("*$b{label} = {value};"));
            piece.line(format!("{variable} = *$b{label} + ({array} == $b{label});"));
            piece.line(format!("free($b{label});"));
        }
        11 => {
            // Blocks of rounds that live side by side.
            piece.line(format!("int *$l{label} = alloca(sizeof(int));"));
            piece.line(format!("*$l{label} = {counter};"));
            piece.body.insert(0, format!("int *$f{label} = 0;"));
            piece.line(format!("if (!$f{label}) $f{label} = $l{label};"));
            piece.line(format!("*$l{label} += 10;"));
            piece.line(format!("{variable} = *$f{label} + ($f{label} == $l{label});"));
        }
        12 => {
            piece.line(format!("{{ int v[{counter} + 1];"));
            piece.line(format!("v[{counter}] = {value};"));
            piece.line("v[0] = 3;");
            piece.line(format!("{variable} = v[{counter}]; }}"));
        }
        _ => piece.line(format!("if ({array}[{index}] > {}) {variable}++;", random.within(-1, 8))),
    }
}
