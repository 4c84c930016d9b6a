/* Hooks in a program: seven instructions from one to the next, beside the hook's own. */
#include <anechoic/trace.h>

ANECHOIC_TRACE("turn", "the end");

void payload(long n)
{
    struct trace_ring *ring = trace_ring();
    __asm__ volatile(
        "1:\n\t" TRACE_ASM("%1", "$0", "%k0") ".rept 5\n\tnop\n\t.endr\n\t"
                                              "dec %0\n\tjnz 1b\n\t" TRACE_ASM("%1", "$1", "$1234567890")
        : "+r"(n)
        : "r"(ring)
        : "eax", "ecx", "edx", "cc", "memory");
}
