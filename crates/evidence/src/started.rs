//! What the program of a run is started with: the inputs that `main` begins with, as the strings they are.

use concrete::ConsumedInput;
use program::Program;
use std::fmt::Write;

/// The arguments of a run, and its other inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started<'i> {
    /// `argv`, the program's name first.
    pub arguments: Vec<Vec<u8>>,
    /// The other inputs, in order.
    pub others: Vec<&'i ConsumedInput>,
}

/// What the program is started with, if the run depends on it.
pub fn started<'i>(program: &Program, inputs: &'i [ConsumedInput]) -> Option<Started<'i>> {
    let main = &program.procedures[program.main?];
    let argc = program.variables[*main.parameters.first()?].span;
    let (first, rest) = inputs.split_first()?;
    if &*first.name != "argc" || first.span != argc {
        return None;
    }
    let mut arguments = vec![Vec::new(); first.bits as u32 as usize];
    let mut others = Vec::new();
    for input in rest {
        let index = index_of(&input.name).filter(|_| input.span.is_nowhere());
        match index.and_then(|index| arguments.get_mut(index)) {
            Some(argument) => argument.push(input.bits as u8),
            None => others.push(input),
        }
    }
    for argument in &mut arguments {
        let length = argument.iter().position(|&byte| byte == 0).unwrap_or(argument.len());
        argument.truncate(length);
    }
    Some(Started { arguments, others })
}

/// The argument that an input is a character of.
fn index_of(name: &str) -> Option<usize> {
    name.strip_prefix("argv[")?.split_once(']')?.0.parse().ok()
}

/// As C writes it.
pub fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        let _ = match byte {
            b'"' | b'\\' => write!(text, "\\{}", byte as char),
            b' '..=b'~' => write!(text, "{}", byte as char),
            _ => write!(text, "\\{byte:03o}"),
        };
    }
    text.push('"');
    text
}

/// Starts the compiled program again, with the arguments of the run.
pub fn again(arguments: &[Vec<u8>]) -> String {
    const FEW: usize = 16;
    let (count, last) = (arguments.len(), arguments.iter().rposition(|argument| !argument.is_empty()));
    let given = if count <= FEW { count } else { last.map_or(0, |last| last + 1) };
    let list: String = arguments[..given].iter().map(|argument| format!("{}, ", quoted(argument))).collect();
    format!(
        "extern char *getenv(const char *);\n\
         extern int setenv(const char *, const char *, int), execv(const char *, char *const *);\n\
         __attribute__((constructor, no_instrument_function)) static void start(void)\n\
         {{\n    static char *arguments[{size}] = {{ {list}0 }};\n    if (getenv(\"STARTED_WITH_ARGUMENTS\"))\n        return;\n\
         \x20   for (unsigned at = {given}; at < {count}; at++)\n        arguments[at] = \"\";\n\
         \x20   setenv(\"STARTED_WITH_ARGUMENTS\", \"yes\", 1);\n    execv(\"/proc/self/exe\", arguments);\n}}\n",
        size = count + 1,
    )
}
