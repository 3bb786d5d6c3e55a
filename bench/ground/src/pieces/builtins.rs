//! Builtins of gcc.

use crate::piece::Piece;
use crate::random::Random;

/// Bit counts, checked arithmetic, questions about constants and sizes.
pub fn computing(random: &mut Random) -> Piece {
    let mut piece = Piece::new("builtins", random);
    let input = piece.number(random, -2, 5);
    for number in 0..random.within(1, 3) {
        match random.below(11) {
            0 => piece.line(format!("«__builtin_popcount((unsigned){input})»;")),
            1 | 2 => {
                // gcc computes it itself for constants, and UBSan sees nothing.
                piece.line(format!("‹({input}) == 0|library›;"));
                let function = random.text(&["__builtin_clz", "__builtin_ctzl"]);
                piece.line(format!("«{function}({input})»;"));
            }
            3 => piece.line(format!("«__builtin_ffs({input}) + __builtin_parity({input})»;")),
            4 => {
                let operation = random.text(&["add", "sub", "mul"]);
                let (result, left) = *random.pick(&[
                    ("int", "2147483646"),
                    ("signed char", "126"),
                    ("unsigned", "2u"),
                    ("short", "-32767"),
                    ("long", "9223372036854775806L"),
                    ("unsigned char", "254"),
                ]);
                piece.line(format!("{result} $r{number};"));
                piece.line(format!(
                    "int $o{number} = __builtin_{operation}_overflow({left}, {input}, &$r{number});"
                ));
                piece.line(format!("«$o{number}»;"));
                piece.line(format!("«$r{number}»;"));
            }
            5 => piece.line(format!("«__builtin_expect({input} > 2, 0)»;")),
            6 => piece.line(format!("«__builtin_bswap32({input}) ^ __builtin_bswap16({input})»;")),
            7 => {
                piece.line(format!("char $t{number}[7] = \"\";"));
                piece.line(format!("«__builtin_object_size($t{number} + 2, 0)»;"));
            }
            8 => piece.line("«__builtin_constant_p(4) + __builtin_types_compatible_p(int, signed)»;"),
            9 => {
                piece.line(format!("«__builtin_choose_expr(sizeof(long) == 8, {input} + 1, \"no\")»;"));
            }
            _ => {
                piece.line(format!("«__builtin_sadd_overflow({input}, 3, &(int){{ 0 }})»;"));
                piece.line(format!("«__builtin_clrsb({input})»;"));
            }
        }
    }
    piece
}

/// `__builtin_unreachable`, `__builtin_trap`, and attributes that promise something.
pub fn promises(random: &mut Random) -> Piece {
    let mut piece = Piece::new("builtin-promises", random);
    let input = piece.input(random, 3);
    let value = random.within(0, 5);
    match random.below(4) {
        0 => piece.line(format!("if ({input} == {value}) __builtin_unreachable();")),
        1 => {
            piece.outside(0, format!("static int $pick(int x) {{ switch (x) {{ case 0: return 5; case 1: case 2: return 6; case {}: return 7; }} __builtin_unreachable(); }}", random.within(3, 4)));
            piece.line(format!("«$pick({input})»;"));
        }
        2 => {
            piece.shared("int $first(int *) __attribute__((nonnull));");
            piece.outside_either(random, "int $first(int *p) { return *p; }");
            piece.line("int $x = 4;");
            piece.line(format!("int *$p = {input} == {value} ? 0 : &$x;"));
            piece.line("«$first($p)»;");
        }
        _ => {
            piece.outside(0, "static __attribute__((noreturn)) void $never(int x) { if (x) for (;;) reach_error(); __builtin_unreachable(); }");
            piece.line(format!("if ({input} > {value}) $never({});", random.within(0, 1)));
        }
    }
    piece.line(format!("«{input} * 2»;"));
    piece
}
