//! Random programs with small variables, and whether every run of them ends: all their states are explored. Loops
//! inside loops, resets, strides, wrap-around, inputs, assumptions, jumps out of loops.
//!
//! The exploration knows nothing of C: it works on the steps that the program was printed from. A run that never ends
//! comes to some state twice, so that every run ends exactly if no state can be reached from itself.

use crate::Random;
use std::collections::BTreeMap;

/// Variables of a program.
const NAMES: [&str; 4] = ["x", "y", "z", "w"];
/// More states are not explored.
const MOST_STATES: usize = 400_000;

/// A program as text, and what is true of it.
#[derive(Clone, Debug)]
pub struct Ending {
    /// C.
    pub text: String,
    /// Does every run end? `None` if there are too many states.
    pub every_run_ends: Option<bool>,
}

pub(crate) type State = (usize, [u16; 4]);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    Number(u16),
    Variable(usize),
    Plus(usize, u16),
    Minus(usize, u16),
    Sum(usize, usize),
    Difference(usize, usize),
    Half(usize),
    Twice(usize),
    And(usize, usize),
    Xor(usize, u16),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Below(usize, u16),
    Above(usize, u16),
    IsNot(usize, u16),
    Less(usize, usize),
    Differ(usize, usize),
    IsOdd(usize),
    Input,
}

/// A step with where it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Set(usize, Term, usize),
    Input(usize, u16, usize),
    Choose(Test, usize, usize),
    Assume(Test, usize),
    End,
}

struct Maker {
    draw: Random,
    masks: [u16; 4],
    variables: usize,
    steps: Vec<Step>,
    text: String,
    budget: usize,
}

/// The program of a seed.
pub fn program(seed: u64) -> Ending {
    let Made { steps, masks, declared, body, .. } = made(seed);
    let text = format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void __VERIFIER_assume(int);\n\
         extern void abort(void);\nint main(void) {{\n  unsigned char {declared};\n{body}  return 0;\n}}\n"
    );
    Ending { text, every_run_ends: explore(&steps, &masks) }
}

/// A program before it is written: its steps, and the text of its body.
pub(crate) struct Made {
    pub steps: Vec<Step>,
    pub masks: [u16; 4],
    #[cfg_attr(not(feature = "formulas"), expect(dead_code))] // formulas are drawn over them
    pub variables: usize,
    /// The variables with their first values.
    pub declared: String,
    pub body: String,
}

pub(crate) fn made(seed: u64) -> Made {
    let mut draw = Random::new(seed);
    let variables = 1 + draw.below(3);
    let mut masks = [7; 4];
    for mask in &mut masks {
        *mask = [3, 7, 7, 15][draw.below(4)];
    }
    // One variable may be a whole byte, and wrap as such.
    if draw.below(3) == 0 {
        masks[0] = 255;
    }
    let budget = 3 + draw.below(7);
    let mut maker = Maker { draw, masks, variables, steps: Vec::new(), text: String::new(), budget };
    for at in 0..variables {
        if maker.draw.below(2) == 0 {
            maker.input(at, 1);
        } else {
            let number = maker.draw.below(usize::from(maker.masks[at]) + 1) as u16;
            maker.set(at, Term::Number(number), 1);
        }
    }
    while maker.budget > 0 {
        maker.statement(1, None);
    }
    maker.steps.push(Step::End);
    let declared: Vec<String> = (0..variables).map(|at| format!("{} = 0", NAMES[at])).collect();
    let Maker { masks, steps, text: body, .. } = maker;
    Made { steps, masks, variables, declared: declared.join(", "), body }
}

impl Maker {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn next(&self) -> usize {
        self.steps.len() + 1
    }

    fn set(&mut self, to: usize, term: Term, depth: usize) {
        let next = self.next();
        self.steps.push(Step::Set(to, term, next));
        let text = format!("{} = ({}) & {};", NAMES[to], term_text(term), self.masks[to]);
        self.line(depth, &text);
    }

    fn input(&mut self, to: usize, depth: usize) {
        let mask = [1, 3, self.masks[to]][self.draw.below(3)] & self.masks[to];
        let next = self.next();
        self.steps.push(Step::Input(to, mask, next));
        let text = format!("{} = __VERIFIER_nondet_uchar() & {mask};", NAMES[to]);
        self.line(depth, &text);
    }

    fn variable(&mut self) -> usize {
        self.draw.below(self.variables)
    }

