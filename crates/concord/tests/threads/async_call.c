// assert VIOLATED
int g; void f(void){g=1;} int main(void){ __CPROVER_ASYNC_1: f(); __CPROVER_assert(g==0,"x"); return 0;}
