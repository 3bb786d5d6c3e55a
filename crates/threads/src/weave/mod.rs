//! Every thread's code in one graph. Each call that has steps others see is copied into it, with variables of its own;
//! a thread that may be interrupted notes where it is and goes to the node where threads are chosen.

mod cuts;
mod renaming;

pub use cuts::Cut;

use crate::call_facts::CallFacts;
use crate::calls::CopiedCalls;
use crate::cells::Cells;
use crate::creations::Creations;
use crate::environment::Surroundings;
use crate::general::{Class, General, Role, Site};
use crate::keys::Keys;
use crate::mode::{FrameId, Here, Key, Mode, ThreadIndex};
use crate::quiet::{Log, Quiet};
use crate::races::RaceSite;
use crate::sequential::{Options, Refusal, Turns};
use crate::shared::Shared;
use crate::signals::SignalSite;
use crate::terms::Terms;
use base::{IndexVec, Span};
use program::{
    Action, AssumeReason, CopiedNode, Edge, EdgeId, Expr, Graph, NodeId, Place, PointsTo, ProcedureId,
    Program, Variable, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Nodes of the sequential program beyond which it is given up.
const MOST_NODES: usize = 60_000;

/// What a thread's counter holds before it starts.
pub const NOT_STARTED: i64 = -1;
/// What it holds when the thread has ended.
pub const ENDED: i64 = 0;

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it starts with.
    pub start: ProcedureId,
    /// Where it is created.
    pub created: Span,
    /// How many threads created each other down to it.
    pub generation: u32,
    /// Tells where it is.
    pub counter: VariableId,
    /// What it ended with, a pointer.
    pub result: VariableId,
    /// Has it been joined or detached?
    pub is_let_go: VariableId,
    /// Cuts by number; the first is number 1.
    pub cuts: Vec<Cut>,
    /// Its variables of thread storage.
    pub own: FxHashMap<VariableId, VariableId>,
    /// Where it stands when an assumption has stopped it.
    pub stopped: Option<i64>,
    /// Is it one thread, or does it stand for others?
    pub role: Role,
    /// Who creates it.
    pub creator: Option<ThreadIndex>,
}

/// A call that is copied.
pub struct Frame {
    pub thread: ThreadIndex,
    pub procedure: ProcedureId,
    pub variables: FxHashMap<VariableId, VariableId>,
    /// Whom it returns to; nobody where the thread ends with it.
    pub back: Option<Back>,
    /// May the call be made twice by its thread?
    pub repeats: bool,
    /// The calls from the start of the thread down to it.
    pub path: Vec<(EdgeId, ProcedureId)>,
    /// Parameters that point to one static place.
    pub points_at: FxHashMap<VariableId, Place>,
}

/// Where a copied call goes on.
#[derive(Clone)]
pub struct Back {
    pub frame: FrameId,
    pub to: NodeId,
    pub result: Option<Place>,
    pub span: Span,
    /// What is done first.
    pub first: Vec<Action>,
}

/// Main continues as if alone if all others have ended.
pub struct AloneSite {
    pub from: NodeId,
    pub alone: NodeId,
    pub not: NodeId,
    pub thread: ThreadIndex,
}

