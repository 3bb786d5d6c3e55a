//! A C file that, compiled with the program, takes it down the violating run: it defines the input functions
//! with the values of the run.
//!
//! The failure must show. Where the program has its own body for a function that must not be called (and it
//! may be empty), gcc tells of every call: with `-finstrument-functions` it calls `__cyg_profile_func_enter`
//! at the beginning of each function, which the harness defines.

use crate::started::started;
use concrete::{ConsumedInput, InputShape, UndefinedKind};
use lower::words::Word;
use program::{AssumptionKind, DataModel, Known, Origin, ProcedureId, Program, Type};
use question::unwritten::{Fill, fill_of, is_unwritten_local, may_be_jumped_past};
use question::{Broken, Check, Property, Violation};
use std::fmt::Write;

/// Does a place lie in a comment? Only assertions do.
fn is_in_comment(program: &Program, span: base::Span) -> bool {
    let Some(source) = program.sources.source_at(span.start) else { return false };
    let offset = (span.start - source.base()) as usize;
    let Some(before) = source.text().get(..offset) else { return false };
    let line = before.rfind('\n').map_or(before, |end| &before[end..]);
    let is_in_block = before.rfind("/*@").is_some_and(|begin| !before[begin..].contains("*/"));
    is_in_block || line.contains("//@")
}

/// Functions whose input says only whether they fail: `open` gives a stream or null, the others zero or -1.
const OPENING: [&str; 4] = ["fopen", "fdopen", "tmpfile", "popen"];
/// Those that do not succeed because the run says so.
const UNSURE: [&str; 2] = ["remove", "rename"];
const MAY_FAIL: [&str; 7] = ["fclose", "fflush", "fseek", "fseeko", "remove", "rename", "setvbuf"];

/// Why a compiled program may take another run than the violating one, or not show that it fails, if that is
/// so: then there is no harness.
pub fn obstacle(program: &Program, property: &Property, violation: &Violation) -> Option<String> {
    if violation.run.statistics.threads > 1 {
        return Some(
            "the run depends on the order of threads, and a compiled program takes its own".to_owned(),
        );
    }
    if let Some(why) = crate::seen::unseen(program, violation) {
        return Some(why);
    }
    let is_unlinked = |assumption: &&program::Assumption| assumption.kind == AssumptionKind::InlineOnly;
    if let Some(assumption) = program.assumptions.iter().find(is_unlinked) {
        return Some(format!("gcc does not link `{}`, which is only defined `inline`", assumption.subject));
    }
    if violation.broken == Broken::Assertion && is_in_comment(program, violation.span) {
        return Some("the assertion stands in a comment, which a compiler does not see".to_owned());
    }
    if matches!(violation.broken, Broken::Endless | Broken::Formula) {
        return Some("a compiled program does not tell that its state comes back".to_owned());
    }
    if violation.broken == Broken::Label {
        return Some("a compiled program does not tell that it gets to a label".to_owned());
    }
    let is_hidden = |name: &&String| {
        program.procedure_named(name).is_some_and(|id| {
            let procedure = &program.procedures[id];
            procedure.is_static && procedure.body.is_some() && procedure.origin == Origin::User
        })
    };
    if violation.check().is_none()
        && let Some(name) = property.functions.iter().find(is_hidden)
    {
        return Some(format!("`{name}` is `static`: another file cannot tell that it is called"));
    }
    let (_, not_given) = harness(program, property, violation);
    let name = not_given.first()?;
    Some(match program.procedure_named(name) {
        Some(_) => format!("the run depends on what `{name}` does where the C standard leaves that open"),
        None => format!("the run depends on what `{name}` starts with, which no harness can set"),
    })
}

