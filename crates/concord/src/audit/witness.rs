//! Witnesses of any tool (format 2.0): does the run fail, are the invariants of loops inductive and enough? What is not shown is named; a witness
//! that is not accepted is open, since there may be a proof or a run beside what it says.

use super::AuditArgs;
use crate::cli::{Common, DataModelArgument, Format};
use crate::exit::Exit;
use crate::load::{complain, load_with_entry};
use crate::output;
use crate::verify::{self, AskedByFile};
use ::audit::{Claim, Settings};
use base::Budget;
use cegar::{Before, Check, Missing, Property};
use evidence::foreign::{self, Gaps, Witness};
use program::Program;
use question::{Audit, Judgement, Question};
use serde_json::json;
use std::path::Path;
use verdict::ProofArgument;

/// Is it a witness, not a certificate?
pub fn is_witness(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// Inductions over so many rounds are tried: invariants may need the rounds before.
const MOST_ROUNDS: u32 = 3;

/// What came of a witness.
struct Report {
    audit: Audit,
    gaps: Gaps,
    /// In a sentence, what was shown.
    shown: String,
}

/// Reads the witness and its program, and says what of it stands.
pub fn audit(arguments: &AuditArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let path = arguments.certificate.display();
    let refuse = |message: String| complain(&format!("{path}: {message}"));
    if arguments.execute.is_some() {
        return Err(refuse("--execute is for certificates".to_owned()));
    }
    let text = std::fs::read_to_string(&arguments.certificate)
        .map_err(|error| refuse(format!("cannot be read: {error}")))?;
    let witness = Witness::read(&text).map_err(refuse)?;
    for given in &arguments.files {
        let bytes = std::fs::read(given)
            .map_err(|error| complain(&format!("{}: cannot be read: {error}", given.display())))?;
        let name = given.file_name().unwrap_or_default();
        // Not every tool writes hashes that are such.
        let is_hash = |hash: &str| hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit());
        let is_of_it = |hash: &str| hash.eq_ignore_ascii_case(&evidence::sha256(&bytes));
        let known = witness.files.iter().find(|(known, _)| Path::new(known).file_name() == Some(name));
        let is_another = match known {
            Some((_, hash)) => is_hash(hash) && !is_of_it(hash),
            // A file may have another name now; its text is the same.
            None => {
                let mut hashes =
                    witness.files.iter().map(|(_, hash)| hash).filter(|hash| is_hash(hash)).peekable();
                hashes.peek().is_some() && !hashes.any(|hash| is_of_it(hash))
            }
        };
        if is_another {
            return Err(refuse(format!("it is for another text than that of {}", given.display())));
        }
    }
    let (property, caveats) = match asked_by(&witness.specification).map_err(refuse)? {
        AskedByFile::Property(property, caveats) => (property, caveats),
        AskedByFile::Unsupported(text) => {
            return Err(refuse(format!("the property `{text}` is not supported")));
        }
    };
    if property.endless_runs {
        return Err(refuse("witnesses about runs without an end are not read".to_owned()));
    }
    let mut common = common.clone();
    common.data_model = match (common.data_model, witness.data_model.as_str()) {
        (Some(chosen), _) => Some(chosen),
        (None, "ILP32") => Some(DataModelArgument::Ilp32),
        (None, _) => Some(DataModelArgument::Lp64),
    };
    let words = property.words();
    common.last_word.questions([words.clone()]);
    let lowering = lower::Settings {
        entry: lower::Entry::Arguments(lower::Arguments::Any),
        asserts_comments: property.assertions,
        ..lower::Settings::default()
    };
    let program = load_with_entry(&arguments.files, &common, &lowering, budget)?;
    if threads::is_threaded(&program) || threads::may_wait(&program) {
        return Err(refuse("witnesses of programs with threads are not read".to_owned()));
    }
    if lower::arguments::are_read(&program) {
        return Err(refuse("the program looks at its arguments, of which witnesses say nothing".to_owned()));
    }
    if let Some(objection) = verify::names::objection(&program, &property) {
        return Err(refuse(objection));
    }
    let solver = super::second_solver(arguments.solver_command.as_deref());
    let settings = Settings { second_solver: solver, defined_conditions: true };
    let report = match &witness.claim {
        foreign::Claim::Run(waypoints) => run(&program, &property, waypoints, budget),
        foreign::Claim::Invariants(_) if !caveats.is_empty() => {
            open(Gaps::new(), "the checks here are not quite what the property says")
        }
        foreign::Claim::Invariants(invariants) => {
            invariants_of(&program, &property, invariants, &settings, budget)
        }
    };
    let (word, exit) = match &report.audit.judgement {
        Judgement::Accepted => ("ACCEPTED", Exit::Holds),
        Judgement::Refuted { .. } => ("REFUTED", Exit::Violated),
        Judgement::Open { .. } => ("OPEN", Exit::Undecided),
    };
    let text = if common.format == Format::Json {
        let mut result = evidence::json::audit(&report.audit);
        result["property"] = json!(words);
        result["gaps"] = foreign::gaps_json(&report.gaps);
        evidence::json::document_with("audit", json!({ "audit": result }))
    } else {
        let gaps: String = report.gaps.iter().map(|gap| format!("  not taken: {gap}\n")).collect();
        format!("{word}: {words}\n  {}\n{gaps}", report.shown)
    };
    common.last_word.withdraw();
    Ok(output::finish(&output::Look::wanted(&common).of(&text), exit))
}

