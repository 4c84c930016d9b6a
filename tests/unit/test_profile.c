/* Samples into profiles, records and text: the article's figure 5 and table 1 as they would be sampled. */
#include "measure/profile.h"
#include "report/emit_experiment.h"
#include "report/emit_profile.h"
#include "report/record.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static uint8_t memory[1 << 18] __attribute__((aligned(8)));
static struct arena arena;
static const struct profile_filter all = {-1, 0};
static const struct cache p4 = {.level = 1, .kind = CACHE_DATA, .bytes = 8192, .line = 64, .ways = 4};

/* ---- code, as the article's: a load that misses amid loads that hit ---- */

#define TARGET_AT 30
static uint8_t bytes[400]; /* 15 x mov 0(%ebx),%ecx as 8B 0B; mov (%eax),%eax; movs of six bytes */
static const struct code article = {bytes, 0x080484c3 - TARGET_AT, sizeof bytes, false};

static int prepare(void **state)
{
    static const uint8_t far_load[] = {0x8b, 0x8b, 0x00, 0x10, 0x00, 0x00}; /* mov 0x1000(%ebx),%ecx */
    (void)state;
    arena = (struct arena){memory, sizeof memory, 0};
    for (unsigned i = 0; i < TARGET_AT; i += 2) bytes[i] = 0x8b, bytes[i + 1] = 0x0b;
    bytes[TARGET_AT] = 0x8b; /* mov (%eax),%eax */
    bytes[TARGET_AT + 1] = 0x00;
    for (unsigned i = TARGET_AT + 2; i + 6 <= sizeof bytes; i += 6) memcpy(bytes + i, far_load, 6);
    return 0;
}

static uint64_t ip_behind(unsigned instructions) /* that many behind the target */
{
    return 0x080484c3 + (instructions ? 2 + 6 * (instructions - 1) : 0);
}

/* ---- samples ---- */

static struct sample taken[4096];
static struct samples samples;

static struct sample *take(uint64_t ip)
{
    struct sample *s = &taken[samples.n++];
    assert_true(samples.n <= N(taken));
    *s = (struct sample){.valid = SAMPLE_IP | SAMPLE_COUNTER, .ip = ip, .counter = 16};
    return s;
}

static void begin(void) { samples = (struct samples){taken, 0, N(taken), 0}; }

static const struct profile_line table_1[] = {
    {0x08049760, 102}, {0x0804b760, 88},  {0x0804d760, 106}, {0x0804f760, 102},
    {0x08051760, 100}, {0x08053760, 100}, {0x08055760, 101}, {0x08057760, 101},
};

/* PEBS samples with EAX as in table 1, in an order that is not sorted. */
static void take_table_1(void)
{
    unsigned left[N(table_1)] = {0}, i = 0;
    for (unsigned k = 0; k < N(table_1); k++) left[k] = (unsigned)table_1[k].count;
    begin();
    for (unsigned n = 0; n < 800; n++) {
        do i = (i + 5) % N(table_1);
        while (!left[i]);
        left[i]--;
        struct sample *s = take(0x080484c3);
        s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
        s->reg[0] = table_1[i].key;
    }
}

/* ---- folding ---- */

static void table_1_by_data(void **state)
{
    (void)state;
    struct profile p;
    struct deduction d;
    char text[DEDUCE_TEXT];
    take_table_1();
    assert_true(profile_by_data(&samples, &all, &article, DECODE_BEFORE | DECODE_LOADS, &arena, &p));
    assert_int_equal(p.n, N(table_1));
    assert_memory_equal(p.line, table_1, sizeof table_1);
    assert_int_equal(p.samples, 800);
    assert_int_equal(p.unknown, 0);
    deduce(&p, &p4, 99999, &arena, &d);
    assert_string_equal(deduce_text(&d, text, sizeof text),
                        "8 lines map to one set of a 4-way cache: they drive each other out");
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    assert_int_equal(p.n, 1);
    assert_int_equal(p.line[0].key, 0x080484c3);
    assert_int_equal(p.line[0].count, 800);
}

