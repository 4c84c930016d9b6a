/* The machine as records. Each is judged by the catalogue as it is made (emit_drive.h): what a machine lacks
 * is absent, not 0. */
#include "measure/run.h"
#include "pmu/p5.h"
#include "report/emit.h"
#include "report/schema.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

static const char *string(unsigned i, const char *key) { return json_string_value(field(i, key)); }
static long long number(unsigned i, const char *key)
{
    assert_true(json_is_integer(field(i, key)));
    return json_integer_value(field(i, key));
}

/* The record has all that the catalogue has. */
static void has_every_field(enum schema_set_id set, const json_t *o)
{
    for (const struct schema_field *f = schema_field; f < schema_field + schema_fields; f++)
        if (f->set == set && f->key && !json_object_get(o, f->key)) fail_msg("no field %s", f->key);
}

static const char *one_console(unsigned i) { return i ? NULL : "com1,115200"; }
static const char *three_consoles(unsigned i)
{
    static const char *const name[] = {"com1,115200", "ega", "e9", NULL};
    assert_true(i < N(name));
    return name[i];
}

static struct machine bare(void)
{
    static struct cpu one;
    one = (struct cpu){.caches = {.source = "unknown"}, .core_clock_source = "unknown"};
    return (struct machine){.boot = {.protocol = 2, .loader = "GRUB", .cmdline = "bench=all"},
                            .clock = {.source = "unknown"},
                            .pool_type = MT_WB,
                            .cpus = 1,
                            .cpu = {&one}};
}

TEST_WITH(boot_of_a_bare_machine, session, forget)
{
    struct machine m = bare();
    emit_boot(&m, one_console);
    assert_string_equal(string(0, "cmdline"), "bench=all");
    assert_null(field(0, "cmdline_cut"));
    assert_string_equal(string(0, "map"), "none");
    assert_null(field(0, "date"));
    assert_null(field(0, "bios_vendor"));
    assert_null(field(0, "modelled"));
    assert_string_equal(string(0, "pool_type"), "WB");
    assert_string_equal(string(0, "acpi_oem"), "");
    assert_int_equal(json_array_size(field(0, "consoles")), 1);
    memset(m.boot.cmdline, '"', CMDLINE_MAX);
    m.boot.map_source = MAP_MMAP;
    emit_boot(&m, one_console);
    assert_true(json_is_true(field(1, "cmdline_cut")));
    assert_int_equal(strlen(string(1, "cmdline")), 1024); /* two bytes each in the record */
    assert_string_equal(string(1, "map"), "mmap");
}

/* A command line of which 2,048 bytes are kept; a firmware's name only where its tables are. */
TEST_WITH(boot_as_it_is, session, forget)
{
    struct machine m = bare();
    memset(m.boot.cmdline, 'x', 2049);
    m.boot.n_modules = 3;
    m.boot.map_source = MAP_MEMINFO;
    m.boot.map_truncated = true;
    m.memory.total_kib = 640;
    m.memory.pool_bytes = 4096;
    m.acpi.found = true;
    strcpy(m.acpi.oem, "BOCHS");
    m.smbios =
        (struct smbios){"bios", NULL, "Maker", "F.12 \"x\"", "07/08/2011", "ACME", "Box", "Company", "Board"};
    m.has_date = true;
    m.date = (struct rtc_date){2026, 3, 4, 5, 6, 7};
    strcpy(m.model, "p55c");
    emit_boot(&m, one_console);
    m.acpi.found = false;
    emit_boot(&m, three_consoles);
    assert_int_equal(strlen(string(0, "cmdline")), 2048);
    assert_true(json_is_true(field(0, "cmdline_cut")) && json_is_true(field(0, "map_truncated")));
    has_every_field(SCHEMA_boot, record[0]);
    assert_string_equal(string(0, "date"), "2026-03-04T05:06:07");
    assert_string_equal(string(0, "smbios"), "bios");
    assert_string_equal(string(0, "modelled"), "p55c");
    assert_string_equal(string(0, "bios_vendor"), "Maker");
    assert_string_equal(string(0, "bios_version"), "F.12 \"x\"");
    assert_string_equal(string(0, "bios_date"), "07/08/2011");
    assert_string_equal(string(0, "system_maker"), "ACME");
    assert_string_equal(string(0, "system_product"), "Box");
    assert_string_equal(string(0, "board_maker"), "Company");
    assert_string_equal(string(0, "board_product"), "Board");
    assert_int_equal(number(0, "schema"), RECORD_SCHEMA);
    assert_int_equal(number(0, "protocol"), 2);
    assert_int_equal(number(0, "modules"), 3);
    assert_int_equal(number(0, "memory_kib"), 640);
    assert_int_equal(number(0, "pool_bytes"), 4096);
    assert_string_equal(string(0, "map"), "meminfo");
    assert_string_equal(string(0, "acpi_oem"), "BOCHS");
    assert_string_equal(string(1, "acpi_oem"), "");
    assert_string_equal(json_string_value(json_array_get(field(0, "consoles"), 0)), "com1,115200");
    assert_int_equal(json_array_size(field(1, "consoles")), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_array_get(field(1, "consoles"), i)), three_consoles(i));
}

