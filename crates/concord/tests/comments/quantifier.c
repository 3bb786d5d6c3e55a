// UNDECIDED
int main(void){int x=7;
//@ assert \forall integer i; i < x;
return 0;}
