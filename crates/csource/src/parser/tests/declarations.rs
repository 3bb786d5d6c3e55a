use super::*;

#[test]
fn declarators_inside_out() {
    assert_eq!(item("int *a[3];"), "Int a [3] *;");
    assert_eq!(item("int (*a)[3];"), "Int a * [3];");
    assert_eq!(item("int *const volatile *p;"), "Int p * const volatile *;");
    assert_eq!(item("char *(*(*f)(int, char *))[5];"), "Char f * (Int _, Char _ *) * [5] *;");
    assert_eq!(item("void (*signal(int, void (*)(int)))(int);"), {
        "Void signal (Int _, Void _ * (Int _)) * (Int _);"
    });
    assert_eq!(item("int (((x)));"), "Int x;");
    assert_eq!(item("int a, *b, c[2], d(void);"), "Int a, b *, c [2], d ();");
    assert_eq!(item("int f(), g(void), h(int, ...);"), "Int f names(), g (), h (Int _, ...);");
    assert_eq!(item("int f(int n, int a[restrict static 3], int b[const *], int c[]);"), {
        "Int f (Int n, Int a [static restrict 3], Int b [const *], Int c []);"
    });
    assert_eq!(item("int f(int [3], int (*)[4], int (int), int *(*)(void));"), {
        "Int f (Int _ [3], Int _ * [4], Int _ (Int _), Int _ * () *);"
    });
}

#[test]
fn specifiers_in_any_order() {
    assert_eq!(item("long unsigned int static const long x;"), "static const UnsignedLongLong x;");
    assert_eq!(item("extern __inline __attribute__((gnu_inline)) int f(void);"), {
        "@gnu_inline extern inline Int f ();"
    });
    assert_eq!(item("static _Thread_local int a;"), "static thread Int a;");
    assert_eq!(item("__thread int a;"), "thread Int a;");
    assert_eq!(item("_Noreturn void f(void);"), "noreturn Void f ();");
    assert_eq!(item("_Alignas(16) _Alignas(double) int x;"), "align(16) align(Double _) Int x;");
    assert_eq!(item("_Atomic int a;"), "atomic Int a;");
    assert_eq!(item("_Atomic(int *) a;"), "atomic(Int _ *) a;");
    assert_eq!(item("__typeof__(1 + 2) x;"), "typeof([Add 1 2]) x;");
    assert_eq!(item("typeof(int *) x;"), "typeof(Int _ *) x;");
    assert_eq!(item("unsigned _BitInt(17) x;"), "UBitInt(17) x;");
    assert_eq!(item("__builtin_va_list ap;"), "va_list ap;");
    assert_eq!(item("_Complex double z; double _Complex w;"), "ComplexDouble w;");
    assert_eq!(item("_Float128 a; __float128 b; _Float64x c; _Float32 d;"), "Float d;");
    assert_eq!(item("unsigned __int128 a; __uint128_t b;"), "UnsignedInt128 b;");
    assert_eq!(item("__extension__ typedef long long ll; ll x;"), "<ll> x;");
    assert_eq!(item("__signed__ char a;"), "SignedChar a;");
}

#[test]
fn missing_types_are_int_with_a_warning() {
    let (items, errors, warnings) = read("main() { return 0; } static x; f(register a);");
    assert_eq!(errors, [""; 0]);
    assert_eq!(
        items,
        ["implicit main names() {return 0;}", "static implicit x;", "implicit f (register implicit a);"]
    );
    assert_eq!(warnings, ["implicit-int"; 4]);
}

#[test]
fn old_style_definitions() {
    assert_eq!(item("int kr(a, b) int a; char *b; { return a; }"), {
        "Int kr names(a, b) Int a;Char b *;{return a;}"
    });
    assert_eq!(item("typedef int T; T f(a) T a; { return a; }"), "<T> f names(a) <T> a;{return a;}");
    assert_eq!(item("int f(a, b, c) register int a, b; { return c; }"), {
        "Int f names(a, b, c) register Int a, b;{return c;}"
    });
    let (_, errors, warnings) = read("int f(a, b);");
    assert_eq!((errors.len(), warnings), (0, vec!["bare-parameter-names"]));
}

#[test]
fn records_and_enums() {
    assert_eq!(item("struct P { int x : 3; unsigned : 0; union { int a; float b; }; char *c, d[2]; };"), {
        "struct P{Int x : 3; UnsignedInt  : 0; union{Int a; Float b;} ; Char c *, d [2];};"
    });
    assert_eq!(item("struct S {} s;"), "struct S{} s;");
    assert_eq!(item("struct S;"), "struct S;");
    assert_eq!(
        item("struct S { int a; _Static_assert(1, \"x\"); ; };"),
        "struct S{Int a; assert 1 Some(\"x\");};"
    );
    assert_eq!(item("enum E { A __attribute__((unused)) = 1, B, };"), "enum E{A=1,B};");
    assert_eq!(item("enum E x;"), "enum E x;");
    assert_eq!(item("struct __attribute__((packed)) P { char c; } __attribute__((aligned(8))) x;"), {
        "struct P{Char c;} @packed @aligned(8) x;"
    });
    assert_eq!(item("struct P __attribute__((packed)) { char c; };"), "struct P{Char c;} @packed;");
    assert_eq!(item("struct P { int a __attribute__((aligned(4))), b : 2 __attribute__((packed)); };"), {
        "struct P{Int @aligned(4) a, b : 2 @packed;};".replace("@aligned(4) a", "a @aligned(4)")
    });
    let (items, errors, warnings) = read("struct s { int a; int b };");
    assert_eq!(
        (items[0].as_str(), errors.len(), warnings),
        ("struct s{Int a; Int b;};", 0, vec!["missing-semicolon"])
    );
}

