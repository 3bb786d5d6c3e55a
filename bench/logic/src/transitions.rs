//! Transitions with predicates: built in, modelled on the statements of the OpenSSL state machines, or read from
//! SMT-LIB files (the assertions are the step; `define-fun`s named `before…` and `after…` are the predicates).

use logic::smtlib::read_script;
use logic::{TermId, TermPool};
use std::collections::HashMap;
use testkit::Random;

/// A step with predicates before and after it.
pub struct Transition {
    /// The step.
    pub step: TermId,
    /// Predicates over the state before; the position matters: `after[i]` is `before[i]` after the step.
    pub before: Vec<TermId>,
    /// The same over the state after.
    pub after: Vec<TermId>,
}

/// Transitions of one pool.
pub struct TransitionSet {
    /// Where the terms are.
    pub pool: TermPool,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// State codes of the handshake.
const STATES: [i128; 16] =
    [8464, 8465, 8466, 8480, 8481, 8496, 8512, 8528, 8544, 8560, 8576, 8592, 8608, 8640, 8656, 12292];
const VARIABLES: [&str; 10] =
    ["state", "next_state", "ret", "num", "len", "flags", "version", "hit", "skip", "blastFlag"];

struct Machine<'p> {
    pool: &'p mut TermPool,
    now: Vec<TermId>,
    then: Vec<TermId>,
}

impl Machine<'_> {
    fn index(name: &str) -> usize {
        VARIABLES.iter().position(|&known| known == name).expect("a variable of the machine")
    }

    fn now(&self, name: &str) -> TermId {
        self.now[Self::index(name)]
    }

    fn number(&mut self, value: i128) -> TermId {
        self.pool.number(32, value)
    }

    /// guard ∧ the variable gets the value ∧ all others keep theirs
    fn assign(&mut self, guard: TermId, name: &str, value: TermId) -> TermId {
        let mut conjuncts = vec![guard];
        for (place, &variable) in VARIABLES.iter().enumerate() {
            let value = if variable == name { value } else { self.now[place] };
            conjuncts.push(self.pool.equal(self.then[place], value));
        }
        self.pool.all_of(&conjuncts)
    }

    fn step(&mut self, random: &mut Random) -> TermId {
        let (state, k) = (self.now("state"), *random.pick(&STATES));
        let k = self.number(k);
        let (ret, num, len, flags) = (self.now("ret"), self.now("num"), self.now("len"), self.now("flags"));
        let zero = self.number(0);
        let here = self.pool.equal(state, k);
        match random.below(10) {
            // case K: s->state = K2;
            0 | 1 => {
                let next = *random.pick(&STATES);
                let next = self.number(next);
                self.assign(here, "state", next)
            }
            // else if chain: not any of the earlier codes
            2 => {
                let mut guards = Vec::new();
                for code in STATES.iter().take(2 + random.below(8)) {
                    let code = self.number(*code);
                    guards.push(self.pool.distinct(state, code));
                }
                let guard = self.pool.all_of(&guards);
                self.assign(guard, "skip", zero)
            }
            // if (ret <= 0) goto end;
            3 => {
                let guard = self.pool.sle(ret, zero);
                self.assign(guard, "next_state", state)
            }
            // num -= ret (while ret > 0)
            4 => {
                let (guard, left) = (self.pool.slt(zero, ret), self.pool.bvsub(num, ret));
                self.assign(guard, "num", left)
            }
            // s->state & 0x4000, flags |= / &= ~
            5 => {
                let mask = self.number(0x4000);
                let bit = self.pool.bvand(state, mask);
                let (guard, one) = (self.pool.distinct(bit, zero), self.number(1 << random.below(8)));
                let value = if random.coin() {
                    self.pool.bvor(flags, one)
                } else {
                    let inverse = self.pool.bvnot(one);
                    self.pool.bvand(flags, inverse)
                };
                self.assign(guard, "flags", value)
            }
            // len = (version >> 8) + 4 * num
            6 => {
                let (version, eight, four) = (self.now("version"), self.number(8), self.number(4));
                let (major, scaled) = (self.pool.bvashr(version, eight), self.pool.bvmul(num, four));
                let sum = self.pool.bvadd(major, scaled);
                self.assign(here, "len", sum)
            }
            // blastFlag == 1 ? 2 : blastFlag
            7 => {
                let (blast, one, two) = (self.now("blastFlag"), self.number(1), self.number(2));
                let is_one = self.pool.equal(blast, one);
                let value = self.pool.ite(is_one, two, blast);
                self.assign(here, "blastFlag", value)
            }
            // if (num < len) state = next_state
            8 => {
                let (guard, next) = (self.pool.slt(num, len), self.now("next_state"));
                self.assign(guard, "state", next)
            }
            // ret = an unknown library result
            _ => {
                let unknown = self.pool.fresh_symbol("nondet", logic::Sort::BitVec(32));
                let tt = self.pool.tt();
                self.assign(tt, "ret", unknown)
            }
        }
    }

    fn predicate(&mut self, random: &mut Random) -> TermId {
        let (state, zero) = (self.now("state"), self.number(0));
        match random.below(9) {
            0..=2 => {
                let k = *random.pick(&STATES);
                let k = self.number(k);
                self.pool.equal(state, k)
            }
            3 => {
                let (next, k) = (self.now("next_state"), *random.pick(&STATES));
                let k = self.number(k);
                self.pool.equal(next, k)
            }
            4 => {
                let ret = self.now("ret");
                self.pool.sle(ret, zero)
            }
            5 => {
                let (num, len) = (self.now("num"), self.now("len"));
                self.pool.slt(num, len)
            }
            6 => {
                let (blast, k) = (self.now("blastFlag"), random.below(5) as i128);
                let k = self.number(k);
                self.pool.equal(blast, k)
            }
            7 => {
                let (flags, bit) = (self.now("flags"), self.number(1 << random.below(8)));
                let masked = self.pool.bvand(flags, bit);
                self.pool.distinct(masked, zero)
            }
            _ => {
                let (num, ret) = (self.now("num"), self.now("ret"));
                let sum = self.pool.bvadd(num, ret);
                self.pool.slt(zero, sum)
            }
        }
    }
}

