//! The C library: strings, characters, variable arguments, formatted output.

use super::super::Generator;

const WORDS: [&str; 7] = ["alpha", "be", "", "gamma delta", "x=42;", "%d\\t%s", "\\\"q\\\\"];

impl Generator {
    pub(super) fn strings(&mut self) {
        let (first, second) = (*self.random.pick(&WORDS), *self.random.pick(&WORDS));
        let (operand, letter) = (self.operand(), *self.random.pick(&["'a'", "'e'", "' '", "'='", "0"]));
        let count = self.random.below(7).to_string();
        let body = match self.random.below(4) {
            0 => {
                "{
    char text[32] = \"<0>\";
    strcat(text, \"<1>\");
    strncat(text, \"tail\", <4>);
    printf(\"%s %d\\n\", text, (int)strlen(text));
    char *found = strchr(text, <3>);
    mix(found ? found - text : -1);
    found = strrchr(text, 'a');
    mix(found ? strlen(found) : 99);
    found = strstr(text, \"a\");
    mix(found == text);
    text[<2> & 15] = '#';
    mix(strlen(text));
}"
            }
            1 => {
                "{
    const char *one = \"<0>\", *two = \"<1>\";
    int order = strcmp(one, two), part = strncmp(one, two, <4>);
    mix((order > 0) - (order < 0));
    mix((part > 0) * 2 + (part < 0));
    char copy[16];
    strncpy(copy, one, sizeof copy - 1);
    copy[15] = 0;
    mix(strcmp(copy, one) == 0);
    mix(copy[<2> & 3 ? 0 : 1]);
}"
            }
            2 => {
                "{
    unsigned char block[24];
    memset(block, (int)(<2> & 255), sizeof block);
    memcpy(block + 3, \"<0>\", <4>);
    memmove(block + 1, block, 20);
    memmove(block, block + 2, 9);
    for (int i = 0; i < 24; i++)
        mix(block[i]);
    mix(memcmp(block, block + 1, 5) == 0);
    unsigned char *at = memchr(block, <3>, sizeof block);
    mix(at ? at - block : 77);
}"
            }
            _ => {
                "{
    char *copy = malloc(strlen(\"<0>\") + 1), buffer[] = \"<1>\";
    strcpy(copy, \"<0>\");
    for (char *c = copy; *c; c++)
        *c = *c == <3> ? '_' : *c;
    puts(copy);
    mix(sizeof buffer + (unsigned char)copy[0]);
    buffer[sizeof buffer - 1] = (char)(<2> & 1 ? 0 : 0);
    printf(\"[%.3s|%8s|%-8s]\\n\", buffer, copy, copy);
    free(copy);
}"
            }
        };
        // What `memcpy` takes must be inside the literal.
        let first = if body.contains("block") { "0123456789" } else { first };
        self.lines(&Self::filled(body, &[first, second, &operand, letter, &count]));
    }

    pub(super) fn characters(&mut self) {
        let word = *self.random.pick(&["Hello 42", "a-7_Z", "  12x", "\\tQ9"]);
        let number = *self.random.pick(&["42", "-17", "  99z", "0", "+5", "x"]);
        let operand = self.operand();
        self.lines(&Self::filled(
            "{
    int digits = 0, letters = 0, blanks = 0;
    for (const char *c = \"<0>\"; *c; c++)
    {
        digits += isdigit((unsigned char)*c) != 0;
        letters += isalpha(*c) ? 1 : 0;
        blanks += !!isspace(*c);
        putchar(toupper(*c));
        mix(tolower(*c));
    }
    putchar('\\n');
    mix(digits * 100 + letters * 10 + blanks);
    mix(atoi(\"<1>\") + abs((int)(<2> & 255) - 128));
}",
            &[word, number, &operand],
        ));
    }

    pub(super) fn variable_arguments(&mut self) {
        let name = self.fresh("gather");
        let (a, b, c) = (self.operand(), self.operand(), self.operand());
        let double =
            if self.uses_reals { "total += (long long)(va_arg(list, double) * 4);" } else { "break;" };
        if !self.helpers.contains("va_list") {
            self.helper(
                "typedef __builtin_va_list va_list;
int vsnprintf(char *, size, const char *, va_list);
struct tiny { char c; short s; };
struct large { long a[4]; };
",
            );
        }
        let expand = |text: &str| {
            text.replace("va_start(", "__builtin_va_start(")
                .replace("va_arg(", "__builtin_va_arg(")
                .replace("va_end(", "__builtin_va_end(")
                .replace("va_copy(", "__builtin_va_copy(")
        };
        self.helper(&expand(&Self::filled(
            "static long long <0>_one(const char *kinds, va_list list)
{
    unsigned long long total = 0;
    for (; *kinds; kinds++)
    {
        total *= 3;
        switch (*kinds)
        {
        case 'i':
            total += va_arg(list, int);
            break;
        case 'u':
            total += va_arg(list, unsigned);
            break;
        case 'l':
            total += va_arg(list, long);
            break;
        case 'L':
            total += va_arg(list, unsigned long long);
            break;
        case 'd':
            <1>
            break;
        case 's':
            total += *va_arg(list, const char *);
            break;
        case 't':
            total += va_arg(list, struct tiny).s;
            break;
        case 'g':
            total += va_arg(list, struct large).a[2];
            break;
        }
    }
    return total;
}
static long long <0>(const char *kinds, ...)
{
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    long long first = <0>_one(kinds, list);
    va_end(list);
    mix(<0>_one(kinds, again));
    va_end(again);
    return first;
}
static int <0>_text(char *to, size room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, room, format, list);
    va_end(list);
    return length;
}
",
            &[&name, double],
        )));
        let real = if self.uses_reals { "2.75f" } else { "0" };
        let real_kind = if self.uses_reals { "d" } else { "i" };
        let call = match self.random.below(4) {
            0 => "mix(<0>(\"iuL\", (int)<1>, (unsigned)<2>, (unsigned long long)<3>));",
            1 => "mix(<0>(\"is<5>lu<5>\", (char)<1>, \"word\", <4>, (long)<2>, (unsigned)<3>, <4>));",
            2 => {
                "{
    struct large big = { { 1, 2, (long)<1>, 4 } };
    mix(<0>(\"tgi<5>iiiiiiig\", (struct tiny){ 'a', (short)<2> }, big, 5, <4>, 1, 2, 3, 4, 5, 6, (int)<3>, big));
}"
            }
            _ => {
                "{
    char line[40];
    mix(<0>_text(line, sizeof line, \"%d:%s:%lu\", (int)<1>, \"mid\", (unsigned long)<2>));
    puts(line);
    mix(<0>_text(line, 5, \"%x%c\", (unsigned)<3>, 'q'));
    puts(line);
}"
            }
        };
        self.lines(&Self::filled(call, &[&name, &a, &b, &c, real, real_kind]));
    }

    pub(super) fn formatted(&mut self) {
        let (a, b) = (self.operand(), self.operand());
        let body = match self.random.below(4) {
            0 => {
                "printf(\"%5d|%-5d|%05d|%+d|% d|%.3d|%x|%#X|%o\\n\", (int)<0>, (int)<0>, (int)<0>, (int)<0>, (int)<0>, (int)<0>, (unsigned)<1>, (unsigned)<1>, (unsigned)<1>);"
            }
            1 => {
                "printf(\"%hhd %hd %hhu %hu %ld %llu %zu %c%%\\n\", (signed char)<0>, (short)<0>, (unsigned char)<1>, (unsigned short)<1>, (long)<0>, (unsigned long long)<1>, sizeof(int), (int)(<0> & 31) + 64);"
            }
            2 => {
                "{
    char line[64];
    int length = sprintf(line, \"%*d,%-*d;%.*s\", 6, (int)<0>, 4, (int)(<1> & 99), 3, \"abcdef\");
    printf(\"%s %d\\n\", line, length);
    mix(snprintf(line, 4, \"%s\", \"truncated\"));
    puts(line);
}"
            }
            _ if self.uses_reals => {
                "printf(\"%f %.0f %8.2e %-10g| %G %a %.10Lf\\n\", (double)(int)<0> / 7, (double)((int)<1> % 1000) + 0.5, (double)<0>, (double)<1> / 3, 1e-7 * (int)(<0> & 7), (double)(int)<1>, (long double)(int)<0> / 9);"
            }
            _ => "printf(\"%s\\n\", <0> ? \"yes\" : \"no\");",
        };
        self.lines(&Self::filled(body, &[&a, &b]));
    }
}