/// The harness, and the inputs that no harness can give (values of variables that were never written, and
/// what library functions store where their arguments say).
pub fn harness(program: &Program, property: &Property, violation: &Violation) -> (String, Vec<String>) {
    let mut text = format!(
        "/* Compile with the program: it then takes the violating run, and fails.\n   {} program.c this_file.c -lm */\n\
         extern void abort(void);\nextern void _exit(int);\n",
        compiler_line(program, violation).join(" ")
    );
    let mut not_given = Vec::new();
    let fill = fill_of(program, &violation.inputs);
    let started = started(program, &violation.inputs);
    let mut names: Vec<&str> = match &started {
        Some(started) => started.others.iter().map(|input| &*input.name).collect(),
        None => violation.inputs.iter().map(|input| &*input.name).collect(),
    };
    names.sort_unstable();
    names.dedup();
    // What this run does not call must be there all the same, or the program is not linked.
    let mentioned = crate::mentioned::mentioned_by_user(program);
    for (_, procedure) in program.procedures.iter_enumerated().filter(|(id, _)| mentioned.contains(id)) {
        let name = &*procedure.name;
        let is_ours = name.starts_with("__VERIFIER_") && !name.starts_with("__VERIFIER_nondet");
        let is_asked = names.contains(&name) || property.functions.iter().any(|function| function == name);
        if procedure.body.is_some() || procedure.known.is_some() {
            continue;
        }
        if let Some(word) = failing_word(name) {
            text.push_str(&asserting(program, procedure, word));
            continue;
        }
        if is_ours || is_asked {
            continue;
        }
        let result = match program.types.get(procedure.ty) {
            Type::Function(function) => Some(function.result),
            _ => None,
        };
        match result.filter(|result| program.types.is_integer(result.id)) {
            Some(result) if name.starts_with("__VERIFIER_nondet") => {
                let declared = program.types.declare(result, &format!("{name}(void)"));
                let _ = writeln!(text, "{declared} {{ return 0; }}");
            }
            _ => {
                let _ = writeln!(text, "__attribute__((weak)) void {name}(void) {{ }}");
            }
        }
    }
    if let Some(started) = &started {
        text.push_str(&crate::started::again(&started.arguments));
    }
    let typed = typed_text(program, violation);
    if let Some(typed) = &typed {
        text.push_str(&standard_input(typed));
    }
    let looks_at_errno =
        program.procedure_named("__errno_location").is_some_and(|id| mentioned.contains(&id));
    for name in names {
        if typed.is_some() && READING.contains(&name) {
            continue;
        }
        if let Some(known @ (Known::Scanf | Known::Fscanf)) = Known::by_name(name) {
            text.push_str(&scanning(name, known, violation));
            continue;
        }
        if OPENING.contains(&name) || MAY_FAIL.contains(&name) {
            let own =
                program.procedure_named(name).is_some_and(|id| program.procedures[id].origin == Origin::User);
            if !own {
                // `fflush` says nothing of why.
                let tells_why = looks_at_errno && name != "fflush";
                text.push_str(&failing(name, violation, tells_why));
                continue;
            }
        }
        let is_ours_to_define = |&id: &ProcedureId| {
            let procedure = &program.procedures[id];
            procedure.body.is_none() || (procedure.origin == Origin::Model && returns_its_inputs(name))
        };
        let procedure = program.procedure_named(name).filter(is_ours_to_define);
        let Some(procedure) = procedure else {
            if fill.is_none() || !is_unwritten_local(program, name) || may_be_jumped_past(program, name) {
                not_given.push(name.to_owned());
            }
            continue;
        };
        let inputs = violation.inputs.iter().filter(|input| &*input.name == name);
        let values: Vec<String> = inputs.map(halves).collect();
        let result = program.result_type(procedure);
        // The time is also stored where the caller says.
        let (parameters, also) = match name {
            "time" => (
                "long *to",
                "    if (to)\n        *to = at < sizeof values / sizeof *values ? (long)values[at][0] : 0;\n",
            ),
            _ => ("void", ""),
        };
        let declared = program.types.declare(result, &format!("{name}({parameters})"));
        let _ = writeln!(
            text,
            "{declared}\n{{\n    static const unsigned long long values[][2] = {{ {} }};\n    static unsigned at;",
            values.join(", ")
        );
        text.push_str(also);
        let count = values.len();
        // Once the end of the input was given, it is given again.
        let afterwards = if matches!(name, "getchar" | "getc" | "fgetc") { "-1" } else { "0" };
        // The bytes are those of the value, whatever its type.
        let _ = writeln!(
            text,
            "    static const unsigned long long afterwards[2] = {{ {afterwards}, {afterwards} }};\n    {};\n    \
             __builtin_memcpy(&value, at < {count} ? values[at] : afterwards, sizeof value);\n    at += at < {count};\n    return value;\n}}",
            program.types.declare(program::TypeRef::from(result.id), "value")
        );
    }
    for procedure in program.procedures.iter().filter(|procedure| procedure.body.is_none()) {
        if matches!(procedure.known, Some(Known::ReachError | Known::VerifierError)) {
            let _ = writeln!(text, "void {}(void) {{ abort(); }}", procedure.name);
        }
    }
    let watched: Vec<&str> = watched(program, property).collect();
    if !watched.is_empty() {
        for name in &watched {
            let _ = writeln!(text, "extern void {name}();");
        }
        let tests: Vec<String> = watched.iter().map(|name| format!("function == (void *){name}")).collect();
        let _ = write!(
            text,
            "__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)\n\
             {{\n    (void)caller;\n    if ({})\n        abort();\n}}\n\
             __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller)\n\
             {{\n    (void)function;\n    (void)caller;\n}}\n",
            tests.join(" || ")
        );
    }
    text.push_str(&watching(violation));
    // The program may have its own.
    let assumes = program.procedure_named("__VERIFIER_assume");
    if assumes.is_some_and(|id| program.procedures[id].origin != Origin::User) {
        text.push_str("void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }\n");
    }
    (text, not_given)
}

