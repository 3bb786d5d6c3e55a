//! Random programs with small global variables, a random temporal formula over them, and whether every run satisfies it: all
//! states of the program are explored, times those of the formula's automaton.
//!
//! A run is a sequence of positions: position 0 is the entry, each write to a variable that the formula reads makes the next
//! one. A run that makes no more of them stays in its last position; one that ends has no next position after it, or it lasts
//! for ever. The exploration knows nothing of C: it works on the steps that the program was printed from.

use crate::Random;
use crate::endings::{Made, State, Step, Test, holds, made, successors, test_text};
use automata::{Acceptance, Atom, Automaton, LassoWord, Letter, Location, Ltl, Marks, translate};
use base::{Budget, Id};
use std::collections::{BTreeMap, BTreeSet};

/// More states are not explored.
const MOST_STATES: usize = 60_000;
/// Atoms of a formula.
const MOST_ATOMS: usize = 3;

/// A program and a formula, and what is true of them.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// C.
    pub text: String,
    /// The formula, with conditions in double quotes.
    pub formula: String,
    /// Does the end of a run leave no next position? Else the last one lasts for ever.
    pub ends_count: bool,
    /// Does every run satisfy it? `None` if there are too many states.
    pub every_run_satisfies: Option<bool>,
}

/// The program and the formula of a seed.
pub fn program(seed: u64) -> Temporal {
    let mut draw = Random::new(seed ^ 0x7E3A_11C5);
    let program = made(seed);
    let Made { declared, body, .. } = &program;
    let text = format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void __VERIFIER_assume(int);\n\
         extern void abort(void);\nunsigned char {declared};\nint main(void) {{\n{body}  return 0;\n}}\n"
    );
    let count = 1 + draw.below(MOST_ATOMS);
    let tests: Vec<Test> = (0..count).map(|_| drawn_test(&mut draw, program.variables)).collect();
    let formula = drawn_formula(&mut draw, count);
    let ends_count = draw.coin();
    let every_run_satisfies = explore(&program, &tests, &formula, ends_count);
    let written = written(&formula, &tests);
    Temporal { text, formula: written, ends_count, every_run_satisfies }
}

fn drawn_test(draw: &mut Random, variables: usize) -> Test {
    let (one, two) = (draw.below(variables), draw.below(variables));
    let number = draw.below(5) as u16;
    match draw.below(6) {
        0 | 1 => Test::IsNot(one, number),
        2 => Test::Below(one, 1 + number),
        3 => Test::Above(one, number),
        4 => Test::Less(one, two),
        _ => Test::Differ(one, two),
    }
}

/// Shapes that people ask, and any others.
fn drawn_formula(draw: &mut Random, atoms: usize) -> Ltl {
    let mut atom = || {
        let atom = Ltl::atom(Atom::from_index(draw.below(atoms)));
        if draw.coin() { atom } else { atom.negated() }
    };
    let (p, q) = (atom(), atom());
    match draw.below(12) {
        0 => p.globally(),
        1 => p.finally(),
        2 => p.finally().globally(),
        3 => p.globally().finally(),
        4 | 5 => p.implies(q.finally()).globally(),
        6 => p.until(q),
        7 => p.weak_until(q),
        8 => p.implies(q.next()).globally(),
        size => {
            let size = size - 5;
            draw.ltl(size, atoms)
        }
    }
}

fn written(formula: &Ltl, tests: &[Test]) -> String {
    let of = |inner: &Ltl| written(inner, tests);
    let both = |one: &Ltl, op: &str, two: &Ltl| format!("({} {op} {})", of(one), of(two));
    match formula {
        Ltl::True => "true".to_owned(),
        Ltl::False => "false".to_owned(),
        Ltl::Atom(atom) => format!("\"{}\"", test_text(tests[atom.index()])),
        Ltl::Not(f) => format!("!{}", of(f)),
        Ltl::And(f, g) => both(f, "&&", g),
        Ltl::Or(f, g) => both(f, "||", g),
        Ltl::Next(f) => format!("X {}", of(f)),
        Ltl::Until(f, g) => both(f, "U", g),
        Ltl::WeakUntil(f, g) => both(f, "W", g),
        Ltl::Release(f, g) => both(f, "R", g),
        Ltl::StrongRelease(f, g) => both(f, "M", g),
        Ltl::Finally(f) => format!("F {}", of(f)),
        Ltl::Globally(f) => format!("G {}", of(f)),
    }
}

