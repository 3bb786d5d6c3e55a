// VIOLATED
int main(void){unsigned x=6;
//@ assert (x & 4) != 4 || x == 0;
return 0;}
