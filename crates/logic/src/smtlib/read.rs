//! Reads SMT-LIB 2 scripts into terms: declarations, definitions without parameters, assertions. Commands that ask
//! something are kept by name, for whoever runs the script. Without recursion.

use super::sexp::{SexpId, Sexps};
use super::value::read_bits;
use crate::term::{FloatFormat, Op, RoundingMode, Sort, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::fmt;

/// What was wrong with a script, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The byte where it is.
    pub at: usize,
    /// What it is.
    pub what: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.what)
    }
}

impl std::error::Error for ReadError {}

/// A script as terms.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The asserted formulas, in order.
    pub assertions: Vec<TermId>,
    /// `define-fun`s without parameters, in order.
    pub definitions: Vec<(String, TermId)>,
    /// Other commands, by name, in order.
    pub commands: Vec<String>,
}

/// Reads a script.
pub fn read_script(pool: &mut TermPool, text: &str) -> Result<Script, ReadError> {
    let sexps = Sexps::read(text).map_err(|bad| ReadError { at: bad.at, what: bad.what.to_owned() })?;
    let mut reader = Reader { pool, sexps: &sexps, bound: FxHashMap::default(), script: Script::default() };
    for &command in &sexps.top {
        reader.command(command)?;
    }
    Ok(reader.script)
}

struct Reader<'a> {
    pool: &'a mut TermPool,
    sexps: &'a Sexps,
    /// Names bound by `let` and `define-fun`, innermost last.
    bound: FxHashMap<String, Vec<TermId>>,
    script: Script,
}

enum Work {
    Read(SexpId),
    Build(SexpId, usize),
    /// Bind the names of this `let`, whose values are read, then read its body.
    Bind(SexpId),
    Unbind(SexpId),
}

