// HOLDS unread
#define C(x) /*@ assert 0; */ x++
int main(void){int x=7;
C(x);
//@ assert x==8;
return 0;}
