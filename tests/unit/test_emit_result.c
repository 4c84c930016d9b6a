/* Results of a run as records, each judged by the catalogue as it is made (emit_drive.h). */
#include "measure/preset.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/errata_named.h"
#include <stdlib.h>
#include <string.h>

static const struct result plain = {
    .stats = {.n = 3, .min = 1, .median = 2, .mode = 1.5, .mean = 2.5, .max = 4, .ci = 0.5}, .raw_min = 110};
static const struct options normal = {.conf = 95, .ring = 3, .serialize = SERIALIZE_LFENCE};

static bool has(unsigned i, const char *key) { return field(i, key) != NULL; }
static double real(unsigned i, const char *key)
{
    if (!json_is_real(field(i, key))) fail_msg("%s is no real", key);
    return json_real_value(field(i, key));
}

/* " smi slow" */
static const char *flags(unsigned i)
{
    static char out[200];
    size_t k;
    json_t *flag;
    out[0] = '\0';
    json_array_foreach(json_object_get(record[i], "flags"), k, flag)
    {
        size_t used = strlen(out);
        snprintf(out + used, sizeof out - used, " %s", json_string_value(flag));
    }
    return out;
}

static struct run run_of_two(void)
{
    return (struct run){
        .program = run.program,
        .item = &item,
        .group = 1,
        .groups = 2,
        .bench = {.ops = 1000},
        .read = "rdpmc",
        .core_per_tsc = 1.5,
        .count = {{.event = "tsc", .overhead = 90}, {.event = "cycles", .counter = 17, .overhead = 80}}};
}

/* How a counter began, where that was not at 0. */
TEST_WITH(presets, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_MODELLED};
    struct run r = run_of_two();
    const struct preset began = {.given = true, .init = -500, .off = 3, .overflowed = 2},
                        started = {.starter = "loads:init=-500", .after = 500, .started = 2};
    emit_result(&r, 1, &plain, &normal, &m);
    assert_false(has(0, "init") || has(0, "starter"));
    r.count[1].preset = &began;
    emit_result(&r, 1, &plain, &normal, &m);
    assert_int_equal(json_integer_value(field(1, "init")), -500);
    assert_int_equal(json_integer_value(field(1, "init_off")), 3);
    assert_int_equal(json_integer_value(field(1, "overflowed")), 2);
    assert_false(has(1, "starter"));
    assert_non_null(
        strstr(text, "    the counter began at -500; it overflowed in 2 of 3 repetitions; it was up\n"));
    assert_non_null(strstr(text, "      to 3 off when the payload began"));
    r.count[1].preset = &started;
    emit_result(&r, 1, &plain, &normal, &m);
    assert_string_equal(json_string_value(field(2, "starter")), "loads:init=-500");
    assert_int_equal(json_integer_value(field(2, "after")), 500);
    assert_int_equal(json_integer_value(field(2, "started")), 2);
    assert_false(has(2, "init"));
    assert_non_null(strstr(text, "counted from event 500 of loads on, which came in 2 of 3 repetitions"));
}

TEST_WITH(time_and_count, session, forget)
{
    const struct machine m = {
        .time_origin = ORIGIN_EMULATED, .count_origin = ORIGIN_MODELLED, .clock = {.tsc_hz = 2000000000}};
    const struct run r = run_of_two();
    emit_result(&r, 0, &plain, &normal, &m);
    emit_result(&r, 1, &plain, &normal, &m);
    assert_string_equal(json_string_value(field(0, "unit")), "tsc/load");
    assert_string_equal(json_string_value(field(1, "unit")), "cycles/load");
    assert_string_equal(json_string_value(field(0, "serialize")), "lfence");
    assert_int_equal(json_integer_value(field(0, "ring")), 3);
    assert_int_equal(json_integer_value(field(0, "overhead")), 90);
    assert_int_equal(json_integer_value(field(0, "raw_min")), 110);
    assert_int_equal(json_integer_value(field(0, "ops")), 1000);
    assert_true(real(0, "min") == 1 && real(0, "median") == 2 && real(0, "mode") == 1.5);
    assert_true(real(0, "mean") == 2.5 && real(0, "max") == 4 && real(0, "ci95") == 0.5);
    assert_true(real(0, "ns_per_op") == 1 && real(0, "core_per_tsc") == 1.5 && real(0, "core_per_op") == 3);
    assert_false(has(0, "group") || has(0, "counter") || has(0, "read") || has(0, "ci99"));
    assert_false(has(1, "ns_per_op") || has(1, "core_per_tsc"));
    assert_int_equal(json_integer_value(field(1, "group")), 1);
    assert_int_equal(json_integer_value(field(1, "groups")), 2);
    assert_int_equal(json_integer_value(field(1, "counter")), 17);
    assert_string_equal(json_string_value(field(1, "read")), "rdpmc");
    assert_string_equal(flags(0), " emulated"); /* the emulator's time, */
    assert_string_equal(flags(1), " modelled"); /* and the model's count */
}

