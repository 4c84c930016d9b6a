/* Compiled like an interrupt handler: general registers only, no library. */
#include "pmu/pebs.h"

/* Fields of the DS area, of 4 or 8 bytes each (figures 17-5 and 17-8; the branch trace store's four come
 * first). */
enum { PEBS_BASE = 4, PEBS_INDEX, PEBS_MAX, PEBS_THRESHOLD, PEBS_RESET };
#define DS_BYTES 128 /* including the reserved fields at the end, in either layout */

#define RECORD_32 40
#define RECORD_64 144

static size_t record_bytes(bool wide) { return wide ? RECORD_64 : RECORD_32; }

static void put(const struct pebs *p, unsigned field, uint64_t value)
{
    if (p->wide)
        ((volatile uint64_t *)p->ds)[field] = value;
    else
        ((volatile uint32_t *)p->ds)[field] = (uint32_t)value;
}

/* Addresses of this kernel fit its pointers; little-endian, so the low half comes first. */
static uint8_t *volatile *pointer(const struct pebs *p, unsigned field)
{
    return (uint8_t *volatile *)(p->ds + field * (p->wide ? 8 : 4));
}

size_t pebs_bytes(bool wide, unsigned depth) { return DS_BYTES + (depth + PEBS_SLACK) * record_bytes(wide); }

void pebs_init(struct pebs *p, void *memory, bool wide, unsigned depth, uint64_t reset)
{
    size_t record = record_bytes(wide);
    p->ds = memory;
    p->base = p->ds + DS_BYTES;
    p->wide = wide;
    for (unsigned i = 0; i < DS_BYTES; i++) p->ds[i] = 0;
    put(p, PEBS_BASE, (uintptr_t)p->base);
    put(p, PEBS_INDEX, (uintptr_t)p->base);
    put(p, PEBS_MAX, (uintptr_t)p->base + (depth + PEBS_SLACK) * record);
    put(p, PEBS_THRESHOLD, (uintptr_t)p->base + depth * record);
    pebs_reload(p, reset);
}

/* 40 bits in 8 bytes, in either layout. */
void pebs_reload(struct pebs *p, uint64_t reset)
{
    volatile uint32_t *field = (volatile uint32_t *)(p->ds + PEBS_RESET * (p->wide ? 8 : 4));
    field[0] = (uint32_t)reset;
    field[1] = (uint32_t)(reset >> 32) & 0xff;
}

/* Registers of this kernel's width at r, step bytes apart; in the 32-bit kernel upper halves stay as they are
 * in the buffer, cleared. The order is that of tables 17-2 and 17-4: flags, IP, AX BX CX DX SI DI BP SP,
 * R8-R15. */
static inline void keep(struct sample *s, const uint8_t *r, unsigned step)
{
    static const uint8_t order[] = {0, 3, 1, 2, 6, 7, 5, 4};
#define NEXT(field) (*(uintptr_t *)&(field) = *(const uintptr_t *)r, r += step)
    NEXT(s->flags);
    NEXT(s->ip);
#pragma GCC unroll 8
    for (unsigned k = 0; k < 8; k++) NEXT(s->reg[order[k]]);
#ifdef __x86_64__
#pragma GCC unroll 8
    for (unsigned k = 8; k < 16; k++) NEXT(s->reg[k]);
#endif
}

/* This code's own loads and stores may be recorded events. So one instruction resets the index, and only if
 * no record has followed the last one taken. The buffer's end limits the number of tries. */
unsigned pebs_drain(struct pebs *p, struct samples *out)
{
    uint8_t *volatile *index = pointer(p, PEBS_INDEX), *end;
    const uint8_t *r = p->base;
    unsigned n = 0;
    do {
        for (end = *index; r < end; r += record_bytes(p->wide), n++) {
            if (out->n == out->cap) {
                out->lost++;
                continue;
            }
            struct sample *s = &out->at[out->n++];
            s->valid = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER;
            s->counter = p->counter;
            keep(s, r, p->wide ? 8 : 4);
        }
    } while (!__sync_bool_compare_and_swap(index, end, p->base));
    out->more |= end == *pointer(p, PEBS_MAX);
    return n;
}
