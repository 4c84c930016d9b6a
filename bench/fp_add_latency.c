/* Serially dependent floating-point adds: each waits for the previous one, so n of them take n latencies.
 * After B. Sprunt, "Pentium 4 Performance-Monitoring Features", IEEE Micro 22(4), 2002. */
#include "bench/bench.h"

#define UNROLL 100 /* the latency of a hundred adds hides the loop's own two instructions */

#define STR_(x) #x
#define STR(x)  STR_(x)

PAYLOAD static void x87_adds(void *arg)
{
    uint32_t n = *(const uint32_t *)arg;
    __asm__ volatile("fld1\n\t"
                     "fld1\n"
                     "1:\n\t"
                     ".rept " STR(UNROLL) "\n\t"
                                          "fadd %%st(1), %%st\n\t"
                                          ".endr\n\t"
                                          "decl %0\n\t"
                                          "jnz 1b\n\t"
                                          "fstp %%st\n\t"
                                          "fstp %%st"
                     : "+r"(n)::"cc", "st", "st(1)");
}

#ifdef __x86_64__
PAYLOAD static void sse2_adds(void *arg)
{
    uint32_t n = *(const uint32_t *)arg;
    __asm__ volatile("pcmpeqw %%xmm1, %%xmm1\n\t" /* 1.0: exponent 3FFh, all else 0 */
                     "psllq $54, %%xmm1\n\t"
                     "psrlq $2, %%xmm1\n\t"
                     "movapd %%xmm1, %%xmm0\n"
                     "1:\n\t"
                     ".rept " STR(UNROLL) "\n\t"
                                          "addsd %%xmm1, %%xmm0\n\t"
                                          ".endr\n\t"
                                          "decl %0\n\t"
                                          "jnz 1b"
                     : "+r"(n)::"cc", "xmm0", "xmm1");
}
#endif

static bool prepare(struct bench_run *run)
{
    *(uint32_t *)run->arg = (uint32_t)(run->param[0] / UNROLL);
    run->ops = (double)run->param[0];
    return true;
}

BENCHMARK(fp_add_latency) = {
    .program = {.name = "fp_add_latency",
                .desc = "serially dependent floating-point adds",
                .prepare = prepare},
    .op = "add",
    .cost = "the latency of an add: 3 core cycles on P5, P6, Skylake x87; 5 on a Pentium 4; 2 to 7 since",
    .main_job = true,
    BENCH_PARAM_LIST({"n", "adds", "adds in one repetition", UNROLL, 1000000, UNROLL, 1000, false}),
    .variant = {{"x87", x87_adds},
#ifdef __x86_64__
                {"sse2", sse2_adds}
#endif
    },
};
