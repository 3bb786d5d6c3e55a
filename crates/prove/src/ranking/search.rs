//! Finding a measure for a part of the graph: sums of few numbers with small factors, from small to large, that rise on no
//! sample and fall on some; a solver says whether one rises on any way, and its counterexample is the next sample
//! (counterexample-guided synthesis).
//!
//! Worked example: of `while (i < n) { i++; if (*) n--; }` the first sample falls on `-i`, `n - i` and others; the solver
//! shows that none of them rises for `n - i`, where for `n` alone nothing falls.

use super::features::{Feature, features, number_of};
use super::ways::{Place, WayId, Ways, change_of};
use crate::blocks::{ArrivalId, Blocks, HeadId};
use base::Budget;
use logic::{Answer, TermId};
use question::part_of;
use rustc_hash::FxHashSet;
use std::time::Duration;
use verdict::Reason;

/// Questions about one measure at most.
const MOST_ROUNDS: u32 = 90;
/// Numbers that are summed in twos and threes, and in twos with larger factors.
const IN_PAIRS: usize = 26;
const IN_THREES: usize = 12;
const WITH_FACTORS: usize = 5;
const MOST_FACTOR: i64 = 40;

/// A sum of numbers with factors.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    /// Factors and numbers.
    pub parts: Vec<(i64, Feature)>,
    /// Bits in which no sum or difference of such sums wraps.
    pub width: u32,
}

impl Measure {
    fn of(candidate: &[(i64, usize)], all: &[Feature], forbidden: &[u32]) -> Measure {
        let parts: Vec<(i64, Feature)> =
            candidate.iter().map(|&(factor, at)| (factor, all[at].clone())).collect();
        let sum: u64 = parts.iter().map(|(factor, _)| factor.unsigned_abs()).sum();
        let widest = parts.iter().map(|(_, feature)| feature.width).max().unwrap_or(1);
        // A sign, the sum, and a difference of two.
        let mut width = widest + 3 + (64 - sum.leading_zeros());
        while forbidden.contains(&width) {
            width += 1;
        }
        Measure { parts, width }
    }

