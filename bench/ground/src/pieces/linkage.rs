//! Names in several files: weak, alias, `static`, `inline`, tentative definitions, constructors.

use crate::piece::Piece;
use crate::random::Random;

/// Weak functions and variables: overridden, alone, or defined nowhere.
pub fn weak(random: &mut Random) -> Piece {
    let mut piece = Piece::new("weak", random);
    let input = piece.number(random, 0, 3);
    match random.below(5) {
        0 => {
            piece.shared("int $hook(int);");
            piece.outside(0, "__attribute__((weak)) int $hook(int x) { return x + 1; }");
            if random.chance(60) {
                piece.outside(1, "int $hook(int x) { return x * 3; }");
            }
            piece.line(format!("«$hook({input})»;"));
        }
        1 => {
            piece.shared("extern int $maybe(int) __attribute__((weak));");
            if random.chance(40) {
                piece.outside(1, "int $maybe(int x) { return x - 1; }");
            }
            match random.below(3) {
                0 => piece.line("if ($maybe)"),
                1 => piece.line(format!("if ({input} == 2)")),
                _ => piece.line("if (&$maybe != 0)"),
            }
            piece.line(format!("«$maybe({input})»;"));
        }
        2 => {
            piece.shared("extern int $setting;");
            piece.outside(0, format!("int $setting __attribute__((weak)) = {};", random.within(0, 9)));
            if random.chance(60) {
                piece.outside(1, format!("int $setting = {};", random.within(10, 19)));
            }
            piece.line("«$setting»;");
            piece.line(format!("$setting += {input};"));
            piece.line("«$setting»;");
        }
        3 => {
            piece.shared("extern int $optional __attribute__((weak));");
            if random.chance(40) {
                piece.outside(1, "int $optional = 6;");
            }
            if random.chance(75) {
                piece.line("if (&$optional)");
            }
            piece.line("«$optional»;");
        }
        _ => {
            piece.shared("int $weakly(void);\n#pragma weak $weakly");
            if random.chance(60) {
                piece.outside(1, "int $weakly(void) { return 4; }");
            }
            piece.line("«$weakly ? $weakly() : -1»;");
        }
    }
    piece
}

/// Second names of functions and variables.
pub fn alias(random: &mut Random) -> Piece {
    let mut piece = Piece::new("alias", random);
    let input = piece.number(random, 0, 4);
    match random.below(4) {
        0 => {
            piece.shared("int $twin(int);");
            let linkage = random.text(&["", "static "]);
            piece.outside(0, format!("{linkage}int $real(int x) {{ return x * 2 + 1; }}"));
            let weak = random.text(&["", "weak, "]);
            piece.outside(0, format!("int $twin(int) __attribute__(({weak}alias(\"$real\")));"));
            if weak == "weak, " && random.chance(50) {
                piece.outside(1, "int $twin(int x) { return x - 5; }");
            }
            piece.line(format!("«$twin({input})»;"));
        }
        1 => {
            piece.shared("extern int $second;");
            piece.outside(0, "int $first = 3;\nextern int $second __attribute__((alias(\"$first\")));");
            piece.outside_either(random, "void $change(int x) { $second += x; }");
            piece.shared("void $change(int);");
            piece.line(format!("$change({input});"));
            piece.line("«$second»;");
            piece.line("$second = 9;");
            piece.line("«$second»;");
        }
        2 => {
            piece.outside(0, "int $array[3] = { 1, 2, 3 };\nextern int $view[3] __attribute__((alias(\"$array\")));\nint $at(int k) { return $array[k]; }\nvoid $put(int k, int v) { $view[k] = v; }");
            piece.shared("int $at(int);\nvoid $put(int, int);");
            let slip = i64::from(random.chance(15));
            let index = piece.number(random, 0, 2 + slip);
            piece.line(format!("$put({index}, 7);"));
            piece.line(format!("«$at({index})»;"));
        }
        _ => {
            piece.shared("int $twin(int);\nint $real(int);");
            piece.outside(
                0,
                "int $real(int x) { return x ^ 1; }\nint $twin(int) __attribute__((alias(\"$real\")));",
            );
            piece.line("«$twin == $real»;");
            piece.line("int (*$p)(int) = $twin;");
            piece.line(format!("«$p({input})»;"));
        }
    }
    piece
}

