//! Which guesses at loop invariants are inductive together? All that are left when those that some arrival
//! can break are dropped, until none can be.
//! After Flanagan, Leino 2001, "Houdini, an annotation assistant for ESC/Java". Guesses are about states at
//! heads, and about what procedures that are taken by contract return.
//!
//! Worked example: `i = 0; while (i < n) i++;` for `n >= 0`, with the guesses `i == 0`, `i >= 0`, `i <= n` at
//! the head. All hold at the first arrival. The way round the loop, supposing all three, breaks `i == 0`,
//! which is dropped. Asked again, supposing the two that are left, the way round keeps both: the greatest
//! subset of the guesses that is inductive.

use crate::blocks::{Blocks, HeadId};
use crate::contracts::{Formals, guess_posts};
use base::{Budget, IndexVec};
use logic::{Answer, Sort, TermId};
use program::ProcedureId;
use rustc_hash::FxHashMap;
use verdict::{NoModel, Reason};

/// Guesses about one thing, those that still stand.
struct Guesses {
    conditions: Vec<TermId>,
    stands: Vec<bool>,
    /// For postconditions: supposed where the guess stands.
    active: Vec<TermId>,
}

impl Guesses {
    fn of(conditions: Vec<TermId>) -> Guesses {
        let stands = vec![true; conditions.len()];
        Guesses { conditions, stands, active: Vec::new() }
    }

    fn standing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.stands.len()).filter(|&at| self.stands[at])
    }
}

/// What a way through a block must keep.
#[derive(Clone, Copy)]
enum Target {
    Head(HeadId),
    Post(usize),
}

/// A way through a block, with the guesses about where it leads, of the state there.
struct PathToTarget {
    from: Option<HeadId>,
    guard: TermId,
    to: Target,
    after: Vec<TermId>,
}

/// Which guesses a way can break.
enum Broken {
    None,
    These(Vec<usize>),
    Unknown,
}

/// The parts of the time that is left for a question about all guesses, and for one about one of them.
pub(crate) const PART_FOR_ALL: u32 = 6;
const PART_FOR_ONE: u32 = 30;

/// That part of the time that is left.
pub(crate) fn brief(budget: &Budget, part: u32) -> Budget {
    match budget.deadline() {
        None => budget.clone(),
        Some(end) => {
            let left = end.saturating_duration_since(std::time::Instant::now());
            budget.clone().with_time(left / part)
        }
    }
}

struct Houdini<'b, 'p, 'a> {
    blocks: &'b mut Blocks<'p, 'a>,
    heads: IndexVec<HeadId, Guesses>,
    posts: Vec<(ProcedureId, Formals, Guesses)>,
    ways: Vec<PathToTarget>,
    /// What is supposed where ways begin, until a guess there is dropped.
    supposed: FxHashMap<Option<HeadId>, TermId>,
}

/// Guesses at postconditions, by procedure.
pub type Posts = Vec<(ProcedureId, Formals, Vec<TermId>)>;

/// Guesses at the postconditions of all procedures that are taken by contract.
pub fn posts_of(blocks: &mut Blocks<'_, '_>) -> Posts {
    let Some(contracts) = &blocks.explorer.contracts else { return Vec::new() };
    let (procedures, written) = (contracts.procedures(), contracts.written.clone());
    let mut posts = Vec::new();
    for procedure in procedures {
        let entered = blocks
            .heads
            .iter()
            .find(|head| head.stack.len() == 1 && head.stack[0].procedure == procedure)
            .map(|head| head.any.clone());
        if let Some(any) = entered {
            let (formals, guesses) = guess_posts(&mut blocks.explorer.encoder, &written, procedure, &any);
            posts.push((procedure, formals, guesses));
        }
    }
    posts
}

