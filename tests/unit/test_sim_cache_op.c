/* Cache control on every model that has it: what CLFLUSH, PREFETCHh and non-temporal stores do to the lines
 * that later loads look for, by the oracle (docs/pmu-model.md, "Cache control"). */
#include "tests/unit/sim_drive.h"
#include <stdio.h>
#include <stdlib.h>

/* One line of data, in steps of a letter each: l load, s store, t non-temporal store, f CLFLUSH, b CLWB, 0 1
 * 2 n PREFETCHT0 ... NTA, w PREFETCHW; L, F and 0 with a comma in front: where nothing is cached. c: code
 * runs in the line. */
static const struct {
    const char *models, *event, *steps;
    unsigned count;
} rows[] = {
    /* CLFLUSH: out of every cache */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "lflfl", 3},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_REFERENCES", "llflfl", 3},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "cfc", 2},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "f,fl", 1},
    {"core2", "L1D_REPL", "lfl", 2},
    {"sandybridge haswell skylake icelake tigerlake", "L1D:REPLACEMENT", "sfl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_LOADS", "lfl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_STORES", "lfl", 0},
    {"k8 fam10h", "DATA_CACHE_MISSES", "lfl", 2},
    {"k8 fam10h bulldozer", "L2_CACHE_MISS:DATA", "lfl", 2},
    {"k8 fam10h bulldozer", "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM", "cfc", 2},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "lfl", 2},
    {"zen zen4", "REQUESTS_TO_L2_GROUP1:RD_BLK_L", "lfl", 2},
    {"zen zen4", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", "lfl", 2},
    {"willamette northwood prescott", "1stL_cache_load_miss_retired", "lfl", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "lfl", 2},
    {"willamette northwood prescott", "memory_loads", "lfl", 2},
    /* CLWB: the line stays */
    {"skylake icelake tigerlake", "LLC_MISSES", "sbl", 1},
    {"skylake icelake tigerlake", "L1D:REPLACEMENT", "sbl", 1},
    /* PREFETCHh brings what a load then finds: the L1 and the L2, the L2 alone, the L1 alone */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "0l", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "1l", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "nl", 1},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", ",0l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_MISS", "0l", 0},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L2_HIT", "1l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L2_HIT", "2l", 1},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_MISS", "nl", 0},
    {"skylake icelake tigerlake", "MEM_LOAD_RETIRED:L1_HIT", "012n", 4},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_LOADS", "012nwl", 6},
    {"core2", "INST_RETIRED:LOADS", "012nl", 1},
    {"haswell skylake icelake tigerlake", "LLC_MISSES", "w", 1},
    {"core2 sandybridge", "LLC_MISSES", "w", 0}, /* a NOP there */
    {"k8 fam10h", "DATA_CACHE_MISSES", "0l", 1},
    {"k8 fam10h", "DATA_CACHE_MISSES", "1l", 1},
    {"k8 fam10h", "DATA_CACHE_MISSES", "wl", 1},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "0l", 2},
    {"zen zen4", "REQUESTS_TO_L2_GROUP1:RD_BLK_L", "nl", 1},
    {"zen4", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:BEYOND_L2", "0fl", 1}, /* the load's only */
    {"p3", "DCU_LINES_IN", "0l", 1},
    {"p3", "L2_LD", "1l", 2},
    {"p3", "L2_LD:I", "1l", 1},
    {"p3", "DCU_LINES_IN", "1", 0},
    {"p3", "L2_LINES_IN", "nl", 0},
    {"p3", "DATA_MEM_REFS", "0l", 1},
    {"p3", "DCU_LINES_IN", "w", 0},
    {"willamette northwood prescott", "1stL_cache_load_miss_retired", "l0fl", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "lf0l", 1}, /* the L2 has it */
    {"willamette northwood", "2ndL_cache_load_miss_retired", "0l", 1}, /* not in the DTLB: nothing happens */
    {"prescott", "2ndL_cache_load_miss_retired", "0l", 0},
    {"prescott", "page_walk_type:DTMISS", "0l", 1},
    {"willamette northwood", "page_walk_type:DTMISS", "0", 0},
    /* Non-temporal stores bring nothing; what is there goes, but on a Pentium III */
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "tt", 0},
    {"coreduo core2 sandybridge haswell skylake icelake tigerlake", "LLC_MISSES", "ltl", 2},
    {"skylake icelake tigerlake", "MEM_INST_RETIRED:ALL_STORES", "stt", 3},
    {"k8 fam10h", "DATA_CACHE_MISSES", "t", 0},
    {"k8 fam10h", "DATA_CACHE_MISSES", "ltl", 2},
    {"k8 fam10h bulldozer zen zen4", "DATA_CACHE_ACCESSES", "tt", 2},
    {"willamette northwood prescott", "memory_stores", "tt", 2},
    {"willamette northwood prescott", "2ndL_cache_load_miss_retired", "ltl", 2},
    {"willamette northwood prescott", "BSQ_cache_reference:RD_2ndL_MISS", "t", 0},
    {"p3", "DCU_LINES_IN", "tl", 1},
    {"p3", "DCU_LINES_IN", "ltl", 1},
    {"p3", "DATA_MEM_REFS", "t", 1},
};

