/* Payloads that read one counter and do nothing else: void preset_markN_READER(struct preset_mark *mark). Their
 * reading comes after N times the same few instructions, so that the difference of two says what these
 * count. They lie with the payloads, behind all of them (linker.ld).
 */
#include "kernel/selectors.h"

    .macro READ_rdpmc
    rdpmc
    .endm

    .macro READ_rdmsr
    rdmsr
    .endm

    .macro READ_gate
    lcall $SEL_GATE, $0
    .endm

#ifdef __x86_64__
    .macro LOAD
    movl (%rdi), %ecx
    .endm
    .macro KEEP
    movl %eax, 8(%rdi)
    movl %edx, 12(%rdi)
    .endm
#else
    .macro LOAD
    movl 4(%esp), %ecx
    movl (%ecx), %ecx
    .endm
    .macro KEEP
    movl 4(%esp), %ecx
    movl %eax, 8(%ecx)
    movl %edx, 12(%ecx)
    .endm
#endif

    .macro MARKS reader
    .globl preset_mark1_\reader
    .balign 64
preset_mark1_\reader:
    LOAD
    READ_\reader
    KEEP
    ret
    .globl preset_mark2_\reader
    .balign 64
preset_mark2_\reader:
    LOAD
    LOAD
    READ_\reader
    KEEP
    ret
    .endm

    .section .payload.marks, "ax"
    MARKS rdmsr
#ifndef __x86_64__
    MARKS gate
#endif
    .globl preset_empty
    .balign 64
preset_empty:
    ret

    .section .text.isa.rdpmc_marks, "ax"
    MARKS rdpmc

    .section .note.GNU-stack, "", @progbits
