#include "measure/schedule.h"
#include <string.h>

static const struct event events[] = {{"tsc", false}};
#define N_EVENTS (sizeof events / sizeof events[0])

const struct event *event_at(unsigned i) { return i < N_EVENTS ? &events[i] : NULL; }

const struct event *event_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < N_EVENTS; i++)
        if (strlen(events[i].name) == len && memcmp(events[i].name, name, len) == 0) return &events[i];
    return NULL;
}

unsigned schedule_groups(const struct event *const *request, unsigned n, unsigned counters, struct group *out,
                         unsigned max)
{
    unsigned groups = 1, counting = 0; /* counting: counter events in the last group */
    if (max == 0) return 0;
    out[0].n = 0;
    if (counters > GROUP_EVENTS) counters = GROUP_EVENTS;
    for (unsigned i = 0; i < n; i++)
        if (!request[i]->needs_counter) out[0].event[out[0].n++] = request[i];
    for (unsigned i = 0; i < n; i++) {
        if (!request[i]->needs_counter) continue;
        if (counters == 0) return 0;
        if (counting == counters) {
            if (groups == max) return 0;
            out[groups++].n = counting = 0;
        }
        struct group *g = &out[groups - 1];
        g->event[g->n++] = request[i];
        counting++;
    }
    return groups;
}
