/* A ring buffer of bytes between a producer and a consumer. One comparison in it is wrong. */
#include <stdio.h>
#include <string.h>

#define CAPACITY 8

struct ring {
    unsigned char bytes[CAPACITY];
    unsigned next_in, next_out;
    unsigned count;
};

static int ring_put(struct ring *ring, unsigned char byte)
{
    if (ring->count > CAPACITY)
        return 0;
    ring->bytes[ring->next_in] = byte;
    ring->next_in++;
    if (ring->next_in > CAPACITY) /* should be >= */
        ring->next_in = 0;
    ring->count++;
    return 1;
}

static int ring_get(struct ring *ring, unsigned char *byte)
{
    if (ring->count == 0)
        return 0;
    *byte = ring->bytes[ring->next_out];
    ring->next_out = (ring->next_out + 1) % CAPACITY;
    ring->count--;
    return 1;
}

int main(void)
{
    struct ring ring;
    const char *message = "mind the gap";
    unsigned char byte;

    memset(&ring, 0, sizeof ring);
    for (size_t i = 0; i < strlen(message); i++) {
        if (!ring_put(&ring, (unsigned char)message[i]))
            puts("full");
        /* The consumer takes two of every three. */
        if (i % 3 != 2 && ring_get(&ring, &byte))
            putchar(byte);
    }
    while (ring_get(&ring, &byte))
        putchar(byte);
    putchar('\n');
    return 0;
}
