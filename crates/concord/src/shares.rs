//! Several questions under one limit: each gets its share of the time, so that one that cannot be answered
//! does not use up the time of the others; what they leave over goes to those that had too little.

use base::{Budget, Exhausted};
use std::time::{Duration, Instant};

/// Asks every question within its share; `is_open` says that an answer may become better with more time. An
/// open question is asked again while that gives it at least twice the time it had.
pub fn in_shares<Q, A, E>(
    questions: &[Q],
    budget: &Budget,
    is_open: impl Fn(&A) -> bool,
    mut ask: impl FnMut(usize, &Q, &Budget) -> Result<A, E>,
) -> Result<Vec<A>, E> {
    let mut answers: Vec<Option<A>> = questions.iter().map(|_| None).collect();
    let mut had = vec![Duration::ZERO; questions.len()];
    let mut open: Vec<usize> = (0..questions.len()).collect();
    let mut is_first_round = true;
    while !open.is_empty() {
        let count = open.len();
        let mut again = Vec::new();
        for (place, &index) in open.iter().enumerate() {
            let share = budget.share(count - place);
            let time = share.deadline().map(|end| end.saturating_duration_since(Instant::now()));
            // Whatever went wrong but the time will go wrong again.
            if !is_first_round && time.is_none_or(|time| time < had[index] * 2) {
                continue;
            }
            let answer = ask(index, &questions[index], &share)?;
            had[index] = time.unwrap_or(Duration::MAX);
            if is_open(&answer) && share.check() == Err(Exhausted::Time) {
                again.push(index);
            }
            answers[index] = Some(answer);
        }
        is_first_round = false;
        open = again;
    }
    Ok(answers.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question is answered once it had the time that it needs.
    fn ask(_: usize, needs: &Duration, budget: &Budget) -> Result<bool, ()> {
        let end = Instant::now() + *needs;
        while Instant::now() < end {
            if budget.check().is_err() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(true)
    }

    #[test]
    fn one_question_does_not_use_up_the_time_of_the_others() {
        let milliseconds = Duration::from_millis;
        let needs = [milliseconds(100_000), milliseconds(1), milliseconds(1), milliseconds(1)];
        let budget = Budget::unlimited().with_time(milliseconds(1000));
        let answers = in_shares(&needs, &budget, |answer| !answer, ask);
        assert_eq!(answers, Ok(vec![false, true, true, true]));
    }

    #[test]
    fn what_is_left_over_goes_to_who_had_too_little() {
        let milliseconds = Duration::from_millis;
        let needs = [milliseconds(900), milliseconds(1), milliseconds(1), milliseconds(1)];
        let budget = Budget::unlimited().with_time(milliseconds(3000));
        let answers = in_shares(&needs, &budget, |answer| !answer, ask);
        assert_eq!(answers, Ok(vec![true; 4]));
    }

    #[test]
    fn without_a_limit_every_question_is_asked_once() {
        let mut asked = 0;
        let answers = in_shares(
            &[1, 2, 3],
            &Budget::unlimited(),
            |_| true,
            |_, question, _| {
                asked += 1;
                Ok::<_, ()>(*question)
            },
        );
        assert_eq!((answers, asked), (Ok(vec![1, 2, 3]), 3));
    }
}
