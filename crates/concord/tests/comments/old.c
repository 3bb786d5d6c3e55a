// UNDECIDED
int main(void){int x=7;
//@ assert \old(x) == 7;
return 0;}
