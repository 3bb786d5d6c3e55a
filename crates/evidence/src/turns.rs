//! A C file whose compiled run takes the schedule of a violating run of threads, and fails as it does, every time.
//!
//! It is the program itself, printed with one shared access per step ([`program::print_c()`]), where each visible step first waits for its turn (the runtime in `turns.c`). After
//! the idea of controlled schedulers, such as CHESS (Musuvathi et al. 2008). Mutexes, read-write locks, semaphores and `once` stay real, because a planned step never blocks;
//! condition variables and barriers are the runtime's, because the kernel would choose whom to wake.
//!
//! Threads that wait for ever make the calls that do not return when the plan is over, and a watchdog ends the process. Before it does, it has seen that a try to have what they
//! wait for fails, and that whoever has it is one of them or has ended. That nobody is left who might signal is not for a run to show.
//!
//! DIVERGENCE: the end of a thread is no turn, it comes with the step before it: nobody can tell but who joins it, and that step has its own place in the plan.
//!
//! **Obligation.** A run that is not the planned one ends with status 87 and never looks like the failure.

use base::Id;
use concrete::interleavings::{accesses, is_visible_from};
use concrete::{ChoiceKind, Plan, RunOutcome, Stands, ThreadId, VisibleEdges, Waiting};
use program::expr::{Access, ExprPart};
use program::print_c::{ADDRESS, Probes, print_c_with};
use program::{
    Action, Callee, DataModel, EdgeId, Known, NodeId, Origin, Place, PlaceBase, ProcedureId, Program,
    VariableId, VariableKind,
};
use question::{Broken, Check, Property, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// What the head of a file says whose threads wait for ever.
const ENDS_OF_DEADLOCKS: &str = "Status 86: after the last step of the schedule the threads that wait for ever make the calls that do not return; a watchdog\n   \
     waits for a tenth of a second, says who waits for what, and ends the process. All other threads stay where they are: by their remaining\n   \
     code none of them can release those that wait.\n   ";
const RUNTIME: &str = include_str!("turns.c");
/// Functions whose calls are the runtime's, and what they are called there.
const OWN: [(&str, &str); 6] = [
    ("pthread_create", "__c_create"),
    ("pthread_exit", "__c_exit"),
    ("pthread_cond_wait", "__c_cond_wait"),
    ("pthread_cond_signal", "__c_cond_signal"),
    ("pthread_cond_broadcast", "__c_cond_signal"),
    ("pthread_barrier_wait", "__c_barrier_wait"),
];

/// The same where threads wait for ever: then it is looked who has what.
const OWN_IN_DEADLOCKS: [(&str, &str); 14] = [
    ("pthread_mutex_lock", "__c_lock"),
    ("pthread_mutex_trylock", "__c_try_lock"),
    ("pthread_mutex_unlock", "__c_unlock"),
    ("pthread_spin_lock", "__c_spin_lock"),
    ("pthread_spin_trylock", "__c_try_spin_lock"),
    ("pthread_spin_unlock", "__c_spin_unlock"),
    ("pthread_rwlock_rdlock", "__c_read_lock"),
    ("pthread_rwlock_tryrdlock", "__c_try_read_lock"),
    ("pthread_rwlock_wrlock", "__c_write_lock"),
    ("pthread_rwlock_trywrlock", "__c_try_write_lock"),
    ("pthread_rwlock_unlock", "__c_read_write_unlock"),
    ("sem_wait", "__c_sem_wait"),
    ("pthread_join", "__c_join"),
    ("pthread_once", "__c_once"),
];

/// A node of the program.
type At = (ProcedureId, NodeId);

/// A step of the plan.
#[derive(Clone, Copy, Debug)]
struct Entry {
    thread: ThreadId,
    at: At,
    resumes: bool,
}

/// The file; otherwise why there is none.
pub fn harness(program: &Program, property: &Property, violation: &Violation) -> Result<String, String> {
    let plan = violation.schedule.as_ref().ok_or("the run has one thread")?;
    let (is_race, is_deadlock) = match violation.broken {
        Broken::Assertion | Broken::Call => (false, false),
        Broken::Check(Check::Race) => (true, false),
        Broken::Check(Check::Deadlock) => (false, true),
        _ => {
            let why = "a compiled program shows assertions, calls, races and deadlocks of threads only";
            return Err(why.to_owned());
        }
    };
    if program.entry.is_some() {
        return Err("the run does not start with `main`".to_owned());
    }
    let visible = accesses(program);
    let entries = entries(program, violation, &visible)?;
    refuse(program, plan, violation, is_deadlock)?;
    let stuck = if is_deadlock { stuck(program, &violation.run.outcome)? } else { Vec::new() };
    let places = if is_race { race_places(program, &entries)? } else { FxHashMap::default() };
    let sites = Sites { program, visible: &visible, property, places: &places };
    let printed = print_c_with(program, &sites).replace(
        "__attribute__((weak)) void __concord_assume_failed(void) { __builtin_exit(77); }",
        "static void __concord_assume_failed(void) { __c_stop(); }",
    );
    let inputs = input_functions(program, plan, &printed)?;
    let threads = plan.threads.len();
    let mut text = format!(
        "/* {}.\n   Every run of this program shows it, by this schedule:\n   {}\n   Compile and run it:\n   {} this_file.c -lm -o run && ./run\n   {}Status 87: \
         the run was not the planned one. */\n",
        violation.what.replace("*/", "* /"),
        plan.to_text().trim().replace('\n', "\n   ").replace("*/", "* /"),
        compiler_line(program).join(" "),
        if is_deadlock { ENDS_OF_DEADLOCKS } else { "" },
    );
    text.push_str("static const struct { int thread, site, resumes; } __c_plan[] = {\n");
    for Entry { thread, at, resumes } in &entries {
        let _ = writeln!(text, "    {{ {}, {}, {} }},", thread.index(), site(*at), u8::from(*resumes));
    }
    let _ = writeln!(
        text,
        "}};\n#define __C_LENGTH {}\n#define __C_THREADS {threads}\n#define __C_RACE {}\n#define __C_STUCK {}",
        entries.len(),
        u8::from(is_race),
        stuck.len(),
    );
    text.push_str(&table_of_stuck(&stuck));
    let of_thread = |thread: usize| plan.inputs.iter().filter(move |input| input.0.index() == thread);
    let bits: Vec<Vec<u128>> =
        (0..threads).map(|thread| of_thread(thread).map(|input| input.2).collect()).collect();
    table(&mut text, "input", "unsigned long long", "ULL", &bits);
    table(&mut text, "result", "int", "", &results(program, violation, threads));
    text.push_str(RUNTIME);
    let further = if is_deadlock { &OWN_IN_DEADLOCKS[..] } else { &[] };
    for (name, own) in OWN.iter().chain(further) {
        let _ = writeln!(text, "#define {name} {own}");
    }
    text.push_str(&printed);
    text.push_str(&inputs);
    Ok(text)
}

/// A thread that waits for ever.
struct Stuck {
    thread: ThreadId,
    at: At,
    how: Stands,
    what: String,
}

/// The threads of a deadlock, and where they stand.
fn stuck(program: &Program, outcome: &RunOutcome) -> Result<Vec<Stuck>, String> {
    let RunOutcome::Deadlock(waiting) = outcome else {
        return Err("it is not known who waits for ever".to_owned());
    };
    let of_one = |waiting: &Waiting| {
        let (thread, at) = (waiting.place.thread?, waiting.at?);
        let is_printed = program.procedures[at.0].origin == Origin::User;
        let what = format!("thread {} waits for {}", thread.index(), waiting.waits_for);
        is_printed.then_some(Stuck { thread, at, how: waiting.how, what })
    };
    waiting
        .iter()
        .map(of_one)
        .collect::<Option<_>>()
        .ok_or_else(|| "a thread waits inside the library".into())
}

fn table_of_stuck(stuck: &[Stuck]) -> String {
    if stuck.is_empty() {
        return String::new();
    }
    let mut text = String::from("enum { __C_BEFORE, __C_IN_WAIT, __C_WITHOUT_MUTEX, __C_AT_BARRIER };\n");
    text.push_str("static const struct { int thread, site, how; const char *what; } __c_stuck[] = {\n");
    for Stuck { thread, at, how, what } in stuck {
        let how = match how {
            Stands::Before => "__C_BEFORE",
            Stands::WithoutSignal => "__C_IN_WAIT",
            Stands::WithoutMutex => "__C_WITHOUT_MUTEX",
            Stands::AtBarrier => "__C_AT_BARRIER",
        };
        let what: String = what.chars().filter(|char| !char.is_control()).collect();
        let what = what.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "    {{ {}, {}, {how}, \"{what}\" }},", thread.index(), site(*at));
    }
    text.push_str("};\n");
    text
}

