/* The stack of last branch records, one for each thread: what it records, by level and kind, and in which
 * form. Intel and AMD have the same stack and the same select register (SDM vol. 3, June 2016, 17.4.8 and
 * 17.7.2; AMD64 manual, vol. 2, 13.1.1.9 and 13.1.8); their registers are in sim/arch_lbr.c and
 * sim/amd_lbr.c.
 */
#pragma once
#include "sim/facts.h"

#define SIM_LBR_DEPTH 32

/* The select register: what is not recorded. */
enum {
    LBR_NOT_CPL0 = 1 << 0, /* branches that end there */
    LBR_NOT_USER = 1 << 1,
    LBR_NOT_JCC = 1 << 2,
    LBR_NOT_REL_CALL = 1 << 3,
    LBR_NOT_IND_CALL = 1 << 4,
    LBR_NOT_RET = 1 << 5,
    LBR_NOT_IND_JMP = 1 << 6, /* calls and returns are no jumps */
    LBR_NOT_REL_JMP = 1 << 7,
    LBR_NOT_FAR = 1 << 8,   /* interrupts and exceptions among them */
    LBR_CALL_STACK = 1 << 9 /* a near return takes the newest record away: Haswell on */
};
#define LBR_SELECT UINT64_C(0x1ff) /* without LBR_CALL_STACK */

/* One record as its registers hold it. */
struct sim_lbr_entry {
    uint64_t from, to, info;
};

struct sim_lbr_form {
    uint64_t from, to; /* bits of an address that are kept */
    uint64_t valid;    /* set in to beside it */
    bool cycles;       /* info has the clocks since the record before */
};

struct sim_lbr {
    const struct sim_lbr_form *form;
    unsigned depth; /* a power of two; 0: this processor has none */
    bool on;        /* it records now */
    uint16_t select;
    unsigned top; /* index of the newest record */
    struct sim_lbr_entry entry[SIM_LBR_DEPTH];
    uint64_t clocks; /* since the stack changed last */
};

/* A transfer of control that was made: a branch that was taken, an interrupt or an exception. */
struct sim_branch {
    uint64_t from, to;
    uint64_t next;      /* behind the instruction */
    uint32_t op;        /* enum sim_op; OP_FAR alone: an interrupt or exception */
    unsigned cpl_after; /* where it ends */
};

/* After RESET: empty. depth as above. */
void sim_lbr_reset(struct sim_lbr *l, unsigned depth, const struct sim_lbr_form *form);

/* Record it, as select says. Only while it is on. */
void sim_lbr_branch(struct sim_lbr *l, const struct sim_branch *b);
/* The same for all branches of a batch that were taken. Not where records have clocks. */
void sim_lbr_batch(struct sim_lbr *l, const struct sim_batch *b);

/* Does each instruction's clock count? */
static inline bool sim_lbr_exact(const struct sim_lbr *l) { return l->on && l->form->cycles; }

/* Index of the n-th newest, from 0 on. */
static inline unsigned sim_lbr_index(const struct sim_lbr *l, unsigned n)
{
    return (l->top - n) & (l->depth - 1);
}
