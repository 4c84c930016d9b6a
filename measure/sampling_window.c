/* Separates the payload's samples from others. */
#include "kernel/module.h"
#include "kernel/user.h"
#include "measure/sampling_job.h"
#include <string.h>

/* The kernel's own, and those of the user's program that runs. */
static bool in_payloads(const struct job *j, uintptr_t ip)
{
    const struct machine *m = j->cpu->machine;
    const struct bench_image *user = &j->out->run.bench.image;
    const uintptr_t at = ip - (uintptr_t)user->at;
    if (user->at && at >= module_program(user->of)->text && at < module_program(user->of)->text_end)
        return true;
    return ip >= m->payloads && ip < m->payloads_end && ip != (uintptr_t)user_done;
}

/* A sample by interrupt is inside if the handler read the TSC between the bracket's two readings, and if the
 * interrupted code is not the bracket before its CALL: an overflow reported there happened before the
 * payload, since interrupts come late and never early. After the CALL an interrupt may be a late one of the
 * payload. A record of PEBS gives its instruction, or the next one: that of the payload's RET is the
 * bracket's after the CALL. */
static bool inside(const struct job *j, const struct sample *s)
{
    const struct bracket_code *code = &j->bracket_code;
    const uint64_t *tsc = j->x.reading->tsc;
    const uintptr_t ip = (uintptr_t)s->ip;
    if (s->valid & SAMPLE_NEXT && ip == code->back) return true;
    if (is_pebs(j) || s->valid & SAMPLE_PRECISE)
        return in_payloads(j, ip) && (ip < code->begin || ip >= code->end);
    return s->tsc >= tsc[0] && s->tsc < tsc[1] && (ip < code->begin || ip >= code->back);
}

/* One of IBS whose registers hold no sample after all is dropped: counted where the payload ran then, else it
 * is outside like others. */
static bool is_none(struct job *j, struct sample *s)
{
    const uint64_t *tsc = j->x.reading->tsc;
    if (!is_ibs(j)) return false;
    if (ibs_decode(&j->ibs, s)) return false;
    s->tsc >= tsc[0] && s->tsc < tsc[1] ? j->out->dropped++ : j->out->outside++;
    return true;
}

static struct sampling_event *event_on(const struct sampling *out, unsigned counter)
{
    struct sampling_event *e = out->each;
    while (e->counter != counter) e++;
    return e;
}

/* A sample with what belongs to it. */
static void move(struct samples *s, unsigned to, unsigned from)
{
    s->at[to] = s->at[from];
    if (s->xmm) memcpy(s->xmm[to], s->xmm[from], sizeof *s->xmm);
    if (s->counts) memcpy(s->counts[to], s->counts[from], sizeof *s->counts);
    if (s->branch)
        memcpy(s->branch + (size_t)to * BRANCHES_MOST, s->branch + (size_t)from * BRANCHES_MOST,
               BRANCHES_MOST * sizeof *s->branch);
}

/* Which ends of a branch are the payload's? */
static uint8_t ends(const struct job *j, const struct branch *b)
{
    const struct bracket_code *code = &j->bracket_code;
    const uintptr_t from = (uintptr_t)b->from, to = (uintptr_t)b->to;
    const bool from_bracket = from >= code->begin && from < code->end;
    const bool to_bracket = to >= code->begin && to < code->end;
    return (uint8_t)((from_bracket           ? BRANCH_FROM_BRACKET
                      : in_payloads(j, from) ? BRANCH_FROM_PAYLOAD
                                             : 0) |
                     (to_bracket           ? BRANCH_TO_BRACKET
                      : in_payloads(j, to) ? BRANCH_TO_PAYLOAD
                                           : 0));
}

/* What the handler only read is decoded now. */
static void decode_branches(const struct job *j, unsigned i)
{
    struct sample *of = &j->out->samples.at[i];
    struct branch *b = j->out->samples.branch + (size_t)i * BRANCHES_MOST;
    if (of->branches & LBR_RAW)
        of->branches = (uint8_t)lbr_decode(&j->lbr, b, of->branches);
    else if (of->branches & PEBS_RAW)
        of->branches = (uint8_t)pebs_decode_branches(&j->pebs, b, of->branches);
    for (unsigned k = 0; k < of->branches; k++) {
        b[k].known |= ends(j, &b[k]);
        if (j->lbr.predicts) continue; /* the model does not, but the records of PEBS say so */
        b[k].known &= (uint8_t)~BRANCH_PREDICTION;
        b[k].mispredicted = false;
    }
}

/* Covers the samples since the last call; without PEBS the handler owns the buffer's end. */
static void judge(struct job *j)
{
    struct sampling *out = j->out;
    struct samples *s = &out->samples;
    const unsigned n = j->sampler.pebs ? s->n : (unsigned)(j->sampler.next - s->at);
    unsigned kept = j->judged;
    for (unsigned i = j->judged; i < n; i++) {
        if (is_none(j, &s->at[i])) continue;
        const bool in = inside(j, &s->at[i]);
        in ? out->inside++ : out->outside++;
        if (out->at_once) {
            struct sampling_event *e = event_on(out, s->at[i].counter);
            in ? e->inside++ : e->outside++;
        }
        if (!in && !j->opt->all) continue;
        if (!in) s->at[i].valid |= SAMPLE_OUTSIDE;
        if (kept != i) move(s, kept, i);
        if (s->at[kept].valid & SAMPLE_BRANCHES) decode_branches(j, kept);
        kept++;
    }
    j->judged = s->n = kept;
    j->sampler.next = s->at + kept;
}

bool sampling_close(struct job *j)
{
    struct sampler *s = &j->sampler;
    const struct apic_pmi_entry none = {.at = &s->nowhere};
    struct pmu *pmu = j->cpu->pmu;
    struct sampling *out = j->out;
    sampler_close(s);
    if (j->event && !is_ibs(j) && !s->stopped) {
        /* If the counter stops before its interrupt, that may never come: NetBurst's comes with the next
         * event. */
        const uint32_t which = pmu->ops->overflowed(pmu, &none);
        s->due += which != 0;
        if (!out->at_once) out->unanswered += which != 0;
        for (uint32_t left = out->at_once ? which : 0; left; left &= left - 1) {
            event_on(out, (unsigned)__builtin_ctz(left))->unanswered++;
            out->unanswered++;
        }
        pmu_stop(pmu); /* overflowed() starts it */
    }
    if (s->pebs) pebs_drain(&j->pebs, &out->samples);
    judge(j);
    return !j->event || s->stopped || sampling_arm(j, true);
}
