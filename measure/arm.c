#include "measure/arm.h"
#include "kernel/hw.h"
#include "measure/breakpoint.h"
#include "measure/region_reps.h"
#include "measure/watchdog.h"
#include <string.h>

void arm_change_width(struct measuring *t)
{
    struct execution *x = &t->x;
    x->fast = !x->fast;
    x->mask = UINT64_MAX >> (64 - (x->fast ? 32 : t->cpu->pmu->width));
    t->run->read = x->fast ? "fast rdpmc" : "rdpmc";
    for (unsigned i = 0; i < x->counters; i++) x->reading->select[i] ^= PMU_RDPMC_FAST;
}

/* The order in which counters are read, and the instruction, for a payload that reads them by itself, too. */
static enum reader choose_reader(struct measuring *t)
{
    static const uint8_t opcode[READER_COUNT] = {[READER_RDPMC] = 0x33, [READER_RDMSR] = 0x32};
    const struct pmu *pmu = t->cpu->pmu;
    const bool ring3 = t->opt->ring == 3, by_rdpmc = ring3 ? pmu->user_rdpmc : pmu->rdpmc;
    const unsigned n = t->run->n - 1;
    const enum reader reader = n == 0     ? READER_NONE
                               : by_rdpmc ? READER_RDPMC
                               : ring3    ? READER_GATE
                                          : READER_RDMSR;
    for (unsigned i = 0; i < n; i++)
        t->select[i] = (by_rdpmc ? pmu->rdpmc_index : pmu->counter_msr)[t->group->counter[i]];
    t->counters = (struct bench_counters){n, t->select, opcode[reader], NULL, 0};
    return reader;
}

/* LFENCE, unless serialize= says something else that changes no register. */
static void choose_fence(struct measuring *t)
{
    const struct serializer *s = &serializers[t->opt->serialize], *lfence = &serializers[SERIALIZE_LFENCE];
    if (!s->fence_bytes && lfence->usable(&t->cpu->id)) s = lfence;
    t->counters.fence = s->fence;
    t->counters.fence_bytes = s->fence_bytes;
}

static void prepare_readings(struct measuring *t, bool by_rdpmc)
{
    const struct pmu *pmu = t->cpu->pmu;
    t->x.mask = UINT64_MAX >> (64 - pmu->width);
    t->run->read = by_rdpmc ? "rdpmc" : "rdmsr";
    if (t->run->bench.reads) {
        t->x.mask &= UINTPTR_MAX;
        return;
    }
    memcpy(t->x.reading->select, t->select, t->x.counters * sizeof *t->select);
    /* Not with regions, which add many readings, nor without a serialising instruction between the two: the
     * second may then read less than the first (SDM vol. 2, RDPMC), and LFENCE is not a serialising
     * instruction. */
    if (by_rdpmc && pmu->fast_rdpmc && !t->run->regions && t->opt->serialize == SERIALIZE_CPUID)
        arm_change_width(t);
}

/* Where SMIs are an event, a counter that the run leaves free counts them. Only on silicon: nobody else has
 * any. */
static void add_smis(struct measuring *t, const struct pmu_code *code[PMU_COUNTERS])
{
    const struct pmu *pmu = t->cpu->pmu;
    const struct pmu_fields fields = {.event = pmu->smi_event, .usr = true, .os = true};
    char why[160];
    if (!pmu->smi_event || t->cpu->smi_counter || t->cpu->machine->time_origin != ORIGIN_SILICON) return;
    if (!pmu->ops->encode(pmu, &fields, &t->smis, why, sizeof why)) return;
    for (unsigned i = 0; i < PMU_COUNTERS && !t->run->counts_smis; i++) {
        if (code[i] || !(t->smis.counters & pmu->usable & 1u << i)) continue;
        code[i] = &t->smis;
        t->run->smi_counter = i;
        t->run->counts_smis = true;
    }
}

static bool program(struct measuring *t, const struct pmu_code *const code[PMU_COUNTERS])
{
    struct pmu *pmu = t->cpu->pmu;
    pmu->pins = t->opt->pins;
    const bool good = pmu->ops->program(pmu, code, t->run->bench.error, sizeof t->run->bench.error);
    pmu->pins = (struct pmu_pins){PINS_FOUND, 0};
    return good;
}

