/* Accesses to memory as records and text, and what raw samples and lines say of them. */
#include "report/emit.h"
#include "report/emit_memory.h"
#include "tests/unit/emit_drive.h"
#include <stdlib.h>
#include <string.h>

static struct memory_profile m;

static struct sample *load(unsigned level, unsigned tlb, uint32_t latency)
{
    struct sample *s = take(0x080484c3);
    s->valid |= SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_PRECISE;
    s->level = (uint8_t)level;
    s->tlb = (uint8_t)tlb;
    s->latency = latency;
    s->traits = SAMPLE_LOAD;
    s->data = 0x10000 + 0x2000 * level;
    return s;
}

static const json_t *field(unsigned i, const char *key) { return json_object_get(record[i], key); }
static long long number(unsigned i, const char *key)
{
    const json_t *f = field(i, key);
    return f ? json_integer_value(f) : -1;
}
static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

static void take_loads(void)
{
    take_none();
    for (unsigned i = 0; i < 60; i++) load(LEVEL_L2, TLB_L1, i == 59 ? 20 : 14);
    for (unsigned i = 0; i < 30; i++) load(LEVEL_L3, TLB_L2, 40 + i);
    for (unsigned i = 0; i < 9; i++) load(LEVEL_MEMORY, TLB_WALK, 300)->traits |= SAMPLE_LOCKED;
    load(LEVEL_UNKNOWN, TLB_L1, 0)->valid &= ~(uint32_t)(SAMPLE_LEVEL | SAMPLE_LATENCY);
}

static void table(void **state)
{
    (void)state;
    take_loads();
    memory_profile(&samples, &all, &arena, &m);
    emit_memory(&source, &m);
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
           "  pebs; latencies in core cycles, modelled\n"
           "  The PMU model has one latency for each level. They are its own, and not a\n"
           "  finding.\n"
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
    emit_memory(&source, &m); /* it is explained once */
    assert_null(strstr(text, "finding"));
}

/* No column and no table that nothing fills; with IBS, ops that are no accesses. */
static void columns(void **state)
{
    struct profile_source from = source;
    (void)state;
    take_none();
    for (unsigned i = 0; i < 2; i++) {
        struct sample *s = load(LEVEL_L1, TLB_UNKNOWN, 5);
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
    assert_int_equal(number(0, "cache_median"), 33);
    assert_int_equal(number(0, "cache_latencies"), 1);
    assert_int_equal(number(0, "retire_most"), 8);
    assert_int_equal(number(0, "retire_least"), 7);
    assert_int_equal(number(0, "retire_p95"), 8);
    assert_int_equal(number(0, "retires"), 2);
    assert_null(field(0, "histogram"));
    assert_null(field(0, "traits"));
    assert_true(json_real_value(field(0, "share")) == 1);
    expect("  memory accesses of netburst::replay_event:NBOGUS:L1_LD_MISS: 2 of 3 samples\n"
           "  by pebs; latencies in core cycles, of cache and retire the median\n"
           "      share   samples  found in       cache retire\n"
           "   100.00 %         2  all               33      7\n"
           "   100.00 %         2  L1                33      7\n");
    take_none();
    memory_profile(&samples, &all, &arena, &m);
    emit_memory(&from, &m);
    assert_int_equal(records, 2);
}

/* Every level, the largest numbers: the record holds, and so does the line. */
static void longest(void **state)
{
    (void)state;
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
    for (unsigned i = 0; i < LEVELS; i++)
        assert_string_equal(string(2 + i, "what"), memory_level((i + 1) % LEVELS));
    assert_string_equal(string(2 + LEVELS - 1, "what"), "unknown");
    assert_string_equal(memory_level(LEVELS), "unknown");
    assert_string_equal(memory_tlb(TLBS), "unknown");
}

/* ---- beside the lines of profiles ---- */

static void data_lines(void **state)
{
    struct profile p;
    (void)state;
    take_loads();
    for (unsigned i = 0; i < 3; i++) load(LEVEL_L3, TLB_L1, 50)->data = 0x10000 + 0x2000 * LEVEL_L2;
    profile_by_data(&samples, &all, &article, 0, &arena, &p);
    emit_profile_data(&source, &p);
    assert_int_equal(records, 1);
    const json_t *l2 = json_array_get(field(0, "lines"), 1);
    assert_string_equal(string(0, "addresses"), "recorded");
    assert_int_equal(json_integer_value(json_object_get(l2, "latencies")), 63);
    assert_int_equal(json_integer_value(json_object_get(l2, "latency_least")), 14);
    assert_int_equal(json_integer_value(json_object_get(l2, "latency_median")), 14);
    assert_int_equal(json_integer_value(json_object_get(l2, "latency_p95")), 20);
    assert_int_equal(json_integer_value(json_object_get(l2, "latency_most")), 50);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(l2, "levels"), "L2")), 60);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(l2, "levels"), "L3")), 3);
    assert_null(json_object_get(l2, "retire_median"));
    assert_null(json_object_get(json_array_get(field(0, "lines"), 0), "levels"));
    expect("  profile by data address of netburst::replay_event:NBOGUS:L1_LD_MISS: 103\n"
           "  samples by pebs, one in 99999, modelled\n"
           "      share   samples        apart  address      latency level\n"
           "     0.97 %         1            -  0x10000            - -\n"
           "    61.17 %        63       +24576  0x16000           14 L2 95.2 %, L3 4.8 %\n"
           "    29.13 %        30        +8192  0x18000           54 L3\n"
           "     8.74 %         9       +16384  0x1c000          300 memory\n");
}

