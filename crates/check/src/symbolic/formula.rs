//! State/event formulas by fair cycles of sets. After Emerson and Lei 1986: the states of the product from
//! which every mark can be met again and again are a greatest fixpoint; a path violates the formula iff it
//! reaches one of them, or stops where the automaton accepts stopping. Evidence is walked through the sets
//! and checked on the system.
//! DIVERGENCE: marks are on steps, so "meets mark i" is a step of a relation of its own, not a set of states.
//! Naive twin: `temporal::holds`.

use super::SymbolicSettings;
use super::product::{Place, Product};
use super::reach::{cannot, refuse_priority};
use crate::stopped::Stopped;
use crate::temporal::{TemporalSettings, ViolatingRun, counterexample, forbidden, unknown_atoms};
use automata::{Acceptance, Marks};
use lks::{ActionId, Composition};
use logic::bdd::Bdd;
use question::{Answer, Monitor, Verdict};
use spec::Formula;
use verdict::Certificate;

/// Does every maximal path of the system satisfy the formula?
pub fn holds(
    system: &Composition,
    formula: &Formula,
    settings: &TemporalSettings,
    limits: &SymbolicSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("symbolic", || {
        refuse_priority(system)?;
        if !settings.fairness.is_none() {
            return Err(cannot("fairness is not encoded"));
        }
        let (automaton, meaning) = forbidden(system, formula, Acceptance::Generalised, monitor)?;
        let product = Product::new(system, &automaton, &meaning, limits)?;
        let layers = layers(&product, monitor)?;
        let reached = layers.last().expect("there is a first layer").clone();
        let stopping = reached.and(&product.accepts_stopping()?)?;
        let verdict = if stopping.is_false() {
            let fair = fair_states(&product, &reached, monitor)?;
            match fair.is_false() {
                true => {
                    Verdict::Holds(Certificate::Exhaustive { states: product.encoding.states_in(&reached) })
                }
                false => {
                    let run = fair_run(&product, &layers, &fair, monitor)?;
                    counterexample(system, formula, &run).into()
                }
            }
        } else {
            let (start, stem) = walk_to(&product, &layers, &stopping)?;
            let run = ViolatingRun { start: start.0, stem: on_system(stem), cycle: Vec::new() };
            counterexample(system, formula, &run).into()
        };
        let mut answer = Answer::by("symbolic", verdict)
            .count("rounds", layers.len())
            .count("BDD nodes of the reached set", reached.node_count())
            .count("BDD nodes", product.encoding.manager.statistics().nodes)
            .count("automaton states", automaton.state_count());
        answer.remarks = unknown_atoms(system, formula);
        Ok(answer)
    })
}

/// Steps with the place each leads to.
type Walk = Vec<(ActionId, Place)>;

fn on_system(walk: Walk) -> Vec<(ActionId, lks::SystemState)> {
    walk.into_iter().map(|(action, place)| (action, place.0)).collect()
}

/// What is reached after each round; a round takes the steps in turn, each from all that is known.
fn layers(product: &Product<'_>, monitor: Monitor<'_>) -> Result<Vec<Bdd>, Stopped> {
    let mut layers = vec![product.initial.clone()];
    loop {
        monitor.count("rounds", layers.len());
        let before = layers.last().expect("not empty").clone();
        let mut reached = before.clone();
        for step in &product.steps {
            monitor.check()?;
            let next = step.image(&reached.minus(&product.encoding.error)?)?;
            if !next.is_subset_of(&reached)? {
                reached = reached.or(&next)?;
                // Kept one by one, so that the way back needs one step each.
                layers.push(reached.clone());
            }
        }
        if reached == before {
            return Ok(layers);
        }
    }
}

/// The states from which every mark can be met again and again without end, among the given ones.
fn fair_states(product: &Product<'_>, among: &Bdd, monitor: Monitor<'_>) -> Result<Bdd, Stopped> {
    let mut fair = among.clone();
    loop {
        monitor.count("BDD nodes", product.encoding.manager.statistics().nodes);
        let before = fair.clone();
        fair = fair.and(&product.before(&product.steps, &fair, monitor)?)?;
        for steps in &product.marked {
            // Those that can go to a step with the mark and stay fair.
            let mut can = fair.and(&product.before(steps, &fair, monitor)?)?;
            loop {
                let more = can.or(&fair.and(&product.before(&product.steps, &can, monitor)?)?)?;
                if more == can {
                    break;
                }
                can = more;
            }
            fair = can;
        }
        if fair == before {
            return Ok(fair);
        }
    }
}

