/* NetBurst model: what depends on tags. */
#include "tests/unit/netburst_facts.h"

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

TEST_WITH(test_front_end_tags, NULL, teardown)
{
    static const struct {
        uint16_t mask;
        unsigned n;
    } want[] = {{2, 7}, {4, 5}, {6, 12}};
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

TEST_WITH(test_replay_tags, NULL, teardown)
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
TEST_WITH(test_execution_tags, NULL, teardown)
{
    static const struct {
        unsigned sp, x87; /* tag values of the two ESCRs */
        uint16_t mask;
        unsigned n;
    } want[] = {
        {1, 1, 1, 12}, {1, 2, 1, 5}, {1, 2, 2, 7},  {1, 2, 3, 12},  {4, 8, 4, 5},  {4, 8, 8, 7},
        {3, 2, 3, 12}, {3, 0, 3, 5}, {3, 0, 12, 0}, {15, 8, 8, 12}, {0, 0, 15, 0}, {5, 10, 5, 5},
    };
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
TEST_WITH(test_power, NULL, teardown)
{
    static const struct {
        uint32_t escr, value, event, other; /* other: in the pair's second */
        unsigned first, second, esel, n;    /* counters that see the one and the other */
    } want[] = {
        {0x3bc, EVENT(0x02, 2) | BOTH, FRONT_END, EVENT(0x02, 2), 13, 15, 2, 7},
        {0x3a4, EVENT(0x04, 0x8000) | TAG(1) | BOTH, EXECUTION(1), EVENT(0x34, 0x8000), 9, 11, 1, 7},
        {0x3ae, EVENT(0x05, 2) | BOTH, REPLAY, EVENT(0x08, 1), 8, 10, 2, 1},
    };
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
TEST_WITH(test_unmodelled_metrics, NULL, teardown)
{
    static const struct {
        uint32_t enable;
        const char *name;
    } want[] = {{1u << 9, "MOB_load_replay_retired"}, {3u << 15, "tagged_mispred_branch"}};
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

/* Tags that an event sets which is not modelled: of execution_event's masks, those that look for them. */
TEST_WITH(test_unmodelled_upstream, NULL, teardown)
{
    static const struct {
        uint32_t firm;    /* the upstream ESCR */
        unsigned mask, n; /* execution_event's; how many names */
    } want[] = {
        {EVENT(0x2e, 0x8) | BOTH | TAG(1), 1, 1},    {EVENT(0x2e, 0x18) | BOTH | TAG(4), 0xf, 2},
        {EVENT(0x2e, 0x8) | BOTH | TAG(2), 1, 0},    {EVENT(0x2e, 0x8) | BOTH | (TAG(1) & ~(1u << 4)), 1, 0},
        {EVENT(0x08, 0x8000) | BOTH | TAG(1), 1, 0},
    };
    for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
        given("northwood", NULL);
        count(8, 0x3a4, want[k].firm, ESEL(1));
        wr(CCCR(8), 0); /* what is upstream itself counts nothing */
        count(12, CRU_ESCR2, EVENT(0x0c, want[k].mask) | BOTH, ESEL(5));
        json_t *line = oracle_of(mixed);
        assert_int_equal(json_array_size(json_object_get(line, "unmodelled")), want[k].n);
        json_decref(line);
    }
}
