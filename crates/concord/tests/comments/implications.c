// HOLDS
int main(void){int x=1,y=5;
//@ assert x==2 ==> y==0 ==> \false;
//@ assert 0 <= x < y <= 5;
//@ assert x==1 <==> y==5;
//@ assert !(0 <= y < 3 && \true);
/*@ assert (x==0 ==> y==1) &&
  @   y > x; @*/
return 0;}
