// HOLDS unread
int main(void){int x=7;
//@ loop invariant x>0;
while(x>0)x--;
return 0;}
