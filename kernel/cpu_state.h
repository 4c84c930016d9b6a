/* What a payload may leave changed on the CPU, and the rest of the kernel needs as it was. */
#pragma once
#include <stdint.h>

struct cpu_state {
    uintptr_t cr0, cr4;
    uintptr_t dr[4], dr7;
    uint16_t ds, es, fs, gs;
    uint64_t fs_base, gs_base, other_gs_base; /* x86_64; the last is what SWAPGS swaps in */
};

#ifdef HOST
static inline void cpu_state_save(struct cpu_state *s) { *s = (struct cpu_state){.cr0 = 0}; }
static inline void cpu_state_restore(const struct cpu_state *s) { (void)s; }
static inline void cpu_state_plain_flags(void) {}
#else

/* At CPL 0. Of floating point nothing is kept: x87 and MXCSR are always restored to what fpu_init() sets. */
void cpu_state_save(struct cpu_state *s);

/* Also where GS, through which this_cpu() works, is another's. Only what differs is written; the flags are
 * cleared. On the 32-bit kernel no C code runs without DS and ES: a snippet's payload restores them itself,
 * and one of a program that leaves them unusable traps right behind its return. */
void cpu_state_restore(const struct cpu_state *s);

/* Clear DF, AC, TF, NT, IF: compiled code relies on DF. */
static inline void cpu_state_plain_flags(void) { __asm__ volatile("push $2\n\tpopf" ::: "memory", "cc"); }
#endif
