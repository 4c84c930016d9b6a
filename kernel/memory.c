#include "kernel/memory.h"
#include "kernel/hw.h"

#define MIB          (1ull << 20)
#define LIMIT        (1ull << 32) /* identity-mapped by both kernels */
#define ALIGN_LARGE  (4 * MIB)
#define BUILTIN_POOL (544u << 10) /* with more, GRUB has too little memory on a machine of 4 MiB */

extern uint8_t kernel_start[], kernel_end[]; /* linker.ld */

/* Code that is measured is executed there, as in any other pool. */
static uint8_t builtin[BUILTIN_POOL] __attribute__((aligned(4096), section(".bss.code")));

struct span {
    uint64_t start, end;
};

static uint64_t round_up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

static void lower(struct span *lowest, struct span s, uint64_t start, uint64_t end)
{
    if (start >= end || end <= s.start) return;
    if (start < lowest->start) *lowest = (struct span){start, end}; /* from s.end on none is */
}

/* The lowest span in use that overlaps s; an empty span at the end of s if all is free. */
static struct span lowest_used(const struct bootinfo *bi, struct span s)
{
    struct span lowest = {s.end, s.end};
    lower(&lowest, s, 0, MIB);
    lower(&lowest, s, (uintptr_t)kernel_start, (uintptr_t)kernel_end);
    for (unsigned i = 0; i < bi->n_modules; i++) lower(&lowest, s, bi->module[i].start, bi->module[i].end);
    for (unsigned i = 0; i < bi->n_map; i++) { /* a raw E820 map has reserved ranges inside available ones */
        const struct mem_range *r = &bi->map[i];
        if (r->type != MEM_AVAILABLE) lower(&lowest, s, r->base, r->base + r->len);
    }
    return lowest;
}

static void consider(struct span *best, uint64_t start, uint64_t end)
{
    start = round_up(start, 4096);
    end &= ~4095ull;
    if (end > start + (best->end - best->start)) *best = (struct span){start, end};
}

static void use_builtin(struct memory *m)
{
    m->pool = builtin;
    m->pool_bytes = sizeof builtin;
    m->pool_is_builtin = true;
}

void memory_init(const struct bootinfo *bi, struct memory *m)
{
    struct span best = {0, 0};
    m->total_kib = 0;
    for (unsigned i = 0; i < bi->n_map; i++) {
        const struct mem_range *r = &bi->map[i];
        if (r->type != MEM_AVAILABLE) continue;
        m->total_kib += r->len / 1024;
        const uint64_t end = r->base + r->len;
        struct span s = {r->base, end < LIMIT ? end : LIMIT};
        while (s.start < s.end) {
            struct span used = lowest_used(bi, s);
            consider(&best, s.start, used.start);
            s.start = used.end;
        }
    }
    m->pool_is_builtin = best.end - best.start < BUILTIN_POOL;
    if (m->pool_is_builtin) {
        use_builtin(m);
        return;
    }
    uint64_t aligned = round_up(best.start, ALIGN_LARGE);
    if (aligned + BUILTIN_POOL <= best.end) best.start = aligned;
    if (best.end - best.start >= 4 * ALIGN_LARGE) best.end = best.end / ALIGN_LARGE * ALIGN_LARGE;
    m->pool = (uint8_t *)(uintptr_t)best.start;
    m->pool_bytes = (size_t)(best.end - best.start);
}

uint8_t *memory_spare(const struct memory *m, size_t *bytes)
{
    *bytes = m->pool_is_builtin ? 0 : sizeof builtin;
    return builtin;
}

bool memory_check(struct memory *m)
{
    volatile uint32_t *const at[3] = {
        (uint32_t *)m->pool,
        (uint32_t *)(m->pool + m->pool_bytes / 2),
        (uint32_t *)(m->pool + m->pool_bytes - 4096),
    };
    bool there = true;
    for (unsigned i = 0; i < 3; i++) *at[i] = 0xa5c30000 + i;
    hw_flush_caches(); /* the read must come from memory */
    for (unsigned i = 0; i < 3; i++) there = there && *at[i] == 0xa5c30000 + i;
    if (!there) use_builtin(m);
    return there;
}
