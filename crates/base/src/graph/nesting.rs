//! Weak topological order: the loops of a graph, one inside the other, and the rest in an order in which every step
//! leads on, or back to the head of a loop around it. Every cycle passes through a head.
//! After Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings": strongly connected components,
//! each with a head; taking the head out leaves components inside. DIVERGENCE: without recursion; the caller chooses
//! the heads.
//! Example: his `1 2 (3 4 (5 6) 7) 8` is Node 1, Node 2, Enter 3, Node 4, Enter 5, Node 6, Leave, Node 7, Leave, Node
//! 8.

use super::components::Search;
use crate::Id;

/// A step along a weak topological order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<N> {
    /// A node that is no loop's head.
    Node(N),
    /// A loop begins with its head.
    Enter(N),
    /// The innermost loop ends.
    Leave,
}

/// What is still to be put in order.
enum Task<N> {
    Arrange(Vec<N>),
    Leave,
}

/// The weak topological order of what the roots reach in a graph of `count` nodes. `head_of` chooses one of the nodes
/// of a loop, which it is given in the order in which the search met them; the rest of the loop is searched from the
/// head's successors.
pub fn weak_topological_order<N: Id, S: IntoIterator<Item = N>>(
    count: usize,
    roots: impl IntoIterator<Item = N>,
    successors: impl Fn(N) -> S,
    head_of: impl Fn(&[N]) -> N,
) -> Vec<Step<N>> {
    let mut search = Search::new(count);
    let mut order = Vec::new();
    // What comes first is found last, so it is on top.
    let mut open: Vec<Task<N>> =
        search.run(roots, &successors).iter().map(|members| Task::Arrange(members.to_vec())).collect();
    while let Some(task) = open.pop() {
        let Task::Arrange(members) = task else {
            order.push(Step::Leave);
            continue;
        };
        let is_loop = members.len() > 1 || successors(members[0]).into_iter().any(|next| next == members[0]);
        if !is_loop {
            order.push(Step::Node(members[0]));
            continue;
        }
        let head = head_of(&members);
        order.push(Step::Enter(head));
        open.push(Task::Leave);
        // All nodes are done but these, so the search stays inside.
        members.into_iter().filter(|&member| member != head).for_each(|member| search.renew(member));
        let inside = search.run(successors(head), &successors);
        open.extend(inside.iter().map(|members| Task::Arrange(members.to_vec())));
    }
    order
}
