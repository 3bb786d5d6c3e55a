//! The manager and the operations.

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OptBool, SatCountCache, num::F64};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef,
    Subst,
};
use rustc_hash::FxBuildHasher;
use std::fmt;

base::define_id!(
    /// A variable of one [`BddManager`].
    BddVariable,
    "x"
);

fn number(variable: BddVariable) -> oxidd::VarNo {
    base::Id::index(variable) as oxidd::VarNo
}

/// The manager holds as many nodes as it may; the operation was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeLimitReached {
    /// The limit, in nodes.
    pub limit: usize,
}

impl fmt::Display for NodeLimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit of {} BDD nodes was reached", self.limit)
    }
}

impl std::error::Error for NodeLimitReached {}

/// Sizes of a manager. Memory is taken as nodes are made, at 16 bytes a node and 20 a cache entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BddSettings {
    /// The most inner nodes alive at once, garbage included.
    pub node_limit: usize,
    /// Entries of the cache of results.
    pub cache_entries: usize,
}

impl Default for BddSettings {
    fn default() -> Self {
        BddSettings { node_limit: 1 << 24, cache_entries: 1 << 20 }
    }
}

/// Size of a manager now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BddStatistics {
    /// Inner nodes stored, garbage included.
    pub nodes: usize,
    /// How many variables there are.
    pub variables: usize,
    /// Garbage collections run so far.
    pub collections: u64,
}

/// Owns the nodes. Clones share them.
#[derive(Clone)]
pub struct BddManager {
    manager: BDDManagerRef,
    settings: BddSettings,
}

impl fmt::Debug for BddManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BddManager").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

impl BddManager {
    /// A manager without variables.
    pub fn new(settings: BddSettings) -> BddManager {
        let manager = oxidd::bdd::new_manager(settings.node_limit, settings.cache_entries, 1);
        BddManager { manager, settings }
    }

    /// Adds variables below all others in the order.
    pub fn add_variables(&self, count: usize) -> Vec<BddVariable> {
        let count = oxidd::VarNo::try_from(count).expect("fewer than 2^32 variables");
        self.manager.with_manager_exclusive(|manager| {
            manager.add_vars(count).map(|var| base::Id::from_index(var as usize)).collect()
        })
    }

    /// Adds `count` places of `copies` variables each, interleaved in the order: the copies of one place (say its
    /// value before and after a step) stand next to each other, which keeps relations between them small.
    /// Result: for each copy, its `count` variables.
    pub fn add_interleaved(&self, count: usize, copies: usize) -> Vec<Vec<BddVariable>> {
        let all = self.add_variables(count * copies);
        (0..copies).map(|copy| all.iter().skip(copy).step_by(copies).copied().collect()).collect()
    }

    /// Puts these variables into this order, from the top; the others keep their places among themselves, and
    /// every [`Bdd`] stays valid. Not dynamic: the caller decides when. Takes the manager alone.
    pub fn set_order(&self, order: &[BddVariable]) {
        let order: Vec<_> = order.iter().map(|&variable| number(variable)).collect();
        self.manager.with_manager_exclusive(|manager| oxidd_reorder::set_var_order(manager, &order));
    }

    /// [`set_order`](Self::set_order) by groups: the variables of a group (say the copies of one place) stand
    /// together, groups in the order given.
    pub fn set_group_order(&self, groups: &[Vec<BddVariable>]) {
        self.set_order(&groups.concat());
    }

    /// The variables from the top of the order to the bottom.
    pub fn order(&self) -> Vec<BddVariable> {
        self.manager.with_manager_shared(|manager| {
            (0..manager.num_levels())
                .map(|level| base::Id::from_index(manager.level_to_var(level) as usize))
                .collect()
        })
    }

    /// The constant function.
    pub fn constant(&self, value: bool) -> Bdd {
        self.wrap(self.manager.with_manager_shared(|manager| {
            if value { BDDFunction::t(manager) } else { BDDFunction::f(manager) }
        }))
    }

    /// The function that is the variable.
    pub fn variable(&self, variable: BddVariable) -> Result<Bdd, NodeLimitReached> {
        self.finish(self.manager.with_manager_shared(|manager| BDDFunction::var(manager, number(variable))))
    }

    /// The function that is the variable, or its negation.
    pub fn literal(&self, variable: BddVariable, value: bool) -> Result<Bdd, NodeLimitReached> {
        self.finish(self.manager.with_manager_shared(|manager| {
            if value {
                BDDFunction::var(manager, number(variable))
            } else {
                BDDFunction::not_var(manager, number(variable))
            }
        }))
    }

