//! The command `concord`.

use std::process::ExitCode;

fn main() -> ExitCode {
    concord::command()
}
