//! Statements. Loops and calls use up `fuel`, so that every program ends soon; nothing is read before it is set.

use super::Generator;
use super::integer::{Int, Range};
use super::scope::{Object, Place, Purpose, Reads, Shape};
use super::value::Binding;

impl Generator {
    /// A block with some declarations and statements.
    pub(super) fn block(&mut self, statements: usize) {
        self.open();
        self.depth += 1;
        let known = self.objects.len();
        for _ in 0..self.random.below(3) {
            self.declare_local();
        }
        for _ in 0..statements.max(1) {
            self.statement();
        }
        self.objects.truncate(known);
        self.depth -= 1;
        self.close("");
    }

    /// One random statement (or a short run of them).
    pub(super) fn statement(&mut self) {
        self.free_effects = self.effects;
        let nested = if self.depth < 4 && self.budget > 0 { 27 } else { 13 };
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(nested) {
            0..=4 => self.assignment(),
            5 | 6 => self.compound_assignment(),
            7 => self.step(),
            8 => self.mix(),
            9 => self.print(),
            10 => self.aim_pointer(),
            11 => self.record_copy(),
            12 | 13 => self.call(),
            14 | 15 => self.branch(),
            16 => self.for_loop(),
            17 => self.while_loop(),
            18 | 19 => self.switch(),
            20 => self.early_exit(),
            21 => self.block(2),
            _ => self.piece(),
        }
    }

    fn writable_integer(&mut self) -> Option<Place> {
        // The place may be written twice in one statement: no effects in it.
        let effects = std::mem::replace(&mut self.free_effects, 0);
        let place = self.place(Purpose::Write, |shape| matches!(shape, Shape::Int(_)));
        self.free_effects = effects;
        place
    }

    fn assignment(&mut self) {
        if self.uses_reals && self.random.chance(20) {
            let effects = std::mem::replace(&mut self.free_effects, 0);
            let place = self.place(Purpose::Write, |shape| matches!(shape, Shape::Real(_)));
            self.free_effects = effects;
            if let Some(place) = place {
                let value = self.real(2, Reads::Everything);
                let value = self.kept(&value);
                self.line(&format!("{} = {};", place.text.text, value.at(Binding::Assignment)));
                return;
            }
        }
        let Some(place) = self.writable_integer() else { return };
        let depth = 1 + self.random.below(3);
        let value = self.integer(depth, Reads::Everything);
        if self.random.chance(8)
            && let Some(other) = self.writable_integer()
            && !other.text.text.contains(['*', '>', '['])
            && !place.text.text.contains(['*', '>', '['])
            && other.text.text != place.text.text
        {
            let value = value.at(Binding::Assignment);
            self.line(&format!("{} = {} = {value};", place.text.text, other.text.text));
            return;
        }
        self.line(&format!("{} = {};", place.text.text, value.at(Binding::Assignment)));
    }

    fn compound_assignment(&mut self) {
        let Some(place) = self.writable_integer() else { return };
        let target = place.value();
        let value = self.integer(2, Reads::Everything);
        let ty = target.ty.common(value.ty, self.model);
        if place.is_bit_field && target.ty.width(self.model) > 32 {
            // Arithmetic on a bit-field wider than `int` is done in its own width by gcc, and flagged by us.
            return self.line(&format!("{} = {};", place.text.text, value.at(Binding::Assignment)));
        }
        let text = match self.random.below(6) {
            0 | 1 => {
                let all = ty.range(self.model);
                let (left, right) =
                    (ty.convert(target.range, self.model), ty.convert(value.range, self.model));
                let is_safe = !ty.is_signed()
                    || (Range::new(left.low + right.low, left.high + right.high).fits(all)
                        && Range::new(left.low - right.high, left.high - right.low).fits(all));
                if is_safe {
                    let sign = *self.random.pick(&["+=", "-="]);
                    format!("{} {sign} {}", place.text.text, value.at(Binding::Assignment))
                } else {
                    format!("{} ^= {}", place.text.text, value.at(Binding::Assignment))
                }
            }
            2 => {
                let sign = *self.random.pick(&["/=", "%="]);
                let divisor = self.random.within(1..=40);
                format!("{} {sign} {divisor}", place.text.text)
            }
            3 => {
                let count = self.masked(value, 7);
                format!("{} >>= {}", place.text.text, count.at(Binding::Assignment))
            }
            _ => {
                let sign = *self.random.pick(&["&=", "|=", "^="]);
                format!("{} {sign} {}", place.text.text, value.at(Binding::Assignment))
            }
        };
        self.line(&format!("{text};"));
    }

