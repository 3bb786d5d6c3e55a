//! Numbers from a seed. Programs keep the numbers they had: what a seed found can be found again.

pub use testkit::Random;

/// The numbers of a seed, away from those of its neighbours.
pub fn of_seed(seed: u64) -> Random {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    Random::new((seed ^ STEP).wrapping_add(STEP))
}
