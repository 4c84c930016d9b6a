/* A guest for tools/bench-sim.sh: two loops, each first with all counters off, then with one on, and a line on COM1
 * before and after each run. What a loop computes does not matter: only its time counts. */
    .set SIMPLE, 20000000 /* rounds of 6 instructions, 2 of them accesses */
    .set MIXED, 4000000   /* rounds of 20: x87, calls, stack, multiply and divide, a byte string */
    .set COM1, 0x3f8

    .section .multiboot, "a"
    .long 0x1badb002, 0, -0x1badb002

    .text
    .globl entry
entry:
    cli
    movl $stack, %esp
    fninit
    call measure
    /* INST_RETIRED at every level on counter 0 (SDM vol 3, 18.22): EN, OS, USR, C0h. A Pentium has CESR instead:
     * 16h, instructions executed, at every level. */
    movl $1, %eax
    cpuid
    andl $0xf00, %eax
    cmpl $0x500, %eax
    movl $0x186, %ecx
    movl $0x4300c0, %eax
    jne 1f
    movl $0x11, %ecx
    movl $0xd6, %eax
1:  xorl %edx, %edx
    wrmsr
    call measure
    /* Time enough to look at the clock before there is no process left. */
    movl $10000000, %ecx
1:  decl %ecx
    jnz 1b
    /* Bochs ends when it reads this on its port of the unmapped device. */
    movl $shutdown, %esi
    movl $8, %ecx
    movw $0x8900, %dx
    cld
    rep outsb
1:  hlt
    jmp 1b

line: /* AL and a line feed, as the transmitter takes them */
    movb %al, %bl
    call character
    movb $'\n', %bl
character:
    movw $COM1 + 5, %dx
1:  inb %dx, %al
    testb $0x20, %al
    jz 1b
    movw $COM1, %dx
    movb %bl, %al
    outb %al, %dx
    movw $COM1 + 5, %dx
1:  inb %dx, %al
    testb $0x40, %al /* it is out: the time that it took is no part of a loop */
    jz 1b
    ret

measure:
    movb $'<', %al
    call line
    call simple
    movb $'>', %al
    call line
    movb $'<', %al
    call line
    call mixed
    movb $'>', %al
    jmp line

    .balign 64
simple:
    movl $SIMPLE, %ecx
    movl $data, %esi
1:  movl (%esi), %eax
    addl %ecx, %eax
    movl %eax, 4(%esi)
    xorl %eax, %edx
    decl %ecx
    jnz 1b
    ret

    .balign 64
mixed:
    movl $MIXED, %ecx
1:  movl $data, %esi
    fldl 16(%esi)
    fadd %st(0), %st
    fmull 24(%esi)
    fstpl 16(%esi)
    pushl %ecx
    call function
    popl %ecx
    leal data + 32, %edi
    movsl
    imull $7, %eax, %eax
    xorl %edx, %edx
    movl $13, %ebx
    divl %ebx
    incl 40(%edi)
    testl $1, %ecx
    jz 2f
    movzbl (%esi), %edx
2:  decl %ecx
    jnz 1b
    ret
function:
    movl 4(%esp), %eax
    ret

    .section .rodata
shutdown:
    .ascii "Shutdown"

    .bss
    .balign 64
data:
    .skip 64
    .skip 4096
stack:

    .section .note.GNU-stack, "", @progbits
