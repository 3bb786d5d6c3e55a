//! Weights of places and controls that no step increases (linear place invariants), and what they exclude.
//!
//! If every token of a place weighs so much, a control weighs so much, and no step makes the whole heavier,
//! then nothing heavier than the start is reachable. Since no token weighs less than nothing, a marking that
//! is too heavy excludes everything above it. By the duality of linear programs these are exactly the
//! markings that the state equation of a net excludes (Esparza, Ledesma-Garza, Majumdar, Meyer, Niksic 2014;
//! Geffroy, Leroux, Sutre 2016 put it to use in backward search).
//!
//! Everything here is exact; how weights are found ([`super::foreknowledge`]) does not matter for what they
//! show.

use super::marking::{Marking, UNBOUNDED};
use super::proof::Refuted;
use super::saturate::Saturation;
use super::system::{ControlId, Effect, PlaceId, System, Transition};
use base::IndexVec;

/// Weights; see [`Weighing::is_kept_by`] for what makes them worth something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighing {
    /// What a token weighs; not negative.
    pub places: IndexVec<PlaceId, i64>,
    /// What a control weighs.
    pub controls: IndexVec<ControlId, i64>,
}

impl Weighing {
    /// The weight of a marking; `None` if some place with a weight holds arbitrarily many tokens.
    pub fn of(&self, marking: &Marking) -> Option<i128> {
        let mut sum = i128::from(self.controls[marking.control]);
        for (place, count) in marking.tokens() {
            match (self.places[*place], *count) {
                (0, _) => {}
                (_, UNBOUNDED) => return None,
                (weight, count) => sum += i128::from(weight) * i128::from(count),
            }
        }
        Some(sum)
    }

    /// Does no step make anything heavier that [`Saturation`] thinks possible, is no weight negative, and is
    /// the start's weight finite? Otherwise, what is wrong.
    pub fn is_kept_by(&self, system: &System, possible: &Saturation) -> Result<(), Refuted> {
        if self.places.iter().any(|weight| *weight < 0) {
            return Err(Refuted::Wrong("a token weighs less than nothing".to_owned()));
        }
        if self.of(&Marking::initial(system)).is_none() {
            return Err(Refuted::Wrong("the start has no finite weight".to_owned()));
        }
        let heavier = |transition: &&Transition| {
            gains(transition, possible)
                .iter()
                .any(|gain| gain.weight(&self.places, |control| self.controls[control]) > 0)
        };
        match system.transitions.iter().find(heavier) {
            Some(transition) => Err(Refuted::Wrong(format!("`{}` makes the whole heavier", transition.name))),
            None => Ok(()),
        }
    }

    /// As an inequality: `a + 2·b ≤ 3`; the start's weight is given.
    pub fn describe(&self, system: &System, start: i128) -> String {
        let with_factor = |weight: i64, name: &String| match weight {
            1 => name.clone(),
            weight => format!("{weight}·{name}"),
        };
        let controls = self.controls.iter_enumerated().map(|(id, weight)| (*weight, &system.controls[id]));
        let places = self.places.iter_enumerated().map(|(id, weight)| (*weight, &system.places[id]));
        let parts: Vec<String> = controls
            .chain(places)
            .filter(|(weight, _)| *weight != 0)
            .map(|(weight, name)| with_factor(weight, name))
            .collect();
        format!("{} ≤ {start}", parts.join(" + "))
    }
}

/// A change of weight that must not be positive: tokens gained (or lost), and the controls entered and left.
pub(super) struct Gain {
    /// Tokens, by place; a place may occur more than once.
    pub(super) tokens: Vec<(PlaceId, i64)>,
    /// From this control to that one, if they count.
    pub(super) controls: Option<(ControlId, ControlId)>,
}

impl Gain {
    fn weight(&self, places: &IndexVec<PlaceId, i64>, control: impl Fn(ControlId) -> i64) -> i128 {
        let tokens = self.tokens.iter().map(|(place, count)| i128::from(places[*place]) * i128::from(*count));
        let moved = self.controls.map_or(0, |(from, to)| i128::from(control(to)) - i128::from(control(from)));
        tokens.sum::<i128>() + moved
    }
}

/// What a step may gain: one for the step itself, and one for each way that a token moves along with it.
/// Empty if the step is never possible. Upper limits lose tokens, and no token weighs less than nothing, so
/// they can be passed over.
pub(super) fn gains(transition: &Transition, possible: &Saturation) -> Vec<Gain> {
    let from = transition.from;
    let marked = |place: PlaceId| possible.may_be_marked(from, place);
    let controls = Some((from, transition.to));
    if !possible.is_reached(from) {
        return Vec::new();
    }
    match &transition.effect {
        Effect::Plain(arcs) => {
            if arcs.iter().any(|arc| arc.needs > 0 && !marked(arc.place)) {
                return Vec::new();
            }
            vec![Gain { tokens: arcs.iter().map(|arc| (arc.place, arc.change)).collect(), controls }]
        }
        Effect::Broadcast(broadcast) => {
            if broadcast.needs.iter().any(|(place, count)| *count > 0 && !marked(*place)) {
                return Vec::new();
            }
            let taken = broadcast.take.iter().map(|(place, count)| (*place, -i64::from(*count)));
            let mut all =
                vec![Gain { tokens: taken.chain(broadcast.add.iter().copied()).collect(), controls }];
            for moved in broadcast.moves.iter().filter(|moved| marked(moved.from)) {
                for choice in &moved.choices {
                    let arrives = choice.iter().map(|(place, count)| (*place, i64::from(*count)));
                    let tokens = arrives.chain([(moved.from, -1)]).collect();
                    all.push(Gain { tokens, controls: None });
                }
            }
            all
        }
    }
}
