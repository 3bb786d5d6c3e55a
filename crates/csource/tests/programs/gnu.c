/* GNU constructs in the company they keep in system headers and kernel code. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef struct list_head {
    struct list_head *next, *prev;
} list_head;

#define container_of(pointer, type, member) ({                          \
        const __typeof__(((type *)0)->member) *__inner = (pointer);     \
        (type *)((char *)__inner - __builtin_offsetof(type, member)); })

struct item {
    u32 key : 5, : 3, value : 24;
    list_head links;
    union {
        u8 bytes[4];
        u32 word;
    };
} __attribute__((packed, aligned(4)));

static const struct item table[] = {
    [0 ... 2] = { .key = 1, .links = { .next = 0 } },
    [3] { .value = 7, .word = 0x01020304u },
    [4] = { key: 2, links: { 0, 0 } },
};

extern int renamed(int) __asm__("other_name") __attribute__((__nothrow__, __leaf__));
static inline __attribute__((always_inline, unused)) u32 rotate(u32 x, u32 by)
{
    __asm__ __volatile__("roll %%cl, %0" : "=r"(x) : "0"(x), "c"(by) : "cc", "memory");
    return x;
}

int dispatch(int code)
{
    __label__ zero, one, many;
    static void *targets[] = { &&zero, &&one, &&many };
    goto *targets[code > 1 ? 2 : code];
zero:
    return 0;
one: __attribute__((unused))
    return 1;
many:
    switch (code) {
    case 2 ... 9:
        code++;
        __attribute__((fallthrough));
    case 10: ;
        int local = code;
        return local ?: -1;
    default:
        break;
    }
    return __builtin_expect(!!code, 1) ? __builtin_choose_expr(1, code, (void)0) : 0;
}

struct item *owner(list_head *links)
{
    return container_of(links, struct item, links);
}

int old(a, b, callback)
    register int a;
    char *b;
    int (*callback)();
{
    return callback(a, *b);
}

int outer(int x)
{
    int inner(int y) { return x + y; }
    __auto_type z = inner(1);
    typedef int outer;
    outer result = z;
    {
        int outer = 3;
        result = outer * (result);
    }
    return (outer)result + sizeof(outer) + _Alignof(struct item);
}

__extension__ typedef __int128 wide;
__thread unsigned long long counter = 0xFFull;
_Thread_local volatile _Atomic int flag;
_Float128 quad = 1.0q;
double hexadecimal = 0x1.8p3, tiny = .5e-3f;
wchar_literal(void) { return L'\x20AC' + u'\u20ac' + 'ab' + u8"x"[0] + L"a" "b"[1]; }
_Noreturn void stop(void);
[[maybe_unused]] static int attributed;
__asm__(".globl marker");
int generic(void) { return _Generic(counter, unsigned long long: 1, default: 0); }
double real(_Complex double z) { return __real__ z + __imag__ z; }
int vla(int n, int m[restrict static n], int (*p)[n]) { int local[n][2]; return (*p)[0] + local[0][0]; }
#pragma pack(push, 1)
struct tight { char c; int i; };
#pragma pack(pop)
