//! The evaluator, the simplifier and the solver read random terms alike.

use logic::random_terms::TermShape;
use testkit::terms::check_random_terms;

/// More terms with `CONCORD_RANDOM_TERMS=100000`.
fn count() -> u64 {
    std::env::var("CONCORD_RANDOM_TERMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300).max(300)
}

#[test]
fn bit_vector_terms_agree() {
    let agreement = check_random_terms(1, count(), TermShape::BITS).unwrap();
    assert_eq!(agreement.computed, count());
    assert!(agreement.sat > 100 && agreement.simplified > 100, "{agreement:?}");
}

#[test]
fn array_and_function_terms_agree() {
    let mut agreement = check_random_terms(2, count(), TermShape::ARRAYS).unwrap();
    assert!(agreement.sat > 100 && agreement.simplified > 100, "{agreement:?}");
    agreement.join(&check_random_terms(3, count(), TermShape::WIDE_ARRAYS).unwrap());
    assert_eq!(agreement.computed, 2 * count());
    assert_eq!(agreement.coverage.missing(), Vec::<String>::new(), "every operator and width is tested");
}
