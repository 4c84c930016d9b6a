/* Sampling by IBS: what it can do here, and what is counted beside it. */
#include "kernel/model.h"
#include "measure/sampling_job.h"
#include <string.h>

/* What comes as often as the period's unit, or, for fetches, at least as often: so period=auto has a first
 * guess. These codes are the same in all families that have IBS; IBS, too, counts at
 * every CPL. */
enum { OPS, CYCLES, FETCHES };
static const struct {
    const char *unit, *basis;
    bool counts;
} units[] = {[OPS] = {"ops", "r00c1", true},
             [CYCLES] = {"cycles", "r0076", true},
             [FETCHES] = {"fetches", "r00c0", false}};

static const char *name_of(const struct cpu *cpu)
{
    return cpu->pmu->ops && cpu->pmu->model ? cpu->pmu->model : cpu->id.vendor;
}

bool sampling_ibs(struct job *j)
{
    const struct cpu *cpu = j->cpu;
    struct run *run = &j->out->run;
    struct ibs_asked asked = j->opt->ibs;
    char why[160], near[8];
    asked.latency = j->opt->pebs.latency;
    asked.fetch = j->opt->sample == SAMPLE_BY_IBS_FETCH;
    const char *entry;
    if (!ibs_caps(&cpu->id))
        return run_refuse(run, RUN_PMU, "this CPU (%s) has no Instruction-Based Sampling; use sample=%s",
                          name_of(cpu),
                          !cpu->pmu->usable ? "timer"
                          : cpu->pmu->pebs  ? "pebs or sample=pmi"
                                            : "pmi");
    if (!ibs_init(&j->ibs, &cpu->id, &asked, name_of(cpu), run->bench.error, sizeof run->bench.error)) {
        run->status = RUN_PMU;
        return false;
    }
    const unsigned u = asked.fetch ? FETCHES : j->ibs.asked.cycles ? CYCLES : OPS;
    j->out->unit = units[u].unit;
    j->ibs_counts = units[u].counts;
    if (!pmu_event_parse(cpu->pmu, units[u].basis, strlen(units[u].basis), &j->ibs_basis, why, sizeof why,
                         near, sizeof near) ||
        !(j->ibs_basis.counters & cpu->pmu->usable))
        return sampling_refuse(j, "no counter works beside IBS; use sample=timer");
    j->event = &j->ibs_basis;
    entry = ibs_entry_find(cpu, &j->ibs_entry);
    return !entry || sampling_refuse(j, entry);
}

bool sampling_ibs_modelled(struct job *j)
{
    char why[160], near[8];
    const uint32_t parts = model_lacks_parts();
    if (parts & MODEL_NO_TLBS) j->ibs.unknown = SAMPLE_TLB;
    if (parts & MODEL_NO_PREDICTOR) j->ibs.unknown_traits = SAMPLE_PREDICTED | SAMPLE_MISPREDICTED;
    pmu_start(j->cpu->pmu);
    const bool lacks = cpu_lacks(j->cpu, j->out->counter);
    j->out->clocked = cpu_unmodelled(j->cpu, j->out->counter);
    pmu_stop(j->cpu->pmu);
    if (!lacks) return true;
    j->ibs_counts = false;
    const char *basis = units[FETCHES].basis;
    return pmu_event_parse(j->cpu->pmu, basis, strlen(basis), &j->ibs_basis, why, sizeof why, near,
                           sizeof near) &&
           sampling_program(j);
}
