#include "kernel/linux_timer.h"
#include "kernel/model.h"
#include "measure/sampling_job.h"

bool sampling_refuse(struct job *j, const char *why) { return run_refuse(&j->out->run, RUN_PMU, "%s", why); }

bool sampling_program(struct job *j)
{
    struct sampling *out = j->out;
    if (j->cpu->pmu->ops->program(j->cpu->pmu, j->code, out->run.bench.error, sizeof out->run.bench.error))
        return true;
    out->run.status = RUN_PMU;
    return false;
}

bool sampling_branches(struct job *j)
{
    struct sampling *out = j->out;
    char *why = out->run.bench.error;
    const size_t cap = sizeof out->run.bench.error;
    out->branches = j->opt->branches;
    if (!out->branches && pebs_has_branches(j)) out->branches = LBR_ANY;
    if (!out->branches) return true;
    if (is_ibs(j)) return sampling_refuse(j, "branches= does not go with IBS; use sample=pmi or timer");
    if (!lbr_probe(&j->cpu->id, j->cpu->pmu, &j->lbr, why, cap) ||
        !lbr_choose(&j->lbr, j->opt->ring, &out->branches, why, cap)) {
        out->run.status = RUN_PMU;
        return false;
    }
    if (j->lbr.of_core) j->lbr.shared = j->lbr_filter;
    out->unpredicted =
        j->lbr.predicts && j->cpu->machine->modelled && (model_lacks_parts() & MODEL_NO_PREDICTOR);
    if (out->unpredicted) j->lbr.predicts = false;
    out->branches_deep = j->lbr.depth;
    out->branches_known = (j->lbr.predicts ? BRANCH_PREDICTION : 0) | (j->lbr.cycles ? BRANCH_CYCLES : 0);
    out->branches_fused = j->lbr.fused;
    out->samples.branch =
        run_alloc(&out->run, j->arena, out->samples.cap * BRANCHES_MOST * sizeof(struct branch), 64,
                  "the branches of so many samples");
    return out->samples.branch;
}

bool sampling_facility(struct job *j)
{
    const struct pmu *pmu = j->cpu->pmu;
    if (!j->event) {
        static const char *const unit[] = {"apic-clocks", "pit-clocks", "rtc-clocks", "ns"};
        const bool apic = j->cpu->apic.mode >= APIC_XAPIC;
        const enum sampling_timer present = linux_timer_exists ? TIMER_LINUX : apic ? TIMER_APIC : TIMER_PIT;
        j->timer = j->opt->timer ? j->opt->timer : present;
        j->out->unit = unit[j->timer - TIMER_APIC];
        if (j->timer == TIMER_LINUX)
            return linux_timer_exists || sampling_refuse(j, "timer=linux needs a Linux process");
        if (j->timer != TIMER_APIC && j->cpu->index)
            return sampling_refuse(j,
                                   "the 8254 and the RTC interrupt the boot processor only; use timer=apic");
        return j->timer != TIMER_APIC || apic ||
               sampling_refuse(j, "no local APIC works here; use timer=pit or timer=rtc");
    }
    if (is_ibs(j)) return sampling_ibs(j);
    j->out->unit = "events";
    if (!j->opt->n_events)
        return sampling_refuse(
            j, pmu->usable ? "this CPU lacks the events that this benchmark samples; give sample= and events="
                           : "this CPU has no working counter; use sample=timer");
    for (unsigned e = 0; e < events_of(j); e++) {
        const struct pmu_code *code = j->event + e;
        if (code->preset || code->cascade)
            return sampling_refuse(j, "sampling presets its counters itself: leave init= and cascades out");
        char *why = j->out->run.bench.error;
        const size_t cap = sizeof j->out->run.bench.error;
        if (pmu_event_never(code, j->opt->ring, why, cap) ||
            (!is_pebs(j) && pmu_event_by_pebs(code, why, cap))) {
            j->out->run.status = RUN_PMU;
            return false;
        }
    }
    if (!pmu->ops || !pmu->ops->arm)
        return sampling_refuse(j, "these counters have no interrupt; use sample=timer");
    if (j->opt->sample == SAMPLE_BY_NMI)
        return pmu->pin_nmi ||
               sampling_refuse(
                   j, "sample=nmi is for CPUs that signal overflow only on a pin; use sample=pmi pmi=nmi");
    if (pmu->pin_nmi)
        return sampling_refuse(
            j, "this CPU has no performance interrupt; use sample=nmi on a board that wires PM0 to NMI");
    if (!apic_has_pmi(&j->cpu->apic))
        return sampling_refuse(j, j->cpu->apic.firmware_off
                                      ? "the firmware disabled the local APIC; use apic=on, or sample=timer"
                                      : "there is no local APIC with a performance entry; use sample=timer");
    if (is_pebs(j) && (!pmu->ops->pebs_arm || !pmu->pebs))
        return sampling_refuse(j, pmu->ibs ? "this CPU has no PEBS; use sample=ibs, or sample=pmi"
                                           : "this CPU has no PEBS; use sample=pmi");
    return true;
}

