//! Strongly connected components: nodes that reach each other.
//! After Tarjan 1972. Example: in `a → b → c → b, c → d` they are `d`, then `b c`, then `a`.

use crate::{Id, IndexVec};

/// The strongly connected components of a graph, or of the part that some roots reach.
/// They are in reverse topological order: a component comes after all that it reaches. Members are in the order in
/// which the search met them, so the first is the one by which the component was entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components<N> {
    members: Vec<N>,
    /// Where each component ends in `members`.
    ends: Vec<u32>,
}

impl<N: Id> Components<N> {
    /// The components, what is reached first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[N]> + ExactSizeIterator {
        (0..self.ends.len()).map(|at| self.get(at))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn get(&self, at: usize) -> &[N] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[at] as usize]
    }

    /// For each of `count` nodes the position of its component, none where the search did not get.
    pub fn numbers(&self, count: usize) -> IndexVec<N, Option<usize>> {
        let mut numbers = IndexVec::filled(None, count);
        for (number, members) in self.iter().enumerate() {
            members.iter().for_each(|&member| numbers[member] = Some(number));
        }
        numbers
    }
}

/// The components of what the roots reach in a graph of `count` nodes.
pub fn components<N: Id, S: IntoIterator<Item = N>>(
    count: usize,
    roots: impl IntoIterator<Item = N>,
    successors: impl FnMut(N) -> S,
) -> Components<N> {
    Search::new(count).run(roots, successors)
}

/// Not met yet.
const NEW: u32 = 0;
/// In a component that is complete.
const DONE: u32 = u32::MAX;

/// A search that can be continued: what it has passed it does not pass again, unless told to. Loops are divided with
/// it, see [`weak_topological_order`](super::weak_topological_order).
#[derive(Clone, Debug)]
pub struct Search<N> {
    /// When a node was met, or [`NEW`] or [`DONE`].
    number: IndexVec<N, u32>,
    /// The least number that is reached from a node through what was met after it, by one step back at most.
    low: IndexVec<N, u32>,
}

impl<N: Id> Search<N> {
    /// In a graph of `count` nodes, all of them new.
    pub fn new(count: usize) -> Search<N> {
        Search { number: IndexVec::filled(NEW, count), low: IndexVec::filled(NEW, count) }
    }

    /// Forgets that a node was met, so that the next run passes it again.
    pub fn renew(&mut self, node: N) {
        self.number[node] = NEW;
    }

    /// The components of what the roots reach through nodes that are new. They are done afterwards.
    pub fn run<S: IntoIterator<Item = N>>(
        &mut self,
        roots: impl IntoIterator<Item = N>,
        mut successors: impl FnMut(N) -> S,
    ) -> Components<N> {
        let mut found = Components { members: Vec::new(), ends: Vec::new() };
        let mut open: Vec<N> = Vec::new();
        let mut path: Vec<(N, S::IntoIter, u32)> = Vec::new();
        let mut last = NEW;
        for root in roots {
            let mut entering = (self.number[root] == NEW).then_some(root);
            loop {
                if let Some(node) = entering.take() {
                    last += 1;
                    (self.number[node], self.low[node]) = (last, last);
                    path.push((node, successors(node).into_iter(), length(&open)));
                    open.push(node);
                }
                let Some((node, rest, start)) = path.last_mut() else { break };
                let (node, start) = (*node, *start as usize);
                if let Some(next) = rest.next() {
                    match self.number[next] {
                        NEW => entering = Some(next),
                        DONE => {}
                        number => self.low[node] = self.low[node].min(number),
                    }
                    continue;
                }
                path.pop();
                if let Some(&(before, ..)) = path.last() {
                    self.low[before] = self.low[before].min(self.low[node]);
                }
                if self.low[node] == self.number[node] {
                    open[start..].iter().for_each(|&member| self.number[member] = DONE);
                    found.members.extend(open.drain(start..));
                    found.ends.push(length(&found.members));
                }
            }
        }
        found
    }
}

fn length<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("fewer than 2^32 nodes")
}
