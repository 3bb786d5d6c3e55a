//! What a proof rests on: at each head of a loop the combinations of predicates that are reached, and for
//! each procedure what it is entered with and how its end goes with its entry. Written down so that the
//! auditor can show it again, block by block, without predicates.

use super::divide::{Control, Divided, End, Point};
use base::{Id, IndexVec};
use boolprog::summaries::{Function, Invariant, Observed};
use logic::TermId;
use predicate::procedure::{BooleanProgram, CutId, RoutineId, Scopes, System};
use program::{ProcedureId, Program};
use prove::{AtHead, add_loop, add_objects};
use question::Answer;
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::names::NamedPart;
use symbolic::show::ShowTerms;
use symbolic::{Names as VariableNames, StateVariable, Terms, Written};
use verdict::{Condition, Contract, Gap, ProgramProof, ProofArgument};

/// The proof.
pub fn proof(
    divided: &mut Divided<'_, '_>,
    scopes: &Scopes,
    boolean: &BooleanProgram,
    invariant: &Invariant,
) -> Answer {
    let mut certificate = ProgramProof::by(ProofArgument::Induction { depth: 1 });
    for id in divided.system.cuts.ids() {
        let Control::At(pending) = divided.points[id].control.clone() else { continue };
        let routine = divided.system.cuts[id].routine;
        let entry = divided.system.routines[routine].entry;
        if id == entry {
            continue;
        }
        let known = conditions(divided, scopes, boolean, routine, Some(id), &invariant.at[boolean.nodes[id]]);
        let more =
            if Some(routine) == divided.system.main { Vec::new() } else { old_parts(divided, routine) };
        let at = AtHead {
            stack: &pending.stack,
            any: &pending.state,
            more: &more,
            conditions: &known,
            span: divided.system.cuts[id].span,
        };
        add_loop(&mut certificate, &mut divided.explorer.encoder, divided.program, at);
    }
    for routine in divided.system.routines.ids() {
        if Some(routine) != divided.system.main {
            let contract = contract(divided, scopes, boolean, invariant, routine, &mut certificate);
            certificate.contracts.push(contract);
        }
    }
    add_objects(&mut certificate, &divided.explorer.encoder);
    let how = format!(
        "a Boolean program over {} predicates at {} places, with its calls, has no failing run",
        scopes.count(),
        divided.system.cuts.len()
    );
    Answer::proved("predicates", how, certificate)
}

/// The parts of a procedure's entry, with names for values at entry.
fn old_parts(divided: &Divided<'_, '_>, routine: RoutineId) -> Vec<NamedPart> {
    let entry = divided.system.routines[routine].entry;
    let procedure = divided.procedures[routine];
    named(divided.program, procedure, &divided.points[entry].parts, "$old")
}

fn named(
    program: &Program,
    procedure: ProcedureId,
    parts: &[(StateVariable, TermId)],
    suffix: &str,
) -> Vec<NamedPart> {
    let names = VariableNames::seen_from(program, &[procedure]);
    parts
        .iter()
        .map(|&(part, term)| {
            let name = format!("{}{suffix}", names.part(program, part, 1));
            let ty = match part {
                StateVariable::Global(id) | StateVariable::Local(_, id) => Some(program.variables[id].ty.id),
                _ => None,
            };
            NamedPart { name, ty, term }
        })
        .collect()
}

