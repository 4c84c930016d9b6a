# Figure 5.6: one region around the entire program.
    .globl main
.LC0:
    .string "%d\n"
main:
    call p5mon_asm_init
    call p5mon_asm_begreg_0
    pushl %ebp
    movl %esp,%ebp
    movl $9,%eax
    .align 4
.L11:
    addl $2,%edx
    decl %eax
    jns .L11
    pushl %edx
    pushl $.LC0
    call printf
    xorl %eax,%eax
    leave
    call p5mon_asm_endreg_0
    ret
