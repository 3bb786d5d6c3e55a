//! A call of a library function that is being carried out: its arguments as values, and what can go wrong with the
//! memory, strings and streams that they lead to.

use crate::blocks;
use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::context::Context;
use crate::domain::integers::Range;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::pointers::{ObjectId, Pointers};
use crate::domain::value::Value;
use crate::evaluate::{Evaluator, Subject, WIDE};
use crate::library::{CallSite, uncast};
use crate::lives;
use crate::memory;
use crate::settings::Reads;
use crate::state::State;
use crate::strings::{LONGEST, Limit};
use crate::transfer::Transfer;
use program::expr::Access;
use program::{Expr, ExprKind, PlaceBase};

/// Is it the address of a variable in scope, which is neither null nor ended?
fn is_address_in_scope(argument: &Expr) -> bool {
    matches!(&uncast(argument).kind, ExprKind::AddressOf(place) if matches!(place.base, PlaceBase::Variable(_)))
}

/// Is it `stdin`, `stdout` or `stderr`, which are open unless the program closes them?
fn is_standard_stream(argument: &Expr, context: &Context<'_>) -> bool {
    let ExprKind::Load(place) = &uncast(argument).kind else { return false };
    place.as_variable().is_some_and(|id| {
        let variable = &context.program.variables[id];
        variable.is_external && matches!(&*variable.name, "stdin" | "stdout" | "stderr")
    }) && !context.closes_streams
}

/// A call that is being carried out: in which state, with which values as arguments.
pub struct Call<'t, 'a, 'p> {
    /// What it is carried out with.
    pub transfer: &'t mut Transfer<'a, 'p>,
    /// The state it is made in.
    pub state: &'t State,
    /// Where it stands.
    pub site: CallSite<'t>,
    /// What the arguments can be.
    pub values: Vec<Value>,
}

