//! Random small C programs in which any number of threads run the same function, as text that needs no preprocessor, and the same with a given number of them. Few shared variables,
//! a mutex, a read-write lock, flags that are taken in one step, counts that go up and down. Every thread ends unless it waits for ever. The same seed gives the same text.

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
    match threads {
        None => writer.text.push_str("while (__VERIFIER_nondet_bool()) pthread_create(&t, 0, worker, 0);\n"),
        Some(count) => {
            for _ in 0..count {
                writer.text.push_str("pthread_create(&t, 0, worker, 0);\n");
            }
        }
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
        match self.draw.below(if is_deep { 7 } else { 11 }) {
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
            7 => self.within("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            8 => {
                let lock = ["rdlock", "wrlock"][self.draw.below(2)];
                self.within(&format!("pthread_rwlock_{lock}(&w);"), "pthread_rwlock_unlock(&w);");
            }
            9 => {
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
