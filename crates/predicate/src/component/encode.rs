//! The meaning of a component's steps as terms over its cells. Runs are followed up to the first undefined
//! behaviour only: what a step needs to be defined is part of its guard. Floating values are not tracked:
//! whoever uses one gets any value, and the step says that it is approximate.

use super::apart::Choosing;
use super::conditions::{Condition, Scope};
use super::inline::{Inliner, RawAction, RawEdge};
use super::memory::{Memory, ObjectPart, RootKind, Selector, Target};
use super::origin::{Origin, Origins};
use super::{
    CannotBuild, Cell, CellId, Component, Edge, EdgeId, Input, InputRole, NoMeaning, NodeId, PointerStart,
};
use base::{Budget, IndexVec, Span};
use logic::simplify::Simplifier;
use logic::traits::CheckAssuming;
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, Sort, TermId, TermPool};
use program::VariableId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn encode(inliner: Inliner<'_>, scope: &Scope, entry: NodeId) -> Result<Component, CannotBuild> {
    let Inliner {
        build,
        mut memory,
        mut nodes,
        edges: raw,
        mut assumptions,
        variables,
        entered,
        sites,
        guesses,
        recursive,
        pools,
        ..
    } = inliner;
    let guard = match build.guard {
        Some(guard) => memory
            .condition(scope, guard)
            .map_err(|why| CannotBuild::Guard { text: guard.to_string(), why })?,
        None => Condition::Constant(true),
    };
    let mut propositions = Vec::new();
    for proposition in build.propositions {
        let condition = memory.condition(scope, proposition);
        propositions.push(condition.map_err(|why| {
            let text = proposition.to_string();
            CannotBuild::Proposition { text, why }
        })?);
    }
    let mut supplied = Vec::new();
    for predicate in build.predicates {
        match memory.condition(scope, predicate) {
            Ok(condition) => supplied.push(condition),
            Err(why) => {
                assumptions.insert(format!("the supplied predicate `{predicate}` is left out: {why}"));
            }
        }
    }
    let mut encoder = Encoder {
        program: build.program,
        memory: &mut memory,
        pool: TermPool::new(),
        simplifier: Simplifier::new(),
        cells: IndexVec::new(),
        cell_of: FxHashMap::default(),
        addresses: FxHashMap::default(),
        next_address: 0x1_0000,
        now: FxHashMap::default(),
        order: Vec::new(),
        defined: Vec::new(),
        inputs: Vec::new(),
        is_approximate: false,
        trouble: None,
        pointer_starts: FxHashMap::default(),
        pools: &pools,
    };
    let (mut edges, mut begins): (IndexVec<EdgeId, Edge>, Vec<(EdgeId, VariableId)>) = Default::default();
    for raw in &raw {
        if let Some(mut edge) = encoder.edge(raw) {
            edge.is_guess = raw.leads_to.is_some_and(|way| guesses.contains(&way));
            let id = edges.push(edge);
            let started = raw.actions.iter().filter_map(|action| match action {
                RawAction::Begin(root) => Some((id, *root)),
                _ => None,
            });
            begins.extend(started);
        }
    }
    let initial = encoder.start(&guard);
    let asked = propositions.clone();
    let propositions: Vec<TermId> = propositions.iter().map(|one| encoder.stated(one)).collect();
    let supplied: Vec<TermId> = supplied.iter().map(|one| encoder.stated(one)).collect();
    // Cells are known only now: those of a variable that begins its life get any value.
    let initial = encoder.outside_pointers(initial);
    let initial = encoder.constants(initial, &variables);
    let initial = encoder.nothing_taken(initial, &pools);
    for (edge, root) in begins {
        encoder.begin(&mut edges[edge], root);
    }
    let Encoder { pool, simplifier, cells, cell_of, addresses, pointer_starts, .. } = encoder;
    let mut spots: Vec<(CellId, ObjectPart)> = cell_of.into_iter().map(|(spot, cell)| (cell, spot)).collect();
    spots.sort_unstable_by_key(|(cell, _)| *cell);
    let (edges, entry, settled) = contracted(edges, entry, &nodes, &pool);
    for (id, edge) in edges.iter_enumerated() {
        nodes[edge.from].out.push(id);
    }
    if memory.has_outside_pointers {
        assumptions.insert(
            "pointers that come from outside are null or point to objects of their own, which do not overlap"
                .to_owned(),
        );
    }
    let all = reachable_events(&edges, &nodes, entry, |_| true);
    let named = reachable_events(&edges, &nodes, entry, |edge| !edge.is_guess);
    let guessed = all.iter().filter(|(event, _)| !named.contains_key(*event));
    let guessed = guessed.map(|(event, at)| (event.clone(), *at)).collect();
    let alphabet = all.into_keys().collect();
    let mut choosing = Choosing::in_steps(&raw);
    choosing.extend(super::apart::counters(&raw));
    let is_of_library = |root: &VariableId| {
        let owner = variables.get(root).and_then(|&variable| build.program.variables[variable].procedure);
        let is_of_library = |owner| build.program.procedures[owner].origin != program::Origin::User;
        owner.is_some_and(|owner| is_of_library(owner) || recursive.contains(&owner)) || pools.is_flag(*root)
    };
    // Bytes are parts of strings; a pointer decides what is read and called through it.
    let is_telling = |(cell, spot): &&(CellId, ObjectPart)| {
        let (ty, types) = (cells[*cell].ty, &memory.types);
        let is_byte = types.size_of(ty) == Some(1) && matches!(spot.path.last(), Some(Selector::Index(_)));
        match memory.roots[spot.root].kind {
            RootKind::Outside => spot.path.is_empty() && choosing.contains(&spot.root),
            _ if spot.path.is_empty() && choosing.contains(&spot.root) => true,
            _ => is_byte || types.is_pointer(ty) || spot.path.is_empty() && is_of_library(&spot.root),
        }
    };
    let told_apart: Vec<CellId> = spots.iter().filter(is_telling).map(|(cell, _)| *cell).collect();
    let mut component = Component {
        name: build.name.clone(),
        procedure: build.procedure,
        pool,
        simplifier,
        cells,
        nodes,
        edges,
        entry,
        initial,
        supplied,
        propositions,
        alphabet,
        guessed,
        reads: Vec::new(),
        pointer_starts,
        assumptions: assumptions.into_iter().collect(),
        origins: Origins {
            types: memory.types,
            roots: memory.roots,
            variables,
            addresses,
            spots: spots.into_iter().map(|(_, spot)| spot).collect(),
            pools: pools.clone(),
            functions: build.program.procedures.iter().map(|own| own.name.clone()).collect(),
            entered,
            sites,
            propositions: asked,
            settled,
            pointers: memory.outside.into_iter().map(|(pointer, object)| (object, pointer)).collect(),
        },
    };
    component.reads = component.cells_read();
    component.tell_constants_apart(&told_apart);
    component.read_originals();
    Ok(component)
}

