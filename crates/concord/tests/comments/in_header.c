// VIOLATED
#define LIM 2
int main(void){int x=1;
#include "body.h"
return 0;}
