/* A processor starts here after INIT and STARTUP: real mode, in the page that the vector names (SDM vol. 3A
 * 8.4). It goes the way of boot/entry.S, on the first stack that it finds, and ends in ap_main(). */

#define CR0_PE 1
#define CR0_EM (1 << 2)
#define CR0_TS (1 << 3)
#define EFER   0xc0000080

    /* Copied to the page that start_page_find() returned; CS is the page, DS is not set yet. As data, since it is
     * 16-bit code. */
    .section .rodata.ap, "a"
    .code16
    .globl ap_page, ap_page_end
ap_page:
    cli
    cld
    lgdtl %cs:ap_gdtr - ap_page
    movl %cr0, %eax
    andl $~(CR0_EM | CR0_TS), %eax
    orl $CR0_PE, %eax
    movl %eax, %cr0
    ljmpl $0x08, $ap_protected
    .balign 4
ap_gdtr:
    .short 4 * 8 - 1
    .long boot_gdt
ap_page_end:

    .section .text.boot, "ax"
    .code32
ap_protected:
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss
    xorl %eax, %eax
    xchgl %eax, ap_stack
    testl %eax, %eax
    jz nobody_waits
    movl %eax, %esp
#ifndef __x86_64__
    call ap_main
#else
    movl ap_cr4, %eax
    movl %eax, %cr4
    movl $boot_pml4, %eax
    movl %eax, %cr3
    movl $EFER, %ecx
    movl ap_efer, %eax
    xorl %edx, %edx
    wrmsr
    movl %cr0, %eax
    orl ap_cr0, %eax
    movl %eax, %cr0
    ljmp $0x18, $ap_long
    .code64
ap_long:
    xorl %ebp, %ebp
    call ap_main
    .code32
#endif
nobody_waits:
    lock incl ap_uninvited
1:  cli
    hlt
    jmp 1b

    .section .note.GNU-stack, "", @progbits
