//! A piece: a few lines about one feature of C or its library, with inputs of its own.
//!
//! Programs are lists of pieces, so a program is made smaller by leaving pieces out. In a piece's text
//!
//! - `$` stands for a prefix of the piece's own, which keeps names of pieces and of programs apart;
//! - `«e»` looks at the value of `e`: compiled, it is written to the log; for Concord it becomes an assertion about
//!   what was seen, an output, or nothing (see [`Claim`]);
//! - `‹c|kind›` says that the run has undefined behaviour on the next line if `c` holds, of a kind that the sanitizers do
//!   not look for; `‹c|kind?›`, on some line behind. Concord sees nothing of it;
//! - `⟦x⟧` is `x`, which gcc cannot compute with before the sanitizers look.
//!
//! Each statement stands on a line of its own, so that a line says which one failed.

use crate::random::Random;
use std::collections::BTreeSet;

/// How an input is kept within its few values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `if (x > 3) return 0;`
    Return,
    /// `__VERIFIER_assume(x <= 3);`
    Assume,
    /// `x &= 3;`, with a number of values that is a power of two
    Mask,
    /// `x %= 3;`
    Modulo,
    /// The type has no more values.
    Type,
}

/// The type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `unsigned char`
    Uchar,
    /// `_Bool`
    Bool,
    /// `int`
    Int,
}

/// An input of a piece, with values from `low` to `high`.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name, with `$`.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// How it is kept there.
    pub limit: Limit,
}

impl Input {
    /// How many values it has.
    pub fn count(&self) -> usize {
        (self.high - self.low + 1) as usize
    }

    /// The type, as C writes it.
    pub fn c_type(&self) -> &'static str {
        match self.kind {
            Kind::Uchar => "unsigned char",
            Kind::Bool => "_Bool",
            Kind::Int => "int",
        }
    }

    /// The lines of `main` that read it.
    pub fn reading(&self) -> Vec<String> {
        let (name, low, high) = (&self.name, self.low, self.high);
        let suffix = match self.kind {
            Kind::Uchar => "uchar",
            Kind::Bool => "bool",
            Kind::Int => "int",
        };
        let read = format!("{} {name} = __VERIFIER_nondet_{suffix}();", self.c_type());
        let outside = match self.kind {
            Kind::Int => format!("{name} < {low} || {name} > {high}"),
            Kind::Uchar | Kind::Bool => format!("{name} > {high}"),
        };
        let limit = match self.limit {
            Limit::Return => format!("if ({outside}) return 0;"),
            Limit::Assume => format!("__VERIFIER_assume(!({outside}));"),
            Limit::Mask => format!("{name} &= {high};"),
            Limit::Modulo => format!("{name} %= {};", high + 1),
            Limit::Type => return vec![read],
        };
        vec![read, limit]
    }
}

/// Where the statements of a piece stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In a block of `main`.
    Main,
    /// In a function of this file, which `main` calls.
    Function(usize),
}

/// The most files of a program.
pub const MOST_FILES: usize = 3;

/// See the module's header.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The feature, as `--only` names it.
    pub name: &'static str,
    /// Its place in the program as drawn, which its names carry.
    pub number: usize,
    /// Headers of the library.
    pub includes: BTreeSet<&'static str>,
    /// What all files see.
    pub header: String,
    /// Text outside functions: of the piece's own file, of the next and of the one after.
    pub outside: [String; MOST_FILES],
    /// The statements.
    pub body: Vec<String>,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Where the statements stand.
    pub home: Home,
    /// At least so many files.
    pub files: usize,
    /// Runs depend on more than the inputs (files, the environment).
    pub is_open: bool,
    /// Must be linked into a program of its own.
    pub is_alone: bool,
}

impl Piece {
    /// An empty piece.
    pub fn new(name: &'static str, random: &mut Random) -> Piece {
        let home = if random.chance(40) { Home::Main } else { Home::Function(random.below(MOST_FILES)) };
        Piece {
            name,
            number: 0,
            includes: BTreeSet::new(),
            header: String::new(),
            outside: Default::default(),
            body: Vec::new(),
            inputs: Vec::new(),
            home,
            files: 1,
            is_open: false,
            is_alone: false,
        }
    }

    /// Includes a header.
    pub fn include(&mut self, header: &'static str) {
        self.includes.insert(header);
    }

    /// Adds a statement.
    pub fn line(&mut self, text: impl Into<String>) {
        self.body.push(text.into());
    }

    /// Adds a line outside functions, in the piece's file (0) or another one.
    pub fn outside(&mut self, file: usize, text: impl AsRef<str>) {
        self.outside[file].push_str(text.as_ref());
        self.outside[file].push('\n');
        self.files = self.files.max(file + 1);
    }

    /// Adds a line outside functions, in the piece's file or the next.
    pub fn outside_either(&mut self, random: &mut Random, text: impl AsRef<str>) {
        self.outside(random.below(2), text);
    }

    /// Adds a line that all files see.
    pub fn shared(&mut self, text: impl AsRef<str>) {
        self.header.push_str(text.as_ref());
        self.header.push('\n');
    }

