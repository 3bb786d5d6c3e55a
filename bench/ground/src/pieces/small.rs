//! Small programs as people write them: parsers, ring buffers, stacks, copies in loops, each perhaps off by one.

use crate::piece::Piece;
use crate::random::Random;

/// Loops over texts and arrays, written by hand.
pub fn texts(random: &mut Random) -> Piece {
    let mut piece = Piece::new("hand-written", random);
    piece.include("string.h");
    piece.include("ctype.h");
    let size = random.within(4, 8);
    let text = random.text(&["12a", "  7", "-45", "x9", "", "abc abc", "00012", "a,b,,c"]);
    piece.line(format!("char $in[12] = \"{text}\";"));
    let index = piece.number(random, 0, 3);
    let letter = random.text(&["'4'", "' '", "0", "'z'", "','"]);
    piece.line(format!("$in[{index}] = {letter};"));
    match random.below(6) {
        0 => {
            piece.outside(0, "static int $number(const char *s) { int n = 0, sign = 1; while (isspace((unsigned char)*s)) s++; if (*s == '-') { sign = -1; s++; } while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); return sign * n; }");
            piece.line("«$number($in)»;");
        }
        1 => {
            piece.line(format!("char $out[{size}];"));
            piece.line("unsigned $n = 0;");
            let limit = random.text(&["sizeof $out - 1", "sizeof $out - 1", "sizeof $out"]);
            piece.line(format!("for (; $in[$n] && $n < {limit}; $n++)"));
            piece.line("$out[$n] = toupper((unsigned char)$in[$n]);");
            piece.line("$out[$n] = 0;");
            piece.line("«$n»;");
            piece.line("«strlen($out)»;");
        }
        2 => {
            piece.line("int $words = 0;");
            piece.line("int $inside = 0;");
            piece.line("for (char *q = $in; *q; q++) {");
            piece.line("if (*q == ' ' || *q == ',') { $inside = 0; continue; }");
            piece.line("if (!$inside) $words++;");
            piece.line("$inside = 1;");
            piece.line("}");
            piece.line("«$words»;");
        }
        3 => {
            // The last character of an empty text is before its beginning.
            piece.line("char *$last = $in + strlen($in);");
            if random.chance(70) {
                piece.line("if ($last > $in)");
            }
            piece.line("$last--;");
            piece.line("«*$last»;");
            piece.line("*$last = 0;");
            piece.line("«strlen($in)»;");
        }
        4 => {
            piece.outside(0, "static void $reverse(char *s) { char *e = s + strlen(s); while (s < e && s < --e) { char c = *s; *s++ = *e; *e = c; } }");
            piece.line("$reverse($in);");
            piece.line("«$in[0]»;");
            piece.line("«strlen($in)»;");
        }
        _ => {
            piece.line(format!("char $fields[3][{size}] = {{ \"\" }};"));
            piece.line("int $f = 0;");
            piece.line("int $k = 0;");
            let guard = random.text(&["$f < 3 && ", "$f < 3 && ", ""]);
            piece.line(format!("for (const char *q = $in; {guard}*q; q++) {{"));
            piece.line("if (*q == ',') { $f++; $k = 0; continue; }");
            piece.line("$fields[$f][$k++] = *q;");
            piece.line("}");
            piece.line("«$f»;");
            piece.line("«strlen($fields[0])»;");
        }
    }
    piece
}

/// Containers with a fixed room.
pub fn containers(random: &mut Random) -> Piece {
    let mut piece = Piece::new("containers", random);
    piece.include("stdlib.h");
    let room = random.within(2, 4);
    let count = piece.number(random, 0, 5);
    let slip = random.text(&["<", "<", "<="]);
    match random.below(5) {
        0 => {
            piece.shared(format!("struct $ring {{ int data[{room}]; unsigned head, used; }};\nint $put(struct $ring *r, int x);\nint $get(struct $ring *r);"));
            piece.outside_either(random, format!("int $put(struct $ring *r, int x) {{ if (!(r->used {slip} {room})) return 0; r->data[(r->head + r->used) % {room}] = x; r->used++; return 1; }}"));
            piece.outside_either(random, format!("int $get(struct $ring *r) {{ int x = r->data[r->head]; r->head = (r->head + 1) % {room}; r->used--; return x; }}"));
            piece.line("struct $ring $r = { { 0 }, 0, 0 };");
            piece.line("int $stored = 0;");
            piece.line(format!("for (int k = 0; k < {count}; k++)"));
            piece.line("$stored += $put(&$r, k + 10);");
            piece.line("«$stored»;");
            piece.line("«$get(&$r)»;");
            piece.line("«$r.used»;");
        }
        1 => {
            piece.outside(0, format!("static int $stack[{room}];\nstatic int $top;"));
            piece.outside(
                0,
                format!("static void $push(int x) {{ if ($top {slip} {room}) $stack[$top++] = x; }}"),
            );
            piece.outside(
                0,
                format!(
                    "static int $pop(void) {{ {} return $stack[--$top]; }}",
                    random.text(&["if ($top == 0) return -1;", "if ($top == 0) return -1;", ""])
                ),
            );
            piece.line(format!("for (int k = 0; k < {count}; k++)"));
            piece.line("$push(k * k);");
            piece.line("«$pop()»;");
            piece.line("«$pop()»;");
            piece.line("«$top»;");
        }
        2 => {
            piece.line(format!("unsigned long $bits[{room}] = {{ 0 }};"));
            let bit = piece.number(random, 60, 68);
            piece.line(format!("$bits[{bit} / 64] |= 1ul << ({bit} % 64);"));
            piece.line("«$bits[0] != 0»;");
            piece.line("«__builtin_popcountl($bits[1])»;");
            piece.line(format!("«$bits[{}] >> {} & 1»;", random.within(0, 1), random.within(0, 63)));
        }
        3 => {
            piece.shared(
                "struct $vector { int *items; unsigned used, room; };\nvoid $add(struct $vector *v, int x);",
            );
            let grows = random.text(&["==", "==", ">"]);
            piece.outside_either(random, format!("void $add(struct $vector *v, int x) {{ if (v->used {grows} v->room) {{ v->room = v->room * 2 + 1; v->items = realloc(v->items, v->room * sizeof *v->items); }} v->items[v->used++] = x; }}"));
            piece.line("struct $vector $v = { 0 };");
            piece.line(format!("for (int k = 0; k < {count}; k++)"));
            piece.line("$add(&$v, k - 1);");
            piece.line("if ($v.used)");
            piece.line("«$v.items[$v.used - 1]»;");
            piece.line("«$v.room»;");
            piece.line("free($v.items);");
        }
        _ => {
            let low = random.text(&["low = middle + 1", "low = middle + 1", "low = middle"]);
            piece.outside(0, "static const int $sorted[5] = { 1, 3, 5, 7, 9 };");
            piece.outside(0, format!("static int $search(int x) {{ int low = 0, high = 5, left = 6; while (low < high && left--) {{ int middle = (low + high) / 2; if ($sorted[middle] < x) {low}; else high = middle; }} return low; }}"));
            let key = piece.number(random, 0, 7);
            piece.line(format!("int $at = $search({key} + {});", random.within(0, 3)));
            piece.line("«$at»;");
            if random.chance(60) {
                piece.line("if ($at < 5)");
            }
            piece.line("«$sorted[$at]»;");
        }
    }
    piece
}
