//! SMT-LIB text of terms. Linear in the DAG, without recursion: for people shared parts become `let`s, for solver
//! processes every node becomes a `define-fun`, so that no solver has to parse deep text.

use super::op::{Op, RoundingMode};
use super::pool::{TermId, TermPool};
use super::sort::Sort;
use super::walk::Postorder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

impl RoundingMode {
    /// SMT-LIB's name.
    pub fn smtlib_name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }
}

impl Op {
    /// SMT-LIB's name, of the operators that have no index and no rounding mode.
    pub(crate) fn plain_name(self) -> Option<&'static str> {
        Some(match self {
            Op::True => "true",
            Op::False => "false",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Ite => "ite",
            Op::Equal => "=",
            Op::BvNot => "bvnot",
            Op::BvNeg => "bvneg",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvAdd => "bvadd",
            Op::BvSub => "bvsub",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvSdiv => "bvsdiv",
            Op::BvUrem => "bvurem",
            Op::BvSrem => "bvsrem",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::Concat => "concat",
            Op::Ult => "bvult",
            Op::Ule => "bvule",
            Op::Slt => "bvslt",
            Op::Sle => "bvsle",
            Op::UaddOverflow => "bvuaddo",
            Op::SaddOverflow => "bvsaddo",
            Op::UsubOverflow => "bvusubo",
            Op::SsubOverflow => "bvssubo",
            Op::UmulOverflow => "bvumulo",
            Op::SmulOverflow => "bvsmulo",
            Op::SnegOverflow => "bvnego",
            Op::SdivOverflow => "bvsdivo",
            Op::Select => "select",
            Op::Store => "store",
            Op::FpRem => "fp.rem",
            Op::FpFmod => "fp.fmod",
            Op::FpToBits => "fp.to_bits",
            Op::FpNeg => "fp.neg",
            Op::FpAbs => "fp.abs",
            Op::FpMin => "fp.min",
            Op::FpMax => "fp.max",
            Op::FpEqual => "fp.eq",
            Op::FpLess => "fp.lt",
            Op::FpLessOrEqual => "fp.leq",
            Op::FpIsNan => "fp.isNaN",
            Op::FpIsInfinite => "fp.isInfinite",
            Op::FpIsZero => "fp.isZero",
            Op::FpIsNormal => "fp.isNormal",
            Op::FpIsSubnormal => "fp.isSubnormal",
            Op::FpIsNegative => "fp.isNegative",
            Op::FpIsPositive => "fp.isPositive",
            _ => return None,
        })
    }
}

/// A name as SMT-LIB writes it: between bars when it is not a simple symbol.
pub fn quote_name(name: &str) -> String {
    // `%` is left out: it marks replaced characters below.
    const SPECIAL: &str = "~!@$^&*_-+=<>.?/";
    // Words with a meaning of their own would be misread without the bars.
    const RESERVED: [&str; 12] =
        ["let", "forall", "exists", "as", "par", "_", "!", "match", "true", "false", "and", "or"];
    let simple = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED.contains(&name)
        && name.chars().all(|c| c.is_ascii_alphanumeric() || SPECIAL.contains(c));
    if simple {
        return name.to_owned();
    }
    // Bars and backslashes cannot stand inside bars; nothing else can be confused with these replacements,
    // because `%` itself is replaced as well.
    let inner = name.replace('%', "%25").replace('|', "%7C").replace('\\', "%5C");
    format!("|{inner}|")
}

