//! `printf`, `sprintf`, `snprintf`, `sscanf`.

use super::strings::literal;
use crate::piece::Piece;
use crate::random::Random;

/// A directive, an argument that fits it, and how much it writes at most.
fn directive(piece: &mut Piece, random: &mut Random) -> (String, String) {
    let number = piece.number(random, -12, 40);
    match random.below(16) {
        0 | 1 => ("%d".into(), number),
        2 => ("%u".into(), format!("(unsigned)({number})")),
        3 => ("%x".into(), format!("(unsigned)({number}) & 0xfff")),
        4 => ("%c".into(), format!("'a' + ({number} & 7)")),
        5 => ("%ld".into(), format!("(long)({number})")),
        6 => ("%%".into(), String::new()),
        7 => ("%5d".into(), number),
        8 => ("%-4d|".into(), number),
        9 => ("%03d".into(), number),
        10 => ("%*d".into(), format!("{}, {number}", random.within(0, 4))),
        11 => ("%.*s".into(), format!("{}, {}", random.within(0, 3), literal(random, 5))),
        12 => ("%+d".into(), number),
        13 => ("%lu".into(), format!("(unsigned long)({number} & 15)")),
        14 => ("%hhd".into(), number),
        _ => ("%s".into(), literal(random, 3)),
    }
}

fn format(piece: &mut Piece, random: &mut Random, most: usize) -> (String, String) {
    let (mut text, mut arguments) = (String::new(), String::new());
    for _ in 0..=random.below(most) {
        let (directive, argument) = directive(piece, random);
        text.push_str(random.text(&["", "v=", " ", "x"]));
        text.push_str(&directive);
        if !argument.is_empty() {
            arguments.push_str(", ");
            arguments.push_str(&argument);
        }
    }
    (text, arguments)
}

/// Output with formats that fit their arguments, or not.
pub fn printing(random: &mut Random) -> Piece {
    let mut piece = Piece::new("printing", random);
    piece.include("string.h");
    for _ in 0..random.within(1, 2) {
        match random.below(12) {
            0..=3 => {
                let (text, arguments) = format(&mut piece, random, 3);
                piece.line(format!("printf(\"{text}\\n\"{arguments});"));
            }
            4 => {
                let number = piece.body.len();
                piece.line(format!("int $n{number} = -1;"));
                piece.line(format!("printf(\"{}%n\\n\", &$n{number});", random.text(&["abc", "", "a%%b"])));
                piece.line(format!("«$n{number}»;"));
            }
            5 => piece.line(format!("puts({});", literal(random, 4))),
            6 => piece.line(format!("putchar('a' + {});", piece.inputs.len())),
            7 => {
                let flag = piece.input(random, 1);
                piece.line(format!(
                    "const char *$s{0} = {flag} ? \"on\" : {1};",
                    piece.body.len(),
                    random.text(&["\"off\"", "0"])
                ));
                let name = format!("$s{}", piece.body.len() - 1);
                if random.chance(50) {
                    // glibc writes "(null)"; to the standard it is undefined.
                    piece.line(format!("‹!{name}|pointer›;"));
                    piece.line(format!("printf(\"%s\\n\", {name});"));
                } else {
                    piece.line(format!("if ({name}) fputs({name}, stdout);"));
                }
            }
            8 if random.chance(40) => {
                piece.line("‹1|format›;");
                let (text, arguments) = *random.pick(&[
                    ("%d %d", "1"),
                    ("%s", "5"),
                    ("%ld", "1"),
                    ("%d", "\"x\""),
                    ("%d", "2.5"),
                    ("%*d", "3"),
                    ("%s%s", "\"a\""),
                ]);
                piece.line(format!("printf(\"{text}\\n\", {arguments});"));
            }
            9 => {
                let (text, arguments) = format(&mut piece, random, 2);
                piece.line(format!("fprintf(stdout, \"{text}\"{arguments});"));
            }
            10 => {
                piece.line(format!("char $t{}[4] = \"abc\";", piece.body.len()));
                let name = format!("$t{}", piece.body.len() - 1);
                let index = piece.number(random, 0, 3);
                piece.line(format!("{name}[{index}] = 'x';"));
                let directive = random.text(&["%s", "%.3s", "%.4s", "%.2s"]);
                piece.line(format!("printf(\"{directive}\\n\", {name});"));
            }
            _ => piece.line(format!("printf({});", literal(random, 4))),
        }
    }
    let name = random.within(0, 9);
    piece.line(format!("«{name} + 1»;"));
    piece
}

/// Texts written to buffers.
pub fn texts(random: &mut Random) -> Piece {
    let mut piece = Piece::new("texts", random);
    piece.include("string.h");
    let size = random.within(6, 24);
    piece.line(format!("char $t[{size}] = \"\";"));
    piece.line("int $r = 0;");
    let (text, arguments) = format(&mut piece, random, 2);
    match random.below(5) {
        0 | 1 => piece.line(format!("$r = sprintf($t, \"{text}\"{arguments});")),
        2 => {
            let slip = i64::from(random.chance(20));
            let room = piece.number(random, 0, size + slip * 2);
            piece.line(format!("$r = snprintf($t, {room}, \"{text}\"{arguments});"));
        }
        3 => {
            piece.line("strcpy($t, \"ab\");");
            piece.line(format!("$r = sprintf($t + 2, \"{text}\"{arguments});"));
        }
        _ => {
            piece.line(format!("$r = snprintf($t, sizeof $t, \"{text}\"{arguments});"));
            if random.chance(40) {
                piece.line("$t[$r] = 0;");
            }
        }
    }
    piece.line("«$r»;");
    for _ in 0..random.within(1, 2) {
        match random.below(3) {
            0 => piece.line("«strlen($t)»;"),
            1 => piece.line(format!("«$t[{}]»;", random.within(0, size - 1))),
            _ => piece.line(format!("«strcmp($t, {}) == 0»;", literal(random, 3))),
        }
    }
    piece
}

/// Values read from texts by a format.
pub fn scanning(random: &mut Random) -> Piece {
    let mut piece = Piece::new("scanning", random);
    piece.include("string.h");
    let text = random.text(&["12 7", "x", "", "-5,ab", "3abc", "  9 z", "0x1f 2", "ab cd"]);
    piece.line(format!("char $t[16] = \"{text}\";"));
    // glibc takes `0x` without digits for a number (its bug 12701); the standard and Concord do not.
    if random.chance(50) && !text.starts_with("0x") {
        let index = piece.number(random, 0, 3);
        piece.line(format!("$t[{index}] = {};", random.text(&["'1'", "' '", "0", "'a'", "'-'"])));
    }
    piece.line("int $x = -100;");
    piece.line("int $y = -200;");
    piece.line("char $w[4] = \"\";");
    let is_checked = random.chance(60);
    match random.below(6) {
        0 => piece.line("int $n = sscanf($t, \"%d %d\", &$x, &$y);"),
        1 => piece.line("int $n = sscanf($t, \"%d,%d\", &$x, &$y);"),
        2 if !is_checked => piece.line("int $n = sscanf($t, \"%s\", $w);"),
        2 => piece.line("int $n = sscanf($t, \"%3s\", $w);"),
        3 => piece.line("int $n = sscanf($t, \"%d%3s\", &$x, $w);"),
        4 => piece.line("int $n = sscanf($t, \"%i%n\", &$x, &$y);"),
        _ => piece.line("int $n = sscanf($t, \"%2[ab]%c\", $w, &$w[3]);"),
    }
    piece.line("«$n»;");
    piece.line("«$x»;");
    piece.line("«$y»;");
    piece.line("«$w[0]»;");
    piece
}
