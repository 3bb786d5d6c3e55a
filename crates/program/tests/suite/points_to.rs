//! Concrete runs stay inside what the points-to analysis computed.
//!
//! A watched run tells the address and value of every scalar it writes. From direct writes (`x = …`, `s.f = …`) and from
//! allocations we learn which object has which addresses; then
//! - a write through a pointer to such an address must be an alias the analysis allows,
//! - a pointer value that is such an address must be in the set of the place it was written to,
//! - a procedure that begins behind an indirect call must be among the call's targets.

#![allow(clippy::print_stderr)] // tests say what they could not test

use csource::types::DataModel;
use program::points_to::{ObjectKind, Target};
use program::{
    Action, Callee, Edge, EdgeId, Expr, ExprKind, HavocSource, Known, Place, PlaceBase, PointsTo,
    ProcedureId, Program, Projection, VariableKind,
};
use std::collections::BTreeMap;
use testkit::absent::workspace;
use testkit::c::files_below;

/// What is known about some bytes of a run's memory.
#[derive(Clone)]
struct KnownBytes {
    size: u64,
    what: What,
    /// Calls that were active when it came to be; it is gone when fewer are. Zero for static storage and the heap.
    depth: u32,
}

#[derive(Clone)]
enum What {
    Direct(Place),
    Allocated(ProcedureId, EdgeId),
}

struct Watcher<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    memory: BTreeMap<u64, KnownBytes>,
    functions: BTreeMap<u64, ProcedureId>,
    /// Calls that were active at the last step.
    depth: u32,
    checked: usize,
    wrong: Vec<String>,
}

impl Watcher<'_> {
    fn edge(&self, step: concrete::Step) -> &Edge {
        &self.program.procedures[step.procedure].body.as_ref().expect("it made a step").edges[step.edge]
    }

    fn at(&self, address: u64) -> Option<&KnownBytes> {
        let (&start, known) = self.memory.range(..=address).next_back()?;
        (address - start < known.size).then_some(known)
    }

    /// Is the object of those bytes in the set?
    fn allows(&self, targets: &[Target], what: &What) -> bool {
        let kind = match what {
            What::Direct(place) => match place.base {
                PlaceBase::Variable(id) => ObjectKind::Variable(id),
                PlaceBase::Pointer(_) => unreachable!("direct places start at a variable"),
            },
            What::Allocated(procedure, edge) => ObjectKind::Allocation(*procedure, *edge),
        };
        let object = self.points_to.object_of(kind);
        targets.iter().any(|target| {
            Some(target.object) == object
                || self.points_to.object(target.object) == ObjectKind::Unknown
                    && object.is_some_and(|object| self.points_to.is_escaped(object))
        })
    }

    fn complain(&mut self, edge: &Edge, what: &str) {
        let text = self.program.show().edge(edge);
        let place =
            self.program.sources.location(edge.span).map_or(String::new(), |location| location.to_string());
        self.wrong.push(format!("{place}: `{text}`: {what}"));
    }

    fn name(&self, what: &What) -> String {
        match what {
            What::Direct(place) => self.program.show().place(place),
            What::Allocated(procedure, edge) => format!("allocation {procedure}{edge}"),
        }
    }

    fn learn(&mut self, step: concrete::Step, place: &Place, address: u64) {
        let PlaceBase::Variable(id) = place.base else { return };
        let is_constant = |projection: &Projection| match projection {
            Projection::Field(..) => true,
            Projection::Index(index) => index.as_integer().is_some(),
        };
        let is_bit_field = place.bit_field(&self.program.types).is_some();
        let Some(size) = self.program.types.size_of(place.ty.id).filter(|_| !is_bit_field) else { return };
        let is_known_better = self.at(address).is_some_and(|known| known.size < size);
        if place.path.iter().all(is_constant) && !is_known_better {
            let is_automatic = !matches!(
                self.program.variables[id].kind,
                VariableKind::Global | VariableKind::StringLiteral
            );
            let depth = if is_automatic { step.depth } else { 0 };
            self.memory.insert(address, KnownBytes { size, what: What::Direct(place.clone()), depth });
        }
    }

    /// `p = &x` tells where `x` is.
    fn learn_from_value(&mut self, step: concrete::Step, value: &Expr, bits: u64) {
        match &value.kind {
            ExprKind::Cast(inner) if self.program.types.is_pointer(inner.ty) => {
                self.learn_from_value(step, inner, bits);
            }
            ExprKind::AddressOf(place) => self.learn(step, place, bits),
            ExprKind::FunctionAddress(id) => {
                self.functions.insert(bits, *id);
            }
            _ => {}
        }
    }
}