/// The events of steps that control can get to by such edges, with a place of each: what it cannot is none of its business.
fn reachable_events(
    edges: &IndexVec<EdgeId, Edge>,
    nodes: &IndexVec<NodeId, super::Node>,
    entry: NodeId,
    goes: impl Fn(&Edge) -> bool,
) -> BTreeMap<Arc<str>, Span> {
    let mut events = BTreeMap::new();
    let mut seen: IndexVec<NodeId, bool> = IndexVec::filled(false, nodes.len());
    let mut open = vec![entry];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        for edge in nodes[node].out.iter().map(|&edge| &edges[edge]).filter(|edge| goes(edge)) {
            if let Some(event) = &edge.event {
                events.entry(event.clone()).or_insert(edge.span);
            }
            open.push(edge.to);
        }
    }
    events
}

/// The steps without those that do nothing: where nothing else can be done, control is where they lead
/// already.
fn contracted(
    edges: IndexVec<EdgeId, Edge>,
    entry: NodeId,
    nodes: &IndexVec<NodeId, super::Node>,
    pool: &TermPool,
) -> (IndexVec<EdgeId, Edge>, NodeId, FxHashSet<Origin>) {
    let mut out: IndexVec<NodeId, usize> = IndexVec::filled(0, nodes.len());
    edges.iter().for_each(|edge| out[edge.from] += 1);
    let does_nothing = |edge: &Edge| {
        out[edge.from] == 1
            && edge.updates.is_empty()
            && edge.inputs.is_empty()
            && edge.event.is_none()
            && edge.trouble.is_none()
            && pool.bool_value(edge.guard) == Some(true)
    };
    let idle: FxHashMap<NodeId, NodeId> =
        edges.iter().filter(|edge| does_nothing(edge)).map(|edge| (edge.from, edge.to)).collect();
    let settled = |start: NodeId| {
        let mut at = start;
        for _ in 0..=idle.len() {
            match idle.get(&at) {
                Some(&next) => at = next,
                None => return at,
            }
        }
        start // An endless round of nothing stays as it is.
    };
    let is_dropped = |edge: &Edge| does_nothing(edge) && settled(edge.from) != edge.from;
    let mut kept: IndexVec<EdgeId, Edge> = IndexVec::new();
    for edge in edges.iter().filter(|edge| !is_dropped(edge)) {
        kept.push(Edge { to: settled(edge.to), ..edge.clone() });
    }
    let dropped = edges.iter().filter(|edge| is_dropped(edge)).filter_map(|edge| edge.origin).collect();
    (kept, settled(entry), dropped)
}

