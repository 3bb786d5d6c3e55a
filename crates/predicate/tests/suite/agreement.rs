//! Two encodings of C bound together: the steps of a component as `predicate::component` gives them a meaning, and the same steps of the
//! program as `symbolic` does. Random procedures are walked on random and boundary values, both sides in step; whether a step is defined,
//! which side of a branch is taken and every value that is written must come out the same (docs/decisions/one-encoding.md).

use base::Span;
use csource::types::DataModel;
use csource::{Session, parser, sema};
use logic::term::symbols_in;
use logic::{Bits, Model, TermId, TermPool, Value};
use predicate::component::origin::Origin;
use predicate::component::{Build, CellId, Component, Edge, GlobalsRule, MissingRule, Returns, build};
use program::{Action, NodeId, PointsTo, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use symbolic::step::Watch;
use symbolic::{Effect, Encoder, FailureKind, Meaning, State};
use testkit::Random;

/// A value of so many bits: often one at a boundary.
fn value_of(draw: &mut Random, width: u32) -> u128 {
    let top = 1u128 << (width - 1);
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let near = draw.below(4) as u128;
    let value = match draw.below(6) {
        0 => near,
        1 => all.wrapping_sub(near),
        2 => top.wrapping_sub(near),
        3 => top.wrapping_add(near),
        4 => draw.below(100) as u128,
        _ => u128::from(draw.bits()) << 64 | u128::from(draw.bits()),
    };
    value & all
}

const HEAD: &str = "\
struct inner { int y; short z[3]; };
struct outer { int x; unsigned char b; short h; unsigned f : 5; int k : 7; struct inner in; };
union view { int i; unsigned u; unsigned char b[4]; short h[2]; struct { short lo; unsigned short hi; } parts; };
int g0, g1; unsigned u0; char c0; short s0; long long l0; unsigned long long w0; _Bool t0;
int a[4]; short m[2][3]; struct outer o; union view v;
";

fn place(draw: &mut Random) -> String {
    let index = if draw.below(2) == 0 { "i0 & 3".into() } else { draw.below(4).to_string() };
    let wild = draw.one_of(&["i1", "n0 & 7", "c0"]);
    match draw.below(20) {
        0 => format!("a[{index}]"),
        1 => format!("a[{wild}]"),
        2 => format!("m[n0 & 1][{}]", draw.below(3)),
        3 => format!("v.b[{index}]"),
        4 => "v.parts.hi".into(),
        5 => format!("o.in.z[{}]", draw.below(3)),
        _ => draw
            .one_of(&[
                "g0", "g1", "u0", "c0", "s0", "l0", "w0", "t0", "i0", "i1", "n0", "o.x", "o.b", "o.h", "o.f",
                "o.k", "o.in.y", "v.i", "v.u", "v.h[1]",
            ])
            .into(),
    }
}

fn atom(draw: &mut Random) -> String {
    match draw.below(4) {
        0 => format!("{}", draw.below(40) as i64 - 20),
        1 => draw.one_of(&["0x7fffffff", "-1", "255u", "65536", "3000000000u", "5LL", "0u", "'x'"]).into(),
        _ => place(draw),
    }
}

fn expression(draw: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return atom(draw);
    }
    let (left, right) = (expression(draw, depth - 1), expression(draw, depth - 1));
    match draw.below(16) {
        0..=2 => format!("({left} {} {right})", draw.one_of(&["+", "-", "*"])),
        3 => format!("({left} {} {right})", draw.one_of(&["&", "|", "^"])),
        4 | 5 => format!("({left} {} {right})", draw.one_of(&["<", "<=", "==", "!=", ">", ">="])),
        6 => format!("({left} {} ({right} & 31))", draw.one_of(&["<<", ">>"])),
        7 => format!("({left} {} {right})", draw.one_of(&["<<", ">>"])),
        8 => format!("({left} {} {right})", draw.one_of(&["/", "%"])),
        9 => format!("((unsigned)({left}) {} ((unsigned)({right}) | 1u))", draw.one_of(&["/", "%"])),
        10 => format!("({left} {} {right})", draw.one_of(&["&&", "||"])),
        11 => format!("({left} ? {right} : {})", atom(draw)),
        12 => format!("{}({left})", draw.one_of(&["-", "~", "!"])),
        _ => format!(
            "(({})({left}))",
            draw.one_of(&[
                "char",
                "unsigned char",
                "short",
                "unsigned short",
                "_Bool",
                "long long",
                "unsigned",
                "int",
                "unsigned long long"
            ])
        ),
    }
}

