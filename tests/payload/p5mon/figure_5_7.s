# Figure 5.7: a region around a loop that has two exits.
    .globl main
.LC0:
    .string "%d\n"
main:
    call p5mon_asm_init
    pushl %ebp
    movl %esp,%ebp
    xorl %ecx,%ecx
    movl $9,%eax
    .align 4
.L11:
    call p5mon_asm_begreg_0
    incl %edx
    addl $2,%ecx
    jns .L15                # This will exit loop
    decl %eax
    call p5mon_asm_endreg_0 # before loopback edge
    jns .L11                # Loopback edge
    pushl %edx
    pushl $.LC0
    call printf
    jmp .L20
.L15:
    call p5mon_asm_endreg_0 # Exit target
    pushl %ecx
    pushl $.LC0
    call printf
.L20:
    xorl %eax,%eax
    leave
    ret
