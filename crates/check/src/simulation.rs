//! Weak simulation (the simulation preorder): can the specification follow whatever the implementation does?
//! The simulation game of THESIS ch. 5, decided as N-HORNSAT on the hypergraph of its clauses (Ausiello and
//! Italiano 1991), in time and space linear in the clauses. Names in comments: WinPos, Chal, CE1-CE3 are the
//! thesis'.
//! DIVERGENCE: weak moves (SEEDS correction 5: `ε* a ε*`, `ε*` for a silent step); several initial states;
//! only positions that the game can reach get a variable; the tree shares equal subtrees, so it is never
//! larger than the game. Propositions are those of the specification; one the implementation does not have
//! counts as false.
//! Naive twin: `simulated_by_iteration` in the tests, the greatest fixpoint by the letter of Def. 4.
//!
//! Worked example: implementation `I = (coin -> (tea -> I | coffee -> I))`, specification `S = (coin -> tea
//! -> S | coin -> coffee -> S)`. Challenge `coin`; the specification answers by the branch with tea or by the
//! one with coffee. With tea it has no answer to the challenge `coffee`, with coffee none to `tea`: both
//! positions are won by the implementation, hence so is the first. The tree has `coin` at its root and the
//! two answers below. The traces are the same: see `refinement`.

use crate::positions::{ClauseId, PositionId, Positions, Uses};
use crate::stopped::Stopped;
use crate::view::{Viewed, state_name};
use crate::weak_moves::{UnknownActions, WeakMoves, answers};
use base::{Id, IndexVec};
use lks::{ActionId, Lks, LksBuilder, PropositionId, StateId, StateMark};
use question::{Answer, Counterexample, Monitor, Verdict};
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;
use verdict::{Certificate, Challenge, Tree, TreeNode, TreeNodeId};

/// How the question is put.
#[derive(Clone, Copy, Debug)]
pub struct SimulationSettings {
    /// What becomes of actions the specification does not know.
    pub unknown_actions: UnknownActions,
    /// At most this many distinct counterexamples are made.
    pub counterexamples: usize,
}

impl Default for SimulationSettings {
    fn default() -> SimulationSettings {
        SimulationSettings { unknown_actions: UnknownActions::Forbidden, counterexamples: 1 }
    }
}

/// The answer to a simulation question.
#[derive(Clone, Debug)]
pub struct SimulationAnswer {
    /// The verdict with the first counterexample.
    pub answer: Answer,
    /// All counterexamples, at most as many as asked for; the first is the verdict's.
    pub trees: Vec<Tree>,
    /// The part of the implementation that the first counterexample uses, as a structure of its own that the
    /// implementation simulates and the specification does not (THESIS 5.5).
    pub witness: Option<Witness>,
}

/// A part of the implementation that the specification cannot follow (THESIS 5.5).
#[derive(Clone, Debug)]
pub struct Witness {
    /// The part as a structure of its own.
    pub lks: Lks,
    /// For each of its states the state of the implementation it is a copy of.
    pub copies: IndexVec<StateId, StateId>,
}

/// Does the specification weakly simulate the implementation?
pub fn simulates(
    implementation: &Lks,
    specification: &Lks,
    settings: &SimulationSettings,
    monitor: Monitor<'_>,
) -> SimulationAnswer {
    match Game::play(implementation, specification, settings, monitor) {
        Err(stopped) => SimulationAnswer {
            answer: Answer::by("explicit", stopped.undecided),
            trees: Vec::new(),
            witness: None,
        },
        Ok(game) => game.answer(settings),
    }
}

/// Past this many positions the relation is not written out: its names would take more than the game.
const MOST_PAIRS_RECORDED: usize = 100_000;

/// When a position was found to be won by the implementation; smaller is earlier.
type Rank = u32;
const NOT_WON: Rank = Rank::MAX;

struct Game<'a> {
    implementation: &'a Lks,
    specification: &'a Lks,
    moves: WeakMoves,
    answers: IndexVec<ActionId, Option<ActionId>>,
    /// The implementation's name for each proposition of the specification.
    propositions: Vec<(PropositionId, Option<PropositionId>)>,
    positions: Positions,
    /// WinPos, with the order in which it was filled.
    won: IndexVec<PositionId, Rank>,
    /// Chal: which transition of the implementation's state wins; none where the labels differ already.
    challenges: IndexVec<PositionId, Option<NonZeroU32>>,
    clauses: usize,
}