    /// As people write it, at a head.
    pub(super) fn text_at(&self, head: HeadId) -> String {
        let mut text = String::new();
        for (factor, feature) in &self.parts {
            let Some(own) = feature.text_at(head) else { continue };
            let sign = match (factor.is_negative(), text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            let number = factor.unsigned_abs();
            text.push_str(sign);
            if number != 1 {
                text.push_str(&format!("{number} * "));
            }
            text.push_str(own);
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

/// A measure, and what it took.
pub(super) struct Found {
    pub measure: Measure,
    pub queries: u64,
}

/// What a way did to the numbers in one model: how far each falls.
struct Sample {
    way: usize,
    falls: Vec<i128>,
}

type Candidate = Vec<(i64, usize)>;

fn no_measure(why: impl Into<String>) -> Reason {
    Reason::NoMeasure { why: why.into() }
}

/// A measure that rises on no way inside the part, and falls on some.
pub(super) fn find(
    blocks: &mut Blocks<'_, '_>,
    ways: &Ways,
    part: &[Place],
    budget: &Budget,
) -> Result<Found, Reason> {
    let all = features(blocks, ways, part);
    if all.is_empty() {
        return Err(no_measure("nothing that its conditions depend on is a number"));
    }
    let layout = blocks.explorer.encoder.meaning.layout;
    let inside = ways.inside(part);
    let mut search = Search {
        arrivals: inside.iter().map(|&way| ways.all[way].arrival).collect(),
        inside,
        forbidden: vec![layout.width, layout.object_bits()],
        all,
        samples: Vec::new(),
        refused: FxHashSet::default(),
        queries: 0,
    };
    for way in 0..search.inside.len() {
        let question = ways.taken(blocks, search.inside[way]);
        let from = blocks.arrivals[search.arrivals[way]].from;
        search.queries += 1;
        if blocks.ask(from, &question, &brief(budget)) == Answer::Sat {
            search.add_sample(blocks, way);
        }
    }
    if search.samples.is_empty() {
        return Err(no_measure("the solver gives no example of a way round"));
    }
    let mut tier = 0;
    let mut candidates = search.candidates(tier);
    for _ in 0..MOST_ROUNDS {
        budget.check()?;
        let best = loop {
            candidates.retain(|candidate| search.is_possible(candidate));
            match search.best(&candidates) {
                Some(best) => break best,
                None => {
                    tier += 1;
                    if tier > LAST_TIER {
                        let numbers = search.all.len();
                        return Err(no_measure(format!(
                            "no small sum of {numbers} numbers falls and never rises"
                        )));
                    }
                    candidates = search.candidates(tier);
                }
            }
        };
        if search.never_rises(blocks, ways, &best, budget) {
            let measure = Measure::of(&best, &search.all, &search.forbidden);
            return Ok(Found { measure, queries: search.queries });
        }
    }
    Err(no_measure(format!("{MOST_ROUNDS} guesses were refuted")))
}

/// Single numbers; two; three; two with larger factors.
const LAST_TIER: u32 = 3;

fn brief(budget: &Budget) -> Budget {
    part_of(budget, 12, Duration::from_secs(6))
}

struct Search {
    inside: Vec<WayId>,
    /// By which arrival each way goes.
    arrivals: Vec<ArrivalId>,
    forbidden: Vec<u32>,
    all: Vec<Feature>,
    samples: Vec<Sample>,
    /// Candidates that a solver could not say anything about.
    refused: FxHashSet<Candidate>,
    queries: u64,
}

impl Search {
    fn candidates(&self, tier: u32) -> Vec<Candidate> {
        let count = self.all.len();
        let mut found = Vec::new();
        match tier {
            0 => {
                for at in 0..count {
                    found.extend([vec![(1, at)], vec![(-1, at)]]);
                }
            }
            1 => {
                let count = count.min(IN_PAIRS);
                for one in 0..count {
                    for two in one + 1..count {
                        for (a, b) in [
                            (1, 1),
                            (1, -1),
                            (-1, 1),
                            (-1, -1),
                            (2, 1),
                            (2, -1),
                            (-2, 1),
                            (-2, -1),
                            (1, 2),
                            (1, -2),
                            (-1, 2),
                            (-1, -2),
                        ] {
                            found.push(vec![(a, one), (b, two)]);
                        }
                    }
                }
            }
            2 => {
                let count = count.min(IN_THREES);
                for one in 0..count {
                    for two in one + 1..count {
                        for three in two + 1..count {
                            for signs in 0..8 {
                                let sign = |bit: i32| if signs >> bit & 1 == 1 { -1 } else { 1 };
                                found.push(vec![(sign(0), one), (sign(1), two), (sign(2), three)]);
                            }
                        }
                    }
                }
            }
            _ => {
                let count = count.min(WITH_FACTORS);
                for one in 0..count {
                    for two in one + 1..count {
                        for a in -MOST_FACTOR..=MOST_FACTOR {
                            for b in -MOST_FACTOR..=MOST_FACTOR {
                                if a != 0 && b != 0 && a.abs().max(b.abs()) > 2 && greatest_common(a, b) == 1
                                {
                                    found.push(vec![(a, one), (b, two)]);
                                }
                            }
                        }
                    }
                }
            }
        }
        found
    }

    fn change(&self, candidate: &[(i64, usize)], sample: &Sample) -> i128 {
        candidate.iter().map(|&(factor, at)| i128::from(factor) * sample.falls[at]).sum()
    }

    /// Does it rise on no sample?
    fn is_possible(&self, candidate: &Candidate) -> bool {
        !self.refused.contains(candidate)
            && self.samples.iter().all(|sample| self.change(candidate, sample) >= 0)
    }

    /// The one that falls on most ways, in most samples; the smallest of them.
    fn best(&self, candidates: &[Candidate]) -> Option<Candidate> {
        let mut best: Option<(u64, &Candidate)> = None;
        let mut count = vec![0u64; self.inside.len()];
        self.samples.iter().for_each(|sample| count[sample.way] += 1);
        for candidate in candidates {
            let mut falls = vec![0u64; self.inside.len()];
            for sample in &self.samples {
                falls[sample.way] += u64::from(self.change(candidate, sample) > 0);
            }
            let score: u64 = falls
                .iter()
                .zip(&count)
                .filter(|(_, count)| **count > 0)
                .map(|(falls, count)| if falls == count { 2000 } else { 1000 * falls / count })
                .sum();
            if score > 0 && best.is_none_or(|(known, _)| score > known) {
                best = Some((score, candidate));
            }
        }
        best.map(|(_, candidate)| candidate.clone())
    }

    /// Asks a solver, way by way; what it finds is a sample.
    fn never_rises(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        ways: &Ways,
        candidate: &Candidate,
        budget: &Budget,
    ) -> bool {
        let measure = Measure::of(candidate, &self.all, &self.forbidden);
        for way in 0..self.inside.len() {
            let id = self.arrivals[way];
            let change = change_of(blocks, id, &measure);
            let terms = &mut blocks.explorer.encoder.terms;
            let zero = terms.number(measure.width, 0);
            let rises = terms.pool.slt(change, zero);
            let rises = terms.simple(rises);
            let mut question = ways.taken(blocks, self.inside[way]);
            question.push(rises);
            let from = blocks.arrivals[id].from;
            self.queries += 1;
            match blocks.ask(from, &question, &brief(budget)) {
                Answer::Unsat => {}
                Answer::Sat => {
                    self.add_sample(blocks, way);
                    // A model that does not show what it should must not be asked for again.
                    if self.is_possible(candidate) {
                        self.refused.insert(candidate.clone());
                    }
                    return false;
                }
                Answer::Unknown(_) => {
                    self.refused.insert(candidate.clone());
                    return false;
                }
            }
        }
        true
    }

    /// The model of the last question, of a way.
    fn add_sample(&mut self, blocks: &mut Blocks<'_, '_>, way: usize) {
        let id = self.arrivals[way];
        let Some(from) = blocks.arrivals[id].from else { return };
        let to = blocks.arrivals[id].to;
        let mut terms: Vec<TermId> = Vec::new();
        let mut places: Vec<[Option<(usize, bool)>; 2]> = Vec::new();
        for at in 0..self.all.len() {
            let mut put = |blocks: &mut Blocks<'_, '_>, value: Option<(TermId, bool)>, is_after: bool| {
                let (term, signed) = value?;
                terms.push(if is_after { blocks.after(id, term) } else { term });
                Some((terms.len() - 1, signed))
            };
            let before = put(blocks, self.all[at].value_at(from), false);
            let after = put(blocks, self.all[at].value_at(to), true);
            places.push([before, after]);
        }
        let Some(values) = blocks.checkers.values(&mut blocks.explorer.encoder, &terms) else { return };
        let number = |place: Option<(usize, bool)>| match place {
            Some((at, signed)) => number_of(&values[at], signed),
            None => Some(0),
        };
        let falls: Option<Vec<i128>> =
            places.into_iter().map(|[before, after]| Some(number(before)? - number(after)?)).collect();
        if let Some(falls) = falls {
            self.samples.push(Sample { way, falls });
        }
    }
}

fn greatest_common(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
