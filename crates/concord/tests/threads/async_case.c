// assert UNDECIDED
int g; int main(void){ switch(g){ __CPROVER_ASYNC_1: case 0: g=1; } __CPROVER_assert(g==0,""); return 0; }
