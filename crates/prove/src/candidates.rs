//! Guesses at loop invariants (candidate invariants, from templates): comparisons of variables with constants
//! and with each other, what the program itself asks, what the first arrival shows. They need not be right:
//! induction keeps those that are (Flanagan, Leino 2001, "Houdini").

use logic::TermId;
use program::expr::{Access, ExprPart};
use program::{Action, Callee, ExprKind, ProcedureId, Program, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use symbolic::{Encoder, State};

/// At most so many variables are compared, and with so many constants.
const MOST_VARIABLES: usize = 14;
const MOST_CONSTANTS: usize = 12;
const MOST_CANDIDATES: usize = 3000;
const MOST_STATE_VARIABLES: usize = 24;
const MOST_NEIGHBOURS: usize = 4;
const MOST_PAIRS: usize = 1500;
/// Bounds on each side, where values were seen.
const MOST_BOUNDS: usize = 4;

/// A variable that is guessed about.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The variable itself.
    pub variable: VariableId,
    /// Its symbol.
    pub term: TermId,
    /// Is it signed?
    pub signed: bool,
    /// Its bits.
    pub width: u32,
}

/// Guesses at a head.
pub struct Candidates {
    /// About one variable each, and what the program asks.
    pub simple: Vec<TermId>,
    /// About two variables: many.
    pub paired: Vec<TermId>,
}

/// Guesses at a head, over the symbols of `any`; `first` is a state with which it was reached, `seen` the
/// least and greatest value that a variable had there in runs, if there were any.
pub fn candidates(
    encoder: &mut Encoder<'_>,
    procedures: &[ProcedureId],
    any: &State,
    first: &State,
    finite: &FxHashMap<VariableId, BTreeSet<u128>>,
    seen: &dyn Fn(&Subject) -> Option<(i128, i128)>,
) -> Candidates {
    let mut guesses: Vec<TermId> = Vec::new();
    let mut paired: Vec<TermId> = Vec::new();
    states(encoder, any, finite, &mut guesses, &mut paired);
    conditions(encoder, procedures, any, &mut guesses);
    let subjects = subjects(encoder, procedures, any);
    let starts: Vec<Option<u128>> =
        subjects.iter().map(|subject| start_of(encoder, first, subject)).collect();
    let constants = constants(encoder.meaning.program, procedures);
    for (subject, start) in subjects.iter().zip(&starts) {
        let mut near: BTreeSet<i128> = constants.iter().copied().collect();
        near.extend(start.map(|bits| as_number(bits, subject)));
        // What a loop compares with is passed by one.
        near.extend(constants.iter().take(MOST_NEIGHBOURS).flat_map(|&value| [value - 1, value + 1]));
        let is_telling = telling(&near, seen(subject));
        for &value in &near {
            let fits = subject.width >= 127
                || (value >= -(1i128 << (subject.width - 1)) && value < (1i128 << subject.width));
            if !fits {
                continue;
            }
            let number = encoder.terms.number(subject.width, value as u128);
            let (low, high) = (
                at_most(encoder, number, subject.term, subject.signed),
                at_most(encoder, subject.term, number, subject.signed),
            );
            let same = encoder.terms.equal(subject.term, number);
            let other = encoder.terms.not(same);
            let all = [same, low, high, other];
            guesses.extend(
                all.into_iter().zip(is_telling(value)).filter(|(_, tells)| *tells).map(|(guess, _)| guess),
            );
        }
        if let Some(bits) = start
            && subject.width > 1
        {
            for low in [1, 2] {
                if subject.width > low {
                    let part = encoder.terms.cut(subject.term, low - 1, 0);
                    let value = encoder.terms.number(low, *bits);
                    guesses.push(encoder.terms.equal(part, value));
                }
            }
        }
    }
    for (at, (one, first_start)) in subjects.iter().zip(&starts).enumerate() {
        for (other_at, (two, second_start)) in subjects.iter().zip(&starts).enumerate() {
            if at == other_at || one.width != two.width {
                continue;
            }
            let below = at_most(encoder, one.term, two.term, one.signed && two.signed);
            paired.push(below);
            let above = encoder.terms.not(below);
            paired.push(above);
            if let (Some(x), Some(y)) = (first_start, second_start) {
                for factor in [1u128, 2, 3, 4] {
                    let scaled = encoder.terms.times(two.term, factor);
                    let difference = encoder.terms.sub(one.term, scaled);
                    let value = encoder.terms.number(one.width, x.wrapping_sub(y.wrapping_mul(factor)));
                    paired.push(encoder.terms.equal(difference, value));
                }
                if at < other_at {
                    let sum = encoder.terms.add(one.term, two.term);
                    let value = encoder.terms.number(one.width, x.wrapping_add(*y));
                    paired.push(encoder.terms.equal(sum, value));
                }
            } else if at < other_at {
                paired.push(encoder.terms.equal(one.term, two.term));
            }
        }
    }
    let mut seen = BTreeSet::new();
    guesses.retain(|&guess| encoder.terms.truth(guess).is_none() && seen.insert(guess));
    guesses.truncate(MOST_CANDIDATES);
    paired.retain(|&guess| encoder.terms.truth(guess).is_none() && seen.insert(guess));
    paired.truncate(MOST_CANDIDATES);
    Candidates { simple: guesses, paired }
}

