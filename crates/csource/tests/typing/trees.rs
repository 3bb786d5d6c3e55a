//! What the tree of small programs looks like: conversions, decay, storage, blocks, flags.

use crate::common::{analyse, errors};
use crate::show::Show;
use csource::types::DataModel;

fn tree(text: &str, model: DataModel) -> String {
    let (session, unit) = analyse(text, model);
    assert!(errors(&session).is_empty(), "{}", errors(&session).join("\n"));
    Show { session: &session, unit: &unit }.unit()
}

macro_rules! assert_tree {
    ($model:expr, $text:expr) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(tree($text, $model));
        });
    };
}

#[test]
fn conversions_are_explicit() {
    assert_tree!(
        DataModel::Lp64,
        "
char c; unsigned u; long l; float f; double d; _Bool b; int *p; void *v;
struct s { int b3 : 3; unsigned b5 : 5; unsigned b32 : 32; } s;
int f1(char x, ...);
void arithmetic(void) {
  c + 1; u + l; f + d; c + f; u < 1; -c; ~b; +c; !p; c << l; s.b3 + u; s.b5 + 1; s.b32 + 1;
  c = l; c += l; c <<= u; f *= 2; p += 1; p -= l; p++; --c; b = d; b = p; l = c ? 1 : 2u; l = c ?: u;
  f1(l, c, f, s.b5, 1); (char)l; (void)f1(1); (c, l); p = 0; p = v; v = p; p == 0; p < (int *)v; p - p; 1 + p; p && c;
}
int *returns(void) { return 0; }
_Bool truth(void) { return 5; }
unsigned char cut(void) { return 200; }
"
    );
}

#[test]
fn addresses_are_noticed_where_they_are_taken() {
    assert_tree!(
        DataModel::Lp64,
        "
struct s { int x; int a[2]; struct { int y; }; };
int g(int *);
struct s make(void);
void f(int parameter) {
  int plain = 0, taken = 0, array[3], only_sized[3], only_typed;
  struct s whole, part, in_array, copied;
  &taken; array[1] = 2; sizeof only_sized; sizeof &only_typed; __typeof__(&only_typed) unused;
  &part.x; in_array.a[0]; copied = whole; &part.y; g(&parameter);
  make().a[1]; make().x; &*array; (&copied)->x;
  int *to_literal = (int[]){1, 2}; struct s *also = &(struct s){ .y = 3 };
}
"
    );
}

