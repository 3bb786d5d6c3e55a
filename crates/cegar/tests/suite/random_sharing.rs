//! Soundness where components meet: random systems with tables of functions, variables that are shared, messages that carry
//! data, and fairness, asked as a user asks (C text and a specification), against all states of what the components
//! really do. The generator makes one tree per component; it is printed as C and, apart from that, turned into an
//! exact structure. UNDECIDED is counted, and must stay rare.

use base::{Budget, IndexVec, Silent};
use cegar::components::{
    Book, Conventions, FairTo, Settings, Specified, SystemFairness, SystemProperty, SystemQuestion, ask,
};
use check::engine::{EXPLICIT, FiniteSystem};
use check::temporal::{Fairness, TemporalSettings, holds};
use csource::types::DataModel;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, StateId, StateMark};
use predicate::component::add_stubs;
use predicate::component::share::share;
use question::{Asks, Monitor};
use spec::Formula;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use testkit::Random;

/// Values are 0..VALUES.
const VALUES: usize = 3;
const SHARED: [&str; 2] = ["x", "y"];

#[derive(Clone, Copy, Debug)]
enum Number {
    Constant(usize),
    Local(usize),
    /// (v + k) % VALUES
    Sum(usize, usize),
    Shared(usize),
}

#[derive(Clone, Copy, Debug)]
struct Test {
    of: Number,
    operator: &'static str,
    constant: usize,
}

#[derive(Clone, Debug)]
enum Statement {
    Set(usize, Number),
    Choose(usize),
    Event(char),
    /// One of two events, through a table of functions.
    Table(usize, [char; 2]),
    Write(usize, Number),
    Send(Number),
    Receive(usize),
    /// An event so many times, in a loop.
    Count(usize, char),
    If(Test, Vec<Statement>, Vec<Statement>),
    While(Test, Vec<Statement>),
}

/// The same as a list with jumps.
#[derive(Clone, Debug)]
enum Step {
    Do(Statement),
    Branch(Test, usize),
    Jump(usize),
    Return,
}

struct Generator<'r> {
    draw: &'r mut Random,
    shares: usize,
}

impl Generator<'_> {
    fn number(&mut self) -> Number {
        match self.draw.below(4 + usize::from(self.shares > 0)) {
            0 => Number::Constant(self.draw.below(VALUES)),
            1 => Number::Sum(self.draw.below(2), 1 + self.draw.below(2)),
            4 => Number::Shared(self.draw.below(self.shares)),
            _ => Number::Local(self.draw.below(2)),
        }
    }

    fn test(&mut self) -> Test {
        let is_shared = self.shares > 0 && self.draw.coin();
        let of = if is_shared {
            Number::Shared(self.draw.below(self.shares))
        } else {
            Number::Local(self.draw.below(2))
        };
        Test { of, operator: self.draw.one_of(&["==", "!=", "<", ">="]), constant: self.draw.below(VALUES) }
    }

    fn statements(&mut self, depth: usize, events: [char; 2]) -> Vec<Statement> {
        let event = |draw: &mut Random| events[draw.below(2)];
        let count = 1 + self.draw.below(3);
        let mut found = Vec::new();
        for _ in 0..count {
            found.push(match self.draw.below(if depth == 0 { 8 } else { 11 }) {
                0 => Statement::Set(self.draw.below(2), self.number()),
                1 => Statement::Choose(self.draw.below(2)),
                2 | 3 => Statement::Event(event(self.draw)),
                4 => Statement::Table(self.draw.below(2), events),
                5 if self.shares > 0 => Statement::Write(self.draw.below(self.shares), self.number()),
                5 | 6 if self.draw.coin() => Statement::Send(self.number()),
                5 | 6 => Statement::Receive(self.draw.below(2)),
                7 => Statement::Count(1 + self.draw.below(3), event(self.draw)),
                8 | 9 => {
                    let test = self.test();
                    let then = self.statements(depth - 1, events);
                    let has_else = self.draw.coin();
                    Statement::If(
                        test,
                        then,
                        if has_else { self.statements(depth - 1, events) } else { Vec::new() },
                    )
                }
                _ => {
                    let test = self.test();
                    Statement::While(test, self.statements(depth - 1, events))
                }
            });
        }
        found
    }
}

