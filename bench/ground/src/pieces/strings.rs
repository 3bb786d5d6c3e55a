//! `string.h`, `ctype.h` and numbers in texts.

use crate::piece::Piece;
use crate::random::Random;

/// A short literal of a few letters.
pub fn literal(random: &mut Random, most: usize) -> String {
    let length = random.below(most + 1);
    let text: String = (0..length).map(|_| *random.pick(&['a', 'b', 'c'])).collect();
    format!("\"{text}\"")
}

struct Buffer {
    name: &'static str,
    size: i64,
    is_block: bool,
}

/// Declares an array of characters that holds a string.
fn buffer(piece: &mut Piece, random: &mut Random, name: &'static str, size: i64) -> Buffer {
    let text = literal(random, (size as usize - 1).min(5));
    let mut is_block = false;
    match random.below(5) {
        0 => piece.line(format!("char {name}[{size}] = {text};")),
        1 => {
            piece.outside(0, format!("char {name}[{size}] = {text};"));
        }
        2 => piece.line(format!("static char {name}[{size}] = {text};")),
        3 => {
            is_block = true;
            piece.line(format!("char *{name} = calloc({size}, 1);"));
            piece.line(format!("strcpy({name}, {text});"));
        }
        _ => {
            piece.line(format!("char {name}[{size}];"));
            piece.line(format!("memset({name}, 0, sizeof {name});"));
            piece.line(format!("strcpy({name}, {text});"));
        }
    }
    Buffer { name, size, is_block }
}

/// A few operations on two or three strings, looked at in between.
pub fn operations(random: &mut Random) -> Piece {
    let mut piece = Piece::new("strings", random);
    piece.include("string.h");
    piece.include("stdlib.h");
    let mut buffers = Vec::new();
    for name in ["$a", "$b", "$c"].iter().take(2 + random.below(2)) {
        let size = random.within(5, 12);
        buffers.push(buffer(&mut piece, random, name, size));
    }
    let is_careless = random.chance(30);
    for _ in 0..random.within(2, 6) {
        operation(&mut piece, random, &buffers, is_careless);
    }
    for buffer in &buffers {
        if buffer.is_block && !random.chance(6) {
            piece.line(format!("free({});", buffer.name));
        }
    }
    piece
}

fn operation(piece: &mut Piece, random: &mut Random, buffers: &[Buffer], is_careless: bool) {
    let target = random.pick(buffers);
    let source = random.pick(buffers);
    let beyond = if is_careless && random.chance(50) { random.within(0, 3) } else { 0 };
    let room = target.size.min(source.size);
    let (to, from) = (target.name, source.name);
    // Strings are mostly short, so a few characters more mostly fit.
    let short = literal(random, 2);
    let long = literal(random, if is_careless { 9 } else { 4 });
    let letter = random.text(&["'a'", "'b'", "'c'", "'\\0'", "'z'"]);
    match random.below(24) {
        0 => piece.line(format!("strcpy({to}, {long});")),
        1 if to != from => piece.line(format!("strcpy({to}, {from});")),
        2 => {
            let offset = piece.number(random, 0, 2 + beyond);
            piece.line(format!("strcpy({to} + {offset}, {short});"));
        }
        3 => {
            let count = piece.number(random, 0, target.size - 1 + beyond);
            piece.line(format!("strncpy({to}, {long}, {count});"));
            if !is_careless {
                piece.line(format!("{to}[{}] = 0;", target.size - 1));
            }
        }
        4 => piece.line(format!("if (strlen({to}) + 3 <= {}) strcat({to}, {short});", target.size + beyond)),
        5 if to != from => {
            let count = piece.number(random, 0, 3);
            let limit = target.size + beyond;
            piece.line(format!("if (strlen({to}) + {count} < {limit}) strncat({to}, {from}, {count});"));
        }
        6 => {
            let count = piece.number(random, 0, target.size - 1 + beyond);
            piece.line(format!("memset({to}, {letter}, {count});"));
            if !is_careless {
                piece.line(format!("{to}[{}] = 0;", target.size - 1));
            }
        }
        7 if to != from => {
            let count = piece.number(random, 0, room - 1 + beyond);
            piece.line(format!("memcpy({to}, {from}, {count});"));
            if !is_careless {
                piece.line(format!("{to}[{}] = 0;", target.size - 1));
            }
        }
        8 => {
            let (first, second) = (random.within(0, 2), random.within(0, 2));
            // gcc leaves out a copy of something onto itself, and makes moves of a `memcpy` of a constant size: ASan sees neither.
            let beyond = if first == second { 0 } else { beyond };
            let count = piece.number(random, 0, target.size - first.max(second) - 1 + beyond);
            let is_constant = count.parse::<i64>().is_ok();
            let how = if is_careless && random.chance(30) && !is_constant { "memcpy" } else { "memmove" };
            piece.line(format!("{how}({to} + {first}, {to} + {second}, {count});"));
        }
        9 => {
            let index = piece.number(random, 0, target.size - 2 + beyond);
            piece.line(format!("{to}[{index}] = {letter};"));
        }
        10 | 11 => piece.line(format!("«strlen({to})»;")),
        12 => {
            let other = if random.chance(50) { from.to_string() } else { long };
            piece.line(format!("«(strcmp({to}, {other}) > 0) - (strcmp({to}, {other}) < 0)»;"));
        }
        13 => {
            let count = random.within(0, 4);
            piece.line(format!("«strncmp({to}, {long}, {count}) == 0»;"));
        }
        14 => piece.line(format!("«strchr({to}, {letter}) ? (int)(strchr({to}, {letter}) - {to}) : -1»;")),
        15 => piece.line(format!("«strrchr({to}, {letter}) ? (int)(strrchr({to}, {letter}) - {to}) : -1»;")),
        16 => piece.line(format!("«strstr({to}, {short}) ? (int)(strstr({to}, {short}) - {to}) : -1»;")),
        17 => piece.line(format!("«strspn({to}, \"ab\") * 16 + strcspn({to}, \"c\")»;")),
        18 => {
            let most = piece.number(random, 0, target.size + beyond);
            piece.line(format!("«strnlen({to}, {most})»;"));
        }
        // gcc knows what `memcmp` of equal pointers is, and looks at nothing.
        19 if to != from => {
            let count = piece.number(random, 0, room + beyond);
            piece.line(format!("«memcmp({to}, {from}, {count}) == 0»;"));
        }
        20 => {
            let count = piece.number(random, 0, target.size + beyond);
            piece.line(format!("«memchr({to}, {letter}, {count}) != 0»;"));
        }
        21 => {
            let index = piece.number(random, 0, target.size - 1 + beyond);
            piece.line(format!("«{to}[{index}]»;"));
        }
        22 => {
            let number = piece.body.len();
            piece.line(format!("char *$d{number} = strdup({from});"));
            piece.line(format!("$d{number}[strlen(\"\")] = {letter};"));
            piece.line(format!("«strlen($d{number})»;"));
            if !random.chance(10) {
                piece.line(format!("free($d{number});"));
            }
        }
        _ => piece.line(format!("«strpbrk({to}, \"bc\") ? strpbrk({to}, \"bc\")[0] : 0»;")),
    }
}

