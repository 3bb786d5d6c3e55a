//! The proof obligations (verification conditions) of a certificate.
//!
//! Unwinding: from the start, with every loop and recursion unrolled as far as the certificate says, nothing
//! fails and nothing goes on.
//!
//! Induction, with k heads in a row: (1) from the start to the first heads, nothing fails and the invariants
//! hold; (2) from any state with the invariant of a head, the invariants hold at the next heads; (3) from the
//! start past k - 1 heads nothing fails; (4) from any state with the invariant of a head, past k - 1 further
//! heads with theirs, nothing fails after the last of them, provided that nothing did before. Every run is a
//! sequence of heads, so by induction on its length nothing fails in it. Procedures with contracts are walked
//! once each, and calls of them by contract (see `contract`).
//!
//! States at a head: the variables of active calls that are in memory have fixed objects (see
//! `symbolic::lifetimes`), an allocation made on the way gets a number that the state before does not use.
//! Numbers are names, so every state of a run is such a state up to renaming, as long as no condition names
//! an object that is not fixed; that is checked.

use crate::claim::{Claim, Settings};
use crate::contract::{Effects, Promises};
use crate::elements;
use crate::judge::Judge;
use crate::ranking::{CycleLeft, Passage, Passages, Place, exclude_cycles};
use crate::reading::Reading;
use crate::walk::{Arrival, AtHeads, ControlPoint, Goal, GuardedState, Invariants, Walker};
use base::{Budget, Id};
use logic::TermId;
use program::{Action, Callee, EdgeId, Known, NodeId, PointsTo, ProcedureId, Program, VariableId};
use question::{Audit, Check, Cycles, Judgement};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use symbolic::unwritten_locals::put_in_memory;
use symbolic::{Encoder, FailureKind, FixedObjects, Meaning, SetOut, State};
use verdict::{Condition, Contract, ProgramProof, ProofArgument, Reason, Shape};

/// Heads beyond this are not looked at: a certificate for so many is not of ours.
const MOST_HEADS: usize = 400;
/// So many numbers of objects can be spared some.
const ENOUGH_NUMBERS: usize = 256;

