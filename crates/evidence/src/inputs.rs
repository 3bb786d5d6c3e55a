//! The inputs of a run as people write them, and as `concord run --inputs` reads them.

use base::Span;
use concrete::{ConsumedInput, InputShape};
use program::Program;
use question::Violation;
use std::fmt::Write;

/// A value of an input as a person writes it.
pub fn value(input: &ConsumedInput) -> String {
    match input.shape {
        InputShape::Integer { width, signed: true } if width <= 64 => {
            let shift = 64 - width;
            (((input.bits as u64) << shift) as i64 >> shift).to_string()
        }
        InputShape::Float(program::FloatKind::Float) => format!("{:?}", f32::from_bits(input.bits as u32)),
        InputShape::Float(program::FloatKind::Double) => format!("{:?}", f64::from_bits(input.bits as u64)),
        InputShape::Float(_) => format!("{:#x}", input.bits),
        _ => input.bits.to_string(),
    }
}

/// Inputs as they are told to people, each with its place. Bytes of a variable that were never written are drawn one by
/// one and told together, as what they are.
pub fn shown(program: &Program, inputs: &[&ConsumedInput]) -> Vec<(String, Span)> {
    let is_byte = |input: &ConsumedInput| input.shape == InputShape::Integer { width: 8, signed: false };
    let mut lines = Vec::new();
    let mut rest = inputs;
    while let Some((first, _)) = rest.split_first() {
        let is_alike =
            |input: &&&ConsumedInput| is_byte(input) && input.name == first.name && input.span == first.span;
        let count = rest.iter().take_while(is_alike).count();
        let is_told_together = count > 0 && is_larger_variable(program, &first.name);
        let text = if is_told_together {
            let bytes: Vec<String> = rest[..count].iter().map(|byte| format!("{:02x}", byte.bits)).collect();
            let noun = if count == 1 { "byte" } else { "bytes" };
            format!("{}: {count} {noun} never written = {}", first.name, bytes.join(" "))
        } else {
            format!("{} = {}", first.name, value(first))
        };
        lines.push((text, first.span));
        rest = &rest[if is_told_together { count } else { 1 }..];
    }
    lines
}

/// Is it the name of variables, none of them a single byte?
fn is_larger_variable(program: &Program, name: &str) -> bool {
    let mut sizes = { program.variables.iter() }
        .filter(|variable| &*variable.name == name)
        .map(|variable| program.types.size_of(variable.ty.id));
    let is_larger = |size: Option<u64>| size != Some(1);
    sizes.next().is_some_and(is_larger) && sizes.all(is_larger)
}

/// A word as `bash` reads it.
fn shell_word(bytes: &[u8]) -> String {
    let quoted: String = bytes
        .iter()
        .map(|&byte| match byte {
            b'\'' | b'\\' => format!("\\{}", byte as char),
            b' '..=b'~' => (byte as char).to_string(),
            _ => format!("\\{byte:03o}"),
        })
        .collect();
    format!("$'{quoted}'")
}

/// The inputs as a list that `concord run --inputs` reads.
pub fn list(program: &Program, violation: &Violation) -> String {
    let mut text = String::new();
    let started = crate::started(program, &violation.inputs);
    if let Some(started) = &started {
        let words: Vec<String> = started.arguments.iter().skip(1).map(|word| shell_word(word)).collect();
        let _ = writeln!(text, "# start it with: -- {}", words.join(" "));
    }
    let others = started.map(|started| started.others);
    for input in others.unwrap_or_else(|| violation.inputs.iter().collect()) {
        let value = match input.shape {
            InputShape::Pointer { .. } => input.bits.to_string(),
            _ => value(input),
        };
        // What is no name of a function (`p->next`, `malloc fails`) is for people; the order says which value
        // it is.
        let is_name = input.name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        let _ = match is_name {
            true => writeln!(text, "{} = {value}", input.name),
            false => writeln!(text, "{value}  # {}", input.name),
        };
    }
    text
}
