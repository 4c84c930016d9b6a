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
#else

/* At CPL 0. Of floating point nothing is kept: x87 and MXCSR are always restored to what fpu_init() sets. */
void cpu_state_save(struct cpu_state *s);

/* Also where GS, through which this_cpu() works, is another's. Only what differs is written; the flags are
 * cleared. On the 32-bit kernel segment registers are not touched: the payload itself and the handlers of
 * traps restore them, since no C code could run without. */
void cpu_state_restore(const struct cpu_state *s);
#endif
