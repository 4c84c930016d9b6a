/* To ring 3 and back. fn returns to user_done, whose INT returns through vector_user_return. */
#include "kernel/percpu.h"

#ifdef __x86_64__

#define MSR_KERNEL_GS_BASE 0xc0000102

    .section .text.repeated, "ax"
    .globl user_call /* rdi top, rsi fn, rdx a, rcx b, r8 c */
user_call:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, %gs:PERCPU_USER_SP
    movq %rdi, %r10
    movq %rdx, %rdi
    movq %rcx, %r11
    /* IRET to ring 3 makes GS null; the entry from there swaps this one in. */
    movl $MSR_KERNEL_GS_BASE, %ecx
    movq %gs:PERCPU_SELF, %rax
    movq %rax, %rdx
    shrq $32, %rdx
    wrmsr
    subq $8, %r10
    movq $user_done, (%r10)
    pushq $SEL_USER_DATA
    pushq %r10
    pushq %gs:PERCPU_USER_FLAGS
    pushq $SEL_USER_CODE
    pushq %rsi
    movq %r11, %rsi
    movq %r8, %rdx
    iretq

    .globl vector_user_return
vector_user_return:
    swapgs
    movq %gs:PERCPU_USER_SP, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

#else

    .section .text.repeated, "ax"
    .globl user_call
user_call:
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl %esp, %gs:PERCPU_USER_SP
    movl 20(%esp), %ecx /* top */
    movl 24(%esp), %edx /* fn */
    movl 36(%esp), %eax
    movl %eax, -4(%ecx)
    movl 32(%esp), %eax
    movl %eax, -8(%ecx)
    movl 28(%esp), %eax
    movl %eax, -12(%ecx)
    movl $user_done, -16(%ecx)
    leal -16(%ecx), %ecx
    pushl $SEL_USER_DATA
    pushl %ecx
    pushl %gs:PERCPU_USER_FLAGS
    pushl $SEL_USER_CODE
    pushl %edx
    movl $SEL_USER_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    iret

    .globl vector_user_return
vector_user_return:
    movl $SEL_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl $SEL_CPU, %eax
    movl %eax, %gs
    movl %gs:PERCPU_USER_SP, %esp
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    ret

    .globl gate_rdmsr /* the call gate: RDMSR of ECX for ring 3 */
gate_rdmsr:
    rdmsr
    lret

#endif

    .section .payload.bracket, "ax"
    .globl user_done
user_done:
    int $VECTOR_USER_RETURN

    .section .note.GNU-stack, "", @progbits