/// Which of x = v, v ≤ x, x ≤ v, x ≠ v are worth guessing: with values that were seen, bounds near them, and
/// what lies between. Without, all.
fn telling(values: &BTreeSet<i128>, seen: Option<(i128, i128)>) -> impl Fn(i128) -> [bool; 4] + use<> {
    let above: Vec<i128> = seen.map_or_else(Vec::new, |(_, most)| {
        values.iter().copied().filter(|&value| value >= most).take(MOST_BOUNDS).collect()
    });
    let below: Vec<i128> = seen.map_or_else(Vec::new, |(least, _)| {
        values.iter().rev().copied().filter(|&value| value <= least).take(MOST_BOUNDS).collect()
    });
    move |value| match seen {
        None => [true; 4],
        Some((least, most)) => [
            least == most && value == least,
            below.contains(&value),
            above.contains(&value),
            (least..=most).contains(&value) || value == 0,
        ],
    }
}

fn at_most(encoder: &mut Encoder<'_>, a: TermId, b: TermId, signed: bool) -> TermId {
    let pool = &mut encoder.terms.pool;
    let term = if signed { pool.sle(a, b) } else { pool.ule(a, b) };
    encoder.terms.simple(term)
}

fn as_number(bits: u128, subject: &Subject) -> i128 {
    if subject.signed && subject.width < 128 && bits >> (subject.width - 1) & 1 == 1 {
        bits as i128 - (1i128 << subject.width)
    } else {
        bits as i128
    }
}

fn start_of(encoder: &Encoder<'_>, first: &State, subject: &Subject) -> Option<u128> {
    encoder.terms.constant(first.register(subject.variable)?)
}

/// The variables worth guessing about: those that conditions and assignments of the procedures mention, most
/// mentioned first.
pub fn subjects(encoder: &mut Encoder<'_>, procedures: &[ProcedureId], any: &State) -> Vec<Subject> {
    let mut found = mentioned(encoder, procedures, any);
    found.truncate(MOST_VARIABLES);
    found
}

/// The variables that a state has at a place with these procedures active, those that the procedures mention
/// first, most mentioned first; then those that only what they call mentions.
pub fn all_subjects(encoder: &mut Encoder<'_>, procedures: &[ProcedureId], any: &State) -> Vec<Subject> {
    let meaning = encoder.meaning;
    let mut found = mentioned(encoder, procedures, any);
    let mut reached: Vec<ProcedureId> = procedures.to_vec();
    let mut next = 0;
    while let Some(&procedure) = reached.get(next) {
        next += 1;
        for callee in meaning.points_to.callees(meaning.program, procedure) {
            if !reached.contains(&callee) {
                reached.push(callee);
            }
        }
    }
    for subject in mentioned(encoder, &reached[procedures.len()..], any) {
        if found.iter().all(|known| known.variable != subject.variable) {
            found.push(subject);
        }
    }
    found
}

fn mentioned(encoder: &mut Encoder<'_>, procedures: &[ProcedureId], any: &State) -> Vec<Subject> {
    let program = encoder.meaning.program;
    let mut mentions: std::collections::BTreeMap<VariableId, usize> = std::collections::BTreeMap::new();
    for &procedure in procedures {
        for edge in program.procedures[procedure].body.iter().flat_map(|body| &body.edges) {
            let weight = if matches!(edge.action, Action::Assume { .. }) { 3 } else { 1 };
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, Access::Read | Access::Write) = part
                    && let Some(id) = place.as_variable()
                {
                    *mentions.entry(id).or_default() += weight;
                }
            });
        }
    }
    let mut ranked: Vec<(VariableId, usize)> = mentions.into_iter().collect();
    ranked.sort_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
    let mut found = Vec::new();
    for (id, _) in ranked {
        let variable = &program.variables[id];
        if variable.kind == VariableKind::Temporary || !program.types.is_integer(variable.ty.id) {
            continue;
        }
        let Some(term) = any.register(id).filter(|&term| encoder.terms.constant(term).is_none()) else {
            continue;
        };
        let Some(shape) = program.types.integer_shape(variable.ty.id) else { continue };
        found.push(Subject { variable: id, term, signed: shape.signed, width: shape.width });
    }
    found
}

