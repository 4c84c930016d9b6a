/* Profiles as records and text: the article's figure 5 and table 1 as they would be sampled. */
#include "tests/unit/long_source.h"
#include <stdlib.h>
#include <string.h>

static void table_1_shown(void **state)
{
    (void)state;
    struct profile p;
    struct deduction d;
    take_table_1();
    profile_by_data(&samples, &all, &article, DECODE_BEFORE, &arena, &p);
    emit_profile_data(&source, &p);
    deduce(&p, &p4, 99999, &arena, &d);
    emit_deduction(&source, &d);
    expect("  profile by data address of netburst::replay_event:NBOGUS:L1_LD_MISS: 800\n"
           "  samples by pebs, one in 99999, modelled\n"
           "      share   samples        apart  address\n"
           "    12.75 %       102            -  0x8049760\n"
           "    11.00 %        88        +8192  0x804b760\n"
           "    13.25 %       106        +8192  0x804d760\n"
           "    12.75 %       102        +8192  0x804f760\n"
           "    12.50 %       100        +8192  0x8051760\n"
           "    12.50 %       100        +8192  0x8053760\n"
           "    12.62 %       101        +8192  0x8055760\n"
           "    12.62 %       101        +8192  0x8057760\n"
           "  The addresses are computed from the recorded registers. These records have\n"
           "  neither levels nor latencies.\n"
           "  deduced: 8 addresses, 8192 bytes apart; set 29 of 32 in L1; 8 lines map to\n"
           "           one set of a 4-way cache: they evict each other\n");
    assert_int_equal(records, 2);
    assert_string_equal(json_string_value(json_object_get(record[0], "by")), "data address");
    assert_int_equal(json_array_size(json_object_get(record[0], "lines")), 8);
    assert_int_equal(json_integer_value(json_object_get(record[1], "difference")), 8192);
    assert_string_equal(json_string_value(json_object_get(record[1], "verdict")), "conflict");
}

/* Figure 5 in small: a skid of 45 to 49 instructions, most at 49; and what has no name or no distance. */
static void skid_shown(void **state)
{
    (void)state;
    struct profile p;
    take_none();
    for (unsigned i = 0; i < 465; i++) take(ip_behind(49));
    for (unsigned i = 0; i < 335; i++) take(ip_behind(45 + i % 4));
    for (unsigned i = 0; i < 199; i++) take(ip_behind(45));
    take(0x100)->valid = 0;
    samples.lost = 3;
    l1_miss.target = (void *)(uintptr_t)0x080484c3;
    l1_miss.program.payload = (payload_fn *)(uintptr_t)article.base;
    profile_by_ip(&samples, &all, &arena, &p);
    profile_rank(&p);
    struct code code = article;
    code.benches = l1_list;
    code.benches_end = l1_list + 1;
    assert_true(profile_places(&p, &code, (uintptr_t)l1_miss.target, &arena));
    struct profile_source from = source;
    from.method = "pmi";
    from.jitter = true;
    from.origin = ORIGIN_SILICON;
    emit_profile_ip(&from, &p);
    l1_miss.target = NULL;
    expect("  profile by instruction of netburst::replay_event:NBOGUS:L1_LD_MISS: 1000\n"
           "  samples by pmi, one in 99999 on average (jittered)\n"
           "      share   samples  from target  address   symbol              code\n"
           "    46.50 %       465          +49  0x80485e5  l1_profile+0x140    8b8b00100000\n"
           "    28.30 %       283          +45  0x80485cd  l1_profile+0x128    8b8b00100000\n"
           "     8.40 %        84          +46  0x80485d3  l1_profile+0x12e    8b8b00100000\n"
           "     8.40 %        84          +47  0x80485d9  l1_profile+0x134    8b8b00100000\n"
           "     8.30 %        83          +48  0x80485df  l1_profile+0x13a    8b8b00100000\n"
           "     0.10 %         1  unknown\n"
           "  An address is where the payload went on after the interrupt: that of the next\n"
           "  instruction.\n"
           "  ! 3 more samples were lost: the buffer was full\n");
}

static void emit_code_of(const struct code *code)
{
    static struct pmu pmu;
    static const struct cpu cpu = {.pmu = &pmu};
    static const struct sampling nothing = {.by = SAMPLE_BY_PMI, .run = {.item = &item}};
    struct sampled result;
    assert_true(sampled_reduce(&nothing, &cpu, code, 95, &arena, &result));
    emit_code(&run.program, &result.code);
}

