// Assertions about types and values that hold in GNU C11 for both data models; read by gcc and by us.
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; _Bool b; float f; double d; long double ld;
struct bits { unsigned narrow : 3; unsigned full : 32; long twenty : 20; } bits;
struct rec { int x; struct { int in_struct; union { char in_union; short other; }; }; const int fixed; } rec, *rp;
const struct rec crec; volatile int vi;
int ia[3]; const int cia[3] = { 1, 2, 3 }; int matrix[2][5];
int fn(char, ...); int (*fp)(char, ...) = fn; int old(); void nothing(void);
typedef int T; typedef const T CT; typedef int A5[5]; typedef int F(int);
F declared_by_typedef; extern A5 completed; extern int incomplete[]; int incomplete[7];
enum plain { P0, P1 }; enum negative { N = -1 }; enum wide { W = 0x100000000 }; enum __attribute__((packed)) tiny { T0, T255 = 255 };
enum mixed { M0 = -1, M1 = 0x80000000 };
struct forward; struct forward *to_forward; struct forward { int y; };
typedef struct { int a; } anonymous; anonymous an;
union u { int i; float f; } un;
// ASSERTIONS
void same_0(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(c + c), int), "c + c is not int"); }
void same_1(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(uc + us), int), "uc + us is not int"); }
void same_2(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(u + i), unsigned), "u + i is not unsigned"); }
void same_3(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(l + u), __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1L, 1UL))), "l + u is not __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1L, 1UL))"); }
void same_4(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(ul + ll), __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1ULL, 1LL))), "ul + ll is not __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1ULL, 1LL))"); }
void same_5(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(ll + ull), unsigned long long), "ll + ull is not unsigned long long"); }
void same_6(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(f + i), float), "f + i is not float"); }
void same_7(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(f + d), double), "f + d is not double"); }
void same_8(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(ld + ull), long double), "ld + ull is not long double"); }
void same_9(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(+c), int), "+c is not int"); }
void same_10(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(-us), int), "-us is not int"); }
void same_11(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(~uc), int), "~uc is not int"); }
void same_12(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(!d), int), "!d is not int"); }
void same_13(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(b + b), int), "b + b is not int"); }
void same_14(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(bits.narrow + 0u), unsigned), "bits.narrow + 0u is not unsigned"); }
void same_15(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(+bits.narrow), int), "+bits.narrow is not int"); }
void same_16(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(+bits.full), unsigned), "+bits.full is not unsigned"); }
void same_17(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(+bits.twenty), int), "+bits.twenty is not int"); }
void same_18(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1 << ll), int), "1 << ll is not int"); }
void same_19(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(ull >> c), unsigned long long), "ull >> c is not unsigned long long"); }
void same_20(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(c << 1L), int), "c << 1L is not int"); }
void same_21(void) { _Static_assert(__builtin_types_compatible_p(__typeof__('a'), int), "'a' is not int"); }
void same_22(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(L'a'), __typeof__(L'b')), "L'a' is not "); }
void same_23(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(2147483647), int), "2147483647 is not int"); }
void same_24(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(2147483648), __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1L, 1LL))), "2147483648 is not __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1L, 1LL))"); }
void same_25(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(0x7fffffff), int), "0x7fffffff is not int"); }
void same_26(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(0x80000000), unsigned), "0x80000000 is not unsigned"); }
void same_27(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(0xffffffffffffffff), __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1UL, 1ULL))), "0xffffffffffffffff is not __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1UL, 1ULL))"); }
void same_28(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1u), unsigned), "1u is not unsigned"); }
void same_29(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1l), long), "1l is not long"); }
void same_30(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1ul), unsigned long), "1ul is not unsigned long"); }
void same_31(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1ll), long long), "1ll is not long long"); }
void same_32(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1.0), double), "1.0 is not double"); }
void same_33(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1.0f), float), "1.0f is not float"); }
void same_34(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(1.0l), long double), "1.0l is not long double"); }
void same_35(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(sizeof i), __typeof__(sizeof 1)), "sizeof i is not __typeof__(sizeof 1)"); }
void same_36(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&ia[1] - ia), __typeof__((char *)0 - (char *)0)), "&ia[1] - ia is not __typeof__((char *)0 - (char *)0)"); }
void same_37(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(ia + 1), int *), "ia + 1 is not int *"); }
void same_38(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&ia), int (*)[3]), "&ia is not int (*)[3]"); }
void same_39(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(matrix[1]), int [5]), "matrix[1] is not int [5]"); }
void same_40(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(*matrix), int [5]), "*matrix is not int [5]"); }
void same_41(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(matrix + 1), int (*)[5]), "matrix + 1 is not int (*)[5]"); }
void same_42(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(cia + 0), const int *), "cia + 0 is not const int *"); }
void same_43(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&crec.x), const int *), "&crec.x is not const int *"); }
void same_44(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&rp->fixed), const int *), "&rp->fixed is not const int *"); }
void same_45(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(rec.in_struct), int), "rec.in_struct is not int"); }
void same_46(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(rec.in_union), char), "rec.in_union is not char"); }
void same_47(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(rp->other), short), "rp->other is not short"); }
void same_48(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&fn), int (*)(char, ...)), "&fn is not int (*)(char, ...)"); }
void same_49(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(*fp), int (char, ...)), "*fp is not int (char, ...)"); }
void same_50(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(fn(1)), int), "fn(1) is not int"); }
void same_51(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((*fp)(1, 2)), int), "(*fp)(1, 2) is not int"); }
void same_52(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? ia : 0), int *), "i ? ia : 0 is not int *"); }
void same_53(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? (void *)0 : ia), int *), "i ? (void *)0 : ia is not int *"); }
void same_54(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? (void *)ia : cia), const void *), "i ? (void *)ia : cia is not const void *"); }
void same_55(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? ia : (const int *)ia), const int *), "i ? ia : (const int *)ia is not const int *"); }
void same_56(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? c : us), int), "i ? c : us is not int"); }
void same_57(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? 1 : 2.0f), float), "i ? 1 : 2.0f is not float"); }
void same_58(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ?: 1L), long), "i ?: 1L is not long"); }
void same_59(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i ? nothing() : nothing()), void), "i ? nothing() : nothing() is not void"); }
void same_60(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((i, c)), char), "(i, c) is not char"); }
void same_61(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(i = 3.5), int), "i = 3.5 is not int"); }
void same_62(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(c += 1000L), char), "c += 1000L is not char"); }
void same_63(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(({ 1; 2.0; })), double), "({ 1; 2.0; }) is not double"); }
void same_64(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(({ ia; })), int *), "({ ia; }) is not int *"); }
void same_65(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(({ int q; })), void), "({ int q; }) is not void"); }
void same_66(void) { _Static_assert(__builtin_types_compatible_p(__typeof__("abc"), char [4]), "\"abc\" is not char [4]"); }
void same_67(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((T)1), int), "(T)1 is not int"); }
void same_68(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((A5){1}), int [5]), "(A5){1} is not int [5]"); }
void same_69(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((int[]){1, 2}), int [2]), "(int[]){1, 2} is not int [2]"); }
void same_70(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(&(int){1}), int *), "&(int){1} is not int *"); }
void same_71(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(completed), int [5]), "completed is not int [5]"); }
void same_72(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(incomplete), int [7]), "incomplete is not int [7]"); }
void same_73(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(P0), int), "P0 is not int"); }
void same_74(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(M0), int), "M0 is not int"); }
void same_75(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((enum plain)0), unsigned), "(enum plain)0 is not unsigned"); }
void same_76(void) { _Static_assert(__builtin_types_compatible_p(__typeof__((enum negative)0), int), "(enum negative)0 is not int"); }
void same_77(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(vi + 0), int), "vi + 0 is not int"); }
void same_78(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(_Generic(c, char: 1, default: 1L)), int), "_Generic(c, char: 1, default: 1L) is not int"); }
void same_79(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(_Generic(ia, int *: 1u, default: 1L)), unsigned), "_Generic(ia, int *: 1u, default: 1L) is not unsigned"); }
void same_80(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(_Generic(cia[0], int: 1u, default: 1L)), unsigned), "_Generic(cia[0], int: 1u, default: 1L) is not unsigned"); }
void same_81(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(_Generic(fn, int (*)(char, ...): 1.0f, default: 1L)), float), "_Generic(fn, int (*)(char, ...): 1.0f, default: 1L) is not float"); }
void same_82(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(_Generic("x", char *: 1.0f, default: 1L)), float), "_Generic(\"x\", char *: 1.0f, default: 1L) is not float"); }
void same_83(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_choose_expr(sizeof(int) == 4, c, d)), char), "__builtin_choose_expr(sizeof(int) == 4, c, d) is not char"); }
void same_84(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_expect(c, 1)), long), "__builtin_expect(c, 1) is not long"); }
void same_85(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_bswap16(1) + 0), int), "__builtin_bswap16(1) + 0 is not int"); }
void same_86(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_sqrt(1)), double), "__builtin_sqrt(1) is not double"); }
void same_87(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_sqrtf(1)), float), "__builtin_sqrtf(1) is not float"); }
void same_88(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_memcpy(0, 0, 0)), void *), "__builtin_memcpy(0, 0, 0) is not void *"); }
void same_89(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_popcountll(1)), int), "__builtin_popcountll(1) is not int"); }
void same_90(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(__builtin_inf()), double), "__builtin_inf() is not double"); }
void same_91(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(to_forward->y), int), "to_forward->y is not int"); }
void same_92(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(un.f), float), "un.f is not float"); }
void same_93(void) { _Static_assert(__builtin_types_compatible_p(__typeof__(an.a), int), "an.a is not int"); }
void holds_94(void) { _Static_assert(sizeof(enum plain) == 4, "sizeof(enum plain) == 4"); }
void holds_95(void) { _Static_assert(sizeof(enum wide) == 8, "sizeof(enum wide) == 8"); }
void holds_96(void) { _Static_assert(sizeof(enum tiny) == 1, "sizeof(enum tiny) == 1"); }
void holds_97(void) { _Static_assert(sizeof(enum mixed) == 8, "sizeof(enum mixed) == 8"); }
void holds_98(void) { _Static_assert(M1 == 0x80000000, "M1 == 0x80000000"); }
void holds_99(void) { _Static_assert((enum negative)-1 < 0, "(enum negative)-1 < 0"); }
void holds_100(void) { _Static_assert((enum plain)-1 > 0, "(enum plain)-1 > 0"); }
void holds_101(void) { _Static_assert((unsigned char)300 == 44, "(unsigned char)300 == 44"); }
void holds_102(void) { _Static_assert((signed char)200 == -56, "(signed char)200 == -56"); }
void holds_103(void) { _Static_assert(-1 < 0u == 0, "-1 < 0u == 0"); }
void holds_104(void) { _Static_assert(-1L > 0u == (sizeof(long) == 4), "-1L > 0u == (sizeof(long) == 4)"); }
void holds_105(void) { _Static_assert((int)1.99 == 1, "(int)1.99 == 1"); }
void holds_106(void) { _Static_assert((int)-1.99 == -1, "(int)-1.99 == -1"); }
void holds_107(void) { _Static_assert((float)0.1 != 0.1, "(float)0.1 != 0.1"); }
void holds_108(void) { _Static_assert(0.1f == (float)0.1, "0.1f == (float)0.1"); }
void holds_109(void) { _Static_assert(1.0 / 3.0 * 3.0 == 1.0, "1.0 / 3.0 * 3.0 == 1.0"); }
void holds_110(void) { _Static_assert((1 ? 2 : 3) == 2, "(1 ? 2 : 3) == 2"); }
void holds_111(void) { _Static_assert((0 && 1 / 0) == 0, "(0 && 1 / 0) == 0"); }
void holds_112(void) { _Static_assert((1 || 1 / 0) == 1, "(1 || 1 / 0) == 1"); }
void holds_113(void) { _Static_assert(sizeof(char[3][4]) == 12, "sizeof(char[3][4]) == 12"); }
void holds_114(void) { _Static_assert(sizeof "abc" == 4, "sizeof \"abc\" == 4"); }
void holds_115(void) { _Static_assert(sizeof L"abc" == 16, "sizeof L\"abc\" == 16"); }
void holds_116(void) { _Static_assert(sizeof u"abc" == 8, "sizeof u\"abc\" == 8"); }
void holds_117(void) { _Static_assert(sizeof('a') == 4, "sizeof('a') == 4"); }
void holds_118(void) { _Static_assert(sizeof(void) == 1, "sizeof(void) == 1"); }
void holds_119(void) { _Static_assert(_Alignof(short) == 2, "_Alignof(short) == 2"); }
void holds_120(void) { _Static_assert(__builtin_offsetof(struct rec, in_union) == 8, "__builtin_offsetof(struct rec, in_union) == 8"); }
void holds_121(void) { _Static_assert(__builtin_offsetof(struct rec, fixed) == 12, "__builtin_offsetof(struct rec, fixed) == 12"); }
void holds_124(void) { _Static_assert(__builtin_types_compatible_p(int[], int[3]), "__builtin_types_compatible_p(int[], int[3])"); }
void holds_125(void) { _Static_assert(!__builtin_types_compatible_p(int[2], int[3]), "!__builtin_types_compatible_p(int[2], int[3])"); }
void holds_126(void) { _Static_assert(__builtin_types_compatible_p(CT, int), "__builtin_types_compatible_p(CT, int)"); }
void holds_127(void) { _Static_assert(!__builtin_types_compatible_p(int *, const int *), "!__builtin_types_compatible_p(int *, const int *)"); }
void holds_128(void) { _Static_assert(!__builtin_types_compatible_p(char, signed char), "!__builtin_types_compatible_p(char, signed char)"); }
void holds_129(void) { _Static_assert(!__builtin_types_compatible_p(long, int), "!__builtin_types_compatible_p(long, int)"); }
void holds_130(void) { _Static_assert(__builtin_types_compatible_p(enum plain, unsigned), "__builtin_types_compatible_p(enum plain, unsigned)"); }
void holds_131(void) { _Static_assert(!__builtin_types_compatible_p(enum plain, enum negative), "!__builtin_types_compatible_p(enum plain, enum negative)"); }
void holds_132(void) { _Static_assert(__builtin_types_compatible_p(int (), int (int)), "__builtin_types_compatible_p(int (), int (int))"); }
void holds_133(void) { _Static_assert(!__builtin_types_compatible_p(int (), int (char)), "!__builtin_types_compatible_p(int (), int (char))"); }
void holds_134(void) { _Static_assert(__builtin_types_compatible_p(struct forward, struct forward), "__builtin_types_compatible_p(struct forward, struct forward)"); }
void holds_135(void) { _Static_assert(__builtin_constant_p(1 + 2), "__builtin_constant_p(1 + 2)"); }
void holds_136(void) { _Static_assert(!__builtin_constant_p(i), "!__builtin_constant_p(i)"); }
void holds_137(void) { _Static_assert(__builtin_constant_p("text"), "__builtin_constant_p(\"text\")"); }
void holds_138(void) { _Static_assert(__builtin_clz(1) == 31, "__builtin_clz(1) == 31"); }
void holds_139(void) { _Static_assert(__builtin_ctz(8) == 3, "__builtin_ctz(8) == 3"); }
void holds_140(void) { _Static_assert(__builtin_popcount(255) == 8, "__builtin_popcount(255) == 8"); }
void holds_141(void) { _Static_assert(__builtin_ffs(0) == 0, "__builtin_ffs(0) == 0"); }
void holds_142(void) { _Static_assert(__builtin_bswap32(0x11223344) == 0x44332211, "__builtin_bswap32(0x11223344) == 0x44332211"); }
void holds_143(void) { _Static_assert(__builtin_parity(7) == 1, "__builtin_parity(7) == 1"); }
void holds_144(void) { _Static_assert(__builtin_clrsb(0) == 31, "__builtin_clrsb(0) == 31"); }
void holds_145(void) { _Static_assert(__builtin_isnan(__builtin_nan("")), "__builtin_isnan(__builtin_nan(\"\"))"); }
void holds_148(void) { _Static_assert(__builtin_classify_type(1.0) == 8, "__builtin_classify_type(1.0) == 8"); }
void holds_149(void) { _Static_assert(__builtin_classify_type(ia) == 5, "__builtin_classify_type(ia) == 5"); }
void holds_150(void) { _Static_assert(0x1p-1 == 0.5, "0x1p-1 == 0.5"); }
void holds_151(void) { _Static_assert(1e-400 == 0, "1e-400 == 0"); }
void holds_152(void) { _Static_assert(1.5L == 1.5, "1.5L == 1.5"); }
void holds_153(void) { _Static_assert(0b101 == 5, "0b101 == 5"); }
void holds_154(void) { _Static_assert('\377' == -1, "'\\377' == -1"); }
void holds_155(void) { _Static_assert('ab' == 24930, "'ab' == 24930"); }
void holds_156(void) { _Static_assert((1 << 31) != 0, "(1 << 31) != 0"); }
void holds_157(void) { _Static_assert(-7 / 2 == -3, "-7 / 2 == -3"); }
void holds_158(void) { _Static_assert(-7 % 2 == -1, "-7 % 2 == -1"); }
void holds_159(void) { _Static_assert((-7 >> 1) == -4, "(-7 >> 1) == -4"); }
void holds_160(void) { _Static_assert(~0u == 4294967295, "~0u == 4294967295"); }
void holds_161(void) { _Static_assert((_Bool)0.5 == 1, "(_Bool)0.5 == 1"); }
void holds_162(void) { _Static_assert((_Bool)2 + 1 == 2, "(_Bool)2 + 1 == 2"); }
void holds_163(void) { _Static_assert((unsigned)-1 / 2 == 2147483647, "(unsigned)-1 / 2 == 2147483647"); }
void holds_164(void) { _Static_assert(5 ?: 3 == 5, "5 ?: 3 == 5"); }
void holds_165(void) { _Static_assert(sizeof(struct { int a : 3; int : 0; char b; }) == 8, "sizeof(struct { int a : 3; int : 0; char b; }) == 8"); }
void holds_166(void) { _Static_assert(sizeof(int (*)[3]) == sizeof(void *), "sizeof(int (*)[3]) == sizeof(void *)"); }
void holds_167(void) { _Static_assert(sizeof(1 ? (char)1 : (char)2) == 4, "sizeof(1 ? (char)1 : (char)2) == 4"); }
void holds_168(void) { _Static_assert(sizeof((char)1, (char)2) == 1, "sizeof((char)1, (char)2) == 1"); }
void holds_169(void) { _Static_assert(sizeof(b = 2) == 1, "sizeof(b = 2) == 1"); }
