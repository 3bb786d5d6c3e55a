//! `qsort`, `bsearch`, `div`, `abs`, `rand`, `getenv`.

use crate::piece::Piece;
use crate::random::Random;

/// `qsort` and `bsearch` on a few elements.
pub fn sorting(random: &mut Random) -> Piece {
    let mut piece = Piece::new("sorting", random);
    piece.include("stdlib.h");
    piece.outside(
        0,
        "static int $compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }",
    );
    let size = random.within(2, 4);
    let values: Vec<String> = (0..size).map(|_| random.within(-3, 5).to_string()).collect();
    piece.line(format!("int $a[{size}] = {{ {} }};", values.join(", ")));
    let input = piece.number(random, -2, 5);
    piece.line(format!("$a[{}] = {input};", random.within(0, size - 1)));
    let count = size + i64::from(random.chance(12));
    piece.line(format!("qsort($a, {count}, sizeof $a[0], $compare);"));
    piece.line(format!("«$a[0] * 100 + $a[{}]»;", size - 1));
    if random.chance(60) {
        let key = piece.number(random, -2, 4);
        piece.line(format!("int $key = {key};"));
        piece.line(format!("int *$found = bsearch(&$key, $a, {size}, sizeof $a[0], $compare);"));
        if random.chance(75) {
            piece.line("if ($found)");
        }
        piece.line("«*$found»;");
        piece.line("«$found != 0»;");
    }
    piece
}

/// `abs`, `labs`, `div`, `ldiv` at the ends of their range.
pub fn quotients(random: &mut Random) -> Piece {
    let mut piece = Piece::new("quotients", random);
    piece.include("stdlib.h");
    piece.include("limits.h");
    let input = piece.int_input(random, -2, 3);
    match random.below(5) {
        0 => {
            let value = random.text(&["INT_MIN", "INT_MIN + 1", "-7", "INT_MAX"]);
            piece.line(format!("int $x = {input} == 3 ? {value} : {input};"));
            piece.line("‹$x == INT_MIN|signed-overflow›;");
            piece.line("«abs($x)»;");
        }
        1 => {
            piece.line(format!(
                "long $x = {input} == 1 ? {} : {input};",
                random.text(&["LONG_MIN", "-9L", "LONG_MAX"])
            ));
            piece.line("‹$x == LONG_MIN|signed-overflow›;");
            piece.line("«labs($x)»;");
        }
        2 => {
            let offset = random.within(0, 4);
            piece.line(format!("‹{input} + {offset} == 0|division›;"));
            piece.line(format!("div_t $q = div({}, {input} + {offset});", random.within(-20, 20)));
            piece.line("«$q.quot * 100 + $q.rem»;");
        }
        3 => {
            piece.line(format!("‹{input} == 0 || {input} == -1|division›;"));
            piece.line(format!("ldiv_t $q = ldiv(LONG_MIN, {input});"));
            piece.line("«$q.rem»;");
        }
        _ => {
            piece.line(format!("int $x = {} / {input};", random.text(&["INT_MIN", "100", "-9"])));
            piece.line("«$x»;");
            piece.line(format!("«{} % ({input} + 3)»;", random.within(-9, 9)));
        }
    }
    piece
}

/// What the library answers from outside.
pub fn surroundings(random: &mut Random) -> Piece {
    let mut piece = Piece::new("surroundings", random);
    piece.is_open = true;
    piece.include("stdlib.h");
    piece.include("string.h");
    match random.below(4) {
        0 => {
            if random.chance(50) {
                piece.line("srand(1);");
            }
            piece.line(format!("int $x = rand() % {};", random.within(1, 6)));
            piece.line(format!("int $a[{}] = {{ 1, 2 }};", random.within(2, 6)));
            piece.line("«$a[$x]»;");
            piece.line("«rand() >= 0»;");
        }
        1 => {
            piece.line("char *$e = getenv(\"MODE\");");
            if random.chance(65) {
                piece.line("if ($e)");
            }
            piece.line("«$e[0] >= -128»;");
        }
        2 => {
            piece.line("const char *$e = getenv(\"LEVEL\");");
            piece.line("char $t[16] = \"none\";");
            match random.below(3) {
                0 => piece.line("if ($e) strcpy($t, $e);"),
                1 => piece.line("if ($e) { strncpy($t, $e, 15); $t[15] = 0; }"),
                _ => piece.line("if ($e && strlen($e) < 16) strcpy($t, $e);"),
            }
            piece.line("«strlen($t) < 16»;");
        }
        _ => {
            piece.line("int $x = rand();");
            piece.line(format!("int $y = $x {};", random.text(&["+ 1", "- 1", "/ 2", "* 2", "% 7 + 3"])));
            piece.line("«$y > -2»;");
        }
    }
    piece
}
