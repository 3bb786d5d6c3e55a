//! What the samples at a head have in common: equations between polynomials of variables, and the order of
//! small sums, everywhere or where a condition of the program holds. After Ernst et al. 2001 ("Daikon"),
//! Nguyen, Kapur, Weimer, Forrest 2012 ("DIG"): equations are the null space of the matrix of monomials.
//! DIVERGENCE: the null space is found modulo a prime and read back as small fractions, and equations are
//! meant modulo 2^width, as the program computes.
//!
//! Guesses only: what induction does not confirm is dropped (`houdini`).
//!
//! Worked example: samples `(i, s)` at the head of `for (i = 0; i < n; i++) s += i + 1;` are (0, 0), (1, 1),
//! (2, 3), (3, 6), (4, 10). The rows of the monomials `1, i, s, i*i` have the null space spanned by `2s - i -
//! i*i`, so the guess is `2 * s == i + i * i`.

use crate::candidates::Subject;
use crate::polynomial::settled;
use logic::evaluate::Evaluator;
use logic::{Model, TermId, TermPool, Value};
use rustc_hash::FxHashSet;
use symbolic::Encoder;

/// Variables in linear equations, in equations of degree two and three, in orders of two and of three.
const MOST_LINEAR: usize = 12;
const MOST_SQUARE: usize = 6;
const MOST_CUBIC: usize = 4;
const MOST_PAIRED: usize = 9;
const MOST_TRIPLES: usize = 6;
/// Numbers between which equations are looked for in states; states one by one, and in pairs.
const MOST_NUMBERS: usize = 6;
const MOST_STATES: usize = 120;
const MOST_STATE_PAIRS: usize = 5000;
/// Conditions under which equations and orders are looked for.
const MOST_CONDITIONS: usize = 24;
/// Guesses that hold where a condition does.
const MOST_CONDITIONAL: usize = 500;
/// Larger values and coefficients say nothing.
const LARGEST_VALUE: i128 = 1 << 24;
const LARGEST_COEFFICIENT: i128 = 5000;
/// Samples more than unknowns.
const MARGIN: usize = 4;

/// Guesses from samples.
#[derive(Debug, Default)]
pub struct Relations {
    /// Linear equations.
    pub linear: Vec<TermId>,
    /// Equations of higher degree.
    pub higher: Vec<TermId>,
    /// Orders of sums of two and three variables.
    pub orders: Vec<TermId>,
    /// Equations where variables with few values have some value.
    pub in_states: Vec<TermId>,
    /// Equations and orders under a condition of the program.
    pub conditional: Vec<TermId>,
}

/// A sum of monomials that is zero: indices of variables, coefficient.
type Equation = Vec<(Vec<usize>, i128)>;

/// Conditions under which something may hold that does not hold everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// For equations and orders.
    pub single: &'a [TermId],
    /// That a variable with few values has one: for equations between the others, where one or two of these
    /// hold.
    pub states: &'a [TermId],
}

/// Looks for what all samples have in common. `states` are variables with few values, the other `subjects`
/// are numbers.
pub fn relations(
    encoder: &mut Encoder<'_>,
    subjects: &[Subject],
    is_state: &dyn Fn(&Subject) -> bool,
    conditions: Conditions<'_>,
    samples: &[Model],
) -> Relations {
    let mut found = Relations::default();
    let mut widths: Vec<u32> =
        subjects.iter().map(|subject| subject.width).filter(|&width| width <= 64).collect();
    widths.sort_unstable();
    widths.dedup();
    for width in widths {
        let own: Vec<Subject> =
            subjects.iter().filter(|subject| subject.width == width).take(MOST_LINEAR).copied().collect();
        let numbers: Vec<Subject> = subjects
            .iter()
            .filter(|subject| subject.width == width && !is_state(subject))
            .take(MOST_NUMBERS)
            .copied()
            .collect();
        if numbers.len() >= 2 && samples.len() >= MARGIN {
            let finder = Finder { subjects: &numbers, width };
            finder.in_states(encoder, samples, conditions.states, &mut found);
        }
        let mut table: Vec<Vec<i128>> = Vec::new();
        let mut models: Vec<&Model> = Vec::new();
        for model in samples {
            let row: Vec<i128> =
                own.iter().map(|subject| value_in(&encoder.terms.pool, model, subject)).collect();
            if row.iter().all(|value| value.abs() < LARGEST_VALUE) {
                table.push(row);
                models.push(model);
            }
        }
        let finder = Finder { subjects: &own, width };
        finder.find(encoder, &table, &models, conditions.single, &mut found);
    }
    found
}

