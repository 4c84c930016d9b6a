/* Runs of one program on a machine whose RDPMC is made up (trap_rdpmc.h). */
#pragma once
#include "kernel/core_clock.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/run.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/trap_rdpmc.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <string.h>
#include <sys/mman.h>

static _Alignas(4096) uint64_t memory[(2 << 20) / 8]; /* some of it is run: region_states.c */
static uint32_t strays;
static struct options opt;
static struct run out;

void trap_guard_after(struct trap_guard *g) { (void)g; }
void core_clock_read(struct core_clock *now) { (void)now; }
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    (void)from, (void)to;
    return 0;
}

/* An empty bracket's events at CPL 3: none while it is cold, then 9, of the first warm one 5. */
enum { COLD = 4, EMPTY = 104 };
static bool disturbed;
static unsigned at_ring3,
    astray; /* calls at CPL 3; the one that does not come back by its bracket, 0: none */
PAYLOAD static void disturbance(void *arg)
{
    (void)arg;
    trap_rdpmc_now += at_ring3 <= COLD ? 0 : at_ring3 == COLD + 1 ? 5 : 9;
}

void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    (void)top;
    if (++at_ring3 <= EMPTY && disturbed) a = (void *)disturbance;
    if (at_ring3 != astray) fn(a, b, c);
}

static bool program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap)
{
    (void)pmu, (void)code, (void)why, (void)cap;
    return true;
}

static void nothing(const struct pmu *pmu, bool on, struct msr_list *out) { (void)pmu, (void)on, (void)out; }

static const struct pmu_ops ops = {.program = program, .switching = nothing};
static struct pmu pmu;
static bool modelled, by_program, smi_counter;
static enum origin origin;
static bool (*prepare)(struct bench_run *run); /* NULL: hand_regions() */
static const char *const *channels;            /* of a trace; NULL: the payload has no hooks */

static int given(void **state)
{
    (void)state;
    modelled = by_program = disturbed = smi_counter = false;
    prepare = NULL;
    channels = NULL;
    origin = ORIGIN_SILICON;
    pmu = (struct pmu){.ops = &ops, .width = 40, .rdpmc = true, .user_rdpmc = true, .fast_rdpmc = true};
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu.rdpmc_index[i] = TRAP_RDPMC_INDEX + i;
    opt = (struct options){.reps = 2, .warmup = 1};
    strays = at_ring3 = astray = 0;
    return 0;
}

static const char *const labels[] = {"part", NULL};

/* For a payload that marks regions. */
static bool hand_regions(struct bench_run *b)
{
    *(struct region_table **)b->arg = b->regions;
    return true;
}

/* With n counters; ends as it may. */
static void run_any(payload_fn *payload, unsigned n, bool regions)
{
    const struct bench bench = {.program = {.name = "payload",
                                            .payload = payload,
                                            .prepare = prepare ? prepare : hand_regions,
                                            .regions = regions ? labels : NULL,
                                            .channels = channels}};
    const struct plan_item item = {.bench = &bench};
    const struct machine machine = {.modelled = modelled, .time_origin = origin};
    const struct cpu cpu = {
        .machine = &machine, USER_STACK, .pmu = &pmu, .strays = &strays, .smi_counter = smi_counter};
    assert_int_equal(mprotect(memory, sizeof memory, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    struct arena arena = {(uint8_t *)memory, sizeof memory, 0};
    struct group group = {.n = n};
    for (unsigned i = 0; i < n; i++) group.event[i] = group.counter[i] = i;
    trap_rdpmc_reset();
    if (by_program)
        run_program(&bench.program, &opt, &cpu, &group, &arena, &out);
    else
        run_item(&item, &opt, &cpu, &group, &arena, &out);
    assert_ptr_equal(out.item, by_program ? NULL : &item);
}

/* Likewise, and must end well. */
static void run(payload_fn *payload, unsigned n, bool regions)
{
    run_any(payload, n, regions);
    if (out.status != RUN_OK) fail_msg("status %d: %s", (int)out.status, out.bench.error);
    assert_int_equal(out.n, 1 + n);
}

/* ---- payloads of several tests ---- */

#define LONG (1ull << 28) /* ticks, from which on 32 bits may not be enough */

__attribute__((unused)) PAYLOAD static void few(void *arg)
{
    (void)arg;
    trap_rdpmc_now += 1000;
}

/* More events than 32 bits can tell. */
static unsigned long_calls;
__attribute__((unused)) PAYLOAD static void too_many(void *arg)
{
    const uint64_t start = __builtin_ia32_rdtsc();
    (void)arg;
    if (++long_calls <= 2) strays++; /* in the warm-up, and in the repetition that is not kept */
    while (__builtin_ia32_rdtsc() - start < LONG) continue;
    trap_rdpmc_now += (5ull << 32) + 7;
}
