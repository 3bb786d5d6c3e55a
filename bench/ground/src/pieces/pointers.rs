//! Pointers into arrays, to functions and to constants.

use crate::piece::Piece;
use crate::random::Random;

/// Pointers that walk over an array, one past its end too.
pub fn walking(random: &mut Random) -> Piece {
    let mut piece = Piece::new("pointers", random);
    let size = random.within(2, 5);
    let ty = random.text(&["int", "short", "char", "long"]);
    let values: Vec<String> = (0..size).map(|_| random.within(-3, 9).to_string()).collect();
    let text = format!("{ty} $a[{size}] = {{ {} }};", values.join(", "));
    match random.below(3) {
        0 => piece.outside(0, text),
        1 => piece.line(format!("static {text}")),
        _ => piece.line(text),
    }
    let beyond = i64::from(random.chance(25));
    match random.below(5) {
        0 => {
            piece.line("long $sum = 0;");
            let comparison = random.text(&["<", "<", "!=", "<="]);
            piece.line(format!("for ({ty} *q = $a; q {comparison} $a + {size}; q++)"));
            piece.line("$sum += *q;");
            piece.line("«$sum»;");
        }
        1 => {
            let offset = piece.number(random, 0, size + beyond);
            piece.line(format!("{ty} *$p = $a + {offset};"));
            piece.line("«$p - $a»;");
            piece.line(format!("if ($p {} $a + {size})", random.text(&["<", "!=", "<="])));
            piece.line("«*$p»;");
        }
        2 => {
            let index = piece.number(random, -1, size - 1 + beyond);
            if random.chance(60) {
                piece.line(format!("if ({index} >= 0)"));
            }
            piece.line(format!("$a[{index}] = 7;"));
            piece.line(format!("«$a[{}]»;", random.within(0, size - 1)));
        }
        3 => {
            let flag = piece.input(random, 2);
            piece.line(format!("{ty} *$p = {flag} ? $a : 0;"));
            if random.chance(65) {
                piece.line("if ($p)");
            }
            piece.line("«$p[1]»;");
            piece.line(format!("{ty} **$pp = &$p;"));
            piece.line(format!("*$pp = $a + {};", size - 1));
            piece.line(format!("«**$pp + (*$pp)[{}]»;", random.within(-1, 0)));
        }
        _ => {
            let (rows, columns) = (random.within(1, 3), random.within(1, 3));
            piece.line(format!("int $m[{rows}][{columns}] = {{ {{ 0 }} }};"));
            let row = piece.number(random, 0, rows - 1 + beyond);
            let slip = i64::from(random.chance(15));
            let column = piece.number(random, 0, columns - 1 + slip);
            piece.line(format!("$m[{row}][{column}] = 3;"));
            piece.line("«$m[0][0] + (int)sizeof $m[0]»;");
            piece.line(format!("int (*$row)[{columns}] = $m;"));
            piece.line("«(*$row)[0]»;");
        }
    }
    piece
}

/// Tables of functions, functions as arguments and in structures.
pub fn functions(random: &mut Random) -> Piece {
    let mut piece = Piece::new("function-pointers", random);
    let linkage = random.text(&["static ", "static ", ""]);
    let is_far = linkage.is_empty() && random.chance(50);
    let file = usize::from(is_far);
    for (name, body) in [("$f", "x + 1"), ("$g", "x * 2"), ("$h", "-x")] {
        if linkage.is_empty() {
            piece.shared(format!("int {name}(int);"));
        }
        piece.outside(file, format!("{linkage}int {name}(int x) {{ return {body}; }}"));
    }
    let constant = random.text(&["const ", ""]);
    let entries: Vec<&str> = (0..3)
        .map(|_| if random.chance(8) { "0" } else { random.text(&["$f", "$g", "$h", "&$f"]) })
        .collect();
    let beyond = i64::from(random.chance(12));
    let index = piece.number(random, 0, 2 + beyond);
    match random.below(4) {
        0 => {
            piece.outside(
                0,
                format!("static int (*{constant}$table[3])(int) = {{ {} }};", entries.join(", ")),
            );
            if random.chance(40) {
                piece.line(format!("if ($table[{index}])"));
            }
            piece.line(format!("«$table[{index}]({})»;", random.within(0, 9)));
        }
        1 => {
            piece.shared("struct $ops { int (*start)(int); int (*stop)(int); int weight; };");
            piece.outside(0, format!(
                "{constant}struct $ops $both[2] = {{ {{ .start = {}, .stop = {}, .weight = 2 }}, {{ {}, $h }} }};",
                entries[0], entries[1], entries[2]
            ));
            let which = piece.number(random, 0, 1 + beyond);
            piece.line(format!("const struct $ops *$o = &$both[{which}];"));
            piece.line("«$o->start(3) + $o->weight»;");
            piece.line("«$o->stop($o->start(1))»;");
        }
        2 => {
            piece.shared("typedef int $function(int);");
            piece.outside(0, "static int $twice($function *f, int x) { return f(f(x)); }");
            piece.line(format!(
                "$function *$chosen = {index} == 1 ? $f : {index} == 2 ? $g : {};",
                entries[0]
            ));
            piece.line("«$twice($chosen, 5)»;");
            piece.line("«$chosen == $f»;");
        }
        _ => {
            piece.line(format!("int (*$p)(int) = {};", entries[0]));
            piece.line(format!("switch ({index}) {{"));
            piece.line(format!("case 0: $p = {}; break;", entries[1]));
            piece.line(format!("case 1: $p = {};", entries[2]));
            piece.line("default: break;");
            piece.line("}");
            if random.chance(30) {
                piece.line("if (!$p) $p = $g;");
            }
            piece.line("«(*$p)(4)»;");
        }
    }
    piece
}