/// Variables that files share, tentative definitions, `static` ones of one name.
pub fn variables(random: &mut Random) -> Piece {
    let mut piece = Piece::new("shared-variables", random);
    let input = piece.number(random, 0, 4);
    match random.below(4) {
        0 => {
            piece.outside(0, "static int $count = 1;\nint $here(int x) { $count += x; return $count; }");
            piece.outside(1, "static int $count = 100;\nint $there(int x) { $count -= x; return $count; }");
            piece.files = 2;
            piece.shared("int $here(int);\nint $there(int);");
            piece.line(format!("«$here({input})»;"));
            piece.line(format!("«$there({input})»;"));
            piece.line("«$here(1) + $there(1)»;");
        }
        1 => {
            piece.outside(0, "int $tentative;\nint $tentative;\nextern int $tentative;");
            piece.outside(0, "static int $table[];\nstatic int $table[3] = { 1, 2 };");
            piece.shared("void $set(int);");
            piece.outside_either(random, "extern int $tentative;\nvoid $set(int x) { $tentative = x; }");
            piece.outside(0, "int $sum(void) { return $tentative + $table[1] + $table[2]; }");
            piece.shared("int $sum(void);");
            piece.line("«$sum()»;");
            piece.line(format!("$set({input});"));
            piece.line("«$sum()»;");
        }
        2 => {
            let size = random.within(2, 4);
            piece.shared(format!(
                "extern short $list[{}];\nextern const unsigned $length;",
                random.text(&["", ""])
            ));
            piece.outside(1, format!("short $list[{size}] = {{ 5, 6 }};\nconst unsigned $length = sizeof $list / sizeof $list[0];"));
            let operator = random.text(&["<", "<", "<="]);
            piece.line(format!("unsigned $k = {input};"));
            piece.line(format!("if ($k {operator} $length)"));
            piece.line("«$list[$k]»;");
            piece.line("«$length»;");
        }
        _ => {
            piece.shared(
                "struct $state { int level; struct $state *other; };\nextern struct $state $one, $two;",
            );
            piece.outside(0, "struct $state $one = { 1, &$two };");
            piece.outside(1, "struct $state $two = { 2, &$one };");
            if random.chance(30) {
                piece.line(format!("if ({input} == 3) $two.other = 0;"));
            }
            piece.line(format!("$one.other->level += {input};"));
            piece.line("«$two.level»;");
            piece.line("«$one.other->other->level»;");
        }
    }
    piece
}

/// `inline` in its three forms, and static variables in it.
pub fn inline(random: &mut Random) -> Piece {
    let mut piece = Piece::new("inline", random);
    let input = piece.number(random, 0, 4);
    match random.below(4) {
        0 => {
            piece.shared("static inline int $next(int x) { static int calls; calls++; return x + calls; }");
            piece.shared("int $other(int);");
            piece.outside(1, "int $other(int x) { return $next(x) * 10; }");
            piece.line(format!("«$next({input})»;"));
            piece.line(format!("«$other({input})»;"));
            piece.line("«$next(0)»;");
        }
        1 => {
            piece.shared("inline int $twice(int x) { return x + x; }");
            piece.outside(0, "extern inline int $twice(int x);");
            piece.line(format!("«$twice({input})»;"));
        }
        2 => {
            // Without optimisation, gcc calls the external definition.
            piece.shared(
                "extern __inline__ __attribute__((__gnu_inline__)) int $gnu(int x) { return x + 2; }",
            );
            piece.outside(0, "int $gnu(int x) { return x + 7; }");
            piece.line(format!("«$gnu({input})»;"));
        }
        _ => {
            piece.outside(0, "static inline __attribute__((always_inline)) int $clamp(int x, int most) { return x > most ? most : x; }");
            piece.line("int $a[3] = { 3, 2, 1 };");
            piece.line(format!("«$a[$clamp({input}, {})]»;", random.within(1, 3)));
        }
    }
    piece
}

