//! Random small C programs with threads, as text that needs no preprocessor: two or three threads, a few shared
//! variables of few values, mutexes of each kind, `trylock`, a condition variable, read-write locks, semaphores,
//! atomics, atomic sections, joins that may be missing. No statement accesses shared memory twice, every loop is
//! bounded, and every thread ends unless it waits for ever. The same seed gives the same text.

use crate::Random;
use std::fmt::Write;

/// What programs begin with: objects are as large as glibc's, so that the kind of a mutex can be read from its bytes.
pub const DECLARATIONS: &str = "\
typedef struct { int part[10]; } pthread_mutex_t;
typedef struct { long part[6]; } pthread_cond_t;
typedef struct { long part[7]; } pthread_rwlock_t;
typedef struct { long part[4]; } pthread_barrier_t;
typedef struct { long part[4]; } sem_t;
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_timedlock(pthread_mutex_t *, const void *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const void *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int pthread_detach(pthread_t);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const void *);
int pthread_once(int *, void (*)(void));
void pthread_exit(void *);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
void reach_error(void);
";

struct Writer {
    draw: Random,
    text: String,
    /// Statements that may still be written.
    left: usize,
    /// Does this thread hold the mutex with that number?
    held: [bool; 2],
    uses_atomics: bool,
}

/// A program.
pub fn program(seed: u64) -> String {
    let draw = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x7EAD);
    let mut writer =
        Writer { draw, text: DECLARATIONS.to_owned(), left: 0, held: [false; 2], uses_atomics: false };
    writer.uses_atomics = writer.draw.coin();
    let kind = [0, 0, 1, 2][writer.draw.below(4)];
    let _ = writeln!(
        writer.text,
        "int x, y;\n_Atomic int a, b;\nint plain;\npthread_mutex_t m, n = {{ {{ 0, 0, 0, 0, {kind} }} }};\n\
         pthread_cond_t c;\npthread_rwlock_t l;\nsem_t s;\npthread_barrier_t w;\n\
         int done;\nvoid first(void) {{ x = 1; }}"
    );
    let threads = if writer.draw.one_in(4) { 3 } else { 2 };
    let size = if threads == 3 { 1 } else { 2 };
    // Now and then two threads run the same code.
    let codes = if writer.draw.one_in(4) { 1 } else { threads };
    for code in 0..codes {
        let _ = writeln!(writer.text, "void *f{code}(void *p) {{\n  int t = 0, u = 0, e = 0;");
        writer.held = [false; 2];
        let most = size + writer.draw.below(2);
        for _ in 0..most {
            writer.left = 4;
            writer.statement(1);
        }
        if writer.draw.one_in(12) {
            writer.line(1, "pthread_exit(0);");
        }
        let _ = writeln!(writer.text, "  return 0;\n}}");
    }
    let _ = writeln!(
        writer.text,
        "int main(void) {{\n  int t = 0, u = 0, e = 0; pthread_t id[3];\n  sem_init(&s, 0, 1);"
    );
    let met = [2, 2, 3][writer.draw.below(3)];
    let _ = writeln!(writer.text, "  pthread_barrier_init(&w, 0, {met});");
    for thread in 0..threads {
        let _ = writeln!(writer.text, "  pthread_create(&id[{thread}], 0, f{}, 0);", thread.min(codes - 1));
    }
    writer.held = [false; 2];
    if writer.draw.one_in(4) {
        writer.left = 2;
        writer.statement(1);
    }
    for thread in 0..threads {
        if !writer.draw.one_in(8) {
            // Now and then something is joined that was joined before, or detached.
            let joined = if writer.draw.one_in(16) { 0 } else { thread };
            let how = if writer.draw.one_in(16) { "detach(id" } else { "join(id" };
            let end = if how.starts_with('d') { ")" } else { ", 0)" };
            let _ = writeln!(writer.text, "  pthread_{how}[{joined}]{end};");
        }
    }
    if writer.draw.one_in(6) {
        writer.line(1, "pthread_mutex_destroy(&m);");
    }
    if writer.draw.coin() {
        writer.check(1);
    }
    if writer.draw.one_in(8) {
        writer.line(1, "pthread_exit(0);");
    }
    let _ = writeln!(writer.text, "  return 0;\n}}");
    writer.text
}

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    fn shared(&mut self) -> &'static str {
        let all: &[&'static str] =
            if self.uses_atomics { &["x", "y", "a", "b"] } else { &["x", "y", "plain"] };
        all[self.draw.below(all.len())]
    }

    /// An access to something shared.
    fn access(&mut self, depth: usize) {
        let place = self.shared();
        let number = self.draw.below(3);
        let line = match self.draw.below(6) {
            0 => format!("t = {place};"),
            1 => format!("{place} = {number};"),
            2 => format!("u = {place}; t = t + u & 3;"),
            3 => format!("{place} = t + {number} & 3;"),
            4 => format!("t = {place}; {place} = t + 1 & 3;"),
            _ if self.uses_atomics => {
                let (place, order) = (["a", "b"][self.draw.below(2)], [0, 5, 3, 2][self.draw.below(4)]);
                match self.draw.below(5) {
                    0 => format!("{place} += {number};"),
                    1 => format!("t = __atomic_fetch_add(&{place}, 1, {order});"),
                    2 => format!("t = __atomic_load_n(&{place}, {});", if order == 3 { 5 } else { order }),
                    3 => format!(
                        "__atomic_store_n(&{place}, {number}, {});",
                        if order == 2 { 5 } else { order }
                    ),
                    _ => {
                        let weak = self.draw.below(2);
                        format!(
                            "e = {number}; t = __atomic_compare_exchange_n(&{place}, &e, 2, {weak}, 5, 0);"
                        )
                    }
                }
            }
            _ => format!("t = {place};"),
        };
        self.line(depth, &line);
    }

    /// An assertion about what was read.
    fn check(&mut self, depth: usize) {
        let place = self.shared();
        let number = self.draw.below(4);
        self.line(depth, &format!("t = {place}; if (t == {number}) reach_error();"));
    }

    fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        match self.draw.below(16) {
            0..=4 => self.access(depth),
            5 | 6 => self.check(depth),
            7..=9 if self.left > 0 => self.locked(depth),
            10 if self.left > 0 => {
                self.line(depth, "__VERIFIER_atomic_begin();");
                self.access(depth + 1);
                if self.draw.coin() {
                    self.access(depth + 1);
                }
                self.line(depth, "__VERIFIER_atomic_end();");
            }
            11 if self.left > 0 => {
                let test = ["t", "t == 1", "u != t", "__VERIFIER_nondet_bool()"][self.draw.below(4)];
                self.line(depth, &format!("if ({test}) {{"));
                self.statement(depth + 1);
                self.line(depth, "}");
            }
            12 => {
                let line =
                    ["pthread_cond_signal(&c);", "pthread_cond_signal(&c);", "pthread_cond_broadcast(&c);"]
                        [self.draw.below(3)];
                self.line(depth, line);
            }
            13 => {
                let line = ["sem_wait(&s);", "sem_post(&s);", "sem_post(&s);", "t = sem_trywait(&s);"]
                    [self.draw.below(4)];
                self.line(depth, line);
            }
            14 if self.left > 0 => {
                let how =
                    ["rdlock(&l)", "wrlock(&l)", "tryrdlock(&l)", "timedwrlock(&l, 0)"][self.draw.below(4)];
                self.line(depth, &format!("if (!pthread_rwlock_{how}) {{"));
                self.statement(depth + 1);
                self.line(depth, "pthread_rwlock_unlock(&l); }");
            }
            15 => {
                let line = [
                    "pthread_barrier_wait(&w);",
                    "t = pthread_barrier_wait(&w);",
                    "pthread_once(&done, first);",
                    "pthread_once(&done, first);",
                ][self.draw.below(4)];
                self.line(depth, line);
            }
            _ => self.access(depth),
        }
    }

    /// Something under a mutex.
    fn locked(&mut self, depth: usize) {
        let number = self.draw.below(2);
        let mutex = ["m", "n"][number];
        let is_try = self.draw.one_in(3);
        let is_timed = self.draw.one_in(3);
        match is_try {
            true if is_timed => {
                self.line(depth, &format!("if (pthread_mutex_timedlock(&{mutex}, 0) == 0) {{"));
            }
            true => self.line(depth, &format!("if (pthread_mutex_trylock(&{mutex}) == 0) {{")),
            false => self.line(depth, &format!("pthread_mutex_lock(&{mutex}); {{")),
        }
        let was_held = std::mem::replace(&mut self.held[number], true);
        if self.draw.one_in(3) {
            let how = ["wait(&c, &", "wait(&c, &", "timedwait(&c, &"][self.draw.below(3)];
            let end = if how.starts_with("timed") { ", 0)" } else { ")" };
            self.line(depth + 1, &format!("t = x; if (t == 0) u = pthread_cond_{how}{mutex}{end};"));
        }
        for _ in 0..1 + self.draw.below(2) {
            self.statement(depth + 1);
        }
        self.held[number] = was_held;
        if !self.draw.one_in(12) {
            self.line(depth + 1, &format!("pthread_mutex_unlock(&{mutex});"));
        }
        if is_try && self.draw.coin() {
            self.line(depth, "} else {");
            self.check(depth + 1);
        }
        self.line(depth, "}");
    }
}

