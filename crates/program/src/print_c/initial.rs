//! Variables with static storage and their initial values.

use super::names::{is_stream, stream_behind};
use super::{Constness, Printer, constants};
use crate::types::{ArrayLength, IntegerKind, Type, TypeId};
use crate::{
    InitialData, InitialValue, Place, Projection, RecordId, RecordKind, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn print_static_storage(&self, out: &mut String) {
        let is_static =
            |variable: &Variable| matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
        let all: Vec<(VariableId, &Variable)> = self
            .program
            .variables
            .iter_enumerated()
            .filter(|(id, variable)| self.used.variables.contains(id) && is_static(variable))
            .collect();
        for &(id, variable) in &all {
            if let Some(stream) = stream_behind(variable) {
                // The descriptions' object is the library's.
                let declaration =
                    self.types.declare(variable.ty, &format!("*__concord_real_{stream}"), Constness::Dropped);
                writeln!(out, "extern {declaration} __asm__(\"{stream}\");").expect("writing to a string");
            } else if variable.is_external || is_stream(self.program, variable) {
                let thread = if variable.is_thread_local { "__thread " } else { "" };
                let declaration = self.types.declare(variable.ty, self.names.variable(id), Constness::Kept);
                writeln!(out, "extern {thread}{declaration};").expect("writing to a string");
            } else if !variable.is_thread_local {
                // Initialisers may name each other in any order.
                writeln!(out, "static {};", self.declare_variable(id)).expect("writing to a string");
            }
        }
        out.push('\n');
        let is_ours = |variable: &Variable| {
            !variable.is_external && stream_behind(variable).is_none() && !is_stream(self.program, variable)
        };
        let defined = || all.iter().copied().filter(|(_, variable)| is_ours(variable));
        for (id, variable) in defined() {
            let is_overlapping = self.overlaps(&variable.initial);
            if variable.is_thread_local || (!variable.initial.is_empty() && !is_overlapping) {
                let thread = if variable.is_thread_local { "__thread " } else { "" };
                write!(out, "static {thread}{}", self.declare_variable(id)).expect("writing to a string");
                if !variable.initial.is_empty() && !is_overlapping {
                    out.push_str(" = ");
                    self.write_initializer(variable, out);
                }
                out.push_str(";\n");
            }
        }
        for (id, variable) in defined() {
            if self.overlaps(&variable.initial) {
                self.print_initialising_constructor(id, variable, out);
            }
        }
        out.push('\n');
    }

    fn write_initializer(&self, variable: &Variable, out: &mut String) {
        if let [only] = &variable.initial[..]
            && only.place.path.is_empty()
        {
            return self.write_data(&only.place, &only.value, out);
        }
        out.push('{');
        for (index, initial) in variable.initial.iter().enumerate() {
            out.push_str(if index == 0 { " " } else { ", " });
            if index > 0 && index % 8 == 0 {
                out.push_str("\n    ");
            }
            for step in &initial.place.path {
                match step {
                    Projection::Field(record, field) => {
                        out.push('.');
                        out.push_str(&self.types.field_name(*record, *field));
                    }
                    Projection::Index(position) => {
                        let position = position.as_integer().expect("initial values have constant indices");
                        write!(out, "[{position}]").expect("writing to a string");
                    }
                }
            }
            out.push_str(" = ");
            self.write_data(&initial.place, &initial.value, out);
        }
        out.push_str(" }");
    }

    fn write_data(&self, place: &Place, value: &InitialData, out: &mut String) {
        match value {
            InitialData::Value(value) if self.program.types.is_scalar(value.ty) => {
                self.write_expr(value, out)
            }
            // Only zero is a constant of record or array type.
            InitialData::Value(_) => out.push_str("{}"),
            InitialData::Bytes(bytes) => self.write_bytes(place.ty.id, bytes, out),
        }
    }

    /// The first bytes of an array, as a string where its elements are characters.
    fn write_bytes(&self, array: TypeId, bytes: &[u8], out: &mut String) {
        let types = &self.program.types;
        let Type::Array(element, length) = types.get(array) else { unreachable!("bytes fill an array") };
        let element_type = match types.get(element.id) {
            Type::Enum(id) => types.enums[*id].underlying,
            _ => element.id,
        };
        let size = types.size_of(element_type).unwrap_or(1).max(1) as usize;
        let is_text = matches!(
            types.get(element_type),
            Type::Integer(IntegerKind::Char | IntegerKind::SignedChar | IntegerKind::UnsignedChar)
        );
        if is_text && matches!(length, ArrayLength::Known(_)) {
            // The array's own length cuts the literal's final zero off.
            let meant = bytes.strip_suffix(&[0]).unwrap_or(bytes);
            out.push_str(&constants::string(meant));
            return;
        }
        out.push('{');
        for (index, chunk) in bytes.chunks(size).enumerate() {
            let value = chunk.iter().rev().fold(0u128, |value, &byte| value << 8 | u128::from(byte));
            out.push_str(if index == 0 { "" } else { ", " });
            out.push_str(&constants::integer(value, element_type, types));
        }
        out.push('}');
    }

    /// Does a later value lie over an earlier one through another member of a union? C would forget the earlier one.
    fn overlaps(&self, initial: &[InitialValue]) -> bool {
        let mut chosen: FxHashMap<Vec<Step>, u32> = FxHashMap::default();
        for value in initial {
            let mut prefix = Vec::new();
            for step in &value.place.path {
                let step = Step::of(step);
                if let Step::Field(record, field) = step
                    && self.program.types.records[record].kind == RecordKind::Union
                    && *chosen.entry(prefix.clone()).or_insert(field) != field
                {
                    return true;
                }
                prefix.push(step);
            }
        }
        false
    }

    fn print_initialising_constructor(&self, id: VariableId, variable: &Variable, out: &mut String) {
        let name = self.names.variable(id);
        writeln!(out, "static void __attribute__((constructor(101))) __concord_initialise_{name}(void)\n{{")
            .expect("writing to a string");
        for initial in &variable.initial {
            let place = self.place(&initial.place);
            match &initial.value {
                InitialData::Value(value) if self.program.types.is_scalar(value.ty) => {
                    writeln!(out, "    {place} = {};", self.expr(value))
                }
                InitialData::Value(_) => writeln!(out, "    __builtin_memset(&{place}, 0, sizeof({place}));"),
                InitialData::Bytes(bytes) => {
                    let text = constants::string(bytes);
                    writeln!(out, "    __builtin_memcpy(&{place}, {text}, {});", bytes.len())
                }
            }
            .expect("writing to a string");
        }
        out.push_str("}\n");
    }
}

/// A step of a path with constant indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Field(RecordId, u32),
    Index(u128),
}

impl Step {
    fn of(step: &Projection) -> Step {
        match step {
            Projection::Field(record, field) => Step::Field(*record, *field),
            Projection::Index(index) => {
                Step::Index(index.as_integer().expect("initial values have constant indices"))
            }
        }
    }
}