/* EAX has been overwritten: with the registers after the load nothing is known. */
static void registers_after(void **state)
{
    (void)state;
    struct profile p;
    take_table_1();
    assert_true(profile_by_data(&samples, &all, &article, DECODE_LOADS, &arena, &p));
    assert_int_equal(p.n, 0);
    assert_int_equal(p.samples, 800);
    assert_int_equal(p.unknown, 800);
}

static void what_is_unknown(void **state)
{
    (void)state;
    struct profile p;
    struct sample *s;
    begin();
    s = take(0x080484c3); /* imprecise: not the instruction of the event */
    s->valid |= SAMPLE_REGS;
    s = take(0x080484c3); /* without registers */
    s->valid |= SAMPLE_PRECISE;
    s = take(0x1000); /* outside of the code */
    s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
    s = take(0x1000); /* what the hardware says needs no decoding */
    s->valid |= SAMPLE_DATA;
    s->data = 0x777;
    s = take(article.base + sizeof bytes - 1); /* the last byte: cut off */
    s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
    samples.lost = 9;
    assert_true(profile_by_data(&samples, &all, &article, DECODE_BEFORE, &arena, &p));
    assert_int_equal(p.samples, 5);
    assert_int_equal(p.unknown, 4);
    assert_int_equal(p.lost, 9);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.line[0].key, 0x777);
}

static void filters(void **state)
{
    (void)state;
    struct profile p;
    begin();
    take(0x100)->counter = 12;
    take(0x200)->counter = 13;
    take(0x200)->counter = 12;
    take(0x300)->valid = SAMPLE_IP; /* nobody says of which counter */
    take(0)->valid = SAMPLE_TSC;    /* no address at all */
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    assert_int_equal(p.samples, 5);
    assert_int_equal(p.unknown, 1);
    assert_int_equal(p.n, 3);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){12, 0}, &arena, &p));
    assert_int_equal(p.samples, 2);
    assert_int_equal(p.n, 2);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){-1, 0x200}, &arena, &p));
    assert_int_equal(p.samples, 2);
    assert_int_equal(p.n, 1);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){0, 0}, &arena, &p));
    assert_int_equal(p.samples, 0);
    assert_int_equal(p.n, 0);
}

static void ranked(void **state)
{
    (void)state;
    static struct profile_line line[1000];
    struct profile p = {line, N(line), 0, 0, 0};
    uint32_t seed = 5;
    for (unsigned i = 0; i < N(line); i++) {
        seed = seed * 1664525u + 1013904223u;
        line[i] = (struct profile_line){i, 1 + (seed >> 8) % 50};
    }
    profile_rank(&p);
    assert_int_equal(line[0].count, 50);
    for (unsigned i = 1; i < N(line); i++)
        assert_true(line[i - 1].count > line[i].count ||
                    (line[i - 1].count == line[i].count && line[i - 1].key < line[i].key));
    p.n = 0;
    profile_rank(&p);
}

static void arena_full(void **state)
{
    (void)state;
    struct profile p;
    begin();
    for (unsigned i = 0; i < 10; i++) take(i);
    arena.size = 79; /* the keys do not fit */
    assert_false(profile_by_ip(&samples, &all, &arena, &p));
    arena.size = 80 + 159; /* the lines do not */
    assert_false(profile_by_ip(&samples, &all, &arena, &p));
    arena = (struct arena){memory, 80 + 160, 0};
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
}

/* ---- distances and names ---- */

static void distances(void **state)
{
    (void)state;
    int64_t n = 1234;
    assert_true(profile_distance(&article, 0x080484c3, ip_behind(69), &n) == false); /* beyond the code */
    for (int i = 0; i < 60; i++) {
        assert_true(profile_distance(&article, 0x080484c3, ip_behind((unsigned)i), &n));
        assert_int_equal(n, i);
    }
    for (int i = 0; i <= TARGET_AT / 2; i++) {
        assert_true(profile_distance(&article, 0x080484c3, 0x080484c3 - 2 * (unsigned)i, &n));
        assert_int_equal(n, -i);
    }
    n = 1234;
    assert_false(profile_distance(&article, 0x080484c3, 0x080484c3 + 3, &n)); /* inside an instruction */
    assert_false(profile_distance(&article, 0x080484c3, article.base - 1, &n));
    assert_false(profile_distance(&article, 0x080484c3, article.base + sizeof bytes, &n));
    bytes[TARGET_AT + 2] = 0x0f; /* not an instruction */
    bytes[TARGET_AT + 3] = 0xff;
    assert_false(profile_distance(&article, 0x080484c3, ip_behind(2), &n));
    assert_int_equal(n, 1234);
}

