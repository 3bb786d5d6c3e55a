//! What the parser reads, with the place of everything: FSP as LTSA accepts it, and MAGIC's extensions.

use crate::cexpr::{CBinary, CExpression};
use crate::formula::Formula;
use base::Span;
use std::sync::Arc;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

impl Name {
    /// The name of this text and place.
    pub fn new(text: &str, span: Span) -> Name {
        Name { text: Arc::from(text), span }
    }
}

/// An operator before one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
}

/// An expression over integers and labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// A number.
    Number(i64),
    /// A variable, parameter or constant.
    Name(Arc<str>),
    /// `'label`: a label as a value.
    Label(Box<Label>),
    /// `#label`: how many actions it stands for.
    Count(Box<Label>),
    /// `@(label, index)`: one of the actions it stands for.
    Select(Box<Label>, Box<Expression>),
    /// An operator before an operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between operands.
    Binary(CBinary, Box<Expression>, Box<Expression>),
}

/// A label: stands for one or several actions, or for a part of their names. Parts are joined by dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The parts, at least one.
    pub parts: Vec<LabelPart>,
    /// Its place.
    pub span: Span,
}

/// One part of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelPart {
    /// A name.
    Name(Name),
    /// `{a, b}` or the name of a set.
    Set(LabelSet),
    /// `[…]`.
    Index(Index),
    /// An action over C data (MAGIC): `return {…}`, `{v = e}`, perhaps under a C guard.
    Data(DataAction),
    /// `when {c}` before an action, ours: it is possible only where `c` holds of the C data.
    When(CExpression),
}

/// A set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelSet {
    /// `{a, b[i:R]}`
    Listed(Vec<Label>, Span),
    /// The name of a `set`.
    Named(Name),
    /// `A\B`
    Without(Box<LabelSet>, Box<LabelSet>),
}

impl LabelSet {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            LabelSet::Listed(_, span) => *span,
            LabelSet::Named(name) => name.span,
            LabelSet::Without(left, right) => left.span().to(right.span()),
        }
    }
}

/// `[e]`, `[low..high]`, `[Range]`, `[{a,b}]`, each perhaps with a variable: `[i:0..3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The variable that takes the values.
    pub variable: Option<Name>,
    /// The values.
    pub values: IndexValues,
    /// Its place.
    pub span: Span,
}

/// What an index ranges over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexValues {
    /// One value; a lone name may also be that of a range or a set.
    Expression(Expression),
    /// From, to; both included.
    Range(Expression, Expression),
    /// The labels of a set.
    Set(LabelSet),
    /// `[$2:R]`, ours: the value of a C expression, one of these integers.
    Data(CExpression, Box<IndexValues>),
}

/// A MAGIC action over C data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataAction {
    /// `when {guard}`: a condition on the C state.
    pub guard: Option<CExpression>,
    /// What is done.
    pub command: DataCommand,
    /// Its place.
    pub span: Span,
}

/// What a data action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataCommand {
    /// `return {condition on $0}`; nothing is returned in `return {}`.
    Return(Option<CExpression>),
    /// `{target = value}`
    Assign(CExpression, CExpression),
    /// An ordinary action, under a guard.
    Action(Arc<str>),
}

/// A process as a state names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Another state, after terminating processes run one after the other: `P(1);Q;STATE[i]`.
    Goto {
        /// The processes that run first.
        first: Vec<ProcessCall>,
        /// Then this state.
        then: Name,
        /// With these indices.
        indices: Vec<Expression>,
    },
    /// `if c then P else Q`; no else is STOP.
    If(Expression, Box<Body>, Option<Box<Body>>),
    /// `(a -> P | when c b -> Q)`
    Choice(Vec<Branch>, Span),
}

/// A process with its actual parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessCall {
    /// The process that is meant.
    pub name: Name,
    /// The values of its parameters; none means the defaults.
    pub arguments: Vec<Expression>,
}

/// One alternative of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// `when c`
    pub guard: Option<Expression>,
    /// The actions one after the other, at least one.
    pub actions: Vec<Label>,
    /// What comes then.
    pub next: Box<Body>,
}

/// What the definition asks to be done with the structure it defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// `property`: what it does not allow is an error.
    pub is_property: bool,
    /// `minimal`: reduce it.
    pub is_minimal: bool,
    /// `deterministic`: same traces, one successor per action.
    pub is_deterministic: bool,
    /// `compose`: build the product before it is used.
    pub is_composed: bool,
}

