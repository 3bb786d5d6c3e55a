//! Random C programs of our own: valid, free of undefined behaviour, ending soon, printing what they computed.
//!
//! Well-definedness is by construction: [`expression`] tracks intervals, [`scope`] keeps every index in range and every
//! pointer aimed at a live object, [`statement`] spends fuel, and no expression has two effects that C leaves unordered.
//! The tests run the programs under gcc's sanitizers.
//!
//! Reading order: [`integer`], [`value`] → [`scope`] → [`expression`], [`real`] → [`declare`] → [`statement`] →
//! [`function`] → [`pieces`] (hand-written fragments around random parts).

mod declare;
mod expression;
mod function;
mod integer;
mod pieces;
mod real;
mod scope;
mod statement;
mod value;

use crate::random::Random;
use integer::Int;
use std::collections::BTreeSet;

/// Sizes of `long` and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// 64-bit `long` and pointers.
    Lp64,
    /// 32-bit `long` and pointers.
    Ilp32,
}

/// Which programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The data model the programs are for.
    pub model: Model,
    /// Are floating types used?
    pub uses_reals: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { model: Model::Lp64, uses_reals: true }
    }
}

/// The program of a seed: the same text on every machine. It needs no header.
pub fn program(seed: u64, settings: Settings) -> String {
    let mut generator = Generator {
        random: crate::random::of_seed(seed),
        model: settings.model,
        uses_reals: settings.uses_reals,
        text: String::new(),
        indent: 0,
        names: 0,
        typedefs: Vec::new(),
        constants: Vec::new(),
        records: Vec::new(),
        objects: Vec::new(),
        functions: Vec::new(),
        globals: String::new(),
        prototypes: String::new(),
        helpers: String::new(),
        spares: Vec::new(),
        wanted_helpers: BTreeSet::new(),
        depth: 0,
        loops: 0,
        budget: 0,
        effects: 0,
        free_effects: 0,
        nesting: 0,
        result: None,
        is_main: false,
    };
    generator.whole(seed)
}

/// A program under construction.
struct Generator {
    random: Random,
    model: Model,
    uses_reals: bool,
    /// What `line` writes to.
    text: String,
    indent: usize,
    names: usize,
    typedefs: Vec<(String, Int)>,
    /// Enumeration constants with their values.
    constants: Vec<(String, i128)>,
    records: Vec<scope::Record>,
    /// Objects in scope, outermost first.
    objects: Vec<scope::Object>,
    functions: Vec<function::Function>,
    globals: String,
    prototypes: String,
    helpers: String,
    spares: Vec<String>,
    wanted_helpers: BTreeSet<(&'static str, Int)>,
    /// Depth of the block being written; 0 is file scope.
    depth: usize,
    /// Loops around the statement being written.
    loops: usize,
    /// Statements that may still nest in this function.
    budget: usize,
    /// Effect variables `fx…` of this function.
    effects: usize,
    /// Effect variables the expression being written has not used yet.
    free_effects: usize,
    /// How deep index expressions nest.
    nesting: usize,
    result: Option<scope::Shape>,
    is_main: bool,
}

impl Generator {
    fn whole(&mut self, seed: u64) -> String {
        self.declare_types();
        let types = std::mem::take(&mut self.text);
        self.declare_globals();
        for _ in 0..2 + self.random.below(3) {
            self.define_function();
        }
        let functions = std::mem::take(&mut self.text);
        self.define_main();
        let main = std::mem::take(&mut self.text);
        let size = match self.model {
            Model::Lp64 => "unsigned long",
            Model::Ilp32 => "unsigned int",
        };
        let mut whole = format!("/* program {seed} */\ntypedef {size} size;\n{PRELUDE}");
        for (operation, ty) in &self.wanted_helpers {
            whole.push_str(&safe_helper(operation, *ty));
        }
        for part in [&types, &self.globals, &self.prototypes, &self.helpers, &functions, &main] {
            whole.push_str(part);
        }
        whole
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line one step further in.
    fn inner(&mut self, text: &str) {
        self.indent += 1;
        self.line(text);
        self.indent -= 1;
    }

    fn open(&mut self) {
        self.line("{");
        self.indent += 1;
    }

    fn close(&mut self, after: &str) {
        self.indent -= 1;
        self.line(&format!("}}{after}"));
    }

    /// A name nothing else has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
}

/// A function that computes without overflow: by gcc's builtins, and for `long long` by comparing first, since on 32 bits the
/// builtins need a type that is wider than any.
fn safe_helper(operation: &str, ty: Int) -> String {
    let (suffix, name) = (expression::helper_suffix(ty), ty.spelling(0));
    let body = match (operation, ty) {
        ("add", Int::LongLong) => "return (b > 0 && a > MOST - b) || (b < 0 && a < LEAST - b) ? a : a + b;",
        ("subtract", Int::LongLong) => "return (b < 0 && a > MOST + b) || (b > 0 && a < LEAST + b) ? a : a - b;",
        (_, Int::LongLong) => {
            "if (a > 0 ? (b > 0 ? a > MOST / b : b < LEAST / a) : (b > 0 ? a < LEAST / b : a != 0 && b < MOST / a))
        return a;
    return a * b;"
        }
        ("add", _) => "return __builtin_add_overflow(a, b, &r) ? a : r;",
        ("subtract", _) => "return __builtin_sub_overflow(a, b, &r) ? a : r;",
        _ => "return __builtin_mul_overflow(a, b, &r) ? a : r;",
    };
    let body = body.replace("LEAST", "(-9223372036854775807LL - 1)").replace("MOST", "9223372036854775807LL");
    format!(
        "static {name} safe_{operation}_{suffix}({name} a, {name} b)\n{{\n    {name} r;\n    {body}\n}}\n"
    )
}

/// What every program starts with: declarations instead of headers, so that no preprocessor is needed.
const PRELUDE: &str = r"int printf(const char *, ...);
int sprintf(char *, const char *, ...);
int snprintf(char *, size, const char *, ...);
int puts(const char *);
int putchar(int);
void *malloc(size);
void *calloc(size, size);
void *realloc(void *, size);
void free(void *);
void exit(int);
int abs(int);
int atoi(const char *);
void *memcpy(void *restrict, const void *restrict, size);
void *memmove(void *, const void *, size);
void *memset(void *, int, size);
int memcmp(const void *, const void *, size);
void *memchr(const void *, int, size);
size strlen(const char *);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
int toupper(int);
int tolower(int);
int isdigit(int);
int isalpha(int);
int isspace(int);
static int fuel = 300;
static unsigned long long check = 14695981039346656037ULL;
static void mix(unsigned long long value)
{
    check = (check ^ value) * 1099511628211ULL;
    check ^= check >> 29;
}
static double keep(double value)
{
    return value > -1e6 && value < 1e6 ? value : 0.5;
}
static long double keepl(long double value)
{
    return value > -1e6L && value < 1e6L ? value : 0.25L;
}
";
