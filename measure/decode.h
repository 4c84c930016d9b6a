/* An x86 decoder just large enough for profiles: the length of an instruction, and the linear address that it
 * loads from or stores to, rebuilt from the registers of a sample. 32- and 64-bit code. Addresses are known
 * for integer, x87, MMX and SSE up to SSE2. (Opcode maps: SDM vol. 2D appendix A.)
 *
 * It never returns a wrong address: where it is not certain, the result is unknown. This applies to VEX,
 * EVEX, XOP and REX2, 16-bit addressing, FS and GS (samples do not hold their bases), instructions with more
 * accesses than it can represent (PUSHA, far transfers, FXSAVE, MASKMOVQ), the three-byte opcode maps, and
 * instructions that do not access memory. Segments other than FS and GS are assumed to be flat, as all of
 * this kernel's are.
 *
 * A kernel decodes code of its own mode only: in the other mode everything is unknown. The host decodes both.
 */
#pragma once
#include "pmu/sample.h"
#include <stdbool.h>

#define DECODE_MAX_BYTES 15 /* no instruction is longer: SDM vol. 2A section 2.3.11 */

/* How to interpret the registers of a sample, and which access to return. */
enum decode_how {
    /* The registers are those before the instruction. So are those of an interrupt that returns to it, and of
     * NetBurst's PEBS: "nominally", with cases "in a partially modified state" (SDM vol. 3B section 17.4.9);
     * since Nehalem PEBS stores the registers after it, and the address of the next instruction (section
     * 18.8.1.1). Without this flag the registers are those after it: an address whose base or index the
     * instruction may have overwritten (mov (%eax),%eax) is then unknown. */
    DECODE_BEFORE = 1 << 0,
    /* An instruction may have two addresses (MOVS, PUSH m, CALL m): the one that it loads from or the one
     * that it stores to. Neither flag or both: any; unknown where there are two. */
    DECODE_LOADS = 1 << 1,
    DECODE_STORES = 1 << 2,
};

/* The length of the instruction at code, of which len bytes can be read; 0: unknown, or truncated. */
unsigned decode_length(const uint8_t *code, unsigned len, bool long_mode);

/* The access of the instruction at code (at linear address s->ip, of which len bytes can be read) with the
 * registers of s: its address and its width in bytes. how: enum decode_how. False: unknown, or there is no
 * such access; *address and *bytes are then unchanged. Needs SAMPLE_IP and SAMPLE_REGS. */
bool decode_access(const uint8_t *code, unsigned len, bool long_mode, const struct sample *s, unsigned how,
                   uint64_t *address, uint8_t *bytes);

/* Where control goes on after an instruction. */
enum decode_flow {
    FLOW_UNKNOWN,  /* it cannot be decoded */
    FLOW_ON,       /* at the one behind it */
    FLOW_MAYBE,    /* there, or at *target: Jcc, LOOP, JECXZ */
    FLOW_REPEATED, /* there, or at itself again: a string instruction with REP */
    FLOW_JUMP,     /* at *target */
    FLOW_CALL,     /* at *target, from where it comes back */
    FLOW_INDIRECT, /* a jump to where a register or memory says, or of a size that is not decoded */
    FLOW_AWAY,     /* elsewhere: RET, an indirect CALL, far transfers, INT, SYSCALL */
};

/* Of the instruction at code, at linear address ip. Other arguments as above; *length is 0 with FLOW_UNKNOWN;
 * *target is set with FLOW_MAYBE, FLOW_JUMP and FLOW_CALL. */
enum decode_flow decode_flow(const uint8_t *code, unsigned len, bool long_mode, uint64_t ip, unsigned *length,
                             uint64_t *target);
