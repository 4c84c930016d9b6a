/* A hidden experiment that tests the lab: what it offers, and each way to end. */
#include "anechoic/experiment.h"
#include "measure/lab.h"
#include <string.h>

#define PAGES 1500

enum { WHAT };

LAB_CODE static void lab_nothing(void *arg) { (void)arg; }
LAB_CODE static void lab_write(void *arg) { *(volatile uint32_t *)arg = 1; }
LAB_CODE static void lab_load(void *arg) { (void)*(volatile uint32_t *)arg; }
LAB_CODE static void lab_invalid(void *arg)
{
    (void)arg;
    __asm__ volatile(".byte 0xf0, 0x90"); /* LOCK NOP */
}
LAB_CODE static void lab_forever(void *arg)
{
    (void)arg;
    __asm__ volatile("1:\tjmp 1b");
}
LAB_CODE static void lab_thousand(void *arg)
{
    (void)arg;
    __asm__ volatile("movl $333, %%ecx\n1:\tnop\n\tdecl %%ecx\n\tjnz 1b" ::: "ecx", "cc");
}

static void value(struct lab *lab, const char *name, double v)
{
    lab_value(lab, &(struct lab_quantity){name, "", v, LAB_KNOWN, LAB_COUNTED}, NULL);
}

static void cross(struct lab *lab)
{
    for (unsigned i = 0; i < 3; i++) {
        lab_at_cpl(lab, 0, lab_nothing, NULL);
        lab_at_cpl(lab, 3, lab_nothing, NULL);
    }
    value(lab, "to CPL 0", LAB_TO_RING0);
    value(lab, "to CPL 3", LAB_TO_RING3);
    value(lab, "from CPL 3", LAB_FROM_RING3);
}

/* One page of each kind: what is written at one address is read at all others, also at CPL 3. */
static void map_one(struct lab *lab, const char *name, enum lab_page size, enum lab_cache cache, size_t pages)
{
    const struct lab_mapping m = {.pages = pages, .size = size, .cache = cache, .same = true};
    const uint64_t bytes = lab_page_bytes(lab, size);
    unsigned right = 0;
    if (!bytes) return;
    uint8_t *at = lab_map(lab, &m);
    lab_at_cpl(lab, 3, lab_write, at);
    for (size_t i = 0; i < pages; i++) right += *(volatile uint32_t *)(void *)(at + i * bytes) == 1;
    value(lab, name, right);
}

static void map(struct lab *lab)
{
    map_one(lab, "small", LAB_SMALL, LAB_CACHED, PAGES);
    map_one(lab, "small, uncached", LAB_SMALL, LAB_UNCACHED, 7);
    map_one(lab, "large", LAB_LARGE, LAB_CACHED, 5);
    map_one(lab, "huge", LAB_HUGE, LAB_CACHED, 3);
    const struct lab_mapping own = {.pages = 3};
    uint32_t *three = lab_map(lab, &own);
    three[0] = 5, three[1024] = 6, three[2048] = 7;
    value(lab, "each its own", three[0] * 100 + three[1024] * 10 + three[2048]);
}

static void combining(struct lab *lab) { map_one(lab, "write-combining", LAB_SMALL, LAB_COMBINING, 2); }

static void behind(struct lab *lab)
{
    const struct lab_mapping m = {.pages = 2};
    volatile uint8_t *at = lab_map(lab, &m);
    at[8191] = 1;
    at[8192 + 5] = 1;
}

static void gap(struct lab *lab)
{
    const struct lab_mapping m = {.pages = 3};
    uint8_t *at = lab_map(lab, &m);
    at[4096] = 1;
    lab_unmap(lab, at + 4096);
    at[0] = at[8192] = 1;
    lab_at_cpl(lab, 3, lab_write, at + 4096);
}

static void trap_at_cpl3(struct lab *lab) { lab_at_cpl(lab, 3, lab_invalid, NULL); }
static void trap_measured(struct lab *lab)
{
    struct lab_counts counts = {.n = 0};
    lab_measure(lab, &(struct lab_program){.code = lab_invalid}, NULL, &counts);
}
static void runaway(struct lab *lab) { lab_at_cpl(lab, 0, lab_forever, NULL); }

static void fails(struct lab *lab, void *arg)
{
    (void)arg;
    lab_fail(lab, "seven is no number");
}
static void fail_before(struct lab *lab)
{
    struct lab_counts counts = {.n = 0};
    lab_measure(lab, &(struct lab_program){.code = lab_nothing, .before = fails}, NULL, &counts);
}
static void too_much(struct lab *lab) { lab_alloc(lab, SIZE_MAX / 2, 4096); }

static void flush_line(struct lab *lab, void *arg) { lab_flush_line(lab, arg); }
static void flush_page(struct lab *lab, void *arg) { lab_flush_page(lab, arg); }
static void flush_all(struct lab *lab, void *arg)
{
    (void)arg;
    lab_flush_all(lab);
}

