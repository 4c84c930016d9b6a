/* P6 model: fetch, data caches, L2 and bus. Counts by hand from geometry, and the relations of Heller's notes
 * on random streams. */
#include "sim/p6.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTR0 = 0xc1, CTR1 = 0xc2, SEL0 = 0x186, SEL1 = 0x187 };
#define USR (1u << 16)
#define OS  (1u << 17)
#define EN  (1u << 22)

/* What the processors are known to be (SDM table 11-1; Heller; docs/pmu-model.md for the clock ratios). */
static const struct cpu {
    const char *model;
    unsigned l1_lines, l1d_ways, l2_lines, ratio;
} cpus[] = {{"ppro", 256, 2, 8192, 3}, {"p2", 512, 4, 16384, 4}, {"p3", 512, 4, 16384, 5}};
#define N_CPUS (sizeof cpus / sizeof *cpus)
static unsigned mem_clocks(const struct cpu *c) { return 17 * c->ratio; } /* 14-1-1-1 */

/* ---- reading the oracle ---- */

static char line[32768];
static void keep(void *ctx, const char *text)
{
    (void)ctx;
    assert_true(strlen(text) < sizeof line);
    strcpy(line, text);
}

static uint64_t value(const char *name, char level)
{
    char key[64];
    unsigned long long k, u;
    snprintf(key, sizeof key, "\"%s\":{", name);
    const char *at = strstr(line, key);
    if (!at) fail_msg("no %s", name);
    assert_int_equal(sscanf(at + strlen(key), "\"k\":%llu,\"u\":%llu", &k, &u), 2);
    return level == 'k' ? k : level == 'u' ? u : k + u;
}
static uint64_t sum(const char *name) { return value(name, 'b'); }

static struct sim *machine(const struct cpu *c)
{
    struct sim *s = sim_new(c->model, NULL, NULL);
    assert_non_null(s);
    sim_oracle_begin(s, "test");
    return s;
}

/* What was counted since the last time. */
static void tell(struct sim *s)
{
    sim_oracle_end(s, keep, NULL, NULL);
    sim_oracle_begin(s, "test");
}

#define COUNTS(s, ...)                                            \
    do {                                                          \
        static const struct want want_[] = {__VA_ARGS__};         \
        counts(s, want_, sizeof want_ / sizeof *want_, __LINE__); \
    } while (0)
struct want {
    const char *name;
    uint64_t n;
};
static void counts(struct sim *s, const struct want *w, size_t n, int where)
{
    tell(s);
    for (size_t i = 0; i < n; i++)
        if (sum(w[i].name) != w[i].n)
            fail_msg("line %d: %s is %llu, not %llu", where, w[i].name, (unsigned long long)sum(w[i].name),
                     (unsigned long long)w[i].n);
}

/* ---- making facts ---- */

#define CODE 0x400000

/* One access, of an instruction that is fetched already. */
static void touch_as(struct sim *s, uint64_t at, unsigned bytes, unsigned kind, bool uncached, unsigned cpl)
{
    struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .cpl = cpl, .cpl_after = cpl, .n_access = 1};
    i.access[0] = (struct sim_access){at, at, (at & ~0xfffull) + 0x1000, bytes, kind, uncached};
    sim_instruction(s, &i);
}

static void touch(struct sim *s, uint64_t at, unsigned bytes, unsigned kind)
{
    touch_as(s, at, bytes, kind, false, 0);
}

/* One access to each of n lines, stride lines apart. */
static void sweep(struct sim *s, uint64_t from, unsigned n, unsigned stride, unsigned kind)
{
    for (unsigned i = 0; i < n; i++) touch(s, from + 32ull * stride * i, 4, kind);
}

static void execute(struct sim *s, uint64_t lin, uint64_t phys, unsigned len, uint32_t op)
{
    struct sim_insn i = {
        .lin = lin, .phys = phys, .phys_high = (phys & ~0xfffull) + 0x1000, .len = len, .op = op};
    sim_instruction(s, &i);
}

/* Past the first fetch of CODE, which would be in the way. */
static struct sim *warm_machine(const struct cpu *c)
{
    struct sim *s = machine(c);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    tell(s);
    return s;
}

/* ---- references ---- */

