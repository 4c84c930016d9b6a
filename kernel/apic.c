#include "kernel/apic.h"
#include "kernel/hw.h"
#include "kernel/trap.h"
#include "kernel/x86.h"
#include <stddef.h>

/* SDM vol. 3A 10.4 (registers, table 10-1), 10.12 (x2APIC: MSR 800h + offset / 16). */
#define REG_ID          0x020
#define REG_VERSION     0x030
#define REG_TPR         0x080
#define REG_EOI         0x0b0
#define REG_SVR         0x0f0
#define REG_ISR         0x100
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

/* Task priority: classes up to this one wait (10.8.3). While draining, only the exceptions' vectors wait,
 * since their handlers would take an interrupt for an exception. Afterwards all classes but our own wait. */
#define TPR_EXCEPTIONS 0x10
#define TPR_OURS_ONLY  ((VECTOR_TIMER & 0xf0) - 0x10)
#define DRAIN_ROUNDS   512 /* as many as Linux' apic_pending_intr_clear() */

#define SVR_ENABLE  (1u << 8)
#define BASE_ENABLE (1ull << 11)
#define BASE_X2APIC (1ull << 10)
#define BASE_ADDR   0xffffff000ull
#define BASE_RESET  0xfee00000ull

/* An LVT entry exists if the version register reports at least this many: P5 4, P6 5, P4 6, Nehalem 7 (SDM
 * vol. 3A 10.4.8 and 10.5.1; the register holds the number less one). The error entry comes first: masking
 * another one with an illegal vector may itself raise an APIC error. AMD has no CMCI entry and never reports
 * seven. */
static const struct {
    uint16_t reg;
    uint8_t min_lvts;
    bool each; /* set by the firmware on each processor */
    const char *name;
} lvt[APIC_ENTRIES] = {
    [APIC_ERROR] = {REG_LVT_ERROR, 4, false, "error"},
    [APIC_TIMER] = {REG_LVT_TIMER, 1, false, "timer"},
    [APIC_LINT0] = {REG_LVT_LINT0, 2, false, "LINT0"},
    [APIC_LINT1] = {REG_LVT_LINT1, 3, false, "LINT1"},
    [APIC_PC] = {REG_LVT_PC, 5, true, "performance counter"},
    [APIC_THERMAL] = {REG_LVT_THERMAL, 6, true, "thermal"},
    [APIC_CMCI] = {REG_LVT_CMCI, 7, true, "corrected machine check"},
};

/* AMD's extended LVT (Linux, apicdef.h, setup_APIC_eilvt()): the version register's top bit says that it is
 * there. */
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
    const bool has = id->f1_edx & CPUID_1_EDX_APIC;
    a->base = BASE_RESET;
    if (id->family < 6 || !rdmsr_safe(MSR_APIC_BASE, &msr)) {
        a->mode = has ? APIC_XAPIC : APIC_ABSENT;
        return;
    }
    /* CPUID's bit follows the enable bit (SDM vol. 3A 10.4.3), so a disabled APIC shows only here. If the MSR
     * holds no address either, there is no APIC (QEMU without one reads 0). */
    a->mode = has || (msr & BASE_ADDR && !(msr & BASE_ENABLE)) ? APIC_DISABLED : APIC_ABSENT;
    if (a->mode == APIC_DISABLED && !(msr & BASE_ENABLE)) {
        a->firmware_off = true;
        if (!a->asked) return;
        wrmsr_safe(MSR_APIC_BASE, msr | BASE_ENABLE); /* a P6 may need a reset before it takes effect */
        if (!rdmsr_safe(MSR_APIC_BASE, &msr) || !(hw_cpuid(1, 0).edx & CPUID_1_EDX_APIC)) return;
    }
    if (a->mode == APIC_ABSENT || !(msr & BASE_ENABLE)) return;
    a->mode = msr & BASE_X2APIC && id->f1_ecx & CPUID_1_ECX_X2APIC ? APIC_X2APIC : APIC_XAPIC;
    a->base = msr & BASE_ADDR;