/// The least and greatest value of a variable with a symbol of its own, if there are enough samples.
pub fn range(samples: &[Model], subject: &Subject) -> Option<(i128, i128)> {
    let values = || samples.iter().map(|model| number(model.get(subject.term), subject));
    let (least, most) = (values().min()?, values().max()?);
    (samples.len() >= 2 * MARGIN).then_some((least, most))
}

fn value_in(pool: &TermPool, model: &Model, subject: &Subject) -> i128 {
    number(model.evaluate(pool, subject.term).ok().as_ref(), subject)
}

fn number(value: Option<&Value>, subject: &Subject) -> i128 {
    match value {
        Some(Value::Bits(bits)) if subject.signed => bits.to_i128().unwrap_or(i128::MAX / 2),
        Some(Value::Bits(bits)) => bits.to_u128().map_or(i128::MAX / 2, |bits| bits as i128),
        _ => 0,
    }
}

struct Finder<'a> {
    subjects: &'a [Subject],
    width: u32,
}

impl Finder<'_> {
    fn find(
        &self,
        encoder: &mut Encoder<'_>,
        table: &[Vec<i128>],
        models: &[&Model],
        conditions: &[TermId],
        found: &mut Relations,
    ) {
        let all: Vec<usize> = (0..self.subjects.len()).collect();
        let linear = equations(table, &all, 1);
        // A variable that the others determine says nothing more in products.
        let determined: Vec<usize> = linear
            .iter()
            .filter_map(|equation| equation.iter().rev().find_map(|(monomial, _)| monomial.first().copied()))
            .collect();
        let free: Vec<usize> = all
            .iter()
            .copied()
            .filter(|at| !determined.contains(at) && table.iter().any(|row| row[*at] != table[0][*at]))
            .collect();
        for equation in &linear {
            found.linear.push(self.term(encoder, equation));
        }
        for (degree, most) in [(2, MOST_SQUARE), (3, MOST_CUBIC)] {
            let higher = equations(table, &free[..free.len().min(most)], degree);
            for equation in &higher {
                found.higher.push(self.term(encoder, equation));
            }
            if !higher.is_empty() {
                break;
            }
        }
        self.orders(encoder, table, found);
        self.under_conditions(encoder, table, models, conditions, found);
    }

    /// An equation in normal form.
    fn term(&self, encoder: &mut Encoder<'_>, equation: &Equation) -> TermId {
        let mut sum = encoder.terms.number(self.width, 0);
        for (monomial, coefficient) in equation {
            let mut product = encoder.terms.number(self.width, *coefficient as u128);
            for &at in monomial {
                let term = encoder.terms.pool.bvmul(product, self.subjects[at].term);
                product = encoder.terms.simple(term);
            }
            sum = encoder.terms.add(sum, product);
        }
        let zero = encoder.terms.number(self.width, 0);
        let plain = encoder.terms.pool.equal(sum, zero);
        settled(&mut encoder.terms, plain)
    }

    fn at_most(&self, encoder: &mut Encoder<'_>, a: TermId, b: TermId, signed: bool) -> TermId {
        let pool = &mut encoder.terms.pool;
        let term = if signed { pool.sle(a, b) } else { pool.ule(a, b) };
        encoder.terms.simple(term)
    }

    /// x ≤ y + c for the least c, k·x ≤ y, y ≤ k·x, x + y ≤ z and z ≤ x + y, where all samples agree.
    fn orders(&self, encoder: &mut Encoder<'_>, table: &[Vec<i128>], found: &mut Relations) {
        if table.len() < MARGIN {
            return;
        }
        let count = self.subjects.len();
        for x in 0..count.min(MOST_PAIRED) {
            for y in 0..count.min(MOST_PAIRED) {
                if x == y {
                    continue;
                }
                let (one, two) = (self.subjects[x], self.subjects[y]);
                let signed = one.signed && two.signed;
                let most = table.iter().map(|row| row[x] - row[y]).max().unwrap_or(0);
                let touched = table.iter().filter(|row| row[x] - row[y] == most).count();
                if most != 0 && most.abs() <= 16 && touched >= MARGIN {
                    let moved = encoder.terms.add_number(two.term, most as u128);
                    found.orders.push(self.at_most(encoder, one.term, moved, signed));
                }
                for factor in [2i128, 3] {
                    let scaled = encoder.terms.times(two.term, factor as u128);
                    if table.iter().all(|row| row[x] <= factor * row[y]) {
                        found.orders.push(self.at_most(encoder, one.term, scaled, signed));
                    }
                    if table.iter().all(|row| factor * row[y] <= row[x]) {
                        found.orders.push(self.at_most(encoder, scaled, one.term, signed));
                    }
                }
                if x > y || x >= MOST_TRIPLES || y >= MOST_TRIPLES {
                    continue;
                }
                for z in (0..count.min(MOST_TRIPLES)).filter(|&z| z != x && z != y) {
                    let three = self.subjects[z];
                    let signed = signed && three.signed;
                    let sum = encoder.terms.add(one.term, two.term);
                    if table.iter().all(|row| row[x] + row[y] <= row[z]) {
                        found.orders.push(self.at_most(encoder, sum, three.term, signed));
                    }
                    if table.iter().all(|row| row[z] <= row[x] + row[y]) {
                        found.orders.push(self.at_most(encoder, three.term, sum, signed));
                    }
                }
            }
        }
    }

    /// Equations that hold where one or two variables have some value, and not everywhere.
    fn in_states(
        &self,
        encoder: &mut Encoder<'_>,
        samples: &[Model],
        states: &[TermId],
        found: &mut Relations,
    ) {
        let all: Vec<usize> = (0..self.subjects.len()).collect();
        let table: Vec<Vec<i128>> = samples
            .iter()
            .map(|model| {
                self.subjects.iter().map(|subject| value_in(&encoder.terms.pool, model, subject)).collect()
            })
            .collect();
        let is_small: Vec<bool> =
            table.iter().map(|row: &Vec<i128>| row.iter().all(|value| value.abs() < LARGEST_VALUE)).collect();
        let states = &states[..states.len().min(MOST_STATES)];
        let holds: Vec<Vec<bool>> = samples
            .iter()
            .map(|model| {
                let mut evaluator = Evaluator::new(model);
                states
                    .iter()
                    .map(|&state| evaluator.evaluate(&encoder.terms.pool, state) == Ok(Value::Bool(true)))
                    .collect()
            })
            .collect();
        let mut known: FxHashSet<Vec<bool>> = FxHashSet::default();
        let mut add = |encoder: &mut Encoder<'_>, which: &[usize]| {
            // Conditions that hold of the same samples tell the same; the first is the shortest.
            let own: Vec<bool> = holds.iter().map(|holds| which.iter().all(|&at| holds[at])).collect();
            if found.in_states.len() >= MOST_CONDITIONAL || !known.insert(own) {
                return;
            }
            let (mut own, mut rest) = (Vec::new(), Vec::new());
            for ((row, holds), _) in table.iter().zip(&holds).zip(&is_small).filter(|(_, small)| **small) {
                if which.iter().all(|&at| holds[at]) { own.push(row.clone()) } else { rest.push(row) }
            }
            if own.len() < 2 * MARGIN || rest.is_empty() {
                return;
            }
            for equation in equations(&own, &all, 1) {
                // That a number is constant in few samples says little.
                let relates = equation.iter().filter(|(monomial, _)| !monomial.is_empty()).count() > 1;
                if relates && !rest.iter().all(|row| is_zero(&equation, row)) {
                    let mut parts = vec![self.term(encoder, &equation)];
                    for &at in which {
                        parts.push(encoder.terms.not(states[at]));
                    }
                    found.in_states.push(encoder.terms.any(&parts));
                }
            }
        };
        for one in 0..states.len() {
            add(encoder, &[one]);
        }
        let mut pairs = 0;
        for one in 0..states.len() {
            for two in one + 1..states.len() {
                if pairs < MOST_STATE_PAIRS && holds.iter().any(|holds| holds[one] && holds[two]) {
                    pairs += 1;
                    add(encoder, &[one, two]);
                }
            }
        }
    }

    /// What holds wherever a condition does, and not everywhere.
    fn under_conditions(
        &self,
        encoder: &mut Encoder<'_>,
        table: &[Vec<i128>],
        models: &[&Model],
        conditions: &[TermId],
        found: &mut Relations,
    ) {
        let all: Vec<usize> = (0..self.subjects.len()).collect();
        for &condition in conditions.iter().take(MOST_CONDITIONS) {
            let opposite = encoder.terms.not(condition);
            let holds: Vec<bool> = models
                .iter()
                .map(|model| {
                    Evaluator::new(model).evaluate(&encoder.terms.pool, condition) == Ok(Value::Bool(true))
                })
                .collect();
            for (expected, excuse) in [(true, opposite), (false, condition)] {
                let own: Vec<Vec<i128>> = table
                    .iter()
                    .zip(&holds)
                    .filter(|(_, holds)| **holds == expected)
                    .map(|(row, _)| row.clone())
                    .collect();
                if own.len() < MARGIN || own.len() == table.len() {
                    continue;
                }
                for equation in equations(&own, &all, 1) {
                    if !table.iter().all(|row| is_zero(&equation, row)) {
                        let equation = self.term(encoder, &equation);
                        found.conditional.push(encoder.terms.or(excuse, equation));
                    }
                }
                for x in 0..self.subjects.len().min(MOST_PAIRED) {
                    for y in (0..self.subjects.len().min(MOST_PAIRED)).filter(|&y| y != x) {
                        let (one, two) = (self.subjects[x], self.subjects[y]);
                        let signed = one.signed && two.signed;
                        let is_below = own.iter().all(|row| row[x] <= row[y]);
                        if is_below && !table.iter().all(|row| row[x] <= row[y]) {
                            let below = self.at_most(encoder, one.term, two.term, signed);
                            found.conditional.push(encoder.terms.or(excuse, below));
                        }
                        if own.iter().all(|row| row[x] < row[y]) && !table.iter().all(|row| row[x] < row[y]) {
                            let above = self.at_most(encoder, two.term, one.term, signed);
                            let below = encoder.terms.not(above);
                            found.conditional.push(encoder.terms.or(excuse, below));
                        }
                    }
                }
                if found.conditional.len() >= MOST_CONDITIONAL {
                    return;
                }
            }
        }
    }
}