static void test_references(void **state)
{
    static const struct {
        unsigned offset, bytes, kind, refs, misaligned;
    } rows[] = {{0, 4, SIM_READ, 1, 0},    {0, 4, SIM_WRITE, 1, 0},  {0, 4, SIM_RMW, 2, 0},
                {4, 4, SIM_READ, 1, 0},    {5, 4, SIM_READ, 1, 2},   {6, 4, SIM_RMW, 2, 4},
                {7, 2, SIM_WRITE, 1, 2},   {3, 2, SIM_READ, 1, 0},   {8, 8, SIM_READ, 1, 0},
                {4, 8, SIM_READ, 1, 2},    {28, 8, SIM_READ, 2, 2},  {30, 4, SIM_RMW, 4, 4},
                {31, 2, SIM_WRITE, 2, 2},  {16, 10, SIM_READ, 2, 0}, {24, 10, SIM_READ, 2, 0},
                {22, 10, SIM_WRITE, 2, 2}, {26, 10, SIM_READ, 3, 2}, {0, 16, SIM_READ, 2, 0},
                {8, 16, SIM_READ, 2, 0},   {4, 16, SIM_READ, 2, 4},  {20, 16, SIM_READ, 3, 4},
                {24, 8, SIM_READ, 1, 0},   {0, 0, SIM_READ, 0, 0},   {0, 1, SIM_RMW, 2, 0},
                {0, 108, SIM_READ, 14, 0}};
    struct sim *s = warm_machine(&cpus[2]);
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned uncached = 0; uncached < 2; uncached++) {
            touch_as(s, 0x10000 + rows[r].offset, rows[r].bytes, rows[r].kind, uncached, 0);
            tell(s);
            if (sum("DATA_MEM_REFS") != rows[r].refs || sum("MISALIGN_MEM_REF") != rows[r].misaligned)
                fail_msg("row %zu: %llu references, %llu misaligned", r,
                         (unsigned long long)sum("DATA_MEM_REFS"),
                         (unsigned long long)sum("MISALIGN_MEM_REF"));
        }
    sim_free(s);
}

/* A split fills two lines; across a page the second is where the second page is. */
static void test_splits(void **state)
{
    struct sim *s = warm_machine(&cpus[0]);
    struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .n_access = 1};
    (void)state;
    touch(s, 0x1001e, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 2}, {"L2_LD", 2}, {"BUS_TRAN_BRD", 2});
    sweep(s, 0x10000, 2, 1, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0});

    i.access[0] = (struct sim_access){0x20ffe, 0x30ffe, 0x90000, 4, SIM_WRITE, 0};
    sim_instruction(s, &i);
    COUNTS(s, {"DCU_LINES_IN", 2}, {"DCU_M_LINES_IN", 2}, {"L2_ST", 2}, {"DATA_MEM_REFS", 2});
    touch(s, 0x30fe0, 4, SIM_READ);
    touch(s, 0x90000, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0});
    touch(s, 0x31000, 4, SIM_READ); /* behind it physically: never touched */
    COUNTS(s, {"DCU_LINES_IN", 1});
    sim_free(s);
}

/* ---- geometry ---- */

static void test_l1_sweeps(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        sweep(s, 0x100000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("DATA_MEM_REFS"), n);
        assert_int_equal(sum("DCU_LINES_IN"), n);
        assert_int_equal(sum("L2_LD:I"), n);
        assert_int_equal(sum("BUS_TRAN_BRD"), n);
        assert_int_equal(sum("DCU_M_LINES_OUT"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), n * (mem_clocks(&cpus[c]) - 2));
        assert_int_equal(sum("BUS_REQ_OUTSTANDING"), n * mem_clocks(&cpus[c]));
        sweep(s, 0x100000, n, 1, SIM_READ); /* all of it fits */
        COUNTS(s, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0}, {"BUS_TRAN_MEM", 0}, {"DCU_MISS_OUTSTANDING", 0});
        /* twice the size, in order: each line is gone when its turn comes, and is in the L2 */
        sweep(s, 0x100000, 2 * n, 1, SIM_READ);
        tell(s);
        sweep(s, 0x100000, 2 * n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), 2 * n);
        assert_int_equal(sum("L2_LD:E"), 2 * n);
        assert_int_equal(sum("L2_LD:I"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY_RD"), 2 * n * 7);
        assert_int_equal(sum("BUS_TRAN_ANY"), 0);
        sim_free(s);
    }
}

/* Lines of one set: as many as there are ways stay, one more does not fit. */
static void test_ways(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned ways = cpus[c].l1d_ways, l1_sets = cpus[c].l1_lines / ways,
                       l2_sets = cpus[c].l2_lines / 4;
        struct sim *s = warm_machine(&cpus[c]);
        sweep(s, 0x100000, ways, l1_sets, SIM_READ);
        tell(s);
        sweep(s, 0x100000, ways, l1_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), 0);
        sweep(s, 0x100000, ways + 1, l1_sets, SIM_READ);
        tell(s);
        assert_true(sum("DCU_LINES_IN") >= 1);
        sweep(s, 0x100000, ways + 1, l1_sets, SIM_READ);
        tell(s);
        assert_true(sum("DCU_LINES_IN") >= 1);

        /* the L2 has four ways everywhere; 2 x 4 in order: none survives */
        sweep(s, 0x8000a0, 4, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 4);
        sweep(s, 0x8000a0, 4, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 0);
        sweep(s, 0x8000a0, 8, l2_sets, SIM_READ);
        tell(s);
        sweep(s, 0x8000a0, 8, l2_sets, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LINES_IN"), 8);
        assert_int_equal(sum("L2_LINES_OUT"), 8);
        assert_int_equal(sum("L2_M_LINES_OUTM"), 0);
        assert_int_equal(sum("BUS_TRANS_WB"), 0);
        sim_free(s);
    }
}

