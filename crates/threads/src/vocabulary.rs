//! What conditions about any number of threads can speak of: kinds of threads with their places and variables, and what is shared.

use crate::cells::Meaning;
use crate::general::{Role, Site};
use crate::mode::ThreadIndex;
use crate::tallies::GuessedTally;
use crate::weave::{NOT_STARTED, Weaver};
use base::Span;
use program::expr::{Access, ExprPart};
use program::{EdgeId, NodeId, Place, PlaceBase, ProcedureId, Projection, TypeId, VariableId, VariableKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Shared places that conditions are about, at most.
const MOST_SHARED: usize = 24;

/// What conditions can speak of.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Kinds of threads.
    pub kinds: Vec<Kind>,
    /// What is shared.
    pub shared: Vec<SharedPlace>,
    /// The procedures whose steps are copied.
    pub procedures: Vec<ProcedureId>,
    /// Counts of threads that may be what something shared holds.
    pub tallies: Vec<GuessedTally>,
}

/// Something shared, an integer.
#[derive(Clone, Debug)]
pub struct SharedPlace {
    /// Where it lies.
    pub place: Place,
    /// As the program writes it.
    pub name: String,
    /// What it says.
    pub meaning: Meaning,
    /// Of a read-write lock: who reads under it.
    pub readers: Option<Place>,
}

/// Threads that run the same: one thread, or any number.
#[derive(Clone, Debug)]
pub struct Kind {
    /// What they start with.
    pub start: ProcedureId,
    /// Is there any number of them?
    pub is_any: bool,
    /// Where they may be interrupted.
    pub places: Vec<At>,
    /// Their variables, integers outside memory.
    pub locals: Vec<Local>,
    threads: Vec<ThreadIndex>,
    environment: Option<ThreadIndex>,
    numbers: FxHashMap<ThreadIndex, Vec<Option<i64>>>,
    variables: FxHashMap<ThreadIndex, Vec<Option<VariableId>>>,
}

/// A place where threads of a kind may be interrupted.
#[derive(Clone, Debug)]
pub struct At {
    /// Where in the source.
    pub span: Span,
    /// Variables that are needed from there on.
    pub live: Vec<usize>,
    /// Has the thread started there? The last place of threads that have thread storage is before they start.
    pub has_started: bool,
    /// Is it where threads start?
    pub is_entry: bool,
}

/// A variable of a thread.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// What tells a variable of a thread apart: the calls down to its own, and which it is there. Thread storage belongs to no call.
type LocalKey = (Option<Vec<(EdgeId, ProcedureId)>>, VariableId);

impl Vocabulary {
    /// Do the numbers of conditions mean the same in both? They do where both programs are made of the same threads alike.
    pub fn is_like(&self, other: &Vocabulary) -> bool {
        let is_like_kind = |one: &Kind, two: &Kind| {
            let is_like_place = |one: &At, two: &At| {
                one.span == two.span && one.live == two.live && one.is_entry == two.is_entry
            };
            one.places.len() == two.places.len()
                && one.locals.len() == two.locals.len()
                && one.places.iter().zip(&two.places).all(|(one, two)| is_like_place(one, two))
        };
        self.kinds.len() == other.kinds.len()
            && self.shared.len() == other.shared.len()
            && self.kinds.iter().zip(&other.kinds).all(|(one, two)| is_like_kind(one, two))
            && self.shared.iter().zip(&other.shared).all(|(one, two)| one.name == two.name)
    }

    /// The kind of a thread and the place with a number in its counter.
    pub fn place_of(&self, thread: ThreadIndex, number: i64) -> Option<(usize, usize)> {
        self.kinds.iter().enumerate().find_map(|(kind, spoken)| {
            let numbers = spoken.numbers.get(&thread)?;
            Some((kind, numbers.iter().position(|&known| known == Some(number))?))
        })
    }
}

impl SharedPlace {
    /// Does it say who has a lock?
    pub fn is_owner(&self) -> bool {
        self.meaning == Meaning::Owner
    }
}

impl Kind {
    /// The threads of this kind that are followed.
    pub fn threads(&self) -> &[ThreadIndex] {
        &self.threads
    }

    /// All others.
    pub fn environment(&self) -> Option<ThreadIndex> {
        self.environment
    }

    /// The number of a place in a thread's counter.
    pub fn number_of(&self, thread: ThreadIndex, place: usize) -> Option<i64> {
        self.numbers.get(&thread)?.get(place).copied().flatten()
    }

    /// A variable of a thread.
    pub fn variable_of(&self, thread: ThreadIndex, local: usize) -> Option<VariableId> {
        self.variables.get(&thread)?.get(local).copied().flatten()
    }
}