    fn step(&mut self) {
        let Some(place) = self.writable_integer() else { return };
        let value = place.value();
        let ty = value.ty.promoted();
        let moved = Range::new(value.range.low - 1, value.range.high + 1);
        if place.is_bit_field && ty.width(self.model) > 32 {
            return self.mix();
        }
        let text = place.text.at(Binding::Postfix);
        let change = match self.random.below(4) {
            0 => format!("{text}++"),
            1 => format!("{text}--"),
            2 => format!("++{}", place.at_prefix()),
            _ => format!("--{}", place.at_prefix()),
        };
        if !ty.is_signed() || moved.fits(ty.range(self.model)) {
            self.line(&format!("{change};"));
        } else {
            self.line(&format!("if ({text} > -1000000 && {text} < 1000000)"));
            self.inner(&format!("{change};"));
        }
    }

    /// Adds a value to the checksum.
    pub(super) fn mix(&mut self) {
        let value = self.integer(2, Reads::Everything);
        self.line(&format!("mix({});", value.at(Binding::Assignment)));
    }

    fn print(&mut self) {
        if self.uses_reals && self.random.chance(30) {
            let value = self.real(1, Reads::Everything);
            let format = *self.random.pick(&["%.17{}g", "%{}a", "%.3{}f", "%{}e", "%+012.4{}f", "%{}g"]);
            let format = format.replace("{}", value.ty.modifier());
            self.line(&format!("printf(\"{format}\\n\", {});", value.at(Binding::Assignment)));
            return;
        }
        let (first, second) = (self.integer(1, Reads::Everything), self.integer(1, Reads::Everything));
        let ty = second.ty.promoted();
        let second_format = match self.random.below(4) {
            0 => ty.conversion().replace('%', "%08").replace(['d', 'u'], "x"),
            1 => ty.conversion().replace('%', "%-7") + "|",
            2 => ty.conversion().replace('%', "%#").replace(['d', 'u'], "o"),
            _ => ty.conversion().to_string(),
        };
        self.line(&format!(
            "printf(\"{} {second_format}\\n\", {}, {});",
            first.ty.promoted().conversion(),
            first.at(Binding::Assignment),
            second.at(Binding::Assignment)
        ));
    }

    fn aim_pointer(&mut self) {
        let pointers: Vec<Object> = self
            .objects
            .iter()
            .filter(|object| matches!(object.shape, Shape::Pointer(_)) && object.is_writable)
            .cloned()
            .collect();
        if pointers.is_empty() {
            return self.mix();
        }
        let pointer = self.random.pick(&pointers).clone();
        let Shape::Pointer(target) = &pointer.shape else { unreachable!("filtered above") };
        let first = self.address_of(target, pointer.depth);
        if self.random.chance(30) {
            let second = self.address_of(target, pointer.depth);
            let condition = self.integer(1, Reads::Everything);
            self.line(&format!(
                "{} = {} ? {first} : {second};",
                pointer.name,
                condition.at(Binding::LogicalOr)
            ));
        } else {
            self.line(&format!("{} = {first};", pointer.name));
        }
    }

    fn record_copy(&mut self) {
        let record = self.random.below(self.records.len());
        let saved = std::mem::replace(&mut self.free_effects, 0);
        let wanted = |shape: &Shape| *shape == Shape::Record(record);
        let target = self.place(Purpose::Write, wanted);
        let source = self.place(Purpose::Read(Reads::Everything), wanted);
        self.free_effects = saved;
        match (target, source) {
            (Some(target), Some(source)) => {
                self.line(&format!("{} = {};", target.text.text, source.text.text));
            }
            (Some(target), None) => {
                let value = self.initializer(&Shape::Record(record), super::declare::Initial::Any);
                let name = self.records[record].name.clone();
                self.line(&format!("{} = ({name}){value};", target.text.text));
            }
            _ => self.mix(),
        }
    }

