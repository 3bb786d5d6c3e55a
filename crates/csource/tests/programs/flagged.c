// Valid GNU C that is flagged or rarely met: vectors, complex numbers, nested functions, wide integers and bit-fields.
typedef int v4si __attribute__((vector_size(16))); typedef float v4sf __attribute__((vector_size(16)));
v4si va = { 1, 2, 3, 4 }, vb; v4sf vc; 
v4si vadd(v4si a, v4si b) { v4si c = a + b; c += a; c[1] = 3; c = a < b; c = -a; c = (v4si){ 1, 2 }; c = (v4si)vc; c <<= 1; c = a * 2; return c; }
int vget(v4si *p) { return (*p)[2]; }
double _Complex z1 = 1.0, z2; float _Complex zf; 
double cplx(double _Complex a) { z1 = a * a; z1 += 2; zf = z1; double d = z1; z2 = -a; z2 = ~a; if (z1 == z2) ; if (z1) ; return __real__ a + __imag__ z1 + (z1 != 0) + (double)z1; }
double _Complex ret(void) { return z1; } double _Complex arr[3]; struct hz { double _Complex z; int i; } hz = { 1, 2 };
void passes(void) { ret(); cplx(z1); cplx(1); hz.z = arr[1]; struct hz c = hz; __real__ z1 = 3; __imag__ z2 += 1; }
int nest(int n) { int inner(int x) { return x + n; } int (*p)(int) = inner; return p(1) + inner(2); }
int nest2(void) { auto int fwd(int); int r = fwd(1); int fwd(int x) { return x; } return r; }
struct vs { int n; }; int vlas(int n) { struct { int a[n]; char c; } s; s.a[0] = 1; return sizeof s + s.c; }
void cleanup_fn(int *p); int cl(void) { int x __attribute__((cleanup(cleanup_fn))) = 1; return x; }
__int128 i128 = (__int128)1 << 100; unsigned __int128 u128 = ~(unsigned __int128)0; int cmp128(__int128 a) { return a > i128 ? (int)(a >> 64) : a == -1; }
__float128 f128 = 0.1Q; long double ldm(__float128 a, long double b) { return a + b; }
int big_switch(__int128 x) { switch (x) { case 1: return 1; case (__int128)1 << 70: return 2; } return 0; }
extern int printf(const char *, ...); extern void *malloc(unsigned long); 
int impl(void) { undeclared_fn(1); exit(1); strlen("x"); return abs(-1); }
struct bfw { unsigned long long a : 40; long long b : 35; } bw; unsigned long long wide(int n) { return (bw.a + n) * bw.a - (bw.a << 3) / (bw.a | 1) % (bw.a ^ 5) + (n ? bw.a : 1) + ~bw.a - -bw.a + (bw.a > bw.b) + (bw.a == n) + bw.b; }
int redecl(int a[10]); int redecl(int *); extern int redecl(int []); static int stat(int); int stat(int x) { return x; }
int main(argc, argv) int argc; char **argv; { return 0; }
void uninit(void) { const int k; int a[2] = { }; struct { } e = { }; struct { int x; } s = { }; char c[] = { }; (void)sizeof c; }
static int tent; static int tent; static int tent = 3; extern int tent; extern int ext_then; int ext_then = 2; int only_tent[]; 
int lbl(void) { l1: l2: if (1) goto l1; else goto l2; { l3: ; } goto l3; }
int ternary(int a, const int *p, int *q, void *v) { const int *r = a ? p : q; v = a ? p : v; r = a ? p : 0; return *(a ? p : q) + (a ? 1 : 2.5) + (a ? 'c' : 1L); }
struct ret { int a[4]; } fr(void); int rv(void) { return fr().a[2] + *fr().a + sizeof fr().a; }
void ptrarith(int *p, unsigned long n, char c) { p + n; p - c; n + p; p[n]; n[p]; &p[n] - p; p += c; p -= n; ++*p++; *--p; p <= p + 1; !p; p && n; p ? 1 : 0; }
int strs(void) { return "abc"[1] + *"x" + sizeof "a\0b" + ("p" == "q") + (int)(long)"z" + *(1 + "ab"); }
_Static_assert(1, "one"); _Static_assert(sizeof(char) == 1); struct sa { _Static_assert(1, ""); int x; };
int attrs __attribute__((section(".x"), used, aligned(32), unused)), *attrp __attribute__((aligned(16))) = &attrs; struct __attribute__((packed, aligned(4))) pa { char c; int i; } pav __attribute__((unused)) = { 1, 2 };
typedef int ai16 __attribute__((aligned(16))); ai16 x16; struct s16 { char c; ai16 a; }; _Static_assert(sizeof(struct s16) == 32, ""); _Static_assert(_Alignof(ai16) == 16, ""); _Static_assert(__alignof__(x16) == 16, "");
typedef unsigned int u_int8 __attribute__((mode(QI))); _Static_assert(sizeof(u_int8) == 1 && (u_int8)-1 == 255, ""); typedef int sdi __attribute__((__mode__(__DI__))); _Static_assert(sizeof(sdi) == 8, "");
enum __attribute__((packed)) pk { P1 = -1, P2 = 100 }; _Static_assert(sizeof(enum pk) == 1, ""); enum pk2 { Q1 = 5 } __attribute__((packed)); _Static_assert(sizeof(enum pk2) == 1, "");
#pragma pack(1)
struct pp { char a; int b; }; _Static_assert(sizeof(struct pp) == 5, "");
#pragma pack()
int callbacks(void (*f)(void), int (*g)(), void *v) { f = v; v = f; g = f; f(); (*g)(1, 2); (**f)(); return f == v; }
int decl_in_for(void) { for (struct { int i; } s = { 0 }; s.i < 3; s.i++) ; for (int i = 0, *p = &i; *p < 3; ++*p) { int i = 5; i++; } return 0; }
