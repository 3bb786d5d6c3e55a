// HOLDS
int main(void){int x=0; if (x) //@ assert 0;
 x=2;
return 0;}