fn number_text(number: Number) -> String {
    match number {
        Number::Constant(value) => value.to_string(),
        Number::Local(local) => format!("v{local}"),
        Number::Sum(local, by) => format!("(v{local} + {by}) % {VALUES}"),
        Number::Shared(shared) => SHARED[shared].to_owned(),
    }
}

fn print(statements: &[Statement], indent: usize, text: &mut String) {
    let pad = "    ".repeat(indent);
    let test = |test: &Test| format!("{} {} {}", number_text(test.of), test.operator, test.constant);
    for statement in statements {
        let line = match statement {
            Statement::Set(local, number) => format!("v{local} = {};", number_text(*number)),
            Statement::Choose(local) => format!("v{local} = choose();"),
            Statement::Event(event) => format!("do_{event}();"),
            Statement::Table(local, [a, b]) => format!("table_{a}{b}[v{local} & 1]();"),
            Statement::Write(shared, number) => format!("{} = {};", SHARED[*shared], number_text(*number)),
            Statement::Send(number) => format!("send_message({});", number_text(*number)),
            Statement::Receive(local) => format!("receive_message(&v{local});"),
            Statement::Count(most, event) => format!("for (int i = 0; i < {most}; i++) do_{event}();"),
            Statement::If(condition, then, otherwise) => {
                writeln!(text, "{pad}if ({}) {{", test(condition)).expect("a string");
                print(then, indent + 1, text);
                if !otherwise.is_empty() {
                    writeln!(text, "{pad}}} else {{").expect("a string");
                    print(otherwise, indent + 1, text);
                }
                "}".to_owned()
            }
            Statement::While(condition, body) => {
                writeln!(text, "{pad}while ({}) {{", test(condition)).expect("a string");
                print(body, indent + 1, text);
                "}".to_owned()
            }
        };
        writeln!(text, "{pad}{line}").expect("a string");
    }
}

fn flatten(statements: &[Statement], steps: &mut Vec<Step>) {
    for statement in statements {
        match statement {
            Statement::Count(most, event) => {
                steps.extend((0..*most).map(|_| Step::Do(Statement::Event(*event))));
            }
            Statement::If(test, then, otherwise) => {
                let branch = steps.len();
                steps.push(Step::Jump(0));
                flatten(then, steps);
                let jump = steps.len();
                steps.push(Step::Jump(0));
                steps[branch] = Step::Branch(*test, steps.len());
                flatten(otherwise, steps);
                steps[jump] = Step::Jump(steps.len());
            }
            Statement::While(test, body) => {
                let head = steps.len();
                steps.push(Step::Jump(0));
                flatten(body, steps);
                steps.push(Step::Jump(head));
                steps[head] = Step::Branch(*test, steps.len());
            }
            other => steps.push(Step::Do(other.clone())),
        }
    }
}

/// Where control is, the locals, and what was read for the step.
type Concrete = (usize, [usize; 2], Option<usize>);

/// What a step reads from a shared variable.
fn shared_read(step: &Step) -> Option<usize> {
    let number = match step {
        Step::Do(Statement::Set(_, number) | Statement::Write(_, number) | Statement::Send(number)) => number,
        Step::Branch(test, _) => &test.of,
        _ => return None,
    };
    match number {
        Number::Shared(shared) => Some(*shared),
        _ => None,
    }
}

