// Unusual but valid GNU C, one construct after the other; gcc takes all of it.
#include <stdarg.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <complex.h>
#include <errno.h>
#include <signal.h>
#include <setjmp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tgmath.h>
#include <limits.h>
#include <ctype.h>
#include <assert.h>
#include <threads.h>
#include <stdbool.h>
#include <wchar.h>
#include <inttypes.h>
extern int arr[]; int *parr = &arr[2]; int arr[10];
struct incomplete; extern struct incomplete ext; struct incomplete *pinc = &ext;
typedef int (*cmp)(const void *, const void *);
static int icmp(const void *a, const void *b) { return *(const int *)a - *(int *)b; }
int use_qsort(void) { qsort(arr, 10, sizeof *arr, icmp); qsort(arr, 10, sizeof *arr, (int (*)(const void *, const void *))strcmp); return 0; }
void sloppy(int *p, char *c, long l, unsigned u) { p = l; l = p; c = p; p = &u; *p = c; u = "x"; if (p == l) ; if (c > p) ; p = l ? c : p; p = u ? l : p; c += 1; (void)(p - (int *)c); strcpy(p, u); }
int f_noproto(); int call_np(void) { return f_noproto(1, 2.0f, "x") + f_noproto(); }
int kr(a, b, c) short a; float b; char *c; { return a + (int)b + *c; }
int (*retfp(int x))(int, char) { return 0; }
int (*(*nested)(int (*)(void), char *[]))[3];
struct bf { unsigned a:1, b:31; int :0; signed char c:4; enum {X,Y} e:2; _Bool z:1; } bf;
int bfu(void) { bf.a++; bf.b += 3; bf.c = bf.a ? bf.b : bf.e; bf.z = 5; bf.e = Y; return bf.a & bf.b, -bf.c; }
atomic_int ai; _Atomic long al; atomic_flag af = ATOMIC_FLAG_INIT; _Atomic(struct {int a; int b;}) as;
int atom(void) { atomic_fetch_add(&ai, 1); atomic_store(&al, 5); int e = 0; atomic_compare_exchange_strong(&ai, &e, 3); ai++; al += 2; atomic_flag_test_and_set(&af); return atomic_load(&ai) + atomic_exchange(&ai, 2); }
int sock(int fd, struct sockaddr *sa) { struct sockaddr_storage ss; connect(fd, sa, 3); return bind(fd, (struct sockaddr *)&ss, sizeof ss); }
int st(void) { int s; wait(&s); return WIFEXITED(s) ? WEXITSTATUS(s) : WTERMSIG(s); }
double tg(float x, double y) { return sqrt(x) + pow(x, y) + fabs(y); }
double complex cz(double complex z) { return z * 2 + I; }
int lab(int x) { static void *t[] = { &&a, &&b, &&a + 0 }; goto *t[x]; a: return 1; b: return &&b - &&a; }
int sexpr(int x) { return ({ __label__ q; if (x) goto q; x = 3; q: x; }) + ({ ; 5; }) + ({ struct {int a;} s = {3}; s; }).a; }
#define max(a,b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int mx(int a, long b) { return max(a, max(b, 3)); }
void vla(int n, int m, double a[n][m], int b[static n], int c[const]) { int (*p)[n] = malloc(sizeof(int[n][n])); p[1][2] = sizeof *p; typeof(p) q = p; typeof(a[0]) *r = a; int d[n][m]; d[0][1] = sizeof d; memset(d, 0, sizeof d); for (int i = 0; i < n; i++) { int e[i + 1]; e[i] = 0; } goto x; x: ; }
struct flex { int n; struct { int a; } items[]; }; struct flex fl = { 2, { {1}, {2} } }; static struct flex *pfl = &fl;
struct anon { union { struct { int x, y; }; int v[2]; }; }; int an(struct anon *a) { return a->x + a->v[1] + offsetof(struct anon, y) + (&(struct anon){ .x = 1 })->y; }
const char *const names[] = { [ENOENT] = "noent", [EINTR] = "intr", };
int sw(unsigned char c) { switch (c) { case 'a' ... 'z': case 'A' ... 'Z': return 1; case 0: { int q; default: q = 2; return q; } } while (c--) switch (c & 3) { case 0: continue; case 1: break; } return -1; }
int duff(char *to, char *from, int count) { int n = (count + 7) / 8; switch (count % 8) { case 0: do { *to = *from++; case 7: *to = *from++; case 1: *to = *from++; } while (--n > 0); } return n; }
void vf(const char *f, ...) { va_list ap, aq; va_start(ap, f); va_copy(aq, ap); int x = va_arg(ap, int); struct bf s = va_arg(ap, struct bf); vprintf(f, aq); va_end(ap); va_end(aq); }
void vp(va_list *p) { int x = va_arg(*p, int); long y = va_arg(*p, long); }
int cond(int x, void *v, char *c, const char *cc) { return (x ? v : c) == (x ? c : cc) && (x ? 0 : c) && (x ? (void)0 : (void)1, 1) && (x ?: c) == 0 && !(x ? v : 0); }
int comma(void) { int a, b; return (a = 1, b = 2), a + b; }
int arrs(void) { int a[2][3] = { {1}, 2, 3 }; int (*p)[3] = a; return p[1][2] + *(*(a + 1) + 2) + 1[a][2] + sizeof(a)/sizeof(*a) + *a[0] + (*p)[1]; }
int ptrs(char **av) { char *p = *av; while (*p++) ; return p[-1] + *++p + (*p)++ + -*p; }
static inline __attribute__((always_inline, unused)) int inl(void) { return __builtin_constant_p(1) ? __LINE__ : 0; }
extern inline __attribute__((gnu_inline)) int gi(void) { return 1; } int gi(void) { return 2; }
int weakf(void) __attribute__((weak)); int usew(void) { return weakf ? weakf() : 0; }
int al_target(void) { return 1; } int al_alias(void) __attribute__((alias("al_target")));
__attribute__((constructor)) static void ctor(void) { } __attribute__((destructor(101))) void dtor(void) { }
__thread int tls; static _Thread_local int tls2 = 3; extern __thread int tls3;
_Noreturn void die(void) { abort(); } void die2(void) __attribute__((__noreturn__)); 
typedef unsigned char byte; typedef byte block[16]; void blk(const block b, block *p) { (*p)[1] = b[0]; }
typedef struct { block b; } has; has gh = { "0123456789abcdef" }; has gh2 = { { [3] = 1 } };
wchar_t ws[] = L"wide", *pw = L"p"; unsigned short u16[] = u"x"; unsigned u32[] = U"y"; char u8[] = u8"z";
long double ld = 1.0L; _Float128 q = 1; double inf = INFINITY, nn = NAN; float hf = HUGE_VALF;
int big = 0xFFFFFFFF; unsigned neg = -1; char ch = '\xff'; long long ll = LLONG_MIN; unsigned long ul = ULONG_MAX; int mc = 'abcd';
enum { E1 = -1, E2 = 'a', E3 = sizeof(int), E4 = (int)3.7, E5 = E2 == 97 ? 1 : 2, E6 = (char)300 }; int ea[E5];
enum fwd *pe; enum fwd { F1 }; 
int sz = sizeof(struct { char a; int b; }) + sizeof(enum fwd) + sizeof "abc" + sizeof(int[3]) + _Alignof(double) + __alignof__(sz) + sizeof(sizeof sz) + sizeof((char)1 + 1);
int *addr = &((struct bf2 { int q; int w[3]; } *)0)->w[1]; 
int offs = (int)(long)&((struct bf2 *)0)->w[1]; char offa[(size_t)&((struct bf2 *)0)->w[2] == 12 ? 1 : -1];
struct self { struct self *s; int v; } sf = { &sf, 1 }, *psf = &(struct self){ &sf, 2 };
int (*fptrs[])(void) = { comma, &arrs, 0, (int (*)(void))1 }; 
union uu { int i; float f; char c[8]; } uv = { 3 }, uw = { .c = "abc" }, ux = { .f = 1 }; 
int castu(float f) { return ((union uu)f).i + ((union uu){ .f = f }).i; }
void asmf(int *p) { int r; asm("mov %1, %0" : "=r"(r) : "r"(*p)); __asm__ __volatile__("" ::: "memory"); asm volatile("x %0" : "+m"(*p) : "i"(3), "m"(*p) : "cc"); register int eax asm("eax") = 3; asm("" : : "r"(eax)); asm goto("" : : : : out); out: ; }
int sj(void) { jmp_buf b; if (setjmp(b)) return 1; longjmp(b, 1); }
void sig(void) { struct sigaction sa = { .sa_handler = SIG_IGN }; sigemptyset(&sa.sa_mask); sigaction(SIGINT, &sa, NULL); signal(3, SIG_DFL); }
void *thr(void *a) { static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return a; }
int ct(int c) { assert(c > 0 && "msg"); return isalpha(c) + toupper(c) + (isdigit)(c); }
int io(void) { FILE *f = fopen("x", "r"); char b[10]; fprintf(stderr, "%d" PRId64, 1, (int64_t)2); getc(f); putchar('c'); return fscanf(f, "%9s", b) + errno; }
void voids(void *p) { *p; (void)*p; p++; p += 3; p = p + 1 - 2; (void)sizeof(void); (void)sizeof(voids); void (*f)(void *) = *voids; (**f)(p); (&*f)(p); f = &voids; }
int shadow(int shadow) { { int shadow = 3; { extern int arr[]; typedef int shadow; shadow x = arr[0]; return x; } } }
int tagscope(void) { struct bf { int other; } b = { 1 }; struct newtag; struct newtag { struct bf z; } n; { struct bf; struct bf *p; struct bf { char q; }; p = 0; return p ? p->q : b.other; } }
void proto(struct onlyhere *p); int arrparm(int a[], int b[3], int (c)(int), int d[*]); int arrparm(int *a, int *b, int (*c)(int), int *d) { return a[0] + c(b[0]); }
typedef int fty(int); fty fdecl; fty *fpp = fdecl; int fdecl(int x) { return x; } struct sfp { fty *m; int (*const k)(int); } sfp = { fdecl, fdecl };
const int cc1 = 3; static const int cc2 = 4; int cc3 = cc2 + 1; 
int longcmp(unsigned a, int b, long c, unsigned char d) { return (a < b) + (a < c) + (d < b) + (d - 300 < 0u) + (a >> b) + (1 << d) + (c << a) + ~d + !c + -a; }
int gen(void) { return _Generic((char)1, int: 1, char: 2, default: 3) + _Generic("a", char *: 1, const char *: 2) + _Generic(&arr, int (*)[10]: 1) + _Generic(arr, int *: 4); }
int blt(unsigned x, long y) { int r; return __builtin_add_overflow(x, y, &r) + __builtin_popcountl(y) + __builtin_ctzll(x) + __builtin_expect(!!x, 1) + (__builtin_types_compatible_p(int, int)) + __builtin_choose_expr(0, "x", 5) + __builtin_ffs(x) + __builtin_bswap32(x) + (long)__builtin_return_address(0) + __builtin_isnan(1.0) + __builtin_abs(3) + (int)__builtin_object_size(&x, 1); }
char *strs = "a" "b" /* c */ "c"; char multi[] = "line\
continued"; char esc[] = "\a\b\e\x41\101\u00e9\U0001F600";
int dd = { 1 }; int ee[] = { { 1 }, { 2 } }; char *ff = { "x" }; char gg[] = { "y" }; char hh[3] = { 97 };
