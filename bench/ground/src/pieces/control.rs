//! Switches, jumps, loops, recursion, ends of runs.

use super::arithmetic::expression;
use crate::piece::Piece;
use crate::random::Random;

/// `switch` with falling through, ranges, and defaults that cannot happen.
pub fn switches(random: &mut Random) -> Piece {
    let mut piece = Piece::new("switches", random);
    let high = random.within(2, 6);
    let input = piece.input(random, high);
    piece.line("int $r = 0;");
    piece.line(format!("switch ({input}{}) {{", random.text(&["", " - 1", " & 6", " * 2"])));
    let mut cases: Vec<i64> = (-1..=8).collect();
    for _ in 0..random.within(1, 4) {
        let chosen = cases.remove(random.below(cases.len()));
        if random.chance(15) && cases.contains(&(chosen + 1)) {
            cases.retain(|&other| other != chosen + 1);
            piece.line(format!("case {chosen} ... {}:", chosen + 1));
        } else {
            piece.line(format!("case {chosen}:"));
        }
        piece.line(format!("$r {} {};", random.text(&["=", "+=", "-=", "^="]), random.within(0, 9)));
        match random.below(5) {
            0 => {}
            1 => piece.line(format!("if ({input} == {}) goto $out;", random.within(0, high))),
            _ => piece.line("break;"),
        }
    }
    match random.below(5) {
        0 => piece.line("default: __builtin_unreachable();"),
        1 => piece.line("default: reach_error();"),
        2 => piece.line("default: $r = 50;"),
        _ => {}
    }
    piece.line("}");
    piece.line("«$r»;");
    piece.line("$out: ;");
    piece.line("«$r + 1»;");
    piece
}

/// Loops with small bounds.
pub fn loops(random: &mut Random) -> Piece {
    let mut piece = Piece::new("loops", random);
    let bound = piece.number(random, 1, 6);
    let start = random.within(0, 2);
    let mut names = vec!["$k".to_string(), "$t".to_string()];
    names.extend(piece.inputs.iter().map(|input| input.name.clone()));
    let ty = random.text(&["int", "int", "unsigned char", "long", "unsigned", "signed char"]);
    piece.line(format!("{ty} $t = {};", random.within(0, 3)));
    piece.line(format!("int $k = {start};"));
    let update = expression(random, &names, 2);
    let (condition, step) = match random.below(4) {
        0 => (format!("$k <= {bound}"), "$k++;"),
        1 => (format!("$k < 2 * {bound}"), "$k += 2;"),
        2 => (format!("$k != {bound} + {start}"), "$k++;"),
        _ => (format!("$k < {bound}"), "++$k;"),
    };
    let has_array = random.chance(40);
    if has_array {
        piece.line(format!("int $a[{}] = {{ 0 }};", random.within(4, 12)));
    }
    let is_do = random.chance(25);
    piece.line(if is_do { "do {".to_string() } else { format!("while ({condition}) {{") });
    // Through a wide variable: see `arithmetic::expression`.
    piece.line(format!("long long $w = {update};"));
    piece.line("$t = $w;");
    if has_array {
        piece.line("$a[$k] = $k;");
    }
    match random.below(4) {
        0 => piece.line(format!("if ($t == {}) break;", random.within(-2, 9))),
        1 => {
            piece.line(format!("if ($k == {}) {{", random.within(0, 4)));
            piece.line(step);
            piece.line("continue;");
            piece.line("}");
        }
        2 => piece.line("«$t»;"),
        _ => {}
    }
    piece.line(step);
    // Whatever the condition, no run goes round for ever.
    piece.line("if ($k > 20) break;");
    piece.line(if is_do { format!("}} while ({condition});") } else { "}".into() });
    piece.line("«$t»;");
    piece.line("«$k»;");
    piece
}

/// Functions that call themselves or each other.
pub fn recursion(random: &mut Random) -> Piece {
    let mut piece = Piece::new("recursion", random);
    let depth = piece.number(random, 0, 5);
    match random.below(3) {
        0 => {
            let operation = random.text(&[
                "n + $sum(n - 1)",
                "n * $sum(n - 1)",
                "$sum(n - 1) - n",
                "$sum(n - 1) + $sum(n - 2)",
            ]);
            piece.shared("int $sum(int n);");
            piece.outside(
                0,
                format!(
                    "int $sum(int n) {{ if (n <= {}) return {}; return {operation}; }}",
                    random.within(0, 1),
                    random.within(0, 2)
                ),
            );
            piece.line(format!("«$sum({depth})»;"));
        }
        1 => {
            piece.shared("int $even(unsigned n);\nint $odd(unsigned n);");
            piece.outside(0, "int $even(unsigned n) { return n == 0 ? 1 : $odd(n - 1); }");
            piece.outside_either(random, "int $odd(unsigned n) { return n == 0 ? 0 : $even(n - 1); }");
            piece.line(format!("«$even({depth})»;"));
            piece.line(format!("«$even({depth}) + $odd({depth})»;"));
        }
        _ => {
            piece.outside(0, "static void $fill(char *to, int n) { if (n == 0) { *to = 0; return; } *to = 'a' + n; $fill(to + 1, n - 1); }");
            piece.line(format!("char $text[{}] = \"\";", random.within(4, 7)));
            piece.line(format!("$fill($text, {depth});"));
            piece.line("«$text[0]»;");
        }
    }
    piece
}

/// `exit`, `abort`, `_Noreturn`, `atexit`, assertions and errors.
pub fn endings(random: &mut Random) -> Piece {
    let mut piece = Piece::new("endings", random);
    piece.include("stdlib.h");
    let input = piece.input(random, 3);
    let value = random.within(0, 4);
    match random.below(6) {
        0 => piece.line(format!("if ({input} == {value}) exit({});", random.within(0, 1))),
        1 => piece.line(format!("if ({input} >= {value}) abort();")),
        2 => {
            piece.outside(0, "static _Noreturn void $stop(int code) { exit(code); }");
            piece.line(format!("if ({input} != {value}) $stop(2);"));
        }
        3 => piece.line(format!("if ({input} * {input} == {}) reach_error();", random.within(0, 10))),
        4 => {
            piece.outside(0, "static int $count;\nstatic void $leave(void) { «$count»; }");
            piece.line("atexit($leave);");
            piece.line(format!("$count = {input} + 1;"));
            if random.chance(50) {
                piece.line(format!("if ({input} == {value}) exit(0);"));
            }
            piece.line("$count *= 2;");
        }
        _ => {
            piece.line("int *$p = malloc(sizeof *$p);");
            piece.line(format!("*$p = {input};"));
            piece.line(format!("if ({input} == {value}) {}(1);", random.text(&["exit", "exit", "_Exit"])));
            piece.line("free($p);");
        }
    }
    piece.line(format!("«{input}»;"));
    piece
}
