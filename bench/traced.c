/* An example of a trace: a hook before a loop, one in each turn with the turns that are left, one behind it.
 *
 * The number of instructions between two hooks follows from the listing, so where they are counted exactly
 * (QEMU's TSC under -icount) there is one right answer: none before the first turn, 12 in each turn (10 NOPs,
 * DEC and JNZ).
 */
#include "bench/bench.h"
#include "bench/trace.h"

#define HOOK(channel, value) TRACE_ASM("%[ring]", "$" #channel, value)

static const char *const labels[] = {"begin", "turn", "end", NULL};

struct traced {
    struct trace_ring *ring;
    uint32_t turns;
};

PAYLOAD static void traced(void *arg)
{
    const struct traced *t = arg;
    uint32_t left = t->turns;
    __asm__ volatile(HOOK(0, "$0") "1:\n\t" HOOK(1, "%[left]") ".rept 10\n\tnop\n\t.endr\n\t"
                                                               "decl %[left]\n\t"
                                                               "jnz 1b\n\t" HOOK(2, "$0")
                     : [left] "+r"(left)
                     : [ring] "r"(t->ring)
                     : "eax", "ecx", "edx", "cc", "memory");
}

static bool prepare(struct bench_run *run)
{
    *(struct traced *)run->arg = (struct traced){run->trace, (uint32_t)run->param[0]};
    run->ops = (double)run->param[0];
    return true;
}

BENCHMARK(traced) = {
    .program = {.name = "traced",
                .desc = "hooks of a trace before a loop, in each turn, and behind it",
                .payload = traced,
                .prepare = prepare,
                .channels = labels},
    .op = "turn",
    .cost = "21 instructions a turn, 9 of them the hook's; trace=64 shows the turns",
    BENCH_PARAM_LIST({"n", "turns", "turns of the loop", 1, 1000000, 1, 10, false}),
};
