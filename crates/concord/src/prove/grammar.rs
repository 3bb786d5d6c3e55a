//! Which verbs answer questions of a project, and which options they have: read from the command line's own grammar, so that every option can
//! stand in a project file under its own name.

use crate::cli::Cli;
use clap::{ArgAction, CommandFactory};
use store::{Grammar, OptionGrammar, VerbGrammar};

/// The verbs that answer questions.
const VERBS: [&str; 5] = ["verify", "check", "model", "bool", "analyze"];

/// What a project file may say.
pub fn grammar() -> Grammar {
    let mut command = Cli::command();
    command.build();
    let verbs = VERBS.iter().filter_map(|name| Some((*name, command.find_subcommand(name)?)));
    let verbs = verbs.map(|(name, verb)| VerbGrammar {
        name: name.to_owned(),
        options: verb.get_arguments().filter_map(|argument| option(name, argument)).collect(),
    });
    Grammar { verbs: verbs.collect(), closest: lower::entry::closest }
}

fn option(verb: &str, argument: &clap::Arg) -> Option<OptionGrammar> {
    if argument.is_positional() || matches!(argument.get_action(), ArgAction::Help | ArgAction::Version) {
        return None;
    }
    let name = argument.get_long().map(str::to_owned).or(argument.get_short().map(String::from))?;
    let values = match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => 0,
        _ => argument.get_num_args().map_or(1, |number| number.max_values()),
    };
    let repeats = matches!(argument.get_action(), ArgAction::Append);
    let objection = objection(verb, &name);
    Some(OptionGrammar { name, values, repeats, objection })
}

/// Why an option makes no sense in a project.
fn objection(verb: &str, name: &str) -> Option<&'static str> {
    match (verb, name) {
        (_, "format" | "color" | "quiet" | "verbose") => {
            Some("give it to `concord prove`, which shows the results")
        }
        (_, "jobs") => Some("give it to `concord prove`, which does several questions at once"),
        (_, "results" | "resume" | "earlier") => Some("`concord prove` remembers by itself"),
        ("check", "save") | ("bool", "simplify") => Some("it is not about an answer; use the verb itself"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_its_options_and_none_is_called_like_a_key_of_questions() {
        let grammar = grammar();
        assert_eq!(grammar.verbs.len(), VERBS.len());
        let verify = &grammar.verbs[0];
        let of = |name: &str| {
            let found = verify.options.iter().find(|option| option.name == name);
            let found = found.unwrap_or_else(|| panic!("verify has no {name}"));
            (found.values, found.repeats, found.objection.is_some())
        };
        assert_eq!(of("checks"), (1, false, false));
        assert_eq!(of("label"), (1, true, false));
        assert_eq!(of("D"), (1, true, false));
        assert_eq!(of("coverage"), (0, false, false));
        assert_eq!(of("time-limit"), (1, false, false));
        assert_eq!(of("format"), (1, false, true));
        for verb in &grammar.verbs {
            for name in ["name", "verb", "files", "program", "expect", "help"] {
                assert!(verb.options.iter().all(|option| option.name != name), "{} --{name}", verb.name);
            }
        }
        let model = grammar.verbs.iter().find(|verb| verb.name == "model").expect("it is there");
        assert!(model.options.iter().any(|option| option.name == "simulates" && option.values == 2));
    }
}