    /// The conjunction of literals.
    pub fn cube(&self, literals: &[(BddVariable, bool)]) -> Result<Bdd, NodeLimitReached> {
        // From the bottom of the order upwards every step adds one node.
        let mut literals = literals.to_vec();
        let level =
            |variable| self.manager.with_manager_shared(|manager| manager.var_to_level(number(variable)));
        literals.sort_by_key(|&(variable, _)| std::cmp::Reverse(level(variable)));
        let mut cube = self.constant(true);
        for (variable, value) in literals {
            cube = self.literal(variable, value)?.and(&cube)?;
        }
        Ok(cube)
    }

    /// A set of variables, in the form the quantifiers take. Make it once, use it often.
    pub fn variable_set(&self, variables: &[BddVariable]) -> Result<Bdd, NodeLimitReached> {
        let literals: Vec<_> = variables.iter().map(|&variable| (variable, true)).collect();
        self.cube(&literals)
    }

    /// A simultaneous substitution of functions for variables. Make it once, use it often: results are cached
    /// per renaming.
    pub fn renaming(&self, pairs: &[(BddVariable, Bdd)]) -> Renaming {
        let variables = pairs.iter().map(|(variable, _)| number(*variable)).collect();
        let functions = pairs.iter().map(|(_, bdd)| bdd.function.clone()).collect();
        Renaming { substitution: Subst::new(variables, functions) }
    }

    /// The renaming of variables to variables; pairs must not repeat a variable to be renamed.
    pub fn variable_renaming(
        &self,
        pairs: &[(BddVariable, BddVariable)],
    ) -> Result<Renaming, NodeLimitReached> {
        let mut functions = Vec::with_capacity(pairs.len());
        for &(from, to) in pairs {
            functions.push((from, self.variable(to)?));
        }
        Ok(self.renaming(&functions))
    }

    /// Drops nodes no [`Bdd`] needs. Result: how many.
    pub fn collect_garbage(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.gc())
    }

    /// How large the manager is now.
    pub fn statistics(&self) -> BddStatistics {
        self.manager.with_manager_shared(|manager| BddStatistics {
            nodes: manager.num_inner_nodes(),
            variables: manager.num_levels() as usize,
            collections: manager.gc_count(),
        })
    }

    fn wrap(&self, function: BDDFunction) -> Bdd {
        Bdd { function, node_limit: self.settings.node_limit }
    }

    fn finish(&self, result: AllocResult<BDDFunction>) -> Result<Bdd, NodeLimitReached> {
        match result {
            Ok(function) => Ok(self.wrap(function)),
            Err(_) => Err(NodeLimitReached { limit: self.settings.node_limit }),
        }
    }
}

/// Functions to put for variables, all at once.
pub struct Renaming {
    substitution: Subst<BDDFunction>,
}

impl fmt::Debug for Renaming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renaming").finish_non_exhaustive()
    }
}

/// A Boolean function. Equal functions of one manager are equal values; cloning is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd {
    function: BDDFunction,
    node_limit: usize,
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_true() {
            f.write_str("Bdd(true)")
        } else if self.is_false() {
            f.write_str("Bdd(false)")
        } else {
            write!(f, "Bdd({} nodes)", self.node_count())
        }
    }
}

type WithinNodeLimit = Result<Bdd, NodeLimitReached>;

impl Bdd {
    fn finish(&self, result: AllocResult<BDDFunction>) -> WithinNodeLimit {
        match result {
            Ok(function) => Ok(Bdd { function, node_limit: self.node_limit }),
            Err(_) => Err(NodeLimitReached { limit: self.node_limit }),
        }
    }

    /// Is it the constant true?
    pub fn is_true(&self) -> bool {
        self.function.valid()
    }

    /// Is it the constant false?
    pub fn is_false(&self) -> bool {
        !self.function.satisfiable()
    }

    /// ¬self
    pub fn not(&self) -> WithinNodeLimit {
        self.finish(self.function.not())
    }

