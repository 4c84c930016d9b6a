/* Where each processor sits: package, die, core, thread, and who shares its caches.
 *
 * It takes two steps. Each processor reads what its own CPUID says of its APIC ID (topology_read()). The boot
 * processor puts these together (topology_build()), and then answers questions: which processors a word means
 * (topology_select()), and which two are neighbours in a given way (topology_pair()).
 *
 * Nothing is guessed: a level or a sharing that no leaf tells is absent. Sources: SDM vol. 3A, 10.9
 * "Detecting Hardware Multi-Threading Support and Topology" (chapter 9.9 in editions since 2022); AMD APM
 * vol. 3, E.4.8 (80000008h), E.4.15 (8000001Dh), E.4.16 (8000001Eh), E.4.24 (80000026h).
 */
#pragma once
#include "kernel/cache.h"
#include "kernel/cpu_set.h"
#include "kernel/cpuid.h"
#include <stddef.h>

/* From small to large. Intel says module, tile, die and die group; AMD says complex (the cores of one L3) and
 * die, and of families 15h and 16h the compute unit, which is a module here. Only core and package are always
 * there. */
enum topology_level {
    LEVEL_CORE,
    LEVEL_MODULE,
    LEVEL_COMPLEX,
    LEVEL_TILE,
    LEVEL_DIE,
    LEVEL_DIE_GROUP,
    LEVEL_PACKAGE,
    TOPOLOGY_LEVELS
};
const char *topology_level_name(enum topology_level level, bool many); /* "die group", "die groups" */

/* What CPUID says of the kind of a core, on processors that have several. */
enum core_kind { CORE_KIND_UNKNOWN, CORE_KIND_P, CORE_KIND_E };
const char *core_kind_name(enum core_kind kind); /* "P", "E"; NULL with UNKNOWN */

/* The leaves that were used, as bits of topology_ids.leaves. */
enum topology_leaf {
    TOPOLOGY_LEAF_1F,
    TOPOLOGY_LEAF_26X,
    TOPOLOGY_LEAF_B,
    TOPOLOGY_LEAF_1EX,
    TOPOLOGY_LEAF_8X,
    TOPOLOGY_LEAF_4,
    TOPOLOGY_LEAF_1,
    TOPOLOGY_LEAF_1DX,
    TOPOLOGY_LEAF_1A,
    TOPOLOGY_LEAVES
};
const char *topology_leaf_name(enum topology_leaf leaf); /* "cpuid.1Fh" */

/* ---- what one processor says ---- */

#define TOPOLOGY_CACHES 6   /* first level twice, and up to the fifth */
#define SHIFT_UNKNOWN   255 /* the level, or who shares the cache, is not told */

struct topology_ids {
    uint32_t apic_id;               /* of its local APIC */
    uint32_t initial_id;            /* what CPUID says of that, to which the shifts apply */
    uint8_t shift[TOPOLOGY_LEVELS]; /* initial_id >> shift[level] is the unit that it belongs to */
    bool has_node;                  /* AMD's node: its die */
    uint32_t node;
    uint16_t leaves; /* bits of enum topology_leaf */
    enum core_kind kind;
    uint8_t caches; /* in order of level */
    struct topology_ids_cache {
        uint8_t level, kind; /* kind: enum cache_kind */
        uint8_t shift;       /* initial_id >> shift is the same for those that share it */
        uint32_t bytes;
    } cache[TOPOLOGY_CACHES];
};

/* Executed on the processor in question. id is its identity; apic_id that of its local APIC, or 0 where it
 * has none. */
void topology_read(const struct cpu_id *id, uint32_t apic_id, struct topology_ids *out);

/* ---- the machine ---- */

#define TOPOLOGY_CACHE_KINDS 16

/* Numbers of units, cores too, count in the order of APIC IDs over the whole machine: core 0 has the lowest,
 * and units of one package follow each other. */
struct topology {
    unsigned processors;
    uint16_t leaves; /* all that were used */
    bool ids_twice;  /* CPUID gave two processors one ID: those of the local APICs were used */
    uint16_t units[TOPOLOGY_LEVELS]; /* how many there are; 0: this level is not told */
    uint16_t threads;                /* the most of a core */
    uint16_t room;                   /* for so many threads APIC IDs have room in a core */
    uint16_t kinds[CORE_KIND_E + 1]; /* processors of each kind */
    unsigned cache_kinds; /* of cache[]: caches that differ in level, kind or size, level by level */
    struct topology_cache {
        uint8_t level, kind;
        uint32_t bytes;
        uint16_t number; /* how many there are; 0: who shares them is not told */
        uint16_t first;  /* their numbers count from here; no two caches of the machine have the same */
        uint16_t shared; /* the most processors that share one */
    } cache[TOPOLOGY_CACHE_KINDS];
    uint16_t order[PROCESSORS_MAX]; /* indices of processors, by APIC ID */
    struct topology_place {
        uint32_t apic_id;
        uint16_t unit[TOPOLOGY_LEVELS]; /* with units[level] */
        uint16_t thread;                /* in its core, from 0 */
        enum core_kind kind;
        uint8_t caches;
        struct {
            uint8_t kind;    /* index in topology.cache[] */
            uint16_t number; /* where topology.cache[].number is not 0 */
        } cache[TOPOLOGY_CACHES];
    } place[PROCESSORS_MAX];
};

/* ids[i] is processor i's; 1 <= n <= PROCESSORS_MAX. */
void topology_build(struct topology *t, const struct topology_ids *const *ids, unsigned n);

/* The level of the innermost data or unified cache that both use; 0: none is known. */
unsigned topology_shared_level(const struct topology *t, unsigned a, unsigned b);

/* ---- words ---- */

#define TOPOLOGY_SELECT_HELP "N, N-M, core:N, P, E, all, each; several with commas"

/* The processors that the text after cpu= means: numbers, ranges, core:N (all threads of that core), P and E,
 * all and each (both mean every processor), and lists of these. False: why says what is wrong and what is
 * valid ("5: this machine has 0-3"). A caller that wants to point at the faulty part takes the list apart
 * itself, since each part is valid alone. out is then empty. */
bool topology_select(const struct topology *t, const char *text, size_t len, struct cpu_set *out, char *why,
                     size_t size);

/* ---- neighbours, for pair= ---- */

enum topology_pair {
    PAIR_THREADS,  /* two threads of one core */
    PAIR_CACHE,    /* two cores that use one cache */
    PAIR_PACKAGES, /* two packages */
    TOPOLOGY_PAIRS
};

/* A partner for processor a: the nearest of its own kind, if there is one, else the first. With PAIR_CACHE
 * the nearest is one that shares the innermost cache, so of an E-core's cluster before the whole package.
 * False: there is none. */
bool topology_partner(const struct topology *t, enum topology_pair how, unsigned a, unsigned *b);

/* The first a that has a partner, and that. False: why says why there is none, such as "no core has two
 * threads here". */
bool topology_pair(const struct topology *t, enum topology_pair how, unsigned *a, unsigned *b, char *why,
                   size_t size);
