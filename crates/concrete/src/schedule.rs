//! Who runs next, decided from outside before each step that other threads can see; and the plan of a run, as a
//! counterexample keeps it.
//!
//! A thread's steps between two visible ones commute with whatever the others do, so a run is told by who makes the
//! next visible step, and by what else was open: which waiter a signal wakes, whether a weak compare-and-swap fails,
//! whether a timed wait gives up. A waiting thread that is chosen although nobody woke it wakes up for no reason.
//!
//! The text of a plan:
//!
//! ```text
//! concord-schedule 1
//! threads 0 0.1 0.2
//! watch races
//! steps 0*2 1*1 2*2 1*1 0*3
//! choice 0 wake 1
//! input 1 __VERIFIER_nondet_int 5
//! ```
//!
//! Threads are named by who created them and which of its creations it was; the other lines speak of them by their
//! position in that list. Each thread takes its own `choice` and `input` lines, in their order; so they stay true when
//! steps of different threads change places. `watch` says what the run shows besides failures of its own: `races`,
//! `deadlocks`.

use crate::inputs::InputShape;
use crate::settings::ThreadId;
use base::Id;
use program::{EdgeId, NodeId, ProcedureId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The edges that other threads can see, besides calls that synchronise, which always are visible.
pub type VisibleEdges = FxHashSet<(ProcedureId, EdgeId)>;

/// What is open besides who runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChoiceKind {
    /// Which of several waiting threads a signal wakes.
    Wake,
    /// Does a timed operation give up (1), though it could go on (0)?
    TimeOut,
    /// Does a weak compare-and-swap fail (1) for no reason?
    SwapFails,
    /// Which of the threads that met at a barrier is told so; the last to come is the last number.
    Serial,
}

impl ChoiceKind {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            ChoiceKind::Wake => "wake",
            ChoiceKind::TimeOut => "time-out",
            ChoiceKind::SwapFails => "cas-fail",
            ChoiceKind::Serial => "serial",
        }
    }

    fn named(name: &str) -> Option<ChoiceKind> {
        use ChoiceKind::*;
        [Wake, TimeOut, SwapFails, Serial].into_iter().find(|kind| kind.name() == name)
    }

    /// What happens where nobody decides, of so many ways.
    pub fn usual(self, ways: u32) -> u32 {
        if self == ChoiceKind::Serial { ways - 1 } else { 0 }
    }
}

/// Who can make the next visible step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Threads that can go on.
    pub able: Vec<ThreadId>,
    /// Threads that wait for a signal, and can only wake up for no reason or because their time is over.
    pub idle: Vec<ThreadId>,
    /// Threads that stand before a step that is blocked, with what blocks it.
    pub blocked: Vec<(ThreadId, Touched)>,
    /// Threads whose call has begun and waits for others.
    pub waiting: Vec<ThreadId>,
    /// Threads that have ended.
    pub ended: Vec<ThreadId>,
}

/// One thing that a visible step touches, for those who ask which steps commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// What it is.
    pub what: SharedResource,
    /// Could another's step tell whether it happened before?
    pub is_write: bool,
    /// Does it belong to the visible step itself? Otherwise to the steps after it that are taken to be the thread's
    /// own.
    pub is_own: bool,
}

/// What steps have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedResource {
    /// Bytes from an address up to another.
    Bytes(u64, u64),
    /// The synchronisation object at an address.
    Object(u64),
    /// The beginning and end of a thread.
    Thread(ThreadId),
    /// The numbers that threads and keys get when they are created.
    Names,
    /// The lock of all sections that the program marks as atomic; it orders them where races are looked for.
    Sections,
}

impl SharedResource {
    /// Have the two something in common?
    pub fn meets(self, other: SharedResource) -> bool {
        match (self, other) {
            (SharedResource::Bytes(from, to), SharedResource::Bytes(other_from, other_to)) => {
                from < other_to && other_from < to
            }
            (SharedResource::Object(at), SharedResource::Bytes(from, to))
            | (SharedResource::Bytes(from, to), SharedResource::Object(at)) => from <= at && at < to,
            (one, other) => one == other,
        }
    }
}

