//! Soundness: random small systems of C components, checked by the loop and by looking at every concrete state.
//! The generator makes one tree; it is printed as C and, apart from that, turned into an exact structure. A verdict of
//! the loop must be that of the structure; UNDECIDED is allowed and counted, and must stay rare.

use base::{Budget, Silent};
use cegar::components::{
    Settings, SystemPart, SystemReport, check, engine_named, returns_together, with_returns_told_apart,
};
use check::UnknownActions;
use check::engine::{EXPLICIT, FiniteSystem};
use check::simulation::{SimulationSettings, simulates};
use check::temporal::{TemporalSettings, holds};
use csource::types::DataModel;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, StateId, StateMark, explore};
use predicate::component::{Build, Returns, build};
use predicate::refine::Minimisation;
use predicate::{GlobalsRule, MissingRule, Routine};
use question::{Asks, Conformance, Monitor, Question};
use spec::cexpr::CExpression;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// A small generator of numbers (xorshift), so that a failure names its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const VARIABLES: usize = 3;
/// Values stay in 0..MODULUS.
const MODULUS: u64 = 4;

#[derive(Clone, Debug)]
enum Value {
    Constant(u64),
    Variable(usize),
    /// (v + k) & 3
    Sum(usize, u64),
}

#[derive(Clone, Debug)]
struct Test {
    variable: usize,
    operator: &'static str,
    constant: u64,
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(usize, Value),
    If(Test, Vec<Statement>, Vec<Statement>),
    While(Test, Vec<Statement>),
    Event(&'static str),
    Choose(usize),
    /// Offers the first two events; the value says which happened.
    Offer(usize, &'static str, &'static str),
}

/// The same as a list with jumps.
#[derive(Clone, Debug)]
enum Step {
    Assign(usize, Value),
    Branch(Test, usize),
    Jump(usize),
    Event(&'static str),
    Choose(usize),
    Offer(usize, &'static str, &'static str),
    Return(usize),
}

fn test(random: &mut Random) -> Test {
    let operator = ["==", "!=", "<", ">="][random.below(4) as usize];
    Test { variable: random.below(VARIABLES as u64) as usize, operator, constant: random.below(MODULUS) }
}

fn value(random: &mut Random) -> Value {
    match random.below(3) {
        0 => Value::Constant(random.below(MODULUS)),
        1 => Value::Variable(random.below(VARIABLES as u64) as usize),
        _ => Value::Sum(random.below(VARIABLES as u64) as usize, 1 + random.below(3)),
    }
}

fn statements(random: &mut Random, depth: u32, events: &[&'static str]) -> Vec<Statement> {
    let count = 1 + random.below(3);
    let variable = |random: &mut Random| random.below(VARIABLES as u64) as usize;
    (0..count)
        .map(|_| match random.below(if depth == 0 { 5 } else { 8 }) {
            0 => Statement::Assign(variable(random), value(random)),
            1 | 2 => Statement::Event(events[random.below(events.len() as u64) as usize]),
            3 => Statement::Choose(variable(random)),
            4 => Statement::Offer(variable(random), events[0], events[1]),
            5 | 6 => {
                let test = test(random);
                let then = statements(random, depth - 1, events);
                let otherwise =
                    if random.chance(50) { statements(random, depth - 1, events) } else { Vec::new() };
                Statement::If(test, then, otherwise)
            }
            _ => {
                let test = test(random);
                Statement::While(test, statements(random, depth - 1, events))
            }
        })
        .collect()
}

/// The last variable lies in a union and is written and read by both its views; its upper bytes stay 0.
const IN_UNION: usize = VARIABLES - 1;

fn whole(variable: usize) -> String {
    if variable == IN_UNION { "u.whole".to_owned() } else { format!("v{variable}") }
}

fn low_byte(variable: usize) -> String {
    if variable == IN_UNION { "u.bytes[0]".to_owned() } else { format!("v{variable}") }
}

fn print_value(value: &Value) -> String {
    match value {
        Value::Constant(constant) => constant.to_string(),
        Value::Variable(variable) => low_byte(*variable),
        Value::Sum(variable, by) => format!("({} + {by}) & 3", whole(*variable)),
    }
}

fn print(statements: &[Statement], indent: usize, text: &mut String) {
    let pad = "    ".repeat(indent);
    for statement in statements {
        match statement {
            Statement::Assign(variable, value) => {
                // All begin with a 0 that sets every byte.
                let target = match value {
                    Value::Constant(constant) if *constant > 0 => low_byte(*variable),
                    _ => whole(*variable),
                };
                writeln!(text, "{pad}{target} = {};", print_value(value))
            }
            Statement::Event(event) => writeln!(text, "{pad}do_{event}();"),
            Statement::Choose(variable) => writeln!(text, "{pad}{} = choose();", whole(*variable)),
            Statement::Offer(variable, a, b) => {
                writeln!(text, "{pad}{} = offer_{a}_{b}();", whole(*variable))
            }
            Statement::If(test, then, otherwise) => {
                // A byte is never negative, and what can never be reached has no events: those of the structure would differ.
                let is_equality = matches!(test.operator, "==" | "!=");
                let variable = if is_equality { low_byte(test.variable) } else { whole(test.variable) };
                writeln!(text, "{pad}if ({variable} {} {}) {{", test.operator, test.constant)
                    .expect("a string");
                print(then, indent + 1, text);
                if !otherwise.is_empty() {
                    writeln!(text, "{pad}}} else {{").expect("a string");
                    print(otherwise, indent + 1, text);
                }
                writeln!(text, "{pad}}}")
            }
            Statement::While(test, body) => {
                writeln!(
                    text,
                    "{pad}while ({} {} {}) {{",
                    whole(test.variable),
                    test.operator,
                    test.constant
                )
                .expect("a string");
                print(body, indent + 1, text);
                writeln!(text, "{pad}}}")
            }
        }
        .expect("a string");
    }
}

fn flatten(statements: &[Statement], steps: &mut Vec<Step>) {
    for statement in statements {
        match statement {
            Statement::Assign(variable, value) => steps.push(Step::Assign(*variable, value.clone())),
            Statement::Event(event) => steps.push(Step::Event(event)),
            Statement::Choose(variable) => steps.push(Step::Choose(*variable)),
            Statement::Offer(variable, a, b) => steps.push(Step::Offer(*variable, a, b)),
            Statement::If(test, then, otherwise) => {
                let branch = steps.len();
                steps.push(Step::Jump(0));
                flatten(then, steps);
                let jump = steps.len();
                steps.push(Step::Jump(0));
                steps[branch] = Step::Branch(test.clone(), steps.len());
                flatten(otherwise, steps);
                steps[jump] = Step::Jump(steps.len());
            }
            Statement::While(test, body) => {
                let head = steps.len();
                steps.push(Step::Jump(0));
                flatten(body, steps);
                steps.push(Step::Jump(head));
                steps[head] = Step::Branch(test.clone(), steps.len());
            }
        }
    }
}

fn holds_now(test: &Test, values: &[u64]) -> bool {
    let value = values[test.variable];
    match test.operator {
        "==" => value == test.constant,
        "!=" => value != test.constant,
        "<" => value < test.constant,
        _ => value >= test.constant,
    }
}

/// Where control is, the values, and what a routine in progress is about to return.
type Concrete = (usize, Vec<u64>, Option<u64>);

/// Every concrete state of a component.
fn exact(name: &str, steps: &[Step], returned: &[Arc<str>], events: &[&str]) -> Lks {
    let mut builder = LksBuilder::new(name);
    for event in events {
        builder.action(event);
    }
    let propositions: Vec<_> =
        (0..MODULUS).map(|value| builder.proposition(&format!("v0 == {value}"))).collect();
    let returns: Vec<ActionId> = returned.iter().map(|event| builder.action(event)).collect();
    let mut numbers: BTreeMap<Concrete, StateId> = BTreeMap::new();
    let mut open: Vec<Concrete> = Vec::new();
    let mut number = |builder: &mut LksBuilder, open: &mut Vec<Concrete>, state: Concrete| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            open.push(state.clone());
            let id = builder.state();
            builder.label(id, propositions[state.1[0] as usize]);
            id
        })
    };
    let start = number(&mut builder, &mut open, (0, vec![0; VARIABLES], None));
    builder.initial(start);
    let end = builder.state();
    builder.mark(end, StateMark::End);
    let mut next = 0;
    while next < open.len() {
        let (at, values, pending) = open[next].clone();
        next += 1;
        let from = number(&mut builder, &mut open, (at, values.clone(), pending));
        let with = |variable: usize, value: u64| {
            let mut values = values.clone();
            values[variable] = value;
            values
        };
        let mut moves: Vec<(ActionId, Concrete)> = Vec::new();
        match (&steps[at], pending) {
            (Step::Assign(variable, value), _) => {
                let value = match value {
                    Value::Constant(constant) => *constant,
                    Value::Variable(other) => values[*other],
                    Value::Sum(other, by) => (values[*other] + by) % MODULUS,
                };
                moves.push((ActionId::TAU, (at + 1, with(*variable, value), None)));
            }
            (Step::Branch(test, otherwise), _) => {
                let to = if holds_now(test, &values) { at + 1 } else { *otherwise };
                moves.push((ActionId::TAU, (to, values.clone(), None)));
            }
            (Step::Jump(to), _) => moves.push((ActionId::TAU, (*to, values.clone(), None))),
            (Step::Event(event), _) => {
                moves.push((builder.action(event), (at + 1, values.clone(), None)));
            }
            (Step::Choose(variable), _) => {
                moves.extend((0..3).map(|value| (ActionId::TAU, (at + 1, with(*variable, value), None))));
            }
            (Step::Offer(_, a, b), None) => {
                moves.push((builder.action(a), (at, values.clone(), Some(1))));
                moves.push((builder.action(b), (at, values.clone(), Some(2))));
            }
            (Step::Offer(variable, ..), Some(value)) => {
                moves.push((ActionId::TAU, (at + 1, with(*variable, value), None)));
            }
            (Step::Return(variable), _) => {
                let class = usize::from(values[*variable] != 0);
                builder.transition(from, returns[class], end);
            }
        }
        for (action, to) in moves {
            let to = number(&mut builder, &mut open, to);
            builder.transition(from, action, to);
        }
    }
    builder.build()
}

