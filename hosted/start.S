/* Where Linux starts the program; system calls; a thread's beginning; payloads in the place of ring 3. */
#include "hosted/gate.h"
#include "kernel/percpu.h"
#include <asm/prctl.h>
#include <asm/unistd.h>

    .text
    .globl hosted_start /* the stack has argc, argv, the environment and the auxiliary vector */
hosted_start:
    movq %rsp, %rdi
    xorl %ebp, %ebp
    andq $-16, %rsp
    call hosted_main
    ud2

    /* The gate is open for the one instruction. Code that jumps here to make a call of its own does not return to
     * the kernel's text, and ends here; a jump to the instruction itself finds the gate closed. */
    .macro SYSTEM_CALL
    movb $GATE_OPEN, %gs:GATE_AT
    syscall
    movb $GATE_CLOSED, %gs:GATE_AT
    .endm
    .macro CHECK_CALLER scratch
    movq (%rsp), \scratch
    cmpq $user_text_end, \scratch
    jb 9f
    cmpq $kernel_text_end, \scratch
    jae 9f
    .endm

    .globl sys_call /* long sys_call(long number, a, b, c, d, e, f) */
sys_call:
    CHECK_CALLER %rax
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    SYSTEM_CALL
    ret
9:  ud2

    .globl sys_thread /* long sys_thread(unsigned long flags, void *top, void (*fn)(void *), void *arg) */
sys_thread:
    CHECK_CALLER %rax
    movq %rdx, -16(%rsi)
    movq %rcx, -8(%rsi)
    subq $16, %rsi
    xorl %edx, %edx
    xorl %r10d, %r10d
    movl $__NR_clone, %eax
    SYSTEM_CALL
    testq %rax, %rax
    jz 1f
    ret
1:  popq %rax
    popq %rdi
    call *%rax
9:  ud2

    /* These two pass in any case (hosted/calls.c): back from a signal, and GS, without which the gate is not found. */
    .globl sys_sigreturn, sys_set_gs, sys_free_end
sys_sigreturn:
    movl $__NR_rt_sigreturn, %eax
    syscall
sys_set_gs: /* void sys_set_gs(struct percpu *cpu) */
    movq %rdi, %rsi
    movl $ARCH_SET_GS, %edi
    movl $__NR_arch_prctl, %eax
    syscall
    ret /* Linux looks at the address behind SYSCALL, which must be one of these, too */
sys_free_end:

    /* Where a restartable sequence goes on that is broken off. Ours is never executed, so nothing does. */
    .long 0x53053053 /* RSEQ_SIG */
    .globl rseq_abort
rseq_abort:
    ud2

    .section .text.repeated, "ax"
    .globl user_call /* rdi top, rsi fn, rdx a, rcx b, r8 c: kernel/user.h */
user_call:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    /* Above the payload's stack (hosted/memory.c), since GS, which leads to the processor's block, may be the
     * payload's when it has returned. */
    movq %rsp, (%rdi)
    leaq -8(%rdi), %rsp
    movq $user_done, (%rsp)
    movq %rsi, %rax
    movq %rdx, %rdi
    movq %rcx, %rsi
    movq %r8, %rdx
    jmp *%rax

    .section .payload.bracket, "ax"
    .globl user_done
user_done:
    movq (%rsp), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

    .section .note.GNU-stack, "", @progbits