/// The value of an input as two numbers, the low half first.
fn halves(input: &ConsumedInput) -> String {
    format!("{{ 0x{:x}ULL, 0x{:x}ULL }}", input.bits as u64, (input.bits >> 64) as u64)
}

/// The meaning of a word that fails.
fn failing_word(name: &str) -> Option<Word> {
    let word = (0..=2).find_map(|count| lower::words::word(name, count));
    word.filter(|word| matches!(word, Word::Assertion | Word::Failure))
}

/// An assertion of another tool: it must fail here as well.
fn asserting(program: &Program, procedure: &program::Procedure, word: Word) -> String {
    let name = &procedure.name;
    let condition = match program.types.get(procedure.ty) {
        Type::Function(function) if function.has_prototype => function.parameters.first().copied(),
        _ => None,
    };
    if word == Word::Failure {
        return format!("void {name}(void) {{ abort(); }}\n");
    }
    let declared = match condition {
        Some(ty) => program.types.declare(ty, "condition"),
        None => "int condition".to_owned(),
    };
    format!("void {name}({declared}) {{ if (!condition) abort(); }}\n")
}

/// What makes the sanitizers look closer, and what the harness looks for itself.
fn watching(violation: &Violation) -> String {
    let mut text = String::new();
    if uses_address_sanitizer(violation) {
        text.push_str(
            "const char *__asan_default_options(void)\n{\n    \
             return \"detect_stack_use_after_return=1:strict_string_checks=1\";\n}\n",
        );
    }
    if matches!(violation.check(), Some(Check::Leak | Check::Lost)) {
        text.push_str(COUNTING);
    }
    if violation.report().and_then(|report| report.library.as_deref()) == Some("fgets") {
        text.push_str(FGETS);
    }
    text
}

/// Blocks that live at the end are no leak to gcc as long as something points to them.
const COUNTING: &str = include_str!("c/counting.c");