/// What the routines do.
fn routines(function: &str) -> Vec<Routine> {
    let mut builder = LksBuilder::new(function);
    let start = builder.state();
    builder.initial(start);
    let end = builder.state();
    let mut line = |from: StateId, name: &str, to: Option<StateId>| {
        let action = builder.action(name);
        let to = to.unwrap_or_else(|| builder.state());
        builder.transition(from, action, to);
        to
    };
    if function == "choose" {
        for value in 0..3 {
            line(start, &format!("return {{$0 == {value}}}"), Some(end));
        }
    } else if let Some(event) = function.strip_prefix("do_") {
        let middle = line(start, event, None);
        line(middle, "return {}", Some(end));
    } else if let Some(events) = function.strip_prefix("offer_") {
        for (index, event) in events.split('_').enumerate() {
            let middle = line(start, event, None);
            line(middle, &format!("return {{$0 == {}}}", index + 1), Some(end));
        }
    } else {
        return Vec::new();
    }
    let guard = CExpression::Integer(1);
    vec![Routine { name: Arc::from(function), guard, process: Arc::new(builder.build()) }]
}

/// A random process over the events and the two returns.
fn specification(random: &mut Random, events: &[&str]) -> Lks {
    let mut builder = LksBuilder::new("SPEC");
    let count = 2 + random.below(4) as usize;
    let states: Vec<StateId> = (0..count).map(|_| builder.state()).collect();
    let end = builder.state();
    builder.initial(states[0]);
    let returns = ["return {$0 == 0}", "return {$0 != 0}"];
    for &from in &states {
        for event in events {
            if random.chance(75) {
                let action = builder.action(event);
                builder.transition(from, action, states[random.below(count as u64) as usize]);
            }
        }
        for name in returns {
            if random.chance(60) {
                let action = builder.action(name);
                builder.transition(from, action, end);
            }
        }
        if random.chance(20) {
            builder.transition(from, ActionId::TAU, states[random.below(count as u64) as usize]);
        }
    }
    returns.iter().for_each(|name| {
        builder.action(name);
    });
    builder.build()
}