static const json_t *port(unsigned i) { return json_array_get(field(0, "ports"), i); }
static const char *of_port(unsigned i, const char *key)
{
    return json_string_value(json_object_get(port(i), key));
}

TEST_WITH(consoles_found, session, forget)
{
    const struct clock clock = {.tsc_hz = 1000000000};
    struct serial_list list = {.wanted = "auto",
                               .n = 4,
                               .beyond = 3,
                               .ticks = 1500000,
                               .pci_asked = true,
                               .pci = true,
                               .pci_searched = true};
    list.port[0] = (struct serial_port){.by = BY_SPCR, .state = PORT_PASSED, .why = "its checksum is wrong"};
    list.port[1] = (struct serial_port){
        .by = BY_COM1, .state = PORT_PASSED, .uart = {.bus = &uart_ports, .base = 0x3f8, .baud = 115200}};
    list.port[2] =
        (struct serial_port){.by = BY_PCI,
                             .state = PORT_CONSOLE,
                             .uart = {.bus = &uart_memory, .base = 0x8f7d00000, .stride = 4, .baud = 9600},
                             .at = {0, 0x16, 3},
                             .vendor = 0x8086,
                             .device = 0x8c3d};
    list.port[3] =
        (struct serial_port){.by = BY_DBG2,
                             .state = PORT_PASSED,
                             .uart = {.bus = &uart_memory, .base = 0xfe034002, .stride = 2, .dead = true}};
    emit_consoles(&list, &clock);
    has_every_field(SCHEMA_consoles, record[0]);
    assert_string_equal(string(0, "console"), "mmio32:0x8f7d00000,9600");
    assert_string_equal(string(0, "by"), "pci");
    assert_string_equal(string(0, "pci"), "searched");
    assert_true(json_real_value(field(0, "ms")) == 1.5);
    assert_int_equal(number(0, "more"), 3);
    assert_null(of_port(0, "port"));
    assert_string_equal(of_port(0, "why"), "its checksum is wrong");
    assert_string_equal(of_port(1, "state"), "passed over");
    assert_string_equal(of_port(1, "port"), "0x3f8,115200");
    assert_string_equal(of_port(1, "why"), "it does not answer");
    assert_null(of_port(1, "pci"));
    assert_string_equal(of_port(2, "pci"), "00:16.3");
    assert_string_equal(of_port(2, "id"), "8086:8c3d");
    assert_null(of_port(2, "why"));
    assert_string_equal(of_port(3, "port"), "mmio16:0xfe034002"); /* its rate is not known */
    assert_string_equal(of_port(3, "why"), "it accepts no bytes");
}

/* Nothing found, on a machine whose clock is unknown; then as much as there can be, in one record. */
TEST_WITH(consoles_few_and_many, session, forget)
{
    const struct clock unknown = {0};
    struct serial_list list = {.wanted = "spcr", .pci_asked = true, .ticks = 7};
    emit_consoles(&list, &unknown);
    assert_string_equal(string(0, "pci"), "absent");
    assert_null(field(0, "console"));
    assert_null(field(0, "by"));
    assert_null(field(0, "ms"));
    assert_int_equal(number(0, "ticks"), 7);
    assert_int_equal(json_array_size(field(0, "ports")), 0);
    for (; list.n < SERIAL_PORTS; list.n++)
        list.port[list.n] = (struct serial_port){
            .by = BY_WORD,
            .state = PORT_PASSED,
            .uart = {.bus = &uart_memory, .base = 0xfffffffffffff, .stride = 4, .baud = 115200},
            .at = {255, 31, 7},
            .vendor = 0xffff,
            .device = 0xffff,
            .why = "its registers are in memory, in a layout that this kernel does not know; "
                   "console=mmio:0xADDRESS, mmio16: or mmio32: names one"};
    list.ticks = 0;
    list.pci_asked = false;
    emit_consoles(&list, &unknown);
    assert_int_equal(json_array_size(field(1, "ports")), SERIAL_PORTS);
    assert_string_equal(string(1, "pci"), "not searched");
    assert_null(field(1, "ticks"));
}

