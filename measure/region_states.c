/* States of caches, TLBs and branch target buffers that the markers of regions may find. */
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include "measure/region_cost.h"
#include "measure/settle.h"

#define LINE       32        /* the shortest line of a cache */
#define L2_MOST    (8 << 20) /* a larger cache is not filled, since this takes too long */
#define L2_UNKNOWN (512 << 10)
#define L1_UNKNOWN (64 << 10)

REPEATED_BEHIND static void write_lines(const struct region_states *s, size_t bytes)
{
    volatile uint8_t *lines = s->lines;
    for (size_t i = 0; i < bytes; i += LINE) lines[i]++; /* read first: writes do not fill all caches */
}

REPEATED_BEHIND static void read_lines(const struct region_states *s, size_t bytes)
{
    const volatile uint8_t *lines = s->lines;
    for (size_t i = 0; i < bytes; i += LINE) (void)lines[i];
}

/* The markers are in no cache. */
REPEATED_BEHIND static void absent(const struct region_states *s)
{
    hw_flush_caches();
    hw_flush_tlbs();
    s->jumps();
}

/* In no cache, and each line that they load evicts a modified one. */
REPEATED_BEHIND static void displaced(const struct region_states *s)
{
    absent(s);
    write_lines(s, s->all_bytes);
}

/* Likewise, but each line evicts a clean one: some events depend on the state of the evicted line. */
REPEATED_BEHIND static void displaced_clean(const struct region_states *s)
{
    absent(s);
    read_lines(s, s->all_bytes);
}

/* In L2 and not in L1, which holds modified lines in their places. */
REPEATED_BEHIND static void beyond_l1(const struct region_states *s)
{
    s->jumps();
    write_lines(s, s->l1_bytes);
}

/* ---- public ---- */

region_state_fn *const region_states[REGION_STATES] = {NULL, absent, displaced, displaced_clean, beyond_l1};

bool region_states_prepare(struct region_states *s, const struct cache_info *caches, struct arena *arena)
{
    const struct cache *l1 = cache_data(caches, 1), *l2 = cache_data(caches, 2);
    const size_t l2_bytes = l2 ? l2->bytes : l1 ? 0 : L2_UNKNOWN; /* a Pentium has none of its own */
    s->l1_bytes = 2 * (l1 ? l1->bytes : L1_UNKNOWN);
    s->all_bytes = s->l1_bytes + (l2_bytes < L2_MOST ? l2_bytes : L2_MOST);
    s->lines = arena_alloc(arena, s->all_bytes, 4096);
    s->jumps = settle_jumps;
    return s->lines;
}

unsigned region_states_kib(const struct region_states *s) { return (unsigned)(s->all_bytes >> 10); }