/* No word of what is not known, and 0 of what was asked for. */
TEST_WITH(little_is_known, session, forget)
{
    const struct machine m = {.time_origin = ORIGIN_SILICON};
    struct run r = run_of_two();
    struct options opt = normal;
    r.core_per_tsc = 0;
    r.read = NULL;
    opt.conf = 99;
    opt.cull = true;
    emit_result(&r, 0, &plain, &opt, &m);
    emit_result(&r, 1, &plain, &opt, &m);
    assert_true(real(0, "ci99") == 0.5);
    assert_false(has(0, "ci95") || has(0, "ns_per_op") || has(0, "core_per_tsc") || has(1, "read"));
    assert_true(has(0, "culled") && json_integer_value(field(0, "culled")) == 0);
    assert_false(has(0, "smi") || has(0, "slow") || has(0, "stray") || has(0, "fwq"));
    assert_string_equal(flags(0), "");
}

/* Errata that need Hyper-Threading are named where a core has two threads, by the firmware's list. */
TEST_WITH(errata_with_threads, session, forget)
{
    static const struct {
        unsigned n;
        uint32_t id[2];
        enum processor_state second;
        uint8_t shift;
        const char *flag;
        size_t errata;
    } cases[] = {{2, {0, 1}, PROCESSOR_LISTED, 1, " erratum", 2},
                 {2, {0, 2}, PROCESSOR_LISTED, 1, " undercount", 1},
                 {2, {0, 1}, PROCESSOR_DISABLED, 1, " undercount", 1},
                 {2, {4, 5}, PROCESSOR_UP, 1, " erratum", 2},
                 {2, {0, 1}, PROCESSOR_LISTED, 0, " undercount", 1},
                 {0, {0}, PROCESSOR_LISTED, 1, " erratum", 2},
                 {1, {0}, PROCESSOR_LISTED, 1, " undercount", 1}};
    static struct cpu cpu;
    static struct machine m = {.cpu = {&cpu}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r = run_of_two();
        m.found = (struct processors_found){
            .n = cases[i].n,
            .p = {{.apic_id = cases[i].id[0]}, {.apic_id = cases[i].id[1], .state = cases[i].second}}};
        cpu.ids.shift[LEVEL_CORE] = cases[i].shift;
        r.count[1].errata = erratum_named("HSD25") | erratum_named("HSD29");
        emit_result(&r, 1, &plain, &normal, &m);
        assert_string_equal(flags(i), cases[i].flag);
        assert_int_equal(json_array_size(field(i, "errata")), cases[i].errata);
    }
    assert_non_null(strstr(text, "! may be wrong: errata HSD25, HSD29\n"));
    assert_non_null(strstr(text, "! may be too low: erratum HSD25\n"));
}

/* A model has none: it has their names, and nobody doubts it. What one takes that not all code has is said.
 */
TEST_WITH(errata_of_a_model, session, forget)
{
    static struct cpu cpu;
    static struct machine m = {.cpu = {&cpu}};
    struct run r = run_of_two();
    r.count[1].errata = erratum_named("SRF7");
    m.count_origin = ORIGIN_MODELLED;
    emit_result(&r, 1, &plain, &normal, &m);
    assert_string_equal(flags(0), " modelled");
    assert_int_equal(json_array_size(field(0, "errata")), 1);
    assert_null(strstr(text, "! may be"));
    m.count_origin = ORIGIN_SILICON;
    emit_result(&r, 1, &plain, &normal, &m);
    assert_string_equal(flags(1), " overcount");
    assert_non_null(strstr(text, "! may be too high: erratum SRF7 (only with IRET, RETF and other far"));
}