#[test]
fn statements_have_their_blocks() {
    assert_tree!(
        DataModel::Lp64,
        "
enum e { A, B };
int f(int n, enum e e, char c) {
  for (int i = 0, j = 1; i < n; i++) { int inner = j; if (inner) continue; else break; }
  for (;;) break;
  while (n) n--;
  do n = 1; while (n);
  switch (c) { case 'a': case 300: n = 1; break; case 1 ... 5: default: n = 2; }
  switch (e) { case A: return 1; case -1: ; }
  switch (n + 1L) { case 0xffffffffffffffff: ; }
  { goto end; }
  if (n) return 1.5;
end:
  n = ({ int y = n; label: y + 1; });
  ({ if (n) ; });
  asm volatile (\"x\" : \"=r\"(n) : \"r\"(c) : \"memory\");
  ;
}
void g(int x) { __label__ l; l: if (x) goto l; return (void)x; }
int *name(void) { static int counter = 5; return __func__ ? &counter : 0; }
int old(a, b) char a; float b; { return a + b; }
void computed(void) { void *p = &&there; goto *p; there: ; }
"
    );
}

#[test]
fn run_time_lengths_are_evaluated_in_order() {
    assert_tree!(
        DataModel::Lp64,
        "
void f(int n, int a[n++][n], int b[n]) {
  int x[n], y[2][n + 1];
  typedef int T[n]; T t;
  int (*p)[n] = &x;
  sizeof x; sizeof(int[n + 2]); sizeof y[0]; (int (*)[n])p;
  x[1] = y[1][2];
}
void prototype(int n, int a[n][n]);
"
    );
}

const BUILTINS: &str = "
typedef __builtin_va_list va_list;
int log_it(const char *s, va_list l);
int f(int n, ...) {
  va_list ap, other; int *ip; unsigned long ul; double d; float fl; char buffer[8];
  __builtin_va_start(ap, n);
  __builtin_va_copy(other, ap);
  n += __builtin_va_arg(ap, int);
  log_it(\"x\", ap);
  __builtin_va_end(ap);
  __builtin_expect(n, 0); __builtin_expect(n > 1, n++);
  __builtin_memcpy(buffer, \"abc\", 3); __builtin_strlen(buffer); __builtin_fabsf(d); __builtin_printf(\"%d\", 'c');
  __builtin___memcpy_chk(buffer, ip, n, __builtin_object_size(buffer, 0));
  __builtin___snprintf_chk(buffer, 8, 1, 8, \"%d\", n);
  __builtin_clz(ul); __builtin_bswap16(n); __builtin_add_overflow(n, ul, &n); __builtin_smull_overflow(n, n, &ul);
  __builtin_isnan(fl); __builtin_isless(fl, d); __builtin_inf(); __builtin_nanf(\"\"); __builtin_huge_vall();
  __builtin_constant_p(n); __builtin_constant_p(3); __builtin_types_compatible_p(int, long); __builtin_offsetof(struct { int a; char b[4]; }, b[2]);
  __sync_fetch_and_add(&n, 1L); __atomic_load_n(&ul, 5); __atomic_compare_exchange_n(&n, ip, 2, 0, 5, 5); __atomic_always_lock_free(4, 0);
  __builtin_unreachable(); __builtin_alloca(n); __builtin_choose_expr(1, n, d); _Generic(d, double: n, default: ip);
  __builtin_frobnicate(n, d);
  undeclared(n, fl); abs(d);
}
";

#[test]
fn builtins_are_functions_constants_or_typed() {
    assert_tree!(DataModel::Lp64, BUILTINS);
}

#[test]
fn argument_lists_have_the_models_own_convention() {
    let text = tree(BUILTINS, DataModel::Ilp32);
    assert!(text.contains("char *ap &; char *other &;"), "{text}");
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("va_")).collect();
    assert_eq!(
        lines,
        [
            "  __builtin_va_start:void(&ap)",
            "  __builtin_va_copy:void(&other, &ap)",
            "  (n Add= va_arg:int(&ap) in int)",
            "  __builtin_va_end:void(&ap)",
        ]
    );
}

#[test]
fn what_is_not_modelled_is_flagged() {
    assert_tree!(
        DataModel::Lp64,
        "
typedef int v4 __attribute__((vector_size(16)));
double _Complex z; v4 v;
struct wide { unsigned long long u : 40; long long s : 40; } w;
asm(\".globl other\");
void f(int n) {
  z = z + 1; v = v * v; __real__ z; v[0];
  int nested(int x) { return x + n; }
  nested(1);
  w.u + 1; w.u << 3; w.u > -1; w.s + 1; w.s < 0; w.s = 5; w.u += 2; n = w.s;
  int guarded __attribute__((cleanup(f))) = 0;
}
"
    );
}

#[test]
fn declarations_are_merged() {
    assert_tree!(
        DataModel::Lp64,
        "
extern int completed[]; int completed[4]; int use_completed = sizeof completed;
int merged(); int merged(int); int use_merged(void) { return merged('a'); }
int tentative; int tentative; int tentative = 3;
static int internal(void); int internal(void) { return 1; }
int redirected(void) __asm__(\"other_name\"); int use_redirected(void) { return redirected(); }
void g(void) { extern int elsewhere; int local_declaration(char); elsewhere = local_declaration(300); }
int elsewhere = 7;
struct list { struct list *next; }; struct list head = { &head };
struct flexible { int n; char tail[]; } grown = { 2, \"abc\" };
char *texts[] = { \"one\", \"two\", [3] = \"four\" };
int (*table[])(void) = { use_merged, &use_redirected };
int ranges[6] = { [1 ... 3] = 4, [2] = 5 };
int *literal = (int[]){ 1, 2 };
"
    );
}
