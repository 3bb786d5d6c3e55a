//! The result: a product of parts, read as cubes or as a BDD.

use crate::answer::UnknownReason;
use crate::bdd::{Bdd, BddManager, BddVariable, NodeLimitReached};
use crate::term::TermId;
use crate::traits::{Completeness, Cube, SolutionLimit, Solutions};
use std::rc::Rc;

/// How near the relation is to the truth. It always contains the exact relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// It is the exact relation.
    Exact,
    /// Some part had too many predicates or solutions for enumeration.
    TooMany,
    /// The solver could not tell in some part, for this reason.
    Unknown(UnknownReason),
}

/// How a relation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every part by all-solutions enumeration.
    Enumeration,
    /// Some part by entailed clauses of bounded length.
    Entailment,
}

/// A condition on indicators, given by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conjunct {
    /// Has the value.
    Constant(usize, bool),
    /// Two have the same value, or (`true`) opposite ones.
    Agree(usize, usize, bool),
    /// One of these is so.
    Clause(Vec<(usize, bool)>),
    /// One of these combinations is so.
    OneOf(Vec<Vec<(usize, bool)>>),
}

/// An independent part of a relation, over its own predicates.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) predicates: Vec<TermId>,
    pub(super) kind: FactorKind,
    pub(super) exactness: Exactness,
}

#[derive(Clone, Debug)]
pub(super) enum FactorKind {
    /// The possible combinations: bit i of a number is predicate i. Sorted.
    Solutions(Vec<u64>),
    /// Clauses that hold; of positions and values.
    Clauses(Vec<Vec<(usize, bool)>>),
}

/// Where the value of an indicator comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Constant(bool),
    /// A predicate of a part, or its negation.
    Of {
        part: usize,
        predicate: usize,
        negated: bool,
    },
}

/// Which truth values of the predicates before the step go with which after it. Indicators are numbered: first the
/// predicates before the step, then those after it.
#[derive(Clone, Debug)]
pub struct AbstractRelation {
    pub(super) columns: Vec<Column>,
    pub(super) parts: Vec<Rc<Factor>>,
}

impl AbstractRelation {
    /// How many indicators there are.
    pub fn indicator_count(&self) -> usize {
        self.columns.len()
    }

    /// How near it is to the truth: the worst of its parts.
    pub fn exactness(&self) -> Exactness {
        let mut worst = Exactness::Exact;
        for part in &self.parts {
            match &part.exactness {
                Exactness::Exact => {}
                Exactness::TooMany if worst == Exactness::Exact => worst = Exactness::TooMany,
                Exactness::TooMany => {}
                unknown => return unknown.clone(),
            }
        }
        worst
    }

    /// How it was found.
    pub fn method(&self) -> Method {
        let clauses = self.parts.iter().any(|part| matches!(part.kind, FactorKind::Clauses(_)));
        if clauses { Method::Entailment } else { Method::Enumeration }
    }

    /// Is the step impossible?
    pub fn is_empty(&self) -> bool {
        self.parts.iter().any(|part| match &part.kind {
            FactorKind::Solutions(solutions) => solutions.is_empty(),
            FactorKind::Clauses(clauses) => clauses.iter().any(Vec::is_empty),
        })
    }

    /// Does it contain this combination of all indicators?
    pub fn contains(&self, values: &[bool]) -> bool {
        assert_eq!(values.len(), self.columns.len(), "a value for each indicator");
        let mut wanted: Vec<Vec<Option<bool>>> =
            self.parts.iter().map(|part| vec![None; part.predicates.len()]).collect();
        for (&column, &value) in self.columns.iter().zip(values) {
            match column {
                Column::Constant(constant) if constant != value => return false,
                Column::Constant(_) => {}
                Column::Of { part, predicate, negated } => {
                    let place = &mut wanted[part][predicate];
                    if place.is_some_and(|known| known != (value != negated)) {
                        return false;
                    }
                    *place = Some(value != negated);
                }
            }
        }
        self.parts.iter().zip(&wanted).all(|(part, values)| part.allows(values))
    }

