/* What kernel/breakpoint.c was told, for host tests. */
#pragma once
#include "kernel/breakpoint.h"

struct fake_breakpoint {
    uintptr_t at;
    enum breakpoint_kind kind;
    unsigned len; /* 0: nothing yet */
};
extern struct fake_breakpoint fake_breakpoints[BREAKPOINTS];
