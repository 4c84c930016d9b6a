/* The slots: see slots.h. In: BX points to the selects, SI (start) or BP (end) to the sums, each displaced as slots.h
 * says. Clobber EAX, ECX, EDX. The counter that is read first at the start is read last at the end.
 *
 * A label stands at each RDPMC, for the oracle's brackets: of n counters, counter i is read at
 * slots_start_J with J = 18 - n + i, and at slots_end_i. They may run at CPL 3 (linker.ld).
 */
#include "measure/slots.h"

#ifdef __x86_64__
#define BX %rbx
#define SI %rsi
#define BP %rbp
#else
#define BX %ebx
#define SI %esi
#define BP %ebp
#endif

    .section .text.isa.rdpmc, "ax"
    .globl slots_start
    .balign 64
slots_start:
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    movl SLOTS_SELECTS + 4 * \i(BX), %ecx
    .globl slots_start_\i
slots_start_\i:
    rdpmc
    subl %eax, SLOTS_SUMS + 8 * \i(SI)
    sbbl %edx, SLOTS_SUMS + 8 * \i + 4(SI)
    .endr
    .if . - slots_start - SLOTS_COUNTERS * SLOT_CODE
    .error "a slot is not SLOT_CODE bytes long"
    .endif
    ret

    .globl slots_end
    .balign 16
slots_end:
    .irp i, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
    movl SLOTS_SELECTS + 4 * \i(BX), %ecx
    .globl slots_end_\i
slots_end_\i:
    rdpmc
    addl %eax, SLOTS_SUMS + 8 * \i(BP)
    adcl %edx, SLOTS_SUMS + 8 * \i + 4(BP)
    .endr
    .if . - slots_end - SLOTS_COUNTERS * SLOT_CODE
    .error "a slot is not SLOT_CODE bytes long"
    .endif
    ret

    .globl slots_cpuid, slots_nothing
slots_cpuid:
    xorl %eax, %eax
    cpuid
slots_nothing:
    ret

    .section .text.isa.sse2, "ax"
    .globl slots_lfence
slots_lfence:
    lfence
    ret

    .section .text.isa.serialize, "ax"
    .globl slots_serialize
slots_serialize:
    .byte 0x0f, 0x01, 0xe8 /* SERIALIZE */
    ret

    .section .note.GNU-stack, "", @progbits
