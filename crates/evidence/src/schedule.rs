//! The schedule of a violating run of threads, as a file for `concord run --schedule`: the plan itself, with what it shows and how to repeat it as comments.

use crate::task::Task;
use program::Program;
use question::{Missing, Violation};

/// The text; nothing for a run of one thread.
pub fn text(program: &Program, task: &Task, violation: &Violation, file: &str) -> Option<String> {
    let plan = violation.schedule.as_ref()?;
    let at = crate::place::at(program, violation.span);
    let what = violation.what.replace('\n', " ");
    let files: Vec<&str> = task.files.iter().map(|file| file.name.as_str()).collect();
    let mut command = format!("concord run {} --schedule {file}", files.join(" "));
    // Other inputs are values of what was never written.
    let is_unwritten =
        |name: &str| !name.starts_with("__VERIFIER_") && program.procedure_named(name).is_none();
    let asks_more = plan.inputs.iter().any(|(_, name, _)| is_unwritten(name));
    if asks_more {
        command.push_str(" --uninitialised input");
    }
    // What the schedule is to show ends the run; what else C leaves undefined before must not.
    let is_shown = |report: &concrete::UndefinedReport| {
        violation.check().is_some() && report.place.span == violation.span
    };
    if violation.run.tolerated.iter().any(|report| !is_shown(report)) {
        command.push_str(" --on-undefined continue");
    }
    match task.missing {
        Missing::Stop => {}
        Missing::AnyResult => command.push_str(" --missing pure"),
        Missing::AnyEffect => command.push_str(" --missing nondet"),
    }
    Some(format!("{}# {what}{at}\n# repeat it: {command}\n", plan.to_text()))
}
