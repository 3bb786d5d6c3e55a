//! Small programs whose answers are easily got wrong, under every interleaving.

use crate::interleavings::Looked;
use concrete::interleavings::{Explored, Reduction, Search, Unseen, accesses};
use concrete::{Interpreter, UndefinedKind};
use program::{DataModel, Program};

/// What is expected of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Holds,
    Violated,
    Open,
}
use Expected::{Holds, Open, Violated};

fn program(body: &str) -> Program {
    let more = "
        int pthread_detach(pthread_t);
        int pthread_once(int *, void (*)(void));
        void *memcpy(void *, const void *, unsigned long);
        typedef struct { int kind; } pthread_mutexattr_t;
        int pthread_mutexattr_init(pthread_mutexattr_t *);
        int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
        int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
    ";
    let text = format!("{}{more}{body}", testkit::races::DECLARATIONS);
    testkit::c::load_text(&text, DataModel::Lp64)
}

fn ask(program: &Program, looked: Looked) -> Expected {
    let visible = accesses(program);
    let interpreter = Interpreter::for_threads(program);
    let settings = looked.settings();
    let search = |search| match interpreter.explore(&settings, &visible, search, &mut { looked }) {
        Explored::Everything { .. } => Some(Holds),
        Explored::Found(_) => Some(Violated),
        Explored::Partly(Unseen::TooManyRuns) => None,
        Explored::Partly(_) => Some(Open),
    };
    let reduced = search(Search::ALL).expect("there is no limit");
    if let Some(all) = search(Search { reduction: Reduction::None, most_runs: 20_000 }) {
        assert_eq!(reduced, all, "the reduction changes the answer");
    }
    reduced
}

/// Asks for a call of `reach_error`, a race, a deadlock.
fn expect(name: &str, body: &str, error: Expected, race: Expected, deadlock: Expected) {
    let program = program(body);
    assert_eq!(ask(&program, Looked::Error), error, "{name}: error");
    assert_eq!(ask(&program, Looked::Race), race, "{name}: race");
    assert_eq!(ask(&program, Looked::Deadlock), deadlock, "{name}: deadlock");
}

fn misuse(name: &str, body: &str, kind: UndefinedKind) {
    assert_eq!(ask(&program(body), Looked::Undefined(kind)), Violated, "{name}");
}

/// Starts two threads with 0 and 1, and joins them.
fn two(first: &str, second: &str) -> String {
    format!(
        "int main(void) {{ pthread_t p, q; pthread_create(&p, 0, {first}, (void *)0); \
         pthread_create(&q, 0, {second}, (void *)1); pthread_join(p, 0); pthread_join(q, 0); return 0; }}"
    )
}

#[test]
fn a_signal_that_nobody_waits_for_yet_is_lost() {
    let waits = |test: &str, before: &str, after: &str| {
        format!(
            "pthread_mutex_t m; pthread_cond_t c; int ready;
             void *f(void *a) {{ int r; pthread_mutex_lock(&m); {test} (r = ready, !r) pthread_cond_wait(&c, &m);
               r = ready; if (!r) reach_error(); pthread_mutex_unlock(&m); return 0; }}
             void *g(void *a) {{ {before} ready = 1; pthread_cond_signal(&c); {after} return 0; }} {}",
            two("f", "g")
        )
    };
    expect("unlocked", &waits("while", "", ""), Holds, Violated, Violated);
    expect("if", &waits("if", "", ""), Violated, Violated, Violated);
    let (lock, unlock) = ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);");
    expect("locked", &waits("while", lock, unlock), Holds, Holds, Holds);
}

#[test]
fn a_recursive_mutex_counts() {
    let text = |kind: u32, second: &str| {
        format!(
            "pthread_mutex_t r; int x;
             void *f(void *a) {{ int t; pthread_mutex_lock(&r); pthread_mutex_lock(&r); t = x; x = t + 1; pthread_mutex_unlock(&r);
               t = x; x = t + 1; {second} return 0; }}
             int main(void) {{ pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_settype(&k, {kind});
               pthread_mutex_init(&r, &k); pthread_t p, q; pthread_create(&p, 0, f, 0); pthread_create(&q, 0, f, 0);
               pthread_join(p, 0); pthread_join(q, 0); int t = x; if (t != 4) reach_error(); return 0; }}"
        )
    };
    let unlock = "pthread_mutex_unlock(&r);";
    expect("recursive", &text(1, unlock), Holds, Holds, Holds);
    expect("normal", &text(0, unlock), Holds, Holds, Violated);
    expect("its owner ended", &text(1, ""), Holds, Holds, Violated);
}

#[test]
fn a_mutex_of_another_thread_is_not_unlocked() {
    let text = |kind: u32, own: &str| {
        format!(
            "pthread_mutex_t m = {{ {{ 0, 0, 0, 0, {kind} }} }}; int x; void *f(void *a) {{ pthread_mutex_unlock(&m); return 0; }}
             void *g(void *a) {{ pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return 0; }}
             int main(void) {{ pthread_t p, q; pthread_mutex_lock(&m); pthread_create(&p, 0, f, 0); pthread_create(&q, 0, g, 0);
               x = 1; {own} pthread_join(p, 0); pthread_join(q, 0); return 0; }}"
        )
    };
    misuse("normal", &text(0, ""), UndefinedKind::MutexMisuse);
    expect("normal", &text(0, ""), Open, Open, Open);
    expect("error-checking", &text(2, "pthread_mutex_unlock(&m);"), Holds, Holds, Holds);
}

