//! The arena of terms. Memory goes back when the pool is dropped; to keep a few terms and free the rest, say so with
//! [`keep_only`](TermPool::keep_only), or copy them to another pool with [`TermCopier`](super::TermCopier).

use super::op::Op;
use super::sort::{ArraySortId, Sort, SortNameId};
use crate::bits::Bits;
use base::{Budget, Exhausted, Id, IndexVec};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

base::define_id!(
    /// A term of one pool. Equal terms have equal ids.
    TermId,
    "t"
);
base::define_id!(
    /// A bit-vector value of one pool.
    ConstantId,
    "const"
);
base::define_id!(
    /// A declared symbol without arguments.
    SymbolId,
    "symbol"
);
base::define_id!(
    /// A declared function with arguments.
    FunctionId,
    "function"
);

#[derive(Clone, Copy)]
struct Node {
    op: Op,
    sort: Sort,
    first_argument: u32,
    argument_count: u32,
}

struct SymbolInfo {
    name: Arc<str>,
    sort: Sort,
}

struct FunctionInfo {
    name: Arc<str>,
    parameters: Vec<Sort>,
    result: Sort,
}

/// How much a pool holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSize {
    /// How many different terms there are.
    pub terms: usize,
    /// Bytes of memory taken.
    pub bytes: usize,
}

/// Makes and owns terms.
pub struct TermPool {
    identity: u64,
    nodes: IndexVec<TermId, Node>,
    arguments: Vec<TermId>,
    by_structure: HashTable<TermId>,
    constants: IndexVec<ConstantId, Bits>,
    constant_ids: FxHashMap<Bits, ConstantId>,
    symbols: IndexVec<SymbolId, SymbolInfo>,
    functions: IndexVec<FunctionId, FunctionInfo>,
    names: FxHashMap<Arc<str>, Declared>,
    array_sorts: IndexVec<ArraySortId, (Sort, Sort)>,
    array_sort_ids: FxHashMap<(Sort, Sort), ArraySortId>,
    sort_names: IndexVec<SortNameId, Arc<str>>,
    sort_name_ids: FxHashMap<Arc<str>, SortNameId>,
    wide_constant_bytes: usize,
    fresh_names: u64,
    byte_limit: Option<usize>,
}

#[derive(Clone, Copy)]
enum Declared {
    Symbol(SymbolId),
    Function(FunctionId),
}

impl Default for TermPool {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for TermPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TermPool").field("size", &self.size()).finish_non_exhaustive()
    }
}