pub struct Weaver<'w> {
    /// The program whose steps are copied.
    pub old: &'w Program,
    pub points_to: &'w PointsTo,
    pub shared: &'w Shared,
    pub creations: &'w Creations,
    pub quiet: &'w Quiet,
    pub options: &'w Options,
    /// Procedures that have steps others see.
    pub visible: &'w FxHashSet<ProcedureId>,
    pub facts: &'w CallFacts,
    /// What becomes the sequential program.
    pub new: Program,
    pub main: ProcedureId,
    pub graph: Graph,
    pub terms: Terms,
    pub threads: IndexVec<ThreadIndex, Thread>,
    pub frames: IndexVec<FrameId, Frame>,
    pub chooser: NodeId,
    pub owner: FxHashMap<NodeId, ThreadIndex>,
    pub races: Vec<RaceSite>,
    pub alone: Vec<AloneSite>,
    pub cells: Cells,
    pub made: CopiedCalls,
    /// Is there a call that may create more threads than there is room for?
    pub is_limited: bool,
    /// Draws threads.
    pub choice: Option<VariableId>,
    /// Who runs next.
    pub turns: Turns,
    /// Where control goes when a thread stops running, if threads run in turns.
    pub behind: FxHashMap<ThreadIndex, NodeId>,
    /// Is it only looked who accesses what? Then nothing is known to be quiet yet, and nothing is given up for that.
    pub surveys: bool,
    /// For the lock sets: accesses, and what happens to locks.
    pub log: Log,
    /// For any number of threads.
    pub general: Option<&'w General>,
    /// Threads that run the same, where there is any number of them.
    pub classes: Vec<Class>,
    /// Why any number of threads cannot be spoken of.
    pub refusal: Option<Refusal>,
    /// Variables that say which conditions are supposed.
    pub switches: Vec<VariableId>,
    /// Variables that count threads by where they stand.
    pub tallies: Vec<VariableId>,
    /// What is known of the environment.
    pub surroundings: Surroundings,
    /// What may hold whenever threads are chosen.
    pub told: Vec<Expr>,
    /// What tells cuts of threads that run the same apart, by thread and number.
    pub sites: FxHashMap<(ThreadIndex, i64), Site>,
    /// The copy whose steps are being copied, and how many cuts it has so far.
    current: Option<(Key, u32)>,
    /// Where a thread is drawn, if it is looked for deadlocks before.
    pub draws_after_looking: Option<NodeId>,
    /// The functions that stand for what must not happen.
    stand_ins: FxHashMap<&'static str, ProcedureId>,
    /// What a run that comes to a node shows.
    pub remarks: FxHashMap<NodeId, Arc<str>>,
    /// Further variables that keep account of threads; 0 at the start.
    pub accounts: Vec<VariableId>,
    /// All of them, for those who show runs.
    pub kept: Vec<VariableId>,
    /// Threads that may queue up for a signal or at a barrier: whether they do, and for which.
    pub queues: FxHashMap<ThreadIndex, (VariableId, VariableId)>,
    pub signals: Vec<SignalSite>,
    pub detaching: Option<VariableId>,
    pub key_state: Option<Keys>,
    /// The type `unsigned`.
    pub unsigned: program::TypeId,
    /// Where the step is that is being copied.
    copied: Option<(FrameId, NodeId)>,
    copies: FxHashMap<Key, NodeId>,
    /// Places right before a copy, with the call and the node that come next.
    ahead: Vec<(NodeId, FrameId, NodeId)>,
    open: Vec<Key>,
    heads: FxHashMap<ProcedureId, FxHashSet<NodeId>>,
    /// Is a thread surely interrupted on its way through a procedure?
    pub interrupted: FxHashMap<ProcedureId, bool>,
    static_handles: FxHashMap<VariableId, VariableId>,
    /// The variables of the program that those of calls are copies of.
    pub originals: FxHashMap<VariableId, VariableId>,
    /// Variables whose address is a value somewhere.
    pub addressed: FxHashSet<VariableId>,
    start: NodeId,
}

