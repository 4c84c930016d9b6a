/* Raw samples of a facility that says more than address and registers. */
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

static long long number(unsigned i, const char *key)
{
    const json_t *f = field(i, key);
    return f ? json_integer_value(f) : -1;
}

TEST_WITH(xmm_registers, session, forget)
{
    const struct machine machine = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PEBS, .all = true};
    const struct sampled result = {.few = false};
    struct sampling s = {.by = SAMPLE_BY_PEBS, .event = "e", .unit = "events", .run = run};
    uint64_t pool[2][16][2] = {{{0}}};
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

TEST_WITH(counts, session, forget)
{
    const struct machine machine = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PEBS, .all = true};
    const struct sampled result = {.few = false};
    struct sampling s = {.by = SAMPLE_BY_PEBS, .event = "e", .unit = "events", .run = run};
    uint64_t pool[3][2] = {{1, 2}, {1000, 2000}, {0, UINT64_MAX >> 16}};
    take_none();
    take(0x2000);
    take(0x3000)->valid |= SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES;
    take(0x4000)->valid |= SAMPLE_CYCLES;
    s.samples = samples;
    s.samples.counts = pool;
    emit_sampling(&s, &result, &opt, &machine);
    assert_int_equal(records, 2); /* as with those that have an access */
    assert_int_equal(session_errors(), 0);
    const json_t *of[3];
    for (unsigned i = 0; i < 3; i++) of[i] = json_array_get(field(1, "samples"), i);
    assert_true(!json_object_get(of[0], "instructions") && !json_object_get(of[0], "cycles"));
    assert_int_equal(json_integer_value(json_object_get(of[1], "instructions")), 1000);
    assert_int_equal(json_integer_value(json_object_get(of[1], "cycles")), 2000);
    assert_null(json_object_get(of[2], "instructions"));
    assert_int_equal(json_integer_value(json_object_get(of[2], "cycles")), UINT64_MAX >> 16);
}

TEST_WITH(raw_samples, session, forget)
{
    const struct machine machine = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PEBS, .all = true};
    const struct sampled result = {.few = false};
    struct sampling s = {.by = SAMPLE_BY_PEBS, .event = "e", .unit = "events", .run = run};
    take_none();
    struct sample *x = take_load(LEVEL_L3, TLB_WALK, 77);
    x->valid |= SAMPLE_PHYSICAL | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE | SAMPLE_TARGET;
    x->data = 0x1234;
    x->physical = 0x5678;
    x->cache_latency = 66;
    x->retire = 55;
    x->completion = 44;
    x->target = 0xdef0;
    x->traits = 0x7ff;
    x->corrected = CORRECTED_BY_CODE;
    x->recorded = 0x9abc;
    x = take(0x2000);
    x->valid |= SAMPLE_NEXT;
    x->latency = x->retire = x->completion = x->cache_latency = x->target = 1; /* not valid */
    x->level = x->tlb = 1;
    x = take_load(LEVEL_UNKNOWN, TLB_UNKNOWN, 0);
    x->corrected = CORRECTED_BY_BRANCHES;
    for (unsigned i = 0; i < 2; i++) { /* the largest numbers */
        x = take(UINT64_MAX);
        memset(x, 0xff, sizeof *x);
        x->valid &= ~(uint32_t)(SAMPLE_BRANCHES | SAMPLE_XMM | SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES);
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
    } want[] = {{"latency", 77}, {"cache_latency", 66}, {"retire", 55}, {"completion", 44}};
    static const char *const texts[][2] = {
        {"data", "0x1234"},    {"physical", "0x5678"}, {"level", "L3"},     {"tlb", "walk"},
        {"corrected", "code"}, {"recorded", "0x9abc"}, {"target", "0xdef0"}};
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
