/* The dining philosophers of AG section 6 for SPIN: N philosophers, N forks, one lock. Processes talk by rendezvous; a
 * philosopher takes the lock and the left fork, then either goes for the right one (case 1) or gives up.
 * Never may all N go for their right fork at once.
 *   spin -a -DN=12 dining.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan */
#ifndef N
#define N 12
#endif

mtype = { take, leave };
chan table_lock = [0] of { mtype };
chan fork[N] = [0] of { mtype };
byte going = 0;

proctype Token(chan requests)
{
end:
    do
    :: requests ? take; requests ? leave
    od
}

proctype Philosopher(byte me)
{
    byte other = (me + 1) % N;
think:
    table_lock ! take;
    fork[me] ! take;
    if
    :: atomic { going++; assert(going < N) };
       atomic { fork[other] ! take; going-- };
       table_lock ! leave;
       fork[other] ! leave;
       fork[me] ! leave
    :: table_lock ! leave;
       fork[me] ! leave
    fi;
    goto think
}

init {
    byte k = 0;
    atomic {
        run Token(table_lock);
        do
        :: k < N -> run Token(fork[k]); run Philosopher(k); k++
        :: else -> break
        od
    }
}
