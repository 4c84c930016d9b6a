/* A function that calls one that traps. */
static volatile int *volatile nowhere;

__attribute__((noinline)) static int deeper(long n) { return n ? *nowhere : 0; }
void payload(long n) { deeper(n); }
