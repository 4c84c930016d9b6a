/* levels=1: each event by privilege, as the thesis' figure 4.4 has it: user, kernel and both. */
#pragma once
#include "measure/derive.h"
#include "measure/options.h"

#define LEVEL_CODES 3 /* codes that an event becomes: as it is, :u, :k */

/* Adds the two others behind each event that counts at every level and can be told to count at one. Returns
 * how many events could not be split, or had no room. */
unsigned levels_add(struct options *opt, const struct pmu *pmu);

struct levels {
    const char *event;
    double user, kernel, both; /* medians, corrected, per operation */
    double share;              /* of user in user and kernel, 0 to 1; negative: both are 0 */
    uint64_t errata;           /* of the event */
    bool several_runs;         /* they were counted in different runs */
};

/* Passes each event of which all three were measured to out(), in their order. */
void levels_derive(const struct pmu *pmu, const struct measured *m,
                   void (*out)(void *ctx, const struct levels *l), void *ctx);
