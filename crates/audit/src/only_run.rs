//! The only run of a program without inputs, run again.

use crate::claim::Claim;
use base::{Budget, Span};
use concrete::{
    Captured, Interpreter, ListedInputs, Observer, OnMissingBody, OnUndefined, Run, RunOutcome, Settings,
    Step, ThreadId, UndefinedKind, Uninitialised, UnknownReason,
};
use program::expr::ExprPart;
use program::{Action, Callee, Expr, ExprKind, Known, Node, ProcedureId, Program};
use question::{Check, Judgement, Property};
use std::sync::Arc;

/// Runs the program and looks for what must not happen.
pub(crate) fn audit(program: &Program, claim: Claim<'_>, budget: &Budget) -> Judgement {
    if let Some(what) = outside_influence(program) {
        return Judgement::Refuted {
            why: format!("the program has more than one run: {what}"),
            at: Span::default(),
        };
    }
    let settings = settings(claim, budget);
    let mut guard = Guard::new(program, claim.property);
    let interpreter = Interpreter::new(program);
    let run =
        interpreter.watch(&settings, &mut Captured::default(), &mut ListedInputs::default(), &mut guard);
    if let Some(refuted) = harm(&run, &guard, claim) {
        return refuted;
    }
    if !run.inputs.is_empty() || !run.assumptions.is_empty() || run.statistics.threads > 1 {
        return Judgement::Refuted { why: "the run takes an input".to_owned(), at: Span::default() };
    }
    at_end(run, claim)
}

/// How runs are made from which it shows that nothing depends on what the interpreter chose.
pub(crate) fn settings(claim: Claim<'_>, budget: &Budget) -> Settings {
    let mut settings = Settings {
        // What library functions leave open is asked for: there is no such input.
        outside: concrete::Outside::Inputs,
        on_undefined: OnUndefined::Continue,
        uninitialised: Uninitialised::Report,
        missing: OnMissingBody::Stop,
        ..Settings::default()
    };
    settings.lost_blocks = claim.property.checks.has(Check::Lost);
    // Whether a run ends depends on what an error function does, where it has a body.
    if claim.property.endless_runs {
        settings.on_error = concrete::OnError::RunBody;
    }
    settings.strictness.pointer_order = true;
    settings.strictness.pointer_arithmetic = true;
    settings.strictness.layout = true;
    settings.limits.budget = budget.clone();
    settings
}

/// What a run did, up to its end, that must not happen.
pub(crate) fn harm(run: &Run, guard: &Guard<'_>, claim: Claim<'_>) -> Option<Judgement> {
    if let Some((what, at)) = &guard.seen {
        return Some(Judgement::Refuted { why: what.clone(), at: *at });
    }
    let is_asked = |check| claim.property.checks.has(check);
    let harmless = |kind: UndefinedKind| {
        use UndefinedKind::*;
        match kind {
            // What an overflow gives is nobody's choice where it is asked whether runs end.
            _ if claim.property.endless_runs => false,
            SignedOverflow => !is_asked(Check::SignedOverflow),
            BadShift => !is_asked(Check::Shift),
            LeftShift | FloatToInteger => true,
            _ => false,
        }
    };
    let report = run.tolerated.iter().find(|report| !harmless(report.kind))?;
    Some(Judgement::Refuted { why: report.message.clone(), at: report.place.span })
}

