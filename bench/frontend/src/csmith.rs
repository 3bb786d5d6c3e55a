//! Programs of csmith (Yang, Chen, Eide, Regehr 2011), which Debian packages as `csmith` and `libcsmith-dev`.

use crate::compare::Settings;
use crate::differences::Source;
use crate::generate::Model;
use crate::native::Scratch;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Ways of calling csmith: the defaults, and what they leave out.
const VARIANTS: [&[&str]; 5] = [
    &[],
    &["--float"],
    &["--bitfields", "--packed-struct", "--unions"],
    // Not `--builtins`: it calls `__builtin_clz(0)`, which is undefined.
    &["--inline-function", "--const-struct-union-fields", "--no-packed-struct"],
    &["--max-funcs", "4", "--max-block-depth", "3", "--no-volatiles", "--jumps"],
];

/// The family of csmith's programs: the number is the seed, and chooses the variant.
#[derive(Debug)]
pub struct Csmith {
    settings: Settings,
}

impl Csmith {
    /// The family, or why csmith cannot be used here.
    pub fn find(model: Model) -> Result<Csmith, String> {
        Command::new("csmith").arg("--version").output().map_err(|error| {
            format!("csmith cannot be run ({error}); `apt-get install csmith libcsmith-dev`")
        })?;
        let header = ["/usr/include/csmith", "/usr/include/csmith-2.3.0", "/usr/local/include/csmith"]
            .into_iter()
            .find(|folder| Path::new(folder).join("csmith.h").exists())
            .ok_or("csmith.h is missing; `apt-get install libcsmith-dev`")?;
        let mut settings = Settings::small(model);
        let include = format!("-I{header}");
        settings.reading.arguments.push(include.clone());
        settings.gcc_arguments.push(include);
        settings.native_limit = Duration::from_secs(2);
        settings.concrete_limit = Duration::from_secs(120);
        Ok(Csmith { settings })
    }
}

impl Source for Csmith {
    fn name(&self) -> &str {
        "csmith"
    }

    fn program(&self, number: u64) -> Option<(String, &'static str)> {
        // csmith leaves a file `platform.info` where it runs.
        let scratch = Scratch::new().ok()?;
        let mut command = Command::new("csmith");
        command.current_dir(scratch.folder()).args(["--concise", "--seed", &number.to_string()]);
        command.args(VARIANTS[(number % VARIANTS.len() as u64) as usize]);
        let result = command.output().ok().filter(|result| result.status.success())?;
        Some((String::from_utf8(result.stdout).ok()?, "c"))
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }
}
