//! Weak simulation: can the specification follow whatever the implementation does?
//! The simulation game of THESIS ch. 5, decided as N-HORNSAT on the hypergraph of its clauses (Ausiello and Italiano
//! 1991), in time and space linear in the clauses. Names in comments: WinPos, Chal, CE1-CE3 are the thesis'.
//! DIVERGENCE: weak moves (SEEDS correction 5: `ε* a ε*`, `ε*` for a silent step); several initial states; only
//! positions that the game can reach get a variable; the tree shares equal subtrees, so it is never larger than the
//! game. Propositions are those of the specification; one the implementation does not have counts as false.
//! Naive twin: `simulated_by_iteration` in the tests, the greatest fixpoint by the letter of Def. 4.

use crate::outcome::{Outcome, Stopped};
use crate::view::{Viewed, state_name};
use crate::weak_moves::{UnknownActions, WeakMoves, answers};
use base::{Budget, Id, IndexVec, define_id};
use lks::{ActionId, Lks, LksBuilder, PropositionId, StateId, StateMark};
use rustc_hash::FxHashMap;
use verdict::{Certificate, Challenge, Counterexample, Tree, TreeNode, TreeNodeId, Verdict};

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
    pub outcome: Outcome,
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

define_id!(
    /// A position of the game: a state of each side.
    PositionId,
    "w"
);

/// Does the specification weakly simulate the implementation?
pub fn simulates(
    implementation: &Lks,
    specification: &Lks,
    settings: &SimulationSettings,
    budget: &Budget,
) -> SimulationAnswer {
    match Game::play(implementation, specification, settings, budget) {
        Err(stopped) => {
            SimulationAnswer { outcome: Outcome::new(stopped.undecided), trees: Vec::new(), witness: None }
        }
        Ok(game) => game.answer(settings),
    }
}

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
    numbers: FxHashMap<(StateId, StateId), PositionId>,
    positions: IndexVec<PositionId, (StateId, StateId)>,
    /// WinPos, with the order in which it was filled.
    won: IndexVec<PositionId, Rank>,
    /// Chal: the challenge that wins; none where the labels differ already.
    challenges: IndexVec<PositionId, Option<(ActionId, StateId)>>,
    clauses: usize,
}

