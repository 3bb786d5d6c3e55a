/* Sends one message, again if no answer comes, three times at most. */
#include "link.h"
#include <string.h>

enum state { WAITING, DONE, FAILED };

struct link {
    enum state state;
    int retries;
    uint8_t seq;
};

static int on_ack(struct link *l, const struct message *m)
{
    if (m->seq != l->seq)
        return -1; /* an old one */
    l->state = DONE;
    return 0;
}

static int on_nak(struct link *l, const struct message *m)
{
    (void)m;
    l->retries++;
    return 0;
}

static const struct handler handlers[] = {
    { ACK, on_ack },
    { NAK, on_nak },
};

static int dispatch(struct link *l, const struct message *m)
{
    for (unsigned i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
        if (handlers[i].kind == m->kind)
            return handlers[i].handle(l, m);
    return -1;
}

static void fill(struct message *m, uint8_t seq, const char *text)
{
    memset(m, 0, sizeof *m);
    m->kind = DATA;
    m->seq = seq;
    strncpy(m->body, text, BODY - 1);
}

int sender(void)
{
    struct link l;
    struct message out, in;

    memset(&l, 0, sizeof l);
    while (l.state == WAITING) {
        fill(&out, l.seq, "hello");
        net_send(&out);
        if (net_receive(&in, 100) < 0)
            l.retries++;
        else
            dispatch(&l, &in);
        if (l.retries >= MAX_RETRIES && l.state == WAITING)
            l.state = FAILED;
    }
    if (l.state == DONE && !delivered)
        return -1; /* acknowledged, but not delivered */
    return 0;
}
