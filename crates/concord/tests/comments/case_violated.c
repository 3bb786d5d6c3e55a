// VIOLATED
int main(void){int x=1; switch(x){ case 1: //@ assert x==2;
 case 2: x=3; }
return 0;}
