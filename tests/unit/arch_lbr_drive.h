/* Intel's last branch records in a test of the model: what each processor has. */
#pragma once
#include "tests/unit/arch_drive.h"
#include "tests/unit/lbr_drive.h"

enum { LBR_SELECT_MSR = 0x1c8, TOS = 0x1c9 };
#define LBR       BIT(0)
#define FREEZE    BIT(11)
#define LBR_FRZ   BIT(58)
#define C4_TAKEN  (0x20c4u) /* near taken branches */
#define KERNEL    UINT64_C(0xffffffff81234560)
#define SIGN_62   UINT64_C(0x7fff800000000000)
#define CANONICAL UINT64_C(0xffff800000000000)

/* What the manual says of each: format, entries, first registers; 0: none. */
static const struct {
    const char *name;
    unsigned format, depth;
    uint32_t from, to, info;
    uint64_t select;
    uint64_t kernel; /* how an address of the upper half is recorded in from */
} stacks[] = {
    {"core2", 2, 4, 0x40, 0x60, 0, 0, KERNEL},
    {"sandybridge", 3, 16, 0x680, 0x6c0, 0, 0x1ff, KERNEL & ~BIT(63)},
    {"haswell", 4, 16, 0x680, 0x6c0, 0, 0x3ff, KERNEL & ~(UINT64_C(7) << 61)},
    {"skylake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
    {"icelake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
    {"tigerlake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
};
#define STACKS  (sizeof stacks / sizeof *stacks)
#define EACH(k) for (unsigned k = 0; k < STACKS; k++)

static inline struct sim *on(const char *model)
{
    struct sim *s = machine(model);
    wr(s, DEBUGCTL, LBR);
    return s;
}
