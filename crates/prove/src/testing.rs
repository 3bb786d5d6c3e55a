//! Random testing: a few runs on drawn inputs before anything else; what shows at once needs no solver,
//! however long the loops are. Longer runs, and more of them, go on beside the other engines.

use crate::candidates::constants;
use crate::code::{Code, CodeEngine, CodeRequest};
use crate::replay::{Confirmed, Replayed, replay};
use crate::settings::Settings;
use crate::shorten::Shortener;
use crate::unwritten::{Filled, drawn_fill};
use base::{Budget, Event};
use concrete::{
    Captured, InputShape, InputTrouble, Inputs, Interpreter, RunOutcome, SeededInputs, Uninitialised,
};
use program::expr::ExprPart;
use program::{Action, Callee, Expr, ExprKind, Known, Program};
use question::{Answer, Property, part_of};
use std::time::Duration;
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

/// Bytes that the objects of a drawn run may take: a length that was drawn may be any, and filling gigabytes tells no more than filling little.
const MOST_BYTES: u64 = 16 << 20;
const MOST_BYTES_OF_LONG_ONES: u64 = 64 << 20;
/// Runs, steps of each, and time at most.
const MOST_RUNS: u64 = 40;
const MOST_STEPS: u64 = 1_000_000;
const MOST_TIME: Duration = Duration::from_secs(2);
/// Time to make a failing run shorter.
const MOST_TIME_TO_SHORTEN: Duration = Duration::from_secs(1);
/// Time for a run that may be the only one.
const MOST_TIME_OF_ONE: Duration = Duration::from_secs(4);
/// Steps of a run that may be the only one.
const MOST_STEPS_OF_ONE: u64 = 60_000_000;

/// The name of all that is shown by runs.
const NAME: &str = "testing";
/// One part of ten.
const TENTH: u32 = 10;

/// Shows that the property holds because there is only one run: it takes no input, reads nothing from
/// outside, does not depend on where objects lie, and was seen to its end.
pub const ONLY_RUN: CodeEngine =
    CodeEngine::new("only run", "The only run of a program without input", only_run);

fn only_run(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    events.emit(Event::Count { what: "runs", value: 1 });
    let share = part_of(budget, TENTH, MOST_TIME_OF_ONE);
    let is_only = is_only_run(code, &share, MOST_STEPS_OF_ONE);
    if is_only { by_only_run() } else { there_are_others() }
}

fn by_only_run() -> Answer {
    let how = "the program takes no input: its only run was seen to its end";
    Answer::proved(NAME, how, ProgramProof::by(ProofArgument::OnlyRun))
}

fn there_are_others() -> Answer {
    let why = "the runs that were tried did not fail, and there are others".to_owned();
    Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why }))
}

/// Settings of runs from which it shows that nothing depends on what the interpreter chose.
pub(crate) fn strict_settings(code: &Code<'_>, budget: &Budget, most_steps: u64) -> concrete::Settings {
    let mut settings = crate::replay::replay_settings(code.settings.missing, budget);
    settings.uninitialised = Uninitialised::Report;
    settings.lost_blocks = code.property.checks.has(question::Check::Lost);
    settings.missing = concrete::OnMissingBody::Stop;
    settings.on_error = error_functions(code.property);
    settings.strictness.pointer_order = true;
    settings.strictness.pointer_arithmetic = true;
    settings.limits.steps = Some(most_steps);
    settings
}

/// What error functions do: whether runs end depends on their bodies, where there are some.
pub(crate) fn error_functions(property: &Property) -> concrete::OnError {
    match property.endless_runs {
        true => concrete::OnError::RunBody,
        false => concrete::OnError::Stop,
    }
}

/// Was nothing seen in a run, up to where it got, that the property forbids or that another system might do otherwise?
pub(crate) fn is_clean(
    run: &concrete::Run,
    watcher: &crate::replay::Watcher<'_>,
    property: &Property,
) -> bool {
    watcher.has_seen_nothing()
        && run.assumptions.is_empty()
        && run.statistics.threads <= 1
        && crate::replay::left_block(run, property).is_none()
        && run.tolerated.iter().all(|report| {
            let is_asked =
                question::Check::of_report(report.kind).is_some_and(|check| property.checks.has(check));
            crate::replay::is_tolerable(report.kind) && !is_asked
        })
}

