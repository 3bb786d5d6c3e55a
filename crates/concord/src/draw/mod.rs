//! `concord draw`: control flow, calls, and what pointers point to. Finite models and automata are in
//! `draw_finite`.

pub mod finite;

use crate::cli::Common;
use crate::exit::Exit;
use crate::load::{complain, wrong_use};
use crate::output;
use crate::progress::StatusLine;
use base::Budget;
use clap::{Args, ValueEnum};
use program::{Origin, PointsTo, ProcedureId, Program};
use report::draw::{self, Drawing};
use std::path::{Path, PathBuf};

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord draw cfg prog.c -o main.svg                    control flow of main
  concord draw cfg prog.c --function parse -o parse.svg  control flow of another function
  concord draw cfg prog.c --colour coverage -o main.svg  green where runs come, red where none does
  concord draw cfg prog.c --colour values -o main.svg    with the values that variables can have
  concord draw callgraph prog.c lib.c -o calls.svg       who calls whom, also through pointers
  concord draw points-to prog.c --as dot | dot -Tpdf     what may point to what, for graphviz
  concord draw lks model.lts --process \"P(3)\" -o p.svg   the states and transitions of a process
  concord draw automaton --formula 'G(a => F b)' --as hoa  the automaton of a formula";

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DrawingKind {
    /// Control flow of one function
    Cfg,
    /// Who calls whom
    Callgraph,
    /// What pointers may point to
    PointsTo,
    /// States and transitions of a finite model
    Lks,
    /// The Büchi automaton of a formula
    Automaton,
}

impl DrawingKind {
    /// Is it drawn without a C program?
    pub fn is_finite(self) -> bool {
        matches!(self, DrawingKind::Lks | DrawingKind::Automaton)
    }
}

/// How a drawing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DrawingFormat {
    /// A picture for browsers
    Svg,
    /// Text for graphviz
    Dot,
    /// For automata: the Hanoi omega-automata format
    Hoa,
}

/// What the colours of a control-flow graph say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// Which boxes runs reach, and which none does, as `verify --coverage` finds out
    Coverage,
    /// What values the variables can have at each line, and where no run comes, as `analyze` finds out
    Values,
}

/// Arguments of `concord draw`.
#[derive(Clone, Debug, Args)]
pub struct DrawArgs {
    /// What to draw
    #[arg(value_enum)]
    pub what: DrawingKind,
    /// C files of the program; for lks, models; none for automaton
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The function to draw [default: main]; for points-to, whose variables to start from [default: all]
    #[arg(long, value_name = "NAME", help_heading = "Drawing")]
    pub function: Option<String>,
    /// For cfg: colour it by what is known of its lines
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Drawing")]
    pub colour: Option<ColourBy>,
    /// For lks: the system to draw, such as P, "DINERS(5)" or "P||Q" [default: the one that no other uses]
    #[arg(long, value_name = "NAME", help_heading = "Drawing")]
    pub process: Option<String>,
    /// For automaton: the formula
    #[arg(long, value_name = "F", help_heading = "Drawing")]
    pub formula: Option<String>,
    /// For automaton: accept the runs that violate the formula, as `concord model --automaton` wants it
    #[arg(long, help_heading = "Drawing")]
    pub violating: bool,
    /// For automaton: accepting states instead of marks on edges
    #[arg(long, help_heading = "Drawing")]
    pub accepting_states: bool,
    /// Write to this file; its ending (.svg, .dot or .hoa) says how
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// How to write, whatever the file's ending [default: svg]
    #[arg(id = "drawing_format", long = "as", value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub format: Option<DrawingFormat>,
}

