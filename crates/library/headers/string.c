/* string.h and strings.h, for the C locale. */
void *malloc(size_t);

/* What compares gives a sign; how large the number is nobody says. */
static int with_sign(int order)
{
    if (!order)
        return 0;
    int result = __concord_any_int(order);
    __VERIFIER_assume(order < 0 ? result < 0 : result > 0);
    return result;
}

//! memcpy: copies bytes; the ranges must not overlap, unless they are the same
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    __concord_readable(from, count);
    __concord_writable(to, count);
    if (to != from)
        __concord_apart(to, count, from, count);
    for (size_t i = 0; i < count; i++)
        target[i] = source[i];
    return to;
}

//! mempcpy: as `memcpy`, giving the end of what was written
void *mempcpy(void *restrict to, const void *restrict from, size_t count)
{
    return (char *)memcpy(to, from, count) + count;
}

//! memccpy: copies bytes up to one of a value, at most so many
void *memccpy(void *restrict to, const void *restrict from, int last, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    size_t size = 0;
    int is_found = 0;
    while (size < count && !is_found)
        is_found = source[size++] == (unsigned char)last;
    __concord_writable(to, size);
    __concord_apart(to, size, from, size);
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
    return is_found ? target + size : 0;
}

//! memmove: copies bytes; the ranges may overlap
void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    __concord_readable(from, count);
    __concord_writable(to, count);
    if (target <= source) {
        for (size_t i = 0; i < count; i++)
            target[i] = source[i];
    } else {
        for (size_t i = count; i > 0; i--)
            target[i - 1] = source[i - 1];
    }
    return to;
}

//! memset: fills bytes with one value
void *memset(void *to, int value, size_t count)
{
    unsigned char *target = to;
    __concord_writable(to, count);
    for (size_t i = 0; i < count; i++)
        target[i] = (unsigned char)value;
    return to;
}

/* -1, 0 or 1. All bytes may be read, wherever the difference is. */
static int compared(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    __concord_readable(left, count);
    __concord_readable(right, count);
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

//! memcmp: compares bytes, all of which must be readable; any `int` of the sign of the first difference
int memcmp(const void *left, const void *right, size_t count) { return with_sign(compared(left, right, count)); }

//! bcmp: compares bytes; zero if they are equal
int bcmp(const void *left, const void *right, size_t count)
{
    if (!compared(left, right, count))
        return 0;
    int result = __concord_any_int(1);
    __VERIFIER_assume(result != 0);
    return result;
}

//! bzero, explicit_bzero: fills bytes with zeros
void bzero(void *to, size_t count) { memset(to, 0, count); }
void explicit_bzero(void *to, size_t count) { memset(to, 0, count); }

//! bcopy: copies bytes; the ranges may overlap
void bcopy(const void *from, void *to, size_t count) { memmove(to, from, count); }

//! memchr: finds the first byte of a value; bytes behind it need not be readable
void *memchr(const void *in, int value, size_t count)
{
    const unsigned char *bytes = in;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == (unsigned char)value)
            return (void *)(bytes + i);
    return 0;
}

//! memrchr: finds the last byte of a value
void *memrchr(const void *in, int value, size_t count)
{
    const unsigned char *bytes = in;
    __concord_readable(in, count);
    for (size_t i = count; i > 0; i--)
        if (bytes[i - 1] == (unsigned char)value)
            return (void *)(bytes + (i - 1));
    return 0;
}

//! rawmemchr: finds a byte that is known to be there
void *rawmemchr(const void *in, int value)
{
    const unsigned char *bytes = in;
    size_t i = 0;
    while (bytes[i] != (unsigned char)value)
        i++;
    return (void *)(bytes + i);
}

//! memmem: finds bytes in bytes
void *memmem(const void *in, size_t count, const void *wanted, size_t length)
{
    const unsigned char *bytes = in, *sought = wanted;
    __concord_readable(in, count);
    __concord_readable(wanted, length);
    if (length > count)
        return 0;
    for (size_t i = 0; i <= count - length; i++) {
        size_t same = 0;
        while (same < length && bytes[i + same] == sought[same])
            same++;
        if (same == length)
            return (void *)(bytes + i);
    }
    return 0;
}

