//! What a property forbids in a program, one thing after the other: each assertion, each call of an error function,
//! each label, each check. A property is broken by the first of them that happens in a run, so a part that is asked
//! apart is asked as "is there a run on which this is the first to happen?": the others are set aside, which means
//! that a run ends where one of them happens, and does not count.
//!
//! Worked example: of `assert(x > 1); assert(x > 0);` the second holds: a run with `x == 0` ends at the first.
//! With the first set aside, the program is `assume(x > 1); assert(x > 0);`.
//!
//! Twin: `concord`'s test `parts` makes every run of random programs, and collects what is the first to fail.

use crate::{Broken, Check, Checks, Property, Violation};
use base::Span;
use program::{Action, AssumeReason, Callee, Expr, Known, Origin, Procedure, ProcedureId, Program};

/// One of the things that a property forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What must not happen.
    pub target: Target,
    /// Where; nowhere for labels and checks.
    pub at: Span,
    /// Where the label stands, if it is one.
    pub labelled: Vec<Span>,
}

/// What must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The assertion of this text fails.
    Assertion(String),
    /// The function is called.
    Call(String),
    /// The label is reached.
    Label(String),
    /// There is such undefined behaviour, anywhere.
    Check(Check),
}

impl Part {
    /// Is this what the run breaks?
    pub fn is_broken_by(&self, violation: &Violation) -> bool {
        match (&self.target, violation.broken) {
            (Target::Assertion(_), Broken::Assertion) | (Target::Call(_), Broken::Call) => {
                self.at == violation.span
            }
            (Target::Label(_), Broken::Label) => self.labelled.contains(&violation.span),
            (Target::Check(Check::Cleanup), Broken::Check(Check::Leak)) => true,
            (Target::Check(check), Broken::Check(broken)) => *check == broken,
            (Target::Check(check), Broken::Deadlock) => *check == Check::Deadlock,
            _ => false,
        }
    }

    /// The check that it is, if it is one.
    pub fn check(&self) -> Option<Check> {
        match self.target {
            Target::Check(check) => Some(check),
            _ => None,
        }
    }

    /// What it is, for machines: `assertion`, `call`, `label`, or the name of a check.
    pub fn kind(&self) -> &'static str {
        match &self.target {
            Target::Assertion(_) => "assertion",
            Target::Call(_) => "call",
            Target::Label(_) => "label",
            Target::Check(check) => check.name(),
        }
    }

    /// What is said of it in a list of verdicts: that it does not happen, that it does, or what it is.
    pub fn told(&self, happens: Option<bool>) -> String {
        match (&self.target, happens) {
            (Target::Call(function), Some(true)) => format!("`{function}` is called"),
            (Target::Call(function), Some(false)) => format!("`{function}` is not called"),
            (Target::Label(label), Some(true)) => format!("label `{label}` is reached"),
            (Target::Label(label), Some(false)) => format!("label `{label}` is not reached"),
            (Target::Check(check), Some(false)) => format!("{}: no {}", check.name(), check.words()),
            (Target::Check(check), _) => check.name().to_owned(),
            _ => self.words(),
        }
    }

    /// What it is, for people.
    pub fn words(&self) -> String {
        match &self.target {
            Target::Assertion(text) => format!("assertion `{text}`"),
            Target::Call(function) => format!("call of `{function}`"),
            Target::Label(label) => format!("label `{label}`"),
            Target::Check(check) => check.words().to_owned(),
        }
    }

    /// That it does not happen, in words.
    pub fn promise(&self) -> String {
        match &self.target {
            Target::Assertion(text) => format!("the assertion `{text}` does not fail"),
            Target::Call(function) => format!("`{function}` is not called"),
            Target::Label(label) => format!("the label `{label}` is not reached"),
            Target::Check(check) => format!("there is no {}", check.words()),
        }
    }
}

