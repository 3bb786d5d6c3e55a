//! Blocks, lifetimes, what was never written.

use crate::piece::Piece;
use crate::random::Random;

/// `malloc`, `calloc`, `realloc`, `free`.
pub fn blocks(random: &mut Random) -> Piece {
    let mut piece = Piece::new("blocks", random);
    piece.include("stdlib.h");
    piece.include("string.h");
    let ty = random.text(&["int", "char", "short", "long"]);
    let count = random.within(2, 6);
    let is_careless = random.chance(35);
    let beyond = if is_careless { 1 } else { 0 };
    match random.below(3) {
        0 => {
            piece.line(format!("{ty} *$p = malloc({count} * sizeof *$p);"));
            piece.line(format!("for (int k = 0; k < {count}; k++)"));
            piece.line("$p[k] = k + 1;");
        }
        1 => piece.line(format!("{ty} *$p = calloc({count}, sizeof({ty}));")),
        _ => {
            let wanted = piece.number(random, count, count + 2);
            piece.line(format!("{ty} *$p = malloc({wanted} * sizeof({ty}));"));
            piece.line(format!("memset($p, 0, {wanted} * sizeof({ty}));"));
        }
    }
    let mut size = count;
    if random.chance(20) {
        piece.line("if (!$p) abort();");
    }
    for _ in 0..random.within(1, 4) {
        match random.below(7) {
            0 => {
                let index = piece.number(random, 0, size - 1 + beyond);
                piece.line(format!("$p[{index}] = {};", random.within(-5, 90)));
            }
            1 | 2 => {
                let index = piece.number(random, 0, size - 1 + beyond);
                piece.line(format!("«$p[{index}]»;"));
            }
            3 => {
                let larger = random.within(1, 8);
                let number = piece.body.len();
                piece.line(format!("{ty} *$q{number} = realloc($p, {larger} * sizeof({ty}));"));
                if is_careless && random.chance(25) {
                    piece.line("«$p[0]»;");
                }
                piece.line(format!("$p = $q{number};"));
                for index in size..larger {
                    piece.line(format!("$p[{index}] = {index};"));
                }
                size = larger;
            }
            4 => {
                piece.line(format!("*($p + {}) = {};", size - 1 + beyond, random.within(0, 9)));
            }
            5 => {
                let offset = random.within(0, size - 1);
                piece.line(format!("{ty} *$r{0} = $p + {offset};", piece.body.len()));
                let name = format!("$r{}", piece.body.len() - 1);
                let index = piece.number(random, -offset, size - 1 - offset + beyond);
                piece.line(format!("«{name}[{index}]»;"));
            }
            _ => {
                let condition = piece.number(random, 0, 1);
                piece.line(format!("if ({condition}) $p[0] = 5;"));
            }
        }
    }
    match if is_careless { random.below(9) } else { 8 } {
        0 => {
            let condition = piece.number(random, 0, 2);
            piece.line(format!("if ({condition} != 1) free($p);"));
        }
        1 => {
            let condition = piece.number(random, 0, 1);
            piece.line("free($p);");
            piece.line(format!("if ({condition}) free($p);"));
        }
        2 => {
            piece.line("free($p);");
            let condition = piece.number(random, 0, 1);
            piece.line(format!("if ({condition}) «$p[0]»;"));
        }
        3 => {
            let offset = piece.number(random, 0, 1);
            piece.line(format!("free($p + {offset});"));
        }
        4 => {
            piece.outside(0, format!("{ty} *$kept;"));
            piece.line("$kept = $p;");
            let condition = piece.number(random, 0, 1);
            piece.line(format!("if ({condition}) free($kept);"));
        }
        _ => piece.line("free($p);"),
    }
    piece
}

