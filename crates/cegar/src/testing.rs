//! A few runs on drawn inputs before anything else: what shows at once needs no solver, however long the loops are.

use crate::finding::Violation;
use crate::property::{Property, Settings};
use crate::replay::{Replayed, replay};
use crate::shorten::Shortener;
use base::Budget;
use concrete::{Captured, Interpreter, Outcome, SeededInputs, Uninitialised};
use program::expr::Part;
use program::{Action, Callee, Expr, ExprKind, Known, Program};
use std::time::{Duration, Instant};

/// Runs, steps of each, and time at most.
const MOST_RUNS: u64 = 40;
const MOST_STEPS: u64 = 1_000_000;
const MOST_TIME: Duration = Duration::from_secs(2);
/// Time to make a failing run shorter.
const MOST_TIME_TO_SHORTEN: Duration = Duration::from_secs(1);
/// Time for a run that may be the only one.
const MOST_TIME_OF_ONE: Duration = Duration::from_secs(4);
/// Steps of a run that may be the only one.
const MOST_STEPS_OF_ONE: u64 = 60_000_000;

/// Shows that the property holds because there is only one run: it takes no input, reads nothing from outside, does not depend on where objects
/// lie, and was seen to its end.
pub fn only_run(program: &Program, property: &Property, settings: &Settings, budget: &Budget) -> bool {
    if asks_outside(program) {
        return false;
    }
    let share = share_of(budget, MOST_TIME_OF_ONE);
    let mut run_settings = crate::replay::settings(settings.missing, &share);
    run_settings.uninitialised = Uninitialised::Report;
    run_settings.missing = concrete::Missing::Stop;
    run_settings.strictness.pointer_order = true;
    run_settings.strictness.pointer_arithmetic = true;
    run_settings.limits.steps = Some(MOST_STEPS_OF_ONE);
    let mut watcher = crate::replay::Watcher::new(program, property);
    let mut host = Captured::default();
    let interpreter = Interpreter::new(program);
    let mut nothing = concrete::ListedInputs::default();
    let run = interpreter.watch(&run_settings, &mut host, &mut nothing, &mut watcher);
    let has_ended = matches!(run.outcome, Outcome::Exited(_) | Outcome::Aborted(_))
        || matches!(run.outcome, Outcome::AssertionFailed { .. }) && !property.assertions;
    has_ended
        && watcher.has_seen_nothing()
        && run.inputs.is_empty()
        && run.assumptions.is_empty()
        && run.statistics.threads <= 1
        && (run.leaked.is_empty() || !property.checks.has(crate::checks::Check::Leak))
        && run.tolerated.iter().all(|report| {
            let is_asked =
                crate::checks::Check::of_report(report.kind).is_some_and(|check| property.checks.has(check));
            crate::replay::is_tolerable(report.kind) && !is_asked
        })
}

/// A tenth of the time that is left, and no more than `most`.
fn share_of(budget: &Budget, most: Duration) -> Budget {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    budget.clone().with_time(left.map_or(most, |left| (left / 10).min(most)))
}

/// Does the program read its input or arguments, or use addresses as numbers?
fn asks_outside(program: &Program) -> bool {
    let Some(main) = program.main else { return true };
    if !program.procedures[main].parameters.is_empty()
        || !program.constructors.is_empty()
        || !program.destructors.is_empty()
    {
        return true;
    }
    let is_number = |ty| program.types.is_integer(ty);
    let mut asks = program.variables.iter().any(|variable| variable.is_external);
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action {
                use Known::*;
                let known = program.procedures[*callee].known;
                asks |= known.is_some_and(|known| {
                    matches!(
                        known,
                        Getchar | Fgetc | Fgets | Scanf | Fscanf | AtExit | ThreadCreate | Setjmp | Longjmp
                    )
                });
            }
            edge.action.visit(&mut |part| {
                if let Part::Expr(Expr { kind: ExprKind::Cast(operand), ty }) = part {
                    asks |= program.types.is_pointer(operand.ty) && is_number(*ty);
                }
            });
        }
    }
    asks
}

/// A violation, if one of the runs shows it.
pub fn test(
    program: &Program,
    property: &Property,
    settings: &Settings,
    budget: &Budget,
) -> Option<Violation> {
    let interpreter = Interpreter::new(program);
    let share = share_of(budget, MOST_TIME);
    for seed in 0..MOST_RUNS {
        if share.check().is_err() {
            return None;
        }
        let mut run_settings = crate::replay::settings(settings.missing, &share);
        run_settings.limits.steps = Some(MOST_STEPS);
        let mut inputs = SeededInputs::new(seed);
        if let Replayed::Confirmed(confirmed) =
            replay(&interpreter, program, property, &run_settings, &mut inputs)
        {
            let share = share_of(budget, MOST_TIME_TO_SHORTEN);
            let mut run_settings = crate::replay::settings(settings.missing, &share);
            // A run that takes longer than the one that is there is not shorter.
            run_settings.limits.steps = Some(confirmed.run.statistics.steps + 1);
            let shortener = Shortener {
                interpreter: &interpreter,
                program,
                property,
                settings: &run_settings,
                budget: &share,
            };
            let confirmed = shortener.shorten(*confirmed);
            return Some(Violation {
                what: confirmed.what,
                check: confirmed.check,
                span: confirmed.span,
                inputs: confirmed.inputs,
                run: confirmed.run,
                steps: confirmed.steps,
                engine: "testing",
            });
        }
    }
    None
}