/// String literals and `const` objects, read and written.
pub fn constants(random: &mut Random) -> Piece {
    let mut piece = Piece::new("constants", random);
    let flag = piece.input(random, 2);
    let writes = random.chance(35);
    match random.below(4) {
        0 => {
            piece.line("char $own[] = \"abc\";");
            piece.line(format!("char *$p = {flag} {} 1 ? \"xyz\" : $own;", random.text(&["==", ">", "<"])));
            if writes {
                piece.line("$p[1] = 'q';");
            }
            piece.line("«$p[1]»;");
            piece.line("«sizeof \"abc\" + sizeof $own»;");
        }
        1 => {
            piece.outside(0, "const int $fixed[3] = { 4, 5, 6 };");
            piece.line("int $free[3] = { 1, 2, 3 };");
            piece.line(format!("int *$p = {flag} == 2 ? (int *)$fixed : $free;"));
            if writes {
                piece.line(format!("$p[{flag}] = 9;"));
            }
            piece.line(format!("«$p[{flag}]»;"));
        }
        2 => {
            piece.outside(0, "static const char *const $names[] = { \"one\", \"two\", \"three\" };");
            let beyond = i64::from(random.chance(15));
            piece.line(format!("«$names[{flag} + {beyond}][{}]»;", random.within(0, 4)));
        }
        _ => {
            piece.line("static const char $text[4] = \"four\";");
            let most = random.within(3, 5);
            piece.line("int $n = 0;");
            piece.line(format!("while ($n < {most} && $text[$n] != 'r') $n++;"));
            piece.line("«$n»;");
            piece.line(format!("«\"hello\"[{flag}] + \"ab\" \"cd\"[{flag}]»;"));
        }
    }
    piece
}

/// Writes that reach constants of every shape: structures, members, other files, by library calls.
pub fn read_only(random: &mut Random) -> Piece {
    let mut piece = Piece::new("read-only", random);
    piece.include("string.h");
    piece.include("stdlib.h");
    let flag = piece.input(random, 2);
    let chosen = random.within(0, 3);
    piece.shared("struct $entry { int key; char name[4]; };");
    piece.shared("extern const struct $entry $table[2];\nextern const char $title[6];");
    piece.outside_either(random, "const struct $entry $table[2] = { { 1, \"a\" }, { 2, \"b\" } };");
    piece.outside_either(random, "const char $title[6] = \"title\";");
    piece.outside(
        0,
        "static struct $entry $own[2] = { { 3, \"c\" }, { 4, \"d\" } };\nstatic char $text[6] = \"text\";",
    );
    match random.below(5) {
        0 => {
            piece.line(format!("struct $entry *$p = {flag} == {chosen} ? (struct $entry *)$table : $own;"));
            match random.below(3) {
                0 => piece.line("$p[1].key = 7;"),
                1 => piece.line("$p->name[0] = 'z';"),
                _ => {}
            }
            piece.line("«$p[1].key»;");
        }
        1 => {
            piece.line(format!("char *$p = {flag} == {chosen} ? (char *)$title : $text;"));
            match random.below(4) {
                0 => piece.line("strcpy($p, \"x\");"),
                1 => piece.line("memset($p, 'y', 2);"),
                2 => piece.line("sprintf($p, \"%d\", 3);"),
                _ => piece.line("«strlen($p)»;"),
            }
            piece.line("«$p[0]»;");
        }
        2 => {
            piece.line("static const long $limits[2][2] = { { 1, 2 }, { 3, 4 } };");
            piece.line("long $free[2][2] = { { 5, 6 }, { 7, 8 } };");
            piece.line(format!("long *$p = {flag} == {chosen} ? (long *)$limits[1] : $free[1];"));
            if random.chance(50) {
                piece.line("$p[1]++;");
            }
            piece.line("«$p[1]»;");
        }
        3 => {
            piece.line("const struct $entry $local = { 5, \"e\" };");
            piece.line("struct $entry $copy = $local;");
            piece.line("$copy.key++;");
            piece.line(format!(
                "struct $entry *$p = {flag} == {chosen} ? (struct $entry *)&$table[1] : &$copy;"
            ));
            if random.chance(40) {
                piece.line("*$p = $local;");
            }
            piece.line("«$p->key»;");
        }
        _ => {
            piece.outside(0, "static void $set(char *to, char c) { if (to[0] != c) to[0] = c; }");
            piece.line(format!(
                "$set({flag} == {chosen} ? \"abc\" : $text, {});",
                random.text(&["'a'", "'q'"])
            ));
            piece.line("«$text[0]»;");
            if random.chance(30) {
                piece.line(format!(
                    "memmove((void *)({flag} == 1 ? (const void *)$title : $text), \"no\", 2);"
                ));
            }
        }
    }
    piece
}
