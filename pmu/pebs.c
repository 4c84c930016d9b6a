/* Compiled like an interrupt handler: general registers only, no library. */
#include "pmu/pebs.h"

/* Fields of the DS area, of 4 or 8 bytes each (figures 17-5, 17-8 and 18-22; the branch trace store's four
 * come first). Reset values follow, of 8 bytes each in either layout. */
enum { PEBS_BASE = 4, PEBS_INDEX, PEBS_MAX, PEBS_THRESHOLD, PEBS_RESET };

#define SOURCES 256

const char *const pebs_data_names[PEBS_DATA] = {"addr", "regs", "xmm", "lbr", "time", "cntr"};

/* Addresses of this kernel fit its pointers; little-endian, so the low half comes first. */
static uint8_t *volatile *pointer(const struct pebs *p, unsigned field)
{
    return (uint8_t *volatile *)(p->ds + field * p->layout->field);
}

static void put(const struct pebs *p, unsigned field, uintptr_t value)
{
    if (p->layout->field == 8)
        ((volatile uint64_t *)p->ds)[field] = value;
    else
        ((volatile uint32_t *)p->ds)[field] = (uint32_t)value;
}

void pebs_plain(struct pebs *p, unsigned counter, bool wide)
{
#if defined(__x86_64__) && !defined(HOST)
    const struct pebs_layout *const narrow = &pebs_wide; /* wide is true */
#else
    const struct pebs_layout *const narrow = &pebs_narrow;
#endif
    *p = (struct pebs){.layout = wide ? &pebs_wide : narrow,
                       .valid = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER,
                       .least = 2,
                       .step = 1,
                       .counter = (uint16_t)counter,
                       .reset_high = 0xff,
                       .skid = 1};
    p->record = p->layout->record;
}

unsigned pebs_depth(const struct pebs *p, unsigned wanted)
{
    if (p->layout->most && wanted > p->layout->most - PEBS_SLACK) return p->layout->most - PEBS_SLACK;
    return wanted;
}

static size_t records_bytes(const struct pebs *p, unsigned depth)
{
    const struct pebs_output *const o = p->layout->output;
    return o ? o->bytes(p, depth) : (size_t)(depth + PEBS_SLACK) * p->record;
}

size_t pebs_bytes(const struct pebs *p, unsigned depth)
{
    return p->layout->area + records_bytes(p, depth) + (p->memory ? SOURCES * sizeof *p->sources : 0);
}

static void init_area(struct pebs *p, unsigned depth, size_t bytes)
{
    for (unsigned i = 0; i < p->layout->area; i++) p->ds[i] = 0;
    put(p, PEBS_BASE, (uintptr_t)p->base);
    put(p, PEBS_INDEX, (uintptr_t)p->base);
    put(p, PEBS_MAX, (uintptr_t)p->base + bytes);
    put(p, PEBS_THRESHOLD, (uintptr_t)p->base + (size_t)depth * p->record);
}

/* The buffer follows the area: with format 0 both are on one page. */
void pebs_init(struct pebs *p, void *memory, unsigned depth, uint32_t period)
{
    const size_t bytes = records_bytes(p, depth);
    p->ds = memory;
    p->base = p->ds + p->layout->area;
    p->sources = (uint32_t *)(p->base + bytes);
    for (unsigned v = 0; p->memory && v < SOURCES; v++)
        p->sources[v] = pebs_source(p->source, p->source_kind, (uint8_t)v);
    if (p->layout->output) {
        p->layout->output->init(p, depth, period);
        return;
    }
    init_area(p, depth, bytes);
    pebs_reload(p, period);
}

/* The record is that of the event after the overflow, or of the one that overflows: a period of N is a reset
 * to -(N-1), or to -N. 40 or more bits in 8 bytes, in either layout: counters are as wide as 48 bits, and a
 * period is less than 2^31. */
void pebs_reload(struct pebs *p, uint32_t period)
{
    if (p->layout->output) {
        p->layout->output->reload(p, period);
        return;
    }
    volatile uint32_t *field =
        (volatile uint32_t *)(p->ds + PEBS_RESET * p->layout->field + p->reset * sizeof(uint64_t));
    const uint32_t events = period - p->skid;
    field[0] = -events;
    field[1] = events ? p->reset_high : 0;
}

/* This code's own loads and stores may be recorded events. So one instruction resets the index, and only if
 * no record has followed the last one taken. The buffer's end limits the number of tries. An index outside of
 * the buffer is nobody's; what there is in the buffer is folded. */
unsigned pebs_drain(struct pebs *p, struct samples *out)
{
    if (p->layout->output) return p->layout->output->drain(p, out);
    uint8_t *volatile *index = pointer(p, PEBS_INDEX), *found;
    const uint8_t *const max = *pointer(p, PEBS_MAX), *r = p->base, *end;
    const unsigned before = out->n;
    unsigned lost = 0;
    do {
        found = *index;
        end = found > max ? max : found;
        r = p->layout->fold(p, out, r, end);
        for (; end > r && (size_t)(end - r) >= p->record; r += p->record) lost++;
    } while (!__sync_bool_compare_and_swap(index, found, p->base));
    out->lost += lost;
    out->more |= found >= p->base && (found > max || (size_t)(max - found) < p->record);
    return out->n - before + lost;
}
