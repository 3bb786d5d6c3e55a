#include <assert.h>
#include <stdlib.h>
static int *mk(void){ int *p=malloc(4); if(p) *p=0; return p; }
int main(void){ int *p=mk(), *q=mk(); if(!p||!q) return 0; int *r = p; for(int i=0;i<3;i++){ *r = *r+1; r = (i&1)? p : q; } assert(*p==0 || *q==0 || *p!=2); }
