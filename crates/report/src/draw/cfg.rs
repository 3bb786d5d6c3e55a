//! The control flow of one procedure: straight lines of steps in one box, one line per step.

use super::{Arrow, ArrowStyle, BoxStyle, Drawing, Line, LineStyle, TextBox, place_of};
use base::IndexVec;
use program::{
    Action, BinaryOp, Callee, Edge, EdgeId, Expr, ExprKind, Graph, HavocSource, Known, NodeId, ProcedureId,
    Program, VariableKind,
};

/// Draws the control flow of a procedure. One without a body is a single box.
pub fn cfg(program: &Program, procedure: ProcedureId) -> Drawing {
    let drawn = &program.procedures[procedure];
    let mut drawing = Drawing { title: title(program, procedure), ..Drawing::default() };
    let Some(body) = &drawn.body else {
        let lines = vec![Line::heading(&*drawn.name), Line::faint("no body")];
        drawing.add(TextBox { lines, style: BoxStyle::Missing });
        return drawing;
    };
    Blocks::new(program, body).draw(&mut drawing);
    gather_ways_back(&mut drawing);
    drawing
}

/// Where very many arrows lead back to one loop head, they meet first and go back as one.
fn gather_ways_back(drawing: &mut Drawing) {
    const MANY: usize = 4;
    for head in 0..drawing.boxes.len() {
        let leads_back =
            |arrow: &Arrow| arrow.to == head && arrow.style == ArrowStyle::Back && arrow.from != head;
        if drawing.arrows.iter().filter(|arrow| leads_back(arrow)).count() < MANY {
            continue;
        }
        let meeting = drawing.add(TextBox { lines: vec![Line::faint("next round")], style: BoxStyle::Faint });
        for arrow in drawing.arrows.iter_mut().filter(|arrow| leads_back(arrow)) {
            arrow.to = meeting;
            arrow.style = match arrow.label.as_str() {
                "true" => ArrowStyle::Then,
                "false" => ArrowStyle::Otherwise,
                _ => ArrowStyle::Plain,
            };
        }
        drawing.connect(meeting, head, "", ArrowStyle::Back);
    }
}

/// The procedure as C declares it, and where.
fn title(program: &Program, procedure: ProcedureId) -> String {
    let drawn = &program.procedures[procedure];
    let declaration = program.types.declare(drawn.ty, &drawn.name);
    match place_of(program, drawn.span) {
        Some(place) => format!("{declaration} — {place}"),
        None => declaration,
    }
}

struct Blocks<'a> {
    program: &'a Program,
    body: &'a Graph,
    /// Nodes that start a box.
    starts: IndexVec<NodeId, bool>,
    /// Boxes by the node they start at.
    boxes: IndexVec<NodeId, Option<usize>>,
    /// Nodes that test one more case of the `switch` before them.
    is_later_case: IndexVec<NodeId, bool>,
    order: Vec<NodeId>,
    /// Edges that close a cycle of the walk.
    is_back: IndexVec<EdgeId, bool>,
}

/// One test of a chain that a `switch` became.
struct Case<'a> {
    condition: &'a Expr,
    value: &'a Expr,
    then: EdgeId,
    otherwise: EdgeId,
}

/// A box before its text is known: its steps, and the node behind them.
struct Block {
    steps: Vec<EdgeId>,
    last: NodeId,
}