impl TermPool {
    /// SMT-LIB's text of a sort.
    pub fn sort_text(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::BitVec(width) => format!("(_ BitVec {width})"),
            Sort::Float(format) => format!("(_ FloatingPoint {} {})", format.exponent, format.significand),
            Sort::Uninterpreted(name) => quote_name(self.sort_name(name)),
            Sort::Array(_) => {
                let (index, element) = self.array_parts(sort).expect("an array sort has parts");
                format!("(Array {} {})", self.sort_text(index), self.sort_text(element))
            }
        }
    }

    /// What comes before the arguments, without the parenthesis; the whole text of a leaf.
    fn head_text(&self, term: TermId) -> String {
        let op = self.op(term);
        if let Some(name) = op.plain_name() {
            return name.to_owned();
        }
        let rounded = |name: &str, mode: RoundingMode| format!("{name} {}", mode.smtlib_name());
        match op {
            Op::Constant(_) => self.constant_value(term).expect("a constant").to_string(),
            Op::Symbol(_) => quote_name(self.symbol_name(term).expect("a symbol")),
            Op::Apply(function) => quote_name(self.function_name(function)),
            Op::Extract { high, low } => format!("(_ extract {high} {low})"),
            Op::ZeroExtend { by } => format!("(_ zero_extend {by})"),
            Op::SignExtend { by } => format!("(_ sign_extend {by})"),
            Op::ConstArray => format!("(as const {})", self.sort_text(self.sort(term))),
            Op::FpAdd(mode) => rounded("fp.add", mode),
            Op::FpSub(mode) => rounded("fp.sub", mode),
            Op::FpMul(mode) => rounded("fp.mul", mode),
            Op::FpDiv(mode) => rounded("fp.div", mode),
            Op::FpSqrt(mode) => rounded("fp.sqrt", mode),
            Op::FpFma(mode) => rounded("fp.fma", mode),
            Op::FpRoundToIntegral(mode) => rounded("fp.roundToIntegral", mode),
            Op::FpFromBits(to) => format!("(_ to_fp {} {})", to.exponent, to.significand),
            Op::FpFromFloat(mode, to) | Op::FpFromSigned(mode, to) => {
                rounded(&format!("(_ to_fp {} {})", to.exponent, to.significand), mode)
            }
            Op::FpFromUnsigned(mode, to) => {
                rounded(&format!("(_ to_fp_unsigned {} {})", to.exponent, to.significand), mode)
            }
            Op::FpToSigned(mode, width) => rounded(&format!("(_ fp.to_sbv {width})"), mode),
            Op::FpToUnsigned(mode, width) => rounded(&format!("(_ fp.to_ubv {width})"), mode),
            plain => unreachable!("{plain:?} has a plain name"),
        }
    }

    /// SMT-LIB text for people: parts that occur more than once are named by `let`.
    pub fn display(&self, term: TermId) -> String {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let order: Vec<TermId> = Postorder::new(self, &[term]).collect();
        for &node in &order {
            for &argument in self.arguments(node) {
                *uses.entry(argument).or_default() += 1;
            }
        }
        let mut out = String::new();
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        for &node in &order {
            if node != term && !self.op(node).is_leaf() && uses.get(&node).is_some_and(|&count| count > 1) {
                let name = format!("?{}", names.len());
                let _ = write!(out, "(let (({name} ");
                self.write_expression(node, &names, &mut out);
                out.push_str(")) ");
                names.insert(node, name);
            }
        }
        self.write_expression(term, &names, &mut out);
        out.extend(std::iter::repeat_n(')', names.len()));
        out
    }

    fn write_expression(&self, term: TermId, names: &FxHashMap<TermId, String>, out: &mut String) {
        enum Work {
            Term(TermId),
            Space,
            Close,
        }
        let mut open = vec![Work::Term(term)];
        while let Some(work) = open.pop() {
            match work {
                Work::Space => out.push(' '),
                Work::Close => out.push(')'),
                Work::Term(node) => {
                    if let Some(name) = names.get(&node) {
                        out.push_str(name);
                        continue;
                    }
                    let arguments = self.arguments(node);
                    if arguments.is_empty() {
                        out.push_str(&self.head_text(node));
                        continue;
                    }
                    let _ = write!(out, "({}", self.head_text(node));
                    open.push(Work::Close);
                    for &argument in arguments.iter().rev() {
                        open.push(Work::Term(argument));
                        open.push(Work::Space);
                    }
                }
            }
        }
    }
}

/// Writes terms as definitions for a solver process, remembering what the process already knows.
/// Definitions belong to a level and are forgotten with it, as SMT-LIB has it.
#[derive(Debug)]
pub struct Definitions {
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    terms: FxHashSet<TermId>,
    functions: FxHashSet<super::pool::FunctionId>,
    sorts: FxHashSet<super::sort::SortNameId>,
}

impl Default for Definitions {
    fn default() -> Self {
        Definitions { levels: vec![Level::default()] }
    }
}

impl Definitions {
    /// Nothing is known yet.
    pub fn new() -> Definitions {
        Definitions::default()
    }

    /// Follows `(push 1)`.
    pub fn push(&mut self) {
        self.levels.push(Level::default());
    }

    /// Follows `(pop 1)`.
    pub fn pop(&mut self) {
        self.levels.pop().expect("a level is open");
    }

    fn knows(&self, term: TermId) -> bool {
        self.levels.iter().any(|level| level.terms.contains(&term))
    }

