// VIOLATED
int main(void){int x=7;
//@ assert 0 <= x <= 5;
return 0;}
