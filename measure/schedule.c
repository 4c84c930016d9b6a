#include "measure/schedule.h"
#include "measure/match.h"

unsigned schedule_groups(const struct pmu_code *code, unsigned n, uint32_t usable, struct group *out)
{
    static uint32_t allowed[EVENTS_MAX];
    static struct match_slot slot[EVENTS_MAX];
    if (n > EVENTS_MAX) n = EVENTS_MAX;
    for (unsigned i = 0; i < n; i++) allowed[i] = code[i].counters;
    unsigned groups = match_events(allowed, n, usable, slot);
    for (unsigned g = 0; g < groups; g++) out[g].n = 0;
    for (unsigned i = 0; i < n; i++) {
        if (slot[i].group == MATCH_NONE) continue;
        struct group *g = &out[slot[i].group];
        g->event[g->n] = i;
        g->counter[g->n++] = slot[i].counter;
    }
    return groups;
}