    fn branch(&mut self) {
        let condition = self.integer(2, Reads::Everything);
        self.line(&format!("if ({})", condition.text.text));
        self.block(2);
        if self.random.chance(50) {
            if self.random.chance(30) {
                let condition = self.integer(1, Reads::Everything);
                self.line(&format!("else if ({})", condition.text.text));
                self.block(1);
            }
            self.line("else");
            self.block(2);
        }
    }

    /// Names a loop counter that only its loop changes.
    fn counter(&mut self, low: i128, high: i128) -> (String, Object) {
        let name = self.fresh("i");
        let object = Object {
            name: name.clone(),
            shape: Shape::Int(Int::Plain),
            depth: self.depth + 1,
            is_writable: false,
            is_quiet: true,
            is_volatile: false,
            bounds: Some(Range::new(low, high)),
        };
        (name, object)
    }

    fn for_loop(&mut self) {
        let rounds = 1 + self.random.below(8) as i128;
        let (name, counter) = self.counter(0, rounds - 1);
        let known = self.objects.len();
        self.objects.push(counter);
        let heading = match self.random.below(3) {
            0 => format!("for (int {name} = 0; {name} < {rounds} && fuel-- > 0; {name}++)"),
            1 => format!("for (int {name} = {}; {name} >= 0 && fuel-- > 0; --{name})", rounds - 1),
            _ => format!(
                "for (int {name} = 0, end{name} = {rounds}; fuel-- > 0 && {name} != end{name}; {name} += 1)"
            ),
        };
        self.line(&heading);
        self.loops += 1;
        self.block(2);
        self.loops -= 1;
        self.objects.truncate(known);
    }

    fn while_loop(&mut self) {
        let (name, mut counter) = self.counter(0, 9);
        counter.bounds = Some(Range::new(0, 10));
        let known = self.objects.len();
        self.open();
        self.depth += 1;
        let start = self.random.below(3);
        self.line(&format!("int {name} = {start};"));
        self.objects.push(counter);
        let condition = self.integer(1, Reads::Everything);
        let is_do = self.random.chance(50);
        let test = format!("while ({name}++ < 9 && fuel-- > 0 && ({}))", condition.text.text);
        self.line(if is_do { "do" } else { &test });
        self.loops += 1;
        self.block(2);
        self.loops -= 1;
        if is_do {
            self.line(&format!("{test};"));
        }
        self.depth -= 1;
        self.objects.truncate(known);
        self.close("");
    }

    fn switch(&mut self) {
        let value = self.integer(2, Reads::Everything);
        let mask = *self.random.pick(&[3i128, 7]);
        let value = if self.random.chance(70) { self.masked(value, mask) } else { value };
        self.line(&format!("switch ({})", value.text.text));
        self.open();
        let mut labels: Vec<i64> = (0..8).collect();
        let arms = 2 + self.random.below(4);
        let default_at = self.random.below(arms + 2);
        for arm in 0..arms {
            if arm == default_at {
                self.line("default:");
                self.statement_in_arm();
            }
            let label = labels.remove(self.random.below(labels.len()));
            if self.random.chance(15) && label < 90 {
                let low = 100 + 10 * label;
                self.line(&format!("case {low} ... {}:", low + 7));
            }
            self.line(&format!("case {label}:"));
            self.statement_in_arm();
            if self.random.chance(65) {
                self.line("break;");
            }
        }
        if default_at == arms {
            self.line("default:");
            self.statement_in_arm();
        }
        self.close("");
    }

    fn statement_in_arm(&mut self) {
        self.depth += 1;
        let known = self.objects.len();
        self.block(1);
        self.objects.truncate(known);
        self.depth -= 1;
    }

    fn early_exit(&mut self) {
        let condition = self.integer(2, Reads::Everything);
        let leave = match (self.loops > 0, self.random.below(3)) {
            (true, 0) => "break;".to_string(),
            (true, 1) => "continue;".to_string(),
            _ if self.random.chance(40) => self.return_statement(),
            _ => "fuel--;".to_string(),
        };
        self.line(&format!("if ({})", condition.text.text));
        self.inner(&leave);
    }
}
