extern unsigned long __sanitizer_get_current_allocated_bytes(void);
extern int set_buffer(void *, char *, int, unsigned long) __asm__("setvbuf");
extern void *standard_output __asm__("stdout");
static unsigned long allocated;
__attribute__((constructor, no_instrument_function)) static void count(void)
{
    set_buffer(standard_output, 0, 2, 0); /* its buffer would count */
    allocated = __sanitizer_get_current_allocated_bytes();
}
__attribute__((destructor, no_instrument_function)) static void count_again(void)
{
    if (__sanitizer_get_current_allocated_bytes() > allocated)
        abort();
}