#[test]
fn attributes_in_all_positions() {
    assert_eq!(
        item("int f(int) __attribute__((noreturn, nonnull(1)));"),
        "Int @noreturn @nonnull(1) f (Int _);"
    );
    assert_eq!(item("int x __attribute__((__aligned__(16))) = 3;"), "Int @aligned(16) x = 3;");
    assert_eq!(item("int a, __attribute__((unused)) b;"), "Int a, @unused b;");
    assert_eq!(item("int *__attribute__((aligned(8))) p;"), "Int @aligned(8) p *;");
    assert_eq!(item("int (__attribute__((stdcall)) *f)(int);"), "Int @stdcall f * (Int _);");
    assert_eq!(item("int f(int x __attribute__((unused)), char);"), "Int f (Int @unused x, Char _);");
    assert_eq!(item("int f(int) __asm__(\"g\") __attribute__((pure));"), "Int @pure f (Int _) asm(g);");
    assert_eq!(item("typedef int t __attribute__((mode(__DI__)));"), "typedef Int @mode(__DI__) t;");
    assert_eq!(item("int printf(const char *, ...) __attribute((format(printf, 1, 2)));"), {
        "Int @format(printf,1,2) printf (const Char _ *, ...);"
    });
    assert_eq!(item("[[noreturn, gnu::cold]] void f [[deprecated(\"x\")]] (void);"), {
        "@noreturn @cold Void @deprecated(Plain\"x\") f ();"
    });
    assert_eq!(item("__declspec(dllexport) int x;"), "Int x;");
    assert_eq!(item("__attribute__((const, , )) int f(void);"), "@const Int f ();");
    assert_eq!(item("typedef int T; int x __attribute__((vector_size(sizeof(T) * 4)));"), {
        "Int @vector_size([Multiply [sizeof <T> _] 4]) x;"
    });
}

#[test]
fn initializers() {
    assert_eq!(item("struct P p = { x: 3, y: 4 };"), "struct P p = {.x=3, .y=4};");
    assert_eq!(
        item("int a[] = { [2] = 5, [4 ... 6] = 9, [7] 8, };"),
        "Int a [] = {[2]=5, [4...6]=9, [7]=8};"
    );
    assert_eq!(item("struct P p = { .a.b[1] = { 1 }, {} };"), "struct P p = {.a.b[1]={1}, {}};");
    assert_eq!(item("int a[3] = {};"), "Int a [3] = {};");
    assert_eq!(item("char s[] = \"x\", *t = { \"y\" };"), "Char s [] = Plain\"x\", t * = {Plain\"y\"};");
}

#[test]
fn assembly_and_assertions() {
    assert_eq!(item("__asm__(\".globl foo\");"), "asm \".globl foo\" [] [] [] [];");
    assert_eq!(
        body("asm volatile (\"nop\" : [out] \"=r\" (x), \"+m\" (*p) : \"r\" (y + 1) : \"memory\", \"cc\");"),
        "{asm volatile \"nop\" [\"=r(x)\", \"+m([Deref p])\"] [\"r([Add y 1])\"] [\"memory\", \"cc\"] [];}"
    );
    assert_eq!(body("asm goto (\"\" :::: out); out: ;"), "{asm \"\" [] [] [] [\"out\"]; out: ;}");
    assert_eq!(item("_Static_assert(sizeof(int) == 4, \"int\" \"s\");"), {
        "assert [Equal [sizeof Int _] 4] Some(\"ints\");"
    });
}

#[test]
fn packing_follows_the_pragmas() {
    let text = "struct a { int x; };\n#pragma pack(push, 1)\nstruct b { int x; };\n#pragma pack(2)\nstruct c { int x;\n\
                #pragma pack(4)\n};\n#pragma pack(pop)\nstruct d { int x; };\n#pragma pack(8)\nstruct e { int x; };\n\
                #pragma pack()\nstruct f { int x; };\n_Pragma(\"pack(1)\") struct g { int x; };\n\
                #pragma GCC diagnostic push\n#pragma pack(push, name, 2)\n#pragma pack(push, 4)\n#pragma pack(pop, name)\n\
                struct h { int x; };";
    let packs: Vec<String> =
        items(text).iter().map(|item| item.split("} ").nth(1).unwrap_or("-").to_owned()).collect();
    assert_eq!(packs, ["-", "pack1;", "pack4;", "-", "pack8;", "-", "pack1;", "pack1;"]);
    let (_, errors, warnings) = read("#pragma pack(3)\n#pragma pack(pop)\nint x;");
    assert_eq!((errors.len(), warnings), (0, vec!["malformed-pragma-pack"; 2]));
}
