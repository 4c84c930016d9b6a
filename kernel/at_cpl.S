/* lab_at_cpl() of include/anechoic/experiment.h, in assembly so that its length does not depend on a compiler. */
#ifdef __x86_64__

    .text
    .globl lab_at_cpl /* rdi lab, whose first member is the stack's top; esi cpl, rdx fn, rcx arg */
lab_at_cpl:
    testl %esi, %esi
    jnz 1f
    movq %rcx, %rdi
    jmp *%rdx
1:
    movq (%rdi), %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    call user_call
    .globl lab_at_cpl_ret /* for tests/boot/cases/lab.sh */
lab_at_cpl_ret:
    ret

#else

    .text
    .globl lab_at_cpl
lab_at_cpl:
    movl 16(%esp), %ecx /* arg */
    movl 12(%esp), %edx /* fn */
    cmpl $0, 8(%esp)
    jne 1f
    movl %ecx, 4(%esp)
    jmp *%edx
1:
    movl 4(%esp), %eax /* lab */
    pushl $0
    pushl $0
    pushl %ecx
    pushl %edx
    pushl (%eax)
    call user_call
    addl $20, %esp
    .globl lab_at_cpl_ret
lab_at_cpl_ret:
    ret

#endif
    .section .note.GNU-stack, "", @progbits