/* The buffer of the plan, and room for XMM registers and counts. That for branches: sampling_branches(). */
static bool pebs_memory(struct job *j)
{
    struct sampling *out = j->out;
    struct samples *s = &out->samples;
    struct run *run = &out->run;
    const unsigned depth = pebs_depth(&j->pebs, j->depth);
    if (depth < j->depth && j->opt->pebs_depth)
        return run_refuse(run, RUN_PMU, "buffer= takes 1 to %u here: this CPU's buffer may not cross a page",
                          depth);
    j->depth = depth;
    if (!(j->ds = run_alloc(run, j->arena, pebs_bytes(&j->pebs, depth), 4096, "the buffer of PEBS")))
        return false;
    if (j->pebs.valid & SAMPLE_XMM)
        s->xmm = run_alloc(run, j->arena, s->cap * sizeof *s->xmm, 64, "the samples' XMM registers");
    if (j->pebs.valid & (SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES))
        s->counts = run_alloc(run, j->arena, s->cap * sizeof *s->counts, 64, "the samples' counts");
    return run->status == RUN_OK;
}

static bool pebs_works(struct job *j, unsigned c)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    char *why = out->run.bench.error;
    const size_t cap = sizeof out->run.bench.error;
    if (!pmu->ops->pebs_plan(pmu, c, j->event, &j->opt->pebs, &j->pebs, why, cap)) return false;
    if (j->cpu->machine->modelled && model_lacks_parts() & MODEL_NO_TLBS)
        j->pebs.valid &= ~(uint32_t)SAMPLE_TLB;
    if (!j->ds) {
        out->run.status = RUN_OK;
        if (!pebs_memory(j)) return false;
        out->run.status = RUN_PMU;
    }
    pebs_init(&j->pebs, j->ds, j->depth, j->pebs.least);
    return sampling_program(j) && pmu->ops->arm(pmu, c, j->pebs.least, why, cap) &&
           pmu->ops->pebs_arm(pmu, c, j->event, &j->pebs, why, cap);
}

/* Only a few counters support PEBS, and the driver knows which: take the first that it arms. */
static bool pebs_counter(struct job *j, uint32_t fits)
{
    struct sampling *out = j->out;
    out->counted = false;
    out->run.status = RUN_PMU;
    for (unsigned c = 0; c < PMU_COUNTERS && out->run.status == RUN_PMU; c++) {
        if (!(fits >> c & 1)) continue;
        j->code[c] = j->event;
        out->counter = c;
        if (pebs_works(j, c)) {
            j->cpu->pmu->ops->pebs_stop(j->cpu->pmu);
            out->run.status = RUN_OK;
            return true;
        }
        j->code[c] = NULL;
    }
    return false;
}

bool sampling_counters(struct job *j)
{
    const struct pmu *pmu = j->cpu->pmu;
    struct sampling *out = j->out;
    const struct pmu_code *both[2] = {j->event, &j->kernel};
    static const char kernel[] = "instructions:k";
    char why[160], near[8];
    uint8_t counter[2];
    uint32_t fits = j->event->counters & pmu->usable & (pmu->pin_nmi ? 1u : ~0u);
    out->counted =
        pmu_event_parse(pmu, kernel, sizeof kernel - 1, &j->kernel, why, sizeof why, near, sizeof near);
    if (!fits)
        return sampling_refuse(j, pmu->pin_nmi
                                      ? "only PM0 can be wired to NMI, and counter 0 cannot count this event"
                                      : "no usable counter can count this event");
    if (pmu->ops->allocate && !is_pebs(j)) {
        if (!(out->counted = out->counted && pmu->ops->allocate(pmu, both, 2, counter)) &&
            !pmu->ops->allocate(pmu, both, 1, counter))
            return sampling_refuse(j, "no usable counter can count this event");
    } else {
        if (is_pebs(j) && !pebs_counter(j, fits)) return false;
        if (is_pebs(j)) return true;
        /* Prefer a counter for the event that leaves one for instructions. */
        counter[0] = (uint8_t)__builtin_ctz(fits);
        if (fits & ~j->kernel.counters) counter[0] = (uint8_t)__builtin_ctz(fits & ~j->kernel.counters);
        uint32_t rest = j->kernel.counters & pmu->usable & ~(1u << counter[0]);
        out->counted = out->counted && rest;
        if (out->counted) counter[1] = (uint8_t)__builtin_ctz(rest);
    }
    out->counter = counter[0];
    j->code[counter[0]] = j->event;
    j->kernel_counter = counter[1];
    if (out->counted) j->code[counter[1]] = &j->kernel;
    return sampling_program(j);
}
