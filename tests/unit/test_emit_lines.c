/* What the lines of profiles say of accesses, and of samples of the next instruction: records and text. */
#include "tests/unit/long_source.h"
#include <string.h>

static long long number(unsigned i, const char *key)
{
    const json_t *f = field(i, key);
    return f ? json_integer_value(f) : -1;
}
static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

static void data_lines(void **state)
{
    struct profile p;
    (void)state;
    take_loads();
    for (unsigned i = 0; i < 3; i++) take_load(LEVEL_L3, TLB_L1, 50)->data = 0x10000 + 0x2000 * LEVEL_L2;
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
        struct sample *s = take_load(i ? LEVEL_REMOTE_MEMORY : LEVEL_L2, TLB_L1, 400 + i);
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
        emit_profile_ip(&long_source, &p);
        unsigned seen = 0;
        for (unsigned i = 0; i < records; i++) {
            assert_int_equal(number(i, "first"), seen);
            seen += (unsigned)json_array_size(field(i, "lines"));
        }
        assert_int_equal(seen, N(line));
        assert_int_equal(session_errors(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(data_lines), SHOWN(instruction_lines), SHOWN(one_late),
                                       SHOWN(chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