static void test_l2_sweeps(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l2_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        tell(s);
        sweep(s, 0x1000000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("BUS_TRAN_BRD"), n);
        sweep(s, 0x1000000, 2 * n, 1, SIM_READ);
        tell(s);
        sweep(s, 0x1000000, 2 * n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("BUS_TRAN_BRD"), 2 * n);
        assert_int_equal(sum("L2_LINES_IN"), 2 * n);
        assert_int_equal(sum("L2_LINES_OUT"), 2 * n);
        sim_free(s);
    }
    /* A quarter of the L2 stays in it beside the code. */
    struct sim *s = warm_machine(&cpus[1]);
    sweep(s, 0x1000000, 4096, 1, SIM_READ);
    tell(s);
    sweep(s, 0x1000000, 4096, 1, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 4096}, {"L2_LD:E", 4096}, {"L2_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    sim_free(s);
}

/* Stores own their lines, and what they modified has to leave. */
static void test_stores(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = warm_machine(&cpus[c]);
        sim_cache_flush(s, true);
        tell(s);
        sweep(s, 0x100000, n, 1, SIM_WRITE);
        tell(s);
        assert_int_equal(sum("DCU_LINES_IN"), n);
        assert_int_equal(sum("DCU_M_LINES_IN"), n);
        assert_int_equal(sum("L2_ST:I"), n);
        assert_int_equal(sum("L2_LD"), 0);
        assert_int_equal(sum("L2_M_LINES_INM"), n);
        assert_int_equal(sum("BUS_TRAN_RFO"), n);
        assert_int_equal(sum("BUS_REQ_OUTSTANDING"), 0);
        assert_int_equal(sum("DCU_MISS_OUTSTANDING"), n * (mem_clocks(&cpus[c]) - 2));
        sweep(s, 0x100000, n, 1, SIM_WRITE);
        COUNTS(s, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0}, {"DCU_M_LINES_OUT", 0});
        sweep(s, 0x200000, n, 1, SIM_READ); /* drives them all out, into the L2 */
        tell(s);
        assert_int_equal(sum("DCU_M_LINES_OUT"), n);
        assert_int_equal(sum("L2_DBUS_BUSY"), 2 * n * 7);
        assert_int_equal(sum("L2_DBUS_BUSY_RD"), n * 7);
        assert_int_equal(sum("L2_ADS"), 2 * n);
        assert_int_equal(sum("BUS_TRANS_WB"), 0);
        sweep(s, 0x100000, n, 1, SIM_READ);
        tell(s);
        assert_int_equal(sum("L2_LD:M"), n);
        sim_free(s);
    }
}

/* Read, then written: no request of its own, the L2 learns of it when the line leaves. */
static void test_silent_upgrade(void **state)
{
    struct sim *s = warm_machine(&cpus[1]);
    (void)state;
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"L2_LD:I", 1}, {"L2_ST", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_RQSTS", 0}, {"DCU_M_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    sweep(s, 0x200000, 4, 128, SIM_READ); /* the set's four ways */
    COUNTS(s, {"DCU_M_LINES_OUT", 1}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_RMW); /* found modified; a load that misses, a store that hits */
    COUNTS(s, {"L2_LD:M", 1}, {"L2_ST", 0}, {"DATA_MEM_REFS", 2}, {"DCU_LINES_IN", 1}, {"DCU_M_LINES_IN", 0});
    sim_free(s);
}

/* The L2 need not hold what the DCU has: such a victim goes to memory. */
static void test_not_inclusive(void **state)
{
    struct sim *s = warm_machine(&cpus[1]);
    (void)state;
    touch(s, 0x100000, 4, SIM_WRITE);
    tell(s);
    /* Five lines of its L2 set drive it out of there, M as it is. That takes it through its L1D set as well
     * (the L2's sets repeat after the L1D's), so it is touched in between to be the youngest there. */
    for (unsigned i = 1; i <= 5; i++) {
        touch(s, 0x100000 + i * 4096 * 32, 4, SIM_READ);
        touch(s, 0x100000, 4, SIM_READ);
    }
    COUNTS(s, {"L2_LINES_IN", 5}, {"L2_M_LINES_OUTM", 1}, {"BUS_TRANS_WB", 1}, {"DCU_M_LINES_OUT", 0});
    sweep(s, 0x300000 + 32 * 128, 8, 128, SIM_READ); /* now out of the DCU, by other L2 sets */
    tell(s);
    assert_int_equal(sum("DCU_M_LINES_OUT"), 1);
    assert_int_equal(sum("BUS_TRANS_WB"), 1);
    assert_int_equal(sum("L2_LINES_IN"), 8);
    sim_free(s);
}

