/* The stand-in of fake_access.h. */
#include "tests/unit/fake_access.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include <string.h>

uint8_t fake_memory_bytes[FAKE_MEMORY_BYTES];
uint64_t fake_control[9];
unsigned fake_cr_writes;

void fake_access_reset(void)
{
    memset(fake_memory_bytes, 0, sizeof fake_memory_bytes);
    memset(fake_control, 0, sizeof fake_control);
    fake_control[0] = 0x80010011u;
    fake_control[3] = 0x1000;
    fake_control[4] = 0x230;
    fake_cr_writes = 0;
}

/* SDM vol. 3A 6.15, interrupt 14: bit 0 the page is there, bit 1 a write. */
static bool faults(uint64_t address, unsigned width, bool write, struct trap *t)
{
    const bool there = address >= FAKE_MEMORY && address - FAKE_MEMORY <= FAKE_MEMORY_BYTES - width;
    const bool writable = address - FAKE_MEMORY < FAKE_MEMORY_BYTES / 2;
    if (there && (!write || writable)) return false;
    *t = (struct trap){.vector = 14, .error = (there ? 1u : 0) | (write ? 2u : 0), .cr2 = (uintptr_t)address};
    return true;
}

bool access_peek(uint64_t address, unsigned width, uint64_t *value, struct trap *t)
{
    if (faults(address, width, false, t)) return false;
    *value = 0;
    memcpy(value, fake_memory_bytes + (address - FAKE_MEMORY), width);
    return true;
}

bool access_poke(uint64_t address, unsigned width, uint64_t value, struct trap *t)
{
    if (faults(address, width, true, t)) return false;
    memcpy(fake_memory_bytes + (address - FAKE_MEMORY), &value, width);
    return true;
}

bool access_read_cr(unsigned n, uint64_t *value, struct trap *t)
{
    (void)t;
    *value = fake_control[n];
    return true;
}

bool access_write_cr(unsigned n, uint64_t value, struct trap *t)
{
    if (n == 0 && value & FAKE_CR0_RESERVED) {
        *t = (struct trap){.vector = 13};
        return false;
    }
    fake_control[n] = value;
    fake_cr_writes++;
    return true;
}

uint32_t access_in(uint16_t port, unsigned width)
{
    return width == 1 ? hw_inb(port) : width == 2 ? hw_inw(port) : hw_inl(port);
}

void access_out(uint16_t port, unsigned width, uint32_t value)
{
    if (width == 1)
        hw_outb(port, (uint8_t)value);
    else if (width == 2)
        hw_outw(port, (uint16_t)value);
    else
        hw_outl(port, value);
}

bool access_register(unsigned i, const char **name, uint64_t *value)
{
    static const char *const names[] = {"cr0", "cr3", "cr4"};
    static const unsigned which[] = {0, 3, 4};
    if (i >= 3) return false;
    *name = names[i];
    *value = fake_control[which[i]];
    return true;
}

/* What a screen and a guard would ask of the machine. */
bool paging_map_device(uint64_t addr, uint64_t len) { return (void)addr, (void)len, false; }
bool fpu_init(void) { return true; }