struct System {
    text: String,
    exact: Vec<Lks>,
    names: Vec<String>,
}

const EVENTS: [&str; 3] = ["a", "b", "c"];

fn system(random: &mut Random, returned: &[Arc<str>]) -> System {
    let mut text = String::from("int choose(void);\nint offer_a_b(void);\nint offer_b_c(void);\n");
    for event in EVENTS {
        writeln!(text, "void do_{event}(void);").expect("a string");
    }
    let (mut exacts, mut names) = (Vec::new(), Vec::new());
    for index in 0..1 + random.below(3) {
        let own: &[&'static str] = if random.chance(50) { &EVENTS[..2] } else { &EVENTS[1..] };
        let mut body: Vec<Statement> =
            (0..VARIABLES).map(|variable| Statement::Assign(variable, Value::Constant(0))).collect();
        body.extend(statements(random, 2, own));
        let result = random.below(VARIABLES as u64) as usize;
        let name = format!("p{index}");
        writeln!(text, "int {name}(void)\n{{").expect("a string");
        let declared: Vec<String> = (0..IN_UNION).map(|variable| format!("v{variable}")).collect();
        writeln!(text, "    int {};", declared.join(", ")).expect("a string");
        writeln!(text, "    union {{ int whole; unsigned char bytes[4]; }} u;").expect("a string");
        print(&body, 1, &mut text);
        writeln!(text, "    return {};\n}}", whole(result)).expect("a string");
        let mut steps = Vec::new();
        flatten(&body, &mut steps);
        steps.push(Step::Return(result));
        exacts.push(exact(&name, &steps, returned, &events_used(&body)));
        names.push(name);
    }
    System { text, exact: exacts, names }
}

/// A component takes part in the events of its code only.
fn events_used(statements: &[Statement]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for statement in statements {
        match statement {
            Statement::Event(event) => found.push(*event),
            Statement::Offer(_, a, b) => found.extend([*a, *b]),
            Statement::If(_, then, otherwise) => {
                found.extend(events_used(then));
                found.extend(events_used(otherwise));
            }
            Statement::While(_, body) => found.extend(events_used(body)),
            Statement::Assign(..) | Statement::Choose(_) => {}
        }
    }
    found
}

fn program(text: &str) -> program::Program {
    testkit::c::load_text(text, DataModel::Lp64)
}

fn parts(
    program: &program::Program,
    names: &[String],
    returns: &Returns,
    proposition: Option<&str>,
) -> Vec<SystemPart> {
    let routine = |function: &str, _| routines(function);
    let mut parts = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let procedure = program.procedure_named(name).expect("it was printed");
        // Propositions are those of the first component.
        let proposition = proposition.filter(|_| index == 0);
        let texts: Vec<CExpression> =
            proposition.iter().map(|text| CExpression::parse(text).expect("an expression")).collect();
        let component = build(&Build {
            is_inlined: &|_, _| false,
            program,
            procedure,
            name: Arc::from(name.as_str()),
            guard: None,
            routines: &routine,
            missing: MissingRule::Forbid,
            globals: GlobalsRule::Any,
            recursion: 0,
            returns,
            predicates: &[],
            propositions: &texts,
        });
        let component = component.unwrap_or_else(|why| panic!("{why}"));
        parts.push(SystemPart::code(component, proposition.iter().map(|text| Arc::from(*text)).collect()));
    }
    parts
}

