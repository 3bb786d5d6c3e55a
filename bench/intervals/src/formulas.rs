//! CTL on random finite programs, against exhaustive search over concrete states that shares no code with the checker: the
//! programs are made from a small table of guarded assignments, which is searched directly.

use base::Budget;
use bench_frontend::random::Random;
use intervals::Context;
use intervals::analyse;
use intervals::ctl::{CtlSettings, ThreeValued, check};
use intervals::{Domain, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Values of each of the two variables: 0 to this, excluded.
const VALUES: u64 = 4;

/// In mode `m`, on input `i` below 3: `x` and `y` become this.
struct Machine {
    rules: Vec<[(u64, u64); 3]>,
}

type State = (u64, u64, u64);

impl Machine {
    fn random(random: &mut Random) -> Machine {
        let count = 2 + random.below(3);
        let value = |random: &mut Random| {
            (random.below(VALUES as usize) as u64, random.below(VALUES as usize) as u64)
        };
        let rules = (0..count).map(|_| [value(random), value(random), value(random)]).collect();
        Machine { rules }
    }

    /// The program: reads an input, then writes `x`, then `y`, then moves to the mode that `x` and `y` tell.
    fn text(&self) -> String {
        let mut text = String::from(
            "extern int __VERIFIER_nondet_int(void);\nint x; int y; int mode;\nint main(void) {\n  for (;;) {\n    int i = __VERIFIER_nondet_int();\n    switch (mode) {\n",
        );
        for (mode, rule) in self.rules.iter().enumerate() {
            let [a, b, c] = rule;
            text.push_str(&format!(
                "    case {mode}: if (i < 0) {{ x = {}; y = {}; }} else if (i == 7) {{ x = {}; y = {}; }} else {{ x = {}; y = {}; }} break;\n",
                a.0, a.1, b.0, b.1, c.0, c.1
            ));
        }
        text.push_str(&format!("    }}\n    mode = (x + y) % {};\n  }}\n}}\n", self.rules.len()));
        text
    }

    /// All states and steps: (x, y, mode, which of the three writes comes next with what).
    fn graph(&self) -> (Vec<State>, Vec<Vec<usize>>) {
        // A node is a state and the writes that still follow.
        type Node = (State, Vec<(u8, u64)>);
        let mut nodes: Vec<Node> = vec![((0, 0, 0), Vec::new())];
        let mut known: BTreeMap<Node, usize> = BTreeMap::from([(nodes[0].clone(), 0)]);
        let mut steps: Vec<Vec<usize>> = Vec::new();
        let mut at = 0;
        while at < nodes.len() {
            let (state, rest) = nodes[at].clone();
            let mut next: BTreeSet<Node> = BTreeSet::new();
            let mut write = |which: u8, value: u64, rest: Vec<(u8, u64)>| {
                let (x, y, mode) = state;
                let new = match which {
                    0 => (value, y, mode),
                    1 => (x, value, mode),
                    _ => (x, y, (x + y) % self.rules.len() as u64),
                };
                next.insert((new, rest));
            };
            match rest.split_first() {
                Some((&(which, value), rest)) => write(which, value, rest.to_vec()),
                None => {
                    for &(x, y) in &self.rules[state.2 as usize] {
                        write(0, x, vec![(1, y), (2, 0)]);
                    }
                }
            }
            steps.push(Vec::new());
            for node in next {
                let id = *known.entry(node.clone()).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                steps[at].push(id);
            }
            at += 1;
        }
        (nodes.into_iter().map(|(state, _)| state).collect(), steps)
    }
}

/// A formula, as text and for the search.
enum Formula {
    Atom(char, &'static str, u64),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Unary(&'static str, Box<Formula>),
    Until(&'static str, Box<Formula>, Box<Formula>),
}

impl Formula {
    fn random(random: &mut Random, depth: u32) -> Formula {
        let deeper = |random: &mut Random| Box::new(Formula::random(random, depth - 1));
        match if depth == 0 { 0 } else { random.below(6) } {
            0 | 1 if depth == 0 || random.below(2) == 0 => {
                let name = if random.below(2) == 0 { 'x' } else { 'y' };
                Formula::Atom(name, ["=", "<", ">="][random.below(3)], random.below(VALUES as usize) as u64)
            }
            0 | 1 => Formula::Not(deeper(random)),
            2 => Formula::And(deeper(random), deeper(random)),
            3 => Formula::Until(["A", "E"][random.below(2)], deeper(random), deeper(random)),
            _ => Formula::Unary(["AX", "EX", "AF", "EF", "AG", "EG"][random.below(6)], deeper(random)),
        }
    }

    fn text(&self) -> String {
        match self {
            Formula::Atom(name, op, value) => format!("({name} {op} {value})"),
            Formula::Not(inner) => format!("!({})", inner.text()),
            Formula::And(one, two) => format!("({} & {})", one.text(), two.text()),
            Formula::Unary(op, inner) => format!("{op}({})", inner.text()),
            Formula::Until(paths, one, two) => format!("{paths}[{} U {}]", one.text(), two.text()),
        }
    }

    fn holds(&self, states: &[State], steps: &[Vec<usize>]) -> Vec<bool> {
        let all = |test: &dyn Fn(usize) -> bool| (0..states.len()).map(test).collect::<Vec<bool>>();
        let until = |one: &[bool], two: &[bool], everywhere: bool| {
            let mut set = two.to_vec();
            loop {
                let next = all(&|at| {
                    let goes = if everywhere {
                        steps[at].iter().all(|&to| set[to])
                    } else {
                        steps[at].iter().any(|&to| set[to])
                    };
                    set[at] || one[at] && goes
                });
                if next == set {
                    return set;
                }
                set = next;
            }
        };
        match self {
            Formula::Atom(name, op, value) => all(&|at| {
                let own = if *name == 'x' { states[at].0 } else { states[at].1 };
                match *op {
                    "=" => own == *value,
                    "<" => own < *value,
                    _ => own >= *value,
                }
            }),
            Formula::Not(inner) => inner.holds(states, steps).into_iter().map(|holds| !holds).collect(),
            Formula::And(one, two) => {
                let (one, two) = (one.holds(states, steps), two.holds(states, steps));
                all(&|at| one[at] && two[at])
            }
            Formula::Until(paths, one, two) => {
                until(&one.holds(states, steps), &two.holds(states, steps), *paths == "A")
            }
            Formula::Unary(op, inner) => {
                let inner = inner.holds(states, steps);
                let truth = vec![true; states.len()];
                let not: Vec<bool> = inner.iter().map(|holds| !holds).collect();
                let negated = |set: Vec<bool>| set.into_iter().map(|holds| !holds).collect();
                match *op {
                    "AX" => all(&|at| steps[at].iter().all(|&to| inner[to])),
                    "EX" => all(&|at| steps[at].iter().any(|&to| inner[to])),
                    "AF" => until(&truth, &inner, true),
                    "EF" => until(&truth, &inner, false),
                    "AG" => negated(until(&truth, &not, false)),
                    _ => negated(until(&truth, &not, true)),
                }
            }
        }
    }
}

/// One random program with some formulas: how many were decided out of how many, or the first wrong answer.
pub fn check_seed(folder: &Path, seed: u64, formulas: u32) -> Result<(u32, u32), String> {
    let mut random = bench_frontend::random::of_seed(seed);
    let machine = Machine::random(&mut random);
    let (states, steps) = machine.graph();
    let text = machine.text();
    let program = crate::read::text(folder, &format!("formulas{seed}"), &text)?;
    let settings = Settings { domain: Domain::Intervals, ..Settings::default() };
    let budget = Budget::unlimited();
    let analysis = analyse(&program, &settings, &budget).map_err(|limit| limit.to_string())?;
    let context = Context::new(&program, &settings, Default::default());
    let mut decided = 0;
    for _ in 0..formulas {
        let formula = Formula::random(&mut random, 3);
        let (properties, _) = spec::ctl::parse(&formula.text(), 0);
        let [property] = &properties[..] else { return Err(format!("{} cannot be read", formula.text())) };
        let decision = check(
            &property.formula,
            Some(&analysis),
            &context,
            CtlSettings::default(),
            &budget,
            &base::Silent,
        )
        .map_err(|limit| limit.to_string())?;
        let holds = formula.holds(&states, &steps)[0];
        let is_wrong = match decision.answer {
            ThreeValued::Yes => !holds,
            ThreeValued::No => holds,
            ThreeValued::Maybe => false,
        };
        if is_wrong {
            return Err(format!("seed {seed}: {} is answered {:?}\n{text}", formula.text(), decision.answer));
        }
        decided += u32::from(decision.answer != ThreeValued::Maybe);
    }
    Ok((decided, formulas))
}
