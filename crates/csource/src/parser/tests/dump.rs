//! The tree as short text, so that tests can say what they expect.

use crate::syntax::*;
use base::Interner;

pub(super) struct Dump<'a>(pub(super) &'a Interner);

impl Dump<'_> {
    pub(super) fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Asm(asm) => self.asm(asm),
        }
    }

    fn function(&self, function: &FunctionDefinition) -> String {
        let old: Vec<String> = function.parameter_declarations.iter().map(|d| self.declaration(d)).collect();
        let head =
            format!("{} {}", self.specifiers(&function.specifiers), self.declarator(&function.declarator));
        format!("{head} {}{}", old.concat(), self.block(&function.body))
    }

    fn static_assert(&self, assertion: &StaticAssert) -> String {
        format!("assert {} {:?};", self.expr(&assertion.condition), assertion.message)
    }

    fn asm(&self, asm: &Asm) -> String {
        let operands = |list: &[(String, Expr)]| {
            list.iter()
                .map(|(constraint, value)| format!("{constraint}({})", self.expr(value)))
                .collect::<Vec<_>>()
        };
        let labels: Vec<&str> = asm.labels.iter().map(|&(name, _)| self.0.text(name)).collect();
        let volatile = if asm.is_volatile { " volatile" } else { "" };
        format!(
            "asm{volatile} {:?} {:?} {:?} {:?} {labels:?};",
            asm.template,
            operands(&asm.outputs),
            operands(&asm.inputs),
            asm.clobbers
        )
    }

    pub(super) fn declaration(&self, declaration: &Declaration) -> String {
        let mut text = self.specifiers(&declaration.specifiers);
        for (index, entry) in declaration.declarators.iter().enumerate() {
            text += if index == 0 { " " } else { ", " };
            text += &self.declarator(&entry.declarator);
            if let Some(initializer) = &entry.initializer {
                text += &format!(" = {}", self.initializer(initializer));
            }
        }
        text + ";"
    }

    fn qualifiers(&self, qualifiers: Qualifiers) -> String {
        let words = [
            (qualifiers.is_const, "const "),
            (qualifiers.is_volatile, "volatile "),
            (qualifiers.is_restrict, "restrict "),
            (qualifiers.is_atomic, "atomic "),
        ];
        words.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect()
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let each = |attribute: &Attribute| {
            let arguments: Vec<String> =
                attribute.arguments.iter().map(|argument| self.expr(argument)).collect();
            let arguments =
                if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(",")) };
            format!("@{}{arguments} ", self.0.text(attribute.name))
        };
        attributes.iter().map(each).collect()
    }

    pub(super) fn specifiers(&self, specifiers: &Specifiers) -> String {
        let mut text = self.attributes(&specifiers.attributes);
        if let Some(storage) = specifiers.storage {
            text += &format!("{storage:?} ").to_lowercase();
        }
        let words = [
            (specifiers.is_thread_local, "thread "),
            (specifiers.is_inline, "inline "),
            (specifiers.is_noreturn, "noreturn "),
        ];
        text.extend(words.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word));
        for alignment in &specifiers.alignments {
            text += &match alignment {
                Alignment::Expr(expr) => format!("align({}) ", self.expr(expr)),
                Alignment::Type(name) => format!("align({}) ", self.type_name(name)),
            };
        }
        text + &self.qualifiers(specifiers.qualifiers) + &self.type_specifier(&specifiers.type_specifier)
    }

    fn type_specifier(&self, specifier: &TypeSpecifier) -> String {
        match specifier {
            TypeSpecifier::Basic(BasicType::Integer(kind)) => format!("{kind:?}"),
            TypeSpecifier::Basic(BasicType::Float(kind)) => format!("{kind:?}"),
            TypeSpecifier::Basic(BasicType::Complex(kind)) => format!("Complex{kind:?}"),
            TypeSpecifier::Basic(basic) => format!("{basic:?}"),
            TypeSpecifier::VaList => "va_list".to_owned(),
            TypeSpecifier::BitInt { unsigned, width } => {
                format!("{}BitInt({})", if *unsigned { "U" } else { "" }, self.expr(width))
            }
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(specifier) => self.enumeration(specifier),
            TypeSpecifier::Typedef(name) => format!("<{}>", self.0.text(*name)),
            TypeSpecifier::TypeofExpr(expr) => format!("typeof({})", self.expr(expr)),
            TypeSpecifier::TypeofType(name) => format!("typeof({})", self.type_name(name)),
            TypeSpecifier::Atomic(name) => format!("atomic({})", self.type_name(name)),
            TypeSpecifier::AutoType => "auto_type".to_owned(),
            TypeSpecifier::ImplicitInt => "implicit".to_owned(),
        }
    }

    fn record(&self, record: &RecordSpecifier) -> String {
        let mut text = format!("{:?}", record.kind).to_lowercase();
        if let Some(tag) = record.tag {
            text += &format!(" {}", self.0.text(tag));
        }
        if let Some(members) = &record.members {
            let members: Vec<String> = members.iter().map(|member| self.member(member)).collect();
            text += &format!("{{{}}}", members.join(" "));
        }
        if let Some(limit) = record.pragma_pack {
            text += &format!(" pack{limit}");
        }
        (text + " " + &self.attributes(&record.attributes)).trim_end().to_owned()
    }

    fn member(&self, member: &Member) -> String {
        match member {
            Member::StaticAssert(assertion) => self.static_assert(assertion),
            Member::Fields { specifiers, declarators, .. } => {
                let fields: Vec<String> = declarators.iter().map(|field| self.field(field)).collect();
                format!("{} {};", self.specifiers(specifiers), fields.join(", "))
            }
        }
    }

    fn field(&self, field: &FieldDeclarator) -> String {
        let name = field.declarator.as_ref().map_or(String::new(), |declarator| self.declarator(declarator));
        let width = field.width.as_ref().map_or(String::new(), |width| format!(" : {}", self.expr(width)));
        (name + &width + " " + &self.attributes(&field.attributes)).trim_end().to_owned()
    }

    fn enumeration(&self, specifier: &EnumSpecifier) -> String {
        let mut text = "enum".to_owned();
        if let Some(tag) = specifier.tag {
            text += &format!(" {}", self.0.text(tag));
        }
        if let Some(constants) = &specifier.constants {
            let each = |constant: &EnumConstant| {
                let value =
                    constant.value.as_ref().map_or(String::new(), |value| format!("={}", self.expr(value)));
                format!("{}{value}", self.0.text(constant.name))
            };
            text += &format!("{{{}}}", constants.iter().map(each).collect::<Vec<_>>().join(","));
        }
        (text + " " + &self.attributes(&specifier.attributes)).trim_end().to_owned()
    }

    /// Reads like the type in words: `a: array(3) of pointer to`.
    pub(super) fn declarator(&self, declarator: &Declarator) -> String {
        let mut text = self.attributes(&declarator.attributes);
        text += declarator.name.map_or("_", |name| self.0.text(name));
        for derivation in &declarator.derivations {
            text += &match derivation {
                Derivation::Pointer(qualifiers) => format!(" {}*", self.qualifiers(*qualifiers)),
                Derivation::Array(array) => self.array(array),
                Derivation::Function(function) => self.parameters(function),
            };
        }
        if let Some(label) = &declarator.asm_label {
            text += &format!(" asm({label})");
        }
        text
    }

    fn array(&self, array: &ArrayDeclarator) -> String {
        let length = match &array.length {
            ArraySize::Unspecified => String::new(),
            ArraySize::Star => "*".to_owned(),
            ArraySize::Expr(length) => self.expr(length),
        };
        let is_static = if array.is_static { "static " } else { "" };
        format!(" [{is_static}{}{length}]", self.qualifiers(array.qualifiers))
    }

    fn parameters(&self, function: &FunctionDeclarator) -> String {
        let dots = if function.is_variadic { ", ..." } else { "" };
        match &function.parameters {
            Parameters::Names(names) => {
                let names: Vec<&str> = names.iter().map(|&(name, _)| self.0.text(name)).collect();
                format!(" names({})", names.join(", "))
            }
            Parameters::Prototype(parameters) => {
                let each = |parameter: &Parameter| {
                    format!(
                        "{} {}",
                        self.specifiers(&parameter.specifiers),
                        self.declarator(&parameter.declarator)
                    )
                };
                format!(" ({}{dots})", parameters.iter().map(each).collect::<Vec<_>>().join(", "))
            }
        }
    }

    pub(super) fn type_name(&self, name: &TypeName) -> String {
        format!("{} {}", self.specifiers(&name.specifiers), self.declarator(&name.declarator))
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Expr(expr) => self.expr(expr),
            Initializer::List(list) => self.list(list),
        }
    }

    fn list(&self, list: &InitializerList) -> String {
        let each = |entry: &InitializerEntry| {
            let designators = self.designators(&entry.designators);
            let equal = if designators.is_empty() { "" } else { "=" };
            format!("{designators}{equal}{}", self.initializer(&entry.value))
        };
        format!("{{{}}}", list.entries.iter().map(each).collect::<Vec<_>>().join(", "))
    }

    fn designators(&self, designators: &[Designator]) -> String {
        let each = |designator: &Designator| match designator {
            Designator::Field(name, _) => format!(".{}", self.0.text(*name)),
            Designator::Index(index) => format!("[{}]", self.expr(index)),
            Designator::Range(from, to) => format!("[{}...{}]", self.expr(from), self.expr(to)),
        };
        designators.iter().map(each).collect()
    }

    pub(super) fn block(&self, block: &Block) -> String {
        let items: Vec<String> = block.items.iter().map(|item| self.block_item(item)).collect();
        format!("{{{}}}", items.join(" "))
    }

    fn block_item(&self, item: &BlockItem) -> String {
        match item {
            BlockItem::Declaration(declaration) => format!("decl {}", self.declaration(declaration)),
            BlockItem::Statement(statement) => self.statement(statement),
            BlockItem::NestedFunction(function) => format!("nested {}", self.function(function)),
            BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            BlockItem::LocalLabels(labels) => {
                let labels: Vec<&str> = labels.iter().map(|&(name, _)| self.0.text(name)).collect();
                format!("labels({});", labels.join(","))
            }
        }
    }

    pub(super) fn statement(&self, statement: &Statement) -> String {
        use StatementKind::*;
        let optional =
            |expr: &Option<self::Expr>| expr.as_ref().map_or(String::new(), |expr| self.expr(expr));
        match &statement.kind {
            Empty => ";".to_owned(),
            Expr(expr) => format!("{};", self.expr(expr)),
            Block(block) => self.block(block),
            If(condition, then, None) => format!("if {} {}", self.expr(condition), self.statement(then)),
            If(condition, then, Some(otherwise)) => format!(
                "if {} {} else {}",
                self.expr(condition),
                self.statement(then),
                self.statement(otherwise)
            ),
            While(condition, body) => format!("while {} {}", self.expr(condition), self.statement(body)),
            DoWhile(body, condition) => {
                format!("do {} while {};", self.statement(body), self.expr(condition))
            }
            For(first, condition, step, body) => {
                let first = match first.as_deref() {
                    None => ";".to_owned(),
                    Some(ForInit::Declaration(declaration)) => self.declaration(declaration),
                    Some(ForInit::Expr(expr)) => format!("{};", self.expr(expr)),
                };
                format!("for {first} {}; {}: {}", optional(condition), optional(step), self.statement(body))
            }
            Switch(value, body) => format!("switch {} {}", self.expr(value), self.statement(body)),
            Case(from, None, inner) => format!("case {}: {}", self.expr(from), self.statement(inner)),
            Case(from, Some(to), inner) => {
                format!("case {}...{}: {}", self.expr(from), self.expr(to), self.statement(inner))
            }
            Default(inner) => format!("default: {}", self.statement(inner)),
            Label(name, _, inner) => format!("{}: {}", self.0.text(*name), self.statement(inner)),
            Goto(name, _) => format!("goto {};", self.0.text(*name)),
            ComputedGoto(target) => format!("goto *{};", self.expr(target)),
            Break => "break;".to_owned(),
            Continue => "continue;".to_owned(),
            Return(value) => format!("return {};", optional(value)),
            Asm(asm) => self.asm(asm),
            Asserted(expr) => format!("asserted {};", self.expr(expr)),
            NotUnderstood(why) => format!("not understood: {why};"),
        }
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        use ExprKind::*;
        match &expr.kind {
            Name(name) => self.0.text(*name).to_owned(),
            Integer { value, suffix, .. } => {
                let unsigned = if suffix.unsigned { "u" } else { "" };
                let long = if suffix.long_long { "ll" } else { ["", "l"][usize::from(suffix.long)] };
                format!("{value}{unsigned}{long}")
            }
            Float { text, suffix, is_imaginary } => {
                format!("{text}:{suffix:?}{}", if *is_imaginary { "i" } else { "" })
            }
            Character { value, .. } => format!("'{value}'"),
            String { units, encoding } => {
                let text: std::string::String =
                    units.iter().map(|&unit| char::from_u32(unit).unwrap_or('?')).collect();
                format!("{encoding:?}{text:?}")
            }
            FunctionName => "__func__".to_owned(),
            Paren(inner) => format!("({})", self.expr(inner)),
            Index(array, index) => format!("{}[{}]", self.expr(array), self.expr(index)),
            Call(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|argument| self.expr(argument)).collect();
                format!("{}({})", self.expr(function), arguments.join(", "))
            }
            Member(inner, name, _) => format!("{}.{}", self.expr(inner), self.0.text(*name)),
            Arrow(inner, name, _) => format!("{}->{}", self.expr(inner), self.0.text(*name)),
            Unary(operator, inner) => format!("[{operator:?} {}]", self.expr(inner)),
            Binary(operator, left, right) => {
                format!("[{operator:?} {} {}]", self.expr(left), self.expr(right))
            }
            Assign(None, target, value) => format!("[= {} {}]", self.expr(target), self.expr(value)),
            Assign(Some(operator), target, value) => {
                format!("[{operator:?}= {} {}]", self.expr(target), self.expr(value))
            }
            Conditional(condition, then, otherwise) => {
                let then = then.as_ref().map_or("_".to_owned(), |then| self.expr(then));
                format!("[? {} {then} {}]", self.expr(condition), self.expr(otherwise))
            }
            Comma(left, right) => format!("[, {} {}]", self.expr(left), self.expr(right)),
            Cast(name, inner) => format!("[cast {} {}]", self.type_name(name), self.expr(inner)),
            CompoundLiteral(name, list) => format!("[literal {} {}]", self.type_name(name), self.list(list)),
            SizeofExpr(inner) => format!("[sizeof {}]", self.expr(inner)),
            SizeofType(name) => format!("[sizeof {}]", self.type_name(name)),
            AlignofExpr(inner) => format!("[alignof {}]", self.expr(inner)),
            AlignofType(name) => format!("[alignof {}]", self.type_name(name)),
            Generic(value, choices) => {
                let each = |(name, value): &(Option<TypeName>, self::Expr)| {
                    let name = name.as_ref().map_or("default".to_owned(), |name| self.type_name(name));
                    format!(" {name}: {}", self.expr(value))
                };
                format!(
                    "[generic {}{}]",
                    self.expr(value),
                    choices.iter().map(each).collect::<std::string::String>()
                )
            }
            Statement(block) => format!("({})", self.block(block)),
            LabelAddress(name, _) => format!("&&{}", self.0.text(*name)),
            VaArg(list, name) => format!("[va_arg {} {}]", self.expr(list), self.type_name(name)),
            Offsetof(name, designators) => {
                format!("[offsetof {} {}]", self.type_name(name), self.designators(designators))
            }
            TypesCompatible(first, second) => {
                format!("[compatible {} {}]", self.type_name(first), self.type_name(second))
            }
            Choose(condition, then, otherwise) => {
                format!("[choose {} {} {}]", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            Error => "<error>".to_owned(),
        }
    }
}
