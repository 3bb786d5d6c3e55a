// UNDECIDED
int main(void){int x=7;
//@ assert rte: x == 7;
return 0;}
