# Figure 5.8: three regions that do not overlap.
    .globl main
.LC0:
    .string "%d\n"
main:
    call p5mon_asm_init
    call p5mon_asm_begreg_0
    pushl %ebp
    movl %esp,%ebp
    xorl %ecx,%ecx
    movl $9,%eax
    call p5mon_asm_endreg_0
    .align 4
.L11:
    call p5mon_asm_begreg_1
    incl %edx
    addl $2,%ecx
    jns .L15                # This will exit loop
    decl %eax
    call p5mon_asm_endreg_1 # Exit target 1
    jns .L11                # Loop backedge
    call p5mon_asm_begreg_2
    pushl %edx
    pushl $.LC0
    call printf
    jmp .L20
.L15:
    call p5mon_asm_endreg_1 # Exit target 2
    call p5mon_asm_begreg_2
    pushl %ecx
    pushl $.LC0
    call printf
.L20:
    xorl %eax,%eax
    leave
    call p5mon_asm_endreg_2
    ret