TEST_WITH(doubts, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_VIRTUALIZED};
    struct run r = run_of_two();
    struct result disturbed = plain;
    disturbed.smi = 1;
    disturbed.slow = 2;
    disturbed.stray = 3;
    r.count[1].overhead_lowered = r.count[1].wrapped = r.count[1].upper_bits = true;
    r.count[1].errata = erratum_named("990");
    emit_result(&r, 1, &disturbed, &normal, &m);
    assert_string_equal(flags(0),
                        " virtualized smi slow stray overhead-lowered wrapped upper-bits overcount");
    assert_string_equal(json_string_value(json_array_get(field(0, "errata"), 0)), "990");
    assert_non_null(strstr(text, "! may be too high: erratum 990\n"));
    assert_int_equal(json_integer_value(field(0, "smi")), 1);
    assert_int_equal(json_integer_value(field(0, "slow")), 2);
    assert_int_equal(json_integer_value(field(0, "stray")), 3);
    r.count[1].unmodelled = true;
    emit_result(&r, 1, &disturbed, &normal, &m);
    assert_string_equal(flags(1), " unmodelled");
}

TEST_WITH(series, session, forget)
{
    struct machine m = {.clock = {.tsc_hz = 1000000}};
    const struct run r = run_of_two();
    struct result noisy = plain;
    noisy.is_series = true;
    noisy.noise =
        (struct noise){.least = 10, .late_min = 4, .late_10pct = 2, .detour_max = 30, .lost_share = 0.25};
    emit_result(&r, 0, &noisy, &normal, &m);
    m.clock.tsc_hz = 0;
    emit_result(&r, 0, &noisy, &normal, &m);
    const json_t *fwq = field(0, "fwq");
    assert_true(json_real_value(json_object_get(fwq, "us")) == 10);
    assert_true(json_real_value(json_object_get(fwq, "detour_max_us")) == 30);
    assert_int_equal(json_integer_value(json_object_get(fwq, "late_min")), 4);
    assert_int_equal(json_integer_value(json_object_get(fwq, "late_10pct")), 2);
    assert_int_equal(json_integer_value(json_object_get(fwq, "detour_max_tsc")), 30);
    assert_true(json_real_value(json_object_get(fwq, "lost_share")) == 0.25);
    assert_false(has(0, "serialize"));
    assert_null(json_object_get(field(1, "fwq"), "us"));
}

TEST_WITH(repetitions, session, forget)
{
    uint64_t raw[101];
    uint8_t marks[101] = {[0] = REP_SLOW, [49] = REP_SLOW | REP_STRAY, [50] = REP_SLOW | REP_STRAY | REP_SMI};
    struct run r = run_of_two();
    for (unsigned i = 0; i < N(raw); i++) raw[i] = i;
    r.reps = N(raw);
    r.flags = marks;
    r.count[1].raw = raw;
    emit_reps(&r, 1, 0);
    assert_int_equal(records, 3);
    for (unsigned i = 0, seen = 0; i < records; i++) {
        assert_int_equal(json_integer_value(field(i, "first")), seen);
        assert_int_equal(json_integer_value(json_array_get(field(i, "raw"), 0)), seen);
        seen += (unsigned)json_array_size(field(i, "raw"));
        assert_int_equal(seen, i == 2 ? 101 : 50 * (i + 1));
    }
    const json_t *last = json_array_get(field(0, "flagged"), 1),
                 *next = json_array_get(field(1, "flagged"), 0);
    assert_int_equal(json_array_size(field(0, "flagged")), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(field(0, "flagged"), 0), "flag")),
                        "slow");
    assert_int_equal(json_integer_value(json_object_get(last, "rep")), 49);
    assert_string_equal(json_string_value(json_object_get(last, "flag")), "stray");
    assert_string_equal(json_string_value(json_object_get(next, "flag")), "smi");
    assert_int_equal(json_array_size(field(2, "flagged")), 0);
    forget(NULL);
    r.reps = 100;
    emit_reps(&r, 1, 0);
    assert_int_equal(records, 2); /* both full */
}

static const struct bench walk = {
    .program = {.name = "walk"}, .op = "step", BENCH_PARAM_LIST({.name = "n"}, {.name = "bytes"})};

