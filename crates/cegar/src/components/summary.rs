//! The answer with all figures, when the loop has ended.

use super::parts::SystemPart;
use super::report::{PartFigures, SystemReport};
use super::run::Run;
use predicate::refine::Families;
use question::{Answer, Asks, Verdict};
use std::collections::BTreeSet;
use std::time::Instant;

impl Run<'_> {
    pub(super) fn report(self, name: &str, verdict: Verdict, begun: Instant) -> SystemReport {
        let mut answer = Answer::new(name, self.engine, verdict);
        answer.engine_reason = self.engine_reason;
        answer.remarks = self.remarks.into_iter().collect();
        if self.tracks_branches {
            let why = "with many components, the branches of small ones are tracked from the start (not with --engine plain)";
            answer.remarks.push(why.to_owned());
        }
        answer.remarks.extend(self.common.remark(self.parts));
        if !self.replayed.is_empty() {
            let who = self.replayed.join(", ");
            answer.remarks.push(format!("the counterexample was run on the code of {who}"));
        }
        let mut assumptions: BTreeSet<String> = BTreeSet::new();
        let (mut predicates, mut seeds, mut checks) = (0, 0, 0);
        let (mut kinds, mut branches) = (0, 0);
        for part in self.parts.iter() {
            let SystemPart::Code(code) = part else { continue };
            let component = &code.component;
            assumptions
                .extend(component.assumptions.iter().map(|text| format!("{}: {text}", component.name)));
            let can_be_undefined =
                component.edges.iter().any(|edge| component.pool.bool_value(edge.defined) != Some(true));
            if can_be_undefined {
                assumptions
                    .insert(format!("{}: runs are followed up to undefined behaviour only", component.name));
            }
            predicates += code.predicates.distinct();
            kinds += Families::count(component, code.predicates.all().into_iter().map(|(term, _)| term));
            branches += Families::count(component, code.seeds.iter().map(|seed| seed.condition));
            seeds += code.seeds.len();
            checks += code.checks();
        }
        if matches!(self.asks, Asks::Satisfies(_)) {
            assumptions.extend(self.settings.fairness.in_words());
        }
        answer.assumptions = assumptions.into_iter().collect();
        let parts: Vec<PartFigures> = self.parts.iter().map(PartFigures::of).collect();
        let statistics = &mut answer.statistics;
        statistics.count("iterations", self.rounds as u64);
        if self.later_rounds > 0 {
            statistics.count("iterations after the proof", self.later_rounds as u64);
        }
        statistics.count("counterexamples", self.counterexamples as u64);
        statistics.count("spurious counterexamples", self.refinements.len() as u64);
        statistics.count("predicates", predicates as u64);
        statistics.count("predicates of different values", kinds as u64);
        statistics.count("seeds", seeds as u64);
        statistics.count("seeds of different values", branches as u64);
        statistics.count("states", self.product_states as u64);
        statistics.count("most states", self.most_product_states as u64);
        statistics.count("solver checks", checks);
        statistics.time("time", begun.elapsed());
        SystemReport {
            answer,
            vacuous: Vec::new(),
            is_too_deep: self.is_too_deep,
            rounds: self.rounds,
            refinements: self.refinements,
            history: self.history,
            parts,
            product_states: self.product_states,
            most_product_states: self.most_product_states,
        }
    }
}
