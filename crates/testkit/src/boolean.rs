//! Random Boolean programs as trees, for agreement tests: procedures that call each other and themselves, loops,
//! choices, constraints, threads. The same seed gives the same program.

use crate::Random;
use base::Span;
use boolprog::syntax::{
    Binary, Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};

/// Sizes of random programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomSettings {
    /// The most procedures, `main` included.
    pub procedures: usize,
    /// The most globals.
    pub globals: usize,
    /// The most locals of a procedure.
    pub locals: usize,
    /// The most statements in a row.
    pub statements: usize,
    /// May threads be started?
    pub threads: bool,
    /// May procedures call themselves, directly or not?
    pub recursion: bool,
}

/// A random program.
pub fn random_program(seed: u64, settings: RandomSettings) -> ProgramTree {
    let mut numbers = Random::new(seed);
    let globals = 1 + numbers.below(settings.globals.max(1));
    let count = 1 + numbers.below(settings.procedures.max(1));
    let headers: Vec<Header> = (0..count)
        .map(|index| Header {
            name: if index == 0 { "main".into() } else { format!("f{index}") },
            parameters: if index == 0 { 0 } else { numbers.below(3) },
            locals: numbers.below(settings.locals + 1),
            returns: if index == 0 { 0 } else { numbers.below(3) },
        })
        .collect();
    let names = |prefix: &str, count: usize| (0..count).map(|index| format!("{prefix}{index}")).collect();
    let mut procedures = Vec::new();
    for index in 0..count {
        let mut variables: Vec<String> = names("g", globals);
        variables.extend((0..headers[index].parameters).map(|slot| format!("p{slot}")));
        variables.extend((0..headers[index].locals).map(|slot| format!("l{slot}")));
        let mut maker =
            Maker { numbers: &mut numbers, settings, headers: &headers, index, variables, labels: 0 };
        let mut body = maker.statements(2);
        if index == 0 {
            body.push(plain(StatementKind::Assert(maker.expression(2))));
        }
        let known = &headers[index];
        if known.returns > 0 {
            let values = (0..known.returns).map(|_| maker.expression(2)).collect();
            body.push(plain(StatementKind::Return(values)));
        }
        let declared =
            |name: String| Declared { name: Name::new(&name), initial: None, is_thread_local: false };
        procedures.push(ProcedureTree {
            name: Name::new(&known.name),
            returns: known.returns,
            parameters: (0..known.parameters).map(|slot| Name::new(&format!("p{slot}"))).collect(),
            locals: (0..known.locals).map(|slot| declared(format!("l{slot}"))).collect(),
            enforced: Vec::new(),
            body,
        });
    }
    let initial = |numbers: &mut Random| match numbers.below(3) {
        0 => None,
        value => Some(Expression::Constant(value == 1)),
    };
    let globals = (0..globals)
        .map(|index| Declared {
            name: Name::new(&format!("g{index}")),
            initial: initial(&mut numbers),
            is_thread_local: false,
        })
        .collect();
    ProgramTree { globals, procedures }
}

struct Header {
    name: String,
    parameters: usize,
    locals: usize,
    returns: usize,
}

fn plain(kind: StatementKind) -> Statement {
    Statement { labels: Vec::new(), kind, span: Span::NOWHERE }
}

struct Maker<'m> {
    numbers: &'m mut Random,
    settings: RandomSettings,
    headers: &'m [Header],
    index: usize,
    variables: Vec<String>,
    labels: usize,
}

