// HOLDS
int main(void){int x=1;
#if 0
//@ assert x==2;
#endif
//@ assert x==1;
return 0;}