impl<'t, 'a, 'p> Call<'t, 'a, 'p> {
    /// Evaluates the arguments; `None` if no run gets past them.
    pub fn new(
        transfer: &'t mut Transfer<'a, 'p>,
        state: &'t State,
        site: CallSite<'t>,
    ) -> Option<Call<'t, 'a, 'p>> {
        let values = transfer.arguments(state, site.arguments)?;
        Some(Call { transfer, state, site, values })
    }

    /// The program, with the tables that the analysis has of it.
    pub fn context(&self) -> &'a Context<'p> {
        self.transfer.context
    }

    /// The procedure that calls.
    pub fn caller(&self) -> &'p program::Procedure {
        &self.context().program.procedures[self.transfer.procedure]
    }

    /// Evaluates, and notes what can go wrong.
    pub fn evaluator(&mut self) -> Evaluator<'_, 'p> {
        self.transfer.evaluator(self.state)
    }

    /// Evaluates, and notes nothing.
    pub fn quiet(&self) -> Evaluator<'t, 'p>
    where
        'a: 't,
    {
        Evaluator::new(self.transfer.context, self.state)
    }

    /// An argument, if there is one, as notes speak of it.
    pub fn subject(&self, at: usize) -> Option<Subject<'t>> {
        let (function, arguments) = (self.site.name, self.site.arguments);
        arguments.get(at).map(|argument| Subject::Argument { function, argument })
    }

    /// What an argument points to.
    pub fn pointer(&self, at: usize) -> Pointers {
        match self.values.get(at) {
            Some(Value::Pointer(pointers)) => pointers.clone(),
            _ => Pointers::anything(),
        }
    }

    /// The integers that an argument can be.
    pub fn number(&self, at: usize) -> Number {
        match self.values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::any(WIDE),
        }
    }

    /// The same of an argument that counts bytes.
    pub fn length(&self, at: usize) -> Number {
        match self.values.get(at) {
            Some(Value::Integer(number)) => number.clone(),
            _ => Number::range(0, LONGEST),
        }
    }

    /// The product of two arguments.
    pub fn product(&self, one: usize, two: usize) -> Number {
        let (one, two) = (self.number(one), self.number(two));
        self.context().arithmetic.binary(program::BinaryOp::Multiply, &one, &two, WIDE).value
    }

    /// Writes the result.
    pub fn give(&mut self, after: &State, value: Option<Value>) -> Option<State> {
        self.transfer.give(after, self.site, value)
    }

    /// The bytes that an argument points to are read or written: what can go wrong is noted. `None` if no run
    /// gets past it.
    pub fn range(&mut self, at: usize, size: &Number, access: Access) -> Option<Pointers> {
        let Some((argument, subject)) = self.site.arguments.get(at).zip(self.subject(at)) else {
            self.note_bad_argument(Certainty::Possible, "too few arguments");
            return Some(Pointers::anything());
        };
        let pointers = self.quiet().pointers(argument)?;
        self.evaluator().touched(&pointers, size, !is_address_in_scope(argument), access, subject)
    }

    /// The string that an argument points to is read, up to so many bytes: its length.
    pub fn text(&mut self, at: usize, limit: Limit) -> Option<Number> {
        let Some((argument, subject)) = self.site.arguments.get(at).zip(self.subject(at)) else {
            self.note_bad_argument(Certainty::Possible, "too few arguments");
            return Some(Number::range(0, LONGEST));
        };
        let pointers = self.quiet().pointers(argument)?;
        self.evaluator().text(&pointers, limit, !is_address_in_scope(argument), subject)
    }

    /// Notes that the function does not accept an argument.
    pub fn note_bad_argument(&mut self, certainty: Certainty, what: &str) {
        let about = format!("{}: {what}", self.site.name);
        self.evaluator().note(CheckKind::BadArgument, certainty, |_| about);
    }

    /// The stream that an argument is must be open.
    pub fn stream(&mut self, at: usize) -> Option<()> {
        let context = self.context();
        let Some((argument, subject)) = self.site.arguments.get(at).zip(self.subject(at)) else {
            self.note_bad_argument(Certainty::Possible, "no stream");
            return Some(());
        };
        // Where every read delivers a value, streams are open.
        if is_standard_stream(argument, context) || context.settings.reads == Reads::Deliver {
            return Some(());
        }
        let pointers = self.quiet().pointers(argument)?;
        let null = Certainty::of(pointers.can_be_null, pointers.can_be_not_null());
        let mut evaluator = self.evaluator();
        evaluator.note_in_detail(CheckKind::NullDereference, null, subject, |function, shown| {
            let is = if null == Certainty::Definite { "is" } else { "may be" };
            format!("`{function}` is given the stream `{shown}`, which {is} null")
        });
        if pointers.can_be_not_null() {
            // Which streams are open is not followed.
            let other = Certainty::of(true, true);
            evaluator.note_in_detail(CheckKind::BadArgument, other, subject, |function, shown| {
                format!("`{function}` is given the stream `{shown}`, which may not be open")
            });
        }
        (null != Certainty::Definite).then_some(())
    }

    /// A block is given back (`free`, `realloc`). `None` if no run gets past it.
    pub fn release(&mut self, after: &mut State) -> Option<()> {
        let context = self.context();
        let Some((argument, subject)) = self.site.arguments.first().zip(self.subject(0)) else {
            return Some(());
        };
        let pointers = self.quiet().pointers(argument)?;
        let (mut is_invalid, mut can_be_again) = (false, false);
        let (mut valid, mut living) = (Vec::new(), Vec::new());
        for (object, offset) in pointers.targets() {
            let is_block = match context.kind_of(*object) {
                ObjectKind::Allocation(procedure, edge, _) => !lives::is_on_stack(context, procedure, edge),
                _ => false,
            };
            if !is_block || !offset.contains(0) {
                is_invalid = true;
                continue;
            }
            is_invalid |= offset.single() != Some(0);
            valid.push(*object);
            let (can_have_ended, can_live) = lives::can_be(self.state, *object);
            can_be_again |= can_have_ended;
            if can_live {
                living.push(*object);
            }
        }
        let is_open = pointers.can_be_anything || pointers.can_be_null;
        let mut evaluator = self.evaluator();
        let certainty = Certainty::of(is_invalid || pointers.can_be_anything, is_open || !valid.is_empty());
        evaluator.note_in_detail(CheckKind::InvalidFree, certainty, subject, |function, shown| {
            let is = if certainty == Certainty::Definite { "is not" } else { "may not be" };
            format!("`{function}` is given `{shown}`, which {is} the start of an allocated block")
        });
        if !valid.is_empty() || pointers.can_be_anything {
            let again =
                Certainty::of(can_be_again || pointers.can_be_anything, is_open || !living.is_empty());
            evaluator.note_in_detail(CheckKind::DoubleFree, again, subject, |function, shown| {
                let was = if again == Certainty::Definite { "was" } else { "may have been" };
                format!("`{function}` is given `{shown}`, which {was} freed already")
            });
        }
        if !is_open && living.is_empty() {
            return None;
        }
        let is_certain = living.len() == 1 && !is_open;
        for object in living {
            lives::freed(context, after, object, is_certain);
            memory::forget_object(context, after, object);
        }
        if pointers.can_be_anything {
            lives::freed_anything(context, after);
            after.memory = Default::default();
        }
        Some(())
    }

    /// What a call allocates.
    pub fn allocate(&mut self, after: &mut State, bytes: &Number) -> Pointers {
        let context = self.context();
        let object = self.allocated();
        blocks::given(context, after, self.site.procedure, self.site.edge_id);
        let hull = bytes.hull().unwrap_or(Range { low: 0, high: 0 });
        let least = hull.low.max(0);
        let mut cells = context.cells.borrow_mut();
        let is_first = cells.get(object).size.is_none();
        cells.allocated(object, u64::try_from(least).unwrap_or(0), is_first);
        drop(cells);
        memory::forget_object(context, after, object);
        lives::allocated(context, after, object);
        blocks::set_size(context, after, object, bytes);
        let mut pointers = Pointers::to(object, Number::only(0));
        // A null pointer is what asking for nothing may give, and what failure gives. More than memory can
        // hold is never given.
        pointers.can_be_null =
            context.settings.allocation_may_fail || least == 0 || hull.high > LONGEST || hull.low < 0;
        pointers
    }

    /// The object that the call allocates.
    pub fn allocated(&self) -> ObjectId {
        blocks::next(self.context(), self.state, self.site.procedure, self.site.edge_id)
    }

    /// Two ranges of one length must have no byte in common, unless they are the same.
    pub fn apart_or_same(&mut self, one: &Pointers, two: &Pointers, bytes: &Number) -> Option<()> {
        match self.evaluator().same_address(one, two) {
            Certainty::Definite => Some(()),
            Certainty::Excluded => self.apart((one, bytes), (two, bytes)),
            Certainty::Possible => {
                let overlap = self.evaluator().overlap((one, bytes), (two, bytes));
                self.note_overlap(Certainty::of(overlap != Certainty::Excluded, true));
                Some(())
            }
        }
    }

    /// Two ranges must have no byte in common.
    pub fn apart(&mut self, one: (&Pointers, &Number), two: (&Pointers, &Number)) -> Option<()> {
        let certainty = self.evaluator().overlap(one, two);
        self.note_overlap(certainty);
        (certainty != Certainty::Definite).then_some(())
    }

    fn note_overlap(&mut self, certainty: Certainty) {
        let (site, context) = (self.site, self.context());
        let about = format!("{}({}, {})", site.name, site.shown(context, 0), site.shown(context, 1));
        self.evaluator().note(CheckKind::Overlap, certainty, |_| about);
    }

    /// `memset(p, 0, n)` of a whole object.
    pub fn clear_object(&mut self, after: &mut State, target: &Pointers, byte: &Number, count: &Number) {
        if byte.single() != Some(0) || target.can_be_anything || target.can_be_null {
            return;
        }
        let [(object, offset)] = target.targets() else { return };
        let context = self.context();
        let kind = context.kind_of(*object);
        let size = context.cells.borrow().get(*object).size;
        if let (ObjectKind::Variable(id), Some(0), Some(size)) = (kind, offset.single(), size)
            && count.single() == Some(i128::from(size))
        {
            memory::zero(context, after, *object, context.program.variables[id].ty.id);
        }
    }
}