fn is_zero(equation: &Equation, row: &[i128]) -> bool {
    let sum: i128 = equation
        .iter()
        .map(|(monomial, factor)| factor * monomial.iter().map(|&at| row[at]).product::<i128>())
        .sum();
    sum == 0
}

/// All monomials of some variables up to a degree, the constant first, higher ones last.
fn monomials(variables: &[usize], degree: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..degree {
        let mut next = Vec::new();
        for monomial in &last {
            for &variable in variables {
                if monomial.last().is_none_or(|&before| before <= variable) {
                    let mut longer = monomial.clone();
                    longer.push(variable);
                    next.push(longer);
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The prime 2^61 - 1.
const PRIME: i128 = (1 << 61) - 1;

fn inverse(value: i128) -> i128 {
    // Fermat: a^(p-2).
    let (mut result, mut base, mut exponent) = (1i128, value.rem_euclid(PRIME), PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// Equations of at most a degree that all rows satisfy; each has a monomial that no other has (the last one).
fn equations(table: &[Vec<i128>], variables: &[usize], degree: usize) -> Vec<Equation> {
    let columns = monomials(variables, degree);
    if table.len() < columns.len() + MARGIN && degree > 1 || table.len() < MARGIN {
        return Vec::new();
    }
    // Rows in reduced form, by the column they lead.
    let mut reduced: Vec<(usize, Vec<i128>)> = Vec::new();
    for row in table {
        let mut values: Vec<i128> = columns
            .iter()
            .map(|monomial| monomial.iter().fold(1i128, |product, &at| (product * row[at]).rem_euclid(PRIME)))
            .collect();
        for (lead, other) in &reduced {
            let factor = values[*lead];
            if factor != 0 {
                subtract(&mut values, other, factor);
            }
        }
        let Some(lead) = values.iter().position(|&value| value != 0) else { continue };
        let scale = inverse(values[lead]);
        values.iter_mut().for_each(|value| *value = *value * scale % PRIME);
        for (_, other) in &mut reduced {
            let factor = other[lead];
            if factor != 0 {
                subtract(other, &values, factor);
            }
        }
        reduced.push((lead, values));
    }
    // With as few samples as unknowns anything fits.
    if reduced.len() + MARGIN > table.len() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for free in (0..columns.len()).filter(|column| reduced.iter().all(|(lead, _)| lead != column)) {
        let mut vector: Vec<(usize, i128, i128)> = vec![(free, 1, 1)];
        let mut fits = true;
        for (lead, row) in &reduced {
            match small_fraction((PRIME - row[free]) % PRIME) {
                Some((0, _)) => {}
                Some((over, under)) => vector.push((*lead, over, under)),
                None => fits = false,
            }
        }
        // Bounded at every step: the common multiple of many denominators has no bound of its own.
        let common = vector.iter().try_fold(1i128, |common, &(_, _, under)| {
            let next = common / gcd(common, under) * under;
            (next <= LARGEST_COEFFICIENT).then_some(next)
        });
        let Some(common) = common.filter(|_| fits) else { continue };
        let mut equation: Equation = vector
            .into_iter()
            .map(|(column, over, under)| (columns[column].clone(), over * (common / under)))
            .collect();
        equation.sort_by_key(|(monomial, _)| (monomial.len(), monomial.clone()));
        let is_small = equation.iter().all(|(monomial, factor)| {
            factor.abs() <= LARGEST_COEFFICIENT || monomial.is_empty() && factor.abs() <= 1 << 32
        });
        let is_free_last = equation.iter().any(|(monomial, _)| !monomial.is_empty());
        if is_small && is_free_last && table.iter().all(|row| is_zero(&equation, row)) {
            // The monomial of its own stands last.
            let own = equation.iter().position(|(monomial, _)| *monomial == columns[free]);
            if let Some(own) = own {
                let last = equation.remove(own);
                equation.push(last);
            }
            found.push(equation);
        }
    }
    found
}

fn subtract(row: &mut [i128], other: &[i128], factor: i128) {
    for (value, &own) in row.iter_mut().zip(other) {
        *value = (*value - own * factor % PRIME).rem_euclid(PRIME);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The fraction with small parts that a number modulo the prime stands for (Wang 1981), if there is one.
fn small_fraction(value: i128) -> Option<(i128, i128)> {
    let bound: i128 = 1 << 29;
    let (mut r0, mut r1) = (PRIME, value);
    let (mut t0, mut t1) = (0i128, 1i128);
    while r1 > bound {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (t0, t1) = (t1, t0 - quotient * t1);
    }
    if t1 == 0 || t1.abs() > bound {
        return None;
    }
    let divisor = gcd(r1, t1);
    let (over, under) = (r1 / divisor, t1 / divisor);
    Some(if under < 0 { (-over, -under) } else { (over, under) })
}

#[cfg(test)]
mod tests {
    use super::{equations, is_zero};

    #[test]
    fn the_sum_of_numbers_is_found() {
        // s, i with 2s = i² - i, and z = i + 3.
        let table: Vec<Vec<i128>> = (0..20).map(|i| vec![i * (i - 1) / 2, i, i + 3]).collect();
        let linear = equations(&table, &[0, 1, 2], 1);
        assert_eq!(linear.len(), 1);
        assert!(is_zero(&linear[0], &[100, 5, 8]) && !is_zero(&linear[0], &[100, 5, 9]));
        let square = equations(&table, &[0, 1], 2);
        assert!(square.iter().any(|equation| is_zero(equation, &[45, 10]) && !is_zero(equation, &[46, 10])));
    }

    #[test]
    fn nothing_is_found_in_few_or_unrelated_samples() {
        let few: Vec<Vec<i128>> = vec![vec![1, 2], vec![3, 5]];
        assert!(equations(&few, &[0, 1], 1).is_empty());
        let unrelated: Vec<Vec<i128>> = (0..40).map(|i| vec![i, i * i * i % 17]).collect();
        assert!(equations(&unrelated, &[0, 1], 1).is_empty());
    }
}
