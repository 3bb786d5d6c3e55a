//! As much JSON as reading the answers needs.

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, `true` and `false` are words.
    Word(String),
    /// A number, as written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, in the order of the file.
    Map(Vec<(String, Json)>),
}

impl Json {
    /// The value of a whole text.
    pub fn read(text: &str) -> Option<Json> {
        let mut reader = Reader { rest: text };
        let value = reader.value()?;
        reader.rest.trim_start().is_empty().then_some(value)
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Map(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The elements of an array; none for anything else.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// The characters of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The string of a member, or the empty one.
    pub fn text_of(&self, name: &str) -> String {
        self.get(name).and_then(Json::text).unwrap_or_default().to_string()
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        (self.peek()? == wanted).then(|| self.rest = &self.rest[wanted.len_utf8()..])
    }

    fn value(&mut self) -> Option<Json> {
        match self.peek()? {
            '{' => {
                self.take('{')?;
                let mut members = Vec::new();
                while self.peek()? != '}' {
                    let key = self.string()?;
                    self.take(':')?;
                    members.push((key, self.value()?));
                    if self.take(',').is_none() {
                        break;
                    }
                }
                self.take('}')?;
                Some(Json::Map(members))
            }
            '[' => {
                self.take('[')?;
                let mut items = Vec::new();
                while self.peek()? != ']' {
                    items.push(self.value()?);
                    if self.take(',').is_none() {
                        break;
                    }
                }
                self.take(']')?;
                Some(Json::List(items))
            }
            '"' => self.string().map(Json::Text),
            first => {
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.');
                let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                if word.is_empty() {
                    return None;
                }
                let word = word.to_string();
                Some(if first.is_alphabetic() { Json::Word(word) } else { Json::Number(word) })
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take('"')?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                '\\' => match chars.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'u' => {
                        let digits: String = (0..4).map_while(|_| chars.next().map(|(_, c)| c)).collect();
                        let code = u32::from_str_radix(&digits, 16).ok()?;
                        text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    other => text.push(other),
                },
                other => text.push(other),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_must() {
        let json =
            Json::read(r#"{"a": [1, -2, {"b": "x\ny\u0041"}], "c": null, "d": {}, "e": []}"#).expect("JSON");
        let items = json.get("a").expect("a").list();
        assert_eq!(items[1].integer(), Some(-2));
        assert_eq!(items[2].text_of("b"), "x\nyA");
        assert_eq!(json.get("c"), Some(&Json::Word("null".into())));
        assert!(Json::read("{\"a\": ").is_none());
    }
}