static void test_flushes(void **state)
{
    struct sim *s = warm_machine(&cpus[1]);
    (void)state;
    sim_cache_flush(s, false);
    touch(s, 0x7fff0fe0, 4, SIM_READ); /* code line, data line */
    sweep(s, 0x100000, 10, 1, SIM_READ);
    sweep(s, 0x100000, 4, 1, SIM_WRITE); /* M in the DCU, E in the L2 */
    sweep(s, 0x200000, 3, 1, SIM_WRITE); /* M in both */
    tell(s);
    sim_cache_flush(s, true);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 7}, {"L2_LINES_OUT", 15}, {"L2_M_LINES_OUTM", 7}, {"BUS_TRANS_WB", 7},
           {"BUS_TRAN_IFETCH", 1}, {"BUS_TRAN_BRD", 1});
    sim_cache_flush(s, true); /* nothing modified any more */
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"L2_LINES_OUT", 2}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_WRITE); /* modified, and driven out before the flush: it is in the L2 only */
    sweep(s, 0x104000, 4, 128, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 1});
    sim_cache_flush(s, true);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0}, {"L2_M_LINES_OUTM", 1}, {"BUS_TRANS_WB", 1});
    sweep(s, 0x200000, 3, 1, SIM_WRITE);
    tell(s);
    sim_cache_flush(s, false); /* INVD writes nothing back */
    touch(s, 0x200000, 4, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0}, {"BUS_TRANS_WB", 0}, {"L2_M_LINES_OUTM", 3}, {"L2_LINES_OUT", 5},
           {"DCU_LINES_IN", 1});
    sim_free(s);
}

/* ---- uncached, I/O ---- */

static void test_uncached(void **state)
{
    struct sim *s = warm_machine(&cpus[0]);
    (void)state;
    touch_as(s, 0xa0000, 4, SIM_READ, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 1}, {"BUS_TRAN_PWR", 0}, {"BUS_TRAN_MEM", 1}, {"BUS_TRAN_BURST", 0},
           {"BUS_TRAN_ANY", 1}, {"DATA_MEM_REFS", 1}, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0});
    touch_as(s, 0xa0000, 4, SIM_WRITE, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 1}, {"BUS_TRAN_PWR", 1}, {"BUS_TRAN_ANY", 1});
    touch_as(s, 0xa0006, 4, SIM_RMW, true, 0); /* across the 8 bytes of the bus */
    COUNTS(s, {"BUS_TRANS_P", 4}, {"BUS_TRAN_PWR", 2}, {"BUS_TRAN_ANY", 4}, {"BUS_DRDY_CLOCKS:ANY", 12});
    touch_as(s, 0xa001e, 4, SIM_WRITE, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 2}, {"DATA_MEM_REFS", 2});
    touch_as(s, 0xfee00340, 4, SIM_RMW, true, 0); /* the local APIC is inside */
    COUNTS(s, {"BUS_TRAN_ANY", 0}, {"DATA_MEM_REFS", 2});
    touch_as(s, 0xfee01000, 4, SIM_READ, true, 0);
    COUNTS(s, {"BUS_TRAN_ANY", 1});
    sim_free(s);
}

static void test_io(void **state)
{
    static const struct {
        unsigned port, bytes, n, transactions;
    } rows[] = {{0x3f8, 1, 1, 1}, {0x3fb, 1, 1, 1}, {0x1f0, 2, 256, 256}, {0x3f9, 2, 1, 1},
                {0x3fb, 2, 1, 2}, {0xcf8, 4, 1, 1}, {0xcf9, 4, 1, 2},     {0xcfa, 4, 300, 600}};
    struct sim *s = warm_machine(&cpus[2]);
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .op = OP_IO};
        i.io_port = rows[r].port;
        i.io_bytes = rows[r].bytes;
        i.iterations_io = rows[r].n;
        sim_instruction(s, &i);
        tell(s);
        assert_int_equal(sum("BUS_TRANS_IO"), rows[r].transactions);
        assert_int_equal(sum("BUS_TRAN_ANY"), rows[r].transactions);
        assert_int_equal(sum("BUS_TRAN_MEM"), 0);
        assert_int_equal(sum("DATA_MEM_REFS"), 0);
    }
    sim_free(s);
}

/* ---- fetch ---- */

