// VIOLATED
#include <limits.h>
#define N 5
int main(void){int x=5;
//@ assert x < N && x <= INT_MAX;
return 0;}
