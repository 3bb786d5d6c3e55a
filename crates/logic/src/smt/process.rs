//! Any SMT-LIB 2 solver as a process: a second opinion, and the one for floats. It is started when it is first
//! asked, spoken to over pipes, and killed when the budget ends; what was asserted is remembered, so that the next
//! question starts it again.
//!
//! Whatever is not understood in its answers is Unknown with the solver's own words, never a guess.

use super::pipe::{Pipe, PipeError};
use crate::answer::{Answer, UnknownReason};
use crate::model::{FunctionValue, Model, Value};
use crate::smtlib::{Desugar, Sexps, read_value};
use crate::term::{Definitions, Op, Postorder, TermId, TermPool};
use crate::traits::{
    AllSolutions, Assert, CheckAssuming, Completeness, GetModel, Interrupt, Interrupter, PushPop,
    SolutionLimit, Solutions, SolverStatistics, Statistics, UnsatCore,
};
use base::Budget;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// How to start a solver that reads SMT-LIB 2 from its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl SolverCommand {
    /// A command line, split at blanks; the usual solvers get the arguments that make them read standard input.
    pub fn parse(command: &str) -> Option<SolverCommand> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next()?;
        let mut arguments: Vec<String> = words.collect();
        let name = program.rsplit(['/', '\\']).next().unwrap_or(&program);
        if arguments.is_empty() {
            let usual: &[&str] = match name {
                "z3" => &["-in", "-smt2"],
                "cvc5" => &["--incremental", "--produce-models", "--lang", "smt2", "-q"],
                "yices-smt2" => &["--incremental"],
                _ => &[],
            };
            arguments = usual.iter().map(|&word| word.to_owned()).collect();
        }
        Some(SolverCommand { program, arguments })
    }
}

/// A solver process.
pub struct ProcessSolver {
    command: SolverCommand,
    pipe: Option<Pipe>,
    definitions: Definitions,
    desugar: Desugar,
    /// Assertions by level, plain; the outermost first.
    levels: Vec<Vec<TermId>>,
    pool: Option<u64>,
    assumed: Vec<TermId>,
    core: Vec<TermId>,
    holds_model: bool,
    checks: u64,
    interrupter: Interrupter,
    next_name: u64,
    /// The budget of the last question, which holds for asking after its model as well.
    budget: Budget,
}

impl std::fmt::Debug for ProcessSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessSolver").field("command", &self.command).finish_non_exhaustive()
    }
}

const GREETING: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n\
    (set-option :produce-unsat-assumptions true)\n(set-logic ALL)\n";

impl ProcessSolver {
    /// A solver without assertions; the process is started by the first question.
    pub fn new(command: SolverCommand) -> ProcessSolver {
        ProcessSolver {
            command,
            pipe: None,
            definitions: Definitions::new(),
            desugar: Desugar::default(),
            levels: vec![Vec::new()],
            pool: None,
            assumed: Vec::new(),
            core: Vec::new(),
            holds_model: false,
            checks: 0,
            interrupter: Interrupter::new(),
            next_name: 0,
            budget: Budget::unlimited(),
        }
    }

    /// What the process says of itself: name and version.
    pub fn version(&mut self, budget: &Budget) -> Result<String, UnknownReason> {
        self.start(None)?;
        let name = self.ask("(get-info :name)\n", budget)?;
        let version = self.ask("(get-info :version)\n", budget)?;
        let word = |text: &str| text.split('"').nth(1).unwrap_or(text).trim().to_owned();
        Ok(format!("{} {}", word(&name), word(&version)))
    }

    fn expect_pool(&mut self, pool: &TermPool) {
        let expected = *self.pool.get_or_insert(pool.identity());
        assert_eq!(expected, pool.identity(), "a solver is always given the same pool");
    }

    /// Starts the process if it does not run, and tells it what was asserted so far.
    fn start(&mut self, pool: Option<&TermPool>) -> Result<(), UnknownReason> {
        if self.pipe.is_some() {
            return Ok(());
        }
        let pipe = Pipe::start(&self.command).map_err(|error| self.broken(error))?;
        self.pipe = Some(pipe);
        self.definitions = Definitions::new();
        let mut text = GREETING.to_owned();
        for number in 0..self.levels.len() {
            if number > 0 {
                text.push_str("(push 1)\n");
                self.definitions.push();
            }
            if let Some(pool) = pool {
                for &formula in &self.levels[number] {
                    let name = self.definitions.define(pool, formula, &mut text);
                    let _ = writeln!(text, "(assert {name})");
                }
            }
        }
        self.tell(&text)
    }

    fn broken(&mut self, error: PipeError) -> UnknownReason {
        self.pipe = None;
        match error {
            PipeError::Exhausted(limit) => limit.into(),
            PipeError::Interrupted => UnknownReason::Interrupted,
            PipeError::Failed(words) => UnknownReason::BackEnd(format!("{}: {words}", self.command.program)),
        }
    }