impl concrete::Observer for Watcher<'_> {
    fn step(&mut self, step: concrete::Step) {
        // What calls that have returned kept on the stack is gone.
        if step.depth < self.depth {
            self.memory.retain(|_, known| known.depth <= step.depth);
        }
        self.depth = step.depth;
        let edge = self.edge(step).clone();
        let (target, is_allocation) = match &edge.action {
            // A declaration without a value writes nothing.
            Action::Havoc { source: HavocSource::Indeterminate, .. } => return,
            Action::Assign { target, .. } | Action::Havoc { target, .. } => (target, false),
            Action::Call { result: Some(target), callee, .. } => {
                let allocates = match callee {
                    Callee::Direct(id) => matches!(
                        self.program.procedures[*id].known,
                        Some(Known::Malloc | Known::Calloc | Known::Realloc | Known::AlignedAlloc)
                    ),
                    Callee::Indirect(_) => false,
                };
                (target, allocates)
            }
            _ => return,
        };
        let Some(written) = step.written else { return };
        if is_allocation && written.bits != 0 {
            // Its length is not told; the first byte is enough.
            let what = What::Allocated(step.procedure, step.edge);
            self.memory.insert(written.bits as u64, KnownBytes { size: 1, what, depth: 0 });
        }
        if let (Some(address), PlaceBase::Pointer(_)) = (written.address, &target.base)
            && let Some(known) = self.at(address).cloned()
        {
            self.checked += 1;
            let is_allowed = match &known.what {
                What::Direct(direct) => self.points_to.may_alias(self.program, target, direct),
                allocated => self.allows(&self.points_to.locations(self.program, target), allocated),
            };
            if !is_allowed {
                let message = format!("writes to {}", self.name(&known.what));
                self.complain(&edge, &message);
            }
        }
        if let Some(address) = written.address.filter(|_| self.program.types.is_scalar(target.ty.id)) {
            self.learn(step, target, address);
        }
        if let Action::Assign { value, .. } = &edge.action {
            self.learn_from_value(step, value, written.bits as u64);
        }
        if self.program.types.is_pointer(target.ty.id)
            && let Some(known) = self.at(written.bits as u64).cloned()
        {
            self.checked += 1;
            let targets = self.points_to.points_to(self.program, &Expr::load(target.clone()));
            if !self.allows(&targets, &known.what) {
                let message = format!("points to {}, not among {targets:?}", self.name(&known.what));
                self.complain(&edge, &message);
            }
        }
        if let Some(&id) = self.functions.get(&(written.bits as u64))
            && self.program.types.is_pointer(target.ty.id)
        {
            self.checked += 1;
            let targets = self.points_to.points_to(self.program, &Expr::load(target.clone()));
            let object = self.points_to.object_of(ObjectKind::Procedure(id));
            let is_in = targets.iter().any(|target| {
                Some(target.object) == object || self.points_to.object(target.object) == ObjectKind::Unknown
            });
            if !is_in {
                self.complain(&edge, "the function is not in the set");
            }
        }
    }
}

/// Checks one file; how many writes could be checked, or `None` if it has errors.
fn check(path: &std::path::Path, model: DataModel, wrong: &mut Vec<String>) -> Option<usize> {
    let program = testkit::c::read(path, model).ok()?;
    let points_to = PointsTo::of(&program);
    let mut watcher = Watcher {
        program: &program,
        points_to: &points_to,
        memory: BTreeMap::new(),
        functions: BTreeMap::new(),
        depth: 0,
        checked: 0,
        wrong: Vec::new(),
    };
    let mut settings = concrete::Settings::default();
    settings.limits.steps = Some(100_000);
    let mut host = concrete::Captured::default();
    let mut inputs = concrete::SeededInputs::new(1);
    concrete::Interpreter::new(&program).watch(&settings, &mut host, &mut inputs, &mut watcher);
    wrong.extend(watcher.wrong);
    Some(watcher.checked)
}

#[test]
fn concrete_runs_stay_inside() {
    if !testkit::compiler::has_compiler(&[], "what needs it is not tested") {
        return;
    }
    let folders = ["crates/program/tests/programs", "crates/concrete/tests/programs", "examples"];
    let mut files: Vec<_> =
        folders.iter().flat_map(|folder| files_below(&workspace().join(folder))).collect();
    // More programs, for deep runs: a folder with C files.
    if let Some(more) = std::env::var_os("CONCORD_C_FILES") {
        files.extend(files_below(&workspace().join(more)));
    }
    let mut wrong = Vec::new();
    let (mut read, mut checked) = (0, 0);
    for file in files {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            if let Some(count) = check(&file, model, &mut wrong) {
                read += 1;
                checked += count;
            }
        }
    }
    assert!(read >= 10 && checked > 200, "only {checked} writes of {read} programs could be checked");
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    eprintln!("{checked} writes of {read} programs are inside");
}
