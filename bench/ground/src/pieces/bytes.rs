//! Objects by their bytes: copies, layouts, views through `unsigned char *`.

use crate::piece::Piece;
use crate::random::Random;

/// `memcpy`, `memset`, `memcmp` on integers, arrays and structures.
pub fn copies(random: &mut Random) -> Piece {
    let mut piece = Piece::new("bytes", random);
    piece.include("string.h");
    let input = piece.number(random, -2, 5);
    match random.below(6) {
        0 => {
            let fill = random.text(&["0", "1", "255", "'a'", "-1"]);
            piece.line("int $a[3] = { 1, 2, 3 };");
            let count = piece.number(random, 0, 12 + 4 * i64::from(input == "0"));
            piece.line(format!("memset($a, {fill}, {count});"));
            piece.line(format!("«$a[{}]»;", random.within(0, 2)));
            piece.line("«$a[2]»;");
        }
        1 => {
            piece.line(format!("long $x = {input} * {}L;", random.within(-90000, 900_000_000)));
            piece.line("unsigned char $b[sizeof $x];");
            piece.line("memcpy($b, &$x, sizeof $x);");
            piece.line(format!("$b[{}] ^= {};", random.within(0, 7), random.within(1, 255)));
            piece.line("long $y = 0;");
            piece.line(format!("memcpy(&$y, $b, {});", random.text(&["sizeof $y", "4", "3", "8"])));
            piece.line("«$y»;");
            piece.line("«$b[1]»;");
        }
        2 => {
            let packed = random.text(&["", " __attribute__((packed))", " __attribute__((aligned(16)))"]);
            piece.shared(format!("struct $s {{ char c; int i; short h; }}{packed};"));
            piece.include("stddef.h");
            piece.line("struct $s $x, $y;");
            piece.line("memset(&$x, 0, sizeof $x);");
            piece.line(format!("$x.i = {input};"));
            piece.line("memcpy(&$y, &$x, sizeof $x);");
            piece.line("«$y.i + $y.c + $y.h»;");
            piece.line("«memcmp(&$x, &$y, sizeof $x) == 0»;");
            piece.line("«sizeof(struct $s) * 100 + offsetof(struct $s, h)»;");
            let beyond = random.within(-3, 1).max(0);
            piece.line(format!("«((unsigned char *)&$x)[sizeof $x - 1 + {beyond}]»;"));
        }
        3 => {
            piece.line(format!("int $x = {input} * {};", random.within(-9999, 9999)));
            piece.line("unsigned char *$p = (unsigned char *)&$x;");
            let index = piece.number(random, 0, 4 - i64::from(input != "1"));
            piece.line(format!("«$p[{index}]»;"));
            piece.line(format!("$p[{}] = {};", random.within(0, 3), random.within(0, 255)));
            piece.line("«$x»;");
        }
        4 => {
            piece.line("short $a[4] = { 1, -2, 3, -4 };");
            let (to, from) = (random.within(0, 2), random.within(0, 2));
            let count = piece.number(random, 0, 2 * (4 - to.max(from)));
            piece.line(format!("memmove($a + {to}, $a + {from}, {count});"));
            piece.line("«$a[0] + 10 * $a[1] + 100 * $a[2] + 1000 * $a[3]»;");
            piece.line(format!("«memcmp($a, $a + 1, {}) == 0»;", random.within(0, 6)));
        }
        _ => {
            piece.shared("struct $message { unsigned short kind; unsigned char length; char text[5]; };");
            piece.line(format!("unsigned char $raw[8] = {{ 1, 0, {input}, 'a', 'b', 'c' }};"));
            piece.line("struct $message $m;");
            piece.line("memcpy(&$m, $raw, sizeof $m);");
            piece.line("«$m.kind»;");
            if random.chance(60) {
                piece.line("if ($m.length < sizeof $m.text)");
            }
            piece.line("«$m.text[$m.length]»;");
        }
    }
    piece
}

/// Arrays of arrays, of strings and of structures.
pub fn arrays(random: &mut Random) -> Piece {
    let mut piece = Piece::new("arrays", random);
    piece.include("string.h");
    let slip = i64::from(random.chance(15));
    match random.below(4) {
        0 => {
            let (rows, columns) = (random.within(2, 3), random.within(2, 4));
            piece.outside(
                0,
                format!("static int $grid[{rows}][{columns}] = {{ {{ 1, 2 }}, [1] = {{ [1] = 5 }} }};"),
            );
            piece.outside(0, format!("static int $row_sum(int (*row)[{columns}]) {{ int s = 0; for (int k = 0; k < {columns}; k++) s += (*row)[k]; return s; }}"));
            let row = piece.number(random, 0, rows - 1 + slip);
            piece.line(format!("«$row_sum(&$grid[{row}])»;"));
            piece.line(format!("$grid[{row}][{}] -= 3;", random.within(0, columns - 1)));
            piece.line("«$grid[1][1]»;");
        }
        1 => {
            piece.outside(0, "static const char *$words[] = { \"zero\", \"one\", \"\", \"three\" };");
            let index = piece.number(random, 0, 3 + slip);
            piece.line(format!("«strlen($words[{index}])»;"));
            piece.line(format!(
                "$words[{}] = {};",
                random.within(0, 3),
                random.text(&["\"x\"", "0", "$words[1] + 1"])
            ));
            if random.chance(60) {
                piece.line(format!("if ($words[{index}])"));
            }
            piece.line(format!("«$words[{index}][0]»;"));
        }
        2 => {
            piece.line("char $names[3][4] = { \"ab\", \"cde\", \"f\" };");
            let index = piece.number(random, 0, 2);
            piece.line(format!(
                "strcpy($names[{index}], {});",
                random.text(&["\"xyz\"", "\"\"", "$names[0]", "\"q\""]).replace("$names[0]", "\"ab\"")
            ));
            piece.line("«strlen($names[0]) * 100 + strlen($names[1]) * 10 + strlen($names[2])»;");
            piece.line("«$names[2][0]»;");
        }
        _ => {
            piece.shared("struct $item { char key[4]; int value; };");
            piece.outside(
                0,
                "static struct $item $items[3] = { { \"a\", 1 }, { \"bb\", 2 }, { \"ccc\", 3 } };",
            );
            piece.outside(0, format!("static struct $item *$find(const char *key) {{ for (int k = 0; k < {}; k++) if (strcmp($items[k].key, key) == 0) return &$items[k]; return 0; }}", 3 + slip));
            let which = piece.number(random, 0, 3);
            piece.line("const char *$keys[4] = { \"bb\", \"a\", \"no\", \"ccc\" };");
            piece.line(format!("struct $item *$p = $find($keys[{which}]);"));
            if random.chance(70) {
                piece.line("if ($p)");
            }
            piece.line("«$p->value»;");
            piece.line("«$p - $items == 1»;".replace("$p - $items == 1", "$p == &$items[1]"));
        }
    }
    piece
}
