//! Random loops with random assertions, and whether they can fail: the inputs are few, so that the interpreter can
//! try every one.

use crate::Random;
use concrete::{Captured, InputShape, InputTrouble, Inputs, Interpreter, OnUndefined, RunOutcome};
use program::Program;

fn variable(draw: &mut Random) -> &'static str {
    ["x", "y", "z", "s", "i", "*p", "a[1]"][draw.below(7)]
}

fn target(draw: &mut Random) -> &'static str {
    ["x", "y", "z", "s", "*p", "a[1]"][draw.below(6)]
}

fn update(draw: &mut Random) -> String {
    let (to, from) = (target(draw), variable(draw));
    let number = draw.below(7) as i32 - 2;
    match draw.below(9) {
        8 => format!("{to} = deep({from} & 3, {});", variable(draw)),
        0 | 1 => format!("{to} = {to} + {number};"),
        2 => format!("{to} = {from};"),
        3 => format!("{to} = {to} + {from};"),
        4 => format!("{to} = {from} - {number};"),
        5 => format!("{to} = {};", draw.below(4)),
        6 => format!("bump(&{}, {number});", ["x", "y", "a[0]"][draw.below(3)]),
        _ => format!("p = {};", ["&x", "&y", "&a[1]"][draw.below(3)]),
    }
}

fn condition(draw: &mut Random) -> String {
    let (one, two) = (variable(draw), variable(draw));
    let number = draw.below(24) as i32 - 4;
    let relation = ["<", "<=", "!=", ">=", "!="][draw.below(5)];
    match draw.below(5) {
        0 | 1 => format!("{one} {relation} {number}"),
        2 => format!("{one} {relation} {two} + {number}"),
        3 => format!("({one} & 1) == {}", draw.below(2)),
        _ => format!("({one} {relation} {number} || {two} != {})", draw.below(4)),
    }
}

/// A random program: a loop of up to seven rounds, with an assertion after it and perhaps one in it.
pub fn program(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let mut body = String::new();
    for _ in 0..1 + draw.below(3) {
        let statement = update(&mut draw);
        body.push_str(&match draw.below(3) {
            0 => format!(
                "    if ({}) {{ {statement} }} else {{ {} }}\n",
                condition(&mut draw),
                update(&mut draw)
            ),
            _ => format!("    {statement}\n"),
        });
    }
    if draw.below(2) == 0 {
        let (one, two) = (update(&mut draw), update(&mut draw));
        body.push_str(&format!("    if (__VERIFIER_nondet_uchar() & 1) {{ {one} }} else {{ {two} }}\n"));
    }
    if draw.below(3) == 0 {
        body.push_str(&format!("    if (!({})) reach_error();\n", condition(&mut draw)));
    }
    let starts: Vec<usize> = (0..4).map(|_| draw.below(4)).collect();
    let last = ["<= 0", "< 1", "== 0 || k < 0"][draw.below(3)];
    let between = ["", "s = s + 1;", "if (v < 0) return s;", "if (v > 30) reach_error();"][draw.below(4)];
    let next = ["", " + 1", " - k", " + k"][draw.below(4)];
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\nint s = {};\n\
         static void bump(int *at, int by) {{ int old = *at; *at = old + by; }}\n\
         static int deep(int k, int v) {{ if (k {}) return v + {}; {} return deep(k - 1, v{}) + {}; }}\n\
         int main(void) {{\n  int x = {}, y = {}, z = {}, a[2] = {{ 1, 2 }}, *p = &x;\n  int n = __VERIFIER_nondet_uchar() & 7;\n\
         \x20 int i = 0;\n  while (i < n) {{\n{body}    i++;\n  }}\n  if (!({})) reach_error();\n  return 0;\n}}\n",
        starts[0],
        last,
        draw.below(3),
        between,
        next,
        draw.below(3),
        starts[1],
        starts[2],
        starts[3],
        condition(&mut draw)
    )
}

fn element(draw: &mut Random) -> String {
    let number = draw.below(5) as i32 - 1;
    match draw.below(8) {
        0 => format!("{number}"),
        1 => format!("i + {number}"),
        2 => format!("a[i] + {number}"),
        3 => "b[i]".to_owned(),
        4 => "m".to_owned(),
        5 => format!("b[i] - a[i] + {number}"),
        6 => format!("a[i > 0 ? i - 1 : 0] + {number}"),
        _ => format!("a[{}]", draw.below(7)),
    }
}

