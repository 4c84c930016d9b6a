/* Accesses to memory as records and text. */
#include "report/emit.h"
#include "report/emit_memory.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

static struct memory_profile m;

static long long number(unsigned i, const char *key)
{
    const json_t *f = field(i, key);
    return f ? json_integer_value(f) : -1;
}
static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

TEST_WITH(table, session, forget)
{
    struct profile_source from = source;
    from.origin = ORIGIN_SILICON;
    take_loads();
    memory_profile(&samples, &all, &arena, &m);
    emit_memory(&from, &m);
    static const struct {
        const char *by, *what;
        int count, least, median, p95, most;
    } want[] = {
        {"all", "all", 100, 14, 14, 300, 300},     {"level", "L2", 60, 14, 14, 14, 20},
        {"level", "L3", 30, 40, 54, 68, 69},       {"level", "memory", 9, 300, 300, 300, 300},
        {"level", "unknown", 1, -1, -1, -1, -1},   {"translation", "L1", 61, 14, 14, 14, 20},
        {"translation", "L2", 30, 40, 54, 68, 69}, {"translation", "walk", 9, 300, 300, 300, 300},
    };
    assert_int_equal(records, N(want));
    for (unsigned i = 0; i < N(want); i++) {
        assert_string_equal(string(i, "t"), "memory");
        assert_string_equal(string(i, "by"), want[i].by);
        assert_string_equal(string(i, "what"), want[i].what);
        assert_string_equal(string(i, "method"), "pebs");
        assert_int_equal(number(i, "samples"), 100);
        assert_int_equal(number(i, "accesses"), 100);
        assert_int_equal(number(i, "count"), want[i].count);
        assert_true(json_real_value(field(i, "share")) == want[i].count / 100.0);
        assert_int_equal(number(i, "latency_least"), want[i].least);
        assert_int_equal(number(i, "latency_median"), want[i].median);
        assert_int_equal(number(i, "latency_p95"), want[i].p95);
        assert_int_equal(number(i, "latency_most"), want[i].most);
        assert_null(field(i, "cache_median"));
        assert_null(field(i, "retire_median"));
        assert_int_equal(field(i, "histogram") != NULL, i == 0);
    }
    assert_int_equal(number(0, "latencies"), 99);
    assert_int_equal(number(4, "latencies"), -1);
    assert_int_equal(json_integer_value(json_object_get(field(3, "traits"), "locked")), 9);
    assert_null(json_object_get(field(1, "traits"), "locked"));
    assert_int_equal(json_array_size(field(0, "histogram")), 10);
    assert_int_equal(json_integer_value(json_array_get(field(0, "histogram"), 4)), 59);
    expect("  memory accesses of netburst::replay_event:NBOGUS:L1_LD_MISS: 100 samples by\n"
           "  pebs; latencies in core cycles\n"
           "    of them: 100 load, 9 locked\n"
           "            cycles   samples\n"
           "           8 to 15        59  ########################################\n"
           "          16 to 31         1  #\n"
           "          32 to 63        24  #################\n"
           "         64 to 127         6  #####\n"
           "        128 to 255         0\n"
           "        256 to 511         9  #######\n"
           "      share   samples  found in       least median   95 %   most\n"
           "   100.00 %       100  all               14     14    300    300\n"
           "    60.00 %        60  L2                14     14     14     20\n"
           "    30.00 %        30  L3                40     54     68     69\n"
           "     9.00 %         9  memory           300    300    300    300\n"
           "     1.00 %         1  unknown            -      -      -      -\n"
           "    61.00 %        61  L1 TLB            14     14     14     20\n"
           "    30.00 %        30  L2 TLB            40     54     68     69\n"
           "     9.00 %         9  page walk        300    300    300    300\n");
}

