//! Initialisers: of automatic variables as assignments in order, of static ones as constant data.

use crate::function::FunctionLowering;
use crate::link::Linker;
use crate::place::string_bytes;
use base::{Diagnostic, Id, Span};
use csource::sema::initial_integer;
use csource::tree::{self, Initializer, PartValue, PathStep, Storage};
use csource::types::Type;
use program::{
    Action, Edge, Expr, ExprKind, HavocSource, InitialData, InitialValue, Place, PlaceBase, ProcedureId,
    Projection, TypeId, TypeRef, VariableId, VariableKind,
};

impl FunctionLowering<'_> {
    /// The declaration of an automatic variable is reached.
    pub fn declare(&mut self, id: tree::VariableId, initializer: Option<&Initializer>, span: Span) {
        let variable = self.variable(id);
        if self.linker.variables[variable].kind == VariableKind::Global {
            return; // a `static`: initialised before the run
        }
        if self.length_arrays.contains_key(&id) {
            let declared = self.linker.units[self.unit].unit.variables[id].ty.id;
            let size = self.runtime_size(declared);
            let target = self.place_of(variable);
            let void = self.linker.session.types.void();
            let any = self.linker.session.types.pointer(void);
            let memory = self.known_value("__builtin_alloca", vec![size], any, span);
            self.assign(target, memory, span);
            self.meet_length_array(variable);
            return;
        }
        let target = self.place_of(variable);
        match initializer {
            Some(initializer) => self.initialize(target, initializer, span),
            None => self.emit(Action::Havoc { target, source: HavocSource::Indeterminate }, span),
        }
    }

    /// Gives a place its initial value.
    pub fn initialize(&mut self, target: Place, initializer: &Initializer, span: Span) {
        match initializer {
            Initializer::Value(value) => {
                if let tree::ExprKind::Call { callee, arguments } = &value.kind
                    && value.ty.id == target.ty.id
                    && target.as_variable().is_some()
                {
                    return self.call(callee, arguments, Some(target), value);
                }
                let value = self.rvalue(value);
                self.assign(target, value, span);
            }
            Initializer::String(id) => self.initialize_string(target, *id, span),
            Initializer::Parts(parts) => {
                let ty = target.ty.id;
                if !self.covers_everything(ty, parts) {
                    let value = Expr { kind: ExprKind::Zero, ty };
                    self.emit(Action::Assign { target: target.clone(), value }, span);
                }
                let mut written: Vec<Place> = Vec::with_capacity(parts.len());
                for part in parts {
                    let place = self.part_place(&target, part);
                    match &part.value {
                        PartValue::Expr(value) => {
                            let part_span = value.span;
                            let value = self.rvalue(value);
                            self.assign(place.clone(), value, part_span);
                        }
                        PartValue::String(id) => self.initialize_string(place.clone(), *id, span),
                        PartValue::SameAs(earlier) => {
                            let value = Expr::load(written[*earlier].clone());
                            self.assign(place.clone(), value, span);
                        }
                    }
                    written.push(place);
                }
            }
        }
    }

    fn initialize_string(&mut self, target: Place, id: tree::StringId, span: Span) {
        let ty = target.ty.id;
        let literal = &self.linker.units[self.unit].unit.strings[id];
        let bytes = self.fitted_bytes(literal, ty);
        let constant = self.constant_array(ty, bytes, span);
        let value = self.value_of(constant);
        self.emit(Action::Assign { target, value }, span);
    }

    /// The literal's bytes, cut to the array; what is missing is zero.
    fn fitted_bytes(&self, literal: &tree::StringLiteral, array: TypeId) -> Vec<u8> {
        let types = &self.linker.session.types;
        let mut bytes = string_bytes(literal, types);
        if let Some(size) = types.size_of(array) {
            bytes.truncate(size as usize);
        }
        bytes
    }

    fn part_place(&mut self, whole: &Place, part: &tree::InitializerPart) -> Place {
        let mut place = whole.clone();
        for step in &part.path {
            place.path.push(match *step {
                PathStep::Field(record, field) => Projection::Field(record, field),
                PathStep::Index(index) => Projection::Index(Box::new(self.size_constant(index))),
            });
        }
        place.ty = TypeRef { id: part.ty, qualifiers: Default::default() };
        place
    }

    /// Does every scalar of the type get a value of its own, so that it need not be zeroed first?
    fn covers_everything(&self, ty: TypeId, parts: &[tree::InitializerPart]) -> bool {
        let types = &self.linker.session.types;
        let is_distinct = parts.windows(2).all(|pair| pair[0].path != pair[1].path);
        is_distinct
            && parts.iter().all(|part| types.is_scalar(part.ty))
            && count_scalars(ty, types).is_some_and(|count| count == parts.len() as u64)
    }

    /// The initial data of a variable with static storage.
    pub fn static_initial(&mut self, target: Place, initializer: &Initializer) -> Vec<InitialValue> {
        let before = self.graph.edges.len();
        let values = match initializer {
            Initializer::Value(value) => vec![self.static_value(target, value)],
            Initializer::String(id) => {
                let literal = &self.linker.units[self.unit].unit.strings[*id];
                let bytes = self.fitted_bytes(literal, target.ty.id);
                vec![InitialValue { place: target, value: InitialData::Bytes(bytes) }]
            }
            Initializer::Parts(parts) => {
                let mut values: Vec<InitialValue> = Vec::with_capacity(parts.len());
                for part in parts {
                    let place = self.part_place(&target, part);
                    let entry = match &part.value {
                        PartValue::Expr(value) => self.static_value(place, value),
                        PartValue::String(id) => {
                            let literal = &self.linker.units[self.unit].unit.strings[*id];
                            let bytes = self.fitted_bytes(literal, part.ty);
                            InitialValue { place, value: InitialData::Bytes(bytes) }
                        }
                        PartValue::SameAs(earlier) => {
                            InitialValue { place, value: values[*earlier].value.clone() }
                        }
                    };
                    values.push(entry);
                }
                values
            }
        };
        let first_action = self.graph.edges.iter().nth(before);
        if let Some(Edge { action: Action::Unsupported(_), .. }) = first_action {
            // Told already; the variable starts with an unknown value.
            if let Some(variable) = values.first().and_then(|value| root_variable(&value.place)) {
                self.linker.variables[variable].is_external = true;
            }
            return Vec::new();
        }
        if let Some(edge) = first_action {
            let span = edge.span;
            self.linker.session.diagnostics.push(
                Diagnostic::error("initializer-not-constant", span, "the initialiser is not constant")
                    .hint("variables with static storage start with values known before the run"),
            );
        }
        values
    }

    fn static_value(&mut self, place: Place, value: &tree::Expr) -> InitialValue {
        let types = &self.linker.session.types;
        if types.is_integer(place.ty.id)
            && types.is_integer(value.ty.id)
            && crate::narrow::converts_float(value, types)
            && let Some(bits) = initial_integer(types, &self.linker.units[self.unit].unit, value)
        {
            let value = Expr { kind: ExprKind::Integer(bits), ty: value.ty.id };
            let value = self.convert(value, place.ty.id);
            return InitialValue { place, value: InitialData::Value(value) };
        }
        // A compound literal that is copied is its own initialiser.
        let value = self.rvalue(value);
        let value = self.convert(value, place.ty.id);
        InitialValue { place, value: InitialData::Value(value) }
    }
}

