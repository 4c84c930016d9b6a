/* An option ROM that starts a kernel in Bochs, without a disk and without GRUB: its beginning, which the BIOS calls in
 * real mode when the machine is set up. It asks the BIOS for the memory map, enters protected mode, has load.c load
 * the kernel and leaves to it in the state of Multiboot2 2.0, section 3.3. The loaded files: tools/bochs-machine.sh.
 *
 * The header is that of the BIOS Boot Specification 1.01, section 3: signature, size, and code from offset 3 on. Its
 * checksum is the makefile's.
 */
#define MAP       0x10000 /* the memory map's entries, at most 64 KiB */
#define STACK     0x7c00
#define MB2_MAGIC 0x36d76289

    .section .rom, "ax"
    .code16
    .globl rom
rom:
    .byte 0x55, 0xaa, rom_blocks
    mov $(MAP >> 4), %ax
    mov %ax, %es
    xor %edi, %edi
    xor %ebx, %ebx
range: /* INT 15h, E820h: ACPI 6.3, section 15.1 */
    mov $0xe820, %eax
    mov $20, %ecx
    mov $0x534d4150, %edx /* "SMAP" */
    int $0x15
    jc ranges
    movl $0, %es:20(%di)
    add $24, %di
    test %ebx, %ebx
    jnz range
ranges:
    cli
    cld
    in $0x92, %al /* A20, without a reset */
    or $2, %al
    and $0xfe, %al
    out %al, $0x92
    lgdtl %cs:gdt_pointer - rom
    mov %cr0, %eax
    or $1, %al
    mov %eax, %cr0
    ljmpl $8, $flat

    .code32
flat:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %fs
    mov %eax, %gs
    mov %eax, %ss
    mov $STACK, %esp
    push %edi
    push $MAP
    call load /* EAX: the information; EDX: the kernel's entry */
    mov %eax, %ebx
    mov $MB2_MAGIC, %eax
    jmp *%edx

    .align 8
gdt: /* 0; code and data of 4 GiB, marked as accessed, since a ROM cannot be */
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdt_pointer:
    .short gdt_pointer - gdt - 1
    .long gdt
