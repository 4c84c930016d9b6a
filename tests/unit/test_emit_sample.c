/* A sampling run as records, each judged by the catalogue as it is made (emit_drive.h). */
#include "pmu/pmu.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }

/* " lost storm" */
static const char *flags(void)
{
    static char out[200];
    size_t k;
    json_t *flag;
    out[0] = '\0';
    json_array_foreach(json_object_get(record[0], "flags"), k, flag)
    {
        strcat(out, " ");
        strcat(out, json_string_value(flag));
    }
    return out;
}

static struct sampling plain(void)
{
    return (struct sampling){
        .by = SAMPLE_BY_PMI, .event = "cycles", .unit = "events", .period = 7, .tries = 1, .run = run};
}

/* Each figure has a field of its own. */
TEST_WITH(fields_of_a_run, session, forget)
{
    static const char *const numbers[] = {"counter", "period",     "jitter", "seed",        "tries",
                                          "reps",    "occurred",   "wanted", "samples",     "outside",
                                          "lost",    "interrupts", "ring",   "tsc_without", "tsc_with"};
    const struct machine m = {.time_origin = ORIGIN_EMULATED};
    const struct options opt = {.sample = SAMPLE_BY_PMI, .period = 2, .jitter_seed = 4, .ring = 13};
    const struct sampled result = {.cost_known = true,
                                   .counted = true,
                                   .handler_tsc = 1.5,
                                   .handler_share = -0.25,
                                   .handler_instructions = 100.5};
    struct sampling s = plain();
    s.counter = 1;
    s.period = 2;
    s.jitter = 3;
    s.tries = 5;
    s.run.reps = 6;
    s.occurred = 7;
    s.hoped = true;
    s.wanted = 8;
    s.inside = 9;
    s.outside = 10;
    s.samples.lost = 11;
    s.interrupts = 12;
    s.tsc[0] = 14;
    s.tsc[1] = 15;
    emit_sampling(&s, &result, &opt, &m);
    for (unsigned i = 0; i < N(numbers); i++)
        assert_int_equal(json_integer_value(field(0, numbers[i])), i + 1);
    assert_string_equal(string(0, "event"), "cycles");
    assert_string_equal(string(0, "unit"), "events");
    assert_true(json_is_false(field(0, "period_auto")));
    assert_true(json_real_value(field(0, "handler_tsc")) == 1.5);
    assert_true(json_real_value(field(0, "handler_share")) == -0.25);
    assert_true(json_real_value(field(0, "handler_instructions")) == 100.5);
    assert_string_equal(flags(), " lost"); /* the counts are a processor's */
    assert_int_equal(records, 1);
}

/* By IBS: no counter, and interrupts whose registers held no sample. */
TEST_WITH(tagged, session, forget)
{
    const struct machine m = {.time_origin = ORIGIN_SILICON, .count_origin = ORIGIN_SILICON};
    struct options opt = {.sample = SAMPLE_BY_IBS, .ibs.l3miss = true};
    const struct sampled result = {.few = false};
    struct sampling s = plain();
    s.by = SAMPLE_BY_IBS;
    s.event = "ibs_op";
    s.unit = "ops";
    s.inside = 9;
    s.outside = 10;
    s.dropped = 16;
    emit_sampling(&s, &result, &opt, &m);
    assert_string_equal(string(0, "by"), "ibs");
    assert_null(field(0, "counter"));
    assert_int_equal(json_integer_value(field(0, "dropped")), 16);
    assert_true(json_is_true(field(0, "l3miss")));
    expect("\nl1_profile, ring 0: ibs_op sampled by ibs (fixed), every 7 ops, of those that\n"
           "  missed the L3\n"
           "  9 samples, 0 lost, 10 more outside of the payload, 16 interrupts without a\n"
           "  sample\n");
    assert_null(field(0, "latency"));
    opt = (struct options){.sample = SAMPLE_BY_IBS_FETCH, .pebs.latency = 256};
    emit_sampling(&s, &result, &opt, &m);
    assert_string_equal(string(1, "by"), "ibs-fetch");
    assert_null(field(1, "l3miss"));
    assert_int_equal(json_integer_value(field(1, "latency")), 256);
}

/* Of events that were sampled at once each has a record of its own, with its own samples of the one buffer.
 */