static void payload_at(void *arg) { (void)arg; }

static struct bench first = {.name = "first", .op = "load", .variant = {{"", payload_at}}},
                    second = {.name = "second", .op = "load"};
static const struct bench *const benches[] = {&first, &second};

static void symbols(void **state)
{
    (void)state;
    uint64_t base = (uintptr_t)payload_at;
    const struct code code = {NULL, base - 0x10, 0x400, true};
    struct symbol s = {0};
    second.variant[0] = (struct bench_variant){"x87", (payload_fn *)(base + 0x40)};
    second.variant[1] = (struct bench_variant){"sse2", (payload_fn *)(base + 0x80)};
    assert_false(profile_symbol(benches, benches + 2, &code, base - 1, &s));
    assert_false(profile_symbol(benches, benches + 2, &code, base + 0x3f0, &s));
    assert_true(profile_symbol(benches, benches + 2, &code, base + 0x3f, &s));
    assert_true(s.bench == &first && s.variant == 0 && s.offset == 0x3f);
    assert_true(profile_symbol(benches, benches + 2, &code, base + 0x40, &s));
    assert_true(s.bench == &second && s.variant == 0 && s.offset == 0);
    assert_true(profile_symbol(benches, benches + 2, &code, base + 0x100, &s));
    assert_true(s.bench == &second && s.variant == 1 && s.offset == 0x80);
    assert_false(profile_symbol(benches, benches, &code, base, &s));
}

/* ---- records and text ---- */

static char text[65536];
static json_t *record[100];
static unsigned records;

static void text_line(const char *line)
{
    assert_true(strlen(line) <= 79);
    assert_true(line[0] != '{');
    strcat(strcat(text, line), "\n");
}

static void record_line(const char *line, size_t len)
{
    json_error_t error;
    assert_true(len <= RECORD_MAX_BYTES);
    assert_true(records < N(record));
    record[records] = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(record[records++]);
}

static int session(void **state)
{
    static const struct session_sinks sinks = {record_line, text_line};
    text[0] = '\0';
    records = 0;
    session_begin(&sinks);
    return prepare(state);
}

static int forget(void **state)
{
    (void)state;
    while (records) json_decref(record[--records]);
    return 0;
}

static void expect(const char *want)
{
    if (strcmp(text, want) != 0) fail_msg("got\n%s\nwant\n%s", text, want);
}

static struct bench l1_miss = {.name = "l1_profile", .op = "load", .variant = {{"", NULL}}};
static const struct bench *const l1_list[] = {&l1_miss};
static const struct plan_item item = {.bench = &l1_miss};
static const struct run run = {.item = &item};
static const struct profile_source source = {&run,       3,        "netburst::replay_event:NBOGUS:L1_LD_MISS",
                                             "pebs",     99999,    false,
                                             "modelled", &article, l1_list,
                                             l1_list + 1};

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
           "  deduced: 8 addresses, 8192 bytes apart; set 29 of 32 in L1; 8 lines map to\n"
           "           one set of a 4-way cache: they drive each other out\n");
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
    begin();
    for (unsigned i = 0; i < 465; i++) take(ip_behind(49));
    for (unsigned i = 0; i < 335; i++) take(ip_behind(45 + i % 4));
    for (unsigned i = 0; i < 199; i++) take(ip_behind(45));
    take(0x100)->valid = 0;
    samples.lost = 3;
    l1_miss.target = (void *)(uintptr_t)0x080484c3;
    l1_miss.variant[0].payload = (payload_fn *)(uintptr_t)article.base;
    profile_by_ip(&samples, &all, &arena, &p);
    profile_rank(&p);
    struct profile_source from = source;
    from.method = "pmi";
    from.jitter = true;
    from.origin = NULL;
    emit_profile_ip(&from, &p);
    l1_miss.target = NULL;
    expect("  profile by instruction of netburst::replay_event:NBOGUS:L1_LD_MISS: 1000\n"
           "  samples by pmi, one in 99999 on average (jittered)\n"
           "      share   samples  from target     bytes  address     symbol\n"
           "    46.50 %       465          +49      +290  0x80485e5   l1_profile+0x140\n"
           "    28.30 %       283          +45      +266  0x80485cd   l1_profile+0x128\n"
           "     8.40 %        84          +46      +272  0x80485d3   l1_profile+0x12e\n"
           "     8.40 %        84          +47      +278  0x80485d9   l1_profile+0x134\n"
           "     8.30 %        83          +48      +284  0x80485df   l1_profile+0x13a\n"
           "     0.10 %         1  unknown\n"
           "  ! 3 more samples were lost: the buffer was full\n");
}

