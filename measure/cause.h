/* The instruction that caused a sample, where a facility recorded the one after it: PEBS of Core 2 to Ivy
 * Bridge writes the address that is to run next (SAMPLE_NEXT). It may have been reached from anywhere, so the
 * instruction is named where it is certain and nowhere else:
 *
 * - CORRECTED_BY_BRANCHES: the sample has its last branches, and every kind of branch was recorded. From
 *   where the newest one went to, control ran straight to the recorded address: the last instruction on the
 *   way is the one. If it went to that address itself, the branch is the one. (Linux does the same:
 *   intel_pmu_pebs_fixup_ip() in arch/x86/events/intel/ds.c.)
 * - CORRECTED_BY_CODE: the code decodes from its functions' beginnings to their ends, no branch leads to the
 *   recorded address, and the instruction before it goes on there. Not so behind a CALL or INT, which come
 * back by another instruction; in a function with an indirect jump; before a repeated string instruction,
 * which is recorded itself while it has not finished. Returns are taken to go where a CALL was.
 *
 * At CPL 0 the end of an interrupt (IRET) is an instruction that may be sampled, and what was interrupted is
 * its next one: with CORRECTED_BY_CODE, one sample in an interrupt's may be of the IRET.
 *
 * Two instructions that the processor fuses (CMP and Jcc) are one for it, and the second is named.
 */
#pragma once
#include "measure/profile.h"

/* The code in which branches are looked for. */
struct cause_code {
    const struct code *code;
    uint64_t payload;  /* of the kernel's own: where it begins, and its bytes. Of a user's program: all of */
    uint32_t bytes;    /* its functions */
    bool every_branch; /* the branches of samples are all that were taken: no kind is left out */
};

/* Correct those samples of s that can be: ip, recorded, corrected; SAMPLE_PRECISE in place of SAMPLE_NEXT.
 * Others stay as they are. False: the arena is full, and none is corrected; what was taken of it is released.
 */
bool cause_find(const struct samples *s, const struct cause_code *in, struct arena *arena);
