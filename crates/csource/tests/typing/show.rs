//! The typed tree as short text, so that tests can say what they expect of it.

use csource::Session;
use csource::tree::{
    Block, Expr, ExprKind, Initializer, PartValue, PathStep, Statement, StatementKind, Unit,
};
use std::fmt::Write;

/// Shows parts of one unit.
pub struct Show<'a> {
    pub session: &'a Session,
    pub unit: &'a Unit,
}

impl Show<'_> {
    /// Every function with a body, and every variable with static storage that has an initialiser.
    pub fn unit(&self) -> String {
        let mut out = String::new();
        for variable in &self.unit.variables {
            if let Some(initializer) = &variable.initializer {
                let declared = self.session.types.declare(variable.ty, &variable.name);
                writeln!(out, "{:?} {declared} = {}", variable.storage, self.initializer(initializer))
                    .expect("a string");
            }
        }
        for function in &self.unit.functions {
            let Some(body) = &function.body else { continue };
            writeln!(out, "{}", self.session.types.declare(function.ty, &function.name)).expect("a string");
            self.block(&body.block, 1, &mut out);
        }
        for flag in &self.unit.flags {
            writeln!(out, "flag {:?}: {}", flag.kind, flag.message).expect("a string");
        }
        out
    }

    fn block(&self, block: &Block, depth: usize, out: &mut String) {
        if !block.variables.is_empty() {
            let names: Vec<String> = block.variables.iter().map(|&id| self.variable_with_type(id)).collect();
            writeln!(out, "{}variables {}", "  ".repeat(depth), names.join("; ")).expect("a string");
        }
        block.statements.iter().for_each(|statement| self.statement(statement, depth, out));
    }

    fn variable_with_type(&self, id: csource::tree::VariableId) -> String {
        let variable = &self.unit.variables[id];
        let marker = if variable.address_taken { " &" } else { "" };
        format!("{}{marker}", self.session.types.declare(variable.ty, &variable.name))
    }

    fn statement(&self, statement: &Statement, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let line = match &statement.kind {
            StatementKind::Empty => ";".to_owned(),
            StatementKind::Expr(e) => self.expr(e),
            StatementKind::Block(block) => {
                writeln!(out, "{indent}{{").expect("a string");
                self.block(block, depth + 1, out);
                "}".to_owned()
            }
            StatementKind::If { condition, then, otherwise } => {
                writeln!(out, "{indent}if {}", self.expr(condition)).expect("a string");
                self.statement(then, depth + 1, out);
                let Some(otherwise) = otherwise else { return };
                writeln!(out, "{indent}else").expect("a string");
                return self.statement(otherwise, depth + 1, out);
            }
            StatementKind::While { condition, body } => {
                writeln!(out, "{indent}while {}", self.expr(condition)).expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::DoWhile { body, condition } => {
                writeln!(out, "{indent}do").expect("a string");
                self.statement(body, depth + 1, out);
                format!("while {}", self.expr(condition))
            }
            StatementKind::For { condition, step, body } => {
                let shown = |e: &Option<Expr>| e.as_ref().map_or_else(String::new, |e| self.expr(e));
                writeln!(out, "{indent}for ; {} ; {}", shown(condition), shown(step)).expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::Switch { value, body } => {
                writeln!(out, "{indent}switch {}", self.expr(value)).expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::Case { low, high, body } => {
                writeln!(out, "{indent}case {low} ... {high}").expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::Default(body) => {
                writeln!(out, "{indent}default").expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::Label(id, body) => {
                writeln!(out, "{indent}{id}:").expect("a string");
                return self.statement(body, depth + 1, out);
            }
            StatementKind::Goto(id) => format!("goto {id}"),
            StatementKind::ComputedGoto(e) => format!("goto *{}", self.expr(e)),
            StatementKind::Break => "break".to_owned(),
            StatementKind::Continue => "continue".to_owned(),
            StatementKind::Return(None) => "return".to_owned(),
            StatementKind::Return(Some(e)) => format!("return {}", self.expr(e)),
            StatementKind::Declare { variable, lengths, initializer } => {
                let mut line = format!("declare {}", self.unit.variables[*variable].name);
                for length in lengths {
                    write!(line, " [{length} = {}]", self.expr(&self.unit.lengths[length]))
                        .expect("a string");
                }
                if let Some(initializer) = initializer {
                    write!(line, " = {}", self.initializer(initializer)).expect("a string");
                }
                line
            }
            StatementKind::EvaluateLengths(lengths) => {
                let shown = lengths.iter().map(|id| format!("{id} = {}", self.expr(&self.unit.lengths[id])));
                format!("lengths {}", shown.collect::<Vec<_>>().join(", "))
            }
            StatementKind::Asm { outputs, inputs, effect, template } => {
                let written = outputs.iter().map(|(e, after)| format!("{} {after:?}", self.expr(e)));
                let written = written.collect::<Vec<_>>().join(", ");
                let read = inputs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ");
                format!("asm {template:?} ({written}) ({read}) {effect:?}")
            }
            StatementKind::Asserted(e) => format!("asserted {}", self.expr(e)),
            StatementKind::NotUnderstood(why) => format!("not understood: {why}"),
            StatementKind::Unsupported(why) => format!("unsupported {why}"),
        };
        writeln!(out, "{indent}{line}").expect("a string");
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Value(value) => self.expr(value),
            Initializer::String(id) => self.string(*id),
            Initializer::Parts(parts) => {
                let shown = parts.iter().map(|part| {
                    let steps = part.path.iter().map(|step| match step {
                        PathStep::Field(_, at) => format!(".{at}"),
                        PathStep::Index(at) => format!("[{at}]"),
                    });
                    let path: String = steps.collect();
                    let value = match &part.value {
                        PartValue::Expr(e) => self.expr(e),
                        PartValue::String(id) => self.string(*id),
                        PartValue::SameAs(at) => format!("same as {at}"),
                    };
                    format!("{path} = {value}")
                });
                format!("{{ {} }}", shown.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn string(&self, id: csource::tree::StringId) -> String {
        let units = &self.unit.strings[id].units;
        let text: String = units[..units.len() - 1].iter().filter_map(|&unit| char::from_u32(unit)).collect();
        format!("{text:?}")
    }

    /// An expression; implicit casts are `type<…>`, written ones `(type)…`.
    pub fn expr(&self, e: &Expr) -> String {
        let ty = || self.session.types.show(e.ty.id);
        match &e.kind {
            ExprKind::Integer(bits) => {
                let shape = self.session.types.integer_shape(e.ty.id).expect("an integer");
                format!("{}:{}", shape.value(*bits), ty())
            }
            ExprKind::Float(bits) => format!("{bits:#x}:{}", ty()),
            ExprKind::Variable(id) => self.unit.variables[*id].name.to_string(),
            ExprKind::Function(id) => self.unit.functions[*id].name.to_string(),
            ExprKind::String(id) => self.string(*id),
            ExprKind::CompoundLiteral(id, initializer) => {
                format!("literal({} = {})", self.variable_with_type(*id), self.initializer(initializer))
            }
            ExprKind::Deref(inner) => format!("*{}", self.expr(inner)),
            ExprKind::Member { base, field, .. } => format!("{}.{field}", self.expr(base)),
            ExprKind::AddressOf(inner) => format!("&{}", self.expr(inner)),
            ExprKind::Decay(inner) => format!("decay({})", self.expr(inner)),
            ExprKind::Unary(op, inner) => format!("{op:?}({})", self.expr(inner)),
            ExprKind::Binary(op, a, b) => format!("{op:?}:{}({}, {})", ty(), self.expr(a), self.expr(b)),
            ExprKind::PointerAdd { pointer, index, backwards } => {
                let sign = if *backwards { "-" } else { "+" };
                format!("({} {sign}> {})", self.expr(pointer), self.expr(index))
            }
            ExprKind::PointerDifference(a, b) => format!("({} -> {})", self.expr(a), self.expr(b)),
            ExprKind::LogicalAnd(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::LogicalOr(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::ConditionalOrElse(c, b) => format!("({} ?:{} {})", self.expr(c), ty(), self.expr(b)),
            ExprKind::Assign(a, b) => format!("({} = {})", self.expr(a), self.expr(b)),
            ExprKind::CompoundAssign { op, target, value, compute } => {
                let compute = self.session.types.show(*compute);
                format!("({} {op:?}= {} in {compute})", self.expr(target), self.expr(value))
            }
            ExprKind::Increment { target, is_decrement, is_postfix } => {
                let sign = if *is_decrement { "--" } else { "++" };
                let target = self.expr(target);
                if *is_postfix { format!("{target}{sign}") } else { format!("{sign}{target}") }
            }
            ExprKind::Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Call { callee, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|e| self.expr(e)).collect();
                format!("{}({})", self.expr(callee), arguments.join(", "))
            }
            ExprKind::Builtin { name, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|e| self.expr(e)).collect();
                format!("{name}:{}({})", ty(), arguments.join(", "))
            }
            ExprKind::Cast { operand, is_implicit: true } => format!("{}<{}>", ty(), self.expr(operand)),
            ExprKind::Cast { operand, .. } => format!("({}){}", ty(), self.expr(operand)),
            ExprKind::Statement(block) => {
                let mut out = String::new();
                self.block(block, 0, &mut out);
                format!("({{ {}}})", out.replace('\n', "; "))
            }
            ExprKind::VaArg(list) => format!("va_arg:{}({})", ty(), self.expr(list)),
            ExprKind::SizeofVariable(inner) => format!("sizeof({})", self.session.types.show(*inner)),
            ExprKind::LabelAddress(id) => format!("&&{id}"),
            ExprKind::Unsupported(why) => format!("unsupported:{}({why})", ty()),
        }
    }
}
