#include "pmu/driver.h"
#include "kernel/hw.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool pmu_refuse(char *why, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, cap, format, args);
    va_end(args);
    return false;
}

void pmu_list_add(char *list, size_t cap, const char *name, const char *behind)
{
    if (!cap) return;
    const size_t len = strlen(list), room = cap - len;
    const char *comma = len ? ", " : "";
    if (len && list[len - 1] == '.') return;
    if ((size_t)snprintf(list + len, room, "%s%s%s", comma, name, behind) + sizeof ", ..." > room)
        snprintf(list + len, room, "%s...", comma);
}

bool pmu_write(uint32_t msr, uint64_t value, char *why, size_t cap)
{
    if (wrmsr_safe(msr, value)) return true;
    return pmu_refuse(why, cap, "MSR %Xh faults when %llXh is written to it", (unsigned)msr,
                      (unsigned long long)value);
}

bool pmu_write_kept(uint32_t msr, uint64_t value, uint64_t mask, char *why, size_t cap)
{
    uint64_t kept;
    if (!pmu_write(msr, value, why, cap)) return false;
    if (!rdmsr_safe(msr, &kept)) return pmu_refuse(why, cap, "MSR %Xh faults when it is read", (unsigned)msr);
    if (((kept ^ value) & mask) == 0) return true;
    return pmu_refuse(why, cap, "MSR %Xh does not keep the value written to it: %llXh became %llXh",
                      (unsigned)msr, (unsigned long long)value, (unsigned long long)kept);
}

bool pmu_code_same(const struct pmu_code *a, const struct pmu_code *b)
{
    /* the larger one of the union */
    return a->cascade == b->cascade && a->extra_msr == b->extra_msr && a->extra == b->extra &&
           memcmp(&a->netburst, &b->netburst, sizeof a->netburst) == 0;
}

struct msr_write pmu_preset(const struct pmu *pmu, unsigned counter, int64_t value)
{
    return msr_write(pmu->counter_msr[counter], (uint64_t)value & (UINT64_MAX >> (64 - pmu->preset_width)));
}

bool pmu_begin_at(struct pmu *pmu, unsigned counter, int64_t value, char *why, size_t cap)
{
    const struct msr_write w = pmu->ops->preset(pmu, counter, value);
    return pmu_write(w.msr, (uint64_t)w.high << 32 | w.low, why, cap);
}

static void switch_all(const struct pmu *pmu, bool on)
{
    struct msr_list list;
    list.n = 0;
    pmu->ops->switching(pmu, on, &list);
    for (const struct msr_write *w = list.at; w < list.at + list.n; w++)
        wrmsr_safe(w->msr, (uint64_t)w->high << 32 | w->low);
}

void pmu_start(const struct pmu *pmu) { switch_all(pmu, true); }
void pmu_stop(const struct pmu *pmu) { switch_all(pmu, false); }

bool pmu_has(const struct pmu *pmu, const struct pmu_event *e)
{
    return e->models == 0 || (e->models & pmu->models) != 0;
}

const struct pmu_event *pmu_event_next(const struct pmu *pmu, const struct pmu_event *after)
{
    if (!pmu->ops || !pmu->ops->n_events) return NULL;
    const struct pmu_event *end = pmu->ops->events + pmu->ops->n_events;
    for (const struct pmu_event *e = after ? after + 1 : pmu->ops->events; e < end; e++)
        if (pmu_has(pmu, e)) return e;
    return NULL;
}

const struct pmu_event *pmu_event_coded(const struct pmu *pmu, uint32_t code, const struct pmu_event *after)
{
    const struct pmu_event *end = pmu->ops->events + pmu->ops->n_events;
    for (const struct pmu_event *e = after ? after + 1 : pmu->ops->events; e < end; e++)
        if (e->code == code && pmu_has(pmu, e)) return e;
    return NULL;
}

const struct pmu_event *pmu_event_named(const struct pmu *pmu, const char *name)
{
    for (unsigned k = 0; k < pmu->ops->n_events; k++)
        if (pmu_has(pmu, &pmu->ops->events[k]) && strcmp(pmu->ops->events[k].name, name) == 0)
            return &pmu->ops->events[k];
    return NULL;
}

uint32_t pmu_event_counters(const struct pmu *pmu, const struct pmu_event *e)
{
    struct pmu_code code;
    char why[8];
    struct pmu_fields f = {
        .event = e->code, .umask = e->umask, .has_umask = true, .row = e, .counters = e->counters};
    if (e->counters) return e->counters;
    return pmu->ops->encode(pmu, &f, &code, why, sizeof why) ? code.counters : 0;
}

uint32_t pmu_umask_field(const struct pmu *pmu, const struct pmu_umask *u)
{
    uint32_t bits = 0;
    const struct pmu_umask *v = pmu->ops->umasks;
    for (unsigned i = 0; i < pmu->ops->n_umasks; i++, v++)
        if (v->set == u->set && v->field == u->field) bits |= v->value;
    return bits;
}
