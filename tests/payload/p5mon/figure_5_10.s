# Figure 5.10: program 1.
    .globl main
main:
    call p5mon_asm_init
    call p5mon_asm_begreg_0
    pushl %ebp
    movl %esp,%ebp
    movl $99,%eax
    .align 4
.L11:
    incl %edx
    decl %eax
    jns .L11
    xorl %eax,%eax
    leave
    call p5mon_asm_endreg_0
    ret