#[test]
fn one_handle_for_two_threads_joins_one() {
    let text = |rest: &str| {
        format!(
            "pthread_mutex_t m; int d; void *f(void *a) {{ pthread_mutex_lock(&m); d = 1; pthread_mutex_unlock(&m); return 0; }}
             int main(void) {{ pthread_t t; for (int i = 0; i < 2; i++) pthread_create(&t, 0, f, 0); pthread_join(t, 0); {rest} return 0; }}"
        )
    };
    expect("one of two", &text("d = 2;"), Holds, Violated, Holds);
    misuse("twice", &text("pthread_join(t, 0);"), UndefinedKind::ThreadMisuse);
}

#[test]
fn members_are_apart_and_bit_fields_side_by_side_are_not() {
    let text = |own: &str, others: &str| {
        format!(
            "struct {{ int a, b; unsigned p : 3, q : 5, : 0, r : 4; }} s;
             void *f(void *x) {{ s.a = 1; {own} return 0; }} void *g(void *x) {{ s.b = 1; {others} return 0; }} {}",
            two("f", "g")
        )
    };
    expect("beside", &text("s.p = 1;", "s.q = 1;"), Holds, Violated, Holds);
    expect("apart", &text("s.p = 1;", "s.r = 1;"), Holds, Holds, Holds);
}

#[test]
fn a_copy_touches_what_it_copies() {
    let text = |more: &str| {
        format!(
            "char A[8], B[8]; void *f(void *a) {{ memcpy(A, B, 4); return 0; }}
             void *g(void *a) {{ char t = B[0]; A[4] = t; {more} return 0; }} {}",
            two("f", "g")
        )
    };
    // Whether others see a part of the copy is not followed.
    expect("copied", &text("A[3] = 1;"), Open, Violated, Open);
    expect("not copied", &text(""), Holds, Holds, Holds);
}

#[test]
fn writing_the_same_value_twice_is_a_race() {
    let text = format!(
        "int x; void *f(void *a) {{ x = 1; return 0; }} void *g(void *a) {{ x = 1; int t = x; if (t != 1) reach_error(); return 0; }} {}",
        two("f", "g")
    );
    expect("benign", &text, Holds, Violated, Holds);
}

#[test]
fn memory_orders_order_or_do_not() {
    let text = |store: u32, load: u32| {
        format!(
            "int d; _Atomic int z; void *f(void *a) {{ d = 1; __atomic_store_n(&z, 1, {store}); return 0; }}
             void *g(void *a) {{ int t = __atomic_load_n(&z, {load}); if (t) {{ t = d; if (t != 1) reach_error(); }} return 0; }} {}",
            two("f", "g")
        )
    };
    expect("relaxed", &text(0, 0), Holds, Violated, Holds);
    expect("released and acquired", &text(3, 2), Holds, Holds, Holds);
    expect("released, not acquired", &text(3, 0), Holds, Violated, Holds);
    let mixed = format!(
        "int x; _Atomic int y; void *f(void *a) {{ __atomic_fetch_add(&x, 1, 5); y++; return 0; }}
         void *g(void *a) {{ int r = y; {{}} return 0; }} {}",
        two("f", "g")
    );
    expect("atomic only", &mixed, Holds, Holds, Holds);
    let plain = mixed.replace("{}", "r = x;");
    expect("atomic beside plain", &plain, Holds, Violated, Holds);
}

#[test]
fn threads_create_threads() {
    let text = "_Atomic int s; void *w(void *a) { pthread_t t; s = 1; if (a) pthread_create(&t, 0, w, 0); int r = s; if (r != 1) reach_error(); return 0; }
                int main(void) { pthread_t t; pthread_create(&t, 0, w, (void *)1); pthread_exit(0); }";
    expect("nested", text, Holds, Holds, Holds);
}

#[test]
fn thread_local_variables_are_each_threads_own() {
    let text = format!(
        "_Thread_local int v; int *_Atomic out; void *f(void *a) {{ v = v + 1; if (v != 1) reach_error(); out = &v; v = 3; return 0; }}
         void *g(void *a) {{ v = v + 1; if (v != 1) reach_error(); int *p = out; if (p) *p = 7; return 0; }} {}",
        two("f", "g")
    );
    assert_eq!(ask(&program(&text), Looked::Race), Violated, "v = 3 beside *p = 7");
    misuse("f has ended before *p = 7", &text, UndefinedKind::UseAfterScope);
}

