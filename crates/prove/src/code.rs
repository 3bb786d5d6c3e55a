//! A C program as engines are asked about it, with the room where the engines of one thread share what they
//! build: above all the program as steps between the heads of its loops, on which what one engine shows is
//! known to the next.

use crate::blocks::{Blocks, Division};
use crate::facts::{Facts, NoFacts};
use crate::settings::Settings;
use base::{Budget, Event, EventSink, Exhausted};
use program::Program;
use question::{Answer, Engine, Knowledge, Property, Question};
use std::cell::RefCell;
use symbolic::Meaning;
use verdict::{Gap, Reason, Undecided};

/// A program, what must never happen in it, and what may be used to answer.
pub struct Code<'p> {
    /// The program.
    pub program: &'p Program,
    /// What must never happen.
    pub property: &'p Property,
    /// What the user chose.
    pub settings: &'p Settings,
    /// The meaning of its steps as terms; real runs need none.
    pub meaning: Option<&'p Meaning<'p>>,
    /// How the interval analysis is set, where it is used.
    pub analysis: Option<&'p intervals::Settings>,
    /// Is memory that is read before it is written looked for? Only the search from the start can.
    pub watch_unwritten: bool,
    room: RefCell<Room<'p>>,
}

/// What the engines of one thread built.
struct Room<'p> {
    facts: Option<Facts<'p>>,
    holds_by_values: bool,
    blocks: Option<Blocks<'p, 'p>>,
    /// The depth of induction to try next.
    depth: u32,
    has_boolean: bool,
}

/// Plain induction comes with the guesses.
const FIRST_DEPTH: u32 = 2;

