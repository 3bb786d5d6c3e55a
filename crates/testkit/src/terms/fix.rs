//! A model said in terms: equations that leave every symbol, and every function where a term applies it, exactly the
//! value the model gives. A solver that believes them has no freedom left, so that it must compute.

use logic::evaluate::Evaluator;
use logic::model::{Model, Value};
use logic::random_terms::ELEMENTS;
use logic::term::{Op, Postorder, Sort, TermId, TermPool, symbols_in};

/// The symbols that stand for the elements of an uninterpreted sort, which the equations keep apart.
fn element(pool: &mut TermPool, sort: Sort, number: u64) -> TermId {
    let name = format!("element {number} of {}", pool.sort_text(sort));
    pool.symbol(&name, sort)
}

/// A term that has the value, under the equations of [`equations`]. Recursion is bounded by how deep sorts nest.
fn term_of(pool: &mut TermPool, sort: Sort, value: &Value) -> Result<TermId, String> {
    Ok(match value {
        Value::Bool(value) => pool.bool(*value),
        Value::Bits(bits) => pool.constant(bits.clone()),
        Value::Element(number) => element(pool, sort, *number),
        Value::Array(array) => {
            let (index_sort, element_sort) = pool.array_parts(sort).ok_or("an array has an array sort")?;
            let default = term_of(pool, element_sort, array.default_element())?;
            let mut term = pool.const_array(index_sort, default);
            for (index, value) in array.exceptions() {
                let (at, value) = (term_of(pool, index_sort, index)?, term_of(pool, element_sort, value)?);
                term = pool.store(term, at, value);
            }
            term
        }
        Value::Float(_) => return Err("random terms have no floats".to_owned()),
    })
}

/// The equations for all that occurs in `root`.
pub(super) fn equations(pool: &mut TermPool, root: TermId, model: &Model) -> Result<Vec<TermId>, String> {
    let mut evaluator = Evaluator::new(model);
    let mut value_of =
        |pool: &TermPool, term: TermId| evaluator.evaluate(pool, term).map_err(|error| error.to_string());
    let mut result = Vec::new();
    let mut sorts_with_elements = Vec::new();
    let nodes: Vec<TermId> = Postorder::new(pool, &[root]).collect();
    for &node in &nodes {
        let sort = pool.sort(node);
        if matches!(sort, Sort::Uninterpreted(_)) && !sorts_with_elements.contains(&sort) {
            sorts_with_elements.push(sort);
        }
        if let Op::Apply(function) = pool.op(node) {
            let mut arguments = Vec::new();
            for argument in pool.arguments(node).to_vec() {
                let value = value_of(pool, argument)?;
                arguments.push(term_of(pool, pool.sort(argument), &value)?);
            }
            let value = value_of(pool, node)?;
            let (applied, value) = (pool.apply(function, &arguments), term_of(pool, sort, &value)?);
            result.push(pool.equal(applied, value));
        }
    }
    for symbol in symbols_in(pool, &[root]) {
        let value = value_of(pool, symbol)?;
        let value = term_of(pool, pool.sort(symbol), &value)?;
        result.push(pool.equal(symbol, value));
    }
    for sort in sorts_with_elements {
        let all: Vec<TermId> = (0..ELEMENTS as u64).map(|number| element(pool, sort, number)).collect();
        result.push(pool.all_distinct(&all));
    }
    Ok(result)
}
