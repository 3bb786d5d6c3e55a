// UNDECIDED
int f(void){return 1;} int main(void){int x=7;
//@ assert f() == 1;
return 0;}