impl<'w> Weaver<'w> {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        old: &'w Program,
        points_to: &'w PointsTo,
        shared: &'w Shared,
        creations: &'w Creations,
        quiet: &'w Quiet,
        facts: &'w CallFacts,
        options: &'w Options,
        main: ProcedureId,
    ) -> Weaver<'w> {
        let mut new = old.clone();
        let int = new.types.int();
        let unsigned = new.types.intern(program::Type::Integer(program::IntegerKind::UnsignedInt));
        let mut graph = Graph::new();
        let span = old.procedures[main].span;
        let start = graph.add_node(span);
        let chooser = graph.add_node(span);
        graph.nodes[chooser].is_loop_head = true;
        Weaver {
            old,
            points_to,
            shared,
            creations,
            quiet,
            options,
            visible: &facts.visible,
            facts,
            new,
            main,
            graph,
            terms: Terms { int },
            threads: IndexVec::new(),
            frames: IndexVec::new(),
            chooser,
            owner: FxHashMap::default(),
            races: Vec::new(),
            alone: Vec::new(),
            cells: Cells::default(),
            made: CopiedCalls::default(),
            is_limited: false,
            choice: None,
            turns: Turns::Any,
            behind: FxHashMap::default(),
            surveys: false,
            log: Log::default(),
            general: None,
            classes: Vec::new(),
            refusal: None,
            switches: Vec::new(),
            tallies: Vec::new(),
            surroundings: Surroundings::default(),
            told: Vec::new(),
            sites: FxHashMap::default(),
            current: None,
            draws_after_looking: None,
            stand_ins: FxHashMap::default(),
            remarks: FxHashMap::default(),
            accounts: Vec::new(),
            kept: Vec::new(),
            queues: FxHashMap::default(),
            signals: Vec::new(),
            detaching: None,
            key_state: None,
            unsigned,
            copied: None,
            copies: FxHashMap::default(),
            ahead: Vec::new(),
            open: Vec::new(),
            heads: FxHashMap::default(),
            interrupted: FxHashMap::default(),
            static_handles: FxHashMap::default(),
            originals: FxHashMap::default(),
            addressed: FxHashSet::default(),
            start,
        }
    }

    /// Copies everything that can be reached. Ends with the graph of the sequential program, but for the choice of
    /// threads.
    pub fn weave(&mut self) -> Result<(), Refusal> {
        let span = self.old.procedures[self.main].span;
        let thread = self.add_thread(self.main, span, 0);
        // The first thread's `main` keeps its variables, handles excepted.
        let mut variables = FxHashMap::default();
        for &id in &self.old.procedures[self.main].locals {
            if self.facts.handles.contains(&id) {
                let name = self.old.variables[id].name.clone();
                variables.insert(id, self.variable(&name, self.old.variables[id].ty.id));
            }
        }
        let frame = Frame {
            thread,
            procedure: self.main,
            variables,
            back: None,
            repeats: false,
            path: Vec::new(),
            points_at: FxHashMap::default(),
        };
        let frame = self.frames.push(frame);
        let entry = self.body(self.main)?.entry;
        let first = self.copy(Key { frame, node: entry, mode: Mode::START });
        self.graph.add_edge(self.start, first, Action::Skip, Span::NOWHERE);
        while let Some(key) = self.open.pop() {
            self.copy_steps(key)?;
            if self.graph.nodes.len() > MOST_NODES {
                return Err(Refusal {
                    construct: "a program with so many steps of threads".into(),
                    at: span,
                });
            }
        }
        Ok(())
    }

    /// The node that counters are set before.
    pub fn start(&self) -> NodeId {
        self.start
    }

    pub fn body(&self, id: ProcedureId) -> Result<&'w Graph, Refusal> {
        let procedure = &self.old.procedures[id];
        procedure.body.as_ref().ok_or_else(|| Refusal {
            construct: format!("a thread that runs `{}`, which has no body,", procedure.name),
            at: procedure.span,
        })
    }

    /// A new thread that starts with a procedure.
    pub fn add_thread(&mut self, start: ProcedureId, created: Span, generation: u32) -> ThreadIndex {
        let number = self.threads.len();
        let counter = self.variable(&format!("__place_of_thread_{number}"), self.terms.int);
        let void = self.new.types.void();
        let pointer = self.new.types.pointer(void);
        let result = self.variable(&format!("__result_of_thread_{number}"), pointer);
        let is_let_go = self.variable(&format!("__thread_{number}_was_joined"), self.terms.int);
        let (cuts, own) = (Vec::new(), FxHashMap::default());
        self.threads.push(Thread {
            start,
            created,
            generation,
            counter,
            result,
            is_let_go,
            cuts,
            own,
            stopped: None,
            role: Role::Exact,
            creator: None,
        })
    }

    /// A variable of the sequential program, outside memory.
    pub fn variable(&mut self, name: &str, ty: program::TypeId) -> VariableId {
        let id = self.new.variables.push(Variable {
            name: Arc::from(name),
            ty: ty.into(),
            kind: VariableKind::Local,
            procedure: Some(self.main),
            in_memory: false,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: Span::NOWHERE,
        });
        self.new.procedures[self.main].locals.push(id);
        id
    }

    /// The node of a copy; its steps are copied later if they are not yet.
    pub fn copy(&mut self, key: Key) -> NodeId {
        if let Some(&node) = self.copies.get(&key) {
            return node;
        }
        let procedure = self.frames[key.frame].procedure;
        let body = self.old.procedures[procedure].body.as_ref().expect("only bodies are copied");
        let old = &body.nodes[key.node];
        let node = self.graph.add_node(old.span);
        if !self.is_environment(self.frames[key.frame].thread) {
            self.graph.nodes[node].labels.clone_from(&old.labels);
        }
        self.graph.nodes[node].is_loop_head = old.is_loop_head;
        self.owner.insert(node, self.frames[key.frame].thread);
        self.copies.insert(key, node);
        self.open.push(key);
        node
    }

    /// A node of a thread's.
    pub fn node(&mut self, thread: ThreadIndex, span: Span) -> NodeId {
        let node = self.graph.add_node(span);
        self.owner.insert(node, thread);
        node
    }

    /// One step, to a new node.
    pub fn step(&mut self, here: Here, thread: ThreadIndex, action: Action, span: Span) -> Here {
        let next = self.node(thread, span);
        self.graph.add_edge(here.node, next, action, span);
        Here { node: next, ..here }
    }

    /// Both ways from here: where the condition holds, and where not.
    pub fn branch(&mut self, here: Here, thread: ThreadIndex, condition: Expr, span: Span) -> (Here, Here) {
        let side = |expected: bool| Action::Assume {
            condition: condition.clone(),
            expected,
            reason: AssumeReason::Branch,
        };
        let (yes, no) = (side(true), side(false));
        (self.step(here, thread, yes, span), self.step(here, thread, no, span))
    }

    /// Nothing is known past here.
    pub fn give_up(&mut self, here: Here, thread: ThreadIndex, why: &str, span: Span) {
        if self.is_environment(thread) {
            // The thread that comes here is, in another run, one that is followed.
            return self.nobody(here.node);
        }
        self.stop_answers(here, thread, why, span);
    }

    /// The same, whoever comes here.
    pub fn stop_answers(&mut self, here: Here, thread: ThreadIndex, why: &str, span: Span) {
        self.step(here, thread, Action::Unsupported(Arc::from(why)), span);
    }

    /// Where control is when it comes to a node of a call.
    pub fn arrive(&mut self, frame: FrameId, to: NodeId, mode: Mode) -> NodeId {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let must_cut = mode.is_past || self.options.deadlocks;
        if must_cut && !mode.is_undisturbed() && self.is_head(procedure, to) {
            let before = self.node(thread, Span::NOWHERE);
            self.ahead.push((before, frame, to));
            let here = self.cut(Here { node: before, mode }, thread, None);
            self.stands_behind(thread, (frame, to));
            let copy = self.copy(Key { frame, node: to, mode: here.mode });
            self.graph.add_edge(here.node, copy, Action::Skip, Span::NOWHERE);
            return before;
        }
        self.copy(Key { frame, node: to, mode })
    }

    /// Goes on at a node of a call.
    pub fn go_on(&mut self, here: Here, frame: FrameId, to: NodeId, span: Span) {
        let target = self.arrive(frame, to, here.mode);
        self.graph.add_edge(here.node, target, Action::Skip, span);
    }

    /// The nodes whose copies there are.
    pub fn copied_nodes(&self) -> FxHashMap<NodeId, CopiedNode> {
        let of = |frame: FrameId, node, is_ahead| CopiedNode {
            procedure: self.frames[frame].procedure,
            node,
            is_ahead,
        };
        let copies = self.copies.iter().map(|(key, &copy)| (copy, of(key.frame, key.node, false)));
        copies.chain(self.ahead.iter().map(|&(at, frame, node)| (at, of(frame, node, true)))).collect()
    }

    /// Every cycle passes such a node, or a step that is interrupted anyway.
    fn is_head(&mut self, procedure: ProcedureId, node: NodeId) -> bool {
        if !self.heads.contains_key(&procedure) {
            let body = self.old.procedures[procedure].body.as_ref();
            let found = body.map(|body| self.heads_without_cuts(procedure, body)).unwrap_or_default();
            self.heads.insert(procedure, found);
        }
        self.heads[&procedure].contains(&node)
    }

    /// The function that stands for what must not happen.
    pub fn stands_for(&mut self, name: &'static str) -> ProcedureId {
        if let Some(&made) = self.stand_ins.get(name) {
            return made;
        }
        let made = crate::sequential::stand_in(&mut self.new, name);
        self.stand_ins.insert(name, made);
        made
    }

    /// Copies the steps that leave a node.
    fn copy_steps(&mut self, key: Key) -> Result<(), Refusal> {
        let procedure = self.frames[key.frame].procedure;
        let body = self.body(procedure)?;
        let here = Here { node: self.copies[&key], mode: key.mode };
        self.current = Some((key, 0));
        self.copied = Some((key.frame, key.node));
        let edges: Vec<(EdgeId, &Edge)> = body.out(key.node).collect();
        if edges.len() > 1 {
            for (_, edge) in edges {
                let action = self.renamed_action(key.frame, &edge.action);
                let target = self.arrive(key.frame, edge.to, key.mode);
                self.graph.add_edge(here.node, target, action, edge.span);
            }
            return Ok(());
        }
        for (id, edge) in edges {
            self.copy_step(here, key.frame, id, edge)?;
        }
        Ok(())
    }

    fn copy_step(&mut self, here: Here, frame: FrameId, id: EdgeId, edge: &Edge) -> Result<(), Refusal> {
        let thread = self.frames[frame].thread;
        match &edge.action {
            Action::Call { .. } => return self.call(here, frame, id, edge),
            Action::Return { value } => return self.returns(here, frame, value.as_ref(), edge.span),
            Action::Assume { condition, reason: AssumeReason::User, expected }
                if !here.mode.is_undisturbed() =>
            {
                let condition = self.renamed(frame, condition);
                let (yes, no) = self.branch(here, thread, condition, edge.span);
                let (goes_on, stops) = if *expected { (yes, no) } else { (no, yes) };
                self.stop(stops, thread);
                self.go_on(goes_on, frame, edge.to, edge.span);
            }
            action => {
                let here = self.before_access(here, frame, action, edge.span);
                let Some(here) = here else { return Ok(()) };
                let action = self.renamed_action(frame, action);
                let target = self.arrive(frame, edge.to, here.mode);
                self.graph.add_edge(here.node, target, action, edge.span);
            }
        }
        Ok(())
    }
}
