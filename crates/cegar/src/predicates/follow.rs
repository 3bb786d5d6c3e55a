//! A run of the Boolean program, followed in the program itself: the formula of that one path, call by call.
//! If it can hold, its inputs are a run to be judged by the interpreter; otherwise what was noted at each cut
//! point is what predicates are learned from.

use super::divide::{Come, Coming, Divided, Landing};
use base::Budget;
use logic::traits::{Assert, CheckAssuming, GetModel};
use logic::{Answer, EmbeddedSolver, Model, TermId};
use predicate::procedure::system::Values;
use predicate::procedure::{BooleanProgram, CutId, LargeBlockId, RoutineId, StepMeaning};
use prove::{Ahead, Exit, Goal};
use verdict::{NoModel, Reason};

/// One activation of a procedure, along a path.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Of which procedure.
    pub routine: RoutineId,
    /// The cut points it comes to, in order.
    pub stops: Vec<Stop>,
    /// The values of the procedure's end and the guard there, if it gets there.
    pub end: Option<(Values, TermId)>,
}

/// A cut point on the path.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The cut point itself.
    pub cut: CutId,
    /// What its symbols are.
    pub values: Values,
    /// When control is there.
    pub guard: TermId,
    /// The call that is made there.
    pub call: Option<Box<Segment>>,
    /// The block that follows; `None` where the path ends inside the call.
    pub block: Option<LargeBlockId>,
}

/// The path, followed.
#[derive(Debug)]
pub enum Followed {
    /// It can be taken, with this model; these may have happened at its end.
    Feasible(Box<Model>, Vec<Goal>, std::ops::Range<usize>),
    /// It cannot; as far as it can.
    Infeasible(Segment, Box<EmbeddedSolver>),
    /// It could not be told.
    Stopped(Reason),
}

struct Open {
    segment: Segment,
    /// The call that is active, made from the last stop.
    ahead: Option<Ahead>,
}

/// Paths longer than this are not followed.
const LONGEST: usize = 3000;

/// Follows the steps of a run.
pub fn follow(
    divided: &mut Divided<'_, '_>,
    boolean: &BooleanProgram,
    trace: &boolprog::Trace,
    budget: &Budget,
) -> Followed {
    if trace.steps.len() > LONGEST {
        let limit = LONGEST as u64;
        return Followed::Stopped(Reason::SizeLimit {
            what: "steps on the shortest path that is not excluded",
            limit,
        });
    }
    let first_fact = divided.explorer.encoder.facts.len();
    let first_input = divided.explorer.inputs.len();
    let followed = along(divided, boolean, trace, budget, first_fact, first_input);
    divided.explorer.encoder.facts.truncate(first_fact);
    followed
}

