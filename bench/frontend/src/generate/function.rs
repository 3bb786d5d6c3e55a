//! Functions, their calls, and the program around them.

use super::Generator;
use super::declare::Initial;
use super::integer::Int;
use super::scope::{Object, Purpose, Reads, Shape};
use super::value::Binding;

/// A function that later ones may call.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub parameters: Vec<Shape>,
    /// What it gives; `None` for `void`.
    pub result: Option<Shape>,
}

impl Generator {
    /// Defines one function with a random signature and body.
    pub(super) fn define_function(&mut self) {
        let name = self.fresh("f");
        let result = match self.random.below(8) {
            0 => None,
            1 => Some(Shape::Record(self.random.below(self.records.len()))),
            2 if self.uses_reals => Some(Shape::Real(self.any_real())),
            _ => Some(Shape::Int(self.any_int())),
        };
        let count = self.random.below(5);
        let parameters: Vec<Shape> = (0..count).map(|_| self.parameter_shape()).collect();
        let mut texts = Vec::new();
        let known = self.objects.len();
        self.depth = 1;
        for shape in &parameters {
            let parameter = self.fresh("p");
            texts.push(self.declaration(shape, &parameter));
            let is_quiet = matches!(shape, Shape::Int(_) | Shape::Real(_)) && self.random.chance(70);
            self.objects.push(Object {
                name: parameter,
                shape: shape.clone(),
                depth: 1,
                is_writable: true,
                is_quiet,
                is_volatile: false,
                bounds: None,
            });
        }
        let list = if texts.is_empty() { "void".to_string() } else { texts.join(", ") };
        let heading = match &result {
            None => format!("void {name}({list})"),
            Some(shape) => self.declaration(shape, &format!("{name}({list})")),
        };
        let heading = if self.random.chance(70) { format!("static {heading}") } else { heading };
        if self.random.chance(30) {
            self.prototypes.push_str(&format!("{heading};\n"));
        }
        self.line(&heading);
        self.open();
        self.result = result.clone();
        self.effects = 2;
        self.line("unsigned fx0 = 3, fx1 = 5;");
        self.line("if (fuel-- <= 0)");
        let leave = self.plain_return();
        self.inner(&leave);
        self.budget = 4 + self.random.below(10);
        for _ in 0..1 + self.random.below(3) {
            self.declare_local();
        }
        for _ in 0..3 + self.random.below(5) {
            self.statement();
        }
        self.line("mix(fx0 ^ fx1);");
        self.free_effects = 0;
        let leave = self.return_statement();
        self.line(&leave);
        self.close("");
        self.line("");
        self.objects.truncate(known);
        self.depth = 0;
        self.functions.push(Function { name, parameters, result });
    }

    fn parameter_shape(&mut self) -> Shape {
        match self.random.below(8) {
            0 => Shape::Record(self.random.below(self.records.len())),
            1 if self.uses_reals => Shape::Real(self.any_real()),
            2 | 3 => {
                let target = self.pointer_target();
                Shape::Pointer(Box::new(target))
            }
            _ => Shape::Int(self.any_int()),
        }
    }

    /// A return with constants only, for when the fuel is out.
    fn plain_return(&mut self) -> String {
        match self.result.clone() {
            None => "return;".to_string(),
            Some(Shape::Record(record)) => format!("return ({}){{ 0 }};", self.records[record].name),
            Some(_) => format!("return {};", self.random.below(50)),
        }
    }

    /// A return of some value of the function's result type.
    pub(super) fn return_statement(&mut self) -> String {
        match self.result.clone() {
            None => "return;".to_string(),
            Some(shape @ Shape::Record(record)) => {
                if let Some(place) = self.place(Purpose::Read(Reads::Everything), |known| *known == shape) {
                    return format!("return {};", place.text.text);
                }
                let value = self.initializer(&shape, Initial::Any);
                format!("return ({}){value};", self.records[record].name)
            }
            Some(Shape::Real(_)) => {
                let value = self.real(1, Reads::Everything);
                format!("return {};", self.kept(&value).at(Binding::Assignment))
            }
            Some(_) => format!("return {};", self.integer(2, Reads::Everything).text.text),
        }
    }

