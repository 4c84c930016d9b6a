#include "kernel/linear.h"
#include "kernel/serial.h"

static bool apart(uint64_t from, uint64_t start, uint64_t end)
{
    return end <= from || start >= from + LINEAR_RANGE;
}

/* What the kernel uses while something is measured: itself, the memory around the pool, where records may be
 * kept, modules, the stacks, the screen, serial ports in memory, and the local APIC, which is mostly at the
 * end of the address space. */
static bool is_free(const struct machine *m, uint64_t from)
{
    const struct bootinfo *b = &m->boot;
    const uint64_t pool = (uintptr_t)m->memory.pool, screen = b->fb.addr, apic = m->cpu[0]->apic.base;
    bool is = !serial_uses(from, from + LINEAR_RANGE) && apart(from, pool, pool + m->memory.pool_bytes) &&
              apart(from, m->stacks.from, m->stacks.end) && apart(from, apic, apic + 4096) &&
              apart(from, screen, screen + (uint64_t)b->fb.pitch * b->fb.height);
    for (unsigned i = 0; i < b->n_modules; i++) is = is && apart(from, b->module[i].start, b->module[i].end);
    for (unsigned i = 0; i < b->n_map; i++) {
        const struct mem_range *r = &b->map[i];
        if (pool >= r->base && pool < r->base + r->len) is = is && apart(from, r->base, r->base + r->len);
    }
    return is;
}

uint32_t linear_find(const struct machine *m)
{
    for (uint32_t from = LINEAR_RANGE; from < 0xf0000000; from += LINEAR_RANGE)
        if (is_free(m, from)) return from;
    return 0;
}
