/* To ring 3 and back. fn returns to user_done, whose INT comes back through vector_user_return.
 *
 * Any code at ring 3 can execute INT 80h. The gate takes only the INT of user_done, from CPL 3, with the stack
 * pointer that fn's return leaves. All else is #GP at that INT (vector_user_refused in vectors.S), as the INT of a
 * gate for CPL 0 is. Checks come after the bracket's last reading, and their jumps are not taken. */
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
    movq %rdi, %gs:PERCPU_USER_BACK
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
vector_user_return: /* on the stack: RIP, CS, RFLAGS, RSP, SS */
    cmpq $user_done_next, (%rsp)
    jne vector_user_refused
    cmpq $SEL_USER_CODE, 8(%rsp)
    jne vector_user_refused
    swapgs
    pushq %rax
    movq 32(%rsp), %rax
    cmpq %gs:PERCPU_USER_BACK, %rax
    popq %rax
    jne vector_user_refused_swapped
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
    leal -12(%ecx), %ecx
    movl %ecx, %gs:PERCPU_USER_BACK
    leal -4(%ecx), %ecx
    movl $user_done, (%ecx)
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
vector_user_return: /* on the stack: EIP, CS, EFLAGS, and from CPL 3 ESP, SS */
    cmpl $user_done_next, (%esp)
    jne vector_user_refused
    cmpw $SEL_USER_CODE, 4(%esp) /* the upper half of a selector that was pushed is undefined on some CPUs */
    jne vector_user_refused
    pushl %eax
    movl $SEL_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl $SEL_CPU, %eax
    movl %eax, %gs
    movl 16(%esp), %eax
    cmpl %gs:PERCPU_USER_BACK, %eax
    popl %eax
    jne vector_user_refused
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
user_done_next:

    .section .note.GNU-stack, "", @progbits