/* By instruction: latency and level take the place of the code, and the line still fits. */
static void instruction_lines(void **state)
{
    struct profile p;
    (void)state;
    take_none();
    for (unsigned i = 0; i < 3; i++) {
        struct sample *s = load(i ? LEVEL_REMOTE_MEMORY : LEVEL_L2, TLB_L1, 400 + i);
        s->valid |= SAMPLE_RETIRE;
        s->retire = 5;
    }
    struct code code = article;
    code.benches = l1_list;
    code.benches_end = l1_list + 1;
    l1_miss.program.payload = (payload_fn *)(uintptr_t)article.base;
    profile_by_ip(&samples, &all, &arena, &p);
    assert_true(profile_places(&p, &code, article.base, &arena));
    emit_profile_ip(&source, &p);
    const json_t *line = json_array_get(field(0, "lines"), 0);
    assert_int_equal(json_integer_value(json_object_get(line, "retire_median")), 5);
    assert_int_equal(json_integer_value(json_object_get(line, "latency_median")), 401);
    assert_string_equal(json_string_value(json_object_get(line, "code")), "8b00");
    assert_null(field(0, "addresses"));
    expect("  profile by instruction of netburst::replay_event:NBOGUS:L1_LD_MISS: 3 samples\n"
           "  by pebs, one in 99999, modelled\n"
           "      share   samples  from target  address   symbol             latency level\n"
           "   100.00 %         3          +15  0x80484c3  l1_profile+0x1e        401 remot\n");
}

