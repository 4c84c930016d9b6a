# Figure 5.11: program 2.
    .globl main
main:
    call p5mon_asm_init
    call p5mon_asm_begreg_0
    pushl %ebp
    movl %esp,%ebp
    subl $1024,%esp
    xorl %edx,%edx
    .align 4
.L16:
    incl -511(%ebp,%edx,4) # misaligned access
    incl %edx
    cmpl $2,%edx
    jle .L16
    .align 4
    leave
    call p5mon_asm_endreg_0
    ret
