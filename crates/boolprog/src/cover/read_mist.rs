//! Reads nets in the format of the mist tool (`.spec`): Petri nets with transfers, resets and limits in
//! guards.
//!
//! Sections `vars`, `rules`, `init`, `target`, `invariants` in this order, the last one optional (it holds
//! hints for other tools and is only checked for syntax). A guard is a conjunction of `x >= n`, `x = n` and
//! `x in [a,b]`; an assignment `x' = …` is a sum of variables and numbers over the values before the step,
//! variables that are not assigned keep their value. In `init`, variables that are not mentioned are
//! arbitrary. A target is a conjunction; the next one starts where no comma stands. A variable that a rule
//! assigns twice is a slip; both readings are possible then, with a warning, so that a proof holds for
//! whichever was meant.

use super::system::{
    Arc, Broadcast, ControlId, Effect, Initial, InitialCount, Move, PlaceId, System, Target, Transition,
};
use base::{Diagnostic, Diagnostics, Id, IndexVec, SourceId, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Name,
    Number,
    Symbol,
    End,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    span: Span,
}

/// Lower and upper limit of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: u32,
    high: Option<u32>,
}

type Ranges = BTreeMap<PlaceId, Range>;

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    places: FxHashMap<&'a str, PlaceId>,
    names: IndexVec<PlaceId, String>,
    diagnostics: &'a mut Diagnostics,
}

/// The parser met an error that it has reported.
struct Reported;

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

