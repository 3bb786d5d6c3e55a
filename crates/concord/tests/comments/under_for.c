// VIOLATED
int main(void){int x=0; for(int i=0;i<3;i++) //@ assert i<2;
 x++;
return 0;}
