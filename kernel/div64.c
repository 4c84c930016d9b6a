/* 64-bit division for the i586 kernel: what GCC calls instead of dividing inline. Debian's 32-bit libgcc is
 * built for later processors (CMOV, ENDBR), so it cannot be linked. */
#include <stdint.h>

/* The names that the compiler calls; the host test uses other ones. */
#ifndef DIV64
#define DIV64(name) __##name
#endif

uint64_t DIV64(udivmoddi4)(uint64_t n, uint64_t d, uint64_t *rem);
uint64_t DIV64(udivdi3)(uint64_t n, uint64_t d);
uint64_t DIV64(umoddi3)(uint64_t n, uint64_t d);
int64_t DIV64(divdi3)(int64_t n, int64_t d);
int64_t DIV64(moddi3)(int64_t n, int64_t d);

/* 64 by 32 bits whose quotient fits 32 bits (hi < d). */
static uint32_t div_64_32(uint32_t hi, uint32_t lo, uint32_t d, uint32_t *rem)
{
    uint32_t q;
    __asm__("divl %4" : "=a"(q), "=d"(*rem) : "a"(lo), "d"(hi), "rm"(d) : "cc");
    return q;
}

uint64_t DIV64(udivmoddi4)(uint64_t n, uint64_t d, uint64_t *rem)
{
    uint32_t n_hi = (uint32_t)(n >> 32), n_lo = (uint32_t)n, d_hi = (uint32_t)(d >> 32);
    uint64_t q, r;
    if (d_hi == 0) { /* schoolbook, two digits; d == 0 raises #DE here as an inline division would */
        uint32_t r32, q_hi = 0;
        if (n_hi >= (uint32_t)d) q_hi = div_64_32(0, n_hi, (uint32_t)d, &n_hi);
        q = (uint64_t)q_hi << 32 | div_64_32(n_hi, n_lo, (uint32_t)d, &r32);
        r = r32;
    } else if (n < d) {
        q = 0;
        r = n;
    } else { /* the quotient has at most 32 bits: normalise, estimate, correct (Knuth, 4.3.1) */
        unsigned s = 31;
        while (!(d_hi >> s)) s--;
        s = 31 - s; /* leading zeros of d */
        uint32_t d_norm = (uint32_t)((d << s) >> 32), ignored;
        uint64_t n_norm = n >> 1; /* so that the high half is below d_norm, whose top bit is set */
        q = div_64_32((uint32_t)(n_norm >> 32), (uint32_t)n_norm, d_norm, &ignored);
        q = q << s >> 31;
        if (q) q--; /* the estimate is at most one too large; make it at most one too small */
        r = n - q * d;
        if (r >= d) {
            q++;
            r -= d;
        }
    }
    if (rem) *rem = r;
    return q;
}

uint64_t DIV64(udivdi3)(uint64_t n, uint64_t d) { return DIV64(udivmoddi4)(n, d, 0); }

uint64_t DIV64(umoddi3)(uint64_t n, uint64_t d)
{
    uint64_t r;
    DIV64(udivmoddi4)(n, d, &r);
    return r;
}

static uint64_t magnitude(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

int64_t DIV64(divdi3)(int64_t n, int64_t d)
{
    uint64_t q = DIV64(udivmoddi4)(magnitude(n), magnitude(d), 0);
    return (n < 0) != (d < 0) ? (int64_t)(0 - q) : (int64_t)q;
}

int64_t DIV64(moddi3)(int64_t n, int64_t d)
{
    uint64_t r;
    DIV64(udivmoddi4)(magnitude(n), magnitude(d), &r);
    return n < 0 ? (int64_t)(0 - r) : (int64_t)r;
}