/* Parameters by name, the CPU, the sweep; a measurement of one series has no serializer. */
TEST_WITH(identity, session, forget)
{
    static const struct plan_item swept = {.bench = &walk, .cpu = 2, .sweep = "bytes"};
    const struct machine m = {.clock = {.tsc_hz = 1}};
    struct run r = run_of_two();
    r.item = &swept;
    r.program = (struct program){.name = "walk", .variant = "up"};
    r.bench.param[0] = -5;
    r.bench.param[1] = 64;
    r.core_per_tsc = 0.5;
    r.groups = 1;
    emit_result(&r, 0, &plain, &normal, &m);
    emit_result(&r, 1, &plain, &normal, &m);
    char *is = json_dumps(field(0, "params"), JSON_COMPACT);
    assert_string_equal(is, "{\"n\":-5,\"bytes\":64}");
    free(is);
    assert_string_equal(json_string_value(field(0, "bench")), "walk");
    assert_string_equal(json_string_value(field(0, "variant")), "up");
    assert_string_equal(json_string_value(field(0, "sweep")), "bytes");
    assert_int_equal(json_integer_value(field(0, "cpu")), 2);
    assert_int_equal(json_integer_value(field(0, "reps")), 3);
    assert_true(real(0, "core_per_op") == 1 && real(0, "ns_per_op") == 2e9);
    assert_int_equal(json_integer_value(field(1, "groups")), 1);
    assert_false(has(1, "core_per_op"));
}

TEST_WITH(smis_by_an_event, session, forget)
{
    const struct machine m = {.time_origin = ORIGIN_SILICON};
    struct result res = plain;
    struct run r = run_of_two();
    r.counts_smis = true;
    emit_result(&r, 0, &res, &normal, &m);
    res.smis = 2;
    emit_result(&r, 0, &res, &normal, &m);
    assert_int_equal(json_integer_value(field(0, "smis")), 0);
    assert_string_equal(flags(0), "");
    assert_int_equal(json_integer_value(field(1, "smis")), 2);
    assert_string_equal(flags(1), " smi");
    assert_false(has(1, "smi"));
    assert_non_null(strstr(text, "of 3 repetitions: 2 SMIs in all of the run"));
}

/* What was measured before is told, each time of it; the gap is the last one's. */
TEST_WITH(again_and_again, session, forget)
{
    static const struct attempts attempts = {2,
                                             {{0, 1, 0, 100, 900}, {3, 0, 2, 110, 120}, {0, 0, 0, 100, 107}}};
    const struct machine m = {.time_origin = ORIGIN_SILICON};
    struct options opt = normal;
    struct run r = run_of_two();
    emit_result(&r, 0, &plain, &opt, &m);
    assert_false(has(0, "again") || has(0, "over_median_tsc"));
    r.attempts = &attempts;
    emit_result(&r, 0, &plain, &opt, &m);
    assert_int_equal(json_integer_value(field(1, "over_median_tsc")), 7);
    assert_false(has(1, "again") || has(1, "discarded"));
    opt.again = 5;
    emit_result(&r, 1, &plain, &opt, &m);
    assert_int_equal(json_integer_value(field(2, "again")), 2);
    const json_t *second = json_array_get(field(2, "discarded"), 1);
    assert_int_equal(json_array_size(field(2, "discarded")), 2);
    assert_int_equal(json_integer_value(json_object_get(second, "smi")), 3);
    assert_int_equal(json_integer_value(json_object_get(second, "slow")), 0);
    assert_int_equal(json_integer_value(json_object_get(second, "stray")), 2);
    assert_int_equal(json_integer_value(json_object_get(second, "median_tsc")), 110);
    assert_int_equal(json_integer_value(json_object_get(second, "max_tsc")), 120);
    assert_non_null(strstr(text, "measured again 2 times, since repetitions were disturbed"));
    static struct attempts most = {.n = AGAIN_MAX};
    opt.again = AGAIN_MAX;
    r.attempts = &most;
    emit_result(&r, 0, &plain, &opt, &m); /* which fits */
    assert_int_equal(json_array_size(field(3, "discarded")), AGAIN_MAX);
}