impl Reader<'_> {
    fn error<T>(&self, at: SexpId, what: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { at: self.sexps.at(at), what: what.into() })
    }

    fn command(&mut self, id: SexpId) -> Result<(), ReadError> {
        let Some(items) = self.sexps.list(id) else { return self.error(id, "a command is a list") };
        let name = items.first().and_then(|&first| self.sexps.atom(first)).unwrap_or("");
        match (name, items) {
            ("declare-fun", [_, symbol, parameters, result]) => {
                let Some(parameters) = self.sexps.list(*parameters) else {
                    return self.error(*parameters, "parameters are a list of sorts");
                };
                let sorts = parameters.iter().map(|&sort| self.sort(sort)).collect::<Result<Vec<_>, _>>()?;
                self.declare(*symbol, &sorts, *result)
            }
            ("declare-const", [_, symbol, result]) => self.declare(*symbol, &[], *result),
            ("declare-sort", [_, symbol, ..]) => {
                let Some(name) = self.sexps.atom(*symbol) else {
                    return self.error(*symbol, "a name is missing");
                };
                self.pool.uninterpreted_sort(name);
                Ok(())
            }
            ("define-fun", [_, symbol, parameters, sort, body]) => {
                if self.sexps.list(*parameters).is_none_or(|parameters| !parameters.is_empty()) {
                    return self.error(*parameters, "definitions with parameters are not read");
                }
                let (sort, term) = (self.sort(*sort)?, self.term(*body)?);
                if self.pool.sort(term) != sort {
                    return self.error(*body, "the body has another sort than was said");
                }
                let Some(name) = self.sexps.atom(*symbol) else {
                    return self.error(*symbol, "a name is missing");
                };
                self.bound.insert(name.to_owned(), vec![term]);
                self.script.definitions.push((name.to_owned(), term));
                Ok(())
            }
            ("assert", [_, formula]) => {
                let term = self.term(*formula)?;
                if self.pool.sort(term) != Sort::Bool {
                    return self.error(*formula, "an assertion is Boolean");
                }
                self.script.assertions.push(term);
                Ok(())
            }
            ("", _) => self.error(id, "a command begins with its name"),
            ("declare-fun" | "declare-const" | "declare-sort" | "define-fun" | "assert", _) => {
                self.error(id, format!("`{name}` has other arguments"))
            }
            ("push" | "pop" | "reset" | "reset-assertions", _) => {
                self.error(id, format!("`{name}` is not read: a script is one question"))
            }
            (other, _) => {
                self.script.commands.push(other.to_owned());
                Ok(())
            }
        }
    }

    fn declare(&mut self, symbol: SexpId, parameters: &[Sort], result: SexpId) -> Result<(), ReadError> {
        let result = self.sort(result)?;
        let Some(name) = self.sexps.atom(symbol) else { return self.error(symbol, "a name is missing") };
        if self
            .pool
            .find_symbol(name)
            .is_some_and(|known| !parameters.is_empty() || self.pool.sort(known) != result)
            || self
                .pool
                .find_function(name)
                .is_some_and(|known| self.pool.function_sorts(known) != (parameters, result))
        {
            return self.error(symbol, format!("`{name}` was declared differently before"));
        }
        if parameters.is_empty() {
            self.pool.symbol(name, result);
        } else {
            self.pool.function(name, parameters, result);
        }
        Ok(())
    }

    /// Sorts nest only as deep as they are written by hand, and read here with a bound to make sure.
    fn sort(&mut self, id: SexpId) -> Result<Sort, ReadError> {
        self.sort_within(id, 100)
    }

    fn sort_within(&mut self, id: SexpId, depth: u32) -> Result<Sort, ReadError> {
        if depth == 0 {
            return self.error(id, "the sort is nested too deep");
        }
        if let Some(name) = self.sexps.atom(id) {
            return match name {
                "Bool" => Ok(Sort::Bool),
                "Float32" => Ok(Sort::Float(FloatFormat::SINGLE)),
                "Float64" => Ok(Sort::Float(FloatFormat::DOUBLE)),
                "Int" | "Real" => self.error(id, format!("sort {name} is not supported")),
                _ => Ok(self.pool.uninterpreted_sort(name)),
            };
        }
        let items = self.sexps.list(id).unwrap_or(&[]).to_vec();
        if let [head, index, element] = items[..]
            && self.sexps.atom(head) == Some("Array")
        {
            let (index, element) =
                (self.sort_within(index, depth - 1)?, self.sort_within(element, depth - 1)?);
            return Ok(self.pool.array_sort(index, element));
        }
        match self.sexps.atoms(id).as_deref() {
            Some(["_", "BitVec", width]) => match width.parse() {
                Ok(width) if width > 0 => Ok(Sort::BitVec(width)),
                _ => self.error(id, "a width is a positive number"),
            },
            Some(["_", "FloatingPoint", exponent, significand]) => {
                match (exponent.parse(), significand.parse()) {
                    (Ok(exponent), Ok(significand)) if exponent > 1 && significand > 1 => {
                        Ok(Sort::Float(FloatFormat { exponent, significand }))
                    }
                    _ => self.error(id, "a float format is two numbers above 1"),
                }
            }
            _ => self.error(id, "this sort is not supported"),
        }
    }

    fn term(&mut self, root: SexpId) -> Result<TermId, ReadError> {
        let mut open = vec![Work::Read(root)];
        let mut done: Vec<TermId> = Vec::new();
        while let Some(work) = open.pop() {
            match work {
                Work::Read(id) => match self.sexps.list(id) {
                    None => done.push(self.leaf(id)?),
                    Some(items) => self.open_list(id, items, &mut open, &mut done)?,
                },
                Work::Bind(id) => {
                    let (names, body) = self.let_parts(id)?;
                    let values = done.split_off(done.len() - names.len());
                    for (name, value) in names.into_iter().zip(values) {
                        self.bound.entry(name).or_default().push(value);
                    }
                    open.push(Work::Unbind(id));
                    open.push(Work::Read(body));
                }
                Work::Unbind(id) => {
                    for name in self.let_parts(id)?.0 {
                        self.bound.get_mut(&name).expect("bound before").pop();
                    }
                }
                Work::Build(id, count) => {
                    let arguments = done.split_off(done.len() - count);
                    let built = self.build(id, &arguments)?;
                    done.push(built);
                }
            }
        }
        Ok(done[0])
    }

    fn open_list(
        &mut self,
        id: SexpId,
        items: &[SexpId],
        open: &mut Vec<Work>,
        done: &mut Vec<TermId>,
    ) -> Result<(), ReadError> {
        let head = items.first().and_then(|&first| self.sexps.atom(first));
        if head == Some("let") {
            self.let_parts(id)?;
            open.push(Work::Bind(id));
            let bindings = self.sexps.list(items[1]).expect("checked by let_parts");
            for &binding in bindings.iter().rev() {
                open.push(Work::Read(self.sexps.list(binding).expect("checked by let_parts")[1]));
            }
            return Ok(());
        }
        if head == Some("_") {
            let Some(bits) = read_bits(self.sexps, id) else {
                return self.error(id, "this constant is not supported");
            };
            done.push(self.pool.constant(bits));
            return Ok(());
        }
        if head == Some("!") && items.len() > 1 {
            open.push(Work::Read(items[1]));
            return Ok(());
        }
        // Rounding modes are part of the operator.
        let arguments = items.get(1..).unwrap_or(&[]);
        let skipped = usize::from(arguments.first().is_some_and(|&first| self.rounding(first).is_some()));
        let arguments = &arguments[skipped..];
        open.push(Work::Build(id, arguments.len()));
        open.extend(arguments.iter().rev().map(|&argument| Work::Read(argument)));
        Ok(())
    }

    fn let_parts(&self, id: SexpId) -> Result<(Vec<String>, SexpId), ReadError> {
        let Some([_, bindings, body]) = self.sexps.list(id) else {
            return self.error(id, "`let` has bindings and a body");
        };
        let mut names = Vec::new();
        for &binding in self.sexps.list(*bindings).unwrap_or(&[]) {
            match self.sexps.list(binding) {
                Some([name, _]) if self.sexps.atom(*name).is_some() => {
                    names.push(self.sexps.atom(*name).expect("just seen").to_owned());
                }
                _ => return self.error(binding, "a binding is a name and a term"),
            }
        }
        Ok((names, *body))
    }

    fn leaf(&mut self, id: SexpId) -> Result<TermId, ReadError> {
        let name = self.sexps.atom(id).expect("a leaf is an atom");
        if let Some(&term) = self.bound.get(name).and_then(|terms| terms.last()) {
            return Ok(term);
        }
        if !self.sexps.is_quoted(id) {
            match name {
                "true" => return Ok(self.pool.tt()),
                "false" => return Ok(self.pool.ff()),
                _ => {}
            }
            if let Some(bits) = read_bits(self.sexps, id) {
                return Ok(self.pool.constant(bits));
            }
        }
        match self.pool.find_symbol(name) {
            Some(term) => Ok(term),
            None => self.error(id, format!("`{name}` is not declared")),
        }
    }

    fn rounding(&self, id: SexpId) -> Option<RoundingMode> {
        Some(match self.sexps.atom(id)? {
            "RNE" | "roundNearestTiesToEven" => RoundingMode::NearestEven,
            "RNA" | "roundNearestTiesToAway" => RoundingMode::NearestAway,
            "RTP" | "roundTowardPositive" => RoundingMode::TowardPositive,
            "RTN" | "roundTowardNegative" => RoundingMode::TowardNegative,
            "RTZ" | "roundTowardZero" => RoundingMode::TowardZero,
            _ => return None,
        })
    }

    fn build(&mut self, id: SexpId, arguments: &[TermId]) -> Result<TermId, ReadError> {
        let items = self.sexps.list(id).expect("built from a list").to_vec();
        let Some(&head) = items.first() else { return self.error(id, "an empty list is no term") };
        let rounding = items.get(1).and_then(|&item| self.rounding(item));
        let built = match self.sexps.atom(head) {
            Some(name) => self.build_named(name, rounding, arguments),
            None => self.build_indexed(head, rounding, arguments)?,
        };
        match built {
            Some(term) => Ok(term),
            None => self.error(id, "this operator, with arguments of these sorts, is not supported"),
        }
    }

    fn build_named(
        &mut self,
        name: &str,
        mode: Option<RoundingMode>,
        arguments: &[TermId],
    ) -> Option<TermId> {
        let pool = &mut *self.pool;
        let sorts: Vec<Sort> = arguments.iter().map(|&argument| pool.sort(argument)).collect();
        let same = sorts.windows(2).all(|pair| pair[0] == pair[1]);
        let all = |wanted: fn(&Sort) -> bool| !sorts.is_empty() && sorts.iter().all(wanted);
        let bools = all(|sort| *sort == Sort::Bool);
        let bits = all(|sort| matches!(sort, Sort::BitVec(_)));
        let floats = all(|sort| matches!(sort, Sort::Float(_))) && same;
        if let Some(function) = pool.find_function(name) {
            return (pool.function_sorts(function).0 == sorts).then(|| pool.apply(function, arguments));
        }
        // Left-associative chains of binary operators.
        macro_rules! fold {
            ($make:ident) => {
                (arguments.len() >= 2 && bits && same)
                    .then(|| arguments[1..].iter().fold(arguments[0], |sum, &next| pool.$make(sum, next)))
            };
        }
        let two = <[TermId; 2]>::try_from(arguments).ok();
        let one = <[TermId; 1]>::try_from(arguments).ok();
        match name {
            "not" if bools => one.map(|[a]| pool.not(a)),
            "and" if bools => Some(pool.all_of(arguments)),
            "or" if bools => Some(pool.any_of(arguments)),
            "xor" if bools && arguments.len() >= 2 => {
                Some(arguments[1..].iter().fold(arguments[0], |sum, &next| pool.xor(sum, next)))
            }
            "=>" if bools && arguments.len() >= 2 => {
                let (last, rest) = arguments.split_last().expect("two at least");
                Some(rest.iter().rev().fold(*last, |sum, &next| pool.implies(next, sum)))
            }
            "=" if same && arguments.len() >= 2 => {
                let pairs: Vec<TermId> =
                    arguments.windows(2).map(|pair| pool.equal(pair[0], pair[1])).collect();
                Some(pool.all_of(&pairs))
            }
            "fp.to_bits" if arguments.len() == 2 => match (sorts[0], sorts[1]) {
                (Sort::Float(format), Sort::BitVec(width)) if format.width() == width => {
                    Some(pool.fp_to_bits(arguments[0], arguments[1]))
                }
                _ => None,
            },
            "distinct" if same && arguments.len() >= 2 => Some(pool.all_distinct(arguments)),
            "ite" if arguments.len() == 3 && sorts[0] == Sort::Bool && sorts[1] == sorts[2] => {
                Some(pool.ite(arguments[0], arguments[1], arguments[2]))
            }
            "bvadd" => fold!(bvadd),
            "bvmul" => fold!(bvmul),
            "bvand" => fold!(bvand),
            "bvor" => fold!(bvor),
            "bvxor" => fold!(bvxor),
            "concat" if bits && arguments.len() >= 2 => {
                Some(arguments[1..].iter().fold(arguments[0], |sum, &next| pool.concat(sum, next)))
            }
            "bvnot" if bits => one.map(|[a]| pool.bvnot(a)),
            "bvneg" if bits => one.map(|[a]| pool.bvneg(a)),
            "bvnego" if bits => one.map(|[a]| pool.sneg_overflow(a)),
            "select" if arguments.len() == 2 => {
                let (index, _) = pool.array_parts(sorts[0])?;
                (index == sorts[1]).then(|| pool.select(arguments[0], arguments[1]))
            }
            "store" if arguments.len() == 3 => {
                let parts = pool.array_parts(sorts[0])?;
                (parts == (sorts[1], sorts[2])).then(|| pool.store(arguments[0], arguments[1], arguments[2]))
            }
            _ if bits && same => {
                let [a, b] = two?;
                Some(match name {
                    "bvsub" => pool.bvsub(a, b),
                    "bvudiv" => pool.bvudiv(a, b),
                    "bvsdiv" => pool.bvsdiv(a, b),
                    "bvurem" => pool.bvurem(a, b),
                    "bvsrem" => pool.bvsrem(a, b),
                    "bvshl" => pool.bvshl(a, b),
                    "bvlshr" => pool.bvlshr(a, b),
                    "bvashr" => pool.bvashr(a, b),
                    "bvult" => pool.ult(a, b),
                    "bvule" => pool.ule(a, b),
                    "bvugt" => pool.ugt(a, b),
                    "bvuge" => pool.uge(a, b),
                    "bvslt" => pool.slt(a, b),
                    "bvsle" => pool.sle(a, b),
                    "bvsgt" => pool.sgt(a, b),
                    "bvsge" => pool.sge(a, b),
                    "bvuaddo" => pool.uadd_overflow(a, b),
                    "bvsaddo" => pool.sadd_overflow(a, b),
                    "bvusubo" => pool.usub_overflow(a, b),
                    "bvssubo" => pool.ssub_overflow(a, b),
                    "bvumulo" => pool.umul_overflow(a, b),
                    "bvsmulo" => pool.smul_overflow(a, b),
                    "bvsdivo" => pool.sdiv_overflow(a, b),
                    _ => return None,
                })
            }
            _ if floats => build_float(pool, name, mode, arguments),
            _ => None,
        }
    }

    fn build_indexed(
        &mut self,
        head: SexpId,
        mode: Option<RoundingMode>,
        arguments: &[TermId],
    ) -> Result<Option<TermId>, ReadError> {
        let items = self.sexps.list(head).unwrap_or(&[]).to_vec();
        if let [first, second, sort] = items[..]
            && (self.sexps.atom(first), self.sexps.atom(second)) == (Some("as"), Some("const"))
        {
            let sort = self.sort(sort)?;
            let (Some((index, element)), [value]) = (self.pool.array_parts(sort), arguments) else {
                return Ok(None);
            };
            if self.pool.sort(*value) != element {
                return Ok(None);
            }
            return Ok(Some(self.pool.const_array(index, *value)));
        }
        let Some(atoms) = self.sexps.atoms(head) else { return Ok(None) };
        let numbers: Vec<u32> = atoms.iter().skip(2).map_while(|atom| atom.parse().ok()).collect();
        let ([argument], Some(&"_"), Some(&name)) = (arguments, atoms.first(), atoms.get(1)) else {
            return Ok(None);
        };
        let (argument, pool) = (*argument, &mut *self.pool);
        let width = pool.sort(argument).width();
        let format = |exponent: u32, significand: u32| {
            (exponent > 1 && significand > 1).then_some(FloatFormat { exponent, significand })
        };
        Ok(match (name, &numbers[..], width) {
            ("extract", &[high, low], Some(width)) if low <= high && high < width => {
                Some(pool.extract(argument, high, low))
            }
            ("zero_extend", &[by], Some(width)) if width.checked_add(by).is_some() => {
                Some(pool.zero_extend(argument, by))
            }
            ("sign_extend", &[by], Some(width)) if width.checked_add(by).is_some() => {
                Some(pool.sign_extend(argument, by))
            }
            ("to_fp", &[e, s], Some(width)) => match (format(e, s), mode) {
                (Some(format), None) if format.width() == width => Some(pool.fp_from_bits(argument, format)),
                (Some(format), Some(mode)) => Some(pool.fp_from_signed(mode, argument, format)),
                _ => None,
            },
            ("to_fp", &[e, s], None) if matches!(pool.sort(argument), Sort::Float(_)) => {
                match (format(e, s), mode) {
                    (Some(format), Some(mode)) => Some(pool.fp_from_float(mode, argument, format)),
                    _ => None,
                }
            }
            ("to_fp_unsigned", &[e, s], Some(_)) => match (format(e, s), mode) {
                (Some(format), Some(mode)) => Some(pool.fp_from_unsigned(mode, argument, format)),
                _ => None,
            },
            ("fp.to_sbv" | "fp.to_ubv", &[width], None)
                if matches!(pool.sort(argument), Sort::Float(_)) && width > 0 && mode.is_some() =>
            {
                let mode = mode.expect("just seen");
                Some(if name == "fp.to_sbv" {
                    pool.fp_to_signed(mode, argument, width)
                } else {
                    pool.fp_to_unsigned(mode, argument, width)
                })
            }
            _ => None,
        })
    }
}