fn about_element(draw: &mut Random) -> String {
    let relation = ["<", "<=", "!=", ">=", "==", "=="][draw.below(6)];
    let one = ["a[i]", "b[i]", "a[i]", "m"][draw.below(4)];
    match draw.below(3) {
        0 => format!("{one} {relation} {}", draw.below(5) as i32 - 1),
        _ => format!("{one} {relation} {}", element(draw)),
    }
}

/// A random program about arrays: loops that write elements, then one that asserts something of each. The first loop
/// has the inputs.
pub fn array_program(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let first = match draw.below(3) {
        0 => "__VERIFIER_nondet_uchar() & 1".to_owned(),
        1 => format!("(__VERIFIER_nondet_uchar() & 1) + {}", draw.below(3)),
        _ => element(&mut draw),
    };
    let mut loops = String::new();
    for _ in 0..1 + draw.below(2) {
        let head = match draw.below(5) {
            0 => "int i = 0; i < n; i += 2",
            1 => "int i = n - 1; i >= 0; i--",
            2 => "int i = 1; i < n; i++",
            _ => "int i = 0; i < n; i++",
        };
        let to = ["a[i]", "b[i]", "b[i]", "m"][draw.below(4)];
        let statement = format!("{to} = {};", element(&mut draw));
        let statement = match draw.below(3) {
            0 => format!("if ({}) {statement}", about_element(&mut draw)),
            _ => statement,
        };
        loops.push_str(&format!("  for ({head}) {{ {statement} }}\n"));
    }
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\n\
         int a[8], b[8];\nint main(void) {{\n  int m = {}, n = __VERIFIER_nondet_uchar() & 7;\n\
         \x20 for (int i = 0; i < 8; i++) b[i] = {};\n  for (int i = 0; i < n; i++) a[i] = {first};\n{loops}\
         \x20 for (int i = 0; i < n; i++) if (!({})) reach_error();\n  return 0;\n}}\n",
        draw.below(4),
        draw.below(4),
        about_element(&mut draw)
    )
}

/// A random program about rows of elements: arrays with two indices, places that are multiples of a counter, flags that say what a search has
/// found, and sums, with an assertion about one of them. The first loop has the inputs.
pub fn rows_program(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let mut loops = String::new();
    for _ in 0..1 + draw.below(3) {
        let (number, other) = (draw.below(4) as i32 - 1, draw.below(3));
        let value = [
            format!("{number}"),
            "v".to_owned(),
            format!("i + {number}"),
            format!("r[i] + {number}"),
            format!("c[i][{other}]"),
        ][draw.below(5)]
        .clone();
        let text = match draw.below(7) {
            0 | 1 => {
                let to = ["c[i][j]", "c[i][2 - j]", "d[i][j]"][draw.below(3)];
                let when = ["", "if (j > 0) ", "if (c[i][j] > 0) "][draw.below(3)];
                let first = ["0", "0", "1"][draw.below(3)];
                format!("for (i = {first}; i < n; i++) for (j = 0; j < 3; j++) {when}{to} = {value};")
            }
            2 => {
                format!("for (i = 1; i <= n / 2; i++) {{ r[2 * i - 2] = {value}; r[2 * i - 1] = {number}; }}")
            }
            3 => format!("for (i = 0; i < n && !f; i++) if (r[i] == {number}) {{ f = 1; p = i; }}"),
            4 => ["for (i = 0; i < n; i++) s = s + r[i];", "for (i = 0; i < n; i++) s = s - r[i];"]
                [draw.below(2)]
            .to_owned(),
            5 => format!("for (i = 0; i < n; i++) {{ r[i] = {value}; s = s + {number}; }}"),
            _ => format!("for (i = n - 1; i >= 0; i--) {{ r[i] = {value}; f = {}; }}", draw.below(2)),
        };
        loops.push_str(&format!("  {text}\n"));
    }
    let relation = ["<", "<=", "!=", ">=", "==", "=="][draw.below(6)];
    let number = draw.below(5) as i32 - 1;
    let asked = match draw.below(5) {
        0 => format!(
            "for (i = 0; i < n; i++) for (j = 0; j < 3; j++) if (!(c[i][j] {relation} {number})) reach_error();"
        ),
        1 => format!(
            "for (i = 0; i < n; i++) for (j = 0; j < 3; j++) if (!(c[i][j] {relation} d[i][j])) reach_error();"
        ),
        2 => format!("if (f) for (i = 0; i < p; i++) if (!(r[i] {relation} {number})) reach_error();"),
        3 => format!("if (!(s {relation} {})) reach_error();", ["n", "n * 2", "0", "n + v"][draw.below(4)]),
        _ => format!("for (i = 0; i < n; i++) if (!(r[i] {relation} {number})) reach_error();"),
    };
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\n\
         int c[8][3], d[8][3], r[8];\nint main(void) {{\n  int i, j, p = 0, f = 0, s = 0, v = {}, n = __VERIFIER_nondet_uchar() & 7;\n\
         \x20 for (i = 0; i < n; i++) r[i] = {};\n{loops}  {asked}\n  return 0;\n}}\n",
        draw.below(3),
        ["1", "v", "__VERIFIER_nondet_uchar() & 1", "(__VERIFIER_nondet_uchar() & 1) + 1"][draw.below(4)],
    )
}

