/* How many translations the data TLB holds: one physical page at more and more linear addresses. Its lines
 * stay in the cache, so that nothing but translations can be missing. */
#include "anechoic/experiment.h"

#define SETTLE 2 /* sweeps that fill the TLB */
#define TURNS  4 /* that are counted: the difference of code with them and without them */

enum { MOST };

/* "dTLB-load-misses" comes late: it is a page walk on CPUs with a second level. */
#define DTLB_MISS                                                                               \
    "data_tlb_miss|dtlb_load_miss_retired|mem_load_retired:dtlb_miss|l1_dtlb_and_l2_dtlb_miss|" \
    "unified_tlb_miss|dtlb_miss|dtlb_load_misses:any|mem_uops_retired:dtlb_miss_loads|dTLB-load-misses"

struct sweep {
    const uint8_t *at;
    uint32_t pages;
};

/* One load from each page, `sweeps` times. Everything else is in registers, and the TLBs are emptied first:
 * so they hold nothing but these pages. (Else a tree of pseudo-LRU bits might keep other code's translations
 * for good.) */
static inline __attribute__((always_inline)) void sweep(const struct sweep *s, uint32_t sweeps)
{
    const uint8_t *p;
    uint32_t left;
    uintptr_t cr3;
    __asm__ volatile("mov %%cr3, %[cr3]\n\t"
                     "mov %[cr3], %%cr3\n"
                     "1:\n\t"
                     "mov %[at], %[p]\n\t"
                     "movl %[pages], %[left]\n"
                     "2:\n\t"
                     "cmpb $0, (%[p])\n\t"
                     "add $4096, %[p]\n\t"
                     "decl %[left]\n\t"
                     "jnz 2b\n\t"
                     "decl %[sweeps]\n\t"
                     "jnz 1b"
                     : [p] "=&r"(p), [left] "=&r"(left), [sweeps] "+&r"(sweeps), [cr3] "=&r"(cr3)
                     : [at] "r"(s->at), [pages] "r"(s->pages)
                     : "memory", "cc");
}

LAB_CODE static void settle(void *arg) { sweep(arg, SETTLE); }
LAB_CODE static void settle_and_more(void *arg) { sweep(arg, SETTLE + TURNS); }

/* The misses of one sweep over so many pages; until the next call. */
static const struct lab_count *misses(struct lab *lab, struct sweep *s, uint32_t pages)
{
    static const char *const events[] = {DTLB_MISS, NULL};
    const struct lab_program program = {.code = settle_and_more, .baseline = settle, .arg = s};
    static struct lab_counts counts;
    s->pages = pages;
    lab_measure(lab, &program, events, &counts);
    counts.event[0].median /= TURNS;
    return &counts.event[0];
}

static bool held(const struct lab_count *c) { return c->median < 0.5; }

static void row(struct lab *lab, struct sweep *s, uint32_t pages)
{
    const struct lab_count *c = misses(lab, s, pages);
    const struct lab_quantity q[] = {{"pages", "pages", pages, LAB_KNOWN, LAB_COUNTED},
                                     lab_median("misses of a sweep", "", c)};
    lab_row(lab, "one page at so many addresses, each loaded from in turn", q, 2);
}

static void run(struct lab *lab)
{
    const uint32_t most = (uint32_t)lab->param[MOST];
    struct sweep *s = lab_alloc(lab, sizeof *s, 64);
    s->at = lab_map(lab, &(struct lab_mapping){.pages = most, .same = true});
    uint32_t low = 1, high = 2; /* low is held */
    const struct lab_count *c = misses(lab, s, low);
    struct lab_quantity q = {"translations held", "pages", 0, LAB_COUNTS, c->state};
    if (c->state != LAB_COUNTED) {
        lab_value(lab, &q, "misses of the data TLB cannot be counted here");
        return;
    }
    for (; high <= most && (c = misses(lab, s, high), held(c)); high *= 2) low = high;
    if (high > most) {
        q.value = low;
        lab_value(lab, &q, "or more: no sweep missed; a larger most= goes on");
        return;
    }
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        c = misses(lab, s, middle);
        if (held(c))
            low = middle;
        else
            high = middle;
    }
    const uint32_t shown[] = {low / 2 ? low / 2 : 1, low, low + 1, 2 * low};
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
        if (shown[i] <= most) row(lab, s, shown[i]);
    q.value = low;
    lab_value(lab, &q, NULL);
}

EXPERIMENT(tlb_reach) = {
    .program = {.name = "tlb_reach", .desc = "how many translations the data TLB holds"},
    .experiment = run,
    .op = "sweep",
    .cost = "64 on a Pentium and a Pentium 4; with a second level, that one's",
    BENCH_PARAM_LIST([MOST] = {"most", "pages", "to try at most: a power of two", 2, 65536, STEP_DOUBLES,
                               4096, false}),
};
