/* What a payload may leave changed in a Linux process: flags, segments, the FPU. And what only CPL 0 does
 * well, as far as a process can. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/cpu_state.h"
#include "kernel/cpuid.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"

void cpu_state_save(struct cpu_state *s) { *s = (struct cpu_state){.gs_base = (uintptr_t)this_cpu()}; }

void cpu_state_restore(const struct cpu_state *s)
{
    cpu_state_plain_flags();
    sys_set_gs((struct percpu *)(uintptr_t)s->gs_base);
    fpu_reset();
}

bool fpu_init(void)
{
    fpu_reset();
    return hw_cpuid(1, 0).edx & CPUID_1_EDX_FPU;
}

bool cpuid_present(void) { return true; }

void hw_interrupts_pass(void) {}
void hw_allow_rdpmc(void) {} /* Linux does, for who has mapped an event */

/* ---- as cold as a process can make it ---- */

#define LINE       64
#define POOL_FIRST (4u << 20) /* of the pool: payloads, their data, values */

extern const uint8_t kernel_start[], kernel_data_end[], written_code[], kernel_end[]; /* linker.ld */

static void flush(const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from += LINE) __asm__ volatile("clflush (%0)" ::"r"(from) : "memory");
    __asm__ volatile("mfence" ::: "memory");
}

/* Linux often interrupts these two, because they take long; the measured code starts only afterwards. */
void hw_flush_caches(void)
{
    flush(kernel_start, kernel_data_end); /* after that are pages which Linux has not mapped */
    flush(written_code, kernel_end);
    flush(hosted_pool, hosted_pool + POOL_FIRST);
    hosted_forgive();
}

/* Linux empties them for a process when the rights of so many pages change. */
void hw_flush_tlbs(void)
{
    hosted_forbid(hosted_pool, hosted_pool_bytes);
    hosted_allow(hosted_pool, hosted_pool_bytes);
    hosted_forgive();
}

void hw_forget(void) {} /* flushing takes a process too long to be done for each run */

void hw_flush_page(const void *at) { (void)at, hw_flush_tlbs(); }
