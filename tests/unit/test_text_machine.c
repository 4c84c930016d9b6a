/* The text face of the machine: boot, CPU, and whether it is quiet. */
#include "report/text.h"
#include "tests/unit/text_drive.h"
#include <math.h>
#include <string.h>

/* Each field as one line. */
static void unwrap(void)
{
    for (char *c = text; (c = strstr(c, "\n            ")) != NULL;) {
        *c = ' ';
        memmove(c + 1, c + 13, strlen(c + 13) + 1);
    }
}

struct boot {
    const char *platform, *detail, *loader, *cmdline, *map, *date;
    bool truncated;
    unsigned modules;
    uint64_t memory_kib, pool_base, pool_bytes;
};

static void boot(const struct boot *b)
{
    struct record *r = record_new("boot");
    rec_uint(r, "schema", RECORD_SCHEMA);
    rec_str(r, "version", "0.1.0");
    rec_str(r, "flavour", "i586");
    rec_uint(r, "protocol", 1);
    if (b->date) rec_str(r, "date", b->date);
    rec_str(r, "loader", b->loader);
    rec_str(r, "cmdline", b->cmdline);
    rec_str(r, "platform", b->platform);
    rec_str(r, "platform_detail", b->detail);
    rec_uint(r, "memory_kib", b->memory_kib);
    rec_str(r, "map", b->map);
    rec_bool(r, "map_truncated", b->truncated);
    rec_uint(r, "modules", b->modules);
    rec_uint(r, "pool_base", b->pool_base);
    rec_uint(r, "pool_bytes", b->pool_bytes);
    rec_str(r, "pool_type", "WB");
    STRINGS(r, "consoles", "com1,115200", "ega");
    record_emit(r);
}

TEST_WITH(boot_on_an_emulator, begin, NULL)
{
    boot(&(struct boot){
        .platform = "qemu-tcg",
        .detail = "TCGTCGTCGTCG",
        .loader = "qemu",
        .cmdline = "bench=fp_add_latency,l1_miss,stride_thrash:lines=1..32 reps=20 conf=95 exit=qemu",
        .map = "mmap",
        .date = "2026-03-04T05:06:07",
        .memory_kib = 130560,
        .pool_base = 0x400000,
        .pool_bytes = 64 << 20});
    expect("Anechoic 0.1.0, i586 kernel on qemu-tcg (TCGTCGTCGTCG)\n"
           "*** EMULATED: times below are the emulator's, not a processor's ***\n"
           "  Loader    qemu, multiboot 1\n"
           "  Date      2026-03-04T05:06:07 by this machine's clock\n"
           "  Command   bench=fp_add_latency,l1_miss,stride_thrash:lines=1..32 reps=20\n"
           "            conf=95 exit=qemu\n"
           "  Memory    127.5 MiB; pool 64 MiB at 400000h, WB\n"
           "  Consoles  com1,115200, ega\n");
}

/* One name in the text, on pages, in tables and below answers. */
TEST_WITH(what_it_ran_on, begin, NULL)
{
    static const struct {
        const char *platform, *model, *brand, *pmu, *name;
    } cases[] = {
        {"silicon", "", "  Intel(R)  Pentium(R) 4 CPU ", "NetBurst", "Intel(R) Pentium(R) 4 CPU"},
        {"silicon", "", "", "P5 (Pentium)", "P5 (Pentium)"},
        {"", "", "", "", "GenuineIntel family 4 model 8"},
        {"bochs", "p55c", "Intel(R) Core(TM) i7-7800X", "P5 (Pentium MMX)", "p55c (modelled in Bochs)"},
        {"bochs", "", "Some CPU", "", "Some CPU (emulated by Bochs)"},
        {"qemu-tcg", "", "QEMU TCG CPU version 2.5+", "AMD (K8)",
         "QEMU TCG CPU version 2.5+ (emulated by QEMU)"},
        {"kvm", "", "A brand", "", "A brand (under KVM)"},
        {"hypervisor", "", "", "", "GenuineIntel family 4 model 8 (under a hypervisor)"},
    };
    char name[128], small[12];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r = record_new("cpu");
        rec_str(r, "vendor", "GenuineIntel");
        rec_str(r, "brand", cases[i].brand);
        rec_uint(r, "family", 4);
        rec_uint(r, "model", 8);
        rec_object(r, "pmu");
        rec_str(r, "model", cases[i].pmu);
        rec_close(r);
        text_machine_name(name, sizeof name, cases[i].platform, cases[i].model, r);
        assert_string_equal(name, cases[i].name);
        text_machine_name(small, sizeof small, cases[i].platform, cases[i].model, r);
        assert_int_equal(strncmp(small, name, sizeof small - 1), 0);
    }
    text_machine_name(name, sizeof name, "qemu-tcg", "", record_new("cpu"));
    assert_string_equal(name, "unknown processor (emulated by QEMU)");
}

