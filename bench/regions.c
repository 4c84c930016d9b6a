/* An example of regions: one around a loop, one inside of it, two that overlap, an empty one.
 *
 * The number of instructions in each follows from the listing. So where instructions are counted exactly
 * (QEMU's TSC under -icount), there is one right answer, whatever the markers cost:
 *
 *     loop  1 + 12 n (a move; in each turn inner's 10, DEC and JNZ)    inner  10 each time
 *     left  150, of which 50 are right's too                           right  80           empty  0
 */
#include "bench/bench.h"
#include "bench/region.h"

#define BEGIN(id) REGION_ASM(TABLE_BEGIN, "%[table]", "$" #id)
#define END(id)   REGION_ASM(TABLE_END, "%[table]", "$" #id)
#define NOPS(n)   ".rept " #n "\n\tnop\n\t.endr\n\t"

static const char *const labels[] = {"loop", "inner", "left", "right", "empty", NULL};

struct marked {
    struct region_table *table;
    uint32_t turns;
};

PAYLOAD static void marked(void *arg)
{
    const struct marked *m = arg;
    uint32_t left;
    __asm__ volatile(BEGIN(0) "movl %[turns], %[left]\n"
                              "1:\n\t" BEGIN(1) NOPS(10) END(1) "decl %[left]\n\t"
                                                                "jnz 1b\n\t" END(0)
                     /* overlapping */
                     BEGIN(2) NOPS(100) BEGIN(3) NOPS(50) END(2) NOPS(30) END(3)
                     /* nothing */
                     BEGIN(4) END(4)
                     : [left] "=&r"(left)
                     : [table] "r"(m->table), [turns] "r"(m->turns)
                     : "eax", "edx", "cc", "memory");
}

static bool prepare(struct bench_run *run)
{
    *(struct marked *)run->arg = (struct marked){run->regions, (uint32_t)run->param[0]};
    return true;
}

BENCHMARK(regions) = {
    .program = {.name = "regions",
                .desc = "markers around a loop, inside of it, overlapping, and around nothing",
                .payload = marked,
                .prepare = prepare,
                .regions = labels},
    .op = "call",
    .cost = "its regions, in instructions: loop 1 + 12 n, inner 10, left 150, right 80, empty 0",
    BENCH_PARAM_LIST({"n", "turns", "turns of the loop", 1, 1000000, 1, 100, false}),
};

/* ---- a test of the harness: markers used wrongly, and two regions that must stay correct ---- */

static const char *const wrong_labels[] = {"unharmed", "around the wrong ones", NULL};

PAYLOAD static void wrong(void *arg)
{
    const struct marked *m = arg;
    __asm__ volatile(BEGIN(1)                                    /* around all of it: nothing but markers */
                     BEGIN(0) NOPS(10) END(0)                    /* well-formed, */
                     BEGIN(0) END(7) NOPS(10) END(0)             /* around an end without a begin, */
                     BEGIN(0) BEGIN(8) NOPS(10) END(0)           /* and a begin without an end */
                     END(9) BEGIN(9)                             /* in the wrong order */
                     BEGIN(100) END(100) BEGIN(-1)               /* out of range */
                     BEGIN(99) NOPS(5) END(99)                   /* just in range */
                     BEGIN(98) BEGIN(98) NOPS(7) END(98) END(98) /* inside of itself: 7 counts twice */
                     END(1)::[table] "r"(m->table)
                     : "eax", "edx", "cc", "memory");
}

BENCHMARK(test_regions) = {
    .program = {.name = "test_regions",
                .desc = "regions without an end or a begin, in the wrong order, and out of range",
                .payload = wrong,
                .prepare = prepare,
                .regions = wrong_labels},
    .op = "call",
    .cost = "",
    .hidden = true,
};
