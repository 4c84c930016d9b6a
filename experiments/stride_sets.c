/* Which sets of the first-level data cache a stride uses, from counts of misses alone.
 *
 * Lines that are a stride apart are loaded one after the other. As many as fit stay in the cache, and the
 * next one makes misses. Then one line more, from each set in turn, joins those that fit: it makes misses
 * where its set is full of them. */
#include "anechoic/experiment.h"

#define WAY_MOST   65536 /* bytes: of a way, and of what the memory is aligned to */
#define LINES_MOST 4096
#define SETS_MOST  1024
#define SETTLE     16 /* turns first, so that what other code has brought in is gone again */
#define TURNS      16 /* these are counted: the difference of code with them and without them */

enum { STRIDE };

#define L1D_MISS                                                                                         \
    "data_read_miss|1stl_cache_load_miss_retired|dcu_lines_in|dcache_repl|mem_load_retired:l1d_miss|"    \
    "mem_load_retired:l1_miss|mem_load_uops_retired:l1_miss|l1d:replacement|l1d:repl|data_cache_misses|" \
    "requests_to_l2_group1:rd_blk_l|L1-dcache-load-misses"

struct lines {
    uint8_t *at;     /* the first one */
    uint8_t *others; /* one line of each set */
    void *start;     /* of the chain: each line holds the address of the next one */
    uint32_t n;      /* in the chain */
};

static inline __attribute__((always_inline)) void chase(const struct lines *l, uint32_t turns)
{
    void *p;
    uint32_t left;
    __asm__ volatile("1:\n\t"
                     "mov %[start], %[p]\n\t"
                     "movl %[n], %[left]\n"
                     "2:\n\t"
                     "mov (%[p]), %[p]\n\t"
                     "decl %[left]\n\t"
                     "jnz 2b\n\t"
                     "decl %[turns]\n\t"
                     "jnz 1b"
                     : [p] "=&r"(p), [left] "=&r"(left), [turns] "+r"(turns)
                     : [start] "r"(l->start), [n] "r"(l->n)
                     : "memory", "cc");
}

LAB_CODE static void settle(void *arg) { chase(arg, SETTLE); }
LAB_CODE static void settle_and_more(void *arg) { chase(arg, SETTLE + TURNS); }

/* Else the first turns would make a miss or some more for each line that other code has left, and not as many
 * in the one code as in the other. */
static void from_empty_caches(struct lab *lab, void *arg)
{
    (void)arg;
    lab_flush_all(lab);
}

/* The misses of one turn through n lines of the stride and, unless it is NULL, one more; they hold until the
 * next call.
 */
static const struct lab_count *misses(struct lab *lab, struct lines *l, uint32_t n, void *more)
{
    static const char *const events[] = {L1D_MISS, NULL};
    const struct lab_program program = {.code = settle_and_more,
                                        .baseline = settle,
                                        .arg = l,
                                        .before = from_empty_caches,
                                        .ring = lab->ring};
    const int64_t stride = lab->param[STRIDE];
    static struct lab_counts counts;
    void **last = more;
    for (uint32_t i = n; i-- > 0;) {
        void **line = (void **)(void *)(l->at + i * stride);
        *line = last;
        last = line;
    }
    l->start = last;
    l->n = n + (more != NULL);
    lab_measure(lab, &program, events, &counts);
    counts.event[0].median /= TURNS;
    return &counts.event[0];
}

static bool stay(const struct lab_count *c) { return c->median < 0.5; }

/* How many lines of the stride stay; 0: all that were tried. */
static uint32_t lines_that_stay(struct lab *lab, struct lines *l, uint32_t most)
{
    uint32_t low = 1, high = 2;
    const struct lab_count *c;
    for (; high <= most && (c = misses(lab, l, high, NULL), stay(c)); high *= 2) low = high;
    if (high > most) return 0;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        c = misses(lab, l, middle, NULL);
        if (stay(c))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void value(struct lab *lab, const char *name, const char *unit, double v, const char *note)
{
    lab_value(lab, &(struct lab_quantity){name, unit, v, LAB_COUNTS, LAB_COUNTED}, note);
}

static void run(struct lab *lab)
{
    static double used[SETS_MOST];
    const struct cache *l1 = cache_data(lab->caches, 1);
    const uint32_t stride = (uint32_t)lab->param[STRIDE], sets = l1 ? cache_sets(l1) : 0;
    if (!sets || sets > SETS_MOST)
        lab_fail(lab, "the line and the number of sets of the L1 are not known here");
    if (stride < l1->line)
        lab_fail(lab, "stride=%u is less than a line of %u bytes", stride, (unsigned)l1->line);
    struct lines *l = lab_alloc(lab, sizeof *l, 64);
    l->others = lab_alloc(lab, (size_t)sets * l1->line, WAY_MOST);
    const size_t room = lab_memory(lab) / 2;
    const uint32_t most = room / stride < LINES_MOST ? (uint32_t)(room / stride) : LINES_MOST;
    l->at = lab_alloc(lab, (size_t)most * stride, WAY_MOST);

    const struct lab_count *c = misses(lab, l, 1, NULL);
    if (c->state != LAB_COUNTED) {
        lab_value(lab, &(struct lab_quantity){"lines that stay", "lines", 0, LAB_COUNTS, c->state},
                  "misses of the first-level data cache cannot be counted here");
        return;
    }
    const uint32_t fit = lines_that_stay(lab, l, most);
    if (!fit) lab_fail(lab, "%u lines make no misses, and there is no memory for more", (unsigned)most);
    const uint32_t shown[] = {fit / 2 ? fit / 2 : 1, fit, fit + 1, 2 * fit};
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (shown[i] > most) break;
        const struct lab_count *m = misses(lab, l, shown[i], NULL);
        const struct lab_quantity q[] = {{"lines", "lines", shown[i], LAB_KNOWN, LAB_COUNTED},
                                         lab_median("misses of a turn", "", m)};
        lab_row(lab, "lines a stride apart, each loaded from in turn", q, 2);
    }
    unsigned n = 0;
    for (uint32_t set = 0; set < sets; set++) {
        const struct lab_count *m = misses(lab, l, fit, l->others + (size_t)set * l1->line);
        if (!stay(m)) used[n++] = set;
    }
    value(lab, "lines that stay", "lines", fit, NULL);
    value(lab, "sets that are used", "sets", n, NULL);
    if (n) value(lab, "ways of a set", "ways", (double)fit / n, NULL);
    lab_series(lab, "the sets", "", used, n, LAB_COUNTS);
}

EXPERIMENT(stride_sets) = {
    .program = {.name = "stride_sets", .desc = "which sets of the first-level data cache a stride uses"},
    .experiment = run,
    .op = "turn",
    .cost = "8 KiB: set 0, and as many lines as it has ways",
    BENCH_PARAM_LIST([STRIDE] = {"stride", "bytes", "from one line to the next", 16, 1 << 24, 16, 8192,
                                 true}),
};
