//! A proof put to the test of a compiler: C files that, compiled and run, show whether what a certificate
//! claims holds of real runs.
//!
//! Two programs are compiled. The user's own files with [`driver`], which defines the input functions (drawn
//! values, boundaries, constants of the program, or values that are given): nothing of ours is in between, so
//! mistakes of the front end, of the library's description and of the proof show alike. And the normalised
//! program with every invariant and contract of the certificate as an assertion ([`watched_program`]), which
//! also tells what was covered.
//!
//! A run ends with status [`BROKEN`] where an assertion of the certificate does not hold, [`REACHED`] where a
//! forbidden function or label is reached, and [`OUTSIDE`] where it leaves what the proof is about (an
//! assumption of the user's that is not met, a function that nobody gave). One that goes on is cut off after
//! 0.3 s ([`CUT_OFF`]).

use program::print_c::{Probes, print_c_with};
use program::{
    EdgeId, ExprKind, FloatKind, Known, NodeId, Origin, ProcedureId, Program, Type, VariableId, VariableKind,
};
use question::{Missing, Property};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;
use verdict::{Condition, Contract, LoopInvariant, ProgramProof};

/// Exit status of a run in which a condition of the certificate does not hold.
pub const BROKEN: i32 = 97;
/// Exit status of a run that reaches what must not be reached.
pub const REACHED: i32 = 99;
/// Exit status of a run that leaves what the proof is about.
pub const OUTSIDE: i32 = 77;
/// Exit status of a run that goes on for too long.
pub const CUT_OFF: i32 = 76;

/// Constants of the program that inputs are drawn from; more say little.
const MOST_CONSTANTS: usize = 200;

/// The C file that gives the program its inputs. `CONCORD_SEED` says which are drawn, `CONCORD_GIVEN` names a
/// file with a name and a number per line that are given first.
pub fn driver(program: &Program, property: &Property, missing: Missing) -> String {
    let mut text = String::from(DRIVER);
    let constants: Vec<String> =
        constants(program).into_iter().take(MOST_CONSTANTS).map(|value| format!("0x{value:x}ULL")).collect();
    let _ = writeln!(
        text,
        "static const unsigned long long constants[] = {{ 0, {} }};\n\
         static unsigned long long a_constant(unsigned long long which) {{ return constants[which % (sizeof constants / sizeof *constants)]; }}",
        constants.join(", ")
    );
    let mentioned = crate::mentioned::mentioned_by_user(program);
    for (_, procedure) in program.procedures.iter_enumerated().filter(|(id, _)| mentioned.contains(id)) {
        let name = &*procedure.name;
        let is_defined =
            procedure.body.is_some() || (procedure.known.is_some() && !is_error(procedure.known));
        if is_defined || is_compilers(name) {
            continue;
        }
        let result = program.types.get(procedure.ty);
        let Type::Function(function) = result else { continue };
        let result = function.result;
        if is_error(procedure.known) || property.functions.iter().any(|forbidden| forbidden == name) {
            let _ = writeln!(text, "void {name}(void) {{ reached(\"{name}\"); }}");
        } else if name == "__VERIFIER_assume" {
            let _ = writeln!(text, "void {name}(int condition) {{ if (!condition) _exit({OUTSIDE}); }}");
        } else if !name.starts_with("__VERIFIER_nondet") && missing == Missing::Stop {
            let _ = writeln!(text, "__attribute__((weak)) void {name}(void) {{ _exit({OUTSIDE}); }}");
        } else if let Some(kind) = program.types.float_kind(result.id) {
            let (bits, float) = match kind {
                FloatKind::Float => ("unsigned", "float"),
                _ => ("unsigned long long", "double"),
            };
            let declared = program.types.declare(result, &format!("{name}()"));
            let _ = writeln!(
                text,
                "{declared} {{ union {{ {bits} bits; {float} value; }} u; u.bits = ({bits})drawn_float(\"{name}\", sizeof u.bits); return u.value; }}"
            );
        } else if program.types.is_integer(result.id) {
            let declared = program.types.declare(result, &format!("{name}()"));
            let shown = program.types.show(result);
            let _ = writeln!(text, "{declared} {{ return ({shown})drawn(\"{name}\"); }}");
        } else {
            let _ = writeln!(text, "__attribute__((weak)) void *{name}() {{ return 0; }}");
        }
    }
    let watched: Vec<&str> = crate::harness::watched(program, property).collect();
    for name in &watched {
        let _ = writeln!(text, "extern void {name}();");
    }
    let tests: Vec<String> = watched
        .iter()
        .map(|name| format!("    if (function == (void *){name}) reached(\"{name}\");\n"))
        .collect();
    let _ = write!(
        text,
        "__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)\n{{\n    (void)function;\n    (void)caller;\n{}}}\n\
         __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller)\n{{\n    (void)function;\n    (void)caller;\n}}\n",
        tests.concat()
    );
    text
}