/// `strtok` and `strspn` over a small sentence.
pub fn tokens(random: &mut Random) -> Piece {
    let mut piece = Piece::new("tokens", random);
    piece.include("string.h");
    let text = random.text(&["ab,c", ",a,,b", "a b,c", ",,", "", "abc"]);
    if random.chance(12) {
        piece.line(format!("char *$t = \"{text}\";"));
    } else {
        piece.line(format!("char $t[] = \"{text}\";"));
    }
    let separators = random.text(&["\",\"", "\", \"", "\"\""]);
    piece.line("int $n = 0;");
    piece.line(format!("char *$w = strtok($t, {separators});"));
    if random.chance(75) {
        let most = random.within(1, 4);
        piece.line(format!("while ($w && $n < {most}) {{"));
        piece.line("«$w[0]»;");
        piece.line("$n++;");
        piece.line(format!("$w = strtok(NULL, {separators});"));
        piece.line("}");
    } else {
        piece.line(format!("$w = strtok(NULL, {separators});"));
        piece.line("«$w[0]»;");
    }
    piece.line("«$n»;");
    piece
}

/// `atoi`, `strtol`, `strtoul` with bases and ends.
pub fn numbers(random: &mut Random) -> Piece {
    let mut piece = Piece::new("numbers-in-text", random);
    piece.include("stdlib.h");
    piece.include("string.h");
    piece.include("errno.h");
    let text = random.text(&[
        "12",
        "-7x",
        "  +3",
        "0x1f",
        "010",
        "z",
        "",
        "99999999999999999999",
        "-0",
        "7 8",
        "0b1",
        "1e3",
    ]);
    piece.line(format!("char $t[24] = \"{text}\";"));
    if random.chance(50) {
        let most = 3.min(text.len() as i64);
        let index = piece.number(random, 0, most);
        let letter = random.text(&["'1'", "'9'", "'-'", "' '", "'f'", "0"]);
        piece.line(format!("$t[{index}] = {letter};"));
    }
    piece.line("char *$e;");
    let base = random.text(&["10", "0", "16", "8", "36", "2"]);
    match random.below(5) {
        // What does not fit has no defined value.
        0 if !text.starts_with("999") => piece.line("«atoi($t)»;"),
        1 => {
            piece.line("errno = 0;");
            piece.line(format!("long $v = strtol($t, &$e, {base});"));
            piece.line("«$v»;");
            piece.line("«$e - $t»;");
            piece.line("«errno == ERANGE»;");
        }
        2 => {
            piece.line("errno = 0;");
            piece.line(format!("unsigned long $v = strtoul($t, &$e, {base});"));
            piece.line("«$v»;");
            piece.line("«*$e»;");
            piece.line("«errno»;");
        }
        3 => piece.line(format!("«strtol($t, NULL, {base})»;")),
        _ => {
            piece.line(format!("int $v = (int)strtol($t, &$e, {base});"));
            piece.line("int $a[4] = { 1, 2, 3, 4 };");
            piece.line("«$e == $t»;");
            if random.chance(50) {
                piece.line("if ($v >= 0 && $v < 4)");
            }
            piece.line("«$a[$v]»;");
        }
    }
    piece
}