/// The answer of the engine that looks at every state.
fn explicitly(system: &Composition, asks: question::Asks, budget: &Budget) -> question::Answer {
    check::ask(&FiniteSystem::new(system).question("", asks), Some(&EXPLICIT), budget, &base::Silent)
}

fn composed(system: &System) -> Composition {
    let components = system.exact.iter().enumerate().map(|(index, lks)| {
        // Propositions are those of the first component.
        let lks = if index == 0 { lks.clone() } else { lks.project(lks.alphabet(), |_| false) };
        Component::process(lks)
    });
    Composition::new(components.collect())
}

fn ask(
    name: &str,
    parts: &mut [SystemPart],
    asks: &Asks,
    settings: &Settings,
    program: &program::Program,
    budget: &Budget,
) -> SystemReport {
    let question = Question { name: name.to_owned(), about: program, asks: asks.clone() };
    check(&question, parts, settings, budget, &Silent)
}

/// Half of the systems are asked about as users mostly do, the others in all other ways.
fn settings(seed: u64) -> Settings {
    let usual = Settings::default();
    match seed % 20 {
        1 | 11 => Settings { predicates: Minimisation::All, ..usual },
        2 | 12 => Settings { predicates: Minimisation::Greedy, ..usual },
        3 => Settings { counterexamples: 3, ..usual },
        4 => Settings { counterexamples: 3, engine: engine_named("plain"), ..usual },
        5 => Settings { engine: engine_named("plain"), ..usual },
        6 => Settings { engine: engine_named("two-level"), ..usual },
        7 => Settings { engine: engine_named("symbolic"), ..usual },
        8 => Settings { engine: engine_named("ag1"), ..usual },
        9 => Settings { engine: engine_named("ag2"), ..usual },
        _ => usual,
    }
}