    /// Calls a function that is defined already; what its arguments read, the call cannot change.
    pub(super) fn call(&mut self) {
        if self.functions.is_empty() {
            return self.mix();
        }
        let function = self.random.pick(&self.functions).clone();
        let mut arguments = Vec::new();
        for shape in &function.parameters {
            let argument = match shape {
                Shape::Int(_) => self.integer(1, Reads::QuietLocals).at(Binding::Assignment),
                Shape::Real(_) => {
                    let value = self.real(1, Reads::QuietLocals);
                    self.kept(&value).at(Binding::Assignment)
                }
                Shape::Pointer(target) => self.address_of(target, self.depth),
                Shape::Record(record) => {
                    let place = self.place(Purpose::Read(Reads::Everything), |known| known == shape);
                    match place {
                        Some(place) => place.text.text,
                        None => format!("({}){{ 0 }}", self.records[*record].name),
                    }
                }
                Shape::Array(..) => unreachable!("arrays are not passed"),
            };
            arguments.push(argument);
        }
        let call = format!("{}({})", function.name, arguments.join(", "));
        let quiet_target = self
            .objects
            .iter()
            .rev()
            .find(|object| object.is_quiet && object.is_writable && matches!(object.shape, Shape::Int(_)))
            .cloned();
        match (&function.result, quiet_target) {
            (Some(Shape::Int(ty)), Some(target)) if self.random.chance(60) => {
                // The call's value meets values that the call cannot change.
                let value = super::value::Value::new(call, Binding::Postfix, *ty, ty.range(self.model));
                let other = self.integer(1, Reads::QuietLocals);
                let sign = *self.random.pick(&["^", "|", "&"]);
                let binding = match sign {
                    "^" => Binding::BitXor,
                    "|" => Binding::BitOr,
                    _ => Binding::BitAnd,
                };
                self.line(&format!(
                    "{} = {} {sign} {};",
                    target.name,
                    value.at(binding),
                    other.at(binding.tighter())
                ));
            }
            (Some(Shape::Int(_)), _) if self.random.chance(40) => {
                let guard = self.integer(1, Reads::Everything);
                let sign = *self.random.pick(&["&&", "||"]);
                let binding = if sign == "&&" { Binding::LogicalAnd } else { Binding::LogicalOr };
                self.line(&format!("if ({} {sign} {call})", guard.at(binding)));
                self.inner("mix(77);");
            }
            (Some(Shape::Record(record)), _) => {
                let record = self.records[*record].clone();
                let scalar = record.fields.iter().find(|field| matches!(field.shape, Shape::Int(_)));
                match scalar {
                    Some(field) => self.line(&format!("mix({call}.{});", field.name)),
                    None => self.line(&format!("(void){call};")),
                }
            }
            (Some(Shape::Int(_)), _) => self.line(&format!("mix({call});")),
            (Some(Shape::Real(_)), _) => self.line(&format!("mix((int)keep({call}));")),
            _ => self.line(&format!("{call};")),
        }
    }

    /// `main`: calls everything, prints everything.
    pub(super) fn define_main(&mut self) {
        let heading = *self.random.pick(&["int main(void)", "int main()", "int main(int argc, char **argv)"]);
        self.line(heading);
        self.open();
        self.depth = 1;
        self.effects = 2;
        self.result = Some(Shape::Int(Int::Plain));
        self.line("unsigned fx0 = 3, fx1 = 5;");
        self.budget = 6;
        for _ in 0..3 {
            self.declare_local();
        }
        self.loops = 0;
        self.is_main = true;
        for _ in 0..3 + self.functions.len() {
            self.free_effects = 2;
            self.line("fuel = 300;");
            self.call();
            self.line("printf(\"%llx\\n\", check);");
        }
        for _ in 0..4 {
            self.statement();
        }
        let globals: Vec<Object> = self.objects.iter().filter(|object| object.depth == 0).cloned().collect();
        for object in globals {
            self.report(&object.name, &object.shape, 0);
        }
        self.line("printf(\"%llx %u %u\\n\", check, fx0, fx1);");
        self.line("return (int)(check & 0x7f);");
        self.close("");
    }

    /// Adds all scalars of an object to the checksum, and prints some.
    fn report(&mut self, text: &str, shape: &Shape, depth: usize) {
        match shape {
            Shape::Int(ty) => {
                if depth == 0 {
                    let conversion = ty.promoted().conversion();
                    self.line(&format!("printf(\"{text} {conversion}\\n\", {text});"));
                } else {
                    self.line(&format!("mix({text});"));
                }
            }
            Shape::Real(ty) => {
                self.line(&format!("printf(\"{text} %.17{}g\\n\", {text});", ty.modifier()));
            }
            Shape::Array(element, length) => {
                let counter = format!("r{depth}");
                self.line(&format!("for (int {counter} = 0; {counter} < {length}; {counter}++)"));
                self.open();
                self.report(&format!("{text}[{counter}]"), element, depth + 1);
                self.close("");
            }
            Shape::Record(record) => {
                for field in self.records[*record].fields.clone() {
                    match field.bits {
                        // What a bit-field wider than `int` is after promotion differs between compilers.
                        Some(_) => self.line(&format!("mix({text}.{});", field.name)),
                        None => self.report(&format!("{text}.{}", field.name), &field.shape, depth + 1),
                    }
                }
            }
            Shape::Pointer(target) => {
                let place = format!("(*{text})");
                self.report(&place, target, depth + 1);
            }
        }
    }
}
