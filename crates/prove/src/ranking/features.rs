//! Of what measures are made: numbers that a state at a head has. Variables; what conditions on the way compare, as a
//! difference; whether a condition holds, as 0 or 1; and each of the numbers where it is above 0.
//!
//! Where the program allocates blocks, only variables that are numbers count: the numbers of blocks are names, and what is
//! in memory may hold some.

use super::ways::{Place, Ways, heads_of};
use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::pdr::Cones;
use logic::term::{Op, Postorder};
use logic::{Sort, TermId, Value};
use program::VariableKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use symbolic::show::ShowTerms;
use symbolic::{StateVariable, Terms};

/// Variables, and conditions of one head, that are looked at.
const MOST_VARIABLES: usize = 14;
const MOST_CONDITIONS: usize = 8;
/// Wider numbers are left out.
const MOST_WIDTH: u32 = 72;

/// A number at some heads; elsewhere it counts as 0.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// Its value at a head, and how it is written there.
    at: BTreeMap<HeadId, (TermId, bool, String)>,
    /// Bits of the widest value.
    pub width: u32,
}

impl Feature {
    /// The value at a head, and whether it has a sign.
    pub(super) fn value_at(&self, head: HeadId) -> Option<(TermId, bool)> {
        self.at.get(&head).map(|&(term, signed, _)| (term, signed))
    }

    /// As people write it.
    pub(super) fn text_at(&self, head: HeadId) -> Option<&str> {
        self.at.get(&head).map(|(.., text)| &**text)
    }
}

/// A variable that is a number.
pub(super) struct NumberAt {
    pub name: String,
    pub part: StateVariable,
    pub term: TermId,
    pub signed: bool,
}

/// The variables of a head that are numbers.
pub(super) fn numbers_at(blocks: &mut Blocks<'_, '_>, head: HeadId) -> Vec<NumberAt> {
    let encoder = &mut blocks.explorer.encoder;
    let program = encoder.meaning.program;
    let mut state = blocks.heads[head].any.clone();
    let mut found = Vec::new();
    for (name, part, term) in encoder.named_parts(&mut state) {
        let (StateVariable::Global(id) | StateVariable::Local(_, id)) = part else { continue };
        let variable = &program.variables[id];
        if variable.kind == VariableKind::Temporary || !program.types.is_integer(variable.ty.id) {
            continue;
        }
        let Some(shape) = program.types.integer_shape(variable.ty.id) else { continue };
        if shape.width <= MOST_WIDTH {
            found.push(NumberAt { name, part, term, signed: shape.signed });
        }
    }
    found
}

/// The numbers for a part of the graph, plain ones first.
pub(super) fn features(blocks: &mut Blocks<'_, '_>, ways: &Ways, part: &[Place]) -> Vec<Feature> {
    let inside = ways.arrivals_of(&ways.inside(part));
    let mut plain = variables(blocks, &heads_of(part), &inside);
    let conditions = conditions(blocks, &inside);
    let only_variables = blocks.explorer.encoder.meaning.names_blocks();
    let mut derived = Vec::new();
    for (head, atoms) in conditions {
        let symbols: FxHashSet<TermId> =
            blocks.heads[head].symbols.iter().map(|(_, symbol)| *symbol).collect();
        let numbers = numbers_at(blocks, head);
        let names: FxHashMap<TermId, String> =
            numbers.iter().map(|number| (number.term, number.name.clone())).collect();
        for atom in atoms {
            let encoder = &mut blocks.explorer.encoder;
            let is_allowed = |symbol: TermId| match only_variables {
                true => names.contains_key(&symbol),
                false => symbols.contains(&symbol),
            };
            let is_known = Postorder::new(&encoder.terms.pool, &[atom]).all(|term| {
                let op = encoder.terms.pool.op(term);
                !matches!(op, Op::Apply(_)) && (!matches!(op, Op::Symbol(_)) || is_allowed(term))
            });
            if is_known {
                of_condition(&mut encoder.terms, head, atom, &names, &mut plain, &mut derived);
            }
        }
    }
    let mut positive = Vec::new();
    for feature in &plain {
        positive.push(above_zero(&mut blocks.explorer.encoder.terms, feature));
    }
    plain.extend(derived);
    plain.extend(positive.into_iter().flatten());
    plain
}

/// Variables that the ways depend on, those that conditions read first.
fn variables(blocks: &mut Blocks<'_, '_>, part: &[HeadId], inside: &[ArrivalId]) -> Vec<Feature> {
    let mut cones = Cones::default();
    let by_head: BTreeMap<HeadId, Vec<NumberAt>> =
        part.iter().map(|&head| (head, numbers_at(blocks, head))).collect();
    let part_of: FxHashMap<TermId, StateVariable> =
        by_head.values().flatten().map(|number| (number.term, number.part)).collect();
    let mut order: Vec<StateVariable> = Vec::new();
    let mut roots: Vec<TermId> = inside.iter().map(|&way| blocks.arrivals[way].guard).collect();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    while !roots.is_empty() && order.len() < MOST_VARIABLES {
        let below = cones.below(&blocks.explorer.encoder, &roots);
        let mut met: Vec<TermId> =
            below.into_iter().filter(|term| part_of.contains_key(term) && seen.insert(*term)).collect();
        met.sort_unstable();
        let mut new: Vec<StateVariable> = Vec::new();
        for symbol in &met {
            let variable = part_of[symbol];
            if !order.contains(&variable) {
                order.push(variable);
                new.push(variable);
            }
        }
        // What they become depends on others.
        roots = Vec::new();
        for &way in inside {
            for number in by_head.values().flatten().filter(|number| new.contains(&number.part)) {
                roots.extend(blocks.arrivals[way].values.get(&number.term));
            }
        }
    }
    order.truncate(MOST_VARIABLES);
    let pool = &blocks.explorer.encoder.terms.pool;
    order
        .into_iter()
        .map(|part| {
            let at: BTreeMap<HeadId, (TermId, bool, String)> = by_head
                .iter()
                .filter_map(|(&head, numbers)| {
                    let number = numbers.iter().find(|number| number.part == part)?;
                    Some((head, (number.term, number.signed, number.name.clone())))
                })
                .collect();
            let width = at.values().map(|(term, ..)| pool.width(*term)).max().unwrap_or(1);
            Feature { at, width }
        })
        .collect()
}

