//! `concord draw lks` and `concord draw automaton`: what is drawn without a C program.

use super::{DrawArgs, DrawingFormat, DrawingKind, format_of, write};
use crate::channel::{ONLY_TEXT, Refused, at_terminal};
use crate::cli::Common;
use crate::exit::Exit;
use crate::load::{complain, wrong_use};
use crate::model::{self, ModelArgs};
use automata::{Acceptance, Automaton, CannotTranslate, translate};
use base::Budget;
use check::temporal::{over_infinite_words, with_finite_paths};
use spec::Formula;

/// Draws a finite model or an automaton.
pub fn draw(arguments: &DrawArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let format = format_of(arguments)?;
    match arguments.what {
        DrawingKind::Automaton => automaton(arguments, format, common, budget),
        _ => lks(arguments, format, common, budget),
    }
}

fn lks(arguments: &DrawArgs, format: DrawingFormat, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    if arguments.files.is_empty() {
        return Err(wrong_use("`draw lks` needs a model: concord draw lks FILE --process NAME"));
    }
    if format == DrawingFormat::Hoa {
        return Err(wrong_use("only automata are written as HOA"));
    }
    let asked = ModelArgs::only_build(arguments.files.clone(), arguments.process.clone());
    let drawn = at_terminal(common, &(), None, |output| {
        let drawn = model::structure(&asked, output, budget).and_then(|lks| match format {
            DrawingFormat::Svg => model::picture(&lks),
            _ => Ok(lks::dot::write(&lks)),
        });
        drawn.map_err(|refused| refused.told(output))
    });
    write(&drawn?, arguments)
}

fn automaton(
    arguments: &DrawArgs,
    format: DrawingFormat,
    common: &Common,
    budget: &Budget,
) -> Result<Exit, Exit> {
    let (Some(text), []) = (&arguments.formula, &arguments.files[..]) else {
        return Err(wrong_use(
            "`draw automaton` takes no files, but a formula: concord draw automaton --formula 'G(a => F b)'",
        ));
    };
    let formula = Formula::parse(text, ONLY_TEXT).map_err(|problem| {
        let refused = Refused::inside(Exit::Usage, "--formula", text, &problem);
        at_terminal(common, &(), None, |output| refused.told(output))
    })?;
    let title = if arguments.violating { format!("runs that violate {text}") } else { text.clone() };
    match automaton_of(&formula, arguments, budget) {
        Ok(automaton) => {
            let drawing = || report::draw::automaton(&automaton, &title);
            let text = match format {
                DrawingFormat::Svg => drawing().to_svg(),
                DrawingFormat::Dot => drawing().to_dot(),
                DrawingFormat::Hoa => automata::hoa::write(&automaton, &title),
            };
            write(&text, arguments)
        }
        Err(why) => {
            let why = match why {
                CannotTranslate::Exhausted(limit) => limit.to_string(),
                CannotTranslate::TooManyPromises => "it has more than 64 eventualities".to_owned(),
            };
            complain(&format!("the formula was not translated: {why}"));
            Err(Exit::Undecided)
        }
    }
}

/// Of infinite runs that satisfy the formula; or of all runs that violate it, those that end included.
fn automaton_of(
    formula: &Formula,
    arguments: &DrawArgs,
    budget: &Budget,
) -> Result<Automaton, CannotTranslate> {
    let acceptance = if arguments.accepting_states { Acceptance::States } else { Acceptance::Generalised };
    let (ltl, names) = if arguments.violating {
        let (ltl, names) = with_finite_paths(formula);
        (ltl.negated(), names)
    } else {
        over_infinite_words(formula)
    };
    translate(&ltl, &names, acceptance, budget)
}