/// A formal parameter with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its value where none is given.
    pub default: Expression,
}

/// Which actions stay visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `\{…}`
    Hide(LabelSet),
    /// `@{…}`
    Show(LabelSet),
}

/// One clause of a relabelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relabel {
    /// `new/old`
    Rename {
        /// The new names.
        new: Label,
        /// The old names, or prefixes of them.
        old: Label,
    },
    /// `forall[i:R] {…}`
    ForAll(Vec<Index>, Vec<Relabel>),
}

/// A state proposition as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// A name, perhaps with indices.
    Label(Label),
    /// A C expression, kept as text.
    Text(Arc<str>),
}

/// One state (local process) of a process definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDefinition {
    /// Its name.
    pub name: Name,
    /// The propositions that hold in it: `P {p, q} = …`.
    pub propositions: Vec<Proposition>,
    /// Its indices.
    pub indices: Vec<Index>,
    /// What it does.
    pub body: Body,
}

/// `P(N=1) = …, Q = … + {…} / {…} \ {…}.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDefinition {
    /// What is to be done with it.
    pub flags: Flags,
    /// Its name, that of its first state.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its states, the initial one first.
    pub states: Vec<StateDefinition>,
    /// `+{…}`
    pub extension: Option<LabelSet>,
    /// `/{…}`
    pub relabels: Vec<Relabel>,
    /// `\{…}` or `@{…}`
    pub visibility: Option<Visibility>,
}

/// What a composition is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompositeBody {
    /// `{a,b}::c:P(1)/{…}` or `{a,b}::c:(P || Q)/{…}`
    Part {
        /// `{a,b}::`
        sharing: Option<Label>,
        /// `a:`
        prefix: Option<Label>,
        /// What is labelled.
        inner: CompositePart,
        /// `/{…}`
        relabels: Vec<Relabel>,
    },
    /// `forall[i:R] P`
    ForAll(Vec<Index>, Box<CompositeBody>),
    /// `if c then P else Q`
    If(Expression, Box<CompositeBody>, Option<Box<CompositeBody>>),
}

/// What can be labelled in a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompositePart {
    /// A process or composition by name.
    Call(ProcessCall),
    /// `(P || Q)`
    Parallel(Vec<CompositeBody>),
}

/// `||S(N=1) = (P || Q) << {…} \ {…}.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositeDefinition {
    /// What is to be done with it.
    pub flags: Flags,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its parts.
    pub body: CompositeBody,
    /// `<<{…}` or `>>{…}`
    pub priority: Option<(lks::PriorityKind, LabelSet)>,
    /// `\{…}` or `@{…}`
    pub visibility: Option<Visibility>,
}

/// `progress P[i:R] = {…}` or `progress P = if {…} then {…}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressDefinition {
    /// Its name.
    pub name: Name,
    /// One test per value.
    pub indices: Vec<Index>,
    /// Only where one of these happens for ever.
    pub condition: Option<Label>,
    /// One of these must happen for ever.
    pub actions: Label,
}

/// `fluent F[i:R] = <{start}, {stop}> initially e`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentDefinition {
    /// Its name.
    pub name: Name,
    /// One fluent per value.
    pub indices: Vec<Index>,
    /// These make it true.
    pub start: Label,
    /// These make it false.
    pub stop: Label,
    /// Its value before anything happened.
    pub initially: Option<Expression>,
}

/// `assert A(N=1) = …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertDefinition {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it claims.
    pub claim: Claim,
}

/// A temporal operator between two claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the operator of that name")]
pub enum ClaimOperator {
    And,
    Or,
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
}

/// FSP's linear temporal logic, before indices are given values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// True or false.
    Constant(bool),
    /// A fluent or another assertion; an index may stand for several, of which one must hold.
    Reference {
        /// The claim that is meant.
        name: Name,
        /// The indices behind its name.
        indices: Vec<Index>,
        /// The values of its parameters.
        arguments: Vec<Expression>,
    },
    /// The last action was one of these.
    Action(Label),
    /// `rigid e`: the value of an expression.
    Rigid(Expression),
    /// `forall[i:R] f`, `exists[i:R] f`
    Quantified {
        /// All, or at least one?
        is_for_all: bool,
        /// Over these values.
        indices: Vec<Index>,
        /// What is claimed for all values, or for one.
        body: Box<Claim>,
    },
    /// `!f`
    Not(Box<Claim>),
    /// `X f`
    Next(Box<Claim>),
    /// `<>f`
    Eventually(Box<Claim>),
    /// `[]f`
    Always(Box<Claim>),
    /// Two claims joined by an operator.
    Binary(ClaimOperator, Box<Claim>, Box<Claim>),
}

