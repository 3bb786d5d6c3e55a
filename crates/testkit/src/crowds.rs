//! Random small C programs in which any number of threads run the same function, as text that needs no preprocessor,
//! and the same with a given number of them. Few shared variables, a mutex, a read-write lock, flags that are taken in
//! one step, counts that go up and down. Every thread ends unless it waits for ever. The same seed gives the same text.

use crate::Random;
use crate::races::DECLARATIONS;
use std::fmt::Write;

struct Writer {
    draw: Random,
    text: String,
    depth: usize,
}

/// A program in which so many threads run the function, or any number of them.
pub fn program(seed: u64, threads: Option<u32>) -> String {
    let draw = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xC0_3D);
    let mut writer = Writer { draw, text: String::new(), depth: 0 };
    writer.text.push_str(DECLARATIONS);
    writer.text.push_str("pthread_mutex_t m;\npthread_rwlock_t w;\n");
    writer.text.push_str(
        "void __VERIFIER_atomic_set(int *p, int *was) { *was = *p; *p = 1; }\n\
         void __VERIFIER_atomic_swap(int *p, int old, int new, int *done) {\n\
         if (*p == old) { *p = new; *done = 1; } else *done = 0;\n}\n",
    );
    let start = writer.draw.below(2);
    let _ = writeln!(
        writer.text,
        "int x = {start};\nint y;\nvoid *worker(void *unused) {{\nint l = 0;\nint k = 0;"
    );
    let count = 2 + writer.draw.below(3);
    for _ in 0..count {
        writer.statement();
    }
    writer.look();
    writer.text.push_str("return 0;\n}\nint main(void) {\npthread_t t;\n");
    // `main` may do something itself, between threads that it creates.
    let has_more = writer.draw.chance(30);
    let before = threads.map(|count| if has_more { count / 2 } else { count });
    writer.creations(before);
    if has_more {
        let (one, change) = (writer.shared(), ["+", "-"][writer.draw.below(2)]);
        writer.line(&format!(
            "__VERIFIER_atomic_begin();\n{one} = {one} {change} 1;\n__VERIFIER_atomic_end();"
        ));
        writer.creations(threads.map(|count| count - count / 2));
    }
    if writer.draw.chance(30) {
        writer.look();
    }
    writer.text.push_str("return 0;\n}\n");
    writer.text
}

impl Writer {
    fn shared(&mut self) -> &'static str {
        ["x", "y"][self.draw.below(2)]
    }

    /// So many threads are created, or any number.
    fn creations(&mut self, count: Option<u32>) {
        match count {
            None => self.line("while (__VERIFIER_nondet_bool()) pthread_create(&t, 0, worker, 0);"),
            Some(count) => (0..count).for_each(|_| self.line("pthread_create(&t, 0, worker, 0);")),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Something that may be wrong.
    fn look(&mut self) {
        let (one, number) = (self.shared(), self.draw.below(3));
        let sign = ["==", "!=", ">", "<"][self.draw.below(4)];
        self.line(&format!("if ({one} {sign} {number}) reach_error();"));
    }

    fn within(&mut self, before: &str, after: &str) {
        self.line(before);
        self.depth += 1;
        let count = 1 + self.draw.below(2);
        for _ in 0..count {
            self.statement();
        }
        self.depth -= 1;
        self.line(after);
    }

    fn statement(&mut self) {
        let is_deep = self.depth >= 1;
        let (one, number) = (self.shared(), self.draw.below(3));
        match self.draw.below(if is_deep { 8 } else { 13 }) {
            0 => self.line(&format!("{one} = {number};")),
            1 => self.line(&format!("l = {one};")),
            2 => self.line(&format!("{one} = l;")),
            3 => self.look(),
            4 | 5 => {
                let sign = ["+", "-"][self.draw.below(2)];
                self.line(&format!(
                    "__VERIFIER_atomic_begin();\nl = {one};\n{one} = l {sign} 1;\n__VERIFIER_atomic_end();"
                ));
            }
            6 => self.line(&format!("if (l == {number}) l = {};", number + 1)),
            // One that others do not change in between, or it is left.
            7 => self.line(&format!("l = {one};\n__VERIFIER_atomic_swap(&{one}, l, l + {number}, &k);")),
            8 => {
                // A lock that is taken at the first or second try.
                self.line(&format!(
                    "__VERIFIER_atomic_set(&{one}, &k);\nif (k != 0) __VERIFIER_atomic_set(&{one}, &k);"
                ));
                self.within("if (k == 0) {", &format!("{one} = 0;\n}}"));
            }
            9 => self.within("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            10 => {
                let lock = ["rdlock", "wrlock"][self.draw.below(2)];
                self.within(&format!("pthread_rwlock_{lock}(&w);"), "pthread_rwlock_unlock(&w);");
            }
            11 => {
                // A flag that is taken in one step and given back.
                self.line(&format!(
                    "k = 0;\n__VERIFIER_atomic_begin();\nif ({one} == 0) {{ {one} = 1; k = 1; }}\n__VERIFIER_atomic_end();"
                ));
                self.within("if (k == 1) {", &format!("{one} = 0;\n}}"));
            }
            _ => {
                // In and out again, counted.
                let change = |sign: &str| {
                    format!(
                        "__VERIFIER_atomic_begin();\nl = {one};\n{one} = l {sign} 1;\n__VERIFIER_atomic_end();"
                    )
                };
                self.within(&change("+"), &change("-"));
            }
        }
    }
}
