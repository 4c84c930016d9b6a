#include "measure/deduce.h"
#include "measure/stats.h"

/* ---- private ---- */

static unsigned gcd(unsigned a, unsigned b)
{
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void geometry(struct deduction *d, const struct cache *c)
{
    d->level = c->level;
    d->set_count = cache_sets(c);
    d->ways = c->ways == CACHE_FULLY_ASSOCIATIVE ? c->bytes / c->line : c->ways;
}

/* Sorts the sets of n cache lines: their number, and the fullest one. */
static void count_sets(struct deduction *d, uint64_t *set, unsigned n)
{
    stats_sort(set, n);
    for (unsigned i = 0, run = 0; i < n; i++) {
        bool same = i && set[i] == set[i - 1];
        d->sets += !same;
        run = same ? run + 1 : 1;
        if (run <= d->set_lines) continue;
        d->set_lines = run;
        d->set = (uint32_t)set[i];
    }
}

/* Most of its samples found their data in the L1: they are no misses. */
static bool hits(const struct profile_line *l)
{
    uint64_t known = 0;
    for (unsigned i = 0; l->access && i < LEVELS; i++) known += l->access->level[i];
    return known && 2 * (uint64_t)l->access->level[LEVEL_L1] > known;
}

/* An eighth of the average. */
static uint64_t noise(const struct profile *p)
{
    uint64_t samples = 0, n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        if (hits(&p->line[i])) continue;
        samples += p->line[i].count;
        n++;
    }
    return n ? (samples - 1) / n / 8 : 0;
}

/* The share of samples whose address has no other one is about the share of misses at addresses that were not
 * met at all (I. J. Good, Biometrika 40, 1953). */
static bool sparse(const struct deduction *d)
{
    return d->addresses > 1 && 20 * (uint64_t)d->once > d->samples;
}

static enum deduce_verdict judge(const struct deduction *d)
{
    if (d->lines == 0) return DEDUCE_UNKNOWN;
    if (d->set_lines <= d->ways) return sparse(d) ? DEDUCE_SPARSE : DEDUCE_FITS;
    bool all = d->sets == d->set_count && d->lines > (uint64_t)d->set_count * d->ways;
    return all ? DEDUCE_CAPACITY : DEDUCE_CONFLICT;
}

/* ---- public ---- */

bool deduce_counts(const struct deduction *d, const struct profile_line *l)
{
    return l->count > d->noise && !hits(l);
}

void deduce(const struct profile *p, const struct cache *cache, uint64_t period, struct arena *arena,
            struct deduction *d)
{
    uint64_t previous = 0;
    uintptr_t line = 0; /* addresses of this machine are no longer */
    size_t mark = arena->used;
    uint64_t *set = NULL;
    bool even = true;
    *d = (struct deduction){.period = period, .noise = noise(p)};
    if (cache) geometry(d, cache);
    if (d->set_count && d->ways) set = arena_alloc(arena, p->n * sizeof *set, sizeof *set);
    for (unsigned i = 0; i < p->n; i++) {
        uint64_t a = p->line[i].key;
        if (!deduce_counts(d, &p->line[i])) {
            d->left_out++;
            continue;
        }
        if (d->addresses == 0)
            d->first = a;
        else if (d->addresses == 1)
            d->difference = a - previous;
        else
            even = even && a - previous == d->difference;
        if (set && (d->addresses == 0 || (uintptr_t)a / cache->line != line)) {
            line = (uintptr_t)a / cache->line;
            set[d->lines++] = line % d->set_count;
        }
        d->addresses++;
        d->samples += p->line[i].count;
        d->once += p->line[i].count == 1;
        previous = a;
    }
    if (!even) d->difference = 0;
    if (set) count_sets(d, set, d->lines);
    arena->used = mark;
    d->verdict = d->addresses ? judge(d) : DEDUCE_NOTHING;
    if (d->addresses) d->shared = gcd(d->addresses, (unsigned)(period % d->addresses));
    d->period_fits = period > 1 && d->samples > 1 && (d->addresses == 1 || d->shared > 1);
}