impl<'p> Code<'p> {
    /// For real runs.
    pub fn new(program: &'p Program, property: &'p Property, settings: &'p Settings) -> Code<'p> {
        let room = Room {
            facts: None,
            holds_by_values: false,
            blocks: None,
            depth: FIRST_DEPTH,
            has_boolean: false,
        };
        Code {
            program,
            property,
            settings,
            meaning: None,
            analysis: None,
            watch_unwritten: false,
            room: RefCell::new(room),
        }
    }

    /// The same with the meaning of its steps, for search and proof.
    #[must_use]
    pub fn with_meaning(self, meaning: &'p Meaning<'p>, analysis: &'p intervals::Settings) -> Code<'p> {
        Code { meaning: Some(meaning), analysis: Some(analysis), ..self }
    }

    /// Does the program stand for all interleavings of a threaded one?
    pub fn chooses_threads(&self) -> bool {
        self.program.interleaving.as_ref().is_some_and(|all| !all.is_abstract)
    }

    /// Do the values that variables can have exclude every failure?
    pub fn holds_by_values(&self) -> bool {
        self.room.borrow().holds_by_values
    }

    /// Does a procedure call itself, so that calls are taken by contract?
    pub fn has_contracts(&self) -> bool {
        self.room.borrow().blocks.as_ref().is_some_and(|blocks| blocks.explorer.contracts.is_some())
    }

    /// Was the program abstracted to a Boolean program already?
    pub fn has_boolean(&self) -> bool {
        self.room.borrow().has_boolean
    }

    /// It was.
    pub fn was_abstracted(&self) {
        self.room.borrow_mut().has_boolean = true;
    }

    /// Keeps what the interval analysis knows, for the division into blocks.
    pub(crate) fn keep_facts(&self, facts: Facts<'p>, holds_by_values: bool) {
        let mut room = self.room.borrow_mut();
        (room.facts, room.holds_by_values) = (Some(facts), holds_by_values);
    }

    /// The depth of induction to try next.
    pub(crate) fn next_depth(&self) -> u32 {
        self.room.borrow().depth
    }

    /// This one is.
    pub(crate) fn try_depth_next(&self, depth: u32) {
        self.room.borrow_mut().depth = depth;
    }

    /// Works on the blocks, if the program could be divided into them.
    pub(crate) fn on_blocks(
        &self,
        engine: &'static str,
        knowledge: &Knowledge,
        budget: &Budget,
        work: impl FnOnce(&mut Blocks<'p, 'p>) -> Result<Answer, Undecided>,
    ) -> Answer {
        let mut room = self.room.borrow_mut();
        let Some(blocks) = &mut room.blocks else {
            return Answer::by(engine, not_for_this(engine, "the program is not divided into blocks"));
        };
        let asked = blocks.checkers.queries();
        let mut answer = work(blocks).unwrap_or_else(|undecided| Answer::by(engine, undecided));
        let asks_for_lost =
            self.property.checks.has(question::Check::Lost) && blocks.explorer.encoder.watch.births;
        let gap = answer.verdict.program_proof().map(|proof| proof.gap.clone());
        if gap == Some(Some(Gap::NamesBlocks)) {
            return Answer::by(engine, not_for_this(engine, &Gap::NamesBlocks.to_string()));
        }
        // Who looked at that has said so.
        if asks_for_lost && gap.is_some_and(|gap| gap != Some(Gap::RunsCanEnd)) {
            match crate::elements::can_runs_end(blocks, budget) {
                Ok(true) => answer.verdict = answer.verdict.with_gap(Gap::RunsCanEnd),
                Ok(false) => {
                    let why = "a run may go on for ever, and nobody looks whether blocks are lost then";
                    answer = Answer::by(engine, not_for_this(engine, why));
                }
                Err(why) => answer = Answer::by(engine, gave_up("whether every run can end", why, budget)),
            }
        }
        knowledge.asked(blocks.checkers.queries().saturating_sub(asked));
        answer.assume(blocks.explorer.encoder.notes.iter().cloned());
        answer
    }
}

/// The engine has nothing to say here, and nothing to tell about it.
pub(crate) fn not_for_this(engine: &'static str, why: &str) -> Undecided {
    Undecided::because(Reason::EngineCannot { engine, why: why.to_owned() })
}

/// An engine gives up, and tells about it.
pub fn gave_up(what: &str, why: Reason, budget: &Budget) -> Undecided {
    told(format!("{what}: {why}"), why, budget)
}

/// The same in a sentence of its own. Who was stopped because another one had answered gave up for no other
/// reason; a limit of a part of the time is none of the whole run.
pub(crate) fn told(sentence: String, why: Reason, budget: &Budget) -> Undecided {
    let reason = match budget.check() {
        Err(Exhausted::Cancelled) => Reason::Interrupted,
        _ if why.is_limit_of_the_run() => Reason::ShareUsedUp { which: sentence.clone() },
        _ => why,
    };
    Undecided::because(reason).tried(sentence)
}

/// What an engine is asked, with what others know, and how much it may take.
#[derive(Clone, Copy)]
pub struct CodeRequest<'a, 'p> {
    /// The program, and what must not happen in it.
    pub code: &'a Code<'p>,
    /// What engines tell each other.
    pub knowledge: &'a Knowledge,
    /// Time, memory, cancellation.
    pub budget: &'a Budget,
    /// Who hears how far it has come.
    pub events: &'a dyn EventSink,
}

/// What an engine does when it is asked.
type Run = fn(&CodeRequest<'_, '_>) -> Answer;

/// An engine for C programs: a row of a table.
#[derive(Clone, Copy, Debug)]
pub struct CodeEngine {
    name: &'static str,
    description: &'static str,
    run: Run,
}

impl CodeEngine {
    /// An engine of this name.
    pub const fn new(name: &'static str, description: &'static str, run: Run) -> CodeEngine {
        CodeEngine { name, description, run }
    }
}

impl<'p> Engine<Code<'p>> for CodeEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn run(
        &self,
        question: &Question<'_, Code<'p>>,
        knowledge: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        (self.run)(&CodeRequest { code: question.about, knowledge, budget, events })
    }
}

/// Divides the program into steps between the heads of its loops, on which most engines that prove work. It
/// answers nothing itself.
pub const DIVISION: CodeEngine =
    CodeEngine::new("blocks", "The program as steps between the heads of its loops", divide);

fn divide(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    let Some(meaning) = code.meaning else {
        return Answer::by("blocks", not_for_this("blocks", "the meaning of steps is not known"));
    };
    let facts = code.room.borrow_mut().facts.take().unwrap_or_else(|| Facts::none(NoFacts::NotMade));
    let unwritten = code.watch_unwritten;
    // Conditions that are told of threads that nobody follows stand for themselves.
    let settles = !code.program.interleaving.as_ref().is_some_and(|all| all.is_abstract);
    let division = Division { facts: &facts, watch_unwritten: unwritten, settles };
    match Blocks::of(code.program, meaning, code.property, code.settings, division, budget) {
        Err(why) => {
            let sentence = format!("induction could not be used: {why}");
            Answer::by("blocks", told(sentence, why, budget))
        }
        Ok(blocks) => {
            events.emit(Event::Count { what: "heads of loops", value: blocks.heads.len() as u64 });
            knowledge.asked(blocks.checkers.queries());
            code.room.borrow_mut().blocks = Some(blocks);
            code.on_blocks("blocks", knowledge, budget, |_| {
                Err(not_for_this("blocks", "they prove nothing yet"))
            })
        }
    }
}