static void test_fetch_blocks(void **state)
{
    struct sim *s = machine(&cpus[2]);
    (void)state;
    for (unsigned i = 0; i < 64; i++) execute(s, 0x10000 + i, 0x10000 + i, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 4}, {"IFU_IFETCH_MISS", 2}, {"L2_IFETCH:I", 2}, {"BUS_TRAN_IFETCH", 2},
           {"ITLB_MISS", 1});
    execute(s, 0x10040, 0x10040, 16, 0); /* where the stream goes on, a block of its own */
    COUNTS(s, {"IFU_IFETCH", 1}, {"IFU_IFETCH_MISS", 1});
    execute(s, 0x1005f, 0x1005f, 4, 0); /* elsewhere, and into two blocks of two lines */
    COUNTS(s, {"IFU_IFETCH", 2}, {"IFU_IFETCH_MISS", 1}, {"ITLB_MISS", 0});
    /* a loop of one block: each turn fetches it anew, and hits */
    for (unsigned i = 0; i < 100; i++) {
        execute(s, 0x10000, 0x10000, 2, 0);
        execute(s, 0x10002, 0x10002, 2, OP_BRANCH | OP_COND | (i < 99 ? OP_TAKEN : 0));
    }
    execute(s, 0x10004, 0x10004, 2, 0);
    COUNTS(s, {"IFU_IFETCH", 100}, {"IFU_IFETCH_MISS", 0}, {"BR_TAKEN_RETIRED", 99});
    /* a jump to the next instruction, and an interrupt's return to it, begin anew */
    execute(s, 0x10006, 0x10006, 2, OP_BRANCH | OP_TAKEN);
    execute(s, 0x10008, 0x10008, 1, 0);
    sim_interrupt(s, 0x20, false, 0);
    execute(s, 0x10009, 0x10009, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 2});
    sim_free(s);
}

/* An instruction across a page takes its second part from where that page is. */
static void test_fetch_pages(void **state)
{
    struct sim *s = machine(&cpus[0]);
    struct sim_insn i = {.lin = 0x10ffe, .phys = 0x50ffe, .phys_high = 0x90000, .len = 5};
    (void)state;
    sim_instruction(s, &i);
    COUNTS(s, {"IFU_IFETCH", 2}, {"IFU_IFETCH_MISS", 2}, {"ITLB_MISS", 2}, {"L2_IFETCH:I", 2});
    execute(s, 0x11003, 0x90003, 1, 0);
    COUNTS(s, {"IFU_IFETCH", 0});
    execute(s, 0x21003, 0x90003, 1, 0); /* the same line by another page: a miss of the ITLB alone */
    COUNTS(s, {"IFU_IFETCH", 1}, {"IFU_IFETCH_MISS", 1}, {"ITLB_MISS", 1}, {"L2_IFETCH", 0});
    sim_free(s);
}

/* 32 entries in 8 sets. */
static void test_itlb(void **state)
{
    struct sim *s = machine(&cpus[1]);
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned p = 0; p < 32; p++) execute(s, 0x100000 + p * 0x1000, 0x20000, 1, 0);
        tell(s);
        assert_int_equal(sum("ITLB_MISS"), turn ? 0 : 32);
        assert_int_equal(sum("L2_IFETCH"), turn ? 0 : 1); /* all in one line */
    }
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned p = 0; p < 64; p++) execute(s, 0x100000 + p * 0x1000, 0x20000, 1, 0);
        tell(s);
        if (turn) assert_int_equal(sum("ITLB_MISS"), 64);
    }
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 0});
    sim_tlb_invalidate(s, 0x13f123);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 1});
    sim_tlb_invalidate(s, 0x13e000);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 0});
    sim_tlb_flush(s, true);
    execute(s, 0x13f000, 0x20000, 1, 0);
    COUNTS(s, {"ITLB_MISS", 1});
    sim_free(s);
}

static void test_l1i_sweeps(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        const unsigned n = cpus[c].l1_lines;
        struct sim *s = machine(&cpus[c]);
        for (unsigned turn = 0; turn < 4; turn++) {
            const unsigned lines = turn < 2 ? n : 2 * n;
            for (unsigned i = 0; i < lines; i++)
                execute(s, CODE, 0x100000 + 32 * i, 16, OP_BRANCH | OP_TAKEN);
            tell(s);
            assert_int_equal(sum("IFU_IFETCH"), lines);
            if (turn == 0) assert_int_equal(sum("L2_IFETCH:I"), n);
            if (turn == 1) assert_int_equal(sum("IFU_IFETCH_MISS"), 0);
            if (turn == 3) {
                assert_int_equal(sum("IFU_IFETCH_MISS"), 2 * n);
                assert_int_equal(sum("L2_IFETCH:E"), 2 * n);
                assert_int_equal(sum("L2_DBUS_BUSY_RD"), 2 * n * 7);
                assert_int_equal(sum("DCU_LINES_IN"), 0);
            }
        }
        sim_free(s);
    }
}

/* ---- other agents ---- */

