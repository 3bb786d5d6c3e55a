// VIOLATED
int main(void){int x=0, y=0; if (x) y=1; else //@ assert y==1;
 if (y) y=4;
return 0;}
