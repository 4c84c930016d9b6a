# A loop's way out without an end-region call, as the thesis warns of (5.4.2): entered twice, exited once.
        .text
        .globl main
main:
        call p5mon_asm_init
        call p5mon_asm_begreg_0
        call p5mon_asm_endreg_0
        call p5mon_asm_begreg_0
        xorl %eax, %eax
        ret
