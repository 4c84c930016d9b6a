/* Driving instruction-based sampling of the AMD model in a test: its registers, by the numbers and bits of
 * AMD's manuals and not by the model's names, and its interrupt. */
#pragma once
#include "tests/unit/amd_drive.h"

#define BIT(n)       (UINT64_C(1) << (n))
#define FETCHCTL     0xc0011030u
#define FETCHLIN     0xc0011031u
#define FETCHPHYS    0xc0011032u
#define OPCTL        0xc0011033u
#define OPRIP        0xc0011034u
#define OPDATA       0xc0011035u
#define OPDATA2      0xc0011036u
#define OPDATA3      0xc0011037u
#define DCLIN        0xc0011038u
#define DCPHYS       0xc0011039u
#define IBSCTL       0xc001103au
#define BRTARGET     0xc001103bu
#define FETCHEXT     0xc001103cu
#define MAX(count)   ((uint64_t)(count) >> 4) /* of a count below 2^20 */
#define CUR(count)   ((uint64_t)(count) << 32)
#define OPS          BIT(19)
#define OP_ENABLE    BIT(17)
#define OP_VALID     BIT(18)
#define FETCH_ENABLE BIT(48)
#define FETCH_VALID  BIT(49)

/* The processors that have it. */
static const char *const with_ibs[] = {"fam10h", "bulldozer", "zen", "zen4"};
#define WITH_IBS      4
#define COUNTS_OPS(m) ((m) >= 1) /* of with_ibs */

static struct {
    unsigned n, entry;
} interrupts;

static inline void on_ibs(void *ctx, unsigned entry)
{
    assert_ptr_equal(ctx, &seen);
    interrupts.n++;
    interrupts.entry = entry;
}

static const struct sim_host ibs_host = {.ctx = &seen, .pmi = on_pmi, .ibs = on_ibs};

static inline struct sim *ibs_machine(const char *model)
{
    memset(&seen, 0, sizeof seen);
    memset(&interrupts, 0, sizeof interrupts);
    struct sim *s = sim_new(model, NULL, &ibs_host);
    assert_non_null(s);
    return s;
}

/* One instruction of 4 bytes at this address, in one tick. */
static inline void one(struct sim *s, uint64_t lin)
{
    const struct sim_insn i = {.lin = lin, .phys = lin, .len = 4};
    sim_ticks(s, 1, false, 0);
    sim_instruction(s, &i);
}

/* ... n of them in a row. */
static inline void row(struct sim *s, uint64_t lin, unsigned n)
{
    for (unsigned k = 0; k < n; k++) one(s, lin + 4 * k);
}
