/* search.h. */
void *memcpy(void *restrict, const void *restrict, size_t);

//! lfind: the first of an array's elements that equals a key
void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *))
{
    const unsigned char *items = base;
    size_t many = *count;
    for (size_t i = 0; i < many; i++)
        if (compare(key, items + i * size) == 0)
            return (void *)(items + i * size);
    return 0;
}
//! lsearch: as `lfind`; a key that is not there is put behind the elements
void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *))
{
    void *found = lfind(key, base, count, size, compare);
    if (!found) {
        found = (unsigned char *)base + *count * size;
        memcpy(found, key, size);
        *count += 1;
    }
    return found;
}
