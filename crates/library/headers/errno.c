/* errno.h. */
//! __errno_location: where `errno` is
int *__errno_location(void)
{
    static __thread int errno;
    return &errno;
}
