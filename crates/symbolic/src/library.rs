//! Functions that no C body can describe: the end of a run, allocation, markers. What has a model body is walked like
//! any other procedure, so it is not here.

use crate::Value;
use crate::state::{HEAP_MARK, State};
use crate::step::{Allocation, Effect, Encoder, FailureKind};
use base::Span;
use logic::TermId;
use program::points_to::ObjectKind;
use program::{EdgeId, Expr, Known, Place, ProcedureId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a call of a known function does.
#[derive(Clone, Debug)]
pub enum LibraryCall {
    /// It came back; the state has its result.
    Returned(Effect),
    /// The run ends here, as it should.
    Ended(Effect),
    /// The function stands for an error.
    Error(Effect),
    /// It is not said here: walk its body, if there is one.
    NotHere,
}

/// Who frees an allocated block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The program.
    Heap,
    /// No step of the program.
    Nobody,
}

impl Encoder<'_> {
    /// Calls a known function from the edge `site` of a procedure; `expressions` are the arguments as the program
    /// writes them.
    #[allow(clippy::too_many_arguments)] // a call has that many parts
    pub fn library_call(
        &mut self,
        state: &mut State,
        known: Known,
        arguments: &[Value],
        expressions: &[Expr],
        result: Option<&Place>,
        site: (ProcedureId, EdgeId),
        span: Span,
    ) -> LibraryCall {
        self.begin(span);
        let numbers: Vec<TermId> = arguments
            .iter()
            .filter_map(|argument| match argument {
                Value::Scalar(term) => Some(*term),
                _ => None,
            })
            .collect();
        let value = match (known, &numbers[..]) {
            (Known::Abort | Known::Exit | Known::ExitNow | Known::Trap, _) => {
                return LibraryCall::Ended(self.take_effect());
            }
            (Known::AssertFail | Known::VerifierError | Known::ReachError, _) => {
                return LibraryCall::Error(self.take_effect());
            }
            (Known::Unreachable, _) => {
                self.fail_always(FailureKind::Unreachable);
                return LibraryCall::Ended(self.take_effect());
            }
            (Known::AtomicBegin | Known::AtomicEnd, _) => Value::Nothing,
            (Known::Malloc, &[size]) | (Known::AlignedAlloc, &[_, size]) => {
                let block = self.allocate(state, size, site, Keeps::Heap);
                Value::Scalar(block)
            }
            (Known::Realloc, &[block, size]) if !expressions.is_empty() => {
                Value::Scalar(self.reallocate(state, block, size, &expressions[0], site))
            }
            // Neither freed nor leaked: no block of the program.
            (Known::NewStream, &[size]) => Value::Scalar(self.allocate(state, size, site, Keeps::Nobody)),
            (Known::Alloca, &[size]) => {
                let block = self.allocate(state, size, site, Keeps::Nobody);
                state.frame_mut().own_blocks.push(block);
                Value::Scalar(block)
            }
            (Known::Calloc, &[count, size]) => Value::Scalar(self.allocate_zeroed(state, count, size, site)),
            (Known::Free, &[block]) => {
                self.free(state, block);
                Value::Nothing
            }
            (Known::MemoryCopy | Known::MemoryMove | Known::MemorySet, &[to, ..]) => {
                if !self.block_call(state, known, &numbers, expressions) {
                    return LibraryCall::NotHere;
                }
                Value::Scalar(to)
            }
            (Known::Word(program::Word::Any | program::Word::Some), &[usual]) => {
                let name = self.meaning.program.procedures[site.0].name.clone();
                let ty = result.map_or_else(|| expressions[0].ty, |result| result.ty.id);
                debug_assert_eq!(self.width(ty), self.terms.pool.width(usual), "words are declared");
                Value::Scalar(self.unknown_scalar(&name, ty, false))
            }
            (Known::Word(word), numbers) => {
                if !self.word(state, word, numbers, expressions) {
                    return LibraryCall::NotHere;
                }
                Value::Nothing
            }
            (Known::Math(function, kind), operands) => match self.math(function, kind, operands) {
                Some(value) => Value::Scalar(value),
                None => return LibraryCall::NotHere,
            },
            _ => return LibraryCall::NotHere,
        };
        if let Some(result) = result {
            self.deliver(state, result, value);
        }
        LibraryCall::Returned(self.take_effect())
    }

    /// A new block: of the heap, if it is allocated by a step of the program's.
    pub(crate) fn allocate(
        &mut self,
        state: &mut State,
        size: TermId,
        site: (ProcedureId, EdgeId),
        keeps: Keeps,
    ) -> TermId {
        let layout = self.meaning.layout;
        let size = self.terms.resize(size, layout.width, false);
        let most = self.terms.number(layout.width, layout.largest_object());
        let too_large = self.terms.below(most, size);
        if self.terms.truth(too_large) != Some(false) {
            self.effect.failures.push(crate::Failure {
                condition: too_large,
                kind: FailureKind::Unknown,
                detail: Some("an allocation too large to be told apart from others".into()),
                span: self.span,
            });
        }
        let is_heap = keeps == Keeps::Heap;
        let origin = if is_heap { self.origin(site) } else { 0 };
        let marks = self.mark_bits(is_heap, false) | origin << layout.size_bits();
        let block = match self.number_of_only_block(site) {
            Some(number) => self.new_object_numbered(state, number, size, marks),
            None => self.new_object(state, size, marks),
        };
        if is_heap {
            let (procedure, edge) = site;
            let address = self.terms.constant(block).expect("new objects have constant addresses");
            let number = layout.object_of(address);
            let kind = ObjectKind::Allocation(procedure, edge);
            let size = self.terms.constant(size);
            // A block that is allocated at most once may be met on several walks.
            let known = self.allocations.entry(number).or_insert(Allocation { kind, origin, size });
            known.size = known.size.filter(|_| known.size == size);
            self.note_birth(state, number, origin);
        }
        block
    }

    /// A number for where a block comes from: the step that allocates and the calls that are active. Only where states are
    /// those of any run, to tell apart what loops have made; different steps may have one number.
    fn origin(&self, (procedure, edge): (ProcedureId, EdgeId)) -> u128 {
        use base::Id;
        let Some(fixed) = &self.fixed_objects else { return 0 };
        let calls = fixed.context.iter().map(|call| call.index() as u64);
        let parts = [procedure.index() as u64, edge.index() as u64].into_iter().chain(calls);
        // After Fowler, Noll, Vo (FNV-1a), on numbers in place of bytes.
        let hash = parts.fold(0xcbf2_9ce4_8422_2325_u64, |hash, part| {
            (hash ^ part).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
        });
        let most = (1u128 << self.meaning.layout.site_bits().min(20)) - 1;
        1 + u128::from(hash) % most
    }

    fn allocate_zeroed(
        &mut self,
        state: &mut State,
        count: TermId,
        size: TermId,
        (procedure, edge): (ProcedureId, EdgeId),
    ) -> TermId {
        let layout = self.meaning.layout;
        let overflow = self.terms.pool.umul_overflow(count, size);
        let overflow = self.terms.simple(overflow);
        self.fail(overflow, FailureKind::Unknown);
        let bytes = self.terms.pool.bvmul(count, size);
        let bytes = self.terms.simple(bytes);
        let block = self.allocate(state, bytes, (procedure, edge), Keeps::Heap);
        let kind = ObjectKind::Allocation(procedure, edge);
        let regions: BTreeSet<_> = self
            .meaning
            .points_to
            .object_of(kind)
            .into_iter()
            .flat_map(|object| self.meaning.points_to.cells_of(object).collect::<Vec<_>>())
            .map(|cell| self.meaning.points_to.cell(cell).region)
            .collect();
        let number =
            layout.object_of(self.terms.constant(block).expect("new objects have constant addresses"));
        for &region in &regions {
            let cells = Rc::make_mut(&mut state.regions[region]);
            if cells.zero_objects().is_none() {
                // The region begins as zeros everywhere: so does the block.
                continue;
            }
            cells.add_zero_object(number);
        }
        self.mark_block_written(state, block, bytes, &regions);
        block
    }

    pub(crate) fn free(&mut self, state: &mut State, block: TermId) {
        if self.terms.constant(block) == Some(0) {
            return;
        }
        let extent = self.extent(state, block);
        let is_heap = self.extent_mark(extent, HEAP_MARK);
        let offset = self.meaning.layout.offset_term(&mut self.terms, block);
        let is_inside = self.terms.is_nonzero(offset);
        let is_start = self.terms.not(is_inside);
        let is_valid = self.terms.and(is_heap, is_start);
        let is_something = self.terms.is_nonzero(block);
        let invalid = self.terms.not(is_valid);
        let trouble = self.terms.and(is_something, invalid);
        self.fail(trouble, FailureKind::InvalidFree);
        self.end_object(state, block);
    }

    /// Does an allocated block live? Where states are those of any run, it has any number (a Skolem constant).
    pub fn has_living_block(&mut self, state: &mut State) -> TermId {
        if !self.meaning.allocates() {
            return self.terms.no();
        }
        if self.fixed_objects.is_some() {
            let layout = self.meaning.layout;
            let any = self.terms.fresh_bits("left behind", layout.width);
            let within = self.terms.cut(any, layout.offset_bits - 1, 0);
            let start = self.terms.number(layout.offset_bits, layout.start());
            let is_start = self.terms.equal(within, start);
            let extent = self.extent(state, any);
            let lives = self.extent_mark(extent, HEAP_MARK);
            return self.terms.and(is_start, lives);
        }
        let mut any = self.terms.no();
        for number in self.meaning.first_free()..self.next_object {
            let extent = Rc::make_mut(&mut state.extents).load_constant(&mut self.terms, number as u128);
            let is_block = self.extent_mark(extent, HEAP_MARK);
            any = self.terms.or(any, is_block);
        }
        any
    }
}
