//! Random threaded Boolean programs, as text, for agreement tests and measurements. The same seed gives the same text.

use crate::Random;
use std::fmt::Write;

/// The numbers of a seed, far from those of its neighbours.
pub fn numbers(seed: u64) -> Random {
    Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
}

struct Writer {
    numbers: Random,
    globals: usize,
    locals: usize,
    procedures: usize,
    /// May procedures call any other, and themselves?
    recursion: bool,
    /// May steps change variables of other threads?
    broadcasts: bool,
    label: usize,
    text: String,
}

/// A program with threads: globals, locals, calls without recursion, branches, loops, atomic sections, asserts.
pub fn threaded_program(seed: u64) -> String {
    let mut numbers = self::numbers(seed);
    let (globals, locals) = (1 + numbers.below(3), numbers.below(3));
    let procedures = numbers.below(3);
    program(Writer::new(numbers, globals, locals, procedures))
}

/// The same, smaller and with recursion: procedures call and start each other and themselves.
pub fn recursive_program(seed: u64) -> String {
    let mut numbers = self::numbers(seed);
    let (globals, locals) = (1 + numbers.below(2), numbers.below(2));
    let procedures = 1 + numbers.below(2);
    program(Writer { recursion: true, ..Writer::new(numbers, globals, locals, procedures) })
}

/// A small program without recursion whose steps also change variables of other threads (`x$`).
pub fn broadcasting_program(seed: u64) -> String {
    let mut numbers = self::numbers(seed);
    let (globals, locals) = (1 + numbers.below(2), 1 + numbers.below(2));
    let procedures = numbers.below(2);
    program(Writer { broadcasts: true, ..Writer::new(numbers, globals, locals, procedures) })
}

/// The same with recursion.
pub fn broadcasting_recursive_program(seed: u64) -> String {
    let numbers = self::numbers(seed);
    program(Writer { broadcasts: true, recursion: true, ..Writer::new(numbers, 1, 1, 1) })
}

fn program(mut writer: Writer) -> String {
    let (globals, procedures) = (writer.globals, writer.procedures);
    let names: Vec<String> = (0..globals).map(|number| format!("g{number}")).collect();
    let _ = writeln!(writer.text, "decl {};", names.join(", "));
    for procedure in 0..procedures {
        let returns = if procedure.is_multiple_of(2) { "bool" } else { "void" };
        let _ = writeln!(writer.text, "{returns} f{procedure}(p)\nbegin");
        writer.declare_locals();
        let size = 1 + writer.numbers.below(3);
        writer.statements(size, 1, Some(procedure));
        if writer.recursion {
            writer.recursive_call();
        }
        let value = writer.expression(2, true);
        let _ = writeln!(
            writer.text,
            "{}\nend",
            if returns == "bool" { format!("return {value};") } else { "return;".into() }
        );
    }
    let _ = writeln!(writer.text, "void main()\nbegin");
    writer.declare_locals();
    if writer.numbers.chance(70) {
        let zeros: Vec<&str> = names.iter().map(|_| "F").collect();
        let _ = writeln!(writer.text, "{} := {};", names.join(", "), zeros.join(", "));
    }
    let starts = writer.numbers.below(if writer.recursion { 2 } else { 3 });
    for _ in 0..starts {
        let label = writer.fresh();
        let after = writer.fresh();
        let _ = writeln!(writer.text, "start_thread goto {label};\ngoto {after};\n{label}: skip;");
        let size = 1 + writer.numbers.below(4);
        writer.statements(size, 1, None);
        let _ = writeln!(writer.text, "end_thread;\n{after}: skip;");
    }
    let size = 2 + writer.numbers.below(4);
    writer.statements(size, 2, None);
    writer.text.push_str("end\n");
    writer.text
}

impl Writer {
    fn new(numbers: Random, globals: usize, locals: usize, procedures: usize) -> Writer {
        let (recursion, broadcasts) = (false, false);
        Writer { numbers, globals, locals, procedures, recursion, broadcasts, label: 0, text: String::new() }
    }

    /// An expression that may speak of variables of other threads, with `next` also of values after the step.
    fn about_others(&mut self, depth: usize, next: bool) -> String {
        if depth == 0 {
            let variable = self.variable();
            let dollar = if variable.starts_with('l') && self.numbers.chance(60) { "$" } else { "" };
            let prime = if next && self.numbers.chance(50) { "'" } else { "" };
            let not = if self.numbers.chance(30) { "!" } else { "" };
            return format!("{not}{prime}{variable}{dollar}");
        }
        let (left, right) = (self.about_others(depth - 1, next), self.about_others(depth - 1, next));
        let operator = ["&", "|", "!=", "="][self.numbers.below(4)];
        format!("({left} {operator} {right})")
    }

