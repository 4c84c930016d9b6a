/* Instructions that may fault, with recovery: RDMSR, WRMSR and RDPMC under the exception table, and the test
 * for CPUID. Many MSRs that are known to exist, quickly. */

    .macro EXTABLE fault, fixup
    .pushsection .extable, "a"
    .long \fault, \fixup
    .popsection
    .endm

    /* RDMSR of 32 MSRs from ECX on, to eight bytes each from REG on: 16 bytes of code for one, so that a jump
     * into it reads fewer. */
    .macro RDMSRS reg
    .set at, 0
    .rept 32
    rdmsr
    {disp32} movl %eax, at(\reg)
    {disp32} movl %edx, at + 4(\reg)
    .byte 0xff, 0xc1 /* incl %ecx, in two bytes */
    .set at, at + 8
    .endr
    .endm

    .text
#ifdef __x86_64__

    .globl hw_rdmsrs /* void hw_rdmsrs(uint32_t first, unsigned n, uint64_t *to) */
hw_rdmsrs:
    movl %edi, %ecx
    movl $32, %edi
    subl %esi, %edi /* to be left out */
    movl %edi, %esi
    shll $3, %edi
    subq %rdi, %rdx
    shll $4, %esi
    addl $1f, %esi
    movq %rdx, %rdi
    jmp *%rsi
1:  RDMSRS %rdi
    ret

    .globl rdmsr_safe /* bool rdmsr_safe(uint32_t msr, uint64_t *value) */
rdmsr_safe:
    movl %edi, %ecx
1:  rdmsr
    movl %eax, (%rsi)
    movl %edx, 4(%rsi)
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault

    .globl wrmsr_safe /* bool wrmsr_safe(uint32_t msr, uint64_t value) */
wrmsr_safe:
    movl %edi, %ecx
    movl %esi, %eax
    movq %rsi, %rdx
    shrq $32, %rdx
1:  wrmsr
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault

    .section .text.isa.rdpmc, "ax"
    .globl rdpmc_safe /* bool rdpmc_safe(uint32_t counter, uint64_t *value) */
rdpmc_safe:
    movl %edi, %ecx
1:  rdpmc
    movl %eax, (%rsi)
    movl %edx, 4(%rsi)
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault
    .text

    .globl cpuid_present
cpuid_present: /* always, in long mode */
    movl $1, %eax
    ret

#else

    .globl hw_rdmsrs
hw_rdmsrs:
    pushl %edi
    movl 8(%esp), %ecx
    movl $32, %eax
    subl 12(%esp), %eax
    movl 16(%esp), %edi
    leal (,%eax,8), %edx
    subl %edx, %edi
    shll $4, %eax
    addl $1f, %eax
    jmp *%eax
1:  RDMSRS %edi
    popl %edi
    ret

    .globl rdmsr_safe
rdmsr_safe:
    movl 4(%esp), %ecx
1:  rdmsr
    movl 8(%esp), %ecx
    movl %eax, (%ecx)
    movl %edx, 4(%ecx)
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault

    .globl wrmsr_safe
wrmsr_safe:
    movl 4(%esp), %ecx
    movl 8(%esp), %eax
    movl 12(%esp), %edx
1:  wrmsr
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault

    .section .text.isa.rdpmc, "ax"
    .globl rdpmc_safe
rdpmc_safe:
    movl 4(%esp), %ecx
1:  rdpmc
    movl 8(%esp), %ecx
    movl %eax, (%ecx)
    movl %edx, 4(%ecx)
    movl $1, %eax
    ret
    EXTABLE 1b, msr_fault
    .text

    .globl cpuid_present /* EFLAGS.ID (bit 21) can be toggled: SDM vol. 1 20.1.2 */
cpuid_present:
    pushfl
    popl %eax
    movl %eax, %ecx
    xorl $(1 << 21), %eax
    pushl %eax
    popfl
    pushfl
    popl %eax
    xorl %ecx, %eax
    shrl $21, %eax
    andl $1, %eax
    ret

#endif
msr_fault:
    xorl %eax, %eax
    ret

    .section .note.GNU-stack, "", @progbits
