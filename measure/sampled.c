#include "measure/sampled.h"

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

/* By instruction; precise samples also by data address, with the deduction about L1. */
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
    if (!profile_by_ip(&s->samples, &all, arena, &out->ip)) return false;
    profile_rank(&out->ip);
    out->by_ip = profile_places(&out->ip, code, target, arena);
    if (!out->by_ip) return false;
    if (s->by == SAMPLE_BY_PEBS) {
        const unsigned how = cpu->pmu->pebs_before ? DECODE_BEFORE : 0;
        if (!profile_by_data(&s->samples, &all, code, how, arena, &out->data)) return false;
        deduce(&out->data, cache_data(&cpu->caches, 1), s->jitter ? 0 : s->period, arena, &out->deduction);
        out->by_data = out->deduced = true;
    }
    if (s->by == SAMPLE_BY_IBS) {
        const struct profile_filter located = {.counter = -1, .valid = SAMPLE_DATA};
        /* The processor says the addresses. The deduction is about misses, and these are hits as well. */
        if (!profile_by_data(&s->samples, &located, code, 0, arena, &out->data)) return false;
        out->by_data = true;
    }
    if (s->branches) {
        if (!branches_reduce(&s->samples, &all, code, s->branches, s->branches_deep, s->branches_fused, arena,
                             &out->branches))
            return false;
        out->by_branch = true;
    }
    experiment_figures(s, &out->ip, out->deduced ? &out->data : NULL, &out->deduction, conf, &out->figures);
    return true;
}