impl Weaver<'_> {
    /// What conditions can speak of, once all is copied. Refuses where threads of one class differ.
    pub fn vocabulary(&mut self, live: &FxHashMap<NodeId, FxHashSet<VariableId>>) -> Vocabulary {
        let mut kinds = Vec::new();
        for class in 0..self.classes.len() {
            let threads: Vec<ThreadIndex> =
                self.classes[class].followed.iter().map(|(thread, _)| *thread).collect();
            let environment = Some(self.classes[class].environment.0);
            kinds.push(self.kind(self.classes[class].start, true, threads, environment, live));
        }
        let exact: Vec<ThreadIndex> =
            self.threads.ids().filter(|&thread| self.threads[thread].role == Role::Exact).collect();
        for thread in exact {
            kinds.push(self.kind(self.threads[thread].start, false, vec![thread], None, live));
        }
        let (shared, procedures) = (self.shared_places(), self.procedures_running());
        let mut all = Vocabulary { kinds, shared, procedures, tallies: Vec::new() };
        all.tallies = self.guessed_tallies(&all);
        all
    }

    fn kind(
        &mut self,
        start: ProcedureId,
        is_any: bool,
        threads: Vec<ThreadIndex>,
        environment: Option<ThreadIndex>,
        live: &FxHashMap<NodeId, FxHashSet<VariableId>>,
    ) -> Kind {
        let model = threads[0];
        let sites: Vec<Site> = (1..=self.threads[model].cuts.len() as i64)
            .filter_map(|number| self.sites.get(&(model, number)).cloned())
            .collect();
        let keys: Vec<LocalKey> = self.local_keys(model);
        let mut numbers = FxHashMap::default();
        let mut variables = FxHashMap::default();
        for thread in threads.iter().copied().chain(environment) {
            let by_site: FxHashMap<&Site, i64> = (1..=self.threads[thread].cuts.len() as i64)
                .filter_map(|number| Some((self.sites.get(&(thread, number))?, number)))
                .collect();
            let own: Vec<Option<i64>> = sites.iter().map(|site| by_site.get(site).copied()).collect();
            // The environment does not come to places from where one can only fail.
            let known = own.iter().filter(|number| number.is_some()).count();
            let is_alike = self.threads[thread].cuts.len() == known
                && by_site.len() == known
                && (known == sites.len() || Some(thread) == environment);
            let mine = self.locals_by(thread, &keys);
            let is_whole = mine.iter().all(Option::is_some) || Some(thread) == environment;
            if !is_alike || !is_whole {
                let at = self.old.procedures[start].span;
                self.refuse("threads that run the same but are not copied alike", at);
            }
            let mut own = own;
            own.push(Some(NOT_STARTED));
            numbers.insert(thread, own);
            variables.insert(thread, mine);
        }
        let locals: Vec<Local> = keys
            .iter()
            .map(|(_, id)| Local {
                name: self.old.variables[*id].name.to_string(),
                ty: self.old.variables[*id].ty.id,
            })
            .collect();
        let nothing = FxHashSet::default();
        let of_model: Vec<VariableId> =
            variables.get(&model).into_iter().flatten().flatten().copied().collect();
        let mut places: Vec<At> = (0..sites.len())
            .map(|place| {
                let cut = &self.threads[model].cuts[place];
                let needed = cut.resumes.and_then(|node| live.get(&node)).unwrap_or(&nothing);
                let is_own = |id: &VariableId| self.new.variables[*id].is_thread_local;
                let live = (0..of_model.len())
                    .filter(|&local| needed.contains(&of_model[local]) || is_own(&of_model[local]))
                    .collect();
                let is_entry = sites[place] == Site::Entry;
                At { span: self.graph.nodes[cut.from].span, live, has_started: true, is_entry }
            })
            .collect();
        let stored: Vec<usize> = (0..of_model.len())
            .filter(|&local| self.new.variables[of_model[local]].is_thread_local)
            .collect();
        if !stored.is_empty() {
            let span = self.old.procedures[start].span;
            places.push(At { span, live: stored, has_started: false, is_entry: false });
        }
        Kind { start, is_any, places, locals, threads, environment, numbers, variables }
    }

    /// Integers outside memory that belong to a thread.
    fn local_keys(&self, thread: ThreadIndex) -> Vec<LocalKey> {
        let is_number = |id: VariableId, own: VariableId| {
            let ty = self.old.variables[id].ty.id;
            !self.new.variables[own].in_memory && self.old.types.integer_shape(ty).is_some()
        };
        let mut keys: Vec<LocalKey> = Vec::new();
        for frame in self.frames.iter().filter(|frame| frame.thread == thread) {
            let procedure = &self.old.procedures[frame.procedure];
            let all = procedure.parameters.iter().chain(&procedure.locals).copied();
            let own = |id: VariableId| frame.variables.get(&id).copied().unwrap_or(id);
            let all = all.filter(|&id| is_number(id, own(id)) && !self.facts.handles.contains(&id));
            keys.extend(all.map(|id| (Some(frame.path.clone()), id)));
        }
        let mut own: Vec<VariableId> =
            self.threads[thread].own.keys().copied().filter(|&id| is_number(id, id)).collect();
        own.sort_unstable();
        keys.extend(own.into_iter().map(|id| (None, id)));
        keys.sort_by_key(|(path, id)| (path.as_ref().map(Vec::len), *id));
        keys
    }

    fn locals_by(&mut self, thread: ThreadIndex, keys: &[LocalKey]) -> Vec<Option<VariableId>> {
        let frames: FxHashMap<_, _> = self
            .frames
            .iter_enumerated()
            .filter(|(_, frame)| frame.thread == thread)
            .map(|(id, frame)| (frame.path.clone(), id))
            .collect();
        let mut found = Vec::new();
        for (path, id) in keys {
            match path {
                None => found.push(self.threads[thread].own.get(id).copied()),
                Some(path) => {
                    let frame = frames.get(path).copied();
                    found.push(frame.map(|frame| self.renamed_variable(frame, *id)));
                }
            }
        }
        found
    }

    /// Static integers that the program accesses by name, and the state of named locks.
    fn shared_places(&self) -> Vec<SharedPlace> {
        let mut found: Vec<Place> = Vec::new();
        let mut changes: FxHashSet<VariableId> = FxHashSet::default();
        for edge in
            self.old.procedures.iter().filter_map(|one| one.body.as_ref()).flat_map(|body| &body.edges)
        {
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, Access::Write | Access::Address) = part
                    && let PlaceBase::Variable(id) = place.base
                {
                    changes.insert(id);
                }
            });
        }
        for id in self.procedures_running() {
            for edge in self.old.procedures[id].body.iter().flat_map(|body| &body.edges) {
                edge.action.visit(&mut |part| {
                    let ExprPart::Place(place, _) = part else { return };
                    if self.is_named_integer(place)
                        && matches!(place.base, PlaceBase::Variable(id) if changes.contains(&id))
                        && !found.iter().any(|known| same_place(known, place))
                    {
                        let mut place = place.clone();
                        place.ty = place.ty.id.into();
                        found.push(place);
                    }
                });
            }
        }
        found.truncate(MOST_SHARED);
        let show = |place: &Place| self.old.show().place(place).to_string();
        let mut all: Vec<SharedPlace> = found
            .into_iter()
            .map(|place| SharedPlace { name: show(&place), place, meaning: Meaning::Number, readers: None })
            .collect();
        all.extend(self.cells.in_order(self.old).into_iter().flat_map(|(name, state)| {
            let part = move |number: usize| match number {
                0 => name.clone(),
                _ => format!("state {number} of {name}"),
            };
            state.into_iter().enumerate().filter(|(_, variable)| self.is_used(*variable)).filter_map(
                move |(number, variable)| {
                    let meaning = self.cells.meaning(variable)?;
                    let (place, readers) = (self.terms.place(variable), self.cells.readers(variable));
                    Some(SharedPlace { place, name: part(number), meaning, readers })
                },
            )
        }));
        all
    }

    fn procedures_running(&self) -> Vec<ProcedureId> {
        let running: FxHashSet<ProcedureId> = self.frames.iter().map(|frame| frame.procedure).collect();
        let mut running: Vec<ProcedureId> = running.into_iter().collect();
        running.sort_unstable();
        running
    }

    fn is_used(&self, variable: VariableId) -> bool {
        self.graph.edges.iter().any(|edge| {
            let mut is_read = false;
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, Access::Read) = part {
                    is_read |= place.as_variable() == Some(variable);
                }
            });
            is_read
        })
    }

    fn is_named_integer(&self, place: &Place) -> bool {
        let PlaceBase::Variable(id) = place.base else { return false };
        let variable = &self.old.variables[id];
        let is_fixed = |step: &Projection| match step {
            Projection::Field(..) => true,
            Projection::Index(index) => index.as_integer().is_some(),
        };
        variable.kind == VariableKind::Global
            && !variable.is_thread_local
            && !self.old.types.is_constant(variable.ty)
            && !self.facts.handles.contains(&id)
            && place.path.iter().all(is_fixed)
            && place.bit_field(&self.old.types).is_none()
            && self.old.types.is_integer(place.ty.id)
            && self.old.types.integer_shape(place.ty.id).is_some()
    }
}

fn same_place(one: &Place, two: &Place) -> bool {
    one.base == two.base && one.path == two.path && one.ty.id == two.ty.id
}
