/* What the drawing of the topology is made from: the records `topology` and `place` of a session. Private to
 * report/text_topology.c and report/text_places.c. */
#pragma once
#include "kernel/topology.h"
#include "report/text.h"

#define UNTOLD 0xffffu /* the level is not told, or the cache is not there */

/* One processor, in numbers of the whole machine. */
struct shown_place {
    uint32_t apic_id;
    uint16_t cpu, thread;
    uint16_t unit[TOPOLOGY_LEVELS];
    uint16_t cache[TOPOLOGY_CACHE_KINDS]; /* its cache of each kind */
    char kind;                            /* 'P', 'E'; ' ' where that is not said */
};

struct shown_cache {
    unsigned level;     /* 1 to 9 */
    const char *suffix; /* "d", "i", "" */
    double bytes;
    double number, first;
};

struct shown {
    bool open;
    unsigned expected, places; /* as `topology` says; so many came */
    unsigned caches;
    struct shown_cache cache[TOPOLOGY_CACHE_KINDS];
    struct shown_place place[PROCESSORS_MAX]; /* when drawn: in order of package, core, thread */
};

/* Which processors and APIC IDs each core has, or each larger unit where there are many cores. */
void text_places(const struct shown *s, text_put put);
