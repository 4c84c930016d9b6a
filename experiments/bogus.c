/* Speculative against nonspeculative counts (B. Sprunt, IEEE Micro 22(4), 2002, "Obtaining nonspeculative
 * event counts"): what is executed in the shadow of mispredicted branches never retires, and some events
 * count it.
 *
 * A loop draws a number in each turn, and one bit of it decides whether a load is executed. Where the bit is
 * 1 the load's address is that of one line, which stays in the cache. Where it is 0 there is no load; but if
 * the branch was predicted the other way, the load begins all the same, from somewhere else in a megabyte,
 * which is not in the cache. So of the loads that retire none misses, and those that miss are bogus. The
 * branch has to wait for four multiplications, so that the load has time. The same loop with bits that are
 * all 1 is predicted, and has no shadow.
 *
 * Where mispredictions are not modelled, neither is speculation: what such a model counts as executed is what
 * has retired, and is not reported as an answer. */
#include "anechoic/experiment.h"

enum { TURNS };

#define SEED   2463534242u
#define MEMORY (1u << 20)
#define LINE   64

struct loop {
    uint8_t *memory;
    uint32_t turns;
    uint32_t always; /* or to each number that is drawn */
};

/* 24 instructions a turn, two of them branches, and the load. */
LAB_CODE static void draw(void *arg)
{
    const struct loop *l = arg;
    uint32_t x = SEED, turns = l->turns, bit;
    uintptr_t t;
    __asm__ volatile("1:\n\t"
                     "movl %[x], %k[t]\n\t" /* xorshift32 */
                     "shll $13, %k[t]\n\t"
                     "xorl %k[t], %[x]\n\t"
                     "movl %[x], %k[t]\n\t"
                     "shrl $17, %k[t]\n\t"
                     "xorl %k[t], %[x]\n\t"
                     "movl %[x], %k[t]\n\t"
                     "shll $5, %k[t]\n\t"
                     "xorl %k[t], %[x]\n\t"
                     "movl %[x], %[bit]\n\t"
                     "orl %[always], %[bit]\n\t"
                     "movl %[bit], %k[t]\n\t"
                     "andl $1, %k[t]\n\t"
                     "decl %k[t]\n\t" /* all ones where the load is not to be */
                     "andl %[x], %k[t]\n\t"
                     "andl %[anywhere], %k[t]\n\t"
                     ".rept 4\n\timull $1, %[bit], %[bit]\n\t.endr\n\t"
                     "testl $1, %[bit]\n\t"
                     "jz 2f\n\t"
                     "movl (%[memory],%[t]), %k[t]\n"
                     "2:\n\t"
                     "decl %[turns]\n\t"
                     "jnz 1b"
                     : [x] "+r"(x), [turns] "+r"(turns), [bit] "=&r"(bit), [t] "=&r"(t)
                     : [memory] "r"(l->memory), [always] "r"(l->always), [anywhere] "i"(MEMORY - LINE)
                     : "memory", "cc");
}

/* How many loads that makes. */
static uint32_t loads_of(const struct loop *l)
{
    uint32_t x = SEED, n = 0;
    for (uint32_t i = 0; i < l->turns; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        n += (x | l->always) & 1;
    }
    return n;
}

/* ---- what is asked ---- */

