//! Forward invariants that prune backward search, what is known before it looks: which places can be marked
//! where, and weights.
//!
//! Whether some [`Weighing`] excludes a marking is a linear program: the weights are its unknowns, no step
//! may make the whole heavier, and the marking should be as much heavier than the start as possible. The
//! solver works with floating-point numbers; its weights are made whole numbers and are used only if
//! [`Weighing::is_kept_by`] says so. A weighing that excludes one marking usually excludes many, so all are
//! kept and tried first.

use super::marking::Marking;
use super::outcome::{Meter, Stopped};
use super::saturate::Saturation;
use super::system::{ControlId, InitialCount, PlaceId, System};
use super::weighing::{Weighing, gains};
use base::{Id, IndexVec};
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolutionStatus};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// The facts about all reachable states that proofs may lean on.
#[derive(Clone, Debug)]
pub struct Possible {
    /// Which places can be marked in which control.
    pub saturation: Saturation,
    /// Weights that no step increases.
    pub weighings: Vec<Weighing>,
}

/// What is known from the front, and the means to know more.
pub struct Foreknowledge {
    saturation: Saturation,
    weighings: Vec<(Weighing, i128)>,
    weigher: Option<Weigher>,
}

/// Larger linear programs cost more than they bring.
const MOST_ROWS: usize = 30_000;
/// A linear program that takes longer is given up.
const LONGEST: Duration = Duration::from_millis(1_500);
/// After so many that were given up, no more are tried.
const MOST_GIVEN_UP: u32 = 3;
/// Weights are looked for among the multiples of 1/1, 1/2, … up to this.
const LARGEST_DENOMINATOR: u32 = 60;

struct Weigher {
    start: Marking,
    rows: Vec<Vec<(usize, f64)>>,
    /// The unknown of each place that may weigh something.
    unknown_of_place: IndexVec<PlaceId, Option<usize>>,
    unknown_of_control: IndexVec<ControlId, Option<usize>>,
    place_unknowns: usize,
    unknowns: usize,
    /// Markings to pass over before the next one is tried; grows while trying brings nothing.
    patience: u64,
    passed_over: u64,
    given_up: u32,
}

impl Foreknowledge {
    /// What the system shows at once.
    pub fn new(system: &System) -> Foreknowledge {
        let saturation = Saturation::new(system);
        let weigher = Weigher::new(system, &saturation);
        Foreknowledge { saturation, weighings: Vec::new(), weigher }
    }

    /// Is it known that nothing above the marking is reachable?
    pub fn excludes(&self, marking: &Marking) -> bool {
        self.saturation.excludes(marking)
            || self.weighings.iter().any(|(weighing, start)| {
                // What has no finite weight here has ω, which no excluded marking has.
                weighing.of(marking).is_some_and(|weight| weight > *start)
            })
    }