    /// A new input with values from 0 to `high`, which is at most 255.
    pub fn input(&mut self, random: &mut Random, high: i64) -> String {
        let name = format!("$i{}", self.inputs.len());
        let limits = if (high + 1).count_ones() == 1 {
            &[Limit::Return, Limit::Assume, Limit::Mask, Limit::Modulo][..]
        } else {
            &[Limit::Return, Limit::Assume, Limit::Modulo][..]
        };
        let limit = *random.pick(limits);
        let (kind, limit) = match random.below(4) {
            0 if high == 1 => (Kind::Bool, Limit::Type),
            // A remainder of a negative number is one.
            1 => (Kind::Int, if limit == Limit::Modulo { Limit::Return } else { limit }),
            _ => (Kind::Uchar, limit),
        };
        self.inputs.push(Input { name: name.clone(), kind, low: 0, high, limit });
        name
    }

    /// A new `int` input with values from `low` to `high`.
    pub fn int_input(&mut self, random: &mut Random, low: i64, high: i64) -> String {
        let name = format!("$i{}", self.inputs.len());
        let limit = *random.pick(&[Limit::Return, Limit::Assume]);
        self.inputs.push(Input { name: name.clone(), kind: Kind::Int, low, high, limit });
        name
    }

    /// A number: a constant from `low` to `high`, or an input that ranges over some of it.
    pub fn number(&mut self, random: &mut Random, low: i64, high: i64) -> String {
        if self.inputs.len() < 2 && random.chance(45) {
            let width = (high - low).min(random.within(1, 7));
            let first = random.within(low, high - width);
            if first == 0 { self.input(random, width) } else { self.int_input(random, first, first + width) }
        } else {
            random.within(low, high).to_string()
        }
    }
}

/// What Concord's text says of a value that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing; it is only computed.
    Nothing,
    /// It is written.
    Print,
    /// It is between the two.
    Within(i64, i64),
    /// It is another number.
    Differs(i64),
}

impl Claim {
    /// Does a value meet it?
    pub fn allows(&self, value: i64) -> bool {
        match *self {
            Claim::Nothing | Claim::Print => true,
            Claim::Within(low, high) => low <= value && value <= high,
            Claim::Differs(other) => value != other,
        }
    }

    /// The statement, without its semicolon.
    fn statement(&self, expression: &str) -> String {
        let number =
            |n: i64| if n == i64::MIN { "(-9223372036854775807L - 1)".into() } else { format!("{n}L") };
        match *self {
            Claim::Nothing => format!("{{ volatile long look = (long)({expression}); (void)look; }}"),
            Claim::Print => format!("printf(\"%ld\\n\", (long)({expression}))"),
            Claim::Within(low, high) if low == high => {
                format!("assert((long)({expression}) == {})", number(low))
            }
            Claim::Within(low, high) if low == i64::MIN => {
                format!("assert((long)({expression}) <= {})", number(high))
            }
            Claim::Within(low, high) if high == i64::MAX => {
                format!("assert((long)({expression}) >= {})", number(low))
            }
            // The expression may have effects, so it is computed once.
            Claim::Within(low, high) => format!(
                "{{ long look = (long)({expression}); assert(look >= {} && look <= {}); }}",
                number(low),
                number(high)
            ),
            Claim::Differs(other) => format!("assert((long)({expression}) != {})", number(other)),
        }
    }
}

/// Replaces what stands between the marks by what `inner` makes of it.
fn replace(text: &str, open: char, close: char, mut inner: impl FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let (within, behind) = after.split_once(close).expect("marks come in pairs");
        out.push_str(before);
        out.push_str(&inner(within));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The text that Concord reads. `next` counts the looks; claims beyond the list are none.
pub fn for_concord(text: &str, claims: &[Claim], next: &mut usize) -> String {
    let looked = replace(text, '«', '»', |expression| {
        let claim = claims.get(*next).unwrap_or(&Claim::Nothing);
        *next += 1;
        claim.statement(expression)
    });
    let looked = replace(&looked, '‹', '›', |_| "(void)0".into());
    replace(&looked, '⟦', '⟧', str::to_owned)
}

/// The text that is compiled, whose looks and admissions go to the log.
pub fn for_compiler(text: &str, next: &mut usize) -> String {
    let looked = replace(text, '«', '»', |expression| {
        let number = *next;
        *next += 1;
        format!("ground_look({number}, (long long)({expression}))")
    });
    let looked = looked.replace("reach_error();", "ground_admit(\"reach_error\", __FILE__, __LINE__);");
    let looked = replace(&looked, '⟦', '⟧', |operand| {
        format!("({{ volatile __typeof__({operand}) ground_operand = ({operand}); ground_operand; }})")
    });
    replace(&looked, '‹', '›', |within| {
        let (condition, kind) = within.rsplit_once('|').expect("a condition and a kind");
        // What is admitted stands on the next line, or somewhere behind.
        let (kind, line) = match kind.strip_suffix('?') {
            Some(kind) => (kind, "0"),
            None => (kind, "__LINE__ + 1"),
        };
        format!("if ({condition}) ground_admit(\"{kind}\", __FILE__, {line})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_what_each_side_needs() {
        let text = "«⟦x⟧ + 1»;\n‹x > 2|uninitialised›;\n«y»;\n";
        let mut next = 0;
        let ours = for_concord(text, &[Claim::Within(1, 3), Claim::Differs(-1)], &mut next);
        assert_eq!(next, 2);
        assert_eq!(
            ours,
            "{ long look = (long)(x + 1); assert(look >= 1L && look <= 3L); };\n(void)0;\nassert((long)(y) != -1L);\n"
        );
        let mut next = 0;
        let compiled = for_compiler(text, &mut next);
        assert_eq!(compiled.lines().count(), 3);
        assert!(compiled.contains("ground_look(1, (long long)(y));"));
        assert!(compiled.contains("if (x > 2) ground_admit(\"uninitialised\""));
    }
}
