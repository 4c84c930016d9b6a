#include "measure/region_cost.h"
#include "kernel/repeated.h"
#include "measure/region.h"

#define WARMUP     4
#define WARM_CALLS 100 /* as many as of the empty bracket */
#define CALLS      3   /* in any other state, which must be made before each */

/* measure/region_mark.S */
extern payload_fn region_empty, region_nothing;
extern payload_fn region_near_begin, region_near_end;   /* a marker whose call lies in one line, */
extern payload_fn region_far_begin, region_far_end;     /* or in two, on two pages */
extern payload_fn region_two_begin, region_two_end;     /* near's, twice, */
extern payload_fn region_three_begin, region_three_end; /* or three times */

/* ---- measuring ---- */

/* Least and greatest count of a payload in a state, of each event. */
struct extent {
    uint64_t least[REGION_EVENTS], most[REGION_EVENTS];
};

/* The table is cleared before the state is made, since clearing loads its lines. */
REPEATED_BEHIND static void once(struct regions *r, const struct region_runner *how, region_state_fn *state,
                                 payload_fn *payload, uint64_t *count)
{
    regions_reset(r);
    if (state) state(how->states);
    how->call(how->ctx, payload, r->table, count);
    for (unsigned k = 0; payload == region_empty && k < r->events; k++) count[k] = regions_sum(r, 0, k);
}

REPEATED_BEHIND static void measure(struct regions *r, const struct region_runner *how,
                                    region_state_fn *state, payload_fn *payload, struct extent *x)
{
    uint64_t count[REGION_EVENTS];
    for (unsigned i = 0; i < WARMUP; i++) once(r, how, NULL, payload, count);
    for (unsigned i = 0; i < (state ? CALLS : WARM_CALLS); i++) {
        once(r, how, state, payload, count);
        for (unsigned k = 0; k < r->events; k++) {
            if (i == 0 || count[k] < x->least[k]) x->least[k] = count[k];
            if (i == 0 || count[k] > x->most[k]) x->most[k] = count[k];
        }
    }
}

/* The count of x less that of the code around its marker. */
static struct region_range beyond(const struct extent *x, const struct extent *around, unsigned k)
{
    return (struct region_range){(double)x->least[k] - (double)around->most[k],
                                 (double)x->most[k] - (double)around->least[k]};
}

static double at_least_0(double x) { return x < 0 ? 0 : x; }

/* ---- from measurements to ranges ---- */

/* A marker's call may lie in one line or two, and other code may lie in the same lines: each line is the
 * marker's alone or not. So for events of lines that are fetched (not missed: cold states cover those) the
 * range is wider than the measurements: by the line that far has more than near, by the line of the call, and
 * by the line to which the marker returns. */
#define LINES_BELOW 3

/* The two kinds of complete markers. */
static const struct {
    payload_fn *near, *far, *two, *three;
} kinds[2] = {{region_near_begin, region_far_begin, region_two_begin, region_three_begin},
              {region_near_end, region_far_end, region_two_end, region_three_end}};

/* One kind, warm: near[], and the line that far has more, line[]. */
struct warm {
    struct region_range near[REGION_EVENTS];
    double line[REGION_EVENTS];
};

static struct region_range *range_of(struct regions *r, unsigned k, unsigned kind)
{
    return kind ? &r->cost[k].end : &r->cost[k].begin;
}

static void widen(struct region_range *range, struct region_range by, double line)
{
    by.least -= LINES_BELOW * line;
    if (by.least < range->least) range->least = by.least;
    if (by.most > range->most) range->most = by.most;
}

/* Code that runs between two calls may evict, each time, a line or an entry that the markers hit within a
 * payload. So the least is that of a marker right after others. */
static void measure_warm(struct regions *r, const struct region_runner *how, struct warm warm[2])
{
    struct extent nothing, near, far, two, three;
    measure(r, how, NULL, region_nothing, &nothing);
    for (unsigned kind = 0; kind < 2; kind++) {
        measure(r, how, NULL, kinds[kind].near, &near);
        measure(r, how, NULL, kinds[kind].far, &far);
        measure(r, how, NULL, kinds[kind].two, &two);
        measure(r, how, NULL, kinds[kind].three, &three);
        for (unsigned k = 0; k < r->events; k++) {
            const struct region_range hot = beyond(&three, &two, k);
            warm[kind].near[k] = beyond(&near, &nothing, k);
            warm[kind].line[k] = at_least_0((double)far.least[k] - (double)near.least[k]);
            *range_of(r, k, kind) = warm[kind].near[k];
            widen(range_of(r, k, kind), hot, 0);
        }
    }
}

void regions_calibrate(struct regions *r, const struct region_runner *how)
{
    struct warm warm[2];
    struct extent nothing, far, empty;
    measure_warm(r, how, warm);
    for (unsigned s = 0; s < REGION_STATES; s++) {
        measure(r, how, region_states[s], region_nothing, &nothing);
        for (unsigned kind = 0; kind < 2; kind++) {
            measure(r, how, region_states[s], kinds[kind].far, &far);
            for (unsigned k = 0; k < r->events; k++)
                widen(range_of(r, k, kind), beyond(&far, &nothing, k), warm[kind].line[k]);
        }
    }
    /* A region's own two markers differ from those of the empty region by no more than complete ones from
     * warm ones.
     */
    measure(r, how, NULL, region_empty, &empty);
    for (unsigned k = 0; k < r->events; k++) {
        struct region_range *entry = &r->cost[k].entry;
        *entry = (struct region_range){(double)empty.least[k], (double)empty.most[k]};
        for (unsigned kind = 0; kind < 2; kind++) {
            struct region_range *range = range_of(r, k, kind), *near = &warm[kind].near[k];
            range->least = at_least_0(range->least);
            entry->least -= near->most - range->least;
            entry->most += range->most - near->least;
        }
        entry->least = at_least_0(entry->least);
    }
    regions_reset(r);
}
