//! What the specification puts in for calls (THESIS 3.2, EFSMs), and which returns it tells apart.

use super::conditions::Scope;
use super::inline::{Inliner, RawAction, RawEdge};
use super::{CannotBuild, Condition, NoMeaning, NodeId, NotUnderstood};
use base::Span;
use lks::{ActionId, Lks, StateMark};
use program::{Expr, Place, TypeId};
use rustc_hash::FxHashMap;
use spec::action::{SentValue, meaning_of, return_name};
use spec::cexpr::{CBinary, CExpression};
use spec::syntax::DataCommand;
use std::sync::Arc;

/// What a routine does when its guard holds: one `abstract` statement of a `cproc` block.
#[derive(Clone, Debug)]
pub struct Routine {
    /// How people call it.
    pub name: Arc<str>,
    /// On which arguments it applies.
    pub guard: CExpression,
    /// What it does; actions over C data have their text as names.
    pub process: Arc<Lks>,
}

/// The returns that the question tells apart. A return is seen as the set of conditions its value meets.
#[derive(Clone, Debug, Default)]
pub struct Returns {
    conditions: Vec<(Arc<str>, Option<CExpression>)>,
}

impl Returns {
    /// The returns among these actions.
    pub fn among<'n>(names: impl Iterator<Item = &'n str>) -> Returns {
        let mut conditions: Vec<(Arc<str>, Option<CExpression>)> = Vec::new();
        for name in names {
            if let DataCommand::Return(condition) = meaning_of(name).command
                && !conditions.iter().any(|(_, known)| *known == condition)
            {
                conditions.push((Arc::from(return_name(condition.as_ref())), condition));
            }
        }
        Returns { conditions }
    }

    /// Does the question speak about returns at all?
    pub fn are_mentioned(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The event of a return that meets exactly the conditions of this set.
    fn event(&self, met: &[bool]) -> Arc<str> {
        if self.conditions.is_empty() {
            return Arc::from("return");
        }
        let names: Vec<&str> =
            self.conditions.iter().zip(met).filter(|(_, met)| **met).map(|((name, _), _)| &**name).collect();
        if names.is_empty() { Arc::from("return {other}") } else { Arc::from(names.join(" & ")) }
    }

    /// Does the event of a return meet the condition that this name states?
    pub fn event_meets(event: &str, name: &str) -> bool {
        event.split(" & ").any(|part| part == name)
    }

    /// The ways to return a value: the event, and when. `None` is a return without a value.
    pub(super) fn ways(
        &self,
        inliner: &mut Inliner<'_>,
        value: Option<&Expr>,
    ) -> Result<Vec<(Arc<str>, Condition)>, CannotBuild> {
        const MOST_CONDITIONS: usize = 8;
        let Some(value) = value else {
            let met: Vec<bool> = self.conditions.iter().map(|(_, condition)| condition.is_none()).collect();
            return Ok(vec![(self.event(&met), Condition::Constant(true))]);
        };
        if self.conditions.len() > MOST_CONDITIONS {
            return Err(CannotBuild::TooManyReturns { most: MOST_CONDITIONS });
        }
        let scope = Scope { result: Some(value.clone()), ..Scope::default() };
        let mut ways: Vec<(Vec<bool>, Vec<Condition>)> = vec![(Vec::new(), Vec::new())];
        for (_, condition) in &self.conditions {
            let condition = match condition {
                Some(condition) => inliner.memory.condition(&scope, condition)?,
                None => Condition::Constant(true),
            };
            let mut next = Vec::new();
            for (met, parts) in ways {
                for holds in [true, false] {
                    let (mut met, mut parts) = (met.clone(), parts.clone());
                    met.push(holds);
                    parts.push(condition.clone().expected(holds));
                    next.push((met, parts));
                }
            }
            ways = next;
        }
        Ok(ways.into_iter().map(|(met, parts)| (self.event(&met), Condition::All(parts))).collect())
    }
}

/// A call that is replaced.
pub(super) struct Replaced<'c> {
    pub from: NodeId,
    pub to: NodeId,
    pub arguments: &'c [Expr],
    pub result: Option<&'c Place>,
    pub result_type: TypeId,
    pub function: &'c str,
    pub text: &'c str,
    pub span: Span,
}

