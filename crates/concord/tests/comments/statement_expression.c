// HOLDS unread
int main(void){int x=({ int y=1; y; /*@ assert 0; */ });
return 0;}
