// HOLDS
int main(void){int x=1; /* //@ assert 0; */ // /*@ assert 0; */
return 0;}