    /// The valuations of the predicates after the step that go with this one before it; `None` past the limit.
    pub fn successors(&self, before: &[bool], limit: usize) -> Option<Vec<Vec<bool>>> {
        let mut wanted: Vec<Vec<Option<bool>>> =
            self.parts.iter().map(|part| vec![None; part.predicates.len()]).collect();
        let mut asked: Vec<Vec<usize>> = vec![Vec::new(); self.parts.len()];
        for (position, &column) in self.columns.iter().enumerate() {
            match (column, before.get(position)) {
                (Column::Constant(constant), Some(&value)) if constant != value => return Some(Vec::new()),
                (Column::Constant(_), _) => {}
                (Column::Of { part, predicate, negated }, Some(&value)) => {
                    let place = &mut wanted[part][predicate];
                    if place.is_some_and(|known| known != (value != negated)) {
                        return Some(Vec::new());
                    }
                    *place = Some(value != negated);
                }
                (Column::Of { part, predicate, .. }, None) => asked[part].push(predicate),
            }
        }
        let mut products: Vec<Vec<Vec<Option<bool>>>> = vec![Vec::new()];
        for ((part, wanted), asked) in self.parts.iter().zip(wanted).zip(asked) {
            let mut found = Vec::new();
            let mut remaining = Remaining::of(&part.kind);
            for (position, value) in wanted.iter().enumerate() {
                if let Some(value) = value {
                    remaining = remaining.assume(position, *value);
                }
            }
            let mut open = vec![(0, wanted, remaining)];
            while let Some((index, values, remaining)) = open.pop() {
                if remaining.is_impossible() {
                    continue;
                }
                let Some(&position) = asked.get(index) else {
                    found.push(values);
                    if found.len() > limit {
                        return None;
                    }
                    continue;
                };
                if values[position].is_some() {
                    open.push((index + 1, values, remaining));
                    continue;
                }
                for value in [true, false] {
                    let mut longer = values.clone();
                    longer[position] = Some(value);
                    open.push((index + 1, longer, remaining.assume(position, value)));
                }
            }
            if products.len().saturating_mul(found.len()) > limit {
                return None;
            }
            products = products
                .iter()
                .flat_map(|product| {
                    found.iter().map(move |values| {
                        let mut longer = product.clone();
                        longer.push(values.clone());
                        longer
                    })
                })
                .collect();
        }
        let after = |product: &Vec<Vec<Option<bool>>>| -> Vec<bool> {
            let columns = &self.columns[before.len()..];
            columns
                .iter()
                .map(|column| match *column {
                    Column::Constant(value) => value,
                    Column::Of { part, predicate, negated } => {
                        product[part][predicate].expect("asked for above") != negated
                    }
                })
                .collect()
        };
        Some(products.iter().map(after).collect())
    }