/// gcc's address sanitizer does not look at what the library's own writes.
const FGETS: &str = include_str!("c/fgets.c");

/// Functions that read standard input character by character.
const READING: [&str; 9] =
    ["getchar", "getchar_unlocked", "getc", "fgetc", "_IO_getc", "fgets", "fread", "getline", "getdelim"];

/// The characters that a run reads from standard input, if that is all that it reads, and whether the input
/// ends there.
struct Typed {
    bytes: Vec<u8>,
    ends: bool,
}

fn typed_text(program: &Program, violation: &Violation) -> Option<Typed> {
    let is_reading = |name: &str| READING.contains(&name);
    if !violation.inputs.iter().any(|input| is_reading(&input.name)) {
        return None;
    }
    let is_mentioned = |name: &str| {
        program.procedures.iter().any(|procedure| *procedure.name == *name && procedure.body.is_some())
    };
    let mut others = "fopen fdopen freopen tmpfile popen scanf __isoc99_scanf ungetc rewind fseek".split(' ');
    if others.any(is_mentioned) {
        return None;
    }
    let mut typed = Typed { bytes: Vec::new(), ends: false };
    for input in violation.inputs.iter().filter(|input| is_reading(&input.name)) {
        match input.shape {
            InputShape::Integer { width: 8, .. } => typed.bytes.push(input.bits as u8),
            // `getchar` gives the character or -1; the others ask whether the end is there.
            _ if matches!(&*input.name, "fgets" | "fread" | "getline" | "getdelim") => {
                typed.ends |= input.bits != 0
            }
            _ => match u8::try_from(input.bits) {
                Ok(byte) => typed.bytes.push(byte),
                Err(_) => typed.ends = true,
            },
        }
    }
    Some(typed)
}

/// Puts the characters on standard input before `main`. An input that the run did not see the end of goes on,
/// so that what is read past the end of an array is there to be read.
fn standard_input(typed: &Typed) -> String {
    let bytes: Vec<String> = typed.bytes.iter().map(u8::to_string).collect();
    let length = if typed.ends { typed.bytes.len() } else { typed.bytes.len() + 100_000 };
    format!(
        "extern void *fmemopen(void *, unsigned long, const char *), *stdin, *memset(void *, int, unsigned long);\n\
         extern int setvbuf(void *, char *, int, unsigned long);\n\
         static char typed[{size}] = {{ {list} }};\n\
         __attribute__((constructor, no_instrument_function)) static void type(void)\n\
         {{\n    memset(typed + {known}, 'a', sizeof typed - {known});\n    stdin = fmemopen(typed, {length}, \"r\");\n}}\n",
        size = length.max(1),
        list = if bytes.is_empty() { "0".to_owned() } else { bytes.join(", ") },
        known = typed.bytes.len(),
    )
}

/// A function that stores values by its format: takes the inputs of the run in the order in which its
/// description does (`library::format`).
fn scanning(name: &str, known: Known, violation: &Violation) -> String {
    let values: Vec<String> = violation
        .inputs
        .iter()
        .filter(|input| &*input.name == name)
        .map(|input| format!("0x{:x}ULL", input.bits as u64))
        .collect();
    let stream = if known == Known::Fscanf { "void *stream, " } else { "" };
    SCANNING
        .replace("@NAME", name)
        .replace("@STREAM", stream)
        .replace("@COUNT", &values.len().to_string())
        .replace("@VALUES", &values.join(", "))
}

const SCANNING: &str = include_str!("c/scanning.c");

