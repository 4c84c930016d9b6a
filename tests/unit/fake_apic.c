/* The CPU and the local APIC of fake_apic.h. */
#include "tests/unit/fake_apic.h"
#include "kernel/trap.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct fake_apic m;
uint8_t *page;

static uint32_t word(const bool *set, unsigned n)
{
    uint32_t w = 0;
    for (unsigned i = 0; i < 32; i++) w |= (uint32_t)set[32 * n + i] << i;
    return w;
}

int highest(const bool *set)
{
    int v = 255;
    while (v >= 0 && !set[v]) v--;
    return v;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    const uint32_t r = msr - 0x800;
    if (msr == MSR_BASE && !m.no_base)
        *value = m.base;
    else if (r >= sizeof m.reg / sizeof *m.reg || m.deaf)
        return false;
    else if (r >= ISR && r < ISR + 8)
        *value = word(m.in_service, r - ISR);
    else if (r >= IRR && r < IRR + 8)
        *value = word(m.waiting, r - IRR);
    else
        *value = m.reg[r];
    return true;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    const uint32_t r = msr - 0x800;
    if (msr == MSR_BASE && !m.no_base) {
        m.written++;
        if (m.stuck) return true;
        m.base = value;
        if (!m.cpuid_stuck)
            m.edx = value & BASE_ENABLE ? m.edx | CPUID_1_EDX_APIC : m.edx & ~CPUID_1_EDX_APIC;
        return true;
    }
    if (r >= sizeof m.reg / sizeof *m.reg) return false;
    if (r == EOI) {
        const int v = highest(m.in_service);
        assert_int_equal(value, 0); /* another one is a #GP (SDM vol. 3A 10.12.1.2) */
        m.eois++;
        if (v < 0) return true;
        m.in_service[v] = false;
        if (m.again[v]) m.waiting[v] = true;
    }
    /* This WRMSR does not wait for stores before it, which whoever is interrupted may read (SDM vol.
     * 3A 10.12.3). */
    if (r == ICR) assert_true(m.serialized);
    m.serialized = false;
    m.esr += r == ESR;
    if (r == ESR) assert_int_equal(value, 0); /* the same */
    if (m.n_order < sizeof m.order) m.order[m.n_order++] = (uint8_t)r;
    m.reg[r] = (uint32_t)value;
    m.high = (uint32_t)(value >> 32);
    return true;
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    assert_in_range(leaf, 0, 1);
    assert_int_equal(subleaf, 0);
    m.serialized = true;
    return (struct cpuid_regs){.edx = m.edx};
}

static const struct apic *a; /* whose handlers these are */

/* What has a higher class than the task priority and than all that are in service comes, with the handler of
 * kernel/trap.c: it acknowledges and, while draining, keeps interrupts off. */
static void take(void)
{
    const int v = highest(m.waiting), serving = highest(m.in_service);
    if (v < 0 || v / 16 <= (int)m.reg[TPR] / 16 || v / 16 <= serving / 16) return;
    m.waiting[v] = false;
    m.in_service[v] = true;
    m.taken[v]++;
    assert_true(apic_acknowledge(a, (uint32_t)v));
    assert_true(apic_draining(a));
    m.open = false;
}

/* STI takes effect behind the next instruction. */
void host_interrupts(bool on)
{
    m.open = on;
    m.opened += on;
}
uint64_t hw_rdtsc(void)
{
    if (m.open) take();
    return 0;
}

struct apic init(bool enable)
{
    const struct cpu_id id = {.family = 6, .f1_edx = m.edx, .f1_ecx = CPUID_1_ECX_X2APIC};
    static struct apic kept;
    a = &kept;
    apic_init(&id, &kept, enable);
    return kept;
}

void plug_x2apic(void)
{
    memset(&m, 0, sizeof m);
    m.base = 0xfee00000 | BASE_ENABLE | BASE_X2APIC;
    m.edx = CPUID_1_EDX_APIC;
    m.reg[VERSION_REG] = VERSION;
    m.reg[ID] = 7;
    m.reg[TMR] = 0xff; /* behind ISR: of vectors 0 to 7 an interrupt was level-triggered */
}

void plug_xapic(bool enabled)
{
    if (!page)
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (page == MAP_FAILED) abort();
    memset(&m, 0, sizeof m);
    memset(page, 0, 4096);
    *(uint32_t *)(page + 0x30) = VERSION;
    m.base = (uintptr_t)page | (enabled ? BASE_ENABLE : 0);
    m.edx = enabled ? CPUID_1_EDX_APIC : 0;
}