fn contract(
    divided: &mut Divided<'_, '_>,
    scopes: &Scopes,
    boolean: &BooleanProgram,
    invariant: &Invariant,
    routine: RoutineId,
    certificate: &mut ProgramProof,
) -> Contract {
    let program = divided.program;
    let procedure = divided.procedures[routine];
    let entry = divided.system.routines[routine].entry;
    let at_entry = &invariant.at[boolean.nodes[entry]];
    let requires = conditions(divided, scopes, boolean, routine, Some(entry), at_entry);
    let summary = &invariant.summaries[boolean.procedures[routine]];
    let ensures = conditions(divided, scopes, boolean, routine, None, summary);
    let entry_parts = named(program, procedure, &divided.points[entry].parts, "");
    let mut end_parts = old_parts(divided, routine);
    end_parts.extend(named(program, procedure, &divided.ends[routine].parts, ""));
    if let Some(result) = divided.ends[routine].result {
        let ty = Some(program.result_type(procedure).id);
        end_parts.push(NamedPart { name: "result$".into(), ty, term: result });
    }
    let name = program.procedures[procedure].name.to_string();
    let mut write = |parts: &[NamedPart], conditions: &[TermId]| {
        let mut texts = Vec::new();
        for written in divided.explorer.encoder.written_as(parts, conditions) {
            match written {
                Written::C(text) => texts.push(Condition::C(text)),
                Written::Smt(text) => texts.push(Condition::Smt(text)),
                Written::NotAtAll => {
                    certificate.gap = Some(Gap::Unwritten { of: format!("the contract of `{name}`") });
                }
            }
        }
        texts
    };
    let (requires, ensures) = (write(&entry_parts, &requires), write(&end_parts, &ensures));
    Contract { procedure: name, procedure_number: procedure.index() as u32, requires, ensures }
}

/// Combinations beyond this are not listed.
const MOST_CUBES: usize = 48;

/// What a function of the Boolean program says, as conditions over symbols. What it says of variables of
/// other places is left out.
fn conditions(
    divided: &mut Divided<'_, '_>,
    scopes: &Scopes,
    boolean: &BooleanProgram,
    routine: RoutineId,
    cut: Option<CutId>,
    function: &Function,
) -> Vec<TermId> {
    let entry = divided.system.routines[routine].entry;
    let system = &divided.system;
    let own: FxHashSet<TermId> = system.cuts[entry]
        .symbols
        .iter()
        .chain(cut.iter().flat_map(|&cut| &system.cuts[cut].symbols))
        .chain(system.routines[routine].ends.iter().filter(|_| cut.is_none()))
        .copied()
        .collect();
    let terms = &mut divided.explorer.encoder.terms;
    let term_of = |terms: &Terms, observed: Observed| -> Option<TermId> {
        let term = match observed {
            Observed::AtEntry(variable) | Observed::Now(variable) => *boolean.predicate_of.get(&variable)?,
            Observed::Result(at) => *scopes.at_end(routine).get(at)?,
        };
        logic::term::symbols_in(&terms.pool, &[term])
            .iter()
            .all(|symbol| own.contains(symbol))
            .then_some(term)
    };
    let asked: Vec<Option<TermId>> =
        function.decisions.iter().map(|(observed, _, _)| term_of(terms, *observed)).collect();
    if let Some(cubes) = cubes(function, &asked) {
        return simplified(terms, cubes);
    }
    let mut numbers = vec![terms.no(), terms.yes()];
    for ((_, yes, no), asked) in function.decisions.iter().zip(asked) {
        let (yes, no) = (numbers[*yes], numbers[*no]);
        numbers.push(match asked {
            Some(asked) => terms.ite(asked, yes, no),
            None => terms.or(yes, no),
        });
    }
    vec![numbers[function.root]]
}

type Cube = FxHashMap<TermId, bool>;

/// The ways through the decisions that end with yes; `None` if there are many.
fn cubes(function: &Function, asked: &[Option<TermId>]) -> Option<Vec<Cube>> {
    let mut found: Vec<Cube> = Vec::new();
    let mut open = vec![(function.root, Cube::default())];
    while let Some((number, cube)) = open.pop() {
        match number {
            0 => continue,
            1 => {
                if !found.contains(&cube) {
                    found.push(cube);
                }
                if found.len() > MOST_CUBES {
                    return None;
                }
                continue;
            }
            _ => {}
        }
        let (_, yes, no) = function.decisions[number - 2];
        match asked[number - 2] {
            None => open.extend([(yes, cube.clone()), (no, cube)]),
            Some(term) => match cube.get(&term) {
                Some(true) => open.push((yes, cube)),
                Some(false) => open.push((no, cube)),
                None => {
                    for (next, value) in [(yes, true), (no, false)] {
                        let mut longer = cube.clone();
                        longer.insert(term, value);
                        open.push((next, longer));
                    }
                }
            },
        }
        if open.len() > 4 * MOST_CUBES {
            return None;
        }
    }
    Some(found)
}

