/* Takes messages, acknowledges each, and delivers those that are new. */
#include "link.h"

int delivered = 0;

void receiver(void)
{
    struct message in, out;
    uint8_t expected = 0;

    for (;;) {
        if (net_receive(&in, 0) < 0)
            continue;
        if (in.kind != DATA)
            continue;
        out = in;
        out.kind = ACK;
        net_send(&out); /* wrong: acknowledged before it is delivered */
        if (in.seq == expected) {
            delivered = 1;
            expected ^= 1;
        }
    }
}
