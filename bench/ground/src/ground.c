/* Runs programs that are linked together, each run in a process of its own.
   Standard input has a line per run: the number of the program, the number of the surroundings (what fopen, rand and
   the like answer), and the input values. The log has, between BEGIN and END, what the run looked at and what stopped it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>

static int log_file = 1;
static long long inputs[64];
static int input_count, input_next, live_blocks;
static unsigned surroundings;

static void note(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof text - 1) length = sizeof text - 1;
    if (write(log_file, text, length) < 0) _exit(99);
}

void ground_look(int number, long long value) { note("LOOK %d %lld\n", number, value); }

void ground_admit(const char *kind, const char *file, int line) {
    note("ADMIT %s %s %d\n", kind, file, line);
    _exit(88);
}

static long long next_input(void) { return input_next < input_count ? inputs[input_next++] : 0; }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next_input(); }
_Bool __VERIFIER_nondet_bool(void) { return next_input() != 0; }
int __VERIFIER_nondet_int(void) { return (int)next_input(); }
void ground_assume(int condition) {
    if (!condition) {
        note("LEFT\n");
        _exit(0);
    }
}
void reach_error(void) { ground_admit("reach_error", "?", 0); }

void ground_abort(void) {
    note("ABORT\n");
    _exit(0);
}

void *ground_malloc(size_t size) {
    void *block = malloc(size);
    if (block) live_blocks++;
    /* ASan lets the first byte of a block of none be used. */
    if (size == 0) __asan_poison_memory_region(block, 1);
    return block;
}
void *ground_calloc(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block) live_blocks++;
    return block;
}
void *ground_realloc(void *old, size_t size) {
    void *block = realloc(old, size);
    if (block && !old) live_blocks++;
    if (!block && old && size == 0) live_blocks--;
    return block;
}
void ground_free(void *block) {
    if (block) live_blocks--;
    free(block);
}
char *ground_strdup(const char *text) {
    char *copy = strdup(text);
    if (copy) live_blocks++;
    return copy;
}
char *ground_strndup(const char *text, size_t most) {
    char *copy = strndup(text, most);
    if (copy) live_blocks++;
    return copy;
}

static unsigned draw(void) {
    surroundings = surroundings * 1103515245u + 12345u;
    return surroundings >> 16 & 0x7fff;
}
int ground_rand(void) { return (int)draw(); }
char *ground_getenv(const char *name) {
    static char value[8] = "on";
    (void)name;
    return draw() % 2 ? value : 0;
}
static FILE *opened(void) {
    FILE *file = tmpfile();
    if (!file || draw() % 3 == 0) return 0;
    unsigned length = draw() % 24;
    for (unsigned i = 0; i < length; i++) fputc("ab 7\n\0z"[draw() % 7], file);
    rewind(file);
    return file;
}
FILE *ground_fopen(const char *name, const char *mode) { (void)name, (void)mode; return opened(); }
FILE *ground_tmpfile(void) { return opened(); }

/* Concord counts blocks that live then as it does for exit. */
void ground_Exit(int status) {
    note("LIVE %d\n", live_blocks);
    _exit(status);
}

static void at_end(void) { note("LIVE %d\n", live_blocks); }

struct entry { int number; int (*run)(void); };
extern const struct entry ground_programs[];
extern const int ground_count;

static void run(char *line) {
    char *rest = line;
    long number = strtol(rest, &rest, 10);
    surroundings = (unsigned)strtol(rest, &rest, 10);
    input_count = 0;
    for (;;) {
        char *end;
        long long value = strtoll(rest, &end, 10);
        if (end == rest) break;
        inputs[input_count++] = value;
        rest = end;
    }
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = { 3, 3 };
        setrlimit(RLIMIT_CPU, &limit);
        alarm(10);
        FILE *in = tmpfile();
        if (surroundings && in) {
            unsigned length = draw() % 24;
            for (unsigned i = 0; i < length; i++) fputc("ab 7\n\0z"[draw() % 7], in);
            fflush(in);
            rewind(in);
            dup2(fileno(in), 0);
        } else {
            dup2(open("/dev/null", O_RDONLY), 0);
        }
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(log_file, 2);
        atexit(at_end);
        for (int i = 0; i < ground_count; i++)
            if (ground_programs[i].number == number) exit(ground_programs[i].run());
        _exit(98);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) note("\nEND signal %d\n", WTERMSIG(status));
    else note("\nEND exit %d\n", WEXITSTATUS(status));
}

int main(void) {
    static char line[4096];
    log_file = dup(1);
    fcntl(log_file, F_SETFD, 0);
    while (fgets(line, sizeof line, stdin)) {
        note("BEGIN %s", line);
        run(line);
    }
    return 0;
}
