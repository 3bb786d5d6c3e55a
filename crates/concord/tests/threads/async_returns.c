// assert UNDECIDED
int main(void){ __CPROVER_ASYNC_1: return 1; }
