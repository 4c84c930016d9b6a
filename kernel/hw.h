/* The machine itself: port I/O, CPUID, MSRs, TSC. Everything that touches hardware goes through here.
 *
 * In the kernel these are single instructions. On the host (HOST defined: unit tests, fuzzers, later the PMU
 * model) the same names are plain functions that the program linking the driver provides, so that driver
 * source is tested without an emulator.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/* MSR access that survives #GP. True: the register exists. On failure *value keeps its value (read) and
 * nothing was written (write). Kernel: kernel/msr.S through the exception table. */
bool rdmsr_safe(uint32_t msr, uint64_t *value);
bool wrmsr_safe(uint32_t msr, uint64_t value);

/* RDPMC that survives #UD (before the Pentium MMX) and #GP (no such counter); otherwise as above. */
bool rdpmc_safe(uint32_t counter, uint64_t *value);

/* Unguarded MSR access, for interrupt handlers: the register is known to exist. */
#define HW_RDMSRS_MOST 32 /* registers of one hw_rdmsrs() */
#ifdef HOST

static inline uint64_t hw_rdmsr(uint32_t msr)
{
    uint64_t value = 0;
    rdmsr_safe(msr, &value);
    return value;
}
static inline void hw_wrmsr(uint32_t msr, uint64_t value) { wrmsr_safe(msr, value); }
static inline void hw_rdmsrs(uint32_t first, unsigned n, uint64_t *to)
{
    for (unsigned i = 0; i < n; i++) to[i] = hw_rdmsr(first + i);
}

static inline uint32_t hw_rdmsr_halves(uint32_t msr, uint32_t *high)
{
    const uint64_t value = hw_rdmsr(msr);
    *high = (uint32_t)(value >> 32);
    return (uint32_t)value;
}
static inline void hw_wrmsr_halves(uint32_t msr, uint32_t low, uint32_t high)
{
    hw_wrmsr(msr, (uint64_t)high << 32 | low);
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf);
uint8_t hw_inb(uint16_t port);
void hw_outb(uint16_t port, uint8_t value);
void hw_outw(uint16_t port, uint16_t value);
uint16_t hw_inw(uint16_t port);
uint32_t hw_inl(uint16_t port);
void hw_outl(uint16_t port, uint32_t value);
uint64_t hw_rdtsc(void);
static inline uint32_t hw_rdtsc_halves(uint32_t *high)
{
    const uint64_t value = hw_rdtsc();
    *high = (uint32_t)(value >> 32);
    return (uint32_t)value;
}
uint32_t hw_mmio_read(uint64_t addr);
void hw_mmio_write(uint64_t addr, uint32_t value);
uint8_t hw_mmio_read8(uint64_t addr);
void hw_mmio_write8(uint64_t addr, uint8_t value);
uint16_t hw_mmio_read16(uint64_t addr);
void hw_mmio_write16(uint64_t addr, uint16_t value);
void hw_display_write(uint64_t addr, const void *from, size_t bytes);
static inline void hw_display_done(void) {}
static inline void hw_pause(void) {}
static inline void hw_flush_caches(void) {}
static inline void hw_flush_tlbs(void) {}
static inline void hw_forget(void) {}
static inline void hw_call_written(const void *code) { (void)code; } /* where data is not executed */
static inline void hw_flush_page(const void *at) { (void)at; }

/* For tests on a machine with its own interrupts. */
void host_interrupts(bool on) __attribute__((weak));
static inline void hw_interrupts_on(void)
{
    if (host_interrupts) host_interrupts(true);
}
static inline void hw_interrupts_off(void)
{
    if (host_interrupts) host_interrupts(false);
}
static inline void hw_interrupts_pass(void)
{
    hw_interrupts_on();
    hw_rdtsc();
    hw_interrupts_off();
}
static inline uint32_t hw_rdpmc_select(uint32_t counter) { return counter; }

#else

static inline uint64_t hw_rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return (uint64_t)hi << 32 | lo;
}

static inline void hw_wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

/* n consecutive MSRs, HW_RDMSRS_MOST at most, in four instructions each (kernel/msr.S). */
void hw_rdmsrs(uint32_t first, unsigned n, uint64_t *to);

/* The same in halves, as the instructions have them: the 64-bit kernel spends three more to join them. */
static inline __attribute__((always_inline)) uint32_t hw_rdmsr_halves(uint32_t msr, uint32_t *high)
{
    uint32_t low, h;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(h) : "c"(msr));
    *high = h;
    return low;
}