/// Checks a certificate again.
pub fn audit(
    program: &Program,
    claim: Claim<'_>,
    proof: &ProgramProof,
    settings: &Settings,
    budget: &Budget,
) -> Audit {
    let mut report = Audit { judgement: Judgement::Accepted, obligations: 0, heads: 0, second: None };
    let is_asked = |check| claim.property.checks.has(check);
    let watches_unwritten = is_asked(Check::Uninitialised);
    let allocates = || symbolic::allocates(program, &PointsTo::of(program));
    let open = |why: &str| Judgement::Open { why: why.to_owned() };
    report.judgement = match (program.main, &proof.gap) {
        (None, _) => open("there is no `main`"),
        (_, Some(gap)) => open(&gap.to_string()),
        _ if !program.constructors.is_empty() || !program.destructors.is_empty() => {
            open("the program has constructors or destructors")
        }
        _ if claim.property.endless_runs && !says_of_endless_runs(&claim.property.cycles, proof.argument) => {
            open("the argument does not say that runs end")
        }
        _ if claim.property.endless_runs && program.edges().any(|edge| registers_handler(program, edge)) => {
            open("functions that run when the program ends are not followed")
        }
        (Some(main), None) => match proof.argument {
            ProofArgument::Ranking if !claim.property.endless_runs => {
                open("the certificate is about the end of runs, which nobody asked about")
            }
            ProofArgument::Ranking => {
                let points_to = PointsTo::of(program);
                let meaning = Meaning::new(program, &points_to);
                match Certified::of(program, &points_to, proof, (1, settings.meaning())) {
                    Err(why) => open(&why.to_string()),
                    Ok(mut certified) => {
                        let mut walker = walker(&meaning, claim, settings, budget);
                        walker.encoder.watch.births = meaning.allocates();
                        certified.make_entries(&mut walker);
                        let mut ways = Passages::default();
                        let mut heads = 0;
                        let shown =
                            induction(&mut walker, main, proof, &certified, 1, (&mut heads, &mut ways));
                        report.heads = heads;
                        let left = match shown {
                            Ok(()) => {
                                let cycles = &claim.property.cycles;
                                exclude_cycles(&mut walker, proof, &certified, &ways, cycles)
                            }
                            Err(why) => Err(CycleLeft::Unknown(why)),
                        };
                        match left {
                            Ok(()) => close(walker, Ok(()), &mut report),
                            Err(CycleLeft::Unknown(why)) => close(walker, Err(why), &mut report),
                            Err(CycleLeft::Cycle(why, at)) => Judgement::Refuted { why, at },
                        }
                    }
                }
            }
            ProofArgument::OnlyRun => {
                report.obligations = 1;
                crate::only_run::audit(program, claim, budget)
            }
            ProofArgument::AllRuns => {
                let (judgement, states) = crate::all_runs::audit(program, claim, budget);
                report.obligations = states;
                judgement
            }
            ProofArgument::Unwinding { rounds } => {
                // Outside memory nothing tells that a variable was never written.
                let moved = watches_unwritten.then(|| put_in_memory(program)).flatten();
                let program = moved.as_ref().unwrap_or(program);
                let points_to = PointsTo::of(program);
                let meaning = Meaning::new(program, &points_to);
                let mut walker = walker(&meaning, claim, settings, budget);
                walker.encoder.watch.uninitialised = watches_unwritten;
                let shown = unwinding(&mut walker, main, rounds);
                close(walker, shown, &mut report)
            }
            ProofArgument::Interleavings { .. } => open("interleavings of threads are not made again"),
            ProofArgument::Orders { .. } => open("orders of the steps of threads are not compared again"),
            ProofArgument::Induction { .. } if is_asked(Check::Lost) && allocates() => {
                open("that runs can end, so that no block is lost, is not shown again")
            }
            ProofArgument::Induction { .. }
                if !proof.contracts.is_empty()
                    && (watches_unwritten || is_asked(Check::Leak) && allocates()) =>
            {
                open("contracts do not tell what is written or allocated")
            }
            ProofArgument::Induction { depth } => {
                // What a look at the program excludes needs no account of what was written.
                let watches_unwritten = watches_unwritten && crate::unwritten::may_be_read(program);
                let moved = watches_unwritten.then(|| put_in_memory(program)).flatten();
                let program = moved.as_ref().unwrap_or(program);
                let points_to = PointsTo::of(program);
                let meaning = Meaning::new(program, &points_to);
                let mut heads = 0;
                match Certified::of(program, &points_to, proof, (depth, settings.meaning())) {
                    Err(why) => open(&why.to_string()),
                    Ok(mut certified) => {
                        let mut walker = walker(&meaning, claim, settings, budget);
                        walker.encoder.watch.uninitialised = watches_unwritten;
                        walker.encoder.watch.births = meaning.allocates();
                        certified.make_entries(&mut walker);
                        let found = (&mut heads, &mut Passages::default());
                        let shown = induction(&mut walker, main, proof, &certified, depth, found);
                        report.heads = heads;
                        close(walker, shown, &mut report)
                    }
                }
            }
        },
    };
    report
}

/// Does the argument say what the claim says of runs that go on for ever?
fn says_of_endless_runs(cycles: &Cycles, argument: ProofArgument) -> bool {
    match argument {
        ProofArgument::OnlyRun | ProofArgument::Ranking => true,
        // All runs were unrolled to their ends.
        ProofArgument::Unwinding { .. } => *cycles != Cycles::Forbidden,
        ProofArgument::Induction { .. } => *cycles == Cycles::Allowed,
        ProofArgument::AllRuns | ProofArgument::Interleavings { .. } | ProofArgument::Orders { .. } => false,
    }
}

fn walker<'p, 'a>(
    meaning: &'p Meaning<'p>,
    claim: Claim<'a>,
    settings: &Settings,
    budget: &Budget,
) -> Walker<'p, 'a> {
    let mut encoder = Encoder::new(meaning);
    encoder.watch.arithmetic = claim.property.watches_arithmetic();
    encoder.watch.unknown_overflow = claim.property.endless_runs;
    Walker::new(encoder, claim, Judge::with_second(settings.second_solver.as_ref()), budget)
}

