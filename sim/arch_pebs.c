/* PEBS: a counter that overflows is armed, and what makes the record, the preset, the threshold and its
 * interrupt.
 *
 * SDM vol. 3B (June 2016) 18.8.1.1: the transition from the maximum to zero arms; the next event triggers;
 * the record is written, and each counter that has overflowed and is enabled for PEBS is loaded from the DS
 * area. 18.9: "Upon successful bounds checks, the processor will store the data record in the defined buffer
 * area, clear the counter overflow status, and reload the counter. If the bounds checks fail, the PEBS will
 * be skipped entirely." */
#include "sim/arch.h"
#include "sim/pebs.h"

/* Counters 0 to 7 and the fixed ones have their presets in the DS area in the order of struct arch's. */
_Static_assert(ARCH_GENERAL == 8 && ARCH_PEBS_COUNTERS == ARCH_COUNTERS, "slots of the DS area");

/* One record for several counters: up to Broadwell each counter that has overflowed counts as recorded, and
 * software cannot tell which it was (SDM 18.13.1.1 of format 0010b); from format 3 on those whose event the
 * instruction made. */
#define FORMAT_RESOLVES 3

void arch_pebs_enables(struct sim *s)
{
    struct arch *p = s->state;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++)
        p->pebs.counter[n] = arch_counter_exists(p->traits, n) ? arch_pebs_counter(s, n)
                                                               : (struct arch_pebs_counter){PEBS_NEVER, 0};
    p->pebs.armed &= p->pebs.enable;
}

bool arch_pebs_count(struct sim *s, unsigned n, uint64_t k, struct arch_pebs_due *due)
{
    struct arch *p = s->state;
    struct sim_counter *c = &p->counter[n];
    const enum arch_pebs_when when = p->pebs.counter[n].when;
    const uint64_t bit = arch_pebs_bit(n), left = c->mask - c->value + 1;

    if (p->pebs.armed & bit) {
        if (s->current && c->cpls >> s->cpl & 1 && (k || when == PEBS_ANYTHING)) {
            due->counters |= bit;
            due->all[n] = k;
            due->behind[n] = when == PEBS_ANYTHING ? 0 : k - 1;
        } else {
            sim_counter_add(c, k);
        }
        return false;
    }
    if (k < left) {
        c->value += k;
        return false;
    }
    c->value = 0;
    p->pebs.armed |= bit;
    k -= left;
    if (s->current && (when == PEBS_SAME || (when == PEBS_NEXT && k))) {
        due->counters |= bit;
        due->all[n] = k;
        due->behind[n] = when == PEBS_SAME ? k : k - 1;
    } else {
        c->value = k;
    }
    return true;
}

/* Occurrences of the same instruction after its record, or without one. */
static bool count_on(struct arch *p, unsigned n, uint64_t k)
{
    if (!sim_counter_add(&p->counter[n], k)) return false;
    p->global_status |= p->counter[n].status;
    p->pebs.armed |= arch_pebs_bit(n);
    return p->counter[n].interrupt;
}

static void reload(struct arch *p, const struct pebs *area, unsigned n)
{
    uint64_t preset;
    p->global_status &= ~p->counter[n].status;
    p->pebs.armed &= ~arch_pebs_bit(n);
    if (sim_pebs_preset(area, n, &preset)) p->counter[n].value = preset & p->counter[n].mask;
}

bool arch_pebs_record(struct sim *s, const struct arch_pebs_due *due)
{
    struct arch *p = s->state;
    uint8_t record[ARCH_PEBS_MOST];
    const struct pebs area = {&s->host, p->pebs.ds_area, true};
    const unsigned bytes = arch_pebs_format(s, due->counters, record);
    const enum pebs_outcome o = sim_pebs_write(&area, record, bytes);
    const bool written = o == PEBS_WRITTEN || o == PEBS_THRESHOLD;
    uint64_t done = due->counters;
    bool pmi = o == PEBS_THRESHOLD;

    if (CAP_PEBS_FORMAT(p->traits) < FORMAT_RESOLVES) done |= p->pebs.armed;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        const uint64_t bit = arch_pebs_bit(n);
        if (written && done & bit) reload(p, &area, n);
        if (!(due->counters & bit)) continue;
        if (!written) p->pebs.armed &= ~bit;
        pmi |= count_on(p, n, written ? due->behind[n] : due->all[n]);
    }
    if (o == PEBS_THRESHOLD) p->global_status |= STATUS_BUFFER;
    return pmi;
}