/// A walk from an initial place to one of the wanted ones.
fn walk_to(product: &Product<'_>, layers: &[Bdd], wanted: &Bdd) -> Result<(Place, Walk), Stopped> {
    let mut at = None;
    for (index, layer) in layers.iter().enumerate() {
        let here = layer.and(wanted)?;
        if !here.is_false() {
            at = Some((index, product.pick(&here)));
            break;
        }
    }
    let (mut index, mut place) = at.expect("a wanted place is reached");
    let mut steps = Vec::new();
    while index > 0 {
        let only = product.only(&place)?;
        if !layers[index - 1].and(&only)?.is_false() {
            index -= 1;
            continue;
        }
        let (action, previous) =
            step_back(product, &place, &layers[index - 1])?.expect("a layer comes from the one before it");
        steps.push((action, place));
        place = previous;
        index -= 1;
    }
    steps.reverse();
    Ok((place, steps))
}

/// A place of the set from which one step leads here, and the step's action.
fn step_back(product: &Product<'_>, to: &Place, from: &Bdd) -> Result<Option<(ActionId, Place)>, Stopped> {
    let only = product.only(to)?;
    for step in &product.steps {
        let before = step.preimage(&only)?.and(from)?.minus(&product.encoding.error)?;
        if !before.is_false() {
            return Ok(Some((step.shown, product.pick(&before))));
        }
    }
    Ok(None)
}

/// A walk among the given places to a wanted one; empty if it begins there, `None` if there is none.
fn walk_among(
    product: &Product<'_>,
    from: &Place,
    among: &Bdd,
    wanted: &Bdd,
    monitor: Monitor<'_>,
) -> Result<Option<Walk>, Stopped> {
    let mut layers = vec![product.only(from)?];
    while layers.last().expect("not empty").and(wanted)?.is_false() {
        let known = layers.last().expect("not empty").clone();
        let mut reached = known.clone();
        for step in &product.steps {
            monitor.check()?;
            reached = reached.or(&step.image(&known.minus(&product.encoding.error)?)?.and(among)?)?;
        }
        if reached == known {
            return Ok(None);
        }
        layers.push(reached);
    }
    walk_to(product, &layers, wanted).map(|(_, walk)| Some(walk))
}

/// A lasso into the fair places. Its cycle meets every mark; where it cannot be closed, the walk went down to
/// a later component of the product, and begins again there; there are finitely many.
fn fair_run(
    product: &Product<'_>,
    layers: &[Bdd],
    fair: &Bdd,
    monitor: Monitor<'_>,
) -> Result<ViolatingRun<Composition>, Stopped> {
    let (start, mut stem) = walk_to(product, layers, fair)?;
    let mut entry = stem.last().map_or_else(|| start.clone(), |(_, place)| place.clone());
    loop {
        let mut cycle: Walk = Vec::new();
        let mut at = entry.clone();
        for mark in product.all_marks().iter() {
            let steps = &product.marked[mark as usize];
            let ready = product.before(steps, fair, monitor)?.and(fair)?;
            let walk = walk_among(product, &at, fair, &ready, monitor)?;
            cycle.extend(walk.expect("every mark can be met from a fair place"));
            at = cycle.last().map_or_else(|| entry.clone(), |(_, place)| place.clone());
            let step = product.step_into(steps, &at, fair)?.expect("the place is ready for the mark");
            at = step.1.clone();
            cycle.push(step);
        }
        if product.all_marks() == Marks::NONE {
            let step = product.step_into(&product.steps, &at, fair)?.expect("a fair place goes on");
            at = step.1.clone();
            cycle.push(step);
        }
        let home = product.only(&entry)?;
        match walk_among(product, &at, fair, &home, monitor)? {
            Some(walk) => {
                cycle.extend(walk);
                return Ok(ViolatingRun { start: start.0, stem: on_system(stem), cycle: on_system(cycle) });
            }
            None => {
                stem.extend(cycle);
                entry = at;
            }
        }
    }
}
