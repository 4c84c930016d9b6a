/* Where a call of a program begins that prints or that may end before it returns: what the kernel calls instead of
 * the user's function. It counts 18 instructions, each time the same.
 *
 *     anechoic_enter   the user's function; the kernel writes its address here
 *     anechoic_output  struct module_output of include/anechoic/module.h
 *     anechoic_end     ends the call from wherever it is, as if the function had returned
 *
 * "R": the linker keeps it, though nothing refers to it. */
#include "lib/payload/output.h"

    .bss
    .balign 64
    .globl anechoic_enter, anechoic_output
    .hidden anechoic_enter, anechoic_output
anechoic_enter:
    .skip 8
stack:
    .skip 8
anechoic_output:
    .skip OUTPUT_SIZE

    .section .text.anechoic_start, "axR", @progbits
    .globl anechoic_start, anechoic_end
    .hidden anechoic_start, anechoic_end
    .type anechoic_start, @function
    .type anechoic_end, @function
#ifdef __x86_64__
anechoic_start:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp /* aligned to 16 at the call */
    mov %rsp, stack(%rip)
    movl $0, anechoic_output + OUTPUT_BYTES(%rip)
    call *anechoic_enter(%rip)
leave:
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size anechoic_start, . - anechoic_start

anechoic_end:
    cld
    cmpq $0, stack(%rip)
    je nowhere
    mov stack(%rip), %rsp
    jmp leave
#else
    .macro PLACE /* EBX = the table of addresses */
    call 1f
1:  pop %ebx
    add $_GLOBAL_OFFSET_TABLE_ + (. - 1b), %ebx
    .endm

anechoic_start:
    mov 4(%esp), %eax
    push %ebx
    push %ebp
    push %esi
    push %edi
    PLACE
    push %eax
    mov %esp, stack@GOTOFF(%ebx)
    movl $0, anechoic_output@GOTOFF + OUTPUT_BYTES(%ebx)
    call *anechoic_enter@GOTOFF(%ebx)
leave:
    pop %eax
    pop %edi
    pop %esi
    pop %ebp
    pop %ebx
    ret
    .size anechoic_start, . - anechoic_start

anechoic_end:
    cld
    PLACE
    cmpl $0, stack@GOTOFF(%ebx)
    je nowhere
    mov stack@GOTOFF(%ebx), %esp
    jmp leave
#endif
nowhere: /* in a benchmark with a descriptor, which did not begin here: it ends as by any exception */
    ud2
    .size anechoic_end, . - anechoic_end
    .section .note.GNU-stack, "", @progbits