fn close(walker: Walker<'_, '_>, shown: Result<(), Reason>, report: &mut Audit) -> Judgement {
    report.obligations = walker.judge.obligations;
    report.second = walker.judge.opinion;
    match (shown, walker.judge.objection) {
        (Ok(()), _) => Judgement::Accepted,
        // The walk takes a record that is passed for read with all its members, which is more than the rule
        // says.
        (Err(_), Some(objection)) if objection.kind == Some(FailureKind::Uninitialised) => {
            let why = "that nothing is read before it is written is not shown again here".to_owned();
            Judgement::Open { why }
        }
        (Err(_), Some(objection)) => Judgement::Refuted { why: objection.what, at: objection.at },
        (Err(why), None) => Judgement::Open { why: why.to_string() },
    }
}

fn unwinding(walker: &mut Walker<'_, '_>, main: ProcedureId, rounds: u32) -> Result<(), Reason> {
    walker.at_heads = AtHeads::Unroll(rounds);
    let state = start(walker)?;
    walker.walk_from_start(main, state)?;
    walker.settle_goals()
}

/// The initial state. What cannot be said of it makes everything open.
fn start(walker: &mut Walker<'_, '_>) -> Result<State, Reason> {
    let (state, effect) = walker.encoder.initial_state();
    match effect.failures.first() {
        None => Ok(state),
        Some(failure) => {
            let what = failure.detail.as_deref().unwrap_or(failure.kind.words()).to_owned();
            Err(Reason::ObligationOpen { what })
        }
    }
}

pub(crate) fn bad(what: &str) -> Reason {
    Reason::BadCertificate { what: what.to_owned() }
}

/// The invariants and contracts of a certificate, by place.
pub(crate) struct Certified<'c> {
    conditions: FxHashMap<ControlPoint, &'c [Condition]>,
    contracts: BTreeMap<ProcedureId, (&'c Contract, Effects)>,
    /// The states at the beginning of procedures with contracts, in which they are walked.
    entries: FxHashMap<ProcedureId, State>,
    objects: FxHashSet<u128>,
    /// What conditions in C mean.
    meaning: crate::expression::Meaning,
}

impl<'c> Certified<'c> {
    fn of(
        program: &Program,
        points_to: &PointsTo,
        proof: &'c ProgramProof,
        (depth, meaning): (u32, crate::expression::Meaning),
    ) -> Result<Certified<'c>, Reason> {
        let conditions = proof
            .loops
            .iter()
            .map(|invariant| {
                let call = |call: &verdict::ActiveCall| {
                    let procedure = ProcedureId::from_index(call.procedure_number as usize);
                    (procedure, EdgeId::from_index(call.edge as usize))
                };
                let point = ControlPoint {
                    calls: invariant.calls.iter().map(call).collect(),
                    procedure: ProcedureId::from_index(invariant.procedure_number as usize),
                    node: NodeId::from_index(invariant.node as usize),
                };
                (point, &invariant.conditions[..])
            })
            .collect();
        let objects = proof.objects.iter().map(|object| u128::from(object.object));
        let objects = objects.chain(proof.blocks.iter().map(|block| u128::from(block.object))).collect();
        let mut contracts = BTreeMap::new();
        for contract in &proof.contracts {
            let number = contract.procedure_number as usize;
            if number >= program.procedures.len() {
                return Err(bad("the certificate has a contract of no procedure"));
            }
            let procedure = ProcedureId::from_index(number);
            let effects = crate::contract::effects(program, points_to, procedure)?;
            contracts.insert(procedure, (contract, effects));
        }
        // Heads in a row say nothing about the depth of calls.
        if depth > 1 && !contracts.is_empty() {
            return Err(bad("contracts go with plain induction only"));
        }
        Ok(Certified { conditions, contracts, entries: FxHashMap::default(), objects, meaning })
    }

    /// The numbers of objects that conditions may name.
    pub(crate) fn objects(&self) -> &FxHashSet<u128> {
        &self.objects
    }

    /// Whence steps are taken from any state: conditions may speak of the memory of what does not live yet.
    fn set_out(&self) -> SetOut {
        let contracts = self.contracts.values();
        let of_contracts =
            contracts.flat_map(|(contract, _)| contract.requires.iter().chain(&contract.ensures));
        let mut all = self.conditions.values().flat_map(|conditions| conditions.iter()).chain(of_contracts);
        match all.any(|condition| matches!(condition, Condition::Smt(_))) {
            true => SetOut::Conditions,
            false => SetOut::Anywhere,
        }
    }

    /// Any state at the beginning of each procedure with a contract.
    fn make_entries(&mut self, walker: &mut Walker<'_, '_>) {
        for &procedure in self.contracts.keys() {
            let prefix = format!("entry {procedure}:");
            let mut state = walker.encoder.any_state(&prefix, &[]);
            let arguments = walker.unknown_arguments(procedure);
            let span = walker.program.procedures[procedure].span;
            let _ = walker.encoder.enter(&mut state, procedure, &arguments, span);
            let any = walker.encoder.any_state(&prefix, &state.frames);
            self.entries.insert(procedure, any);
        }
        walker.entries = self.entries.clone();
    }

    fn read(
        &self,
        encoder: &mut Encoder<'_>,
        reading: &mut Reading,
        conditions: &[Condition],
    ) -> Result<Vec<(TermId, String)>, Reason> {
        reading.meaning = self.meaning;
        conditions
            .iter()
            .map(|condition| {
                let term = reading.read(encoder, condition, &self.objects)?;
                Ok((term, condition.text().to_owned()))
            })
            .collect()
    }
}

