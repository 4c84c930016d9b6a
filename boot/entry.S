/* The loader jumps here: 32-bit protected mode, paging off, EAX = multiboot magic, EBX = information. The
 * i586 kernel stays there; the x86_64 kernel goes on to long mode. Both end in kernel_main(magic, info). */

#define CR0_PG  (1 << 31)
#define CR0_MP  (1 << 1)
#define CR0_EM  (1 << 2)
#define CR0_TS  (1 << 3)
#define CR4_PAE (1 << 5)
#define CR4_OSFXSR     (1 << 9)
#define CR4_OSXMMEXCPT (1 << 10)
#define EFER    0xc0000080
#define EFER_LME (1 << 8)
#define EFLAGS_ID (1 << 21)
#define PTE_P_RW   0x03
#define PTE_PS     0x80

    .section .text.boot, "ax"
    .code32
    .globl entry
entry:
    cli
    cld
    movl $boot_stack_top, %esp
    movl %eax, %esi
    movl %ebx, %edi
    movl %cr0, %eax     /* multiboot leaves EM and TS undefined, and printing uses the FPU */
    andl $~(CR0_EM | CR0_TS), %eax
    movl %eax, %cr0
    lgdt boot_gdtr
    ljmp $0x08, $1f
1:  movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss

#ifndef __x86_64__
    pushl $0            /* keeps the stack aligned as the ABI has it at a call */
    pushl $0
    pushl %edi
    pushl %esi
    call kernel_main
#else
    /* Enter long mode, or refuse clearly: CPUID by EFLAGS.ID, then leaf 80000001h EDX[29] (SDM vol. 3A
     * 9.8.5). */
    pushfl
    popl %eax
    movl %eax, %ecx
    xorl $EFLAGS_ID, %eax
    pushl %eax
    popfl
    pushfl
    popl %eax
    xorl %ecx, %eax
    testl $EFLAGS_ID, %eax
    jz refuse
    movl $0x80000000, %eax
    cpuid
    cmpl $0x80000001, %eax
    jb refuse
    movl $0x80000001, %eax
    cpuid
    btl $29, %edx
    jnc refuse
    movl $1, %eax       /* FXSR, SSE, SSE2 (leaf 1 EDX[26:24]): part of the architecture, but a hypervisor may hide them */
    cpuid
    andl $7 << 24, %edx
    cmpl $7 << 24, %edx
    jne refuse

    /* Identity map of the first 4 GiB in 2 MiB pages, but of the first 4 MiB in small ones; kernel/paging.c
     * refines it. */
    movl $boot_pdpt + PTE_P_RW, boot_pml4
    movl $boot_pd + PTE_P_RW, %eax
    movl $boot_pdpt, %ebx
    movl $4, %ecx
2:  movl %eax, (%ebx)
    addl $4096, %eax
    addl $8, %ebx
    loop 2b
    movl $PTE_P_RW | PTE_PS, %eax
    movl $boot_pd, %ebx
    movl $4 * 512, %ecx
3:  movl %eax, (%ebx)
    addl $0x200000, %eax
    addl $8, %ebx
    loop 3b
    movl $PTE_P_RW, %eax
    movl $boot_pt, %ebx
    movl $2 * 512, %ecx
4:  movl %eax, (%ebx)
    addl $4096, %eax
    addl $8, %ebx
    loop 4b
    movl $boot_pt + PTE_P_RW, boot_pd
    movl $boot_pt + 4096 + PTE_P_RW, boot_pd + 8

    movl $CR4_PAE, %eax /* nothing inherited: firmware may have left five-level paging on */
    movl %eax, %cr4
    movl $boot_pml4, %eax
    movl %eax, %cr3
    movl $EFER, %ecx
    rdmsr
    orl $EFER_LME, %eax
    wrmsr
    movl %cr0, %eax
    orl $CR0_PG, %eax
    movl %eax, %cr0
    ljmp $0x18, $long_mode

refuse: /* esi = magic, edi = information */
    subl $8, %esp
    pushl %edi
    pushl %esi
    call boot32_refuse_no_long_mode

    .code64
long_mode:
    movl $boot_stack_top, %esp
    movq %cr0, %rax             /* SSE2 is part of the architecture here and GCC uses it from the first function */
    andq $~(CR0_EM | CR0_TS), %rax
    orq $CR0_MP, %rax
    movq %rax, %cr0
    movq %cr4, %rax
    orq $CR4_OSFXSR | CR4_OSXMMEXCPT, %rax
    movq %rax, %cr4
    xorl %ebp, %ebp
    xchgl %esi, %edi /* edi = magic, esi = information: already the ABI's first two arguments */
    call kernel_main
#endif
3:  hlt
    jmp 3b

    .section .rodata.boot, "a"
    .align 8
    .globl boot_gdt /* for other processors too (kernel/ap_start.S) */
boot_gdt:
    .quad 0
    .quad 0x00cf9a000000ffff /* 08h: 32-bit code */
    .quad 0x00cf92000000ffff /* 10h: data */
    .quad 0x00af9a000000ffff /* 18h: 64-bit code */
boot_gdtr:
    .short . - boot_gdt - 1
    .long boot_gdt

    .section .bss.boot, "aw", @nobits
    .align 4096
    .skip 8192 /* until the CPU's own stack is in place */
boot_stack_top:

    .section .note.GNU-stack, "", @progbits
