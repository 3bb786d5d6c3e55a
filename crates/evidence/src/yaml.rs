//! YAML in block style, from plain values. Strings are written in double quotes with the escapes of JSON,
//! which YAML shares.

use serde_json::Value;

/// The text of a value.
pub(crate) fn write(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Array(items) => {
            for item in items {
                text.push_str(&" ".repeat(indent));
                text.push_str("- ");
                inside(item, indent + 2, text);
            }
        }
        Value::Object(fields) => {
            for (at, (key, field)) in fields.iter().enumerate() {
                // The first key stands behind the dash of a list, if it is in one.
                if at > 0 || !text.ends_with("- ") {
                    text.push_str(&" ".repeat(indent));
                }
                let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let key = if is_plain { key.clone() } else { Value::String(key.clone()).to_string() };
                text.push_str(&key);
                text.push(':');
                if is_scalar(field) {
                    text.push(' ');
                } else {
                    text.push('\n');
                }
                inside(field, indent + 2, text);
            }
        }
        scalar => {
            text.push_str(&scalar.to_string());
            text.push('\n');
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

fn inside(value: &Value, indent: usize, text: &mut String) {
    if is_scalar(value) {
        text.push_str(&value.to_string());
        text.push('\n');
    } else {
        block(value, indent, text);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn nested_values_are_indented() {
        let text = super::write(
            &json!([{ "a": "x\"y", "b": [{ "c": 1 }, { "c": 2 }], "d.e": {}, "f": { "g": [] } }]),
        );
        let expected = "- a: \"x\\\"y\"\n  b:\n    - c: 1\n    - c: 2\n  \"d.e\": {}\n  f:\n    g: []\n";
        assert_eq!(text, expected);
    }
}
