//! Programs with random damage: whatever the parser makes of them, typing them ends without a panic.

use csource::Session;
use csource::types::DataModel;
use testkit::Random;

const SEEDS: &[&str] = &[
    include_str!("assertions.c"),
    include_str!("../programs/gnu.c"),
    "struct s { int x : 3; struct { int y; }; int a[]; } v = { 1, { .y = 2 } }; union u { int i; float f; } w = { .f = 1 };
int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int a[n], i; for (i = 0; i < n; i++) a[i] = __builtin_va_arg(l, int);
  switch (n) { case 1 ... 3: return a[0]; default: break; } goto out; out: return ({ int q = n ?: 1; q; }) + v.x + sizeof(int[n]); }
enum e { A, B = A + 2 }; static int t[] = { [A] = 1, [B ... 4] = 2 }; int (*p)(int, ...) = f; const char *names[] = { \"a\", [2] = \"b\" };
int g(a, b) char a; float b; { register int r = a; r += b; r <<= 2; return r ? -r : ~r, r++ && *names[r]; }
typedef struct node { struct node *next; int data; } node; node *walk(node *n) { while (n && n->next) n = n->next; return &*n; }
long h(void) { __auto_type z = 1.5; _Static_assert(sizeof(long) >= 4, \"\"); return (long)(z * 2) + __builtin_expect(t[1], 0) + (int){ 3 }
  + _Generic(z, double: 1, default: 2) + __builtin_offsetof(node, data) + __sync_fetch_and_add(&t[0], 1); }",
];

/// Pieces of C text: names, numbers, strings, single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

fn damage(random: &mut Random, pieces: &[&str]) -> String {
    let mut damaged: Vec<&str> = pieces.to_vec();
    for _ in 0..1 + random.below(6) {
        let at = random.below(damaged.len());
        match random.below(5) {
            0 => {
                damaged.remove(at);
            }
            1 => damaged.insert(at, pieces[random.below(pieces.len())]),
            2 => damaged[at] = pieces[random.below(pieces.len())],
            3 => {
                let other = random.below(damaged.len());
                damaged.swap(at, other);
            }
            _ => {
                let words = [
                    "0",
                    "-1",
                    "1.5",
                    "struct",
                    "*",
                    "(",
                    ")",
                    "[",
                    "]",
                    "{",
                    "}",
                    "void",
                    "typeof",
                    "&",
                    "x",
                    "1e999",
                    "0xffffffffffffffff",
                ];
                damaged[at] = words[random.below(words.len())];
            }
        }
    }
    damaged.concat()
}

#[test]
fn damaged_programs_are_typed_without_a_panic() {
    let rounds = if std::env::var_os("CONCORD_DEEP").is_some() { 4_000 } else { 150 };
    let mut random = Random::new(77);
    let mut survivors = 0;
    for seed in SEEDS {
        let pieces = tokens(seed);
        for _ in 0..rounds {
            let text = damage(&mut random, &pieces);
            for model in [DataModel::Lp64, DataModel::Ilp32] {
                let mut session = Session::new(model);
                let source = session.sources.add("soup.c", text.as_str()).expect("small");
                let unit = csource::parser::parse(source, &mut session);
                let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    csource::sema::analyse(&unit, &mut session).functions.len()
                }));
                match finished {
                    Ok(functions) => survivors += usize::from(functions > 0),
                    Err(_) => panic!("this text makes typing panic:\n{text}"),
                }
            }
        }
    }
    assert!(survivors > rounds, "{survivors}: nearly nothing was left to type");
}