    /// The relation as cubes over all indicators, which do not overlap, up to a limit.
    pub fn cubes(&self, limit: SolutionLimit) -> Solutions {
        let mut uses: Vec<Vec<usize>> =
            self.parts.iter().map(|part| vec![0; part.predicates.len()]).collect();
        for column in &self.columns {
            if let Column::Of { part, predicate, .. } = *column {
                uses[part][predicate] += 1;
            }
        }
        let mut complete = true;
        let mut products: Vec<Vec<Vec<Option<bool>>>> = vec![Vec::new()];
        for (part, uses) in self.parts.iter().zip(&uses) {
            let cubes = part.cubes(uses, limit, &mut complete);
            let mut next = Vec::with_capacity(products.len() * cubes.len());
            'product: for product in &products {
                for cube in &cubes {
                    if limit.is_reached_by(next.len()) {
                        complete = false;
                        break 'product;
                    }
                    let mut longer = product.clone();
                    longer.push(cube.clone());
                    next.push(longer);
                }
            }
            products = next;
        }
        let cubes = products.iter().map(|product| self.spread(product)).collect();
        let completeness = if complete { Completeness::Complete } else { Completeness::LimitReached };
        Solutions { cubes, completeness }
    }

    /// The relation as a conjunction: parts that are independent are not multiplied out.
    pub fn conjuncts(&self) -> Vec<Conjunct> {
        let mut conjuncts = Vec::new();
        // The indicator that stands for each predicate: the first that shows it.
        let mut shown: Vec<Vec<Option<(usize, bool)>>> =
            self.parts.iter().map(|part| vec![None; part.predicates.len()]).collect();
        for (indicator, &column) in self.columns.iter().enumerate() {
            match column {
                Column::Constant(value) => conjuncts.push(Conjunct::Constant(indicator, value)),
                Column::Of { part, predicate, negated } => match shown[part][predicate] {
                    None => shown[part][predicate] = Some((indicator, negated)),
                    Some((first, other)) => {
                        conjuncts.push(Conjunct::Agree(first, indicator, negated != other));
                    }
                },
            }
        }
        for (part, shown) in self.parts.iter().zip(&shown) {
            let literal = |position: usize, value: bool| {
                let (indicator, negated) =
                    shown[position].expect("every predicate of a part comes from an indicator");
                (indicator, value != negated)
            };
            match &part.kind {
                FactorKind::Clauses(clauses) => conjuncts.extend(clauses.iter().map(|clause| {
                    Conjunct::Clause(
                        clause.iter().map(|&(position, value)| literal(position, value)).collect(),
                    )
                })),
                FactorKind::Solutions(_) => {
                    let once = vec![1; part.predicates.len()];
                    let cubes = part.cubes(&once, SolutionLimit::All, &mut true);
                    let cubes = cubes.into_iter().map(|cube| {
                        let values = cube.into_iter().enumerate();
                        values.filter_map(|(position, value)| Some(literal(position, value?))).collect()
                    });
                    conjuncts.push(Conjunct::OneOf(cubes.collect()));
                }
            }
        }
        conjuncts
    }

    fn spread(&self, product: &[Vec<Option<bool>>]) -> Cube {
        self.columns
            .iter()
            .map(|&column| match column {
                Column::Constant(value) => Some(value),
                Column::Of { part, predicate, negated } => {
                    product[part][predicate].map(|value| value != negated)
                }
            })
            .collect()
    }

    /// The relation as a BDD; `variables` gives one to each indicator.
    pub fn to_bdd(&self, manager: &BddManager, variables: &[BddVariable]) -> Result<Bdd, NodeLimitReached> {
        assert_eq!(variables.len(), self.columns.len(), "a variable for each indicator");
        let mut result = manager.constant(true);
        // The function that stands for each predicate: the first indicator that shows it.
        let mut shown: Vec<Vec<Option<Bdd>>> =
            self.parts.iter().map(|part| vec![None; part.predicates.len()]).collect();
        for (&column, &variable) in self.columns.iter().zip(variables) {
            match column {
                Column::Constant(value) => result = result.and(&manager.literal(variable, value)?)?,
                Column::Of { part, predicate, negated } => {
                    let literal = manager.literal(variable, !negated)?;
                    match &shown[part][predicate] {
                        None => shown[part][predicate] = Some(literal),
                        Some(first) => result = result.and(&first.equivalent(&literal)?)?,
                    }
                }
            }
        }
        for (part, shown) in self.parts.iter().zip(&shown) {
            let shown: Option<Vec<Bdd>> = shown.iter().cloned().collect();
            let shown = shown.expect("every predicate of a part comes from an indicator");
            result = result.and(&part.to_bdd(manager, &shown)?)?;
        }
        Ok(result)
    }
}

impl Factor {
    /// Is there a combination with these values?
    fn allows(&self, values: &[Option<bool>]) -> bool {
        match &self.kind {
            FactorKind::Solutions(solutions) => solutions.iter().any(|&solution| {
                values
                    .iter()
                    .enumerate()
                    .all(|(i, value)| value.is_none_or(|value| value == (solution >> i & 1 == 1)))
            }),
            FactorKind::Clauses(clauses) => clauses.iter().all(|clause| {
                clause.iter().any(|&(position, value)| values[position].is_none_or(|known| known == value))
            }),
        }
    }

