//! Walking by choice: walks are runs of the program, and those that fail are violations.

use crate::common::{question, read};
use base::Budget;
use boolprog::explicit::{ExplicitSettings, Walker, explore, replay};
use question::{Decided, Monitor};
use testkit::random::Random;

const PROGRAM: &str = "
decl x := 0, y;
void main() begin
  decl l;
  l := *;
  start_thread other();
  x := l;
  if y then assert(!x); fi
end
void other() begin
  y := !y;
end
";

/// Walks at random that fail are violations that the replay takes, and there are some where the search finds one.
#[test]
fn walks_are_runs() {
    let mut program = read(PROGRAM, &[]).expect("a program");
    let setup = question(&mut program, "n=1 max=3").expect("a question");
    let walker = Walker::new(&program, &setup);
    let starts = walker.starts().expect("few");
    assert_eq!(starts.len(), 2, "y begins with any value");
    let mut random = Random::new(3);
    let mut failed = 0;
    for _ in 0..200 {
        let mut walk = walker.begin(random.pick(&starts).clone());
        loop {
            let mut next = walker.possible(&walk).expect("few choices");
            if next.is_empty() {
                break;
            }
            let at = random.below(next.len());
            walk.take(next.swap_remove(at));
        }
        if walk.has_failed() {
            failed += 1;
            assert_eq!(replay(&program, &setup, walk.trace()), Ok(()));
            assert!(walker.possible(&walk).expect("nothing").is_empty());
        } else {
            assert_eq!(walk.running(), 0, "nothing waits for ever in this program");
        }
    }
    let found = explore(&program, &setup, ExplicitSettings::default(), Monitor::silent(&Budget::unlimited()));
    assert!(failed > 0 && matches!(found.outcome, Ok(Decided::Violated(_))));
}
