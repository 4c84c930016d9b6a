/* The instruction that caused a sample, where a facility recorded the one after it: PEBS of Core 2 to Ivy
 * Bridge writes the address that is to run next (SAMPLE_NEXT). It may have been reached from anywhere, so the
 * instruction is named where it is certain and nowhere else:
 *
 * - CORRECTED_BY_BRANCHES: the sample has its last branches, and every kind of branch was recorded. From
 *   where the newest one went to, control ran straight to the recorded address: the last instruction on the
 *   way is the one. If it went to that address itself, the branch is the one. (Linux does the same:
 *   intel_pmu_pebs_fixup_ip() in arch/x86/events/intel/ds.c.)
 * - CORRECTED_BY_CODE: the code decodes from its functions' beginnings to their ends, no branch leads to the
 *   recorded address, and the instruction before it goes on there. This leaves out what follows a CALL or
 *   INT, since another instruction comes back to it; functions with an indirect jump; and a string
 *   instruction with REP, which is its own next one until it has finished. A return is taken to go behind a
 *   CALL.
 *
 * At CPL 0 an interrupt's IRET may be sampled, too. Its next instruction is the interrupted one, and
 * CORRECTED_BY_CODE names the wrong instruction for it: at most one sample of each interrupt.
 *
 * Two instructions that the processor fuses (CMP and Jcc) are one for it, and the second is named.
 */
#pragma once
#include "measure/profile.h"

/* The code in which branches are looked for. */
struct cause_code {
    const struct code *code;
    uint64_t payload;  /* of the kernel's own, where it begins; a user's program is searched as a whole */
    uint32_t bytes;    /* of that payload */
    bool every_branch; /* the branches of samples are all that were taken: no kind is left out */
};

/* Correct those samples of s that can be: ip, recorded, corrected; SAMPLE_PRECISE in place of SAMPLE_NEXT.
 * Others stay as they are. False: the arena is full, and none is corrected; what was taken of it is released.
 */
bool cause_find(const struct samples *s, const struct cause_code *in, struct arena *arena);