static void test_shared_lines(void **state)
{
    struct sim *s = warm_machine(&cpus[1]);
    (void)state;
    touch(s, 0x100000, 4, SIM_READ);
    tell(s);
    sim_p6_snoop_read(s, 0x100000, 0);
    COUNTS(s, {"BUS_TRAN_BRD", 0}, {"BUS_TRAN_BRD:ANY", 1}, {"BUS_TRAN_ANY", 0}, {"BUS_TRAN_ANY:ANY", 1},
           {"DCU_M_LINES_OUT", 0});
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    touch(s, 0x100000, 4, SIM_WRITE); /* the other's copy has to go first */
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1}, {"BUS_TRAN_MEM", 1}, {"BUS_TRAN_BURST", 0},
           {"BUS_TRANS_P", 0}, {"DCU_LINES_IN", 0}, {"DCU_MISS_OUTSTANDING", 14 * 4 - 2});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_RQSTS", 0}, {"BUS_TRAN_ANY", 0});
    sim_p6_snoop_read(s, 0x100000, 0); /* HITM */
    COUNTS(s, {"DCU_M_LINES_OUT", 1}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1});
    sim_p6_snoop_read(s, 0x100000, 0);
    tell(s);
    /* shared in the L2 alone: a load brings it in as shared, a store invalidates */
    sweep(s, 0x200000, 4, 128, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0});
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"L2_LD:S", 1}, {"BUS_TRAN_ANY", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1});
    sim_p6_snoop_read(s, 0x900000, 0); /* not here */
    touch(s, 0x900000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:I", 1}, {"BUS_TRAN_INVAL", 0}, {"BUS_TRAN_RFO", 1});
    sim_free(s);
}

static void test_agents(void **state)
{
    static const struct {
        enum p6_transaction what;
        const char *own;
        bool memory, burst, partial;
    } rows[] = {
        {P6_BURST_READ, "BUS_TRAN_BRD", 1, 1, 0},    {P6_READ_FOR_OWNERSHIP, "BUS_TRAN_RFO", 1, 1, 0},
        {P6_WRITE_BACK, "BUS_TRANS_WB", 1, 1, 0},    {P6_INSTRUCTION_FETCH, "BUS_TRAN_IFETCH", 1, 1, 0},
        {P6_INVALIDATE, "BUS_TRAN_INVAL", 1, 0, 0},  {P6_PARTIAL_READ, "BUS_TRANS_P", 1, 0, 1},
        {P6_PARTIAL_WRITE, "BUS_TRAN_PWR", 1, 0, 1}, {P6_IO_TRANSACTION, "BUS_TRANS_IO", 0, 0, 0},
        {P6_DEFERRED, "BUS_TRAN_DEF", 0, 0, 0}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char any[40];
        struct sim *s = warm_machine(&cpus[0]);
        snprintf(any, sizeof any, "%s:ANY", rows[r].own);
        sim_p6_bus(s, P6_SELF, rows[r].what, 3, 3);
        sim_p6_bus(s, P6_OTHER, rows[r].what, 5, 0);
        tell(s);
        assert_int_equal(value(rows[r].own, 'u'), 3);
        assert_int_equal(value(rows[r].own, 'k'), 0);
        assert_int_equal(value(any, 'u'), 3);
        assert_int_equal(value(any, 'k'), 5);
        assert_int_equal(sum("BUS_TRAN_ANY:ANY"), 8);
        assert_int_equal(sum("BUS_TRAN_MEM:ANY"), 8 * rows[r].memory);
        assert_int_equal(sum("BUS_TRAN_BURST:ANY"), 8 * rows[r].burst);
        assert_int_equal(sum("BUS_TRANS_P:ANY"), 8 * rows[r].partial);
        assert_int_equal(sum("BUS_DRDY_CLOCKS:ANY"), 8 * 3 *
                                                         (rows[r].burst               ? 4
                                                          : rows[r].partial || r == 7 ? 1
                                                                                      : 0));
        sim_free(s);
    }
}

/* ---- random streams ---- */

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) * n >> 32);
}

/* Code and data near and far, more than the ways of their L2 sets, cached and not, at two levels, with
 * everything else thrown in. */
