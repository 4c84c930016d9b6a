/* void bracket_X(payload_fn *payload, void *arg, struct reading *out)
 *
 * Readings stay in registers that the payload must preserve until both have been taken. Between the two RDTSC of
 * an empty bracket lie 6 instructions, MOV MOV [fence] CALL RET [XOR] fence (the issue's limit is 8); a test
 * counts them. RDTSC clobbers EDX:EAX, CPUID also EBX and ECX.
 */

    .macro FENCE_CPUID
    xorl %eax, %eax /* leaf 0: leaf 1 costs ten times as much on some CPUs */
    cpuid
    .endm

    .macro FENCE_LFENCE
    lfence
    .endm

    .macro FENCE_SERIALIZE
    .byte 0x0f, 0x01, 0xe8 /* SERIALIZE, older assemblers do not know it */
    .endm

/* entry: fence at the start and the end; inner: fence after the first reading ("" for none: CPUID costs too much
 * there, and on the in-order CPUs that have nothing else it is not needed). */
    .macro BRACKET name, fence, inner
    .globl \name
    .balign 64
\name:
#ifdef __x86_64__
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    movq %rdi, %rbp
    movq %rsi, %rdi
    movq %rdx, %r14
    \fence
    rdtsc
    movl %eax, %r12d
    movl %edx, %r13d
    \inner
    call *%rbp
    \fence
    rdtsc
    movl %r12d, (%r14)
    movl %r13d, 4(%r14)
    movl %eax, 8(%r14)
    movl %edx, 12(%r14)
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
#else
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl 20(%esp), %ebp
    pushl 28(%esp)      /* out */
    pushl 28(%esp)      /* arg, as pushed above it has moved by 4 */
    \fence
    rdtsc
    movl %eax, %esi
    movl %edx, %edi
    \inner
    call *%ebp
    \fence
    rdtsc
    popl %ecx           /* arg */
    popl %ecx           /* out */
    movl %esi, (%ecx)
    movl %edi, 4(%ecx)
    movl %eax, 8(%ecx)
    movl %edx, 12(%ecx)
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    ret
#endif
    .endm

    .text
    BRACKET bracket_cpuid, FENCE_CPUID

    .section .text.isa.sse2, "ax"
    BRACKET bracket_lfence, FENCE_LFENCE, FENCE_LFENCE

    .section .text.isa.serialize, "ax"
    BRACKET bracket_serialize, FENCE_SERIALIZE, FENCE_SERIALIZE

    .section .note.GNU-stack, "", @progbits