/// Keeps the guesses that are invariants together and adds them to what is known. When the budget ends before
/// that is known, none is added.
pub fn keep_invariants(
    blocks: &mut Blocks<'_, '_>,
    at: IndexVec<HeadId, Vec<TermId>>,
    posts: Posts,
    budget: &Budget,
) -> Result<(), Reason> {
    let named = |conditions: &Vec<TermId>| {
        let about_all =
            conditions.iter().copied().filter(|&condition| !blocks.names_an_allocation(condition));
        Guesses::of(about_all.collect())
    };
    let heads = at.iter().map(named).collect();
    let mut houdini = Houdini {
        blocks,
        heads,
        posts: posts
            .into_iter()
            .map(|(procedure, formals, guesses)| (procedure, formals, Guesses::of(guesses)))
            .collect(),
        ways: Vec::new(),
        supposed: FxHashMap::default(),
    };
    houdini.find_ways(budget)?;
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for way in 0..houdini.ways.len() {
            is_stable &= !houdini.weaken_at(way, budget)?;
        }
    }
    houdini.learn();
    Ok(())
}

impl Houdini<'_, '_, '_> {
    fn find_ways(&mut self, budget: &Budget) -> Result<(), Reason> {
        for id in self.blocks.arrivals.ids() {
            let (from, to) = (self.blocks.arrivals[id].from, self.blocks.arrivals[id].to);
            let guard = self.blocks.arrivals[id].guard;
            let after = self.blocks.settled_after(id, &self.heads[to].conditions);
            self.ways.push(PathToTarget { from, guard, to: Target::Head(to), after });
            budget.check()?;
        }
        for at in 0..self.posts.len() {
            for (from, exit) in self.blocks.exits.clone() {
                if exit.procedure == self.posts[at].0 {
                    let after = self.instances(at, &exit);
                    self.ways.push(PathToTarget { from, guard: exit.guard, to: Target::Post(at), after });
                }
            }
            let terms = &mut self.blocks.explorer.encoder.terms;
            let count = self.posts[at].2.conditions.len();
            self.posts[at].2.active = (0..count).map(|_| terms.fresh("post", Sort::Bool)).collect();
            for (from, call) in self.blocks.calls.clone() {
                if call.procedure != self.posts[at].0 {
                    continue;
                }
                let active = self.blocks.active(from);
                for (position, instance) in self.instances(at, &call).into_iter().enumerate() {
                    let stands = self.posts[at].2.active[position];
                    let pool = &mut self.blocks.explorer.encoder.terms.pool;
                    let supposed = pool.all_of(&[active, stands, call.guard]);
                    let fact = pool.implies(supposed, instance);
                    let part = self.blocks.part(from);
                    self.blocks.checkers.learn(&mut self.blocks.explorer.encoder, part, fact);
                }
            }
            budget.check()?;
        }
        Ok(())
    }

    /// The guesses about a procedure, of a call or a return.
    fn instances(&mut self, at: usize, passage: &crate::contracts::Passage) -> Vec<TermId> {
        let (_, formals, guesses) = &self.posts[at];
        let terms = &mut self.blocks.explorer.encoder.terms;
        let values = formals.values_at(passage, terms);
        let all = terms.pool.substitute_all(&guesses.conditions, &values);
        all.into_iter().map(|instance| terms.simple(instance)).collect()
    }

    fn guesses(&mut self, target: Target) -> &mut Guesses {
        match target {
            Target::Head(head) => &mut self.heads[head],
            Target::Post(at) => &mut self.posts[at].2,
        }
    }

    /// Drops a guess.
    fn drop_guess(&mut self, target: Target, position: usize) {
        self.guesses(target).stands[position] = false;
        match target {
            Target::Head(head) => drop(self.supposed.remove(&Some(head))),
            Target::Post(_) => self.supposed.clear(),
        }
    }

    /// A symbol that implies all guesses that stand where a way begins, and all about calls: solvers bear
    /// many assumptions badly.
    fn supposed_at(&mut self, from: Option<HeadId>) -> TermId {
        if let Some(&known) = self.supposed.get(&from) {
            return known;
        }
        let mut all: Vec<TermId> = Vec::new();
        if let Some(from) = from {
            let known = &self.heads[from];
            all.extend(known.standing().map(|position| known.conditions[position]));
        }
        for (_, _, guesses) in &self.posts {
            all.extend(guesses.standing().map(|position| guesses.active[position]));
        }
        let terms = &mut self.blocks.explorer.encoder.terms;
        let symbol = terms.fresh("supposed", Sort::Bool);
        let part = self.blocks.part(from);
        for condition in all {
            let encoder = &mut self.blocks.explorer.encoder;
            let fact = encoder.terms.pool.implies(symbol, condition);
            self.blocks.checkers.learn(encoder, part.clone(), fact);
        }
        self.supposed.insert(from, symbol);
        symbol
    }

    /// Drops the guesses that one way can break. Says whether there were any.
    fn weaken_at(&mut self, at: usize, budget: &Budget) -> Result<bool, Reason> {
        let mut has_dropped = false;
        loop {
            let (from, guard, to) = (self.ways[at].from, self.ways[at].guard, self.ways[at].to);
            let mut assumptions: Vec<TermId> = vec![guard, self.blocks.active(from)];
            assumptions.push(self.supposed_at(from));
            let standing: Vec<usize> = self.guesses(to).standing().collect();
            if standing.is_empty() {
                return Ok(has_dropped);
            }
            let kept: Vec<TermId> = standing.iter().map(|&position| self.ways[at].after[position]).collect();
            match self.ask_for_broken(from, &assumptions, &kept, &brief(budget, PART_FOR_ALL))? {
                Broken::None => return Ok(has_dropped),
                Broken::These(broken) => {
                    for position in broken {
                        self.drop_guess(to, standing[position]);
                    }
                    has_dropped = true;
                }
                Broken::Unknown => {
                    budget.check()?;
                    return Ok(self.weaken_one_by_one(at, &assumptions, &standing, budget)? || has_dropped);
                }
            }
        }
    }

    /// Asks about every guess alone, those that are hard to tell dropped: together they were too much.
    fn weaken_one_by_one(
        &mut self,
        at: usize,
        assumptions: &[TermId],
        standing: &[usize],
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let (from, to) = (self.ways[at].from, self.ways[at].to);
        let mut has_dropped = false;
        for &position in standing {
            let after = self.ways[at].after[position];
            let part = PART_FOR_ONE.max(2 * standing.len() as u32);
            let answer = self.ask_for_broken(from, assumptions, &[after], &brief(budget, part))?;
            if !matches!(answer, Broken::None) {
                budget.check()?;
                self.drop_guess(to, position);
                has_dropped = true;
            }
        }
        Ok(has_dropped)
    }

    /// Which of the conditions can fail under the assumptions?
    fn ask_for_broken(
        &mut self,
        from: Option<HeadId>,
        assumptions: &[TermId],
        conditions: &[TermId],
        budget: &Budget,
    ) -> Result<Broken, Reason> {
        let terms = &mut self.blocks.explorer.encoder.terms;
        let broken: Vec<TermId> = conditions.iter().map(|&guess| terms.not(guess)).collect();
        let mut assumptions = assumptions.to_vec();
        assumptions.push(terms.any(&broken));
        match self.blocks.ask(from, &assumptions, budget) {
            Answer::Unsat => Ok(Broken::None),
            Answer::Unknown(_) => Ok(Broken::Unknown),
            Answer::Sat => {
                let values = self.blocks.checkers.values(&mut self.blocks.explorer.encoder, conditions);
                let values = values.ok_or(NoModel::Missing)?;
                let these: Vec<usize> =
                    (0..values.len()).filter(|&at| values[at] != logic::Value::Bool(true)).collect();
                if these.is_empty() {
                    return Err(NoModel::Contradicts.into());
                }
                Ok(Broken::These(these))
            }
        }
    }

    /// What still stands is known.
    fn learn(mut self) {
        for head in self.blocks.heads.ids() {
            let kept: Vec<TermId> =
                self.heads[head].standing().map(|at| self.heads[head].conditions[at]).collect();
            for guess in kept {
                self.blocks.learn(head, guess);
            }
        }
        for at in 0..self.posts.len() {
            let standing: Vec<usize> = self.posts[at].2.standing().collect();
            let (procedure, formals, guesses) = &self.posts[at];
            let kept = standing.iter().map(|&position| guesses.conditions[position]).collect();
            let named = formals.named(self.blocks.program, *procedure);
            self.blocks.posts.push((*procedure, named, kept));
            for (from, call) in self.blocks.calls.clone() {
                if call.procedure != self.posts[at].0 {
                    continue;
                }
                let instances = self.instances(at, &call);
                for &position in &standing {
                    let pool = &mut self.blocks.explorer.encoder.terms.pool;
                    let fact = pool.implies(call.guard, instances[position]);
                    self.blocks.learn_of_call(from, fact);
                }
            }
        }
    }
}