impl Inliner<'_> {
    /// Puts the routines in for a call.
    pub(super) fn replace_call(&mut self, call: &Replaced<'_>, routines: &[Routine]) {
        let scope =
            Scope { names: self.globals_by_name.clone(), arguments: call.arguments.to_vec(), result: None };
        if let [only] = routines
            && only.guard.constant().is_some_and(|value| value != 0)
        {
            self.expand(call, only, call.from, &scope);
            return;
        }
        let mut guards = Vec::new();
        for routine in routines {
            let condition = match self.memory.condition(&scope, &routine.guard) {
                Ok(condition) => condition,
                Err(why) => {
                    let why = format!("the guard of `{}`: {why}", routine.name);
                    self.trouble(call.from, call.to, NoMeaning::NotSupported(why), call.text, call.span);
                    continue;
                }
            };
            let start = self.node(call.span);
            guards.push(condition.clone());
            let mut edge = RawEdge::new(call.from, start, call.text, call.span);
            edge.is_branch = true;
            edge.actions.push(RawAction::Assume(condition));
            self.edges.push(edge);
            self.expand(call, routine, start, &scope);
        }
        let mut gap = RawEdge::new(call.from, call.to, call.text, call.span);
        gap.is_branch = true;
        gap.actions.push(RawAction::Assume(Condition::Not(Box::new(Condition::Any(guards)))));
        let why = format!("no `abstract` statement of `{}` applies to this call", call.function);
        gap.trouble = Some(NoMeaning::NotSupported(why));
        self.edges.push(gap);
    }

    fn expand(&mut self, call: &Replaced<'_>, routine: &Routine, start: NodeId, scope: &Scope) {
        let process = &routine.process;
        let mut nodes: FxHashMap<lks::StateId, NodeId> = FxHashMap::default();
        for (position, &initial) in process.initial().iter().enumerate() {
            // Several initial states: the choice is the routine's own.
            let node = if process.initial().len() == 1 {
                start
            } else {
                let node = self.node(call.span);
                let text = format!("{} begins in one of several ways ({position})", call.function);
                self.edges.push(RawEdge::new(start, node, &text, call.span));
                node
            };
            nodes.insert(initial, node);
        }
        for state in process.states() {
            nodes.entry(state).or_insert_with(|| self.node(call.span));
        }
        for state in process.states() {
            let from = nodes[&state];
            if process.mark(state) == StateMark::Error {
                let why = format!("`{}` reaches ERROR", routine.name);
                self.trouble(from, from, NoMeaning::NotSupported(why), call.text, call.span);
            }
            for (action, target) in process.transitions(state) {
                self.transition(call, process, (from, nodes[&target]), action, scope);
            }
        }
    }

    fn transition(
        &mut self,
        call: &Replaced<'_>,
        process: &Lks,
        (from, to): (NodeId, NodeId),
        action: ActionId,
        scope: &Scope,
    ) {
        let name = process.alphabet().name(action);
        let mut edge = RawEdge::new(from, to, call.text, call.span);
        if action.is_silent() {
            edge.text = format!("{} goes on", call.function);
            self.edges.push(edge);
            return;
        }
        let meaning = meaning_of(name);
        for sent in &meaning.sent {
            self.values_that_cannot_be_sent(call, (from, to), sent, scope);
        }
        let outcome = (|| -> Result<(), NotUnderstood> {
            if let Some(guard) = &meaning.guard {
                edge.actions.push(RawAction::Assume(self.memory.condition(scope, guard)?));
            }
            match &meaning.command {
                DataCommand::Action(event) => {
                    edge.event = Some(event.clone());
                    edge.text = format!("{}: {event}", call.text);
                }
                DataCommand::Assign(target, value) => {
                    let target = self.memory.place(scope, target)?;
                    let value = self.memory.value(scope, value)?.cast(target.ty.id);
                    edge.text = format!("{}: {name}", call.text);
                    edge.actions.push(RawAction::Assign(target, value));
                }
                DataCommand::Return(condition) => {
                    edge.to = call.to;
                    self.routine_return(call, condition.as_ref(), scope, &mut edge)?;
                }
            }
            Ok(())
        })();
        if let Err(why) = outcome {
            edge.trouble = Some(NoMeaning::NotSupported(format!("`{name}` of `{}`: {why}", call.function)));
        }
        self.edges.push(edge);
    }

    /// Nothing is known of a value outside the range that is declared for it.
    fn values_that_cannot_be_sent(
        &mut self,
        call: &Replaced<'_>,
        (from, to): (NodeId, NodeId),
        sent: &SentValue,
        scope: &Scope,
    ) {
        let SentValue { value, low, high } = sent;
        let text = format!("{}: {value} is not within {low}..{high}", call.text);
        if self
            .edges
            .iter()
            .rev()
            .take_while(|edge| edge.span == call.span)
            .any(|edge| edge.from == from && edge.trouble.is_some() && edge.text == text)
        {
            return;
        }
        let bound = |operator, bound: i128| {
            let bound = Box::new(CExpression::Integer(bound));
            CExpression::Binary(operator, Box::new(value.clone()), bound)
        };
        let outside = CExpression::Binary(
            CBinary::LogicalOr,
            Box::new(bound(CBinary::Less, *low)),
            Box::new(bound(CBinary::Greater, *high)),
        );
        let why = format!("`{}` sends `{value}`, which is not within {low}..{high} here", call.function);
        let mut edge = RawEdge::new(from, to, &text, call.span);
        match self.memory.condition(scope, &outside) {
            Ok(outside) => edge.actions.push(RawAction::Assume(outside)),
            // The action itself says why it is not understood.
            Err(_) => return,
        }
        edge.trouble = Some(NoMeaning::NotSupported(why));
        self.edges.push(edge);
    }

    /// `$0 == e` says what is returned; any other condition restricts an unknown value.
    fn routine_return(
        &mut self,
        call: &Replaced<'_>,
        condition: Option<&CExpression>,
        scope: &Scope,
        edge: &mut RawEdge,
    ) -> Result<(), NotUnderstood> {
        let Some(condition) = condition else {
            edge.text = format!("{} returns", call.function);
            if let Some(result) = call.result {
                edge.actions.push(self.unknown_value(result.clone(), call.function));
            }
            return Ok(());
        };
        edge.text = format!("{} returns with {condition}", call.function).replace("$0", "result");
        let is_result = |side: &CExpression| *side == CExpression::Argument(0);
        let value = match condition {
            CExpression::Binary(CBinary::Equal, left, right) if is_result(left) => Some(&**right),
            CExpression::Binary(CBinary::Equal, left, right) if is_result(right) => Some(&**left),
            _ => None,
        };
        if let Some(value) = value.filter(|value| !mentions_result(value)) {
            if let Some(result) = call.result {
                let value = self.memory.value(scope, value)?.cast(result.ty.id);
                edge.actions.push(RawAction::Assign(result.clone(), value));
            }
            return Ok(());
        }
        let result = match call.result {
            Some(result) => result.clone(),
            None => {
                let name = format!("result of {}", call.function);
                Place::variable(self.local(&name, call.result_type), call.result_type)
            }
        };
        edge.actions.push(self.unknown_value(result.clone(), call.function));
        let scope = Scope { result: Some(Expr::load(result)), ..scope.clone() };
        edge.actions.push(RawAction::Assume(self.memory.condition(&scope, condition)?));
        Ok(())
    }
}

fn mentions_result(expression: &CExpression) -> bool {
    match expression {
        CExpression::Argument(index) => *index == 0,
        CExpression::Integer(_) | CExpression::Name(_) => false,
        CExpression::Unary(_, a)
        | CExpression::Member(a, _)
        | CExpression::Arrow(a, _)
        | CExpression::Cast(_, a) => mentions_result(a),
        CExpression::Binary(_, a, b) | CExpression::Element(a, b) => mentions_result(a) || mentions_result(b),
        CExpression::Conditional(a, b, c) => mentions_result(a) || mentions_result(b) || mentions_result(c),
    }
}