/// A program whose threads make locks of an `int`, now and then wrongly: released by who does not have it,
/// taken without a look, written in between.
pub fn with_own_locks(seed: u64) -> String {
    let mut draw = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x10CC);
    let mut text = DECLARATIONS.to_owned();
    text.push_str(
        "void __VERIFIER_assume(int);\nint x, y, k, l;\n\
         void __VERIFIER_atomic_take(int *p) { __VERIFIER_assume(*p == 0); *p = 1; }\n\
         void __VERIFIER_atomic_give(int *p) { __VERIFIER_assume(*p == 1); *p = 0; }\n",
    );
    let threads = if draw.one_in(4) { 3 } else { 2 };
    let codes = if draw.one_in(3) { 1 } else { threads };
    for code in 0..codes {
        let _ = writeln!(text, "void *f{code}(void *p) {{\n  int t = 0, u = 0;");
        for _ in 0..1 + draw.below(2) {
            own_lock_statement(&mut draw, &mut text, threads);
        }
        text.push_str("  return 0;\n}\n");
    }
    let _ = writeln!(text, "int main(void) {{\n  int t = 0, u = 0; pthread_t id[3];");
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, f{}, 0);", thread.min(codes - 1));
    }
    if draw.one_in(5) {
        own_lock_statement(&mut draw, &mut text, 3);
    }
    if draw.coin() {
        for thread in 0..threads {
            let _ = writeln!(text, "  pthread_join(id[{thread}], 0);");
        }
        let place = ["x", "y", "k"][draw.below(3)];
        let _ = writeln!(text, "  t = {place}; if (t == {}) reach_error();", draw.below(4));
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// Small programs whose threads give helpers pointers to variables of their own, and go round loops in which others see
/// every way, or only some. Loops are bounded.
pub fn with_helpers(seed: u64) -> String {
    let mut draw = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x4E1B);
    let mut text = DECLARATIONS.to_owned();
    text.push_str(
        "int x, y, z;\n\
         void __VERIFIER_atomic_set(int *p, int *was) { *was = *p; *p = 1; }\n\
         void __VERIFIER_atomic_swap(int *p, int old, int new, int *done) {\n\
         \x20 if (*p == old) { *p = new; *done = 1; } else *done = 0;\n}\n\
         void fetch(int *p, int *into) { *into = *p; }\n\
         void twice(int *p, int *a, int *b) { fetch(p, a); fetch(p, b); }\n\
         int next(int *p) { *p = *p + 1; return *p & 3; }\n",
    );
    let threads = 2;
    let codes = if draw.one_in(3) { 1 } else { threads };
    for code in 0..codes {
        let _ = writeln!(text, "void *f{code}(void *p) {{\n  int t = 0, u = 0;");
        for _ in 0..1 + draw.below(2) {
            helped_statement(&mut draw, &mut text);
        }
        text.push_str("  return 0;\n}\n");
    }
    let _ = writeln!(text, "int main(void) {{\n  int t = 0, u = 0; pthread_t id[2];");
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&id[{thread}], 0, f{}, 0);", thread.min(codes - 1));
    }
    if draw.one_in(4) {
        helped_statement(&mut draw, &mut text);
    }
    if draw.coin() {
        for thread in 0..threads {
            let _ = writeln!(text, "  pthread_join(id[{thread}], 0);");
        }
        let place = ["x", "y", "z"][draw.below(3)];
        let _ = writeln!(text, "  t = {place}; if (t == {}) reach_error();", draw.below(4));
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// A call of a helper, a loop, or something beside them.
fn helped_statement(draw: &mut Random, text: &mut String) {
    let mut shared = || ["x", "y", "z"][draw.below(3)];
    let (one, two) = (shared(), shared());
    let number = draw.below(4);
    let inside = [
        format!("t = {two}; {two} = t + 1 & 3;"),
        format!("{two} = {number}; t = {two}; if (t != {number}) reach_error();"),
        format!("t = {two}; if (t == {number}) reach_error();"),
    ][draw.below(3)]
    .clone();
    let line = match draw.below(10) {
        // A lock that is tried a few times.
        0 | 1 => format!(
            "{{ int c, n = 0; __VERIFIER_atomic_set(&{one}, &c);\n    while (c == 1 && n < 2) {{ n = n + 1; __VERIFIER_atomic_set(&{one}, &c); }}\n    \
             if (c == 0) {{ {inside} {one} = 0; }} }}"
        ),
        2 | 3 => format!(
            "{{ int d = 0, n = 0;\n    while (d == 0 && n < 2) {{ n = n + 1; t = {one}; __VERIFIER_atomic_swap(&{one}, t, t + 1 & 3, &d); }}\n    \
             if (d == 1) {two} = t; }}"
        ),
        4 => format!("{{ int a, b; twice(&{one}, &a, &b); if (a != b && b == {number}) reach_error(); }}"),
        // The address is a value as well.
        5 => format!("{{ int a; int *q = &a; fetch(&{one}, q); t = *q; fetch(&{two}, &a); u = a + t & 3; }}"),
        6 => format!("t = next(&u); {one} = t; if (u == {number}) {two} = u & 3;"),
        7 => format!("for (u = 0; u < 2; u = u + 1) {{ t = {one}; if (t == {number}) break; {two} = t; }}"),
        8 => format!("for (u = 0; u < 3; u = u + 1) {{ if (t == u) {one} = u; t = t + 1 & 1; }}"),
        _ => inside,
    };
    let _ = writeln!(text, "  {line}");
}

/// A use of such a lock, or something beside it.
fn own_lock_statement(draw: &mut Random, text: &mut String, threads: usize) {
    let lock = if draw.one_in(5) { "l" } else { "k" };
    let line = match draw.below(14) {
        0 => "t = k;".to_owned(),
        1 => "t = x; if (t == 2) reach_error();".to_owned(),
        2 => "x = 2;".to_owned(),
        3 if draw.coin() => "k = 0;".to_owned(),
        // Who waits and does not take it.
        4 => format!(
            "__VERIFIER_atomic_begin(); __VERIFIER_assume({lock} == 0); __VERIFIER_atomic_end(); y = 1;"
        ),
        // Who tries.
        5 => format!(
            "__VERIFIER_atomic_begin(); t = {lock}; if (t == 0) {lock} = 1; __VERIFIER_atomic_end(); if (t == 0) x = 1;"
        ),
        6 => format!("__VERIFIER_atomic_begin(); {lock} = 0; __VERIFIER_atomic_end();"),
        7 => "__VERIFIER_atomic_begin(); t = x; y = t + 1 & 3; __VERIFIER_atomic_end();".to_owned(),
        _ => {
            let take = [
                format!("__VERIFIER_atomic_take(&{lock});"),
                format!("__VERIFIER_atomic_begin(); __VERIFIER_assume({lock} == 0); {lock} = 1; __VERIFIER_atomic_end();"),
                format!("__VERIFIER_atomic_begin(); __VERIFIER_assume(!{lock}); {lock} = 1; __VERIFIER_atomic_end();"),
            ][draw.below(3)]
            .clone();
            let give = [
                format!("__VERIFIER_atomic_give(&{lock});"),
                format!("__VERIFIER_atomic_begin(); {lock} = 0; __VERIFIER_atomic_end();"),
                String::new(),
            ][if draw.one_in(12) { 2 } else { draw.below(2) }]
            .clone();
            let most = if threads == 3 { 1 } else { 2 };
            let inside = [
                "t = x; x = t + 1 & 3;",
                "x = 1; x = 0;",
                "t = y; if (t == 3) reach_error();",
                "y = 2; t = x; if (t == 1) reach_error(); y = 0;",
                "t = k; if (t != 1) reach_error();",
                "x = 3;",
            ];
            let body: String = (0..1 + draw.below(most)).map(|_| inside[draw.below(inside.len())]).collect();
            format!("{take} {body} {give}")
        }
    };
    let _ = writeln!(text, "  {line}");
}
