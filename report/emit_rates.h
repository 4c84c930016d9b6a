/* Intervals into records. */
#pragma once
#include "measure/rates.h"
#include "report/emit.h"

/* One interval of a log. */
struct logged {
    const struct rates *rates;
    const struct rates_interval *interval;
    const struct options *opt;
    uint64_t tsc_hz;     /* known */
    uint64_t after;      /* ticks from the begin of the first interval to that of this one */
    unsigned number, of; /* from 1 */
};
void emit_interval(const struct logged *l);
