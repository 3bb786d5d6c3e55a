/* string.h and strings.h, for the C locale. */
void *malloc(size_t);

//! memcpy: copies bytes between ranges that do not overlap
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < count; i++)
        target[i] = source[i];
    return to;
}

//! mempcpy: as `memcpy`, giving the end of what was written
void *mempcpy(void *restrict to, const void *restrict from, size_t count)
{
    return (char *)memcpy(to, from, count) + count;
}

//! memmove: copies bytes; the ranges may overlap
void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
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
    for (size_t i = 0; i < count; i++)
        target[i] = (unsigned char)value;
    return to;
}

//! memcmp: compares bytes: any `int` of the sign of the first difference
int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

//! bcmp: compares bytes: zero if they are equal
int bcmp(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

//! bzero: fills bytes with zeros
void bzero(void *to, size_t count) { memset(to, 0, count); }

//! bcopy: copies bytes; the ranges may overlap
void bcopy(const void *from, void *to, size_t count) { memmove(to, from, count); }

//! memchr: finds a byte
void *memchr(const void *in, int value, size_t count)
{
    const unsigned char *bytes = in;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == (unsigned char)value)
            return (void *)(bytes + i);
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

//! stpcpy: copies a string, giving the end of the copy
char *stpcpy(char *restrict to, const char *restrict from)
{
    size_t i = 0;
    while (from[i]) {
        to[i] = from[i];
        i++;
    }
    to[i] = 0;
    return to + i;
}

//! strcpy: copies a string
char *strcpy(char *restrict to, const char *restrict from)
{
    stpcpy(to, from);
    return to;
}

//! strncpy: copies at most so many bytes of a string and fills the rest with zeros
char *strncpy(char *restrict to, const char *restrict from, size_t count)
{
    size_t i = 0;
    for (; i < count && from[i]; i++)
        to[i] = from[i];
    for (; i < count; i++)
        to[i] = 0;
    return to;
}

//! strcat: appends a string
char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

//! strncat: appends at most so many bytes of a string
char *strncat(char *restrict to, const char *restrict from, size_t count)
{
    char *end = to + strlen(to);
    size_t i = 0;
    for (; i < count && from[i]; i++)
        end[i] = from[i];
    end[i] = 0;
    return to;
}

//! strcmp: compares strings: any `int` of the sign of the first difference
int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a < *b ? -1 : *a > *b;
}

//! strcoll: compares strings as the C locale does
int strcoll(const char *left, const char *right) { return strcmp(left, right); }

//! strncmp: compares at most so many bytes of strings
int strncmp(const char *left, const char *right, size_t count)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
        if (!a[i])
            return 0;
    }
    return 0;
}

static int lower_case(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

//! strncasecmp: compares at most so many bytes of strings, letters of either case being equal
int strncasecmp(const char *left, const char *right, size_t count)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < count; i++) {
        int difference = lower_case(a[i]) - lower_case(b[i]);
        if (difference || !a[i])
            return difference;
    }
    return 0;
}

//! strcasecmp: compares strings, letters of either case being equal
int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, (size_t)-1); }

//! strchr: finds the first of a character
char *strchr(const char *text, int wanted)
{
    for (;; text++) {
        if (*text == (char)wanted)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

//! index: finds the first of a character
char *index(const char *text, int wanted) { return strchr(text, wanted); }

//! strrchr: finds the last of a character
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

//! rindex: finds the last of a character
char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }

//! strstr: finds a string in a string
char *strstr(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (;; text++) {
        if (strncmp(text, wanted, length) == 0)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

static int contains(const char *set, char c)
{
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

//! strspn: the length of a beginning made of some characters
size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] && contains(accepted, text[length]))
        length++;
    return length;
}

//! strcspn: the length of a beginning without some characters
size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0;
    while (text[length] && !contains(rejected, text[length]))
        length++;
    return length;
}

//! strpbrk: finds the first of some characters
char *strpbrk(const char *text, const char *wanted)
{
    text += strcspn(text, wanted);
    return *text ? (char *)text : 0;
}

//! strtok: cuts a string at separators
char *strtok(char *restrict text, const char *restrict separators)
{
    static char *rest;
    if (!text)
        text = rest;
    if (!text)
        return 0;
    text += strspn(text, separators);
    if (!*text) {
        rest = 0;
        return 0;
    }
    char *end = text + strcspn(text, separators);
    if (*end) {
        *end = 0;
        rest = end + 1;
    } else {
        rest = 0;
    }
    return text;
}

//! strndup: copies at most so many bytes of a string to a new block
char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

//! strdup: copies a string to a new block
char *strdup(const char *text) { return strndup(text, (size_t)-1); }
