//! Thread-specific data: a few keys, and for each thread a value of its own under each. Destructors that would be
//! called when a thread ends are not answered about.

use crate::mode::{Here, Mover, ThreadIndex};
use crate::synchronisation::{Call, INVALID};
use crate::weave::Weaver;
use base::Span;
use program::{Action, BinaryOp, Expr, Known, Place, VariableId};
use rustc_hash::FxHashMap;

/// Keys that there is room for.
const MOST_KEYS: usize = 4;

/// Variables that say which keys there are.
#[derive(Debug)]
pub struct Keys {
    /// How many have been created.
    count: VariableId,
    /// Was it created, and not deleted since?
    exists: [VariableId; MOST_KEYS],
    /// Has it a destructor?
    is_destroyed: [VariableId; MOST_KEYS],
    /// What each thread has under it.
    values: FxHashMap<ThreadIndex, [VariableId; MOST_KEYS]>,
}

impl Weaver<'_> {
    fn all_keys(&mut self) -> &mut Keys {
        if self.key_state.is_none() {
            let int = self.terms.int;
            let count = self.variable("keys", int);
            let exists = std::array::from_fn(|key| self.variable(&format!("key {key} exists"), int));
            let name = |key: usize| format!("key {key} has a destructor");
            let is_destroyed = std::array::from_fn(|key| self.variable(&name(key), int));
            self.accounts.push(count);
            self.accounts.extend(exists);
            self.accounts.extend(is_destroyed);
            self.key_state = Some(Keys { count, exists, is_destroyed, values: FxHashMap::default() });
        }
        self.key_state.as_mut().expect("it was made above")
    }

    fn key_values(&mut self, thread: ThreadIndex) -> [VariableId; MOST_KEYS] {
        if let Some(&made) = self.all_keys().values.get(&thread) {
            return made;
        }
        let void = self.new.types.void();
        let pointer = self.new.types.pointer(void);
        let made = std::array::from_fn(|key| self.variable(&format!("value under key {key}"), pointer));
        self.accounts.extend(made);
        self.all_keys().values.insert(thread, made);
        made
    }

    fn value_place(&mut self, thread: ThreadIndex, key: usize) -> Place {
        let variable = self.key_values(thread)[key];
        Place::variable(variable, self.new.variables[variable].ty.id)
    }

    /// `pthread_key_create` and its relatives.
    pub fn keys(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let here = self.before(here, call.thread, Mover::No, None);
        if known == Known::KeyCreate {
            return self.create_key(here, call, arguments);
        }
        let asked = self.renamed(call.frame, &arguments[0]);
        let mut here = here;
        for key in 0..MOST_KEYS {
            let number = Expr::integer(key as u128, asked.ty, &self.new.types);
            let is_it = self.terms.binary(BinaryOp::Equal, asked.clone(), number);
            let exists = self.terms.place(self.all_keys().exists[key]);
            let exists_now = self.terms.holds(&exists, 1, &self.new);
            let both = self.terms.binary(BinaryOp::BitAnd, is_it, exists_now);
            let (yes, no) = self.branch(here, call.thread, both, call.span);
            here = no;
            match known {
                Known::KeyGet => {
                    let value = Expr::load(self.value_place(call.thread, key));
                    self.gives(yes, call, value);
                }
                Known::KeySet => {
                    let target = self.value_place(call.thread, key);
                    let value = self.renamed(call.frame, &arguments[1]).cast(target.ty.id);
                    let yes = self.step(yes, call.thread, Action::Assign { target, value }, call.span);
                    self.done(yes, call, 0);
                }
                _ => {
                    let yes = self.assign(yes, call, &exists, 0);
                    self.done(yes, call, 0);
                }
            }
        }
        match (known, &call.result) {
            (Known::KeyGet, Some(result)) => {
                let null = Expr::integer(0, result.ty.id, &self.new.types);
                self.gives(here, call, null);
            }
            _ => self.done(here, call, INVALID),
        }
    }

    fn gives(&mut self, here: Here, call: &Call<'_>, value: Expr) {
        let mut here = here;
        if let Some(result) = &call.result {
            let value = value.cast(result.ty.id);
            let action = Action::Assign { target: result.clone(), value };
            here = self.step(here, call.thread, action, call.span);
        }
        self.go_on(here, call.frame, call.edge.to, call.span);
    }

    fn create_key(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr]) {
        let Some(here) = self.before_store(here, call.frame, &arguments[0], call.span) else { return };
        let into = self.renamed(call.frame, crate::cells::uncast(&arguments[0]));
        let to = self.new.types.pointee(into.ty).filter(|to| self.new.types.integer_shape(to.id).is_some());
        let Some(to) = to else { return self.no_room(here, call) };
        let into = Place::pointed_to_by(into, to.id);
        let count = self.terms.place(self.all_keys().count);
        let mut here = here;
        for key in 0..MOST_KEYS {
            let is_next = self.terms.holds(&count, key as i64, &self.new);
            let (yes, no) = self.branch(here, call.thread, is_next, call.span);
            here = no;
            let yes = self.assign(yes, call, &into, key as i64);
            let yes = self.assign(yes, call, &count, key as i64 + 1);
            let exists = self.terms.place(self.all_keys().exists[key]);
            let mut yes = self.assign(yes, call, &exists, 1);
            let destructor = crate::cells::uncast(&arguments[1]);
            if destructor.as_integer() != Some(0) {
                let destructor = self.renamed(call.frame, destructor);
                let null = Expr::integer(0, destructor.ty, &self.new.types);
                let value = self.terms.binary(BinaryOp::NotEqual, destructor, null);
                let target = self.terms.place(self.all_keys().is_destroyed[key]);
                yes = self.step(yes, call.thread, Action::Assign { target, value }, call.span);
            }
            self.done(yes, call, 0);
        }
        let why = format!("more than {MOST_KEYS} keys of thread-specific data");
        self.give_up(here, call.thread, &why, call.span);
    }

    /// A thread ends: no destructor is to be called.
    pub fn no_destructors(&mut self, here: Here, thread: ThreadIndex, span: Span) -> Here {
        if !self.facts.has_key_destructors {
            return here;
        }
        let mut here = here;
        for key in 0..MOST_KEYS {
            let value = self.value_place(thread, key);
            let null = Expr::integer(0, value.ty.id, &self.new.types);
            let is_set = self.terms.binary(BinaryOp::NotEqual, Expr::load(value), null);
            let (exists, is_destroyed) = (self.all_keys().exists[key], self.all_keys().is_destroyed[key]);
            let has_one =
                self.terms.binary(BinaryOp::BitAnd, self.terms.value(exists), self.terms.value(is_destroyed));
            let calls = self.terms.binary(BinaryOp::BitAnd, is_set, has_one);
            let (called, not) = self.branch(here, thread, calls, span);
            self.give_up(called, thread, "a destructor of thread-specific data is called", span);
            here = not;
        }
        here
    }
}
