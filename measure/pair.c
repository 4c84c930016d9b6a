#include "measure/pair.h"
#include <math.h>
#include <string.h>

void pair_keep(struct pair_side *to, const struct run *run, unsigned k, const struct stats *stats)
{
    if (to->n == sizeof to->at / sizeof *to->at) return; /* events= accepts fewer */
    to->at[to->n].event = run->count[k].event;
    to->at[to->n].mean = stats->mean;
    to->at[to->n].ci = stats->ci;
    to->at[to->n].errata = run->count[k].errata;
    to->at[to->n].overhead_lowered = run->count[k].overhead_lowered;
    to->n++;
    memcpy(to->param, run->bench.param, sizeof to->param);
}

double pair_mean(const struct pair_side *side, const char *event)
{
    for (unsigned i = 0; i < side->n; i++)
        if (strcmp(side->at[i].event, event) == 0) return side->at[i].mean;
    return (double)NAN;
}

struct slowdown pair_slowdown(double alone, double alone_ci, double together, double together_ci)
{
    struct slowdown s = {(double)NAN, (double)NAN, (double)NAN};
    if (!(alone > 0)) return s;
    s.ratio = together / alone;
    if (isnan(alone_ci) || isnan(together_ci) || alone_ci >= alone) return s;
    const double a = alone_ci / alone, b = together_ci / alone, g = a * a;
    const double half = stats_root(b * b + s.ratio * s.ratio * g - g * b * b);
    s.low = (s.ratio - half) / (1 - g);
    s.high = (s.ratio + half) / (1 - g);
    return s;
}