/// The formula over words in which an atom holds from behind the last position on (SELTL 3.1).
fn completed(formula: &Ltl, over: Atom) -> Ltl {
    let of = |inner: &Ltl| completed(inner, over);
    let (over_now, alive) = (|| Ltl::atom(over), || Ltl::atom(over).negated());
    match formula {
        Ltl::True | Ltl::False | Ltl::Atom(_) => formula.clone(),
        Ltl::Not(f) => of(f).negated(),
        Ltl::And(f, g) => of(f).and(of(g)),
        Ltl::Or(f, g) => of(f).or(of(g)),
        Ltl::Next(f) => of(f).and(alive()).next(),
        Ltl::Finally(f) => of(f).and(alive()).finally(),
        Ltl::Globally(f) => of(f).or(over_now()).globally(),
        Ltl::Until(f, g) => of(f).until(of(g).and(alive())),
        Ltl::WeakUntil(f, g) => of(f).or(over_now()).weak_until(of(g).and(alive())),
        Ltl::Release(f, g) => of(f).release(of(g).or(over_now())),
        // g holds up to a position of the run where f does too.
        Ltl::StrongRelease(f, g) => {
            let (f, g) = (of(f), of(g));
            g.clone().until(f.and(g).and(alive()))
        }
    }
}

struct Explorer<'e> {
    program: &'e Made,
    tests: &'e [Test],
    automaton: Automaton,
    over: Atom,
    ends_count: bool,
    /// The variables that the formula reads.
    observed: BTreeSet<usize>,
}

type Node = (State, Location);

fn explore(program: &Made, tests: &[Test], formula: &Ltl, ends_count: bool) -> Option<bool> {
    let over = Atom::from_index(tests.len());
    let names: Vec<String> = (0..=tests.len()).map(|at| format!("p{at}")).collect();
    let negated = formula.clone().negated();
    let asked = if ends_count { completed(&negated, over) } else { negated };
    let automaton = translate(&asked, &names, Acceptance::States, &Budget::unlimited()).ok()?;
    let mut used = BTreeSet::new();
    atoms_of(formula, &mut used);
    let observed = used.iter().flat_map(|&atom| read_by(tests[atom])).collect();
    Explorer { program, tests, automaton, over, ends_count, observed }.no_forbidden_run()
}

fn atoms_of(formula: &Ltl, found: &mut BTreeSet<usize>) {
    if let Ltl::Atom(atom) = formula {
        found.insert(atom.index());
    }
    formula.operands().into_iter().for_each(|operand| atoms_of(operand, found));
}

fn read_by(test: Test) -> Vec<usize> {
    match test {
        Test::Below(at, _) | Test::Above(at, _) | Test::IsNot(at, _) | Test::IsOdd(at) => vec![at],
        Test::Less(one, two) | Test::Differ(one, two) => vec![one, two],
        Test::Input => Vec::new(),
    }
}

