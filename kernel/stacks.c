#include "kernel/stacks.h"
#include "kernel/linear.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/window.h"

#ifndef FOUR_LEVELS /* the unit test has both */
#define FOUR_LEVELS (sizeof(void *) == 8)
#endif
#define LARGE (FOUR_LEVELS ? 2u << 20 : 4u << 20) /* of one page table */
#define UNIT  65536u
#define SHARE 4 /* of the pool at most */

/* A slot: of 1 GiB in an entry of the top table, or a part of the linear addresses of 32 bits. */
#define SLOT_4      (1ull << 30)
#define SLOT_MOST_2 (64u << 20)
#define SLOT_LEAST  (4u << 20)

static struct window window;
static struct arena tables; /* the window's, for page tables of the stack that is mapped now */
static uint64_t slot_bytes;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* A directory and a table of directories, then a table for each large page of both views. */
static size_t table_bytes(size_t bytes)
{
    const size_t pages = round_up(bytes, LARGE) / LARGE + round_up(bytes + STACK_KERNEL, LARGE) / LARGE;
    return (pages + (FOUR_LEVELS ? 2 : 0)) * PAGE_SIZE;
}

size_t stacks_memory(size_t bytes) { return round_up(bytes + STACK_KERNEL + table_bytes(bytes), UNIT); }

/* ---- addresses ---- */

static void find_addresses(struct machine *m, unsigned processors)
{
    if (!m->paging) return;
    if (FOUR_LEVELS) {
        slot_bytes = SLOT_4;
        m->stacks.from = STACKS_FROM;
        m->stacks.end = STACKS_FROM + (1ull << 39);
    } else {
        const uint32_t from = linear_find(m);
        slot_bytes = SLOT_MOST_2;
        while (slot_bytes > SLOT_LEAST && LINEAR_RANGE / slot_bytes < processors) slot_bytes /= 2;
        m->stacks.from = from;
        m->stacks.end = from ? from + (uint64_t)LINEAR_RANGE : 0;
    }
    if (!m->stacks.from) return;
    window_open(&window, FOUR_LEVELS ? &paging_four_levels : &paging_two_levels, paging_root(),
                m->stacks.from, m->stacks.end, NULL);
    /* What window_map() leaves free behind pages: behind the last slot it is outside. */
    window.end += PAGE_SIZE;
}

/* The slot of a processor; 0: it has none, or the stack is too large for one. */
static uint64_t slot_of(const struct machine *m, unsigned index, size_t bytes)
{
    const uint64_t from = m->stacks.from + index * slot_bytes;
    const bool fits = bytes + STACK_KERNEL + STACK_HOLE <= slot_bytes / 2;
    return m->stacks.from && fits && from + slot_bytes <= m->stacks.end ? from : 0;
}

static bool map(uint64_t end, const uint8_t *memory, size_t bytes, bool kernels)
{
    const struct window_pages p = {
        .phys = (uintptr_t)memory, .pages = bytes / PAGE_SIZE, .level = 1, .kernels = kernels};
    const char *why;
    window.next = end - bytes;
    window.no_execute = paging_no_execute();
    return window_map(&window, &p, &why) == end - bytes;
}

/* ---- stacks ---- */

/* Without addresses of its own: where the memory is. */
static void give_unguarded(struct cpu_stack *s, uint8_t *memory, size_t bytes, bool paging)
{
    *s = (struct cpu_stack){memory + bytes + STACK_KERNEL, memory + bytes, bytes, 0};
    if (paging) paging_user(memory, bytes);
}

void stacks_give(struct machine *m, struct cpu *cpu, uint8_t *memory, size_t bytes)
{
    const size_t all = bytes + STACK_KERNEL;
    uint8_t *const base = memory + stacks_memory(bytes) - all;
    const uint64_t slot = slot_of(m, cpu->index, bytes), middle = slot + slot_bytes / 2,
                   end = slot + slot_bytes;
    tables = (struct arena){memory, (size_t)(base - memory), 0};
    window.arena = &tables;
    if (slot && map(middle, base, bytes, false) && map(end, base, all, true))
        cpu->stack = (struct cpu_stack){(uint8_t *)(uintptr_t)end, (uint8_t *)(uintptr_t)middle, bytes, slot};
    else
        give_unguarded(&cpu->stack, base, bytes, m->paging);
}

/* The end of the pool, for CPL 0 alone. */
static uint8_t *from_pool(struct machine *m, size_t bytes)
{
    struct memory *pool = &m->memory;
    uintptr_t start = ((uintptr_t)pool->pool + pool->pool_bytes - bytes) & -(uintptr_t)PAGE_SIZE;
    uint8_t *const at = (uint8_t *)start;
    if (m->paging) {
        start -= paging_tables((void *)start, bytes) * PAGE_SIZE;
        paging_split(at, bytes, (void *)start);
    }
    pool->pool_bytes = start - (uintptr_t)pool->pool;
    return at;
}

/* The most for measured code in so much memory. */
static size_t most_in(size_t memory)
{
    size_t bytes = memory & -(size_t)PAGE_SIZE;
    if (bytes > STACK_MOST) bytes = STACK_MOST;
    while (bytes && stacks_memory(bytes) > memory) bytes -= PAGE_SIZE;
    return bytes;
}

bool stacks_open(struct machine *m, size_t wanted, unsigned processors, size_t *possible)
{
    size_t spare, bytes = round_up(wanted ? wanted : STACK_DEF, PAGE_SIZE);
    uint8_t *const from = memory_spare(&m->memory, &spare), *end = from + spare;
    end -= spare ? (uintptr_t)end % UNIT : 0; /* less than that is left over */
    const size_t most = most_in(m->memory.pool_bytes / SHARE), inside = most_in((size_t)(end - from));
    *possible = most > inside ? most : inside;
    if (bytes > *possible) {
        if (wanted || *possible < STACK_LEAST) return false;
        bytes = *possible;
        m->stacks.little = true;
    }
    m->stacks.bytes = bytes;
    find_addresses(m, processors);
    stacks_give(m, m->cpu[0],
                bytes <= inside ? end - stacks_memory(bytes) : from_pool(m, stacks_memory(bytes)), bytes);
    return true;
}