#ifndef __x86_64__
    if (msr >> 32 & 0xf && a->mode == APIC_XAPIC)
        a->mode = APIC_DISABLED; /* moved above 4 GiB, out of this kernel's reach */
#endif
}

/* ---- leftover interrupts ---- */

void apic_eoi(const struct apic *a) { apic_write(a, REG_EOI, 0); }

bool apic_acknowledge(const struct apic *a, uint32_t vector)
{
    if (!a || a->mode < APIC_XAPIC || !(apic_read(a, REG_ISR + vector / 32 * 16) >> vector % 32 & 1))
        return false;
    apic_eoi(a);
    return true;
}

/* The number of bits set in one of the 256-bit registers, from a word on. */
static unsigned count(const struct apic *a, unsigned reg, unsigned word)
{
    unsigned n = 0;
    for (; word < 8; word++)
        for (uint32_t bits = apic_read(a, reg + 16 * word); bits; bits &= bits - 1) n++;
    return n;
}

/* An interrupt that the firmware or a loader took without an EOI blocks its class and all below, and so does
 * a task priority that they left (Linux, apic_pending_intr_clear()). Pending interrupts are delivered, and
 * their handler sends the EOI.
 */
static void drain(struct apic *a)
{
    apic_write(a, REG_TPR, TPR_EXCEPTIONS);
    a->left = count(a, REG_ISR, 0) + count(a, REG_IRR, 1);
    a->draining = true;
    for (unsigned round = 0; round < DRAIN_ROUNDS; round++) {
        const unsigned in_service = count(a, REG_ISR, 0), waiting = count(a, REG_IRR, 1);
        if (!in_service && !waiting) break;
        for (unsigned i = 0; i < in_service; i++) apic_eoi(a);
        hw_interrupts_on();
        hw_rdtsc(); /* STI takes effect after the next instruction */
        hw_interrupts_off();
    }
    a->draining = false;
    apic_write(a, REG_TPR, TPR_OURS_ONLY);
}

const char *apic_entry_name(enum apic_entry entry) { return lvt[entry].name; }

/* Mask it, unless it is the firmware's. */
static void silence(const struct apic *a, enum apic_entry entry)
{
    apic_write(a, lvt[entry].reg, a->smi[entry] ? a->smi[entry] : LVT_MASKED | VECTOR_SPURIOUS);
}

static void take_entry(struct apic *a, enum apic_entry entry)
{
    const uint32_t found = apic_read(a, lvt[entry].reg);
    if ((found & LVT_MODE) == LVT_SMI)
        a->smi[entry] = found;
    else
        silence(a, entry);
}

/* AMD's firmware has machine checks there, and may handle them by SMI (APM vol. 2, 16.4.5). */
static void take_extended(struct apic *a, unsigned n)
{
    if ((apic_read(a, REG_EXT_LVT + 16 * n) & LVT_MODE) != LVT_SMI)
        apic_extended(a, n, LVT_MASKED | VECTOR_SPURIOUS);
    else if (n < 32)
        a->extended_smi |= 1u << n;
}

void apic_restore_smi(struct apic *a, const struct apic *booted)
{
    for (unsigned i = 0; i < APIC_ENTRIES; i++) {
        if (!lvt[i].each || !booted->smi[i] || a->smi[i] || a->mode < APIC_XAPIC || a->lvts < lvt[i].min_lvts)
            continue;
        a->smi[i] = booted->smi[i];
        silence(a, i);
    }
}

