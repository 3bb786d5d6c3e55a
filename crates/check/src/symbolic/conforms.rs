//! Weak simulation of the system by a specification, as sets: for each state of the specification the set of
//! system states it simulates, the largest solution of THESIS Def. 4 with weak answers (SEEDS correction 5).
//! Rounds are kept apart, so that a pair's round is its rank in the game and a winning strategy can be read
//! off.
//! Naive twin: `simulation` on the explored system.

use super::SymbolicSettings;
use super::encoding::{Encoding, Event};
use super::reach::{reachable, refuse_priority};
use crate::simulation::SimulationSettings;
use crate::stopped::Stopped;
use crate::view::Viewed;
use crate::weak_moves::{WeakMoves, answers};
use base::{Id, IndexVec};
use lks::{ActionId, Composition, Lks, StateId, StateMark, Successors, SystemState};
use logic::bdd::Bdd;
use question::{Answer, Counterexample, Monitor, Verdict};
use rustc_hash::FxHashMap;
use verdict::{Certificate, Challenge, Tree, TreeNode, TreeNodeId};

/// Does the specification weakly simulate the system?
pub fn conforms(
    system: &Composition,
    specification: &Lks,
    settings: &SimulationSettings,
    limits: &SymbolicSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("symbolic", || {
        refuse_priority(system)?;
        let encoding = Encoding::new(system, limits)?;
        let reached = reachable(&encoding, &encoding.events, &encoding.initial, monitor)?;
        let mut game = Game {
            moves: WeakMoves::of(specification, monitor.budget)?,
            answers: answers(system.alphabet(), specification.alphabet(), settings.unknown_actions),
            encoding,
            specification,
            reached,
            rounds: Vec::new(),
        };
        game.rounds.push(game.admissible()?);
        loop {
            monitor.count("rounds", game.rounds.len());
            let next = game.round(monitor)?;
            if next == *game.rounds.last().expect("not empty") {
                break;
            }
            game.rounds.push(next);
        }
        let mut lost = game.encoding.initial.clone();
        for state in specification.initial() {
            lost = lost.minus(&game.rounds.last().expect("not empty")[state.index()])?;
        }
        let verdict = match lost.is_false() {
            true => {
                Verdict::Holds(Certificate::Exhaustive { states: game.encoding.states_in(&game.reached) })
            }
            false => Counterexample::Tree(game.strategy(&game.encoding.pick(&lost), monitor)?).into(),
        };
        Ok(Answer::by("symbolic", verdict)
            .count("rounds", game.rounds.len())
            .count("BDD nodes of the reached set", game.reached.node_count())
            .count("BDD nodes", game.encoding.manager.statistics().nodes))
    })
}

struct Game<'a> {
    encoding: Encoding<'a>,
    specification: &'a Lks,
    moves: WeakMoves,
    answers: IndexVec<ActionId, Option<ActionId>>,
    reached: Bdd,
    /// For each round and state of the specification the system states it has not lost yet.
    rounds: Vec<Vec<Bdd>>,
}

impl Game<'_> {
    /// Where the propositions of the specification agree, and it is not in ERROR.
    fn admissible(&self) -> Result<Vec<Bdd>, Stopped> {
        let names = self.specification.propositions();
        let mut holding = Vec::new();
        for id in names.ids() {
            holding.push((id, self.encoding.holding(names.name(id))?));
        }
        let mut all = Vec::new();
        for state in self.specification.states() {
            let mut agreeing = self.reached.clone();
            if self.specification.mark(state) == StateMark::Error {
                agreeing = self.encoding.manager.constant(false);
            }
            for (id, here) in &holding {
                agreeing = match self.specification.holds(state, *id) {
                    true => agreeing.and(here)?,
                    false => agreeing.minus(here)?,
                };
            }
            all.push(agreeing);
        }
        Ok(all)
    }

    /// The system states that some answer to the event still follows.
    fn answered(&self, state: StateId, event: &Event, round: &[Bdd]) -> Result<Bdd, Stopped> {
        let mut followed = self.encoding.manager.constant(false);
        if let Some(answer) = self.answers[event.shown] {
            for &(_, target) in self.moves.after(state, answer) {
                followed = followed.or(&round[target.index()])?;
            }
        }
        Ok(followed)
    }

    fn round(&self, monitor: Monitor<'_>) -> Result<Vec<Bdd>, Stopped> {
        let last = self.rounds.last().expect("the first round is there");
        let mut next = last.clone();
        for state in self.specification.states() {
            for event in &self.encoding.events {
                monitor.check()?;
                let unanswered = self.reached.minus(&self.answered(state, event, last)?)?;
                // In ERROR the system does nothing.
                let challenging = event.preimage(&unanswered)?.minus(&self.encoding.error)?;
                next[state.index()] = next[state.index()].minus(&challenging)?;
            }
        }
        Ok(next)
    }

    /// The round in which the system has won, if it has.
    fn rank(&self, system: &SystemState, state: StateId) -> Result<Option<usize>, Stopped> {
        let only = self.encoding.only(system)?;
        for (round, sets) in self.rounds.iter().enumerate() {
            if sets[state.index()].and(&only)?.is_false() {
                return Ok(Some(round));
            }
        }
        Ok(None)
    }

    /// A winning strategy from a state that no initial state of the specification simulates.
    fn strategy(&self, initial: &SystemState, monitor: Monitor<'_>) -> Result<Tree, Stopped> {
        let system = self.encoding.system;
        let mut tree = Tree::default();
        let mut known: FxHashMap<(SystemState, StateId), TreeNodeId> = FxHashMap::default();
        let mut positions: Vec<(SystemState, StateId)> = Vec::new();
        let mut node = |tree: &mut Tree, positions: &mut Vec<_>, position: (SystemState, StateId)| {
            *known.entry(position.clone()).or_insert_with(|| {
                let views = (system.view(&position.0), self.specification.view(&position.1));
                positions.push(position);
                tree.nodes.push(TreeNode {
                    implementation: views.0,
                    specification: views.1,
                    challenge: None,
                    children: Vec::new(),
                })
            })
        };
        for state in self.specification.initial() {
            let root = node(&mut tree, &mut positions, (initial.clone(), *state));
            tree.roots.push(root);
        }
        let mut next = 0;
        while next < positions.len() {
            monitor.check()?;
            let (from, state) = positions[next].clone();
            let id = TreeNodeId::from_index(next);
            next += 1;
            let rank = self.rank(&from, state)?.expect("every answer to a winning challenge is lost");
            // Round 0: the two differ already.
            let Some(before) = rank.checked_sub(1) else { continue };
            let only = self.encoding.only(&from)?;
            for event in &self.encoding.events {
                let unanswered = self.reached.minus(&self.answered(state, event, &self.rounds[before])?)?;
                let won = event.image(&only)?.and(&unanswered)?;
                if won.is_false() {
                    continue;
                }
                let to = self.encoding.pick(&won);
                tree.nodes[id].challenge = Some(Challenge {
                    action: system.alphabet().name(event.shown).to_owned(),
                    silent: event.shown.is_silent(),
                    to: system.view(&to),
                });
                if let Some(answer) = self.answers[event.shown] {
                    for &(_, target) in self.moves.after(state, answer) {
                        let child = node(&mut tree, &mut positions, (to.clone(), target));
                        tree.nodes[id].children.push(child);
                    }
                }
                break;
            }
        }
        Ok(tree)
    }
}