/// Objects that are used after their block, their function or their `free`.
pub fn lifetimes(random: &mut Random) -> Piece {
    let mut piece = Piece::new("lifetimes", random);
    piece.include("stdlib.h");
    let flag = piece.input(random, 1);
    match random.below(5) {
        0 => {
            piece.line("int $kept = 4;");
            piece.line("int *$p = &$kept;");
            piece.line("{");
            piece.line("int $inner = 7;");
            piece.line(format!("if ({flag}) $p = &$inner;"));
            piece.line("*$p += 1;");
            if random.chance(50) {
                piece.line("$p = &$kept;");
            }
            piece.line("}");
            piece.line("«*$p»;");
        }
        1 => {
            piece.outside(0, "static int $there = 3;");
            piece.outside(0, "static int *$give(int local) { int own = 5; return local ? &own : &$there; }");
            piece.line(format!("int *$p = $give({flag}{});", random.text(&["", " * 0", " && 0"])));
            piece.line("«*$p»;");
        }
        2 => {
            piece.shared("struct $node { int value; struct $node *next; };");
            let length = random.within(1, 4);
            piece.line("struct $node *$list = 0;");
            piece.line(format!("for (int k = 0; k < {length}; k++) {{"));
            piece.line("struct $node *$new = malloc(sizeof *$new);");
            piece.line(format!("$new->value = k + {flag};"));
            piece.line("$new->next = $list;");
            piece.line("$list = $new;");
            piece.line("}");
            piece.line("«$list->value»;");
            if random.chance(20) {
                piece.line("«$list->next->value»;");
            }
            piece.line("while ($list) {");
            if random.chance(80) {
                piece.line("struct $node *$next = $list->next;");
                piece.line("free($list);");
                piece.line("$list = $next;");
            } else {
                piece.line("free($list);");
                piece.line("$list = $list->next;");
            }
            piece.line("}");
        }
        3 => {
            let count = random.within(1, 4);
            piece.line(format!("int $n = {flag} + {count};"));
            piece.line("int $v[$n];");
            piece.line("for (int k = 0; k < $n; k++)");
            piece.line("$v[k] = k * 2;");
            let slip = i64::from(random.chance(30));
            let index = piece.number(random, 0, count + slip);
            piece.line(format!("«$v[{index}]»;"));
            piece.line("«sizeof $v»;");
        }
        _ => {
            piece.outside(0, "static int *$last;");
            piece.outside(
                0,
                "static int $counting(void) { static int calls; int x = ++calls; $last = &calls; return x; }",
            );
            piece.outside(0, "static void $leaving(void) { int x = 3; $last = &x; }");
            piece.line("«$counting() * 10 + $counting()»;");
            if random.chance(40) {
                piece.line(format!("if ({flag}) $leaving();"));
            }
            piece.line("«*$last»;");
        }
    }
    piece
}

/// Reads of what was never written. The sanitizers do not look for them, so the piece says where they are.
pub fn never_written(random: &mut Random) -> Piece {
    let mut piece = Piece::new("never-written", random);
    piece.include("stdlib.h");
    piece.include("string.h");
    let input = piece.input(random, 3);
    let bound = random.within(0, 4);
    match random.below(6) {
        0 => {
            piece.line("int $x;");
            piece.line(format!("if ({input} < {bound}) $x = 3;"));
            let reads = random.within(0, 4);
            piece.line(format!("if ({input} < {reads}) {{"));
            piece.line(format!("‹{input} >= {bound}|uninitialised›;"));
            piece.line("«$x»;");
            piece.line("}");
        }
        1 => {
            piece.line("int $a[4];");
            piece.line(format!("for (int k = 0; k < {bound}; k++)"));
            piece.line("$a[k] = k;");
            piece.line(format!("‹{input} >= {bound}|uninitialised›;"));
            piece.line(format!("«$a[{input}]»;"));
        }
        2 => {
            piece.line("char *$p = malloc(4);");
            piece.line(format!("memset($p, 'x', {bound});"));
            let index = if random.chance(50) { input.clone() } else { (bound - 1).max(0).to_string() };
            piece.line(format!("‹{index} >= {bound}|uninitialised›;"));
            piece.line(format!("«$p[{index}]»;"));
            piece.line("free($p);");
        }
        3 => {
            piece.shared("struct $pair { int first; int second; };");
            piece.line("struct $pair $s;");
            piece.line("$s.first = 1;");
            piece.line(format!("if ({input} != {bound}) $s.second = 2;"));
            piece.line(format!("‹{input} == {bound}|uninitialised›;"));
            piece.line("«$s.first + $s.second»;");
        }
        4 => {
            piece.outside(0, format!("static int $maybe(int x) {{ if (x < {bound}) return x; }}"));
            piece.line("int $r = 0;");
            piece.line(format!("‹{input} >= {bound}|uninitialised›;"));
            piece.line(format!("$r = $maybe({input});"));
            piece.line("«$r»;");
        }
        _ => {
            piece.line("char $t[8];");
            piece.line(format!("strncpy($t, \"abcdef\", {bound});"));
            let end = random.within(0, 4);
            piece.line(format!("$t[{end}] = 0;"));
            piece.line(format!("‹{bound} < {end}|uninitialised›;"));
            piece.line("«strlen($t)»;");
        }
    }
    piece
}

