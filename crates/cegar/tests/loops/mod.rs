//! Random loops with random assertions, and whether they can fail: the inputs are few, so that the interpreter can try every one. Used by
//! the tests and by the bench.

#[path = "../../../symbolic/tests/random/mod.rs"]
#[allow(dead_code)] // its programs are not for loops
mod random;

use concrete::{Captured, InputShape, InputTrouble, Inputs, Interpreter, OnUndefined, Outcome};
use csource::types::DataModel;
use csource::{Session, parser, sema};
use program::Program;
use random::Draw;

/// The program of a text.
pub fn load(text: &str) -> Program {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("loop.i", text.to_owned()).expect("small");
    let syntax = parser::parse(source, &mut session);
    let tree = sema::analyse(&syntax, &mut session);
    assert!(!session.diagnostics.has_errors(), "{:?}\n{text}", session.diagnostics.iter().next());
    lower::lower(vec![tree], session, &lower::Settings::default()).program
}

fn variable(draw: &mut Draw) -> &'static str {
    ["x", "y", "z", "s", "i", "*p", "a[1]"][draw.below(7)]
}

fn target(draw: &mut Draw) -> &'static str {
    ["x", "y", "z", "s", "*p", "a[1]"][draw.below(6)]
}

fn update(draw: &mut Draw) -> String {
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

fn condition(draw: &mut Draw) -> String {
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
    let mut draw = Draw(seed);
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
                Outcome::ErrorReached { .. } => true,
                Outcome::Exited(0) => false,
                other => panic!("{other:?}"),
            }
        })
    })
}
