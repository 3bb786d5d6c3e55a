//! Numbers that lie in memory, ring buffers, blocks on the stack, loops that only run on: what is proved and found, and what must not be.

use base::{Budget, Silent};
use cegar::{Check, Checks, Choice, Property, Settings, verify};
use csource::types::DataModel;
use question::{Answer, Question, Verdict};
use std::time::Duration;

fn answer(text: &str, engine: &str, model: DataModel, checks: &[Check], seconds: u64) -> Answer {
    let program = testkit::c::load_text(text, model);
    let checks = checks.iter().fold(Checks::none(), |all, &check| all.with(check));
    let property = Property { checks, ..Property::standard() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let choice = Choice::named(engine).expect("it is in the table");
    verify(&Question::never(&program, property), choice, &Settings::default(), &budget, &Silent)
}

/// A ring buffer of `slots` bytes whose reader stops when it is `behind` the writer.
fn ring(slots: u32, behind: u32) -> String {
    format!(
        "extern int nondet_int(void); extern unsigned nondet_uint(void); extern void reach_error(void);
        struct ring {{ unsigned char data[{slots}]; unsigned head, tail; }};
        static int put(struct ring *r, unsigned char c) {{
            if (r->head - r->tail == {slots}) return 0;
            r->data[r->head % {slots}] = c; r->head++; return 1;
        }}
        static int get(struct ring *r, unsigned char *c) {{
            if (r->head - r->tail == {behind}) return 0;
            *c = r->data[r->tail % {slots}]; r->tail++; return 1;
        }}
        int main(void) {{
            struct ring r; unsigned char c; int n = 0;
            r.head = r.tail = nondet_uint();
            while (nondet_int()) {{
                if (nondet_int()) {{ if (put(&r, nondet_uint())) n++; }} else if (get(&r, &c)) n--;
                if (!(n >= 0 && n <= {slots})) reach_error();
                if (!(r.head - r.tail == (unsigned)n)) reach_error();
            }}
            return 0;
        }}"
    )
}

const RING: [Check; 2] = [Check::Bounds, Check::Uninitialised];

#[test]
fn what_was_put_into_a_ring_is_written_when_it_is_got() {
    let answer = answer(&ring(8, 0), "elements", DataModel::Lp64, &RING, 60);
    assert!(matches!(answer.verdict, Verdict::Holds(_)), "{:?}", answer.verdict);
}

/// After 2^32 bytes the slots of seven are counted anew, from another one; a reader that does not stop reads what nobody wrote.
#[test]
fn rings_that_read_what_nobody_wrote_are_not_proved() {
    for text in [ring(7, 0), ring(8, 1), ring(8, 8)] {
        for engine in ["elements", "k-induction"] {
            let answer = answer(&text, engine, DataModel::Lp64, &RING, 2);
            assert!(!matches!(answer.verdict, Verdict::Holds(_)), "{engine}: {text}");
        }
    }
}

const STACK: &str = "extern int nondet_int(void);
    int main(void) {
        int n = nondet_int();
        if (n < 1) n = 1;
        char *a = (char *) __builtin_alloca(n);
        for (int i = 0; i < n; i++) a[i] = 1;
        return a[LAST];
    }";

#[test]
fn blocks_on_the_stack_that_are_too_large_to_be_told_apart_are_not_proved() {
    let text = STACK.replace("LAST", "n - 1");
    let answer = answer(&text, "auto", DataModel::Ilp32, &[Check::Bounds], 10);
    assert!(!matches!(answer.verdict, Verdict::Violated(_)), "{:?}", answer.verdict);
    // Fails where the stack is unlimited.
    let text = "extern unsigned nondet_uint(void); extern void reach_error(void);
        int main(void) {
            unsigned n = nondet_uint();
            if (n == 0) return 0;
            char a[n];
            a[n - 1] = 1;
            if (n > 16777216) reach_error();
            return 0;
        }";
    let answer = self::answer(text, "auto", DataModel::Ilp32, &[], 10);
    assert!(!matches!(answer.verdict, Verdict::Holds(_)), "{:?}", answer.verdict);
}

#[test]
fn small_blocks_on_the_stack_are_not() {
    let text = STACK.replace("LAST", "n");
    let answer = answer(&text, "auto", DataModel::Ilp32, &[Check::Bounds], 60);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{:?}", answer.verdict);
}

/// With drawn numbers no run gets past the first zeros.
#[test]
fn runs_on_one_number_get_to_the_end_of_an_array() {
    let text = "extern int nondet_int(void); extern void reach_error(void);
        int main(void) {
            int a[3000], i;
            for (i = 0; i < 3000; i++) a[i] = nondet_int();
            for (i = 0; a[i] != 0; i++) if (i >= 2999) reach_error();
            return 0;
        }";
    let answer = answer(text, "auto", DataModel::Lp64, &[], 60);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{:?}", answer.verdict);
}

/// Blocks are freed and pointers compared, but never one to what is gone: there is only one run.
#[test]
fn a_run_that_compares_living_pointers_is_the_only_one() {
    let text = |freed: &str| {
        format!(
            "extern void *malloc(unsigned long); extern void free(void *); extern void reach_error(void);
            int main(void) {{
                char *p = malloc(4), *q = malloc(4);
                int same = p == q;
                free(q);
                char *r = malloc(4);
                same += r == {freed};
                if (same) reach_error();
                free(p); free(r);
                return 0;
            }}"
        )
    };
    let answer_of = |freed| answer(&text(freed), "testing", DataModel::Lp64, &[], 20).verdict;
    assert!(matches!(answer_of("p"), Verdict::Holds(_)));
    assert!(!matches!(answer_of("q"), Verdict::Holds(_)));
}
