//! Where the time went: how long each engine worked. Engines tell when they begin and end; here it is added up, so that
//! an answer at a limit can say who had the time.

use base::{Event, EventSink};
use question::{Answer, Verdict};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Passes events on, and adds up how long each phase lasts.
pub struct Spent<'s> {
    others: &'s dyn EventSink,
    phases: Mutex<Phases>,
}

#[derive(Default)]
struct Phases {
    open: Vec<(&'static str, Instant)>,
    ended: Vec<(&'static str, Duration)>,
}

/// Engines that are told, and the least that is worth telling.
const MOST_TOLD: usize = 4;
const LEAST_TOLD: Duration = Duration::from_millis(50);

impl<'s> Spent<'s> {
    /// Nothing was spent yet.
    pub fn new(others: &'s dyn EventSink) -> Spent<'s> {
        Spent { others, phases: Mutex::default() }
    }

    /// Who had how much time, the most first.
    fn shares(&self) -> Vec<(&'static str, Duration)> {
        let phases = self.phases.lock().unwrap_or_else(PoisonError::into_inner);
        let open = phases.open.iter().map(|(name, began)| (*name, began.elapsed()));
        let mut shares: Vec<(&'static str, Duration)> = Vec::new();
        for (name, time) in phases.ended.iter().copied().chain(open) {
            match shares.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += time,
                None => shares.push((name, time)),
            }
        }
        shares.retain(|(_, time)| *time >= LEAST_TOLD);
        shares.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        shares
    }

    /// Adds to an answer that a limit left open who had the time.
    pub fn tell(&self, answer: &mut Answer) {
        let Verdict::Undecided(open) = &mut answer.verdict else { return };
        if !open.reason.is_limit_of_the_run() {
            return;
        }
        let shares = self.shares();
        let told: Vec<String> = shares
            .iter()
            .take(MOST_TOLD)
            .map(|(name, time)| format!("{name} {:.1} s", time.as_secs_f64()))
            .collect();
        if !told.is_empty() {
            open.tried
                .insert(0, format!("the time went to {} (engines work beside each other)", told.join(", ")));
        }
    }
}

impl EventSink for Spent<'_> {
    fn emit(&self, event: Event) {
        {
            let mut phases = self.phases.lock().unwrap_or_else(PoisonError::into_inner);
            match &event {
                Event::PhaseStarted { phase, .. } => phases.open.push((*phase, Instant::now())),
                Event::PhaseEnded { phase } => {
                    if let Some(at) = phases.open.iter().rposition(|(own, _)| own == phase) {
                        let (name, began) = phases.open.remove(at);
                        phases.ended.push((name, began.elapsed()));
                    }
                }
                Event::Count { .. } | Event::Said(_) => {}
            }
        }
        self.others.emit(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Silent;
    use verdict::{Reason, Undecided};

    #[test]
    fn who_had_the_time_is_told_at_a_limit_only() {
        let spent = Spent::new(&Silent);
        for phase in ["bmc", "pdr", "bmc"] {
            spent.emit(Event::PhaseStarted { phase, subject: String::new() });
            std::thread::sleep(LEAST_TOLD);
            spent.emit(Event::PhaseEnded { phase });
        }
        let told = |reason: Reason| {
            let mut answer = Answer::new("p", "auto", Undecided::because(reason).into());
            spent.tell(&mut answer);
            answer.verdict.undecided().map(|open| open.tried.clone()).unwrap_or_default()
        };
        let at_limit = told(Reason::TimeLimit);
        assert!(at_limit[0].starts_with("the time went to bmc 0.1 s, pdr 0."), "{at_limit:?}");
        assert!(told(Reason::NoInvariant { why: "stuck".to_owned() }).is_empty());
    }
}