impl<'a> Game<'a> {
    fn play(
        implementation: &'a Lks,
        specification: &'a Lks,
        settings: &SimulationSettings,
        budget: &Budget,
    ) -> Result<Game<'a>, Stopped> {
        let names = specification.propositions();
        let mut game = Game {
            implementation,
            specification,
            moves: WeakMoves::of(specification, budget)?,
            answers: answers(implementation.alphabet(), specification.alphabet(), settings.unknown_actions),
            propositions: names
                .ids()
                .map(|own| (own, implementation.propositions().find(names.name(own))))
                .collect(),
            numbers: FxHashMap::default(),
            positions: IndexVec::new(),
            won: IndexVec::new(),
            challenges: IndexVec::new(),
            clauses: 0,
        };
        for &i in implementation.initial() {
            for &s in specification.initial() {
                game.position(i, s);
            }
        }
        // Clauses (THESIS 5.4.2): ¬won(position) ⇒ ⋁ ¬won(response). Kept as a hypergraph: each clause has its
        // position, the challenge it belongs to, and how many responses are not won yet.
        let mut clause_position: Vec<PositionId> = Vec::new();
        let mut clause_challenge: Vec<(ActionId, StateId)> = Vec::new();
        let mut open_responses: Vec<u32> = Vec::new();
        let mut uses: Vec<(PositionId, u32)> = Vec::new();
        let mut queue: Vec<PositionId> = Vec::new();
        let mut rank = 0;
        let mut next = 0;
        while next < game.positions.len() {
            let id = PositionId::from_index(next);
            next += 1;
            if next.is_multiple_of(1024) {
                budget.check()?;
            }
            let (i, s) = game.positions[id];
            if !game.labels_agree(i, s) {
                // Not admissible: the specification may not answer with it, so reaching it wins.
                game.win(id, None, &mut rank, &mut queue);
                continue;
            }
            for (action, i_next) in implementation.transitions(i) {
                let clause = clause_position.len() as u32;
                let mut responses = 0;
                if let Some(answer) = game.answers[action] {
                    let targets: Vec<StateId> = game.moves.after(s, answer).collect();
                    for s_next in targets {
                        let response = game.position(i_next, s_next);
                        uses.push((response, clause));
                        responses += 1;
                    }
                }
                clause_position.push(id);
                clause_challenge.push((action, i_next));
                open_responses.push(responses);
                if responses == 0 && game.won[id] == NOT_WON {
                    game.win(id, Some((action, i_next)), &mut rank, &mut queue); // CE3: a victorious challenge
                }
            }
        }
        game.clauses = clause_position.len();
        // Falsehood flows along the hyperedges, each looked at once.
        let (first_use, uses) = by_position(game.positions.len(), uses);
        let mut done = 0;
        while done < queue.len() {
            let position = queue[done];
            done += 1;
            if done.is_multiple_of(4096) {
                budget.check()?;
            }
            for &clause in &uses[first_use[position.index()]..first_use[position.index() + 1]] {
                let open = &mut open_responses[clause as usize];
                *open -= 1;
                let owner = clause_position[clause as usize];
                if *open == 0 && game.won[owner] == NOT_WON {
                    game.win(owner, Some(clause_challenge[clause as usize]), &mut rank, &mut queue); // CH1, CH2
                }
            }
        }
        Ok(game)
    }

    fn position(&mut self, i: StateId, s: StateId) -> PositionId {
        *self.numbers.entry((i, s)).or_insert_with(|| {
            self.won.push(NOT_WON);
            self.challenges.push(None);
            self.positions.push((i, s))
        })
    }

    fn win(
        &mut self,
        position: PositionId,
        challenge: Option<(ActionId, StateId)>,
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
        self.numbers.get(&(i, s)).is_some_and(|position| self.won[*position] != NOT_WON)
    }

    /// The positions the specification can answer a challenge with.
    fn responses(&self, s: StateId, (action, i_next): (ActionId, StateId)) -> Vec<PositionId> {
        let Some(answer) = self.answers[action] else { return Vec::new() };
        self.moves.after(s, answer).map(|s_next| self.numbers[&(i_next, s_next)]).collect()
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
        let outcome = Outcome::new(verdict)
            .count("states", self.implementation.state_count())
            .count("transitions", self.implementation.transition_count())
            .count("positions", self.positions.len())
            .count("clauses", self.clauses);
        SimulationAnswer { outcome, trees, witness }
    }

    /// Positions that were not won are a simulation relation (THESIS Theorem 9).
    fn relation(&self) -> Certificate {
        let mut pairs: Vec<(String, String)> = self
            .positions
            .iter_enumerated()
            .filter(|(id, _)| self.won[*id] == NOT_WON)
            .map(|(_, (i, s))| (state_name(self.implementation, *i), state_name(self.specification, *s)))
            .collect();
        pairs.sort_unstable();
        Certificate::Simulation { pairs }
    }

    /// ComputeStrategy, and then strategies that differ from it in one challenge (THESIS 5.3.1).
    fn trees(&self, initial: StateId, most: usize) -> Vec<Strategy> {
        let roots: Vec<PositionId> =
            self.specification.initial().iter().map(|s| self.numbers[&(initial, *s)]).collect();
        let first = self.strategy(&roots, None);
        let mut strategies = vec![first];
        let mut node = 0;
        while strategies.len() < most && node < strategies[0].nodes.len() {
            let position = strategies[0].nodes[node].position;
            let (i, s) = self.positions[position];
            // Where the labels differ already there is nothing to vary.
            let varied = self.challenges[position].is_some();
            for challenge in self.implementation.transitions(i).filter(|_| varied) {
                if strategies.len() == most {
                    break;
                }
                let wins = self.responses(s, challenge).iter().all(|response| self.won[*response] != NOT_WON);
                let is_new = self.challenges[position].is_some_and(|known| known != challenge);
                if wins && is_new {
                    strategies.push(self.strategy(&roots, Some((node, challenge))));
                }
            }
            node += 1;
        }
        strategies
    }

    /// A finite strategy: every node has the recorded challenge, except that node number `deviation.0` of the
    /// recorded strategy has another winning one. Below it the recorded challenges are used again, whose ranks fall,
    /// so the strategy is finite even if a position comes back.
    fn strategy(&self, roots: &[PositionId], deviation: Option<(usize, (ActionId, StateId))>) -> Strategy {
        let mut strategy = Strategy::default();
        let mut known: FxHashMap<(PositionId, bool), usize> = FxHashMap::default();
        // The recorded strategy's nodes come in this same order until the deviation, so its number identifies it.
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
            let (_, s) = self.positions[position];
            let above = strategy.nodes[index].above_deviation;
            let deviates = above && deviation.is_some_and(|(number, _)| number == index);
            let challenge = match deviation {
                Some((_, other)) if deviates => Some(other),
                _ => self.challenges[position],
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
            let (i, s) = self.positions[node.position];
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
        let (root_state, _) = self.positions[strategy.nodes[strategy.roots[0]].position];
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

/// Sorts pairs by position in linear time: where each position's part begins, and the parts.
fn by_position(positions: usize, pairs: Vec<(PositionId, u32)>) -> (Vec<usize>, Vec<u32>) {
    let mut first = vec![0usize; positions + 2];
    for (position, _) in &pairs {
        first[position.index() + 2] += 1;
    }
    for index in 1..first.len() {
        first[index] += first[index - 1];
    }
    let mut sorted = vec![0; pairs.len()];
    for (position, clause) in pairs {
        sorted[first[position.index() + 1]] = clause;
        first[position.index() + 1] += 1;
    }
    (first, sorted)
}
