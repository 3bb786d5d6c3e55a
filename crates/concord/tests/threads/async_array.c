// assert UNDECIDED
int g; int main(void){ int a[2]; a[0]=1; __CPROVER_ASYNC_1: g=a[0]; return 0; }
