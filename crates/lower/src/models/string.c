/* Models of string.h and strings.h for the C locale. */
typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t);

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < count; i++)
        target[i] = source[i];
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t count)
{
    return (char *)memcpy(to, from, count) + count;
}

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

void *memset(void *to, int value, size_t count)
{
    unsigned char *target = to;
    for (size_t i = 0; i < count; i++)
        target[i] = (unsigned char)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int bcmp(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

void bzero(void *to, size_t count) { memset(to, 0, count); }

void bcopy(const void *from, void *to, size_t count) { memmove(to, from, count); }

void *memchr(const void *in, int value, size_t count)
{
    const unsigned char *bytes = in;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == (unsigned char)value)
            return (void *)(bytes + i);
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

size_t strnlen(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

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

char *strcpy(char *restrict to, const char *restrict from)
{
    stpcpy(to, from);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count)
{
    size_t i = 0;
    for (; i < count && from[i]; i++)
        to[i] = from[i];
    for (; i < count; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t count)
{
    char *end = to + strlen(to);
    size_t i = 0;
    for (; i < count && from[i]; i++)
        end[i] = from[i];
    end[i] = 0;
    return to;
}

int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a < *b ? -1 : *a > *b;
}

int strcoll(const char *left, const char *right) { return strcmp(left, right); }

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

int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, (size_t)-1); }

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

size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] && contains(accepted, text[length]))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0;
    while (text[length] && !contains(rejected, text[length]))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *wanted)
{
    text += strcspn(text, wanted);
    return *text ? (char *)text : 0;
}

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

char *strdup(const char *text) { return strndup(text, (size_t)-1); }
