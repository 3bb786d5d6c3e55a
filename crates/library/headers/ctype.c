/* ctype.h, for the C locale. The classes are bits of a table that starts at -128, where glibc's macros look
   (`__ctype_b_loc`); characters above 127 belong to no class. */
static const unsigned short __ctype_b[384] = {
    [128] = 0x2, [129] = 0x2, [130] = 0x2, [131] = 0x2, [132] = 0x2, [133] = 0x2, [134] = 0x2, [135] = 0x2,
    [136] = 0x2, [137] = 0x2003, [138] = 0x2002, [139] = 0x2002, [140] = 0x2002, [141] = 0x2002, [142] = 0x2, [143] = 0x2,
    [144] = 0x2, [145] = 0x2, [146] = 0x2, [147] = 0x2, [148] = 0x2, [149] = 0x2, [150] = 0x2, [151] = 0x2,
    [152] = 0x2, [153] = 0x2, [154] = 0x2, [155] = 0x2, [156] = 0x2, [157] = 0x2, [158] = 0x2, [159] = 0x2,
    [160] = 0x6001, [161] = 0xc004, [162] = 0xc004, [163] = 0xc004, [164] = 0xc004, [165] = 0xc004, [166] = 0xc004, [167] = 0xc004,
    [168] = 0xc004, [169] = 0xc004, [170] = 0xc004, [171] = 0xc004, [172] = 0xc004, [173] = 0xc004, [174] = 0xc004, [175] = 0xc004,
    [176] = 0xd808, [177] = 0xd808, [178] = 0xd808, [179] = 0xd808, [180] = 0xd808, [181] = 0xd808, [182] = 0xd808, [183] = 0xd808,
    [184] = 0xd808, [185] = 0xd808, [186] = 0xc004, [187] = 0xc004, [188] = 0xc004, [189] = 0xc004, [190] = 0xc004, [191] = 0xc004,
    [192] = 0xc004, [193] = 0xd508, [194] = 0xd508, [195] = 0xd508, [196] = 0xd508, [197] = 0xd508, [198] = 0xd508, [199] = 0xc508,
    [200] = 0xc508, [201] = 0xc508, [202] = 0xc508, [203] = 0xc508, [204] = 0xc508, [205] = 0xc508, [206] = 0xc508, [207] = 0xc508,
    [208] = 0xc508, [209] = 0xc508, [210] = 0xc508, [211] = 0xc508, [212] = 0xc508, [213] = 0xc508, [214] = 0xc508, [215] = 0xc508,
    [216] = 0xc508, [217] = 0xc508, [218] = 0xc508, [219] = 0xc004, [220] = 0xc004, [221] = 0xc004, [222] = 0xc004, [223] = 0xc004,
    [224] = 0xc004, [225] = 0xd608, [226] = 0xd608, [227] = 0xd608, [228] = 0xd608, [229] = 0xd608, [230] = 0xd608, [231] = 0xc608,
    [232] = 0xc608, [233] = 0xc608, [234] = 0xc608, [235] = 0xc608, [236] = 0xc608, [237] = 0xc608, [238] = 0xc608, [239] = 0xc608,
    [240] = 0xc608, [241] = 0xc608, [242] = 0xc608, [243] = 0xc608, [244] = 0xc608, [245] = 0xc608, [246] = 0xc608, [247] = 0xc608,
    [248] = 0xc608, [249] = 0xc608, [250] = 0xc608, [251] = 0xc004, [252] = 0xc004, [253] = 0xc004, [254] = 0xc004, [255] = 0x2,
};
static const unsigned short *const __ctype_from_zero = __ctype_b + 128;
//! __ctype_b_loc: the table behind the macros of `ctype.h`
const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&__ctype_from_zero; }

/* C wants the value of an `unsigned char` or -1; glibc's table also has the negative characters. */
static void need_character(int c)
{
    __concord_need(c >= -128 && c <= 255, "the argument is no character: neither -1 nor the value of an `unsigned char`");
}

static int in_class(int c, int bit)
{
    need_character(c);
    if (c < -128 || c > 255 || !(__ctype_b[c + 128] & bit))
        return 0;
    // Not zero is all that is said of it.
    int result = __concord_any_int(bit);
    __VERIFIER_assume(result != 0);
    return result;
}
//! isalnum: whether a character belongs to a class
int isalnum(int c) { return in_class(c, 0x8); }
//! isalpha: whether a character belongs to a class
int isalpha(int c) { return in_class(c, 0x400); }
//! isblank: whether a character belongs to a class
int isblank(int c) { return in_class(c, 0x1); }
//! iscntrl: whether a character belongs to a class
int iscntrl(int c) { return in_class(c, 0x2); }
//! isdigit: whether a character belongs to a class
int isdigit(int c) { return in_class(c, 0x800); }
//! isgraph: whether a character belongs to a class
int isgraph(int c) { return in_class(c, 0x8000); }
//! islower: whether a character belongs to a class
int islower(int c) { return in_class(c, 0x200); }
//! isprint: whether a character belongs to a class
int isprint(int c) { return in_class(c, 0x4000); }
//! ispunct: whether a character belongs to a class
int ispunct(int c) { return in_class(c, 0x4); }
//! isspace: whether a character belongs to a class
int isspace(int c) { return in_class(c, 0x2000); }
//! isupper: whether a character belongs to a class
int isupper(int c) { return in_class(c, 0x100); }
//! isxdigit: whether a character belongs to a class
int isxdigit(int c) { return in_class(c, 0x1000); }

/* Negative characters, which C does not allow, are taken for what they are as `unsigned char`. */
static int as_character(int c) { return c < -1 ? c + 256 : c; }
static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : as_character(c); }
static int upper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : as_character(c); }

//! tolower: a letter in the other case
int tolower(int c)
{
    need_character(c);
    return lower(c);
}
//! toupper: a letter in the other case
int toupper(int c)
{
    need_character(c);
    return upper(c);
}
//! isascii: whether a character belongs to a class
int isascii(int c) { return (c & ~0x7f) == 0; }
//! toascii: the low seven bits
int toascii(int c) { return c & 0x7f; }

/* Tables of -128 to 255, filled when first asked for. */
static int lower_case[384], upper_case[384], is_filled;
static const int *lower_from_zero = lower_case + 128, *upper_from_zero = upper_case + 128;
static void fill(void)
{
    if (is_filled)
        return;
    for (int c = -128; c < 256; c++) {
        lower_case[c + 128] = lower(c);
        upper_case[c + 128] = upper(c);
    }
    is_filled = 1;
}
//! __ctype_tolower_loc: the table behind the macros of `ctype.h`
const int **__ctype_tolower_loc(void)
{
    fill();
    return &lower_from_zero;
}
//! __ctype_toupper_loc: the table behind the macros of `ctype.h`
const int **__ctype_toupper_loc(void)
{
    fill();
    return &upper_from_zero;
}