    /// self ∧ other
    pub fn and(&self, other: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.and(&other.function))
    }

    /// self ∨ other
    pub fn or(&self, other: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.or(&other.function))
    }

    /// self ⊕ other
    pub fn xor(&self, other: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.xor(&other.function))
    }

    /// self ↔ other
    pub fn equivalent(&self, other: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.equiv(&other.function))
    }

    /// self → other
    pub fn implies(&self, other: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.imp(&other.function))
    }

    /// self ∧ ¬other
    pub fn minus(&self, other: &Bdd) -> WithinNodeLimit {
        // OxiDD's strict implication is ¬lhs ∧ rhs.
        self.finish(other.function.imp_strict(&self.function))
    }

    /// Does every assignment of `self` satisfy `other`? Makes no node that stays.
    pub fn is_subset_of(&self, other: &Bdd) -> Result<bool, NodeLimitReached> {
        Ok(self.minus(other)?.is_false())
    }

    /// if self then `then` else `otherwise`
    pub fn ite(&self, then: &Bdd, otherwise: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.ite(&then.function, &otherwise.function))
    }

    /// ∃ variables. self; `variables` from [`BddManager::variable_set`].
    pub fn exists(&self, variables: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.exists(&variables.function))
    }

    /// ∀ variables. self; `variables` from [`BddManager::variable_set`].
    pub fn forall(&self, variables: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.forall(&variables.function))
    }

    /// ∃ variables. self ∧ other, without making the conjunction: the relational product.
    pub fn and_exists(&self, other: &Bdd, variables: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.apply_exists(BooleanOperator::And, &other.function, &variables.function))
    }

    /// ∀ variables. self → other, without making the implication.
    pub fn implies_forall(&self, other: &Bdd, variables: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.apply_forall(BooleanOperator::Imp, &other.function, &variables.function))
    }

    /// All substitutions of the renaming at once.
    pub fn substitute(&self, renaming: &Renaming) -> WithinNodeLimit {
        self.finish(self.function.substitute(&renaming.substitution))
    }

    /// The function with the variables of the literals fixed to their values.
    pub fn restrict(&self, literals: &Bdd) -> WithinNodeLimit {
        self.finish(self.function.restrict(&literals.function))
    }

    /// The cofactors by the topmost variable (true first), if the function is not constant.
    pub fn top_cofactors(&self) -> Option<(Bdd, Bdd)> {
        let (high, low) = self.function.cofactors()?;
        Some((
            Bdd { function: high, node_limit: self.node_limit },
            Bdd { function: low, node_limit: self.node_limit },
        ))
    }

    /// The topmost variable, if the function is not constant.
    pub fn top_variable(&self) -> Option<BddVariable> {
        self.function.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            oxidd::Node::Inner(node) => {
                let level = oxidd::HasLevel::level(node);
                Some(base::Id::from_index(manager.level_to_var(level) as usize))
            }
            oxidd::Node::Terminal(_) => None,
        })
    }

    /// The variables the function depends on, from the top of the order.
    pub fn support(&self) -> Vec<BddVariable> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = std::collections::BTreeMap::new();
        let mut open = vec![self.clone()];
        while let Some(bdd) = open.pop() {
            if let (Some(variable), Some((high, low))) = (bdd.top_variable(), bdd.top_cofactors())
                && seen.insert(bdd.clone())
            {
                let level =
                    bdd.function.with_manager_shared(|manager, _| manager.var_to_level(number(variable)));
                found.insert(level, variable);
                open.extend([high, low]);
            }
        }
        found.into_values().collect()
    }

    /// The value under an assignment; variables not mentioned are false.
    pub fn evaluate(&self, assignment: impl IntoIterator<Item = (BddVariable, bool)>) -> bool {
        self.function.eval(assignment.into_iter().map(|(variable, value)| (number(variable), value)))
    }

    /// One satisfying cube: by variable, true, false or either; `None` for the constant false.
    pub fn pick_cube(&self) -> Option<Vec<Option<bool>>> {
        let cube = self.function.pick_cube(|_, _, _| false)?;
        Some(
            cube.into_iter()
                .map(|value| match value {
                    OptBool::True => Some(true),
                    OptBool::False => Some(false),
                    OptBool::None => None,
                })
                .collect(),
        )
    }

    /// All paths to true, as cubes that do not overlap.
    pub fn cubes(&self) -> super::CubeIterator {
        super::CubeIterator::new(self.clone())
    }

    /// How many assignments of `variables` variables satisfy it: exact below 2^53, else rounded.
    pub fn count(&self, variables: usize) -> f64 {
        let mut cache: SatCountCache<F64, FxBuildHasher> = SatCountCache::default();
        let variables = oxidd::LevelNo::try_from(variables).expect("fewer than 2^32 variables");
        self.function.sat_count(variables, &mut cache).0
    }

    /// How many assignments of `variables` variables satisfy it, exactly; `None` when that is 2^128 or more.
    /// `variables` must be at least the number of variables the function depends on.
    pub fn count_exactly(&self, variables: usize) -> Option<u128> {
        super::cubes::count_exactly(self, variables)
    }

    /// Nodes of this diagram, the terminals included.
    pub fn node_count(&self) -> usize {
        self.function.node_count()
    }
}
