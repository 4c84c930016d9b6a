/* CPUID of several processors: each package is one core of one thread or two, with all of its caches,
 * whatever the processor has that the emulator's dump is of. APIC IDs count threads. No AMD has two here. SDM
 * vol. 2A, CPUID; AMD's APM vol. 3, appendix E. */
#include "sim/core.h"

enum { LEVELS = 2 }; /* of leaf 0Bh: threads (type 1) and cores (type 2) */
#define LEVEL_TYPE(ecx)    ((ecx) >> 8 & 0xff)
#define FEATURE_HTT        (1u << 28) /* 1 EDX */
#define FEATURE_CMP_LEGACY (1u << 1)  /* 80000001h ECX */

static uint32_t field(uint32_t reg, unsigned from, unsigned bits, uint32_t value)
{
    const uint32_t mask = ((1u << bits) - 1) << from;
    return (reg & ~mask) | (value << from & mask);
}

void sim_topology_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const uint32_t threads = s->sibling ? 2 : 1;
    switch (leaf) {
    case 1:
        if (threads > 1 || regs[3] & FEATURE_HTT) regs[1] = field(regs[1], 16, 8, threads);
        regs[3] = threads > 1 ? regs[3] | FEATURE_HTT : regs[3] & ~FEATURE_HTT;
        break;
    case 4: /* a cache: who shares it, and the cores of a package */
    case 0x8000001d:
        if (!(regs[0] & 0x1f)) break;
        regs[0] = field(regs[0], 14, 12, threads - 1);
        if (leaf == 4) regs[0] = field(regs[0], 26, 6, 0);
        break;
    case 0xb:
    case 0x1f:
        if (!LEVEL_TYPE(regs[2])) break;              /* no such leaf or level */
        regs[0] = subleaf < LEVELS ? threads - 1 : 0; /* bits of the APIC ID up to this level */
        regs[1] = subleaf < LEVELS ? threads : 0;
        if (subleaf >= LEVELS) regs[2] = subleaf;
        break;
    case 0x80000001:
        regs[2] &= ~FEATURE_CMP_LEGACY;
        break;
    case 0x80000008: /* AMD: threads of a package less 1, and their bits of the APIC ID; Intel: 0 */
        regs[2] = field(field(regs[2], 0, 8, 0), 12, 4, 0);
        break;
    case 0x8000001e: /* AMD: the core and its threads less 1; the node */
        regs[1] = regs[2] = s->number;
        break;
    default:
        break;
    }
}
