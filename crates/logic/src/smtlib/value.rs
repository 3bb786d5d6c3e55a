//! Values as solvers write them in models.

use super::sexp::{SexpId, Sexps};
use crate::bits::Bits;
use crate::model::{ArrayValue, Value};
use crate::term::{FloatFormat, Sort, TermPool};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Names of elements of uninterpreted sorts, numbered as they come.
pub(crate) type Elements = FxHashMap<String, u64>;

/// The value of a sort that an expression says, or `None` when it is written in a way we do not read.
pub(crate) fn read_value(
    pool: &TermPool,
    sexps: &Sexps,
    id: SexpId,
    sort: Sort,
    elements: &mut Elements,
) -> Option<Value> {
    match sort {
        Sort::Bool => match sexps.atom(id)? {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Sort::BitVec(width) => read_bits(sexps, id).filter(|bits| bits.width() == width).map(Value::Bits),
        Sort::Float(format) => read_float(sexps, id, format).map(Value::Float),
        Sort::Uninterpreted(_) => {
            // `e!0`, or `(as @e0 S)`.
            let name = match sexps.list(id) {
                Some(items) => sexps.atom(*items.get(1)?)?,
                None => sexps.atom(id)?,
            };
            let next = elements.len() as u64;
            Some(Value::Element(*elements.entry(name.to_owned()).or_insert(next)))
        }
        Sort::Array(_) => read_array(pool, sexps, id, sort, elements),
    }
}

pub(crate) fn read_bits(sexps: &Sexps, id: SexpId) -> Option<Bits> {
    if let Some(text) = sexps.atom(id) {
        return match text.strip_prefix("#x") {
            Some(digits) => Bits::from_digits(4, digits),
            None => Bits::from_digits(1, text.strip_prefix("#b")?),
        };
    }
    match sexps.atoms(id)?[..] {
        ["_", number, width] => {
            let width: u32 = width.parse().ok().filter(|&width| width > 0)?;
            Bits::from_decimal(width, number.strip_prefix("bv")?)
        }
        _ => None,
    }
}

fn read_float(sexps: &Sexps, id: SexpId, format: FloatFormat) -> Option<Bits> {
    let items = sexps.list(id)?;
    if sexps.atom(*items.first()?) == Some("fp") {
        let [_, sign, exponent, fraction] = items else { return None };
        let parts = [read_bits(sexps, *sign)?, read_bits(sexps, *exponent)?, read_bits(sexps, *fraction)?];
        let bits = parts[0].concat(&parts[1]).concat(&parts[2]);
        return (bits.width() == format.width()).then_some(bits);
    }
    let fraction_bits = format.significand - 1;
    let (negative, exponent_ones, fraction_top) = match *sexps.atoms(id)?.get(1)? {
        "+zero" => (false, false, false),
        "-zero" => (true, false, false),
        "+oo" => (false, true, false),
        "-oo" => (true, true, false),
        "NaN" => (false, true, true),
        _ => return None,
    };
    let exponent = if exponent_ones { Bits::ones(format.exponent) } else { Bits::zero(format.exponent) };
    let fraction = if fraction_top { Bits::signed_minimum(fraction_bits) } else { Bits::zero(fraction_bits) };
    Some(Bits::from_bool(negative).concat(&exponent).concat(&fraction))
}

/// `(store … index element)` around `((as const …) element)`; writes nest, so the walk is a loop.
fn read_array(
    pool: &TermPool,
    sexps: &Sexps,
    id: SexpId,
    sort: Sort,
    elements: &mut Elements,
) -> Option<Value> {
    let (index_sort, element_sort) = pool.array_parts(sort)?;
    let mut writes = Vec::new();
    let mut here = id;
    let default = loop {
        let items = sexps.list(here)?;
        if let (Some("store"), [_, inner, index, element]) = (sexps.atom(*items.first()?), items) {
            let index = read_value(pool, sexps, *index, index_sort, elements)?;
            writes.push((index, read_value(pool, sexps, *element, element_sort, elements)?));
            here = *inner;
            continue;
        }
        let [head, element] = items else { return None };
        let head = sexps.list(*head)?;
        if sexps.atom(*head.first()?)? != "as" || sexps.atom(*head.get(1)?)? != "const" {
            return None;
        }
        break read_value(pool, sexps, *element, element_sort, elements)?;
    };
    let mut array = ArrayValue::everywhere(default);
    for (index, element) in writes.into_iter().rev() {
        array.set(index, element);
    }
    Some(Value::Array(Arc::new(array)))
}