fn statement(draw: &mut Random, text: &mut String, depth: u32) {
    let value = expression(draw, 2);
    match draw.below(10) {
        0 | 1 if depth < 3 => {
            write!(text, "if ({value}) {{ ").unwrap();
            statement(draw, text, depth + 1);
            text.push_str("} else { ");
            statement(draw, text, depth + 1);
            text.push_str("}\n");
        }
        2 if depth < 3 => {
            write!(text, "switch ({value}) {{ case 0: g0 = 1; case 1: i0 = g1; break; case -1: ").unwrap();
            statement(draw, text, depth + 1);
            text.push_str("break; default: u0 = n0; }\n");
        }
        3 if depth < 2 => {
            text.push_str("for (i1 = 0; i1 < 3; i1 = i1 + 1) { ");
            statement(draw, text, depth + 1);
            text.push_str("}\n");
        }
        _ => {
            let to = place(draw);
            writeln!(text, "{to} {} {value};", draw.one_of(&["=", "=", "=", "+=", "^=", "*="])).unwrap();
        }
    }
}

fn procedure(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let mut text = format!("{HEAD}int run(int i0, int i1, unsigned n0) {{\nv.u = n0;\n");
    for _ in 0..8 {
        statement(&mut draw, &mut text, 1);
    }
    text.push_str("return g0;\n}\n");
    text
}

fn load(text: &str) -> Program {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("random.c", text).expect("small");
    let syntax = parser::parse(source, &mut session);
    let tree = sema::analyse(&syntax, &mut session);
    assert!(!session.diagnostics.has_errors(), "{:?}\n{text}", session.diagnostics.iter().next());
    lower::lower(vec![tree], session, &lower::Settings::default()).program
}

#[derive(Default)]
struct Count {
    steps: usize,
    branches: usize,
    writes: usize,
    failures: usize,
    /// Walks that came to something that one side does not give a meaning to.
    left: usize,
}

/// Both sides, at the same place of a run.
struct Walk<'p> {
    program: &'p Program,
    procedure: program::ProcedureId,
    component: &'p Component,
    /// The place of each cell, where the program has it as a scalar.
    places: &'p FxHashMap<CellId, program::Place>,
    encoder: Encoder<'p>,
    state: State,
    /// The values of the symbols of `symbolic`.
    model: Model,
    cells: FxHashMap<CellId, u128>,
    /// Cells whose writes are left out because nobody reads them.
    hidden: FxHashSet<CellId>,
}

enum Ended {
    /// At the end, or where a step is not defined on either side.
    Agreed,
    /// Where one side has no meaning.
    Left,
}

fn number(pool: &TermPool, model: &Model, term: TermId) -> Option<u128> {
    match model.evaluate(pool, term) {
        Ok(Value::Bits(bits)) => bits.to_u128(),
        Ok(Value::Bool(value)) => Some(u128::from(value)),
        _ => None,
    }
}