/* Of the next instruction: each kind is said. */
static void one_late(void **state)
{
    struct profile p;
    (void)state;
    take_none();
    for (unsigned i = 0; i < 5; i++) {
        struct sample *s = take(ip_behind(i < 4 ? 0 : 1));
        s->valid |= i < 2 ? SAMPLE_NEXT : SAMPLE_PRECISE;
        s->corrected = i < 2 ? CORRECTED_NOT : i < 4 ? CORRECTED_BY_CODE : CORRECTED_BY_BRANCHES;
    }
    profile_by_ip(&samples, &all, &arena, &p);
    assert_true(profile_places(&p, &article, 0, &arena));
    emit_profile_ip(&source, &p);
    assert_int_equal(number(0, "plus_one"), 2);
    assert_int_equal(number(0, "corrected_code"), 2);
    assert_int_equal(number(0, "corrected_lbr"), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(field(0, "lines"), 0), "plus_one")),
                     2);
    assert_null(json_object_get(json_array_get(field(0, "lines"), 1), "plus_one"));
    expect("  profile by instruction of netburst::replay_event:NBOGUS:L1_LD_MISS: 5 samples\n"
           "  by pebs, one in 99999, modelled\n"
           "      share   samples   address   symbol              code\n"
           "    80.00 %         4   0x80484c3+ -                   8b00\n"
           "    20.00 %         1   0x80484c5  -                   8b8b00100000\n"
           "  +: the instruction that ran before it caused the event. These records have\n"
           "  the address of the next one, which several may lead to.\n"
           "  3 records had the address of the next instruction; the right one follows from\n"
           "  the code or the last branch.\n");
}

/* Many lines with all that can be said of them: no record is too long, and none is lost. */
static void chunks(void **state)
{
    static struct profile_line line[100];
    static struct profile_place place[100];
    static struct profile_access access;
    struct profile p = {.line = line,
                        .place = place,
                        .n = N(line),
                        .samples = UINT64_MAX,
                        .next = UINT64_MAX,
                        .corrected = {0, UINT64_MAX, UINT64_MAX}};
    (void)state;
    memset(&access, 0xff, sizeof access);
    for (unsigned i = 0; i < N(line); i++) {
        line[i] =
            (struct profile_line){UINT64_MAX - N(line) + i, UINT64_MAX / 128, UINT64_MAX / 128, &access};
        place[i] = (struct profile_place){
            .named = true,
            .has_target = true,
            .decoded = true,
            .symbol = {.function = "a_name_of_a_function_that_is_long_34", .offset = 123456},
            .code = bytes,
            .length = 15,
            .bytes = INT64_MIN,
            .instructions = INT64_MIN};
    }
    for (unsigned levels = 0; levels <= LEVELS; levels++) {
        forget(NULL);
        text[0] = '\0';
        for (unsigned i = 0; i < LEVELS; i++) access.level[i] = i && i <= levels ? UINT32_MAX : 0;
        emit_profile_ip(&source, &p);
        unsigned seen = 0;
        for (unsigned i = 0; i < records; i++) {
            assert_int_equal(number(i, "first"), seen);
            seen += (unsigned)json_array_size(field(i, "lines"));
        }
        assert_int_equal(seen, N(line));
        assert_int_equal(session_errors(), 0);
    }
}

/* ---- raw samples ---- */

static void xmm_registers(void **state)
{
    const struct machine machine = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PEBS, .all = true};
    const struct sampled result = {.few = false};
    struct sampling s = {.by = SAMPLE_BY_PEBS, .event = "e", .unit = "events", .run = run};
    uint64_t pool[2][16][2] = {{{0}}};
    (void)state;
    take_none();
    take(0x2000);
    take(0x3000)->valid |= SAMPLE_XMM;
    pool[1][0][0] = 0x11;
    pool[1][0][1] = 0x22;
    pool[1][15][1] = UINT64_MAX;
    s.samples = samples;
    s.samples.xmm = pool;
    emit_sampling(&s, &result, &opt, &machine);
    assert_int_equal(records, 3); /* one sample a record */
    assert_int_equal(session_errors(), 0);
    assert_null(json_object_get(json_array_get(field(1, "samples"), 0), "xmm"));
    const json_t *xmm = json_object_get(json_array_get(field(2, "samples"), 0), "xmm");
    assert_int_equal(json_array_size(xmm), 32);
    assert_string_equal(json_string_value(json_array_get(xmm, 0)), "0x11");
    assert_string_equal(json_string_value(json_array_get(xmm, 1)), "0x22");
    assert_string_equal(json_string_value(json_array_get(xmm, 31)), "0xffffffffffffffff");
}

