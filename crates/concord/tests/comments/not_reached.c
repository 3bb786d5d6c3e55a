// HOLDS
int main(void){int x=7; if (x==8) {
//@ assert \old(x) == 7;
}
return 0;}