    /// The same, but may look for new weights; not every time it is asked.
    pub(super) fn excludes_after_thought(
        &mut self,
        system: &System,
        marking: &Marking,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stopped> {
        if self.excludes(marking) {
            return Ok(true);
        }
        let Some(weigher) = &mut self.weigher else { return Ok(false) };
        if weigher.passed_over < weigher.patience {
            weigher.passed_over += 1;
            return Ok(false);
        }
        weigher.passed_over = 0;
        meter.steps(weigher.cost())?;
        let found =
            weigher.weigh(marking).filter(|weighing| weighing.is_kept_by(system, &self.saturation).is_ok());
        let start = found.as_ref().and_then(|weighing| weighing.of(&weigher.start));
        let useful = match (&found, start) {
            (Some(weighing), Some(start)) => weighing.of(marking).is_some_and(|weight| weight > start),
            _ => false,
        };
        if !useful {
            weigher.patience += 1;
            if weigher.given_up >= MOST_GIVEN_UP {
                self.weigher = None;
            }
            return Ok(false);
        }
        weigher.patience /= 2;
        self.weighings.extend(found.zip(start));
        Ok(true)
    }

    /// What a proof leans on.
    pub fn possible(&self) -> Possible {
        let weighings = self.weighings.iter().map(|(weighing, _)| weighing.clone()).collect();
        Possible { saturation: self.saturation.clone(), weighings }
    }
}

impl Weigher {
    /// The linear program without its aim; `None` if it is too large.
    fn new(system: &System, saturation: &Saturation) -> Option<Weigher> {
        let mut unknown_of_place: IndexVec<PlaceId, Option<usize>> =
            system.places.ids().map(|place| Some(place.index())).collect();
        let place_unknowns = unknown_of_place.len();
        let mut unknowns = place_unknowns;
        // Where any number may start, a token weighs nothing.
        for (place, count) in &system.initial.counts {
            if matches!(count, InitialCount::AtLeast(_)) {
                unknown_of_place[*place] = None;
            }
        }
        let unknown_of_control: IndexVec<ControlId, Option<usize>> = system
            .controls
            .ids()
            .map(|control| {
                (control != system.initial.control && saturation.is_reached(control)).then(|| {
                    unknowns += 1;
                    unknowns - 1
                })
            })
            .collect();
        let mut rows = Vec::new();
        let mut seen = FxHashSet::default();
        for transition in system.transitions.iter() {
            for gain in gains(transition, saturation) {
                let mut row: Vec<(usize, i64)> = Vec::new();
                let mut add = |unknown: Option<usize>, factor: i64| {
                    let Some(unknown) = unknown else { return };
                    match row.iter_mut().find(|(known, _)| *known == unknown) {
                        Some((_, sum)) => *sum += factor,
                        None => row.push((unknown, factor)),
                    }
                };
                gain.tokens.iter().for_each(|(place, count)| add(unknown_of_place[*place], *count));
                if let Some((from, to)) = gain.controls {
                    add(unknown_of_control[to], 1);
                    add(unknown_of_control[from], -1);
                }
                row.retain(|(_, factor)| *factor != 0);
                row.sort_unstable();
                if !row.is_empty() && seen.insert(row.clone()) {
                    rows.push(row.into_iter().map(|(unknown, factor)| (unknown, factor as f64)).collect());
                }
            }
        }
        (rows.len() <= MOST_ROWS).then(|| Weigher {
            start: Marking::initial(system),
            unknown_of_place,
            unknown_of_control,
            place_unknowns,
            unknowns,
            patience: rows.len() as u64 / 100,
            rows,
            passed_over: 0,
            given_up: 0,
        })
    }

    /// Effort of one linear program in steps of an engine, so that no turn is spent on linear programs alone:
    /// measured, it grows nearly with the square of the rows, and 60 rows cost about one step.
    fn cost(&self) -> u64 {
        let rows = self.rows.len() as u64;
        1 + rows * rows / 4_000
    }

    /// Weights under which the marking is heavier than the start, as far as floating-point numbers tell.
    fn weigh(&mut self, marking: &Marking) -> Option<Weighing> {
        let mut aim = vec![0.0; self.unknowns];
        for (sign, side) in [(1.0, marking), (-1.0, &self.start)] {
            if let Some(unknown) = self.unknown_of_control[side.control] {
                aim[unknown] += sign;
            }
            for (place, count) in side.tokens() {
                if let Some(unknown) = self.unknown_of_place[*place] {
                    aim[unknown] += sign * f64::from(*count);
                }
            }
        }
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        problem.set_time_limit(LONGEST);
        let variables: Vec<_> = aim
            .iter()
            .enumerate()
            .map(|(unknown, factor)| {
                let range = if unknown < self.place_unknowns { (0.0, 1.0) } else { (-1_000.0, 1_000.0) };
                problem.add_var(*factor, range)
            })
            .collect();
        for row in &self.rows {
            let row: Vec<_> = row.iter().map(|(unknown, factor)| (variables[*unknown], *factor)).collect();
            problem.add_constraint(row, ComparisonOp::Le, 0.0);
        }
        let solution = match problem.solve().ok().and_then(|outcome| outcome.into_solution().ok()) {
            Some(solution) => solution,
            None => {
                self.given_up += 1;
                return None;
            }
        };
        if solution.status() != SolutionStatus::Optimal {
            self.given_up += 1;
        }
        if solution.objective() < 1e-6 {
            return None;
        }
        let values: Vec<f64> = variables.iter().map(|variable| solution.var_value(*variable)).collect();
        let whole = in_whole_numbers(&values)?;
        let value = |unknown: &Option<usize>| unknown.map_or(0, |unknown| whole[unknown]);
        Some(Weighing {
            places: self.unknown_of_place.iter().map(value).collect(),
            controls: self.unknown_of_control.iter().map(value).collect(),
        })
    }
}

/// The numbers times the least denominator that makes them all whole, up to a small error.
fn in_whole_numbers(values: &[f64]) -> Option<Vec<i64>> {
    (1..=LARGEST_DENOMINATOR).find_map(|denominator| {
        let scaled = values.iter().map(|value| value * f64::from(denominator));
        let near = |value: f64| (value - value.round()).abs() < 1e-4 && value.abs() < 1e9;
        scaled.map(|value| near(value).then_some(value.round() as i64)).collect()
    })
}