/* The payload's code, in as many records as it takes: all of it, once, and not the next payload's. */
static void code_shown(void **state)
{
    (void)state;
    static uint8_t text_bytes[3000];
    static struct bench next = {.program = {.name = "next"}, .op = "load"};
    static const struct bench *const list[] = {&next, &l1_miss};
    const struct code code = {text_bytes, 0x100000, sizeof text_bytes, true, 2900, list, list + 2};
    char want[3];
    for (unsigned i = 0; i < sizeof text_bytes; i++) text_bytes[i] = (uint8_t)(i * 7 + i / 256);
    l1_miss.program.payload = (payload_fn *)(uintptr_t)0x100010;
    next.program.payload = (payload_fn *)(uintptr_t)(0x100010 + 2500);
    emit_code_of(&code);
    assert_int_equal(records, 3);
    for (unsigned i = 0, at = 0; i < records; i++) {
        const char *hex = json_string_value(json_object_get(record[i], "bytes"));
        assert_int_equal(json_integer_value(json_object_get(record[i], "first")), at);
        assert_int_equal(strtoul(json_string_value(json_object_get(record[i], "address")), NULL, 16),
                         0x100010 + at);
        assert_int_equal(json_integer_value(json_object_get(record[i], "size")), 2500);
        assert_int_equal(json_integer_value(json_object_get(record[i], "mode")), 64);
        for (; *hex; hex += 2, at++) {
            snprintf(want, sizeof want, "%02x", text_bytes[0x10 + at]);
            assert_memory_equal(hex, want, 2);
        }
        if (i == 2) assert_int_equal(at, 2500);
    }
    next.program.payload =
        (payload_fn *)(uintptr_t)0x100000; /* before it: the last one ends where payloads do */
    forget(NULL);
    emit_code_of(&code);
    assert_int_equal(json_integer_value(json_object_get(record[0], "size")), 2900 - 0x10);
    l1_miss.program.payload = (payload_fn *)(uintptr_t)0x200000; /* elsewhere */
    forget(NULL);
    emit_code_of(&code);
    assert_int_equal(records, 0);
    assert_int_equal(session_errors(), 0);
}

/* Many lines, the longest names, the largest numbers: several records, none too long, none twice. */
static void chunks(void **state)
{
    (void)state;
    static struct profile_line line[100];
    struct profile p = {.line = line, .n = N(line), .samples = UINT64_MAX};
    static const struct bench *const list[] = {&longest};
    const struct code code = {bytes, UINT64_MAX - 1000, 400, true, 400, list, list + 1};
    longest.variant[0].payload = (payload_fn *)1;
    longest.target = (void *)1;
    for (unsigned i = 0; i < N(line); i++)
        line[i] = (struct profile_line){.key = UINT64_MAX - 1000 + i, .count = UINT64_MAX / 128};
    assert_true(profile_places(&p, &code, (uintptr_t)longest.target, &arena));
    emit_profile_ip(&long_source, &p);
    assert_int_equal(session_errors(), 0);
    assert_int_equal(records, 8);
    unsigned seen = 0;
    for (unsigned i = 0; i < records; i++) {
        assert_int_equal(json_integer_value(json_object_get(record[i], "first")), seen);
        assert_int_equal(json_integer_value(json_object_get(record[i], "distinct")), N(line));
        seen += (unsigned)json_array_size(json_object_get(record[i], "lines"));
    }
    assert_int_equal(seen, N(line));
    assert_non_null(strstr(text, "60 more lines are in the records"));
}

static void nothing_shown(void **state)
{
    (void)state;
    struct profile p;
    struct deduction d;
    take_none();
    profile_by_data(&samples, &all, &article, 0, &arena, &p);
    emit_profile_data(&source, &p);
    deduce(&p, &p4, 99999, &arena, &d);
    emit_deduction(&source, &d);
    expect("");
    assert_int_equal(records, 2);
}

static void warning_shown(void **state)
{
    (void)state;
    struct deduction d;
    struct profile_line one = {0x8049760, 800};
    struct profile p = {.line = &one, .n = 1, .samples = 800};
    deduce(&p, &p4, 100000, &arena, &d);
    emit_deduction(&source, &d);
    expect("  deduced: 1 address; set 29 of 32 in L1; 1 line maps to one set of a 4-way\n"
           "           cache, no more than it holds: misses have another reason\n"
           "  ! a period of 100000 may always hit these addresses and never others; try\n"
           "    jitter=, or a prime number as the period\n");
}

static long long number(const json_t *o, const char *key)
{
    if (!json_is_integer(json_object_get(o, key))) fail_msg("no number %s", key);
    return json_integer_value(json_object_get(o, key));
}

static void nothing(void *arg) { (void)arg; }