fn transition(draw: &mut Random, states: usize) -> String {
    let to = draw.below(states);
    match draw.below(6) {
        0 => format!("flag = {};", draw.below(4)),
        1 => format!("if (flag == {}) flag = {};", draw.below(4), draw.below(4)),
        2 => format!("next = {to};"),
        3 => "state = next;".to_owned(),
        4 => format!("if (mode) state = {to}; else flag = flag + {};", draw.below(2)),
        _ => format!("state = {to};"),
    }
}

/// A random state machine: it goes from state to state for up to seven rounds, and fails in one of them if its flag
/// says so.
pub fn machine_program(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let states = 3 + draw.below(3);
    let mut cases = String::new();
    for state in 0..states {
        let (one, two) = (transition(&mut draw, states), transition(&mut draw, states));
        cases.push_str(&format!("    case {state}: if (bit) {{ {one} }} else {{ {two} }} "));
        cases.push_str(&format!("{} break;\n", transition(&mut draw, states)));
    }
    format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\n\
         int main(void) {{\n  int state = 0, next = {}, flag = 0, n = __VERIFIER_nondet_uchar() & 7, mode = n & 1;\n\
         \x20 for (int i = 0; i < n; i++) {{\n    int bit = __VERIFIER_nondet_uchar() & 1;\n\
         \x20   if (state == {} && flag == {}) reach_error();\n    switch (state) {{\n{cases}    }}\n  }}\n  return 0;\n}}\n",
        draw.below(states),
        draw.below(states),
        1 + draw.below(3)
    )
}

/// One of all inputs: how many rounds, and a bit for each.
struct Chosen {
    rounds: u8,
    bits: u8,
    asked: u32,
}

impl Inputs for Chosen {
    fn next(&mut self, _name: &str, _shape: InputShape) -> Result<u128, InputTrouble> {
        self.asked += 1;
        Ok(match self.asked {
            1 => u128::from(self.rounds),
            later => u128::from(self.bits >> ((later - 2) % 8) & 1),
        })
    }
}

/// Does one of all runs call `reach_error`?
pub fn can_fail(program: &Program) -> bool {
    let interpreter = Interpreter::new(program);
    let settings =
        concrete::Settings { on_undefined: OnUndefined::Continue, ..concrete::Settings::default() };
    (0..8u8).any(|rounds| {
        (0..1u16 << rounds).any(|bits| {
            let mut inputs = Chosen { rounds, bits: bits as u8, asked: 0 };
            let run = interpreter.run(&settings, &mut Captured::default(), &mut inputs);
            assert!(
                run.tolerated.iter().all(|report| report.kind == concrete::UndefinedKind::SignedOverflow)
            );
            match run.outcome {
                RunOutcome::ErrorReached { .. } => true,
                RunOutcome::Exited(0) => false,
                other => panic!("{other:?}"),
            }
        })
    })
}