fn build_float(
    pool: &mut TermPool,
    name: &str,
    mode: Option<RoundingMode>,
    arguments: &[TermId],
) -> Option<TermId> {
    match (name, mode, arguments) {
        ("fp.add", Some(mode), &[a, b]) => Some(pool.fp_add(mode, a, b)),
        ("fp.sub", Some(mode), &[a, b]) => Some(pool.fp_sub(mode, a, b)),
        ("fp.mul", Some(mode), &[a, b]) => Some(pool.fp_mul(mode, a, b)),
        ("fp.div", Some(mode), &[a, b]) => Some(pool.fp_div(mode, a, b)),
        ("fp.fma", Some(mode), &[a, b, c]) => Some(pool.fp_fma(mode, a, b, c)),
        ("fp.sqrt", Some(mode), &[a]) => Some(pool.fp_sqrt(mode, a)),
        ("fp.roundToIntegral", Some(mode), &[a]) => Some(pool.fp_round_to_integral(mode, a)),
        ("fp.gt", None, &[a, b]) => Some(pool.fp_less(b, a)),
        ("fp.geq", None, &[a, b]) => Some(pool.fp_less_or_equal(b, a)),
        ("fp.fmod", None, &[a, b]) => Some(pool.fp_fmod(a, b)),
        (_, None, &[a, b]) => [Op::FpRem, Op::FpMin, Op::FpMax, Op::FpEqual, Op::FpLess, Op::FpLessOrEqual]
            .into_iter()
            .find(|op| op.plain_name() == Some(name))
            .map(|op| match op {
                Op::FpRem => pool.fp_rem(a, b),
                Op::FpMin => pool.fp_min(a, b),
                Op::FpMax => pool.fp_max(a, b),
                Op::FpEqual => pool.fp_equal(a, b),
                Op::FpLess => pool.fp_less(a, b),
                _ => pool.fp_less_or_equal(a, b),
            }),
        (_, None, &[a]) => Some(match name {
            "fp.neg" => pool.fp_neg(a),
            "fp.abs" => pool.fp_abs(a),
            "fp.isNaN" => pool.fp_is_nan(a),
            "fp.isInfinite" => pool.fp_is_infinite(a),
            "fp.isZero" => pool.fp_is_zero(a),
            "fp.isNormal" => pool.fp_is_normal(a),
            "fp.isSubnormal" => pool.fp_is_subnormal(a),
            "fp.isNegative" => pool.fp_is_negative(a),
            "fp.isPositive" => pool.fp_is_positive(a),
            _ => return None,
        }),
        _ => None,
    }
}
