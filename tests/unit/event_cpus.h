/* P5s and P6s as far as event tables and words go: no registers, two counters. */
#pragma once
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

static inline struct pmu cpu(const struct pmu_ops *ops, const char *model, uint32_t models)
{
    const struct pmu_words *words = ops == &pmu_p5_ops ? &pmu_p5_words : &pmu_p6_words;
    return (struct pmu){.ops = ops, .model = model, .models = models, .counters = 2, .words = words};
}
static inline struct pmu p5(void) { return cpu(&pmu_p5_ops, "Pentium", P5_PLAIN); }
static inline struct pmu p55c(void) { return cpu(&pmu_p5_ops, "Pentium MMX", P5_MMX); }
static inline struct pmu ppro(void) { return cpu(&pmu_p6_ops, "Pentium Pro", P6_PPRO); }
static inline struct pmu p2(void) { return cpu(&pmu_p6_ops, "Pentium II", P6_PII); }
static inline struct pmu p3(void) { return cpu(&pmu_p6_ops, "Pentium III", P6_PIII); }
static inline struct pmu pm(void) { return cpu(&pmu_p6_ops, "Pentium M", P6_PM); }

/* NULL when the CPU has none of this name; the test fails where it has two. */
static inline const struct pmu_event *find(const struct pmu *pmu, const char *name)
{
    const struct pmu_event *e, *found = NULL;
    for (e = NULL; (e = pmu_event_next(pmu, e));) {
        if (strcmp(e->name, name) != 0) continue;
        if (found) fail_msg("%s twice on a %s", name, pmu->model);
        found = e;
    }
    return found;
}

static inline unsigned count(const struct pmu *pmu)
{
    unsigned n = 0;
    for (const struct pmu_event *e = NULL; (e = pmu_event_next(pmu, e));) n++;
    return n;
}
