/* Models of the checked variants that _FORTIFY_SOURCE calls: what would be written past the given size must be there all
   the same (the size is that of the object, or one that the program made up); then the run ends with abort. */
void abort(void);
void *memcpy(void *restrict, const void *restrict, size_t);
void *mempcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
char *strcpy(char *restrict, const char *restrict);
char *stpcpy(char *restrict, const char *restrict);
char *strcat(char *restrict, const char *restrict);
char *strncpy(char *restrict, const char *restrict, size_t);
char *stpncpy(char *restrict, const char *restrict, size_t);
char *strncat(char *restrict, const char *restrict, size_t);

/* `count` bytes would be written at `to`. */
static void check(int fits, void *to, size_t count)
{
    if (!fits) {
        __concord_writable(to, count);
        abort();
    }
}
//! __memcpy_chk: as `memcpy`, and ends the run rather than write past the given size; the object must have room all the same
void *__memcpy_chk(void *restrict to, const void *restrict from, size_t count, size_t size)
{
    check(count <= size, to, count);
    return memcpy(to, from, count);
}
//! __mempcpy_chk: as `mempcpy`, and ends the run rather than write past the given size; the object must have room all the same
void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t count, size_t size)
{
    check(count <= size, to, count);
    return mempcpy(to, from, count);
}
//! __memmove_chk: as `memmove`, and ends the run rather than write past the given size; the object must have room all the same
void *__memmove_chk(void *to, const void *from, size_t count, size_t size)
{
    check(count <= size, to, count);
    return memmove(to, from, count);
}
//! __memset_chk: as `memset`, and ends the run rather than write past the given size; the object must have room all the same
void *__memset_chk(void *to, int value, size_t count, size_t size)
{
    check(count <= size, to, count);
    return memset(to, value, count);
}
//! __strcpy_chk: as `strcpy`, and ends the run rather than write past the given size; the object must have room all the same
char *__strcpy_chk(char *restrict to, const char *restrict from, size_t size)
{
    check(strlen(from) < size, to, strlen(from) + 1);
    return strcpy(to, from);
}
//! __stpcpy_chk: as `stpcpy`, and ends the run rather than write past the given size; the object must have room all the same
char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t size)
{
    check(strlen(from) < size, to, strlen(from) + 1);
    return stpcpy(to, from);
}
//! __strcat_chk: as `strcat`, and ends the run rather than write past the given size; the object must have room all the same
char *__strcat_chk(char *restrict to, const char *restrict from, size_t size)
{
    size_t before = strlen(to);
    check(before < size && strlen(from) < size - before, to, before + strlen(from) + 1);
    return strcat(to, from);
}
//! __strncpy_chk: as `strncpy`, and ends the run rather than write past the given size; the object must have room all the same
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t size)
{
    check(count <= size, to, count);
    return strncpy(to, from, count);
}
//! __stpncpy_chk: as `stpncpy`, and ends the run rather than write past the given size; the object must have room all the same
char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t count, size_t size)
{
    check(count <= size, to, count);
    return stpncpy(to, from, count);
}
//! __strncat_chk: as `strncat`, and ends the run rather than write past the given size; the object must have room all the same
char *__strncat_chk(char *restrict to, const char *restrict from, size_t count, size_t size)
{
    size_t before = strlen(to);
    check(before < size && strnlen(from, count) < size - before, to, before + strnlen(from, count) + 1);
    return strncat(to, from, count);
}
