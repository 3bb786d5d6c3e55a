/* A connection's state machine, driven by events from outside. It promises never to send data before the
   handshake is complete, and never to answer after it was closed. */
#include <assert.h>
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);

enum state { CLOSED, LISTENING, GREETED, OPEN };
enum event { EV_LISTEN, EV_HELLO, EV_CONFIRM, EV_DATA, EV_RESET, EV_COUNT };

static const char *const state_names[] = { "closed", "listening", "greeted", "open" };

struct connection {
    enum state state;
    unsigned confirmed : 1;
    unsigned sent;
};

static void step(struct connection *c, enum event event)
{
    switch (c->state) {
    case CLOSED:
        if (event == EV_LISTEN)
            c->state = LISTENING;
        break;
    case LISTENING:
        if (event == EV_HELLO)
            c->state = GREETED;
        else if (event == EV_RESET)
            c->state = CLOSED;
        break;
    case GREETED:
        switch (event) {
        case EV_CONFIRM:
            c->confirmed = 1;
            c->state = OPEN;
            break;
        case EV_RESET:
            c->state = LISTENING;
            break;
        default:
            break;
        }
        break;
    case OPEN:
        if (event == EV_DATA) {
            assert(c->confirmed);
            c->sent++;
        } else if (event == EV_RESET) {
            c->confirmed = 0;
            c->state = CLOSED;
        }
        break;
    }
}

int main(void)
{
    struct connection c = { CLOSED, 0, 0 };

    for (int round = 0; round < 10; round++) {
        int event = __VERIFIER_nondet_int();
        if (event < 0 || event >= EV_COUNT)
            break;
        step(&c, (enum event)event);
        printf("%s\n", state_names[c.state]);
    }
    assert(c.confirmed == (c.state == OPEN));
    printf("%u sent\n", c.sent);
    return 0;
}
