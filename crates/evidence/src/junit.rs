//! The XML that JUnit's runner for Ant writes, which services that show tests read: one suite, a case for each question. There is no standard;
//! what is written here is what Jenkins' schema has and nothing else.

use std::fmt::Write;

/// What came of a case: a word for the kind, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not.
    Failed(&'static str, String),
    /// Nobody knows: it could not be asked.
    Error(&'static str, String),
}

/// A case.
#[derive(Clone, Debug)]
pub struct Case<'c> {
    /// What it is called.
    pub name: &'c str,
    /// What it belongs to.
    pub class: &'c str,
    /// How long it took.
    pub seconds: f64,
    /// What came of it.
    pub outcome: Outcome,
}

/// All cases as one suite.
pub fn document(cases: &[Case<'_>]) -> String {
    let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed(..)));
    let errors = count(|outcome| matches!(outcome, Outcome::Error(..)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"concord\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">",
        cases.len()
    );
    for case in cases {
        let (name, class) = (escaped(case.name), escaped(case.class));
        let _ =
            write!(text, "  <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.3}\"", case.seconds);
        let _ = match &case.outcome {
            Outcome::Passed => writeln!(text, "/>"),
            Outcome::Failed(kind, why) => {
                writeln!(
                    text,
                    ">\n    <failure type=\"{kind}\" message=\"{}\"/>\n  </testcase>",
                    escaped(why)
                )
            }
            Outcome::Error(kind, why) => {
                writeln!(text, ">\n    <error type=\"{kind}\" message=\"{}\"/>\n  </testcase>", escaped(why))
            }
        };
    }
    text.push_str("</testsuite>\n");
    text
}

/// As a value of an attribute. What XML cannot hold is a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            c if (c as u32) < 0x20 || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_counted_and_their_texts_escaped() {
        let case = |name, outcome| Case { name, class: "verify", seconds: 0.25, outcome };
        let text = document(&[
            case("a<b>", Outcome::Passed),
            case("b", Outcome::Failed("violated", "`x && \"y\"` fails\u{1}\n".into())),
            case("c", Outcome::Error("crashed", "why".into())),
        ]);
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\" time=\"0.750\""), "{text}");
        assert!(text.contains("name=\"a&lt;b&gt;\" classname=\"verify\" time=\"0.250\"/>"), "{text}");
        assert!(text.contains("message=\"`x &amp;&amp; &quot;y&quot;` fails?&#10;\""), "{text}");
    }
}