/// What the ways from each head ask.
fn conditions(blocks: &mut Blocks<'_, '_>, inside: &[ArrivalId]) -> BTreeMap<HeadId, Vec<TermId>> {
    let mut cones = Cones::default();
    let mut found: BTreeMap<HeadId, Vec<TermId>> = BTreeMap::new();
    for &way in inside {
        let Some(head) = blocks.arrivals[way].from else { continue };
        let below = cones.below(&blocks.explorer.encoder, &[blocks.arrivals[way].guard]);
        let pool = &blocks.explorer.encoder.terms.pool;
        let is_condition = |term: &TermId| {
            let compares = matches!(pool.op(*term), Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Equal);
            compares
                && matches!(pool.sort(pool.arguments(*term)[0]), Sort::BitVec(width) if width < MOST_WIDTH)
        };
        let own = found.entry(head).or_default();
        for atom in below.into_iter().filter(is_condition) {
            if !own.contains(&atom) && own.len() < MOST_CONDITIONS {
                own.push(atom);
            }
        }
    }
    found
}

/// The difference of what is compared, and whether the condition holds.
fn of_condition(
    terms: &mut Terms,
    head: HeadId,
    atom: TermId,
    names: &FxHashMap<TermId, String>,
    plain: &mut Vec<Feature>,
    derived: &mut Vec<Feature>,
) {
    let [left, right] = *terms.pool.arguments(atom) else { return };
    let signed = !matches!(terms.pool.op(atom), Op::Ult | Op::Ule);
    let width = terms.pool.width(left) + 1;
    let (wide, also) = (terms.resize(left, width, signed), terms.resize(right, width, signed));
    let difference = terms.sub(wide, also);
    let text = |terms: &Terms, term: TermId| {
        let show = ShowTerms::new(terms, |symbol| names.get(&symbol).cloned());
        show.value(term, signed).unwrap_or_else(|| "a value in memory".to_owned())
    };
    if terms.constant(difference).is_none() {
        let shown = match terms.constant(right) {
            Some(0) => text(terms, left),
            _ => format!("({} - {})", text(terms, left), text(terms, right)),
        };
        let at = BTreeMap::from([(head, (difference, true, shown))]);
        plain.push(Feature { at, width });
    }
    let holds = terms.pool.bool_to_bits(atom, 2);
    let holds = terms.simple(holds);
    let show = ShowTerms::new(terms, |symbol| names.get(&symbol).cloned());
    let shown = show.condition(atom).unwrap_or_else(|| "a condition on memory".to_owned());
    let at = BTreeMap::from([(head, (holds, false, format!("({shown})")))]);
    derived.push(Feature { at, width: 2 });
}

/// The number where it is above 0, else 0; none if it always is.
fn above_zero(terms: &mut Terms, feature: &Feature) -> Option<Feature> {
    let mut at = BTreeMap::new();
    let mut is_new = false;
    for (&head, (term, signed, text)) in &feature.at {
        let mut value = *term;
        if *signed {
            let zero = terms.number(terms.pool.width(*term), 0);
            let is_negative = terms.pool.slt(*term, zero);
            let is_negative = terms.simple(is_negative);
            value = terms.ite(is_negative, zero, *term);
            is_new = true;
        }
        at.insert(head, (value, *signed, format!("max({text}, 0)")));
    }
    is_new.then_some(Feature { at, width: feature.width })
}

/// A value as a number.
pub(super) fn number_of(value: &Value, signed: bool) -> Option<i128> {
    match value {
        Value::Bits(bits) if signed => bits.to_i128(),
        Value::Bits(bits) => bits.to_u128().and_then(|number| i128::try_from(number).ok()),
        _ => None,
    }
}

/// The sum of factors times (value before less value after), in a width in which nothing wraps.
pub(super) fn sum_of(
    terms: &mut Terms,
    width: u32,
    factors: &[i64],
    before: &[Option<(TermId, bool)>],
    after: &[Option<(TermId, bool)>],
) -> TermId {
    let zero = terms.number(width, 0);
    let mut sum = zero;
    for ((&factor, before), after) in factors.iter().zip(before).zip(after) {
        let wide = |terms: &mut Terms, value: &Option<(TermId, bool)>| match value {
            Some((term, signed)) => terms.resize(*term, width, *signed),
            None => zero,
        };
        let (one, two) = (wide(terms, before), wide(terms, after));
        let change = terms.sub(one, two);
        let scaled = match factor {
            1 => change,
            _ => {
                let factor = terms.number(width, i128::from(factor) as u128);
                let product = terms.pool.bvmul(change, factor);
                terms.simple(product)
            }
        };
        sum = terms.add(sum, scaled);
    }
    sum
}
