//! Our answers against the brute-force oracle in Python that stands beside the data: one process for all programs.

use crate::read::shared;
use base::Span;
use boolprog::syntax::{Expression, Name, ProgramTree, Statement, StatementKind, ThreadStart};
use boolprog::{Setup, syntax};
use std::process::{Command, Stdio};

/// A program, what is asked of it, and what our engines say.
pub struct OracleTask {
    seed: u64,
    text: String,
    copies: usize,
    most: usize,
    ours: Option<&'static str>,
}

impl OracleTask {
    pub fn new(seed: u64, tree: ProgramTree, question: &Setup, ours: Option<&'static str>) -> OracleTask {
        // `_` on the left drops a value; the oracle needs a variable of that name.
        let text = format!("decl _;\n{}", syntax::print(&for_oracle(tree)));
        OracleTask {
            seed,
            text,
            copies: question.roots.len(),
            most: question.most_threads.unwrap_or(8),
            ours,
        }
    }
}

/// The oracle's dialect: no initial values, and threads started by labelled calls. Globals get their initial values in a
/// procedure of their own, which the oracle runs before everything else.
fn for_oracle(mut tree: ProgramTree) -> ProgramTree {
    let plain = |kind| Statement { labels: Vec::new(), kind, span: Span::NOWHERE };
    let mut first = Vec::new();
    for global in &mut tree.globals {
        if let Some(value @ Expression::Constant(_)) = global.initial.take() {
            first.push(plain(StatementKind::Assign(vec![Some(global.name.clone())], vec![value], None)));
        }
    }
    let mut count = 0;
    for procedure in &mut tree.procedures {
        relabel(&mut procedure.body, &mut count);
    }
    if let Some(mut setup) = tree.procedures.first().cloned() {
        setup.name = Name::new(SETUP);
        first.push(plain(StatementKind::Skip));
        (setup.body, setup.locals, setup.enforced) = (first, Vec::new(), Vec::new());
        (setup.returns, setup.parameters) = (0, Vec::new());
        tree.procedures.push(setup);
    }
    tree
}

const SETUP: &str = "oracle_setup";

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

/// Reads `copies most file` per line; answers with a line each. A program may take five seconds.
const DRIVER: &str = "
import signal, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import oracle
def late(*_):
    raise TimeoutError()
signal.signal(signal.SIGALRM, late)
for line in open(sys.argv[2]):
    copies, most, path = line.rstrip('\\n').split(' ', 2)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        print(oracle.run(path, roots=['main'] * int(copies), init=sys.argv[3], maxn=int(most), limit=20000)[0])
    except (oracle.Err, TimeoutError, RecursionError) as why:
        print('DECLINED', why)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
";

/// Asks the oracle about all of them; the first difference is the error.
pub fn compare(asked: Vec<OracleTask>) -> Result<(), String> {
    let folder = shared().join("data/boolean");
    if !folder.join("oracle.py").exists() {
        println!("absent: {}/oracle.py; nothing was compared with it", folder.display());
        return Ok(());
    }
    let files = std::env::temp_dir().join(format!("concord-oracle-{}", std::process::id()));
    let answers = answers(&asked, &folder, &files);
    // The answers matter, not what is left in the folder for temporary files.
    let _ = std::fs::remove_dir_all(&files);
    let (mut same, mut declined, mut open) = ([0, 0], 0, 0);
    for (asked, told) in asked.iter().zip(answers?) {
        let expected = match told.as_str() {
            "SAFE" => "holds",
            "UNSAFE" => "violated",
            _ => {
                declined += 1; // recursion too deep for it, or too many states
                continue;
            }
        };
        match asked.ours {
            None => open += 1,
            Some(ours) if ours == expected => same[usize::from(ours == "violated")] += 1,
            Some(ours) => {
                let OracleTask { seed, text, .. } = asked;
                return Err(format!("seed {seed}: our engines say {ours}, the oracle {expected}\n{text}"));
            }
        }
    }
    println!(
        "oracle.py on {} of them: the same answer {} times ({} hold, {} are violated), open for us {open}, \
         declined by it {declined}",
        asked.len(),
        same[0] + same[1],
        same[0],
        same[1]
    );
    Ok(())
}

fn answers(
    asked: &[OracleTask],
    folder: &std::path::Path,
    files: &std::path::Path,
) -> Result<Vec<String>, String> {
    std::fs::create_dir_all(files).map_err(|error| error.to_string())?;
    let mut list = String::new();
    for (number, asked) in asked.iter().enumerate() {
        let file = files.join(format!("{number}.bp"));
        std::fs::write(&file, &asked.text).map_err(|error| error.to_string())?;
        list.push_str(&format!("{} {} {}\n", asked.copies, asked.most, file.display()));
    }
    let names = files.join("list");
    std::fs::write(&names, list).map_err(|error| error.to_string())?;
    let told = Command::new("python3")
        .arg("-c")
        .arg(DRIVER)
        .args([folder, &names])
        .arg(SETUP)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    let lines: Vec<String> = String::from_utf8_lossy(&told.stdout).lines().map(str::to_owned).collect();
    if lines.len() != asked.len() {
        return Err(format!(
            "oracle.py stopped after {} of {}: {}",
            lines.len(),
            asked.len(),
            String::from_utf8_lossy(&told.stderr)
        ));
    }
    Ok(lines)
}
