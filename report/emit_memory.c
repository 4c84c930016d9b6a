#include "report/emit_memory.h"
#include "report/emit.h"
#include "report/put.h"

/* ---- private ---- */

struct row {
    const struct profile_source *from;
    const struct memory_profile *profile;
    const char *by, *what;
    const struct memory_row *row;
};

#define PUT_SPREAD(r, n_key, of, s)               \
    do {                                          \
        if (!(s)->n) break;                       \
        PUT(r, memory, n_key, (s)->n);            \
        PUT(r, memory, of##_least, (s)->least);   \
        PUT(r, memory, of##_median, (s)->median); \
        PUT(r, memory, of##_p95, (s)->p95);       \
        PUT(r, memory, of##_most, (s)->most);     \
    } while (0)

static void traits(struct record *r, const struct memory_row *row)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < MEMORY_TRAITS; i++) any |= row->trait[i];
    if (!any) return;
    OPEN(r, memory, traits);
    for (unsigned i = 0; i < MEMORY_TRAITS; i++)
        if (row->trait[i]) rec_uint(r, memory_trait(i), row->trait[i]);
    rec_close(r);
}

static void histogram(struct record *r, const struct memory_profile *m)
{
    unsigned n = MEMORY_BUCKETS;
    while (n && !m->histogram[n - 1]) n--;
    if (!n) return;
    OPEN(r, memory, histogram);
    for (unsigned i = 0; i < n; i++) ITEM(r, memory, histogram, m->histogram[i]);
    rec_close(r);
}

static void emit(const struct row *x)
{
    const struct memory_row *row = x->row;
    const struct memory_profile *m = x->profile;
    if (!row->samples) return;
    struct record *r = NEW(memory);
    emit_source(r, x->from);
    PUT(r, memory, by, x->by);
    PUT(r, memory, what, x->what);
    PUT(r, memory, samples, m->samples);
    PUT(r, memory, accesses, m->all.samples);
    PUT(r, memory, count, row->samples);
    PUT(r, memory, share, (double)row->samples / m->all.samples);
    PUT_SPREAD(r, latencies, latency, &row->latency);
    PUT_SPREAD(r, cache_latencies, cache, &row->cache);
    PUT_SPREAD(r, retires, retire, &row->retire);
    traits(r, row);
    if (row == &m->all) {
        if (m->no_tlbs) PUT(r, memory, translation, "unmodelled");
        histogram(r, m);
    }
    emit_source_end(r, x->from);
}

/* ---- public ---- */

const char *memory_level(unsigned level)
{
    static const char *const words[LEVELS] = {
        [LEVEL_UNKNOWN] = "unknown",
        [LEVEL_L1] = "L1",
        [LEVEL_FILL_BUFFER] = "fill buffer",
        [LEVEL_L2] = "L2",
        [LEVEL_L3] = "L3",
        [LEVEL_OTHER_CACHE] = "other cache",
        [LEVEL_MEMORY] = "memory",
        [LEVEL_REMOTE_CACHE] = "remote cache",
        [LEVEL_REMOTE_MEMORY] = "remote memory",
        [LEVEL_IO] = "I/O",
        [LEVEL_UNCACHED] = "uncached",
    };
    return words[level < LEVELS ? level : LEVEL_UNKNOWN];
}

const char *memory_tlb(unsigned tlb)
{
    static const char *const words[TLBS] = {"unknown", "L1", "L2", "walk", "hit"};
    return words[tlb < TLBS ? tlb : TLB_UNKNOWN];
}

const char *memory_trait(unsigned bit)
{
    static const char *const words[MEMORY_TRAITS] = {
        "load",  "store",        "locked",     "modified", "blocked by data", "blocked by address",
        "taken", "mispredicted", "misaligned", "prefetch", "abandoned",       "predicted"};
    return words[bit];
}

/* Rows of levels, or of translations, of which all is unknown would say nothing. */
void emit_memory(const struct profile_source *from, const struct memory_profile *m)
{
    struct row x = {.from = from, .profile = m, .by = "all", .what = "all", .row = &m->all};
    emit(&x);
    x.by = "level";
    for (unsigned i = 1; i <= LEVELS && m->level[LEVEL_UNKNOWN].samples < m->all.samples; i++) {
        x.what = memory_level(i % LEVELS); /* the unknown ones last */
        x.row = &m->level[i % LEVELS];
        emit(&x);
    }
    x.by = "translation";
    for (unsigned i = 1; i <= TLBS && m->tlb[TLB_UNKNOWN].samples < m->all.samples; i++) {
        x.what = memory_tlb(i % TLBS);
        x.row = &m->tlb[i % TLBS];
        emit(&x);
    }
}