static void raw_samples(void **state)
{
    const struct machine machine = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PEBS, .all = true};
    const struct sampled result = {.few = false};
    struct sampling s = {.by = SAMPLE_BY_PEBS, .event = "e", .unit = "events", .run = run};
    (void)state;
    take_none();
    struct sample *x = load(LEVEL_L3, TLB_WALK, 77);
    x->valid |= SAMPLE_PHYSICAL | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE;
    x->data = 0x1234;
    x->physical = 0x5678;
    x->cache_latency = 66;
    x->retire = 55;
    x->traits = 0x7ff;
    x->corrected = CORRECTED_BY_CODE;
    x->recorded = 0x9abc;
    x = take(0x2000);
    x->valid |= SAMPLE_NEXT;
    x->latency = x->retire = x->cache_latency = 1; /* not valid */
    x->level = x->tlb = 1;
    x = load(LEVEL_UNKNOWN, TLB_UNKNOWN, 0);
    x->corrected = CORRECTED_BY_BRANCHES;
    for (unsigned i = 0; i < 2; i++) { /* the largest numbers */
        x = take(UINT64_MAX);
        memset(x, 0xff, sizeof *x);
        x->valid &= ~(uint32_t)(SAMPLE_BRANCHES | SAMPLE_XMM);
        x->level = LEVEL_REMOTE_MEMORY;
        x->tlb = TLB_WALK;
        x->corrected = CORRECTED_BY_CODE;
    }
    for (unsigned i = 0; i < 4; i++) *take(0) = *x;
    s.samples = samples;
    emit_sampling(&s, &result, &opt, &machine);
    assert_int_equal(records, 4); /* four samples a record */
    assert_int_equal(session_errors(), 0);
    assert_int_equal(number(2, "first"), 4);
    const json_t *all_of = json_array_get(field(1, "samples"), 0),
                 *none = json_array_get(field(1, "samples"), 1),
                 *some = json_array_get(field(1, "samples"), 2);
    static const struct {
        const char *key;
        int value;
    } want[] = {{"latency", 77}, {"cache_latency", 66}, {"retire", 55}};
    static const char *const texts[][2] = {{"data", "0x1234"},    {"physical", "0x5678"},
                                           {"level", "L3"},       {"tlb", "walk"},
                                           {"corrected", "code"}, {"recorded", "0x9abc"}};
    static const char *const traits[] = {
        "load",  "store",        "locked",     "modified", "blocked by data", "blocked by address",
        "taken", "mispredicted", "misaligned", "prefetch", "abandoned"};
    for (unsigned i = 0; i < N(want); i++) {
        assert_int_equal(json_integer_value(json_object_get(all_of, want[i].key)), want[i].value);
        assert_null(json_object_get(none, want[i].key));
    }
    for (unsigned i = 0; i < N(texts); i++) {
        assert_string_equal(json_string_value(json_object_get(all_of, texts[i][0])), texts[i][1]);
        assert_null(json_object_get(none, texts[i][0]));
    }
    assert_int_equal(json_array_size(json_object_get(all_of, "traits")), N(traits));
    for (unsigned i = 0; i < N(traits); i++)
        assert_string_equal(json_string_value(json_array_get(json_object_get(all_of, "traits"), i)),
                            traits[i]);
    assert_null(json_object_get(none, "traits"));
    assert_true(json_is_true(json_object_get(none, "plus_one")));
    assert_null(json_object_get(all_of, "plus_one"));
    assert_string_equal(json_string_value(json_object_get(some, "corrected")), "lbr");
    assert_null(json_object_get(some, "level"));
    assert_null(json_object_get(some, "tlb"));
    assert_int_equal(json_integer_value(json_object_get(some, "latency")), 0); /* it is known to be 0 */
    assert_non_null(json_object_get(some, "latency"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(table),      SHOWN(columns),     SHOWN(longest),
                                       SHOWN(data_lines), SHOWN(one_late),    SHOWN(instruction_lines),
                                       SHOWN(chunks),     SHOWN(raw_samples), SHOWN(xmm_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