/* Many lines, the longest names, the largest numbers: several records, none too long, none twice. */
static void chunks(void **state)
{
    (void)state;
    static struct profile_line line[100];
    struct profile p = {line, N(line), UINT64_MAX, 0, 0};
    static struct bench longest = {
        .name = "a_name_of_a_benchmark_that_is_long", /* 34 */
        .op = "load",
        .param = {{.name = "parameter_one", .unit = ""},
                  {.name = "parameter_two", .unit = ""},
                  {.name = "parameter_three", .unit = ""}},
        .variant = {{"a_long_variant", NULL}},
    };
    static const struct bench *const list[] = {&longest};
    static const struct plan_item long_item = {.bench = &longest};
    static const struct run long_run = {.item = &long_item, .bench.param = {INT64_MIN, INT64_MIN, INT64_MIN}};
    const struct code code = {bytes, UINT64_MAX - 1000, 400, true};
    char event[128];
    memset(event, 'e', sizeof event - 1);
    event[sizeof event - 1] = '\0';
    longest.variant[0].payload = (payload_fn *)1;
    longest.target = (void *)1;
    for (unsigned i = 0; i < N(line); i++)
        line[i] = (struct profile_line){UINT64_MAX - 1000 + i, UINT64_MAX / 128};
    const struct profile_source from = {&long_run,     3,     event, "pebs",  UINT64_MAX, true,
                                        "virtualized", &code, list,  list + 1};
    emit_profile_ip(&from, &p);
    assert_int_equal(session_errors(), 0);
    assert_int_equal(records, 7);
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
    begin();
    profile_by_data(&samples, &all, &article, 0, &arena, &p);
    emit_profile_data(&source, &p);
    deduce(&p, &p4, 99999, &arena, &d);
    emit_deduction(&source, &d);
    expect("  profile by data address of netburst::replay_event:NBOGUS:L1_LD_MISS: 0\n"
           "  samples by pebs, one in 99999, modelled\n"
           "      share   samples        apart  address\n"
           "  deduced: 0 addresses; no data address is known\n");
    assert_int_equal(records, 2);
}

static void warning_shown(void **state)
{
    (void)state;
    struct deduction d;
    struct profile_line one = {0x8049760, 800};
    struct profile p = {&one, 1, 800, 0, 0};
    deduce(&p, &p4, 100000, &arena, &d);
    emit_deduction(&source, &d);
    expect("  deduced: 1 address; set 29 of 32 in L1; 1 line maps to one set of a 4-way\n"
           "           cache, no more than it holds: the misses have another reason\n"
           "  ! a period of 100000 may meet these addresses for ever and others never: try\n"
           "    jitter=, or a period that is a prime number\n");
}

/* ---- figures of an experiment ---- */

static const struct bench_figure figures[] = {
    {"misses", "misses", 80e6f, SAMPLE_BY_NONE, FIGURE_EVENTS, 0, "why"},
    {"samples", "samples", 800, SAMPLE_BY_PEBS, FIGURE_SAMPLES, 0, NULL},
    {"places", "instructions", 1, SAMPLE_BY_NONE, FIGURE_INSTRUCTIONS, 0, NULL},
    {"at +0", "%", 100, SAMPLE_BY_PEBS, FIGURE_SHARE, 0, NULL},
    {"at +49", "%", 46.5f, SAMPLE_BY_PMI, FIGURE_SHARE, 49, NULL},
    {"nearest", "instructions", 45, SAMPLE_BY_NONE, FIGURE_NEAREST, 0, NULL},
    {"addresses", "addresses", 8, SAMPLE_BY_NONE, FIGURE_ADDRESSES, 0, NULL},
    {"apart", "bytes", 8192, SAMPLE_BY_NONE, FIGURE_DIFFERENCE, 0, NULL},
    {"fewest", "samples", 88, SAMPLE_BY_NONE, FIGURE_FEWEST, 0, NULL},
    {"most", "samples", 106, SAMPLE_BY_NONE, FIGURE_MOST, 0, NULL},
    {0},
};
static const struct bench_sampling own = {.event = {"a", "misses:u"}, .figure = figures};

