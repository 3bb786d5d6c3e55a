//! Does every maximal path of the system satisfy the formula? SELTL Theorem 4: iff the product of the
//! ⊥-completed system with the automaton of the negated, ⊥-completed formula is empty. A counterexample is
//! checked against the meaning of the formula before it is shown.

use super::fair::{FairActions, Fairness};
use super::lasso::ProductLasso;
use super::meaning::{MaximalPath, Position};
use super::product::{AtomMeaning, Product, ProductEdge};
use super::vacuity::idle_parts;
use super::{components, nested};
use crate::stopped::Stopped;
use crate::view::Viewed;
use automata::{Acceptance, Automaton, CannotTranslate, Ltl, Marks, translate};
use base::Id;
use lks::{ActionId, Successors};
use question::{Answer, Counterexample, Monitor, Verdict};
use spec::{Atom, Formula};
use verdict::{Certificate, Lasso, Reason};

/// Which search decides emptiness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emptiness {
    /// Strongly connected components of the product with a generalised automaton.
    #[default]
    Components,
    /// Nested depth-first search with an ordinary Büchi automaton. Not with fairness.
    NestedSearch,
}

/// Whether to look for parts of the formula that play no role in its holding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vacuity {
    /// Look, and remark.
    Report,
    /// Do not look.
    #[default]
    NotAsked,
}

/// How the question is put.
#[derive(Clone, Debug, Default)]
pub struct TemporalSettings {
    /// Which search.
    pub emptiness: Emptiness,
    /// Which infinite runs count.
    pub fairness: Fairness,
    /// Whether vacuity is told.
    pub vacuity: Vacuity,
    /// Give up after this many states of the product with the automaton.
    pub most_states: Option<usize>,
}

/// Does every (fair) maximal path of the system satisfy the formula?
pub fn holds<S: Viewed>(
    system: &S,
    formula: &Formula,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("explicit", || decide(system, formula, settings, monitor))
}

/// Has the system a (fair) run that the automaton accepts? Such runs are the forbidden ones. An atom is the
/// name of an event or, in brackets or not, of a proposition; `deadlock` holds after the end of a finite
/// path.
pub fn runs_of_automaton<S: Viewed>(
    system: &S,
    automaton: &Automaton,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    let meaning = automaton.atoms.iter().map(|name| meaning_of_name(system, name)).collect();
    Stopped::settle("explicit", || {
        let (lasso, answer) = search(system, automaton, meaning, settings, monitor)?;
        Ok(match lasso {
            None => answer,
            Some(lasso) => {
                Answer { verdict: shown(system, &lasso, "the automaton accepts this run").into(), ..answer }
            }
        })
    })
}

