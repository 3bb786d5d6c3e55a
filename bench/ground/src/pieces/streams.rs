//! Files and standard input. What is read is open, so only failures that really happen, and harnesses, are compared.

use crate::piece::Piece;
use crate::random::Random;

/// `fopen`, `tmpfile`, reading, writing, closing, with the checks or without.
pub fn files(random: &mut Random) -> Piece {
    let mut piece = Piece::new("streams", random);
    piece.is_open = true;
    piece.include("stdlib.h");
    piece.include("string.h");
    let open = random.text(&["fopen(\"data.txt\", \"r\")", "fopen(\"out.txt\", \"w+\")", "tmpfile()"]);
    piece.line(format!("FILE *$f = {open};"));
    let is_checked = random.chance(80);
    if is_checked {
        piece.line("if ($f) {");
    } else {
        piece.line("‹!$f|pointer?›;");
        piece.line("{");
    }
    let size = random.within(4, 9);
    piece.line(format!("char $t[{size}] = \"\";"));
    for number in 0..random.within(1, 3) {
        match random.below(9) {
            0 => {
                let count = size + i64::from(random.chance(15));
                // C11 7.1.4: all of the array must be there, whatever is read.
                piece.line(format!("‹{count} > {size}|bounds›;"));
                piece.line(format!("if (fgets($t, {count}, $f))"));
                piece.line(format!("«strlen($t) < {size}»;"));
            }
            1 => {
                let count = size - 1 + i64::from(random.chance(15)) * 2;
                piece.line(format!("‹{count} > {size}|bounds›;"));
                piece.line(format!("size_t $n{number} = fread($t, 1, {count}, $f);"));
                piece.line(format!("«$n{number} <= {count}»;"));
            }
            2 => piece.line("fputs(\"ab\", $f);"),
            3 => {
                piece.line(format!("int $c{number} = fgetc($f);"));
                piece.line(format!("int $u{number}[256] = {{ 0 }};"));
                if random.chance(60) {
                    piece.line(format!("if ($c{number} != EOF)"));
                }
                piece.line(format!("$u{number}[$c{number}]++;"));
                piece.line(format!("«$c{number} >= -1 && $c{number} < 256»;"));
            }
            4 => {
                piece.line(format!("int $v{number} = -1;"));
                piece.line(format!("int $k{number} = fscanf($f, \"%d\", &$v{number});"));
                piece.line(format!("«$k{number} <= 1»;"));
                piece.line(format!("if ($k{number} != 1) «$v{number}»;"));
            }
            5 => piece.line("«fwrite(\"abc\", 1, 3, $f) <= 3»;"),
            6 => piece.line("«feof($f) == 0 || feof($f) != 0»;"),
            7 => piece.line("rewind($f);"),
            _ => piece.line("fprintf($f, \"%d %s\\n\", 3, \"x\");"),
        }
    }
    if random.chance(90) {
        piece.line("fclose($f);");
        match random.below(12) {
            0 => {
                piece.line("‹1|stream›;");
                piece.line("fputs(\"late\", $f);");
            }
            1 => {
                piece.line("‹1|stream›;");
                piece.line("fclose($f);");
            }
            _ => {}
        }
    }
    piece.line("}");
    piece
}

/// Standard input, character by character and line by line.
pub fn input(random: &mut Random) -> Piece {
    let mut piece = Piece::new("standard-input", random);
    piece.is_open = true;
    piece.include("string.h");
    match random.below(4) {
        0 => {
            piece.line("int $c = getchar();");
            piece.line("int $seen[128] = { 0 };");
            match random.below(3) {
                0 => piece.line("if ($c >= 0 && $c < 128)"),
                1 => piece.line("if ($c != EOF)"),
                _ => {}
            }
            piece.line("$seen[$c] = 1;");
            piece.line("«$seen[5] >= 0»;");
        }
        1 => {
            piece.line("char $line[8] = \"\";");
            let room = random.text(&["sizeof $line", "8", "9"]);
            piece.line(format!("‹{room} > 8|bounds›;"));
            piece.line(format!("if (fgets($line, {room}, stdin))"));
            piece.line("$line[strcspn($line, \"\\n\")] = 0;");
            piece.line("«strlen($line) < 8»;");
        }
        2 => {
            piece.line("int $x = 0;");
            piece.line(format!("if (scanf(\"%d\", &$x) {} 1)", random.text(&["==", "!="])));
            piece.line("«$x»;");
            // Not compared at once: gcc would make `x < 1001` of `x - 1000 < 1`, which cannot overflow.
            piece.line(format!("int $y = $x {} 1000;", random.text(&["%", "/", "-"])));
            piece.line("«$y < 1»;");
        }
        _ => {
            piece.line("char $t[6];");
            piece.line("int $n = 0;");
            piece.line("int $c;");
            piece.line(format!(
                "while ($n < {} && ($c = getchar()) != EOF && $c != '\\n')",
                random.text(&["5", "6", "7"])
            ));
            piece.line("$t[$n++] = $c;");
            piece.line("$t[$n] = 0;");
            piece.line("«$n»;");
        }
    }
    piece
}