/// A library function whose input says whether it fails; a second one says why, where the program looks at `errno`.
fn failing(name: &str, violation: &Violation, tells_why: bool) -> String {
    let mut inputs = violation.inputs.iter().filter(|input| &*input.name == name);
    let mut values = Vec::new();
    while let Some(input) = inputs.next() {
        values.push(match input.bits {
            0 => "0".to_owned(),
            _ if tells_why => inputs.next().map_or("1".to_owned(), |why| why.bits.to_string()),
            _ => "1".to_owned(),
        });
    }
    let is_opening = OPENING.contains(&name);
    if !is_opening && !UNSURE.contains(&name) && values.iter().all(|value| value == "0") {
        return String::new(); // the real one does it
    }
    let (ty, failure, success) =
        if is_opening { ("void *", "0", "tmpfile64()") } else { ("int ", "-1", "0") };
    let declared = if is_opening { "extern void *tmpfile64(void);\n" } else { "" };
    let (errno, why) = match tells_why {
        true => ("extern int *__errno_location(void);\n", "*__errno_location() = why;\n    "),
        false => ("", ""),
    };
    format!(
        "{declared}{errno}{ty}{name}(void)\n{{\n    static const int fails[] = {{ {} }};\n    static unsigned at;\n    \
         int why = at < sizeof fails / sizeof *fails ? fails[at++] : 0;\n    \
         if (!why)\n        return {success};\n    {why}return ({ty}){failure};\n}}\n",
        values.join(", ")
    )
}

/// Does every call of a library function take one input and return it? Only such a function can be put in the
/// place of the real one.
fn returns_its_inputs(name: &str) -> bool {
    matches!(name, "rand" | "random" | "time" | "clock" | "sleep" | "getppid" | "getchar" | "getc" | "fgetc")
}

/// The functions that must not be called, as far as the program has its own bodies for them that another file
/// can name.
pub(crate) fn watched<'p>(program: &'p Program, property: &'p Property) -> impl Iterator<Item = &'p str> {
    property.functions.iter().map(String::as_str).filter(|name| {
        program.procedure_named(name).is_some_and(|id| {
            let procedure = &program.procedures[id];
            procedure.body.is_some() && procedure.origin == Origin::User && !procedure.is_static
        })
    })
}

/// How gcc is called so that the run fails: calls are told of, undefined behaviour that was asked about is
/// looked for.
pub fn compiler_line(program: &Program, violation: &Violation) -> Vec<&'static str> {
    let mut line = vec!["gcc", "-w", "-finstrument-functions"];
    if program.types.model() == DataModel::Ilp32 {
        line.push("-m32");
    }
    match fill_of(program, &violation.inputs) {
        Some(Fill::Zero) => line.push("-ftrivial-auto-var-init=zero"),
        Some(Fill::Pattern) => line.push("-ftrivial-auto-var-init=pattern"),
        None => {}
    }
    // What the run computes where a signed number overflows; without it gcc takes `x + 1 > x` for true.
    let overflows = |report: &concrete::UndefinedReport| report.kind == UndefinedKind::SignedOverflow;
    if violation.check() != Some(Check::SignedOverflow) && violation.run.tolerated.iter().any(overflows) {
        line.push("-fwrapv");
    }
    line.extend(match violation.check() {
        None => &[][..],
        // `-ftrapv` keeps gcc from solving `x + 1 > 5` for `x` before the sanitizer looks.
        Some(Check::SignedOverflow) => &["-ftrapv", "-fsanitize=undefined", "-fno-sanitize-recover=all"],
        Some(_) if uses_address_sanitizer(violation) => {
            &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        }
        Some(_) => &["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    });
    line.extend(match violation.report().map(|report| report.kind) {
        // The last array of a structure, too.
        Some(UndefinedKind::IndexOutOfBounds | UndefinedKind::InnerIndex) => {
            &["-fsanitize=bounds-strict"][..]
        }
        // Else a short copy is done in place, where nobody looks for overlaps.
        Some(UndefinedKind::Overlap) => &["-fno-builtin-memcpy"],
        _ => &[],
    });
    line
}

fn uses_address_sanitizer(violation: &Violation) -> bool {
    let without = [Check::SignedOverflow, Check::Division, Check::Shift, Check::Unreachable];
    violation.check().is_some_and(|check| !without.contains(&check))
}