impl Invariants for Certified<'_> {
    fn at(
        &self,
        encoder: &mut Encoder<'_>,
        point: &ControlPoint,
        state: &State,
    ) -> Result<Vec<TermId>, Reason> {
        let Some(conditions) = self.conditions.get(point) else { return Ok(Vec::new()) };
        if conditions.is_empty() {
            return Ok(Vec::new());
        }
        let mut reading = Reading::of(encoder, state);
        reading.meaning = self.meaning;
        let outermost = point.calls.first().map_or(point.procedure, |(procedure, _)| *procedure);
        if let Some(entering) = self.entries.get(&outermost) {
            reading.add_old(encoder, entering);
        }
        conditions.iter().map(|condition| reading.read(encoder, condition, &self.objects)).collect()
    }
}

impl Promises for Certified<'_> {
    fn effects(&self, procedure: ProcedureId) -> Option<&Effects> {
        self.contracts.get(&procedure).map(|(_, effects)| effects)
    }

    fn required(
        &self,
        encoder: &mut Encoder<'_>,
        procedure: ProcedureId,
        entering: &State,
    ) -> Result<Vec<(TermId, String)>, Reason> {
        let Some((contract, _)) = self.contracts.get(&procedure) else { return Ok(Vec::new()) };
        let mut reading = Reading::of(encoder, entering);
        self.read(encoder, &mut reading, &contract.requires)
    }

    fn ensured(
        &self,
        encoder: &mut Encoder<'_>,
        procedure: ProcedureId,
        entering: &State,
        end: (&State, Option<TermId>),
    ) -> Result<Vec<(TermId, String)>, Reason> {
        let Some((contract, _)) = self.contracts.get(&procedure) else { return Ok(Vec::new()) };
        let mut reading = Reading::of_end(encoder, procedure, entering, end);
        self.read(encoder, &mut reading, &contract.ensures)
    }
}

/// A head that was met.
struct Head {
    point: ControlPoint,
    any: State,
    known: Vec<TermId>,
}