impl Linker {
    /// Computes the initial data of a unit's static variables.
    pub fn initialize_statics(&mut self, unit: usize) {
        let ids: Vec<tree::VariableId> = self.units[unit].unit.variables.ids().collect();
        for id in ids {
            let variable = &mut self.units[unit].unit.variables[id];
            if matches!(variable.storage, Storage::Local | Storage::Parameter) {
                continue;
            }
            let Some(initializer) = variable.initializer.take() else { continue };
            let linked = self.units[unit].variables[id].expect("static variables are linked");
            let definition = self.variable_definitions.get(&linked);
            if definition.is_some_and(|definition| definition.place != (unit, id)) {
                continue; // another definition has precedence
            }
            let target = Place::variable(linked, self.variables[linked].ty);
            // No graph belongs to it: constants have no actions, and `static_initial` checks that.
            let nobody = self.variables[linked].procedure.unwrap_or(ProcedureId::from_index(0));
            let mut lowering = FunctionLowering::new(self, unit, nobody);
            let initial = lowering.static_initial(target, &initializer);
            self.variables[linked].initial = initial;
        }
    }
}

fn root_variable(place: &Place) -> Option<VariableId> {
    match place.base {
        PlaceBase::Variable(id) => Some(id),
        PlaceBase::Pointer(_) => None,
    }
}

fn count_scalars(ty: TypeId, types: &program::TypeTable) -> Option<u64> {
    match types.get(ty) {
        Type::Array(element, csource::types::ArrayLength::Known(count)) => {
            count.checked_mul(count_scalars(element.id, types)?)
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            if record.kind == program::RecordKind::Union {
                return None;
            }
            record.fields.as_ref()?.iter().map(|field| count_scalars(field.ty.id, types)).sum()
        }
        _ => types.is_scalar(ty).then_some(1),
    }
}