    fn tell(&mut self, text: &str) -> Result<(), UnknownReason> {
        let Some(pipe) = &mut self.pipe else {
            return Err(UnknownReason::BackEnd("the solver process does not run".to_owned()));
        };
        pipe.tell(text).map_err(|error| self.broken(error))
    }

    fn ask(&mut self, text: &str, budget: &Budget) -> Result<String, UnknownReason> {
        self.tell(text)?;
        let Some(pipe) = &mut self.pipe else {
            return Err(UnknownReason::BackEnd("the solver process does not run".to_owned()));
        };
        let answer = pipe.answer(budget, &self.interrupter).map_err(|error| self.broken(error))?;
        if answer.trim_start().starts_with("(error") {
            // What follows could be the answer to an older question: begin anew with the next one.
            return Err(self.broken(PipeError::Failed(answer.trim().to_owned())));
        }
        Ok(answer)
    }

    fn try_check(
        &mut self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Result<Answer, UnknownReason> {
        if self.interrupter.is_set() {
            self.interrupter.clear();
            return Err(UnknownReason::Interrupted);
        }
        budget.check()?;
        self.start(Some(pool))?;
        let mut text = String::new();
        let mut names: FxHashMap<String, TermId> = FxHashMap::default();
        let mut listed = String::new();
        for &assumption in assumptions {
            let plain = self.desugar.term(pool, assumption);
            let formula = self.definitions.define(pool, plain, &mut text);
            // Assumptions must be names; solvers differ in what else they take.
            let name = format!("|%assume{}|", self.next_name);
            self.next_name += 1;
            let _ = writeln!(text, "(declare-fun {name} () Bool)\n(assert (=> {name} {formula}))");
            let _ = write!(listed, "{name} ");
            names.insert(name.trim_matches('|').to_owned(), assumption);
        }
        // An empty list of assumptions is not taken by all (cvc5 before 1.1).
        match assumptions.is_empty() {
            true => text.push_str("(check-sat)\n"),
            false => {
                let _ = writeln!(text, "(check-sat-assuming ({listed}))");
            }
        }
        let answer = self.ask(&text, budget)?;
        match answer.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => {
                if !assumptions.is_empty() {
                    let listed = self.ask("(get-unsat-assumptions)\n", budget)?;
                    let unread = || UnknownReason::BackEnd(format!("unread core {}", listed.trim()));
                    let sexps = Sexps::read(&listed).map_err(|_| unread())?;
                    let items = sexps.top.first().and_then(|&id| sexps.atoms(id)).ok_or_else(unread)?;
                    for item in items {
                        let term = *names.get(item).ok_or_else(unread)?;
                        if !self.core.contains(&term) {
                            self.core.push(term);
                        }
                    }
                }
                Ok(Answer::Unsat)
            }
            other => Err(UnknownReason::BackEnd(other.to_owned())),
        }
    }

