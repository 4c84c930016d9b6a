/* NetBurst model: geometry, and batches against single instructions. */
#include "tests/unit/netburst_facts.h"

/* ---- geometry ---- */

/* Lines that a set of the L1D holds, by 2 KiB strides; the L2 by the size of its way. */
static unsigned misses_of(const char *model, const char *metric, unsigned lines, unsigned stride)
{
    json_t *line = NULL;
    given(model, NULL);
    for (unsigned round = 0; round < 2; round++) {
        sim_oracle_begin(sim, "x");
        for (unsigned k = 0; k < lines; k++) access(0, 0x1000000 + (uint64_t)stride * k, 4, SIM_READ);
        json_decref(line);
        line = oracle_line(sim);
    }
    json_t *event = json_object_get(json_object_get(line, "events"), metric);
    const unsigned n = (unsigned)json_integer_value(json_object_get(event, "k"));
    json_decref(line);
    return n;
}

TEST_WITH(test_geometry, NULL, teardown)
{
    static const struct {
        const char *model;
        unsigned l1_ways, l2_kib;
    } rows[] = {{"willamette", 4, 256}, {"northwood", 4, 512}, {"prescott", 8, 1024}};
    for (unsigned k = 0; k < 3; k++) {
        const char *l1 = "1stL_cache_load_miss_retired", *l2 = "2ndL_cache_load_miss_retired";
        const unsigned ways = rows[k].l1_ways, way = rows[k].l2_kib * 1024 / 8;
        assert_int_equal(misses_of(rows[k].model, l1, ways, 2048), 0);
        assert_int_equal(misses_of(rows[k].model, l1, 2 * ways, 2048), 2 * ways);
        assert_int_equal(misses_of(rows[k].model, l1, ways * 32, 64), 0);
        assert_int_equal(misses_of(rows[k].model, l2, 8, way), 0);
        assert_int_equal(misses_of(rows[k].model, l2, 16, way), 16);
        assert_int_equal(misses_of(rows[k].model, l2, 16, way / 2), 0);
        assert_int_equal(misses_of(rows[k].model, "DTLB_load_miss_retired", 64, 4096), 0);
        assert_int_equal(misses_of(rows[k].model, "DTLB_load_miss_retired", 128, 4096), 128);
    }
}

/* ---- batches ---- */

#define STEPS 400
static struct sim_step steps[STEPS];
static unsigned n_steps;
static struct sim_insn insns[STEPS];

/* A program of plain instructions, calls and returns, as single instructions and as one batch. */
static void random_program(unsigned seed)
{
    uint32_t r = seed * 2654435761u + 1;
    n_steps = 0;
    for (unsigned k = 0; k < STEPS / 2; k++) {
        struct sim_insn *i = &insns[k];
        r = r * 1664525u + 1013904223u;
        const unsigned what = r >> 28, bytes = r >> 20 & 4 ? 8 : 4;
        *i = (struct sim_insn){.lin = 0x1000 + 4 * k, .phys = 0x1000 + 4 * k, .len = 4};
        if (what == 0) i->op = OP_BRANCH | OP_COND;
        if (what == 1) i->op = OP_BRANCH | OP_RET | OP_TAKEN;
        if (what == 2) i->op = OP_BRANCH | OP_CALL | OP_TAKEN;
        if (what == 3) i->op = OP_X87 | OP_FLOP;
        if (what == 4) i->op = OP_SSE | OP_PACKED_SP;
        if (what != 0 && what < 12) {
            const unsigned kind = what == 1 ? SIM_READ : what == 2 ? SIM_WRITE : 1 + (r >> 8) % 3;
            i->access[i->n_access++] = mem(0x10000 + (r >> 4 & 0xffff), bytes, kind);
            if (what == 5) i->access[i->n_access++] = mem(0x20000 + (r >> 6 & 0xffff), bytes, SIM_WRITE);
        }
        for (unsigned j = 0; j < i->n_access; j++)
            steps[n_steps++] = (struct sim_step){.access = i->access[j], .end = i->lin + 4};
        if (i->op & OP_BRANCH)
            steps[n_steps++] =
                (struct sim_step){.lin = i->lin, .end = i->lin + 4, .op = i->op, .access.lin = i->lin + 4};
    }
}

static bool cached(void *ctx, uint64_t phys)
{
    (void)ctx, (void)phys;
    return false;
}

static void as_batch(void)
{
    struct sim_kind kinds[STEPS / 2];
    struct sim_batch b = {
        .lin = 0x1000, .end = 0x1000 + 4 * (STEPS / 2), .ticks = STEPS / 2, .uncached = cached};
    for (unsigned k = 0; k < STEPS / 2; k++) kinds[k] = (struct sim_kind){insns[k].op, 1, 0};
    b.steps = steps;
    b.n_steps = n_steps;
    b.kinds = kinds;
    b.n_kinds = STEPS / 2;
    assert_int_not_equal(sim_batches(sim), SIM_BATCH_NONE); /* the x87 instructions of these have no assist */
    sim_batch(sim, &b);
}

static void one_by_one(void)
{
    for (unsigned k = 0; k < STEPS / 2; k++) run(insns[k]);
}

TEST_WITH(test_batch, NULL, teardown)
{
    for (unsigned seed = 0; seed < 30; seed++) {
        json_t *line[2];
        uint64_t counters[2][4];
        random_program(seed);
        for (unsigned k = 0; k < 2; k++) {
            given("northwood", NULL);
            count(13, 0x3bc, EVENT(0x02, seed % 3 * 2 + 2) | BOTH, ESEL(2));
            count(8, 0x3a4, EVENT(0x04, 0x8000) | BOTH | TAG(1), ESEL(1));
            wr(0x3f2, 3);
            wr(0x3f1, 5u | 1u << 24);
            count(12, CRU_ESCR2, FRONT_END | BOTH, ESEL(5));
            count(14, CRU_ESCR3, REPLAY | BOTH, ESEL(5));
            count(16, CRU_ESCR0, EVENT(0x02, 2) | BOTH, ESEL(4));
            count(17, CRU_ESCR1, EVENT(0x01, 1) | BOTH, ESEL(4));
            line[k] = oracle_of(k ? as_batch : one_by_one);
            const unsigned n[] = {12, 14, 16, 17};
            for (unsigned j = 0; j < 4; j++) counters[k][j] = rd(COUNTER(n[j]));
        }
        assert_true(json_equal(line[0], line[1]));
        assert_memory_equal(counters[0], counters[1], sizeof counters[0]);
        assert_true(counters[0][0] > 10 && counters[0][1] > 10 && counters[0][2] > 10);
        json_decref(line[0]);
        json_decref(line[1]);
    }
}

/* Where x87_assist is counted, x87 instructions have to come one by one: they tell their assists. */
TEST_WITH(test_assists, NULL, teardown)
{
    given("willamette", NULL);
    count(12, CRU_ESCR2, FRONT_END | BOTH, ESEL(5));
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    count(14, CRU_ESCR3, EVENT(0x03, 0x1f) | BOTH, ESEL(5));
    assert_int_equal(sim_batches(sim), SIM_BATCH_NO_X87);
}