impl<'a> Blocks<'a> {
    fn new(program: &'a Program, body: &'a Graph) -> Blocks<'a> {
        let mut blocks = Blocks {
            program,
            body,
            starts: IndexVec::filled(false, body.nodes.len()),
            boxes: IndexVec::filled(None, body.nodes.len()),
            is_later_case: IndexVec::filled(false, body.nodes.len()),
            order: Vec::new(),
            is_back: IndexVec::filled(false, body.edges.len()),
        };
        blocks.walk();
        blocks.find_starts();
        blocks
    }

    /// Depth first, in order of the edges; finds the edges that lead back.
    fn walk(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Unseen,
            Open,
            Done,
        }
        let mut states = IndexVec::<NodeId, State>::filled(State::Unseen, self.body.nodes.len());
        let mut stack = vec![(self.body.entry, 0)];
        states[self.body.entry] = State::Open;
        self.order.push(self.body.entry);
        while let Some((node, position)) = stack.last_mut() {
            let node = *node;
            let Some(&edge) = self.body.nodes[node].out.get(*position) else {
                states[node] = State::Done;
                stack.pop();
                continue;
            };
            *position += 1;
            let to = self.body.edges[edge].to;
            match states[to] {
                State::Unseen => {
                    states[to] = State::Open;
                    self.order.push(to);
                    stack.push((to, 0));
                }
                State::Open => self.is_back[edge] = true,
                State::Done => {}
            }
        }
    }

    fn find_starts(&mut self) {
        let mut incoming = IndexVec::<NodeId, u32>::filled(0, self.body.nodes.len());
        for &node in &self.order {
            for (_, edge) in self.body.out(node) {
                incoming[edge.to] += 1;
                if self.body.nodes[node].out.len() > 1 {
                    self.starts[edge.to] = true;
                }
            }
        }
        for &node in &self.order {
            if incoming[node] != 1 {
                self.starts[node] = true;
            }
        }
        self.starts[self.body.entry] = true;
        self.starts[self.body.exit] = false; // a return ends its box
    }

    fn block_at(&self, start: NodeId) -> Block {
        let mut steps = Vec::new();
        let mut last = start;
        while let [only] = self.body.nodes[last].out[..] {
            steps.push(only);
            let edge = &self.body.edges[only];
            last = edge.to;
            if self.starts[last] || last == self.body.exit {
                break;
            }
        }
        Block { steps, last }
    }

    fn draw(mut self, drawing: &mut Drawing) {
        let starts: Vec<NodeId> = self.order.iter().copied().filter(|&node| self.starts[node]).collect();
        let blocks: Vec<Block> = starts.iter().map(|&start| self.block_at(start)).collect();
        self.find_cases(&starts, &blocks);
        // Boxes without a line only pass control on: arrows go where they lead.
        for (&start, block) in starts.iter().zip(&blocks) {
            if self.is_later_case[start] {
                continue;
            }
            let lines = self.lines(start, block);
            let passes_on = lines.is_empty() && start != self.body.entry && self.starts[block.last];
            if !passes_on || block.last == start {
                let style = self.style(start, block);
                self.boxes[start] = Some(drawing.add(TextBox { lines, style }));
            }
        }
        for (&start, block) in starts.iter().zip(&blocks) {
            let Some(from) = self.boxes[start] else { continue };
            self.name_steps(drawing, from, block);
            if self.starts[block.last] && !block.steps.is_empty() {
                let step = block.steps[block.steps.len() - 1];
                self.connect(drawing, from, step, "", ArrowStyle::Plain);
                continue;
            }
            if let Some(cases) = self.switch_at(block.last) {
                self.draw_cases(drawing, from, &cases);
                continue;
            }
            let out = &self.body.nodes[block.last].out;
            if out.len() < 2 {
                continue;
            }
            for &step in out {
                match &self.body.edges[step].action {
                    Action::Assume { expected: true, .. } => {
                        self.connect(drawing, from, step, "true", ArrowStyle::Then)
                    }
                    Action::Assume { expected: false, .. } => {
                        self.connect(drawing, from, step, "false", ArrowStyle::Otherwise);
                    }
                    action => {
                        let label = self.program.show().action(action);
                        self.connect(drawing, from, step, &label, ArrowStyle::Plain);
                    }
                }
            }
        }
    }

    /// The steps that a box stands for: those in it, and the branch that ends it.
    fn name_steps(&self, drawing: &mut Drawing, at: usize, block: &Block) {
        let mut steps = block.steps.clone();
        let mut node = block.last;
        // The later tests of a `switch` are drawn in the box of the first.
        while !self.starts[node] || block.steps.is_empty() || self.is_later_case[node] {
            let out = &self.body.nodes[node].out;
            steps.extend(out);
            match self.case_at(node).map(|case| self.body.edges[case.otherwise].to) {
                Some(next) if self.is_later_case[next] => node = next,
                _ => break,
            }
        }
        for step in steps {
            drawing.keys.entry(base::Id::index(step).to_string()).or_insert(at);
        }
    }

    /// The test `value == constant` that a node branches on.
    fn case_at(&self, node: NodeId) -> Option<Case<'a>> {
        let [first, second] = self.body.nodes[node].out[..] else { return None };
        let body = self.body;
        let Action::Assume { condition, expected, .. } = &body.edges[first].action else { return None };
        let ExprKind::Binary(BinaryOp::Equal, value, constant) = &condition.kind else { return None };
        constant.as_integer()?;
        let (then, otherwise) = if *expected { (first, second) } else { (second, first) };
        Some(Case { condition, value, then, otherwise })
    }

    /// Marks the tests that only go on with the chain a `switch` became.
    fn find_cases(&mut self, starts: &[NodeId], blocks: &[Block]) {
        for (&start, block) in starts.iter().zip(blocks) {
            let is_only_test = block.last == start && self.body.nodes[start].into.len() == 1;
            if !is_only_test
                || self.body.nodes[start].is_loop_head
                || !self.body.nodes[start].labels.is_empty()
            {
                continue;
            }
            let into = self.body.nodes[start].into[0];
            let before = self.case_at(self.body.edges[into].from);
            if let (Some(before), Some(this)) = (before, self.case_at(start)) {
                self.is_later_case[start] = before.otherwise == into && before.value == this.value;
            }
        }
    }

    /// The chain of tests of one value that starts at a node, if there are several.
    fn switch_at(&self, node: NodeId) -> Option<Vec<Case<'a>>> {
        let mut cases = vec![self.case_at(node)?];
        loop {
            let next = self.body.edges[cases[cases.len() - 1].otherwise].to;
            match self.case_at(next).filter(|_| self.is_later_case[next]) {
                Some(case) => cases.push(case),
                None => break,
            }
        }
        (cases.len() > 1).then_some(cases)
    }

    fn draw_cases(&self, drawing: &mut Drawing, from: usize, cases: &[Case<'a>]) {
        let mut targets: Vec<(NodeId, EdgeId, Vec<String>)> = Vec::new();
        for case in cases {
            let to = self.body.edges[case.then].to;
            let shown = self.program.show().condition(case.condition, true);
            let constant = shown.rsplit(" == ").next().unwrap_or(&shown).to_owned();
            match targets.iter_mut().find(|(known, ..)| *known == to) {
                Some((_, _, constants)) => constants.push(constant),
                None => targets.push((to, case.then, vec![constant])),
            }
        }
        for (_, step, constants) in targets {
            self.connect(drawing, from, step, &constants.join(", "), ArrowStyle::Plain);
        }
        if let Some(last) = cases.last() {
            self.connect(drawing, from, last.otherwise, "default", ArrowStyle::Otherwise);
        }
    }

    fn connect(&self, drawing: &mut Drawing, from: usize, step: EdgeId, label: &str, style: ArrowStyle) {
        let mut is_back = self.is_back[step];
        let mut node = self.body.edges[step].to;
        let mut hops = 0;
        // Through boxes that only pass on.
        while self.boxes[node].is_none() && node != self.body.exit && hops <= self.body.nodes.len() {
            let block = self.block_at(node);
            is_back |= block.steps.iter().any(|&step| self.is_back[step]);
            node = block.last;
            hops += 1;
        }
        let Some(to) = self.boxes[node] else { return };
        let style = if is_back { ArrowStyle::Back } else { style };
        drawing.arrows.push(Arrow { from, to, label: label.to_owned(), style });
    }

    fn lines(&self, start: NodeId, block: &Block) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut node = start;
        let mut last_number = None;
        let labels = |node: NodeId, lines: &mut Vec<Line>| {
            for label in &self.body.nodes[node].labels {
                lines.push(Line::faint(format!("{label}:")));
            }
        };
        let mut push = |edge: &Edge, text: String, style: LineStyle, lines: &mut Vec<Line>| {
            let number = self.program.sources.location(edge.span).map(|location| location.line);
            let shown = if number == last_number { None } else { number };
            last_number = number;
            lines.push(Line { number: shown, text, style });
        };
        for (position, &step) in block.steps.iter().enumerate() {
            labels(node, &mut lines);
            let edge = &self.body.edges[step];
            node = edge.to;
            let next = block.steps.get(position + 1).map(|&next| &self.body.edges[next].action);
            let is_told_next = next.is_some_and(|next| self.is_told_by(&edge.action, next));
            if !self.is_bookkeeping(&edge.action) && !is_told_next {
                let style = if self.is_alarm(&edge.action) { LineStyle::Alarm } else { LineStyle::Plain };
                push(edge, self.statement(edge), style, &mut lines);
            }
        }
        let branches = !self.starts[node] || node == start;
        if branches && let Some(&first) = self.body.nodes[node].out.first().filter(|_| node != self.body.exit)
        {
            if self.body.nodes[node].out.len() > 1 {
                labels(node, &mut lines);
                let edge = &self.body.edges[first];
                if let Action::Assume { condition, .. } = &edge.action {
                    let text = match self.switch_at(node) {
                        Some(cases) => {
                            let shown = self.program.show().condition(cases[0].condition, true);
                            format!(
                                "switch ({})",
                                shown.rsplit_once(" == ").map_or(&*shown, |(value, _)| value)
                            )
                        }
                        None => format!("if ({})", self.program.show().condition(condition, true)),
                    };
                    push(edge, text, LineStyle::Plain, &mut lines);
                }
            }
        } else if branches && lines.is_empty() && self.body.nodes[node].out.is_empty() {
            lines.push(Line::faint("/* no way on */"));
        }
        lines
    }

    fn statement(&self, edge: &Edge) -> String {
        let text = self.program.show().edge(edge);
        if text.ends_with("*/") && text.starts_with("/*") { text } else { format!("{text};") }
    }

    /// Steps that only keep what the text already says.
    fn is_bookkeeping(&self, action: &Action) -> bool {
        match action {
            Action::Skip | Action::Lifetime { .. } => true,
            Action::Havoc { source: HavocSource::Indeterminate, .. } => true,
            Action::Assign { target, value } => {
                let is_temporary = target
                    .as_variable()
                    .is_some_and(|id| self.program.variables[id].kind == VariableKind::Temporary);
                let is_plain_load = matches!(value.kind, program::ExprKind::Load(_));
                is_temporary && is_plain_load
            }
            _ => false,
        }
    }

    /// `x = f()` is a call and an assignment of its result: the assignment tells both.
    fn is_told_by(&self, call: &Action, next: &Action) -> bool {
        let Action::Call { result: Some(result), .. } = call else { return false };
        let value = match next {
            Action::Assign { value, .. } | Action::Return { value: Some(value) } => value,
            _ => return false,
        };
        let mut value = value;
        while let ExprKind::Cast(inner) = &value.kind {
            value = inner;
        }
        let is_temporary =
            |id: program::VariableId| self.program.variables[id].kind == VariableKind::Temporary;
        matches!(&value.kind, ExprKind::Load(place) if **place == *result)
            && result.as_variable().is_some_and(is_temporary)
    }

    fn is_alarm(&self, action: &Action) -> bool {
        match action {
            Action::Call { callee: Callee::Direct(id), .. } => matches!(
                self.program.procedures[*id].known,
                Some(
                    Known::AssertFail
                        | Known::VerifierError
                        | Known::ReachError
                        | Known::Abort
                        | Known::Unreachable
                        | Known::Trap
                )
            ),
            Action::Unsupported(_) => true,
            _ => false,
        }
    }

    fn style(&self, start: NodeId, block: &Block) -> BoxStyle {
        let edges = || block.steps.iter().map(|&step| &self.body.edges[step]);
        let is_loop_head = self.body.nodes[start].is_loop_head
            || self.body.nodes[start].into.iter().any(|&edge| self.is_back[edge]);
        if edges().any(|edge| self.is_alarm(&edge.action)) {
            BoxStyle::Error
        } else if start == self.body.entry {
            BoxStyle::Entry
        } else if is_loop_head {
            BoxStyle::LoopHead
        } else if edges().any(|edge| matches!(edge.action, Action::Return { .. })) {
            BoxStyle::Exit
        } else {
            BoxStyle::Plain
        }
    }
}
