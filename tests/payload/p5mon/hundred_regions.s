# All regions that there are: 0 to 99, one after the other, each with a jump (thesis, 4.2.2).
        .intel_syntax noprefix
        .text
        .globl main
main:
        call p5mon_asm_init
        .altmacro
        .macro region n
        call p5mon_asm_begreg_\n
        jmp 1f
1:      call p5mon_asm_endreg_\n
        .endm
        .set i, 0
        .rept 100
        region %i
        .set i, i + 1
        .endr
        xor eax, eax
        ret