/* What is known of a place, and nothing else; a line's distance from the one before. */
static void fields_of_lines(void **state)
{
    (void)state;
    static struct bench variants = {.program = {.name = "fp"},
                                    .variant = {{"x87", nothing}, {"sse2", nothing}}};
    static const uint8_t nop[] = {0x90, 0x0f};
    static struct profile_line line[] = {{0x10, 1}, {0x18, 3}, {0x14, 4}};
    static const struct profile_place place[] = {
        {.named = true, .symbol = {&l1_miss, 0, 0x12}, .code = nop, .length = 2},
        {.has_target = true, .bytes = -5, .code = nop, .length = 1},
        {.named = true, .symbol = {&variants, 1, 1}, .decoded = true, .instructions = -2}};
    const struct profile p = {.line = line, .n = 3, .samples = 8, .unknown = 1, .lost = 2, .place = place};
    emit_profile_ip(&source, &p);
    emit_profile_data(&source, &p);
    static const char *const want[2][3] = {
        {"{\"address\":\"0x10\",\"count\":1,\"share\":0.125,\"symbol\":\"l1_profile+0x12\",\"code\":"
         "\"900f\"}",
         "{\"address\":\"0x18\",\"count\":3,\"share\":0.375,\"code\":\"90\",\"bytes\":-5}",
         "{\"address\":\"0x14\",\"count\":4,\"share\":0.5,\"symbol\":\"fp/sse2+0x1\",\"instructions\":-2}"},
        {"{\"address\":\"0x10\",\"count\":1,\"share\":0.125}",
         "{\"address\":\"0x18\",\"count\":3,\"share\":0.375,\"step\":8}",
         "{\"address\":\"0x14\",\"count\":4,\"share\":0.5,\"step\":-4}"}};
    assert_int_equal(records, 2);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < 3; i++) {
            char *is = json_dumps(json_array_get(field(k, "lines"), i), JSON_COMPACT);
            assert_string_equal(is, want[k][i]);
            free(is);
        }
    assert_string_equal(json_string_value(field(0, "by")), "instruction");
    assert_int_equal(number(record[0], "unknown"), 1);
    assert_int_equal(number(record[0], "lost"), 2);
    assert_int_equal(number(record[0], "period"), 99999);
}

/* A record that is just full is the last one. */
static void full_records(void **state)
{
    static struct profile_line line[14];
    static struct profile_place place[N(line)];
    static uint8_t code[1025];
    struct profile p = {.line = line, .place = place, .samples = 1};
    (void)state;
    for (p.n = 13; p.n <= 14; p.n++) {
        forget(NULL);
        emit_profile_ip(&source, &p);
        assert_int_equal(records, p.n - 12);
        assert_int_equal(json_array_size(field(0, "lines")), 13);
    }
    for (uint32_t size = 1023; size <= 1025; size++) {
        const struct payload_code of = {0x1000, code, size, false};
        forget(NULL);
        emit_code(&run.program, &of);
        assert_int_equal(records, size > 1024 ? 2 : 1);
        assert_int_equal(number(record[0], "mode"), 32);
        assert_int_equal(json_string_length(field(0, "bytes")), 2 * (size > 1024 ? 1024 : size));
        if (size > 1024) assert_string_equal(json_string_value(field(1, "bytes")), "00");
    }
}

/* Each figure has a field of its own; what is not known has none. */
static void fields_of_a_deduction(void **state)
{
    static const char *const key[] = {"addresses", "left_out", "samples",   "difference",
                                      "level",     "ways",     "sets",      "lines",
                                      "sets_used", "set",      "set_lines", "shared_factor"};
    static const char *const verdict[] = {"nothing", "unknown", "conflict", "capacity", "fits", "sparse"};
    struct deduction d = {.addresses = 1,
                          .left_out = 2,
                          .samples = 3,
                          .first = 0x1f,
                          .difference = 4,
                          .level = 5,
                          .ways = 6,
                          .set_count = 7,
                          .lines = 8,
                          .sets = 9,
                          .set = 10,
                          .set_lines = 11,
                          .period = 13,
                          .shared = 12,
                          .period_fits = true};
    (void)state;
    for (unsigned v = 0; v < 5; v++) {
        d.verdict = (enum deduce_verdict)v;
        forget(NULL);
        emit_deduction(&source, &d);
        assert_string_equal(json_string_value(field(0, "verdict")), verdict[v]);
        for (unsigned i = 0; i < N(key); i++) assert_int_equal(number(record[0], key[i]), i + 1);
    }
    assert_string_equal(json_string_value(field(0, "lowest")), "0x1f");
    assert_non_null(strstr(json_string_value(field(0, "warning")), "a period of 13 "));
    assert_string_equal(
        json_string_value(field(0, "conclusion")),
        "8 lines map to 9 of 7 sets of a 6-way cache, up to 11 to one, no more than it holds: "
        "misses have another reason");
    d = (struct deduction){.samples = 3, .level = 1, .sets = 1, .shared = 1};
    emit_deduction(&source, &d);
    static const char *const absent[] = {"lowest",    "difference",    "level",     "ways",
                                         "sets",      "lines",         "sets_used", "set",
                                         "set_lines", "shared_factor", "warning"};
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(1, absent[i]));
    d = (struct deduction){
        .addresses = 1, .difference = 1, .lines = 1, .sets = 1, .verdict = DEDUCE_CONFLICT, .ways = 1};
    emit_deduction(&source, &d);
    assert_string_equal(json_string_value(field(2, "conclusion")),
                        "1 line maps to one set of a 1-way cache: they evict each other");
    assert_true(field(2, "lowest") && field(2, "difference") && field(2, "lines"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHOWN(table_1_shown),   SHOWN(skid_shown),    SHOWN(code_shown),
        SHOWN(chunks),          SHOWN(nothing_shown), SHOWN(warning_shown),
        SHOWN(fields_of_lines), SHOWN(full_records),  SHOWN(fields_of_a_deduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