//! strlen: the length of a string
size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

//! strnlen: the length of a string, at most a number
size_t strnlen(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

/* Copies a whole string. */
static size_t copied(char *to, const char *from)
{
    size_t length = strlen(from);
    __concord_writable(to, length + 1);
    __concord_apart(to, length + 1, from, length + 1);
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
    return length;
}

//! stpcpy: copies a string, giving the end of the copy
char *stpcpy(char *restrict to, const char *restrict from) { return to + copied(to, from); }

//! strcpy: copies a string; the target must have room for it and its end, and not overlap it
char *strcpy(char *restrict to, const char *restrict from)
{
    copied(to, from);
    return to;
}

/* Copies a string or its first `count` bytes, and fills with zeros. */
static size_t copied_part(char *to, const char *from, size_t count)
{
    size_t length = strnlen(from, count);
    __concord_writable(to, count);
    __concord_apart(to, count, from, length < count ? length + 1 : length);
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    for (size_t i = length; i < count; i++)
        to[i] = 0;
    return length;
}

//! strncpy: copies at most so many bytes of a string and fills the rest with zeros: all are written
char *strncpy(char *restrict to, const char *restrict from, size_t count)
{
    copied_part(to, from, count);
    return to;
}

//! stpncpy: as `strncpy`, giving the end of the copy
char *stpncpy(char *restrict to, const char *restrict from, size_t count) { return to + copied_part(to, from, count); }

/* Appends `length` bytes and a zero; `read` bytes of the source were looked at. */
static void appended(char *to, const char *from, size_t length, size_t read)
{
    size_t before = strlen(to);
    __concord_writable(to + before, length + 1);
    __concord_apart(to, before + length + 1, from, read);
    for (size_t i = 0; i < length; i++)
        to[before + i] = from[i];
    to[before + length] = 0;
}

//! strcat: appends a string; the target must have room for it and its end, and not overlap it
char *strcat(char *restrict to, const char *restrict from)
{
    size_t length = strlen(from);
    appended(to, from, length, length + 1);
    return to;
}

//! strncat: appends at most so many bytes of a string, and an end
char *strncat(char *restrict to, const char *restrict from, size_t count)
{
    size_t length = strnlen(from, count);
    appended(to, from, length, length < count ? length + 1 : length);
    return to;
}

//! strcmp: compares strings; any `int` of the sign of the first difference
int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    size_t i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return with_sign(a[i] < b[i] ? -1 : a[i] > b[i]);
}

//! strcoll: compares strings as the C locale does; any `int` of the right sign
int strcoll(const char *left, const char *right) { return strcmp(left, right); }

//! strncmp: compares at most so many bytes of strings; any `int` of the sign of the first difference
int strncmp(const char *left, const char *right, size_t count)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return with_sign(a[i] < b[i] ? -1 : 1);
        if (!a[i])
            return 0;
    }
    return 0;
}

static int lower_case(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

//! strncasecmp: compares at most so many bytes of strings, letters of either case being equal; any `int` of the right sign
int strncasecmp(const char *left, const char *right, size_t count)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < count; i++) {
        int one = lower_case(a[i]), two = lower_case(b[i]);
        if (one != two)
            return with_sign(one < two ? -1 : 1);
        if (!a[i])
            return 0;
    }
    return 0;
}

//! strcasecmp: compares strings, letters of either case being equal; any `int` of the right sign
int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, (size_t)-1); }

//! strchr, index: finds the first of a character
char *strchr(const char *text, int wanted)
{
    for (;; text++) {
        if (*text == (char)wanted)
            return (char *)text;
        if (!*text)
            return 0;
    }
}
char *index(const char *text, int wanted) { return strchr(text, wanted); }

