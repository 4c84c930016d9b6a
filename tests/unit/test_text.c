/* The text face: golden text, so that a change of a person's view is seen and meant. */
#include "report/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[16384];

static void put(const char *line)
{
    size_t used = strlen(text);
    if (strlen(line) > 79) fail_msg("%zu columns: %s", strlen(line), line);
    if (line[0] == '{') fail_msg("a line for people that looks like a record: %s", line);
    for (const char *c = line; *c; c++) assert_true(*c >= 0x20 && *c < 0x7f);
    assert_true(used + strlen(line) + 2 < sizeof text);
    sprintf(text + used, "%s\n", line);
}

static const struct session_sinks text_only = {NULL, put};

static int begin(void **state)
{
    (void)state;
    text[0] = '\0';
    session_begin(&text_only);
    return 0;
}

static void expect(const char *want)
{
    if (strcmp(text, want) != 0) fail_msg("got\n%s\nwant\n%s", text, want);
    text[0] = '\0';
}

static void strings(struct record *r, const char *key, const char *const *s)
{
    rec_array(r, key);
    for (; *s; s++) rec_str(r, NULL, *s);
    rec_close(r);
}
#define STRINGS(r, key, ...) strings(r, key, (const char *const[]){__VA_ARGS__, NULL})

/* ---- the machine ---- */