/// Every state of a component alone; what it does silently has the name `silence`, if that is given.
fn exact(name: &str, steps: &[Step], silence: Option<&str>) -> Lks {
    let mut builder = LksBuilder::new(name);
    let silent = silence.map_or(ActionId::TAU, |silence| builder.action(silence));
    let mut numbers: BTreeMap<Concrete, StateId> = BTreeMap::new();
    let mut open: Vec<Concrete> = Vec::new();
    let mut number = |builder: &mut LksBuilder, open: &mut Vec<Concrete>, state: Concrete| {
        *numbers.entry(state).or_insert_with(|| {
            open.push(state);
            builder.state()
        })
    };
    let start = number(&mut builder, &mut open, (0, [0, 0], None));
    builder.initial(start);
    let end = builder.state();
    builder.mark(end, StateMark::End);
    let mut next = 0;
    while next < open.len() {
        let (at, locals, read) = open[next];
        next += 1;
        let from = number(&mut builder, &mut open, (at, locals, read));
        let value = |number: Number| match number {
            Number::Constant(value) => value,
            Number::Local(local) => locals[local],
            Number::Sum(local, by) => (locals[local] + by) % VALUES,
            Number::Shared(_) => read.expect("it was read before"),
        };
        let with = |local: usize, value: usize| {
            let mut locals = locals;
            locals[local] = value;
            (at + 1, locals, None)
        };
        let on: Concrete = (at + 1, locals, None);
        let mut moves: Vec<(ActionId, Concrete)> = Vec::new();
        match (&steps[at], shared_read(&steps[at])) {
            (_, Some(shared)) if read.is_none() => {
                for value in 0..VALUES {
                    let event = builder.action(&format!("{name}.read.{}.{value}", SHARED[shared]));
                    moves.push((event, (at, locals, Some(value))));
                }
            }
            (Step::Do(statement), _) => match statement {
                Statement::Set(local, number) => moves.push((silent, with(*local, value(*number)))),
                Statement::Choose(local) => {
                    moves.extend((0..VALUES).map(|value| (silent, with(*local, value))));
                }
                Statement::Event(event) => moves.push((builder.action(&event.to_string()), on)),
                Statement::Table(local, events) => {
                    let event = builder.action(&events[locals[*local] & 1].to_string());
                    moves.push((event, on));
                }
                Statement::Write(shared, number) => {
                    let event = format!("{name}.write.{}.{}", SHARED[*shared], value(*number));
                    moves.push((builder.action(&event), on));
                }
                Statement::Send(number) => {
                    moves.push((builder.action(&format!("message.{}", value(*number))), on));
                }
                Statement::Receive(local) => {
                    for value in 0..VALUES {
                        moves.push((builder.action(&format!("message.{value}")), with(*local, value)));
                    }
                }
                Statement::Count(..) | Statement::If(..) | Statement::While(..) => unreachable!("flattened"),
            },
            (Step::Branch(test, otherwise), _) => {
                let value = value(test.of);
                let holds = match test.operator {
                    "==" => value == test.constant,
                    "!=" => value != test.constant,
                    "<" => value < test.constant,
                    _ => value >= test.constant,
                };
                moves.push((silent, (if holds { at + 1 } else { *otherwise }, locals, None)));
            }
            (Step::Jump(to), _) => moves.push((silent, (*to, locals, None))),
            (Step::Return, _) => {
                let event = builder.action("return");
                builder.transition(from, event, end);
            }
        }
        for (action, to) in moves {
            let to = number(&mut builder, &mut open, to);
            builder.transition(from, action, to);
        }
    }
    // Its alphabet is what its code has, whether or not it gets there.
    for step in steps {
        match step {
            Step::Do(Statement::Event(event)) => {
                builder.action(&event.to_string());
            }
            Step::Do(Statement::Table(_, events)) => events.iter().for_each(|event| {
                builder.action(&event.to_string());
            }),
            Step::Do(Statement::Send(Number::Constant(value))) => {
                builder.action(&format!("message.{value}"));
            }
            Step::Do(Statement::Send(_) | Statement::Receive(_)) => (0..VALUES).for_each(|value| {
                builder.action(&format!("message.{value}"));
            }),
            _ => {}
        }
    }
    builder.action("return");
    builder.build()
}

/// A shared variable that starts with 0; it meets the accesses that components have.
fn variable(shared: usize, components: &[Lks]) -> Lks {
    let name = SHARED[shared];
    let mut builder = LksBuilder::new(name);
    let states: Vec<StateId> = (0..VALUES).map(|_| builder.state()).collect();
    builder.initial(states[0]);
    for &state in &states {
        builder.mark(state, StateMark::End);
    }
    for component in components {
        for (value, &state) in states.iter().enumerate() {
            let read = format!("{}.read.{name}.{value}", component.name());
            if component.alphabet().find(&read).is_some() {
                let read = builder.action(&read);
                builder.transition(state, read, state);
            }
            let write = format!("{}.write.{name}.{value}", component.name());
            if component.alphabet().find(&write).is_some() {
                let write = builder.action(&write);
                states.iter().for_each(|&before| builder.transition(before, write, state));
            }
        }
    }
    builder.build()
}