    fn term(&mut self, to: usize) -> Term {
        let (one, two) = (self.variable(), self.variable());
        let number = 1 + self.draw.below(3) as u16;
        match self.draw.below(12) {
            0 => Term::Number(self.draw.below(8) as u16),
            1 => Term::Variable(one),
            2 | 3 => Term::Plus(to, number),
            4..=6 => Term::Minus(to, number),
            7 => Term::Sum(to, two),
            8 => Term::Difference(to, two),
            9 => Term::Half(to),
            10 => [Term::Twice(to), Term::And(to, two)][self.draw.below(2)],
            _ => Term::Xor(to, number),
        }
    }

    fn test(&mut self) -> Test {
        let (one, two) = (self.variable(), self.variable());
        let number = self.draw.below(6) as u16;
        match self.draw.below(9) {
            0 | 1 => Test::Below(one, number + 1),
            2 | 3 => Test::Above(one, number),
            4 => Test::IsNot(one, number),
            5 => Test::Less(one, two),
            6 => Test::Differ(one, two),
            7 => Test::IsOdd(one),
            _ => Test::Input,
        }
    }

    /// A statement; `around` collects the steps that leave the loop around it.
    fn statement(&mut self, depth: usize, around: Option<&mut Vec<usize>>) {
        self.budget = self.budget.saturating_sub(1);
        let kind = self.draw.below(14);
        match kind {
            0..=4 => {
                let to = self.variable();
                let term = self.term(to);
                self.set(to, term, depth);
            }
            5 => {
                let to = self.variable();
                self.input(to, depth);
            }
            6 | 7 if depth < 4 => {
                let test = self.test();
                let at = self.steps.len();
                self.steps.push(Step::End);
                self.line(depth, &format!("if ({}) {{", test_text(test)));
                let mut around = around;
                let count = 1 + self.draw.below(2);
                for _ in 0..count {
                    self.statement(depth + 1, around.as_deref_mut());
                }
                let end = self.steps.len();
                self.steps.push(Step::End);
                self.line(depth, "} else {");
                let other = self.steps.len();
                self.statement(depth + 1, around);
                self.line(depth, "}");
                self.steps[at] = Step::Choose(test, at + 1, other);
                let after = self.steps.len();
                self.steps[end] = jump(after);
            }
            8 => {
                let test = self.test();
                let next = self.next();
                self.steps.push(Step::Assume(test, next));
                self.line(depth, &format!("__VERIFIER_assume({});", test_text(test)));
            }
            9 if around.is_some() => {
                let test = self.test();
                let at = self.steps.len();
                self.steps.push(Step::Choose(test, usize::MAX, at + 1));
                if let Some(around) = around {
                    around.push(at);
                }
                self.line(depth, &format!("if ({}) break;", test_text(test)));
            }
            10 => {
                let test = self.test();
                let next = self.next();
                self.steps.push(Step::Choose(test, next, next + 1));
                self.steps.push(Step::End);
                self.line(depth, &format!("if ({}) abort();", test_text(test)));
            }
            _ if depth < 4 => self.repeat(depth),
            _ => {
                let to = self.variable();
                let term = self.term(to);
                self.set(to, term, depth);
            }
        }
    }

    fn repeat(&mut self, depth: usize) {
        let test = self.test();
        let tests_last = self.draw.below(4) == 0;
        let at = self.steps.len();
        if tests_last {
            self.line(depth, "do {");
        } else {
            self.steps.push(Step::End);
            self.line(depth, &format!("while ({}) {{", test_text(test)));
        }
        let mut leaves = Vec::new();
        let count = 1 + self.draw.below(3);
        for _ in 0..count {
            self.statement(depth + 1, Some(&mut leaves));
        }
        // Most loops of people count something.
        if self.draw.below(2) == 0 {
            let to = self.variable();
            self.set(to, Term::Minus(to, 1), depth + 1);
        }
        let back = self.steps.len();
        let after = back + 1;
        if tests_last {
            self.steps.push(Step::Choose(test, at, after));
            self.line(depth, &format!("}} while ({});", test_text(test)));
        } else {
            self.steps.push(jump(at));
            self.steps[at] = Step::Choose(test, at + 1, after);
            self.line(depth, "}");
        }
        for leave in leaves {
            if let Step::Choose(_, to, _) = &mut self.steps[leave] {
                *to = after;
            }
        }
    }
}

/// Control goes on there.
fn jump(to: usize) -> Step {
    Step::Choose(Test::Above(0, u16::MAX), to, to)
}

