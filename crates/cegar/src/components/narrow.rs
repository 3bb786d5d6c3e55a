//! After a proof: which members of the families of conditions does it need? To spare rounds,
//! `predicate::refine::choose` takes a whole `switch` at once. Now that the question holds, the
//! counterexamples are gone through again with only the very conditions that each of them names, and new ones
//! as they come; that takes more rounds, each of them cheap, and gives far fewer predicates. What `fewer`
//! then tries to leave out is little.

use super::Settings;
use super::ask::{Effort, ask};
use super::parts::{Chosen, SystemPart};
use super::run::Run;
use predicate::refine::Minimisation;
use question::{Asks, Decided, Monitor, Verdict};
use verdict::{Reason, Undecided};

/// With no more predicates than this there is not much to gain.
const FEW_PREDICATES: usize = 8;
/// With more components the proof is left as it is.
const MOST_PARTS: usize = 3;
/// Rounds after which it is given up.
const MOST_ROUNDS: usize = 10;

impl Run<'_> {
    /// Tries to prove it again with the conditions that counterexamples name; without success everything is
    /// as before. False if the question is open again, which new meanings of steps can bring about.
    pub(super) fn still_holds_with_the_conditions_needed(&mut self) -> Result<bool, Undecided> {
        // Counterexamples of formulas are longer and name more: there it takes more rounds than it is worth.
        let is_small = self.parts.len() <= MOST_PARTS
            && self.settings.predicates == Minimisation::Minimal
            && matches!(self.asks, Asks::Conforms(..));
        let before = self.predicate_count();
        if !is_small || before <= FEW_PREDICATES {
            return Ok(true);
        }
        let mut chosen: Vec<Option<Chosen>> = Vec::new();
        for part in self.parts.iter_mut() {
            chosen.push(match part {
                SystemPart::Code(code) => Some(code.choose_narrowly(self.budget)),
                SystemPart::Process(_) => None,
            });
        }
        let settings = Settings { most_rounds: MOST_ROUNDS, ..self.settings.clone() };
        // What was proved case by case is not taken apart further.
        let common = std::mem::take(&mut self.common).settled(true);
        let (asks, program, budget, events) = (self.asks, self.program, self.budget, self.events);
        let mut again = Run::new(&mut *self.parts, asks, &settings, program, budget, events, common);
        let decided = again.refined();
        self.common = std::mem::take(&mut again.common).settled(false);
        if let Ok(Decided::Violated(_)) = decided {
            let why =
                "it was run on the code, and yet there is a proof; this is a mistake of concord".to_owned();
            return Err(Undecided::because(Reason::NotConfirmed { why }));
        }
        let is_proved = decided.is_ok();
        let (rounds, product_states) = (again.rounds, again.product_states);
        let refinements = std::mem::take(&mut again.refinements);
        self.later_rounds += rounds;
        if is_proved && self.predicate_count() < before {
            self.product_states = product_states;
            self.refinements.extend(refinements);
            return Ok(true);
        }
        for (part, chosen) in self.parts.iter_mut().zip(chosen) {
            if let (SystemPart::Code(code), Some(chosen)) = (part, chosen) {
                code.choose_again(chosen);
            }
        }
        self.abstract_components()?;
        let asked = ask(
            self.parts,
            self.asks,
            self.settings,
            Effort::Full,
            Monitor { budget: self.budget, events: self.events },
        );
        Ok(matches!(asked.answer.verdict, Verdict::Holds(_)))
    }
}
