#include "measure/sampled.h"
#include "kernel/model.h"
#include "measure/cause.h"
#include "pmu/lbr.h"

/* The time is that of the payload, without interrupts outside of it; late interrupts are in neither. */
static void cost(const struct sampling *s, struct sampled *out)
{
    const bool pebs = s->by == SAMPLE_BY_PEBS;
    /* Of events that are sampled at once an overflow costs the same, whose ever it is. */
    const uint64_t came = s->at_once ? s->all_came : sampling_came(s);
    const double in_time = pebs ? s->interrupts : (double)(came + s->dropped);
    const double counted = pebs         ? s->interrupts
                           : s->at_once ? (double)s->all_counted
                                        : (double)(s->interrupts - s->late);
    out->cost_known = came && s->interrupts && !s->storm;
    out->counted = out->cost_known && s->counted;
    if (!out->cost_known) return;
    out->handler_tsc = ((double)s->tsc[1] - (double)s->tsc[0]) / in_time;
    out->handler_share = sampling_share(s);
    if (out->counted)
        out->handler_instructions = ((double)s->instructions[1] - (double)s->instructions[0]) / counted;
}

static struct payload_code payload_code(const struct plan_item *item, const struct code *code)
{
    const uint64_t address = code->image.entry ? (uintptr_t)code->image.entry
                                               : (uintptr_t)bench_program(item->bench, item->variant).payload;
    const uint32_t size = profile_payload_bytes(code, address);
    return (struct payload_code){.address = address,
                                 .bytes = size ? code->bytes + (address - code->base) : NULL,
                                 .size = size,
                                 .long_mode = code->long_mode};
}

/* A model without TLBs records that each page was in them. True: this is one; the samples forget it. */
static bool forget_translations(const struct sampling *s)
{
    if (!(model_lacks_parts() & MODEL_NO_TLBS)) return false;
    for (unsigned i = 0; i < s->samples.n; i++) s->samples.at[i].valid &= ~(uint32_t)SAMPLE_TLB;
    return true;
}

/* Accesses by level. */
static bool by_level(const struct sampling *s, const struct profile_filter *all, struct arena *arena,
                     struct sampled *out)
{
    const bool without_tlbs = forget_translations(s);
    struct memory_profile *m = &out->memory;
    if (!memory_profile(&s->samples, all, arena, m)) return false;
    m->no_tlbs = without_tlbs;
    out->by_level = m->all.latency.n || m->all.cache.n || m->level[LEVEL_UNKNOWN].samples < m->all.samples ||
                    m->tlb[TLB_UNKNOWN].samples < m->all.samples;
    return true;
}

/* Accesses by data address, as recorded or computed from the registers of precise samples. Ops that are no
 * accesses are sampled by IBS as well, and have no registers. */
static bool by_data(const struct sampling *s, const struct cpu *cpu, const struct code *code,
                    const struct profile_filter *all, struct arena *arena, struct sampled *out)
{
    static const struct code none;
    const bool ibs = s->by == SAMPLE_BY_IBS,
               known = out->by_level && out->memory.level[LEVEL_UNKNOWN].samples < out->memory.all.samples;
    const struct profile_filter accesses = {.counter = all->counter, .accesses = ibs};
    const unsigned how = cpu->pmu->pebs_before ? DECODE_BEFORE : 0;
    if (!profile_by_data(&s->samples, &accesses, ibs ? &none : code, how, arena, &out->data)) return false;
    out->by_data = true;
    out->deduced = !ibs || known; /* IBS samples hits as well, and its period is not one of misses */
    if (out->deduced)
        deduce(&out->data, cache_data(&cpu->caches, 1), s->jitter || ibs ? 0 : s->period, arena,
               &out->deduction);
    if (ibs && !out->deduction.addresses) out->deduced = false;
    return true;
}

/* By instruction; with the deduction about L1 from data addresses. */
bool sampled_reduce(const struct sampling *s, const struct cpu *cpu, const struct code *code, unsigned conf,
                    struct arena *arena, struct sampled *out)
{
    const struct profile_filter all = {.counter = s->at_once ? (int)s->counter : -1};
    const uint64_t target = (uintptr_t)s->run.item->bench->target;
    *out = (struct sampled){.by_ip = false};
    out->code = payload_code(s->run.item, code);
    cost(s, out);
    out->few = s->hoped && !s->storm && 2 * sampling_came(s) < s->wanted;
    out->heavy = !s->storm && sampling_heavy(s);
    const struct cause_code in = {.code = code,
                                  .payload = out->code.address,
                                  .bytes = out->code.size,
                                  .every_branch =
                                      (s->branches & LBR_ANY) == LBR_ANY && !(s->branches & LBR_CALL_STACK)};
    if (!cause_find(&s->samples, &in, arena)) return false;
    if (!profile_by_ip(&s->samples, &all, arena, &out->ip)) return false;
    profile_rank(&out->ip);
    out->by_ip = profile_places(&out->ip, code, target, arena);
    if (!out->by_ip) return false;
    const bool ops = s->by == SAMPLE_BY_PEBS || s->by == SAMPLE_BY_IBS;
    if ((ops || s->by == SAMPLE_BY_IBS_FETCH) && !by_level(s, &all, arena, out)) return false;
    if (ops && !by_data(s, cpu, code, &all, arena, out)) return false;
    if (s->branches) {
        if (!branches_reduce(&s->samples, &all, code, s->branches, s->branches_deep, s->branches_fused, arena,
                             &out->branches))
            return false;
        out->by_branch = true;
    }
    experiment_figures(s, &out->ip, out->by_data ? &out->data : NULL, &out->deduction,
                       out->by_level ? &out->memory : NULL, conf, &out->figures);
    return true;
}
