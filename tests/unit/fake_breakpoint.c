/* The stand-in of fake_breakpoint.h. */
#include "tests/unit/fake_breakpoint.h"

struct fake_breakpoint fake_breakpoints[BREAKPOINTS];

void breakpoint_describe(unsigned n, uintptr_t at, enum breakpoint_kind kind, unsigned len)
{
    fake_breakpoints[n] = (struct fake_breakpoint){at, kind, len};
}
