#include <assert.h>
static void swap(int **a,int **b){ int *t=*a; *a=*b; *b=t; }
int main(void){ int x=1,y=2; int *p=&x,*q=&y; for(int i=0;i<9;i++) swap(&p,&q); *p=7; assert(y!=7); }