pub(super) struct Encoder<'m> {
    pub(super) program: &'m program::Program,
    pub(super) memory: &'m mut Memory,
    pub(super) pool: TermPool,
    pub(super) simplifier: Simplifier,
    pub(super) cells: IndexVec<CellId, Cell>,
    pub(super) cell_of: FxHashMap<ObjectPart, CellId>,
    pub(super) addresses: FxHashMap<VariableId, u64>,
    pub(super) next_address: u64,
    /// The values of cells at this point of the step, where they changed.
    pub(super) now: FxHashMap<CellId, TermId>,
    /// Cells in the order they were first changed.
    pub(super) order: Vec<CellId>,
    pub(super) defined: Vec<TermId>,
    pub(super) inputs: Vec<Input>,
    pub(super) is_approximate: bool,
    pub(super) trouble: Option<NoMeaning>,
    /// Where pointers from outside may lead at the start.
    pub(super) pointer_starts: FxHashMap<CellId, PointerStart>,
    /// Objects that are allocated again and again.
    pub(super) pools: &'m super::pool::Pools,
}

impl Encoder<'_> {
    fn begin_step(&mut self) {
        self.now.clear();
        self.order.clear();
        self.defined.clear();
        self.inputs.clear();
        self.is_approximate = false;
        self.trouble = None;
    }

    /// The meaning of a step; `None` if it can never be taken.
    fn edge(&mut self, raw: &RawEdge) -> Option<Edge> {
        self.begin_step();
        self.trouble = raw.trouble.clone();
        let mut guards = Vec::new();
        for action in &raw.actions {
            self.action(action, &mut guards);
        }
        let defined = self.pool.all_of(&self.defined.clone());
        guards.push(defined);
        let guard = self.pool.all_of(&guards);
        let guard = self.simplify(guard);
        let defined = self.simplify(defined);
        if self.pool.bool_value(guard) == Some(false) && self.pool.bool_value(defined) != Some(false) {
            return None;
        }
        let mut updates = Vec::new();
        for cell in self.order.clone() {
            let value = self.now[&cell];
            let value = self.simplify(value);
            if value != self.cells[cell].symbol {
                updates.push((cell, value));
            }
        }
        Some(Edge {
            from: raw.from,
            to: raw.to,
            guard,
            defined,
            full_guard: guard,
            updates,
            inputs: std::mem::take(&mut self.inputs),
            event: raw.event.clone(),
            text: raw.text.clone(),
            span: raw.span,
            is_branch: raw.is_branch,
            is_approximate: self.is_approximate,
            trouble: self.trouble.take(),
            origin: raw.origin,
            is_guess: false,
        })
        .filter(|edge| raw.event.is_none() || !self.is_impossible(edge.guard))
    }

    /// Can the guard never hold? Asked of returns, most of whose ways are impossible.
    fn is_impossible(&mut self, guard: TermId) -> bool {
        let mut solver = EmbeddedSolver::new(EmbeddedSettings::default());
        matches!(solver.check_assuming(&mut self.pool, &[guard], &Budget::unlimited()), Answer::Unsat)
    }

    pub(super) fn simplify(&mut self, term: TermId) -> TermId {
        self.simplifier.simplify(&mut self.pool, term)
    }

    fn action(&mut self, action: &RawAction, guards: &mut Vec<TermId>) {
        match action {
            RawAction::Assume(condition) => {
                let condition = self.condition(condition);
                guards.push(condition);
            }
            RawAction::Assign(target, value) => self.assign(target, value),
            RawAction::Unknown { target, source, fresh } => self.unknown(target, source, *fresh, guards),
            RawAction::Begin(_) => {}
            RawAction::Free(pointer) => self.free(pointer),
            RawAction::Clobber { function, .. } => {
                let why = format!("`{function}` may write to a place that is not known");
                self.trouble.get_or_insert(NoMeaning::NotSupported(why));
            }
            RawAction::Indirect { pointer, result, known, .. } => {
                let targets = self.memory.targets(pointer);
                if targets.contains(&Target::Unknown) {
                    let why = "a call through a pointer of which nothing is known".to_owned();
                    self.trouble.get_or_insert(NoMeaning::NotSupported(why));
                }
                let value = self.value(pointer);
                let set = self.pool.is_nonzero(value);
                self.defined.push(set);
                let is_outside =
                    targets.contains(&Target::OutsideFunction) || targets.contains(&Target::Unknown);
                if !is_outside {
                    // All that it may point to is called by steps of their own.
                    let never = self.pool.bool(false);
                    guards.push(never);
                }
                for &procedure in known {
                    let kind = program::ExprKind::FunctionAddress(procedure);
                    let address = self.value(&program::Expr { kind, ty: pointer.ty });
                    guards.push(self.pool.distinct(value, address));
                }
                if let Some(result) = result {
                    self.action(result, guards);
                }
            }
        }
    }

    /// What holds at the start; the guard may read memory, which must be defined.
    fn start(&mut self, guard: &Condition) -> TermId {
        self.begin_step();
        let guard = self.condition(guard);
        let mut all = self.defined.clone();
        all.push(guard);
        let all = self.pool.all_of(&all);
        self.simplify(all)
    }

    /// A condition as a predicate; where it is not defined it counts as false.
    fn stated(&mut self, condition: &Condition) -> TermId {
        self.begin_step();
        let condition = self.condition(condition);
        let mut all = self.defined.clone();
        all.push(condition);
        let all = self.pool.all_of(&all);
        self.simplify(all)
    }

    /// Pointers from outside are null or point to their object, or to where the program lets them point at
    /// first.
    fn outside_pointers(&mut self, initial: TermId) -> TermId {
        let mut all = vec![initial];
        let mut spots: Vec<(ObjectPart, CellId)> =
            self.cell_of.iter().map(|(spot, cell)| (spot.clone(), *cell)).collect();
        spots.sort_unstable_by_key(|(_, cell)| *cell);
        let mut facts: Vec<(CellId, TermId)> = Vec::new();
        for (spot, cell) in spots {
            if self.memory.roots[spot.root].kind != RootKind::Outside {
                continue;
            }
            let symbol = self.cells[cell].symbol;
            let mut start = PointerStart::default();
            if let Some(first) = self.memory.first_value(&spot).cloned() {
                self.begin_step();
                let first = self.value(&first);
                // What is not tracked says nothing.
                start.initialised = Some(first).filter(|_| self.inputs.is_empty());
            }
            if let Some(root) = self.memory.known_outside_object(&spot) {
                let own = self.root_address(root);
                start.own = Some(own);
                let zero = self.pool.number(self.pool.width(symbol), 0);
                let mut ways = vec![self.pool.equal(symbol, zero), self.pool.equal(symbol, own)];
                if let Some(first) = start.initialised {
                    ways.push(self.pool.equal(symbol, first));
                }
                facts.push((cell, self.pool.any_of(&ways)));
            } else if self.memory.types.is_pointer(self.cells[cell].ty) {
                // It is never followed, and its object not known; but it has one, which is no other.
                let own = self.pool.number(self.pool.width(symbol), i128::from(self.next_address));
                self.next_address += 16;
                start.own = Some(own);
            }
            self.pointer_starts.insert(cell, start);
        }
        facts.sort_unstable();
        all.extend(facts.into_iter().map(|(_, fact)| fact));
        self.pool.all_of(&all)
    }

    /// What is declared `const` has the values that the program says.
    fn constants(&mut self, initial: TermId, variables: &FxHashMap<VariableId, VariableId>) -> TermId {
        let mut facts: Vec<(CellId, u128)> = Vec::new();
        let mut pointers: Vec<(CellId, Option<program::Expr>)> = Vec::new();
        for (spot, &cell) in &self.cell_of {
            if self.memory.types.is_pointer(self.cells[cell].ty)
                && let Some(value) = self.memory.fixed_value(spot)
            {
                pointers.push((cell, value.cloned()));
                continue;
            }
            let Some(variable) = variables.get(&spot.root).map(|&id| &self.program.variables[id]) else {
                continue;
            };
            let is_initialised = self.memory.roots[spot.root].kind == RootKind::Initialised;
            if is_initialised && self.memory.types.is_pointer(self.cells[cell].ty) {
                pointers.push((cell, self.memory.first_value(spot).cloned()));
                continue;
            }
            if (is_initialised || super::constants::never_changes(&self.memory.types, variable))
                && !self.memory.is_in_union(spot)
                && let Some(value) = super::constants::first_value(self.memory, variable, &spot.path)
            {
                facts.push((cell, value));
            }
        }
        facts.sort_unstable();
        let mut all = vec![initial];
        pointers.sort_unstable_by_key(|(cell, _)| *cell);
        for (cell, value) in pointers {
            let symbol = self.cells[cell].symbol;
            self.begin_step();
            let value = match value {
                Some(value) => self.value(&value),
                None => self.pool.number(self.pool.width(symbol), 0),
            };
            // What is not tracked says nothing.
            if self.inputs.is_empty() {
                all.push(self.pool.equal(symbol, value));
            }
        }
        for (cell, value) in facts {
            let symbol = self.cells[cell].symbol;
            let value = self.pool.number(self.pool.width(symbol), value as i128);
            all.push(self.pool.equal(symbol, value));
        }
        self.pool.all_of(&all)
    }

    fn begin(&mut self, edge: &mut Edge, root: VariableId) {
        let mut own: Vec<CellId> =
            self.cell_of.iter().filter(|(spot, _)| spot.root == root).map(|(_, cell)| *cell).collect();
        own.sort_unstable();
        for cell in own {
            if edge.updates.iter().any(|(known, _)| *known == cell) {
                continue;
            }
            let sort = self.pool.sort(self.cells[cell].symbol);
            let symbol = self.pool.fresh_symbol("in", sort);
            let role = InputRole::Begins(cell);
            edge.inputs.push(Input { symbol, source: self.cells[cell].name.clone(), role });
            edge.updates.push((cell, symbol));
        }
    }

    pub(super) fn cell(&mut self, spot: &ObjectPart) -> Option<CellId> {
        if let Some(&known) = self.cell_of.get(spot) {
            return Some(known);
        }
        let ty = self.memory.type_at(spot)?;
        let width = self.memory.types.integer_shape(ty)?.width;
        let plain = self.memory.name_of(spot);
        let mut name = plain.clone();
        let mut number = 1;
        while self.pool.find_symbol(&name).is_some() {
            number += 1;
            name = format!("{plain}#{number}");
        }
        let symbol = self.pool.symbol(&name, Sort::BitVec(width));
        let cell = self.cells.push(Cell { name: Arc::from(name), symbol, ty });
        self.cell_of.insert(spot.clone(), cell);
        Some(cell)
    }

    pub(super) fn current(&self, cell: CellId) -> TermId {
        self.now.get(&cell).copied().unwrap_or(self.cells[cell].symbol)
    }

    pub(super) fn set(&mut self, cell: CellId, value: TermId) {
        if self.now.insert(cell, value).is_none() {
            self.order.push(cell);
        }
    }

    pub(super) fn input(&mut self, width: u32, source: &str, role: InputRole) -> TermId {
        let symbol = self.pool.fresh_symbol("in", Sort::BitVec(width));
        self.inputs.push(Input { symbol, source: Arc::from(source), role });
        symbol
    }

    pub(super) fn untracked(&mut self, width: u32) -> TermId {
        self.is_approximate = true;
        self.input(width, "a value that is not tracked", InputRole::Untracked)
    }

    pub(super) fn root_address(&mut self, root: VariableId) -> TermId {
        let size = self.memory.types.size_of(self.memory.roots[root].ty).unwrap_or(1).max(1);
        let next = &mut self.next_address;
        let address = *self.addresses.entry(root).or_insert_with(|| {
            let own = *next;
            *next += size.div_ceil(16) * 16 + 16;
            own
        });
        let width = self.memory.types.pointer_width();
        self.pool.number(width, i128::from(address))
    }
}
