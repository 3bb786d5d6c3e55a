// UNDECIDED
int main(void){int x=7;
//@ assert zz == 7;
return 0;}