fn along(
    divided: &mut Divided<'_, '_>,
    boolean: &BooleanProgram,
    trace: &boolprog::Trace,
    budget: &Budget,
    first_fact: usize,
    first_input: usize,
) -> Followed {
    let mut solver = EmbeddedSolver::default();
    let mut asserted = first_fact;
    let main = divided.system.main.expect("a divided program has a main procedure");
    let start = divided.system.routines[main].entry;
    let yes = divided.explorer.encoder.terms.yes();
    let first = Stop { cut: start, values: Values::default(), guard: yes, call: None, block: None };
    let mut open =
        vec![Open { segment: Segment { routine: main, stops: vec![first], end: None }, ahead: None }];
    let mut coming = Coming::Start;
    let mut ended: Option<Exit> = None;
    for step in &trace.steps {
        if let Err(limit) = budget.check() {
            return Followed::Stopped(limit.into());
        }
        match boolean.meaning[step.edge] {
            StepMeaning::Return => {
                let Some(exit) = ended.take() else { return Followed::Stopped(broken()) };
                let Some(inner) = open.pop() else { return Followed::Stopped(broken()) };
                // The end of `main` ends the run.
                let Some(outer) = open.last_mut() else { return Followed::Stopped(broken()) };
                let Some(ahead) = outer.ahead.take() else { return Followed::Stopped(broken()) };
                let stop = outer.segment.stops.last_mut().expect("a call is made at a stop");
                stop.call = Some(Box::new(inner.segment));
                coming = Coming::Back(ahead, exit);
            }
            StepMeaning::Call(_) => {
                let last = open.last_mut().expect("control is in a procedure");
                let Some(ahead) = last.ahead.clone() else { return Followed::Stopped(broken()) };
                let Some(entered) = divided.explorer.entered(&ahead) else {
                    return Followed::Infeasible(closed(open), Box::new(solver));
                };
                let cut =
                    &divided.system.cuts[last.segment.stops.last().expect("a call is made at a stop").cut];
                let Some(callee) = cut.call.as_ref().map(|call| call.callee) else {
                    return Followed::Stopped(broken());
                };
                let entry = divided.system.routines[callee].entry;
                let values = divided.values_at(entry, &entered.state);
                let stop = Stop { cut: entry, values, guard: entered.guard, call: None, block: None };
                coming = Coming::At(entered);
                let segment = Segment { routine: callee, stops: vec![stop], end: None };
                open.push(Open { segment, ahead: None });
            }
            StepMeaning::LargeBlock(block) => {
                let wanted = divided.landings[block].clone();
                let landed = match divided.land(&coming, &wanted, budget) {
                    Ok(landed) => landed,
                    Err(why) => return Followed::Stopped(why),
                };
                let last = open.last_mut().expect("control is in a procedure");
                last.segment.stops.last_mut().expect("control is at a stop").block = Some(block);
                while let Some(&fact) = divided.explorer.encoder.facts.get(asserted) {
                    solver.assert(&mut divided.explorer.encoder.terms.pool, fact);
                    asserted += 1;
                }
                let Some((guard, come)) = landed else {
                    return Followed::Infeasible(closed(open), Box::new(solver));
                };
                match solver.check_assuming(&mut divided.explorer.encoder.terms.pool, &[guard], budget) {
                    Answer::Sat => {}
                    Answer::Unsat => return Followed::Infeasible(closed(open), Box::new(solver)),
                    Answer::Unknown(reason) => return Followed::Stopped(Reason::solver(&reason)),
                }
                match come {
                    Come::Failed(goals) => {
                        let Some(model) = solver.model(&mut divided.explorer.encoder.terms.pool, &[]) else {
                            return Followed::Stopped(NoModel::Missing.into());
                        };
                        let inputs = first_input..divided.explorer.inputs.len();
                        return Followed::Feasible(Box::new(model), goals, inputs);
                    }
                    Come::Ended(exit) => {
                        let values = divided.end_values(last.segment.routine, &exit);
                        last.segment.end = Some((values, guard));
                        ended = Some(exit);
                    }
                    Come::At(pending) => {
                        let Landing::Cut(cut) = wanted else { return Followed::Stopped(broken()) };
                        let values = divided.values_at(cut, &pending.state);
                        last.segment.stops.push(Stop { cut, values, guard, call: None, block: None });
                        coming = Coming::At(pending);
                    }
                    Come::Before(ahead) => {
                        let Landing::Cut(cut) = wanted else { return Followed::Stopped(broken()) };
                        let values = divided.values_at(cut, &ahead.pending.state);
                        last.segment.stops.push(Stop { cut, values, guard, call: None, block: None });
                        last.ahead = Some(ahead);
                    }
                }
            }
        }
    }
    Followed::Stopped(broken())
}

fn broken() -> Reason {
    Reason::RunDeparts { how: "a run of the Boolean program does not fit the program".to_owned() }
}

/// The path so far: open calls are the last thing their callers do.
fn closed(mut open: Vec<Open>) -> Segment {
    let mut inner = open.pop().expect("control is in a procedure").segment;
    while let Some(outer) = open.pop() {
        let mut segment = outer.segment;
        segment.stops.last_mut().expect("a call is made at a stop").call = Some(Box::new(inner));
        inner = segment;
    }
    inner
}