/// A structure that ends in an array of any length.
pub fn flexible(random: &mut Random) -> Piece {
    let mut piece = Piece::new("flexible", random);
    piece.include("stdlib.h");
    piece.include("stddef.h");
    let ty = random.text(&["int", "char", "short"]);
    piece.shared(format!("struct $packet {{ unsigned length; {ty} data[]; }};"));
    let count = piece.number(random, 1, 4);
    piece.line(format!("struct $packet *$p = malloc(sizeof(struct $packet) + {count} * sizeof({ty}));"));
    piece.line(format!("$p->length = {count};"));
    piece.line("for (unsigned k = 0; k < $p->length; k++)");
    piece.line("$p->data[k] = k + 1;");
    let beyond = i64::from(random.chance(30));
    piece.line(format!("«$p->data[$p->length - 1 + {beyond}]»;"));
    piece.line("«sizeof *$p + offsetof(struct $packet, data)»;");
    piece.line("free($p);");
    piece
}

/// `realloc` and `malloc` at their edges: null, zero, sizes that overflow, blocks in structures.
pub fn edges(random: &mut Random) -> Piece {
    let mut piece = Piece::new("heap-edges", random);
    piece.include("stdlib.h");
    piece.include("string.h");
    let input = piece.input(random, 3);
    match random.below(6) {
        0 => {
            piece.line("int *$p = NULL;");
            piece.line(format!("for (int k = 1; k <= {input}; k++) {{"));
            piece.line("$p = realloc($p, k * sizeof *$p);");
            piece.line("$p[k - 1] = k * k;");
            piece.line("}");
            if random.chance(70) {
                piece.line(format!("if ({input})"));
            }
            piece.line(format!("«$p[{}]»;", random.text(&["0", "0", "1"])));
            piece.line("free($p);");
        }
        1 => {
            piece.line(format!("char *$p = malloc({input});"));
            piece.line(format!(
                "if ({input} > {}) $p[0] = 1;",
                random.within(0, 1) - i64::from(random.chance(20))
            ));
            piece.line("free($p);");
            piece.line("free(NULL);");
        }
        2 => {
            piece.shared("struct $buffer { unsigned size; char *data; };");
            piece.shared("struct $buffer *$make(unsigned size);\nvoid $drop(struct $buffer *b);");
            piece.outside(0, "struct $buffer *$make(unsigned size) { struct $buffer *b = malloc(sizeof *b); b->size = size; b->data = calloc(size + 1, 1); return b; }");
            let order = random.text(&[
                "free(b->data); free(b);",
                "free(b->data); free(b);",
                "free(b->data); free(b);",
                "free(b); free(b->data);",
                "free(b);",
            ]);
            piece.outside_either(random, format!("void $drop(struct $buffer *b) {{ if (b) {{ {order} }} }}"));
            piece.line(format!("struct $buffer *$b = $make({input} + 1);"));
            piece.line(format!("memset($b->data, 'x', $b->size{});", random.text(&["", "", " + 1", " + 2"])));
            piece.line("«$b->data[$b->size - 1]»;");
            piece.line("$drop($b);");
        }
        3 => {
            piece.line(format!("int **$rows = malloc(({input} + 1) * sizeof *$rows);"));
            piece.line(format!("for (int k = 0; k <= {input}; k++)"));
            piece.line("$rows[k] = calloc(2, sizeof(int));");
            piece.line(format!("$rows[{input}][1] = 4;"));
            piece.line(format!("«$rows[{}][{}]»;", random.text(&["0", "0", "1"]), random.within(0, 1)));
            let comparison = random.text(&["<=", "<=", "<"]);
            piece.line(format!("for (int k = 0; k {comparison} {input}; k++)"));
            piece.line("free($rows[k]);");
            piece.line("free($rows);");
        }
        4 => {
            piece.line(format!("char *$p = strdup(\"abcd\" + {input});"));
            piece.line("char *$q = $p;");
            piece.line(format!("if ({input} == {}) {{", random.within(0, 4)));
            piece.line("free($p);");
            piece.line("$q = strdup(\"new\");");
            if random.chance(60) {
                piece.line("$p = $q;");
            }
            piece.line("}");
            piece.line("«$q[0]»;");
            piece.line(format!("free({});", random.text(&["$q", "$q", "$p"])));
        }
        _ => {
            piece.line(format!("unsigned char *$p = calloc(1, {input} + 1);"));
            piece.line("unsigned char *$end = $p;");
            piece.line("while (!*$end) {");
            piece.line(format!("if ($end - $p >= {input}{}) break;", random.text(&["", "", " + 1"])));
            piece.line("$end++;");
            piece.line("}");
            piece.line("«$end - $p»;");
            piece.line("free($p);");
        }
    }
    piece
}