TEST_WITH(at_once, session, forget)
{
    struct sample all[20];
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PMI, .all = true};
    static const struct pmu_code code[2] = {{.name = "loads"}, {.name = "stores"}};
    struct sampling_event each[2] = {{.code = &code[0],
                                      .counter = 3,
                                      .period = 100,
                                      .inside = 11,
                                      .outside = 1,
                                      .lost = 2,
                                      .occurred = 1400},
                                     {.code = &code[1],
                                      .counter = 5,
                                      .period = 30,
                                      .inside = 9,
                                      .late = 1,
                                      .outside = 1,
                                      .occurred = 300}};
    const struct sampled result = {.few = false};
    struct sampling s = plain();
    for (unsigned i = 0; i < N(all); i++)
        all[i] =
            (struct sample){.valid = SAMPLE_IP | SAMPLE_COUNTER, .counter = i % 20 < 11 ? 3 : 5, .ip = i};
    s.samples = (struct samples){.at = all, .n = N(all), .cap = N(all)};
    s.at_once = 2;
    s.each = each;
    for (unsigned e = 0; e < 2; e++) {
        const unsigned first = records;
        sampling_view(&s, e);
        emit_sampling(&s, &result, &opt, &m);
        assert_int_equal(records - first, 3); /* itself, and two of raw samples, eight in one */
        assert_string_equal(string(first, "event"), code[e].name);
        assert_int_equal(json_integer_value(field(first, "at_once")), 2);
        assert_int_equal(json_integer_value(field(first, "counter")), each[e].counter);
        assert_int_equal(json_integer_value(field(first, "period")), each[e].period);
        assert_int_equal(json_integer_value(field(first, "occurred")), each[e].occurred);
        assert_int_equal(json_integer_value(field(first, "samples")), each[e].inside);
        assert_int_equal(json_integer_value(field(first, "lost")), each[e].lost);
        assert_int_equal(json_integer_value(field(first, "interrupts")), e ? 10 : 14);
        for (unsigned k = 0; k < 2; k++) {
            const json_t *raw = field(first + 1 + k, "samples");
            assert_string_equal(string(first + 1 + k, "event"), code[e].name);
            assert_int_equal(json_integer_value(field(first + 1 + k, "first")), 8 * k);
            assert_int_equal(json_array_size(raw), k ? each[e].inside - 8 : 8);
            for (size_t i = 0; i < json_array_size(raw); i++)
                assert_int_equal(json_integer_value(json_object_get(json_array_get(raw, i), "counter")),
                                 each[e].counter);
        }
    }
    assert_non_null(strstr(text, "every 100 events, at once\n  with 1 more"));
}

/* What is not known or was not asked for has no field. */
TEST_WITH(fields_that_are_absent, session, forget)
{
    static const char *const absent[] = {"jitter",      "seed",          "wanted",
                                         "handler_tsc", "handler_share", "handler_instructions"};
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PMI};
    struct sampling s = plain();
    struct sampled result = {.counted = true};
    emit_sampling(&s, &result, &opt, &m);
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(0, absent[i]));
    assert_true(json_is_true(field(0, "period_auto")));
    assert_string_equal(flags(), "");
    result = (struct sampled){.cost_known = true};
    emit_sampling(&s, &result, &opt, &m);
    assert_non_null(field(1, "handler_tsc"));
    assert_null(field(1, "handler_instructions"));
}

/* How the interrupt came, and whose time or counts these are. */
TEST_WITH(methods, session, forget)
{
    static const struct {
        enum sampling_by by;
        bool nmi;
        const char *name, *delivery, *origin;
    } cases[] = {{SAMPLE_BY_PMI, false, "pmi", "fixed", " modelled"},
                 {SAMPLE_BY_PMI, true, "pmi", "nmi", " modelled"},
                 {SAMPLE_BY_PEBS, false, "pebs", "fixed", " modelled"},
                 {SAMPLE_BY_TIMER, true, "timer", "fixed", " emulated"},
                 {SAMPLE_BY_NMI, false, "nmi", "nmi", " modelled"}};
    const struct machine m = {.time_origin = ORIGIN_EMULATED, .count_origin = ORIGIN_MODELLED};
    const struct sampled result = {.few = false};
    for (unsigned i = 0; i < N(cases); i++) {
        const struct options opt = {.sample = cases[i].by, .pmi_nmi = cases[i].nmi};
        struct sampling s = plain();
        session(state);
        s.by = cases[i].by;
        emit_sampling(&s, &result, &opt, &m);
        assert_string_equal(string(0, "by"), cases[i].name);
        assert_string_equal(string(0, "delivery"), cases[i].delivery);
        assert_string_equal(flags(), cases[i].origin);
        assert_int_equal(field(0, "counter") != NULL, cases[i].by != SAMPLE_BY_TIMER);
        forget(state);
    }
}

