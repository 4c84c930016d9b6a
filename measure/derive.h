/* Figures derived from counts of one plan item: ratios whose both terms were measured, at the same privilege.
 */
#pragma once
#include "measure/schedule.h"

/* A measured event, of any group of one plan item. */
struct measured {
    unsigned n;
    struct {
        const struct pmu_code *code; /* the event as programmed */
        double value;                /* median, corrected, per operation */
        bool overhead_lowered;
    } event[EVENTS_MAX];
};

#define DERIVED_UOPS_PER_CYCLE "micro-operations per cycle"

struct derived {
    const char *name;    /* "IPC" */
    const char *formula; /* "instructions / cycles" */
    const char *suffix;  /* "", ":u" or ":k": the privilege that both terms have */
    double value;
    bool overhead_lowered; /* of one of the terms */
};

/* Passes every figure that follows from these measurements to out(), except those with a denominator of 0. */
void derive(const struct pmu *pmu, const struct measured *m, void (*out)(void *ctx, const struct derived *d),
            void *ctx);