TEST_WITH(boot_warns_by_platform, begin, NULL)
{
    static const struct {
        const char *platform, *warning;
    } cases[] = {
        {"bochs", "*** EMULATED: "}, {"kvm", "*** VIRTUALIZED: "}, {"hypervisor", "*** VIRTUALIZED: "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(state);
        boot(&(struct boot){
            .platform = cases[i].platform, .detail = "", .loader = "", .cmdline = "", .map = "none"});
        assert_non_null(strstr(text, cases[i].warning));
    }
}

TEST_WITH(boot_on_silicon_with_a_bad_map, begin, NULL)
{
    boot(&(struct boot){.platform = "silicon",
                        .detail = "",
                        .loader = "",
                        .cmdline = "tsc=1\x80\n",
                        .map = "none",
                        .truncated = true,
                        .modules = 2});
    expect("Anechoic 0.1.0, i586 kernel on silicon\n"
           "  Loader    (gave no name), multiboot 1, 2 modules\n"
           "  Command   tsc=1\\x80\\x0a\n"
           "  Memory    the loader gave no map (damaged or truncated); pool 0 B\n"
           "  Consoles  com1,115200, ega\n");
}

/* A map that is no map, one module, a command line that was cut, no console. */
TEST_WITH(boot_with_a_size_alone, begin, NULL)
{
    struct record *r = record_new("boot");
    rec_str(r, "map", "meminfo");
    rec_uint(r, "memory_kib", 640);
    rec_str(r, "cmdline", "bench=all");
    rec_bool(r, "cmdline_cut", true);
    rec_uint(r, "modules", 1);
    rec_uint(r, "pool_bytes", 1);
    record_emit(r);
    expect("Anechoic ?, ? kernel on unknown platform\n"
           "  Loader    (gave no name), multiboot 0, 1 module\n"
           "  Command   bench=all ...\n"
           "  Memory    640 KiB (the loader gave its size, but no map); pool 1 B at 0h,\n"
           "            unknown\n"
           "  Consoles  none\n");
}

TEST_WITH(cpu_with_everything, begin, NULL)
{
    static const struct {
        const char *kind;
        unsigned level, bytes, ways, sets;
    } caches[] = {{"data", 1, 32768, 8, 64},
                  {"code", 1, 32768, 8, 64},
                  {"unified", 2, 262144, 8, 512},
                  {"unified", 3, 3 << 20, 49152, 1}};
    struct record *r = record_new("cpu");
    rec_uint(r, "cpu", 0);
    rec_str(r, "vendor", "GenuineIntel");
    rec_str(r, "brand", "Intel(R) Xeon(R) CPU E5-2697A v4 @ 2.60GHz");
    rec_uint(r, "family", 6);
    rec_uint(r, "model", 79);
    rec_uint(r, "stepping", 1);
    rec_uint(r, "signature", 0x406f1);
    rec_bool(r, "invariant_tsc", true);
    rec_uint(r, "tsc_hz", 2594012345u);
    rec_str(r, "tsc_source", "pit");
    rec_real(r, "tsc_uncertainty_ppm", 12.4);
    rec_str(r, "apic", "x2apic");
    rec_uint(r, "apic_id", 3);
    rec_uint(r, "apic_version", 0x15);
    rec_uint(r, "apic_lvts", 7);
    rec_array(r, "caches");
    for (size_t i = 0; i < 4; i++) {
        rec_object(r, NULL);
        rec_uint(r, "level", caches[i].level);
        rec_str(r, "kind", caches[i].kind);
        rec_uint(r, "bytes", caches[i].bytes);
        rec_uint(r, "line", 64);
        rec_uint(r, "ways", caches[i].ways);
        rec_uint(r, "sets", caches[i].sets);
        rec_close(r);
    }
    rec_close(r);
    rec_str(r, "cache_source", "cpuid.4");
    STRINGS(r, "serialize", "cpuid", "lfence");
    record_emit(r);
    expect("  CPU       Intel(R) Xeon(R) CPU E5-2697A v4 @ 2.60GHz\n"
           "            GenuineIntel family 6 model 79 stepping 1 (406f1h)\n"
           "  Caches    L1d 32 KiB 8-way 64 B, L1i 32 KiB 8-way 64 B,\n"
           "            L2 256 KiB 8-way 64 B, L3 3 MiB fully associative 64 B (cpuid.4)\n"
           "  TSC       2594.012 MHz +/- 12 ppm (pit), invariant; serialize: cpuid, lfence\n"
           "  APIC      x2apic, ID 3, version 15h, 7 LVT entries\n");
}

TEST_WITH(cpu_with_next_to_nothing, begin, NULL)
{
    struct record *r = record_new("cpu");
    rec_str(r, "vendor", "GenuineIntel");
    rec_str(r, "brand", "");
    rec_uint(r, "family", 5);
    rec_uint(r, "model", 2);
    rec_uint(r, "stepping", 12);
    rec_uint(r, "signature", 0x52c);
    rec_bool(r, "invariant_tsc", false);
    rec_str(r, "tsc_source", "unknown");
    rec_str(r, "apic", "absent");
    rec_array(r, "caches");
    rec_close(r);
    rec_str(r, "cache_source", "unknown");
    STRINGS(r, "serialize", "cpuid");
    record_emit(r);
    expect("  CPU       GenuineIntel family 5 model 2 stepping 12 (52ch)\n"
           "  Caches    geometry unknown (unknown)\n"
           "  TSC       rate unknown, so no result is in units of time, not invariant;\n"
           "            serialize: cpuid\n"
           "  APIC      absent\n");
}

static void quiet(const char *verdict, const char *reason, bool rate)
{
    struct record *r = record_new("quiet");
    if (rate) rec_real(r, "watched_ms", 50);
    rec_uint(r, "watched_tsc", 129700617);
    rec_uint(r, "gaps", 0);
    rec_uint(r, "threshold_tsc", 2594);
    rec_uint(r, "largest_gap_tsc", 96);
    if (rate) rec_real(r, "largest_gap_us", 0.037);
    rec_uint(r, "typical_tsc", 62);
    rec_bool(r, "smi_counter", false);
    rec_str(r, "verdict", verdict);
    rec_str(r, "reason", reason);
    record_emit(r);
}

TEST_WITH(quiet_verdicts, begin, NULL)
{
    quiet("quiet", "no gap, no SMI", true);
    expect("  Quiet     yes: no gap, no SMI; in 50 ms TSC reads were 62 ticks apart, at\n"
           "            most 96 (0.037 us); more than 2594 is a gap\n");
    quiet("disturbed", "3 gaps, 2 SMIs", false);
    expect("  Quiet     NO, DISTURBED: 3 gaps, 2 SMIs; TSC reads were 62 ticks apart, at\n"
           "            most 96; more than 2594 is a gap\n");
    quiet("unknown", "", false);
    expect("  Quiet     unknown; TSC reads were 62 ticks apart, at most 96; more than 2594\n"
           "            is a gap\n");
}

/* Afterwards, with a large gap and a TSC that moves in steps; and nothing is said of steps of 1. */
TEST_WITH(a_large_gap, begin, NULL)
{
    static const struct {
        double us;
        unsigned step;
        const char *want;
    } cases[] = {{999, 1, "1 (999 us); more than 5 is a gap\n"},
                 {1000, 2, "1 (1000 us); more than 5 is a gap; the TSC moves in steps of 2\n"},
                 {1234.5, 0, "1 (1234 us); more than 5 is a gap\n"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[200];
        struct record *r = record_new("quiet");
        rec_str(r, "when", "after");
        rec_str(r, "verdict", "quiet");
        rec_uint(r, "typical_tsc", 1);
        rec_uint(r, "largest_gap_tsc", 1);
        rec_real(r, "largest_gap_us", cases[i].us);
        rec_uint(r, "threshold_tsc", 5);
        rec_uint(r, "tsc_step", cases[i].step);
        begin(state);
        record_emit(r);
        unwrap();
        snprintf(want, sizeof want, "  Quiet     afterwards: yes; TSC reads were 1 tick apart, at most %s",
                 cases[i].want);
        expect(want);
    }
}

/* A CPU of this PMU, whose counters have these states: the lines of the PMU. */
static const char *pmu_of(const char *const *counters, const char *const *features)
{
    struct record *r = record_new("cpu");
    rec_object(r, "pmu");
    if (counters) {
        rec_str(r, "family", "NetBurst");
        rec_str(r, "model", "Pentium 4");
        strings(r, "counters", counters);
        rec_uint(r, "width", 40);
    }
    for (; features && *features; features++) rec_bool(r, *features, true);
    if (features) rec_str(r, "core_type", "Atom");
    rec_close(r);
    begin(NULL);
    record_emit(r);
    return strstr(text, "  PMU ");
}
#define LIST(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

/* How many counters, and which of them do not count. */
TEST_WITH(counters, begin, NULL)
{
#define OK  "ok"
#define BAD "unreliable"
#define NO  "absent"
    static const struct {
        const char *state[7], *want;
    } cases[] = {
        {{OK, BAD, OK, OK, NO, NO}, "6 counters of 40 bits, 1 unreliable, 4-5 absent"},
        {{OK, OK}, "2 counters of 40 bits"},
        {{BAD}, "1 counters of 40 bits, all unreliable"},
        {{NO, NO, NO}, "3 counters of 40 bits, all absent"},
        {{NO, NO, OK}, "3 counters of 40 bits, 0-1 absent"},
        {{NO, BAD, BAD, OK, NO}, "5 counters of 40 bits, 0 absent, 1-2 unreliable, 4 absent"},
        {{OK, BAD, BAD, BAD}, "4 counters of 40 bits, 1-3 unreliable"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[200];
        pmu_of(cases[i].state, NULL);
        unwrap();
        snprintf(want, sizeof want, "\n  PMU       NetBurst (Pentium 4), %s; no RDPMC\n", cases[i].want);
        assert_non_null(strstr(text, want));
    }
}

TEST_WITH(features_of_a_pmu, begin, NULL)
{
    assert_string_equal(pmu_of(NULL, NULL), "  PMU       none that this kernel knows; only the TSC counts\n");
    assert_string_equal(pmu_of(LIST("ok"), LIST("lbr", "ibs", "ds", "pebs", "freeze_smm", "rdpmc")),
                        "  PMU       NetBurst (Pentium 4, core type Atom), 1 counters of 40 bits; RDPMC,\n"
                        "            frozen in SMM, pebs, ds, ibs, lbr\n");
}

/* Core cycles, where settings let them differ from the TSC's. */
TEST_WITH(speed_of_the_core, begin, NULL)
{
    struct record *r = record_new("cpu");
    rec_real(r, "core_per_tsc", 1.25);
    rec_str(r, "core_clock_source", "aperf/tsc");
    rec_str(r, "turbo", "off");
    rec_str(r, "prefetch", "on");
    record_emit(r);
    assert_non_null(strstr(text, "\n  Core      1.25 x TSC (aperf/tsc); turbo off, prefetchers on\n  APIC"));
    begin(state);
    r = record_new("cpu");
    rec_str(r, "turbo", "unknown");
    record_emit(r);
    assert_non_null(strstr(text, "\n  Core      turbo unknown, prefetchers ?\n  APIC"));
}

/* What is not known of a cache or an APIC is 0 or left out. */
TEST_WITH(little_of_a_cache, begin, NULL)
{
    struct record *r = record_new("cpu");
    rec_array(r, "caches");
    rec_object(r, NULL);
    rec_close(r);
    rec_object(r, NULL);
    rec_uint(r, "level", 2);
    rec_uint(r, "bytes", 1536);
    rec_uint(r, "ways", 1);
    rec_uint(r, "line", 1);
    rec_uint(r, "sets", 2);
    rec_close(r);
    rec_close(r);
    rec_uint(r, "apic_version", 0x14);
    record_emit(r);
    assert_non_null(strstr(text, "\n  Caches    L0 0 B, L2 1.5 KiB 1-way 1 B (unknown)\n"));
    assert_non_null(strstr(text, "\n  APIC      absent, ID 0, version 14h, 0 LVT entries\n"));
}

/* No digits beyond the uncertainty, and a large one in per cent. */
TEST_WITH(rates, begin, NULL)
{
    static const struct {
        double hz, ppm;
        const char *want;
    } cases[] = {{9.9994e6, 120, "9.999 MHz +/- 120 ppm ("},
                 {2596086000, 10, "2596.086 MHz +/- 10 ppm ("},
                 {2596086000, 129, "2596.09 MHz +/- 129 ppm ("},
                 {2596086000, 999.4, "2596.1 MHz +/- 999 ppm ("},
                 {2821149000, 98686, "2821 MHz +/- 9.9 % ("},
                 {1e9, 50, "  1000.00 MHz +/- 50 ppm ("},
                 {1e9, 500, "  1000.0 MHz +/- 500 ppm ("},
                 {1e9, 1000, "  1000.0 MHz +/- 0.1 % ("},
                 {1e9, 5000, "  1000 MHz +/- 0.5 % ("},
                 {1e9, (double)NAN, "  1000.000 MHz (unknown), not invariant\n"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(state);
        struct record *r = record_new("cpu");
        rec_real(r, "tsc_hz", cases[i].hz);
        rec_real(r, "tsc_uncertainty_ppm", cases[i].ppm);
        record_emit(r);
        if (!strstr(text, cases[i].want)) fail_msg("no \"%s\" in\n%s", cases[i].want, text);
    }
}