/// `ctype.h` within its domain and outside.
pub fn classes(random: &mut Random) -> Piece {
    let mut piece = Piece::new("ctype", random);
    piece.include("ctype.h");
    let (low, width) =
        *random.pick(&[(-1, 3), (44, 6), (62, 6), (94, 6), (125, 5), (0, 7), (8, 7), (28, 6), (250, 5)]);
    let name = piece.int_input(random, low, low + width);
    for _ in 0..random.within(1, 3) {
        let function = random.text(&[
            "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "ispunct", "isprint",
            "isgraph", "iscntrl", "isxdigit", "isblank", "tolower", "toupper",
        ]);
        let argument = match random.below(8) {
            0 => format!("{name} * 300"),
            1 => format!("{name} + 3"),
            2 => format!("(unsigned char){name}"),
            _ => name.clone(),
        };
        piece.line(format!("‹({argument}) < -1 || ({argument}) > 255|library›;"));
        if function.starts_with("to") {
            piece.line(format!("«{function}({argument})»;"));
        } else {
            piece.line(format!("«{function}({argument}) != 0»;"));
        }
    }
    piece
}

/// The less common functions of `string.h`.
pub fn rarer(random: &mut Random) -> Piece {
    let mut piece = Piece::new("rarer-strings", random);
    piece.include("string.h");
    piece.include("strings.h");
    piece.include("stdlib.h");
    let size = random.within(5, 9);
    let text = literal(random, 4);
    piece.line(format!("char $a[{size}] = {text};"));
    let slip = i64::from(random.chance(20));
    for number in 0..random.within(1, 3) {
        let word = literal(random, 3);
        match random.below(12) {
            0 => {
                piece.line(format!("char *$e{number} = stpcpy($a, {word});"));
                piece.line(format!("«$e{number} - $a»;"));
            }
            1 => {
                let count = piece.number(random, 0, size - 1 + 2 * slip);
                piece.line(format!("char *$m{number} = mempcpy($a, \"xyzxyzxyzxyz\", {count});"));
                piece.line(format!("$a[{}] = 0;", size - 1));
                piece.line(format!("«$m{number} - $a»;"));
            }
            2 => piece.line(format!("«strcasecmp($a, {word}) == 0»;")),
            3 => piece.line(format!("«strncasecmp($a, \"AB\", {}) == 0»;", random.within(0, 3))),
            4 => {
                let most = piece.number(random, 0, 4);
                piece.line(format!("char *$n{number} = strndup($a, {most});"));
                piece.line(format!("«strlen($n{number})»;"));
                if slip == 0 {
                    piece.line(format!("free($n{number});"));
                }
            }
            5 => {
                piece.line(format!("char *$r{number} = memrchr($a, 'a', {});", size + slip));
                piece.line(format!("«$r{number} ? $r{number} - $a : -1»;"));
            }
            6 => piece.line("«strchrnul($a, 'b') - $a»;"),
            7 => {
                piece.line(format!("char *$s{number} = $a;"));
                piece.line(format!(
                    "char *$w{number} = strsep(&$s{number}, {});",
                    random.text(&["\"b\"", "\"c\"", "\"xyz\"", "\"\""])
                ));
                piece.line(format!("«strlen($w{number})»;"));
                piece.line(format!("«$s{number} != 0»;"));
            }
            8 => {
                let count = piece.number(random, 0, size + slip);
                piece.line(format!("char $c{number}[{size}] = \"\";"));
                piece.line(format!("«memccpy($c{number}, $a, 'b', {count}) != 0»;"));
            }
            9 => {
                piece.line(format!("char *$k{number};"));
                piece.line(format!("char *$x{number} = strtok_r($a, \"b\", &$k{number});"));
                piece.line(format!("«$x{number} ? (int)strlen($x{number}) : -1»;"));
                piece.line(format!("«strtok_r(NULL, \"b\", &$k{number}) != 0»;"));
            }
            10 => piece.line(format!("«memmem($a, {size}, {word}, 2) != 0»;").replace(&word, "\"bc\"")),
            _ => {
                let count = piece.number(random, 0, size + slip);
                piece.line(format!("bzero($a, {count});"));
                piece.line("«$a[0]»;");
            }
        }
    }
    piece.line("«strlen($a)»;");
    piece
}