impl Walk<'_> {
    /// The values of the cells, as a model of the component's terms.
    fn cell_model(&self) -> Model {
        let mut model = Model::default();
        for (id, cell) in self.component.cells.iter_enumerated() {
            let width = self.component.pool.width(cell.symbol);
            model.set(cell.symbol, Value::Bits(Bits::from_i128(width, self.cells[&id] as i128)));
        }
        model
    }

    fn of_component(&self, model: &Model, term: TermId) -> u128 {
        number(&self.component.pool, model, term).expect("terms of the component are over cells")
    }

    /// Does the step fail? None if it has no meaning.
    fn fails(&self, effect: &Effect) -> Option<bool> {
        let mut fails = false;
        for failure in &effect.failures {
            let holds = number(&self.encoder.terms.pool, &self.model, failure.condition)? == 1;
            let is_beyond = matches!(
                failure.kind,
                FailureKind::Unknown | FailureKind::LayoutDependent | FailureKind::Misaligned
            );
            if holds && is_beyond {
                return None;
            }
            fails |= holds;
        }
        Some(fails)
    }

    fn value_now(&mut self, place: &program::Place) -> Option<u128> {
        self.encoder.begin(Span::default());
        let term = self.encoder.scalar(&mut self.state, &program::Expr::load(place.clone()));
        number(&self.encoder.terms.pool, &self.model, term)
    }

    fn walk(&mut self, count: &mut Count) -> Result<Ended, String> {
        let body = self.program.procedures[self.procedure].body.as_ref().expect("it has a body");
        let (mut node, mut at): (NodeId, _) = (body.entry, self.component.entry);
        for _ in 0..400 {
            let cells = self.cell_model();
            let mut taken = None;
            for &id in &body.nodes[node].out {
                let action = &body.edges[id].action;
                if !matches!(action, Action::Skip | Action::Assume { .. } | Action::Assign { .. }) {
                    return Ok(Ended::Agreed);
                }
                let mut after = self.state.clone();
                let effect = self.encoder.step(&mut after, action, body.edges[id].span);
                let Some(fails) = self.fails(&effect) else { return Ok(Ended::Left) };
                let condition = effect.condition;
                let is_taken = condition.is_none_or(|condition| {
                    number(&self.encoder.terms.pool, &self.model, condition) == Some(1)
                });
                let origin = Some(Origin::Step(self.procedure, id));
                let own =
                    self.component.out(at).find(|(_, edge)| edge.origin == origin).map(|(_, edge)| edge);
                if let Some(own) = own {
                    if own.trouble.is_some() || own.is_approximate || !own.inputs.is_empty() {
                        return Ok(Ended::Left);
                    }
                    self.compare(own, &cells, fails, is_taken)?;
                    count.steps += 1;
                    count.branches += usize::from(condition.is_some());
                    count.failures += usize::from(fails);
                }
                if fails {
                    // A step that is never defined may be missing on the side of the component.
                    return Ok(Ended::Agreed);
                }
                if is_taken {
                    taken = Some((id, after, own));
                }
            }
            let Some((id, after, own)) = taken else { return Err("no step is taken".to_owned()) };
            self.state = after;
            node = body.edges[id].to;
            match own {
                Some(own) => {
                    self.write(own, &cells, count)?;
                    at = own.to;
                }
                None => self.did_nothing(&body.edges[id].action)?,
            }
        }
        Ok(Ended::Agreed)
    }

    /// Is the step defined, and taken, on both sides alike?
    fn compare(&self, own: &Edge, cells: &Model, fails: bool, is_taken: bool) -> Result<(), String> {
        let read = symbols_in(&self.component.pool, &[own.full_guard]);
        self.not_hidden(&read)?;
        let is_defined = self.of_component(cells, own.defined) == 1;
        if is_defined == fails {
            return Err(format!(
                "`{}`: defined for the component: {is_defined}, failing for symbolic: {fails}",
                own.text
            ));
        }
        let is_open = self.of_component(cells, own.full_guard) == 1;
        if is_defined && is_open != is_taken {
            return Err(format!(
                "`{}`: taken by the component: {is_open}, by symbolic: {is_taken}",
                own.text
            ));
        }
        Ok(())
    }

    fn not_hidden(&self, read: &[TermId]) -> Result<(), String> {
        let hidden = self.hidden.iter().find(|&&cell| read.contains(&self.component.cells[cell].symbol));
        hidden.map_or(Ok(()), |&cell| {
            Err(format!("`{}` is read, and was not written", self.component.cells[cell].name))
        })
    }

    /// Takes the step of the component and compares what was written.
    fn write(&mut self, own: &Edge, cells: &Model, count: &mut Count) -> Result<(), String> {
        let mut written = Vec::new();
        for &(cell, value) in &own.updates {
            self.not_hidden(&symbols_in(&self.component.pool, &[value]))?;
            written.push((cell, self.of_component(cells, value)));
        }
        for (cell, value) in written {
            self.cells.insert(cell, value);
            self.hidden.remove(&cell);
        }
        for (cell, place) in self.places.clone() {
            let Some(now) = self.value_now(&place) else { continue };
            let is_written = own.updates.iter().any(|(other, _)| *other == cell);
            count.writes += usize::from(is_written);
            if now == self.cells[&cell] {
                self.hidden.remove(&cell);
            } else if is_written {
                let name = &self.component.cells[cell].name;
                return Err(format!(
                    "`{}`: `{name}` is {:#x} for the component, {now:#x} for symbolic",
                    own.text, self.cells[&cell]
                ));
            } else {
                self.hidden.insert(cell);
            }
        }
        Ok(())
    }

    /// The component does not have the step: then it changes nothing that is read, and there is no other.
    fn did_nothing(&mut self, action: &Action) -> Result<(), String> {
        if matches!(action, Action::Skip) {
            return Ok(());
        }
        for (cell, place) in self.places.clone() {
            if self.value_now(&place).is_some_and(|now| now != self.cells[&cell]) {
                self.hidden.insert(cell);
            }
        }
        Ok(())
    }
}