/* Words for what is off, and none for what is not, or not known. */
TEST_WITH(certificates, session, forget)
{
    struct machine m = {.clock.tsc_hz = 2000};
    struct cpu one = {.machine = &m}, *cpu = &one;
    struct certificate c = {.cpu = cpu, .elapsed = 3000, .smis = 9, .throttle = KNOWN_UNMODELLED};
    emit_done(0, 0, false, &c);
    const json_t *o = field(0, "certificate");
    assert_int_equal(json_array_size(json_object_get(o, "off")), 0);
    assert_true(json_real_value(json_object_get(o, "elapsed_s")) == 1.5);
    assert_string_equal(json_string_value(json_object_get(o, "throttle")), "unmodelled");
    static const char *const absent[] = {"smis", "throttled", "stuck", "core_per_tsc_least",
                                         "over_median_tsc"};
    for (unsigned i = 0; i < N(absent); i++) assert_null(json_object_get(o, absent[i]));
    assert_string_equal(json_string_value(json_object_get(o, "smis_by")), "none");
    assert_null(strstr(text, "not quiet"));
    c.runs = 5, c.disturbed = 3,
    c.again = 3; /* all of them were measured again, and then were not disturbed */
    c.throttle = KNOWN, c.core_least = 1, c.core_most = 1.02, c.over_median = 77;
    cpu->smi_counter = true;
    c.smis = 0;
    emit_done(0, 0, false, &c);
    o = field(1, "certificate");
    assert_int_equal(json_array_size(json_object_get(o, "off")), 0);
    assert_int_equal(json_array_size(json_object_get(o, "throttled")), 0);
    assert_int_equal(json_integer_value(json_object_get(o, "again")), 3);
    assert_int_equal(json_integer_value(json_object_get(o, "over_median_tsc")), 77);
    assert_null(strstr(text, "not quiet"));
    m.clock.tsc_hz = 0;
    c.disturbed = 4, c.smis = 1, c.throttled = THROTTLE_PROCHOT, c.stuck = THROTTLE_THERMAL,
    c.core_most = 1.03;
    emit_done(0, 0, false, &c);
    o = field(2, "certificate");
    assert_null(json_object_get(o, "elapsed_s"));
    assert_int_equal(json_array_size(json_object_get(o, "off")), 4);
    assert_int_equal(json_array_size(json_object_get(o, "stuck")), 1);
    assert_non_null(strstr(text,
                           "\n  ! not quiet: 1 of 2 runs disturbed; 1 SMI; throttled: prochot; core clock 1\n"
                           "    to 1.03 x TSC\n"));
}

TEST_WITH(user_and_kernel, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_MODELLED};
    const struct run r = run_of_two();
    struct levels l = {
        .event = "inst_retired", .user = 25, .kernel = 75, .both = 101, .share = 0.25, .several_runs = true};
    emit_levels(&r, &l, &normal, &m);
    assert_string_equal(json_string_value(field(0, "event")), "inst_retired");
    assert_true(real(0, "user") == 25 && real(0, "kernel") == 75 && real(0, "both") == 101 &&
                real(0, "user_percent") == 25);
    assert_string_equal(flags(0), " modelled several-runs");
    static const char *const parts[] = {"  % inst_retired: 25", " (25.0 %) user, 75", " (75.0 %) kernel, 101",
                                        "several"};
    for (unsigned i = 0; i < N(parts); i++)
        if (!strstr(text, parts[i])) fail_msg("no \"%s\" in %s", parts[i], text);
    l = (struct levels){.event = "flops", .share = -1};
    emit_levels(&r, &l, &normal, &m);
    assert_false(has(1, "user_percent"));
    assert_non_null(strstr(text, "  % flops: 0 user, 0 kernel, 0 both\n"));
}

TEST_WITH(two_runs, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_MODELLED};
    const struct run r = run_of_two();
    const struct derived d = {
        .name = "a / b", .formula = "a / b", .suffix = "", .value = 3, .several_runs = true};
    emit_derived(&r, &d, &normal, &m);
    assert_string_equal(flags(0), " modelled several-runs");
    assert_non_null(strstr(text, "  = 3.000 a / b, of two runs\n"));
}

TEST_WITH(ratios_and_the_end, session, forget)
{
    const struct machine m = {.count_origin = ORIGIN_MODELLED};
    const struct run r = run_of_two();
    struct derived d = {.name = "IPC", .formula = "instructions / cycles", .suffix = ":u", .value = 1.25};
    emit_derived(&r, &d, &normal, &m);
    d.overhead_lowered = true;
    emit_derived(&r, &d, &normal, &m);
    const struct machine none = {.clock.source = "unknown"};
    const struct cpu cpu = {.machine = &none};
    const struct certificate c = {.cpu = &cpu};
    emit_done(3, 1, true, &c);
    emit_done(3, 1, false, &c);
    assert_string_equal(json_string_value(field(0, "name")), "IPC:u");
    assert_true(real(0, "value") == 1.25);
    assert_string_equal(flags(0), " modelled");
    assert_string_equal(flags(1), " modelled overhead-lowered");
    assert_int_equal(json_integer_value(field(2, "measurements")), 3);
    assert_int_equal(json_integer_value(field(2, "failed")), 1);
    assert_true(has(2, "intervals") && !has(3, "intervals"));
}
