//! The atomic conditions that a term is made of.

use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use rustc_hash::FxHashSet;
use symbolic::Terms;

/// What a condition is made of by connectives, as far as it is about allowed symbols; each with its opposite.
/// Sums and the like first.
pub fn atoms_of(terms: &mut Terms, condition: TermId, allowed: &FxHashSet<TermId>) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![condition];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let pool = &terms.pool;
        let arguments = pool.arguments(term);
        let is_connective = match pool.op(term) {
            Op::True | Op::False => continue,
            Op::Not | Op::And | Op::Or | Op::Xor => true,
            Op::Ite => pool.sort(term) == Sort::Bool,
            Op::Equal => pool.sort(arguments[0]) == Sort::Bool,
            _ => false,
        };
        if is_connective {
            open.extend(arguments.iter().rev());
        } else if symbols_in(pool, &[term]).iter().all(|symbol| allowed.contains(symbol)) {
            found.push(term);
        } else {
            // Conditions of choices inside it.
            for part in Postorder::new(pool, &[term]) {
                if pool.op(part) == Op::Ite {
                    open.push(pool.arguments(part)[0]);
                }
            }
        }
    }
    let (mut plain, mut others): (Vec<TermId>, Vec<TermId>) = found
        .into_iter()
        .partition(|&atom| terms.pool.arguments(atom).iter().all(|&side| is_leaf(&terms.pool, side)));
    others.append(&mut plain);
    let mut both = Vec::new();
    for atom in others {
        both.push(atom);
        both.push(terms.not(atom));
    }
    both
}

fn is_leaf(pool: &TermPool, term: TermId) -> bool {
    matches!(pool.op(term), Op::Symbol(_) | Op::Constant(_))
}
