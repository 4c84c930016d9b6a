/* Which two processors are neighbours. */
#include "kernel/topology.h"
#include <stdio.h>

/* Is b what a is to be paired with? *nearer: of two such, that with the smaller number is nearer. */
static bool suits(const struct topology *t, enum topology_pair how, unsigned a, unsigned b, unsigned *nearer)
{
    const struct topology_place *p = &t->place[a], *q = &t->place[b];
    const bool one_core = p->unit[LEVEL_CORE] == q->unit[LEVEL_CORE];
    *nearer = 0;
    switch (how) {
    case PAIR_THREADS:
        return one_core;
    case PAIR_CACHE:
        *nearer = topology_shared_level(t, a, b);
        return !one_core && *nearer;
    case PAIR_PACKAGES:
        return p->unit[LEVEL_PACKAGE] != q->unit[LEVEL_PACKAGE];
    case TOPOLOGY_PAIRS:
        break;
    }
    return false;
}

bool topology_partner(const struct topology *t, enum topology_pair how, unsigned a, unsigned *b)
{
    enum { OTHER_KIND = 256 }; /* counts for more than any level of cache */
    unsigned best = 2 * OTHER_KIND;
    for (unsigned i = 0; i < t->processors; i++) {
        unsigned distance;
        if (i == a || !suits(t, how, a, i, &distance)) continue;
        if (t->place[i].kind != t->place[a].kind) distance += OTHER_KIND;
        if (distance >= best) continue;
        best = distance;
        *b = i;
    }
    return best < 2 * OTHER_KIND;
}

/* Does any processor say who shares a cache? */
static bool sharing_known(const struct topology *t)
{
    for (unsigned i = 0; i < t->cache_kinds; i++)
        if (t->cache[i].number) return true;
    return false;
}

static void why_not(const struct topology *t, enum topology_pair how, char *why, size_t size)
{
    if (t->processors == 1)
        snprintf(why, size, "one processor is up, and a pair needs two");
    else if (how == PAIR_PACKAGES)
        snprintf(why, size, "all %u processors are in one package", t->processors);
    else if (how == PAIR_CACHE)
        snprintf(why, size,
                 sharing_known(t) ? "no two cores share a cache here"
                                  : "these processors do not say who shares their caches");
    else if (t->room > 1)
        snprintf(why, size,
                 "no core has two threads here, though each has room for %u: Hyper-Threading may be off "
                 "in the firmware",
                 t->room);
    else
        snprintf(why, size, "no core has two threads here");
}

bool topology_pair(const struct topology *t, enum topology_pair how, unsigned *a, unsigned *b, char *why,
                   size_t size)
{
    for (*a = 0; *a < t->processors; ++*a)
        if (topology_partner(t, how, *a, b)) return true;
    why_not(t, how, why, size);
    return false;
}
