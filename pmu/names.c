/* Lookup of other names of events: see pmu/names.h. */
#include "pmu/names.h"
#include "pmu/driver.h"
#include <string.h>

/* ---- perf's words ---- */

static const char *const word_names[PMU_WORDS] = {"cycles",
                                                  "instructions",
                                                  "branches",
                                                  "cache-misses",
                                                  "cache-references",
                                                  "branch-misses",
                                                  "ref-cycles",
                                                  "bus-cycles",
                                                  "L1-dcache-loads",
                                                  "L1-dcache-load-misses",
                                                  "L1-dcache-stores",
                                                  "L1-dcache-store-misses",
                                                  "L1-dcache-prefetches",
                                                  "L1-dcache-prefetch-misses",
                                                  "L1-icache-loads",
                                                  "L1-icache-load-misses",
                                                  "L1-icache-prefetches",
                                                  "L1-icache-prefetch-misses",
                                                  "LLC-loads",
                                                  "LLC-load-misses",
                                                  "LLC-stores",
                                                  "LLC-store-misses",
                                                  "LLC-prefetches",
                                                  "LLC-prefetch-misses",
                                                  "dTLB-loads",
                                                  "dTLB-load-misses",
                                                  "dTLB-stores",
                                                  "dTLB-store-misses",
                                                  "dTLB-prefetches",
                                                  "dTLB-prefetch-misses",
                                                  "iTLB-loads",
                                                  "iTLB-load-misses",
                                                  "branch-loads",
                                                  "branch-load-misses",
                                                  "node-loads",
                                                  "node-load-misses",
                                                  "node-stores",
                                                  "node-store-misses",
                                                  "node-prefetches",
                                                  "node-prefetch-misses"};

/* Is this event a row of the family's table that this model lacks? */
static bool lacks(const struct pmu *pmu, const char *event)
{
    bool known = false;
    for (const struct pmu_event *e = pmu->ops->events; e < pmu->ops->events + pmu->ops->n_events; e++) {
        if (strcmp(e->name, event) != 0) continue;
        if (pmu_has(pmu, e)) return false;
        known = true;
    }
    return known;
}

const struct pmu_word *pmu_word_at(const struct pmu *pmu, unsigned i)
{
    static struct pmu_word out;
    if (i >= PMU_WORDS) return NULL;
    out = (struct pmu_word){word_names[i], NULL, 0};
    const struct pmu_words *words = pmu->words;
    const char *event = words ? words->event[i] : NULL;
    if (!event || lacks(pmu, event)) return &out;
    out.event = event;
    if (words->second.event && strcmp(words->second.event, event) == 0) out.msr = words->second.msr;
    return &out;
}

const struct pmu_word *pmu_word_named(const struct pmu *pmu, const char *name, size_t len)
{
    for (unsigned i = 0; i < PMU_WORDS; i++) {
        const char *word = word_names[i];
        size_t n = 0;
        while (n < len && word[n] && pmu_lower(word[n]) == pmu_lower(name[n])) n++;
        if (n == len && !word[n]) return pmu_word_at(pmu, i);
    }
    return NULL;
}

/* ---- other spellings ---- */

static const struct pmu_alias of_all[] = {
    ALIAS(0, "cpu-cycles", "cycles"), /* perf's */
    ALIAS(0, "branch-instructions", "branches"),
};
#define OF_ALL (sizeof of_all / sizeof *of_all)

/* The i-th, those of all families first; NULL after the last. */
static const struct pmu_alias *alias_at(const struct pmu *pmu, unsigned i)
{
    if (i < OF_ALL) return &of_all[i];
    return pmu->ops && i - OF_ALL < pmu->ops->n_aliases ? &pmu->ops->aliases[i - OF_ALL] : NULL;
}

static bool has(const struct pmu *pmu, const struct pmu_alias *a)
{
    return a->models == 0 || a->models & pmu->models;
}

const struct pmu_alias *pmu_alias_named(const struct pmu *pmu, unsigned umasks, const char *name)
{
    const struct pmu_alias *a;
    for (unsigned i = 0; (a = alias_at(pmu, i)) != NULL; i++)
        if (a->umasks == umasks && strcmp(a->name, name) == 0 && has(pmu, a)) return a;
    return NULL;
}

const struct pmu_alias *pmu_alias_next(const struct pmu *pmu, const struct pmu_alias *after)
{
    const struct pmu_alias *a;
    bool passed = !after;
    for (unsigned i = 0; pmu->ops && (a = alias_at(pmu, i)) != NULL; i++) {
        if (passed && !a->umasks && !strchr(a->name, ':') && has(pmu, a)) return a;
        passed |= a == after;
    }
    return NULL;
}
