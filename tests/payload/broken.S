/* Programs that trap, that never return, and that leave segment registers changed: one an entry. The boots named
 * payload-broken run each at both rings. */
#ifdef __x86_64__
#define AX %rax
#define SP %rsp
#else
#define AX %eax
#define SP %esp
#endif

    .macro PROGRAM name
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .endm

    .text
PROGRAM fine
    ret

    /* ---- traps ---- */
PROGRAM undefined
    ud2
PROGRAM nowhere
    xor %eax, %eax
    mov %eax, 16(AX)
    ret
PROGRAM divided
    xor %ecx, %ecx
    div %ecx
    ret
PROGRAM protected
    mov $0xfff8, %eax
    mov %eax, %es
    ret
PROGRAM breakpoint
    int3
    ret
PROGRAM single
#ifdef __x86_64__
    pushfq
    orl $0x100, (%rsp)
    popfq
#else
    pushfl
    orl $0x100, (%esp)
    popfl
#endif
    nop
    ret
PROGRAM stackless
    mov $8, SP
    push AX
    ret
PROGRAM overwrites /* where it returns to */
    movl $0x10, (SP)
    ret
PROGRAM recurses
    call recurses
    ret

    /* ---- runaways ---- */
PROGRAM spins
    jmp .
PROGRAM deaf
    cli
    jmp .
PROGRAM sleeps
    cli
1:  hlt
    jmp 1b

    /* ---- segment registers, of the 32-bit kernel ---- */
#ifndef __x86_64__
PROGRAM changes
    xor %eax, %eax
    mov %eax, %fs
    mov %eax, %gs
    ret
PROGRAM spoils
    xor %eax, %eax
    mov %eax, %es
    mov %eax, %ds
    ret
PROGRAM looks /* #UD where they are not all usable, or not the kernel's (at ring 0) */
    mov %ds, %eax
    mov %es, %ecx
    mov %fs, %edx
    cmp %ax, %cx
    jne 1f
    cmp %ax, %dx
    jne 1f
    mov %gs, %ecx
    test %cx, %cx
    je 1f
    ret
1:  ud2
#endif
    .section .note.GNU-stack, "", @progbits
