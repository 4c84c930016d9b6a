/* The command line of options_drive.h. */
#include "tests/unit/options_drive.h"
#include "bench/experiment.h"
#include "pmu/pmu.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static void payload(void *arg) { (void)arg; }

static uint64_t beta_memory(const int64_t *param, const struct cache_info *caches)
{
    (void)caches;
    return (uint64_t)param[0];
}

static uint32_t half(const int64_t *param) { return (uint32_t)param[0] / 2; }
static uint32_t quarter(const int64_t *param) { return (uint32_t)param[0] / 4; }
static const struct bench_way ways[] = {
    {WAY_PMI, SAMPLE_BY_PMI, 0, 0, 0, "nothing_like_it", 0},
    {WAY_PMI, SAMPLE_BY_PMI, 0, CLASS_P5, 0, "inst_retired:u", 0},
    {WAY_PMI, SAMPLE_BY_PMI, 0, CLASS_P6 | CLASS_P5, CLASS_NETBURST, "data_mem_refs:u", 0},
    {WAY_PMI, SAMPLE_BY_PMI, 0, 0, 0, "inst_retired:u", 0},
    {WAY_LATENCY, SAMPLE_BY_PEBS, 9, 0, CLASS_P5, "inst_retired:k", quarter},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, 0, 0, "data_mem_refs:u", 0},
    {WAY_IBS, SAMPLE_BY_IBS, 0, 0, 0, NULL, quarter},
    {0},
};
static const struct bench_sampling own = {.way = ways, .period = half};

const struct bench alpha = {
    .program = {.name = "alpha"},
    .op = "op",
    .main_job = true,
    BENCH_PARAM_LIST({"n", "ops", "", 100, 1000, 100, 200, false}, {"lines", "lines", "", 1, 64, 1, 8, true}),
    .variant = {{"a", payload}, {"b", payload}}};
static const struct bench beta = {.program = {.name = "beta", .payload = payload},
                                  .op = "op",
                                  BENCH_PARAM_LIST(
                                      {"bytes", "bytes", "", 4096, 1 << 20, 4096, PARAM_AUTO, false}),
                                  .memory = beta_memory},
                          trial = {.program = {.name = "trial", .payload = payload},
                                   .op = "op",
                                   .main_job = true,
                                   BENCH_PARAM_LIST({"n", "ops", "", 100, 1000, 100, 200, false}),
                                   .sampling = &own},
                          secret = {
                              .program = {.name = "secret", .payload = payload}, .op = "op", .hidden = true};
static const struct bench *const benches[] = {&alpha, &beta, &trial, &secret};

const struct pmu no_pmu;
static const struct cpu_id id = {
    .vendor = "GenuineIntel", .f1_edx = CPUID_1_EDX_SSE2, .f1_ecx = CPUID_1_ECX_MONITOR};
struct options_context with = {benches, 4, &no_pmu, &id, NULL, 256 * 1024};
struct options opt;
struct plan plan;
char faults[2048];

static void on_fault(void *ctx, const struct fault *f)
{
    size_t used = strlen(faults);
    (void)ctx;
    snprintf(faults + used, sizeof faults - used, "%s|%.*s|%u|%s%s%s\n", f->what, (int)f->part_len, f->part,
             f->word ? f->word->index : 0, f->valid, f->why ? "|" : "", f->why ? f->why : "");
}

unsigned parse(const char *line)
{
    faults[0] = '\0';
    return options_parse(line, "GRUB 2.06", &with, &opt, &plan, on_fault, NULL);
}

void expect_fault(const char *line, const char *fault)
{
    if (parse(line) != 1 || strncmp(faults, fault, strlen(fault)) != 0)
        fail_msg("\"%s\" gave \"%s\", expected \"%s...\"", line, faults, fault);
}