pub(super) fn decide<S: Viewed>(
    system: &S,
    formula: &Formula,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Result<Answer, Stopped> {
    let (found, mut answer) = violating_run(system, formula, settings, monitor)?;
    match found {
        Some(found) => answer.verdict = counterexample(system, formula, &found).into(),
        None if settings.vacuity == Vacuity::Report => {
            let remarks = idle_parts(system, formula, settings, monitor)?;
            answer.remarks.extend(remarks);
        }
        None => {}
    }
    Ok(answer)
}

/// A (fair) maximal path that violates the formula, if there is one. The answer holds; its verdict is the
/// caller's to change where a path was found.
pub(crate) fn violating_run<S: Viewed>(
    system: &S,
    formula: &Formula,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Result<(Option<ViolatingRun<S>>, Answer), Stopped> {
    let acceptance = match settings.emptiness {
        Emptiness::Components => Acceptance::Generalised,
        Emptiness::NestedSearch => Acceptance::States,
    };
    let (automaton, meaning) = forbidden(system, formula, acceptance, monitor)?;
    let (found, mut answer) = search(system, &automaton, meaning, settings, monitor)?;
    answer.remarks.extend(unknown_atoms(system, formula));
    Ok((found, answer))
}

/// The automaton of the paths that violate the formula, with what its atoms ask of the system.
pub(crate) fn forbidden<S: Successors>(
    system: &S,
    formula: &Formula,
    acceptance: Acceptance,
    monitor: Monitor<'_>,
) -> Result<(Automaton, Vec<AtomMeaning>), Stopped> {
    let atoms: Vec<Atom> = formula.atoms().into_iter().collect();
    let mut names: Vec<String> = atoms.iter().map(Atom::to_string).collect();
    names.push("⊥".to_owned());
    let completed = completed(formula, &atoms).negated();
    let automaton =
        translate(&completed, &names, acceptance, monitor.budget).map_err(|trouble| match trouble {
            CannotTranslate::Exhausted(exhausted) => Stopped::from(exhausted),
            CannotTranslate::TooManyPromises => Stopped::because(Reason::SizeLimit {
                what: "eventualities in one formula",
                limit: Marks::MOST.into(),
            }),
        })?;
    let mut meaning: Vec<AtomMeaning> = atoms.iter().map(|atom| meaning_of(system, atom)).collect();
    meaning.push(AtomMeaning::Stopped);
    Ok((automaton, meaning))
}

/// What the formula names and the system does not have.
pub(crate) fn unknown_atoms<S: Successors>(system: &S, formula: &Formula) -> Vec<String> {
    let unknown = formula.atoms().into_iter().filter(|atom| meaning_of(system, atom) == AtomMeaning::Never);
    unknown.map(|atom| format!("the system has no `{atom}`: it never holds")).collect()
}

/// The path as evidence. It is checked against the meaning of the formula; its steps must be the system's.
pub(crate) fn counterexample<S: Viewed>(
    system: &S,
    formula: &Formula,
    found: &ViolatingRun<S>,
) -> Counterexample {
    let path = maximal_path(system, found);
    assert!(!path.satisfies(formula), "the path found violates the formula");
    shown(system, found, "the formula does not hold of this run")
}

/// Runs the search; the answer holds until the caller says otherwise.
fn search<S: Viewed>(
    system: &S,
    automaton: &Automaton,
    meaning: Vec<AtomMeaning>,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Result<(Option<ViolatingRun<S>>, Answer), Stopped> {
    let fairness = FairActions::of(&settings.fairness, system.alphabet());
    if settings.emptiness == Emptiness::NestedSearch && !settings.fairness.is_none() {
        let why = "nested search knows no fairness; use components".to_owned();
        return Err(Stopped::because(Reason::EngineCannot { engine: "nested search", why }));
    }
    if automaton.marks as usize + fairness.weak.len() > Marks::MOST as usize {
        let limit = Marks::MOST.into();
        return Err(Stopped::because(Reason::SizeLimit {
            what: "acceptance and fairness conditions",
            limit,
        }));
    }
    let mut state_based = None;
    if settings.emptiness == Emptiness::NestedSearch && !(automaton.is_state_based() && automaton.marks <= 1)
    {
        state_based = Some(automata::with_accepting_states(automaton, monitor.budget)?);
    }
    let automaton = state_based.as_ref().unwrap_or(automaton);
    let mut product = Product::new(system, automaton, meaning, fairness);
    product.most_nodes = settings.most_states;
    let found = match settings.emptiness {
        Emptiness::Components => components::accepting_run(&mut product, monitor),
        Emptiness::NestedSearch => nested::accepting_run(&mut product, monitor),
    };
    let found = found.map_err(|stopped| {
        stopped.having_shown(format!("no violating run among {} product states", product.node_count()))
    })?;
    let answer = Answer::by(
        "explicit",
        Verdict::Holds(Certificate::Exhaustive { states: product.node_count() as u64 }),
    )
    .count("states", product.state_count())
    .count("product states", product.node_count())
    .count("product transitions", product.edges_seen)
    .count("automaton states", automaton.state_count())
    .count("automaton edges", automaton.edge_count());
    Ok((found.map(|lasso| ViolatingRun::of(&product, &lasso)), answer))
}

/// A violating run in terms of the system. The steps into and inside ⊥ are left out.
pub(crate) struct ViolatingRun<S: Successors> {
    pub start: S::State,
    pub stem: Vec<(ActionId, S::State)>,
    /// Empty if the run is finite.
    pub cycle: Vec<(ActionId, S::State)>,
}

impl<S: Successors> ViolatingRun<S> {
    fn of(product: &Product<'_, S>, lasso: &ProductLasso) -> ViolatingRun<S> {
        let steps = |edges: &[ProductEdge]| -> Vec<(ActionId, S::State)> {
            edges.iter().filter_map(|e| Some((e.event?, product.state_at(e.to)?.clone()))).collect()
        };
        let start = product.state_at(lasso.start).expect("runs begin in the system").clone();
        ViolatingRun { start, stem: steps(&lasso.stem), cycle: steps(&lasso.cycle) }
    }
}

fn meaning_of<S: Successors>(system: &S, atom: &Atom) -> AtomMeaning {
    match atom {
        Atom::Proposition(name) => {
            system.propositions().find(name).map_or(AtomMeaning::Never, AtomMeaning::Proposition)
        }
        Atom::Event(name) => system.alphabet().find(name).map_or(AtomMeaning::Never, AtomMeaning::Event),
    }
}

fn meaning_of_name<S: Successors>(system: &S, name: &str) -> AtomMeaning {
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let proposition = system.propositions().find(bare.unwrap_or(name)).map(AtomMeaning::Proposition);
    let event = system.alphabet().find(name).map(AtomMeaning::Event);
    match (bare, name) {
        (Some(_), _) => proposition.unwrap_or(AtomMeaning::Never),
        (None, "deadlock") => AtomMeaning::Stopped,
        (None, _) => event.or(proposition).unwrap_or(AtomMeaning::Never),
    }
}

/// φ⊥ of SELTL 3.1, extended to W and R by their definitions. Atom `i` is `atoms[i]`; the one after them is
/// dk.
pub(super) fn completed(formula: &Formula, atoms: &[Atom]) -> Ltl {
    let stopped = || Ltl::atom(automata::Atom::from_index(atoms.len()));
    let alive = || stopped().negated();
    let of = |formula: &Formula| completed(formula, atoms);
    match formula {
        Formula::True => Ltl::True,
        Formula::False => Ltl::False,
        Formula::Atom(atom) => {
            let index = atoms.binary_search(atom).expect("collected from the formula, in order");
            Ltl::atom(automata::Atom::from_index(index))
        }
        Formula::Not(f) => of(f).negated(),
        Formula::And(f, g) => of(f).and(of(g)),
        Formula::Or(f, g) => of(f).or(of(g)),
        Formula::Implies(f, g) => of(f).implies(of(g)),
        Formula::Iff(f, g) => of(f).iff(of(g)),
        Formula::Next(f) => of(f).and(alive()).next(),
        Formula::Eventually(f) => of(f).and(alive()).finally(),
        Formula::Always(f) => of(f).or(stopped()).globally(),
        Formula::Until(f, g) => of(f).until(of(g).and(alive())),
        // dk never ends once it holds, so what must hold before g∧¬dk must hold where ¬dk.
        Formula::WeakUntil(f, g) => of(f).or(stopped()).weak_until(of(g).and(alive())),
        Formula::Release(f, g) => of(f).release(of(g).or(stopped())),
    }
}

fn shown<S: Viewed>(system: &S, found: &ViolatingRun<S>, why: &str) -> Counterexample {
    let stem = system.view_path(&found.start, &found.stem, why);
    if found.cycle.is_empty() {
        return Counterexample::MaximalPath(stem);
    }
    let entry = found.stem.last().map_or(&found.start, |(_, state)| state);
    Counterexample::Lasso(Lasso { stem, cycle: system.view_steps(entry, &found.cycle) })
}

fn maximal_path<S: Viewed>(system: &S, found: &ViolatingRun<S>) -> MaximalPath {
    let names = |state: &S::State| -> Vec<String> {
        system.label(state).iter().map(|id| system.propositions().name(id).to_owned()).collect()
    };
    let event = |action: ActionId| Some(system.alphabet().name(action).to_owned());
    let mut path = MaximalPath::default();
    let mut at = &found.start;
    for (action, next) in &found.stem {
        path.stem.push(Position { propositions: names(at), event: event(*action) });
        at = next;
    }
    for (action, next) in &found.cycle {
        path.cycle.push(Position { propositions: names(at), event: event(*action) });
        at = next;
    }
    if found.cycle.is_empty() {
        path.stem.push(Position { propositions: names(at), event: None });
    }
    path
}
