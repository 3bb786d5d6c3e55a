#include <assert.h>
#include <string.h>
int main(void){ char t[]="key=value"; char *e=strchr(t,'='); if(!e) return 0; *e=0; assert(e-t!=3 || strlen(e+1)!=5); }