/* "what=ours " of each record; "-" where there is none of ours. */
static const char *told(void)
{
    static char out[1000];
    out[0] = '\0';
    for (unsigned i = 0; i < records; i++) {
        char *to = out + strlen(out);
        const json_t *ours = json_object_get(record[i], "ours");
        to += sprintf(to, "%s=", json_string_value(json_object_get(record[i], "what")));
        sprintf(to, ours ? "%g " : "- ", json_number_value(ours));
    }
    return out;
}

static void figures_of(enum sampling_by by, const char *event)
{
    struct sampling s = {.by = by, .samples = samples, .occurred = 80000002};
    struct profile_source from = source;
    struct profile ip, data;
    struct deduction d;
    from.event = event;
    l1_miss.target = (void *)(uintptr_t)0x080484c3;
    l1_miss.sampling = &own;
    profile_by_ip(&samples, &all, &arena, &ip);
    profile_by_data(&samples, &all, &article, DECODE_BEFORE, &arena, &data);
    deduce(&data, &p4, 99999, &arena, &d);
    if (by == SAMPLE_BY_PEBS)
        emit_figures(&s, &from, &ip, &data, &d);
    else
        emit_figures(&s, &from, &ip, NULL, NULL);
    l1_miss.target = NULL;
    l1_miss.sampling = NULL;
}

static void figures_precise(void **state)
{
    (void)state;
    take_table_1();
    figures_of(SAMPLE_BY_PEBS, "misses:u");
    assert_string_equal(told(), "misses=8e+07 samples=800 places=1 at +0=100 nearest=0 addresses=8 "
                                "apart=8192 fewest=88 most=106 ");
    assert_string_equal(json_string_value(json_object_get(record[0], "note")), "why");
    assert_string_equal(json_string_value(json_object_get(record[0], "event")), "misses:u");
    assert_true(json_real_value(json_object_get(record[0], "article")) == 80e6);
    assert_null(json_object_get(record[1], "note"));
    assert_ptr_equal(strstr(text,
                            "\n  l1_profile                               article       ours  (modelled)\n"
                            "    misses                                80000000   80000002  misses\n"
                            "      why\n"
                            "    samples                                    800        800  samples\n"),
                     text);
}

static void figures_late(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 465; i++) take(ip_behind(49));
    for (unsigned i = 0; i < 535; i++) take(ip_behind(45 + i % 4));
    figures_of(SAMPLE_BY_PMI, "a");
    assert_string_equal(told(), "misses=8e+07 places=5 at +49=46.5 nearest=45 addresses=- apart=- fewest=- "
                                "most=- ");
    assert_non_null(strstr(text, "at +49                                   46.50      46.50  %\n"));
    assert_non_null(strstr(text, "addresses                                    8          -  addresses\n"));
}

/* By another event they would say nothing. */
static void figures_of_another(void **state)
{
    (void)state;
    take_table_1();
    figures_of(SAMPLE_BY_PEBS, "cycles");
    assert_int_equal(records, 0);
}

#define SHOWN(f) cmocka_unit_test_setup_teardown(f, session, forget)
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(table_1_by_data, prepare),
        cmocka_unit_test_setup(registers_after, prepare),
        cmocka_unit_test_setup(what_is_unknown, prepare),
        cmocka_unit_test_setup(filters, prepare),
        cmocka_unit_test_setup(arena_full, prepare),
        cmocka_unit_test_setup(distances, prepare),
        cmocka_unit_test(ranked),
        cmocka_unit_test(symbols),
        SHOWN(table_1_shown),
        SHOWN(skid_shown),
        SHOWN(chunks),
        SHOWN(nothing_shown),
        SHOWN(warning_shown),
        SHOWN(figures_precise),
        SHOWN(figures_late),
        SHOWN(figures_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