/// The property in the competition's words, or in those that we have for what it has no words for.
fn asked_by(specification: &str) -> Result<AskedByFile, String> {
    let mut own = Property::default();
    let mut theirs = String::new();
    for line in specification.lines() {
        let squeezed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let formula =
            squeezed.strip_prefix("CHECK(init(main()),LTL(").and_then(|rest| rest.strip_suffix("))"));
        // `overflow` and the like mean there what they mean there.
        let check = formula.and_then(|formula| Check::named(formula.strip_prefix("G!")?));
        let is_theirs = || verify::property_of(line).is_ok();
        match (formula, check) {
            (Some("Gassert"), _) => own.assertions = true,
            (_, Some(check)) if !is_theirs() => own.checks = own.checks.with(check),
            _ => theirs.push_str(&format!("{line}\n")),
        }
    }
    if theirs.trim().is_empty() && own != Property::default() {
        return Ok(AskedByFile::Property(own, Vec::new()));
    }
    let mut asked = verify::property_of(&theirs)?;
    if let AskedByFile::Property(property, _) = &mut asked {
        property.assertions |= own.assertions;
        property.checks = own.checks.iter().fold(property.checks, question::Checks::with);
    }
    Ok(asked)
}

fn open(gaps: Gaps, why: &str) -> Report {
    let judgement = Judgement::Open { why: why.to_owned() };
    Report { audit: Audit { judgement, obligations: 0, heads: 0, second: None }, gaps, shown: why.to_owned() }
}

/// A run along the waypoints is made.
fn run(program: &Program, property: &Property, waypoints: &[foreign::Waypoint], budget: &Budget) -> Report {
    let (inputs, mut gaps) = foreign::inputs(program, waypoints);
    let question = Question::never(program, property.clone());
    let settings = cegar::Settings { missing: Missing::Stop, most_rounds: None };
    let answer = cegar::answered_before(&question, Before::Inputs(&inputs), &settings, budget);
    let failure = answer.as_ref().and_then(|answer| answer.verdict.run());
    match failure {
        Some(failure) => {
            gaps.extend(foreign::differences(program, waypoints, &inputs, failure));
            let at = evidence::place::at(program, failure.span);
            if !gaps.is_empty() {
                return open(
                    gaps,
                    &format!("a run was made that fails, and not along all waypoints: {}{at}", failure.what),
                );
            }
            let shown = format!("the run was made again: {}{at}", failure.what);
            let judgement = Judgement::Accepted;
            Report { audit: Audit { judgement, obligations: 1, heads: 0, second: None }, gaps, shown }
        }
        None => {
            let given = match inputs.len() {
                1 => "1 input".to_owned(),
                number => format!("{number} inputs"),
            };
            open(gaps, &format!("the run with the {given} of the witness does not fail here"))
        }
    }
}

/// The invariants are shown to be kept and to be enough.
fn invariants_of(
    program: &Program,
    property: &Property,
    invariants: &[foreign::Invariant],
    settings: &Settings,
    budget: &Budget,
) -> Report {
    let (mut proof, gaps) = foreign::proof(program, invariants);
    let claim = Claim { property, missing: Missing::Stop };
    let mut first: Option<Audit> = None;
    for depth in 1..=MOST_ROUNDS {
        proof.argument = ProofArgument::Induction { depth };
        let audit = ::audit::audit(program, claim, &proof, settings, budget);
        if matches!(audit.judgement, Judgement::Accepted) {
            // Every invariant was part of it, or the witness says more than was shown.
            if !gaps.is_empty() {
                let why = "the property was shown by induction, but not all that the witness says";
                return Report {
                    audit: Audit { judgement: Judgement::Open { why: why.into() }, ..audit },
                    gaps,
                    shown: why.into(),
                };
            }
            let rounds =
                if depth == 1 { String::new() } else { format!(", by induction over {depth} rounds") };
            let shown = format!("{}{rounds}", evidence::words::audit(&audit));
            return Report { audit, gaps, shown };
        }
        first.get_or_insert(audit);
        if budget.check().is_err() {
            break;
        }
    }
    let mut audit = first.unwrap_or(Audit {
        judgement: Judgement::Open { why: String::new() },
        obligations: 0,
        heads: 0,
        second: None,
    });
    // That an obligation fails at a state of the invariants says nothing about runs.
    let why = match &audit.judgement {
        Judgement::Refuted { why, at } => {
            format!(
                "the gap: from the invariants alone it is not shown that this cannot happen: {why}{}",
                evidence::place::at(program, *at)
            )
        }
        Judgement::Open { why } => why.clone(),
        Judgement::Accepted => String::new(),
    };
    audit.judgement = Judgement::Open { why: why.clone() };
    Report { audit, gaps, shown: why }
}
