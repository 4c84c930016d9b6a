/* Entry of exceptions and interrupts: one stub per vector, and a common frame, struct trap_frame of
 * kernel/trap.h. */

#include "kernel/percpu.h"
#include "kernel/vectors.h"

    .section .text.vectors, "ax"

/* Vectors that push an error code: 8, 10-14, 17, 21, 29, 30 (SDM vol. 3A table 6-1, AMD APM vol. 2 8.2). */
#define HAS_ERROR_CODE ((1 << 8) | (1 << 10) | (1 << 11) | (1 << 12) | (1 << 13) | (1 << 14) | (1 << 17) | \
                        (1 << 21) | (1 << 29) | (1 << 30))

#ifdef __x86_64__
#define PUSH_IMM pushq
#else
#define PUSH_IMM pushl
#endif

    .macro STUB vector
    .balign 16
    .if \vector > 31
    PUSH_IMM $0
    .elseif (HAS_ERROR_CODE >> \vector) & 1
    .else
    PUSH_IMM $0
    .endif
    PUSH_IMM $\vector
    .if \vector == VECTOR_NMI || \vector == VECTOR_SAMPLE || \vector == VECTOR_PIC || \vector == VECTOR_PIC + 8
    jmp interrupt
    .elseif \vector < VECTORS_CPU || \vector == VECTOR_TIMER || \vector == VECTOR_TIMER_CALL
    jmp exception
    .elseif \vector == VECTOR_WAKE
    jmp wake
    .else
    jmp stray
    .endif
    .endm

    .balign 16
    .globl vector_stubs
vector_stubs: /* one for each vector, 16 bytes each */
    .altmacro
    .set i, 0
    .rept 256
    STUB %i
    .set i, i + 1
    .endr
    .noaltmacro

#ifdef __x86_64__
    /* Coming from ring 3, GS is not the kernel's. cs: offset of the interrupted code's CS from RSP. */
    .macro SWAPGS_FROM_USER cs
    testb $3, \cs(%rsp)
    jz .Lkernel\@
    swapgs
.Lkernel\@:
    .endm

    .macro PUSH_FRAME to /* a register that gets its address */
    pushq %r15
    pushq %r14
    pushq %r13
    pushq %r12
    pushq %r11
    pushq %r10
    pushq %r9
    pushq %r8
    pushq %rdi
    pushq %rsi
    pushq %rbp
    pushq 128(%rsp) /* the interrupted RSP, in its place in encoding order */
    pushq %rbx
    pushq %rdx
    pushq %rcx
    pushq %rax
    cld
    movq %rsp, \to
    subq $24, %rsp /* the CPU had aligned it to 16 before it pushed: an odd number of words so far */
    .endm

    .macro POP_FRAME
    addq $24, %rsp
    popq %rax
    popq %rcx
    popq %rdx
    popq %rbx
    popq %rbp /* rsp's place */
    popq %rbp
    popq %rsi
    popq %rdi
    popq %r8
    popq %r9
    popq %r10
    popq %r11
    popq %r12
    popq %r13
    popq %r14
    popq %r15
    addq $16, %rsp
    .endm

    /* The same after C, which has kept the other registers. */
    .macro POP_FRAME_KEPT
    addq $24, %rsp
    popq %rax
    popq %rcx
    popq %rdx
    addq $24, %rsp
    popq %rsi
    popq %rdi
    popq %r8
    popq %r9
    popq %r10
    popq %r11
    addq $48, %rsp
    .endm

    .macro HANDLER target
    SWAPGS_FROM_USER 24 /* followed by vector, error code, RIP */
    PUSH_FRAME %rdi
    call \target
    POP_FRAME
    SWAPGS_FROM_USER 8
    iretq
    .endm

exception: /* or what has to do with the timer that is asked for (kernel/timer.h) */
    HANDLER trap_dispatch

    /* INT 80h of another place than user_done (kernel/user.S): #GP at the INT, as if its gate had refused it. The
     * error code names the gate (SDM vol. 3A 6.13). */
    .globl vector_user_refused, vector_user_refused_swapped
vector_user_refused_swapped:
    swapgs
vector_user_refused:
    subq $INT_BYTES, (%rsp)
    pushq $ERROR_OF_GATE(VECTOR_USER_RETURN)
    pushq $VECTOR_GP
    jmp exception

stray: /* the APIC's spurious interrupt too */
    HANDLER trap_stray
wake:
    HANDLER trap_wake
interrupt: /* to the handler that is set: sampling's, whose instructions are counted. It uses no GS, which */
    PUSH_FRAME %rsi /* may be a payload's: the GDT tells whose CPU it is (handling_cpu() in kernel/trap.c) */
    sgdt 6(%rsp) /* limit, and base at 8 */
    movq 8(%rsp), %rax
    movq PERCPU_INTERRUPT_TO - PERCPU_GDT(%rax), %rdi
    call *PERCPU_INTERRUPT - PERCPU_GDT(%rax)
    POP_FRAME_KEPT
    iretq

#else
    .macro PUSH_FRAME
    pushal /* from ring 3, or from a payload that loads segments, no segment register is the kernel's */
    pushl %ds
    pushl %es
    pushl %fs
    pushl %gs
    movl $SEL_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl $SEL_CPU, %eax
    movl %eax, %gs
    cld
    .endm

    .macro POP_FRAME
    popl %gs
    popl %fs
    popl %es
    popl %ds
    popal
    addl $8, %esp
    .endm

    .macro HANDLER target
    PUSH_FRAME
    movl %ds, %eax
    movl %eax, %fs
    pushl %esp
    call \target
    popl %eax
    POP_FRAME
    iret
    .endm

exception: /* or what has to do with the timer that is asked for (kernel/timer.h) */
    HANDLER trap_dispatch

    .globl vector_user_refused
vector_user_refused: /* as above */
    subl $INT_BYTES, (%esp)
    pushl $ERROR_OF_GATE(VECTOR_USER_RETURN)
    pushl $VECTOR_GP
    jmp exception

stray: /* the APIC's spurious interrupt too */
    HANDLER trap_stray
wake:
    HANDLER trap_wake
interrupt: /* to the handler that is set: sampling's, whose instructions are counted. It uses no FS. */
    PUSH_FRAME
    movl %esp, %edx
    movl %gs:PERCPU_INTERRUPT_TO, %eax
    call *%gs:PERCPU_INTERRUPT
    POP_FRAME
    iret

    /* The double-fault task: record the state of the interrupted task, redirect it, switch back to it. The
     * error code lies on this stack, but not after INT 8: both come back to its top. The next double fault enters
     * after the IRET, hence the loop. */
    .globl double_fault_task
double_fault_task:
    addl $4, %esp
    andl $-16, %esp
    call trap_double_fault
    iret
    jmp double_fault_task
#endif

    .section .note.GNU-stack, "", @progbits