    /// The values of terms in the model the process holds.
    fn values(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Result<Vec<Value>, UnknownReason> {
        let mut elements = FxHashMap::default();
        let mut values = Vec::with_capacity(terms.len());
        // Definitions end the model in some solvers: make them all first, and ask again for the model.
        let mut text = String::new();
        let mut names = Vec::with_capacity(terms.len());
        for &term in terms {
            let plain = self.desugar.term(pool, term);
            names.push((self.definitions.define(pool, plain, &mut text), pool.sort(term)));
        }
        let budget = self.budget.clone();
        if !text.is_empty() {
            let assumed = std::mem::take(&mut self.assumed);
            self.tell(&text)?;
            let again = self.try_check(pool, &assumed, &budget);
            self.assumed = assumed;
            if again? != Answer::Sat {
                return Err(UnknownReason::BackEnd("the model was lost".to_owned()));
            }
        }
        for (name, sort) in names {
            let answer = self.ask(&format!("(get-value ({name}))\n"), &budget)?;
            let unread = || UnknownReason::BackEnd(format!("unread value {}", answer.trim()));
            let sexps = Sexps::read(&answer).map_err(|_| unread())?;
            let pair = sexps
                .top
                .first()
                .and_then(|&id| sexps.list(id))
                .and_then(|items| sexps.list(*items.first()?));
            let &[_, value] = pair.ok_or_else(unread)? else { return Err(unread()) };
            values.push(read_value(pool, &sexps, value, sort, &mut elements).ok_or_else(unread)?);
        }
        Ok(values)
    }

    /// Is there an array that has one element everywhere in what is asked? cvc5 refuses them unless that is a value,
    /// and where two of them meet.
    fn has_constant_array(&self, pool: &TermPool) -> bool {
        let mut roots: Vec<TermId> = self.levels.iter().flatten().copied().collect();
        roots.extend(&self.assumed);
        Postorder::new(pool, &roots).any(|node| pool.op(node) == Op::ConstArray)
    }

    fn try_model(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Result<Model, UnknownReason> {
        let mut roots: Vec<TermId> = self.levels.iter().flatten().copied().collect();
        roots.extend(terms);
        roots.extend(&self.assumed);
        let mut symbols = Vec::new();
        let mut applications = Vec::new();
        for node in Postorder::new(pool, &roots) {
            match pool.op(node) {
                Op::Symbol(_) => symbols.push(node),
                Op::Apply(function) => applications.push((function, node)),
                _ => {}
            }
        }
        let mut wanted = symbols.clone();
        for &(_, application) in &applications {
            wanted.push(application);
            wanted.extend(pool.arguments(application));
        }
        let mut values = self.values(pool, &wanted)?.into_iter();
        let mut model = Model::new();
        for symbol in symbols {
            model.set(symbol, values.next().expect("a value each"));
        }
        let mut functions: FxHashMap<_, FunctionValue> = FxHashMap::default();
        for (function, application) in applications {
            let result = values.next().expect("a value each");
            let key =
                pool.arguments(application).iter().map(|_| values.next().expect("a value each")).collect();
            let default = Value::default_of(pool, pool.sort(application));
            let entry = functions
                .entry(function)
                .or_insert_with(|| FunctionValue { default, table: FxHashMap::default() });
            entry.table.insert(key, result);
        }
        for (function, value) in functions {
            model.set_function(function, value);
        }
        Ok(model)
    }
}

impl Assert for ProcessSolver {
    fn assert(&mut self, pool: &mut TermPool, formula: TermId) {
        self.expect_pool(pool);
        self.holds_model = false;
        let plain = self.desugar.term(pool, formula);
        self.levels.last_mut().expect("there is a level").push(plain);
        if self.pipe.is_some() {
            let mut text = String::new();
            let name = self.definitions.define(pool, plain, &mut text);
            let _ = writeln!(text, "(assert {name})");
            // A broken pipe shows at the next question, which starts the process anew.
            if self.tell(&text).is_err() {
                self.pipe = None;
            }
        }
    }
}

impl PushPop for ProcessSolver {
    fn push(&mut self) {
        self.holds_model = false;
        self.levels.push(Vec::new());
        if self.pipe.is_some() {
            self.definitions.push();
            if self.tell("(push 1)\n").is_err() {
                self.pipe = None;
            }
        }
    }

    fn pop(&mut self) {
        self.holds_model = false;
        assert!(self.levels.len() > 1, "pop closes a level that push opened");
        self.levels.pop();
        if self.pipe.is_some() {
            self.definitions.pop();
            if self.tell("(pop 1)\n").is_err() {
                self.pipe = None;
            }
        }
    }
}

impl CheckAssuming for ProcessSolver {
    fn check_assuming(&mut self, pool: &mut TermPool, assumptions: &[TermId], budget: &Budget) -> Answer {
        self.expect_pool(pool);
        self.checks += 1;
        self.core.clear();
        self.assumed = assumptions.to_vec();
        self.budget = budget.clone();
        let answer = match self.try_check(pool, assumptions, budget) {
            Ok(answer) => answer,
            Err(UnknownReason::BackEnd(words))
                if words.contains("(error") && self.has_constant_array(pool) =>
            {
                let program = &self.command.program;
                let what =
                    format!("`{program}` does not answer about these arrays with one element everywhere");
                Answer::Unknown(UnknownReason::Unsupported(what))
            }
            Err(reason) => Answer::Unknown(reason),
        };
        self.holds_model = answer == Answer::Sat;
        answer
    }
}

impl GetModel for ProcessSolver {
    fn model(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Option<Model> {
        if !self.holds_model {
            return None;
        }
        self.try_model(pool, terms).ok()
    }
}

impl UnsatCore for ProcessSolver {
    fn core(&self) -> &[TermId] {
        &self.core
    }
}

impl Interrupt for ProcessSolver {
    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}

impl Statistics for ProcessSolver {
    fn statistics(&self) -> SolverStatistics {
        SolverStatistics { checks: self.checks, ..SolverStatistics::default() }
    }
}

impl AllSolutions for ProcessSolver {
    fn all_solutions(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        assumptions: &[TermId],
        limit: SolutionLimit,
        budget: &Budget,
    ) -> Solutions {
        self.push();
        let mut cubes = Vec::new();
        let completeness = loop {
            match self.check_assuming(pool, assumptions, budget) {
                Answer::Unsat => break Completeness::Complete,
                Answer::Unknown(reason) => break Completeness::Unknown(reason),
                Answer::Sat => {}
            }
            let values = match self.values(pool, indicators) {
                Ok(values) => values,
                Err(reason) => break Completeness::Unknown(reason),
            };
            let values: Vec<bool> = values.iter().map(|value| *value == Value::Bool(true)).collect();
            cubes.push(values.iter().map(|&value| Some(value)).collect());
            if limit.is_reached_by(cubes.len()) {
                break Completeness::LimitReached;
            }
            let mut others = Vec::with_capacity(values.len());
            for (&indicator, &value) in indicators.iter().zip(&values) {
                others.push(if value { pool.not(indicator) } else { indicator });
            }
            let blocked = pool.any_of(&others);
            self.assert(pool, blocked);
        };
        self.pop();
        Solutions { cubes, completeness }
    }
}