static uint8_t cache_op(char step)
{
    switch (step) {
    case 'f':
        return CACHE_FLUSH;
    case 'b':
        return CACHE_WRITE_BACK;
    case '0':
        return CACHE_PREFETCH_T0;
    case '1':
        return CACHE_PREFETCH_T1;
    case '2':
        return CACHE_PREFETCH_T2;
    case 'n':
        return CACHE_PREFETCH_NTA;
    case 'w':
        return CACHE_PREFETCH_W;
    case 't':
        return CACHE_NON_TEMPORAL;
    default:
        return CACHE_NONE;
    }
}

#define LINE 0x30000

static void step(struct sim *s, char c, bool uncached)
{
    /* Code in a line of its own, or in the one at hand. */
    const uint64_t at = c == 'c' ? LINE : 0x1000;
    struct sim_insn i = {.lin = at, .phys = at, .len = 2, .cache_op = cache_op(c)};
    i.line = (struct sim_named_line){LINE + 4, LINE + 4, uncached};
    if (i.cache_op >= CACHE_PREFETCH_T0 && i.cache_op <= CACHE_PREFETCH_W) i.op = OP_PREFETCH;
    if (c == 'l' || c == 's' || c == 't') {
        i.n_access = 1;
        i.access[0] = (struct sim_access){.lin = LINE + 8,
                                          .phys = LINE + 8,
                                          .bytes = 4,
                                          .kind = c == 'l' ? SIM_READ : SIM_WRITE,
                                          .uncached = uncached};
    }
    sim_instruction(s, &i);
}

static void keep(void *ctx, const char *line) { *(char **)ctx = strdup(line); }

static uint64_t counted(const char *model, const char *event, const char *steps)
{
    struct sim *s = machine(model);
    char key[128], *line = NULL;
    unsigned long long k;
    sim_oracle_begin(s, "before");
    step(s, 'x', false); /* the line of the code */
    sim_oracle_begin(s, "steps");
    for (const char *c = steps; *c; c++) {
        const bool uncached = *c == ',';
        step(s, uncached ? *++c : *c, uncached);
    }
    sim_oracle_end(s, keep, &line, NULL);
    snprintf(key, sizeof key, "\"%s\":{\"k\":", event);
    const char *at = line ? strstr(line, key) : NULL;
    if (!at || sscanf(at + strlen(key), "%llu", &k) != 1) fail_msg("%s has no %s", model, event);
    free(line);
    sim_free(s);
    return k;
}

static void test_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char models[128], *rest = NULL;
        snprintf(models, sizeof models, "%s", rows[i].models);
        for (char *m = strtok_r(models, " ", &rest); m; m = strtok_r(NULL, " ", &rest)) {
            const uint64_t n = counted(m, rows[i].event, rows[i].steps);
            if (n != rows[i].count)
                fail_msg("%s: %s after \"%s\" is %llu, not %u", m, rows[i].event, rows[i].steps,
                         (unsigned long long)n, rows[i].count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