#[test]
fn a_local_whose_address_is_passed_is_shared() {
    let text = "void *f(void *a) { int *p = a; int t = *p; *p = t + 1; return 0; }
                int main(void) { int i = 0; pthread_t t; pthread_create(&t, 0, f, &i); int u = i; i = u + 1; pthread_join(t, 0);
                  u = i; if (u != 2) reach_error(); return 0; }";
    expect("escaped", text, Violated, Violated, Holds);
    let dead = "void *f(void *a) { int *p = a; *p = 1; return 0; }
                pthread_t t; void start(void) { int i = 0; pthread_create(&t, 0, f, &i); }
                int main(void) { start(); pthread_t own = t; pthread_join(own, 0); return 0; }";
    misuse("its function has returned", dead, UndefinedKind::UseAfterScope);
}

#[test]
fn a_barrier_can_be_used_again() {
    let text = |second: &str, count: u32| {
        format!(
            "pthread_barrier_t b; int v[2];
             void *f(void *a) {{ int me = (int)(long)a; for (int k = 0; k < 2; k++) {{ v[me] = k; pthread_barrier_wait(&b);
               int t = v[1 - me]; if (t != k) reach_error(); {second} }} return 0; }}
             int main(void) {{ pthread_t p, q; pthread_barrier_init(&b, 0, {count}); pthread_create(&p, 0, f, (void *)0);
               pthread_create(&q, 0, f, (void *)1); pthread_join(p, 0); pthread_join(q, 0); return 0; }}"
        )
    };
    let wait = "pthread_barrier_wait(&b);";
    expect("used twice", &text(wait, 2), Holds, Holds, Holds);
    expect("used once", &text("", 2), Violated, Violated, Holds);
    expect("too few come", &text(wait, 3), Holds, Holds, Violated);
}

#[test]
fn either_thread_may_have_a_lock_first() {
    let text = format!(
        "pthread_mutex_t m; int x; void *f(void *a) {{ pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return 0; }}
         void *g(void *a) {{ pthread_mutex_lock(&m); int t = x; if (t == 0) reach_error(); pthread_mutex_unlock(&m); return 0; }} {}",
        two("f", "g")
    );
    expect("locked", &text, Violated, Holds, Holds);
}

#[test]
fn a_try_fails_only_while_the_lock_is_held() {
    let text = |unlock: &str, test: &str| {
        format!(
            "pthread_mutex_t m; void *f(void *a) {{ pthread_mutex_lock(&m); {unlock} return 0; }}
             void *g(void *a) {{ int t = pthread_mutex_trylock(&m); if (t {test} 0) reach_error(); return 0; }} {}",
            two("f", "g")
        )
    };
    // The error ends the process, so nobody waits for ever.
    expect("succeeds first", &text("", "=="), Violated, Holds, Holds);
    expect("fails between", &text("pthread_mutex_unlock(&m);", "!="), Violated, Holds, Violated);
    let joined =
        "pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
                  int main(void) { pthread_t p; pthread_create(&p, 0, f, 0); pthread_join(p, 0);
                    int t = pthread_mutex_trylock(&m); if (t != 0) reach_error(); return 0; }";
    expect("never fails after", joined, Holds, Holds, Holds);
}

#[test]
fn an_assumption_that_does_not_hold_stops_its_thread_only() {
    let text = format!(
        "void __VERIFIER_assume(int); int x; void *f(void *a) {{ x = 1; __VERIFIER_assume(0); x = 2; return 0; }}
         void *g(void *a) {{ int t = x; if (t == 1) reach_error(); return 0; }} {}",
        two("f", "g")
    );
    expect("seen", &text, Violated, Violated, Holds);
    let section = format!(
        "void __VERIFIER_assume(int); int x; void *f(void *a) {{ __VERIFIER_atomic_begin(); x = 1; __VERIFIER_assume(0);
           __VERIFIER_atomic_end(); return 0; }}
         void *g(void *a) {{ int t = x; if (t == 1) reach_error(); return 0; }} {}",
        two("f", "g")
    );
    expect("inside a section", &section, Holds, Violated, Holds);
}

#[test]
fn weak_swaps_fail_and_timed_waits_give_up() {
    let swap = |weak: u32| {
        format!(
            "_Atomic int a; void *f(void *p) {{ int e = 0; int t = __atomic_compare_exchange_n(&a, &e, 1, {weak}, 5, 5); if (!t) reach_error();
               return 0; }}
             int main(void) {{ pthread_t p; pthread_create(&p, 0, f, 0); pthread_join(p, 0); return 0; }}"
        )
    };
    expect("strong", &swap(0), Holds, Holds, Holds);
    expect("weak", &swap(1), Violated, Holds, Holds);
    // POSIX: never a time-out where the mutex could be locked at once.
    let timed = |before: &str| {
        format!(
            "pthread_mutex_t m;
             void *f(void *p) {{ int t = pthread_mutex_timedlock(&m, 0); if (t) reach_error(); return 0; }}
             int main(void) {{ pthread_t p; {before} pthread_create(&p, 0, f, 0); pthread_join(p, 0); return 0; }}"
        )
    };
    expect("timed", &timed(""), Holds, Holds, Holds);
    expect("timed, held", &timed("pthread_mutex_lock(&m);"), Violated, Holds, Holds);
}
