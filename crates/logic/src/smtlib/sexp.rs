//! S-expressions in an arena: a nest a million deep is read and dropped without recursion.

base::define_id!(
    /// One expression of a [`Sexps`].
    SexpId,
    "s"
);

/// Atoms keep their text; quoted symbols lose their bars, strings keep their quotes.
enum Node {
    Atom { text: String, quoted: bool },
    List(Vec<SexpId>),
}

/// All expressions of a text.
pub(crate) struct Sexps {
    nodes: base::IndexVec<SexpId, (Node, usize)>,
    pub(crate) top: Vec<SexpId>,
}

/// Bad text: where (byte) and what.
pub(crate) struct BadText {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

impl Sexps {
    pub(crate) fn read(text: &str) -> Result<Sexps, BadText> {
        let bytes = text.as_bytes();
        let mut sexps = Sexps { nodes: base::IndexVec::new(), top: Vec::new() };
        let mut open: Vec<(usize, Vec<SexpId>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let finished = match bytes[at] {
                b';' => {
                    at += text[at..].find('\n').unwrap_or(text.len() - at);
                    continue;
                }
                byte if byte.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'(' => {
                    at += 1;
                    open.push((start, Vec::new()));
                    continue;
                }
                b')' => {
                    at += 1;
                    let Some((began, items)) = open.pop() else {
                        return Err(BadText { at: start, what: "a parenthesis closes that none opened" });
                    };
                    sexps.nodes.push((Node::List(items), began))
                }
                b'|' => {
                    let Some(length) = text[at + 1..].find('|') else {
                        return Err(BadText { at: start, what: "a quoted symbol does not end" });
                    };
                    at += length + 2;
                    let name = text[start + 1..at - 1].to_owned();
                    sexps.nodes.push((Node::Atom { text: name, quoted: true }, start))
                }
                b'"' => {
                    at += 1;
                    loop {
                        let Some(length) = text[at..].find('"') else {
                            return Err(BadText { at: start, what: "a string does not end" });
                        };
                        at += length + 1;
                        // A doubled quote stands for one inside.
                        if bytes.get(at) != Some(&b'"') {
                            break;
                        }
                        at += 1;
                    }
                    sexps.nodes.push((Node::Atom { text: text[start..at].to_owned(), quoted: false }, start))
                }
                _ => {
                    let rest = &text[at..];
                    let length = rest
                        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | '|' | '"' | ';'))
                        .unwrap_or(rest.len());
                    at += length.max(1);
                    sexps.nodes.push((Node::Atom { text: text[start..at].to_owned(), quoted: false }, start))
                }
            };
            match open.last_mut() {
                Some((_, items)) => items.push(finished),
                None => sexps.top.push(finished),
            }
        }
        match open.first() {
            Some(&(at, _)) => Err(BadText { at, what: "a parenthesis is not closed" }),
            None => Ok(sexps),
        }
    }

    /// The text of an atom.
    pub(crate) fn atom(&self, id: SexpId) -> Option<&str> {
        match &self.nodes[id].0 {
            Node::Atom { text, .. } => Some(text),
            Node::List(_) => None,
        }
    }

    /// Was it written between bars, so that it is a name whatever it looks like?
    pub(crate) fn is_quoted(&self, id: SexpId) -> bool {
        matches!(&self.nodes[id].0, Node::Atom { quoted: true, .. })
    }

    /// The items of a list.
    pub(crate) fn list(&self, id: SexpId) -> Option<&[SexpId]> {
        match &self.nodes[id].0 {
            Node::Atom { .. } => None,
            Node::List(items) => Some(items),
        }
    }

    /// Where it begins, in bytes.
    pub(crate) fn at(&self, id: SexpId) -> usize {
        self.nodes[id].1
    }

    /// The atoms of a list of atoms.
    pub(crate) fn atoms(&self, id: SexpId) -> Option<Vec<&str>> {
        self.list(id)?.iter().map(|&item| self.atom(item)).collect()
    }
}

/// Follows text line by line and tells when an expression is complete.
#[derive(Default)]
pub(crate) struct CompleteExpression {
    depth: usize,
    in_bars: bool,
    in_string: bool,
    something: bool,
}

/// A follower at the beginning of an expression.
pub(crate) fn complete_expression() -> CompleteExpression {
    CompleteExpression::default()
}

impl CompleteExpression {
    /// Takes a line; true when what was taken so far is a complete expression.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let mut in_comment = false;
        for c in line.chars() {
            match c {
                '\n' => in_comment = false,
                _ if in_comment => {}
                '|' if !self.in_string => self.in_bars = !self.in_bars,
                _ if self.in_bars => {}
                '"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                ';' => in_comment = true,
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.something |= !in_comment && !c.is_whitespace();
        }
        self.something && self.depth == 0 && !self.in_bars && !self.in_string
    }
}
