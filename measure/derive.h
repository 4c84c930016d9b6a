/* Figures derived from counts of one plan item: ratios whose both terms were measured, at the same privilege;
 * and those that ratio= asks for. */
#pragma once
#include "measure/schedule.h"

/* A measured event, of any group of one plan item. */
struct measured {
    unsigned n;
    struct {
        const struct pmu_code *code; /* the event as programmed */
        double value;                /* median, corrected, per operation */
        bool overhead_lowered;
        unsigned group; /* the run in which it was counted */
    } event[EVENTS_MAX];
};

#define DERIVED_UOPS_PER_CYCLE "micro-operations per cycle"

struct derived {
    const char *name;      /* "IPC"; of ratio=A/B its formula */
    const char *formula;   /* "instructions / cycles" */
    const char *suffix;    /* "", ":u" or ":k": the privilege that both terms have */
    double value;          /* unless lacks is set */
    const char *lacks;     /* why there is no value; NULL: there is one */
    uint64_t errata;       /* of both terms */
    bool overhead_lowered; /* of one of the terms */
    bool several_runs;     /* its terms were counted in different runs */
};

/* A ratio with a name. Both terms are words as pmu_event_parse() takes them; a CPU that lacks one lacks the
 * ratio. */
struct ratio {
    const char *name, *over, *under;
    bool asked; /* only if ratio= asks for it */
};

/* The i-th of the table; NULL after the last. */
const struct ratio *ratio_at(unsigned i);

/* Does this CPU have both events? */
bool ratio_known(const struct pmu *pmu, const struct ratio *r);

/* Its name as a word: in lower case, with - for blanks, without commas ("l1d-miss-penalty-cycles"). */
void ratio_word(const struct ratio *r, char *word, size_t cap);
#define RATIO_WORD 48

/* A word of ratio=: over and under are events as the user wrote them, or those of a named one (named is set).
 */
#define RATIOS_ASKED 16
struct asked_ratio {
    const struct ratio *named;
    struct {
        const char *s;
        size_t len;
    } over, under;
};

/* Passes every figure that follows from these measurements to out(), those asked for first. A denominator of
 * 0, or a term without a value, leaves out what was not asked for; of an asked one lacks says it. Strings
 * last until out() returns. */
void derive(const struct pmu *pmu, const struct measured *m, const struct asked_ratio *asked,
            unsigned n_asked, void (*out)(void *ctx, const struct derived *d), void *ctx);
