// VIOLATED
int main(void){int x=1; goto L; L: //@ assert x==2;
 return 0;}