/* Kinds, ways and sets of caches: a fully associative one has as many ways as lines, if its line is known. */
TEST_WITH(caches_of_every_kind, session, forget)
{
    static struct pmu none;
    static const struct {
        struct cache c;
        const char *kind;
        unsigned ways;
    } cases[] = {
        {{.level = 1, .kind = CACHE_DATA, .bytes = 16384, .line = 32, .ways = 4}, "data", 4},
        {{.level = 1, .kind = CACHE_CODE, .bytes = 8192, .line = 32, .ways = 2}, "code", 2},
        {{.level = 2, .kind = CACHE_UNIFIED, .bytes = 4096, .line = 32, .ways = CACHE_FULLY_ASSOCIATIVE},
         "unified",
         128},
        {{.level = 3, .kind = CACHE_UNIFIED, .bytes = 4096, .ways = CACHE_FULLY_ASSOCIATIVE},
         "unified",
         CACHE_FULLY_ASSOCIATIVE},
    };
    struct machine m = bare();
    struct cpu *c = m.cpu[0];
    c->machine = &m;
    c->pmu = &none;
    for (unsigned i = 0; i < N(cases); i++) c->caches.c[c->caches.n++] = cases[i].c;
    emit_cpu(c);
    assert_int_equal(json_array_size(field(0, "caches")), N(cases));
    for (unsigned i = 0; i < N(cases); i++) {
        const json_t *cache = json_array_get(field(0, "caches"), i);
        const long long ways = json_integer_value(json_object_get(cache, "ways"));
        assert_string_equal(json_string_value(json_object_get(cache, "kind")), cases[i].kind);
        assert_int_equal(json_integer_value(json_object_get(cache, "level")), cases[i].c.level);
        assert_int_equal(json_integer_value(json_object_get(cache, "bytes")), cases[i].c.bytes);
        assert_int_equal(json_integer_value(json_object_get(cache, "line")), cases[i].c.line);
        assert_int_equal(ways, cases[i].ways);
        if (cases[i].c.line) /* the three make the fourth */
            assert_int_equal(json_integer_value(json_object_get(cache, "sets")) * ways * cases[i].c.line,
                             cases[i].c.bytes);
    }
}

/* Small values are values, and a bit that is not set is "no". */
TEST_WITH(cpu_of_small_numbers, session, forget)
{
    static struct pmu p5 = {
        .ops = &pmu_p5_ops, .counters = 3, .width = 40, .model = "P5", .preset = 5 | 8, .pebs = true};
    struct machine m = bare();
    struct cpu *c = m.cpu[0];
    c->machine = &m;
    c->pmu = &p5;
    c->core_per_tsc = 0.5;
    m.clock.tsc_hz = 1;
    m.clock.uncertainty_ppm = 0.25;
    m.clock.other = (struct clock_rate){1, "cpuid.16h", 3};
    emit_cpu(c);
    c->id.x7_edx = CPUID_X7_EDX_INVARIANT_TSC;
    p5.user_rdpmc = true;
    emit_cpu(c);
    assert_true(json_is_false(field(0, "invariant_tsc")) && json_is_true(field(1, "invariant_tsc")));
    assert_true(json_real_value(field(0, "core_per_tsc")) == 0.5);
    assert_true(json_real_value(field(0, "tsc_uncertainty_ppm")) == 0.25);
    assert_true(json_number_value(field(0, "tsc_other_uncertainty_ppm")) == 3);
    assert_int_equal(number(0, "tsc_hz"), 1);
    const json_t *pmu = field(0, "pmu"), *preset = json_object_get(pmu, "preset");
    assert_int_equal(json_array_size(preset), 2);
    assert_int_equal(json_integer_value(json_array_get(preset, 0)), 0);
    assert_int_equal(json_integer_value(json_array_get(preset, 1)), 2);
    assert_int_equal(json_array_size(json_object_get(pmu, "counters")), 3);
    assert_true(json_is_true(json_object_get(pmu, "pebs")) && json_is_false(json_object_get(pmu, "ds")));
    assert_null(json_object_get(pmu, "freeze_smm"));
    assert_null(json_object_get(pmu, "core_type"));
}

TEST_WITH(cpu_that_has_little, session, forget)
{
    static struct pmu none;
    struct machine m = bare();
    m.cpu[0]->machine = &m;
    m.cpu[0]->pmu = &none;
    emit_cpu(m.cpu[0]);
    static const char *const absent[] = {"tsc_hz",       "tsc_uncertainty_ppm", "tsc_other_hz",
                                         "core_per_tsc", "clock_modulation",    "apic_id",
                                         "apic_lvts"};
    for (unsigned i = 0; i < N(absent); i++) assert_null(field(0, absent[i]));
    assert_string_equal(string(0, "apic"), "absent");
    assert_string_equal(string(0, "turbo"), "unknown");
    assert_string_equal(json_string_value(json_object_get(field(0, "pmu"), "family")), "none");
    assert_null(json_object_get(field(0, "pmu"), "width"));
    assert_int_equal(json_array_size(field(0, "caches")), 0);
}

