//! Splitting a command line into words as a POSIX shell does: quotes, backslashes, spaces. Nothing is expanded.

/// The words of a command line; `None` if a quote is not closed.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            '\n' => {}
                            other => word.extend(['\\', other]),
                        },
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => match characters.next() {
                Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return None,
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotes_and_backslashes() {
        let split = |line| words(line).expect("closed quotes");
        assert_eq!(split("cc -c  a.c"), ["cc", "-c", "a.c"]);
        assert_eq!(split(r#"-DX="a b" '-DY=c d' e\ f"#), ["-DX=a b", "-DY=c d", "e f"]);
        assert_eq!(split(r#"-DS=\"text\" "q\"r\n" '' "#), ["-DS=\"text\"", "q\"r\\n", ""]);
        assert_eq!(words("'open"), None);
        assert_eq!(words("\"open"), None);
        assert_eq!(words("end\\"), None);
    }
}