/// Functions that run before and after `main`.
pub fn constructors(random: &mut Random) -> Piece {
    let mut piece = Piece::new("constructors", random);
    piece.is_alone = true;
    piece.shared("extern int $order;");
    piece.outside(
        0,
        "int $order = 1;\nstatic void __attribute__((constructor)) $early(void) { $order = $order * 2 + 1; }",
    );
    if random.chance(60) {
        let (first, second) = (random.within(101, 110), random.within(101, 110));
        piece.outside(
            0,
            format!("static void __attribute__((constructor({first}))) $first(void) {{ $order += 3; }}"),
        );
        piece.outside(
            1,
            format!("static void __attribute__((constructor({second}))) $second(void) {{ $order *= 5; }}"),
        );
    }
    if random.chance(40) {
        piece.outside(0, "static void __attribute__((destructor)) $late(void) { $order = 0; }");
    }
    piece.line("«$order»;");
    piece
}

/// Rarer ways to share a name: `common`, `weakref`, `asm` names, `extern` in a block, old definitions.
pub fn names(random: &mut Random) -> Piece {
    let mut piece = Piece::new("names", random);
    let input = piece.number(random, 0, 3);
    match random.below(8) {
        0 => {
            piece.outside(
                0,
                "__attribute__((common)) int $pool;\nint $first(int x) { $pool += x; return $pool; }",
            );
            let value = random.text(&["", " = 5"]);
            let common = if value.is_empty() { "__attribute__((common)) " } else { "" };
            piece.outside(1, format!("{common}int $pool{value};\nint $second(void) {{ return $pool * 2; }}"));
            piece.shared("int $first(int);\nint $second(void);");
            piece.line(format!("«$first({input}) + $second()»;"));
        }
        1 => {
            piece.shared("int $target(int);");
            piece.outside(1, "int $target(int x) { return x + 40; }");
            piece.outside(0, "static int $reference(int) __attribute__((weakref(\"$target\")));\nint $through(int x) { return $reference ? $reference(x) : -1; }");
            piece.shared("int $through(int);");
            piece.line(format!("«$through({input})»;"));
        }
        2 => {
            piece.outside(0, "int $visible = 4;");
            piece.outside(1, "int $look(void) { extern int $visible; { int $visible = 9; { extern int $visible; $visible++; } return $visible; } }");
            piece.shared("int $look(void);");
            piece.line("«$look()»;");
            piece.line("{");
            piece.line("extern int $visible;");
            piece.line("«$visible»;");
            piece.line("}");
        }
        3 => {
            piece.outside(0, "int $old(a, b) int a; short b; { return a * 10 + b; }");
            piece.shared("int $old();");
            piece.line(format!("«$old({input}, 3)»;"));
        }
        4 => {
            piece.outside(
                0,
                "int $list[];\nint $count(void) { return $list[0]; }\nint $list[3] = { 7, 8, 9 };",
            );
            piece.shared("int $count(void);\nextern int $list[];");
            piece.line("«$count()»;");
            let slip = i64::from(random.chance(20));
            piece.line(format!("«$list[({input}) % 3 + {slip}]»;"));
        }
        5 => {
            piece.shared("extern int $renamed __asm__(\"$real\");\nint $get(void);");
            piece.outside(1, "int $real_value = 6;");
            piece.outside(0, "int $renamed = 3;\nint $get(void) { return $renamed; }");
            piece.line(format!("$renamed += {input};"));
            piece.line("«$get()»;");
        }
        6 => {
            piece.outside(0, "static int $helper(int);\nint $here(int x) { return $helper(x); }\nstatic int $helper(int x) { return x + 1; }");
            piece.outside(1, "static int $helper(int);\nint $there(int x) { return $helper(x); }\nstatic int $helper(int x) { return x * 100; }");
            piece.shared("int $here(int);\nint $there(int);\ntypedef int (*$operation)(int);");
            piece.line("static const $operation $both[] = { $here, $there };");
            piece.line(format!("«$both[{input} & 1](2)»;"));
            piece.line(format!("«$here({input}) + $there({input})»;"));
        }
        _ => {
            let hidden = random.text(&[
                "visibility(\"hidden\")",
                "used",
                "unused",
                "section(\".data.own\")",
                "aligned(32)",
                "nocommon",
            ]);
            piece.shared("extern int $marked;");
            piece.outside_either(random, format!("int $marked __attribute__(({hidden})) = 12;"));
            piece.line(format!("$marked -= {input};"));
            piece.line("«$marked»;");
            piece.line("«(unsigned long)&$marked % 4»;");
        }
    }
    piece
}
