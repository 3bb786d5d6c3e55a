//! The format: the number of shared states; then for each thread `PDA first last` with its range of stack
//! symbols and its rules, one per line: `s a -> s' b` changes the top, `s a -> s' b c` calls (b is the new
//! top, c lies below it), `s a -> s' -` pops, `s - -> s' b` starts on an empty stack. `#` starts a comment. A
//! target or a start is `s|a,b`: the shared state and each thread's top, `-` for an empty stack.

use crate::refusal::NotAState;
use base::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

/// A shared state and the tops of all stacks; `None` is an empty stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VisibleState {
    /// The shared state.
    pub shared: u32,
    /// One per thread.
    pub tops: Vec<Option<u32>>,
}

/// One rule of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// In this shared state,
    pub from: u32,
    /// with this top,
    pub top: Option<u32>,
    /// the shared state becomes this
    pub to: u32,
    /// and the top becomes these, the first of them on top.
    pub push: Vec<u32>,
    /// As it stands in the file.
    pub text: String,
}

/// A system with its start.
#[derive(Clone, Debug)]
pub struct PushdownSystem {
    /// How many shared states there are.
    pub shared: u32,
    /// The threads.
    pub threads: Vec<PushdownThread>,
}

/// One thread.
#[derive(Clone, Debug)]
pub struct PushdownThread {
    /// Its first and its last stack symbol.
    pub symbols: (u32, u32),
    /// Its rules.
    pub rules: Vec<Rule>,
}

impl VisibleState {
    /// Reads `s|a,b,-`.
    pub fn parse(text: &str) -> Result<VisibleState, NotAState> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (shared, tops) = compact
            .split_once('|')
            .ok_or_else(|| NotAState::from(format!("`{text}` is not of the form `shared|top,top`")))?;
        let number =
            |text: &str| text.parse().map_err(|_| NotAState::from(format!("`{text}` is not a number")));
        let top = |text: &str| if text == "-" { Ok(None) } else { number(text).map(Some) };
        Ok(VisibleState {
            shared: number(shared)?,
            tops: tops.split(',').map(top).collect::<Result<Vec<_>, NotAState>>()?,
        })
    }

    /// As it is written in files.
    pub fn describe(&self) -> String {
        let tops: Vec<String> = self.tops.iter().map(|top| symbol(*top)).collect();
        format!("{}|{}", self.shared, tops.join(","))
    }
}

/// A symbol as it is written in files.
pub fn symbol(top: Option<u32>) -> String {
    top.map_or_else(|| "-".to_owned(), |symbol| symbol.to_string())
}

impl PushdownSystem {
    /// Every thread at the first symbol of its range, as CUBA's comments have it where no start is given.
    pub fn usual_start(&self) -> VisibleState {
        VisibleState { shared: 0, tops: self.threads.iter().map(|thread| Some(thread.symbols.0)).collect() }
    }

    /// Does a start or target fit the system? If not, why not.
    pub fn objection(&self, state: &VisibleState) -> Option<String> {
        let (named, threads) = (state.tops.len(), self.threads.len());
        (named != threads).then(|| format!("it names {named} threads, the system has {threads}"))
    }

    /// What is odd about a start or target: public files exceed the ranges they declare, so it is no error.
    pub fn oddity(&self, state: &VisibleState) -> Option<String> {
        if state.shared >= self.shared {
            return Some(format!(
                "the file declares {} shared states, {} is none of them",
                self.shared, state.shared
            ));
        }
        let outside = |(top, thread): (&Option<u32>, &PushdownThread)| top.filter(|top| !thread.has(*top));
        let found = state.tops.iter().zip(&self.threads).find_map(outside)?;
        Some(format!("{found} is not among the symbols that the file declares for its thread"))
    }
}

impl PushdownThread {
    fn has(&self, symbol: u32) -> bool {
        (self.symbols.0..=self.symbols.1).contains(&symbol)
    }
}

/// Reads a system. Errors are in the diagnostics; then there is none.
pub fn read(sources: &SourceMap, file: SourceId, diagnostics: &mut Diagnostics) -> Option<PushdownSystem> {
    let source = sources.source(file);
    let mut system: Option<PushdownSystem> = None;
    let mut offset = source.base();
    let mut has_errors = false;
    for raw in source.text().split('\n') {
        let content = raw.split('#').next().unwrap_or("").trim_end();
        let span = Span::new(offset, offset + content.len() as u32);
        offset += raw.len() as u32 + 1;
        let words: Vec<&str> = content.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        match line(&words, content.trim(), &mut system) {
            Ok(None) => {}
            Ok(Some(odd)) => diagnostics.push(Diagnostic::warning("out-of-range", span, odd)),
            Err(why) => {
                let problem = Diagnostic::error("bad-line", span, why);
                diagnostics.push(
                    problem
                        .hint("a rule is `shared top -> shared top`, a thread begins with `PDA first last`"),
                );
                has_errors = true;
            }
        }
    }
    if has_errors {
        return None;
    }
    if system.as_ref().is_none_or(|system| system.threads.is_empty()) {
        let message = "the file has no thread (a line `PDA first last`)";
        diagnostics.push(Diagnostic::error("no-thread", Span::NOWHERE, message));
        return None;
    }
    system
}

/// What is odd about the line, if anything is.
fn line(words: &[&str], text: &str, system: &mut Option<PushdownSystem>) -> Result<Option<String>, String> {
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is not a number"));
    let Some(system) = system else {
        let [count] = words else { return Err("the first line is the number of shared states".to_owned()) };
        *system = Some(PushdownSystem { shared: number(count)?, threads: Vec::new() });
        return Ok(None);
    };
    if let ["PDA", first, last] = words {
        let range = (number(first)?, number(last)?);
        if range.0 > range.1 {
            return Err("the range of symbols is empty".to_owned());
        }
        system.threads.push(PushdownThread { symbols: range, rules: Vec::new() });
        return Ok(None);
    }
    let shared = system.shared;
    let Some(thread) = system.threads.last_mut() else {
        return Err("a rule stands before the first `PDA first last`".to_owned());
    };
    let [from, top, "->", to, push @ ..] = words else { return Err(format!("`{text}` is not a rule")) };
    let top = if *top == "-" { None } else { Some(number(top)?) };
    let push = match push {
        ["-"] => Vec::new(),
        [one] => vec![number(one)?],
        [one, below] => vec![number(one)?, number(below)?],
        _ => return Err("a rule puts one or two symbols, or `-`".to_owned()),
    };
    let rule = Rule { from: number(from)?, top, to: number(to)?, push, text: text.to_owned() };
    let symbol = rule.top.iter().chain(&rule.push).find(|symbol| !thread.has(**symbol));
    let odd = match symbol {
        Some(symbol) => Some(format!(
            "{symbol} is not among the symbols declared for this thread; it is taken all the same"
        )),
        None if rule.from.max(rule.to) >= shared => {
            Some(format!("the file declares {shared} shared states; this one is taken all the same"))
        }
        None => None,
    };
    thread.rules.push(rule);
    Ok(odd)
}