fn is_only_run(code: &Code<'_>, budget: &Budget, most_steps: u64) -> bool {
    let Code { program, property, .. } = *code;
    // The auditor asks for no more than to look whether there are such variables.
    let has_externals = program.variables.iter().any(|variable| variable.is_external);
    if has_externals || asks_outside(program) {
        return false;
    }
    let run_settings = strict_settings(code, budget, most_steps);
    let mut watcher = crate::replay::Watcher::new(program, property);
    let mut host = Captured::default();
    let interpreter = Interpreter::new(program);
    let mut nothing = concrete::ListedInputs::default();
    let run = interpreter.watch(&run_settings, &mut host, &mut nothing, &mut watcher);
    let has_ended = matches!(run.outcome, RunOutcome::Exited(_) | RunOutcome::Aborted(_))
        || matches!(run.outcome, RunOutcome::AssertionFailed { .. }) && !property.assertions
        || matches!(run.outcome, RunOutcome::ErrorReached { .. }) && property.endless_runs;
    // What an overflow gives is nobody's choice.
    let is_fixed = !property.endless_runs || run.tolerated.is_empty();
    is_fixed && has_ended && run.inputs.is_empty() && is_clean(&run, &watcher, property)
}

/// Does the program read its input or arguments, or use addresses as numbers? Comparisons of addresses whose outcome may be either are seen when a
/// run makes them.
pub(crate) fn asks_outside(program: &Program) -> bool {
    let Some(main) = program.main else { return true };
    if !program.procedures[main].parameters.is_empty()
        || !program.constructors.is_empty()
        || !program.destructors.is_empty()
    {
        return true;
    }
    let is_number = |ty| program.types.is_integer(ty);
    let is_external = |place: &program::Place| match place.base {
        program::PlaceBase::Variable(id) => program.variables[id].is_external,
        program::PlaceBase::Pointer(_) => false,
    };
    let mut asks = false;
    for initial in program.variables.iter().flat_map(|variable| &variable.initial) {
        if let program::InitialData::Value(value) = &initial.value {
            value.visit(&mut |part| asks |= matches!(part, ExprPart::Place(place, _) if is_external(place)));
        }
    }
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(callee), result, .. } = &edge.action {
                use Known::*;
                let known = program.procedures[*callee].known;
                asks |= result.is_some() && known.is_some_and(Known::tells_of_output);
                asks |= known.is_some_and(|known| {
                    matches!(
                        known,
                        Getchar
                            | Fgetc
                            | Fgets
                            | Fread
                            | Ungetc
                            | Feof
                            | Scanf
                            | Fscanf
                            | AtExit
                            | ThreadCreate
                            | Setjmp
                            | Longjmp
                    )
                });
            }
            edge.action.visit(&mut |part| {
                asks |= matches!(part, ExprPart::Place(place, _) if is_external(place));
                if let ExprPart::Expr(Expr { kind: ExprKind::Cast(operand), ty }) = part {
                    asks |= program.types.is_pointer(operand.ty) && is_number(*ty);
                }
            });
        }
    }
    asks
}

/// A few runs on drawn inputs; one, if it takes none.
pub const TESTING: CodeEngine = CodeEngine::new(NAME, "Runs on drawn inputs", test);

fn test(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    let Code { program, property, settings, .. } = *code;
    let interpreter = Interpreter::new(program);
    let share = part_of(budget, TENTH, MOST_TIME);
    for seed in 0..MOST_RUNS {
        if share.check().is_err() {
            break;
        }
        events.emit(Event::Count { what: "runs", value: seed + 1 });
        let mut run_settings = crate::replay::replay_settings(settings.missing, &share);
        run_settings.limits.steps = Some(MOST_STEPS);
        run_settings.limits.memory_bytes = MOST_BYTES;
        let drawn = Filled::new(program, drawn_fill(seed), SeededInputs::new(seed));
        let mut inputs = Counted { inputs: drawn, count: 0 };
        if let Replayed::Confirmed(confirmed) =
            replay(&interpreter, program, property, &run_settings, &mut inputs)
        {
            let confirmed = shortened(&interpreter, program, property, settings, budget, *confirmed);
            return Answer::by(NAME, confirmed.found_by(NAME));
        }
        // It may be the only run there is: long runs follow it further than this.
        if inputs.count == 0 {
            return there_are_others();
        }
    }
    knowledge.end_runs();
    there_are_others()
}

/// Counts what is asked for.
struct Counted<I> {
    inputs: I,
    count: u64,
}

impl<I: Inputs> Inputs for Counted<I> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        self.count += 1;
        self.inputs.next(name, shape)
    }
}

/// A run to the same failure with fewer and smaller inputs, if one is found in a little time.
pub(crate) fn shortened<'p>(
    interpreter: &Interpreter<'p>,
    program: &'p Program,
    property: &'p Property,
    settings: &Settings,
    budget: &Budget,
    confirmed: Confirmed,
) -> Confirmed {
    let share = part_of(budget, TENTH, MOST_TIME_TO_SHORTEN);
    let mut run_settings = crate::replay::replay_settings(settings.missing, &share);
    // A run that takes longer than the one that is there is not shorter.
    run_settings.limits.steps = Some(confirmed.run.statistics.steps + 1);
    let shortener = Shortener { interpreter, program, property, settings: &run_settings, budget: &share };
    shortener.shorten(confirmed)
}

