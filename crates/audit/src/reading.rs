//! The names of a state's parts, to read conditions with.
//!
//! In conditions about procedures with contracts, a name with `$old` behind it is the value at the beginning
//! of the call, and `result$` is what the call returns. `any$32` is any number of 32 bits (see
//! [`elements`](crate::elements)).

use crate::expression::{Number, read_condition};
use logic::TermId;
use logic::term::{Op, Postorder, symbols_in};
use program::{ProcedureId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::{Encoder, Names, State, StateVariable};
use verdict::{Condition, Reason};

/// The names of a state's parts, to read conditions with.
pub(crate) struct Reading {
    numbers: FxHashMap<String, Number>,
    parts: Vec<(String, TermId)>,
    /// Names of integers that never hold an address.
    plain: FxHashSet<String>,
    long_bits: u32,
    /// What conditions in C mean.
    pub(crate) meaning: crate::expression::Meaning,
}

fn unreadable(text: &str, why: impl std::fmt::Display) -> Reason {
    Reason::BadCertificate { what: format!("the condition `{text}` cannot be read: {why}") }
}

const NAMES_AN_OBJECT: &str = "it may name an object that is not fixed";

/// Is the number of an object that of a variable, or of a block that is allocated at most once? The greatest number is nobody's:
/// small negative numbers look like it.
fn is_fixed(encoder: &Encoder<'_>, object: u128, objects: &FxHashSet<u128>) -> bool {
    object < encoder.meaning.first_free() as u128
        || object == u128::from(encoder.meaning.layout.most_objects()) - 1
        || objects.contains(&object)
}

/// A number of C.
fn literal(word: &str) -> Option<u128> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

impl Reading {
    pub(crate) fn of(encoder: &mut Encoder<'_>, state: &State) -> Reading {
        let program = encoder.meaning.program;
        let named = encoder.named_parts(&mut state.clone());
        let mut numbers = FxHashMap::default();
        let shape = |id: VariableId| {
            // Not pointers: a number would name an object, and those of allocations are not fixed.
            let ty = program.variables[id].ty.id;
            program.types.integer_shape(ty).filter(|_| program.types.is_integer(ty))
        };
        let mut parts = Vec::new();
        let mut plain = FxHashSet::default();
        for (name, part, term) in named {
            if let StateVariable::Global(id) | StateVariable::Local(_, id) = part
                && let Some(shape) = shape(id)
            {
                numbers.insert(name.clone(), Number { term, signed: shape.signed });
                if encoder.meaning.is_plain_number(id) {
                    plain.insert(name.clone());
                }
            }
            parts.push((name, term));
        }
        // A variable in scope that was never written may have any value.
        let procedures: Vec<ProcedureId> = state.frames.iter().map(|frame| frame.procedure).collect();
        let names = Names::seen_from(program, &procedures);
        for (depth, &procedure) in procedures.iter().enumerate() {
            let callee = &program.procedures[procedure];
            for &id in callee.parameters.iter().chain(&callee.locals) {
                if symbolic::meaning::is_in_memory(program, id) {
                    continue;
                }
                let name = names.part(program, StateVariable::Local(depth, id), procedures.len());
                if parts.iter().any(|(known, _)| *known == name) {
                    continue;
                }
                let width = encoder.width(program.variables[id].ty.id);
                let term = encoder.terms.fresh_bits(&name, width);
                if let Some(shape) = shape(id) {
                    numbers.insert(name.clone(), Number { term, signed: shape.signed });
                }
                parts.push((name, term));
            }
        }
        let long_bits = match program.types.model() {
            program::DataModel::Lp64 => 64,
            program::DataModel::Ilp32 => 32,
        };
        for width in crate::elements::WIDTHS {
            parts.push((crate::elements::name(width), crate::elements::any_index(&mut encoder.terms, width)));
        }
        Reading { numbers, parts, plain, long_bits, meaning: crate::expression::Meaning::default() }
    }

    /// Of the end of a procedure: the values at its beginning, what it leaves behind, what it returns.
    pub(crate) fn of_end(
        encoder: &mut Encoder<'_>,
        procedure: ProcedureId,
        entering: &State,
        (end, result): (&State, Option<TermId>),
    ) -> Reading {
        let program = encoder.meaning.program;
        let mut reading = Reading::of(encoder, &State { frames: Vec::new(), ..end.clone() });
        reading.parts.retain(|(name, _)| name != "extents");
        reading.add_old(encoder, entering);
        if let Some(term) = result {
            let ty = program.result_type(procedure).id;
            if let Some(shape) = program.types.integer_shape(ty).filter(|_| program.types.is_integer(ty)) {
                reading.numbers.insert("result$".to_owned(), Number { term, signed: shape.signed });
            }
            reading.parts.push(("result$".to_owned(), term));
        }
        reading
    }

    /// The values at the beginning of the procedure can be named too.
    pub(crate) fn add_old(&mut self, encoder: &mut Encoder<'_>, entering: &State) {
        let old = Reading::of(encoder, entering);
        let renamed = |name: String| format!("{name}$old");
        self.numbers.extend(old.numbers.into_iter().map(|(name, number)| (renamed(name), number)));
        self.parts.extend(old.parts.into_iter().map(|(name, term)| (renamed(name), term)));
        self.plain.extend(old.plain.into_iter().map(renamed));
    }

    /// Another part that conditions may speak of.
    pub(crate) fn add(&mut self, name: &str, term: TermId) {
        self.parts.push((name.to_owned(), term));
    }

    /// Nothing but variables that are numbers can be named.
    pub(crate) fn leave_only_numbers(&mut self) {
        let numbers = &self.numbers;
        self.parts.retain(|(name, _)| numbers.contains_key(name));
    }

    /// Does the C text speak of an integer that may hold an address, and of a number that may be the address of an object without a fixed number?
    fn may_name_an_object(&self, encoder: &Encoder<'_>, text: &str, objects: &FxHashSet<u128>) -> bool {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@');
        let words = || text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty());
        let may_hold_address =
            |word: &str| self.numbers.contains_key(word) && !self.plain.contains(word) && word != "result$";
        let layout = encoder.meaning.layout;
        words().any(may_hold_address)
            && words()
                .filter_map(literal)
                .filter(|&value| value >> layout.width == 0)
                .any(|value| !is_fixed(encoder, layout.object_of(value), objects))
    }

    pub(crate) fn read(
        &mut self,
        encoder: &mut Encoder<'_>,
        condition: &Condition,
        objects: &FxHashSet<u128>,
    ) -> Result<TermId, Reason> {
        let text = match condition {
            Condition::C(text) => {
                if self.may_name_an_object(encoder, text, objects) {
                    return Err(unreadable(text, NAMES_AN_OBJECT));
                }
                return read_condition(&mut encoder.terms, &self.numbers, self.long_bits, self.meaning, text)
                    .map_err(|why| unreadable(text, why));
            }
            Condition::Smt(text) => text,
        };
        let unreadable = |why: String| unreadable(text, why);
        let mut script = String::new();
        let mut replacements = FxHashMap::default();
        let mut plain = FxHashSet::default();
        for (name, term) in &self.parts {
            let sort = encoder.terms.pool.sort(*term);
            let symbol = encoder.terms.pool.symbol_unless_other(&format!("state:{name}"), sort);
            let Some(symbol) = symbol else { continue };
            let quoted = encoder.terms.pool.display(symbol);
            script.push_str(&format!("(declare-const {quoted} {})\n", encoder.terms.pool.sort_text(sort)));
            replacements.insert(symbol, *term);
            if self.plain.contains(name) {
                plain.insert(symbol);
            }
        }
        script.push_str(&format!("(assert {text})\n"));
        let read = logic::smtlib::read_script(&mut encoder.terms.pool, &script)
            .map_err(|error| unreadable(error.to_string()))?;
        let [formula] = read.assertions[..] else { return Err(unreadable("it is no condition".to_owned())) };
        let layout = encoder.meaning.layout;
        let is_about_numbers =
            symbols_in(&encoder.terms.pool, &[formula]).iter().all(|symbol| plain.contains(symbol));
        // Constants that are put together are told by what they come to.
        let computed = encoder.terms.simple(formula);
        for term in Postorder::new(&encoder.terms.pool, &[formula, computed]) {
            match encoder.terms.pool.op(term) {
                Op::Symbol(_) if !replacements.contains_key(&term) => {
                    return Err(unreadable("it names something that is no part of the state".to_owned()));
                }
                Op::Apply(_) => return Err(unreadable("it applies a function".to_owned())),
                Op::Constant(_) => {
                    let width = encoder.terms.pool.width(term);
                    let Some(value) = encoder.terms.constant(term) else { continue };
                    let object = match width {
                        _ if width == layout.width => layout.object_of(value),
                        _ if width == layout.object_bits() => value,
                        _ => 0,
                    };
                    let is_fixed = is_fixed(encoder, object, objects);
                    if !is_fixed && !is_about_numbers {
                        return Err(unreadable(NAMES_AN_OBJECT.to_owned()));
                    }
                }
                _ => {}
            }
        }
        let term = encoder.terms.pool.substitute(formula, &replacements);
        Ok(encoder.terms.simple(term))
    }
}
