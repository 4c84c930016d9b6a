/* libFuzzer: what is typed at the monitor's prompt. The first byte: the PMU, and whether `unsafe` is on; the
 * others are typed: terminal, editor, completion, command. The machine is a stand-in; the words of `run` and
 * `set` are judged by the parser of the command line, and their faults are reported as in the kernel.
 *
 * Whatever is typed, each line that is printed fits its row (fake_console.c), nothing is changed without
 * `unsafe on`, and the prompt comes again. */
#include "boot/modules.h"
#include "measure/options.h"
#include "monitor/command.h"
#include "monitor/prompt.h"
#include "pmu/netburst.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "report/emit.h"
#include "report/kept.h"
#include "report/record.h"
#include "tests/unit/fake_access.h"
#include "tests/unit/fake_console.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_rates.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the machine ---- */

static void payload(void *arg) { (void)arg; }

static const struct bench alpha = {.program = {.name = "fp_add_latency"},
                                   .op = "add",
                                   .main_job = true,
                                   BENCH_PARAM_LIST({"n", "adds", "", 100, 1000000, 100, 1000, false}),
                                   .variant = {{"x87", payload}, {"sse2", payload}}};
static const struct bench *const benches[] = {&alpha};

static struct pmu pmu;
static struct machine machine;
static struct cpu cpu = {.machine = &machine,
                         .pmu = &pmu,
                         .core_clock_source = "unknown",
                         .caches = {.source = "unknown"},
                         .id = {.vendor = "GenuineIntel"}};
static uint8_t pool[1 << 12];
static struct session session;
static struct monitor m;
static unsigned writes;

static void check(bool holds)
{
    if (!holds) abort();
}

static void port_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx, (void)offset, (void)value, (void)width;
    writes++;
}
/* All ports but the keyboard's controller, which is asked again and again. */
static const struct fake_device ports[] = {{0, 0x60, NULL, port_out, NULL},
                                           {0x70, 0xff00, NULL, port_out, NULL}};

static void begin(unsigned family)
{
    static const struct {
        const struct pmu_ops *ops;
        const struct pmu_words *words;
    } families[] = {{NULL, NULL},
                    {&pmu_p5_ops, &pmu_p5_words},
                    {&pmu_p6_ops, &pmu_p6_words},
                    {&pmu_netburst_ops, &pmu_netburst_words}};
    static const struct fake_cpuid leaves[] = {{0, 0, {4, 0x756e6547, 0x6c65746e, 0x49656e69}},
                                               {1, 0, {0x673, 0, 0, 1}}};
    static const struct session_sinks sinks = {console_record, console_text};
    static _Alignas(8) char memory[4096];
    fake_reset();
    fake_cpuid_asked_freely();
    fake_cpuid(leaves, 2);
    fake_msr(0x1b, 0xfee00900);
    fake_tsc(0, 100000);
    for (unsigned i = 0; i < 2; i++) fake_port(&ports[i]);
    fake_access_reset();
    fake_console_reset();
    pmu = (struct pmu){.ops = families[family].ops,
                       .words = families[family].words,
                       .model = "a model",
                       .counters = 2,
                       .width = 40,
                       .usable = 3,
                       .models = UINT32_MAX};
    machine = (struct machine){.cpus = 1,
                               .cpu = {&cpu},
                               .clock = {.tsc_hz = 1000000000, .source = "unknown"},
                               .memory = {.pool = pool, .pool_bytes = sizeof pool}};
    session = (struct session){.machine = &machine, .words = {benches, 1, &pmu, &cpu.id, NULL, 1 << 26, 1}};
    session_begin(&sinks);
    kept_begin(memory, sizeof memory, KEPT_LAST);
    for (unsigned n = 0; n < 20; n++) kept_add(n, "{}", 2);
    writes = 0;
}

/* ---- what measures ---- */

static char judged[CMDLINE_MAX + 1];

static void on_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

bool request_read(struct session *s, const char *words, struct request *out)
{
    static struct options opt;
    static struct plan plan;
    check(strlen(words) <= CMDLINE_MAX);
    strcpy(judged, words);
    *out = (struct request){.opt = &opt, .plan = &plan};
    cpu_set_add(&out->where, 0);
    return options_parse(judged, "GRUB", &s->words, &opt, &plan, on_fault, judged) == 0;
}

bool request_judge(struct session *s, const char *words)
{
    struct request any;
    return request_read(s, words, &any);
}

bool request_words(struct session *s, const char *words) { return request_judge(s, words); }

void modules_load(struct session *s, const char *name, size_t bytes)
{
    check(s == &session && bytes <= sizeof pool / 2 && strlen(name) < 64);
}

/* ---- the input ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    begin(data[0] >> 1 & 3);
    m = (struct monitor){.session = &session, .unsafe = data[0] & 1};
    uint8_t *exact = malloc(size); /* a byte too far is seen */
    memcpy(exact, data + 1, size - 1);
    check(prompt_open());
    fake_console_type(exact, size - 1);
    while (fake_console_left()) {
        const bool unsafe = m.unsafe;
        const char *line = prompt_line("> ");
        if (!line) continue;
        check(strlen(line) < EDITOR_LINE);
        writes = fake_cr_writes = 0;
        command_obey(&m, line);
        check(unsafe || writes + fake_cr_writes == 0);
        check(m.end >= MONITOR_STAYS && m.end <= MONITOR_POWERS_OFF && strlen(m.words) < sizeof m.words);
    }
    free(exact);
    return 0;
}