/* With SMIs, and the watchdog's beside them, where there is code to be watched: each on a counter that is
 * left. */
bool arm_program(struct measuring *t)
{
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    struct run *run = t->run;
    run->counts_smis = false;
    for (unsigned i = 0; i < t->x.counters; i++)
        code[t->group->counter[i]] = &t->opt->event[t->group->event[i]];
    if (!t->alone) add_smis(t, code);
    if (!t->alone && run->program.users && t->opt->limit && watchdog_program(t->cpu, code)) return true;
    if (!t->x.counters && !run->counts_smis) return true;
    if (program(t, code)) return true;
    if (run->counts_smis) { /* which is no reason to count nothing */
        code[run->smi_counter] = NULL;
        run->counts_smis = false;
        if (!t->x.counters || program(t, code)) return true;
    }
    run->status = RUN_PMU;
    return false;
}

bool arm_refuse_reps(struct run *run, unsigned regions)
{
    return run_refuse(run, RUN_MEMORY, "not enough memory to keep %u repetitions of %u region%s (all=1)",
                      run->reps, regions, regions == 1 ? "" : "s");
}

/* Last of all, so that nothing else of the run lies elsewhere because of it. */
static bool keep_reps(struct measuring *t)
{
    unsigned labelled = 0;
    while (t->run->program.regions[labelled]) labelled++;
    return region_reps_prepare(t->run->regions, t->run->reps, labelled, t->arena) ||
           arm_refuse_reps(t->run, labelled);
}

static bool arm_regions(struct measuring *t, enum reader reader)
{
    const struct execution *x = &t->x;
    struct regions *regions = t->run->regions;
    if (!regions_arm(regions, t->opt->serialize, reader, x->reading->select, x->counters, x->mask))
        return run_refuse(t->run, RUN_PMU, "no markers read %u counters this way", x->counters);
    if (!region_states_prepare(&regions->states, &t->cpu->caches, t->arena))
        return run_refuse(
            t->run, RUN_MEMORY,
            "measuring the cost of the regions' markers needs %u KiB of memory in addition to the "
            "payload's",
            region_states_kib(&regions->states));
    return !t->opt->all || keep_reps(t);
}

/* program.own: code of a module may read the counters by itself. */
void arm_choose(struct measuring *t)
{
    t->reader = choose_reader(t);
    if (t->run->program.own) choose_fence(t);
    t->run->bench.counters = &t->counters;
}

/* The payload has ECX in its own code, and may be placed in no other. */
static bool index_is_its_own(const struct measuring *t)
{
    for (unsigned i = 0; i < t->x.counters; i++)
        if (hw_rdpmc_select(t->select[i]) != t->select[i]) return false;
    return true;
}

bool arm_unmoved(const struct measuring *t)
{
    if (t->reader != READER_RDPMC) return true;
    if (t->run->bench.reads) return index_is_its_own(t);
    for (unsigned i = 0; i < t->x.counters; i++)
        if ((hw_rdpmc_select(t->select[i]) ^ t->x.reading->select[i]) & ~PMU_RDPMC_FAST) return false;
    return true;
}

bool arm(struct measuring *t)
{
    const enum reader reader = t->reader;
    t->x.counters = t->run->n - 1;
    if (t->x.counters) prepare_readings(t, reader == READER_RDPMC);
    if (!arm_program(t) || !breakpoints_arm(t->run, t->opt)) return false;
    for (unsigned i = 0; reader == READER_RDPMC && i < t->x.counters; i++)
        t->x.reading->select[i] = hw_rdpmc_select(t->x.reading->select[i]);
    if (t->run->bench.reads && reader == READER_RDPMC && !index_is_its_own(t))
        return run_refuse(t->run, RUN_PMU,
                          "Linux chooses the counters, so code cannot read them by itself (no_mem=1); "
                          "a machine that is booted lets it");
    if (t->run->bench.reads)
        execution_by_payload(&t->x);
    else if (!execution_bracket(&t->x, t->opt->serialize, reader, t->x.counters))
        return run_refuse(t->run, RUN_PMU, "no bracket reads %u counters this way", t->x.counters);
    if (t->run->regions && !arm_regions(t, reader)) return false;
    if (t->x.counters || t->run->counts_smis || watchdog_programmed()) pmu_start(t->cpu->pmu);
    return true;
}