    /// A step that changes variables of other threads, or depends on them.
    fn broadcast(&mut self) {
        let other = format!("l{}$", self.numbers.below(self.locals));
        let mut targets = vec![other];
        let mut values = vec![match self.numbers.below(4) {
            0 => "*".to_owned(),
            1 => ["T", "F"][self.numbers.below(2)].to_owned(),
            _ => self.about_others(1, false),
        }];
        match self.numbers.below(8) {
            0 => (targets, values) = (vec!["_".into()], vec!["F".into()]),
            1 | 2 => {
                targets.push(self.variable());
                values.push(self.expression(1, true));
            }
            _ => {}
        }
        let is_bound = targets[0] == "_" || self.numbers.chance(30);
        let constraint = match is_bound {
            true => format!(" constrain {}", self.about_others(1, true)),
            false => String::new(),
        };
        let _ = writeln!(self.text, "{} := {}{constraint};", targets.join(", "), values.join(", "));
    }

    fn declare_locals(&mut self) {
        if self.locals > 0 {
            let names: Vec<String> = (0..self.locals).map(|number| format!("l{number}")).collect();
            let _ = writeln!(self.text, "decl {};", names.join(", "));
        }
    }

    fn fresh(&mut self) -> String {
        self.label += 1;
        format!("L{}", self.label)
    }

    fn variable(&mut self) -> String {
        let at = self.numbers.below(self.globals + self.locals);
        if at < self.globals { format!("g{at}") } else { format!("l{}", at - self.globals) }
    }

    fn expression(&mut self, depth: usize, choice: bool) -> String {
        if depth == 0 || self.numbers.chance(35) {
            return match self.numbers.below(10) {
                0 => "T".into(),
                1 => "F".into(),
                2 if choice => "*".into(),
                3 | 4 => format!("!{}", self.variable()),
                _ => self.variable(),
            };
        }
        let (left, right) = (self.expression(depth - 1, choice), self.expression(depth - 1, choice));
        match self.numbers.below(4) {
            0 => format!("({left} & {right})"),
            1 => format!("({left} | {right})"),
            2 => format!("({left} != {right})"),
            _ => format!("!({left} & {right})"),
        }
    }

    fn statements(&mut self, count: usize, depth: usize, inside: Option<usize>) {
        for _ in 0..count {
            self.statement(depth, inside);
        }
    }

    fn call(&mut self, callee: usize) {
        let argument = self.expression(1, true);
        if callee.is_multiple_of(2) {
            let target = self.variable();
            let _ = writeln!(self.text, "{target} := f{callee}({argument});");
        } else {
            let _ = writeln!(self.text, "f{callee}({argument});");
        }
    }

    /// A call of any procedure that need not happen, and something to do after it.
    fn recursive_call(&mut self) {
        let condition = self.expression(1, true);
        let _ = writeln!(self.text, "if ({condition}) then");
        let callee = self.numbers.below(self.procedures);
        self.call(callee);
        self.text.push_str("fi\n");
        self.statement(1, None);
    }

    fn statement(&mut self, depth: usize, inside: Option<usize>) {
        // Without recursion procedures call only those with a higher number.
        let callable = if self.recursion { 0 } else { inside.map_or(0, |number| number + 1) };
        if self.broadcasts && self.numbers.chance(25) {
            return self.broadcast();
        }
        match self.numbers.below(16) {
            0..=3 => {
                let (target, value) = (self.variable(), self.expression(2, true));
                let _ = writeln!(self.text, "{target} := {value};");
            }
            4 => {
                let (first, second) = (self.variable(), self.variable());
                if first == second {
                    let _ = writeln!(self.text, "skip;");
                    return;
                }
                let (a, b) = (self.expression(1, true), self.expression(1, true));
                let constraint = if self.numbers.chance(50) {
                    format!(" constrain ('{first} | {})", self.expression(1, false))
                } else {
                    String::new()
                };
                let _ = writeln!(self.text, "{first}, {second} := {a}, {b}{constraint};");
            }
            5 | 6 => {
                let condition = self.expression(2, false);
                let _ = writeln!(self.text, "assume({condition});");
            }
            7 | 8 => {
                let (condition, other) = (self.expression(2, false), self.expression(1, false));
                let _ = writeln!(self.text, "assert({condition} | {other});");
            }
            9 | 10 if depth > 0 => {
                let condition = self.expression(1, true);
                let _ = writeln!(self.text, "if ({condition}) then");
                self.statements(1 + depth / 2, depth - 1, inside);
                self.text.push_str("else\n");
                self.statements(1, depth - 1, inside);
                self.text.push_str("fi\n");
            }
            11 if depth > 0 => {
                let condition = self.expression(1, true);
                let _ = writeln!(self.text, "while ({condition}) do");
                self.statements(1, depth - 1, inside);
                self.text.push_str("od\n");
            }
            12 if depth > 0 => {
                self.text.push_str("atomic_begin;\n");
                self.statements(2, 0, inside);
                self.text.push_str("atomic_end;\n");
            }
            13 | 14 if callable < self.procedures => {
                let callee = callable + self.numbers.below(self.procedures - callable);
                self.call(callee);
            }
            15 if callable < self.procedures && depth > 0 => {
                let callee = callable + self.numbers.below(self.procedures - callable);
                self.label += 1;
                let argument = self.expression(1, true);
                let _ = writeln!(self.text, "ASYNC_{}: f{callee}({argument});", self.label);
            }
            _ => self.text.push_str("skip;\n"),
        }
    }
}
