//! Inputs that lead a run deep into a program: what a tester would draw only by luck. The bounded search
//! walks a few rounds; every state that it holds back stands for runs that go on there, and a model of its
//! path condition is an input that takes one of them.

use crate::bounded::{BoundedSearch, Deepened};
use crate::settings::Settings;
use base::Budget;
use program::{PointsTo, Program};
use question::Property;
use std::sync::Arc;
use symbolic::Meaning;

/// Rounds that are walked.
const ROUNDS: [u32; 3] = [1, 2, 4];

/// The inputs of a run: the function that gives it, and the bits.
pub type InputList = Vec<(Arc<str>, u128)>;

/// At most so many inputs, each for another way into the program.
pub fn inputs_into_depth(
    program: &Program,
    settings: &Settings,
    most: usize,
    budget: &Budget,
) -> Vec<InputList> {
    let points_to = PointsTo::of(program);
    let meaning = Meaning::new(program, &points_to);
    let nothing = Property::default();
    let mut found: Vec<InputList> = Vec::new();
    let Some(mut search) = BoundedSearch::new(program, &meaning, &nothing, settings, false) else {
        return found;
    };
    for rounds in ROUNDS {
        let deepened = search.deepen(rounds, budget);
        for inputs in search.inputs_of_postponed(budget) {
            if found.len() < most && !inputs.is_empty() && !found.contains(&inputs) {
                found.push(inputs);
            }
        }
        if found.len() >= most || !matches!(deepened, Deepened::Bounded) {
            break;
        }
    }
    found
}
