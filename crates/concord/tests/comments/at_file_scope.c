// HOLDS unread
//@ assert 0;
int main(void){int x=7 /*@ assert 0; */ ;
return 0;}
