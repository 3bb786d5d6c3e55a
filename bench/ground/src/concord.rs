//! Asking the program under test.

use crate::json::Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The program under test and its limits.
#[derive(Clone, Debug)]
pub struct Concord {
    /// The executable.
    pub path: PathBuf,
    /// Seconds for each question.
    pub seconds: u64,
}

/// What it answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The exit status; none if it was killed.
    pub status: Option<i32>,
    /// Standard output, as JSON.
    pub json: Option<Json>,
    /// Standard error.
    pub errors: String,
    /// How long it took on the wall.
    pub took: Duration,
}

impl Concord {
    /// Runs it on files of a directory, with a limit and JSON as output.
    pub fn ask(&self, verb: &str, directory: &Path, arguments: &[&str]) -> std::io::Result<Answer> {
        let start = Instant::now();
        let output = Command::new("timeout")
            .args(["-k", "1", &(self.seconds + 20).to_string()])
            .arg(&self.path)
            .arg(verb)
            .args(arguments)
            .args(["--time-limit", &format!("{}s", self.seconds), "--memory-limit", "2G", "--format", "json"])
            .current_dir(directory)
            .output()?;
        Ok(Answer {
            status: output.status.code().filter(|&status| status != 124 && status != 137),
            json: Json::read(&String::from_utf8_lossy(&output.stdout)),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
            took: start.elapsed(),
        })
    }
}
