/* CPUID of a NetBurst processor, from dumps of real ones (0F12h: CPU-Z's in Bochs's cpudb; 0F27h: a dump of a
 * Pentium 4 2.0 GHz; 0F41h: CPU-Z's in cpudb, of a Celeron D, with the Pentium 4's L2). Other leaves come
 * from the emulator: those of features that it has and reports. */
#include "sim/netburst.h"
#include <string.h>

#define FEATURE_APIC (1u << 9)

void nb_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct netburst_traits *t = nb_of(s)->traits;
    uint32_t apic;

    (void)subleaf;
    /* Between the basic and the extended leaves the highest basic one answers (SDM vol. 2, CPUID). */
    if (leaf > t->max_leaf && leaf < 0x80000000) leaf = t->max_leaf;
    switch (leaf) {
    case 0:
        regs[0] = t->max_leaf;
        regs[1] = 0x756e6547;
        regs[2] = 0x6c65746e;
        regs[3] = 0x49656e69;
        break;
    case 1:
        /* The APIC's number, and its bit that follows APIC_BASE, are the emulator's. CLFLUSH: 8 x 8 bytes;
         * one logical processor. */
        apic = regs[3] & FEATURE_APIC;
        regs[0] = s->model->signature;
        regs[1] = (regs[1] & 0xff000000) | 1 << 16 | 8 << 8 | t->brand;
        regs[2] = t->features_ecx;
        regs[3] = (t->features & ~FEATURE_APIC) | apic;
        break;
    case 2:
        regs[0] = t->descriptors[0];
        regs[1] = regs[2] = 0;
        regs[3] = t->descriptors[1];
        break;
    case 3:
        regs[0] = regs[1] = regs[2] = regs[3] = 0;
        break;
    case 0x80000002:
    case 0x80000003:
    case 0x80000004:
        memcpy(regs, t->name + 16 * (leaf - 0x80000002), 16);
        break;
    case 0x80000006:
        if (t->l2_leaf) {
            regs[0] = regs[1] = regs[3] = 0;
            regs[2] = t->l2_leaf;
        }
        break;
    default:
        break;
    }
}
