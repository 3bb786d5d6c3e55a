//! Bodies for library functions that the program calls and does not define, written in C (`models/`).
//!
//! Each model does what the C standard says of the function, with non-determinism where the standard leaves the result
//! open (`rand`, `time`). Engines that know better ([`program::Known`]) need not walk the body.

use crate::link::Linker;
use program::expr::Part;
use program::{Action, AssumptionKind, Callee, Expr, ExprKind, InitialData, Origin, ProcedureId};
use rustc_hash::FxHashSet;

/// A file of models and the functions it defines for others.
struct ModelFile {
    name: &'static str,
    text: &'static str,
    functions: &'static [&'static str],
}

const FILES: &[ModelFile] = &[
    ModelFile {
        name: "<models>/string.c",
        text: include_str!("models/string.c"),
        functions: &[
            "memcpy",
            "memmove",
            "memset",
            "memcmp",
            "memchr",
            "mempcpy",
            "strlen",
            "strnlen",
            "strcpy",
            "strncpy",
            "stpcpy",
            "strcat",
            "strncat",
            "strcmp",
            "strncmp",
            "strcoll",
            "strcasecmp",
            "strncasecmp",
            "strchr",
            "strrchr",
            "index",
            "rindex",
            "strstr",
            "strspn",
            "strcspn",
            "strpbrk",
            "strtok",
            "strdup",
            "strndup",
            "bzero",
            "bcmp",
            "bcopy",
        ],
    },
    ModelFile {
        name: "<models>/stdlib.c",
        text: include_str!("models/stdlib.c"),
        functions: &[
            "abs",
            "labs",
            "llabs",
            "atoi",
            "atol",
            "atoll",
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "rand",
            "srand",
            "random",
            "srandom",
            "qsort",
            "bsearch",
            "__errno_location",
            "time",
            "clock",
            "sleep",
            "usleep",
        ],
    },
    ModelFile {
        name: "<models>/ctype.c",
        text: include_str!("models/ctype.c"),
        functions: &[
            "isalnum",
            "isalpha",
            "isblank",
            "iscntrl",
            "isdigit",
            "isgraph",
            "islower",
            "isprint",
            "ispunct",
            "isspace",
            "isupper",
            "isxdigit",
            "tolower",
            "toupper",
            "isascii",
            "toascii",
            "__ctype_b_loc",
            "__ctype_tolower_loc",
            "__ctype_toupper_loc",
        ],
    },
    ModelFile {
        name: "<models>/stdio.c",
        text: include_str!("models/stdio.c"),
        functions: &[
            "printf", "fprintf", "vprintf", "vfprintf", "putchar", "puts", "putc", "fputc", "fputs",
            "fwrite", "fflush", "perror", "getchar", "getc", "fgetc",
        ],
    },
    ModelFile {
        name: "<models>/checked.c",
        text: include_str!("models/checked.c"),
        functions: &[
            "__memcpy_chk",
            "__mempcpy_chk",
            "__memmove_chk",
            "__memset_chk",
            "__strcpy_chk",
            "__stpcpy_chk",
            "__strcat_chk",
            "__strncpy_chk",
            "__stpncpy_chk",
            "__strncat_chk",
        ],
    },
    ModelFile {
        name: "<models>/bits.c",
        text: include_str!("models/bits.c"),
        functions: &[
            "__builtin_clz",
            "__builtin_clzl",
            "__builtin_clzll",
            "__builtin_ctz",
            "__builtin_ctzl",
            "__builtin_ctzll",
            "__builtin_ffs",
            "__builtin_ffsl",
            "__builtin_ffsll",
            "__builtin_popcount",
            "__builtin_popcountl",
            "__builtin_popcountll",
            "__builtin_parity",
            "__builtin_parityl",
            "__builtin_parityll",
            "__builtin_bswap16",
            "__builtin_bswap32",
            "__builtin_bswap64",
            "__builtin_bswap128",
            "__builtin_clrsb",
            "__builtin_clrsbl",
            "__builtin_clrsbll",
            "ffs",
            "ffsl",
            "ffsll",
        ],
    },
];