fn induction<'a>(
    walker: &mut Walker<'_, 'a>,
    main: ProcedureId,
    proof: &ProgramProof,
    certified: &'a Certified<'_>,
    depth: u32,
    (count, ways): (&mut usize, &mut Passages),
) -> Result<(), Reason> {
    fix_objects(walker, proof, certified.set_out() == SetOut::Conditions)?;
    for point in certified.conditions.keys() {
        walker.preferred.entry(point.procedure).or_default().insert(point.node);
    }
    walker.promises = (!certified.contracts.is_empty()).then_some(certified as &dyn Promises);
    // (1) From the start to the first heads.
    walker.at_heads = AtHeads::Stop(0);
    let state = start(walker)?;
    walker.walk_from_start(main, state.clone())?;
    walker.settle_goals()?;
    let mut heads: Vec<Head> = Vec::new();
    let mut by_point: BTreeMap<ControlPoint, usize> = BTreeMap::new();
    let arrivals = std::mem::take(&mut walker.arrivals);
    let entered = std::mem::take(&mut walker.entered);
    ways.first = arrivals.iter().map(|arrival| Place::Head(arrival.point.clone())).collect();
    let mut first_states: Vec<(TermId, State)> =
        arrivals.iter().map(|arrival| (arrival.way.guard, arrival.way.state.clone())).collect();
    for (guard, procedure, state) in entered {
        ways.first.push(Place::Entry(procedure));
        first_states.push((guard, state));
    }
    ways.first_states = Some(first_states);
    show_arrivals(walker, certified, &[], arrivals, &mut heads, &mut by_point)?;
    // (1) again, for each procedure with a contract: from any state it allows to its end and to the first
    // heads.
    walker.encoder.set_out_from(certified.set_out());
    for &procedure in certified.contracts.keys() {
        let entering = certified.entries[&procedure].clone();
        let required = certified.required(&mut walker.encoder, procedure, &entering)?;
        let known: Vec<TermId> = required.into_iter().map(|(condition, _)| condition).collect();
        walker.walk_by_contract(procedure, &entering)?;
        let goals = std::mem::take(&mut walker.goals);
        walker.judge.exclude(&mut walker.encoder, &known, &goals, &walker.budget)?;
        let arrivals = std::mem::take(&mut walker.arrivals);
        add_ways(walker, &Place::Entry(procedure), (&entering, &known), &arrivals, &mut ways.all);
        show_arrivals(walker, certified, &known, arrivals, &mut heads, &mut by_point)?;
    }
    // (2) From each head to the next.
    let mut goals_after: Vec<Vec<Goal>> = Vec::new();
    walker.at_heads = AtHeads::Stop(1);
    let mut next = 0;
    while next < heads.len() {
        let head = &heads[next];
        let guard = walker.encoder.terms.yes();
        let (point, known, before) = (head.point.clone(), head.known.clone(), head.any.clone());
        walker.walk_from_head(&point, GuardedState { guard, state: head.any.clone(), heads: 1 })?;
        goals_after.push(std::mem::take(&mut walker.goals));
        let arrivals = std::mem::take(&mut walker.arrivals);
        add_ways(walker, &Place::Head(point), (&before, &known), &arrivals, &mut ways.all);
        show_arrivals(walker, certified, &known, arrivals, &mut heads, &mut by_point)?;
        next += 1;
    }
    *count = heads.len();
    if depth <= 1 {
        for (head, goals) in heads.iter().zip(&goals_after) {
            let mut known = head.known.clone();
            let asked: Vec<TermId> = goals.iter().map(|goal| goal.condition).collect();
            known.extend(elements::instances(&mut walker.encoder, &head.known, &asked));
            walker.judge.exclude(&mut walker.encoder, &known, goals, &walker.budget)?;
        }
    } else {
        walker.invariants = Some(certified);
        // (3) From the start past all heads but the last.
        walker.at_heads = AtHeads::Stop(depth - 1);
        walker.walk_from_start(main, state)?;
        walker.arrivals.clear();
        walker.settle_goals()?;
        // (4) From each head past as many further ones.
        walker.at_heads = AtHeads::Stop(depth);
        for head in &heads {
            let guard = walker.encoder.terms.yes();
            walker.walk_from_head(&head.point, GuardedState { guard, state: head.any.clone(), heads: 1 })?;
            walker.arrivals.clear();
            let goals = std::mem::take(&mut walker.goals);
            let (last, before): (Vec<Goal>, Vec<Goal>) =
                goals.into_iter().partition(|goal| goal.heads >= depth || goal.is_unknown);
            let mut known = head.known.clone();
            known.extend(before.iter().map(|goal| walker.encoder.terms.not(goal.condition)));
            walker.judge.exclude(&mut walker.encoder, &known, &last, &walker.budget)?;
        }
    }
    let fixed = walker.encoder.fixed_objects.as_ref().expect("objects were fixed above");
    match symbolic::lifetimes::outlived(walker.encoder.meaning, fixed.begun.iter().copied()) {
        None => Ok(()),
        Some(variable) => {
            let variable = walker.program.variables[variable].name.to_string();
            Err(Shape::OutlivedPointer { variable }.into())
        }
    }
}

