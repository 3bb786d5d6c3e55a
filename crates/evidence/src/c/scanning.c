static unsigned long long next_@NAME(void)
{
    static const unsigned long long values[] = { @VALUES };
    static unsigned at;
    return at < @COUNT ? values[at++] : 0;
}
int @NAME(@STREAMconst char *format, ...)
{
    __builtin_va_list list;
    int assigned = 0, converted = 0, pending = 0;
    __builtin_va_start(list, format);
    for (;; format++) {
        unsigned width = 0, bytes = 4, k = 0;
        int dropped = 0, how;
        if (*format && (*format != '%' || format[1] == '%')) {
            pending = 1;
            format += *format == '%';
            continue;
        }
        if (*format)
            format++;
        if (*format == '*')
            dropped = 1, format++;
        for (; *format >= '0' && *format <= '9'; format++)
            width = 10 * width + (unsigned)(*format - '0');
        for (; *format && __builtin_strchr("hljztqL", *format); format++)
            bytes = *format == 'h' ? bytes / 2 : 8;
        if (*format ? *format != 'n' || pending : pending) {
            how = (int)next_@NAME();
            pending = 0;
            if (how == 1 || how == 2)
                return how == 1 || converted ? assigned : -1;
        }
        if (!*format)
            return assigned;
        if (*format != 'n')
            converted++;
        unsigned char *to = dropped ? 0 : __builtin_va_arg(list, unsigned char *);
        char conversion = *format;
        if (conversion == '[') {
            format += format[1] == '^';
            format += format[1] == ']';
            while (*++format != ']')
                ;
        }
        if (dropped)
            continue;
        if (conversion == 'c') {
            do
                to[k++] = (unsigned char)next_@NAME();
            while (k < width);
        } else if (conversion == 's' || conversion == '[') {
            if (!width)
                for (;; k++)
                    to[k] = 'a'; /* as much as there is, past the end of any array */
            do
                to[k++] = (unsigned char)next_@NAME();
            while (k < width && next_@NAME());
            to[k] = 0;
        } else {
            unsigned long long value = next_@NAME();
            for (; k < bytes; k++)
                to[k] = (unsigned char)(value >> 8 * k);
        }
        assigned += conversion != 'n';
    }
}