/// How the file is compiled.
pub fn compiler_line(program: &Program) -> Vec<&'static str> {
    let mut line = vec!["gcc", "-std=gnu11", "-w", "-fno-strict-aliasing", "-pthread"];
    if program.types.model() == DataModel::Ilp32 {
        line.extend(["-m32", "-msse2", "-mfpmath=sse"]);
    }
    line
}

/// The number of a node, in C.
fn site((procedure, node): At) -> u64 {
    ((procedure.index() as u64) << 16 | node.index() as u64) & 0x7fff_ffff
}

/// Values by thread: where those of a thread begin, and how many there are.
fn table(text: &mut String, name: &str, ty: &str, suffix: &str, values: &[Vec<u128>]) {
    let all: Vec<String> = values.iter().flatten().map(|value| format!("{value}{suffix}")).collect();
    let mut first = 0;
    let (mut firsts, mut counts) = (Vec::new(), Vec::new());
    for own in values {
        firsts.push(first.to_string());
        counts.push(own.len().to_string());
        first += own.len();
    }
    let all = if all.is_empty() { "0".to_owned() } else { all.join(", ") };
    let _ = writeln!(
        text,
        "static const {ty} __c_{name}s[] = {{ {all} }};\nstatic const int __c_first_{name}[] = {{ {}, 0 }}, __c_{name}_count[] = {{ {}, 0 }};",
        firsts.join(", "),
        counts.join(", ")
    );
}

