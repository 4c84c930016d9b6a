#include "kernel/apic.h"
#include "kernel/hw.h"
#include "kernel/trap.h"
#include "kernel/x86.h"
#include <stddef.h>

/* SDM vol. 3A 10.4 (registers, table 10-1), 10.12 (x2APIC: MSR 800h + offset / 16). */
#define REG_ID          0x020
#define REG_VERSION     0x030
#define REG_EOI         0x0b0
#define REG_SVR         0x0f0
#define REG_IRR         0x200
#define REG_ESR         0x280
#define REG_LVT_CMCI    0x2f0
#define REG_LVT_TIMER   0x320
#define REG_LVT_THERMAL 0x330
#define REG_LVT_PC      0x340
#define REG_LVT_LINT0   0x350
#define REG_LVT_LINT1   0x360
#define REG_LVT_ERROR   0x370
#define REG_TIMER_INIT  0x380
#define REG_TIMER_NOW   0x390

#define REG_TIMER_DIVIDE 0x3e0
#define TIMER_BY_1       0xb /* figure 10-10 */

#define SVR_ENABLE  (1u << 8)
#define BASE_ENABLE (1ull << 11)
#define BASE_X2APIC (1ull << 10)
#define BASE_ADDR   0xffffff000ull
#define BASE_RESET  0xfee00000ull

/* An LVT entry exists when the version register counts at least this many: P5 4, P6 5, P4 6, Nehalem 7 (SDM
 * vol. 3A 10.4.8 and 10.5.1; the register holds the number less one). The error entry first: masking another
 * one with an illegal vector may itself raise an APIC error. AMD has no CMCI entry and never counts seven. */
static const struct {
    uint16_t reg;
    uint8_t min_lvts;
} lvt[] = {
    {REG_LVT_ERROR, 4}, {REG_LVT_TIMER, 1},   {REG_LVT_LINT0, 2}, {REG_LVT_LINT1, 3},
    {REG_LVT_PC, 5},    {REG_LVT_THERMAL, 6}, {REG_LVT_CMCI, 7},
};

/* AMD's extended LVT (APM vol. 2, 16.4.5): the version register's top bit says that it is there. */
#define VERSION_EXTENDED (1u << 31)
#define REG_EXT_FEATURES 0x400
#define REG_EXT_LVT      0x500

const char *apic_mode_name(enum apic_mode m)
{
    static const char *const name[] = {"absent", "disabled", "xapic", "x2apic"};
    return name[m];
}

static uint32_t apic_read(const struct apic *a, unsigned reg)
{
    uint64_t v = 0;
    if (a->mode != APIC_X2APIC) return *(volatile uint32_t *)(uintptr_t)(a->base + reg);
    rdmsr_safe(0x800 + reg / 16, &v);
    return (uint32_t)v;
}

static void apic_write(const struct apic *a, unsigned reg, uint32_t v)
{
    if (a->mode == APIC_X2APIC)
        wrmsr_safe(0x800 + reg / 16, v);
    else {
        *(volatile uint32_t *)(uintptr_t)(a->base + reg) = v;
        apic_read(a, REG_ID); /* Pentium erratum 11AP: no two writes in a row */
    }
}

/* Mode and base from MSR 1Bh. The Pentium has the APIC but not the MSR: there it is where reset puts it. */
static void find(const struct cpu_id *id, struct apic *a)
{
    uint64_t msr;
    a->mode = APIC_ABSENT;
    a->base = BASE_RESET;
    if (!(id->f1_edx & CPUID_1_EDX_APIC)) return;
    a->mode = APIC_XAPIC;
    if (id->family < 6 || !rdmsr_safe(MSR_APIC_BASE, &msr)) return;
    if (!(msr & BASE_ENABLE)) { /* P6: cannot be undone without a reset; later CPUs allow it */
        wrmsr_safe(MSR_APIC_BASE, msr | BASE_ENABLE);
        if (!rdmsr_safe(MSR_APIC_BASE, &msr) || !(msr & BASE_ENABLE)) {
            a->mode = APIC_DISABLED;
            return;
        }
    }
    if (msr & BASE_X2APIC && id->f1_ecx & CPUID_1_ECX_X2APIC) a->mode = APIC_X2APIC;
    a->base = msr & BASE_ADDR;
#ifndef __x86_64__
    if (msr >> 32 & 0xf) a->mode = APIC_DISABLED; /* moved above 4 GiB, out of this kernel's reach */
#endif
}

