/* Turbo: IA32_MISC_ENABLE[38] on Intel, of the whole package (SDM vol. 3C table 35-2; it hides
 * CPUID.6:EAX[1]); HWCR[25] where CPUID.80000007h:EDX[9] announces core performance boost (AMD APM vol. 2,
 * 17.2; Linux' acpi-cpufreq). A hypervisor may hide both while its host has turbo.
 *
 * Prefetchers, all per core:
 *   NetBurst     1A0h[9] hardware prefetcher, [19] adjacent line (SDM table 35-41)
 *   Core 2       and [37] DCU, [39] IP (table 35-3)
 *   Nehalem on   1A4h[0] L2, [1] adjacent line, [2] DCU, [3] DCU IP (Intel's "Disclosure of Hardware
 *                Prefetcher Control on Some Intel Processors")
 *   Golden Cove  and [5] AMP (Intel's PerfSpect: Sapphire and Emerald Rapids); it has [4] DCU next
 *                page, and servers have 6Dh[14, 42], but no manual says which parts: those are left alone
 *   Silvermont   1A4h[0] L2, [2] DCU (table 35-10)
 *                (The disclosure speaks of Nehalem to Broadwell; the SDM's tables of the 6th generation and
 *                later refer back to that register.)
 *   AMD 19h on   C0000108h[0] L1 stream, [1] stride, [2] region, [3] L2 stream, [5] up/down (PPR,
 *                MSRC000_0108)
 * For AMD's earlier families some sources name C0011022h[13], which no AMD manual confirms, so it is not
 * used.
 */
#include "kernel/controls.h"
#include "kernel/hw.h"
#include <stdio.h>
#include <string.h>

#define MSR_MISC_ENABLE      0x1a0
#define MSR_MISC_FEATURES    0x1a4
#define MSR_HWCR             0xc0010015u
#define MSR_PREFETCH_CONTROL 0xc0000108u

/* CPUID.80000021h:EAX. On silicon family 19h is enough, as for LIKWID: no manual says which models set the
 * bit.
 */
#define X21_PREFETCH_CONTROL (1u << 13)

#define MISC_TURBO_OFF (1ull << 38)
#define HWCR_CPB_OFF   (1ull << 25)

/* Intel's family 6, one byte a model. Atom cores of hybrid parts have other registers than the models here.
 * For models that are not listed, no manual says how to switch prefetchers off. */
static const struct {
    const char *models;
    struct control control;
} family6[] = {
    /* Core 2 */
    {"\x0f\x16\x17\x1d", {.msr = MSR_MISC_ENABLE, .off = 1ull << 9 | 1ull << 19 | 1ull << 37 | 1ull << 39}},
    /* Nehalem to Rocket Lake and Ice Lake-SP */
    {"\x1a\x1e\x1f\x2e\x25\x2c\x2f\x2a\x2d\x3a\x3e\x3c\x45\x46\x3f\x3d\x47\x4f\x56\x4e\x5e\x8e\x9e\xa5\xa6"
     "\x55"
     "\x66\x7d\x7e\x8c\x8d\xa7\x6a\x6c",
     {.msr = MSR_MISC_FEATURES, .off = 0xf}},
    /* Golden Cove: Sapphire Rapids, Emerald Rapids, Alder Lake, Raptor Lake */
    {"\x8f\xcf\x97\x9a\xb7\xba\xbf", {.msr = MSR_MISC_FEATURES, .off = 0x2f, .others = true}},
    /* Silvermont, Airmont */
    {"\x37\x4a\x4d\x5a\x5d\x4c\x75", {.msr = MSR_MISC_FEATURES, .off = 0x5}},
};
static const struct control netburst = {.msr = MSR_MISC_ENABLE, .off = 1u << 9 | 1u << 19};

static void intel(const struct cpu_id *id, struct control *turbo, struct control *fetch)
{
    uint64_t misc = 0;
    if (id->family == 15) *fetch = netburst;
    for (unsigned i = 0; i < sizeof family6 / sizeof *family6 && id->family == 6 && !cpu_atom(id); i++)
        if (id->model <= 0xff && /* what memchr() compares; 0 is in no list */
            memchr(family6[i].models, (int)id->model, strlen(family6[i].models)))
            *fetch = family6[i].control;
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
    if (cpu_is_intel(id)) intel(id, turbo, fetch);
    if (cpu_is_amd(id)) amd(id, turbo, fetch);
    if (id->has_hypervisor) turbo->none = false; /* a hypervisor's CPUID bits do not show the host's turbo */
    for (unsigned i = 0; i < CONTROLS; i++) control[i].unmodelled = emulated;
    for (unsigned i = 0; i < CONTROLS; i++)
        if (control[i].msr && !rdmsr_safe(control[i].msr, &control[i].found)) control[i].msr = 0;
    for (unsigned i = 0; i < CONTROLS; i++) control[i].state = control_state(&control[i]);
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

/* Two controls may share a register: each changes only its own bits. */
static bool change(struct control *c, uint64_t bits)
{
    uint64_t now;
    return rdmsr_safe(c->msr, &now) && wrmsr_safe(c->msr, (now & ~c->off) | bits) &&
           rdmsr_safe(c->msr, &now) && (now & c->off) == bits;
}

static bool switch_off(struct control *c)
{
    enum control_state state = control_state(c);
    if (state == CONTROL_OFF || state == CONTROL_NONE || state == CONTROL_UNMODELLED) return true;
    if (state == CONTROL_UNKNOWN) {
        snprintf(c->trouble, sizeof c->trouble, "this CPU has no documented way");
        return false;
    }
    c->ours = true;
    if (change(c, c->off)) return true;
    change(c, c->found & c->off);
    c->ours = false;
    snprintf(c->trouble, sizeof c->trouble, "MSR %lXh does not keep the value written to it",
             (unsigned long)c->msr);
    return false;
}

bool control_off(struct control *c)
{
    const bool done = switch_off(c);
    c->state = control_state(c);
    return done;
}

void control_restore(struct control *c)
{
    if (c->ours) change(c, c->found & c->off);
    c->ours = false;
    c->state = control_state(c);
}

void controls_restore(struct control control[CONTROLS])
{
    for (unsigned i = 0; i < CONTROLS; i++) control_restore(&control[i]);
}