static inline __attribute__((always_inline)) void hw_wrmsr_halves(uint32_t msr, uint32_t low, uint32_t high)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"(low), "d"(high) : "memory");
}

static inline struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(subleaf));
    return r;
}

static inline uint8_t hw_inb(uint16_t port)
{
    uint8_t v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline void hw_outb(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static inline void hw_outw(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint16_t hw_inw(uint16_t port)
{
    uint16_t v;
    __asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline uint32_t hw_inl(uint16_t port)
{
    uint32_t v;
    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline void hw_outl(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

/* A device's register in memory. 32 bits: some answer no other width. */
static inline uint32_t hw_mmio_read(uint64_t addr) { return *(volatile uint32_t *)(uintptr_t)addr; }
static inline void hw_mmio_write(uint64_t addr, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)addr = value;
}

/* Those of some UARTs, which answer no other width. */
static inline uint8_t hw_mmio_read8(uint64_t addr) { return *(volatile uint8_t *)(uintptr_t)addr; }
static inline void hw_mmio_write8(uint64_t addr, uint8_t value)
{
    *(volatile uint8_t *)(uintptr_t)addr = value;
}
static inline uint16_t hw_mmio_read16(uint64_t addr) { return *(volatile uint16_t *)(uintptr_t)addr; }
static inline void hw_mmio_write16(uint64_t addr, uint16_t value)
{
    *(volatile uint16_t *)(uintptr_t)addr = value;
}

/* Writes to display memory: ascending, four bytes at a time, so that write-combining buffers fill completely.
 */
static inline void hw_display_write(uint64_t addr, const void *from, size_t bytes)
{
    void *to = (void *)(uintptr_t)addr;
    size_t words = bytes / 4, rest = bytes % 4;
    __asm__ volatile("cld; rep movsl" : "+D"(to), "+S"(from), "+c"(words)::"memory", "cc");
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(rest)::"memory", "cc");
}

/* Make all earlier writes visible: a locked instruction empties write-combining buffers (SDM vol. 3A 11.3.1)
 * on every CPU. */
static inline void hw_display_done(void)
{
    uint32_t any = 0;
    __asm__ volatile("lock; orl $0, %0" : "+m"(any)::"memory", "cc");
}

/* In a loop that waits: leaves the core to its other thread. */
static inline void hw_pause(void) { __asm__ volatile("pause"); }

/* IF, which is clear except while sampling. */
static inline void hw_interrupts_on(void) { __asm__ volatile("sti" ::: "memory"); }
static inline void hw_interrupts_off(void) { __asm__ volatile("cli" ::: "memory"); }

/* Interrupts that are pending come now, and are disabled again. */
void hw_interrupts_pass(void);

/* Write modified lines back and empty all caches. */
void hw_flush_caches(void);

/* Empty all TLBs; no page here is global. */
void hw_flush_tlbs(void);

/* Both of the above, if they are cheap enough to precede each run. In a Linux process this does nothing. */
void hw_forget(void);

/* Call code that the kernel has written, in the pool or in linker.ld's .bss.code. */
static inline void hw_call_written(const void *code) { ((void (*)(void))(uintptr_t)code)(); }

/* Empty the TLBs of the page at this address (SDM vol. 2, INVLPG). */
void hw_flush_page(const void *at);

/* RDPMC at CPL 3. */
void hw_allow_rdpmc(void);

/* ECX of RDPMC for this counter, as it is programmed now: the same, unless somebody else hands counters out.
 */
uint32_t hw_rdpmc_select(uint32_t counter);

/* Unserialised; for calibration and time-outs. Measurements use measure/bracket.S. */
static inline uint64_t hw_rdtsc(void)
{
    uint32_t lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    return (uint64_t)hi << 32 | lo;
}

static inline __attribute__((always_inline)) uint32_t hw_rdtsc_halves(uint32_t *high)
{
    uint32_t low, h;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(h));
    *high = h;
    return low;
}

#endif

/* The halves of 64 bits in memory, for handlers: [0] the low one. */
typedef uint32_t __attribute__((may_alias)) hw_half;
#define HW_HALF(field, n) (((const hw_half *)&(field))[n])

static inline __attribute__((always_inline)) void hw_wrmsr_stored(uint32_t msr, const uint64_t *value)
{
    hw_wrmsr_halves(msr, ((const hw_half *)value)[0], ((const hw_half *)value)[1]);
}

static inline __attribute__((always_inline)) void hw_rdtsc_stored(uint64_t *to)
{
    uint32_t high;
    ((hw_half *)to)[0] = hw_rdtsc_halves(&high);
    ((hw_half *)to)[1] = high;
}
