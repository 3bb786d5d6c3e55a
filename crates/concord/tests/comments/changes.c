// UNDECIDED
int main(void){int x=7;
//@ assert x++ == 7;
return 0;}
