//! Splits a step into conjuncts, uses up definitions, and groups what shares symbols.

use crate::simplify::Simplifier;
use crate::term::{FunctionId, Op, Postorder, TermId, TermPool};
use base::{Budget, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};

/// A step without its definitions.
#[derive(Debug)]
pub(super) struct PreparedStep {
    /// Simplified; empty for "anything", one `false` for "nothing".
    pub(super) conjuncts: Vec<TermId>,
    /// What stands for the symbols that were defined.
    definitions: FxHashMap<TermId, TermId>,
    predicates: FxHashMap<TermId, TermId>,
}

fn conjuncts_of(pool: &TermPool, formula: TermId) -> Vec<TermId> {
    let mut open = vec![formula];
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    while let Some(term) = open.pop() {
        match pool.op(term) {
            Op::And => open.extend(pool.arguments(term).iter().rev()),
            Op::True => {}
            _ if seen.insert(term) => found.push(term),
            _ => {}
        }
    }
    found
}

/// A symbol and what the conjunct says it is.
fn definition(pool: &mut TermPool, conjunct: TermId) -> Vec<(TermId, TermId)> {
    let is_symbol = |pool: &TermPool, term| matches!(pool.op(term), Op::Symbol(_));
    match pool.op(conjunct) {
        Op::Symbol(_) => vec![(conjunct, pool.tt())],
        Op::Not if is_symbol(pool, pool.arguments(conjunct)[0]) => {
            let symbol = pool.arguments(conjunct)[0];
            vec![(symbol, pool.ff())]
        }
        Op::Equal => {
            let (a, b) = (pool.arguments(conjunct)[0], pool.arguments(conjunct)[1]);
            [(a, b), (b, a)].into_iter().filter(|&(symbol, _)| is_symbol(pool, symbol)).collect()
        }
        _ => Vec::new(),
    }
}

fn occurs(pool: &TermPool, symbol: TermId, term: TermId) -> bool {
    Postorder::new(pool, &[term]).any(|node| node == symbol)
}

impl PreparedStep {
    /// ∃s. s = t ∧ φ(s) is φ(t): every symbol of a step is quantified when the relation is projected on predicates.
    pub(super) fn new(
        pool: &mut TermPool,
        simplifier: &mut Simplifier,
        step: TermId,
        budget: &Budget,
    ) -> Result<PreparedStep, Exhausted> {
        let simple = simplifier.simplify_within(pool, step, budget)?;
        let mut conjuncts = conjuncts_of(pool, simple);
        let mut definitions: FxHashMap<TermId, TermId> = FxHashMap::default();
        loop {
            budget.check()?;
            let found = conjuncts.iter().enumerate().find_map(|(position, &conjunct)| {
                let (symbol, term) = definition(pool, conjunct)
                    .into_iter()
                    .find(|&(symbol, term)| !occurs(pool, symbol, term))?;
                Some((position, symbol, term))
            });
            let Some((position, symbol, term)) = found else { break };
            conjuncts.remove(position);
            let one: FxHashMap<TermId, TermId> = [(symbol, term)].into_iter().collect();
            let replaced = pool.substitute_all(&conjuncts, &one);
            let whole = pool.all_of(&replaced);
            let whole = simplifier.simplify_within(pool, whole, budget)?;
            conjuncts = conjuncts_of(pool, whole);
            let (symbols, terms): (Vec<TermId>, Vec<TermId>) = definitions.into_iter().unzip();
            let terms = pool.substitute_all(&terms, &one);
            definitions = symbols.into_iter().zip(terms).collect();
            definitions.insert(symbol, term);
        }
        conjuncts.sort_unstable();
        Ok(PreparedStep { conjuncts, definitions, predicates: FxHashMap::default() })
    }

    /// The predicate with definitions used up, simplified.
    pub(super) fn predicate(
        &mut self,
        pool: &mut TermPool,
        simplifier: &mut Simplifier,
        predicate: TermId,
        budget: &Budget,
    ) -> Result<TermId, Exhausted> {
        if let Some(&known) = self.predicates.get(&predicate) {
            return Ok(known);
        }
        let replaced = pool.substitute(predicate, &self.definitions);
        let simple = simplifier.simplify_within(pool, replaced, budget)?;
        self.predicates.insert(predicate, simple);
        Ok(simple)
    }
}

/// Anything by which two terms can depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Link {
    Symbol(TermId),
    Function(FunctionId),
}

/// What a term depends on, remembered.
#[derive(Debug, Default)]
pub(super) struct Links {
    known: FxHashMap<TermId, Vec<Link>>,
}

impl Links {
    fn of(&mut self, pool: &TermPool, term: TermId) -> &[Link] {
        self.known.entry(term).or_insert_with(|| {
            let mut links: Vec<Link> = Vec::new();
            let mut functions = FxHashSet::default();
            for node in Postorder::new(pool, &[term]) {
                match pool.op(node) {
                    Op::Symbol(_) => links.push(Link::Symbol(node)),
                    Op::Apply(function) if functions.insert(function) => links.push(Link::Function(function)),
                    _ => {}
                }
            }
            links
        })
    }

    /// Groups conjuncts and predicates that depend on common symbols, directly or through others.
    pub(super) fn group(
        &mut self,
        pool: &TermPool,
        conjuncts: &[TermId],
        predicates: &[TermId],
    ) -> Vec<Group> {
        // Union-find over terms, joined through the first term seen with a link.
        let terms: Vec<TermId> = conjuncts.iter().chain(predicates).copied().collect();
        let mut parent: Vec<usize> = (0..terms.len()).collect();
        fn find(parent: &mut [usize], mut node: usize) -> usize {
            while parent[node] != node {
                parent[node] = parent[parent[node]];
                node = parent[node];
            }
            node
        }
        let mut first_with: FxHashMap<Link, usize> = FxHashMap::default();
        for (position, &term) in terms.iter().enumerate() {
            for &link in self.of(pool, term) {
                let other = *first_with.entry(link).or_insert(position);
                let (a, b) = (find(&mut parent, position), find(&mut parent, other));
                // The smaller position leads, so that groups come out in order.
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of: FxHashMap<usize, usize> = FxHashMap::default();
        for (position, &term) in terms.iter().enumerate() {
            let root = find(&mut parent, position);
            let number = *group_of.entry(root).or_insert_with(|| {
                groups.push(Group::default());
                groups.len() - 1
            });
            let group = &mut groups[number];
            if position < conjuncts.len() {
                group.conjuncts.push(term);
            } else {
                group.predicates.push(term);
            }
        }
        for group in &mut groups {
            group.predicates.sort_unstable();
        }
        groups
    }
}

/// An independent part of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Group {
    /// In order of their ids.
    pub(super) conjuncts: Vec<TermId>,
    /// In order of their ids, each once.
    pub(super) predicates: Vec<TermId>,
}