/// The steps that are turns.
fn entries(program: &Program, violation: &Violation, visible: &VisibleEdges) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    // The first stands for what happens before anybody chooses.
    for step in violation.visible.iter().skip(1) {
        let procedure = &program.procedures[step.at.0];
        // The library's own steps are the library's.
        let is_printed = procedure.origin == Origin::User || procedure.name.starts_with("__concord_");
        if !is_printed {
            continue;
        }
        let returns = is_return(program, step.at);
        if returns && Some(step.at.0) != program.main {
            continue;
        }
        if !returns && !is_visible_from(program, visible, step.at) {
            return Err("a thread runs for long without a step that others see".to_owned());
        }
        entries.push(Entry { thread: step.thread, at: step.at, resumes: step.resumes });
    }
    Ok(entries)
}

fn is_return(program: &Program, at: At) -> bool {
    let body = program.procedures[at.0].body.as_ref();
    body.is_some_and(|body| body.out(at.1).any(|(_, edge)| matches!(edge.action, Action::Return { .. })))
}

fn known_at(program: &Program, (procedure, edge): (ProcedureId, EdgeId)) -> Option<ProcedureId> {
    match &program.procedures[procedure].body.as_ref()?.edges[edge].action {
        Action::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
        _ => None,
    }
}

/// What a compiled program cannot be made to do.
fn refuse(
    program: &Program,
    plan: &Plan,
    violation: &Violation,
    looks_who_has_what: bool,
) -> Result<(), String> {
    if plan.choices.iter().any(|(_, kind, chosen)| *kind == ChoiceKind::TimeOut && *chosen == 1) {
        return Err("a wait gives up in this run, and the clock cannot be made to".to_owned());
    }
    if plan.choices.iter().any(|(_, kind, chosen)| *kind == ChoiceKind::SwapFails && *chosen == 1) {
        return Err(
            "a compare-and-swap fails for no reason in this run, which a processor cannot be made to do"
                .into(),
        );
    }
    for step in &violation.steps {
        let Some(callee) = known_at(program, (step.procedure, step.edge)) else { continue };
        let callee = &program.procedures[callee];
        let name = &*callee.name;
        let is_c11 =
            ["thrd_", "mtx_", "cnd_", "tss_", "call_once"].iter().any(|prefix| name.starts_with(prefix));
        let takes_for_a_while = matches!(
            callee.known,
            Some(Known::MutexTimedLock | Known::RwlockTimedReadLock | Known::RwlockTimedWriteLock)
        );
        let is_unseen = looks_who_has_what && takes_for_a_while;
        if is_c11 || is_unseen || callee.known == Some(Known::CondTimedWait) {
            return Err(format!("calls of `{name}` have no turns yet"));
        }
    }
    Ok(())
}

