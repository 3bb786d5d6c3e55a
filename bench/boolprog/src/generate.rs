//! Recursive programs of any size: every procedure calls some further down, some call back, and all change pairs of
//! globals so that the two of a pair stay equal, which assertions ask everywhere.

use std::fmt::Write;
use testkit::Random;

/// A program of so many procedures with so many variables in scope of each (half of them global).
pub fn ladder(procedures: usize, variables: usize, seed: u64) -> String {
    let mut numbers = Random::new(seed);
    let pairs = (variables / 4).max(1);
    let locals = variables - 2 * pairs;
    let mut text = String::new();
    for pair in 0..pairs {
        writeln!(text, "decl a{pair} := F;\ndecl b{pair} := F;").expect("a String takes any text");
    }
    for index in 0..procedures {
        procedure(&mut text, index, procedures, pairs, locals, &mut numbers);
    }
    text.push_str("void main() begin\n  decl r;\n  r := f0(*, *);\n  assert(a0 = b0);\nend\n");
    text
}

fn procedure(
    text: &mut String,
    index: usize,
    procedures: usize,
    pairs: usize,
    locals: usize,
    numbers: &mut Random,
) {
    let mut put = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    put(format!("bool f{index}(p, q) begin"));
    let names: Vec<String> = (0..locals.saturating_sub(2)).map(|slot| format!("l{slot}")).collect();
    if !names.is_empty() {
        put(format!("  decl {};", names.join(", ")));
    }
    let local = |numbers: &mut Random| match names.len() {
        0 => "p".to_string(),
        count => names[numbers.below(count)].clone(),
    };
    // Each procedure touches few pairs itself, near its place.
    let near = |numbers: &mut Random| (index * pairs / procedures.max(1) + numbers.below(3)) % pairs;
    for slot in 0..names.len().min(8) {
        let from = if slot == 0 { "p".to_string() } else { names[slot - 1].clone() };
        let pair = near(numbers);
        let operator = ["^", "&", "|"][numbers.below(3)];
        put(format!("  {} := ({from} {operator} a{pair}) | (* & q);", names[slot]));
    }
    for _ in 0..2 {
        let pair = near(numbers);
        let (one, other) = (local(numbers), local(numbers));
        put(format!("  if {one} then"));
        put(format!("    a{pair}, b{pair} := a{pair} ^ {other}, b{pair} ^ {other};"));
        put("  else".into());
        put("    skip;".into());
        put("  fi;".into());
        put(format!("  assert(a{pair} = b{pair});"));
    }
    for _ in 0..2 {
        if index + 1 < procedures {
            let callee = index + 1 + numbers.below((procedures - index - 1).min(5));
            let (target, one, other) = (local(numbers), local(numbers), local(numbers));
            put(format!("  {target} := f{callee}({one}, {other});"));
        }
    }
    // Recursion inside blocks of eight, so that not everything calls everything.
    let block = index - index % 8;
    if index > block && numbers.below(2) == 0 {
        let callee = block + numbers.below(index - block + 1);
        let (target, one) = (local(numbers), local(numbers));
        put(format!("  if * then {target} := f{callee}({one}, q); fi;"));
    }
    let result = local(numbers);
    put(format!("  return {result} ^ p;"));
    put("end".into());
}