fn structure_hash(op: Op, sort: Sort, arguments: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    (op, sort, arguments).hash(&mut hasher);
    hasher.finish()
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> TermPool {
        static POOLS: AtomicU64 = AtomicU64::new(0);
        TermPool {
            identity: POOLS.fetch_add(1, Ordering::Relaxed),
            nodes: IndexVec::new(),
            arguments: Vec::new(),
            by_structure: HashTable::new(),
            constants: IndexVec::new(),
            constant_ids: FxHashMap::default(),
            symbols: IndexVec::new(),
            functions: IndexVec::new(),
            names: FxHashMap::default(),
            array_sorts: IndexVec::new(),
            array_sort_ids: FxHashMap::default(),
            sort_names: IndexVec::new(),
            sort_name_ids: FxHashMap::default(),
            wide_constant_bytes: 0,
            fresh_names: 0,
            byte_limit: None,
        }
    }

    /// A number no other pool of this process has; solvers use it to refuse a foreign pool.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Sets the size above which [`check`](Self::check) fails.
    pub fn limit_bytes(&mut self, bytes: usize) {
        self.byte_limit = Some(bytes);
    }

    /// The limit and the count of fresh names of a pool that this one replaces.
    pub(super) fn take_over_limits(&mut self, other: &TermPool) {
        self.byte_limit = other.byte_limit;
        self.fresh_names = other.fresh_names;
    }

    /// Terms and memory held.
    pub fn size(&self) -> PoolSize {
        let bytes = self.nodes.len() * size_of::<Node>()
            + self.arguments.capacity() * size_of::<TermId>()
            + self.by_structure.capacity() * (size_of::<TermId>() + 1)
            + self.constants.len() * size_of::<Bits>()
            + self.constant_ids.capacity() * (size_of::<Bits>() + size_of::<ConstantId>())
            + 2 * self.wide_constant_bytes
            + self.symbols.len() * (size_of::<SymbolInfo>() + 24)
            + self.names.capacity() * (size_of::<(Arc<str>, Declared)>() + 1);
        PoolSize { terms: self.nodes.len(), bytes }
    }

    /// Fails when the budget has ended or this pool has outgrown its limit. Whoever makes many terms asks often.
    pub fn check(&self, budget: &Budget) -> Result<(), Exhausted> {
        if self.byte_limit.is_some_and(|limit| self.size().bytes > limit) {
            return Err(Exhausted::Memory);
        }
        budget.check()
    }

    /// The term with this operator and these arguments, new or known. The sort must be the right one, which the
    /// named constructors see to.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, arguments: &[TermId]) -> TermId {
        let hash = structure_hash(op, sort, arguments);
        let (nodes, stored) = (&self.nodes, &self.arguments);
        let node_arguments = |node: &Node| {
            let first = node.first_argument as usize;
            &stored[first..first + node.argument_count as usize]
        };
        let same = |&id: &TermId| {
            let node = &nodes[id];
            node.op == op && node.sort == sort && node_arguments(node) == arguments
        };
        if let Some(&id) = self.by_structure.find(hash, same) {
            return id;
        }
        let first_argument =
            u32::try_from(self.arguments.len()).expect("fewer than 2^32 arguments in a pool");
        self.arguments.extend_from_slice(arguments);
        let argument_count = arguments.len() as u32;
        let id = self.nodes.push(Node { op, sort, first_argument, argument_count });
        let (nodes, stored) = (&self.nodes, &self.arguments);
        self.by_structure.insert_unique(hash, id, |&id| {
            let node = &nodes[id];
            let first = node.first_argument as usize;
            structure_hash(node.op, node.sort, &stored[first..first + node.argument_count as usize])
        });
        id
    }

    /// What stands at the top of a term.
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term].op
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term].sort
    }

    /// The arguments of a term, in order.
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term];
        let first = node.first_argument as usize;
        &self.arguments[first..first + node.argument_count as usize]
    }

    /// The width of a bit-vector term.
    ///
    /// # Panics
    /// When the term is not a bit-vector: that is a bug of the caller.
    pub fn width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            other => panic!("{term} is a bit-vector, not {other:?}"),
        }
    }

    /// The value of a bit-vector constant, if the term is one.
    pub fn constant_value(&self, term: TermId) -> Option<&Bits> {
        match self.op(term) {
            Op::Constant(id) => Some(&self.constants[id]),
            _ => None,
        }
    }

    /// A bit-vector value.
    pub fn constant(&mut self, bits: Bits) -> TermId {
        let width = bits.width();
        let id = match self.constant_ids.get(&bits) {
            Some(&id) => id,
            None => {
                if width > 64 {
                    self.wide_constant_bytes += width as usize / 8;
                }
                let id = self.constants.push(bits.clone());
                self.constant_ids.insert(bits, id);
                id
            }
        };
        self.intern(Op::Constant(id), Sort::BitVec(width), &[])
    }

    /// The symbol of this name, declared on first use; none if the name stands for something of another sort.
    pub fn symbol_unless_other(&mut self, name: &str, sort: Sort) -> Option<TermId> {
        match self.names.get(name) {
            Some(&Declared::Symbol(id)) if self.symbols[id].sort != sort => None,
            Some(Declared::Function(_)) => None,
            _ => Some(self.symbol(name, sort)),
        }
    }

    /// The symbol of this name, declared on first use.
    ///
    /// # Panics
    /// When the name was declared with another sort: that is a bug of the caller.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> TermId {
        let id = match self.names.get(name) {
            Some(&Declared::Symbol(id)) => {
                assert_eq!(self.symbols[id].sort, sort, "`{name}` keeps the sort it was declared with");
                id
            }
            Some(Declared::Function(_)) => panic!("`{name}` was declared as a function"),
            None => {
                let name: Arc<str> = Arc::from(name);
                let id = self.symbols.push(SymbolInfo { name: name.clone(), sort });
                self.names.insert(name, Declared::Symbol(id));
                id
            }
        };
        self.intern(Op::Symbol(id), sort, &[])
    }

    /// A symbol no one else has; its name begins with `prefix`.
    pub fn fresh_symbol(&mut self, prefix: &str, sort: Sort) -> TermId {
        loop {
            let name = format!("{prefix}!{}", self.fresh_names);
            self.fresh_names += 1;
            if !self.names.contains_key(name.as_str()) {
                return self.symbol(&name, sort);
            }
        }
    }

    /// The symbol declared under a name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<TermId> {
        match self.names.get(name)? {
            Declared::Symbol(id) => {
                let (op, sort) = (Op::Symbol(*id), self.symbols[*id].sort);
                let same = |&id: &TermId| self.nodes[id].op == op;
                self.by_structure.find(structure_hash(op, sort, &[]), same).copied()
            }
            Declared::Function(_) => None,
        }
    }

    /// The name of a symbol, if the term is one.
    pub fn symbol_name(&self, term: TermId) -> Option<&str> {
        match self.op(term) {
            Op::Symbol(id) => Some(&self.symbols[id].name),
            _ => None,
        }
    }

    /// Declares a function of at least one argument, on first use.
    ///
    /// # Panics
    /// When the name was declared differently: that is a bug of the caller.
    pub fn function(&mut self, name: &str, parameters: &[Sort], result: Sort) -> FunctionId {
        assert!(!parameters.is_empty(), "a function has arguments; without, it is a symbol");
        match self.names.get(name) {
            Some(&Declared::Function(id)) => {
                let known = &self.functions[id];
                assert!(
                    known.parameters == parameters && known.result == result,
                    "`{name}` keeps the sorts it was declared with"
                );
                id
            }
            Some(Declared::Symbol(_)) => panic!("`{name}` was declared as a symbol"),
            None => {
                let name: Arc<str> = Arc::from(name);
                let parameters = parameters.to_vec();
                let id = self.functions.push(FunctionInfo { name: name.clone(), parameters, result });
                self.names.insert(name, Declared::Function(id));
                id
            }
        }
    }

    /// The function declared under a name, if there is one.
    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        match self.names.get(name)? {
            Declared::Function(id) => Some(*id),
            Declared::Symbol(_) => None,
        }
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        &self.functions[function].name
    }

    /// The sorts of a function's arguments, and of its result.
    pub fn function_sorts(&self, function: FunctionId) -> (&[Sort], Sort) {
        let info = &self.functions[function];
        (&info.parameters, info.result)
    }

    /// The sort of arrays from `index` to `element`.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        let key = (index, element);
        let id = *self.array_sort_ids.entry(key).or_insert_with(|| self.array_sorts.push(key));
        Sort::Array(id)
    }

    /// Index and element sort, of an array sort.
    pub fn array_parts(&self, sort: Sort) -> Option<(Sort, Sort)> {
        match sort {
            Sort::Array(id) => Some(self.array_sorts[id]),
            _ => None,
        }
    }

    /// The uninterpreted sort of this name.
    pub fn uninterpreted_sort(&mut self, name: &str) -> Sort {
        if let Some(&id) = self.sort_name_ids.get(name) {
            return Sort::Uninterpreted(id);
        }
        let name: Arc<str> = Arc::from(name);
        let id = self.sort_names.push(name.clone());
        self.sort_name_ids.insert(name, id);
        Sort::Uninterpreted(id)
    }

    /// The name of an uninterpreted sort.
    pub fn sort_name(&self, name: SortNameId) -> &str {
        &self.sort_names[name]
    }

    /// The term at a position; used by the printer to name shared terms.
    pub(crate) fn position(term: TermId) -> usize {
        term.index()
    }
}
