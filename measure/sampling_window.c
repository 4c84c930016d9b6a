/* Separates the payload's samples from others. */
#include "kernel/module.h"
#include "measure/sampling_job.h"

/* The kernel's own, and those of the user's program that runs. */
static bool in_payloads(const struct job *j, uintptr_t ip)
{
    const struct machine *m = j->cpu->machine;
    const struct bench_image *user = &j->out->run.bench.image;
    const uintptr_t at = ip - (uintptr_t)user->at;
    if (user->at && at >= module_program(user->of)->text && at < module_program(user->of)->text_end)
        return true;
    return ip >= m->payloads && ip < m->payloads_end;
}

/* A sample by interrupt is inside if the handler read the TSC between the bracket's two readings, and if the
 * interrupted code is not the bracket before its CALL: an overflow reported there happened before the
 * payload, since interrupts come late and never early. After the CALL an interrupt may be a late one of the
 * payload. A precise sample has no time, but gives its instruction. */
static bool inside(const struct job *j, const struct sample *s)
{
    const struct bracket_code *code = &j->bracket_code;
    const uint64_t *tsc = j->x.reading->tsc;
    const uintptr_t ip = (uintptr_t)s->ip;
    if (s->valid & SAMPLE_PRECISE) return in_payloads(j, ip) && (ip < code->begin || ip >= code->end);
    return s->tsc >= tsc[0] && s->tsc < tsc[1] && (ip < code->begin || ip >= code->back);
}

/* Covers the samples since the last call; without PEBS the handler owns the buffer's end. */
static void judge(struct job *j)
{
    struct sampling *out = j->out;
    struct samples *s = &out->samples;
    const unsigned n = j->sampler.pebs ? s->n : (unsigned)(j->sampler.next - s->at);
    unsigned kept = j->judged;
    for (unsigned i = j->judged; i < n; i++) {
        const bool in = inside(j, &s->at[i]);
        in ? out->inside++ : out->outside++;
        if (!in && !j->opt->all) continue;
        if (!in) s->at[i].valid |= SAMPLE_OUTSIDE;
        if (kept != i) s->at[kept] = s->at[i];
        kept++;
    }
    j->judged = s->n = kept;
    j->sampler.next = s->at + kept;
}

/* Events until the next overflow when the payload is called again: drawn from the whole period. If the rest
 * of the last period were used, a payload whose events (with those of the harness around it) are a multiple
 * of the period would be sampled at one instruction for ever, or never. (The generator is the one of the
 * handler.) */
static uint32_t anywhere(struct job *j)
{
    j->random = j->random * 1664525 + 1013904223;
    const uint32_t left = 1 + (uint32_t)((uint64_t)j->random * j->out->period >> 32);
    return left == 1 && j->out->period > 1 ? 2 : left; /* which every facility accepts */
}

bool sampling_close(struct job *j)
{
    struct sampler *s = &j->sampler;
    const struct apic_pmi_entry none = {.at = &s->nowhere};
    struct pmu *pmu = j->cpu->pmu;
    struct sampling *out = j->out;
    sampler_close(s);
    if (j->event && !s->stopped) {
        /* If the counter stops before its interrupt, that may never come: NetBurst's comes with the next
         * event. */
        if (pmu->ops->overflowed(pmu, &none)) {
            out->unanswered++;
            s->due++;
        }
        pmu->ops->stop(pmu); /* overflowed() starts it */
    }
    if (s->pebs) pebs_drain(&j->pebs, &out->samples);
    judge(j);
    return !j->event || s->stopped || sampling_arm(j, anywhere(j));
}
