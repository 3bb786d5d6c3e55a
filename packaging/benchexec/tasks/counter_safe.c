extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int steps = 0;
  while (steps < n) steps++;
  if (n >= 0 && steps != n) reach_error();
  return 0;
}
