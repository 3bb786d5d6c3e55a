//! `--steps` both ways: random programs whose statements access shared memory several times. The oracle runs the generator's own statements in all
//! interleavings, by access and by statement; the interpreter's interleavings and the sequential program must agree with it.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify_threads};
use csource::{Session, parser, sema};
use lower::Steps;
use program::{DataModel, Program};
use prove::{Code, Interleavings};
use question::{Asks, Engine, Knowledge, Question};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;
use testkit::Random;

const PROGRAMS: u64 = 60;
const PROGRAMS_IN_DEPTH: u64 = 2_000;
const NAMES: [&str; 3] = ["x", "y", "z"];

/// What a thread does with shared memory.
#[derive(Clone, Copy)]
enum Access {
    /// Adds to what it has loaded.
    Load(usize),
    /// Stores the sum of what it has loaded and a number.
    Store(usize, i32),
    /// Leaves out the next so many steps unless the last two loaded values are equal.
    Compare(usize),
}

/// A statement of the generator's.
enum Statement {
    /// `t = a + b + 1;`
    Sum { target: usize, terms: Vec<usize>, plus: i32 },
    /// `if (a == b) t = 3;`
    If { left: usize, right: usize, target: usize, value: i32 },
    /// `t = 1, u = t + 2;`
    Two { first: (usize, i32), second: (usize, usize, i32) },
}