impl Touched {
    /// Does their order matter?
    pub fn depends_on(self, other: Touched) -> bool {
        (self.is_write || other.is_write) && self.what.meets(other.what)
    }
}

/// A visible step that was made, with the thread's own steps behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleStep {
    /// Who made it.
    pub thread: ThreadId,
    /// Where the thread stood.
    pub at: (ProcedureId, NodeId),
    /// Had the step begun before, in a call that waited for others?
    pub resumes: bool,
    /// What it touched.
    pub touched: Vec<Touched>,
    /// Can others see the middle of it?
    pub grain: Grain,
}

/// What a visible step is made of, as others can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// One thing: an atomic section, a synchronising call.
    Whole,
    /// An edge of the program: one access at most, if the program was divided so.
    Edge,
    /// A library function that goes through memory byte by byte.
    Bytes,
}

/// Decides, from outside, how a run goes on.
pub trait Driver {
    /// Who makes the next visible step; `None` ends the run. Also asked at the end, when nobody can.
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId>;

    /// Which of `ways` things happens.
    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32;

    /// An unknown value that a thread asks for; `None` leaves it to the inputs of the run.
    fn input(&mut self, _thread: ThreadId, _name: &str, _shape: InputShape) -> Option<u128> {
        None
    }

    /// A visible step was made.
    fn made(&mut self, _step: VisibleStep) {}
}

/// A run of threads: enough, with the program, to repeat it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Names of threads: the creator's name and a number.
    pub threads: Vec<String>,
    /// Are data races to be reported?
    pub races: bool,
    /// Are threads to be reported that wait for ever while others run?
    pub deadlocks: bool,
    /// Who makes how many visible steps, in order.
    pub steps: Vec<(ThreadId, u32)>,
    /// What else was decided, by whom, in order.
    pub choices: Vec<(ThreadId, ChoiceKind, u32)>,
    /// Values that threads asked for, in order: who, for what, the bits.
    pub inputs: Vec<(ThreadId, String, u128)>,
}

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPlan {
    /// Counted from 1.
    pub line: usize,
    /// In words.
    pub message: String,
}

impl std::fmt::Display for BadPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

const HEADER: &str = "concord-schedule 1";
const RACES: &str = "races";
const DEADLOCKS: &str = "deadlocks";

impl Plan {
    /// Adds one visible step.
    pub fn add_step(&mut self, thread: ThreadId) {
        match self.steps.last_mut() {
            Some((last, count)) if *last == thread => *count += 1,
            _ => self.steps.push((thread, 1)),
        }
    }

    /// Visible steps in all.
    pub fn length(&self) -> u64 {
        self.steps.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Threads that make a visible step.
    pub fn acting(&self) -> usize {
        self.steps.iter().map(|(thread, _)| *thread).collect::<FxHashSet<_>>().len()
    }

    /// As text.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nthreads {}\n", self.threads.join(" "));
        for (name, is_watched) in [(RACES, self.races), (DEADLOCKS, self.deadlocks)] {
            if is_watched {
                let _ = writeln!(text, "watch {name}");
            }
        }
        text.push_str("steps");
        for (thread, count) in &self.steps {
            let _ = write!(text, " {}*{count}", thread.index());
        }
        text.push('\n');
        for (thread, kind, chosen) in &self.choices {
            let _ = writeln!(text, "choice {} {} {chosen}", thread.index(), kind.name());
        }
        for (thread, name, bits) in &self.inputs {
            let _ = writeln!(text, "input {} {name} {bits}", thread.index());
        }
        text
    }