/// Results of calls that the runtime makes and that the plan decides, by thread.
fn results(program: &Program, violation: &Violation, threads: usize) -> Vec<Vec<u128>> {
    let mut results = vec![Vec::new(); threads];
    for step in &violation.steps {
        let known =
            known_at(program, (step.procedure, step.edge)).and_then(|id| program.procedures[id].known);
        if let (Some(Known::BarrierWait), Some(own)) = (known, results.get_mut(step.thread.index())) {
            // 1 less than nothing is what one of those that meet is told.
            own.push(u128::from(step.written.map_or(0, |written| written.bits as u32)));
        }
    }
    results
}

/// The places of the two accesses of a race, which are the last two steps.
fn race_places(program: &Program, entries: &[Entry]) -> Result<FxHashMap<At, (Place, bool)>, String> {
    let unknown = || Err("the accesses that race are not single steps of the program".to_owned());
    let [.., one, two] = entries else { return unknown() };
    if one.thread == two.thread {
        return unknown();
    }
    let mut places = FxHashMap::default();
    for entry in [one, two] {
        let mut found: Vec<(Place, bool)> = Vec::new();
        let body = program.procedures[entry.at.0].body.as_ref();
        let Some(edge) = body.and_then(|body| body.out(entry.at.1).next()) else { return unknown() };
        if matches!(edge.1.action, Action::Call { .. }) {
            return unknown();
        }
        edge.1.action.visit(&mut |part| {
            let ExprPart::Place(place, access @ (Access::Read | Access::Write)) = part else { return };
            let is_seen = match place.base {
                PlaceBase::Pointer(_) => true,
                PlaceBase::Variable(id) => {
                    let variable = &program.variables[id];
                    variable.in_memory || (variable.kind == VariableKind::Global && !variable.is_thread_local)
                }
            };
            if is_seen {
                found.push((place.clone(), access == Access::Write));
            }
        });
        // Pointers that are loaded on the way come behind the place itself; they are the thread's own, or were loaded before.
        let written = found.iter().position(|(_, is_write)| *is_write).unwrap_or(0);
        let Some((place, is_write)) = found.into_iter().nth(written) else { return unknown() };
        if place.bit_field(&program.types).is_some() {
            return unknown();
        }
        places.insert(entry.at, (place, is_write));
    }
    Ok(places)
}

struct Sites<'s> {
    program: &'s Program,
    visible: &'s VisibleEdges,
    property: &'s Property,
    places: &'s FxHashMap<At, (Place, bool)>,
}

impl Sites<'_> {
    /// May a step that others see lead to the node?
    fn follows_a_turn(&self, (procedure, node): At) -> bool {
        let Some(body) = &self.program.procedures[procedure].body else { return false };
        let mut before = body.nodes[node].into.iter().map(|&edge| body.edges[edge].from);
        before.any(|from| is_visible_from(self.program, self.visible, (procedure, from)))
    }

    fn callee(&self, procedure: ProcedureId, edge: EdgeId) -> Option<&program::Procedure> {
        known_at(self.program, (procedure, edge)).map(|id| &self.program.procedures[id])
    }
}