fn is_error(known: Option<Known>) -> bool {
    matches!(known, Some(Known::ReachError | Known::VerifierError))
}

fn is_compilers(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The integer constants of the user's code, with their neighbours.
fn constants(program: &Program) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let user = program.procedures.iter().filter(|procedure| procedure.origin == Origin::User);
    for edge in user.filter_map(|procedure| procedure.body.as_ref()).flat_map(|body| &body.edges) {
        edge.action.visit(&mut |part| {
            if let program::expr::ExprPart::Expr(expr) = part
                && let ExprKind::Integer(value) = &expr.kind
            {
                let value = *value as u64;
                found.extend([value, value.wrapping_add(1), value.wrapping_sub(1), value.wrapping_neg()]);
            }
        });
    }
    found
}

/// What all drivers have.
const DRIVER: &str = include_str!("c/driver.c");

/// The normalised program with the conditions of a certificate as assertions.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The C file.
    pub text: String,
    /// Conditions that became assertions.
    pub conditions: usize,
    /// Conditions that C has no words for, or that are about variables out of scope.
    pub left_out: usize,
    /// Places (nodes of the user's procedures) whose coverage is told, one byte each in the file
    /// `CONCORD_COVERED`.
    pub places: usize,
}

/// Prints the normalised program with its probes.
pub fn watched_program(program: &Program, property: &Property, proof: &ProgramProof) -> Watched {
    let mut loops: FxHashMap<(ProcedureId, NodeId), Vec<&LoopInvariant>> = FxHashMap::default();
    for invariant in &proof.loops {
        let procedure = base::Id::from_index(invariant.procedure_number as usize);
        let node = base::Id::from_index(invariant.node as usize);
        loops.entry((procedure, node)).or_default().push(invariant);
    }
    let contracts = proof
        .contracts
        .iter()
        .map(|contract| (base::Id::from_index(contract.procedure_number as usize), contract));
    let watch = Watch {
        program,
        property,
        loops,
        contracts: contracts.collect(),
        tracks_calls: proof.loops.iter().any(|invariant| !invariant.calls.is_empty()),
        conditions: RefCell::new(0),
        left_out: RefCell::new(0),
        places: RefCell::new(0),
    };
    let body = print_c_with(program, &watch);
    let places = watch.places.into_inner();
    // How many places there are is known only now.
    let text = body.replacen("__CONCORD_PLACES__", &places.max(1).to_string(), 1);
    Watched { text, conditions: watch.conditions.into_inner(), left_out: watch.left_out.into_inner(), places }
}

struct Watch<'a> {
    program: &'a Program,
    property: &'a Property,
    loops: FxHashMap<(ProcedureId, NodeId), Vec<&'a LoopInvariant>>,
    contracts: FxHashMap<ProcedureId, &'a Contract>,
    tracks_calls: bool,
    conditions: RefCell<usize>,
    left_out: RefCell<usize>,
    places: RefCell<usize>,
}

impl Watch<'_> {
    /// A condition in the printed program's names; counted.
    fn condition(
        &self,
        procedure: ProcedureId,
        condition: &Condition,
        names: &dyn Fn(VariableId) -> Option<String>,
    ) -> Option<String> {
        let text = match condition {
            Condition::C(text) => self.renamed(procedure, text, names),
            Condition::Smt(_) => None,
        };
        let count = if text.is_some() { &self.conditions } else { &self.left_out };
        *count.borrow_mut() += 1;
        text
    }

    /// `None` if a name stands for nothing that is printed and in scope, or the meaning in C is another.
    fn renamed(
        &self,
        procedure: ProcedureId,
        text: &str,
        names: &dyn Fn(VariableId) -> Option<String>,
    ) -> Option<String> {
        // Divisions and shifts are total where conditions are read, and not in C.
        if text.contains(['/', '%']) || text.contains("<<") || text.contains(">>") {
            return None;
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if !is_word(first) || first.is_ascii_digit() {
                let length = rest.find(|c: char| is_word(c) != first.is_ascii_digit()).unwrap_or(rest.len());
                out.push_str(&rest[..length.max(1)]);
                rest = &rest[length.max(1)..];
                continue;
            }
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            rest = &rest[length..];
            if is_type_word(word) {
                out.push_str(word);
            } else {
                out.push_str(&names(self.variable(procedure, word)?)?);
            }
        }
        Some(out)
    }

    fn variable(&self, procedure: ProcedureId, word: &str) -> Option<VariableId> {
        let program = self.program;
        if let Some((name, number)) = word.split_once('$') {
            let number: usize = number.parse().ok().filter(|&number| number < program.variables.len())?;
            let id: VariableId = base::Id::from_index(number);
            return (*program.variables[id].name == *name).then_some(id);
        }
        let is_meant = |(_, variable): &(VariableId, &program::Variable)| {
            let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            *variable.name == *word && (is_static || variable.procedure == Some(procedure))
        };
        let mut found = program.variables.iter_enumerated().filter(is_meant);
        let (id, _) = found.next()?;
        found.next().is_none().then_some(id)
    }
}

