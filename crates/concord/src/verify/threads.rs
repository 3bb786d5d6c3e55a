//! The files that tell about a violating run of threads.

use super::VerifyArgs;
use crate::last_word::OutputFile;
use evidence::Task;
use program::Program;
use question::Violation;

/// The files that were asked for; what cannot be written is told.
pub fn evidence_of(
    program: &Program,
    task: &Task,
    violation: &Violation,
    arguments: &VerifyArgs,
) -> Vec<OutputFile> {
    let mut files = Vec::new();
    if let Some(file) = &arguments.write_schedule
        && let Some(text) = evidence::schedule::text(program, task, violation, &file.to_string_lossy())
    {
        files.push((file.clone(), text));
    }
    if let Some(file) = &arguments.harness {
        match evidence::turns::harness(program, &task.property, violation) {
            Ok(text) => files.push((file.clone(), text)),
            Err(why) => {
                let file = file.display();
                crate::load::tell(&format!("warning: {file}: no harness is written: {why}\n"));
            }
        }
    }
    let rest = [
        (&arguments.write_inputs, "inputs belong to threads: --write-schedule has them"),
        (&arguments.witness, "witnesses of format 2.0 have no words for the order of threads"),
    ];
    for (file, why) in rest {
        if let Some(file) = file {
            crate::load::tell(&format!("warning: {} is not written: {why}\n", file.display()));
        }
    }
    files
}