    /// Cubes that do not overlap. A predicate that shows in several indicators is never left open, because a cube
    /// could not say that they agree.
    fn cubes(&self, uses: &[usize], limit: SolutionLimit, complete: &mut bool) -> Vec<Vec<Option<bool>>> {
        let mut found = Vec::new();
        let mut open: Vec<(usize, Vec<Option<bool>>, Remaining)> =
            vec![(0, vec![None; self.predicates.len()], Remaining::of(&self.kind))];
        while let Some((position, cube, remaining)) = open.pop() {
            if remaining.is_impossible() {
                continue;
            }
            if position == self.predicates.len() {
                if limit.is_reached_by(found.len()) {
                    *complete = false;
                    break;
                }
                found.push(cube);
                continue;
            }
            let (without, with) = (remaining.assume(position, false), remaining.assume(position, true));
            if uses[position] < 2 && without.is_same(&with, position) {
                open.push((position + 1, cube, without));
                continue;
            }
            for (value, rest) in [(true, with), (false, without)] {
                let mut longer = cube.clone();
                longer[position] = Some(value);
                open.push((position + 1, longer, rest));
            }
        }
        found
    }

    fn to_bdd(&self, manager: &BddManager, shown: &[Bdd]) -> Result<Bdd, NodeLimitReached> {
        match &self.kind {
            FactorKind::Clauses(clauses) => {
                let mut result = manager.constant(true);
                for clause in clauses {
                    let mut any = manager.constant(false);
                    for &(position, value) in clause {
                        let literal = if value { shown[position].clone() } else { shown[position].not()? };
                        any = any.or(&literal)?;
                    }
                    result = result.and(&any)?;
                }
                Ok(result)
            }
            FactorKind::Solutions(solutions) => tree(manager, shown, solutions, 0),
        }
    }
}

/// Decides on one predicate after the other; as deep as there are predicates, which enumeration bounds.
fn tree(
    manager: &BddManager,
    shown: &[Bdd],
    solutions: &[u64],
    position: usize,
) -> Result<Bdd, NodeLimitReached> {
    if solutions.is_empty() || position == shown.len() {
        return Ok(manager.constant(!solutions.is_empty()));
    }
    let (with, without): (Vec<u64>, Vec<u64>) =
        solutions.iter().partition(|&&solution| solution >> position & 1 == 1);
    let high = tree(manager, shown, &with, position + 1)?;
    let low = tree(manager, shown, &without, position + 1)?;
    shown[position].ite(&high, &low)
}

/// What is left of a part when some predicates have values.
#[derive(PartialEq, Eq)]
enum Remaining {
    Solutions(Vec<u64>),
    Clauses(Vec<Vec<(usize, bool)>>),
}

impl Remaining {
    fn of(kind: &FactorKind) -> Remaining {
        match kind {
            FactorKind::Solutions(solutions) => Remaining::Solutions(solutions.clone()),
            FactorKind::Clauses(clauses) => Remaining::Clauses(clauses.clone()),
        }
    }

    fn is_impossible(&self) -> bool {
        match self {
            Remaining::Solutions(solutions) => solutions.is_empty(),
            Remaining::Clauses(clauses) => clauses.iter().any(Vec::is_empty),
        }
    }

    fn assume(&self, position: usize, value: bool) -> Remaining {
        match self {
            Remaining::Solutions(solutions) => Remaining::Solutions(
                solutions
                    .iter()
                    .copied()
                    .filter(|solution| (solution >> position & 1 == 1) == value)
                    .collect(),
            ),
            Remaining::Clauses(clauses) => Remaining::Clauses(
                clauses
                    .iter()
                    .filter(|clause| !clause.contains(&(position, value)))
                    .map(|clause| clause.iter().copied().filter(|&(place, _)| place != position).collect())
                    .collect(),
            ),
        }
    }

    /// Do both values of the predicate leave the same?
    fn is_same(&self, other: &Remaining, position: usize) -> bool {
        match (self, other) {
            (Remaining::Solutions(a), Remaining::Solutions(b)) => {
                let mask = !(1u64 << position);
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a & mask == b & mask)
            }
            (a, b) => a == b,
        }
    }
}