/// A challenge by its place among the transitions of its state, counted from 1.
fn place(transition: usize) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(transition + 1).expect("fewer than 2^32 transitions"))
}

impl<'a> Game<'a> {
    fn play(
        implementation: &'a Lks,
        specification: &'a Lks,
        settings: &SimulationSettings,
        monitor: Monitor<'_>,
    ) -> Result<Game<'a>, Stopped> {
        let names = specification.propositions();
        let mut game = Game {
            implementation,
            specification,
            moves: WeakMoves::of(specification, monitor.budget)?,
            answers: answers(implementation.alphabet(), specification.alphabet(), settings.unknown_actions),
            propositions: names
                .ids()
                .map(|own| (own, implementation.propositions().find(names.name(own))))
                .collect(),
            positions: Positions::new(
                implementation.state_count(),
                specification.state_count(),
                implementation.transition_count(),
            ),
            won: IndexVec::new(),
            challenges: IndexVec::new(),
            clauses: 0,
        };
        for &i in implementation.initial() {
            for &s in specification.initial() {
                game.positions.meet(i, s);
            }
        }
        // Clauses (THESIS 5.4.2): ¬won(position) ⇒ ⋁ ¬won(response). Kept as a hypergraph: each clause has
        // its position, and how many responses are not won yet. Those of a position are neighbours, one for
        // each transition of the implementation's state.
        let mut owners: IndexVec<ClauseId, PositionId> = IndexVec::new();
        let mut open_responses: IndexVec<ClauseId, u32> = IndexVec::new();
        let mut first_clause: IndexVec<PositionId, ClauseId> = IndexVec::new();
        let mut uses = Uses::default();
        let mut queue: Vec<PositionId> = Vec::new();
        let mut rank = 0;
        while first_clause.len() < game.positions.len() {
            let id = first_clause.push(owners.next_id());
            game.won.push(NOT_WON);
            game.challenges.push(None);
            monitor.check_each(1024, id.index(), "positions", game.positions.len())?;
            let (i, s) = game.positions.pair(id);
            if !game.labels_agree(i, s) {
                // Not admissible: the specification may not answer with it, so reaching it wins.
                game.win(id, None, &mut rank, &mut queue);
                continue;
            }
            for (transition, (action, i_next)) in implementation.transitions(i).enumerate() {
                let clause = owners.push(id);
                let mut responses = 0;
                if let Some(answer) = game.answers[action] {
                    for (_, s_next) in game.moves.after(s, answer) {
                        uses.add(game.positions.meet(i_next, *s_next), clause);
                        responses += 1;
                    }
                }
                open_responses.push(responses);
                if responses == 0 && game.won[id] == NOT_WON {
                    game.win(id, place(transition), &mut rank, &mut queue); // CE3: a victorious challenge
                }
            }
        }
        game.clauses = owners.len();
        // Falsehood flows along the hyperedges, each looked at once.
        let mut done = 0;
        while done < queue.len() {
            let position = queue[done];
            done += 1;
            if done.is_multiple_of(4096) {
                monitor.check()?;
            }
            for clause in uses.of(position) {
                let open = &mut open_responses[clause];
                *open -= 1;
                let owner = owners[clause];
                if *open == 0 && game.won[owner] == NOT_WON {
                    let transition = clause.index() - first_clause[owner].index();
                    game.win(owner, place(transition), &mut rank, &mut queue); // CH1, CH2
                }
            }
        }
        Ok(game)
    }

    /// The challenge that wins a position that was won.
    fn challenge(&self, position: PositionId) -> Option<(ActionId, StateId)> {
        let transition = self.challenges[position]?.get() as usize - 1;
        self.implementation.transitions(self.positions.pair(position).0).nth(transition)
    }

    fn met(&self, i: StateId, s: StateId) -> PositionId {
        self.positions.find(i, s).expect("responses to challenges were met")
    }

    fn win(
        &mut self,
        position: PositionId,
        challenge: Option<NonZeroU32>,
        rank: &mut Rank,
        queue: &mut Vec<PositionId>,
    ) {
        self.won[position] = *rank;
        *rank += 1;
        self.challenges[position] = challenge;
        queue.push(position);
    }

    /// Is the position admissible? One with the specification in ERROR is what the specification forbids.
    fn labels_agree(&self, i: StateId, s: StateId) -> bool {
        if self.specification.mark(s) == StateMark::Error {
            return false;
        }
        self.propositions.iter().all(|(own, other)| {
            self.specification.holds(s, *own)
                == other.is_some_and(|other| self.implementation.holds(i, other))
        })
    }

    fn is_won(&self, i: StateId, s: StateId) -> bool {
        self.positions.find(i, s).is_some_and(|position| self.won[position] != NOT_WON)
    }

    /// The positions the specification can answer a challenge with.
    fn responses(&self, s: StateId, (action, i_next): (ActionId, StateId)) -> Vec<PositionId> {
        let Some(answer) = self.answers[action] else { return Vec::new() };
        self.moves.after(s, answer).iter().map(|(_, s_next)| self.met(i_next, *s_next)).collect()
    }

    fn answer(&self, settings: &SimulationSettings) -> SimulationAnswer {
        let beaten = self
            .implementation
            .initial()
            .iter()
            .copied()
            .find(|&i| self.specification.initial().iter().all(|&s| self.is_won(i, s)));
        let verdict_and_trees = match beaten {
            None => (Verdict::Holds(self.relation()), Vec::new(), None),
            Some(initial) => {
                let trees = self.trees(initial, settings.counterexamples.max(1));
                let witness = self.witness(&trees[0]);
                let trees: Vec<Tree> = trees.iter().map(|strategy| self.show(strategy)).collect();
                (Counterexample::Tree(trees[0].clone()).into(), trees, Some(witness))
            }
        };
        let (verdict, trees, witness) = verdict_and_trees;
        let answer = Answer::by("explicit", verdict)
            .count("states", self.implementation.state_count())
            .count("transitions", self.implementation.transition_count())
            .count("positions", self.positions.len())
            .count("clauses", self.clauses);
        SimulationAnswer { answer, trees, witness }
    }

    /// Positions that were not won are a simulation relation (THESIS Theorem 9).
    fn relation(&self) -> Certificate {
        if self.positions.len() > MOST_PAIRS_RECORDED {
            return Certificate::Exhaustive { states: self.positions.len() as u64 };
        }
        let mut pairs: Vec<(String, String)> = self
            .positions
            .ids()
            .filter(|id| self.won[*id] == NOT_WON)
            .map(|id| self.positions.pair(id))
            .map(|(i, s)| (state_name(self.implementation, i), state_name(self.specification, s)))
            .collect();
        pairs.sort_unstable();
        Certificate::Simulation { pairs }
    }

    /// ComputeStrategy, and then strategies that differ from it in one challenge (THESIS 5.3.1).
    fn trees(&self, initial: StateId, most: usize) -> Vec<Strategy> {
        let roots: Vec<PositionId> =
            self.specification.initial().iter().map(|s| self.met(initial, *s)).collect();
        let first = self.strategy(&roots, None);
        let mut strategies = vec![first];
        let mut node = 0;
        while strategies.len() < most && node < strategies[0].nodes.len() {
            let position = strategies[0].nodes[node].position;
            let (i, s) = self.positions.pair(position);
            // Where the labels differ already there is nothing to vary.
            let recorded = self.challenge(position);
            for challenge in self.implementation.transitions(i).filter(|_| recorded.is_some()) {
                if strategies.len() == most {
                    break;
                }
                let wins = self.responses(s, challenge).iter().all(|response| self.won[*response] != NOT_WON);
                let is_new = recorded.is_some_and(|known| known != challenge);
                if wins && is_new {
                    strategies.push(self.strategy(&roots, Some((node, challenge))));
                }
            }
            node += 1;
        }
        strategies
    }

    /// A finite strategy: every node has the recorded challenge, except that node number `deviation.0` of the
    /// recorded strategy has another winning one. Below it the recorded challenges are used again, whose
    /// ranks fall, so the strategy is finite even if a position comes back.
    fn strategy(&self, roots: &[PositionId], deviation: Option<(usize, (ActionId, StateId))>) -> Strategy {
        let mut strategy = Strategy::default();
        let mut known: FxHashMap<(PositionId, bool), usize> = FxHashMap::default();
        // The recorded strategy's nodes come in this same order until the deviation, so its number identifies
        // it.
        let may_deviate = deviation.is_some();
        let mut open: Vec<usize> = Vec::new();
        for root in roots {
            let node = strategy.node(*root, may_deviate, &mut known, &mut open);
            strategy.roots.push(node);
        }
        let mut at = 0;
        while at < open.len() {
            let index = open[at];
            at += 1;
            let position = strategy.nodes[index].position;
            let (_, s) = self.positions.pair(position);
            let above = strategy.nodes[index].above_deviation;
            let deviates = above && deviation.is_some_and(|(number, _)| number == index);
            let challenge = match deviation {
                Some((_, other)) if deviates => Some(other),
                _ => self.challenge(position),
            };
            strategy.nodes[index].challenge = challenge;
            let Some(challenge) = challenge else { continue };
            // CE2: the children cover the responses.
            for response in self.responses(s, challenge) {
                let child = strategy.node(response, above && !deviates, &mut known, &mut open);
                strategy.nodes[index].children.push(child);
            }
        }
        strategy
    }

    fn show(&self, strategy: &Strategy) -> Tree {
        let mut tree = Tree::default();
        for node in &strategy.nodes {
            let (i, s) = self.positions.pair(node.position);
            tree.nodes.push(TreeNode {
                implementation: self.implementation.view(&i),
                specification: self.specification.view(&s),
                challenge: node.challenge.map(|(action, to)| Challenge {
                    action: self.implementation.alphabet().name(action).to_owned(),
                    silent: action.is_silent(),
                    to: self.implementation.view(&to),
                }),
                children: node.children.iter().map(|child| TreeNodeId::from_index(*child)).collect(),
            });
        }
        tree.roots = strategy.roots.iter().map(|root| TreeNodeId::from_index(*root)).collect();
        tree
    }

    /// TreeToWitness (THESIS 5.5): a state per node for the implementation's state after its challenge.
    fn witness(&self, strategy: &Strategy) -> Witness {
        let lks = self.implementation;
        let copies = std::cell::RefCell::new(IndexVec::new());
        let mut builder = LksBuilder::with_names("WITNESS", lks.alphabet(), lks.propositions());
        let copy = |builder: &mut LksBuilder, of: StateId| {
            let state = builder.state();
            lks.label(of).iter().for_each(|proposition| builder.label(state, proposition));
            builder.name_state(state, state_name(lks, of));
            copies.borrow_mut().push(of);
            state
        };
        let (root_state, _) = self.positions.pair(strategy.nodes[strategy.roots[0]].position);
        let initial = copy(&mut builder, root_state);
        builder.initial(initial);
        let after: Vec<Option<StateId>> =
            strategy.nodes.iter().map(|node| node.challenge.map(|(_, to)| copy(&mut builder, to))).collect();
        let mut link = |from: StateId, node: usize| {
            if let (Some((action, _)), Some(to)) = (strategy.nodes[node].challenge, after[node]) {
                builder.transition(from, action, to);
            }
        };
        strategy.roots.iter().for_each(|root| link(initial, *root));
        for (index, node) in strategy.nodes.iter().enumerate() {
            if let Some(from) = after[index] {
                node.children.iter().for_each(|child| link(from, *child));
            }
        }
        let copies = copies.into_inner();
        Witness { lks: builder.build(), copies }
    }
}

#[derive(Default)]
struct Strategy {
    roots: Vec<usize>,
    nodes: Vec<StrategyNode>,
}

struct StrategyNode {
    position: PositionId,
    challenge: Option<(ActionId, StateId)>,
    children: Vec<usize>,
    above_deviation: bool,
}

impl Strategy {
    fn node(
        &mut self,
        position: PositionId,
        above_deviation: bool,
        known: &mut FxHashMap<(PositionId, bool), usize>,
        open: &mut Vec<usize>,
    ) -> usize {
        *known.entry((position, above_deviation)).or_insert_with(|| {
            let index = self.nodes.len();
            self.nodes.push(StrategyNode {
                position,
                challenge: None,
                children: Vec::new(),
                above_deviation,
            });
            open.push(index);
            index
        })
    }
}
