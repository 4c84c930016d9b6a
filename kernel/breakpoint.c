#include "kernel/breakpoint.h"
#include "kernel/x86.h"

#define CR4_DE    (1u << 3) /* R/W 10b means I/O */
#define FIELD_AT  16        /* of DR0 in DR7: R/W, then LEN; four bits for each */
#define FIELD     15u
#define LEN_SHIFT 2

#define WRITE_DR(n, v) __asm__ volatile("mov %0, %%dr" #n ::"r"((uintptr_t)(v)))

static void write_address(unsigned n, uintptr_t at)
{
    switch (n) {
    case 0:
        WRITE_DR(0, at);
        break;
    case 1:
        WRITE_DR(1, at);
        break;
    case 2:
        WRITE_DR(2, at);
        break;
    case 3:
        WRITE_DR(3, at);
        break;
    }
}

void breakpoint_describe(unsigned n, uintptr_t at, enum breakpoint_kind kind, unsigned len)
{
    uintptr_t dr7;
    const unsigned shift = FIELD_AT + 4 * n;
    const uintptr_t field = ((len - 1) << LEN_SHIFT | (unsigned)kind) & FIELD; /* LEN: 1, 2, 4 are 0, 1, 3 */
    if (kind == BREAKPOINT_IO) WRITE_CR(4, READ_CR(4) | CR4_DE);
    write_address(n, at);
    __asm__ volatile("mov %%dr7, %0" : "=r"(dr7));
    WRITE_DR(7, (dr7 & ~((uintptr_t)FIELD << shift)) | field << shift);
}
