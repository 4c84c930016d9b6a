/* hosted/perf.c on Linux' system calls of fake_linux.h. Configs of events are those of Linux' format files
 * (/sys/bus/event_source/devices/cpu/format: event config:0-7, on AMD's also 32-35; umask 8-15; edge 18; inv
 * 23; cmask 24-31). Registers and their bits are those of the SDM, vol. 3B, chapter 20, and of AMD's APM,
 * vol. 2, 13.2. */
#pragma once
#include "kernel/hw.h"
#include "kernel/percpu.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_linux.h"
#include "tests/unit/unit.h"
#include <string.h>

/* What hosted/perf.c puts in the place of fake_hw.c's, and the processor that executes it. */
static struct percpu processor[2], *executing;
static struct percpu *executing_cpu(void) { return executing; }
bool read_msr(uint32_t msr, uint64_t *value);
bool write_msr(uint32_t msr, uint64_t value);
bool read_counter(uint32_t counter, uint64_t *value);
uint32_t selected(uint32_t counter);
void read_msrs(uint32_t first, unsigned n, uint64_t *to);
#define this_cpu        executing_cpu
#define rdmsr_safe      read_msr
#define wrmsr_safe      write_msr
#define rdpmc_safe      read_counter
#define hw_rdpmc_select selected
#define hw_rdmsrs       read_msrs
#include "hosted/perf.c"

#define N(a) (sizeof(a) / sizeof(a)[0])

enum {
    EN = 1 << 22,
    ANY = 1 << 21,
    INT = 1 << 20,
    PC = 1 << 19,
    OS = 1 << 17,
    USR = 1 << 16,
    PERFEVTSEL0 = 0x186,
    PMC0 = 0xc1,
    FIXED_CTR0 = 0x309,
    FIXED_CTR_CTRL = 0x38d,
    GLOBAL_CTRL = 0x38f
};
#define FIXED_ECX(i) (1u << 30 | (i)) /* RDPMC's ECX */

static long atom_type;
long hosted_number(const char *path, const char *key)
{
    assert_string_equal(path, "/sys/bus/event_source/devices/cpu_atom/type");
    assert_string_equal(key, "");
    return atom_type;
}

static int started(void **state)
{
    (void)state;
    memset(registers, 0, sizeof registers);
    processor[1].index = 1;
    executing = &processor[0];
    atom_type = -1;
    fake_reset();
    fake_linux_reset();
    return 0;
}

static uint64_t msr(uint32_t msr)
{
    uint64_t value = 0xbad;
    assert_true(read_msr(msr, &value));
    return value;
}

static void set(uint32_t msr, uint64_t value) { assert_true(write_msr(msr, value)); }
