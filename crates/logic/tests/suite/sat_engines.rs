//! What engines on Boolean programs do with the SAT solver, written against the public interface only: bounded search,
//! k-induction, and frame by frame (PDR). One counter of four bits, whose answers are known.

use base::Budget;
use logic::Answer;
use logic::sat::{
    Assignment, CadicalSolver, ClauseGroup, FailedAssumptions, Literal, SolveUnder, SolveWithClause,
    TakeClauses, Variable, minimise_failed,
};

const BITS: usize = 4;

/// Counts 0, 1, …, `wraps_at`, 0, …; anything above it stays where it is.
struct Counter {
    wraps_at: u8,
}

fn value(state: &[Literal]) -> u8 {
    state.iter().rev().fold(0, |number, literal| number << 1 | u8::from(literal.is_positive()))
}

/// The literals that say the variables hold this number.
fn is_number(variables: &[Variable], number: u8) -> Vec<Literal> {
    variables.iter().enumerate().map(|(bit, variable)| variable.literal(number >> bit & 1 == 1)).collect()
}

impl Counter {
    fn next(&self, number: u8) -> u8 {
        match number {
            last if last == self.wraps_at => 0,
            above if above > self.wraps_at => above,
            number => number + 1,
        }
    }

    fn state(solver: &mut CadicalSolver) -> Vec<Variable> {
        (0..BITS).map(|_| solver.new_variable()).collect()
    }

    /// Row by row: from this number, to that one.
    fn add_step(&self, solver: &mut CadicalSolver, now: &[Variable], then: &[Variable]) {
        for number in 0..1u8 << BITS {
            let not_here: Vec<Literal> = is_number(now, number).iter().map(|&literal| !literal).collect();
            for literal in is_number(then, self.next(number)) {
                let mut clause = not_here.clone();
                clause.push(literal);
                solver.add_clause(&clause);
            }
        }
    }

    /// The length of the shortest run from 0 to `bad`, within a bound.
    fn shortest_run(&self, bad: u8, bound: usize) -> Option<Vec<u8>> {
        let mut solver = CadicalSolver::new();
        let mut states = vec![Counter::state(&mut solver)];
        for literal in is_number(&states[0], 0) {
            solver.add_clause(&[literal]);
        }
        for depth in 0..=bound {
            let last = states[depth].clone();
            let answer = solver.solve_under(&is_number(&last, bad), &Budget::unlimited());
            if answer == Answer::Sat {
                let run = states.iter().map(|state| value(&solver.literals_of(state).unwrap())).collect();
                return Some(run);
            }
            assert_eq!(answer, Answer::Unsat);
            let next = Counter::state(&mut solver);
            self.add_step(&mut solver, &last, &next);
            states.push(next);
        }
        None
    }

    /// Is `bad` unreachable by k-induction: not in the first k states, and never after k states without it?
    fn is_inductive(&self, bad: u8, k: usize) -> bool {
        let mut solver = CadicalSolver::new();
        let states: Vec<Vec<Variable>> = (0..=k).map(|_| Counter::state(&mut solver)).collect();
        for pair in states.windows(2) {
            self.add_step(&mut solver, &pair[0], &pair[1]);
        }
        // Both cases in one solver: what belongs to one only hangs on its group.
        let (base, step) = (ClauseGroup::open(&mut solver), ClauseGroup::open(&mut solver));
        for literal in is_number(&states[0], 0) {
            base.add_clause(&mut solver, &[literal]);
        }
        for state in &states[..k] {
            let clause: Vec<Literal> = is_number(state, bad).iter().map(|&literal| !literal).collect();
            step.add_clause(&mut solver, &clause);
        }
        let mut no_run = |group: &ClauseGroup, state: &[Variable]| {
            let mut assumptions = vec![group.active()];
            assumptions.extend(is_number(state, bad));
            solver.solve_under(&assumptions, &Budget::unlimited()) == Answer::Unsat
        };
        states[..k].iter().all(|state| no_run(&base, state)) && no_run(&step, &states[k])
    }

