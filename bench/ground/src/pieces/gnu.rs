//! Variable arguments, extensions of gcc, and what C11 added.

use crate::piece::Piece;
use crate::random::Random;

/// Functions with `...`.
pub fn variadic(random: &mut Random) -> Piece {
    let mut piece = Piece::new("variadic", random);
    piece.include("stdarg.h");
    piece.include("string.h");
    let input = piece.number(random, 0, 3);
    match random.below(4) {
        0 => {
            piece.shared("int $sum(int count, ...);");
            piece.outside_either(random, "int $sum(int count, ...) { va_list ap; int s = 0; va_start(ap, count); while (count-- > 0) s = s * 2 + va_arg(ap, int); va_end(ap); return s; }");
            piece.line(format!("«$sum(3, {input}, 5, -1)»;"));
            piece.line(format!("‹{input} > 2|library?›;"));
            piece.line(format!("«$sum({input}, 4, 'a')»;"));
        }
        1 => {
            piece.outside(0, "static long $mixed(const char *kinds, ...) { va_list ap; long s = 0; va_start(ap, kinds); for (; *kinds; kinds++) switch (*kinds) { case 'i': s += va_arg(ap, int); break; case 'l': s += va_arg(ap, long); break; case 's': s += strlen(va_arg(ap, char *)); break; } va_end(ap); return s; }");
            piece.line(format!("«$mixed(\"isl\", {input}, \"abc\", 7L)»;"));
            piece.line(format!("«$mixed(\"\", {input})»;"));
        }
        2 => {
            piece.outside(0, "static int $format(char *to, unsigned long room, const char *format, ...) { va_list ap; va_start(ap, format); int n = vsnprintf(to, room, format, ap); va_end(ap); return n; }");
            piece.line(format!("char $t[{}] = \"\";", random.within(3, 8)));
            piece.line(format!(
                "«$format($t, sizeof $t, \"{}\", {input}, \"xy\")»;",
                random.text(&["%d%s", "%d", "%2d:%s", "%03d%.1s"])
            ));
            piece.line("«strlen($t)»;");
            piece.line("«$t[1]»;");
        }
        _ => {
            piece.outside(0, "static int $twice(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int x = va_arg(a, int) * 10; x += va_arg(b, int); va_end(a); va_end(b); return x; }");
            piece.line(format!("«$twice(1, {input})»;"));
        }
    }
    piece
}

/// Statement expressions, `typeof`, labels as values, `_Generic`, `cleanup`, `alloca`, case ranges.
pub fn extensions(random: &mut Random) -> Piece {
    let mut piece = Piece::new("extensions", random);
    let input = piece.number(random, 0, 3);
    match random.below(8) {
        0 => {
            piece.line(format!("int $x = ({{ int y = {input}; y * 2 + 1; }});"));
            piece.line("__typeof__($x) $z = $x - 1;");
            piece.line("«$z»;");
        }
        1 => {
            piece.line("static void *const $jump[] = { &&$one, &&$two, &&$three };");
            piece.line("int $r = 0;");
            piece.line(format!("goto *$jump[{input} % {}];", random.within(1, 3)));
            piece.line("$one: $r = 1;");
            piece.line("$two: $r += 2;");
            piece.line("$three: ;");
            piece.line("«$r»;");
        }
        2 => {
            let value = random.text(&["1", "1L", "1u", "'a'", "1.0f", "(char)1", "\"s\"", "(short)2"]);
            piece.line(format!("«_Generic(({value}), int: 1, long: 2, unsigned: 3, char: 4, float: 5, default: 6) + {input}»;"));
            piece.line("_Static_assert(sizeof(int) == 4, \"int\");");
        }
        3 => {
            piece.outside(0, "static int $log;\nstatic void $done(int *p) { $log = $log * 10 + *p; }");
            piece.line("{");
            piece.line(format!("int $a __attribute__((cleanup($done))) = {input};"));
            piece.line("int $b __attribute__((cleanup($done))) = 5;");
            piece.line("$a++;");
            piece.line("}");
            piece.line("«$log»;");
        }
        4 => {
            let size = random.within(1, 5);
            piece.line(format!("char *$p = __builtin_alloca({size} + {input});"));
            piece.line(format!("for (int k = 0; k < {size} + {input}; k++)"));
            piece.line("$p[k] = 'a' + k;");
            piece.line(format!("«$p[{}]»;", random.within(0, size)));
        }
        5 => {
            piece.line(format!("int $x = {input} ?: 9;"));
            piece.line("«$x»;");
            piece.line(format!("«($x++, $x + {input})»;"));
        }
        6 => {
            piece.shared(
                "struct $anonymous { int tag; union { int number; struct { short low, high; }; }; };",
            );
            piece.line(format!("struct $anonymous $x = {{ .tag = 1, .number = {input} * 70000 }};"));
            piece.line("«$x.low»;");
            piece.line("«$x.high + $x.tag»;");
        }
        _ => {
            piece.outside(0, "static int $calls;\nstatic int $pure(int x) __attribute__((noinline, warn_unused_result));\nstatic int $pure(int x) { $calls++; return x > 1; }");
            piece.line(format!("int $r = $pure({input}) && $pure(2);"));
            piece.line("«$r * 10 + $calls»;");
            piece.line(format!("«$pure({input}) || $pure(0)»;"));
            piece.line("«$calls»;");
        }
    }
    piece
}

/// A small machine with states in a global variable, driven by inputs.
pub fn machine(random: &mut Random) -> Piece {
    let mut piece = Piece::new("machine", random);
    piece.include("stdlib.h");
    piece.shared("enum $state { $IDLE, $BUSY, $DONE, $COUNT };");
    piece.outside(0, "static enum $state $now = $IDLE;\nstatic char *$buffer;\nstatic unsigned $used;");
    let size = random.within(2, 4);
    let checks = random.chance(60);
    piece.outside(0, format!("static void $enter(int x) {{ if ($now == $IDLE) {{ $buffer = malloc({size}); $used = 0; $now = $BUSY; }} else if ($now == $BUSY) {{ {} $buffer[$used++] = x; }} }}", if checks { format!("if ($used < {size})") } else { String::new() }));
    let frees =
        random.text(&["free($buffer); $buffer = 0;", "free($buffer);", "free($buffer); $buffer = 0;"]);
    piece
        .outside(0, format!("static void $leave(void) {{ if ($now == $BUSY) {{ {frees} $now = $DONE; }} }}"));
    let input = piece.input(random, 3);
    let other = piece.input(random, 3);
    piece.line("$enter(0);");
    piece.line(format!("for (int k = 0; k < {input}; k++)"));
    piece.line(format!("$enter({other});"));
    if random.chance(60) {
        piece.line(format!("if ({other} != 2) $enter(7);"));
    }
    piece.line("if ($used > 0)");
    piece.line("«$buffer[$used - 1]»;");
    piece.line("$leave();");
    if random.chance(30) {
        piece.line(format!("if ({other} == 1) free($buffer);"));
    }
    piece.line("«$now»;");
    piece.line("«$used»;");
    piece
}
