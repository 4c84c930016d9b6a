/* The machine as records. Each is judged by the catalogue as it is made (emit_drive.h): what a machine lacks
 * is absent, not 0. */
#include "measure/run.h"
#include "pmu/p5.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

static const json_t *field(unsigned i, const char *key) { return json_object_get(record[i], key); }
static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }
static long long number(unsigned i, const char *key)
{
    assert_true(json_is_integer(field(i, key)));
    return json_integer_value(field(i, key));
}

static const char *no_console(unsigned i) { return i ? NULL : "com1,115200"; }

static struct machine bare(void)
{
    return (struct machine){.boot = {.protocol = 2, .loader = "GRUB", .cmdline = "bench=all"},
                            .clock = {.source = "unknown"},
                            .pool_type = MT_WB,
                            .cpu = {{.caches = {.source = "unknown"}, .core_clock_source = "unknown"}}};
}

static void boot_of_a_bare_machine(void **state)
{
    (void)state;
    struct machine m = bare();
    emit_boot(&m, no_console);
    assert_string_equal(string(0, "cmdline"), "bench=all");
    assert_null(field(0, "cmdline_cut"));
    assert_string_equal(string(0, "map"), "none");
    assert_string_equal(string(0, "pool_type"), "WB");
    assert_string_equal(string(0, "acpi_oem"), "");
    assert_int_equal(json_array_size(field(0, "consoles")), 1);
    memset(m.boot.cmdline, '"', CMDLINE_MAX);
    m.boot.map_source = MAP_MMAP;
    emit_boot(&m, no_console);
    assert_true(json_is_true(field(1, "cmdline_cut")));
    assert_int_equal(strlen(string(1, "cmdline")), 1024); /* two bytes each in the record */
    assert_string_equal(string(1, "map"), "mmap");
}

static void cpu_that_has_little(void **state)
{
    (void)state;
    static struct pmu none;
    struct machine m = bare();
    m.cpu[0].machine = &m;
    m.cpu[0].pmu = &none;
    emit_cpu(&m.cpu[0]);
    static const char *const absent[] = {
        "tsc_hz", "tsc_uncertainty_ppm", "tsc_other_hz", "core_per_tsc", "apic_id", "apic_lvts"};
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(0, absent[i]));
    assert_string_equal(string(0, "apic"), "absent");
    assert_string_equal(string(0, "turbo"), "unknown");
    assert_string_equal(json_string_value(json_object_get(field(0, "pmu"), "family")), "none");
    assert_null(json_object_get(field(0, "pmu"), "width"));
    assert_int_equal(json_array_size(field(0, "caches")), 0);
}

static void cpu_that_has_much(void **state)
{
    (void)state;
    static struct pmu p5 = {.ops = &pmu_p5_ops,
                            .counters = 2,
                            .width = 40,
                            .model = "Pentium MMX",
                            .state = {COUNTER_OK, COUNTER_NOT_ADVANCING},
                            .preset = 2,
                            .core_type = "Core",
                            .freeze_smm = true};
    struct machine m = bare();
    struct cpu *c = &m.cpu[0];
    m.clock = (struct clock){3000000000, "pit", 12.5, {2990000000, "cpuid.15h", 100}, true, 1};
    c->machine = &m;
    c->pmu = &p5;
    c->core_per_tsc = 1.25;
    c->core_clock_source = "aperf/tsc";
    c->apic = (struct apic){.mode = APIC_XAPIC, .id = 3, .version = 0x14, .lvts = 6};
    c->caches = (struct cache_info){
        .c =
            {{.level = 1, .kind = CACHE_DATA, .bytes = 16384, .line = 32, .ways = 4},
             {.level = 2, .kind = CACHE_UNIFIED, .bytes = 4096, .line = 64, .ways = CACHE_FULLY_ASSOCIATIVE}},
        .n = 2,
        .source = "table"};
    emit_cpu(c);
    assert_int_equal(number(0, "tsc_hz"), 3000000000);
    assert_int_equal(number(0, "tsc_other_hz"), 2990000000);
    assert_string_equal(string(0, "tsc_other_source"), "cpuid.15h");
    assert_true(json_real_value(field(0, "core_per_tsc")) == 1.25);
    assert_int_equal(number(0, "apic_id"), 3);
    assert_int_equal(number(0, "apic_version"), 0x14);
    assert_int_equal(number(0, "apic_lvts"), 6);
    const json_t *pmu = field(0, "pmu"), *full = json_array_get(field(0, "caches"), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(pmu, "counters"), 1)),
                        "not advancing");
    assert_int_equal(json_array_size(json_object_get(pmu, "preset")), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(pmu, "preset"), 0)), 1);
    assert_string_equal(json_string_value(json_object_get(pmu, "core_type")), "Core");
    assert_int_equal(json_integer_value(json_object_get(full, "ways")), 64); /* as many as lines */
    assert_int_equal(json_integer_value(json_object_get(full, "sets")), 1);
    assert_string_equal(json_string_value(json_object_get(full, "kind")), "unified");
}

static void quiet_or_not(void **state)
{
    (void)state;
    static const struct {
        struct quiet q;
        const char *verdict, *reason;
    } cases[] = {
        {{.verdict = QUIET_YES, .watched_tsc = 1000}, "quiet", "0 gaps, SMIs cannot be counted here"},
        {{.verdict = QUIET_YES, .smi_counter = true}, "quiet", "0 gaps, no SMI"},
        {{.verdict = QUIET_DISTURBED, .gaps = 2, .smi_counter = true, .smis = 1},
         "disturbed",
         "2 gaps, SMIs occurred"},
        {{.verdict = QUIET_UNKNOWN}, "unknown", "the TSC did not advance"},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        const struct clock clock = {.tsc_hz = i ? 0 : 100000, .step = 4};
        emit_quiet(&cases[i].q, "before", &clock);
        assert_string_equal(string(i, "verdict"), cases[i].verdict);
        assert_string_equal(string(i, "reason"), cases[i].reason);
        assert_int_equal(number(i, "tsc_step"), 4);
        assert_int_equal(field(i, "smis") != NULL, cases[i].q.smi_counter);
        assert_int_equal(field(i, "watched_ms") != NULL, i == 0);
    }
    assert_true(json_real_value(field(0, "watched_ms")) == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(boot_of_a_bare_machine), SHOWN(cpu_that_has_little),
                                       SHOWN(cpu_that_has_much), SHOWN(quiet_or_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
