/* Two lights at a crossing. A car on the side road asks for green; the main road gives way after a while.
 * Never may both be green. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum light { RED, YELLOW, GREEN };

static enum light main_road = GREEN;
static enum light side_road = RED;
static int seconds_left = 0;

static void give_way(enum light *from, enum light *to) {
    if (*from == GREEN) {
        *from = YELLOW;
        seconds_left = 3;
    } else if (*from == YELLOW && --seconds_left == 0) {
        *from = RED;
    } else if (*from == RED) {
        *to = GREEN;
        seconds_left = 5;
    }
}

int main(void) {
    int side_waits = 0;
    for (;;) {
        int car_arrives = __VERIFIER_nondet_int();
        int ambulance = __VERIFIER_nondet_int();
        if (car_arrives)
            side_waits = 1;
        if (ambulance && main_road == RED)
            main_road = GREEN; /* the mistake: the side road may still be green */
        else if (side_waits && side_road != GREEN)
            give_way(&main_road, &side_road);
        else if (side_road != RED)
            give_way(&side_road, &main_road);
        if (side_road == GREEN)
            side_waits = 0;
        assert(!(main_road == GREEN && side_road == GREEN));
    }
}
