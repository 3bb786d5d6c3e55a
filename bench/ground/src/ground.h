#define _GNU_SOURCE
/* Included before the programs that are compiled together. */
void ground_look(int number, long long value);
void ground_admit(const char *kind, const char *file, int line);
#define malloc ground_malloc
#define calloc ground_calloc
#define realloc ground_realloc
#define free ground_free
#define strdup ground_strdup
#define strndup ground_strndup
#define abort ground_abort
#define _Exit ground_Exit
#define fopen ground_fopen
#define tmpfile ground_tmpfile
#define getenv ground_getenv
#define rand ground_rand
#define __VERIFIER_assume ground_assume
