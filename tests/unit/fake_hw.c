/* The scripted machine of fake_hw.h. */
#include "tests/unit/fake_hw.h"
#include "kernel/bootinfo.h"
#include "kernel/cpuid.h"
#include "kernel/model.h"
#include <stdlib.h>
#include <string.h>

enum { MSR_MAX = 128, WINDOW_MAX = 8, DEVICE_MAX = 8 };

struct window {
    uint64_t base;
    const uint8_t *data;
    size_t len;
};

static struct {
    const struct fake_cpuid *cpuid;
    size_t n_cpuid;
    uint32_t cpuid_limit;
    unsigned cpuid_calls;
    bool cpuid_freely;
    struct {
        uint32_t msr;
        uint64_t value;
    } msr[MSR_MAX];
    size_t n_msr;
    uint32_t losing;
    uint64_t lost;
    struct window window[WINDOW_MAX];
    size_t n_windows;
    const struct fake_device *device[DEVICE_MAX];
    size_t n_devices;
    const struct fake_registers *registers[DEVICE_MAX];
    size_t n_registers;
    unsigned accesses, mmio_width;
    struct {
        uint64_t base;
        uint8_t *memory;
        size_t bytes;
        uint64_t written;
    } display;
    uint64_t tsc, tsc_step;
} m;

void fake_reset(void)
{
    memset(&m, 0, sizeof m);
    m.cpuid_limit = UINT32_MAX;
}

void fake_cpuid(const struct fake_cpuid *table, size_t n)
{
    m.cpuid = table;
    m.n_cpuid = n;
}

void fake_cpuid_limit(uint32_t max) { m.cpuid_limit = max; }

void fake_cpuid_asked_freely(void) { m.cpuid_freely = true; }

unsigned fake_cpuid_calls(void) { return m.cpuid_calls; }

static struct cpuid_regs look_up(uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = 0; i < m.n_cpuid; i++)
        if (m.cpuid[i].leaf == leaf &&
            (m.cpuid[i].subleaf == subleaf || m.cpuid[i].subleaf == FAKE_ANY_SUBLEAF))
            return m.cpuid[i].regs;
    return (struct cpuid_regs){0, 0, 0, 0};
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    m.cpuid_calls++;
    const bool has_subleaves = leaf == 4 || leaf == 7 || leaf == 0xb || leaf == 0xd || leaf == 0x1f ||
                               leaf == 0x23 || leaf == 0x8000001d || leaf == 0x80000026 ||
                               leaf == MODEL_LEAF_COUNTS;
    if (subleaf && !has_subleaves && !m.cpuid_freely) abort();
    struct cpuid_regs zero = look_up(0, 0);
    if (zero.eax > m.cpuid_limit) zero.eax = m.cpuid_limit;
    if (leaf == 0) return zero;

    bool hypervisor = look_up(1, 0).ecx >> 31;
    bool zero_beyond = zero.ecx == 0x444d4163 || zero.ecx == 0x656e6975; /* "cAMD", "uine" */
    uint32_t max_ext = look_up(0x80000000u, 0).eax;
    bool inside = leaf >> 31 ? leaf <= max_ext : leaf <= zero.eax || (hypervisor && leaf >> 28 == 4);
    if (inside) return look_up(leaf, subleaf);
    return zero_beyond ? (struct cpuid_regs){0, 0, 0, 0} : look_up(zero.eax, subleaf);
}

bool cpuid_present(void) { return true; }

static uint64_t *find_msr(uint32_t msr)
{
    for (size_t i = 0; i < m.n_msr; i++)
        if (m.msr[i].msr == msr) return &m.msr[i].value;
    return NULL;
}

void fake_msr(uint32_t msr, uint64_t value)
{
    uint64_t *slot = find_msr(msr);
    if (!slot) {
        if (m.n_msr == MSR_MAX) abort();
        m.msr[m.n_msr].msr = msr;
        slot = &m.msr[m.n_msr++].value;
    }
    *slot = value;
}

void fake_msr_loses(uint32_t msr, uint64_t bits)
{
    m.losing = msr;
    m.lost = bits;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    const uint64_t *slot = find_msr(msr);
    if (slot) *value = *slot;
    return slot != NULL;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    uint64_t *slot = find_msr(msr);
    if (slot) *slot = msr == m.losing ? value & ~m.lost : value;
    return slot != NULL;
}

bool rdpmc_safe(uint32_t counter, uint64_t *value)
{
    (void)counter, (void)value;
    return false; /* #UD: this machine has no counters; tests/unit/fake_pmu.h has */
}

