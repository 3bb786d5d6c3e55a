//! Our answers against the brute-force oracle in Python that stands beside the data.

use crate::agreement::{build, shape};
use crate::read::shared;
use base::{Budget, Span};
use boolprog::engine::{Engine, EngineSettings, ask, choose};
use boolprog::random::random_program;
use boolprog::syntax::{Expression, Name, ProgramTree, Statement, StatementKind, ThreadStart};
use boolprog::{Outcome, Question, syntax};
use std::process::Command;
use std::time::Duration;

/// The oracle's dialect: no initial values, and threads started by labelled calls.
fn for_oracle(mut tree: ProgramTree) -> ProgramTree {
    let mut first = Vec::new();
    for global in &mut tree.globals {
        if let Some(value @ Expression::Constant(_)) = global.initial.take() {
            let kind = StatementKind::Assign(vec![Some(global.name.clone())], vec![value], None);
            first.push(Statement { labels: Vec::new(), kind, span: Span::NOWHERE });
        }
    }
    let mut count = 0;
    for procedure in &mut tree.procedures {
        relabel(&mut procedure.body, &mut count);
    }
    if let Some(main) = tree.procedures.first_mut() {
        first.append(&mut main.body);
        main.body = first;
    }
    tree
}

fn relabel(body: &mut [Statement], count: &mut usize) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::StartThread(ThreadStart::Procedure(name, arguments)) => {
                *count += 1;
                statement.labels.push(Name::new(&format!("ASYNC_{count}")));
                let call = StatementKind::Call(Vec::new(), name.clone(), std::mem::take(arguments));
                statement.kind = call;
            }
            StatementKind::If(arms, otherwise) => {
                arms.iter_mut().for_each(|(_, body)| relabel(body, count));
                relabel(otherwise, count);
            }
            StatementKind::While(_, body) => relabel(body, count),
            _ => {}
        }
    }
}

pub fn run(programs: u64, first: u64) -> Result<(), String> {
    let oracle = shared().join("data/boolean/oracle.py");
    if !oracle.exists() {
        println!("absent: {}; nothing was compared", oracle.display());
        return Ok(());
    }
    let file = std::env::temp_dir().join(format!("concord-oracle-{}.bp", std::process::id()));
    let (mut same, mut declined, mut open) = (0, 0, 0);
    for seed in first..first + programs {
        let tree = for_oracle(random_program(seed, shape(seed)));
        // `_` on the left drops a value; the oracle needs a variable of that name.
        let text = format!("decl _;\n{}", syntax::print(&tree));
        std::fs::write(&file, &text).map_err(|error| error.to_string())?;
        let program = build(&tree)?;
        let most = if shape(seed).threads { 3 } else { 1 };
        let question = Question::copies_of_main(&program, 1, Some(most)).ok_or("no main")?;
        let told = Command::new("python3")
            .arg(&oracle)
            .arg(&file)
            .args(["--n", "1", "--max", &most.to_string(), "--states", "20000"])
            .output()
            .map_err(|error| format!("python3: {error}"))?;
        let expected = match told.status.code() {
            Some(0) => "holds",
            Some(1) if told.stdout.starts_with(b"UNSAFE") => "violated",
            _ => {
                declined += 1; // recursion too deep for it, or too many states
                continue;
            }
        };
        let (engine, _) = choose(&program, &question);
        let budget = Budget::unlimited().with_time(Duration::from_secs(10));
        for engine in [engine, Engine::Explicit] {
            match ask(&program, &question, engine, &EngineSettings::default(), &budget).outcome {
                Outcome::Undecided(_) => open += 1,
                decided if decided.word() == expected => same += 1,
                other => {
                    let word = other.word();
                    return Err(format!(
                        "seed {seed}: {} says {word}, the oracle {expected}\n{text}",
                        engine.name()
                    ));
                }
            }
        }
    }
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    println!(
        "{programs} programs: {same} answers agree, {open} of ours undecided, the oracle declined {declined}"
    );
    Ok(())
}