fn is_type_word(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "char" | "short" | "int" | "long" | "_Bool" | "__int128")
}

impl Probes for Watch<'_> {
    fn prelude(&self) -> String {
        String::from(
            "static unsigned char __concord_covered[__CONCORD_PLACES__];\n\
             static int __concord_calls[4096], __concord_depth;\n\
             extern int dprintf(int, const char *, ...);\n\
             extern void _exit(int);\n\
             extern char *getenv(const char *);\n\
             extern int creat(const char *, unsigned);\n\
             extern long write(int, const void *, unsigned long);\n\
             static void __concord_broken(const char *what) { dprintf(2, \"concord: %s\\n\", what); _exit(97); }\n\
             static void __concord_reached(const char *what) { dprintf(2, \"concord: label %s is reached\\n\", what); _exit(99); }\n\
             __attribute__((destructor)) void __concord_tell(void)\n\
             {\n    const char *file = getenv(\"CONCORD_COVERED\");\n    int to = file ? creat(file, 0600) : -1;\n\
             \x20   if (to >= 0) write(to, __concord_covered, sizeof __concord_covered);\n}\n\n",
        )
    }

    fn at_node(
        &self,
        procedure: ProcedureId,
        node: NodeId,
        names: &dyn Fn(VariableId) -> Option<String>,
    ) -> String {
        let mut out = String::new();
        let declared = &self.program.procedures[procedure];
        let Some(body) = &declared.body else { return out };
        if declared.origin == Origin::User {
            let mut places = self.places.borrow_mut();
            let _ = writeln!(out, "    __concord_covered[{places}] = 1;");
            *places += 1;
        }
        for label in &body.nodes[node].labels {
            if self.property.labels.iter().any(|wanted| **wanted == **label) {
                let _ = writeln!(out, "    __concord_reached(\"{label}\");");
            }
        }
        // A loop back to the beginning would ask again of other values.
        if let Some(contract) = self.contracts.get(&procedure).filter(|_| node == body.entry) {
            for condition in &contract.requires {
                let is_asked_once = body.nodes[node].into.is_empty();
                match self.condition(procedure, condition, names).filter(|_| is_asked_once) {
                    Some(text) => {
                        let told = in_string(&format!("`{}` needs {}", declared.name, condition.text()));
                        let _ = writeln!(out, "    if (!({text})) __concord_broken(\"{told}\");");
                    }
                    None => continue,
                }
            }
            *self.left_out.borrow_mut() += contract.ensures.len();
        }
        for invariant in self.loops.get(&(procedure, node)).into_iter().flatten() {
            let texts: Vec<(String, &Condition)> = invariant
                .conditions
                .iter()
                .filter_map(|condition| Some((self.condition(procedure, condition, names)?, condition)))
                .collect();
            if texts.is_empty() {
                continue;
            }
            let mut context = format!("__concord_depth == {}", invariant.calls.len());
            for (at, call) in invariant.calls.iter().enumerate() {
                let _ = write!(
                    context,
                    " && __concord_calls[{at}] == {}",
                    call_number(call.procedure_number, call.edge)
                );
            }
            let context = if self.tracks_calls { context } else { "1".to_owned() };
            for (text, condition) in texts {
                let told = in_string(&format!("the invariant {} does not hold", condition.text()));
                let _ = writeln!(out, "    if (({context}) && !({text})) __concord_broken(\"{told}\");");
            }
        }
        out
    }

    fn before_call(&self, procedure: ProcedureId, edge: EdgeId) -> String {
        if !self.tracks_calls {
            return String::new();
        }
        let number = call_number(base::Id::index(procedure) as u32, base::Id::index(edge) as u32);
        format!(
            "    if (__concord_depth < 4096) __concord_calls[__concord_depth] = {number};\n    __concord_depth++;\n"
        )
    }

    fn after_call(&self, _: ProcedureId, _: EdgeId) -> String {
        if self.tracks_calls { "    __concord_depth--;\n".to_owned() } else { String::new() }
    }
}

fn call_number(procedure: u32, edge: u32) -> u64 {
    (u64::from(procedure) << 16 ^ u64::from(edge)) & 0x7FFF_FFFF
}

fn in_string(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%")
}
