/* The oracle's sums: see sim/oracle.h. */
#include "sim/oracle.h"
#include <stdlib.h>
#include <string.h>

/* ---- histogram ---- */

static struct bucket *bucket_of(struct sim_oracle *o, uint64_t ip, unsigned which)
{
    uint64_t h = (ip * 64 + which) * UINT64_C(0x9E3779B97F4A7C15);
    size_t k = (size_t)(h >> 32) & (o->size - 1);
    while (o->buckets[k].count && (o->buckets[k].ip != ip || o->buckets[k].which != which)) {
        k = (k + 1) & (o->size - 1);
    }
    return &o->buckets[k];
}

static bool grow(struct sim_oracle *o)
{
    struct sim_oracle bigger = {.size = 2 * o->size};
    bigger.buckets = calloc(bigger.size, sizeof *bigger.buckets);
    if (!bigger.buckets) return false;
    for (size_t k = 0; k < o->size; k++) {
        if (o->buckets[k].count) *bucket_of(&bigger, o->buckets[k].ip, o->buckets[k].which) = o->buckets[k];
    }
    free(o->buckets);
    o->buckets = bigger.buckets;
    o->size = bigger.size;
    return true;
}

static void book(struct sim_oracle *o, uint64_t ip, unsigned which, uint64_t count)
{
    if (2 * o->used >= o->size && !grow(o)) {
        o->lost = true;
        return;
    }
    struct bucket *b = bucket_of(o, ip, which);
    if (!b->count) o->used++;
    *b = (struct bucket){ip, b->count + count, which};
}

/* ---- called by the core ---- */

static void add_to(struct sim_oracle *o, const struct sim *s)
{
    const struct sim_tally *y = &s->tally;
    uint64_t *sum = o->sum[s->cpl != 0];
    for (unsigned k = 0; k < y->n_touched; k++) sum[y->touched[k]] += y->count[y->touched[k]];
    for (unsigned k = 0; k < o->n_kept; k++) {
        uint64_t n = sim_event_value(o->kept[k], y->count);
        if (n) book(o, s->stray ? ORACLE_DELIVERY : s->ip, k, n);
    }
    if (o->trace) sim_trace_add(o->trace, s);
}

void sim_oracle_add(struct sim *s)
{
    for (struct sim_oracle *o = s->oracle; o; o = o->outer) add_to(o, s);
}

void sim_oracle_transfer(struct sim *s, const struct sim_branch *b, const char *kind)
{
    for (struct sim_oracle *o = s->oracle; o; o = o->outer)
        if (o->trace) sim_trace_transfer(o->trace, s, b, kind);
}

static void note_unmodelled(struct sim_oracle *o, const char *name)
{
    for (unsigned j = 0; j < o->n_unmodelled; j++)
        if (strcmp(o->unmodelled[j], name) == 0) return;
    if (o->n_unmodelled < MAX_UNMODELLED) o->unmodelled[o->n_unmodelled++] = name;
}

void sim_oracle_programmed(struct sim *s)
{
    const char *names[16];
    unsigned n = sim_unmodelled(s, names, 16);
    for (struct sim_oracle *o = s->oracle; o; o = o->outer)
        for (unsigned k = 0; k < n; k++) note_unmodelled(o, names[k]);
}

bool sim_oracle_wants_addresses(const struct sim *s)
{
    for (const struct sim_oracle *o = s->oracle; o; o = o->outer)
        if (o->n_kept || o->trace) return true;
    return false;
}

void sim_oracle_drop(struct sim *s)
{
    struct sim_oracle *o = s->oracle;
    s->oracle = o->outer;
    sim_trace_free(o->trace);
    free(o->buckets);
    free(o);
}

void sim_oracle_free(struct sim *s)
{
    while (s->oracle) sim_oracle_drop(s);
}