void apic_init(const struct cpu_id *id, struct apic *a)
{
    a->id = a->version = a->lvts = 0;
    find(id, a);
    if (a->mode < APIC_XAPIC) return;
    uint32_t version = apic_read(a, REG_VERSION);
    if (version == 0xffffffff || version == 0) { /* CPUID promised one, the bus has none */
        a->mode = APIC_DISABLED;
        return;
    }
    a->version = version & 0xff;
    a->lvts = (version >> 16 & 0xff) + 1;
    /* Software-enabled first: while it is disabled the mask bits are forced and cannot be relied on later. */
    apic_write(a, REG_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
    for (unsigned i = 0; i < sizeof lvt / sizeof lvt[0]; i++)
        if (a->lvts >= lvt[i].min_lvts) apic_write(a, lvt[i].reg, LVT_MASKED | VECTOR_SPURIOUS);
    if (version & VERSION_EXTENDED) {
        unsigned extended = apic_read(a, REG_EXT_FEATURES) >> 16 & 0xff;
        for (unsigned i = 0; i < extended; i++)
            apic_write(a, REG_EXT_LVT + 16 * i, LVT_MASKED | VECTOR_SPURIOUS);
    }
    apic_write(a, REG_TIMER_INIT, 0);
    apic_write(a, REG_ESR, 0);
    a->id = apic_read(a, REG_ID);
    if (a->mode == APIC_XAPIC) a->id >>= 24;
}

/* ---- sampling ---- */

bool apic_has_pmi(const struct apic *a) { return a->mode >= APIC_XAPIC && a->lvts >= 5; }

void apic_pmi(const struct apic *a, uint32_t entry) { apic_write(a, REG_LVT_PC, entry); }

static volatile uint32_t *in_memory(const struct apic *a, unsigned reg)
{
    return a->mode == APIC_X2APIC ? NULL : (volatile uint32_t *)(uintptr_t)(a->base + reg);
}

volatile uint32_t *apic_pmi_register(const struct apic *a) { return in_memory(a, REG_LVT_PC); }
volatile uint32_t *apic_eoi_register(const struct apic *a) { return in_memory(a, REG_EOI); }

void apic_timer(const struct apic *a, uint32_t entry, uint32_t ticks)
{
    apic_write(a, REG_TIMER_DIVIDE, TIMER_BY_1);
    apic_write(a, REG_LVT_TIMER, entry);
    apic_write(a, REG_TIMER_INIT, ticks);
}

void apic_extint(const struct apic *a, bool through)
{
    if (a->mode >= APIC_XAPIC)
        apic_write(a, REG_LVT_LINT0, through ? LVT_EXTINT : LVT_MASKED | VECTOR_SPURIOUS);
}

void apic_nmi(const struct apic *a, bool through)
{
    if (a->mode >= APIC_XAPIC) apic_write(a, REG_LVT_LINT1, through ? LVT_NMI : LVT_MASKED | VECTOR_SPURIOUS);
}

uint32_t apic_timer_left(const struct apic *a) { return apic_read(a, REG_TIMER_NOW); }

int apic_pending(const struct apic *a)
{
    if (a->mode < APIC_XAPIC) return -1;
    for (unsigned word = 0; word < 8; word++) {
        uint32_t irr = apic_read(a, REG_IRR + 16 * word);
        for (unsigned bit = 0; bit < 32; bit++)
            if (irr >> bit & 1) return (int)(32 * word + bit);
    }
    return -1;
}
