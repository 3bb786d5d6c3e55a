//! Reads thread transition systems (`.tts`), their targets (`.prop`) and initial states, as BFC writes them.
//!
//! `S L` gives the numbers of shared and local states; then one transition per line: `s l -> s' l'`, with
//! passive effects `m ~> m'` behind it (every other thread in `m` moves; several lines for one `m` are a
//! choice, each thread on its own); `s l +> s' l'` starts a thread in `l'` and leaves the running one where
//! it is; `s l ~> s' l'` moves all threads of `l` without a running thread. `#` starts a comment. A target or
//! start is `s|l,l` with `/l,l` for local states with any number of threads. States that nothing mentions get
//! no place: files with half a million declared states are common.

use super::system::{
    Arc, Broadcast, ControlId, Effect, Initial, InitialCount, Move, PlaceId, System, Target, Transition,
};
use crate::refusal::NotAState;
use base::{Diagnostic, Diagnostics, Id, IndexVec, SourceId, SourceMap, Span};
use std::collections::BTreeMap;

/// A word of the text with its place.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    span: Span,
}

/// `s|l,l/u,u`: shared state, local states of one thread each, local states of any number of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadStates {
    /// The shared state.
    pub shared: u32,
    /// One thread each.
    pub one_each: Vec<u32>,
    /// Any number of threads.
    pub any_number: Vec<u32>,
}

impl ThreadStates {
    /// Reads `s|l,l/u,u`; either part may be missing.
    pub fn parse(text: &str) -> Result<ThreadStates, NotAState> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (front, any) = compact.split_once('/').unwrap_or((&compact, ""));
        let (shared, one) = front.split_once('|').unwrap_or((front, ""));
        let number = |text: &str| {
            text.parse::<u32>().map_err(|_| NotAState::from(format!("`{text}` is not the number of a state")))
        };
        let list = |text: &str| {
            text.split(',')
                .filter(|part| !part.is_empty())
                .map(number)
                .collect::<Result<Vec<u32>, NotAState>>()
        };
        Ok(ThreadStates { shared: number(shared)?, one_each: list(one)?, any_number: list(any)? })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Thread,
    Spawn,
    Transfer,
}

struct Line {
    kind: Kind,
    from: (u32, u32),
    to: (u32, u32),
    passive: Vec<(u32, u32)>,
    name: String,
}

struct Reader<'a> {
    words: Vec<Word<'a>>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    fn number(&mut self, at: usize, line: Span, what: &str) -> Option<u32> {
        let Some(word) = self.words.get(at) else {
            self.diagnostics.push(
                Diagnostic::error("missing-number", line, format!("{what} is missing"))
                    .hint("a transition is `shared local -> shared local`"),
            );
            return None;
        };
        let number = word.text.parse().ok();
        if number.is_none() {
            let message = format!("expected {what}, found `{}`", word.text);
            self.diagnostics.push(Diagnostic::error("not-a-number", word.span, message));
        }
        number
    }

    fn below(&mut self, number: u32, limit: u32, at: usize, what: &str) -> bool {
        if number >= limit {
            let message = format!("{what} state {number} is out of range: the file declares {limit}");
            self.diagnostics.push(Diagnostic::error("state-out-of-range", self.words[at].span, message));
        }
        number < limit
    }
}

