/* A set of processors, by their indices in machine.cpu[]. */
#pragma once
#include "kernel/madt.h"

struct cpu_set {
    uint32_t word[PROCESSORS_MAX / 32];
};

static inline bool cpu_set_has(const struct cpu_set *s, unsigned cpu)
{
    return cpu < PROCESSORS_MAX && s->word[cpu / 32] >> cpu % 32 & 1;
}
static inline void cpu_set_add(struct cpu_set *s, unsigned cpu) { s->word[cpu / 32] |= 1u << cpu % 32; }

/* The first of the set that is not below `from`; PROCESSORS_MAX: there is none. So all of them are
 *     for (unsigned i = cpu_set_next(&s, 0); i < PROCESSORS_MAX; i = cpu_set_next(&s, i + 1)) */
static inline unsigned cpu_set_next(const struct cpu_set *s, unsigned from)
{
    while (from < PROCESSORS_MAX && !cpu_set_has(s, from)) from++;
    return from;
}
static inline unsigned cpu_set_count(const struct cpu_set *s)
{
    unsigned n = 0;
    for (unsigned i = cpu_set_next(s, 0); i < PROCESSORS_MAX; i = cpu_set_next(s, i + 1)) n++;
    return n;
}
