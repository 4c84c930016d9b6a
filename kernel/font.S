/* kernel/font.h's glyphs: those of ASCII 32 to 126 in a PSF 1 font, behind its header of four bytes. */
    .section .rodata.font_8x16, "a", @progbits
    .globl font_8x16
font_8x16:
    .incbin "font.psf", 4 + 16 * 32, 16 * 95

    .section .note.GNU-stack, "", @progbits
