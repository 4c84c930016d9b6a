/* Figures of an experiment: the article's beside those that samples give. */
#include "bench/experiment.h"
#include "measure/sampled.h"
#include "report/emit_experiment.h"
#include "tests/unit/emit_drive.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct bench_figure figures[] = {
    {"misses", "misses", 80e6f, WAY_ANY, FIGURE_EVENTS, 0, "why"},
    {"samples", "samples", 800, WAY_PEBS, FIGURE_SAMPLES, 0, NULL},
    {"places", "instructions", 1, WAY_ANY, FIGURE_INSTRUCTIONS, 0, NULL},
    {"at +0", "%", 100, WAY_PEBS, FIGURE_SHARE, 0, NULL},
    {"at +49", "%", 46.5f, WAY_PMI, FIGURE_SHARE, 49, NULL},
    {"missed", "%", NO_FIGURE, WAY_IBS, FIGURE_MISSES, 0, NULL},
    {"nearest", "instructions", 45, WAY_ANY, FIGURE_NEAREST, 0, NULL},
    {"addresses", "addresses", 8, WAY_ANY, FIGURE_ADDRESSES, 0, NULL},
    {"apart", "bytes", 8192, WAY_ANY, FIGURE_DIFFERENCE, 0, NULL},
    {"fewest", "samples", 88, WAY_ANY, FIGURE_FEWEST, 0, NULL},
    {"most", "samples", 106, WAY_ANY, FIGURE_MOST, 0, NULL},
    {"median", "cycles", NO_FIGURE, WAY_LATENCY | WAY_IBS, FIGURE_LATENCY, 0, NULL},
    {"from L2", "%", NO_FIGURE, WAY_LATENCY | WAY_IBS, FIGURE_LEVEL, LEVEL_L2, NULL},
    {0},
};
static unsigned conf = 95;
static const struct bench_way ways[] = {{WAY_PMI, SAMPLE_BY_PMI, 0, 0, 0, "a", 0},
                                        {WAY_PEBS, SAMPLE_BY_PEBS, 0, 0, 0, "misses:u", 0},
                                        {WAY_LATENCY, SAMPLE_BY_PEBS, 9, 0, 0, "loads", 0},
                                        {WAY_IBS, SAMPLE_BY_IBS, 0, 0, 0, NULL, 0},
                                        {0}};
static const struct bench_sampling own = {.way = ways, .figure = figures};

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
    static struct pmu pmu = {.pebs_before = true};
    const struct cpu cpu = {.pmu = &pmu, .caches = {.c = {p4}, .n = 1}};
    const struct sampling s = {.by = by,
                               .event = event,
                               .samples = samples,
                               .inside = samples.n,
                               .occurred = 80000002,
                               .period = 99999,
                               .run = run};
    struct sampled result;
    l1_miss.target = (void *)(uintptr_t)0x080484c3;
    l1_miss.sampling = &own;
    assert_true(sampled_reduce(&s, &cpu, &article, conf, &arena, &result));
    for (unsigned i = 0; i < result.figures.n; i++) emit_experiment(&result.figures.at[i], ORIGIN_MODELLED);
    l1_miss.target = NULL;
    l1_miss.sampling = NULL;
}

TEST_WITH(figures_precise, session, forget)
{
    take_table_1();
    figures_of(SAMPLE_BY_PEBS, "misses:u");
    assert_string_equal(told(), "misses=8e+07 samples=800 places=1 at +0=100 nearest=0 addresses=8 "
                                "apart=8192 fewest=88 most=106 ");
    assert_string_equal(json_string_value(json_object_get(record[0], "note")), "why");
    assert_string_equal(json_string_value(json_object_get(record[0], "event")), "misses:u");
    assert_true(json_real_value(json_object_get(record[0], "article")) == 80e6);
    assert_null(json_object_get(record[1], "note"));
    assert_null(json_object_get(record[1], "of"));
    assert_string_equal(json_string_value(json_object_get(record[7], "what")), "fewest");
    assert_string_equal(json_string_value(json_object_get(record[7], "note")),
                        "800 samples at 8 addresses are 100 each; the article's 800 at 8 are 100 each");
    assert_ptr_equal(strstr(text,
                            "\n  l1_profile                               article       ours  (modelled)\n"
                            "    misses                                80000000   80000002  misses\n"
                            "      why\n"
                            "    samples                                    800        800  samples\n"),
                     text);
}

