//! All interleavings of a threaded program as one sequential program.
//!
//! Source: the view of Lal and Reps (2009) and of Inverso et al., "Bounded model checking of multi-threaded C programs via lazy sequentialization" (2014), that
//! interleavings can be a program's own choices. Departure: the choice is a loop over single blocks, not rounds, so that nothing is bounded and what
//! proves loops proves this one; blocks are as long as moving steps allow (`mode`).
//!
//! **Obligation.** A run of the threaded program fails if and only if a run of the sequential one does. More threads than are provided for, and everything that is not
//! modelled, lead to [`program::Action::Unsupported`], past which no answer rests. Compared with the interpreter's own threads by random programs.

use crate::call_facts::CallFacts;
use crate::creations::Creations;
use crate::general::General;
use crate::quiet::Quiet;
use crate::shared::Shared;
use crate::split::split;
use crate::vocabulary::Vocabulary;
use crate::weave::{Thread, Weaver};
use base::{Id, Span};
use program::types::{FunctionType, Type};
use program::{
    Expr, InterleavedThread, Interleaving, NodeId, Origin, PointsTo, Procedure, ProcedureId, Program,
    Remaining, VariableId,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How a threaded program becomes a sequential one.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that one call can create when it is made again and again.
    pub most_at_once: u32,
    /// Are data races looked for?
    pub races: bool,
    /// Are threads looked for that wait for ever?
    pub deadlocks: bool,
    /// Is the misuse of functions of threads what must not happen? Else nothing is known past it.
    pub misuse: bool,
    /// Are blocks looked for that live when the program ends? Where others may have some then that they would
    /// still free, nothing is known.
    pub leaks: bool,
}

/// Who runs next, once a thread has come to a place where it may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Any thread.
    Any,
    /// The same thread, or the next in order; the first comes again after the last. So a thread makes as many
    /// blocks as it likes in one round, and a run with few switches takes few rounds (after Lal and Reps
    /// 2009, and the lazy encoding of Inverso et al. 2014). All interleavings are there, as rounds are not
    /// limited.
    InOrder,
}

/// A sequential program that does what the threaded one can do.
#[derive(Debug)]
pub struct Sequential {
    /// The program; it knows which step is whose.
    pub program: Program,
    /// Is there a call that may create more threads than there is room for?
    pub is_limited: bool,
}

/// Why there is no sequential program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is not supported.
    pub construct: String,
    /// Where it stands.
    pub at: Span,
}

/// Does the program create threads?
pub fn is_threaded(program: &Program) -> bool {
    let creates = |id| {
        crate::shared::known_calls(program, id).any(|(_, known, _)| known == program::Known::ThreadCreate)
    };
    program.main.is_some() && program.procedures.ids().any(creates)
}

/// Does the program call what may wait, or be misused as only functions of threads can be?
pub fn may_wait(program: &Program) -> bool {
    let waits = |id| {
        crate::shared::known_calls(program, id).any(|(_, known, _)| {
            let is_section = matches!(known, program::Known::AtomicBegin | program::Known::AtomicEnd);
            crate::call_facts::concerns_threads(known) && !is_section
        })
    };
    program.main.is_some() && program.procedures.ids().any(waits)
}

/// Makes the sequential program.
pub fn sequentialise(program: &Program, options: &Options) -> Result<Sequential, Refusal> {
    Ok(made(program, options, None, Turns::Any)?.0)
}

/// The same runs in another order of choices ([`Turns::InOrder`]), for a search that looks for failures with
/// few switches between threads first.
pub fn in_turns(program: &Program, options: &Options) -> Result<Program, Refusal> {
    Ok(made(program, options, None, Turns::InOrder)?.0.program)
}

/// A program about any number of threads.
#[derive(Debug)]
pub struct Generalised {
    /// The program: more runs than the threads have, never fewer.
    pub sequential: Sequential,
    /// What conditions speak of in it.
    pub vocabulary: Vocabulary,
    /// In a search for conditions: for each, that it is supposed and holds of the threads that are followed.
    pub searched: Vec<Expr>,
    /// The parts of those.
    pub parts: Vec<Expr>,
}

/// Makes a program about any number of threads. Where none is created again and again, there is no need for it.
pub fn generalise(program: &Program, options: &Options, general: &General) -> Result<Generalised, Refusal> {
    let (sequential, rest) = made(program, options, Some(general), Turns::Any)?;
    let (vocabulary, searched, parts) = rest;
    Ok(Generalised { sequential, vocabulary, searched, parts })
}

type Spoken = (Vocabulary, Vec<Expr>, Vec<Expr>);

