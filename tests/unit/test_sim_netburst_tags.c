/* NetBurst model: what depends on tags, geometry, and batches against single instructions. */
#include "tests/unit/netburst_facts.h"

/* ---- tags ---- */

static uint64_t tagged(void (*what)(void), uint32_t event)
{
    count(12, CRU_ESCR2, event | BOTH, ESEL(5));
    what();
    const uint64_t n = rd(COUNTER(12));
    wr(CCCR(12), 0);
    return n;
}

static void mixed(void)
{
    for (unsigned k = 0; k < 3; k++) {
        access(0, 0x100000 + 64 * k, 4, SIM_READ);  /* three misses, in a new page */
        access(0, 0x100000 + 64 * k, 4, SIM_READ);  /* hits */
        access(0, 0x100000 + 64 * k, 4, SIM_WRITE); /* three stores */
    }
    access(0, 0x300000, 4, SIM_WRITE);     /* one that misses the DTLB */
    access(OP_LOCK, 0x400000, 4, SIM_RMW); /* untaggable */
    access(0, 0x40003e, 4, SIM_READ);      /* split, its second line missing */
    access(0, 0x40003e, 4, SIM_WRITE);     /* split */
}

static void test_front_end_tags(void **state)
{
    static const struct {
        uint16_t mask;
        unsigned n;
    } want[] = {{2, 7}, {4, 5}, {6, 12}};
    (void)state;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < 3; k++) {
            given("willamette", NULL);
            assert_int_equal(tagged(mixed, FRONT_END), 0);
            count(13 + 2 * side, 0x3bc + side, EVENT(0x02, want[k].mask) | BOTH, ESEL(2));
            count(14, CRU_ESCR1, EVENT(0x02, 1) | BOTH, ESEL(4)); /* without a tag */
            count(16, CRU_ESCR0, EVENT(0x02, 2) | BOTH, ESEL(4)); /* with one */
            assert_int_equal(tagged(mixed, FRONT_END), want[k].n);
            assert_int_equal(rd(COUNTER(14)), 13 - want[k].n);
            assert_int_equal(rd(COUNTER(16)), want[k].n);
            /* Other mechanisms do not see them. */
            assert_int_equal(tagged(mixed, REPLAY), 0);
            assert_int_equal(tagged(mixed, EXECUTION(15)), 0);
            /* Tagged where the upstream ESCR lets it. */
            wr(0x3bc + side, EVENT(0x02, want[k].mask) | USR);
            assert_int_equal(tagged(mixed, FRONT_END), 0);
        }
}

