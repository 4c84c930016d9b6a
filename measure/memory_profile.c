#include "measure/memory_profile.h"
#include "measure/stats.h"

/* ---- private ---- */

static unsigned level_of(const struct sample *s)
{
    return s->valid & SAMPLE_LEVEL && s->level < LEVELS ? s->level : LEVEL_UNKNOWN;
}

static unsigned tlb_of(const struct sample *s)
{
    return s->valid & SAMPLE_TLB && s->tlb < TLBS ? s->tlb : TLB_UNKNOWN;
}

static unsigned one(const struct sample *s)
{
    (void)s;
    return 0;
}

static void count(struct memory_row *row, const struct sample *s)
{
    row->samples++;
    for (unsigned i = 0; i < MEMORY_TRAITS; i++) row->trait[i] += s->traits >> i & 1;
}

static unsigned bucket(uint32_t latency)
{
    unsigned i = 0;
    for (; latency; latency >>= 1) i++;
    return i;
}

/* The three durations of a sample, and of a row. */
enum { LATENCY, CACHE, RETIRE, DURATIONS };

static bool duration(const struct sample *s, unsigned which, uint32_t *cycles)
{
    static const uint32_t valid[] = {SAMPLE_LATENCY, SAMPLE_CACHE_LATENCY, SAMPLE_RETIRE};
    *cycles = which == LATENCY ? s->latency : which == CACHE ? s->cache_latency : s->retire;
    return s->valid & valid[which];
}

static struct quantiles *spread(struct memory_row *row, unsigned which)
{
    return which == LATENCY ? &row->latency : which == CACHE ? &row->cache : &row->retire;
}

static bool counts(const struct sample *s, const struct profile_filter *filter)
{
    return profile_passes(s, filter) && memory_is_access(s);
}

/* The spreads of each row's durations. Keys: the row above, the duration below, so that a row's are together
 * and in order. */
static void spread_rows(const struct samples *s, const struct profile_filter *filter, unsigned which,
                        unsigned (*row_of)(const struct sample *), struct memory_row *row, uint64_t *key)
{
    uint32_t n = 0, cycles;
    for (unsigned i = 0; i < s->n; i++)
        if (counts(&s->at[i], filter) && duration(&s->at[i], which, &cycles))
            key[n++] = (uint64_t)row_of(&s->at[i]) << 32 | cycles;
    stats_sort(key, n);
    for (uint32_t begin = 0, end = 0; begin < n; begin = end) {
        const unsigned of = (unsigned)(key[begin] >> 32);
        while (end < n && key[end] >> 32 == of) end++;
        quantiles_of(key + begin, end - begin, spread(&row[of], which));
    }
}

/* ---- public ---- */

bool memory_is_access(const struct sample *s)
{
    enum { SAID = SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY };
    return s->valid & SAID || s->traits & (SAMPLE_LOAD | SAMPLE_STORE);
}

bool memory_profile(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                    struct memory_profile *out)
{
    const size_t mark = arena->used;
    uint64_t *key = arena_alloc(arena, s->n * sizeof *key, sizeof *key);
    *out = (struct memory_profile){.samples = 0};
    if (!key) return false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct sample *x = &s->at[i];
        out->samples += profile_passes(x, filter);
        if (!counts(x, filter)) continue;
        count(&out->all, x);
        count(&out->level[level_of(x)], x);
        count(&out->tlb[tlb_of(x)], x);
        if (x->valid & SAMPLE_LATENCY) out->histogram[bucket(x->latency)]++;
    }
    for (unsigned which = 0; which < DURATIONS; which++) {
        spread_rows(s, filter, which, one, &out->all, key);
        spread_rows(s, filter, which, level_of, out->level, key);
        spread_rows(s, filter, which, tlb_of, out->tlb, key);
    }
    arena->used = mark;
    return true;
}