TEST_WITH(doubts, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PMI};
    static const char *const want[] = {" lost", " lost more-lost", " storm",
                                       " few",  " handler-heavy",  " handler-in-part"};
    for (unsigned i = 0; i < N(want); i++) {
        struct sampling s = plain();
        const struct sampled result = {.few = i == 3, .heavy = i == 4};
        session(state);
        s.samples.lost = i == 0;
        s.samples.more = i == 1;
        s.storm = i == 2;
        s.counted_part = i == 5;
        emit_sampling(&s, &result, &opt, &m);
        assert_string_equal(flags(), want[i]);
        forget(state);
    }
}

/* Raw samples on request, eight to a record, with what each of them has. */
TEST_WITH(raw_samples, session, forget)
{
    static struct sample at[17];
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    struct options opt = {.sample = SAMPLE_BY_PMI};
    const struct sampled result = {.few = false};
    struct sampling s = plain();
    for (unsigned i = 0; i < N(at); i++) {
        at[i] = (struct sample){
            .valid = i == 5 ? 0 : SAMPLE_REGS, .ip = 0x1000 + i, .counter = 3, .tsc = 5, .flags = 0x246};
        for (unsigned k = 0; k < N(at[i].reg); k++) at[i].reg[k] = 16 * i + k;
    }
    at[1].valid |= SAMPLE_PRECISE;
    at[2].valid |= SAMPLE_OUTSIDE;
    at[3].valid |= SAMPLE_COUNTER;
    at[4].valid |= SAMPLE_TSC;
    s.samples.at = at;
    s.samples.n = 16;
    emit_sampling(&s, &result, &opt, &m);
    assert_int_equal(records, 1);
    opt.all = true;
    forget(NULL);
    emit_sampling(&s, &result, &opt, &m);
    assert_int_equal(records, 3);
    s.samples.n = 17;
    forget(NULL);
    emit_sampling(&s, &result, &opt, &m);
    assert_int_equal(records, 4);
    for (unsigned i = 0; i < N(at); i++) {
        const json_t *x = json_array_get(field(1 + i / 8, "samples"), i % 8);
        char ip[20];
        snprintf(ip, sizeof ip, "0x%x", 0x1000 + i);
        assert_int_equal(json_integer_value(field(1 + i / 8, "first")), i / 8 * 8);
        assert_string_equal(json_string_value(json_object_get(x, "ip")), ip);
        assert_int_equal(json_is_true(json_object_get(x, "precise")), i == 1);
        assert_int_equal(json_is_true(json_object_get(x, "outside")), i == 2);
        assert_int_equal(json_object_get(x, "outside") != NULL, i == 2);
        assert_int_equal(json_object_get(x, "counter") != NULL, i == 3);
        assert_int_equal(json_object_get(x, "tsc") != NULL, i == 4);
        const json_t *regs = json_object_get(x, "regs");
        assert_int_equal(json_object_get(x, "flags") != NULL, i != 5);
        if (i == 5) { /* of a method that stores neither */
            assert_null(regs);
            continue;
        }
        assert_string_equal(json_string_value(json_object_get(x, "flags")), "0x246");
        assert_int_equal(json_array_size(regs), TRAP_REGS);
        for (unsigned k = 0; k < TRAP_REGS; k++)
            assert_int_equal(strtoul(json_string_value(json_array_get(regs, k)), NULL, 16), 16 * i + k);
    }
    assert_int_equal(json_integer_value(json_object_get(json_array_get(field(1, "samples"), 3), "counter")),
                     3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(field(1, "samples"), 4), "tsc")), 5);
    assert_int_equal(json_array_size(field(3, "samples")), 1);
}