static void test_replay_tags(void **state)
{
    /* Facts 3.5's table, with the counts of mixed() from cold. */
    static const struct {
        const char *metric;
        uint32_t enable, vert;
        uint32_t saat, saat_value;
        unsigned n;
    } want[] = {
        {"1stL_cache_load_miss_retired", 1u << 0, 1, 0, 0, 4},
        {"2ndL_cache_load_miss_retired", 1u << 1, 1, 0, 0, 4},
        {"DTLB_load_miss_retired", 1u << 2, 1, 0, 0, 1},
        {"DTLB_store_miss_retired", 1u << 2, 2, 0, 0, 1},
        {"DTLB_all_miss_retired", 1u << 2, 3, 0, 0, 2},
        {"split_load_retired", 1u << 10, 1, 0x3af, EVENT(0x04, 2) | BOTH, 1},
        {"split_store_retired", 1u << 10, 2, 0x3ae, EVENT(0x05, 2) | BOTH, 1},
        {"split_store_retired", 1u << 10, 2, 0x3af, EVENT(0x05, 2) | BOTH, 1},
        /* Not without the ESCR, nor through the wrong one. */
        {NULL, 1u << 10, 3, 0, 0, 0},
        {NULL, 1u << 10, 3, 0x3ae, EVENT(0x04, 2) | BOTH, 0},
        /* Once, whatever a μop meets: the first load misses all three. */
        {NULL, 7, 1, 0, 0, 4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        given("northwood", NULL);
        wr(0x3f2, want[k].vert);
        if (want[k].saat) count(want[k].saat & 1 ? 10 : 8, want[k].saat, want[k].saat_value, ESEL(2));
        wr(0x3f1, want[k].enable | 1u << 24);
        count(12, CRU_ESCR2, REPLAY | BOTH, ESEL(5));
        access(0, 0x400000 - 0x1000 * 0, 4, SIM_READ); /* brings line and page for the locked one */
        wr(COUNTER(12), 0);
        /* From here on as tagged() does, with the oracle's metric beside. */
        json_t *line = oracle_of(mixed);
        if (want[k].metric) {
            json_t *metric = json_object_get(json_object_get(line, "events"), want[k].metric);
            assert_int_equal(json_integer_value(json_object_get(metric, "k")), rd(COUNTER(12)));
        }
        json_decref(line);
        if (rd(COUNTER(12)) != want[k].n) fail_msg("row %zu: %u", k, (unsigned)rd(COUNTER(12)));
        /* Bit 24 switches tagging. */
        wr(0x3f1, want[k].enable);
        assert_int_equal(tagged(mixed, REPLAY), 0);
    }
}

static void sums(void)
{
    for (unsigned k = 0; k < 5; k++) packed_sp();
    for (unsigned k = 0; k < 7; k++) fadd();
    for (unsigned k = 0; k < 11; k++) mmx();
}

/* Four tag bits at once; a μop with two of them counts once. */
static void test_execution_tags(void **state)
{
    static const struct {
        unsigned sp, x87; /* tag values of the two ESCRs */
        uint16_t mask;
        unsigned n;
    } want[] = {
        {1, 1, 1, 12}, {1, 2, 1, 5}, {1, 2, 2, 7},  {1, 2, 3, 12},  {4, 8, 4, 5},  {4, 8, 8, 7},
        {3, 2, 3, 12}, {3, 0, 3, 5}, {3, 0, 12, 0}, {15, 8, 8, 12}, {0, 0, 15, 0}, {5, 10, 5, 5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        given("northwood", NULL);
        count(8, 0x3a4, EVENT(0x08, 0x8000) | BOTH | TAG(want[k].sp), ESEL(1));
        wr(0x3a5, EVENT(0x04, 0x8000) | BOTH | TAG(want[k].x87));
        assert_int_equal(tagged(sums, EXECUTION(want[k].mask)), want[k].n);
        assert_int_equal(tagged(sums, FRONT_END), 0);
    }
    /* Not without the tag enable, nor at another level. */
    given("northwood", NULL);
    count(8, 0x3a4, EVENT(0x08, 0x8000) | BOTH | (TAG(1) & ~(1u << 4)), ESEL(1));
    assert_int_equal(tagged(sums, EXECUTION(15)), 0);
    wr(0x3a4, EVENT(0x08, 0x8000) | USR | TAG(1));
    assert_int_equal(tagged(sums, EXECUTION(15)), 0);
}

static void work(void)
{
    mixed();
    sums();
}

/* Facts 3.3: an upstream ESCR tags nothing unless a counter is enabled for an event in it or its pair. */
static void test_power(void **state)
{
    static const struct {
        uint32_t escr, value, event, other; /* other: in the pair's second */
        unsigned first, second, esel, n;    /* counters that see the one and the other */
    } want[] = {
        {0x3bc, EVENT(0x02, 2) | BOTH, FRONT_END, EVENT(0x02, 2), 13, 15, 2, 7},
        {0x3a4, EVENT(0x04, 0x8000) | TAG(1) | BOTH, EXECUTION(1), EVENT(0x34, 0x8000), 9, 11, 1, 7},
        {0x3ae, EVENT(0x05, 2) | BOTH, REPLAY, EVENT(0x08, 1), 8, 10, 2, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const uint32_t own = CCCR(want[k].first), pair = CCCR(want[k].second),
                       on = ENABLE | ESEL(want[k].esel);
        given("northwood", NULL);
        wr(0x3f2, 2);
        wr(0x3f1, 1u << 10 | 1u << 24);
        wr(want[k].escr, want[k].value);
        assert_int_equal(tagged(work, want[k].event), 0);
        wr(own, ENABLE); /* for another ESCR of its block */
        assert_int_equal(tagged(work, want[k].event), 0);
        wr(own, on & ~(1u << 12));
        assert_int_equal(tagged(work, want[k].event), 0);
        wr(own, on);
        assert_int_equal(tagged(work, want[k].event), want[k].n);
        wr(own, 0);
        wr(pair, on); /* where no event is selected */
        assert_int_equal(tagged(work, want[k].event), 0);
        wr(want[k].escr + 1, want[k].other); /* at no level: it tags nothing itself */
        assert_int_equal(tagged(work, want[k].event), want[k].n);
    }
}

/* What replay_event is asked for and nothing tags. */
static void test_unmodelled_metrics(void **state)
{
    static const struct {
        uint32_t enable;
        const char *name;
    } want[] = {{1u << 9, "MOB_load_replay_retired"}, {3u << 15, "tagged_mispred_branch"}};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        given("northwood", NULL);
        wr(0x3f2, 0x11);
        wr(0x3f1, want[k].enable | 1u << 24);
        count(12, CRU_ESCR2, REPLAY | BOTH, ESEL(5));
        json_t *line = oracle_of(mixed), *names = json_object_get(line, "unmodelled");
        assert_int_equal(json_array_size(names), 1);
        assert_string_equal(json_string_value(json_array_get(names, 0)), want[k].name);
        assert_int_equal(rd(COUNTER(12)), 0);
        json_decref(line);
    }
}

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

static void test_geometry(void **state)
{
    static const struct {
        const char *model;
        unsigned l1_ways, l2_kib;
    } rows[] = {{"willamette", 4, 256}, {"northwood", 4, 512}, {"prescott", 8, 1024}};
    (void)state;
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
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    sim_batch(sim, &b);
}

static void one_by_one(void)
{
    for (unsigned k = 0; k < STEPS / 2; k++) run(insns[k]);
}

static void test_batch(void **state)
{
    (void)state;
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

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_front_end_tags), TEST(test_replay_tags),
        TEST(test_execution_tags), TEST(test_unmodelled_metrics),
        TEST(test_power),          TEST(test_geometry),
        TEST(test_batch),
    };
    return cmocka_run_group_tests_name("sim_netburst_tags", tests, NULL, NULL);
}
