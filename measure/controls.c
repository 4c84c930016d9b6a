/* Turbo: IA32_MISC_ENABLE[38] on Intel, of the whole package (SDM vol. 3C table 35-2; it hides
 * CPUID.6:EAX[1]); HWCR[25] where CPUID.80000007h:EDX[9] announces core performance boost (AMD APM vol.
 * 2, 17.2; Linux' acpi-cpufreq). A hypervisor may hide both, and its host have turbo all the same.
 *
 * Prefetchers, all per core:
 *   NetBurst     1A0h[9] hardware prefetcher, [19] adjacent line (SDM table 35-41)
 *   Core 2       and [37] DCU, [39] IP (table 35-3)
 *   Nehalem on   1A4h[0] L2, [1] adjacent line, [2] DCU, [3] DCU IP (Intel's "Disclosure of Hardware
 *                Prefetcher Control on Some Intel Processors")
 *   Golden Cove  and [5] AMP (Intel's PerfSpect: Sapphire and Emerald Rapids); it has [4] DCU next
 *                page, and servers 6Dh[14, 42], too, of which no manual says on which parts: those stay
 *   Silvermont   1A4h[0] L2, [2] DCU (table 35-10)
 *   AMD 19h on   C0000108h[0] L1 stream, [1] stride, [2] region, [3] L2 stream, [5] up/down (PPR,
 *                MSRC000_0108)
 * For AMD's families before that C0011022h[13] is passed around, which no manual of AMD's says: not here.
 */
#include "measure/controls.h"
#include "kernel/hw.h"
#include "pmu/arch.h"
#include <stdio.h>
#include <string.h>

#define MSR_MISC_ENABLE      0x1a0
#define MSR_MISC_FEATURES    0x1a4
#define MSR_HWCR             0xc0010015u
#define MSR_PREFETCH_CONTROL 0xc0000108u

/* CPUID.80000021h:EAX. On silicon family 19h is enough, as for LIKWID: nobody says since when the bit tells.
 */
#define X21_PREFETCH_CONTROL (1u << 13)

#define MISC_TURBO_OFF (1ull << 38)
#define HWCR_CPB_OFF   (1ull << 25)

static const struct {
    uint32_t msr;
    uint64_t off;
} prefetch[] = {[PREFETCH_UNDOCUMENTED] = {0, 0},
                [PREFETCH_CORE2] = {MSR_MISC_ENABLE, 1ull << 9 | 1ull << 19 | 1ull << 37 | 1ull << 39},
                [PREFETCH_NEHALEM] = {MSR_MISC_FEATURES, 0xf},
                [PREFETCH_SILVERMONT] = {MSR_MISC_FEATURES, 0x5},
                [PREFETCH_GOLDEN_COVE] = {MSR_MISC_FEATURES, 0x2f}},
  netburst = {MSR_MISC_ENABLE, 1u << 9 | 1u << 19};

static void intel(const struct cpu_id *id, struct control *turbo, struct control *fetch)
{
    uint64_t misc = 0;
    const struct arch_cpu *cpu = pmu_arch_cpu(id);
    if (id->family == 15) *fetch = (struct control){.msr = netburst.msr, .off = netburst.off};
    if (cpu && !pmu_arch_atom(id))
        *fetch = (struct control){.msr = prefetch[cpu->prefetch].msr,
                                  .off = prefetch[cpu->prefetch].off,
                                  .others = cpu->prefetch == PREFETCH_GOLDEN_COVE};
    if (id->max_leaf < 6) {
        turbo->none = true;
        return;
    }
    rdmsr_safe(MSR_MISC_ENABLE, &misc);
    turbo->none = !(id->f6_eax & CPUID_6_EAX_TURBO) && !(misc & MISC_TURBO_OFF);
    if (!turbo->none) *turbo = (struct control){.msr = MSR_MISC_ENABLE, .off = MISC_TURBO_OFF};
}

static void amd(const struct cpu_id *id, struct control *turbo, struct control *fetch)
{
    turbo->none = !(id->x7_edx & CPUID_X7_EDX_CPB);
    if (!turbo->none) *turbo = (struct control){.msr = MSR_HWCR, .off = HWCR_CPB_OFF};
    if (id->family >= 0x19 && (!id->has_hypervisor || id->x21_eax & X21_PREFETCH_CONTROL))
        *fetch = (struct control){.msr = MSR_PREFETCH_CONTROL, .off = 0x2f};
}

void controls_find(const struct cpu_id *id, bool emulated, struct control control[CONTROLS])
{
    struct control *turbo = &control[CONTROL_TURBO], *fetch = &control[CONTROL_PREFETCH];
    memset(control, 0, CONTROLS * sizeof *control);
    if (strcmp(id->vendor, "GenuineIntel") == 0) intel(id, turbo, fetch);
    if (strcmp(id->vendor, "AuthenticAMD") == 0) amd(id, turbo, fetch);
    if (id->has_hypervisor) turbo->none = false; /* hidden bits say nothing of the host's turbo */
    for (unsigned i = 0; i < CONTROLS; i++) control[i].unmodelled = emulated;
    for (unsigned i = 0; i < CONTROLS; i++)
        if (control[i].msr && !rdmsr_safe(control[i].msr, &control[i].found)) control[i].msr = 0;
}

enum control_state control_state(const struct control *c)
{
    uint64_t now;
    if (c->unmodelled) return CONTROL_UNMODELLED;
    if (c->none) return CONTROL_NONE;
    if (!c->msr || !rdmsr_safe(c->msr, &now)) return CONTROL_UNKNOWN;
    now &= c->off;
    return !now ? CONTROL_ON : now == c->off && !c->others ? CONTROL_OFF : CONTROL_MIXED;
}

const char *control_state_text(enum control_state state)
{
    static const char *const text[] = {"unknown", "none", "on", "off", "mixed", "unmodelled"};
    return text[state];
}

/* Two controls may share a register: each changes its own bits of what stands there. */
static bool change(struct control *c, uint64_t bits)
{
    uint64_t now;
    return rdmsr_safe(c->msr, &now) && wrmsr_safe(c->msr, (now & ~c->off) | bits) &&
           rdmsr_safe(c->msr, &now) && (now & c->off) == bits;
}

bool control_off(struct control *c, char *why, size_t cap)
{
    enum control_state state = control_state(c);
    if (state == CONTROL_OFF || state == CONTROL_NONE || state == CONTROL_UNMODELLED) return true;
    if (state == CONTROL_UNKNOWN) {
        snprintf(why, cap, "no documented way on this CPU");
        return false;
    }
    c->ours = true;
    if (change(c, c->off)) return true;
    change(c, c->found & c->off);
    c->ours = false;
    snprintf(why, cap, "MSR %lXh does not keep what is written to it", (unsigned long)c->msr);
    return false;
}

void controls_restore(struct control control[CONTROLS])
{
    for (unsigned i = 0; i < CONTROLS; i++) {
        if (control[i].ours) change(&control[i], control[i].found & control[i].off);
        control[i].ours = false;
    }
}