fn made(
    program: &Program,
    options: &Options,
    general: Option<&General>,
    turns: Turns,
) -> Result<(Sequential, Spoken), Refusal> {
    let Some(main) = program.main else {
        return Err(Refusal { construct: "a threaded program without `main`".into(), at: Span::NOWHERE });
    };
    if program.missing_writes {
        let construct = "a function without a body that may write, beside threads,".to_owned();
        return Err(Refusal { construct, at: program.procedures[main].span });
    }
    let points_to = PointsTo::of(program);
    let creations = Creations::of(program, &points_to);
    let shared = Shared::of(program, &points_to, &creations);
    let divided = split(program, &points_to, &shared);
    let points_to = PointsTo::of(&divided);
    let creations = Creations::of(&divided, &points_to);
    let shared = Shared::of(&divided, &points_to, &creations);
    let mut facts = CallFacts::of(&divided, &points_to, &shared);
    facts.remaining = options.deadlocks.then(|| Remaining::of(&divided, &points_to));
    let nothing = Quiet::default();
    let plain = Options { races: false, deadlocks: false, ..options.clone() };
    let mut first = Weaver::new(&divided, &points_to, &shared, &creations, &nothing, &facts, &plain, main);
    first.surveys = true;
    first.general = general;
    first.weave()?;
    let quiet = Quiet::of(&first);
    drop(first);
    let mut weaver = Weaver::new(&divided, &points_to, &shared, &creations, &quiet, &facts, options, main);
    weaver.general = general;
    weaver.turns = turns;
    weaver.weave()?;
    weaver.take_out_of_memory();
    let race = weaver.stands_for(program::DATA_RACE);
    weaver.finish_races(race);
    weaver.finish();
    if turns == Turns::Any {
        weaver.forget_the_dead();
    }
    if let Some(refusal) = weaver.refusal.take() {
        return Err(refusal);
    }
    let (searched, parts) = (weaver.searched(), weaver.searched_parts());
    let vocabulary = std::mem::take(&mut weaver.surroundings.vocabulary);
    Ok((weaver.into_sequential(), (vocabulary, searched, parts)))
}

/// Bodies that nobody calls any more would only blur what pointers may point to.
fn drop_unused(program: &mut Program, main: ProcedureId) {
    let points_to = PointsTo::of(program);
    let mut roots = vec![main];
    roots.extend(program.constructors.iter().chain(&program.destructors).copied());
    let used = base::graph::reachable(roots, |id| crate::shared::callees(program, &points_to, id));
    let used: FxHashSet<ProcedureId> = used.into_iter().collect();
    let all: Vec<ProcedureId> = program.procedures.ids().filter(|id| !used.contains(id)).collect();
    for id in all {
        program.procedures[id].body = None;
    }
}

/// A function that stands for what must not happen.
pub fn stand_in(program: &mut Program, name: &'static str) -> ProcedureId {
    let void = program.types.void();
    let ty = program.types.intern(Type::Function(FunctionType {
        result: void.into(),
        parameters: Vec::new(),
        is_variadic: false,
        has_prototype: true,
    }));
    program.procedures.push(Procedure {
        name: Arc::from(name),
        ty,
        parameters: Vec::new(),
        locals: Vec::new(),
        body: None,
        origin: Origin::Nowhere,
        known: Some(program::Known::ReachError),
        is_static: true,
        is_noreturn: true,
        is_atomic: false,
        span: Span::NOWHERE,
    })
}

/// Where a thread goes on, by the number of the place.
fn resumes(thread: &Thread) -> Vec<(i64, NodeId)> {
    let cuts = thread.cuts.iter().enumerate();
    cuts.filter_map(|(position, cut)| Some((position as i64 + 1, cut.resumes?))).collect()
}

impl Weaver<'_> {
    fn into_sequential(self) -> Sequential {
        let copies = self.copied_nodes();
        let is_abstract = self.general.is_some();
        let minor: Vec<VariableId> =
            self.classes.iter().map(|class| class.exists).chain(self.switches.iter().copied()).collect();
        let Weaver {
            mut new,
            graph,
            main,
            threads,
            owner,
            cells,
            choice,
            is_limited,
            chooser,
            draws_after_looking,
            told,
            remarks,
            kept,
            ..
        } = self;
        new.procedures[main].body = Some(graph);
        drop_unused(&mut new, main);
        let accounts = threads.iter().flat_map(|thread| [thread.counter, thread.result, thread.is_let_go]);
        let interleaving = Interleaving {
            threads: threads
                .iter()
                .map(|thread| InterleavedThread {
                    counter: thread.counter,
                    start: thread.start,
                    created: thread.created,
                    resumes: resumes(thread),
                })
                .collect(),
            copies,
            owner: owner.into_iter().map(|(node, thread)| (node, thread.index())).collect(),
            hidden: accounts.chain(choice).chain(cells.minor()).chain(minor).chain(kept).collect(),
            locks: cells.locks(&new).collect(),
            chooser: Some(chooser),
            draws_after_looking,
            is_abstract,
            remarks,
            told,
            in_turns: None,
        };
        new.interleaving = Some(Arc::new(interleaving));
        Sequential { program: new, is_limited }
    }
}
