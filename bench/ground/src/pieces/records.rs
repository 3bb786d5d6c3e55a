//! Unions, bit-fields, structures by value, initialisers.

use crate::piece::Piece;
use crate::random::Random;

/// What is written to one member is read from another.
pub fn unions(random: &mut Random) -> Piece {
    let mut piece = Piece::new("unions", random);
    piece.shared(
        "union $u { int i; unsigned u; unsigned char c[4]; short s[2]; struct { char low; unsigned char high; } p; float f; };",
    );
    let input = piece.number(random, -2, 5);
    piece.line("union $u $x = { 0 };");
    for _ in 0..random.within(1, 3) {
        match random.below(6) {
            0 => piece.line(format!("$x.i = {input} * {};", random.within(-70000, 70000))),
            1 => piece.line(format!("$x.c[{}] = {input};", random.within(0, 3))),
            2 => piece.line(format!("$x.s[{}] = {};", random.within(0, 1), random.within(-40000, 40000))),
            3 => piece.line("$x.p.high = 200;"),
            4 => {
                let slip = i64::from(random.chance(15));
                let index = piece.number(random, 0, 3 + slip);
                piece.line(format!("$x.c[{index}] += 250;"));
            }
            _ => piece.line(format!("$x.u = (unsigned){input} << {};", random.within(0, 31))),
        }
        let member = random.text(&["i", "u", "c[0]", "c[1]", "c[3]", "s[0]", "s[1]", "p.low", "p.high"]);
        piece.line(format!("«$x.{member}»;"));
    }
    if random.chance(30) {
        piece.line(format!("$x.f = {}.5f;", random.within(-3, 9)));
        piece.line("«$x.u»;");
    }
    if random.chance(30) {
        piece.line("union $u $y = $x;");
        piece.line("«$y.c[0] + $y.s[1]»;");
    }
    piece
}

/// Narrow members, their wrapping and their layout.
pub fn bit_fields(random: &mut Random) -> Piece {
    let mut piece = Piece::new("bit-fields", random);
    let widths = [random.within(1, 7), random.within(1, 12), random.within(2, 17)];
    let gap = random.text(&["", "int : 0; ", "unsigned : 3; ", ""]);
    piece.shared(format!(
        "struct $bits {{ unsigned a : {}; int b : {}; {gap}long c : {}; {} last; }};",
        widths[0],
        widths[1] + 1,
        widths[2],
        random.text(&["char", "int", "short"])
    ));
    let input = piece.number(random, -3, 6);
    match random.below(2) {
        0 => piece.line("struct $bits $x = { 0 };"),
        _ => piece.line(format!("struct $bits $x = {{ .c = {}, .a = 1 }};", random.within(-1, 1))),
    }
    for _ in 0..random.within(1, 4) {
        let member = random.text(&["a", "b", "c", "last"]);
        match random.below(5) {
            0 => piece.line(format!("$x.{member}++;")),
            1 => piece.line(format!("$x.{member} -= {};", random.within(0, 5))),
            2 => piece.line(format!("$x.{member} = {input} * {};", random.within(-300, 300))),
            3 => piece.line(format!("$x.{member} = ~$x.{member};")),
            _ => piece.line(format!("$x.{member} |= {input};")),
        }
        piece.line(format!("«$x.{member}»;"));
    }
    piece.line("«sizeof $x»;");
    if random.chance(30) {
        piece.line(format!("«$x.a - {}»;", random.within(1, 9)));
    }
    piece
}