/// Steps of a run that may be the only one, and of one with drawn inputs.
const MOST_STEPS_OF_LONG_ONE: u64 = 1 << 40;
const MOST_STEPS_OF_LONG_ONES: u64 = 20_000_000;
/// The part of the time for runs with drawn inputs.
const PART_FOR_DRAWN: u32 = 8;

/// Longer runs: the only one, if the program takes no input, or some on drawn inputs of all magnitudes.
pub const LONG_RUNS: CodeEngine =
    CodeEngine::new("long runs", "Longer runs, beside the other engines", run_long);

fn run_long(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    let Code { program, property, settings, .. } = *code;
    let interpreter = Interpreter::new(program);
    let share = part_of(budget, PART_FOR_DRAWN, Duration::MAX);
    let every: Vec<_> = program.procedures.ids().collect();
    let numbers = constants(program, &every);
    let mut run = 0;
    loop {
        let is_first = run == 0;
        events.emit(Event::Count { what: "runs", value: run + 1 });
        // Until an input is asked for, the run may be the only one, and worth all the time there is.
        let drawn = DrawnInputs::new(run, &numbers, is_first.then(|| share.clone()));
        let mut inputs = Counted { inputs: Filled::new(program, drawn_fill(run), drawn), count: 0 };
        let mut run_settings =
            crate::replay::replay_settings(settings.missing, if is_first { budget } else { &share });
        run_settings.limits.steps =
            Some(if is_first { MOST_STEPS_OF_LONG_ONE } else { MOST_STEPS_OF_LONG_ONES });
        if !is_first {
            run_settings.limits.memory_bytes = MOST_BYTES_OF_LONG_ONES;
        }
        let replayed = replay(&interpreter, program, property, &run_settings, &mut inputs);
        if let Replayed::Confirmed(confirmed) = replayed {
            let confirmed = shortened(&interpreter, program, property, settings, budget, *confirmed);
            return Answer::by(NAME, confirmed.found_by(NAME));
        }
        if inputs.count == 0 {
            let is_only = is_only_run(code, budget, MOST_STEPS_OF_LONG_ONE);
            return if is_only { by_only_run() } else { there_are_others() };
        }
        run += 1;
        if share.check().is_err() {
            return there_are_others();
        }
    }
}

/// Drawn inputs of one magnitude, now and then a number of the program; in every third run one number again and again, since what ends a loop
/// early hides what happens at its end (`while (a[i]) i++;`).
struct DrawnInputs<'a> {
    state: u64,
    bits: u32,
    always: Option<i128>,
    numbers: &'a [i128],
    count: u64,
    /// Inputs are given up to here, if that is limited.
    budget: Option<Budget>,
}

impl<'a> DrawnInputs<'a> {
    fn new(run: u64, numbers: &'a [i128], budget: Option<Budget>) -> DrawnInputs<'a> {
        const BITS: [u32; 11] = [2, 17, 1, 8, 4, 20, 12, 31, 24, 16, 6];
        let state = (run + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let always = (run % 3 == 1).then(|| match (run / 3) as usize {
            0 => 1,
            1 => -1,
            at => numbers.get(at - 2).copied().unwrap_or(1 << BITS[at % BITS.len()]),
        });
        DrawnInputs { state, bits: BITS[(run % 11) as usize], always, numbers, count: 0, budget }
    }

    fn draw(&mut self) -> u64 {
        // Marsaglia 2003, xorshift.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 8
    }
}

impl Inputs for DrawnInputs<'_> {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        self.count += 1;
        if self.count.is_multiple_of(64) && self.budget.as_ref().is_some_and(|budget| budget.check().is_err())
        {
            return Err(InputTrouble::Exhausted);
        }
        let drawn = self.draw();
        let size = drawn >> 16 & ((1 << self.bits) - 1);
        let number = match drawn % 8 {
            _ if self.always.is_some() => self.always.unwrap_or_default(),
            0 => -(size as i128),
            1 if !self.numbers.is_empty() => {
                self.numbers[(size as usize) % self.numbers.len()] + i128::from(drawn >> 4 & 3) - 1
            }
            _ => size as i128,
        };
        let bits = match shape {
            InputShape::Pointer { .. } => 0,
            InputShape::Float(_) => u128::from(drawn) << 40 | u128::from(drawn),
            InputShape::Bool => u128::from(drawn >> 5 & 1),
            InputShape::Integer { .. } => number as u128,
        };
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}