    /// Writes whatever declarations and definitions are missing for `root`, and returns its text.
    pub fn define(&mut self, pool: &TermPool, root: TermId, out: &mut String) -> String {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.knows(term) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(pool.arguments(term).iter().filter(|&&argument| !self.knows(argument)));
            if open.len() > before {
                continue;
            }
            open.pop();
            self.declare_sort(pool, pool.sort(term), out);
            let sort = pool.sort_text(pool.sort(term));
            match pool.op(term) {
                Op::Symbol(_) => {
                    let _ = writeln!(out, "(declare-fun {} () {sort})", pool.head_text(term));
                }
                op if op.is_leaf() => {}
                op => {
                    if let Op::Apply(function) = op {
                        self.declare_function(pool, function, out);
                    }
                    let name = self.text(pool, term);
                    if let Some(body) = self.float_body(pool, term, &name, out) {
                        let _ = writeln!(out, "(define-fun {name} () {sort} {body})");
                    } else {
                        let _ = write!(out, "(define-fun {name} () {sort} ({}", pool.head_text(term));
                        for &argument in pool.arguments(term) {
                            let _ = write!(out, " {}", self.text(pool, argument));
                        }
                        out.push_str("))\n");
                    }
                }
            }
            self.levels.last_mut().expect("there is a level").terms.insert(term);
        }
        self.text(pool, root)
    }

    /// Operators on floats that SMT-LIB lacks, or leaves open where ours are not. What has to be declared first goes to
    /// `out`.
    fn float_body(&self, pool: &TermPool, term: TermId, name: &str, out: &mut String) -> Option<String> {
        let op = pool.op(term);
        if !op.is_float() {
            return None;
        }
        let arguments: Vec<String> =
            pool.arguments(term).iter().map(|&argument| self.text(pool, argument)).collect();
        let a = &arguments[0];
        let b = arguments.get(1).map_or("", String::as_str);
        let to_format = || {
            let format = pool.float_format(pool.arguments(term)[0]);
            format!("to_fp {} {}", format.exponent, format.significand)
        };
        Some(match op {
            Op::FpMin => format!("(ite (or (fp.isNaN {b}) (fp.lt {a} {b})) {a} {b})"),
            Op::FpMax => format!("(ite (or (fp.isNaN {b}) (fp.gt {a} {b})) {a} {b})"),
            Op::FpFmod => format!(
                "(let ((rest (fp.rem (fp.abs {a}) (fp.abs {b})))) \
                 (let ((rest (fp.abs (ite (fp.isNegative rest) (fp.add RNE rest (fp.abs {b})) rest)))) \
                 (ite (fp.isNegative {a}) (fp.neg rest) rest)))"
            ),
            Op::FpToBits => {
                let bits = format!("{}.bits|", name.trim_end_matches('|'));
                let sort = pool.sort_text(pool.sort(term));
                let _ = writeln!(out, "(declare-fun {bits} () {sort})");
                let _ = writeln!(out, "(assert (or (fp.isNaN {a}) (= ((_ {}) {bits}) {a})))", to_format());
                let format = pool.float_format(pool.arguments(term)[0]);
                let ones = "1".repeat(format.exponent as usize + 1);
                let rest = "0".repeat(format.significand as usize - 2);
                format!("(ite (fp.isNaN {a}) (bvor {b} #b0{ones}{rest}) {bits})")
            }
            Op::FpToSigned(mode, width) | Op::FpToUnsigned(mode, width) => {
                let is_signed = matches!(op, Op::FpToSigned(..));
                let to_fp = to_format();
                let zeros = |count: u32| "0".repeat(count as usize);
                let below = if is_signed { zeros(width - 1) } else { zeros(width) };
                let least = if is_signed { format!("1{below}") } else { zeros(width) };
                let outside = if is_signed { least.clone() } else { "1".repeat(width as usize) };
                let (unsigned, mode) = (to_fp.replace("to_fp", "to_fp_unsigned"), mode.smtlib_name());
                let name = if is_signed { "fp.to_sbv" } else { "fp.to_ubv" };
                format!(
                    "(let ((whole (fp.roundToIntegral {mode} {a}))) \
                     (ite (and (not (fp.isInfinite {a})) (fp.leq ((_ {to_fp}) RNE #b{least}) whole) \
                     (fp.lt whole ((_ {unsigned}) RNE #b1{below}))) ((_ {name} {width}) {mode} {a}) #b{outside}))"
                )
            }
            _ => return None,
        })
    }

    /// The name of a defined term, or the leaf itself.
    fn text(&self, pool: &TermPool, term: TermId) -> String {
        if pool.op(term).is_leaf() {
            pool.head_text(term)
        } else {
            format!("|%{}|", TermPool::position(term))
        }
    }

    fn declare_function(&mut self, pool: &TermPool, function: super::pool::FunctionId, out: &mut String) {
        if self.levels.iter().any(|level| level.functions.contains(&function)) {
            return;
        }
        let (parameters, result) = pool.function_sorts(function);
        let (parameters, result) = (parameters.to_vec(), result);
        for &sort in parameters.iter().chain([&result]) {
            self.declare_sort(pool, sort, out);
        }
        let texts: Vec<String> = parameters.iter().map(|&sort| pool.sort_text(sort)).collect();
        let name = quote_name(pool.function_name(function));
        let _ = writeln!(out, "(declare-fun {name} ({}) {})", texts.join(" "), pool.sort_text(result));
        self.levels.last_mut().expect("there is a level").functions.insert(function);
    }

    fn declare_sort(&mut self, pool: &TermPool, sort: Sort, out: &mut String) {
        match sort {
            Sort::Uninterpreted(name) => {
                if !self.levels.iter().any(|level| level.sorts.contains(&name)) {
                    let _ = writeln!(out, "(declare-sort {} 0)", quote_name(pool.sort_name(name)));
                    self.levels.last_mut().expect("there is a level").sorts.insert(name);
                }
            }
            Sort::Array(_) => {
                let (index, element) = pool.array_parts(sort).expect("an array sort has parts");
                self.declare_sort(pool, index, out);
                self.declare_sort(pool, element, out);
            }
            Sort::Bool | Sort::BitVec(_) | Sort::Float(_) => {}
        }
    }
}
