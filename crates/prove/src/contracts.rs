//! Procedures that call themselves, by contract (modular verification with pre- and postconditions): a call
//! is not followed; the procedure is entered with any state that a call can bring, and a call returns with
//! anything that its postcondition allows. Postconditions are guessed here and kept by `houdini` if every
//! return keeps them (induction over the depth of calls; after Flanagan, Leino 2001).
//!
//! Restrictions, each a refusal: no variables in memory in such procedures, no allocation below them.
//! Postconditions speak of the result, of parameters that are never written, and of globals outside memory.
//!
//! Worked example: `int down(int n) { if (n <= 0) return 0; return down(n - 1); }`. The guess `result == 0`
//! is kept by the first return; at the second, the call inside is taken by contract, so its result is 0 by
//! the guess itself, and so is the outer one.

use crate::candidates::{constants, plain_conditions};
use logic::{Sort, TermId};
use program::{Action, Known, PointsTo, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symbolic::names::NamedPart;
use symbolic::{Encoder, Names, State, Terms};
use verdict::{Reason, Shape};

/// A call that was passed by contract, or a return from such a procedure.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// The condition under which it is entered.
    pub guard: TermId,
    /// The parameters, at the call or at the return.
    pub parameters: Vec<Option<TermId>>,
    /// The result.
    pub result: Option<TermId>,
    /// Globals afterwards.
    pub globals: Rc<BTreeMap<VariableId, TermId>>,
}

/// The procedures that are taken by contract.
#[derive(Debug, Default)]
pub struct Contracts {
    procedures: FxHashSet<ProcedureId>,
    /// Globals outside memory that they, and what they call, may write.
    pub written: BTreeSet<VariableId>,
    /// May they write memory?
    pub writes_memory: bool,
    /// Calls, as they were met.
    pub calls: Vec<Passage>,
    /// Returns, as they were met.
    pub exits: Vec<Passage>,
}

impl Contracts {
    /// Of the procedures that call themselves; `None` if there are none. Fails with the reason if they cannot
    /// be taken so.
    pub fn of(program: &Program, points_to: &PointsTo) -> Result<Option<Contracts>, Reason> {
        let direct: FxHashMap<ProcedureId, Vec<ProcedureId>> =
            program.procedures.ids().map(|id| (id, points_to.callees(program, id))).collect();
        let callees = |id: ProcedureId| direct[&id].iter().copied();
        let reached_from = |id: ProcedureId| base::graph::reachable(callees(id), callees);
        let main = program.main.ok_or(Shape::NoMain)?;
        let alive = reached_from(main);
        let mut contracts = Contracts::default();
        let mut below: FxHashSet<ProcedureId> = FxHashSet::default();
        for &id in &alive {
            let reached = reached_from(id);
            if reached.contains(&id) && !program.procedures[id].is_native() {
                contracts.procedures.insert(id);
                below.insert(id);
                below.extend(reached);
            }
        }
        if contracts.procedures.is_empty() {
            return Ok(None);
        }
        if contracts.has(main) {
            return Err(Shape::MainRecurs.into());
        }
        for &id in &contracts.procedures {
            if let Some(why) = no_contract(program, id) {
                let function = program.procedures[id].name.to_string();
                return Err(Shape::RecursionWithoutContract { function, because: why.to_owned() }.into());
            }
        }
        for &id in &below {
            contracts.add_effects(program, id)?;
        }
        Ok(Some(contracts))
    }

    /// Is the procedure taken by contract?
    pub fn has(&self, procedure: ProcedureId) -> bool {
        self.procedures.contains(&procedure)
    }

    /// The procedures.
    pub fn procedures(&self) -> Vec<ProcedureId> {
        let mut all: Vec<ProcedureId> = self.procedures.iter().copied().collect();
        all.sort_unstable();
        all
    }

    fn add_effects(&mut self, program: &Program, id: ProcedureId) -> Result<(), Reason> {
        let procedure = &program.procedures[id];
        if procedure.is_native() && procedure.known.is_some_and(may_change_memory) {
            return Err(Shape::BelowRecursion { function: procedure.name.to_string() }.into());
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            let target = match &edge.action {
                Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
                Action::Call { result, .. } => result.as_ref(),
                _ => None,
            };
            let Some(target) = target else { continue };
            match target.as_variable().filter(|&id| !symbolic::meaning::is_in_memory(program, id)) {
                Some(id) if program.variables[id].kind == program::VariableKind::Global => {
                    self.written.insert(id);
                }
                Some(_) => {}
                None => self.writes_memory = true,
            }
        }
        Ok(())
    }
}

/// Everything but ends of a run, which change nothing that is seen afterwards, and contract words.
fn may_change_memory(known: Known) -> bool {
    !known.changes_nothing()
}

/// The symbols a postcondition is about.
#[derive(Debug)]
pub struct Formals {
    parameters: Vec<Option<TermId>>,
    result: Option<TermId>,
    globals: BTreeMap<VariableId, TermId>,
}

