// assert VIOLATED
int g; void f(void){ g++; __CPROVER_assert(g<3,"x");} int main(void){ while(1){ __CPROVER_ASYNC_1: f(); } }
