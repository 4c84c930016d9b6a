#include "measure/schedule.h"
#include "measure/match.h"
#include <string.h>

static struct search {
    const struct pmu *pmu;
    struct pmu_code code[EVENTS_MAX]; /* usable counters only; none: the event fits nowhere */
    unsigned n, order[EVENTS_MAX];    /* the others, the hardest to place first */
    struct group group[EVENTS_MAX];   /* so far */
    unsigned groups, limit;           /* fewer than limit groups are wanted */
    unsigned trials;                  /* left */
} s;

/* Uses the counters that each event allows by itself. This is exact if there are no other restrictions;
 * otherwise it is a lower bound of the number of groups.
 */
static unsigned by_matching(unsigned n, struct group *out)
{
    static uint32_t allowed[EVENTS_MAX];
    static struct match_slot slot[EVENTS_MAX];
    for (unsigned i = 0; i < n; i++) allowed[i] = s.code[i].counters;
    unsigned groups = match_events(allowed, n, s.pmu->usable, s.pmu->fixed, slot);
    for (unsigned g = 0; g < groups; g++) out[g].n = 0;
    for (unsigned i = 0; i < n; i++) {
        if (slot[i].group == MATCH_NONE) continue;
        struct group *g = &out[slot[i].group];
        g->event[g->n] = i;
        g->counter[g->n++] = slot[i].counter;
    }
    return groups;
}

/* ---- families that judge sets ---- */

/* Give the group's events counters. The driver always gets a set in the same order, so that it gives the same
 * answer each time. */
static bool allocate(struct group *g)
{
    const struct pmu_code *codes[PMU_COUNTERS];
    uint8_t counter[PMU_COUNTERS];
    for (unsigned i = 0; i < g->n; i++) codes[i] = &s.code[g->event[i]];
    if (!s.pmu->ops->allocate(s.pmu, codes, g->n, counter)) return false;
    for (unsigned i = 0; i < g->n; i++) {
        if (!(codes[i]->counters >> counter[i] & 1)) return false;
        g->counter[i] = counter[i];
    }
    return true;
}

static void take_out(struct group *g, unsigned event)
{
    unsigned n = 0;
    for (unsigned i = 0; i < g->n; i++)
        if (g->event[i] != event) g->event[n++] = g->event[i];
    g->n = n;
}

/* Add the event to the group, in the order of the request, if all of it still fits together. */
static bool put_in(struct group *g, unsigned event)
{
    unsigned at = g->n;
    if (at == PMU_COUNTERS) return false;
    for (; at > 0 && g->event[at - 1] > event; at--) g->event[at] = g->event[at - 1];
    g->event[at] = event;
    g->n++;
    if (allocate(g)) return true;
    take_out(g, event);
    return false;
}

/* Events from the k-th on into groups, fewer than limit. Depth first, earlier groups first, so that the first
 * descent is first fit. Of the empty groups only the first is tried, since they are alike. */
static bool place(unsigned k)
{
    unsigned groups = s.groups;
    if (k == s.n) return true;
    for (unsigned g = 0; g <= groups && g + 1 < s.limit; g++) {
        if (s.trials == 0) return false;
        s.trials--;
        if (!put_in(&s.group[g], s.order[k])) continue;
        if (g == groups) s.groups++;
        if (place(k + 1)) return true;
        take_out(&s.group[g], s.order[k]);
        s.groups = groups;
    }
    return false;
}

/* Finds the events that fit alone, and sorts them by the number of others with which they conflict. */
static void rank(unsigned n)
{
    unsigned conflicts[EVENTS_MAX];
    struct group g;
    s.n = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = s.n;
        g.n = 0;
        if (!put_in(&g, i)) {
            s.code[i].counters = 0;
            continue;
        }
        conflicts[i] = 0;
        for (unsigned j = 0; j < n; j++) {
            if (j == i) continue;
            if (put_in(&g, j))
                take_out(&g, j);
            else
                conflicts[i]++;
        }
        for (; k > 0 && conflicts[s.order[k - 1]] < conflicts[i]; k--) s.order[k] = s.order[k - 1];
        s.order[k] = i;
        s.n++;
    }
}

/* Groups with their counters into out[], ordered by their first events. */
static void deliver(unsigned n, struct group *out)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned g = 0; g < s.groups; g++)
            if (s.group[g].event[0] == i && allocate(&s.group[g])) *out++ = s.group[g];
}

/* Improves the best result by one group at a time, until this is proved impossible or the trials are used up.
 */
static unsigned by_search(unsigned n, unsigned least, struct group *out)
{
    unsigned best = 0;
    s.trials = SCHEDULE_TRIALS + EVENTS_MAX * EVENTS_MAX; /* the latter for first fit */
    s.limit = s.n + 1;
    do {
        memset(s.group, 0, sizeof s.group);
        s.groups = 0;
        if (!place(0)) break;
        best = s.groups;
        deliver(n, out);
        s.limit = best;
    } while (best > least);
    return best;
}

/* ---- presets and cascades ---- */

static bool begins_apart(const struct pmu_code *c) { return c->preset || c->cascade; }

/* The one event, or the cascade's two, that begin at i; s.code[] has their usable counters. */
static bool place_apart(const struct pmu_code *code, unsigned i, unsigned n, struct group *g)
{
    g->n = 0;
    for (unsigned k = i; k <= i + (code[i].cascade == CASCADE_STARTER) && k < n; k++) {
        s.code[k] = code[k];
        s.code[k].counters &= s.pmu->usable;
        if (!s.code[k].counters) return false;
        g->counter[g->n] = (unsigned)__builtin_ctz(s.code[k].counters);
        g->event[g->n++] = k;
    }
    return !s.pmu->ops->allocate || allocate(g);
}

/* ---- public ---- */

unsigned schedule_groups(const struct pmu *pmu, const struct pmu_code *code, unsigned n, struct group *out)
{
    if (n > EVENTS_MAX) n = EVENTS_MAX;
    s.pmu = pmu;
    for (unsigned i = 0; i < n; i++) {
        s.code[i] = code[i];
        s.code[i].counters &= begins_apart(&code[i]) ? 0 : pmu->usable;
    }
    if (pmu->ops && pmu->ops->allocate) rank(n);
    unsigned groups = by_matching(n, out);
    if (pmu->ops && pmu->ops->allocate) groups = by_search(n, groups, out);
    for (unsigned i = 0; i < n; i++)
        if (begins_apart(&code[i]) && code[i].cascade != CASCADE_TARGET)
            groups += place_apart(code, i, n, &out[groups]);
    return groups;
}

unsigned schedule_split(const struct group *group, unsigned groups, unsigned most, struct group *out)
{
    unsigned n = 0;
    for (unsigned g = 0; g < groups; g++)
        for (unsigned i = 0; i < group[g].n; i++) {
            if (i % most == 0) out[n++].n = 0;
            struct group *to = &out[n - 1];
            to->event[to->n] = group[g].event[i];
            to->counter[to->n++] = group[g].counter[i];
        }
    return n;
}