void fake_memory(uint64_t base, const void *data, size_t len)
{
    if (m.n_windows == WINDOW_MAX) abort();
    m.window[m.n_windows++] = (struct window){.base = base, .data = data, .len = len};
}

const void *phys_peek(uint64_t addr, size_t len)
{
    if (addr == 0 || addr + len < addr || addr + len > 1ull << 32) return NULL;
    for (size_t i = 0; i < m.n_windows; i++) {
        const struct window *w = &m.window[i];
        if (addr >= w->base && addr - w->base <= w->len && len <= w->len - (addr - w->base))
            return w->data + (addr - w->base);
    }
    return NULL;
}

void fake_port(const struct fake_device *device)
{
    if (m.n_devices == DEVICE_MAX) abort();
    m.device[m.n_devices++] = device;
}

static const struct fake_device *device_at(uint16_t port)
{
    for (size_t i = 0; i < m.n_devices; i++)
        if (port >= m.device[i]->first && port - m.device[i]->first < m.device[i]->count) return m.device[i];
    return NULL;
}

static uint32_t port_in(uint16_t port, unsigned width)
{
    const struct fake_device *d = device_at(port);
    m.accesses++;
    return d && d->in ? d->in(d->ctx, (uint16_t)(port - d->first), width) : UINT32_MAX;
}

static void port_out(uint16_t port, uint32_t value, unsigned width)
{
    const struct fake_device *d = device_at(port);
    m.accesses++;
    if (d && d->out) d->out(d->ctx, (uint16_t)(port - d->first), value, width);
}

uint8_t hw_inb(uint16_t port) { return (uint8_t)port_in(port, 1); }
void hw_outb(uint16_t port, uint8_t value) { port_out(port, value, 1); }
void hw_outw(uint16_t port, uint16_t value) { port_out(port, value, 2); }
uint16_t hw_inw(uint16_t port) { return (uint16_t)port_in(port, 2); }
uint32_t hw_inl(uint16_t port) { return port_in(port, 4); }
void hw_outl(uint16_t port, uint32_t value) { port_out(port, value, 4); }

void fake_registers(const struct fake_registers *device)
{
    if (m.n_registers == DEVICE_MAX) abort();
    m.registers[m.n_registers++] = device;
}

static const struct fake_registers *registers_at(uint64_t addr)
{
    m.accesses++;
    for (size_t i = 0; i < m.n_registers; i++)
        if (addr >= m.registers[i]->base && addr - m.registers[i]->base < m.registers[i]->len)
            return m.registers[i];
    return NULL;
}

static uint32_t mmio_read(uint64_t addr, unsigned width)
{
    const struct fake_registers *d = registers_at(addr);
    m.mmio_width = width;
    return d && d->read ? d->read(d->ctx, (uint32_t)(addr - d->base)) : UINT32_MAX;
}

static void mmio_write(uint64_t addr, uint32_t value, unsigned width)
{
    const struct fake_registers *d = registers_at(addr);
    m.mmio_width = width;
    if (d && d->write) d->write(d->ctx, (uint32_t)(addr - d->base), value);
}

uint8_t hw_mmio_read8(uint64_t addr) { return (uint8_t)mmio_read(addr, 1); }
uint16_t hw_mmio_read16(uint64_t addr) { return (uint16_t)mmio_read(addr, 2); }
uint32_t hw_mmio_read(uint64_t addr) { return mmio_read(addr, 4); }
void hw_mmio_write8(uint64_t addr, uint8_t value) { mmio_write(addr, value, 1); }
void hw_mmio_write16(uint64_t addr, uint16_t value) { mmio_write(addr, value, 2); }
void hw_mmio_write(uint64_t addr, uint32_t value) { mmio_write(addr, value, 4); }
unsigned fake_mmio_width(void) { return m.mmio_width; }

unsigned fake_accesses(void) { return m.accesses; }

void fake_display(uint64_t base, void *memory, size_t bytes)
{
    m.display.base = base;
    m.display.memory = memory;
    m.display.bytes = bytes;
    m.display.written = 0;
}

void hw_display_write(uint64_t addr, const void *from, size_t bytes)
{
    if (bytes == 0 || addr < m.display.base || addr - m.display.base > m.display.bytes ||
        bytes > m.display.bytes - (addr - m.display.base))
        abort();
    memcpy(m.display.memory + (addr - m.display.base), from, bytes);
    m.display.written += bytes;
}

uint64_t fake_display_written(void) { return m.display.written; }

uint64_t hw_rdtsc(void)
{
    uint64_t now = m.tsc;
    m.tsc += m.tsc_step;
    return now;
}

void fake_tsc(uint64_t start, uint64_t step)
{
    m.tsc = start;
    m.tsc_step = step;
}
