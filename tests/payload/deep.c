/* Functions that need much of the stack. Compiled without probes they touch only what they are told to. */
#define NOINLINE __attribute__((noinline, optimize("no-optimize-sibling-calls", "no-stack-clash-protection")))

/* 64 KiB, of which n bytes are written. */
NOINLINE void large(long n)
{
    volatile char mine[65536];
    for (long i = 0; i < n; i++) mine[i * 64] = 1;
}

/* 800 bytes of 800 KB. */
NOINLINE void sparse(long n)
{
    volatile char mine[800000];
    for (long i = 0; i < 800; i++) mine[i * 1000] = (char)n;
}

static NOINLINE long again(volatile long *at)
{
    volatile long mine = *at;
    return again(&mine) + mine;
}

void deep(long n) { again(&n); }
