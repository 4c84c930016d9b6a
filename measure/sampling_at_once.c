/* Several events that are sampled at once: a counter for each. */
#include "measure/sampling_job.h"
#include <string.h>

/* The events, and instructions at CPL 0 behind them; n of these on counters of one run. */
static bool place(struct job *j, const struct pmu_code *code, unsigned n)
{
    struct group group[PMU_COUNTERS];
    struct sampling *out = j->out;
    if (n > PMU_COUNTERS || schedule_groups(j->cpu->pmu, code, n, group) != 1 || group[0].n != n)
        return false;
    memset(j->code, 0, sizeof j->code);
    for (unsigned i = 0; i < n; i++) {
        const unsigned which = group[0].event[i], counter = group[0].counter[i];
        j->code[counter] = which < out->at_once ? &j->event[which] : &j->kernel;
        if (which < out->at_once)
            out->each[which].counter = counter;
        else
            j->kernel_counter = counter;
    }
    return true;
}

bool sampling_counters_at_once(struct job *j)
{
    static const char kernel[] = "instructions:k";
    const struct pmu *pmu = j->cpu->pmu;
    struct sampling *out = j->out;
    struct run *run = &out->run;
    const unsigned n = out->at_once;
    char why[160], near[8];
    out->each = run_alloc(run, j->arena, n * sizeof *out->each, 64, "so many events");
    j->each = run_alloc(run, j->arena, PMU_COUNTERS * sizeof *j->each, 64, "so many events");
    struct pmu_code *code = run_alloc(run, j->arena, (n + 1) * sizeof *code, 64, "so many events");
    if (run->status != RUN_OK) return false;
    for (unsigned e = 0; e < n; e++) code[e] = *(out->each[e].code = j->event + e);
    const bool known =
        pmu_event_parse(pmu, kernel, sizeof kernel - 1, &j->kernel, why, sizeof why, near, sizeof near);
    code[n] = j->kernel;
    out->counted = known && place(j, code, n + 1);
    if (!out->counted && !place(j, code, n))
        return run_refuse(
            run, RUN_PMU,
            "these %u events do not fit on the counters of one run: sample fewer at once, or leave "
            "at_once=1 out",
            n);
    return sampling_program(j);
}
