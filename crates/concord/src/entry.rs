//! Where runs start: `main`, or the function that `--function` names. Without either there is nothing to
//! answer about.

use crate::exit::Exit;
use crate::load::complain;
use clap::{Args, ValueEnum};
use lower::entry::listed;
use lower::{Entry, EntryThreads, FunctionEntry, Globals, ObjectSizes, Steps};
use program::{Origin, Program};

/// What static variables hold when the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GlobalsArgument {
    /// Any value; constants what they are initialised with
    Any,
    /// What they are initialised with
    Initialised,
}

/// Where runs start, and what `malloc` may do.
#[derive(Clone, Debug, Default, Args)]
pub struct EntryArgs {
    /// Start with a call of this function, with any arguments, in place of `main`
    #[arg(long, value_name = "NAME", help_heading = "Entry")]
    pub function: Option<String>,
    /// Its pointers point to so many elements (bytes, for void): NUMBER for all, NAME=NUMBER for one
    /// parameter or static variable [default: as declared, else 1]
    #[arg(
        long,
        value_name = "[NAME=]NUMBER",
        requires = "function",
        value_parser = object_size,
        help_heading = "Entry"
    )]
    pub object_size: Vec<(Option<String>, u64)>,
    /// What static variables hold when it is called [default: any]
    #[arg(long, value_enum, value_name = "WHAT", requires = "function", help_heading = "Entry")]
    pub globals: Option<GlobalsArgument>,
    /// So many threads call it at the same time, or any number (`unbounded`), each with arguments of its own
    #[arg(
        long,
        value_name = "NUMBER|unbounded",
        requires = "function",
        value_parser = entry_threads,
        help_heading = "Entry"
    )]
    pub threads: Option<EntryThreads>,
    /// What a thread does in one step: one access of shared memory, or a whole statement, condition or
    /// assertion (as SATABS has it) [default: access]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Entry")]
    pub steps: Option<StepsArgument>,
    /// malloc, calloc, realloc and their relatives may return a null pointer
    #[arg(long, help_heading = "Entry")]
    pub malloc_may_fail: bool,
    /// What pointers lead to that were never given a value or come from outside: nothing is known past following
    /// one, or memory that the program uses in no other way [default: stop]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Entry")]
    pub unknown_pointers: Option<UnknownPointersArgument>,
}

/// What is supposed of pointers that lead to no object of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownPointersArgument {
    /// Following one is undefined behaviour
    Stop,
    /// Reading gives any value, writing changes nothing that the program sees
    Outside,
}

/// What a thread does without another coming in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StepsArgument {
    /// One access of memory that others see
    Access,
    /// A statement, a condition or an assertion
    Statement,
}

/// Threads that are created by name; more are a mistake.
const MOST_THREADS: u32 = 1000;

fn entry_threads(text: &str) -> Result<EntryThreads, String> {
    match text.parse::<u32>() {
        _ if text == "unbounded" => Ok(EntryThreads::Unbounded),
        Ok(0) => Err("no thread would run".to_owned()),
        Ok(number) if number > MOST_THREADS => {
            Err(format!("at most {MOST_THREADS} threads, or `unbounded` for any number"))
        }
        Ok(number) => Ok(EntryThreads::Exactly(number)),
        Err(_) => Err(format!("`{text}` is neither a number of threads nor `unbounded`")),
    }
}

/// Elements that one object may have.
const MOST_ELEMENTS: u64 = 1 << 24;

fn object_size(text: &str) -> Result<(Option<String>, u64), String> {
    let (name, number) = match text.split_once('=') {
        Some((name, number)) => (Some(name.trim().to_owned()), number),
        None => (None, text),
    };
    let number: u64 = number.trim().parse().map_err(|_| format!("`{number}` is no number of elements"))?;
    match number {
        0 => Err("an object has at least one element".to_owned()),
        number if number > MOST_ELEMENTS => {
            Err(format!("an object has at most {MOST_ELEMENTS} elements here"))
        }
        number => Ok((name, number)),
    }
}

impl EntryArgs {
    /// How programs are lowered under these arguments.
    pub fn settings(&self) -> lower::Settings {
        lower::Settings {
            entry: self.entry(),
            malloc_may_fail: self.malloc_may_fail,
            unknown_pointers: match self.unknown_pointers {
                None | Some(UnknownPointersArgument::Stop) => lower::UnknownPointers::Stop,
                Some(UnknownPointersArgument::Outside) => lower::UnknownPointers::Outside,
            },
            steps: match self.steps {
                None | Some(StepsArgument::Access) => Steps::Access,
                Some(StepsArgument::Statement) => Steps::Statement,
            },
            ..lower::Settings::default()
        }
    }

    fn entry(&self) -> Entry {
        let Some(name) = &self.function else { return Entry::Main };
        let is_plain = self.object_size.is_empty() && self.globals.is_none() && self.threads.is_none();
        if name == "main" && is_plain {
            return Entry::Main;
        }
        let mut sizes = ObjectSizes::default();
        for (name, number) in &self.object_size {
            match name {
                Some(name) => sizes.named.push((name.clone(), *number)),
                None => sizes.every = Some(*number),
            }
        }
        let globals = match self.globals {
            None | Some(GlobalsArgument::Any) => Globals::Any,
            Some(GlobalsArgument::Initialised) => Globals::Initialised,
        };
        Entry::Function(FunctionEntry { name: name.clone(), sizes, globals, threads: self.threads })
    }
}

/// A program that starts nowhere is bad input: nothing can be said of its runs.
pub fn require(program: &Program) -> Result<(), Exit> {
    if program.main.is_some() {
        return Ok(());
    }
    let names: Vec<&str> = program
        .procedures
        .iter()
        .filter(|procedure| procedure.origin == Origin::User && procedure.body.is_some())
        .map(|procedure| &*procedure.name)
        .collect();
    let message = match names[..] {
        [] => "there is no `main`, nor any other function with a body: no run to ask about".to_owned(),
        _ => format!(
            "there is no `main`, so no run to ask about; start with another function: --function NAME. There is {}",
            listed(&names)
        ),
    };
    Err(complain(&message))
}