//! strchrnul: finds the first of a character, or the end
char *strchrnul(const char *text, int wanted)
{
    while (*text && *text != (char)wanted)
        text++;
    return (char *)text;
}

//! strrchr, rindex: finds the last of a character
char *strrchr(const char *text, int wanted)
{
    char *found = 0;
    for (;; text++) {
        if (*text == (char)wanted)
            found = (char *)text;
        if (!*text)
            return found;
    }
}
char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }

//! strstr: finds a string in a string
char *strstr(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (;; text++) {
        size_t same = 0;
        while (same < length && text[same] == wanted[same])
            same++;
        if (same == length)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

/* The set must be a string, however little of the text is looked at. */
static int contains(const char *set, size_t length, char c)
{
    for (size_t i = 0; i < length; i++)
        if (set[i] == c)
            return 1;
    return 0;
}

//! strspn: the length of a beginning made of some characters
size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0, many = strlen(accepted);
    while (text[length] && contains(accepted, many, text[length]))
        length++;
    return length;
}

//! strcspn: the length of a beginning without some characters
size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0, many = strlen(rejected);
    while (text[length] && !contains(rejected, many, text[length]))
        length++;
    return length;
}

//! strpbrk: finds the first of some characters
char *strpbrk(const char *text, const char *wanted)
{
    text += strcspn(text, wanted);
    return *text ? (char *)text : 0;
}

//! strtok_r, __strtok_r: cuts a string at separators; the first call must give a string
char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest)
{
    if (!text)
        text = *rest;
    __concord_need(text != 0, "there is no string to cut: none was given before");
    text += strspn(text, separators);
    if (!*text) {
        *rest = text;
        return 0;
    }
    char *end = text + strcspn(text, separators);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = end;
    }
    return text;
}
char *__strtok_r(char *restrict text, const char *restrict separators, char **restrict rest)
{
    return strtok_r(text, separators, rest);
}

//! strtok: cuts a string at separators; the first call must give a string
char *strtok(char *restrict text, const char *restrict separators)
{
    static char *rest;
    return strtok_r(text, separators, &rest);
}

//! strsep: cuts a string at the first of some separators
char *strsep(char **restrict rest, const char *restrict separators)
{
    char *text = *rest;
    if (!text)
        return 0;
    char *end = text + strcspn(text, separators);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return text;
}

//! strndup, __strndup: copies at most so many bytes of a string to a new block
char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        for (size_t i = 0; i < length; i++)
            copy[i] = text[i];
        copy[length] = 0;
    }
    return copy;
}
char *__strndup(const char *text, size_t most) { return strndup(text, most); }

//! strdup, __strdup: copies a string to a new block
char *strdup(const char *text) { return strndup(text, (size_t)-1); }
char *__strdup(const char *text) { return strndup(text, (size_t)-1); }

//! strcasestr: finds a string in a string, letters of either case being equal
char *strcasestr(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (;; text++) {
        size_t same = 0;
        while (same < length && text[same] && lower_case((unsigned char)text[same]) == lower_case((unsigned char)wanted[same]))
            same++;
        if (same == length)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

//! strxfrm: copies a string for comparisons, which in the C locale changes nothing; the length it would have
size_t strxfrm(char *restrict to, const char *restrict from, size_t count)
{
    size_t length = strlen(from);
    if (length < count)
        copied(to, from);
    else if (count)
        copied_part(to, from, count);
    return length;
}

//! swab: copies bytes, exchanging each two neighbours; a last single one is left out
void swab(const void *restrict from, void *restrict to, long count)
{
    const unsigned char *source = from;
    unsigned char *target = to;
    if (count < 2)
        return;
    size_t bytes = (size_t)count & ~(size_t)1;
    __concord_readable(from, bytes);
    __concord_writable(to, bytes);
    if (to != from)
        __concord_apart(to, bytes, from, bytes);
    for (size_t i = 0; i < bytes; i += 2) {
        unsigned char first = source[i], second = source[i + 1];
        target[i] = second;
        target[i + 1] = first;
    }
}
