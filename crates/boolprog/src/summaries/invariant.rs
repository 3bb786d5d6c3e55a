//! The fixpoint as an inductive invariant: functions of the values at the entry of an activation and of the
//! values now, one per program counter, and one per procedure for its summary. Plain data, without decision
//! diagrams.

use super::engine::Engine;
use crate::graph::{NodeId, ProcedureId, Program, VariableId};
use base::IndexVec;
use logic::bdd::{Bdd, BddVariable};
use rustc_hash::FxHashMap;
use verdict::{Fact, InductiveFacts};

/// A value that a function depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A global or a parameter at the entry of the activation.
    AtEntry(VariableId),
    /// A variable now; in a summary, a global at the end of the activation.
    Now(VariableId),
    /// A returned value by its position.
    Result(usize),
}

/// A Boolean function as decisions: numbers 0 and 1 are the constants, number n + 2 is decision n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What is asked, and the numbers to go on with if it is true and if it is false; these come earlier in
    /// the list.
    pub decisions: Vec<(Observed, usize, usize)>,
    /// The number of the function itself.
    pub root: usize,
}

/// Path edges and summaries.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The states each program counter is reached with.
    pub at: IndexVec<NodeId, Function>,
    /// Entry values, values of globals at the end, and results, by procedure.
    pub summaries: IndexVec<ProcedureId, Function>,
    /// The slots of globals that a call of the procedure may change; others keep their values.
    pub modified: IndexVec<ProcedureId, Vec<usize>>,
}

impl Invariant {
    pub(super) fn of(engine: &Engine<'_, '_>) -> Invariant {
        let program = engine.context.program;
        let at = program.nodes().iter_enumerated().map(|(id, node)| {
            let names = names(engine, node.procedure);
            function(&engine.nodes[id].reached, &names)
        });
        let summaries =
            program.procedures().ids().map(|id| function(engine.summary(id), &names(engine, id))).collect();
        let modified = program.procedures().ids().map(|id| engine.context.modified(id)).collect();
        Invariant { at: at.collect(), summaries, modified }
    }

    /// In words.
    pub fn certificate(&self, program: &Program, conditions: u64) -> InductiveFacts {
        let mut facts = Vec::new();
        for (id, function) in self.at.iter_enumerated().filter(|(_, function)| function.root != 0) {
            let procedure = &program.procedures()[program.procedure_of(id)];
            let place = format!("{id} in {}: {}", procedure.name, program.describe(id));
            facts.push(Fact { place, states: function.describe(program) });
        }
        for (id, function) in self.summaries.iter_enumerated().filter(|(_, function)| function.root != 0) {
            let place = format!("summary of {}", program.procedures()[id].name);
            facts.push(Fact { place, states: function.describe(program) });
        }
        InductiveFacts {
            shape: "summaries",
            meaning: "each program counter is reached only with the values its function allows (x is a value now, \
                      x@entry the value at the entry of the activation), each call ends only as the summary allows; \
                      the start is allowed, every edge leads from allowed values to allowed values, and none of \
                      them fails an assertion or stands at an error label; places not listed are never reached",
            facts,
            legend: Vec::new(),
            conditions,
        }
    }
}

/// What the BDD variables mean inside a procedure.
fn names(engine: &Engine<'_, '_>, procedure: ProcedureId) -> FxHashMap<BddVariable, Observed> {
    let (program, places) = (engine.context.program, &engine.context.places);
    let globals = program.globals().iter().zip(&places.globals);
    let locals = program.procedures()[procedure].variables.iter().zip(&places.locals);
    let mut names = FxHashMap::default();
    for (&id, moments) in globals.chain(locals) {
        names.insert(moments.entry, Observed::AtEntry(id));
        names.insert(moments.current, Observed::Now(id));
    }
    names.extend(places.results.iter().enumerate().map(|(at, &variable)| (variable, Observed::Result(at))));
    names
}

// A diagram is hashed and compared by its node, which never changes while a handle exists.
#[allow(clippy::mutable_key_type)]
fn function(set: &Bdd, names: &FxHashMap<BddVariable, Observed>) -> Function {
    let mut numbers: FxHashMap<Bdd, usize> = FxHashMap::default();
    let mut decisions = Vec::new();
    let mut open = vec![set.clone()];
    while let Some(top) = open.last().cloned() {
        let known = |part: &Bdd| {
            if part.is_false() {
                Some(0)
            } else if part.is_true() {
                Some(1)
            } else {
                numbers.get(part).copied()
            }
        };
        if known(&top).is_some() {
            open.pop();
            continue;
        }
        let (yes, no) = top.top_cofactors().expect("no constant");
        match (known(&yes), known(&no)) {
            (Some(first), Some(second)) => {
                let asked = top.top_variable().expect("no constant");
                let asked = *names.get(&asked).expect("path edges speak about entry values and values now");
                decisions.push((asked, first, second));
                numbers.insert(top, decisions.len() + 1);
                open.pop();
            }
            _ => open.extend([yes, no]),
        }
    }
    let root = if set.is_false() {
        0
    } else if set.is_true() {
        1
    } else {
        numbers[set]
    };
    Function { decisions, root }
}

impl Function {
    /// All decisions, the function itself last: `d0 = x ? yes : no; d1 = y@entry ? d0 : no`.
    fn describe(&self, program: &Program) -> String {
        let number = |number: &usize| match number {
            0 => "no".to_owned(),
            1 => "yes".to_owned(),
            number => format!("d{}", number - 2),
        };
        let name = |id: &VariableId| program.variables()[*id].name.to_string();
        let mut text: Vec<String> = Vec::new();
        for (index, (asked, yes, no)) in self.decisions.iter().enumerate() {
            let asked = match asked {
                Observed::AtEntry(id) => format!("{}@entry", name(id)),
                Observed::Now(id) => name(id),
                Observed::Result(at) => format!("result {at}"),
            };
            text.push(format!("d{index} = {asked} ? {} : {}", number(yes), number(no)));
        }
        if self.decisions.is_empty() {
            text.push(number(&self.root));
        }
        text.join("; ")
    }
}
