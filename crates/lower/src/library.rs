//! Bodies for library functions that the program calls and does not define: their descriptions (crate `library`), read
//! by our own front end.

use crate::link::Linker;
use crate::{formats, streams};
use library::Header;
use program::expr::ExprPart;
use program::{Action, AssumptionKind, Callee, Expr, ExprKind, InitialData, Origin, ProcedureId};
use rustc_hash::FxHashSet;

/// Is there a body for this function?
pub fn has_model(name: &str) -> bool {
    library::header_of(name).is_some()
}

/// Gives every called function without a body its model, and the models theirs.
pub fn supply(linker: &mut Linker) {
    formats::specialise(linker);
    let supposed =
        Supposed { may_close: streams::may_be_closed(linker), looks_at_errno: looks_at_errno(linker) };
    let mut is_read = vec![false; library::headers().len()];
    for round in 0.. {
        let wanted = wanted_models(linker);
        if wanted.is_empty() {
            break;
        }
        for &procedure in &wanted {
            let name = linker.procedures[procedure].name.clone();
            let header = library::header_of(&name).expect("it has a model");
            if !std::mem::replace(&mut is_read[header], true) {
                read_models(linker, &library::headers()[header], supposed);
            }
            linker.lower_body(procedure);
            lower_helpers(linker, procedure);
            let entry = &linker.procedures[procedure];
            assert!(entry.body.is_some(), "the model of `{name}` is in the file that promises it");
            // What descriptions call among themselves is no assumption of the user's.
            if round == 0 && !name.starts_with("__builtin_") && !name.starts_with("__concord_") {
                linker.assume(
                    AssumptionKind::LibraryModel,
                    &name,
                    base::Span::NOWHERE,
                    format!("`{name}` does what the C standard says (built-in model)"),
                );
            }
        }
    }
    streams::connect(linker);
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
    let mut mentioned = procedures_with_address(linker);
    let bodies = linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies.flat_map(|graph| &graph.edges) {
        if let Action::Call { callee: Callee::Direct(id), .. } = &edge.action {
            mentioned.insert(*id);
        }
    }
    mentioned
}

/// Procedures whose address lowered code or initial values take.
pub fn procedures_with_address(linker: &Linker) -> FxHashSet<ProcedureId> {
    let mut taken = FxHashSet::default();
    let mut look = |part: ExprPart<'_>| {
        if let ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
            taken.insert(*id);
        }
    };
    let bodies = linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies.flat_map(|graph| &graph.edges) {
        edge.action.visit(&mut look);
    }
    for initial in linker.variables.iter().flat_map(|variable| &variable.initial) {
        if let InitialData::Value(value) = &initial.value {
            value.visit(&mut look);
        }
    }
    taken
}

/// What descriptions may suppose of the program.
#[derive(Clone, Copy)]
struct Supposed {
    may_close: bool,
    looks_at_errno: bool,
}

/// Does the program mention `errno`?
fn looks_at_errno(linker: &Linker) -> bool {
    mentioned_procedures(linker).iter().any(|&id| &*linker.procedures[id].name == "__errno_location")
}

fn read_models(linker: &mut Linker, header: &Header, supposed: Supposed) {
    let mut text = format!("{}{}", library::WORDS, header.text);
    if !supposed.may_close {
        text = text.replace(library::MAY_CLOSE, library::NEVER_CLOSES);
    }
    if !supposed.looks_at_errno {
        text = text.replace(library::LOOKS_AT_ERRNO, library::NEVER_LOOKS);
    }
    let source = linker.session.sources.add(header.source, text).expect("descriptions are small");
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