struct boot {
    const char *platform, *detail, *loader, *cmdline, *map;
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

static void boot_on_an_emulator(void **state)
{
    (void)state;
    boot(&(struct boot){
        .platform = "qemu-tcg",
        .detail = "TCGTCGTCGTCG",
        .loader = "qemu",
        .cmdline = "bench=fp_add_latency,l1_miss,stride_thrash:lines=1..32 reps=20 conf=95 exit=qemu",
        .map = "mmap",
        .memory_kib = 130560,
        .pool_base = 0x400000,
        .pool_bytes = 64 << 20});
    expect("Anechoic 0.1.0, i586 kernel on qemu-tcg (TCGTCGTCGTCG)\n"
           "*** EMULATED: times below are the emulator's, not silicon's (rows marked E) ***\n"
           "  Loader    qemu, multiboot 1\n"
           "  Command   bench=fp_add_latency,l1_miss,stride_thrash:lines=1..32 reps=20\n"
           "            conf=95 exit=qemu\n"
           "  Memory    127.5 MiB; pool 64 MiB at 400000h, WB\n"
           "  Consoles  com1,115200, ega\n");
}

static void boot_warns_by_platform(void **state)
{
    static const struct {
        const char *platform, *warning;
    } cases[] = {
        {"bochs", "*** EMULATED: "}, {"kvm", "*** VIRTUALIZED: "}, {"hypervisor", "*** VIRTUALIZED: "}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(state);
        boot(&(struct boot){
            .platform = cases[i].platform, .detail = "", .loader = "", .cmdline = "", .map = "none"});
        assert_non_null(strstr(text, cases[i].warning));
    }
}

static void boot_on_silicon_with_a_bad_map(void **state)
{
    (void)state;
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

static void cpu_with_everything(void **state)
{
    static const struct {
        const char *kind;
        unsigned level, bytes, ways, sets;
    } caches[] = {{"data", 1, 32768, 8, 64},
                  {"code", 1, 32768, 8, 64},
                  {"unified", 2, 262144, 8, 512},
                  {"unified", 3, 3 << 20, 49152, 1}};
    (void)state;
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

static void cpu_with_next_to_nothing(void **state)
{
    (void)state;
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
           "  TSC       rate unknown: nothing is given in units of time, not invariant;\n"
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

static void quiet_verdicts(void **state)
{
    (void)state;
    quiet("quiet", "no gap, no SMI", true);
    expect("  Quiet     yes: no gap, no SMI; in 50 ms reads were 62 tsc apart, at most\n"
           "            96 (0.037 us); a gap is over 2594\n");
    quiet("disturbed", "3 gaps, 2 SMIs", false);
    expect("  Quiet     NO, DISTURBED: 3 gaps, 2 SMIs; reads were 62 tsc apart, at most 96;\n"
           "            a gap is over 2594\n");
    quiet("unknown", "", false);
    expect("  Quiet     unknown; reads were 62 tsc apart, at most 96; a gap is over 2594\n");
}

/* ---- results ---- */

#define HEADING                                                                         \
    "\n"                                                                                \
    "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" \
    "-------------------------------------------------------------------------------\n"
#define HEADING_99                                                                      \
    "\n"                                                                                \
    "benchmark, parameters           unit     min  median    mean +/- 99 %  overhead\n" \
    "-------------------------------------------------------------------------------\n"

struct result {
    const char *bench, *variant, *unit, *flag;
    int64_t lines, stride, n; /* 0: no such parameter */
    unsigned ring, conf, slow, smi, culled;
    double min, median, mean, ci;
    uint64_t overhead;
};

static struct record *result(const struct result *res)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", res->bench);
    rec_str(r, "variant", res->variant ? res->variant : "");
    rec_object(r, "params");
    if (res->lines) rec_int(r, "lines", res->lines);
    if (res->stride) rec_int(r, "stride", res->stride);
    if (res->n) rec_int(r, "n", res->n);
    rec_close(r);
    rec_uint(r, "cpu", 0);
    rec_uint(r, "ring", res->ring);
    rec_str(r, "event", "tsc");
    rec_str(r, "unit", res->unit);
    rec_uint(r, "reps", 20);
    rec_uint(r, "overhead", res->overhead);
    rec_real(r, "min", res->min);
    rec_real(r, "median", res->median);
    rec_real(r, "mean", res->mean);
    rec_real(r, res->conf == 99 ? "ci99" : "ci95", res->ci);
    if (res->slow) rec_uint(r, "slow", res->slow);
    if (res->smi) rec_uint(r, "smi", res->smi);
    if (res->culled) rec_uint(r, "culled", res->culled);
    rec_array(r, "flags");
    if (res->flag) rec_str(r, NULL, res->flag);
    rec_close(r);
    return r;
}
#define RESULT(...) record_emit(result(&(struct result){__VA_ARGS__}))

static void a_table_of_results(void **state)
{
    (void)state;
    RESULT(.bench = "fp_add_latency", .variant = "x87", .unit = "tsc/add", .n = 1000, .min = 5,
           .median = 5.0004, .mean = 5.0126, .ci = 0.0071, .overhead = 84);
    RESULT(.bench = "fp_add_latency", .variant = "sse2", .unit = "tsc/add", .n = 1000, .min = 4, .median = 4,
           .mean = 4.2, .ci = 0.35, .overhead = 84, .slow = 2, .smi = 1, .culled = 3);
    for (int lines = 1; lines <= 3; lines++)
        RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = lines, .stride = 8192, .n = 1000,
               .min = 5, .median = 5, .mean = 5, .ci = 0, .overhead = 12345, .flag = "emulated");
    RESULT(.bench = "stride_thrash", .unit = "tsc/load", .lines = 3, .stride = 8192, .n = 1000, .ring = 3,
           .min = 5, .median = 5, .mean = 5, .ci = 0, .overhead = 84, .flag = "virtualized");
    RESULT(.bench = "empty", .unit = "tsc/call", .min = 0, .median = 0, .mean = 0, .ci = NAN,
           .flag = "modelled");
    expect(HEADING "fp_add_latency x87 n=1000    tsc/add   5.000   5.000   5.013 +/- 0.007     84\n"
                   "fp_add_latency sse2 n=1000   tsc/add   4.000   4.000   4.200 +/- 0.350     84\n"
                   "  ! of 23 repetitions: 2 slow, 1 with an SMI, 3 culled\n"
                   "stride_thrash stride=8192 n=1000\n"
                   "  lines=1                   tsc/load   5.000   5.000   5.000 +/- 0.000  12345 E\n"
                   "  lines=2                   tsc/load   5.000   5.000   5.000 +/- 0.000  12345 E\n"
                   "  lines=3                   tsc/load   5.000   5.000   5.000 +/- 0.000  12345 E\n"
                   "  ring=3                    tsc/load   5.000   5.000   5.000 +/- 0.000     84 V\n"
                   "empty                       tsc/call   0.000   0.000   0.000 +/- -          0 M\n");
}

static void the_heading_comes_back_after_other_text(void **state)
{
    static const char row[] =
        "empty                       tsc/call   1.000   1.000   1.000 +/- 0.000     84\n";
    static const char again[] = /* the same measurement: another event, as a rule */
        "                            tsc/call   1.000   1.000   1.000 +/- 0.000     84\n";
    static const struct result empty = {
        .bench = "empty", .unit = "tsc/call", .min = 1, .median = 1, .mean = 1, .overhead = 84};
    struct result at_99 = empty;
    char want[1024];
    (void)state;
    record_emit(result(&empty));
    struct record *r = record_new("reps"); /* has no text */
    rec_str(r, "bench", "empty");
    record_emit(r);
    record_emit(result(&empty));
    report_note("apic", "absent");
    record_emit(result(&empty));
    at_99.conf = 99;
    record_emit(result(&at_99));
    snprintf(want, sizeof want, "%s%s%s%s%s%s%s%s", HEADING, row, again, "Note  apic: absent\n", HEADING, row,
             HEADING_99, row);
    expect(want);
}

/* Seven columns hold any magnitude, and a row keeps one number of decimals. */
static void numbers_of_any_size(void **state)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {999.9, "999.900 999.900 999.900 +/- 499.950"},    {1000, "1000.00 1000.00 1000.00 +/- 500.00"},
        {25940.54, "25940.5 25940.5 25940.5 +/- 12970.3"}, {1234567, "1234567 1234567 1234567 +/- 617284"},
        {25940500, "25.941M 25.941M 25.941M +/- 12.970M"}, {123456789, "123.46M 123.46M 123.46M +/- 61.73M"},
        {1.23e9, " 1.230G  1.230G  1.230G +/- 0.615G"},    {4.5e12, "   4.5T    4.5T    4.5T +/- 2.2T"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v = cases[i].v;
        begin(state);
        RESULT(.bench = "b", .unit = "u", .min = v, .median = v, .mean = v, .ci = v / 2);
        if (!strstr(text, cases[i].want)) fail_msg("no \"%s\" in\n%s", cases[i].want, text);
    }
}

static void long_names_are_split(void **state)
{
    (void)state;
    RESULT(.bench = "a_benchmark_with_quite_a_long_name", .unit = "tsc/load", .lines = 12, .min = 1,
           .median = 1, .mean = 1, .ci = 0, .overhead = 1);
    RESULT(.bench = "b", .unit = "tsc/something_quite_long_indeed", .min = 1, .median = 1, .mean = 1,
           .ci = 0);
    expect(HEADING "a_benchmark_with_quite_a_long_name\n"
                   "  lines=12                  tsc/load   1.000   1.000   1.000 +/- 0.000      1\n"
                   "b    tsc/something_quite_long_indeed   1.000   1.000   1.000 +/- 0.000      0\n");
}

static void fwq_tells_of_late_quanta(void **state)
{
    (void)state;
    struct record *r = result(&(struct result){.bench = "fwq",
                                               .unit = "tsc/quantum",
                                               .n = 10,
                                               .min = 23940,
                                               .median = 23940,
                                               .mean = 23940.04,
                                               .ci = 0.027});
    rec_object(r, "fwq");
    rec_uint(r, "late_min", 7);
    rec_uint(r, "late_10pct", 0);
    rec_uint(r, "detour_max_tsc", 96);
    rec_real(r, "detour_max_us", 0.0401);
    rec_real(r, "lost_share", 1.671e-6);
    rec_close(r);
    record_emit(r);
    expect(HEADING "fwq n=10                 tsc/quantum 23940.0 23940.0 23940.0 +/- 0.0        0\n"
                   "    late quanta: 7 over min, 0 over min + 10 %, of 20; largest detour\n"
                   "    96 tsc (0.0401 us); time lost 0.0001671 %\n");
}

/* ---- messages ---- */

static void errors_of_the_command_line(void **state)
{
    (void)state;
    struct record *r = record_new("error");
    rec_str(r, "what", "command line");
    rec_str(r, "word", "bnch=\x07\xff");
    rec_str(r, "place", "word 3, byte 17");
    rec_str(r, "valid",
            "bench, events, reps, conf, ring, serialize, warmup, page, period, sample, console, exit");
    rec_str(r, "message", "unknown key");
    record_emit(r);
    expect("ERROR command line, word 3, byte 17: unknown key\n"
           "      word:  bnch=\\x07\\xff\n"
           "      valid: bench, events, reps, conf, ring, serialize, warmup, page, period,\n"
           "             sample, console, exit\n");
}

static void words_without_blanks_are_cut(void **state)
{
    char word[201], want[400];
    (void)state;
    memset(word, 'x', 200);
    word[200] = '\0';
    report_error("kernel", "%s", word);
    snprintf(want, sizeof want, "ERROR kernel:\n      %.73s\n      %.73s\n      %.54s\n", word, word, word);
    expect(want);
}

static void exceptions_show_registers(void **state)
{
    static const char *const reg[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    (void)state;
    struct record *r = record_new("error");
    rec_str(r, "what", "benchmark");
    rec_str(r, "bench", "fault_gp");
    rec_uint(r, "vector", 13);
    rec_str(r, "name", "#GP general protection");
    rec_str(r, "error_code", "0x10");
    rec_str(r, "error_code_text", "GDT entry 2");
    rec_str(r, "address", "0x101234");
    rec_object(r, "registers");
    for (unsigned i = 0; i < 8; i++) rec_strf(r, reg[i], "0x%x", 0x1000001u * i);
    rec_close(r);
    rec_str(r, "message", "fault_gp: #GP general protection; this benchmark ends, the others go on");
    record_emit(r);
    expect("ERROR benchmark: fault_gp: #GP general protection; this benchmark ends, the\n"
           "      others go on\n"
           "      vector 13, at 0x101234, error code 0x10: GDT entry 2\n"
           "      eax=0x0 ecx=0x1000001 edx=0x2000002 ebx=0x3000003 esp=0x4000004\n"
           "      ebp=0x5000005 esi=0x6000006 edi=0x7000007\n");
}

static void a_listed_benchmark(void **state)
{
    (void)state;
    struct record *r = record_new("bench");
    rec_str(r, "bench", "l1_miss");
    rec_str(r, "desc", "independent loads that all miss L1 and hit the next level");
    rec_str(r, "cost", "");
    rec_str(r, "unit", "tsc/load");
    rec_bool(r, "main", true);
    STRINGS(r, "variants", "x87", "sse2");
    rec_array(r, "params");
    for (unsigned i = 0; i < 2; i++) {
        rec_object(r, NULL);
        rec_str(r, "name", i ? "bytes" : "lines");
        rec_str(r, "unit", i ? "bytes" : "");
        rec_str(r, "help", i ? "working set" : "lines in the chase");
        rec_int(r, "min", 1);
        rec_int(r, "max", i ? 1 << 30 : 4096);
        if (i)
            rec_str(r, "default", "auto");
        else
            rec_int(r, "default", 8);
        rec_bool(r, "range", i == 0);
        rec_close(r);
    }
    rec_close(r);
    record_emit(r);
    expect("\n"
           "l1_miss             independent loads that all miss L1 and hit the next level\n"
           "                    [main job]\n"
           "    unit            tsc/load\n"
           "    variants        x87, sse2\n"
           "    lines=8         lines in the chase (1 to 4096, or FIRST..LAST)\n"
           "    bytes=auto      working set (1 to 1073741824 bytes)\n");
}

static void derived_figures_tell_their_doubt(void **state)
{
    (void)state;
    struct record *r = record_new("derived");
    rec_str(r, "name", "IPC");
    rec_str(r, "formula", "instructions / cycles");
    rec_real(r, "value", 1.5);
    rec_array(r, "flags");
    rec_str(r, NULL, "overhead-lowered");
    rec_close(r);
    record_emit(r);
    expect("  = 1.5 IPC (instructions / cycles)\n"
           "    ! a raw count lay below the overhead, which was lowered to it\n");
}

static void done(unsigned benches, unsigned failed)
{
    struct record *r = record_new("done");
    rec_uint(r, "measurements", benches);
    rec_uint(r, "failed", failed);
    record_emit(r);
}

static void closing_lines(void **state)
{
    (void)state;
    done(3, 0);
    session_end(0);
    expect("\ndone: 3 measurements, 0 failed; 2 records, status 0\n");
    begin(state);
    done(1, 1);
    session_end(1);
    expect("\ndone: 1 measurement, 1 failed; 2 records, status 1 (a benchmark failed)\n");
    begin(state);
    session_end(2);
    expect("\nend: 1 record, status 2 (the command line was wrong)\n");
    begin(state);
    done(1, 0); /* a plan ends, the session does not */
    report_note("plan", "another one");
    session_end(3);
    expect("done: 1 measurement, 0 failed\n"
           "Note  plan: another one\n"
           "\nend: 3 records, status 3 (the kernel could not run)\n");
    begin(state);
    session_end(77);
    expect("\nend: 1 record, status 77\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(boot_on_an_emulator, begin),
        cmocka_unit_test_setup(boot_warns_by_platform, begin),
        cmocka_unit_test_setup(boot_on_silicon_with_a_bad_map, begin),
        cmocka_unit_test_setup(cpu_with_everything, begin),
        cmocka_unit_test_setup(cpu_with_next_to_nothing, begin),
        cmocka_unit_test_setup(quiet_verdicts, begin),
        cmocka_unit_test_setup(a_table_of_results, begin),
        cmocka_unit_test_setup(the_heading_comes_back_after_other_text, begin),
        cmocka_unit_test_setup(numbers_of_any_size, begin),
        cmocka_unit_test_setup(long_names_are_split, begin),
        cmocka_unit_test_setup(fwq_tells_of_late_quanta, begin),
        cmocka_unit_test_setup(errors_of_the_command_line, begin),
        cmocka_unit_test_setup(words_without_blanks_are_cut, begin),
        cmocka_unit_test_setup(exceptions_show_registers, begin),
        cmocka_unit_test_setup(a_listed_benchmark, begin),
        cmocka_unit_test_setup(derived_figures_tell_their_doubt, begin),
        cmocka_unit_test_setup(closing_lines, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
