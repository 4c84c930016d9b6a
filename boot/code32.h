/* Included before boot/refuse.c and the sources that it shares (Makefile): 32-bit code in 64-bit objects. */
__asm__(".code32");
