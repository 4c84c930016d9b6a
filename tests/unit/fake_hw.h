/* A scripted machine for host tests: what kernel/hw.h, rdmsr_safe(), cpuid_present() and phys_peek() talk to
 * when the drivers are compiled with -DHOST.
 *
 * fake_reset() gives an empty machine: every CPUID leaf is zero, every MSR raises #GP, no memory, ports float
 * high, the TSC stands still at 0. A test then says what there is. Tables are referred to, not copied: they
 * must outlive their use. Anything that a test scripts wrongly (too many entries) aborts.
 */
#pragma once
#include "kernel/hw.h"
#include <stddef.h>

void fake_reset(void);

/* CPUID. A leaf outside of the range that leaves 0 and 80000000h announce answers as Intel's CPUs do: with
 * the data of the highest basic leaf (SDM vol. 2A, CPUID, "INPUT EAX"), so that a driver that asks for a leaf
 * without looking at the maximum gets garbage here too. On a machine with an AMD or Hygon vendor string it
 * answers zero. A leaf inside of the range that is not in the table answers zero. Subleaves are there to be
 * asked for where the kernel knows of some (4, 7, 0Bh, 1Fh, 23h, 8000001Dh, 80000026h); of another leaf they
 * abort, unless fake_cpuid_asked_freely() was called: people ask for any. */
#define FAKE_ANY_SUBLEAF 0xffffffffu
struct fake_cpuid {
    uint32_t leaf, subleaf; /* subleaf FAKE_ANY_SUBLEAF: whatever ECX is */
    struct cpuid_regs regs;
};
void fake_cpuid(const struct fake_cpuid *table, size_t n);

void fake_cpuid_asked_freely(void);

/* Pretend that the highest basic leaf is max, as the firmware's "Limit CPUID Maxval" does
 * (IA32_MISC_ENABLE[22]). */
void fake_cpuid_limit(uint32_t max);

/* How often CPUID was executed since fake_reset(). */
unsigned fake_cpuid_calls(void);

/* MSRs: one that was never set raises #GP (rdmsr_safe() and wrmsr_safe() are false). */
void fake_msr(uint32_t msr, uint64_t value);
/* One MSR's bits that read as 0 whatever WRMSR writes. */
void fake_msr_loses(uint32_t msr, uint64_t bits);

/* Physical memory: len bytes at base are data's. Windows must not overlap; phys_peek() does not look across
 * the boundary of two. */
void fake_memory(uint64_t base, const void *data, size_t len);

/* Ports [first, first+count) belong to a device. width: 1, 2 or 4 bytes. in or out may be NULL: reads float
 * high, writes are lost. */
struct fake_device {
    uint16_t first, count;
    uint32_t (*in)(void *ctx, uint16_t offset, unsigned width);
    void (*out)(void *ctx, uint16_t offset, uint32_t value, unsigned width);
    void *ctx;
};
void fake_port(const struct fake_device *device);

/* The TSC reads start, start+step, start+2*step, ... */
void fake_tsc(uint64_t start, uint64_t step);

/* Device registers in memory, [base, base+len). Elsewhere reads float high and writes are lost. */
struct fake_registers {
    uint64_t base, len;
    uint32_t (*read)(void *ctx, uint32_t offset);
    void (*write)(void *ctx, uint32_t offset, uint32_t value);
    void *ctx;
};
void fake_registers(const struct fake_registers *device);
unsigned fake_mmio_width(void); /* bytes, of the access that is going on */

/* How many accesses there were to ports and registers since fake_reset(), whether a device is there or not.
 */
unsigned fake_accesses(void);

/* Display memory, for hw_display_write() alone: what is written to base goes to memory, and at base itself
 * there is nothing, so that whoever reads it there, or writes to it in another way, is caught. A write of
 * nothing aborts. */
void fake_display(uint64_t base, void *memory, size_t bytes);
uint64_t fake_display_written(void); /* bytes, since fake_display() */