    /// PDR (Bradley 2011) on single states: `None` when `bad` is reachable, else clauses (as forbidden cubes) that
    /// are an inductive invariant without it.
    fn invariant_without(&self, bad: u8) -> Option<Vec<Vec<Literal>>> {
        let mut solver = CadicalSolver::new();
        let (now, then) = (Counter::state(&mut solver), Counter::state(&mut solver));
        self.add_step(&mut solver, &now, &then);
        let budget = Budget::unlimited();
        let initial = ClauseGroup::open(&mut solver);
        for literal in is_number(&now, 0) {
            initial.add_clause(&mut solver, &[literal]);
        }
        let primed = |literal: Literal| {
            let bit = now.iter().position(|&variable| variable == literal.variable()).unwrap();
            then[bit].literal(literal.is_positive())
        };
        let holds_zero = |cube: &[Literal]| cube.iter().all(|literal| !literal.is_positive());
        // Frame 0 is the initial state; frame i forbids cubes for i steps. A cube holds in all frames up to its own.
        let mut frames = vec![initial];
        let mut forbidden: Vec<(Vec<Literal>, usize)> = Vec::new();
        loop {
            frames.push(ClauseGroup::open(&mut solver));
            let top = frames.len() - 1;
            let active = |frames: &[ClauseGroup], from: usize| -> Vec<Literal> {
                if from == 0 {
                    vec![frames[0].active()]
                } else {
                    frames[from..].iter().map(ClauseGroup::active).collect()
                }
            };
            let mut open = vec![(is_number(&now, bad), top)];
            while let Some((cube, frame)) = open.pop() {
                if forbidden
                    .iter()
                    .any(|(known, until)| *until >= frame && known.iter().all(|l| cube.contains(l)))
                {
                    continue;
                }
                if frame == 0 || holds_zero(&cube) {
                    return None;
                }
                // Is the cube reachable in one step from the frame below, outside itself?
                let mut assumptions = active(&frames, frame - 1);
                assumptions.extend(cube.iter().map(|&literal| primed(literal)));
                let outside: Vec<Literal> = cube.iter().map(|&literal| !literal).collect();
                match solver.solve_with_clause(&assumptions, &outside, &budget) {
                    Answer::Sat => {
                        let before = solver.literals_of(&now).unwrap();
                        open.push((cube, frame));
                        open.push((before, frame - 1));
                    }
                    Answer::Unsat => {
                        // What the core names is enough, as long as it keeps the initial state out.
                        let failed = solver.failed_assumptions().to_vec();
                        let mut smaller: Vec<Literal> = cube
                            .iter()
                            .copied()
                            .filter(|&literal| failed.contains(&primed(literal)))
                            .collect();
                        if holds_zero(&smaller) {
                            smaller.clone_from(&cube);
                        }
                        let clause: Vec<Literal> = smaller.iter().map(|&literal| !literal).collect();
                        for group in &frames[1..=frame] {
                            group.add_clause(&mut solver, &clause);
                        }
                        forbidden.push((smaller, frame));
                    }
                    Answer::Unknown(reason) => panic!("{reason}"),
                }
            }
            // Push what stays true one frame further; a frame that loses nothing is the invariant.
            for frame in 1..top {
                let mut lost = false;
                for (cube, until) in &mut forbidden {
                    if *until != frame {
                        continue;
                    }
                    let mut assumptions = active(&frames, frame);
                    assumptions.extend(cube.iter().map(|&literal| primed(literal)));
                    if solver.solve_under(&assumptions, &budget) == Answer::Unsat {
                        let clause: Vec<Literal> = cube.iter().map(|&literal| !literal).collect();
                        frames[frame + 1].add_clause(&mut solver, &clause);
                        *until = frame + 1;
                    } else {
                        lost = true;
                    }
                }
                if !lost {
                    return Some(
                        forbidden
                            .into_iter()
                            .filter(|(_, until)| *until > frame)
                            .map(|(cube, _)| cube)
                            .collect(),
                    );
                }
            }
            assert!(top < 40, "sixteen states need fewer frames");
        }
    }
}

#[test]
fn bounded_search_finds_the_shortest_run() {
    let counter = Counter { wraps_at: 9 };
    let run = counter.shortest_run(7, 20).unwrap();
    assert_eq!(run, (0..=7).collect::<Vec<u8>>());
    assert_eq!(counter.shortest_run(12, 30), None);
}

#[test]
fn induction_proves_what_is_inductive() {
    let counter = Counter { wraps_at: 9 };
    assert!(!counter.is_inductive(7, 3), "7 is reached");
    // 10 has only itself before it: never again once left out.
    assert!(counter.is_inductive(10, 1));
    let other = Counter { wraps_at: 15 };
    assert!(!other.is_inductive(3, 12));
}

#[test]
fn frames_prove_or_refute_every_state() {
    for wraps_at in [3, 9, 15] {
        let counter = Counter { wraps_at };
        for bad in 0..1u8 << BITS {
            match counter.invariant_without(bad) {
                None => assert!(bad <= wraps_at, "{bad} is not reached when it wraps at {wraps_at}"),
                Some(cubes) => {
                    assert!(bad > wraps_at, "{bad} is reached when it wraps at {wraps_at}");
                    // The solver's first variables are the bits of the state.
                    let is_allowed = |number: u8| {
                        !cubes.iter().any(|cube| {
                            cube.iter().all(|literal| {
                                let bit = base::Id::index(literal.variable());
                                (number >> bit & 1 == 1) == literal.is_positive()
                            })
                        })
                    };
                    // It holds at first, is kept by every step, and leaves the bad state out.
                    assert!(is_allowed(0) && !is_allowed(bad));
                    for number in (0..1u8 << BITS).filter(|&number| is_allowed(number)) {
                        assert!(is_allowed(counter.next(number)));
                    }
                }
            }
        }
    }
}

#[test]
fn a_state_is_lifted_to_the_cube_that_matters() {
    let counter = Counter { wraps_at: 15 };
    let mut solver = CadicalSolver::new();
    let (now, then) = (Counter::state(&mut solver), Counter::state(&mut solver));
    counter.add_step(&mut solver, &now, &then);
    // From 6 the next number is odd; of 6 only its last bit matters for that.
    let mut assumptions = is_number(&now, 6);
    assumptions.push(then[0].negative());
    assert_eq!(solver.solve_under(&assumptions, &Budget::unlimited()), Answer::Unsat);
    let failed = solver.failed_assumptions().to_vec();
    let mut needed = minimise_failed(&mut solver, &failed, &Budget::unlimited());
    needed.sort();
    assert_eq!(needed, [now[0].negative(), then[0].negative()]);
}
