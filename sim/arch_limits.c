/* Which general counters can count an event: Linux' tables of constraints (arch/x86/events/intel/core.c,
 * intel_core_, intel_core2_, intel_snb_, intel_hsw_, intel_skl_ and intel_icl_event_constraints), written
 * independently of the drivers' (pmu/arch_constraints.c). The first row that fits applies.
 *
 * On a counter that cannot count the event, silicon counts something else, or nothing. The model counts
 * nothing, which every result shows.
 */
#include "sim/arch.h"

#define LAKES  (ARCH_ICELAKE | ARCH_TIGERLAKE)
#define ANY    0x00, 0x00
#define ONE(m) m, 0xff

static const struct limit {
    uint8_t models, first, last, umask, mask; /* event select from first to last, unit mask under mask */
    uint8_t counters;                         /* bit n: counter n can */
} limits[] = {
    {ARCH_COREDUO | ARCH_CORE2, 0x11, 0x13, ANY, 1 << 1},
    {ARCH_COREDUO | ARCH_CORE2, 0x14, 0x14, ANY, 1 << 0},
    {ARCH_COREDUO | ARCH_CORE2, 0x19, 0x19, ANY, 1 << 1},
    {ARCH_COREDUO, 0xc1, 0xc1, ANY, 1 << 0},
    {ARCH_CORE2, 0x10, 0x10, ANY, 1 << 0},
    {ARCH_CORE2, 0x18, 0x18, ANY, 1 << 0},
    {ARCH_CORE2, 0xa1, 0xa1, ANY, 1 << 0},
    {ARCH_CORE2, 0xc9, 0xc9, ANY, 1 << 0},
    {ARCH_CORE2, 0xcb, 0xcb, ANY, 1 << 0},

    {ARCH_SANDYBRIDGE, 0x48, 0x48, ANY, 1 << 2},
    {ARCH_SANDYBRIDGE, 0xa3, 0xa3, ONE(0x02), 1 << 2},
    {ARCH_SANDYBRIDGE, 0xa3, 0xa3, ONE(0x06), 1 << 2},
    {ARCH_SANDYBRIDGE, 0xa3, 0xa3, ONE(0x04), 0x0f},
    {ARCH_SANDYBRIDGE, 0xa3, 0xa3, ONE(0x05), 0x0f},
    {ARCH_HASWELL, 0x48, 0x48, ONE(0x01), 1 << 2},
    {ARCH_HASWELL, 0xa3, 0xa3, ONE(0x08), 1 << 2},
    {ARCH_HASWELL, 0xa3, 0xa3, ONE(0x0c), 1 << 2},
    {ARCH_HASWELL, 0xa3, 0xa3, ONE(0x04), 0x0f},
    {ARCH_SANDYBRIDGE, 0xcd, 0xcd, ANY, 1 << 3},
    {ARCH_HASWELL, 0xcd, 0xcd, ANY,
     0x0f}, /* intel_hsw_pebs_event_constraints; without PEBS Linux uses 3 only */
    {ARCH_SANDYBRIDGE | ARCH_HASWELL, 0xd0, 0xd3, ANY, 0x0f},
    {ARCH_SANDYBRIDGE | ARCH_HASWELL | ARCH_SKYLAKE, 0xc0, 0xc0, ONE(0x01), 1 << 1},
    {ARCH_SKYLAKE, 0xc6, 0xc6, ANY, 0x0f},
    {ARCH_SKYLAKE, 0xcd, 0xcd, ANY, 0x0f},
    {ARCH_SKYLAKE, 0xd0, 0xd2, ANY, 0x0f},

    {LAKES, 0xa3, 0xa3, ONE(0x04), 0xff},
    {LAKES, 0xa3, 0xa3, ONE(0x10), 0xff},
    {LAKES, 0xa3, 0xa3, ONE(0x14), 0xff},
    {LAKES, 0x03, 0x0a, ANY, 0x0f},
    {LAKES, 0x1f, 0x28, ANY, 0x0f},
    {LAKES, 0x32, 0x32, ANY, 0x0f},
    {LAKES, 0x48, 0x56, ANY, 0x0f},
    {LAKES, 0x60, 0x8b, ANY, 0x0f},
    {LAKES, 0xa3, 0xa3, ANY, 0x0f},
    {LAKES, 0xa8, 0xb0, ANY, 0x0f},
    {LAKES, 0xb7, 0xbd, ANY, 0x0f},
    {LAKES, 0xd0, 0xe6, ANY, 0x0f},
    {LAKES, 0xef, 0xf4, ANY, 0x0f},
};

bool arch_counter_takes(const struct sim *s, unsigned n, unsigned code)
{
    const unsigned event = code & 0xff, umask = code >> 8;
    for (const struct limit *l = limits; l < limits + sizeof limits / sizeof limits[0]; l++)
        if (l->models & s->model_bit && event >= l->first && event <= l->last &&
            (umask & l->mask) == l->umask)
            return l->counters >> n & 1;
    return true;
}
