// VIOLATED
int main(void){int x=1, y=0; if (x) y=1; //@ assert y==2;
else y=3;
return 0;}