/// Notes the ways from a place to heads, and into procedures that are called by contract.
fn add_ways(
    walker: &mut Walker<'_, '_>,
    from: &Place,
    (before, known): (&State, &[TermId]),
    arrivals: &[Arrival],
    ways: &mut Vec<Passage>,
) {
    let to_heads = arrivals
        .iter()
        .map(|arrival| (Place::Head(arrival.point.clone()), arrival.way.guard, arrival.way.state.clone()));
    let entered = std::mem::take(&mut walker.entered);
    let into = entered.into_iter().map(|(guard, procedure, state)| (Place::Entry(procedure), guard, state));
    for (to, guard, after) in to_heads.chain(into) {
        let (from, known, before) = (from.clone(), known.to_vec(), before.clone());
        ways.push(Passage { from, to, guard, known, before, after });
    }
}

/// Does it register a function that runs when the program ends?
fn registers_handler(program: &Program, edge: &program::Edge) -> bool {
    match &edge.action {
        Action::Call { callee: Callee::Direct(callee), .. } => {
            program.procedures[*callee].known == Some(Known::AtExit)
        }
        _ => false,
    }
}

/// Variables get the objects the certificate says; two never share one.
fn fix_objects(
    walker: &mut Walker<'_, '_>,
    proof: &ProgramProof,
    may_speak_of_memory: bool,
) -> Result<(), Reason> {
    let mut used = FxHashSet::default();
    let mut numbers = Vec::new();
    for object in &proof.objects {
        let number = object.object as usize;
        let is_free = number >= walker.encoder.meaning.first_free();
        if !is_free || !used.insert(number) || (object.variable as usize) >= walker.program.variables.len() {
            return Err(bad("the certificate numbers objects wrongly"));
        }
        let calls = object.calls.iter().map(|&edge| EdgeId::from_index(edge as usize)).collect();
        numbers.push((calls, VariableId::from_index(object.variable as usize), number));
    }
    let mut blocks = Vec::new();
    for block in &proof.blocks {
        let number = block.object as usize;
        let procedure = ProcedureId::from_index(block.procedure as usize);
        let is_free = number >= walker.encoder.meaning.first_free();
        if !is_free || !used.insert(number) || (block.procedure as usize) >= walker.program.procedures.len() {
            return Err(bad("the certificate numbers blocks wrongly"));
        }
        let calls = block.calls.iter().map(|&edge| EdgeId::from_index(edge as usize)).collect();
        blocks.push((calls, procedure, EdgeId::from_index(block.edge as usize), number));
    }
    let fixed = FixedObjects::numbered_as(numbers).with_blocks(blocks);
    // By contract a procedure is walked for all its calls at once.
    let from_main = proof.contracts.is_empty();
    walker.encoder.fix_objects(fixed.walked_from_main(from_main));
    // Whatever is allocated again and again gets numbers that whoever wrote the certificate cannot know: a condition that names such
    // an object by its number (`first == 0x…`) would hold of the one round that is walked, and of no other.
    // (`reading` refuses constants that name such objects, which does not see what conditions make of variables.)
    let left = walker.encoder.numbers_left();
    if left >= ENOUGH_NUMBERS {
        let drawn = RandomState::new().hash_one(proof.objects.len()) as usize % (left / 4);
        walker.encoder.skip_numbers(drawn);
    } else if may_speak_of_memory
        && walker.encoder.meaning.names_blocks()
        && !(from_main && all_blocks_are_numbered(walker.encoder.meaning, proof))
    {
        return Err(bad("there are too few numbers of objects to keep those of blocks from its conditions"));
    }
    Ok(())
}

/// Does the certificate number every block that the program may allocate, each at a step of `main` that a run comes to at most once?
/// Then none is left whose number a condition could guess.
fn all_blocks_are_numbered(meaning: &Meaning<'_>, proof: &ProgramProof) -> bool {
    let program = meaning.program;
    let allocates = |known: Option<Known>| {
        matches!(
            known,
            Some(
                Known::Malloc
                    | Known::Calloc
                    | Known::Realloc
                    | Known::AlignedAlloc
                    | Known::Alloca
                    | Known::NewStream
            )
        )
    };
    let is_numbered = |procedure: ProcedureId, edge: EdgeId| {
        Some(procedure) == program.main
            && !meaning.may_repeat(procedure, edge)
            && proof.blocks.iter().any(|block| {
                block.calls.is_empty()
                    && block.procedure as usize == procedure.index()
                    && block.edge as usize == edge.index()
            })
    };
    program.procedures.ids().all(|procedure| {
        let Some(body) = &program.procedures[procedure].body else { return true };
        body.edges.ids().all(|edge| match &body.edges[edge].action {
            Action::Call { callee: Callee::Direct(callee), .. } => {
                Some(*callee) != program.main
                    && (!allocates(program.procedures[*callee].known) || is_numbered(procedure, edge))
            }
            Action::Call { .. } => false,
            _ => true,
        })
    })
}