impl Statement {
    fn drawn(draw: &mut Random) -> Statement {
        let mut any = || draw.below(NAMES.len());
        let (a, b, c) = (any(), any(), any());
        match draw.below(4) {
            0 => Statement::If { left: a, right: b, target: c, value: draw.below(3) as i32 + 1 },
            1 => Statement::Two { first: (a, draw.below(3) as i32), second: (b, c, draw.below(2) as i32) },
            _ => {
                let terms = if draw.coin() { vec![b, c] } else { vec![b] };
                Statement::Sum { target: a, terms, plus: draw.below(2) as i32 }
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Statement::Sum { target, terms, plus } => {
                let terms: Vec<&str> = terms.iter().map(|&term| NAMES[term]).collect();
                format!("{} = {} + {plus};", NAMES[*target], terms.join(" + "))
            }
            Statement::If { left, right, target, value } => {
                format!("if ({} == {}) {} = {value};", NAMES[*left], NAMES[*right], NAMES[*target])
            }
            Statement::Two { first, second } => {
                let (t, value) = first;
                let (u, from, plus) = second;
                format!("{} = {value}, {} = {} + {plus};", NAMES[*t], NAMES[*u], NAMES[*from])
            }
        }
    }

    /// Its steps, each what happens at once.
    fn steps(&self, of: Steps) -> Vec<Vec<Access>> {
        use Access::{Compare, Load, Store};
        let by_statement = of == Steps::Statement;
        match self {
            Statement::Sum { target, terms, plus } => {
                let mut accesses: Vec<Access> = terms.iter().map(|&term| Load(term)).collect();
                accesses.push(Store(*target, *plus));
                if by_statement {
                    vec![accesses]
                } else {
                    accesses.into_iter().map(|one| vec![one]).collect()
                }
            }
            Statement::If { left, right, target, value } => {
                let then = vec![Store(*target, *value)];
                match by_statement {
                    true => vec![vec![Load(*left), Load(*right), Compare(1)], then],
                    false => vec![vec![Load(*left)], vec![Load(*right), Compare(1)], then],
                }
            }
            Statement::Two { first, second } => {
                let (t, value) = *first;
                let (u, from, plus) = *second;
                let accesses = vec![Store(t, value), Load(from), Store(u, plus)];
                if by_statement {
                    vec![accesses]
                } else {
                    accesses.into_iter().map(|one| vec![one]).collect()
                }
            }
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: [i32; 3],
    threads: Vec<(usize, Vec<i32>)>,
}

/// What memory holds when all threads have ended, in all interleavings.
fn ends(threads: &[Vec<Vec<Access>>]) -> BTreeSet<[i32; 3]> {
    let start = State { memory: [0; 3], threads: vec![(0, Vec::new()); threads.len()] };
    let (mut seen, mut open, mut found) = (BTreeSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = open.pop() {
        let mut is_over = true;
        for (number, steps) in threads.iter().enumerate() {
            let Some(step) = steps.get(state.threads[number].0) else { continue };
            is_over = false;
            let mut next = state.clone();
            let (at, loaded) = &mut next.threads[number];
            *at += 1;
            for access in step {
                match *access {
                    Access::Load(place) => loaded.push(next.memory[place]),
                    Access::Store(place, plus) => {
                        next.memory[place] = loaded.drain(..).sum::<i32>() + plus;
                    }
                    Access::Compare(skipped) => {
                        if loaded[loaded.len() - 2] != loaded[loaded.len() - 1] {
                            *at += skipped;
                        }
                        loaded.clear();
                    }
                }
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if is_over {
            found.insert(state.memory);
        }
    }
    found
}

fn loaded(text: &str, steps: Steps) -> Program {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("test.i", text).expect("it is small");
    let syntax = parser::parse(source, &mut session);
    let unit = sema::analyse(&syntax, &mut session);
    let settings = lower::Settings { steps, ..lower::Settings::default() };
    let lowered = lower::lower(vec![unit], session, &settings);
    assert!(!lowered.diagnostics.has_errors(), "{text}");
    lowered.program
}

fn written(threads: &[Vec<Statement>], end: [i32; 3]) -> String {
    let mut text = testkit::races::DECLARATIONS.to_owned();
    text.push_str("int x, y, z;\n");
    for (number, statements) in threads.iter().enumerate() {
        let body: Vec<String> = statements.iter().map(Statement::text).collect();
        let _ = writeln!(text, "void *f{number}(void *a) {{ {} return 0; }}", body.join(" "));
    }
    text.push_str("int main(void) {\n");
    for number in 0..threads.len() {
        let _ = writeln!(text, "pthread_t t{number}; pthread_create(&t{number}, 0, f{number}, 0);");
    }
    for number in 0..threads.len() {
        let _ = writeln!(text, "pthread_join(t{number}, 0);");
    }
    let [x, y, z] = end;
    let _ = writeln!(text, "if (x == {x} && y == {y} && z == {z}) reach_error();\nreturn 0; }}");
    text
}

#[test]
fn steps_are_what_the_oracle_says() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    let budget = || Budget::unlimited().with_time(Duration::from_secs(4));
    let property = Property::never_called("reach_error");
    let (mut differing, mut decided) = (0, 0);
    for seed in 0..programs {
        let mut draw = Random::new(seed.wrapping_mul(0x9E37_79B9) ^ 0x57E9);
        let threads: Vec<Vec<Statement>> =
            (0..2).map(|_| (0..2).map(|_| Statement::drawn(&mut draw)).collect()).collect();
        let all = [Steps::Access, Steps::Statement].map(|steps| {
            let code =
                |statements: &Vec<Statement>| statements.iter().flat_map(|one| one.steps(steps)).collect();
            ends(&threads.iter().map(code).collect::<Vec<Vec<Vec<Access>>>>())
        });
        assert!(all[1].is_subset(&all[0]), "whole statements can do no more, seed {seed}");
        // An end that only single accesses lead to, where there is one.
        let only_by_accesses = all[0].difference(&all[1]).next();
        differing += u32::from(only_by_accesses.is_some());
        let end = *only_by_accesses.or(all[1].iter().next_back()).expect("every program ends");
        let text = written(&threads, end);
        for (steps, ends) in [Steps::Access, Steps::Statement].into_iter().zip(&all) {
            let program = loaded(&text, steps);
            let code_settings = Settings::default();
            let code = Code::new(&program, &property, &code_settings);
            let asked = Question { name: String::new(), about: &code, asks: Asks::Never(property.clone()) };
            let by_interpreter =
                Interleavings::default().run(&asked, &Knowledge::new(), &budget(), &Silent).verdict;
            let choice = Choice::named("all-runs").expect("it is in the table");
            let question = Question::never(&program, property.clone());
            let by_one =
                verify_threads(&question, choice, &Settings::default(), &budget(), &Silent).answer.verdict;
            for (verdict, who) in [(by_interpreter, "the interpreter"), (by_one, "the sequential program")] {
                let fails = ends.contains(&end);
                let is_wrong = (verdict.holds() && fails) || (verdict.is_violated() && !fails);
                assert!(!is_wrong, "seed {seed}, {who}, {steps:?}: the end is reached: {fails}\n{text}");
                decided += u32::from(!verdict.is_undecided());
            }
        }
    }
    assert!(differing > 5, "steps make a difference in {differing} programs only");
    assert!(u64::from(decided) > programs * 3, "few are decided: {decided}");
}

/// A run of the sequential program in which threads are interrupted between whole statements is followed by the interpreter's threads, though statements access
/// shared memory several times: nobody has begun a statement when another thread comes in between. There are too many threads to find the run again.
#[test]
fn runs_by_statements_are_followed() {
    let text = format!(
        "{}unsigned value;\nvoid *f(void *a) {{ unsigned v = value; if (v == value) value = v + 1; else value = 0;\n\
         if (!(value > v)) reach_error(); return 0; }}\n\
         int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, f, 0); }}\n",
        testkit::races::DECLARATIONS
    );
    let program = loaded(&text, Steps::Statement);
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let choice = Choice::named("bmc").expect("it is in the table");
    let question = Question::never(&program, Property::never_called("reach_error"));
    let answer = verify_threads(&question, choice, &Settings::default(), &budget, &Silent).answer;
    assert!(answer.verdict.is_violated(), "{answer:?}");
}