impl Formals {
    /// The symbols with the names that contracts use: values at the call, the result, static variables at the
    /// return.
    pub fn named(&self, program: &Program, procedure: ProcedureId) -> Vec<NamedPart> {
        let names = Names::seen_from(program, &[procedure]);
        let mut parts = Vec::new();
        for (&id, formal) in program.procedures[procedure].parameters.iter().zip(&self.parameters) {
            if let Some(term) = *formal {
                let name = format!("{}$old", names.variable(program, id));
                parts.push(NamedPart { name, ty: Some(program.variables[id].ty.id), term });
            }
        }
        if let Some(term) = self.result {
            let ty = Some(program.result_type(procedure).id);
            parts.push(NamedPart { name: "result$".into(), ty, term });
        }
        for (&id, &term) in &self.globals {
            let name = names.variable(program, id);
            parts.push(NamedPart { name, ty: Some(program.variables[id].ty.id), term });
        }
        parts
    }

    /// What the symbols are at a call or a return; anything new where they have no value there.
    pub fn values_at(&self, passage: &Passage, terms: &mut Terms) -> FxHashMap<TermId, TermId> {
        let mut values = FxHashMap::default();
        let mut add = |formal: TermId, value: Option<TermId>| {
            let sort = terms.pool.sort(formal);
            let value = value.filter(|&value| terms.pool.sort(value) == sort);
            values.insert(formal, value.unwrap_or_else(|| terms.fresh("unknown", sort)));
        };
        for (at, formal) in self.parameters.iter().enumerate() {
            if let Some(formal) = formal {
                add(*formal, passage.parameters.get(at).copied().flatten());
            }
        }
        if let Some(formal) = self.result {
            add(formal, passage.result);
        }
        for (id, formal) in &self.globals {
            add(*formal, passage.globals.get(id).copied());
        }
        values
    }
}

/// Guesses at most per procedure, conditions among them, constants.
const MOST_POSTS: usize = 1500;
const MOST_CONDITIONS: usize = 8;
const MOST_CONSTANTS: usize = 8;
const MOST_GLOBALS: usize = 4;

/// Guesses at the postcondition of a procedure; `any` is a state at its entry, over symbols.
pub fn guess_posts(
    encoder: &mut Encoder<'_>,
    contracts_written: &BTreeSet<VariableId>,
    procedure: ProcedureId,
    any: &State,
) -> (Formals, Vec<TermId>) {
    let program = encoder.meaning.program;
    let declared = &program.procedures[procedure];
    let formals = formals(encoder, contracts_written, procedure);
    let number_of = |encoder: &Encoder<'_>, id: VariableId| {
        let shape = encoder.meaning.program.types.integer_shape(program.variables[id].ty.id);
        shape.is_some_and(|shape| shape.signed)
    };
    let mut at_entry: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut subjects: Vec<(TermId, bool)> = Vec::new();
    for (&id, formal) in declared.parameters.iter().zip(&formals.parameters) {
        if let Some(formal) = formal {
            subjects.push((*formal, number_of(encoder, id)));
            if let Some(symbol) = any.register(id) {
                at_entry.insert(symbol, *formal);
            }
        }
    }
    let result_type = program.result_type(procedure).id;
    let is_result_signed = program.types.integer_shape(result_type).is_none_or(|shape| shape.signed);
    let mut targets: Vec<(TermId, bool)> =
        formals.result.iter().map(|&result| (result, is_result_signed)).collect();
    for (&id, &formal) in formals.globals.iter().take(MOST_GLOBALS) {
        targets.push((formal, number_of(encoder, id)));
    }
    // What the procedure asks about its parameters at entry, and the opposite.
    let mut conditions = vec![encoder.terms.yes()];
    for condition in plain_conditions(encoder, procedure, any) {
        let condition = encoder.terms.pool.substitute(condition, &at_entry);
        let known: FxHashSet<TermId> = subjects.iter().map(|(term, _)| *term).collect();
        let symbols = logic::term::symbols_in(&encoder.terms.pool, &[condition]);
        if symbols.iter().all(|symbol| known.contains(symbol)) {
            let condition = encoder.terms.simple(condition);
            let opposite = encoder.terms.not(condition);
            conditions.extend([condition, opposite]);
        }
    }
    conditions.truncate(1 + 2 * MOST_CONDITIONS);
    let mut callers: Vec<ProcedureId> = vec![procedure];
    callers.extend(program.main);
    let mut numbers: Vec<i128> = constants(program, &callers);
    numbers.truncate(MOST_CONSTANTS);
    let mut atoms: Vec<TermId> = Vec::new();
    for &(target, signed) in &targets {
        atoms_about(encoder, target, signed, &subjects, &numbers, &mut atoms);
    }
    let mut guesses = Vec::new();
    for &condition in &conditions {
        let fails = encoder.terms.not(condition);
        for &atom in &atoms {
            guesses.push(encoder.terms.or(fails, atom));
        }
    }
    let mut seen = BTreeSet::new();
    guesses.retain(|&guess| encoder.terms.truth(guess).is_none() && seen.insert(guess));
    guesses.truncate(MOST_POSTS);
    (formals, guesses)
}

