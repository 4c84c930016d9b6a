/* libFuzzer: the command line. First byte: the loader and the PMU; the rest: the line, as bootinfo would hand
 * it over. */
#include "kernel/bootinfo.h"
#include "measure/options.h"
#include "pmu/netburst.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include <stdlib.h>
#include <string.h>

static void payload(void *arg) { (void)arg; }

static const struct bench alpha = {.program = {.name = "fp_add_latency"},
                                   .op = "add",
                                   .main_job = true,
                                   BENCH_PARAM_LIST({"n", "adds", "", 100, 1000000, 100, 1000, false},
                                                    {"lines", "lines", "", 1, 4096, 1, 8, true}),
                                   .variant = {{"x87", payload}, {"sse2", payload}}},
                          beta = {.program = {.name = "l1_miss", .payload = payload},
                                  .op = "load",
                                  BENCH_PARAM_LIST(
                                      {"bytes", "bytes", "", 16384, 1 << 30, 16384, PARAM_AUTO, false})};
static const struct bench *const benches[] = {&alpha, &beta};

static struct pmu pmu; /* of a family, all of whose models it is at once; or none */
static const struct cpu_id id = {.vendor = "GenuineIntel", .f1_edx = CPUID_1_EDX_SSE2};
static const struct options_context with = {benches, 2, &pmu, &id, NULL, 1 << 26};
static const char *line;

static void check(int ok)
{
    if (!ok) abort();
}

static void on_fault(void *ctx, const struct fault *f)
{
    (void)ctx;
    check(f->what && f->valid[0] && strlen(f->valid) < sizeof f->valid);
    check(f->part >= line && f->part + f->part_len <= line + strlen(line));
}

#define ITEMS 1000 /* of a plan are looked at */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options opt;
    static struct plan plan;
    if (size < 1 || size > CMDLINE_MAX + 1) return 0;
    static const struct {
        const struct pmu_ops *ops;
        const struct pmu_words *words;
    } families[] = {{NULL, NULL},
                    {&pmu_p5_ops, &pmu_p5_words},
                    {&pmu_p6_ops, &pmu_p6_words},
                    {&pmu_netburst_ops, &pmu_netburst_words}};
    const unsigned family = data[0] >> 1 & 3;
    pmu = (struct pmu){.ops = families[family].ops,
                       .words = families[family].words,
                       .counters = 2,
                       .width = 40,
                       .usable = 3,
                       .models = UINT32_MAX};
    char *copy = malloc(size); /* exact, so that a byte too far is seen */
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = '\0';
    line = copy;
    unsigned faults =
        options_parse(copy, data[0] & 1 ? "GRUB 2.06" : "qemu", &with, &opt, &plan, on_fault, NULL);
    check(plan.n <= PLAN_LINES);
    if (faults == 0) {
        check(opt.reps >= 1 && opt.reps <= REPS_MAX && (opt.conf == 95 || opt.conf == 99) &&
              opt.exit < EXIT_COUNT);
        check(opt.monitor || opt.action != ACTION_MEASURE || plan.n > 0);
        struct plan_cursor at = {.line = 0};
        for (unsigned i = 0; i < ITEMS && plan_next(&plan, &at); i++)
            for (unsigned p = 0; p < at.item.bench->params; p++) {
                const struct bench_param *bp = &at.item.bench->param[p];
                int64_t v = at.item.param[p];
                check(v == bp->def || (v >= bp->min && v <= bp->max));
            }
    }
    const char *exit_word = cmdline_raw_find(copy, "exit");
    if (exit_word) check(exit_parse(exit_word) <= EXIT_COUNT);
    free(copy);
    return 0;
}