/// One statement of a `cproc` block: what is said of a C procedure (thesis 6.4.2, 6.4.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcedureStatement {
    /// `abstract { NAME, guard, PROCESS };`
    Abstract {
        /// A placeholder for people.
        name: Name,
        /// On which arguments it applies.
        guard: CExpression,
        /// The process that describes the behaviour then.
        process: Name,
    },
    /// `predicate (e), (f);`
    Predicate(Vec<CExpression>),
    /// `inline g;`
    Inline(Vec<Name>),
}

/// `cproc f { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureBlock {
    /// The name of the procedure.
    pub name: Name,
    /// What is said of it.
    pub statements: Vec<ProcedureStatement>,
}

/// What a program is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramQuestion {
    /// `abstract NAME, {guards}, PROCESS;`: does it conform to the process?
    Conforms(Name),
    /// `formula NAME, {guards}, F;`: does it satisfy the formula?
    Satisfies(Formula),
    /// `deadlock NAME, {guards};`: can it not deadlock?
    DeadlockFree,
}

/// What a fairness statement of a `cprog` block speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairItem {
    /// A component, or an event of that name.
    Named(Name),
    /// One of these events.
    Events(Label),
}

/// `fair weak server, {grant, deny};`, ours: which infinite runs count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairnessStatement {
    /// `strong` rather than `weak`?
    pub is_strong: bool,
    /// Each a constraint of its own.
    pub items: Vec<FairItem>,
}

/// `shared x : 0..3 = 0`, ours: components meet at their accesses of the variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDefinition {
    /// The variable of the program.
    pub name: Name,
    /// Its values.
    pub values: IndexValues,
    /// What it begins with; any of its values otherwise.
    pub initially: Option<Expression>,
}

/// One statement of a `cprog` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStatement {
    /// How results call it.
    pub name: Name,
    /// Where each component starts.
    pub guards: Vec<CExpression>,
    /// What is asked.
    pub question: ProgramQuestion,
}

/// `cprog NAME = f, g { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramBlock {
    /// A placeholder for people.
    pub name: Name,
    /// The procedures that run in parallel.
    pub components: Vec<Name>,
    /// What is asked.
    pub statements: Vec<ProgramStatement>,
    /// Which runs count.
    pub fairness: Vec<FairnessStatement>,
}

/// All that the files of a run say, in order.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// `const N = 3`
    pub constants: Vec<(Name, Expression)>,
    /// `range R = 0..3`
    pub ranges: Vec<(Name, Expression, Expression)>,
    /// `set S = {…}`
    pub sets: Vec<(Name, LabelSet)>,
    /// Processes.
    pub processes: Vec<ProcessDefinition>,
    /// Compositions.
    pub composites: Vec<CompositeDefinition>,
    /// Progress tests.
    pub progress: Vec<ProgressDefinition>,
    /// Fluents.
    pub fluents: Vec<FluentDefinition>,
    /// Assertions.
    pub asserts: Vec<AssertDefinition>,
    /// `formula NAME = F`: state/event formulas.
    pub formulas: Vec<(Name, Formula)>,
    /// Menus: actions a person may choose in an animation.
    pub menus: Vec<(Name, Label)>,
    /// `import P = "file.aut"`
    pub imports: Vec<(Name, Name)>,
    /// `include "file.lts"`
    pub includes: Vec<Name>,
    /// Variables that components share.
    pub shared: Vec<SharedDefinition>,
    /// `cproc` blocks.
    pub procedures: Vec<ProcedureBlock>,
    /// `cprog` blocks.
    pub programs: Vec<ProgramBlock>,
    /// Structures read as tables or `.aut`, ready made.
    pub structures: Vec<(Name, Arc<lks::Lks>)>,
    /// Names whose definitions could not be read: what uses them is not to blame.
    pub broken: Vec<Name>,
}