static void stream(struct sim *s, unsigned n, uint64_t from)
{
    uint64_t ip = CODE;
    seed = from;
    while (n--) {
        struct sim_insn i = {.lin = ip, .phys = ip, .len = 1 + rnd(7), .cpl = rnd(4) ? 3 : 0};
        i.phys_high = (ip & ~0xfffull) + 0x1000;
        i.cpl_after = i.cpl;
        ip += i.len;
        if (!rnd(6)) {
            i.op = OP_BRANCH | OP_COND | (rnd(3) ? OP_TAKEN : 0);
            if (i.op & OP_TAKEN) ip = CODE + rnd(rnd(8) ? 0x2000 : 0x80000);
        } else {
            static const uint32_t ops[] = {OP_X87,
                                           OP_X87 | OP_FLOP,
                                           OP_X87 | OP_FLOP | OP_FMUL,
                                           OP_X87 | OP_FCOM,
                                           OP_IMUL,
                                           OP_IDIV,
                                           OP_X87 | OP_FLOP | OP_FDIV,
                                           OP_MMX,
                                           OP_EMMS,
                                           OP_SSE,
                                           OP_IO};
            if (!rnd(3)) i.op = ops[rnd(sizeof ops / sizeof *ops)];
            if (i.op == OP_IO) {
                i.io_port = 0x3f0 + rnd(16);
                i.io_bytes = 1u << rnd(3);
                i.iterations_io = 1 + rnd(3);
            }
            i.seg_loads = !rnd(20);
        }
        i.n_access = rnd(3);
        for (unsigned k = 0; k < i.n_access; k++) {
            static const uint8_t bytes[] = {1, 2, 4, 4, 4, 8, 10, 16};
            const uint64_t at = 0x1000000 + (rnd(4) ? rnd(0x1000) : rnd(32) * 0x20000 + rnd(0x800));
            i.access[k] =
                (struct sim_access){at, at, (at & ~0xfffull) + 0x1000, bytes[rnd(8)], 1 + rnd(3), !rnd(50)};
        }
        sim_ticks(s, 1, false, i.cpl);
        sim_instruction(s, &i);
        if (!rnd(100)) sim_p6_snoop_read(s, 0x1000000 + rnd(0x1000), rnd(4) ? 3 : 0);
        if (!rnd(100)) sim_p6_bus(s, P6_OTHER, rnd(P6_DEFERRED + 1), 1 + rnd(3), rnd(4) ? 3 : 0);
        if (!rnd(100)) sim_p6_bus(s, P6_SELF, P6_DEFERRED, 1, rnd(4) ? 3 : 0);
        if (!rnd(300)) sim_interrupt(s, 0x20, false, rnd(4) ? 3 : 0);
        if (!rnd(500)) sim_exception(s, 14, 3);
        if (!rnd(1000)) sim_tlb_flush(s, true);
        if (!rnd(200)) sim_ticks(s, 10, true, 0);
        if (!rnd(4000)) sim_cache_flush(s, rnd(2));
    }
}

/* Heller's relations (seed 001; facts 2.3), every term above 0. */
static void test_relations(void **state)
{
    static const char *const equal[][6] = {
        {"L2_RQSTS", "L2_IFETCH", "L2_LD", "L2_ST"},
        {"L2_RQSTS:M", "L2_LD:M", "L2_ST:M", NULL},
        {"L2_RQSTS:I", "L2_IFETCH:I", "L2_LD:I", "L2_ST:I"},
        {"BUS_TRAN_BURST", "BUS_TRAN_BRD", "BUS_TRAN_RFO", "BUS_TRANS_WB", "BUS_TRAN_IFETCH"},
        {"BUS_TRAN_MEM", "BUS_TRAN_BURST", "BUS_TRANS_P", "BUS_TRAN_INVAL"},
        {"BUS_TRAN_ANY", "BUS_TRANS_IO", "BUS_TRAN_MEM", "BUS_TRAN_DEF"},
        {"BUS_TRAN_BURST:ANY", "BUS_TRAN_BRD:ANY", "BUS_TRAN_RFO:ANY", "BUS_TRANS_WB:ANY",
         "BUS_TRAN_IFETCH:ANY"},
        {"BUS_TRAN_MEM:ANY", "BUS_TRAN_BURST:ANY", "BUS_TRANS_P:ANY", "BUS_TRAN_INVAL:ANY"},
        {"BUS_TRAN_ANY:ANY", "BUS_TRANS_IO:ANY", "BUS_TRAN_MEM:ANY", "BUS_TRAN_DEF:ANY"},
        /* "Is it always 45 = 46 + 29?" Here it is: a line is allocated for a load or for a store. */
        {"DCU_LINES_IN", "DCU_M_LINES_IN", "L2_LD"},
    };
    static const char *const within[][2] = {{"ITLB_MISS", "IFU_IFETCH_MISS"},
                                            {"DCU_M_LINES_IN", "DCU_LINES_IN"},
                                            {"L2_DBUS_BUSY_RD", "L2_DBUS_BUSY"},
                                            {"L2_M_LINES_INM", "L2_LINES_IN"},
                                            {"L2_M_LINES_OUTM", "L2_LINES_OUT"},
                                            {"BUS_TRAN_PWR", "BUS_TRANS_P"},
                                            {"IFU_IFETCH_MISS", "IFU_IFETCH"},
                                            {"DCU_LINES_IN", "DATA_MEM_REFS"},
                                            {"BUS_TRAN_IFETCH", "L2_IFETCH"},
                                            {"L2_IFETCH", "IFU_IFETCH_MISS"},
                                            {"L2_IFETCH", "L2_RQSTS"},
                                            {"L2_LD", "L2_RQSTS"},
                                            {"L2_ST", "L2_RQSTS"},
                                            {"BUS_TRAN_BRD", "BUS_TRAN_BURST"},
                                            {"BUS_TRAN_RFO", "BUS_TRAN_BURST"},
                                            {"BUS_TRANS_WB", "BUS_TRAN_BURST"},
                                            {"BUS_TRAN_IFETCH", "BUS_TRAN_BURST"}};
    (void)state;
    for (unsigned run = 0; run < 9; run++) {
        struct sim *s = machine(&cpus[run % N_CPUS]);
        stream(s, 20000, 0x9e3779b97f4a7c15 + run);
        tell(s);
        for (const char *level = "kub"; *level; level++) { /* the same qualifier on all terms */
            for (size_t r = 0; r < sizeof equal / sizeof *equal; r++) {
                uint64_t right = 0;
                for (unsigned k = 1; k < 6 && equal[r][k]; k++) {
                    assert_true(value(equal[r][k], *level) > 0);
                    right += value(equal[r][k], *level);
                }
                if (value(equal[r][0], *level) != right)
                    fail_msg("run %u, %c: %s is %llu, its parts are %llu", run, *level, equal[r][0],
                             (unsigned long long)value(equal[r][0], *level), (unsigned long long)right);
            }
            for (size_t r = 0; r < sizeof within / sizeof *within; r++) {
                const uint64_t left = value(within[r][0], *level), right = value(within[r][1], *level);
                if (left == 0 || left > right)
                    fail_msg("run %u, %c: %s is %llu, %s %llu", run, *level, within[r][0],
                             (unsigned long long)left, within[r][1], (unsigned long long)right);
            }
        }
        sim_free(s);
    }
}

