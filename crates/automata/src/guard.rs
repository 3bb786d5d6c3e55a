//! Guards: Boolean functions over few variables, as reduced ordered binary decision diagrams in an arena.
//! After Bryant 1986; irredundant sums of products after Minato 1992 and Morreale 1970.
//! DIVERGENCE: no complement edges, no garbage collection, no reordering. An automaton's guards are small and its
//! arena is dropped with it; what counts is that making and dropping an arena costs nothing, since translating one
//! formula makes several. The big diagrams of the symbolic engine are in `logic`.

use base::{Id, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A variable of a [`Guards`] arena; smaller ones are tested first.
    Variable,
    "v"
);

define_id!(
    /// A Boolean function in a [`Guards`] arena. Equal functions have equal ids.
    Guard,
    "g"
);

impl Guard {
    /// No letter.
    pub const FALSE: Guard = Guard(0);
    /// Every letter.
    pub const TRUE: Guard = Guard(1);

    /// Is it the constant `false` or `true`?
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

/// A literal of a cube: the variable and the value it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The variable.
    pub variable: Variable,
    /// The value.
    pub value: bool,
}

/// A conjunction of literals, sorted by variable.
pub type Cube = Vec<Literal>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: Variable,
    low: Guard,
    high: Guard,
}

/// Owns guards and shares equal ones.
#[derive(Clone)]
pub struct Guards {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Guard>,
    if_then_else: FxHashMap<(Guard, Guard, Guard), Guard>,
}

/// Larger than every real variable, so that constants come last in the order.
const NO_VARIABLE: Variable = Variable(u32::MAX);

impl Default for Guards {
    fn default() -> Guards {
        Guards::new()
    }
}

impl std::fmt::Debug for Guards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guards({} nodes)", self.nodes.len())
    }
}

impl Guards {
    /// An arena with the two constants.
    pub fn new() -> Guards {
        let constant = |guard| Node { variable: NO_VARIABLE, low: guard, high: guard };
        Guards {
            nodes: vec![constant(Guard::FALSE), constant(Guard::TRUE)],
            unique: FxHashMap::default(),
            if_then_else: FxHashMap::default(),
        }
    }

