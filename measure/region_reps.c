#include "measure/region_reps.h"
#include "kernel/repeated.h"
#include <string.h>

/* One repetition, as the markers left it. */
struct row {
    uint32_t entered, begins, ends, unused;
    uint64_t sum[]; /* of each event: the time stamp, then the counters */
};

/* The rows of one region. It was first marked in repetition `first`; those before it counted nothing there,
 * and their rows are not written. */
struct rows {
    bool wanted;
    uint8_t *row; /* NULL: the arena had no room */
    unsigned first;
};

struct region_reps {
    struct arena *arena;
    unsigned reps;
    size_t row_bytes;
    struct rows of[REGIONS];
};

REPEATED_BEHIND static void take(struct region_reps *x, struct rows *rows)
{
    rows->wanted = true;
    rows->first = x->reps;
    rows->row = arena_alloc(x->arena, x->reps * x->row_bytes, 64);
}

static struct row *row_at(const struct region_reps *x, const struct rows *rows, unsigned i)
{
    return (struct row *)(void *)(rows->row + i * x->row_bytes);
}

/* ---- public ---- */

bool region_reps_prepare(struct regions *r, unsigned reps, unsigned labelled, struct arena *arena)
{
    struct region_reps *x = r->kept = arena_alloc(arena, sizeof *x, 64);
    r->keeps = x != NULL;
    if (!x) return false;
    memset(x, 0, sizeof *x);
    x->arena = arena;
    x->reps = reps;
    x->row_bytes = sizeof(struct row) + r->events * sizeof(uint64_t);
    for (unsigned id = 0; id < labelled && id < REGIONS; id++) take(x, &x->of[id]);
    return region_reps_complete(r);
}

REPEATED_BEHIND void region_reps_keep(struct regions *r, unsigned id, uint32_t entered, uint32_t begins,
                                      uint32_t ends)
{
    struct region_reps *x = r->kept;
    struct rows *rows = &x->of[id];
    const unsigned i = r->reps - 1;
    if (!rows->wanted) take(x, rows);
    if (!rows->row) return;
    if (i < rows->first) rows->first = i;
    struct row *row = row_at(x, rows, i);
    row->entered = entered;
    row->begins = begins;
    row->ends = ends;
    for (unsigned k = 0; k < r->events; k++) row->sum[k] = regions_sum(r, id, k);
}

bool region_reps_complete(const struct regions *r)
{
    for (unsigned id = 0; r->keeps && id < REGIONS; id++)
        if (r->kept->of[id].wanted && !r->kept->of[id].row) return false;
    return true;
}

unsigned region_reps_regions(const struct regions *r)
{
    unsigned n = 0;
    for (unsigned id = 0; r->keeps && id < REGIONS; id++) n += r->kept->of[id].wanted;
    return n;
}

struct region_rep region_rep(const struct regions *r, unsigned id, unsigned k, unsigned i)
{
    const struct region_reps *x = r->kept;
    const struct rows *rows = &x->of[id];
    if (i < rows->first) return (struct region_rep){.entered = 0};
    const struct row *row = row_at(x, rows, i);
    const struct region_left left = regions_left(r, k, row->sum[k], row->entered, row->begins, row->ends);
    return (struct region_rep){row->entered, row->sum[k], {left.least, left.most}};
}
