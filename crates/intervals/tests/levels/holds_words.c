/* Walks a string: counts words, copies one. */
#include <assert.h>
static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
static int count_words(const char *text) {
    int count = 0, inside = 0;
    for (const char *p = text; *p; p++) {
        if (is_space(*p)) inside = 0;
        else if (!inside) { inside = 1; count++; }
    }
    return count;
}
static void first_word(const char *text, char *out, int room) {
    int used = 0;
    while (*text && is_space(*text)) text++;
    while (*text && !is_space(*text) && used + 1 < room) out[used++] = *text++;
    out[used] = 0;
}
int main(void) {
    char word[8];
    const char *text = "  some words in a\trow ";
    int count = count_words(text);
    assert(count == 5);
    first_word(text, word, sizeof word);
    assert(word[0] == 's' && word[4] == 0);
    return count;
}
