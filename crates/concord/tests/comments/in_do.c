// VIOLATED
int main(void){int x=0; do x++; /*@ assert x<2; */ while(x<3);
return 0;}
