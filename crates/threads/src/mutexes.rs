//! Mutexes of each kind, and spin locks, which are normal mutexes. Taking one moves to the right of what other threads
//! do, giving it back to the left.

use crate::cells::Meaning;
use crate::deadlock::{Again, On, Waits};
use crate::mode::{Here, Mover};
use crate::synchronisation::{BUSY, Call, INVALID, NOT_PERMITTED, Patience, WOULD_WAIT_FOR_EVER};
use crate::weave::Weaver;
use program::{Action, BinaryOp, Expr, Known, Place};

/// `PTHREAD_MUTEX_RECURSIVE`
const RECURSIVE: i64 = 1;
/// `PTHREAD_MUTEX_ERRORCHECK`
const ERROR_CHECKING: i64 = 2;
/// `PTHREAD_MUTEX_ADAPTIVE_NP`, which behaves as a normal one.
const LAST_KIND: i64 = 3;
/// The owner of a mutex that was destroyed.
const DESTROYED: i64 = -1;

/// A mutex.
pub struct Mutex {
    /// 0 where it is free.
    pub owner: Place,
    /// How often the owner has it; kept for recursive ones.
    count: Option<Place>,
    /// What relocking does: a number that is known, or where it is kept.
    kind: Result<i64, Place>,
}

impl Weaver<'_> {
    /// The mutex that a value points to.
    pub fn mutex(&mut self, call: &Call<'_>, pointer: &Expr) -> Option<Mutex> {
        let kind = self.kind_of_mutex(call.frame, pointer);
        if matches!(kind, Ok(0 | LAST_KIND | ERROR_CHECKING)) {
            let [owner] = self.state::<1>(call.frame, pointer)?;
            self.cells.says(&owner, Meaning::Owner);
            return Some(Mutex { owner, count: None, kind });
        }
        let [owner, count] = self.state::<2>(call.frame, pointer)?;
        self.cells.says(&owner, Meaning::Owner);
        self.cells.says(&count, Meaning::Number);
        Some(Mutex { owner, count: Some(count), kind })
    }

    /// What waiting for the mutex is.
    pub fn waits_for_mutex(&self, pointer: &Expr, mutex: &Mutex, relocks: bool) -> Waits {
        let again = match &mutex.kind {
            // To take it again after a wait is to take a mutex that one has not.
            _ if relocks => Again::Waits,
            Ok(RECURSIVE | ERROR_CHECKING) => Again::GoesOn,
            Ok(_) => Again::Waits,
            Err(kind) => Again::ByKind(kind.clone()),
        };
        self.waits(pointer, "the mutex", On::Mutex { owner: mutex.owner.clone(), again })
    }

    /// Ways from here by kind: normal, recursive, error-checking. What cannot be is not there.
    fn by_kind(&mut self, here: Here, call: &Call<'_>, mutex: &Mutex) -> [Option<Here>; 3] {
        match &mutex.kind {
            Ok(RECURSIVE) => [None, Some(here), None],
            Ok(ERROR_CHECKING) => [None, None, Some(here)],
            Ok(_) => [Some(here), None, None],
            Err(kind) => {
                let is_recursive = self.terms.holds(kind, RECURSIVE, &self.new);
                let (recursive, here) = self.branch(here, call.thread, is_recursive, call.span);
                let is_checking = self.terms.holds(kind, ERROR_CHECKING, &self.new);
                let (checking, normal) = self.branch(here, call.thread, is_checking, call.span);
                [Some(normal), Some(recursive), Some(checking)]
            }
        }
    }

    /// How taking a lock, or giving it back, moves.
    pub fn lock_mover(&self, mover: Mover) -> Mover {
        if self.facts.has_try || self.quiet.sets_up_mutexes { Mover::No } else { mover }
    }

    /// The mutex was not destroyed.
    fn exists(&mut self, here: Here, call: &Call<'_>, mutex: &Mutex) -> Here {
        if !self.facts.has_destroyed {
            return here;
        }
        let is_gone = self.terms.holds(&mutex.owner, DESTROYED, &self.new);
        let (gone, here) = self.branch(here, call.thread, is_gone, call.span);
        self.misuse(gone, call.thread, "a mutex is used after it was destroyed", call.span);
        here
    }

    /// `pthread_mutex_lock` and its relatives.
    pub fn lock(&mut self, here: Here, call: &Call<'_>, pointer: &Expr, patience: Patience) {
        let Some(mutex) = self.mutex(call, pointer) else { return self.no_room(here, call) };
        let waits = self.waits_for_mutex(pointer, &mutex, false);
        let here = match patience {
            Patience::Endless => {
                let mover = self.lock_mover(Mover::Right);
                self.before_waiting(here, call, mover, &waits)
            }
            _ => {
                let here = self.before(here, call.thread, Mover::No, None);
                self.leave_races_open(here, call)
            }
        };
        let here = self.exists(here, call, &mutex);
        let [normal, recursive, checking] = match &mutex.kind {
            Ok(0 | LAST_KIND) => [Some(here), None, None],
            _ => {
                let is_own = self.terms.holds(&mutex.owner, Self::own_number(call.thread), &self.new);
                let (own, other) = self.branch(here, call.thread, is_own, call.span);
                let (own, of_another) = self.own_or_not(own, call);
                let [normal, recursive, checking] = self.by_kind(own, call, &mutex);
                for other in [Some(other), of_another].into_iter().flatten() {
                    self.lock_another(other, call, &mutex, patience, &waits);
                }
                [normal, recursive, checking]
            }
        };
        if let Some(here) = normal {
            self.lock_another(here, call, &mutex, patience, &waits);
        }
        if let Some(mut here) = recursive {
            if let Some(count) = &mutex.count {
                here = self.add(here, call, count, BinaryOp::Add);
            }
            self.done(here, call, 0);
        }
        if let Some(here) = checking {
            let told = if patience == Patience::None { BUSY } else { WOULD_WAIT_FOR_EVER };
            self.done(here, call, told);
        }
    }

    /// Takes a mutex that is free, or waits, or gives up.
    fn lock_another(
        &mut self,
        here: Here,
        call: &Call<'_>,
        mutex: &Mutex,
        patience: Patience,
        waits: &Waits,
    ) {
        if patience == Patience::Endless {
            let here = self.take(here, call, mutex, waits);
            return self.done(here, call, 0);
        }
        let is_free = self.terms.holds(&mutex.owner, 0, &self.new);
        let (free, taken) = self.branch(here, call.thread, is_free, call.span);
        let free = self.take_now(free, call, mutex);
        self.done(free, call, 0);
        // Nobody's time is over where the mutex can be had at once.
        self.done(taken, call, patience.result());
    }

    /// Waits for the mutex and takes it.
    pub fn take(&mut self, here: Here, call: &Call<'_>, mutex: &Mutex, waits: &Waits) -> Here {
        let is_free = self.terms.holds(&mutex.owner, 0, &self.new);
        let here = self.wait_until(here, call, is_free, waits);
        self.take_now(here, call, mutex)
    }

    fn take_now(&mut self, here: Here, call: &Call<'_>, mutex: &Mutex) -> Here {
        self.log.takes(here.node, &mutex.owner);
        let here = self.assign(here, call, &mutex.owner, Self::own_number(call.thread));
        match &mutex.count {
            Some(count) => self.assign(here, call, count, 1),
            None => here,
        }
    }

    /// `pthread_mutex_unlock`
    pub fn unlock(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some(mutex) = self.mutex(call, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, self.lock_mover(Mover::Left), None);
        let own = self.only_own(here, call, &mutex);
        let Some(count) = mutex.count.clone() else {
            let here = self.give_back(own, call, &mutex);
            return self.done(here, call, 0);
        };
        let is_last = self.terms.holds(&count, 1, &self.new);
        let (last, more) = self.branch(own, call.thread, is_last, call.span);
        let more = self.add(more, call, &count, BinaryOp::Subtract);
        self.done(more, call, 0);
        let here = self.give_back(last, call, &mutex);
        self.done(here, call, 0);
    }

    /// Goes on where the thread has the mutex; elsewhere it is misused, or refused.
    pub fn only_own(&mut self, here: Here, call: &Call<'_>, mutex: &Mutex) -> Here {
        let here = self.exists(here, call, mutex);
        let is_own = self.terms.holds(&mutex.owner, Self::own_number(call.thread), &self.new);
        let (mut own, other) = self.branch(here, call.thread, is_own, call.span);
        let mut others = vec![other];
        if !matches!(mutex.kind, Ok(0 | LAST_KIND)) {
            let (mine, of_another) = self.own_or_not(own, call);
            own = mine;
            others.extend(of_another);
        }
        for other in others {
            let [normal, recursive, checking] = self.by_kind(other, call, mutex);
            if let Some(here) = normal {
                self.misuse(here, call.thread, "a thread unlocks a mutex that it does not hold", call.span);
            }
            for here in recursive.into_iter().chain(checking) {
                self.done(here, call, NOT_PERMITTED);
            }
        }
        own
    }

    /// The mutex is free again.
    pub fn give_back(&mut self, own: Here, call: &Call<'_>, mutex: &Mutex) -> Here {
        self.log.gives_back(own.node, &mutex.owner);
        self.assign(own, call, &mutex.owner, 0)
    }

    /// How often the mutex is held, where it may be more than once.
    pub fn is_held_once(&self, mutex: &Mutex) -> Option<Expr> {
        mutex.count.as_ref().map(|count| self.terms.holds(count, 1, &self.new))
    }

    /// `pthread_mutexattr_init`, `pthread_mutexattr_settype`
    pub fn mutex_attributes(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        if known == Known::MutexAttributesDestroy {
            return self.done(here, call, 0);
        }
        let Some([kind]) = self.state::<1>(call.frame, &arguments[0]) else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let Some(value) = arguments.get(1).filter(|_| known == Known::MutexAttributesSetType) else {
            let here = self.assign(here, call, &kind, 0);
            return self.done(here, call, 0);
        };
        let value = self.renamed(call.frame, value);
        let most = Expr::integer(LAST_KIND as u128, value.ty, &self.new.types);
        let none = Expr::integer(0, value.ty, &self.new.types);
        let too_large = self.terms.binary(BinaryOp::Greater, value.clone(), most);
        let negative = self.terms.binary(BinaryOp::Less, value.clone(), none);
        let is_none = self.terms.binary(BinaryOp::BitOr, too_large, negative);
        let (none, some) = self.branch(here, call.thread, is_none, call.span);
        self.done(none, call, INVALID);
        let action = Action::Assign { value: value.cast(kind.ty.id), target: kind };
        let some = self.step(some, call.thread, action, call.span);
        self.done(some, call, 0);
    }

    /// `pthread_mutex_init`, `pthread_spin_init`
    pub fn init_mutex(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let further = arguments.get(1).filter(|value| crate::cells::uncast(value).as_integer() != Some(0));
        if known == Known::SpinInit && further.is_some() {
            return self.give_up(here, call.thread, "a lock that processes share", call.span);
        }
        let Some(mutex) = self.mutex(call, &arguments[0]) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, Mover::No, None);
        self.log.sets_up_mutexes |= !here.mode.is_alone;
        // In memory that was never written there is no owner yet.
        let here = if mutex.owner.as_variable().is_some() {
            let none = Expr::integer(0, mutex.owner.ty.id, &self.new.types);
            let is_held = self.terms.binary(BinaryOp::Greater, Expr::load(mutex.owner.clone()), none);
            let (held, free) = self.branch(here, call.thread, is_held, call.span);
            self.misuse(held, call.thread, "a mutex is initialised while it is locked", call.span);
            free
        } else {
            here
        };
        let mut here = self.assign(here, call, &mutex.owner, 0);
        if let Some(count) = &mutex.count {
            here = self.assign(here, call, count, 0);
        }
        let Err(kind) = &mutex.kind else {
            return match (further, &mutex.kind) {
                (None, Ok(0)) => self.done(here, call, 0),
                (Some(_), Ok(0)) if !self.facts.has_kinds => self.done(here, call, 0),
                _ => self.no_room(here, call),
            };
        };
        let Some(attributes) = further else {
            let here = self.assign(here, call, kind, 0);
            return self.done(here, call, 0);
        };
        let Some([asked]) = self.state::<1>(call.frame, attributes) else { return self.no_room(here, call) };
        let attributes = self.renamed(call.frame, crate::cells::uncast(attributes));
        let none = Expr::integer(0, attributes.ty, &self.new.types);
        let is_null = self.terms.binary(BinaryOp::Equal, attributes, none);
        let (null, given) = self.branch(here, call.thread, is_null, call.span);
        let null = self.assign(null, call, kind, 0);
        self.done(null, call, 0);
        let value = Expr::load(asked).cast(kind.ty.id);
        let action = Action::Assign { target: kind.clone(), value };
        let given = self.step(given, call.thread, action, call.span);
        self.done(given, call, 0);
    }

    /// `pthread_mutex_destroy`
    pub fn destroy_mutex(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some(mutex) = self.mutex(call, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, Mover::No, None);
        self.log.sets_up_mutexes |= self.options.misuse && !here.mode.is_alone;
        let here = self.exists(here, call, &mutex);
        let is_free = self.terms.holds(&mutex.owner, 0, &self.new);
        let (free, held) = self.branch(here, call.thread, is_free, call.span);
        self.misuse(held, call.thread, "a mutex is destroyed while it is locked", call.span);
        let free = self.assign(free, call, &mutex.owner, DESTROYED);
        self.done(free, call, 0);
    }
}
