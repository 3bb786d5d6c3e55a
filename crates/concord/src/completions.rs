//! Shell completions and the manual page, made from the command line's own grammar.

use crate::cli::Cli;
use crate::exit::Exit;
use crate::output;
use clap::CommandFactory;

/// Writes the completion script of a shell to standard output.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "concord", &mut script);
    written(&script)
}

/// Writes the manual page, with a section per verb, to standard output.
pub fn manual() -> Exit {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let mut rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        let name = format!("concord {}", verb.get_name());
        let verb = verb.clone().display_name(name).disable_help_subcommand(true);
        rendered = rendered.and_then(|()| clap_mangen::Man::new(verb).render(&mut page));
    }
    match rendered {
        Ok(()) => written(&page),
        Err(_) => Exit::Internal,
    }
}

fn written(bytes: &[u8]) -> Exit {
    output::finish(&String::from_utf8_lossy(bytes), Exit::Holds)
}
