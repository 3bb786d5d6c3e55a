//! Many rounds of a loop at once give what one round at a time gives: a run that somebody watches step by step (no rounds
//! are skipped then) and one that nobody watches end alike, on loops drawn at random and on those near the limits of types.

use crate::common;

use base::random::Random;
use concrete::{Captured, Interpreter, Observer, OnUndefined, Run, SeededInputs, Settings, Step};
use std::fmt::Write as _;

/// Sees every step.
#[derive(Default)]
struct EveryStep(u64);

impl Observer for EveryStep {
    fn step(&mut self, _step: Step) {
        self.0 += 1;
    }
}

/// Sees those that are told.
#[derive(Default)]
struct SomeSteps(u64);

impl Observer for SomeSteps {
    fn step(&mut self, _step: Step) {
        self.0 += 1;
    }

    fn may_skip_rounds(&self) -> bool {
        true
    }
}

fn settings() -> Settings {
    let mut settings = Settings { on_undefined: OnUndefined::Continue, ..Settings::default() };
    settings.limits.steps = Some(3_000_000);
    settings
}

fn one_by_one(program: &program::Program) -> (Run, String, u64) {
    let (mut host, mut observer) = (Captured::default(), EveryStep::default());
    let interpreter = Interpreter::new(program);
    let run = interpreter.watch(&settings(), &mut host, &mut SeededInputs::new(3), &mut observer);
    (run, String::from_utf8_lossy(&host.out).into_owned(), observer.0)
}

fn at_once(program: &program::Program) -> (Run, String, u64) {
    let (mut host, mut observer) = (Captured::default(), SomeSteps::default());
    let interpreter = Interpreter::new(program);
    let run = interpreter.watch(&settings(), &mut host, &mut SeededInputs::new(3), &mut observer);
    (run, String::from_utf8_lossy(&host.out).into_owned(), observer.0)
}

/// A program with a few loops over a few variables of all widths.
fn drawn(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut pick = |most: u64| random.bits() % most;
    let types =
        ["int", "unsigned", "short", "unsigned char", "long", "unsigned long", "signed char", "_Bool"];
    let mut text =
        String::from("extern int printf(const char *, ...);\nstatic unsigned g;\nint main(void) {\n");
    let names = ["a", "b", "c", "d"];
    for name in names {
        let ty = types[pick(8) as usize];
        let start = match pick(4) {
            0 => pick(10),
            1 => 100 + pick(300),
            2 => 2_147_483_000 + pick(600),
            _ => 4_294_966_000 + pick(1200),
        };
        let _ = writeln!(text, "  {ty} {name} = ({ty}){start}{};", if pick(2) == 0 { "ul" } else { "l" });
    }
    let update = |random: &mut dyn FnMut(u64) -> u64| {
        let name = names[random(4) as usize];
        let other = names[random(4) as usize];
        let number = random(7);
        match random(9) {
            0 => format!("{name} += {number};"),
            1 => format!("{name} -= {number};"),
            2 => format!("{name} = {other} + {number};"),
            3 => format!("g += {number};"),
            4 => format!("{name} = {other};"),
            5 => format!("if ({name} < {other}) {name} += {number}; else {other} -= 1;"),
            6 => format!("if ({name} != {}) {other}++;", random(900)),
            7 => format!("{name} = {other} * {number};"),
            _ => format!("{name} = {other} > {};", random(300)),
        }
    };
    for _ in 0..1 + pick(3) {
        let bound = [400, 3000, 70_000][pick(3) as usize];
        let condition = match pick(4) {
            0 => format!("k < {bound}"),
            1 => format!("k != {bound} && {} < {}", names[pick(4) as usize], 200 + pick(5000)),
            2 => format!("k < {bound} && (unsigned){} + 3 > 2", names[pick(4) as usize]),
            _ => format!("k <= {bound}"),
        };
        let _ = writeln!(text, "  for (int k = 0; {condition}; k++) {{");
        for _ in 0..1 + pick(4) {
            let _ = writeln!(text, "    {}", update(&mut pick));
        }
        let _ = writeln!(text, "  }}");
        let _ = writeln!(text, "  printf(\"%ld %ld %ld %ld %u\\n\", (long)a, (long)b, (long)c, (long)d, g);");
    }
    text.push_str("  return (int)(a + b + c + d + g) & 127;\n}\n");
    text
}

#[test]
fn rounds_at_once_are_rounds_one_by_one() {
    let mut fewer = 0;
    let count = if std::env::var_os("CONCORD_DEEP").is_some() { 20_000 } else { 250 };
    for seed in 0..count {
        let text = drawn(seed);
        let program = common::load_text(&format!("rounds{seed}"), &text);
        let ((slow, said, all), (fast, also, told)) = (one_by_one(&program), at_once(&program));
        if matches!(slow.outcome, concrete::RunOutcome::LimitReached(..)) {
            continue;
        }
        assert_eq!(slow.outcome, fast.outcome, "{text}");
        assert_eq!(said, also, "{text}");
        assert_eq!(slow.tolerated, fast.tolerated, "{text}");
        fewer += u64::from(told < all);
    }
    assert!(fewer > count / 4, "only {fewer} of {count} programs had rounds that were made at once");
}

#[test]
fn long_loops_are_short() {
    let text = "
int main(void)
{
    unsigned x = 10, n = 0;
    while (x >= 10) { x += 2; n++; }
    long sum = 0;
    for (long i = 0; i < 4000000000000; i += 4) sum += 3;
    return x == 0 && n == 2147483643 && sum == 3000000000000;
}
";
    let program = common::load_text("long_loops", text);
    let (run, ..) = at_once(&program);
    assert_eq!(run.outcome, concrete::RunOutcome::Exited(1));
    assert!(run.statistics.steps < 100_000, "{}", run.statistics.steps);
}