#define PLACES 4    /* in the page, */
#define APART  1088 /* bytes from one to the next: each in a set of its own */

/* The least misses of a load, of these places: what is executed before it needs lines, too, and may have
 * taken the load's from its set. */
static void fewest(struct lab *lab, uint8_t *page, void (*before)(struct lab *lab, void *arg),
                   const char *const *events, struct lab_counts *out)
{
    for (unsigned i = 0; i < PLACES; i++) {
        struct lab_counts c;
        lab_measure(
            lab, &(struct lab_program){.code = lab_load, .arg = page + (size_t)i * APART, .before = before},
            events, &c);
        if (i == 0 || c.event[0].median < out->event[0].median) *out = c;
    }
}

/* Misses of one load after each of them: of the L1, of the data TLB. */
static void flush(struct lab *lab)
{
    static const struct {
        const char *name;
        void (*before)(struct lab *lab, void *arg);
    } ways[] = {{"nothing", NULL}, {"line", flush_line}, {"page", flush_page}, {"all", flush_all}};
    static const char *const events[] = {
        "data_read_miss|1stl_cache_load_miss_retired|mem_load_retired:l1_miss|L1-dcache-load-misses",
        "data_tlb_miss|dtlb_load_miss_retired|dTLB-load-misses", NULL};
    void *at = lab_map(lab, &(struct lab_mapping){.pages = 1});
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct lab_counts c;
        fewest(lab, at, ways[i].before, events, &c);
        const struct lab_quantity q[] = {lab_median("line missed", "", &c.event[0]),
                                         lab_median("page missed", "", &c.event[1])};
        lab_row(lab, ways[i].name, q, 2);
    }
    value(lab, "by", strcmp(lab_flush_line(lab, at), "clflush") == 0);
}

static const char *const instructions[] = {"instructions", NULL};

/* Not inlined, so that the code around fn is the same one each time. */
static __attribute__((noinline)) uint64_t counted(struct lab *lab, payload_fn *fn)
{
    const uint64_t from = lab_read(lab, 0);
    lab_at_cpl(lab, 0, fn, NULL);
    return lab_read(lab, 0) - from;
}

static void counters(struct lab *lab)
{
    struct lab_quantity q = {"between two readings", "instructions", 0, LAB_COUNTS,
                             lab_start(lab, instructions)};
    if (q.state == LAB_COUNTED) {
        q.value = (double)counted(lab, lab_thousand) - (double)counted(lab, lab_nothing);
        lab_preset(lab, 0, 0x12345678);
        value(lab, "from the preset on", (double)(lab_read(lab, 0) >> 12) - 0x12345);
    }
    lab_value(lab, &q, NULL);
    lab_read(lab, 1);
}

static void samples(struct lab *lab)
{
    struct lab_samples s;
    unsigned inside = 0;
    lab_samples(lab, &(struct lab_program){.code = lab_thousand}, "instructions", 100, 50, &s);
    for (unsigned i = 0; i < s.n; i++) inside += s.at[i].ip - (uintptr_t)lab_thousand < 32;
    value(lab, "samples", s.n);
    value(lab, "inside", inside);
}

/* As code may that writes the counter: a later reading is lower. */
static void set_back(struct lab *lab)
{
    const struct lab_work *w = lab_work(lab);
    const struct lab_quantity start = {"start", "", 0, LAB_COUNTS, lab_start(lab, instructions)};
    lab_value(lab, &start, NULL);
    const uint64_t from = lab_read(lab, 0);
    lab_at_cpl(lab, 0, lab_thousand, NULL);
    wrmsr_safe(w->cpu->pmu->counter_msr[w->counter[0]], 0);
    value(lab, "counted", (double)(lab_read(lab, 0) - from));
}

static void series(struct lab *lab)
{
    static double v[250];
    for (unsigned i = 0; i < 250; i++) v[i] = i % 2 ? i : i + 0.5;
    lab_series(lab, "numbers", "apples", v, 250, LAB_KNOWN);
    value(lab, "a load", lab_time_load(lab, v) < 1000000);
}

static void (*const tests[])(struct lab *lab) = {
    cross,       map,      combining, behind,   gap,     trap_at_cpl3, trap_measured, runaway,
    fail_before, too_much, flush,     counters, samples, series,       set_back};

static void run(struct lab *lab) { tests[lab->param[WHAT]](lab); }

EXPERIMENT(test_lab) = {
    .program = {.name = "test_lab", .desc = "tests what experiments use"},
    .experiment = run,
    .op = "test",
    .cost = "",
    .hidden = true,
    BENCH_PARAM_LIST([WHAT] = {"what", "", "which test", 0, sizeof tests / sizeof *tests - 1, 1, 0, true}),
};