TEST_WITH(figures_late, session, forget)
{
    take_none();
    for (unsigned i = 0; i < 465; i++) take(ip_behind(49));
    for (unsigned i = 0; i < 535; i++) take(ip_behind(45 + i % 4));
    figures_of(SAMPLE_BY_PMI, "a");
    assert_string_equal(told(), "misses=8e+07 places=5 at +49=46.5 nearest=45 addresses=- apart=- fewest=- "
                                "most=- ");
    assert_non_null(strstr(text, "at +49                                   46.50      46.50  %\n"));
    assert_non_null(strstr(text, "addresses                                    8          -  addresses\n"));
}

/* 465 of 1,000, as the article has them: the interval is Wilson's, here with z = 1.959964 and 2.575829. */
TEST_WITH(figures_by_chance, session, forget)
{
    static const struct {
        unsigned conf, hits;
        double low, high;
        const char *says;
    } cases[] = {
        {95, 465, 43.428, 49.599, "95 % interval of 1000 samples: 43.43 to 49.60; the article's is inside"},
        {99, 465, 42.474, 50.572, "99 % interval of 1000 samples: 42.47 to 50.57; the article's is inside"},
        {95, 500, 46.907, 53.093, "95 % interval of 1000 samples: 46.91 to 53.09; the article's is outside"},
    };
    for (unsigned k = 0; k < N(cases); k++) {
        session(state);
        take_none();
        for (unsigned i = 0; i < 1000; i++) take(ip_behind(i < cases[k].hits ? 49 : 45));
        conf = cases[k].conf;
        figures_of(SAMPLE_BY_PMI, "a");
        conf = 95;
        json_t *r = record[2];
        assert_string_equal(json_string_value(json_object_get(r, "what")), "at +49");
        assert_int_equal(json_integer_value(json_object_get(r, "of")), 1000);
        assert_int_equal(json_integer_value(json_object_get(r, "conf")), cases[k].conf);
        assert_true(fabs(json_real_value(json_object_get(r, "low")) - cases[k].low) < 1e-3);
        assert_true(fabs(json_real_value(json_object_get(r, "high")) - cases[k].high) < 1e-3);
        assert_non_null(strstr(text, cases[k].says));
        forget(state);
    }
}

/* Code that cannot be decoded has no distance, the nearest is that of the rest; data of one address. */
TEST_WITH(figures_few, session, forget)
{
    take_none();
    take(0x1000);
    take(0x1000);
    figures_of(SAMPLE_BY_PMI, "a");
    assert_non_null(strstr(told(), "places=1 at +49=0 nearest=- addresses=- "));
    take(0x080484c3 - 2 * 7);
    take(ip_behind(9));
    forget(state), session(state);
    figures_of(SAMPLE_BY_PMI, "a");
    assert_non_null(strstr(told(), " nearest=7 "));
    forget(state), session(state);
    take_none();
    for (unsigned i = 0; i < 3; i++) {
        struct sample *s = take(0x080484c3);
        s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
        s->reg[0] = 0x8000;
    }
    figures_of(SAMPLE_BY_PEBS, "a");
    assert_non_null(strstr(told(), " addresses=1 apart=- fewest=3 most=3 "));
    forget(state), session(state);
    take_none();
    take(0x080484c3)->valid |= SAMPLE_PRECISE; /* without registers, so without a data address */
    figures_of(SAMPLE_BY_PEBS, "a");
    assert_non_null(strstr(told(), "nearest=0 addresses=- apart=- fewest=- most=- "));
}

static struct sample *load(uint64_t ip, uint64_t data, unsigned level, uint32_t latency)
{
    struct sample *s = take(ip);
    s->valid |= SAMPLE_PRECISE | SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_LATENCY;
    s->data = data;
    s->level = (uint8_t)level;
    s->latency = latency;
    return s;
}