/// What the end of a run shows.
pub(crate) fn at_end(run: Run, claim: Claim<'_>) -> Judgement {
    let is_asked = |check| claim.property.checks.has(check);
    match run.outcome {
        RunOutcome::Exited(_) if is_asked(Check::Leak) && !run.leaked.is_empty() => {
            let block = &run.leaked[0];
            Judgement::Refuted { why: format!("{} is never freed", block.name), at: block.made_at }
        }
        RunOutcome::Aborted(_) | RunOutcome::AssertionFailed { .. }
            if is_asked(Check::Cleanup) && !run.left_by_abort.is_empty() =>
        {
            let block = &run.left_by_abort[0];
            Judgement::Refuted { why: format!("{} is never freed", block.name), at: block.made_at }
        }
        RunOutcome::Exited(_) | RunOutcome::Aborted(_) | RunOutcome::AssertionFailed { .. }
            if is_asked(Check::Lost) && run.lost > 0 =>
        {
            let why = "a block that nothing points to is not freed".to_owned();
            Judgement::Refuted { why, at: Span::default() }
        }
        RunOutcome::Exited(_) | RunOutcome::Aborted(_) => Judgement::Accepted,
        RunOutcome::ErrorReached { .. } if claim.property.endless_runs => Judgement::Accepted,
        RunOutcome::AssertionFailed { .. } if !claim.property.assertions => Judgement::Accepted,
        RunOutcome::LimitReached(limit, _) => Judgement::Open { why: limit.to_string() },
        RunOutcome::Undefined(report) => Judgement::Refuted { why: report.message, at: report.place.span },
        RunOutcome::Unknown(unknown) if unknown.reason == UnknownReason::InputsExhausted => {
            Judgement::Refuted { why: unknown.message, at: unknown.place.span }
        }
        RunOutcome::Unknown(unknown) => Judgement::Open { why: unknown.message },
        RunOutcome::AssertionFailed { place, .. } | RunOutcome::ErrorReached { place, .. } => {
            Judgement::Refuted { why: "the run ends in an error".to_owned(), at: place.span }
        }
        RunOutcome::AssumptionUnmet(_) | RunOutcome::Deadlock(_) => {
            Judgement::Open { why: "the run does not end by itself".to_owned() }
        }
    }
}

/// Looks for what must not be reached.
pub(crate) struct Guard<'p> {
    program: &'p Program,
    property: &'p Property,
    seen: Option<(String, Span)>,
}

impl<'p> Guard<'p> {
    pub(crate) fn new(program: &'p Program, property: &'p Property) -> Guard<'p> {
        Guard { program, property, seen: None }
    }

    /// Control comes to a node.
    fn reach(&mut self, node: &Node) {
        if self.seen.is_some() || self.property.labels.is_empty() {
            return;
        }
        let is_asked = |label: &&Arc<str>| self.property.labels.iter().any(|wanted| **wanted == ***label);
        if let Some(label) = node.labels.iter().find(is_asked) {
            self.seen = Some((format!("label `{label}` is reached"), node.span));
        }
    }
}

impl Observer for Guard<'_> {
    fn step(&mut self, step: Step) {
        if let Some(body) = &self.program.procedures[step.procedure].body {
            self.reach(&body.nodes[body.edges[step.edge].to]);
        }
    }

    // A label on the way is reached in the last round, too.
    fn may_skip_rounds(&self) -> bool {
        true
    }

    fn called(&mut self, _thread: ThreadId, procedure: ProcedureId) {
        let callee = &self.program.procedures[procedure];
        if self.seen.is_none() && self.property.forbids(callee) {
            self.seen = Some((format!("`{}` is called", callee.name), callee.span));
        }
        // No step leads to the place where a procedure starts.
        if let Some(body) = &callee.body {
            self.reach(&body.nodes[body.entry]);
        }
    }
}

/// What of the program may differ from run to run: input, arguments, addresses as numbers, values nobody
/// gives.
pub(crate) fn outside_influence(program: &Program) -> Option<String> {
    let main = program.main?;
    if !program.procedures[main].parameters.is_empty() {
        return Some("`main` takes arguments".to_owned());
    }
    if !program.constructors.is_empty() || !program.destructors.is_empty() {
        return Some("it has constructors or destructors".to_owned());
    }
    if let Some(variable) = program.variables.iter().find(|variable| variable.is_external) {
        return Some(format!("`{}` is defined elsewhere", variable.name));
    }
    let mut found = None;
    for edge in program.edges() {
        if let Action::Call { callee: Callee::Direct(callee), result, .. } = &edge.action {
            use Known::*;
            let callee = &program.procedures[*callee];
            if result.is_some() && callee.known.is_some_and(Known::tells_of_output) {
                found = Some(format!("it looks at the result of `{}`", callee.name));
            }
            if let Some(
                Getchar | Fgetc | Fgets | Fread | Ungetc | Feof | Scanf | Fscanf | AtExit | ThreadCreate
                | Setjmp | Longjmp,
            ) = callee.known
            {
                found = Some(format!("it calls `{}`", callee.name));
            }
        }
        edge.action.visit(&mut |part| {
            if let ExprPart::Expr(Expr { kind: ExprKind::Cast(operand), ty }) = part
                && program.types.is_pointer(operand.ty)
                && program.types.is_integer(*ty)
            {
                found = Some("it uses an address as a number".to_owned());
            }
        });
    }
    found
}
