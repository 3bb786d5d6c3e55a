// assert UNDECIDED
int g; int main(void){ __CPROVER_ASYNC_1: goto L; g=1; L: return 0; }