/* The PMU model has levels, and no cycles. */
TEST_WITH(modelled, session, forget)
{
    records_have_clocks(false);
    take_loads();
    memory_profile(&samples, &all, &arena, &m);
    emit_memory(&source, &m);
    assert_int_equal(records, 8);
    for (unsigned i = 0; i < records; i++) assert_null(field(i, "latencies"));
    assert_null(field(0, "histogram"));
    assert_int_equal(number(1, "count"), 60);
    expect("  memory accesses of netburst::replay_event:NBOGUS:L1_LD_MISS: 100 samples by\n"
           "  pebs, modelled\n"
           "  Latencies are unmodelled.\n"
           "    of them: 100 load, 9 locked\n"
           "      share   samples  found in\n"
           "   100.00 %       100  all\n"
           "    60.00 %        60  L2\n"
           "    30.00 %        30  L3\n"
           "     9.00 %         9  memory\n"
           "     1.00 %         1  unknown\n"
           "    61.00 %        61  L1 TLB\n"
           "    30.00 %        30  L2 TLB\n"
           "     9.00 %         9  page walk\n");
    emit_memory(&source, &m); /* it is explained once */
    assert_null(strstr(text, "Latencies"));
}

/* No column and no table that nothing fills; with IBS, ops that are no accesses. */
TEST_WITH(columns, session, forget)
{
    struct profile_source from = source;
    take_none();
    for (unsigned i = 0; i < 2; i++) {
        struct sample *s = take_load(LEVEL_L1, TLB_UNKNOWN, 5);
        s->valid = SAMPLE_IP | SAMPLE_LEVEL | SAMPLE_RETIRE | (i ? SAMPLE_CACHE_LATENCY : 0);
        s->retire = 7 + i;
        s->cache_latency = 33;
        s->traits = 0;
    }
    take(0x1000);
    memory_profile(&samples, &all, &arena, &m);
    from.origin = ORIGIN_SILICON;
    from.method = "pebs";
    emit_memory(&from, &m);
    assert_int_equal(records, 2);
    static const struct {
        const char *key;
        int value;
    } want[] = {{"cache_latencies", 1}, {"cache_least", 33}, {"cache_median", 33}, {"cache_p95", 33},
                {"cache_most", 33},     {"retires", 2},      {"retire_least", 7},  {"retire_median", 7},
                {"retire_p95", 8},      {"retire_most", 8}};
    for (unsigned i = 0; i < N(want); i++) assert_int_equal(number(0, want[i].key), want[i].value);
    assert_null(field(0, "histogram"));
    assert_null(field(0, "traits"));
    assert_true(json_real_value(field(0, "share")) == 1);
    expect("  memory accesses of netburst::replay_event:NBOGUS:L1_LD_MISS: 2 of 3 samples\n"
           "  by pebs; latencies in core cycles; cache and retire are medians\n"
           "      share   samples  found in       cache retire\n"
           "   100.00 %         2  all               33      7\n"
           "   100.00 %         2  L1                33      7\n");
    take_none();
    memory_profile(&samples, &all, &arena, &m);
    emit_memory(&from, &m);
    assert_int_equal(records, 2);
}

/* Every level, the largest numbers: the record holds, and so does the line. */
TEST_WITH(longest, session, forget)
{
    memset(&m, 0xff, sizeof m);
    m.no_tlbs = true;
    emit_memory(&source, &m);
    assert_int_equal(records, 1); /* of 2^32 - 1 all are unknown */
    assert_string_equal(string(0, "translation"), "unmodelled");
    assert_int_equal(session_errors(), 0);
    for (unsigned i = 0; i < LEVELS; i++) m.level[i].samples = 1;
    for (unsigned i = 0; i < TLBS; i++) m.tlb[i].samples = 1;
    emit_memory(&source, &m);
    assert_int_equal(records, 2 + LEVELS + TLBS);
    assert_int_equal(session_errors(), 0);
    static const char *const words[] = {
        "L1",  "fill buffer", "L2",      "L3", "other cache", "memory", "remote cache", "remote memory",
        "I/O", "uncached",    "unknown", "L1", "L2",          "walk",   "hit",          "unknown"};
    assert_int_equal(N(words), LEVELS + TLBS);
    for (unsigned i = 0; i < N(words); i++) assert_string_equal(string(2 + i, "what"), words[i]);
    assert_string_equal(memory_level(LEVELS), "unknown");
    assert_string_equal(memory_tlb(TLBS), "unknown");
}
