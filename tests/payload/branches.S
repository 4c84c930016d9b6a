/* Transfers of control of each kind at ring 3, in a pattern that repeats only after a long while: for
 * branches=lbr (tests/boot/cases/branches.sh). 64 bits. */
    .macro FUNCTION name
    .text
    .globl \name
    .type \name, @function
\name:
    .endm

/* void branches(long n): n turns. */
FUNCTION branches
    pushq %rbx
    pushq %r12
    movq %rdi, %r12
    movl $1, %ebx
turn:
    imull $1664525, %ebx, %ebx
    addl $1013904223, %ebx
    call leaf
    movl %ebx, %edi
    shrl $30, %edi
    call recurse
    leaq leaf(%rip), %rax
    call *%rax
    testl $0x10000000, %ebx
    jz 1f
    nop
    jmp 2f
1:  leaq 2f(%rip), %rax
    jmp *%rax
2:  testl $0x20000000, %ebx
    jnz 3f
    movl %cs, %ecx /* a far return to the same level */
    leaq 3f(%rip), %rax
    pushq %rcx
    pushq %rax
    lretq
3:  call outer
    decq %r12
    jnz turn
    popq %r12
    popq %rbx
    ret
    .size branches, . - branches

/* As deep as EDI says, 0 to 3. */
FUNCTION recurse
    testl %edi, %edi
    jz 1f
    decl %edi
    call recurse
1:  ret
    .size recurse, . - recurse

FUNCTION outer
    call inner
    call inner
    ret
    .size outer, . - outer

/* Takes as long as it must for most samples of a clock to come here. */
FUNCTION inner
    movl $20, %ecx
1:  decl %ecx
    jnz 1b
    ret
    .size inner, . - inner

FUNCTION leaf
    nop
    ret
    .size leaf, . - leaf

    .section .note.GNU-stack, "", @progbits