/// Where all components are about to return, and not all a value of one kind.
struct Mismatch {
    /// Can the system come there at all?
    is_reachable: bool,
    /// Can it come there after events after which the process does not allow both returns?
    is_forbidden: bool,
}

/// Looks at every state of the system together with all that the process may have come to by the same events.
fn mismatch(system: &System, process: &Lks, kinds: &[Arc<str>]) -> Mismatch {
    let closed = |states: Vec<StateId>| {
        let mut all: BTreeSet<StateId> = BTreeSet::new();
        let mut open = states;
        while let Some(state) = open.pop() {
            if all.insert(state) {
                let silent = process.transitions(state).filter(|(action, _)| action.is_silent());
                open.extend(silent.map(|(_, to)| to));
            }
        }
        all
    };
    let by = |states: &BTreeSet<StateId>, name: &str| -> Vec<StateId> {
        let Some(wanted) = process.alphabet().find(name) else { return Vec::new() };
        let all = states.iter().flat_map(|&state| process.transitions(state));
        all.filter(|(action, _)| *action == wanted).map(|(_, to)| to).collect()
    };
    let composed = composed(system);
    let explored = explore(&composed, "system", &Budget::unlimited()).expect("small");
    let returned = |state: StateId| -> BTreeSet<usize> {
        let own = composed.component_states(&explored.states[base::Id::index(state)]);
        let parts = composed.components().iter().zip(own);
        let kind = |(part, state): (&Component, StateId)| {
            kinds.iter().position(|kind| {
                let action = part.lks.alphabet().find(kind);
                action.is_some_and(|action| part.lks.offers(state, action))
            })
        };
        let all: Option<BTreeSet<usize>> = parts.map(kind).collect();
        all.unwrap_or_default()
    };
    let mut found = Mismatch { is_reachable: false, is_forbidden: false };
    let first = closed(process.initial().to_vec());
    let mut open: Vec<(StateId, BTreeSet<StateId>)> =
        explored.lks.initial().iter().map(|&state| (state, first.clone())).collect();
    let mut seen: BTreeSet<(StateId, BTreeSet<StateId>)> = open.iter().cloned().collect();
    while let Some((state, allowed)) = open.pop() {
        let returned = returned(state);
        if returned.len() > 1 {
            found.is_reachable = true;
            found.is_forbidden |= returned.iter().any(|&kind| by(&allowed, &kinds[kind]).is_empty());
        }
        for (action, to) in explored.lks.transitions(state) {
            let name = explored.lks.alphabet().name(action);
            let is_hidden = action.is_silent() || process.alphabet().find(name).is_none();
            let after = if is_hidden { allowed.clone() } else { closed(by(&allowed, name)) };
            let next = (to, after);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn verdicts_are_those_of_all_concrete_states() {
    let systems: u64 =
        std::env::var("CONCORD_RANDOM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    // One system alone, by its seed, with its text.
    let only: Option<u64> = std::env::var("CONCORD_RANDOM_SEED").ok().and_then(|text| text.parse().ok());
    let (mut decided, mut undecided, mut violated, mut mismatches) = (0, 0, 0, 0);
    for seed in only.map_or(1..=systems, |seed| seed..=seed) {
        if seed.is_multiple_of(100) && only.is_none() {
            let line = format!("{seed}: {decided} decided ({violated} violated), {undecided} undecided\n");
            std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).expect("standard error");
        }
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..10).for_each(|_| {
            random.below(2);
        });
        let conditions = ["return {$0 == 0}", "return {$0 != 0}"];
        let returned: Vec<Arc<str>> = conditions.iter().map(|name| Arc::from(*name)).collect();
        let system = system(&mut random, &returned);
        let specification = Arc::new(specification(&mut random, &EVENTS));
        let program = program(&system.text);
        // Each question has its own time; the oracle has no limit.
        let limited = || Budget::unlimited().with_time(std::time::Duration::from_secs(60));
        let budget = Budget::unlimited();
        let mut judge = |question: &str, found: &question::Verdict, expected: bool| {
            let word = if expected { "holds" } else { "violated" };
            match found.word() {
                "undecided" => {
                    undecided += 1;
                    let text = if only.is_some() { &system.text } else { "" };
                    let line = format!("seed {seed}, {question}: {found:?}\n{text}");
                    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
                        .expect("standard error");
                }
                other => {
                    assert_eq!(
                        other, word,
                        "seed {seed}, {question}:\n{}\n{specification:?}\n{found:?}",
                        system.text
                    );
                    decided += 1;
                    violated += usize::from(!expected);
                }
            }
        };
        let hidden = || composed(&system).hiding(|name| specification.alphabet().find(name).is_none());
        let returns = Returns::among(conditions.iter().copied());
        let settings = settings(seed);
        // Components that are checked together return alike, but where the process allows either.
        let mismatch = mismatch(&system, &specification, &returned);
        mismatches += usize::from(mismatch.is_reachable);
        for how in [Conformance::Simulation, Conformance::Trace] {
            let mut parts = parts(&program, &system.names, &returns, None);
            let process = with_returns_told_apart(&specification, &returns, &parts);
            let question = Asks::Conforms(process, how);
            // Assumptions are about traces; simulation is more.
            let engine = match (how, settings.engine) {
                (Conformance::Simulation, Some(engine)) if engine.name().starts_with("ag") => None,
                (_, engine) => engine,
            };
            let settings = Settings { engine, ..settings.clone() };
            let report = ask("conforms", &mut parts, &question, &settings, &program, &limited());
            let expected = match how {
                Conformance::Simulation => {
                    let explored = explore(&hidden(), "system", &budget).expect("small");
                    let how = SimulationSettings {
                        unknown_actions: UnknownActions::Forbidden,
                        ..Default::default()
                    };
                    !simulates(&explored.lks, &specification, &how, Monitor::silent(&budget))
                        .answer
                        .verdict
                        .is_violated_here()
                }
                Conformance::Trace | Conformance::Failures => {
                    let asks = Asks::Conforms(specification.clone(), Conformance::Trace);
                    let answer = explicitly(&hidden(), asks, &budget);
                    !answer.verdict.is_violated_here()
                }
            };
            judge(&format!("{how:?}"), &report.answer.verdict, expected && !mismatch.is_forbidden);
        }
        let plain = Returns::default();
        // Without a question about returns all returns are one event.
        let merged = merged_returns(&system);
        let answer_merged = explicitly(&merged, question::Asks::NoDeadlock, &budget);
        let is_free = !answer_merged.verdict.is_violated_here();
        let told_apart = composed(&system);
        let answer_apart = explicitly(&told_apart, question::Asks::NoDeadlock, &budget);
        // Returns told apart, for every other system with those that the process allows together.
        let together = if seed.is_multiple_of(2) { returns_together(&specification) } else { Vec::new() };
        let may_differ = !together.is_empty();
        let is_free_apart = if may_differ { is_free } else { !answer_apart.verdict.is_violated_here() };
        let mut own = parts(&program, &system.names, &returns, None);
        own.iter_mut().for_each(|part| part.may_return_apart(&together));
        let report = ask("deadlock", &mut own, &Asks::NoDeadlock, &settings, &program, &limited());
        judge("deadlock with returns told apart", &report.answer.verdict, is_free_apart);
        let parsed = spec::Formula::parse("G(a => F b)", 0).expect("a formula");
        let expected = holds(&merged, &parsed, &TemporalSettings::default(), Monitor::silent(&budget));
        let alike = may_differ || !mismatch.is_reachable;
        let mut own = parts(&program, &system.names, &returns, None);
        own.iter_mut().for_each(|part| part.may_return_apart(&together));
        let question = Asks::Satisfies(parsed);
        let report = ask("formula", &mut own, &question, &settings, &program, &limited());
        judge(
            "formula with returns told apart",
            &report.answer.verdict,
            alike && !expected.verdict.is_violated_here(),
        );
        let mut own = parts(&program, &system.names, &plain, None);
        let report = ask("deadlock", &mut own, &Asks::NoDeadlock, &settings, &program, &limited());
        judge("deadlock", &report.answer.verdict, is_free);
        for (formula, proposition) in [
            ("G(a => F b)", None),
            ("F(a | c)", None),
            ("G(b => [v0 == 1])", Some("v0 == 1")),
            ("(!c) W b", None),
        ] {
            let parsed = spec::Formula::parse(formula, 0).expect("a formula");
            let expected = holds(&merged, &parsed, &TemporalSettings::default(), Monitor::silent(&budget));
            let mut own = parts(&program, &system.names, &plain, proposition);
            let question = Asks::Satisfies(parsed);
            let report = ask(formula, &mut own, &question, &settings, &program, &limited());
            judge(formula, &report.answer.verdict, !expected.verdict.is_violated_here());
        }
    }
    let line = format!("{decided} decided ({violated} violated), {undecided} undecided\n");
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).expect("standard error");
    if only.is_some() {
        return;
    }
    assert!(violated * 5 > decided, "the generator makes violations too: {line}");
    assert!(undecided * 20 <= decided, "the loop decides: {line}");
    assert!(mismatches * 20 > systems as usize, "returns differ in {mismatches} systems of {systems}");
}

/// The exact system with one event for every return.
fn merged_returns(system: &System) -> Composition {
    let mut relabelling = lks::Relabelling::new();
    relabelling.add("return {$0 == 0}", "return");
    relabelling.add("return {$0 != 0}", "return");
    let components = composed(system)
        .components()
        .iter()
        .map(|component| Component {
            name: component.name.clone(),
            lks: Arc::new(component.lks.relabel(&relabelling)),
            role: component.role,
        })
        .collect();
    Composition::new(components)
}

trait IsViolated {
    fn is_violated_here(&self) -> bool;
}

impl IsViolated for question::Verdict {
    fn is_violated_here(&self) -> bool {
        assert!(!self.is_undecided(), "the oracle decides: {self:?}");
        matches!(self, question::Verdict::Violated(_))
    }
}
