//! Compatible and composite types (C11 6.2.7, 6.7.6), with GCC's leniency where it has some.

use super::analyser::Analyser;
use crate::syntax::Qualifiers;
use crate::types::{ArrayLength, FunctionType, Type, TypeId, TypeRef};

impl Analyser<'_> {
    /// May both declare the same thing? Qualifiers of the types themselves included.
    pub fn are_compatible_refs(&self, a: TypeRef, b: TypeRef) -> bool {
        if a == b {
            return true;
        }
        // An array's qualifiers are those of its elements, wherever they were written.
        let (a, b) = (self.push_qualifiers_down(a), self.push_qualifiers_down(b));
        same_but_restrict(a.qualifiers, b.qualifiers) && self.are_compatible(a.id, b.id)
    }

    fn push_qualifiers_down(&self, ty: TypeRef) -> TypeRef {
        let mut innermost = ty.id;
        let mut qualifiers = ty.qualifiers;
        while let Type::Array(element, _) = self.types().get(innermost) {
            qualifiers = qualifiers.and(element.qualifiers);
            innermost = element.id;
        }
        TypeRef { id: ty.id, qualifiers }
    }

    /// Are the unqualified types compatible?
    pub fn are_compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let types = self.types();
        match (types.get(a), types.get(b)) {
            (Type::Error, _) | (_, Type::Error) => true,
            // An enum is compatible with its underlying type.
            (Type::Enum(e), Type::Integer(_)) => types.enums[*e].underlying == b,
            (Type::Integer(_), Type::Enum(e)) => types.enums[*e].underlying == a,
            (Type::Pointer(x), Type::Pointer(y)) => self.are_compatible_refs(*x, *y),
            (Type::Array(x, n), Type::Array(y, m)) => {
                let lengths = match (n, m) {
                    (ArrayLength::Known(n), ArrayLength::Known(m)) => n == m,
                    _ => true,
                };
                lengths && self.are_compatible(x.id, y.id)
            }
            (Type::Function(f), Type::Function(g)) => self.are_compatible_functions(f, g),
            _ => false,
        }
    }

    fn are_compatible_functions(&self, f: &FunctionType, g: &FunctionType) -> bool {
        if !self.are_compatible(f.result.id, g.result.id) {
            return false;
        }
        match (f.has_prototype, g.has_prototype) {
            (true, true) => {
                f.is_variadic == g.is_variadic
                    && f.parameters.len() == g.parameters.len()
                    && f.parameters
                        .iter()
                        .zip(&g.parameters)
                        .all(|(&a, &b)| self.are_compatible_parameters(a, b))
            }
            // C11 6.7.6.3p15: the parameters must not change under the default promotions.
            (true, false) => self.survives_default_promotions(f),
            (false, true) => self.survives_default_promotions(g),
            (false, false) => true,
        }
    }

    /// A transparent union is compatible with its first members' types, as GCC has it.
    fn are_compatible_parameters(&self, a: TypeId, b: TypeId) -> bool {
        self.are_compatible(a, b) || self.is_transparent_for(a, b) || self.is_transparent_for(b, a)
    }

    fn is_transparent_for(&self, union: TypeId, member: TypeId) -> bool {
        let types = self.types();
        types.record_id(union).is_some_and(|record| {
            self.transparent_unions.contains(&record)
                && types.records[record]
                    .fields
                    .iter()
                    .flatten()
                    .any(|field| self.are_compatible(field.ty.id, member))
        })
    }

    fn survives_default_promotions(&self, function: &FunctionType) -> bool {
        !function.is_variadic
            && function.parameters.iter().all(|&parameter| {
                let promoted = match self.types().get(parameter) {
                    Type::Float(crate::types::FloatKind::Float) => self.common.double,
                    _ if self.types().is_integer(parameter) => self.promoted_type(parameter),
                    _ => parameter,
                };
                self.are_compatible(promoted, parameter)
            })
    }

    /// The type that knows what both know (C11 6.2.7p3). Both must be compatible.
    pub fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b || self.is_error(b) {
            return a;
        }
        if self.is_error(a) {
            return b;
        }
        match (self.types().get(a).clone(), self.types().get(b).clone()) {
            (Type::Enum(_), Type::Integer(_)) => a,
            (Type::Integer(_), Type::Enum(_)) => b,
            (Type::Pointer(x), Type::Pointer(y)) => {
                let id = self.composite(x.id, y.id);
                self.types_mut().pointer(TypeRef { id, qualifiers: x.qualifiers })
            }
            (Type::Array(x, n), Type::Array(y, m)) => {
                let id = self.composite(x.id, y.id);
                let qualifiers = x.qualifiers.and(y.qualifiers);
                let length = match (n, m) {
                    (ArrayLength::Known(_), _) => n,
                    (_, ArrayLength::Known(_)) => m,
                    (ArrayLength::Variable(_), _) => n,
                    _ => m,
                };
                self.types_mut().array(TypeRef { id, qualifiers }, length)
            }
            (Type::Function(f), Type::Function(g)) => {
                let id = self.composite(f.result.id, g.result.id);
                let result = TypeRef { id, qualifiers: f.result.qualifiers };
                let mut merged = match (f.has_prototype, g.has_prototype) {
                    (true, true) => {
                        let pairs: Vec<(TypeId, TypeId)> =
                            f.parameters.iter().copied().zip(g.parameters.iter().copied()).collect();
                        let parameters = pairs.into_iter().map(|(x, y)| self.composite(x, y)).collect();
                        FunctionType { parameters, ..f }
                    }
                    (true, false) => f,
                    (false, _) => g,
                };
                merged.result = result;
                self.types_mut().intern(Type::Function(merged))
            }
            _ => a,
        }
    }
}

fn same_but_restrict(a: Qualifiers, b: Qualifiers) -> bool {
    a.is_const == b.is_const && a.is_volatile == b.is_volatile && a.is_atomic == b.is_atomic
}