/// Draws the program.
pub fn draw(program: &Program, arguments: &DrawArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let format = format_of(arguments)?;
    if arguments.colour.is_some() && arguments.what != DrawingKind::Cfg {
        return Err(wrong_use(
            "--colour is for control-flow graphs: concord draw cfg FILE --colour coverage",
        ));
    }
    let mut drawing = make(program, arguments)?;
    match arguments.colour {
        Some(ColourBy::Coverage) => {
            let status = StatusLine::new(common);
            let lines = crate::verify::reached_lines(program, budget, &status);
            let of_file = file_of(program, arguments);
            drawing.colour_lines(|line| lines.get(&(of_file.clone()?, line)).copied());
        }
        Some(ColourBy::Values) => {
            let lines = crate::analyze::lines_of(program, drawn(program, arguments)?, budget)
                .map_err(|limit| common.last_word.undecided(limit))?;
            drawing.colour_lines(|line| lines.get(&line).filter(|text| text.is_none()).map(|_| false));
            drawing.note_lines(|line| lines.get(&line)?.clone());
        }
        None => {}
    }
    let text = match format {
        DrawingFormat::Svg => drawing.to_svg(),
        DrawingFormat::Dot => drawing.to_dot(),
        DrawingFormat::Hoa => return Err(wrong_use("only automata are written as HOA")),
    };
    write(&text, arguments)
}

/// Writes to where the arguments say.
pub fn write(text: &str, arguments: &DrawArgs) -> Result<Exit, Exit> {
    match &arguments.output {
        Some(file) => output::write_file(file, text)?,
        None => output::write_results(text)?,
    }
    Ok(Exit::Holds)
}

/// How the drawing is written: as asked, or as the file's ending says.
pub fn format_of(arguments: &DrawArgs) -> Result<DrawingFormat, Exit> {
    let from_ending = |file: &Path| match file.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(DrawingFormat::Svg),
        Some("dot" | "gv") => Ok(DrawingFormat::Dot),
        Some("hoa") => Ok(DrawingFormat::Hoa),
        _ => {
            let file = file.display();
            Err(wrong_use(&format!("{file}: drawings end in `.svg` or `.dot`; or say which with `--as`")))
        }
    };
    match (arguments.format, &arguments.output) {
        (Some(format), _) => Ok(format),
        (None, Some(file)) => from_ending(file),
        (None, None) => Ok(DrawingFormat::Svg),
    }
}

/// The function whose control flow is drawn.
fn drawn(program: &Program, arguments: &DrawArgs) -> Result<ProcedureId, Exit> {
    match (arguments.function.as_deref(), program.main) {
        (Some(name), _) => named(program, name),
        (None, Some(main)) => Ok(main),
        (None, None) => {
            let hint = functions_of(program);
            let message = format!("the program has no `main`; say which function with `--function`: {hint}");
            Err(complain(&message))
        }
    }
}

/// The file that the function is in.
fn file_of(program: &Program, arguments: &DrawArgs) -> Option<std::sync::Arc<str>> {
    let id = drawn(program, arguments).ok()?;
    Some(program.sources.location(program.procedures[id].span)?.file)
}

fn make(program: &Program, arguments: &DrawArgs) -> Result<Drawing, Exit> {
    let function = arguments.function.as_deref();
    match arguments.what {
        DrawingKind::Cfg => Ok(draw::cfg(program, drawn(program, arguments)?)),
        DrawingKind::Lks | DrawingKind::Automaton => unreachable!("drawn without a program"),
        DrawingKind::Callgraph => Ok(draw::callgraph(program, &PointsTo::of(program))),
        DrawingKind::PointsTo => {
            let of = function.map(|name| named(program, name)).transpose()?;
            Ok(draw::points_to(program, &PointsTo::of(program), of))
        }
    }
}

fn named(program: &Program, name: &str) -> Result<ProcedureId, Exit> {
    program.procedure_named(name).ok_or_else(|| {
        complain(&format!("there is no function `{name}`; there are: {}", functions_of(program)))
    })
}

/// Names of the program's own functions, as many as fit into a message.
fn functions_of(program: &Program) -> String {
    const MOST: usize = 12;
    let names: Vec<&str> = program
        .procedures
        .iter()
        .filter(|procedure| procedure.origin == Origin::User && procedure.body.is_some())
        .map(|procedure| &*procedure.name)
        .collect();
    match names.len() {
        0 => "none".into(),
        count if count > MOST => format!("{}, … ({count} in all)", names[..MOST].join(", ")),
        _ => names.join(", "),
    }
}
