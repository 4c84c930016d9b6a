/* Benchmarks and experiments that end before their time, each by itself: tests/boot/cases/descriptors.sh. */
#include "anechoic/experiment.h"

PAYLOAD static void nothing(void *arg) { (void)arg; }
PAYLOAD static void forever(void *arg)
{
    (void)arg;
    __asm__ volatile("1:\tjmp 1b");
}
PAYLOAD static void invalid(void *arg)
{
    (void)arg;
    __asm__ volatile("ud2");
}

enum { HOW };
#define BENCH(id, code, first)                                                                \
    BENCHMARK(id) = {.program = {.name = #id, .desc = "", .payload = code, .prepare = first}, \
                     .op = "call",                                                            \
                     .cost = "",                                                              \
                     BENCH_PARAM_LIST([HOW] = {"how", "", "", 0, 3, 1, 0, true})}

BENCH(end_invalid, invalid, NULL);
BENCH(end_forever, forever, NULL);

static bool prepare(struct bench_run *run)
{
    switch (run->param[HOW]) {
    case 0:
        invalid(NULL);
        break;
    case 1:
        forever(NULL);
        break;
    case 2:
        run->ops = 0;
        break;
    default:
        for (unsigned i = 0; i < sizeof run->error; i++) run->error[i] = 'x';
        return false;
    }
    return true;
}
BENCH(end_prepare, nothing, prepare);

static void before(const struct bench_run *run) { invalid(run->arg); }
BENCHMARK(end_before) = {.program = {.name = "end_before", .desc = "", .payload = nothing, .before = before},
                         .op = "call",
                         .cost = ""};

static void run(struct lab *lab)
{
    struct lab_counts counts;
    switch (lab->param[HOW]) {
    case 0:
        invalid(NULL);
        break;
    case 1:
        forever(NULL);
        break;
    case 2:
        lab_at_cpl(lab, 3, invalid, NULL);
        break;
    default:
        lab_measure(lab, &(struct lab_program){.code = forever}, NULL, &counts);
    }
}
EXPERIMENT(end_experiment) = {
    .program = {.name = "end_experiment", .desc = ""},
    .experiment = run,
    .op = "call",
    .cost = "",
    BENCH_PARAM_LIST([HOW] = {"how", "", "", 0, 3, 1, 0, true}),
};

/* After each of them. */
BENCH(end_good, nothing, NULL);