    /// How many nodes were ever made.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, guard: Guard) -> Node {
        self.nodes[guard.index()]
    }

    /// The variable tested first; `None` for a constant.
    pub fn top(&self, guard: Guard) -> Option<Variable> {
        let variable = self.node(guard).variable;
        (variable != NO_VARIABLE).then_some(variable)
    }

    /// The functions that remain when the first variable is false and true.
    pub fn branches(&self, guard: Guard) -> (Guard, Guard) {
        let node = self.node(guard);
        (node.low, node.high)
    }

    fn make(&mut self, variable: Variable, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        let guard = Guard::from_index(self.nodes.len());
        self.nodes.push(node);
        self.unique.insert(node, guard);
        guard
    }

    /// The function that is the variable itself.
    pub fn variable(&mut self, variable: Variable) -> Guard {
        self.make(variable, Guard::FALSE, Guard::TRUE)
    }

    /// The function that is true where the literal is.
    pub fn literal(&mut self, literal: Literal) -> Guard {
        match literal.value {
            true => self.make(literal.variable, Guard::FALSE, Guard::TRUE),
            false => self.make(literal.variable, Guard::TRUE, Guard::FALSE),
        }
    }

    /// The conjunction of the literals.
    pub fn cube(&mut self, cube: &[Literal]) -> Guard {
        let mut result = Guard::TRUE;
        for literal in cube {
            let literal = self.literal(*literal);
            result = self.and(result, literal);
        }
        result
    }

    /// `condition ? then : otherwise`.
    pub fn if_then_else(&mut self, condition: Guard, then: Guard, otherwise: Guard) -> Guard {
        match (condition, then, otherwise) {
            (Guard::TRUE, _, _) => return then,
            (Guard::FALSE, _, _) => return otherwise,
            (_, Guard::TRUE, Guard::FALSE) => return condition,
            _ if then == otherwise => return then,
            _ => {}
        }
        // One key for the two ways to write a conjunction or disjunction.
        let key = match (then, otherwise) {
            (_, Guard::FALSE) if then < condition => (then, condition, otherwise),
            (Guard::TRUE, _) if otherwise < condition => (otherwise, then, condition),
            _ => (condition, then, otherwise),
        };
        if let Some(&known) = self.if_then_else.get(&key) {
            return known;
        }
        let (condition, then, otherwise) = key;
        let (c, t, o) = (self.node(condition), self.node(then), self.node(otherwise));
        let variable = c.variable.min(t.variable).min(o.variable);
        let split = |node: Node, guard: Guard| match node.variable == variable {
            true => (node.low, node.high),
            false => (guard, guard),
        };
        let (c, t, o) = (split(c, condition), split(t, then), split(o, otherwise));
        let low = self.if_then_else(c.0, t.0, o.0);
        let high = self.if_then_else(c.1, t.1, o.1);
        let result = self.make(variable, low, high);
        self.if_then_else.insert(key, result);
        result
    }

    /// Where both are true.
    pub fn and(&mut self, left: Guard, right: Guard) -> Guard {
        self.if_then_else(left, right, Guard::FALSE)
    }

    /// Where at least one is true.
    pub fn or(&mut self, left: Guard, right: Guard) -> Guard {
        self.if_then_else(left, Guard::TRUE, right)
    }

    /// Where it is false.
    pub fn not(&mut self, guard: Guard) -> Guard {
        self.if_then_else(guard, Guard::FALSE, Guard::TRUE)
    }

    /// Where `left` is true and `right` is not.
    pub fn minus(&mut self, left: Guard, right: Guard) -> Guard {
        self.if_then_else(right, Guard::FALSE, left)
    }

    /// Is `right` true wherever `left` is?
    pub fn implies(&mut self, left: Guard, right: Guard) -> bool {
        left == right || self.if_then_else(left, right, Guard::TRUE) == Guard::TRUE
    }

    /// Is there a letter in both?
    pub fn intersect(&mut self, left: Guard, right: Guard) -> bool {
        self.and(left, right) != Guard::FALSE
    }

    /// Its value when each variable has the given value.
    pub fn evaluate(&self, guard: Guard, value: impl Fn(Variable) -> bool) -> bool {
        let mut at = guard;
        while let Some(variable) = self.top(at) {
            let (low, high) = self.branches(at);
            at = if value(variable) { high } else { low };
        }
        at == Guard::TRUE
    }

    /// One way to make it true, shortest choices first; `None` if it is `false`.
    pub fn any_cube(&self, guard: Guard) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut at = guard;
        while let Some(variable) = self.top(at) {
            let (low, high) = self.branches(at);
            let value = low == Guard::FALSE;
            cube.push(Literal { variable, value });
            at = if value { high } else { low };
        }
        (at == Guard::TRUE).then_some(cube)
    }

    /// The variables it depends on, sorted.
    pub fn support(&self, guard: Guard) -> Vec<Variable> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut variables = std::collections::BTreeSet::new();
        let mut open = vec![guard];
        while let Some(next) = open.pop() {
            if let Some(variable) = self.top(next)
                && seen.insert(next)
            {
                variables.insert(variable);
                let (low, high) = self.branches(next);
                open.extend([low, high]);
            }
        }
        variables.into_iter().collect()
    }

    /// The same function in this arena, each variable renamed by `rename`, which must keep the order.
    pub fn import(&mut self, from: &Guards, guard: Guard, rename: &impl Fn(Variable) -> Variable) -> Guard {
        let mut known = FxHashMap::default();
        self.import_known(from, guard, rename, &mut known)
    }

    fn import_known(
        &mut self,
        from: &Guards,
        guard: Guard,
        rename: &impl Fn(Variable) -> Variable,
        known: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        let Some(variable) = from.top(guard) else { return guard };
        if let Some(&done) = known.get(&guard) {
            return done;
        }
        let (low, high) = from.branches(guard);
        let low = self.import_known(from, low, rename, known);
        let high = self.import_known(from, high, rename, known);
        // The order is kept, so the node can be made as it is.
        let result = self.make(rename(variable), low, high);
        known.insert(guard, result);
        result
    }

    /// Splits a function at a variable: the functions of the variables from `from` on, each with the condition on
    /// the variables before it under which it remains. The conditions are disjoint; `false` remainders are left out.
    pub fn remainders(&mut self, guard: Guard, from: Variable) -> Vec<(Guard, Guard)> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut remaining = std::collections::BTreeSet::new();
        let mut above = Vec::new();
        let mut open = vec![guard];
        while let Some(next) = open.pop() {
            let node = self.node(next);
            if node.variable >= from {
                remaining.insert((node.variable, next));
            } else if seen.insert(next) {
                above.push(next);
                open.extend([node.low, node.high]);
            }
        }
        // Children before parents.
        above.sort_unstable_by_key(|inner| std::cmp::Reverse(self.node(*inner).variable));
        let mut parents: FxHashMap<Guard, Vec<usize>> = FxHashMap::default();
        for (place, inner) in above.iter().enumerate() {
            let node = self.node(*inner);
            parents.entry(node.low).or_default().push(place);
            parents.entry(node.high).or_default().push(place);
        }
        remaining
            .into_iter()
            .filter(|(_, rest)| *rest != Guard::FALSE)
            .map(|(_, rest)| (self.leading_to(guard, rest, &above, &parents), rest))
            .collect()
    }

    /// The condition under which `rest` remains of the function: `rest` becomes `true` and all other remainders
    /// `false`, so nothing is computed, only what lies above `rest` is built again.
    fn leading_to(
        &mut self,
        guard: Guard,
        rest: Guard,
        above: &[Guard],
        parents: &FxHashMap<Guard, Vec<usize>>,
    ) -> Guard {
        let mut places = std::collections::BTreeSet::new();
        let mut open = vec![rest];
        while let Some(next) = open.pop() {
            for place in parents.get(&next).into_iter().flatten() {
                if places.insert(*place) {
                    open.push(above[*place]);
                }
            }
        }
        let mut conditions: FxHashMap<Guard, Guard> = FxHashMap::default();
        conditions.insert(rest, Guard::TRUE);
        for place in places {
            let node = self.node(above[place]);
            let of = |child: &Guard| conditions.get(child).copied().unwrap_or(Guard::FALSE);
            let (low, high) = (of(&node.low), of(&node.high));
            let condition = self.make(node.variable, low, high);
            conditions.insert(above[place], condition);
        }
        conditions[&guard]
    }

    /// An irredundant sum of products: cubes whose disjunction is the function, none of which can be left out.
    pub fn cubes(&mut self, guard: Guard) -> Vec<Cube> {
        let mut cubes = Vec::new();
        self.irredundant(guard, guard, &mut Vec::new(), &mut cubes);
        cubes
    }

    /// Minato-Morreale: cubes that cover at least `lower` and at most `upper`; returns what they cover.
    fn irredundant(&mut self, lower: Guard, upper: Guard, prefix: &mut Cube, out: &mut Vec<Cube>) -> Guard {
        if lower == Guard::FALSE {
            return Guard::FALSE;
        }
        if upper == Guard::TRUE {
            out.push(prefix.clone());
            return Guard::TRUE;
        }
        let variable = self.node(lower).variable.min(self.node(upper).variable);
        let split = |guards: &Guards, guard: Guard| match guards.node(guard).variable == variable {
            true => guards.branches(guard),
            false => (guard, guard),
        };
        let (lower_low, lower_high) = split(self, lower);
        let (upper_low, upper_high) = split(self, upper);
        let needs_negative = self.minus(lower_low, upper_high);
        prefix.push(Literal { variable, value: false });
        let covered_low = self.irredundant(needs_negative, upper_low, prefix, out);
        prefix.pop();
        let needs_positive = self.minus(lower_high, upper_low);
        prefix.push(Literal { variable, value: true });
        let covered_high = self.irredundant(needs_positive, upper_high, prefix, out);
        prefix.pop();
        let rest_low = self.minus(lower_low, covered_low);
        let rest_high = self.minus(lower_high, covered_high);
        let rest = self.or(rest_low, rest_high);
        let both = self.and(upper_low, upper_high);
        let covered_both = self.irredundant(rest, both, prefix, out);
        let low = self.or(covered_low, covered_both);
        let high = self.or(covered_high, covered_both);
        self.make(variable, low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VARIABLES: usize = 5;

    /// The function with this truth table, bit `i` for the assignment whose bits are those of `i`.
    fn from_table(guards: &mut Guards, table: u32) -> Guard {
        let mut result = Guard::FALSE;
        for row in 0..(1usize << VARIABLES) {
            if table >> row & 1 == 1 {
                let cube: Cube = (0..VARIABLES)
                    .map(|v| Literal { variable: Variable::from_index(v), value: row >> v & 1 == 1 })
                    .collect();
                let cube = guards.cube(&cube);
                result = guards.or(result, cube);
            }
        }
        result
    }

    fn table_of(guards: &Guards, guard: Guard) -> u32 {
        (0..(1usize << VARIABLES))
            .filter(|row| guards.evaluate(guard, |v| row >> v.index() & 1 == 1))
            .fold(0, |table, row| table | 1 << row)
    }

    proptest! {
        #[test]
        fn operations_agree_with_truth_tables(a: u32, b: u32) {
            let mut guards = Guards::new();
            let (left, right) = (from_table(&mut guards, a), from_table(&mut guards, b));
            prop_assert_eq!(table_of(&guards, left), a);
            let (and, or, not) = (guards.and(left, right), guards.or(left, right), guards.not(left));
            prop_assert_eq!(table_of(&guards, and), a & b);
            prop_assert_eq!(table_of(&guards, or), a | b);
            prop_assert_eq!(table_of(&guards, not), !a);
            prop_assert_eq!(guards.implies(left, right), a & !b == 0);
            prop_assert_eq!(left == right, a == b);
        }

        #[test]
        fn cubes_cover_the_function_and_none_is_superfluous(a: u32) {
            let mut guards = Guards::new();
            let function = from_table(&mut guards, a);
            let cubes = guards.cubes(function);
            let parts: Vec<Guard> = cubes.iter().map(|cube| guards.cube(cube)).collect();
            for skipped in 0..=parts.len() {
                let mut sum = Guard::FALSE;
                for (index, part) in parts.iter().enumerate() {
                    if index != skipped {
                        sum = guards.or(sum, *part);
                    }
                }
                prop_assert_eq!(sum == function, skipped == parts.len());
            }
        }

        #[test]
        fn remainders_put_together_again_give_the_function(a: u32, at in 0..=VARIABLES) {
            let mut guards = Guards::new();
            let function = from_table(&mut guards, a);
            let mut sum = Guard::FALSE;
            let mut seen = Guard::FALSE;
            for (condition, rest) in guards.remainders(function, Variable::from_index(at)) {
                prop_assert!(!guards.intersect(seen, condition));
                seen = guards.or(seen, condition);
                prop_assert!(guards.support(condition).iter().all(|v| v.index() < at));
                prop_assert!(guards.support(rest).iter().all(|v| v.index() >= at));
                let part = guards.and(condition, rest);
                sum = guards.or(sum, part);
            }
            prop_assert_eq!(sum, function);
        }
    }
}
