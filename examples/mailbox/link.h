/* What sender and receiver have in common. */
#ifndef LINK_H
#define LINK_H

#include <stdint.h>

#define MAX_RETRIES 3
#define BODY 8

enum kind { DATA = 1, ACK, NAK };

struct message {
    enum kind kind;
    uint8_t seq; /* 0 or 1: alternating bit */
    char body[BODY];
};

struct link;

struct handler {
    enum kind kind;
    int (*handle)(struct link *, const struct message *);
};

/* Transport: what they do is said in link.spec. Negative results: nothing came in time. */
void net_send(const struct message *m);
int net_receive(struct message *m, int timeout_ms);

/* Set by the receiver when it has taken a message, looked at by the sender. */
extern int delivered;

#endif