TEST_WITH(cpu_that_has_much, session, forget)
{
    static struct pmu p5 = {.ops = &pmu_p5_ops,
                            .counters = 2,
                            .width = 40,
                            .model = "Pentium MMX",
                            .state = {COUNTER_OK, COUNTER_NOT_ADVANCING},
                            .preset = 2,
                            .core_type = "Core",
                            .freeze_smm = true};
    struct machine m = bare();
    struct cpu *c = m.cpu[0];
    m.clock = (struct clock){3000000000, "pit", 12.5, {2990000000, "cpuid.15h", 100}, true, 1};
    c->machine = &m;
    c->pmu = &p5;
    c->core_per_tsc = 1.25;
    c->clock_modulation = 10;
    c->microcode = 0x2b000639;
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
    assert_true(json_real_value(field(0, "clock_modulation")) == 0.625);
    assert_int_equal(number(0, "apic_id"), 3);
    assert_string_equal(string(0, "microcode"), "0x2b000639");
    c->microcode_known = KNOWN_ABSENT;
    emit_cpu(c);
    assert_string_equal(string(1, "microcode"), "absent");
    assert_int_equal(number(0, "apic_version"), 0x14);
    assert_int_equal(number(0, "apic_lvts"), 6);
    unsigned usable = 0;
    for (unsigned i = 0; i < SERIALIZE_COUNT; i++)
        if (serializers[i].usable(&c->id))
            assert_string_equal(json_string_value(json_array_get(field(0, "serialize"), usable++)),
                                serializers[i].name);
    assert_true(usable > 0 && json_array_size(field(0, "serialize")) == usable);
    has_every_field(SCHEMA_cpu, record[0]);
    has_every_field(SCHEMA_pmu, field(0, "pmu"));
    assert_string_equal(string(0, "core_clock_source"), "aperf/tsc");
    const json_t *pmu = field(0, "pmu"), *full = json_array_get(field(0, "caches"), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(pmu, "counters"), 1)),
                        "not advancing");
    assert_int_equal(json_array_size(json_object_get(pmu, "preset")), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(pmu, "preset"), 0)), 1);
    assert_string_equal(json_string_value(json_object_get(pmu, "core_type")), "Core");
    assert_true(json_is_true(json_object_get(pmu, "freeze_smm")));
    assert_int_equal(json_integer_value(json_object_get(full, "ways")), 64); /* as many as lines */
    assert_int_equal(json_integer_value(json_object_get(full, "sets")), 1);
    assert_string_equal(json_string_value(json_object_get(full, "kind")), "unified");
}

TEST_WITH(quiet_or_not, session, forget)
{
    static const struct {
        struct quiet q;
        const char *verdict, *reason;
    } cases[] = {
        {{.verdict = QUIET_YES,
          .watch = {.watched = 1000, .largest = 5, .usual = 9, .bin = {[4] = 2, [40] = 1}}},
         "quiet",
         "0 gaps, SMIs cannot be counted here"},
        {{.verdict = QUIET_YES, .smi_counter = true}, "quiet", "0 gaps, no SMI"},
        {{.verdict = QUIET_DISTURBED, .watch.gaps = 2, .smi_counter = true, .smis = 1},
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
        assert_string_equal(string(i, "when"), "before");
        assert_int_equal(field(i, "smis") != NULL, cases[i].q.smi_counter);
        assert_int_equal(field(i, "watched_ms") != NULL, i == 0);
    }
    assert_true(json_real_value(field(0, "watched_ms")) == 10);
    assert_true(json_real_value(field(0, "largest_gap_us")) == 50);
    assert_int_equal(number(0, "largest_gap_tsc"), 5);
    static const long long bins[][2] = {{0, 9}, {16, 2}};
    assert_int_equal(json_array_size(field(0, "histogram")), 3);
    for (unsigned i = 0; i < N(bins); i++) {
        const json_t *bin = json_array_get(field(0, "histogram"), i);
        assert_int_equal(json_integer_value(json_object_get(bin, "from_tsc")), bins[i][0]);
        assert_int_equal(json_integer_value(json_object_get(bin, "times")), bins[i][1]);
    }
    assert_int_equal(json_array_size(field(1, "histogram")), 0);
    assert_int_equal(number(2, "smis"), 1);
}