/// Comparisons of a target with constants, with parameters, with sums and differences of them.
fn atoms_about(
    encoder: &mut Encoder<'_>,
    target: TermId,
    signed: bool,
    subjects: &[(TermId, bool)],
    numbers: &[i128],
    atoms: &mut Vec<TermId>,
) {
    let width = encoder.terms.pool.width(target);
    let at_most = |encoder: &mut Encoder<'_>, a: TermId, b: TermId, signed: bool| {
        let pool = &mut encoder.terms.pool;
        let term = if signed { pool.sle(a, b) } else { pool.ule(a, b) };
        encoder.terms.simple(term)
    };
    for &number in numbers {
        let number = encoder.terms.number(width, number as u128);
        let same = encoder.terms.equal(target, number);
        atoms.push(same);
        atoms.push(at_most(encoder, number, target, signed));
        atoms.push(at_most(encoder, target, number, signed));
        atoms.push(encoder.terms.not(same));
    }
    let mut own: Vec<(TermId, bool)> = Vec::new();
    for &(subject, is_signed) in subjects {
        let own_width = encoder.terms.pool.width(subject);
        if own_width > width {
            continue;
        }
        let subject = encoder.terms.resize(subject, width, is_signed);
        own.push((subject, is_signed));
        for by in [0i128, 1, -1].into_iter().chain(numbers.iter().flat_map(|&number| [number, -number])) {
            let moved = encoder.terms.add_number(subject, by as u128);
            atoms.push(encoder.terms.equal(target, moved));
            if by.abs() <= 1 {
                atoms.push(at_most(encoder, moved, target, signed && is_signed));
                atoms.push(at_most(encoder, target, moved, signed && is_signed));
            }
        }
        let doubled = encoder.terms.times(subject, 2);
        atoms.push(encoder.terms.equal(target, doubled));
        // Is it odd, is it even?
        if width > 1 {
            let low = encoder.terms.cut(subject, 0, 0);
            let odd = encoder.terms.resize(low, width, false);
            let one = encoder.terms.number(width, 1);
            let even = encoder.terms.sub(one, odd);
            for parity in [odd, even] {
                atoms.push(encoder.terms.equal(target, parity));
            }
        }
    }
    for (at, &(one, _)) in own.iter().enumerate() {
        for (other_at, &(two, _)) in own.iter().enumerate() {
            if at == other_at {
                continue;
            }
            let difference = encoder.terms.sub(one, two);
            atoms.push(encoder.terms.equal(target, difference));
            if at < other_at {
                let sum = encoder.terms.add(one, two);
                atoms.push(encoder.terms.equal(target, sum));
                let product = encoder.terms.pool.bvmul(one, two);
                let product = encoder.terms.simple(product);
                atoms.push(encoder.terms.equal(target, product));
            }
        }
    }
}

fn formals(encoder: &mut Encoder<'_>, written: &BTreeSet<VariableId>, procedure: ProcedureId) -> Formals {
    let program = encoder.meaning.program;
    let declared = &program.procedures[procedure];
    let mut is_written: FxHashSet<VariableId> = FxHashSet::default();
    for edge in declared.body.iter().flat_map(|body| &body.edges) {
        let target = match &edge.action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
            Action::Call { result, .. } => result.as_ref(),
            _ => None,
        };
        is_written.extend(target.and_then(|target| target.as_variable()));
    }
    let name = |what: &str| format!("post {procedure} {what}");
    let mut parameters = Vec::new();
    for &id in &declared.parameters {
        let variable = &program.variables[id];
        let is_number = program.types.is_integer(variable.ty.id) && !is_written.contains(&id);
        parameters.push(is_number.then(|| {
            let sort = Sort::BitVec(encoder.width(variable.ty.id));
            encoder.terms.pool.symbol(&name(&format!("{} {id}", variable.name)), sort)
        }));
    }
    let result_type = program.result_type(procedure).id;
    let result = program.types.is_integer(result_type).then(|| {
        let sort = Sort::BitVec(encoder.width(result_type));
        encoder.terms.pool.symbol(&name("result"), sort)
    });
    let mut globals = BTreeMap::new();
    for &id in written {
        if program.types.is_integer(program.variables[id].ty.id) {
            let sort = Sort::BitVec(encoder.width(program.variables[id].ty.id));
            globals.insert(id, encoder.terms.pool.symbol(&name(&format!("global {id}")), sort));
        }
    }
    Formals { parameters, result, globals }
}

/// Why a procedure can have no contract, if so, in words that follow its name: what it has in memory, and what is
/// in the parts of a record, is not told by one.
pub fn no_contract(program: &Program, id: ProcedureId) -> Option<&'static str> {
    let procedure = &program.procedures[id];
    let variables = procedure.parameters.iter().chain(&procedure.locals);
    if { variables }.any(|&variable| symbolic::meaning::is_in_memory(program, variable)) {
        return Some("has variables in memory");
    }
    let result = program.result_type(id).id;
    let is_void = matches!(program.types.get(result), program::Type::Void);
    (!is_void && !program.types.is_scalar(result)).then_some("returns a record")
}