fn words(text: &str, base: u32) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().enumerate().chain(std::iter::once((text.len(), b' '))) {
        match (byte.is_ascii_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                let span = Span::new(base + from as u32, base + at as u32);
                found.push(Word { text: &text[from..at], span });
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Reads a system. Errors are in the diagnostics; then there is none.
pub fn read(
    sources: &SourceMap,
    file: SourceId,
    target: &ThreadStates,
    start: &ThreadStates,
    diagnostics: &mut Diagnostics,
) -> Option<System> {
    let source = sources.source(file);
    let mut sizes: Option<(u32, u32)> = None;
    let mut lines: Vec<Line> = Vec::new();
    let mut offset = source.base();
    for raw in source.text().split('\n') {
        let content = raw.split('#').next().unwrap_or("").trim_end_matches('\r');
        let span = Span::new(offset, offset + content.len() as u32);
        let words = words(content, offset);
        offset += raw.len() as u32 + 1;
        if words.is_empty() {
            continue;
        }
        let mut reader = Reader { words, diagnostics };
        match sizes {
            None => {
                let shared = reader.number(0, span, "the number of shared states")?;
                let local = reader.number(1, span, "the number of local states")?;
                if shared == 0 || local == 0 {
                    let message = "a system has at least one shared and one local state";
                    diagnostics.push(Diagnostic::error("no-states", span, message));
                    return None;
                }
                sizes = Some((shared, local));
            }
            Some(sizes) => lines.extend(read_line(&mut reader, span, content, sizes)),
        }
    }
    let Some(sizes) = sizes else {
        let at = Span::new(source.base(), source.base());
        let problem = Diagnostic::error("no-states", at, "the file has no line with the numbers of states");
        diagnostics.push(problem.hint("the first line is `SHARED LOCAL`, such as `2 5`"));
        return None;
    };
    check_states(sizes, target, start, source.base(), diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    Some(build(&lines, target, start))
}

fn check_states(
    sizes: (u32, u32),
    target: &ThreadStates,
    start: &ThreadStates,
    base: u32,
    diagnostics: &mut Diagnostics,
) {
    let at = Span::new(base, base);
    let outside = |states: &ThreadStates| {
        states.shared >= sizes.0
            || states.one_each.iter().chain(&states.any_number).any(|local| *local >= sizes.1)
    };
    if outside(start) {
        let message = "the initial state names a state that the file does not declare";
        diagnostics.push(Diagnostic::error("state-out-of-range", at, message));
    }
    if outside(target) {
        let message = "the target names a state that the file does not declare; it cannot be reached";
        diagnostics.push(Diagnostic::warning("state-out-of-range", at, message));
    }
    if !target.any_number.is_empty() {
        let message = "a target cannot ask for any number of threads";
        diagnostics.push(Diagnostic::error("unbounded-target", at, message));
    }
}

fn read_line(reader: &mut Reader<'_>, span: Span, content: &str, sizes: (u32, u32)) -> Option<Line> {
    let shared = reader.number(0, span, "the shared state before")?;
    let local = reader.number(1, span, "the local state before")?;
    let kind = match reader.words.get(2).map(|word| word.text) {
        Some("->") => Kind::Thread,
        Some("+>") => Kind::Spawn,
        Some("~>") => Kind::Transfer,
        other => {
            let at = reader.words.get(2).map_or(span, |word| word.span);
            let message = match other {
                Some(word) => format!("expected `->`, `+>` or `~>`, found `{word}`"),
                None => "the arrow is missing".to_owned(),
            };
            reader.diagnostics.push(Diagnostic::error("bad-arrow", at, message));
            return None;
        }
    };
    let next_shared = reader.number(3, span, "the shared state after")?;
    let next_local = reader.number(4, span, "the local state after")?;
    let mut good = reader.below(shared, sizes.0, 0, "shared");
    good &= reader.below(local, sizes.1, 1, "local");
    good &= reader.below(next_shared, sizes.0, 3, "shared");
    good &= reader.below(next_local, sizes.1, 4, "local");
    let mut passive = Vec::new();
    let mut at = 5;
    while at < reader.words.len() {
        if kind != Kind::Thread {
            let message = "only a `->` transition can have passive effects";
            reader.diagnostics.push(Diagnostic::error("passive-effect", reader.words[at].span, message));
            return None;
        }
        let from = reader.number(at, span, "a local state")?;
        if reader.words.get(at + 1).map(|word| word.text) != Some("~>") {
            let place = reader.words.get(at + 1).map_or(span, |word| word.span);
            reader.diagnostics.push(Diagnostic::error(
                "bad-arrow",
                place,
                "expected `~>` in a passive effect",
            ));
            return None;
        }
        let to = reader.number(at + 2, span, "a local state")?;
        good &= reader.below(from, sizes.1, at, "local") && reader.below(to, sizes.1, at + 2, "local");
        passive.push((from, to));
        at += 3;
    }
    let name = if content.len() > 60 {
        format!("{shared} {local} -> {next_shared} {next_local} with {} passive effects", passive.len())
    } else {
        content.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    good.then_some(Line { kind, from: (shared, local), to: (next_shared, next_local), passive, name })
}

/// Numbers of the file to dense ids, in order of the numbers.
struct Names<I> {
    ids: BTreeMap<u32, I>,
}

impl<I: Id> Names<I> {
    fn new(numbers: impl Iterator<Item = u32>) -> Names<I> {
        let mut ids: BTreeMap<u32, I> = numbers.map(|number| (number, I::from_index(0))).collect();
        ids.values_mut().enumerate().for_each(|(index, id)| *id = I::from_index(index));
        Names { ids }
    }

    fn get(&self, number: u32) -> I {
        self.ids[&number]
    }

    fn names(&self) -> IndexVec<I, String> {
        self.ids.keys().map(u32::to_string).collect()
    }
}

fn build(lines: &[Line], target: &ThreadStates, start: &ThreadStates) -> System {
    let shared = lines.iter().flat_map(|line| [line.from.0, line.to.0]).chain([target.shared, start.shared]);
    let controls: Names<ControlId> = Names::new(shared);
    let passive = lines.iter().flat_map(|line| line.passive.iter().flat_map(|(from, to)| [*from, *to]));
    let active = lines.iter().flat_map(|line| [line.from.1, line.to.1]);
    let named = [&target.one_each, &start.one_each, &start.any_number].into_iter().flatten().copied();
    let places: Names<PlaceId> = Names::new(passive.chain(active).chain(named));
    let transitions = lines.iter().map(|line| transition(line, &controls, &places)).collect();
    let mut counts: BTreeMap<PlaceId, InitialCount> = BTreeMap::new();
    for local in &start.one_each {
        let count = counts.entry(places.get(*local)).or_insert(InitialCount::Exactly(0));
        if let InitialCount::Exactly(count) = count {
            *count += 1;
        }
    }
    for local in &start.any_number {
        let count = counts.entry(places.get(*local)).or_insert(InitialCount::AtLeast(0));
        if let InitialCount::Exactly(least) = *count {
            *count = InitialCount::AtLeast(least);
        }
    }
    let mut asked: BTreeMap<PlaceId, u32> = BTreeMap::new();
    target.one_each.iter().for_each(|local| *asked.entry(places.get(*local)).or_insert(0) += 1);
    let mut targets = IndexVec::new();
    targets.push(Target {
        control: controls.get(target.shared),
        at_least: asked.into_iter().collect(),
        at_most: Vec::new(),
    });
    System {
        controls: controls.names(),
        places: places.names(),
        transitions,
        initial: Initial { control: controls.get(start.shared), counts: counts.into_iter().collect() },
        targets,
        token: "thread",
    }
}

fn transition(line: &Line, controls: &Names<ControlId>, places: &Names<PlaceId>) -> Transition {
    let (from, to) = (places.get(line.from.1), places.get(line.to.1));
    let effect = match line.kind {
        Kind::Thread if line.passive.is_empty() => Effect::Plain(arcs(from, to, true)),
        Kind::Spawn => Effect::Plain(arcs(from, to, false)),
        Kind::Thread => {
            let mut moves: BTreeMap<PlaceId, Vec<Vec<(PlaceId, u32)>>> = BTreeMap::new();
            for (source, goal) in &line.passive {
                moves.entry(places.get(*source)).or_default().push(vec![(places.get(*goal), 1)]);
            }
            let moves = moves.into_iter().map(|(from, mut choices)| {
                choices.sort();
                choices.dedup();
                Move { from, choices }
            });
            Effect::Broadcast(Broadcast {
                needs: vec![(from, 1)],
                take: vec![(from, 1)],
                moves: moves.collect(),
                add: vec![(to, 1)],
            })
        }
        Kind::Transfer => Effect::Broadcast(Broadcast {
            moves: vec![Move { from, choices: vec![vec![(to, 1)]] }],
            ..Broadcast::default()
        }),
    };
    Transition {
        from: controls.get(line.from.0),
        to: controls.get(line.to.0),
        at_most: Vec::new(),
        effect,
        name: line.name.clone(),
    }
}

/// A thread goes from one place to the other, or stays and starts one there.
fn arcs(from: PlaceId, to: PlaceId, leaves: bool) -> Vec<Arc> {
    let lost = i64::from(leaves);
    if from == to {
        return vec![Arc { place: from, needs: 1, change: 1 - lost }];
    }
    let mut arcs = vec![Arc { place: from, needs: 1, change: -lost }, Arc { place: to, needs: 0, change: 1 }];
    arcs.sort_by_key(|arc| arc.place);
    arcs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, target: &str, start: &str) -> (Option<System>, Diagnostics) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.tts", text).expect("small");
        let mut diagnostics = Diagnostics::default();
        let target = ThreadStates::parse(target).expect("a target");
        let start = ThreadStates::parse(start).expect("a start");
        let system = read(&sources, file, &target, &start, &mut diagnostics);
        (system, diagnostics)
    }

    #[test]
    fn reads_all_kinds_of_lines() {
        let text = "# comment\n3 900000\n0 0 -> 1 7 4 ~> 5 4 ~> 4 # passive\n1 7 +> 2 7\n2 4 ~> 0 5\n";
        let (system, diagnostics) = read_text(text, "1|7,7", "0|4/0");
        assert!(!diagnostics.has_errors());
        let system = system.expect("readable");
        assert_eq!((system.controls.len(), system.places.len(), system.transitions.len()), (3, 4, 3));
        assert_eq!(system.targets.iter().next().expect("one").at_least, [(PlaceId::from_index(3), 2)]);
        assert!(system.starts_unbounded());
        assert!(!system.transitions.iter().all(Transition::is_plain));
    }

    #[test]
    fn errors_have_places() {
        for (text, code) in [
            ("", "no-states"),
            ("2 x\n", "not-a-number"),
            ("2 2\n0 0 => 1 1\n", "bad-arrow"),
            ("2 2\n0 0 -> 1\n", "missing-number"),
            ("2 2\n0 0 -> 1 5\n", "state-out-of-range"),
            ("2 2\n0 0 +> 1 1 0 ~> 1\n", "passive-effect"),
        ] {
            let (system, diagnostics) = read_text(text, "0|1", "0/0");
            assert!(system.is_none(), "{text}");
            assert_eq!(diagnostics.iter().next().map(|problem| problem.code), Some(code), "{text}");
        }
        assert!(ThreadStates::parse("0|x").is_err());
    }
}
