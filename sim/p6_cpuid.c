/* CPUID of a P6, from dumps of real processors (InstLatx64: 619h, 633h, 673h). */
#include "sim/p6.h"

#define FEATURE_APIC   (1u << 9)
#define FEATURE_SERIAL (1u << 18)

void p6_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct p6 *p = s->state;
    const struct p6_traits *t = p->traits;
    const unsigned max_leaf = p->serial_off ? 2 : t->max_leaf;
    uint32_t apic;

    (void)subleaf;
    /* Beyond its highest leaf, extended ones included, a P6 repeats that leaf (SDM vol. 2, CPUID). */
    if (leaf > max_leaf) leaf = max_leaf;
    switch (leaf) {
    case 0:
        regs[0] = max_leaf;
        regs[1] = 0x756e6547;
        regs[2] = 0x6c65746e;
        regs[3] = 0x49656e69;
        break;
    case 1:
        /* The APIC's bit is the emulator's: it follows the global enable in APIC_BASE. EBX has no APIC number
         * yet. */
        apic = regs[3] & FEATURE_APIC;
        regs[0] = s->model->signature;
        regs[1] = regs[2] = 0;
        regs[3] = (t->features & ~FEATURE_APIC) | apic;
        if (p->serial_off) regs[3] &= ~FEATURE_SERIAL;
        break;
    case 2:
        regs[0] = 0x03020101;
        regs[1] = regs[2] = 0;
        regs[3] = t->descriptors;
        break;
    default:
        regs[0] = regs[1] = 0;
        regs[2] = t->serial[1];
        regs[3] = t->serial[0];
    }
}
