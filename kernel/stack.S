/* Load descriptors, switch stacks: not possible in C. kernel/percpu.h */
    .text
#ifdef __x86_64__
    .globl gdt_load
gdt_load:
    lgdt (%rdi)
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss
    popq %rax
    pushq $0x08
    pushq %rax
    lretq

    .globl stack_switch
stack_switch: /* stack_switch(top, fn, arg): never returns */
    movq %rdi, %rsp
    xorl %ebp, %ebp
    movq %rdx, %rdi
    call *%rsi
    ud2
#else
    .globl gdt_load
gdt_load:
    movl 4(%esp), %eax
    lgdt (%eax)
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss
    ljmp $0x08, $1f
1:  ret

    .globl stack_switch
stack_switch: /* stack_switch(top, fn, arg): never returns */
    movl 4(%esp), %eax
    movl 8(%esp), %ecx
    movl 12(%esp), %edx
    movl %eax, %esp
    xorl %ebp, %ebp
    subl $12, %esp
    pushl %edx
    call *%ecx
1:  hlt
    jmp 1b
#endif

    .section .note.GNU-stack, "", @progbits