fn term_text(term: Term) -> String {
    let name = |at: usize| NAMES[at];
    match term {
        Term::Number(number) => number.to_string(),
        Term::Variable(at) => name(at).to_owned(),
        Term::Plus(at, number) => format!("{} + {number}", name(at)),
        Term::Minus(at, number) => format!("{} - {number}", name(at)),
        Term::Sum(one, two) => format!("{} + {}", name(one), name(two)),
        Term::Difference(one, two) => format!("{} - {}", name(one), name(two)),
        Term::Half(at) => format!("{} >> 1", name(at)),
        Term::Twice(at) => format!("{} * 2", name(at)),
        Term::And(one, two) => format!("{} & {}", name(one), name(two)),
        Term::Xor(at, number) => format!("{} ^ {number}", name(at)),
    }
}

pub(crate) fn test_text(test: Test) -> String {
    let name = |at: usize| NAMES[at];
    match test {
        Test::Below(at, number) => format!("{} < {number}", name(at)),
        Test::Above(at, number) => format!("{} > {number}", name(at)),
        Test::IsNot(at, number) => format!("{} != {number}", name(at)),
        Test::Less(one, two) => format!("{} < {}", name(one), name(two)),
        Test::Differ(one, two) => format!("{} != {}", name(one), name(two)),
        Test::IsOdd(at) => format!("{} & 1", name(at)),
        Test::Input => "__VERIFIER_nondet_uchar() & 1".to_owned(),
    }
}

fn value(term: Term, values: &[u16; 4]) -> u16 {
    match term {
        Term::Number(number) => number,
        Term::Variable(at) => values[at],
        Term::Plus(at, number) => values[at] + number,
        Term::Minus(at, number) => values[at].wrapping_sub(number),
        Term::Sum(one, two) => values[one] + values[two],
        Term::Difference(one, two) => values[one].wrapping_sub(values[two]),
        Term::Half(at) => values[at] >> 1,
        Term::Twice(at) => values[at] * 2,
        Term::And(one, two) => values[one] & values[two],
        Term::Xor(at, number) => values[at] ^ number,
    }
}

/// Whether it holds; `None` if that is for an input to say.
pub(crate) fn holds(test: Test, values: &[u16; 4]) -> Option<bool> {
    Some(match test {
        Test::Below(at, number) => values[at] < number,
        Test::Above(at, number) => values[at] > number,
        Test::IsNot(at, number) => values[at] != number,
        Test::Less(one, two) => values[one] < values[two],
        Test::Differ(one, two) => values[one] != values[two],
        Test::IsOdd(at) => values[at] & 1 == 1,
        Test::Input => return None,
    })
}

pub(crate) fn successors(steps: &[Step], masks: &[u16; 4], (at, values): State) -> Vec<State> {
    match steps[at] {
        Step::Set(to, term, next) => {
            let mut after = values;
            after[to] = value(term, &values) & masks[to];
            vec![(next, after)]
        }
        Step::Input(to, mask, next) => {
            let with = |number: u16| {
                let mut after = values;
                after[to] = number;
                (next, after)
            };
            (0..=mask).filter(|number| number & mask == *number).map(with).collect()
        }
        Step::Choose(test, yes, no) => match holds(test, &values) {
            Some(true) => vec![(yes, values)],
            Some(false) => vec![(no, values)],
            None => vec![(yes, values), (no, values)],
        },
        Step::Assume(test, next) => match holds(test, &values) {
            Some(false) => Vec::new(),
            _ => vec![(next, values)],
        },
        Step::End => Vec::new(),
    }
}

/// Is there no state that can be reached, and from itself again? Depth-first, with the states on the path marked.
fn explore(steps: &[Step], masks: &[u16; 4]) -> Option<bool> {
    let start: State = (0, [0; 4]);
    let mut is_on_path: BTreeMap<State, bool> = BTreeMap::new();
    let mut path: Vec<(State, Vec<State>)> = vec![(start, successors(steps, masks, start))];
    is_on_path.insert(start, true);
    while let Some((state, left)) = path.last_mut() {
        let Some(next) = left.pop() else {
            is_on_path.insert(*state, false);
            path.pop();
            continue;
        };
        match is_on_path.get(&next) {
            Some(true) => return Some(false),
            Some(false) => {}
            None => {
                if is_on_path.len() >= MOST_STATES {
                    return None;
                }
                is_on_path.insert(next, true);
                path.push((next, successors(steps, masks, next)));
            }
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_come_back_are_found() {
        let masks = [7; 4];
        // while (x != 0) x -= 2;
        let down = |start, by| {
            vec![
                Step::Set(0, Term::Number(start), 1),
                Step::Choose(Test::IsNot(0, 0), 2, 3),
                Step::Set(0, Term::Minus(0, by), 1),
                Step::End,
            ]
        };
        assert_eq!(explore(&down(4, 2), &masks), Some(true));
        assert_eq!(explore(&down(3, 2), &masks), Some(false));
        assert_eq!(explore(&down(3, 3), &masks), Some(true));
    }
}