/* executed: all, whether it retires or not. bogus: what does not retire. */
enum { RETIRED, EXECUTED, BOGUS, COUNTS };
static const struct question {
    const char *name, *events[COUNTS];
} questions[] = {
    {"instructions", {"instructions", "inst_decoded", "instr_retired:bogusntag:bogustag"}},
    {"micro-operations",
     {"uops_retired:nbogus|uops_retired:retire_slots|uops_retired:slots|uops_retired:any|uops_retired|"
      "retired_uops|"
      "retired_ops",
      "uops_issued:any|ops_source_dispatched_from_decoder|rs_uops_dispatched", "uops_retired:bogus"}},
    {"branches", {"branches", "br_inst_decoded|br_inst_exec:all_branches|br_inst_exec", "none"}},
    {"loads",
     {"memory_loads|mem_inst_retired:all_loads|mem_uops_retired:all_loads|mem_inst_retired:loads|inst_"
      "retired:loads",
      "data_mem_refs|ls_dispatch:ld_dispatch|data_cache_accesses", "memory_loads:bogus"}},
    {"L1 data misses",
     {"1stl_cache_load_miss_retired|mem_load_retired:l1_miss|mem_load_retired:l1d_miss|mem_load_uops_retired:"
      "l1_miss",
      "dcu_lines_in|l1d_repl|l1d:replacement|l1d:repl|data_cache_misses",
      "1stl_cache_load_miss_retired:bogus"}},
};
#define QUESTIONS    (sizeof questions / sizeof *questions)
#define MISPREDICTED "branch-misses|pipeline_flushes"

static bool known(const struct lab_count *c) { return c->state == LAB_COUNTED; }

/* from + sign x other; where one is not known, why it is not. */
static struct lab_count derived(const struct lab_count *from, const struct lab_count *other, double sign)
{
    struct lab_count c = known(other) ? *from : *other;
    if (known(&c)) c.median += sign * other->median;
    return c;
}

static void ask(struct lab *lab, const struct lab_program *program, const struct question *q, bool speculates,
                const char *table)
{
    const char *const events[COUNTS + 1] = {q->events[RETIRED], q->events[EXECUTED], q->events[BOGUS], NULL};
    struct lab_counts counts;
    lab_measure(lab, program, events, &counts);
    struct lab_count *retired = &counts.event[RETIRED], *executed = &counts.event[EXECUTED],
                     *bogus = &counts.event[BOGUS];
    for (unsigned i = EXECUTED; i <= BOGUS; i++)
        if (known(&counts.event[i]) && !speculates) counts.event[i].state = LAB_UNMODELLED;
    if (executed->state == LAB_ABSENT)
        *executed = derived(retired, bogus, 1);
    else if (bogus->state == LAB_ABSENT)
        *bogus = derived(executed, retired, -1);
    const struct lab_quantity row[] = {{"event", q->name, 0, LAB_NAMED, LAB_COUNTED},
                                       lab_median("retired", "", retired),
                                       lab_median("executed", "", executed),
                                       lab_median("bogus", "", bogus)};
    lab_row(lab, table, row, 4);
}

static void one(struct lab *lab, struct loop *l, const char *mispredicted, const char *table)
{
    static const char *const events[] = {MISPREDICTED, NULL};
    const struct lab_program program = {.code = draw, .arg = l, .ring = lab->ring};
    static struct lab_counts counts;
    lab_measure(lab, &program, events, &counts);
    const struct lab_quantity q = lab_median(mispredicted, "", &counts.event[0]);
    lab_value(lab, &q, NULL);
    for (unsigned i = 0; i < QUESTIONS; i++)
        ask(lab, &program, &questions[i], counts.event[0].state != LAB_UNMODELLED, table);
}

static void run(struct lab *lab)
{
    struct loop *l = lab_alloc(lab, sizeof *l, 64);
    *l = (struct loop){lab_alloc(lab, MEMORY, 4096), (uint32_t)lab->param[TURNS], 0};
    lab_value(
        lab,
        &(const struct lab_quantity){"loads that drawn bits make", "", loads_of(l), LAB_KNOWN, LAB_COUNTED},
        NULL);
    one(lab, l, "mispredicted branches, bits drawn", "bits drawn");
    l->always = 1;
    one(lab, l, "mispredicted branches, bits all 1", "bits all 1");
}

EXPERIMENT(bogus) = {
    .program = {.name = "bogus",
                .desc = "speculative against nonspeculative counts: loads in the shadow of branches"},
    .experiment = run,
    .op = "turn",
    .cost = "of drawn bits one branch in four mispredicted; of the loads that retire no miss",
    BENCH_PARAM_LIST([TURNS] = {"n", "turns", "of the loop", 1, 10000000, 1, 10000, true}),
};
