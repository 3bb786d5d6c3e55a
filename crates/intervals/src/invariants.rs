//! What is known at a place, for others: as terms for solvers, and as C expressions for people.
//!
//! Every invariant holds of every run that gets there without undefined behaviour. Only plain integer
//! and floating variables are spoken of: what is known about memory stays inside the analysis.

use crate::analysis::{Analysis, Point};
use crate::domain::floats::FloatRange;
use crate::domain::number::{Number, is_opaque};
use crate::domain::value::{Scalar, Value};
use crate::octagon::Term;
use logic::term::FloatFormat;
use logic::{TermId, TermPool};
use program::types::IntegerShape;
use program::{FloatKind, NodeId, ProcedureId, VariableId, VariableKind};

/// One thing that is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Invariant {
    /// The variable has one of these values.
    Values(VariableId, IntegerShape, Number),
    /// The floating variable, of `float` or `double`, has one of these values.
    Floats(VariableId, FloatKind, FloatRange),
    /// `±one ± two <= bound`, as mathematical integers.
    Relation {
        /// A variable, and whether it is subtracted.
        one: (VariableId, bool),
        /// The other variable, and whether it is subtracted.
        two: (VariableId, bool),
        /// What the sum is at most.
        bound: i128,
    },
}

/// The invariants of a program.
pub struct Invariants<'a, 'p> {
    analysis: &'a Analysis<'p>,
}

impl<'a, 'p> Invariants<'a, 'p> {
    /// The invariants that an analysis found.
    pub fn of(analysis: &'a Analysis<'p>) -> Invariants<'a, 'p> {
        Invariants { analysis }
    }

    /// What is known at a node about variables of its procedure and globals; `None` if no run gets there.
    pub fn at(&self, procedure: ProcedureId, node: NodeId) -> Option<Vec<Invariant>> {
        let point = self.analysis.at(procedure, node)?;
        let mut known = self.values(procedure, &point);
        let context = self.analysis.context();
        for pack in point.state.relations.packs() {
            let members = context.packs.members(pack);
            let Some(octagon) = point.state.relations.get(pack).and_then(|octagon| octagon.closed()) else {
                continue;
            };
            let named = |term: Term| (members[term.place], term.is_negative);
            known.extend(octagon.relations().into_iter().map(|(one, two, bound)| Invariant::Relation {
                one: named(one),
                two: named(two),
                bound,
            }));
        }
        Some(known)
    }

    fn values(&self, procedure: ProcedureId, point: &Point<'_, '_>) -> Vec<Invariant> {
        let context = self.analysis.context();
        let variables = context.program.variables.iter_enumerated();
        variables
            .filter(|(_, variable)| {
                variable.procedure == Some(procedure) || variable.kind == VariableKind::Global
            })
            .filter_map(|(id, _)| {
                match (context.scalars[id].filter(|_| context.is_plain(id))?, point.variable(id)?.value) {
                    (Scalar::Integer(shape), Value::Integer(number)) => {
                        let is_told = !is_opaque(shape) && !number.is_any(shape) && !number.is_empty();
                        is_told.then_some(Invariant::Values(id, shape, number))
                    }
                    (Scalar::Float(kind @ (FloatKind::Float | FloatKind::Double)), Value::Float(range)) => {
                        let is_told = range != FloatRange::ANY && !range.is_empty();
                        is_told.then_some(Invariant::Floats(id, kind, range))
                    }
                    _ => None,
                }
            })
            .collect()
    }

    /// All that is known at a node as one term over the bit-vectors that stand for variables; variables
    /// without one, or with one of another width than their type's, are left out. False where no run gets.
    pub fn term_at(
        &self,
        procedure: ProcedureId,
        node: NodeId,
        pool: &mut TermPool,
        term_of: &mut dyn FnMut(VariableId, &mut TermPool) -> Option<TermId>,
    ) -> TermId {
        let Some(all) = self.at(procedure, node) else { return pool.ff() };
        let mut parts = Vec::new();
        for invariant in &all {
            match invariant {
                Invariant::Values(id, shape, number) => {
                    if let Some(variable) = term_of(*id, pool).filter(|&term| pool.width(term) == shape.width)
                    {
                        parts.push(values_term(pool, variable, *shape, number));
                    }
                }
                Invariant::Floats(id, kind, range) => {
                    let format = match kind {
                        FloatKind::Float => FloatFormat::SINGLE,
                        _ => FloatFormat::DOUBLE,
                    };
                    if let Some(variable) =
                        term_of(*id, pool).filter(|&term| pool.width(term) == format.width())
                    {
                        parts.push(floats_term(pool, variable, format, range));
                    }
                }
                Invariant::Relation { one, two, bound } => {
                    let shape = |id: VariableId| match self.analysis.context().scalars[id] {
                        Some(Scalar::Integer(shape)) => shape,
                        _ => unreachable!("related variables are integers"),
                    };
                    let terms = (term_of(one.0, pool), term_of(two.0, pool));
                    let fits = |term: TermId, id: VariableId| pool.width(term) == shape(id).width;
                    if let (Some(first), Some(second)) = terms
                        && fits(first, one.0)
                        && fits(second, two.0)
                    {
                        // Two bits more than the wider one hold every sum.
                        let width = shape(one.0).width.max(shape(two.0).width) + 2;
                        let mut wide = |term: TermId, id: VariableId, is_negative: bool| {
                            let by = width - shape(id).width;
                            let term = if shape(id).signed {
                                pool.sign_extend(term, by)
                            } else {
                                pool.zero_extend(term, by)
                            };
                            if is_negative { pool.bvneg(term) } else { term }
                        };
                        let (first, second) = (wide(first, one.0, one.1), wide(second, two.0, two.1));
                        let sum = pool.bvadd(first, second);
                        let most = (1i128 << (width - 1)) - 1;
                        if *bound < most {
                            let bound = pool.number(width, *bound);
                            parts.push(pool.sge(bound, sum));
                        }
                    }
                }
            }
        }
        pool.all_of(&parts)
    }

