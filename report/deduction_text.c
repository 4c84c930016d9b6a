#include "report/deduction_text.h"
#include <stdio.h>

const char *deduction_text(const struct deduction *d, char *buf, size_t cap)
{
    static const char *const meaning[] = {
        [DEDUCE_CONFLICT] = ": they evict each other",
        [DEDUCE_CAPACITY] = ", more than it holds",
        [DEDUCE_FITS] = ", no more than it holds: misses have another reason",
        [DEDUCE_SPARSE] =
            "; many addresses have one sample, so there must be others without any: take more samples",
    };
    const unsigned ways = (unsigned)d->ways;
    const char *a = ways == 8 || ways == 11 || ways == 18 ? "an" : "a"; /* eight, eleven, eighteen */
    const char *s = d->lines == 1 ? "" : "s", *maps = d->lines == 1 ? "maps" : "map";
    if (d->verdict == DEDUCE_NOTHING)
        snprintf(buf, cap, "no data address is known");
    else if (d->verdict == DEDUCE_UNKNOWN)
        snprintf(buf, cap, "the cache's geometry is unknown");
    else if (d->sets == 1)
        snprintf(buf, cap, "%u line%s %s to one set of %s %u-way cache%s", (unsigned)d->lines, s, maps, a,
                 ways, meaning[d->verdict]);
    else
        snprintf(buf, cap, "%u lines map to %u of %u sets of %s %u-way cache, up to %u to one%s",
                 (unsigned)d->lines, (unsigned)d->sets, (unsigned)d->set_count, a, ways,
                 (unsigned)d->set_lines, meaning[d->verdict]);
    return buf;
}

const char *deduction_warning(const struct deduction *d, char *buf, size_t cap)
{
    if (!d->period_fits) return NULL;
    snprintf(
        buf, cap,
        "a period of %llu may always hit these addresses and never others; try jitter=, or a prime number "
        "as the period",
        (unsigned long long)d->period);
    return buf;
}
