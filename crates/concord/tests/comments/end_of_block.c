// VIOLATED
int main(void){int x=1; { x=3;
 /*@ assert x==1; */ }
return 0;}