impl Maker<'_> {
    fn variable(&mut self) -> Name {
        let index = self.numbers.below(self.variables.len());
        Name::new(&self.variables[index])
    }

    fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 || self.numbers.below(4) == 0 {
            return match self.numbers.below(8) {
                0 => Expression::Any,
                1 => Expression::Constant(self.numbers.below(2) == 0),
                _ => Expression::Variable(self.variable()),
            };
        }
        let below = depth - 1;
        match self.numbers.below(7) {
            0 => Expression::Not(Box::new(self.expression(below))),
            1 | 2 => Expression::And(vec![self.expression(below), self.expression(below)]),
            3 => Expression::Or(vec![self.expression(below), self.expression(below)]),
            4 => {
                let (left, right) = (Box::new(self.expression(below)), Box::new(self.expression(below)));
                let operator = [Binary::Xor, Binary::Equal, Binary::Implies][self.numbers.below(3)];
                Expression::Binary(operator, left, right)
            }
            5 => {
                let (left, right) = (Box::new(self.expression(below)), Box::new(self.expression(below)));
                Expression::Choose(left, right)
            }
            _ => {
                let condition = Box::new(self.expression(below));
                let (left, right) = (Box::new(self.expression(below)), Box::new(self.expression(below)));
                Expression::Conditional(condition, left, right)
            }
        }
    }

    /// An expression over values before and after.
    fn constraint(&mut self, targets: &[Option<Name>]) -> Expression {
        let target = self.numbers.below(targets.len());
        let next = match &targets[target] {
            Some(name) => Expression::Next(name.clone()),
            None => Expression::Constant(true),
        };
        Expression::Or(vec![next, self.expression(1)])
    }

    fn targets(&mut self, count: usize) -> Vec<Option<Name>> {
        let mut targets: Vec<Option<Name>> = Vec::new();
        for _ in 0..count {
            let name = self.variable();
            let is_known = targets.iter().flatten().any(|known| *known == name);
            targets.push(if is_known || self.numbers.below(8) == 0 { None } else { Some(name) });
        }
        targets
    }

    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        let count = 1 + self.numbers.below(self.settings.statements.max(1));
        (0..count).flat_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Vec<Statement> {
        let choice = self.numbers.below(if self.settings.threads && self.index == 0 { 18 } else { 15 });
        let kind = match choice {
            0 => StatementKind::Skip,
            1 => StatementKind::Assume(self.expression(2)),
            2 => StatementKind::Assert(Expression::Or(vec![self.expression(2), self.expression(2)])),
            3 if depth > 0 => {
                let arms = vec![(self.expression(2), self.statements(depth - 1))];
                let otherwise =
                    if self.numbers.below(2) == 0 { self.statements(depth - 1) } else { Vec::new() };
                StatementKind::If(arms, otherwise)
            }
            4 if depth > 0 => StatementKind::While(self.expression(2), self.statements(depth - 1)),
            5..=8 => return vec![self.call()],
            9 => return self.jump(),
            15 | 16 => {
                let callee = self.numbers.below(self.headers.len());
                if callee == 0 {
                    StatementKind::Skip
                } else {
                    let arguments = self.arguments(callee);
                    let name = Name::new(&self.headers[callee].name);
                    StatementKind::StartThread(ThreadStart::Procedure(name, arguments))
                }
            }
            17 => {
                let inside =
                    plain(StatementKind::Assign(vec![Some(self.variable())], vec![self.expression(2)], None));
                return vec![plain(StatementKind::AtomicBegin), inside, plain(StatementKind::AtomicEnd)];
            }
            _ => {
                let count = 1 + self.numbers.below(2);
                let targets = self.targets(count);
                let values = (0..targets.len()).map(|_| self.expression(2)).collect();
                let constraint = (self.numbers.below(4) == 0).then(|| self.constraint(&targets));
                StatementKind::Assign(targets, values, constraint)
            }
        };
        vec![plain(kind)]
    }

    fn arguments(&mut self, callee: usize) -> Vec<Expression> {
        (0..self.headers[callee].parameters).map(|_| self.expression(1)).collect()
    }

    /// A call; without recursion only of procedures further down.
    fn call(&mut self) -> Statement {
        let first = if self.settings.recursion { 1 } else { self.index + 1 };
        if first >= self.headers.len() {
            return plain(StatementKind::Skip);
        }
        let callee = first + self.numbers.below(self.headers.len() - first);
        let arguments = self.arguments(callee);
        let returns = self.headers[callee].returns;
        let targets = if self.numbers.below(5) == 0 { Vec::new() } else { self.targets(returns) };
        let call = StatementKind::Call(targets, Name::new(&self.headers[callee].name), arguments);
        if !self.settings.recursion || callee > self.index {
            return plain(call);
        }
        // Recursion that need not happen, or nothing would ever return.
        plain(StatementKind::If(vec![(self.expression(1), vec![plain(call)])], Vec::new()))
    }

    /// `goto` forward over a statement, or to either of two.
    fn jump(&mut self) -> Vec<Statement> {
        self.labels += 2;
        let (left, right) = (format!("L{}", self.labels - 1), format!("L{}", self.labels));
        let labels = vec![Name::new(&left), Name::new(&right)];
        let assign = StatementKind::Assign(vec![Some(self.variable())], vec![self.expression(1)], None);
        let labelled =
            |name: &str, kind| Statement { labels: vec![Name::new(name)], kind, span: Span::NOWHERE };
        let jump = plain(StatementKind::Goto(labels));
        vec![jump, labelled(&left, assign), labelled(&right, StatementKind::Skip)]
    }
}