/* Of loads above a latency: levels and latencies. Of ops: those that missed, wherever they are; addresses
 * that were hit, and those of a sample or two, do not count. */
TEST_WITH(figures_of_accesses, session, forget)
{
    take_none();
    for (unsigned i = 0; i < 64; i++)
        load(0x080484c3, 0x8000 + i % 4 * 0x2000, i < 48 ? LEVEL_L2 : LEVEL_L3, 10 + i);
    figures_of(SAMPLE_BY_PEBS, "loads");
    assert_string_equal(told(), "misses=8e+07 places=1 nearest=0 addresses=4 apart=8192 fewest=16 most=16 "
                                "median=41 from L2=75 ");
    assert_int_equal(json_integer_value(json_object_get(record[8], "of")), 64);
    forget(state), session(state);
    records_have_clocks(false); /* on the PMU model: a latency is nobody's */
    figures_of(SAMPLE_BY_PEBS, "loads");
    assert_non_null(strstr(told(), "most=16 median=- from L2=75 "));
    assert_string_equal(json_string_value(json_object_get(record[7], "note")),
                        "not modelled: the emulator's cycles are not a processor's");
    assert_int_equal(json_array_size(json_object_get(record[7], "flags")), 0);
    forget(state), session(state);
    for (unsigned i = 0; i < 500; i++)
        load(ip_behind(1), 0x100, LEVEL_L1, 0)->valid &= ~(uint32_t)SAMPLE_LATENCY;
    for (unsigned i = 0; i < 16; i++) load(ip_behind(2), 0x8000, LEVEL_MEMORY, 300);
    load(ip_behind(9), 0x9999, LEVEL_L2, 10);
    take(ip_behind(3));
    take(ip_behind(3))->traits = SAMPLE_LOAD; /* from an unknown level */
    figures_of(SAMPLE_BY_IBS, "ibs_op");
    assert_string_equal(json_string_value(json_object_get(record[6], "note")),
                        "80 samples at 4 addresses are 20 each; the article's 800 at 8 are 100 each");
    assert_string_equal(told(),
                        "misses=8e+07 places=5 missed=79.0123 nearest=0 addresses=4 apart=8192 fewest=16 "
                        "most=32 median=49 from L2=8.43373 ");
    assert_int_equal(json_integer_value(json_object_get(record[2], "of")), 81);
    forget(state), session(state);
    take_none();
    take(ip_behind(3));
    figures_of(SAMPLE_BY_IBS, "ibs_op");
    assert_string_equal(told(),
                        "misses=8e+07 places=1 missed=- nearest=3 addresses=- apart=- fewest=- most=- "
                        "median=- from L2=- ");
}

/* sample= by another method than the row's, with its event. */
TEST_WITH(figures_by_another_method, session, forget)
{
    take_table_1();
    figures_of(SAMPLE_BY_PMI, "misses:u");
    assert_non_null(strstr(told(), "at +49=0 "));
    forget(state), session(state);
    figures_of(SAMPLE_BY_PEBS, "a");
    assert_non_null(strstr(told(), "at +0=100 "));
    forget(state), session(state);
    figures_of(SAMPLE_BY_PMI, "loads"); /* which PEBS alone can count */
    figures_of(SAMPLE_BY_PEBS, "b");
    assert_int_equal(records, 0);
}

/* By another event they would say nothing. */
TEST_WITH(figures_of_another, session, forget)
{
    take_table_1();
    figures_of(SAMPLE_BY_PEBS, "cycles");
    assert_int_equal(records, 0);
}

