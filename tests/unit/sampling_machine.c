#include "tests/unit/sampling_machine.h"
#include "kernel/hw.h"
#include "tests/unit/unit.h"
#include <string.h>

struct sampling_machine m;
static _Alignas(4096) uint8_t page[4096]; /* the local APIC */

uint32_t *apic_at(unsigned reg) { return (uint32_t *)(page + reg); }

/* ---- what the kernel has ---- */

void trap_guard_after(struct trap_guard *g) { (void)g; }

uint8_t hw_inb(uint16_t port) { return m.in ? m.in(port) : m.ports[port & 0xff]; }
void hw_outb(uint16_t port, uint8_t value)
{
    m.ports[port & 0xff] = value;
    m.outs++;
    if (m.out) m.out(port, value);
}

/* ---- interrupts ---- */

static void on_pmi(void *ctx)
{
    (void)ctx;
    if (*apic_at(LVT_PC) & LVT_MASKED) return;
    if (m.masks) *apic_at(LVT_PC) |= LVT_MASKED;
    m.pending = !m.deaf;
}

static void on_pin(void *ctx, unsigned pin, bool overflow)
{
    (void)ctx;
    /* The wire ends at LINT1, which is NMI where no APIC is on, else what its entry says. */
    const bool nmi = m.apic.mode < APIC_XAPIC || *apic_at(LVT_LINT1) == LVT_NMI;
    if (m.socket && pin == 0 && overflow && nmi) m.pending = true;
}

void interrupt(uint32_t vector, uintptr_t ip, unsigned k)
{
    struct trap_frame f = {.vector = vector, .ip = ip, .cs = 0x43, .flags = 0x202, .sp = 0x7000 + k};
    for (unsigned i = 0; i < TRAP_REGS; i++) f.reg[i] = i == 4 ? f.sp : 100 * i + k;
    *apic_at(EOI) = 1;
    fake_interrupt(&f);
    m.eois += *apic_at(EOI) == 0;
}

void deliver(uintptr_t ip, unsigned k)
{
    const bool nmi = m.pmu.pin_nmi || (*apic_at(LVT_PC) >> 8 & 7) == 4;
    m.pending = false;
    nmi ? m.nmis++ : m.fixed++;
    interrupt(nmi ? VECTOR_NMI : *apic_at(LVT_PC) & 0xff, ip, k);
}

/* ---- the CPU ---- */

void plug(const char *model, const char *errata)
{
    static const struct sim_host host = {NULL, on_pmi, on_pin};
    if (m.sim) sim_free(m.sim);
    memset(&m, 0, sizeof m);
    trap_strays = 0;
    m.sim = sim_new(model, errata, &host);
    assert_non_null(m.sim);
    sim_hw_plug(m.sim, &m.id);
    if (!pmu_probe(&m.id, &m.pmu)) fail_msg("%s has no PMU", model);
    m.masks = strcmp(m.pmu.ops->family, "NetBurst") == 0;
    m.apic = (struct apic){.mode = APIC_XAPIC, .base = (uintptr_t)page, .lvts = m.pmu.pin_nmi ? 4 : 5};
    memset(page, 0, sizeof page);
    *apic_at(LVT_PC) = *apic_at(LVT_LINT1) = LVT_MASKED;
}