    /// All that is known at a node about variables with a name, as C expressions.
    pub fn c_at(&self, procedure: ProcedureId, node: NodeId) -> Option<Vec<String>> {
        let program = self.analysis.program();
        let is_named = |id: VariableId| program.variables[id].kind != VariableKind::Temporary;
        let name = |id: VariableId| program.variables[id].name.to_string();
        let all = self.at(procedure, node)?;
        Some(
            all.into_iter()
                .filter_map(|invariant| match invariant {
                    Invariant::Values(id, shape, number) if is_named(id) => {
                        Some(values_c(&name(id), shape, &number))
                    }
                    Invariant::Floats(id, _, range) if is_named(id) => Some(floats_c(&name(id), &range)),
                    Invariant::Relation { one, two, bound } if is_named(one.0) && is_named(two.0) => {
                        // In `__int128`, where no sum of two variables overflows.
                        let part = |(id, is_negative): (VariableId, bool)| {
                            format!("{}(__int128){}", if is_negative { "-" } else { "" }, name(id))
                        };
                        Some(format!("{} + {} <= {bound}", part(one), part(two)))
                    }
                    _ => None,
                })
                .collect(),
        )
    }
}

fn values_term(pool: &mut TermPool, variable: TermId, shape: IntegerShape, number: &Number) -> TermId {
    let ranges: Vec<TermId> = number
        .set()
        .ranges()
        .iter()
        .map(|range| {
            let (low, high) = (pool.number(shape.width, range.low), pool.number(shape.width, range.high));
            if range.low == range.high {
                return pool.equal(variable, low);
            }
            let (above, below) = if shape.signed {
                (pool.sge(variable, low), pool.sge(high, variable))
            } else {
                (pool.uge(variable, low), pool.uge(high, variable))
            };
            pool.and(above, below)
        })
        .collect();
    let mut all = vec![pool.any_of(&ranges)];
    let modulus = number.class().modulus();
    if modulus > 1 && modulus & (modulus - 1) == 0 {
        // A power of two is a matter of the low bits, whatever the sign.
        let bits = modulus.trailing_zeros();
        if bits < shape.width {
            let low = pool.extract(variable, bits - 1, 0);
            let rest = pool.number(bits, number.class().remainder());
            all.push(pool.equal(low, rest));
        }
    }
    pool.all_of(&all)
}

fn floats_term(pool: &mut TermPool, variable: TermId, format: FloatFormat, range: &FloatRange) -> TermId {
    let float = pool.fp_from_bits(variable, format);
    let is_nan = pool.fp_is_nan(float);
    let mut constant = |value: f64| match format {
        FloatFormat::SINGLE => pool.float_constant(value as f32),
        _ => pool.double_constant(value),
    };
    let (low, high) = (constant(range.low), constant(range.high));
    let (above, below) = (pool.fp_less_or_equal(low, float), pool.fp_less_or_equal(float, high));
    // Between infinities lies every number.
    let mut parts = Vec::new();
    if range.low != f64::NEG_INFINITY {
        parts.push(above);
    }
    if range.high != f64::INFINITY {
        parts.push(below);
    }
    if range.can_be_nan {
        let inside = pool.all_of(&parts);
        return pool.or(is_nan, inside);
    }
    parts.push(pool.not(is_nan));
    pool.all_of(&parts)
}

fn floats_c(name: &str, range: &FloatRange) -> String {
    let mut parts = Vec::new();
    if range.low != f64::NEG_INFINITY {
        parts.push(format!("{name} >= {:?}", range.low));
    }
    if range.high != f64::INFINITY {
        parts.push(format!("{name} <= {:?}", range.high));
    }
    if !range.can_be_nan && parts.is_empty() {
        return format!("{name} == {name}");
    }
    let inside = parts.join(" && ").replace("inf", "__builtin_inf()");
    if range.can_be_nan { format!("{name} != {name} || ({inside})") } else { inside }
}

fn values_c(name: &str, shape: IntegerShape, number: &Number) -> String {
    let constant = |value: i128| match (shape.signed, shape.width) {
        (true, 64) if value == i128::from(i64::MIN) => "(-9223372036854775807LL - 1)".to_string(),
        (true, 64) => format!("{value}LL"),
        (false, 64) => format!("{value}ULL"),
        (true, 32) if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_string(),
        (false, 32) => format!("{value}U"),
        _ => value.to_string(),
    };
    let ranges: Vec<String> = number
        .set()
        .ranges()
        .iter()
        .map(|range| {
            if range.low == range.high {
                format!("{name} == {}", constant(range.low))
            } else {
                format!("{} <= {name} && {name} <= {}", constant(range.low), constant(range.high))
            }
        })
        .collect();
    let mut text = match &ranges[..] {
        [one] => one.clone(),
        several => several.iter().map(|range| format!("({range})")).collect::<Vec<_>>().join(" || "),
    };
    let class = number.class();
    let least = number.hull().map_or(0, |hull| hull.low);
    if class.modulus() > 1 && least >= 0 {
        text =
            format!("({text}) && {name} % {} == {}", constant(class.modulus()), constant(class.remainder()));
    }
    text
}