/// A value that the cell can have: bit-fields hold less than their type.
fn first_value(draw: &mut Random, program: &Program, place: &program::Place, width: u32) -> u128 {
    let Some(bits) = place.bit_field(&program.types).and_then(|layout| layout.bit_width) else {
        return value_of(draw, width);
    };
    let value = value_of(draw, bits);
    let is_signed = program.types.integer_shape(place.ty.id).is_some_and(|shape| shape.signed);
    let is_negative = is_signed && value >> (bits - 1) & 1 == 1;
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    if is_negative { (value | u128::MAX << bits) & all } else { value }
}

#[test]
fn every_step_means_the_same_to_both() {
    let programs: u64 =
        std::env::var("AGREEMENT_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let mut count = Count::default();
    for seed in 0..programs {
        let text = procedure(seed);
        let program = load(&text);
        let procedure = program.procedure_named("run").expect("it is there");
        let mut component = build(&Build {
            program: &program,
            procedure,
            name: "run".into(),
            guard: None,
            routines: &|_, _| Vec::new(),
            is_inlined: &|_, _| true,
            missing: MissingRule::Forbid,
            globals: GlobalsRule::Any,
            recursion: 0,
            returns: &Returns::default(),
            predicates: &[],
            propositions: &[],
        })
        .expect("it can be made");
        let ids: Vec<CellId> = component.cells.ids().collect();
        let places: FxHashMap<CellId, program::Place> =
            ids.iter().filter_map(|&cell| Some((cell, component.program_place(cell)?))).collect();
        let points_to = PointsTo::of(&program);
        let meaning = Meaning::new(&program, &points_to);
        for round in 0..8 {
            let mut draw = Random::new(seed << 8 | round);
            let mut encoder = Encoder::new(&meaning);
            encoder.watch = Watch { arithmetic: true, ..Watch::default() };
            let (mut state, _) = encoder.initial_state();
            let arguments: Vec<symbolic::Value> =
                (0..3).map(|_| symbolic::Value::Scalar(encoder.terms.number(32, 0))).collect();
            encoder.enter(&mut state, procedure, &arguments, Span::default());
            let (mut model, mut cells) = (Model::default(), FxHashMap::default());
            for &cell in &ids {
                let width = component.pool.width(component.cells[cell].symbol);
                let Some(place) = places.get(&cell) else {
                    cells.insert(cell, value_of(&mut draw, width));
                    continue;
                };
                let value = first_value(&mut draw, &program, place, width);
                cells.insert(cell, value);
                // As a symbol or as a constant: both ways are taken by those who ask.
                let term = if round % 2 == 0 {
                    let symbol = encoder.terms.fresh_bits("first", width);
                    model.set(symbol, Value::Bits(Bits::from_i128(width, value as i128)));
                    symbol
                } else {
                    encoder.terms.number(width, value)
                };
                encoder.begin(Span::default());
                encoder.store(&mut state, place, symbolic::Value::Scalar(term));
            }
            let (component, places, hidden) = (&component, &places, FxHashSet::default());
            let mut walk = Walk {
                program: &program,
                procedure,
                component,
                places,
                encoder,
                state,
                model,
                cells,
                hidden,
            };
            match walk.walk(&mut count) {
                Ok(Ended::Agreed) => {}
                Ok(Ended::Left) => count.left += 1,
                Err(why) => panic!("seed {seed}, round {round}: {why}\n{text}"),
            }
        }
    }
    let walks = programs as usize * 8;
    let told = format!(
        "{} steps, {} branches, {} values written, {} failures; {} of {walks} walks left early\n",
        count.steps, count.branches, count.writes, count.failures, count.left
    );
    std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes()).expect("standard error");
    assert!(
        count.steps > walks * 4
            && count.writes > walks * 2
            && count.failures > walks / 10
            && count.left * 2 < walks,
        "{told}"
    );
}
