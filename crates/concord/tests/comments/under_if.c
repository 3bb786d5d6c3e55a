// VIOLATED
int main(void){int x=1; if (x) //@ assert x==0;
 x=2;
return 0;}