/// The invariants hold at heads that were arrived at from a state with `known`. New heads are added.
fn show_arrivals(
    walker: &mut Walker<'_, '_>,
    certified: &Certified<'_>,
    known: &[TermId],
    arrivals: Vec<Arrival>,
    heads: &mut Vec<Head>,
    by_point: &mut BTreeMap<ControlPoint, usize>,
) -> Result<(), Reason> {
    for arrival in arrivals {
        let span = walker.body(arrival.point.procedure).nodes[arrival.point.node].span;
        if !by_point.contains_key(&arrival.point) {
            // Whoever made the certificate may have seen that nothing comes there, and says nothing of it.
            if !certified.conditions.contains_key(&arrival.point)
                && is_impossible(walker, known, arrival.way.guard)
            {
                continue;
            }
            let head = new_head(walker, certified, &arrival, heads.len())?;
            by_point.insert(arrival.point.clone(), heads.len());
            heads.push(head);
        }
        let head = &heads[by_point[&arrival.point]];
        if !symbolic::has_own_blocks_of(&head.any.frames, &arrival.way.state.frames) {
            return Err(Shape::StackBlocksInLoops.into());
        }
        let promised = certified.at(&mut walker.encoder, &arrival.point, &arrival.way.state)?;
        let texts = certified.conditions.get(&arrival.point).copied().unwrap_or_default();
        let goals: Vec<Goal> = promised
            .into_iter()
            .zip(texts)
            .map(|(condition, text)| {
                let fails = walker.encoder.terms.not(condition);
                let fails = elements::parted(&mut walker.encoder, fails);
                Goal {
                    condition: fails,
                    what: format!("the invariant `{}` does not hold there", text.text()),
                    span,
                    heads: 0,
                    is_unknown: false,
                    is_open: false,
                    kind: None,
                }
            })
            .collect();
        let mut assumptions = known.to_vec();
        let mut asked: Vec<TermId> = goals.iter().map(|goal| goal.condition).collect();
        asked.push(arrival.way.guard);
        assumptions.extend(elements::instances(&mut walker.encoder, known, &asked));
        assumptions.push(arrival.way.guard);
        walker.judge.exclude(&mut walker.encoder, &assumptions, &goals, &walker.budget)?;
    }
    Ok(())
}

/// Is a way excluded by what is known where it begins?
fn is_impossible(walker: &mut Walker<'_, '_>, known: &[TermId], guard: TermId) -> bool {
    let mut assumptions = known.to_vec();
    assumptions.extend(elements::instances(&mut walker.encoder, known, &[guard]));
    assumptions.push(guard);
    let yes = walker.encoder.terms.yes();
    walker.judge.excludes(&mut walker.encoder, &assumptions, yes, &walker.budget) == Some(true)
}

fn new_head(
    walker: &mut Walker<'_, '_>,
    certified: &Certified<'_>,
    arrival: &Arrival,
    number: usize,
) -> Result<Head, Reason> {
    if number >= MOST_HEADS {
        let limit = MOST_HEADS as u64;
        return Err(Shape::TooManyCuts { limit, what: "loops, calls unfolded" }.into());
    }
    let frames = &arrival.way.state.frames;
    if !walker.encoder.own_blocks_are_fixed(frames) {
        return Err(Shape::StackBlocksInLoops.into());
    }
    let mut any = walker.encoder.any_state(&format!("any{number}:"), frames);
    walker.encoder.enliven_frames(&mut any);
    let conditions = certified.conditions.get(&arrival.point).copied().unwrap_or_default();
    let speaks_of_memory = conditions.iter().any(|condition| matches!(condition, Condition::Smt(_)));
    if speaks_of_memory || walker.encoder.watch.uninitialised {
        // Contents that conditions may speak of are not "unknown as they are".
        for frame in &mut any.frames {
            std::rc::Rc::make_mut(frame).unwritten.clear();
        }
    }
    let known = certified.at(&mut walker.encoder, &arrival.point, &any)?;
    Ok(Head { point: arrival.point.clone(), any, known })
}
