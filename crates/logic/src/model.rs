//! Values, and models: what a solver found, in plain data that can be evaluated without it.

use crate::bits::Bits;
use crate::term::{FunctionId, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The value of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Of sort Bool.
    Bool(bool),
    /// Of a bit-vector sort.
    Bits(Bits),
    /// Of a float sort: the bits, with one NaN.
    Float(Bits),
    /// Of an array sort.
    Array(Arc<ArrayValue>),
    /// Of an uninterpreted sort: elements are told apart by number.
    Element(u64),
}

/// A total map given by exceptions to a default; no exception equals the default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayValue {
    default: Value,
    exceptions: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The same element everywhere.
    pub fn everywhere(default: Value) -> ArrayValue {
        ArrayValue { default, exceptions: BTreeMap::new() }
    }

    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.exceptions.get(index).unwrap_or(&self.default)
    }

    /// Changes the element at an index.
    pub fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.exceptions.remove(&index);
        } else {
            self.exceptions.insert(index, element);
        }
    }

    /// The element at all indices that are not exceptions.
    pub fn default_element(&self) -> &Value {
        &self.default
    }

    /// Indices whose element is not the default, in order.
    pub fn exceptions(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.exceptions.iter()
    }
}

/// Are two values of one sort the same? Recursion is bounded by how deep array sorts nest.
pub fn is_same_value(pool: &TermPool, sort: Sort, a: &Value, b: &Value) -> bool {
    let (Value::Array(a), Value::Array(b)) = (a, b) else { return a == b };
    let (index_sort, element) = pool.array_parts(sort).expect("array values have an array sort");
    let indices: std::collections::BTreeSet<&Value> =
        a.exceptions.keys().chain(b.exceptions.keys()).collect();
    if indices.iter().any(|index| !is_same_value(pool, element, a.get(index), b.get(index))) {
        return false;
    }
    // Two defaults may differ and yet never show, when the exceptions cover all indices.
    is_same_value(pool, element, &a.default, &b.default)
        || number_of_values(index_sort).is_some_and(|all| indices.len() as u128 >= all)
}

/// How many values a sort has, where that is known and below 2^127.
fn number_of_values(sort: Sort) -> Option<u128> {
    match sort {
        Sort::Bool => Some(2),
        Sort::BitVec(width) if width < 127 => Some(1 << width),
        _ => None,
    }
}

impl Value {
    /// The truth value, of a Boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bits, of a bit-vector.
    pub fn as_bits(&self) -> Option<&Bits> {
        match self {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// A value of the sort, for symbols whose value does not matter: false, zero, or an array of such.
    pub fn default_of(pool: &TermPool, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::Bits(Bits::zero(width)),
            Sort::Float(format) => Value::Float(Bits::zero(format.width())),
            Sort::Uninterpreted(_) => Value::Element(0),
            Sort::Array(_) => {
                let (_, element) = pool.array_parts(sort).expect("an array sort has parts");
                Value::Array(Arc::new(ArrayValue::everywhere(Value::default_of(pool, element))))
            }
        }
    }
}

/// A function given by exceptions to a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionValue {
    /// The result for all arguments not in the table.
    pub default: Value,
    /// Results by arguments.
    pub table: FxHashMap<Vec<Value>, Value>,
}

/// Values for symbols and functions. What is not mentioned has its sort's default value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    symbols: FxHashMap<TermId, Value>,
    functions: FxHashMap<FunctionId, FunctionValue>,
}

impl Model {
    /// Everything has its default value.
    pub fn new() -> Model {
        Model::default()
    }

    /// Sets the value of a symbol.
    pub fn set(&mut self, symbol: TermId, value: Value) {
        self.symbols.insert(symbol, value);
    }

    /// Sets the value of a function.
    pub fn set_function(&mut self, function: FunctionId, value: FunctionValue) {
        self.functions.insert(function, value);
    }

    /// The value of a symbol, if the model has one of its own for it.
    pub fn get(&self, symbol: TermId) -> Option<&Value> {
        self.symbols.get(&symbol)
    }

    /// The value of a function, if the model has one of its own for it.
    pub fn function(&self, function: FunctionId) -> Option<&FunctionValue> {
        self.functions.get(&function)
    }

    /// The symbols with a value of their own, in no particular order.
    pub fn symbols(&self) -> impl Iterator<Item = (TermId, &Value)> {
        self.symbols.iter().map(|(&symbol, value)| (symbol, value))
    }
}