/* On the PMU model the times of the run and of each sample are absent, and all other fields are present. */
TEST_WITH(modelled, session, forget)
{
    static const char *const of_run[] = {"tsc_without", "tsc_with", "handler_tsc", "handler_share"};
    static const char *const of_sample[] = {"tsc",    "latency",    "cache_latency",
                                            "retire", "completion", "cycles"};
    static struct sample at = {.valid = SAMPLE_TSC | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY | SAMPLE_RETIRE |
                                        SAMPLE_CYCLES | SAMPLE_INSTRUCTIONS | SAMPLE_LEVEL,
                               .level = LEVEL_L2,
                               .completion = 3};
    static uint64_t counts[1][2] = {{12, 34}};
    const struct machine m = {.count_origin = ORIGIN_MODELLED, .modelled = true};
    const struct sampled result = {
        .cost_known = true, .counted = true, .handler_instructions = 100.5, .heavy = true};
    for (unsigned clocks = 0; clocks < 2; clocks++)
        for (unsigned clocked = 0; clocked < 3; clocked++) { /* events; cycles; a timer */
            const struct options opt = {.sample = clocked == 2 ? SAMPLE_BY_TIMER : SAMPLE_BY_PMI,
                                        .all = true};
            struct sampling s = plain();
            session(state);
            records_have_clocks(clocks);
            s.clocked = clocked == 1;
            s.samples.at = &at;
            s.samples.n = 1;
            s.samples.counts = counts;
            emit_sampling(&s, &result, &opt, &m);
            for (unsigned i = 0; i < N(of_run); i++) assert_int_equal(field(0, of_run[i]) != NULL, clocks);
            assert_int_equal(field(0, "occurred") != NULL, clocks || !clocked);
            assert_non_null(field(0, "handler_instructions"));
            assert_int_equal(strstr(flags(), "handler-heavy") != NULL, clocks);
            const json_t *x = json_array_get(field(1, "samples"), 0);
            for (unsigned i = 0; i < N(of_sample); i++)
                assert_int_equal(json_object_get(x, of_sample[i]) != NULL, clocks);
            assert_string_equal(json_string_value(json_object_get(x, "level")), "L2");
            assert_int_equal(json_integer_value(json_object_get(x, "instructions")), 12);
            forget(state);
        }
}

/* Code, profiles, deduction and figures behind the run, those that there are. */
TEST_WITH(what_follows, session, forget)
{
    static struct profile_line line = {0x1000, 3};
    static struct profile_place place;
    static const uint8_t code[] = {0x90, 0xc3};
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_NMI, .ring = 3};
    struct sampled result = {.code = {0x1000, code, 2, true},
                             .ip = {.line = &line, .place = &place, .n = 1, .samples = 3},
                             .data = {.line = &line, .n = 1, .samples = 3}};
    struct sampling s = plain();
    result.figures.at[0] = result.figures.at[1] =
        (struct experiment){.name = "x", .what = "y", .unit = "u", .article = 1, .ours = NAN};
    s.by = SAMPLE_BY_PEBS;
    s.jitter = 1;
    emit_sampling(&s, &result, &opt, &m);
    assert_int_equal(records, 1);
    static const struct {
        bool ip, data, deduced;
        unsigned figures;
        const char *types[6];
    } cases[] = {{true, false, false, 0, {"sampling", "code", "profile"}},
                 {false, true, true, 1, {"sampling", "profile", "deduction", "experiment"}},
                 {false, true, false, 0, {"sampling", "profile"}},
                 {false, false, false, 2, {"sampling", "experiment", "experiment"}}};
    for (unsigned i = 0; i < N(cases); i++) {
        forget(NULL);
        result.by_ip = cases[i].ip;
        result.by_data = cases[i].data;
        result.deduced = cases[i].deduced;
        result.figures.n = cases[i].figures;
        emit_sampling(&s, &result, &opt, &m);
        unsigned n = 0;
        for (; cases[i].types[n]; n++) assert_string_equal(string(n, "t"), cases[i].types[n]);
        assert_int_equal(records, n);
        for (unsigned k = 1; k < n; k++) {
            if (!field(k, "method")) continue;
            assert_string_equal(string(k, "method"), "pebs");
            assert_true(json_is_true(field(k, "jitter")));
            assert_int_equal(json_integer_value(field(k, "ring")), 3);
        }
    }
}

/* Errata of the event, and of each event by itself where several were sampled. */
TEST_WITH(errata, session, forget)
{
    const struct machine m = {.cpus = 1};
    const struct options opt = {.sample = SAMPLE_BY_PMI, .period = 7};
    const struct sampled result = {.few = false};
    struct sampling s = plain();
    s.together = 2;
    s.inside = 9;
    s.errata = erratum_named("990");
    emit_sampling(&s, &result, &opt, &m);
    assert_string_equal(flags(), " overcount");
    assert_string_equal(json_string_value(json_array_get(field(0, "errata"), 0)), "990");
    assert_non_null(strstr(text, "! may be too high: erratum 990\n"));
    const struct pmu_code loads = {.name = "loads", .errata = erratum_named("HSD25")};
    struct sampling_event each = {.code = &loads};
    s.at_once = 1;
    s.each = &each;
    sampling_view(&s, 0);
    assert_int_equal(s.errata, loads.errata);
}