/* Every event on every counter that can count it, at every qualification, against the oracle, which knows
 * nothing of the programming; and for MESI events each combination of the mask. */
static void test_counters_and_oracle(void **state)
{
    enum { N = 3000 };
    static const uint32_t levels[] = {USR, OS, USR | OS};
    (void)state;
    for (size_t c = 0; c < N_CPUS; c++) {
        char whole[sizeof line];
        struct sim *s = machine(&cpus[c]);
        stream(s, N, 42);
        tell(s);
        memcpy(whole, line, sizeof whole);
        sim_free(s);
        unsigned compared = 0, moved = 0;
        for (unsigned e = 0; e < P6_EVENTS; e++)
            for (unsigned n = 0; n < 2; n++) {
                const struct sim_event *ev = &p6_events[e];
                const unsigned l = (e + n) % 3;
                if (!sim_event_modelled(ev) || (ev->models && !(ev->models >> c & 1))) continue;
                s = sim_new(cpus[c].model, NULL, NULL);
                assert_int_equal(sim_wrmsr(s, SEL0, (n == 0 ? ev->code | levels[l] : 0) | EN), 1);
                assert_int_equal(sim_wrmsr(s, SEL1, n == 1 ? ev->code | levels[l] : 0), 1);
                stream(s, N, 42);
                uint64_t v, want, other;
                assert_int_equal(sim_rdmsr(s, CTR0 + n, &v), 1);
                assert_int_equal(sim_rdmsr(s, CTR0 + !n, &other), 1);
                memcpy(line, whole, sizeof whole);
                want = value(ev->name, "ukb"[l]);
                if (ev->counters && !(ev->counters >> n & 1)) want = 0;
                if (v != want)
                    fail_msg("%s %s on counter %u: %llu, oracle %llu", cpus[c].model, ev->name, n,
                             (unsigned long long)v, (unsigned long long)want);
                assert_int_equal(other, 0);
                compared++;
                moved += v != 0;
                sim_free(s);
            }
        if (compared < 120 || moved < compared / 2) fail_msg("%u compared, %u moved", compared, moved);
    }
}

static void test_mesi_masks(void **state)
{
    static const char *const names[] = {"L2_IFETCH", "L2_LD", "L2_ST", "L2_RQSTS"};
    static const uint32_t events[] = {0x28, 0x29, 0x2a, 0x2e};
    (void)state;
    for (unsigned e = 0; e < 4; e++)
        for (uint32_t mask = 0; mask < 16; mask++) {
            struct sim *s = machine(&cpus[1]);
            uint64_t v, want = 0;
            assert_int_equal(sim_wrmsr(s, SEL0, events[e] | mask << 8 | USR | OS | EN), 1);
            stream(s, 1500, 7);
            assert_int_equal(sim_rdmsr(s, CTR0, &v), 1);
            tell(s);
            for (unsigned b = 0; b < 4; b++) {
                char name[32];
                snprintf(name, sizeof name, "%s:%c", names[e], "ISEM"[b]);
                if (mask >> b & 1) want += sum(name);
            }
            assert_int_equal(v, want);
            if (mask == 15) assert_int_equal(v, sum(names[e]));
            sim_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_l1_sweeps),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_l2_sweeps),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_silent_upgrade),
        cmocka_unit_test(test_not_inclusive),
        cmocka_unit_test(test_flushes),
        cmocka_unit_test(test_uncached),
        cmocka_unit_test(test_io),
        cmocka_unit_test(test_fetch_blocks),
        cmocka_unit_test(test_fetch_pages),
        cmocka_unit_test(test_itlb),
        cmocka_unit_test(test_l1i_sweeps),
        cmocka_unit_test(test_shared_lines),
        cmocka_unit_test(test_agents),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_counters_and_oracle),
        cmocka_unit_test(test_mesi_masks),
    };
    return cmocka_run_group_tests_name("sim_p6_mem", tests, NULL, NULL);
}
