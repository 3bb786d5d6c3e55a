// HOLDS
int main(void){int x=0, y=0; if (x) y=1; //@ assert y==2;
else //@ assert y==0;
 if (y) y=4; else y=3;
//@ assert y == 3;
return 0;}
