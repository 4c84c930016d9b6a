/* libp5mon's markers of regions: p5mon_asm_begreg_0 to _99, p5mon_asm_endreg_0 to _99. All registers are kept, and the flags. Eight
 * instructions are inside of a region besides what the kernel subtracts, and they are always the same: two POP, POPF and RET
 * after the first reading, and CALL, PUSHF and two PUSH before the second one. */
#include <anechoic/region.h>

    /* As C's (anechoic/region.h); the kernel writes it. */
    .section .bss.anechoic_region_table, "aw", @nobits
    .balign 8
    .weak anechoic_region_table
    .hidden anechoic_region_table
    .type anechoic_region_table, @object
    .size anechoic_region_table, 8
anechoic_region_table:
    .skip 8

    .section .text.p5mon_asm_init, "ax", @progbits
    .globl p5mon_asm_init
    .type p5mon_asm_init, @function
p5mon_asm_init: /* the kernel has made the table already */
    ret
    .size p5mon_asm_init, . - p5mon_asm_init

    .macro MARKER name, which, id
    .section .text.p5mon_asm_\name\()reg_\id, "ax", @progbits
    .globl p5mon_asm_\name\()reg_\id
    .type p5mon_asm_\name\()reg_\id, @function
p5mon_asm_\name\()reg_\id:
#ifdef __x86_64__
    pushf
    push %rax
    push %rdx
    mov anechoic_region_table(%rip), %rax
    movl $\id, %edx
    call *\which(%rax)
    pop %rdx
    pop %rax
    popf
#else
    pushf
    push %eax
    push %edx
    mov anechoic_region_table, %eax
    movl $\id, %edx
    call *\which(%eax)
    pop %edx
    pop %eax
    popf
#endif
    ret
    .size p5mon_asm_\name\()reg_\id, . - p5mon_asm_\name\()reg_\id
    .endm

    .altmacro
    .set id, 0
    .rept REGIONS
    MARKER beg, TABLE_BEGIN, %id
    MARKER end, TABLE_END, %id
    .set id, id + 1
    .endr
    .section .note.GNU-stack, "", @progbits
