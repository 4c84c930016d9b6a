/* Multiboot 1 and 2 headers. Sources: Multiboot 0.6.96 section 3.1, Multiboot2 2.0 section 3.1. */

#define MB1_MAGIC 0x1badb002
#define MB1_FLAGS 0x00000003 /* modules on page boundaries; memory information wanted */
#define MB2_MAGIC 0xe85250d6

    .section .multiboot, "a"

    .align 4
    .long MB1_MAGIC, MB1_FLAGS, -(MB1_MAGIC + MB1_FLAGS)

    .align 8
mb2:
    .long MB2_MAGIC, 0 /* i386 protected mode */, mb2_end - mb2, -(MB2_MAGIC + (mb2_end - mb2))
    .align 8
    .short 6, 0 /* module alignment: pages */
    .long 8
    .align 8
    .short 5, 1 /* framebuffer, optional: any size and depth; EGA text is accepted too */
    .long 20, 0, 0, 0
    .align 8
    .short 0, 0
    .long 8
mb2_end:
