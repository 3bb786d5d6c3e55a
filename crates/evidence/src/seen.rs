//! What a compiled program shows of undefined behaviour: the table of what gcc's address and undefined
//! sanitizers look for without optimisation, and of what they do not.
//!
//! From measurements with gcc 12 and its runtime libraries; `crates/concord/tests/suite/harness.rs` asks the
//! compiler again for every row: the harness of a small program either fails, or is not written for the
//! reason given here. What is not sure is not seen: no harness is better than one that ends with status 0.

use crate::kept::{MustEvaluate, is_surely_evaluated, is_surely_used};
use concrete::{Owner, RunOutcome, Touched, UndefinedKind, UndefinedReport};
use program::{Action, Callee, DataModel, Known, Program, VariableKind};
use question::{Check, Violation};

/// Who sees it.
enum SeenBy {
    /// The undefined sanitizer or the processor, wherever it happens.
    Always,
    /// The undefined sanitizer or `-ftrapv`, where the compiler computes it.
    Arithmetic,
    /// The undefined sanitizer, where the compiler uses the element.
    Index,
    /// The address sanitizer or the processor, where memory is guarded and the compiler reads it.
    Memory,
    /// The address sanitizer's versions of these library functions.
    InLibrary(&'static [&'static str], &'static str),
    /// Nobody, in words that follow "gcc's sanitizers do not look for".
    Never(&'static str),
}

/// The table: one row for each kind that a check asks about.
fn seen(kind: UndefinedKind) -> SeenBy {
    use UndefinedKind::*;
    match kind {
        SignedOverflow => SeenBy::Arithmetic,
        DivisionByZero | DivisionOverflow | BadShift | Unreachable => SeenBy::Always,
        IndexOutOfBounds | InnerIndex => SeenBy::Index,
        DoubleFree | InvalidFree => SeenBy::Always,
        OutOfBounds | NullDereference | WildPointer | UseAfterFree | UseAfterScope | ReadOnlyWrite
        | BadCall => SeenBy::Memory,
        Overlap => SeenBy::InLibrary(
            &["memcpy", "strcpy", "strcat", "strncpy", "strncat"],
            "objects that overlap where this is copied",
        ),
        UninitialisedRead => SeenBy::Never("reads of what was never written"),
        MissingReturnValue => SeenBy::Never("results of functions that return without a value"),
        ReturnedFromNoreturn => SeenBy::Never("returns from functions that say that they never return"),
        VariableArguments => SeenBy::Never("variable arguments that are not there or of another type"),
        FormatArguments => SeenBy::Never("formats that do not fit their arguments"),
        BadArgument => SeenBy::Never("arguments that a library function does not accept"),
        MutexMisuse => SeenBy::Never("locks that are used in the wrong state"),
        ThreadMisuse => SeenBy::Never("threads that are used in the wrong state"),
        DataRace => SeenBy::Never("data races, together with what it looks for here"),
        // No check asks about the rest.
        LeftShift | FloatToInteger | Misaligned | InvalidBool | UnrelatedPointers | PointerArithmetic
        | LayoutDependent => SeenBy::Never("this"),
    }
}

/// Library functions of which the address sanitizer checks every byte that they read and write, strings to
/// their end (`strict_string_checks`), and those that the harness defines itself so that the compiler does.
const WATCHED: &str = "\
    memcpy memmove memset memcmp bcmp bzero memchr memrchr memmem strlen strnlen strcpy strncpy strcat \
    strncat strcmp strncmp strcasecmp strncasecmp strchr index strchrnul strrchr strstr strspn strcspn \
    strpbrk strtok strndup strdup strtol strtoll strtoimax atoi atol atoll qsort write read printf \
    fprintf vprintf vfprintf sprintf snprintf vsprintf vsnprintf puts fputs fwrite fread gets getline \
    fgets fopen popen freopen time scanf __isoc99_scanf fscanf __isoc99_fscanf free realloc \
    __builtin___memcpy_chk __builtin___memmove_chk __builtin___memset_chk __builtin___strcpy_chk \
    __builtin___strcat_chk __builtin___strncpy_chk __builtin___strncat_chk __memcpy_chk __memmove_chk \
    __memset_chk __strcpy_chk __strcat_chk __strncpy_chk __strncat_chk";

/// Of these, those that take null for an answer: `printf` writes "(null)", `write` gives -1.
const MILD_ON_NULL: &str = "\
    write read printf fprintf vprintf vfprintf sprintf snprintf vsprintf vsnprintf fopen popen freopen \
    time scanf __isoc99_scanf fscanf __isoc99_fscanf";

/// Library functions that gcc does not call where nobody uses their result.
const WITHOUT_EFFECT: &str = "\
    memcmp bcmp memchr memrchr memmem strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr index \
    strchrnul strrchr strstr strspn strcspn strpbrk atoi atol atoll";

/// Library functions whose arithmetic gcc computes in place or the processor refuses.
const COMPUTED: &[&str] = &["abs", "labs", "llabs", "div", "ldiv", "lldiv"];

/// Is the name among names with spaces in between?
fn is_among(names: &str, name: &str) -> bool {
    names.split(' ').any(|own| own == name)
}

/// So far from every object nothing is mapped, with addresses of 64 bits.
const FAR: u64 = 1 << 30;

/// Why a compiled program would not show the violation, if that is so.
pub(crate) fn unseen(program: &Program, violation: &Violation) -> Option<String> {
    let ends_by_itself = matches!(violation.run.outcome, RunOutcome::Exited(_));
    if violation.check() == Some(Check::Cleanup) || violation.check() == Some(Check::Lost) && !ends_by_itself
    {
        return Some("nothing counts the blocks that are left when a program aborts".to_owned());
    }
    if matches!(violation.check(), Some(Check::Leak | Check::Lost)) {
        return may_end_at_once(program).then(|| {
            "the program may end with `_exit`, after which nothing counts the blocks that are left".to_owned()
        });
    }
    let report = violation.report()?;
    let never = |what: &str| Some(format!("gcc's sanitizers do not look for {what}"));
    let library = report.library.as_deref();
    match seen(report.kind) {
        SeenBy::Always => None,
        SeenBy::Never(what) => never(what),
        SeenBy::InLibrary(names, what) => match library {
            Some(name) if names.contains(&name) => None,
            _ => never(what),
        },
        SeenBy::Arithmetic => match library {
            Some(name) if COMPUTED.contains(&name) => None,
            _ => left_out(program, report, MustEvaluate::Arithmetic),
        },
        SeenBy::Index => left_out(program, report, MustEvaluate::Memory),
        SeenBy::Memory => {
            if let Some(name) = library.filter(|_| report.kind != UndefinedKind::ReadOnlyWrite) {
                let is_mild = report.kind == UndefinedKind::NullDereference && is_among(MILD_ON_NULL, name);
                if is_mild || !is_among(WATCHED, name) {
                    return never(&format!("what `{name}` does with memory here"));
                }
                if is_among(WITHOUT_EFFECT, name) && !is_result_used(program, report) {
                    return Some(format!("gcc leaves the call of `{name}` out, whose result nobody uses"));
                }
            }
            unguarded(program, report).or_else(|| {
                let is_read = report.touched.is_none_or(|touched| !touched.is_write) && library.is_none();
                if is_read { left_out(program, report, MustEvaluate::Memory) } else { None }
            })
        }
    }
}

/// May the run end with `_exit` or a relative, which runs nothing afterwards?
fn may_end_at_once(program: &Program) -> bool {
    let is_called = |procedure: &program::Procedure| {
        procedure.body.iter().flat_map(|body| &body.edges).any(|edge| {
            matches!(&edge.action, Action::Call { callee: Callee::Direct(id), .. }
                if program.procedures[*id].known == Some(Known::ExitNow))
        })
    };
    let users = program.procedures.iter().filter(|procedure| procedure.origin == program::Origin::User);
    { users }.any(is_called)
}

fn is_result_used(program: &Program, report: &UndefinedReport) -> bool {
    let Some((procedure, edge)) = report.step else { return false };
    let Some(body) = &program.procedures[procedure].body else { return false };
    match &body.edges[edge].action {
        Action::Call { result: Some(result), .. } => is_surely_used(program, procedure, result),
        _ => false,
    }
}

/// Does gcc leave out what goes wrong, as its value does not matter?
fn left_out(program: &Program, report: &UndefinedReport, wanted: MustEvaluate) -> Option<String> {
    let is_kept =
        report.step.is_some_and(|(procedure, edge)| is_surely_evaluated(program, procedure, edge, wanted));
    let what = match wanted {
        MustEvaluate::Memory => "this read",
        MustEvaluate::Arithmetic => "this computation",
    };
    (!is_kept).then(|| format!("gcc may leave {what} out, as nothing depends on its value"))
}

/// Why nobody guards the memory that is touched, if so.
fn unguarded(program: &Program, report: &UndefinedReport) -> Option<String> {
    let Some(touched) = report.touched else {
        return Some(
            match report.kind {
                UndefinedKind::ReadOnlyWrite => {
                    "gcc's sanitizers do not look for writes to constants on the stack"
                }
                UndefinedKind::BadCall => {
                    "gcc's sanitizers do not compare calls with the function that is called"
                }
                _ => "gcc's sanitizers do not look for this",
            }
            .to_owned(),
        );
    };
    let is_wide = program.types.model() == DataModel::Lp64;
    let Some(owner) = touched.owner else {
        // Low addresses belong to nobody (or to the sanitizer's own tables, which guard themselves), the
        // highest to the kernel.
        let address = touched.offset as u64;
        let is_nobodys = address < 1 << 16 || (is_wide && !(1 << 44..1 << 47).contains(&address));
        return (!is_nobodys)
            .then(|| format!("a compiled program may have something at the address {address:#x}"));
    };
    match report.kind {
        UndefinedKind::ReadOnlyWrite => None,
        UndefinedKind::BadCall => {
            (owner == Owner::NoData).then(|| "it calls into the middle of code".to_owned())
        }
        UndefinedKind::UseAfterFree | UndefinedKind::UseAfterScope => unguarded_dead(program, owner, touched),
        _ if owner == Owner::Block && touched.size == 0 && touched.offset == 0 && touched.bytes == 1 => {
            Some("gcc's address sanitizer gives a block of no bytes one byte".to_owned())
        }
        _ => {
            let reach = beyond(touched);
            let guarded = guarded_bytes(program, owner, touched)?;
            match guarded {
                Ok(bytes) if reach <= bytes || (is_wide && reach >= FAR) => None,
                Ok(0) => Some(
                    "gcc's address sanitizer guards no bytes before this object, which has static storage"
                        .to_owned(),
                ),
                Ok(bytes) => Some(format!(
                    "gcc's address sanitizer is only sure to guard {bytes} bytes beside this object, and the access reaches {reach} bytes beyond"
                )),
                Err(why) => Some(why.to_owned()),
            }
        }
    }
}

/// How far an access reaches out of its object.
fn beyond(touched: Touched) -> u64 {
    match u64::try_from(touched.offset) {
        Err(_) => touched.offset.unsigned_abs(),
        Ok(offset) if offset < touched.size => 1,
        Ok(offset) => offset - touched.size + touched.bytes,
    }
}

/// How many bytes beside an object are guarded on the side of an access (asan.h: `asan_var_and_redzone_size`,
/// `asan_padded_size`). `None`: all that may be hit.
fn guarded_bytes(program: &Program, owner: Owner, touched: Touched) -> Option<Result<u64, &'static str>> {
    let is_before = touched.offset < 0;
    Some(match owner {
        Owner::NoData => Err("what is there is no data of the program, and may be read"),
        // What lies between two blocks is a header of 16 bytes; what was never allocated is guarded.
        Owner::Block if !touched.has_others => return None,
        Owner::Block | Owner::StackBlock => Ok(16),
        Owner::Variable(id) => {
            let variable = &program.variables[id];
            match variable.kind {
                _ if variable.is_thread_local => {
                    Err("gcc's address sanitizer does not guard thread-local variables")
                }
                VariableKind::Temporary => {
                    Err("gcc's address sanitizer does not guard values of expressions")
                }
                VariableKind::Global | VariableKind::StringLiteral => Ok(if is_before { 0 } else { 32 }),
                VariableKind::Local | VariableKind::Parameter => Ok(match touched.size {
                    _ if is_before => 12,
                    size @ 0..=4 => 16 - size,
                    size @ 5..=16 => 32 - size,
                    _ => 32,
                }),
            }
        }
    })
}

/// The largest frame that keeps its place after it returned is of 64 KB.
const LARGEST_FRAME: u64 = 32 << 10;

fn unguarded_dead(program: &Program, owner: Owner, touched: Touched) -> Option<String> {
    let is_inside = u64::try_from(touched.offset).is_ok_and(|offset| offset < touched.size.max(1));
    let why = match owner {
        _ if !is_inside => "gcc's address sanitizer guards a dead object itself, not what is beside it",
        Owner::Block => return None,
        Owner::Variable(id) if program.variables[id].kind == VariableKind::Temporary => {
            "gcc's address sanitizer does not guard values of expressions"
        }
        Owner::Variable(_) if touched.has_others => {
            "the variable is alive again at the same place, where gcc's address sanitizer takes it for the old one"
        }
        Owner::Variable(id) => {
            let variable = &program.variables[id];
            let locals = variable.procedure.map(|procedure| &program.procedures[procedure].locals);
            let size_of =
                |id: &program::VariableId| program.types.size_of(program.variables[*id].ty.id).unwrap_or(0);
            let frame: u64 = locals.into_iter().flatten().map(size_of).fold(0, u64::saturating_add);
            if frame <= LARGEST_FRAME {
                return None;
            }
            "gcc's address sanitizer does not remember frames of this size after they returned"
        }
        Owner::StackBlock => "gcc's address sanitizer does not guard blocks on the stack after their life",
        Owner::NoData => "what is there is no data of the program, and may be read",
    };
    Some(why.to_owned())
}
