// HOLDS
char *s="//@ assert 0;"; int main(void){ char c='"'; return 0;}