struct System {
    text: String,
    specification: String,
    steps: Vec<Vec<Step>>,
    shares: usize,
}

fn system(draw: &mut Random) -> System {
    let shares = draw.below(3);
    let mut text =
        String::from("int choose(void);\nvoid send_message(int v);\nvoid receive_message(int *v);\n");
    let mut specification = String::from(
        "cproc choose { abstract { c, 1, CHOOSE }; }
CHOOSE = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP | return {$0 == 2} -> STOP ).
range V = 0..2
cproc send_message { abstract { s, 1, SENDS }; }
SENDS = ( message[$1:V] -> return {} -> STOP ).
cproc receive_message { abstract { r, 1, RECEIVES }; }
RECEIVES = ( message[v:V] -> {*$1 = v} -> return {} -> STOP ).
",
    );
    for event in ['a', 'b', 'c'] {
        let process = format!("DO_{}", event.to_ascii_uppercase());
        writeln!(text, "void do_{event}(void);").expect("a string");
        writeln!(specification, "cproc do_{event} {{ abstract {{ d, 1, {process} }}; }}").expect("a string");
        writeln!(specification, "{process} = ( {event} -> return {{}} -> STOP ).").expect("a string");
    }
    let pairs = [['a', 'b'], ['b', 'c'], ['a', 'c']];
    for [a, b] in pairs {
        writeln!(text, "static void (*const table_{a}{b}[])(void) = {{ do_{a}, do_{b} }};")
            .expect("a string");
    }
    for name in &SHARED[..shares] {
        writeln!(text, "int {name};").expect("a string");
        writeln!(specification, "shared {name} : V = 0").expect("a string");
    }
    let mut steps = Vec::new();
    for component in 0..1 + draw.below(3) {
        let events = pairs[draw.below(3)];
        let body = Generator { draw: &mut *draw, shares }.statements(2, events);
        writeln!(text, "void p{component}(void)\n{{\n    int v0 = 0, v1 = 0;").expect("a string");
        print(&body, 1, &mut text);
        text.push_str("}\n");
        let mut own = Vec::new();
        flatten(&body, &mut own);
        own.push(Step::Return);
        steps.push(own);
    }
    System { text, specification, steps, shares }
}

/// Which runs count: for the loop, and for the exact system, whose silent steps have names.
fn fairness(draw: &mut Random, components: usize, exact: &Composition) -> (SystemFairness, Fairness) {
    let (mut own, mut twin) = (SystemFairness::default(), Fairness::default());
    let is_strong = draw.coin();
    for component in 0..components {
        if draw.one_in(3) {
            continue;
        }
        let to = FairTo::Component(Arc::from(format!("p{component}")));
        let lks = &exact.components()[base::Id::from_index(component)].lks;
        let actions = lks.alphabet().visible().map(|action| lks.alphabet().name(action).to_owned()).collect();
        let (own, twin) =
            if is_strong { (&mut own.strong, &mut twin.strong) } else { (&mut own.weak, &mut twin.weak) };
        own.push(to);
        twin.push(actions);
    }
    for event in ["a", "b"] {
        if draw.one_in(4) {
            own.strong.push(FairTo::Events(vec![Arc::from(event)]));
            twin.strong.push(vec![event.to_owned()]);
        }
    }
    (own, twin)
}

