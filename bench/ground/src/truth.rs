//! What all runs of a program do, and what is claimed of it.

use crate::native::{Executable, Failure, Refused, Run, Vector};
use crate::piece::Claim;
use crate::program::{Look, Program};
use crate::random::Random;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Runs with other answers of the library, for programs that depend on them.
const SURROUNDINGS: u32 = 6;

/// All that is known of a program.
pub struct Truth {
    /// The runs, with what they did.
    pub runs: Vec<(Vector, Run)>,
    /// Are these all runs that there are?
    pub is_exhaustive: bool,
    /// The values looked at.
    pub looks: Vec<Look>,
    /// What Concord's text claims of each.
    pub claims: Vec<Claim>,
}

/// The runs that are made of a program.
pub fn vectors(program: &Program) -> (Vec<Vector>, bool) {
    let (all, is_complete) = program.vectors();
    let surroundings = if program.is_closed() { 0..=0 } else { 1..=SURROUNDINGS };
    let vectors = surroundings
        .flat_map(|surroundings| {
            all.iter().map(move |values| Vector { surroundings, values: values.clone() })
        })
        .collect();
    (vectors, is_complete && program.is_closed())
}

/// The truth about several programs of one executable.
pub fn find(programs: &[&Program], executable: &Executable) -> Result<Vec<Truth>, Refused> {
    let planned: Vec<(Vec<Vector>, bool)> = programs.iter().map(|program| vectors(program)).collect();
    let runs: Vec<(u64, Vector)> = programs
        .iter()
        .zip(&planned)
        .flat_map(|(program, (vectors, _))| vectors.iter().map(|vector| (program.seed, vector.clone())))
        .collect();
    let mut results = executable.run(&runs)?.into_iter();
    let mut truths = Vec::new();
    for (program, (vectors, is_exhaustive)) in programs.iter().zip(planned) {
        let runs: Vec<(Vector, Run)> = vectors.into_iter().zip(results.by_ref()).collect();
        let looks = program.looks();
        let claims = claims(program.seed, &looks, &runs);
        truths.push(Truth { runs, is_exhaustive, looks, claims });
    }
    Ok(truths)
}

/// Claims about what was seen, most of them true. They depend on the expression and on nothing around it, so that they
/// stay when a program is made smaller.
fn claims(seed: u64, looks: &[Look], runs: &[(Vector, Run)]) -> Vec<Claim> {
    let mut seen: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); looks.len()];
    for (number, value) in runs.iter().flat_map(|(_, run)| &run.looks) {
        if let Some(values) = seen.get_mut(*number) {
            values.insert(*value);
        }
    }
    let claim = |(look, values): (&Look, &BTreeSet<i64>)| {
        let mut hasher = DefaultHasher::new();
        (seed, &look.expression).hash(&mut hasher);
        let mut random = Random::new(hasher.finish());
        let (Some(&least), Some(&greatest)) = (values.first(), values.last()) else {
            return if random.chance(50) { Claim::Print } else { Claim::Differs(random.within(-2, 9)) };
        };
        let some = *random.pick(&values.iter().copied().collect::<Vec<_>>());
        match random.below(100) {
            0..20 => Claim::Nothing,
            20..45 => Claim::Print,
            45..65 => Claim::Within(least, greatest),
            65..70 => Claim::Within(i64::MIN, greatest),
            70..75 => Claim::Within(least, i64::MAX),
            75..83 => {
                let unseen = (least.saturating_sub(1)..).find(|value| !values.contains(value));
                Claim::Differs(unseen.unwrap_or(i64::MIN))
            }
            83..92 => Claim::Differs(some),
            92..96 if greatest > least => Claim::Within(least, greatest - 1),
            96..100 if greatest > least => Claim::Within(least + 1, greatest),
            _ => Claim::Print,
        }
    };
    looks.iter().zip(&seen).map(claim).collect()
}

impl Truth {
    /// How a run fails, the claims counted as assertions.
    pub fn failure(&self, run: &Run) -> Option<Failure> {
        self.first_false_claim(run).map_or_else(
            || run.failure.clone(),
            |at| {
                let look = &self.looks[run.looks[at].0];
                Some(Failure::at("assertion", look.file.as_str(), look.line))
            },
        )
    }

    fn first_false_claim(&self, run: &Run) -> Option<usize> {
        run.looks
            .iter()
            .position(|&(number, value)| self.claims.get(number).is_some_and(|claim| !claim.allows(value)))
    }

    /// What a run looks at, up to the first false claim.
    pub fn looks_before_failing<'a>(&self, run: &'a Run) -> &'a [(usize, i64)] {
        match self.first_false_claim(run) {
            Some(at) => &run.looks[..=at],
            None => &run.looks,
        }
    }

    /// The failing runs.
    pub fn failures(&self) -> impl Iterator<Item = (&Vector, Failure)> {
        self.runs.iter().filter_map(|(vector, run)| Some((vector, self.failure(run)?)))
    }

    /// Did a run not end?
    pub fn has_endless_run(&self) -> bool {
        self.runs.iter().any(|(_, run)| run.was_cut_off)
    }
}