void apic_init(const struct cpu_id *id, struct apic *a, bool enable)
{
    *a = (struct apic){.asked = enable};
    find(id, a);
    if (a->mode < APIC_XAPIC) return;
    uint32_t version = apic_read(a, REG_VERSION);
    if (version == 0xffffffff || version == 0) { /* CPUID reports an APIC, but nothing answers */
        a->mode = APIC_DISABLED;
        return;
    }
    a->version = version & 0xff;
    a->lvts = (version >> 16 & 0xff) + 1;
    /* Software-enabled first: while the APIC is disabled, its mask bits are forced and do not stay. */
    apic_write(a, REG_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
    for (unsigned i = 0; i < APIC_ENTRIES; i++)
        if (a->lvts >= lvt[i].min_lvts) take_entry(a, i);
    if (version & VERSION_EXTENDED) a->extended = apic_read(a, REG_EXT_FEATURES) >> 16 & 0xff;
    for (unsigned i = 0; i < a->extended; i++) take_extended(a, i);
    apic_write(a, REG_TIMER_INIT, 0);
    if (a->lvts > 4)
        apic_write(a, REG_ESR, 0); /* not on the Pentium: erratum 3AP (Linux, lapic_setup_esr()) */
    drain(a);
    a->id = apic_read(a, REG_ID);
    if (a->mode == APIC_XAPIC) a->id >>= 24;
}

/* ---- other processors ---- */

#define REG_ICR      0x300
#define REG_ICR_HIGH 0x310
#define ICR_PENDING  (1u << 12)
#define ICR_PATIENCE 1000000u /* readings; one is delivered within microseconds */

bool apic_ipi(const struct apic *a, uint32_t id, uint32_t command)
{
    if (a->mode == APIC_X2APIC) {
        hw_cpuid(0, 0); /* serializes: this WRMSR does not wait for the stores that the other one is to see */
        return wrmsr_safe(0x800 + REG_ICR / 16, (uint64_t)id << 32 | command); /* SDM vol. 3A 10.12.3 */
    }
    unsigned patience = ICR_PATIENCE;
    while (apic_read(a, REG_ICR) & ICR_PENDING)
        if (!--patience) return false;
    apic_write(a, REG_ICR_HIGH, id << 24);
    apic_write(a, REG_ICR, command);
    return true;
}

/* ---- sampling ---- */

bool apic_has_pmi(const struct apic *a) { return a->mode >= APIC_XAPIC && a->lvts >= 5; }

void apic_pmi(const struct apic *a, uint32_t entry)
{
    if (entry & LVT_MASKED)
        silence(a, APIC_PC);
    else
        apic_write(a, REG_LVT_PC, entry);
}

void apic_extended(const struct apic *a, unsigned n, uint32_t entry)
{
    apic_write(a, REG_EXT_LVT + 16 * n, entry);
}

static volatile uint32_t *in_memory(const struct apic *a, unsigned reg)
{
    return a->mode == APIC_X2APIC ? NULL : (volatile uint32_t *)(uintptr_t)(a->base + reg);
}

volatile uint32_t *apic_pmi_register(const struct apic *a) { return in_memory(a, REG_LVT_PC); }
volatile uint32_t *apic_eoi_register(const struct apic *a) { return in_memory(a, REG_EOI); }
volatile uint32_t *apic_timer_register(const struct apic *a) { return in_memory(a, REG_TIMER_INIT); }
_Static_assert(REG_TIMER_NOW == REG_TIMER_INIT + 4 * APIC_TIMER_LEFT, "apic_timer_register()");

void apic_timer(const struct apic *a, uint32_t entry, uint32_t ticks)
{
    apic_write(a, REG_TIMER_DIVIDE, TIMER_BY_1);
    apic_write(a, REG_LVT_TIMER, entry);
    apic_write(a, REG_TIMER_INIT, ticks);
}

void apic_timer_again(const struct apic *a, uint32_t ticks) { apic_write(a, REG_TIMER_INIT, ticks); }

void apic_extint(const struct apic *a, bool through)
{
    if (a->mode < APIC_XAPIC) return;
    if (through)
        apic_write(a, REG_LVT_LINT0, LVT_EXTINT);
    else
        silence(a, APIC_LINT0);
}

void apic_pic_nmi(const struct apic *a) { apic_write(a, REG_LVT_LINT0, LVT_NMI); }

void apic_nmi(const struct apic *a, bool through)
{
    if (a->mode < APIC_XAPIC) return;
    if (through)
        apic_write(a, REG_LVT_LINT1, LVT_NMI);
    else
        silence(a, APIC_LINT1);
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