impl Probes for Sites<'_> {
    fn prelude(&self) -> String {
        String::new()
    }

    fn at_node(
        &self,
        procedure: ProcedureId,
        node: NodeId,
        _: &dyn Fn(VariableId) -> Option<String>,
    ) -> String {
        let at = (procedure, node);
        let ends = is_return(self.program, at) && Some(procedure) == self.program.main;
        let over = if self.follows_a_turn(at) { "    __c_over();\n" } else { "" };
        let turn = match self.places.get(&at) {
            Some((place, is_write)) => {
                let size = self.program.types.size_of(place.ty.id).unwrap_or(1);
                format!(
                    "    __c_turn_at({}, (void *){ADDRESS}, {size}, {});\n",
                    site(at),
                    u8::from(*is_write)
                )
            }
            None if ends || is_visible_from(self.program, self.visible, at) => {
                format!("    __c_turn({});\n", site(at))
            }
            None => String::new(),
        };
        format!("{over}{turn}")
    }

    fn place_at(&self, procedure: ProcedureId, node: NodeId) -> Option<Place> {
        self.places.get(&(procedure, node)).map(|(place, _)| place.clone())
    }

    fn before_call(&self, procedure: ProcedureId, edge: EdgeId) -> String {
        let Some(callee) = self.callee(procedure, edge) else { return String::new() };
        let mut text = String::new();
        if self.property.functions.iter().any(|name| **name == *callee.name) {
            let _ = writeln!(text, "    __c_forbidden(\"{}\");", callee.name);
        }
        if callee.is_atomic || callee.known == Some(Known::AtomicBegin) {
            text.push_str("    __c_section(1);\n");
        }
        text
    }

    fn after_call(&self, procedure: ProcedureId, edge: EdgeId) -> String {
        match self.callee(procedure, edge) {
            Some(callee) if callee.is_atomic || callee.known == Some(Known::AtomicEnd) => {
                "    __c_section(-1);\n".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// Definitions of functions that nobody else has: inputs, markers of sections, functions that must not be called.
fn input_functions(program: &Program, plan: &Plan, printed: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut defined: FxHashSet<String> = FxHashSet::default();
    for (_, name, _) in &plan.inputs {
        let procedure = program.procedure_named(name).map(|id| &program.procedures[id]);
        let is_given = name.starts_with("__VERIFIER_nondet")
            || procedure.is_some_and(|own| own.body.is_none() && own.known.is_none());
        if !is_given {
            return Err(format!(
                "the run depends on `{name}`, which a compiled program cannot be made to have"
            ));
        }
        let result =
            procedure.and_then(|own| program.procedure_named(&own.name)).map(|id| program.result_type(id));
        if result.is_some_and(|result| program.types.float_kind(result.id).is_some()) {
            return Err(format!("`{name}` gives a number with a fraction, which has no turns yet"));
        }
        defined.insert(name.clone());
    }
    let is_mentioned = |name: &str| printed.contains(&format!("{name}("));
    for procedure in &program.procedures {
        let name = &*procedure.name;
        let is_input = name.starts_with("__VERIFIER_nondet") && is_mentioned(name);
        if is_input && procedure.body.is_none() {
            defined.insert(name.to_owned());
        }
        let is_empty = matches!(procedure.known, Some(known) if known.is_marker()) && is_mentioned(name);
        let is_printed = procedure.body.is_some() && procedure.origin == Origin::User;
        if is_empty && !is_printed {
            let ends = !matches!(procedure.known, Some(Known::AtomicBegin | Known::AtomicEnd));
            let body = if ends { "__c_another();" } else { "" };
            let _ = writeln!(
                text,
                "void __c_own_{name}(void) __asm__(\"{name}\");\nvoid __c_own_{name}(void) {{ {body} }}"
            );
        }
    }
    let mut defined: Vec<String> = defined.into_iter().collect();
    defined.sort();
    for name in defined {
        let _ = writeln!(
            text,
            "unsigned long long __c_own_{name}(void) __asm__(\"{name}\");\nunsigned long long __c_own_{name}(void) {{ return __c_input(); }}"
        );
    }
    Ok(text)
}