/* Figures as people see them: whole numbers without decimals, and whether ours holds the article's. */
TEST_WITH(figures_shown, session, forget)
{
    static const struct {
        struct experiment e;
        const char *want;
    } cases[] = {
        {{.article = 5, .ours = -7}, "          5         -7  u\n"},
        {{.article = 0.126, .ours = NAN}, "       0.13          -  u\n"},
        {{.article = 999999999, .ours = 1e9}, "  999999999 1000000000.00  u\n"},
        {{.article = -999999999, .ours = -1e9}, " -999999999 -1000000000.00  u\n"},
        {{.article = 1, .ours = 2, .of = 9, .conf = 99, .low = 1, .high = 3},
         "          1          2  u\n"
         "      99 % interval of 9 samples: 1.00 to 3.00; the article's is inside\n"},
        {{.article = 3, .ours = 2, .of = 1, .conf = 99, .low = 1, .high = 3, .note = "why"},
         "          3          2  u\n"
         "      99 % interval of 1 samples: 1.00 to 3.00; the article's is inside\n"
         "      why\n"},
        {{.article = 0.5, .ours = 2, .of = 9, .conf = 99, .low = 1, .high = 3},
         "       0.50          2  u\n"
         "      99 % interval of 9 samples: 1.00 to 3.00; the article's is outside\n"},
        {{.article = NAN, .ours = 2, .of = 9, .conf = 99, .low = 1, .high = 3},
         "          -          2  u\n      99 % interval of 9 samples: 1.00 to 3.00\n"},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        struct experiment e = cases[i].e;
        char want[400];
        e.name = i < 4 ? "one" : "two";
        e.what = "a figure of more than thirty-four letters";
        e.unit = "u";
        text[0] = '\0';
        emit_experiment(&e, i ? ORIGIN_SILICON : ORIGIN_EMULATED);
        snprintf(want, sizeof want, "%s%s    %.34s %s", i % 4 == 0 ? "\n  " : "",
                 i == 0   ? "one                                      article       ours  (emulated)\n"
                 : i == 4 ? "two                                      article       ours  (emulated)\n"
                          : "",
                 e.what, cases[i].want);
        assert_string_equal(text, want);
        assert_int_equal(json_object_get(record[i], "of") != NULL, e.of != 0);
        assert_int_equal(json_array_size(json_object_get(record[i], "flags")), i == 0);
    }
}

/* What is held comes out in its order, with its texts as they were; for one more there is no room. */
TEST_WITH(figures_held, session, forget)
{
    char event[50], note[250];
    experiments_hold();
    for (unsigned i = 0; i <= 32; i++) {
        memset(event, 'a' + (int)i % 26, sizeof event - 1);
        memset(note, 'a' + (int)i % 26, sizeof note - 1);
        event[i == 1 ? 49 : 5] = note[i == 1 ? 249 : 5] = '\0';
        const struct experiment e = {.name = "x",
                                     .what = "y",
                                     .unit = "u",
                                     .article = NAN,
                                     .ours = i,
                                     .event = i == 2 ? NULL : event,
                                     .note = i == 2 ? NULL : note};
        emit_experiment(&e, i ? ORIGIN_SILICON : ORIGIN_VIRTUALIZED);
        assert_int_equal(records, i / 32);
    }
    strcpy(event, "other");
    strcpy(note, "other");
    experiments_release();
    experiments_release(); /* nothing is left */
    assert_int_equal(records, 33);
    for (unsigned i = 0; i < 33; i++) {
        const json_t *r = record[i];
        const unsigned of = i ? i - 1 : 32;
        const char *e = json_string_value(json_object_get(r, "event")),
                   *n = json_string_value(json_object_get(r, "note"));
        assert_true(json_real_value(json_object_get(r, "ours")) == of);
        assert_int_equal(json_array_size(json_object_get(r, "flags")), of == 0);
        if (of == 2) assert_true(!e && !n);
        if (of == 2) continue;
        assert_int_equal(e[0], 'a' + (int)of % 26);
        assert_int_equal(strlen(e), of == 1 ? 39 : 5);
        assert_int_equal(n[0], 'a' + (int)of % 26);
        assert_int_equal(strlen(n), of == 1 ? 199 : 5);
    }
    const struct experiment e = {.name = "x", .what = "y", .unit = "u", .article = NAN, .ours = 1};
    emit_experiment(&e, ORIGIN_SILICON); /* at once */
    assert_int_equal(records, 34);
}