#[test]
fn verdicts_are_those_of_all_states_of_what_components_share() {
    let systems: u64 =
        std::env::var("CONCORD_SHARING_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let only: Option<u64> = std::env::var("CONCORD_SHARING_SEED").ok().and_then(|text| text.parse().ok());
    let (mut decided, mut violated, mut undecided) = (0, 0, 0);
    for seed in only.map_or(1..=systems, |seed| seed..=seed) {
        let mut draw = Random::new(seed);
        let system = system(&mut draw);
        let mut program = testkit::c::load_text(&system.text, DataModel::Lp64);
        add_stubs(&mut program, &|function| function.starts_with("do_"));
        let names: Vec<Arc<str>> = SHARED[..system.shares].iter().map(|name| Arc::from(*name)).collect();
        share(&mut program, &names).unwrap_or_else(|(name, why)| panic!("{name}: {why}"));
        let mut sources = base::SourceMap::new();
        let file = sources.add("system.spec", system.specification.as_str()).expect("small");
        let mut diagnostics = base::Diagnostics::default();
        let specification = spec::parse(&sources, &[file], &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{diagnostics:?}\n{}", system.specification);
        let shared = spec::Model::new(&specification, spec::Settings::default()).shared_variables();
        let mut books = IndexVec::new();
        books.push(Book { file: None, specification: &specification, imports: &[] });
        let specified = Specified { program: &program, books, shared: shared.expect("they are declared") };
        let components: Vec<Arc<str>> =
            (0..system.steps.len()).map(|at| Arc::from(format!("p{at}"))).collect();
        let parts = |names_silence: bool| {
            let own = system.steps.iter().enumerate().map(|(at, steps)| {
                let silence = format!("silence of p{at}");
                exact(&format!("p{at}"), steps, names_silence.then_some(silence.as_str()))
            });
            let mut all: Vec<Lks> = own.collect();
            let variables: Vec<Lks> = (0..system.shares).map(|at| variable(at, &all)).collect();
            all.extend(variables);
            Composition::new(all.into_iter().map(Component::process).collect())
        };
        let budget = Budget::unlimited();
        let mut judge = |name: &str, asked: SystemProperty, fairness: SystemFairness, expected: bool| {
            let question = SystemQuestion {
                name: name.to_owned(),
                components: components.clone(),
                guards: Vec::new(),
                book: None,
                asked,
                beside: Vec::new(),
            };
            let settings = Settings { fairness, ..Settings::default() };
            let limited = Budget::unlimited().with_time(std::time::Duration::from_secs(60));
            let report = ask(&question, &specified, &Conventions::default(), &settings, &limited, &Silent)
                .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", system.text));
            let verdict = &report.answer.verdict;
            if verdict.is_undecided() {
                undecided += 1;
                let line = format!("seed {seed}, {name}: {verdict:?}\n");
                std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).expect("standard error");
                return;
            }
            assert_eq!(verdict.holds(), expected, "seed {seed}, {name}:\n{}\n{verdict:?}", system.text);
            decided += 1;
            violated += usize::from(!expected);
        };
        let plain = parts(false);
        let free = check::ask(
            &FiniteSystem::new(&plain).question("", Asks::NoDeadlock),
            Some(&EXPLICIT),
            &budget,
            &Silent,
        );
        judge("deadlock", SystemProperty::DeadlockFree, SystemFairness::default(), free.verdict.holds());
        let named = parts(true);
        let (own, twin) = fairness(&mut draw, components.len(), &named);
        for text in ["G !c", "(!c) W b", "F b", "G(a => F b)"] {
            let formula = Formula::parse(text, 0).expect("a formula");
            let expected = holds(&plain, &formula, &TemporalSettings::default(), Monitor::silent(&budget));
            let asked = || SystemProperty::Satisfies(formula.clone());
            judge(text, asked(), SystemFairness::default(), expected.verdict.holds());
            let settings = TemporalSettings { fairness: twin.clone(), ..TemporalSettings::default() };
            let expected = holds(&named, &formula, &settings, Monitor::silent(&budget));
            judge(&format!("{text}, fair"), asked(), own.clone(), expected.verdict.holds());
        }
    }
    let line = format!("{decided} decided ({violated} violated), {undecided} undecided\n");
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).expect("standard error");
    if only.is_none() {
        assert!(violated * 8 > decided, "the generator makes violations too: {line}");
        assert!(undecided * 20 <= decided, "the loop decides: {line}");
    }
}