/// The parts of a property, by their places, checks last. `reached` says which procedures runs may enter. What stands
/// in a function of which the call is forbidden is never come to; what an assertion of a library's description says is
/// the check `library`.
pub fn parts(program: &Program, property: &Property, reached: impl Fn(ProcedureId) -> bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        if !reached(id) || procedure.origin != Origin::User || property.forbids(procedure) {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let Some(part) = called_part(program, property, &edge.action, edge.span)
                && !parts.contains(&part)
            {
                parts.push(part);
            }
        }
    }
    // Expansions of one macro may share a place: what fails there can not be told apart.
    parts.sort_by_key(|part| part.at.start);
    parts.dedup_by(|second, first| {
        let is_same = second.at == first.at && second.kind() == first.kind();
        if let (true, Target::Assertion(first), Target::Assertion(second)) =
            (is_same, &mut first.target, &second.target)
        {
            first.push_str(&format!("`, `{second}"));
        }
        is_same
    });
    let part = |target, labelled| Part { target, at: Span::NOWHERE, labelled };
    let of_label = |label: &String| part(Target::Label(label.clone()), places_of(program, label));
    parts.extend(property.labels.iter().map(of_label));
    // `cleanup` is `leak` and more, and not asked without it.
    let is_told = |check: &Check| *check != Check::Leak || !property.checks.has(Check::Cleanup);
    parts.extend(property.checks.iter().filter(is_told).map(|check| part(Target::Check(check), Vec::new())));
    parts
}

/// Where a label stands.
fn places_of(program: &Program, label: &str) -> Vec<Span> {
    let bodies = program.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    let nodes = bodies.flat_map(|body| &body.nodes);
    nodes.filter(|node| node.labels.iter().any(|own| **own == *label)).map(|node| node.span).collect()
}

/// The part that a step breaks, if it calls what is forbidden.
fn called_part(program: &Program, property: &Property, action: &Action, at: Span) -> Option<Part> {
    let Action::Call { callee: Callee::Direct(callee), arguments, .. } = action else { return None };
    let callee = &program.procedures[*callee];
    if !property.forbids(callee) {
        return None;
    }
    let is_named = property.functions.iter().any(|name| **name == *callee.name);
    let target = match is_named {
        true => Target::Call(callee.name.to_string()),
        false => Target::Assertion(asserted(program, callee, arguments, at)),
    };
    Some(Part { target, at, labelled: Vec::new() })
}

/// The text of an assertion that fails by this call: what it passes, else what stands there.
fn asserted(program: &Program, callee: &Procedure, arguments: &[Expr], at: Span) -> String {
    debug_assert_eq!(callee.known, Some(Known::AssertFail));
    let number = if &*callee.name == "__assert_rtn" { 3 } else { 0 };
    let passed = arguments.get(number).and_then(|argument| program.literal_text(argument));
    passed.unwrap_or_else(|| program.show().source_text(at))
}

/// The program and the property without some parts, as the file's head says.
pub fn without(program: &Program, property: &Property, aside: &[&Part]) -> (Program, Property) {
    let mut narrowed = program.clone();
    let mut left = property.clone();
    let is_aside = |part: &Part| aside.iter().any(|other| other.at == part.at && other.kind() == part.kind());
    let int = narrowed.types.int();
    for procedure in narrowed.procedures.iter_mut().filter(|procedure| procedure.origin == Origin::User) {
        for edge in procedure.body.iter_mut().flat_map(|body| body.edges.iter_mut()) {
            if called_part(program, property, &edge.action, edge.span).is_some_and(|part| is_aside(&part)) {
                let never = Expr::integer(0, int, &narrowed.types);
                edge.action = Action::Assume { condition: never, expected: true, reason: AssumeReason::User };
            }
        }
    }
    left.labels.retain(|label| !aside.iter().any(|part| part.target == Target::Label(label.clone())));
    let gone = aside.iter().filter_map(|part| part.check()).fold(Checks::none(), Checks::with);
    left.checks = left.checks.without(gone);
    // Whether a block is lost is asked of runs that go on for ever too, which are not to be cut off.
    if !left.checks.has(Check::Lost) {
        left.passed = gone.iter().fold(left.passed, Checks::with);
    }
    (narrowed, left)
}
