/* The extended part of AMD's local APIC (AMD64 manual, vol. 2, 16.4): registers 500h to 530h, the local
 * vectors of instruction-based sampling and others, which Bochs lacks; 400h says how many. Bochs's own part
 * answers the rest of 400h to 4FFh.
 *
 * Bochs's functions for accesses in memory are not virtual, and are called from another of its objects than
 * the one that has them: so the linker puts these in front of them (--wrap, bochs.mk).
 */
#include "sim/bochs/glue.h"

#include "cpu/apic.h"

extern "C" {
void __real__ZN15bx_local_apic_c4readEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                           unsigned len);
void __real__ZN15bx_local_apic_c5writeEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                            unsigned len);
void __wrap__ZN15bx_local_apic_c4readEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                           unsigned len);
void __wrap__ZN15bx_local_apic_c5writeEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                            unsigned len);
}

namespace
{
const unsigned ENTRIES = sizeof glue_of[0].extended / sizeof glue_of[0].extended[0];
const unsigned FEATURE = 0x400, FIRST = 0x500, SPURIOUS = 0xf0;
const Bit32u MASKED = 1u << 16, WRITABLE = 0x107ff; /* mask, message type, vector */

/* The CPU whose APIC it is, if it has this part; else NULL. */
struct glue *owner(const bx_local_apic_c *apic)
{
    for (unsigned cpu = 0; cpu < BX_SMP_PROCESSORS; cpu++)
        if (glue_of[cpu].cpu && glue_of[cpu].cpu->lapic == apic)
            return glue_of[cpu].extended_apic ? &glue_of[cpu] : NULL;
    return NULL;
}

/* Entry of this register; ENTRIES: it is none. */
unsigned entry(bx_phy_address addr)
{
    const unsigned reg = addr & 0xff0;
    return reg >= FIRST && reg < FIRST + 0x10 * ENTRIES ? (reg - FIRST) / 0x10 : ENTRIES;
}

/* While the APIC is disabled by software all entries are masked. */
bool software_enabled(bx_local_apic_c *apic) { return apic->read_aligned(BX_LAPIC_SPURIOUS_VECTOR) & 0x100; }

void mask_all(struct glue *g)
{
    for (Bit32u &e : g->extended) e |= MASKED;
}
} // namespace

void __wrap__ZN15bx_local_apic_c4readEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                           unsigned len)
{
    struct glue *g = (addr & 0xfff) >= FEATURE && len == 4 ? owner(apic) : NULL;
    const unsigned n = entry(addr);
    if (g && n < ENTRIES) {
        *static_cast<Bit32u *>(data) = g->extended[n];
        return;
    }
    __real__ZN15bx_local_apic_c4readEmPvj(apic, addr, data, len);
    if (g && (addr & 0xff0) == FEATURE) *static_cast<Bit32u *>(data) |= ENTRIES << 16;
}

void __wrap__ZN15bx_local_apic_c5writeEmPvj(bx_local_apic_c *apic, bx_phy_address addr, void *data,
                                            unsigned len)
{
    const unsigned reg = addr & 0xff0, n = entry(addr);
    struct glue *g = (n < ENTRIES || reg == SPURIOUS) && len == 4 ? owner(apic) : NULL;
    if (g && n < ENTRIES) {
        const Bit32u value = *static_cast<Bit32u *>(data) & WRITABLE;
        g->extended[n] = software_enabled(apic) ? value : value | MASKED;
        return;
    }
    __real__ZN15bx_local_apic_c5writeEmPvj(apic, addr, data, len);
    if (g && !software_enabled(apic)) mask_all(g);
}

void extended_init(struct glue *g)
{
    cpuid_function_t leaf;
    g->cpu->cpuid->get_cpuid_leaf(0x80000001, 0, &leaf);
    g->extended_apic = leaf.ecx & 1u << 10; /* IBS, whose interrupt it is */
}

void extended_reset(struct glue *g)
{
    for (Bit32u &e : g->extended) e = MASKED;
}

/* As the performance entry, but for the mask, which delivery leaves as it is. */
void extended_deliver(void *ctx, unsigned n)
{
    struct glue *g = static_cast<struct glue *>(ctx);
    if (!g->extended_apic || n >= ENTRIES || !(g->cpu->msr.apicbase >> 11 & 1)) return;
    const Bit32u lvt = g->extended[n];
    const unsigned mode = lvt >> 8 & 7;
    if (lvt & MASKED) return;
    if (mode != APIC_DM_FIXED && mode != APIC_DM_SMI && mode != APIC_DM_NMI) return;
    g->cpu->lapic->deliver(lvt & 0xff, mode, APIC_EDGE_TRIGGERED);
}