/// Structures passed, returned and copied; enumerations.
pub fn structures(random: &mut Random) -> Piece {
    let mut piece = Piece::new("structures", random);
    piece.shared("enum $color { $RED, $GREEN = 5, $BLUE };");
    piece.shared("struct $inner { short x; char tag[3]; };");
    piece.shared("struct $outer { struct $inner in[2]; enum $color color; int *link; };");
    piece.shared("struct $outer $make(int, enum $color);");
    let file = random.below(2);
    piece.outside(
        file,
        "struct $outer $make(int x, enum $color c) { struct $outer o = { { { x, \"ab\" }, { -x, \"\" } }, c, 0 }; o.in[1].tag[1] = 'q'; return o; }",
    );
    let input = piece.number(random, -1, 4);
    piece.line(format!(
        "struct $outer $a = $make({input}, {});",
        random.text(&["$RED", "$GREEN", "$BLUE", "3"])
    ));
    piece.line("struct $outer $b = $a;");
    piece.line("$b.in[0].x += 10;");
    piece.line("int $target = 8;");
    if random.chance(70) {
        piece.line(format!("if ({input} != 3) $b.link = &$target;"));
    }
    for _ in 0..random.within(1, 3) {
        let beyond = i64::from(random.chance(12));
        let index = piece.number(random, 0, 1 + beyond);
        match random.below(6) {
            0 => piece.line(format!("«$a.in[{index}].x * 100 + $b.in[0].x»;")),
            1 => piece.line(format!("«$b.in[{index}].tag[1]»;")),
            2 => {
                if random.chance(70) {
                    piece.line("if ($b.link)");
                }
                piece.line("«*$b.link»;");
            }
            3 => piece.line("«$a.color == $GREEN»;"),
            4 => piece.line(format!("«$make({input}, $BLUE).in[{index}].x»;")),
            _ => {
                piece.line("{");
                piece.line("struct $inner *$p = $b.in;");
                piece.line(format!("$p[{index}].x = {};", random.within(-9, 9)));
                piece.line("}");
            }
        }
    }
    piece.line("«$b.in[1].x + $b.color»;");
    piece
}

/// Designated initialisers, compound literals, what is left out.
pub fn initialisers(random: &mut Random) -> Piece {
    let mut piece = Piece::new("initialisers", random);
    piece.shared("struct $point { int x, y; char name[4]; };");
    let number = |random: &mut Random| random.within(-9, 9);
    let place = random.below(2);
    let declare = |piece: &mut Piece, text: String| {
        if place == 0 { piece.outside(0, text) } else { piece.line(text) }
    };
    match random.below(4) {
        0 => {
            let size = random.within(4, 6);
            let mut entries = Vec::new();
            for _ in 0..random.within(1, 5) {
                let value = number(random);
                entries.push(match random.below(3) {
                    // The next two elements fit.
                    0 => format!("[{}] = {value}", random.within(0, 2)),
                    1 if entries.len() < 2 => format!("[0 ... {}] = {value}", random.within(0, 1)),
                    _ => format!("[{}] = {value}", random.within(0, size - 1)),
                });
            }
            declare(&mut piece, format!("int $a[{size}] = {{ {} }};", entries.join(", ")));
            let slip = i64::from(random.chance(15));
            let index = piece.number(random, 0, size - 1 + slip);
            piece.line(format!("«$a[{index}]»;"));
        }
        1 => {
            declare(
                &mut piece,
                format!(
                    "struct $point $p[3] = {{ [1] = {{ .y = {}, .x = {} }}, [1].x = {}, {{ {} }} }};",
                    number(random),
                    number(random),
                    number(random),
                    number(random)
                ),
            );
            let index = piece.number(random, 0, 2);
            piece.line(format!("«$p[{index}].x * 100 + $p[{index}].y»;"));
            piece.line(format!("«$p[{index}].name[3]»;"));
        }
        2 => {
            piece.line(format!(
                "struct $point *$p = &(struct $point){{ .name = \"ab{}\", .x = {} }};",
                random.text(&["", "c", "cd"]),
                number(random)
            ));
            piece.line("«$p->x + $p->y»;");
            let slip = i64::from(random.chance(15));
            let index = piece.number(random, 0, 3 + slip);
            piece.line(format!("«$p->name[{index}]»;"));
        }
        _ => {
            declare(
                &mut piece,
                format!("int $a[] = {{ {}, [3] = {}, {} }};", number(random), number(random), number(random)),
            );
            piece.line("«sizeof $a / sizeof $a[0]»;");
            let slip = i64::from(random.chance(20));
            let index = piece.number(random, 0, 4 + slip);
            piece.line(format!("«$a[{index}]»;"));
            piece.line(format!("«((int[]){{ 1, {}, 3 }})[{}]»;", number(random), random.within(0, 2)));
        }
    }
    piece
}