    /// From text. Empty lines and what follows `#` are left out.
    pub fn parse(text: &str) -> Result<Plan, BadPlan> {
        let mut plan = Plan::default();
        let mut has_header = false;
        for (number, line) in text.lines().enumerate() {
            let bad = |message: String| BadPlan { line: number + 1, message };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if !has_header {
                if line != HEADER {
                    return Err(bad(format!("a schedule begins with `{HEADER}`")));
                }
                has_header = true;
                continue;
            }
            plan.line(line).map_err(bad)?;
        }
        if !has_header {
            return Err(BadPlan { line: 1, message: format!("a schedule begins with `{HEADER}`") });
        }
        Ok(plan)
    }

    /// A thread of the list, which must come first.
    fn thread(&self, text: &str) -> Result<ThreadId, String> {
        let number: usize = text.parse().map_err(|_| format!("`{text}` should be the number of a thread"))?;
        if number >= self.threads.len() {
            let known = self.threads.len();
            return Err(format!("there is no thread {number}: `threads` names {known}, counted from 0"));
        }
        Ok(ThreadId::from_index(number))
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default();
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` should be a number here"));
        match word {
            "threads" => self.threads.extend(words.map(str::to_owned)),
            "steps" => {
                for word in words {
                    let (thread, count) = word.split_once('*').unwrap_or((word, "1"));
                    self.steps.push((self.thread(thread)?, number(count)?));
                }
            }
            "choice" => {
                let (Some(thread), Some(kind), Some(chosen), None) =
                    (words.next(), words.next(), words.next(), words.next())
                else {
                    return Err("`choice` takes a thread, a kind and a number".to_owned());
                };
                let kind = ChoiceKind::named(kind).ok_or_else(|| format!("no choice is called `{kind}`"))?;
                self.choices.push((self.thread(thread)?, kind, number(chosen)?));
            }
            "watch" => {
                for word in words {
                    match word {
                        RACES => self.races = true,
                        DEADLOCKS => self.deadlocks = true,
                        other => {
                            return Err(format!(
                                "`{other}` cannot be watched, `{RACES}` and `{DEADLOCKS}` can"
                            ));
                        }
                    }
                }
            }
            "input" => {
                // Names of inputs may have spaces.
                let words: Vec<&str> = words.collect();
                let [thread, name @ .., bits] = &words[..] else {
                    return Err("`input` takes a thread, a name and a value".to_owned());
                };
                if name.is_empty() {
                    return Err("`input` takes a thread, a name and a value".to_owned());
                }
                let bits = bits.parse().map_err(|_| format!("`{bits}` should be a whole number"))?;
                self.inputs.push((self.thread(thread)?, name.join(" "), bits));
            }
            other => return Err(format!("`{other}` means nothing in a schedule")),
        }
        Ok(())
    }
}

/// Follows a plan; behind its end, whoever ran last goes on as long as it can.
#[derive(Clone, Debug)]
pub struct Planned<'p> {
    plan: &'p Plan,
    /// Entry of `steps`, and how much of it is done.
    next: (usize, u32),
    /// Visible steps that were made.
    made: u64,
    /// Choices and inputs that were taken.
    taken_choices: Vec<bool>,
    taken_inputs: Vec<bool>,
    last: Option<ThreadId>,
    /// Where the run first did not do what the plan says, in words.
    pub departed: Option<String>,
}

impl<'p> Planned<'p> {
    /// From the beginning.
    pub fn new(plan: &'p Plan) -> Planned<'p> {
        Planned {
            plan,
            next: (0, 0),
            made: 0,
            taken_choices: vec![false; plan.choices.len()],
            taken_inputs: vec![false; plan.inputs.len()],
            last: None,
            departed: None,
        }
    }

    /// What of the plan was left over when the run ended, in words.
    pub fn left_over(&self) -> Option<String> {
        let planned = self.plan.length();
        (self.made < planned)
            .then(|| format!("it ended after {} of the {planned} visible steps of the schedule", self.made))
    }

    fn depart(&mut self, why: impl FnOnce(&Self) -> String) {
        if self.departed.is_none() {
            self.departed = Some(why(self));
        }
    }

    fn name(&self, thread: ThreadId) -> String {
        match self.plan.threads.get(thread.index()) {
            Some(name) => format!("thread {} ({name})", thread.index()),
            None => format!("thread {}", thread.index()),
        }
    }

    /// Why a thread that is to run cannot.
    fn trouble(&self, thread: ThreadId, moment: &Moment) -> String {
        let why = if moment.ended.contains(&thread) {
            "has ended already"
        } else if moment.blocked.iter().any(|(blocked, _)| *blocked == thread) {
            "waits for another thread"
        } else if moment.waiting.contains(&thread) {
            "waits, and waking it up without a reason would change nothing"
        } else {
            "has not been created yet, or what it assumes does not hold"
        };
        format!("before visible step {}, {} is to run but {why}", self.made + 1, self.name(thread))
    }
}

impl Driver for Planned<'_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        while self.plan.steps.get(self.next.0).is_some_and(|(_, count)| *count <= self.next.1) {
            self.next = (self.next.0 + 1, 0);
        }
        let planned = self.plan.steps.get(self.next.0).map(|(thread, _)| *thread);
        self.next.1 += 1;
        let chosen = match planned {
            Some(thread) if moment.able.contains(&thread) || moment.idle.contains(&thread) => {
                self.made += 1;
                Some(thread)
            }
            Some(thread) => {
                self.depart(|own| own.trouble(thread, moment));
                None
            }
            None => self.last.filter(|last| moment.able.contains(last)),
        };
        let chosen = chosen.or_else(|| moment.able.first().copied());
        self.last = chosen;
        chosen
    }

    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        let mut own = (self.plan.choices.iter().enumerate()).filter(|(_, (who, ..))| *who == thread);
        let Some((at, &(_, planned, chosen))) = own.find(|(at, _)| !self.taken_choices[*at]) else {
            return kind.usual(ways);
        };
        self.taken_choices[at] = true;
        if planned == kind && chosen < ways {
            return chosen;
        }
        self.depart(|own| {
            let (who, wanted) = (own.name(thread), kind.name());
            format!(
                "{who} has a choice `{wanted}` of {ways} ways, and the schedule has `{} {chosen}` for it",
                planned.name()
            )
        });
        kind.usual(ways)
    }

    fn input(&mut self, thread: ThreadId, name: &str, _shape: InputShape) -> Option<u128> {
        let mut own = (self.plan.inputs.iter().enumerate()).filter(|(_, (who, ..))| *who == thread);
        let (at, (_, what, bits)) = own.find(|(at, _)| !self.taken_inputs[*at])?;
        self.taken_inputs[at] = true;
        if what != name {
            self.depart(|own| {
                let who = own.name(thread);
                format!("{who} asks for `{name}`, and the schedule has a value of `{what}` for it")
            });
        }
        Some(*bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        let thread = ThreadId::from_index;
        let mut plan = Plan { threads: vec!["0".into(), "0.1".into()], ..Plan::default() };
        for who in [0, 0, 1, 0] {
            plan.add_step(thread(who));
        }
        plan.choices = vec![(thread(0), ChoiceKind::Wake, 1), (thread(1), ChoiceKind::SwapFails, 0)];
        plan.races = true;
        plan.inputs = vec![(thread(1), "__VERIFIER_nondet_int".into(), 5)];
        assert_eq!(plan.steps, [(thread(0), 2), (thread(1), 1), (thread(0), 1)]);
        assert_eq!(Plan::parse(&plan.to_text()), Ok(plan));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let line = |text: &str| Plan::parse(text).expect_err("it is wrong").line;
        assert_eq!(line("concord-schedule 2\n"), 1);
        assert_eq!(line("concord-schedule 1\nthreads 0\nsteps 0*x\n"), 3);
        assert_eq!(line("concord-schedule 1\nthreads 0\nsteps 1*2\n"), 3);
        assert_eq!(line("concord-schedule 1\nthreads 0\n\nchoice 0 sleep 1\n"), 4);
        assert_eq!(line("concord-schedule 1\nthreads 0\nwatch leaks\n"), 3);
    }
}