/// What all combinations share, one by one, and the rest as one disjunction.
fn simplified(terms: &mut Terms, mut cubes: Vec<Cube>) -> Vec<TermId> {
    let Some(first) = cubes.first().cloned() else { return vec![terms.no()] };
    let mut shared: Vec<(TermId, bool)> = first.into_iter().collect();
    shared.retain(|(term, value)| cubes.iter().all(|cube| cube.get(term) == Some(value)));
    shared.sort_unstable();
    let literal = |terms: &mut Terms, term: TermId, value: bool| if value { term } else { terms.not(term) };
    let mut conditions: Vec<TermId> =
        shared.iter().map(|&(term, value)| literal(terms, term, value)).collect();
    let mut rest = Vec::new();
    for cube in &mut cubes {
        let mut literals: Vec<(TermId, bool)> =
            cube.iter().map(|(&term, &value)| (term, value)).filter(|pair| !shared.contains(pair)).collect();
        literals.sort_unstable();
        if literals.is_empty() {
            return conditions;
        }
        let literals: Vec<TermId> =
            literals.into_iter().map(|(term, value)| literal(terms, term, value)).collect();
        let all = terms.pool.all_of(&literals);
        rest.push(terms.simple(all));
    }
    conditions.push(terms.any(&rest));
    conditions.retain(|&condition| terms.truth(condition) != Some(true));
    conditions
}

/// Names of predicates for the Boolean program's text.
#[derive(Debug, Default)]
pub struct Names {
    texts: FxHashMap<TermId, String>,
    used: FxHashSet<(usize, String)>,
    count: usize,
}

impl Names {
    /// Finds words for all predicates.
    pub fn learn(
        &mut self,
        program: &Program,
        system: &System,
        points: &IndexVec<CutId, Point>,
        ends: &IndexVec<RoutineId, End>,
        scopes: &Scopes,
        terms: &mut Terms,
    ) {
        let mut words: FxHashMap<TermId, String> = FxHashMap::default();
        for (id, point) in points.iter_enumerated() {
            let is_entry = system.entry_of(id) == id;
            for (part, symbol) in &point.parts {
                if let StateVariable::Global(variable) | StateVariable::Local(_, variable) = part {
                    let name = &program.variables[*variable].name;
                    let suffix = if is_entry { "@entry" } else { "" };
                    words.insert(*symbol, format!("{name}{suffix}"));
                }
            }
        }
        for end in ends {
            words.extend(end.result.map(|result| (result, "result".to_owned())));
            for (part, symbol) in &end.parts {
                if let StateVariable::Global(variable) = part {
                    words.insert(*symbol, program.variables[*variable].name.to_string());
                }
            }
        }
        let all = system.cuts.ids().flat_map(|cut| scopes.at(cut).iter());
        let all = all.chain(system.routines.ids().flat_map(|routine| scopes.at_end(routine).iter()));
        for &predicate in all {
            let show = ShowTerms::new(terms, |symbol| words.get(&symbol).cloned());
            if let Some(text) = show.condition(predicate) {
                self.texts.insert(predicate, text);
            }
        }
    }

    /// The name of a predicate at a place, each time another.
    pub fn of(
        &mut self,
        system: &System,
        cut: Option<CutId>,
        routine: RoutineId,
        predicate: TermId,
    ) -> String {
        self.count += 1;
        let text = self.texts.get(&predicate).cloned().unwrap_or_else(|| format!("p{}", self.count));
        let place = cut.map_or("end", |cut| &system.cuts[cut].name);
        let mut name = format!("{{{place}: {text}}}");
        if !self.used.insert((routine.index(), name.clone())) {
            name = format!("{{{place}: {text} #{}}}", self.count);
            self.used.insert((routine.index(), name.clone()));
        }
        name
    }
}