impl Explorer<'_> {
    fn letter(&self, state: &State) -> Letter {
        (0..self.tests.len())
            .filter(|&at| holds(self.tests[at], &state.1) == Some(true))
            .map(Atom::from_index)
            .collect()
    }

    fn is_observed(&self, state: &State) -> bool {
        match self.program.steps[state.0] {
            Step::Set(to, ..) | Step::Input(to, ..) => self.observed.contains(&to),
            Step::Choose(..) | Step::Assume(..) | Step::End => false,
        }
    }

    /// The nodes behind one, with whether the step is marked.
    fn next(&self, (state, location): Node) -> Vec<(Node, bool)> {
        let after = successors(&self.program.steps, &self.program.masks, state);
        if !self.is_observed(&state) {
            return after.into_iter().map(|next| ((next, location), false)).collect();
        }
        let letter = self.letter(&state);
        let mut found = Vec::new();
        for edge in &self.automaton.edges[location] {
            let holds = |variable: automata::Variable| letter.contains(&Atom::from_index(variable.index()));
            if self.automaton.guards.evaluate(edge.guard, holds) {
                let is_marked = edge.marks == Marks::all(self.automaton.marks);
                found.extend(after.iter().map(|&next| ((next, edge.to), is_marked)));
            }
        }
        found
    }

    /// May a run end here, and be forbidden?
    fn ends_badly(&self, (state, location): &Node) -> bool {
        if !matches!(self.program.steps[state.0], Step::End) {
            return false;
        }
        let letter = self.letter(state);
        let word = match self.ends_count {
            true => LassoWord { stem: vec![letter], cycle: vec![Letter::from([self.over])] },
            false => LassoWord { stem: Vec::new(), cycle: vec![letter] },
        };
        self.automaton.accepts_from(&[*location], &word)
    }

    fn no_forbidden_run(&self) -> Option<bool> {
        let start: Node = ((0, [0; 4]), self.automaton.initial);
        let mut numbers: BTreeMap<Node, usize> = BTreeMap::from([(start, 0)]);
        let mut nodes = vec![start];
        let mut edges: Vec<Vec<(usize, bool)>> = Vec::new();
        while edges.len() < nodes.len() {
            let node = nodes[edges.len()];
            if self.ends_badly(&node) {
                return Some(false);
            }
            let mut own = Vec::new();
            for (next, is_marked) in self.next(node) {
                let count = nodes.len();
                let number = *numbers.entry(next).or_insert_with(|| {
                    nodes.push(next);
                    count
                });
                own.push((number, is_marked));
            }
            edges.push(own);
            if nodes.len() > MOST_STATES {
                return None;
            }
        }
        let of_all = parts(&edges, |_, _| true);
        let is_accepting = edges
            .iter()
            .enumerate()
            .any(|(from, own)| own.iter().any(|&(to, is_marked)| is_marked && of_all[from] == of_all[to]));
        if is_accepting {
            return Some(false);
        }
        // Runs on which nothing is observed any more.
        let is_silent = |from: usize, _: usize| !self.is_observed(&nodes[from].0);
        let of_silent = parts(&edges, is_silent);
        for (from, own) in edges.iter().enumerate() {
            for &(to, _) in own.iter().filter(|(to, _)| is_silent(from, *to)) {
                let (state, location) = &nodes[from];
                let word = LassoWord { stem: Vec::new(), cycle: vec![self.letter(state)] };
                if of_silent[from] == of_silent[to] && self.automaton.accepts_from(&[*location], &word) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}

base::define_id!(
    /// The number of a node.
    Number,
    "n"
);

/// The strongly connected component of each node, by edges that count.
fn parts(edges: &[Vec<(usize, bool)>], counts: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let all: Vec<Number> = (0..edges.len()).map(Number::from_index).collect();
    let next: Vec<Vec<Number>> = edges
        .iter()
        .enumerate()
        .map(|(from, own)| {
            own.iter().filter(|(to, _)| counts(from, *to)).map(|(to, _)| Number::from_index(*to)).collect()
        })
        .collect();
    let mut search = base::graph::Search::new(all.len());
    let found = search.run(all, |node: Number| next[node.index()].iter().copied());
    let mut of = vec![0; edges.len()];
    for (number, part) in found.iter().enumerate() {
        part.iter().for_each(|node| of[node.index()] = number);
    }
    of
}
