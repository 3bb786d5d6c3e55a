// HOLDS
int main(void){int x=2; switch(x){ case 1: //@ assert 0;
 case 2: //@ assert x==2;
 x=3; }
//@ assert x==3;
return 0;}