fn tokens<'a>(text: &'a str, base: u32, diagnostics: &mut Diagnostics) -> Vec<Token<'a>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let run =
            |from: usize, is: fn(u8) -> bool| from + bytes[from..].iter().take_while(|b| is(**b)).count();
        let kind = match byte {
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' => {
                at = run(at, |b| b != b'\n');
                continue;
            }
            b'0'..=b'9' => {
                at = run(at, |b| b.is_ascii_digit());
                Kind::Number
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at = run(at, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@'));
                Kind::Name
            }
            _ => {
                at += if bytes[at..].starts_with(b">=") || bytes[at..].starts_with(b"->") { 2 } else { 1 };
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                Kind::Symbol
            }
        };
        let span = Span::new(base + start as u32, base + at as u32);
        let token = Token { kind, text: &text[start..at], span };
        let known = matches!(token.text, ">=" | "->" | "=" | "'" | "+" | "-" | "," | ";" | "[" | "]");
        if kind == Kind::Symbol && !known {
            let message = format!("`{}` has no meaning here", token.text);
            diagnostics.push(Diagnostic::error("unexpected-character", span, message));
        } else {
            found.push(token);
        }
    }
    let end = base + text.len() as u32;
    found.push(Token { kind: Kind::End, text: "the end of the file", span: Span::new(end, end) });
    found
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn takes(&mut self, text: &str) -> bool {
        let is = self.peek().kind != Kind::End && self.peek().text == text;
        if is {
            self.at += 1;
        }
        is
    }

    fn at_section(&self) -> bool {
        self.peek().kind == Kind::End || SECTIONS.contains(&self.peek().text)
    }

    fn expected<T>(&mut self, what: &str) -> Result<T, Reported> {
        let token = self.peek();
        let message = format!(
            "expected {what}, found {}",
            if token.kind == Kind::End { token.text.to_owned() } else { format!("`{}`", token.text) }
        );
        self.diagnostics.push(Diagnostic::error("syntax", token.span, message));
        Err(Reported)
    }

    fn expect(&mut self, text: &str) -> Result<(), Reported> {
        if self.takes(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    fn number(&mut self) -> Result<u32, Reported> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.expected("a number");
        }
        self.at += 1;
        // A margin below 2^32, so that sums of arcs cannot leave the range of counts.
        match token.text.parse::<u32>().ok().filter(|number| *number < 1 << 30) {
            Some(number) => Ok(number),
            None => {
                let message = format!("{} is too large", token.text);
                self.diagnostics.push(Diagnostic::error("number-too-large", token.span, message));
                Err(Reported)
            }
        }
    }

    fn place(&mut self) -> Result<PlaceId, Reported> {
        let token = self.peek();
        if token.kind != Kind::Name || SECTIONS.contains(&token.text) {
            return self.expected("a variable");
        }
        self.at += 1;
        match self.places.get(token.text) {
            Some(place) => Ok(*place),
            None => {
                let message = format!("`{}` is not declared", token.text);
                let problem = Diagnostic::error("undeclared-name", token.span, message);
                self.diagnostics.push(problem.hint("variables are declared in the section `vars`"));
                Err(Reported)
            }
        }
    }

    /// `x >= n`, `x = n` or `x in [a,b]`, narrowing what is known of the variable.
    fn constraint(&mut self, ranges: &mut Ranges) -> Result<(), Reported> {
        let span = self.peek().span;
        let place = self.place()?;
        let range = if self.takes(">=") {
            Range { low: self.number()?, high: None }
        } else if self.takes("=") {
            let number = self.number()?;
            Range { low: number, high: Some(number) }
        } else if self.takes("in") {
            self.expect("[")?;
            let low = self.number()?;
            self.expect(",")?;
            let high = self.number()?;
            self.expect("]")?;
            Range { low, high: Some(high) }
        } else {
            return self.expected("`>=`, `=` or `in`");
        };
        match ranges.get_mut(&place) {
            None => {
                ranges.insert(place, range);
            }
            Some(known) => {
                let message = format!("`{}` is limited twice; both limits hold", self.names[place]);
                self.diagnostics.push(Diagnostic::warning("limited-twice", span, message));
                known.low = known.low.max(range.low);
                known.high = match (known.high, range.high) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        Ok(())
    }

    fn conjunction(&mut self) -> Result<Ranges, Reported> {
        let mut ranges = Ranges::new();
        self.constraint(&mut ranges)?;
        while self.takes(",") {
            self.constraint(&mut ranges)?;
        }
        Ok(ranges)
    }

    fn skip_rule(&mut self) {
        while !self.at_section() && !self.takes(";") {
            self.at += 1;
        }
    }

    fn rule(&mut self) -> Result<Vec<Transition>, Reported> {
        let guard = if self.peek().text == "->" { Ranges::new() } else { self.conjunction()? };
        self.expect("->")?;
        // Almost always one reading; a variable that is assigned twice makes two of each.
        let mut readings: Vec<BTreeMap<PlaceId, Sum>> = vec![BTreeMap::new()];
        while !self.takes(";") {
            let span = self.peek().span;
            let place = self.place()?;
            self.expect("'")?;
            self.expect("=")?;
            let sum = self.sum()?;
            if readings[0].contains_key(&place) {
                let message =
                    format!("`{}` is assigned twice in one rule; either may happen", self.names[place]);
                self.diagnostics.push(Diagnostic::warning("assigned-twice", span, message));
                let mut others = readings.clone();
                others.iter_mut().for_each(|reading| drop(reading.insert(place, sum.clone())));
                readings.extend(others);
            } else {
                readings.iter_mut().for_each(|reading| drop(reading.insert(place, sum.clone())));
            }
            if self.peek().text != ";" {
                self.expect(",")?;
            }
        }
        let named =
            |reading: &BTreeMap<PlaceId, Sum>| transition(&guard, reading, self.name_of(&guard, reading));
        Ok(readings.iter().filter_map(named).collect())
    }

    fn name_of(&self, guard: &Ranges, assignments: &BTreeMap<PlaceId, Sum>) -> String {
        let mut words: Vec<String> = guard
            .iter()
            .map(|(place, range)| match range.high {
                Some(high) if high == range.low => format!("{}={high}", self.names[*place]),
                Some(high) => format!("{} in [{},{high}]", self.names[*place], range.low),
                None => format!("{}>={}", self.names[*place], range.low),
            })
            .collect();
        words.push("->".to_owned());
        for (place, sum) in assignments {
            let name = &self.names[*place];
            words.push(match (sum.variables.get(place), sum.variables.len()) {
                (Some(1), 1) => format!("{name}{:+}", sum.constant),
                _ => format!("{name}:=…{:+}", sum.constant),
            });
        }
        words.join(" ")
    }

    fn sum(&mut self) -> Result<Sum, Reported> {
        let mut sum = Sum::default();
        let mut negative = self.takes("-");
        loop {
            let token = self.peek();
            if token.kind == Kind::Number {
                let number = i64::from(self.number()?);
                sum.constant += if negative { -number } else { number };
            } else {
                let place = self.place()?;
                if negative {
                    let message = "a variable cannot be subtracted: the step would not be monotone";
                    self.diagnostics.push(Diagnostic::error("negative-variable", token.span, message));
                    return Err(Reported);
                }
                *sum.variables.entry(place).or_insert(0) += 1;
            }
            if self.takes("+") {
                negative = false;
            } else if self.takes("-") {
                negative = true;
            } else {
                return Ok(sum);
            }
        }
    }
}

/// The right side of an assignment.
#[derive(Clone, Default)]
struct Sum {
    variables: BTreeMap<PlaceId, u32>,
    constant: i64,
}

/// `None` if the guard can never hold.
fn transition(guard: &Ranges, assignments: &BTreeMap<PlaceId, Sum>, name: String) -> Option<Transition> {
    if guard.values().any(|range| range.high.is_some_and(|high| high < range.low)) {
        return None;
    }
    let keeps = |place: &PlaceId, sum: &Sum| sum.variables.len() == 1 && sum.variables.get(place) == Some(&1);
    let effect = if assignments.iter().all(|(place, sum)| keeps(place, sum)) {
        let mut arcs: BTreeMap<PlaceId, Arc> = BTreeMap::new();
        for (place, range) in guard {
            arcs.insert(*place, Arc { place: *place, needs: range.low, change: 0 });
        }
        for (place, sum) in assignments {
            let arc = arcs.entry(*place).or_insert(Arc { place: *place, needs: 0, change: 0 });
            arc.change = sum.constant;
            // Without a guard of its own, the step is possible only if the result is not negative.
            arc.needs = arc.needs.max(u32::try_from(-sum.constant).unwrap_or(0));
        }
        Effect::Plain(arcs.into_values().filter(|arc| arc.needs > 0 || arc.change != 0).collect())
    } else {
        let mut becomes: BTreeMap<PlaceId, BTreeMap<PlaceId, u32>> = BTreeMap::new();
        for (to, sum) in assignments {
            becomes.entry(*to).or_default();
            for from in sum.variables.keys() {
                let kept = becomes.entry(*from).or_default();
                if !assignments.contains_key(from) {
                    kept.insert(*from, 1);
                }
            }
        }
        for (to, sum) in assignments {
            for (from, times) in &sum.variables {
                becomes.entry(*from).or_default().insert(*to, *times);
            }
        }
        let moves = becomes
            .into_iter()
            .filter(|(from, tokens)| !(tokens.len() == 1 && tokens.get(from) == Some(&1)))
            .map(|(from, tokens)| Move { from, choices: vec![tokens.into_iter().collect()] });
        Effect::Broadcast(Broadcast {
            needs: guard
                .iter()
                .filter(|(_, range)| range.low > 0)
                .map(|(p, range)| (*p, range.low))
                .collect(),
            take: Vec::new(),
            moves: moves.collect(),
            add: assignments
                .iter()
                .filter(|(_, sum)| sum.constant != 0)
                .map(|(p, sum)| (*p, sum.constant))
                .collect(),
        })
    };
    let control = ControlId::from_index(0);
    let at_most = guard.iter().filter_map(|(place, range)| Some((*place, range.high?))).collect();
    Some(Transition { from: control, to: control, at_most, effect, name })
}

/// Reads a net. Errors are in the diagnostics; then there is none.
pub fn read(sources: &SourceMap, file: SourceId, diagnostics: &mut Diagnostics) -> Option<System> {
    let source = sources.source(file);
    let text = source.text().clone();
    let tokens = tokens(&text, source.base(), diagnostics);
    let mut parser =
        Parser { tokens, at: 0, places: FxHashMap::default(), names: IndexVec::new(), diagnostics };
    let system = parser.net().ok();
    system.filter(|_| !diagnostics.has_errors())
}

impl<'a> Parser<'a> {
    fn net(&mut self) -> Result<System, Reported> {
        self.expect("vars")?;
        while !self.at_section() {
            let token = self.next();
            if token.kind != Kind::Name {
                self.at -= 1;
                return self.expected("a variable or `rules`");
            }
            let place = self.names.push(token.text.to_owned());
            if self.places.insert(token.text, place).is_some() {
                let message = format!("`{}` is declared twice", token.text);
                self.diagnostics.push(Diagnostic::error("declared-twice", token.span, message));
            }
            self.takes(",");
        }
        self.expect("rules")?;
        let mut transitions = IndexVec::new();
        while !self.at_section() {
            match self.rule() {
                Ok(rules) => rules.into_iter().for_each(|rule| {
                    transitions.push(rule);
                }),
                Err(Reported) => self.skip_rule(),
            }
        }
        self.expect("init")?;
        let start = if self.at_section() { Ranges::new() } else { self.conjunction()? };
        let initial = self.initial(&start);
        self.expect("target")?;
        let mut targets = IndexVec::new();
        while !self.at_section() {
            let ranges = self.conjunction()?;
            if ranges.values().all(|range| range.high.is_none_or(|high| high >= range.low)) {
                targets.push(Target {
                    control: ControlId::from_index(0),
                    at_least: ranges.iter().filter(|(_, r)| r.low > 0).map(|(p, r)| (*p, r.low)).collect(),
                    at_most: ranges.iter().filter_map(|(place, range)| Some((*place, range.high?))).collect(),
                });
            }
        }
        if self.takes("invariants") {
            while self.peek().kind != Kind::End {
                self.conjunction()?;
            }
        }
        if self.peek().kind != Kind::End {
            return self.expected("the end of the file");
        }
        let controls: IndexVec<ControlId, String> = std::iter::once("net".to_owned()).collect();
        Ok(System { controls, places: self.names.clone(), transitions, initial, targets, token: "token" })
    }

    fn initial(&mut self, start: &Ranges) -> Initial {
        let mut counts = Vec::new();
        for place in self.names.ids() {
            let count = match start.get(&place) {
                None => InitialCount::AtLeast(0),
                Some(Range { low, high: None }) => InitialCount::AtLeast(*low),
                Some(Range { low, high: Some(high) }) if low == high => InitialCount::Exactly(*low),
                Some(_) => {
                    let message =
                        format!("`{}` starts in an interval; this is not supported", self.names[place]);
                    self.diagnostics.push(Diagnostic::error("interval-in-init", Span::NOWHERE, message));
                    InitialCount::Exactly(0)
                }
            };
            if count != InitialCount::Exactly(0) {
                counts.push((place, count));
            }
        }
        Initial { control: ControlId::from_index(0), counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Option<System>, Diagnostics) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.spec", text).expect("small");
        let mut diagnostics = Diagnostics::default();
        let system = read(&sources, file, &mut diagnostics);
        (system, diagnostics)
    }

    #[test]
    fn transfers_and_copies_are_told_apart() {
        let text = "vars a b c rules a >= 1, c = 0 -> a' = a - 1, b' = b + c + 2, c' = 0; -> c' = c + a; a>=2 -> a'=a-2; \
            init a >= 1, b = 0, c = 0 target b >= 1, c >= 1 a >= 3 invariants a = 1, b = 1";
        let (system, diagnostics) = read_text(text);
        assert!(!diagnostics.has_errors(), "{diagnostics:?}");
        let system = system.expect("readable");
        let mut effects = system.transitions.iter().map(|transition| &transition.effect);
        let [a, b, c] = [0, 1, 2].map(PlaceId::from_index);
        let Some(Effect::Broadcast(first)) = effects.next() else { panic!("a transfer") };
        assert_eq!(first.moves, [Move { from: c, choices: vec![vec![(b, 1)]] }]);
        assert_eq!(first.add, [(a, -1), (b, 2)]);
        let Some(Effect::Broadcast(second)) = effects.next() else { panic!("a copy") };
        assert_eq!(second.moves, [Move { from: a, choices: vec![vec![(a, 1), (c, 1)]] }]);
        assert_eq!(effects.next(), Some(&Effect::Plain(vec![Arc { place: a, needs: 2, change: -2 }])));
        assert_eq!(system.targets.len(), 2);
        assert_eq!(system.initial.counts, [(a, InitialCount::AtLeast(1))]);
    }

    #[test]
    fn errors_are_reported_and_reading_goes_on() {
        let text = "vars a rules b >= 1 -> a' = a; a >= 1 -> a' = a - a; init a = 1 target a >= 2";
        let (system, diagnostics) = read_text(text);
        assert!(system.is_none());
        let codes: Vec<&str> = diagnostics.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["undeclared-name", "negative-variable"]);
        for text in
            ["", "vars a", "vars a rules a >= 99999999999 -> ; init target", "vars a rules init a ~ 1 target"]
        {
            assert!(read_text(text).1.has_errors(), "{text}");
        }
    }
}