/// Is there a body for this function?
pub fn has_model(name: &str) -> bool {
    FILES.iter().any(|file| file.functions.contains(&name))
}

/// The functions of each file.
pub fn functions() -> impl Iterator<Item = &'static [&'static str]> {
    FILES.iter().map(|file| file.functions)
}

/// Gives every called function without a body its model, and the models theirs.
pub fn supply(linker: &mut Linker) {
    let mut is_read = vec![false; FILES.len()];
    loop {
        let wanted = wanted_models(linker);
        if wanted.is_empty() {
            return;
        }
        for &procedure in &wanted {
            let name = linker.procedures[procedure].name.clone();
            let index =
                FILES.iter().position(|file| file.functions.contains(&&*name)).expect("it has a model");
            if !std::mem::replace(&mut is_read[index], true) {
                read_models(linker, &FILES[index]);
            }
            linker.lower_body(procedure);
            lower_helpers(linker, procedure);
            let entry = &linker.procedures[procedure];
            assert!(entry.body.is_some(), "the model of `{name}` is in the file that promises it");
            if !name.starts_with("__builtin_") {
                linker.assume(
                    AssumptionKind::LibraryModel,
                    &name,
                    base::Span::NOWHERE,
                    format!("`{name}` does what the C standard says (built-in model)"),
                );
            }
        }
    }
}

/// Procedures with a model that some body or initial value mentions and that have no body yet.
fn wanted_models(linker: &Linker) -> Vec<ProcedureId> {
    let mentioned = mentioned_procedures(linker);
    let wanted = linker.procedures.iter_enumerated().filter(|(id, procedure)| {
        procedure.body.is_none()
            && procedure.origin != Origin::User
            && !procedure.is_static
            && mentioned.contains(id)
            && has_model(&procedure.name)
    });
    wanted.map(|(id, _)| id).collect()
}

/// Procedures that lowered code calls or takes the address of.
pub fn mentioned_procedures(linker: &Linker) -> FxHashSet<ProcedureId> {
    let mut mentioned = FxHashSet::default();
    let mut look = |part: Part<'_>| {
        if let Part::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
            mentioned.insert(*id);
        }
    };
    let bodies = || linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies().flat_map(|graph| &graph.edges) {
        edge.action.visit(&mut look);
    }
    for initial in linker.variables.iter().flat_map(|variable| &variable.initial) {
        if let InitialData::Value(value) = &initial.value {
            value.visit(&mut look);
        }
    }
    for edge in bodies().flat_map(|graph| &graph.edges) {
        if let Action::Call { callee: Callee::Direct(id), .. } = &edge.action {
            mentioned.insert(*id);
        }
    }
    mentioned
}

fn read_models(linker: &mut Linker, file: &ModelFile) {
    let source = linker.session.sources.add(file.name, file.text).expect("models are small");
    let syntax = csource::parser::parse(source, &mut linker.session);
    let unit = csource::sema::analyse(&syntax, &mut linker.session);
    // Only what a program asks for is lowered; see `supply`.
    linker.add(unit, Origin::Model);
}

/// Models call `static` helpers of their own file; those come along.
fn lower_helpers(linker: &mut Linker, procedure: ProcedureId) {
    let mut pending = vec![procedure];
    while let Some(id) = pending.pop() {
        let callees = linker.callees(id);
        for callee in callees {
            if linker.definitions.contains_key(&callee) && linker.procedures[callee].is_static {
                linker.lower_body(callee);
                pending.push(callee);
            }
        }
    }
}

impl Linker {
    /// Procedures that an edge calls directly.
    pub fn callees(&self, id: ProcedureId) -> Vec<ProcedureId> {
        let Some(graph) = &self.procedures[id].body else { return Vec::new() };
        let direct = graph.edges.iter().filter_map(|edge| match &edge.action {
            Action::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
            _ => None,
        });
        direct.collect()
    }
}
