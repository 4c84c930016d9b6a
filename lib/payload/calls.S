/* The kernel's functions, for a module with benchmarks: each is a JMP through a table that the kernel fills in
 * when it loads the module (include/anechoic/calls.h). Weak, so that a module may have one of its own.
 *
 *     anechoic_calls   the table; its place is in the module */
#include <anechoic/calls.h>

#ifdef __x86_64__
#define WORD 8
#define JUMP(place) jmp *place(%rip)
#else
#define WORD 4
#define JUMP(place) jmp *place
#endif

    .section .bss.anechoic_calls, "aw", @nobits
    .balign 8
    .globl anechoic_calls
    .hidden anechoic_calls
    .type anechoic_calls, @object
    .size anechoic_calls, WORD * ANECHOIC_CALLS_N
anechoic_calls:
    .skip WORD * ANECHOIC_CALLS_N

    .macro CALL name
    .section .text.anechoic_call.\name, "ax", @progbits
    .weak \name
    .hidden \name
    .type \name, @function
\name:
    JUMP(anechoic_calls + at)
    .size \name, . - \name
    .set at, at + WORD
    .endm

    .set at, 0
#define EACH(name) CALL name;
    ANECHOIC_CALLS(EACH)
    .section .note.GNU-stack, "", @progbits