/// A hundred transitions with twelve predicates each.
pub fn built_in() -> TransitionSet {
    let mut pool = TermPool::new();
    let now = VARIABLES.map(|name| pool.bitvec_symbol(name, 32)).to_vec();
    let then = VARIABLES.map(|name| pool.bitvec_symbol(&format!("{name}'"), 32)).to_vec();
    let to_after = now.iter().copied().zip(then.iter().copied()).collect();
    let mut random = Random::new(2026);
    let mut transitions = Vec::new();
    for _ in 0..100 {
        let mut machine = Machine { pool: &mut pool, now: now.clone(), then: then.clone() };
        let step = machine.step(&mut random);
        let mut before = Vec::new();
        while before.len() < 12 {
            let predicate = machine.predicate(&mut random);
            if !before.contains(&predicate) {
                before.push(predicate);
            }
        }
        let after = pool.substitute_all(&before, &to_after);
        transitions.push(Transition { step, before, after });
    }
    TransitionSet { pool, transitions }
}

/// Transitions from the `.smt2` files of a directory, in order of their names. Symbols of one name are one symbol,
/// so files must agree on their sorts.
pub fn from_directory(directory: &str) -> Result<TransitionSet, String> {
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .map_err(|error| format!("{directory}: {error}"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "smt2"))
        .collect();
    paths.sort();
    let mut pool = TermPool::new();
    let mut transitions = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let script = read_script(&mut pool, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        let named: HashMap<&str, TermId> =
            script.definitions.iter().map(|(name, term)| (&name[..], *term)).collect();
        let step = pool.all_of(&script.assertions);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (name, term) in &script.definitions {
            if let Some(number) = name.strip_prefix("before")
                && let Some(&other) = named.get(&format!("after{number}")[..])
            {
                before.push(*term);
                after.push(other);
            }
        }
        transitions.push(Transition { step, before, after });
    }
    if transitions.is_empty() {
        Err(format!("no .smt2 file in {directory}"))
    } else {
        Ok(TransitionSet { pool, transitions })
    }
}