/// The numbers that procedures mention, most often mentioned first.
pub fn constants(program: &Program, procedures: &[ProcedureId]) -> Vec<i128> {
    let mut counts: std::collections::BTreeMap<i128, usize> = std::collections::BTreeMap::new();
    for &procedure in procedures {
        for edge in program.procedures[procedure].body.iter().flat_map(|body| &body.edges) {
            // The line of an assertion that fails is no number of the program's.
            if let Action::Call { callee: Callee::Direct(called), .. } = &edge.action
                && program.procedures[*called].is_noreturn
            {
                continue;
            }
            let weight = if matches!(edge.action, Action::Assume { .. }) { 3 } else { 1 };
            edge.action.visit(&mut |part| {
                if let ExprPart::Expr(expr) = part
                    && let ExprKind::Integer(bits) = expr.kind
                    && program.types.is_integer(expr.ty)
                    && let Some(shape) = program.types.integer_shape(expr.ty)
                {
                    *counts.entry(shape.value(bits)).or_default() += weight;
                }
            });
        }
    }
    *counts.entry(0).or_default() += 10;
    *counts.entry(1).or_default() += 2;
    let mut ranked: Vec<(i128, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    ranked.into_iter().map(|(value, _)| value).take(MOST_CONSTANTS).collect()
}

/// Variables with few values: that they have no others, and which values never go together.
fn states(
    encoder: &mut Encoder<'_>,
    any: &State,
    finite: &FxHashMap<VariableId, BTreeSet<u128>>,
    guesses: &mut Vec<TermId>,
    paired: &mut Vec<TermId>,
) {
    let program = encoder.meaning.program;
    let mut chosen: Vec<(VariableId, TermId)> = finite
        .keys()
        .filter(|&&id| is_named(program, id))
        .filter_map(|&id| Some((id, any.register(id)?)))
        .collect();
    chosen.sort_unstable();
    chosen.truncate(MOST_STATE_VARIABLES);
    let mut cases: Vec<Vec<TermId>> = Vec::new();
    for (id, term) in chosen {
        let width = encoder.terms.pool.width(term);
        let equal: Vec<TermId> = finite[&id]
            .iter()
            .map(|&bits| {
                let value = encoder.terms.number(width, bits);
                encoder.terms.equal(term, value)
            })
            .collect();
        guesses.push(encoder.terms.any(&equal));
        for &case in &equal {
            guesses.push(encoder.terms.not(case));
        }
        cases.push(equal);
    }
    let mut pairs = 0;
    for (at, one) in cases.iter().enumerate() {
        for two in &cases[at + 1..] {
            for &a in one {
                for &b in two {
                    if pairs < MOST_PAIRS {
                        let both = encoder.terms.and(a, b);
                        paired.push(encoder.terms.not(both));
                        pairs += 1;
                    }
                }
            }
        }
    }
}

/// What the innermost procedure's own branches ask, and the opposite.
fn conditions(encoder: &mut Encoder<'_>, procedures: &[ProcedureId], any: &State, guesses: &mut Vec<TermId>) {
    let Some(&innermost) = procedures.last() else { return };
    for holds in plain_conditions(encoder, innermost, any) {
        let fails = encoder.terms.not(holds);
        guesses.extend([holds, fails]);
    }
}

/// What a procedure's branches ask about named variables outside memory, of a state in it.
pub fn plain_conditions(encoder: &mut Encoder<'_>, procedure: ProcedureId, any: &State) -> Vec<TermId> {
    let program = encoder.meaning.program;
    let mut found = Vec::new();
    let Some(body) = &program.procedures[procedure].body else { return found };
    for edge in &body.edges {
        let Action::Assume { condition, expected: true, .. } = &edge.action else { continue };
        let mut is_plain = true;
        condition.visit(&mut |part| {
            if let ExprPart::Place(place, Access::Read) = part {
                is_plain &=
                    place.as_variable().is_some_and(|id| any.register(id).is_some() && is_named(program, id));
            }
        });
        if !is_plain {
            continue;
        }
        let mut state = any.clone();
        encoder.begin(edge.span);
        let holds = encoder.condition(&mut state, condition);
        let effect = encoder.take_effect();
        if effect.failures.is_empty() && effect.inputs.is_empty() {
            found.push(holds);
        }
    }
    found
}

fn is_named(program: &Program, id: VariableId) -> bool {
    program.variables[id].kind != VariableKind::Temporary
}
