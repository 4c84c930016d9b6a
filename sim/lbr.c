#include "sim/lbr.h"
#include <string.h>

#define CLOCKS_MOST 0xffff /* they saturate: SDM table 17-16 */

/* ---- private ---- */

static unsigned kind_of(uint32_t op)
{
    return op & OP_FAR        ? LBR_NOT_FAR
           : op & OP_COND     ? LBR_NOT_JCC
           : op & OP_RET      ? LBR_NOT_RET
           : op & OP_CALL     ? op & OP_INDIRECT ? LBR_NOT_IND_CALL : LBR_NOT_REL_CALL
           : op & OP_INDIRECT ? LBR_NOT_IND_JMP
                              : LBR_NOT_REL_JMP;
}

static void push(struct sim_lbr *l, uint64_t from, uint64_t to)
{
    const struct sim_lbr_form *f = l->form;
    const uint64_t clocks = l->clocks < CLOCKS_MOST ? l->clocks : CLOCKS_MOST;
    l->top = (l->top + 1) & (l->depth - 1);
    l->entry[l->top] =
        (struct sim_lbr_entry){from & f->from, (to & f->to) | f->valid, f->cycles ? clocks : 0};
    l->clocks = 0;
}

/* "As return instructions are executed the last captured branch record is flushed from the on-chip registers
 * in a last-in first-out (LIFO) manner" (SDM 17.9). */
static void pop(struct sim_lbr *l)
{
    l->entry[l->top] = (struct sim_lbr_entry){0};
    l->top = (l->top - 1) & (l->depth - 1);
    l->clocks = 0;
}

/* ---- public ---- */

void sim_lbr_reset(struct sim_lbr *l, unsigned depth, const struct sim_lbr_form *form)
{
    memset(l, 0, sizeof *l);
    l->depth = depth;
    l->form = form;
    l->clocks = CLOCKS_MOST; /* nothing has been recorded before */
}

void sim_lbr_branch(struct sim_lbr *l, const struct sim_branch *b)
{
    const unsigned kind = kind_of(b->op);
    if (l->select & (kind | (b->cpl_after ? LBR_NOT_USER : LBR_NOT_CPL0))) return;
    if (l->select & LBR_CALL_STACK) {
        if (kind == LBR_NOT_RET) {
            pop(l);
            return;
        }
        /* "Zero length calls are excluded" (SDM 17.9): code calls so to read EIP, and never returns. */
        if (kind & (LBR_NOT_REL_CALL | LBR_NOT_IND_CALL) && b->to == b->next) return;
    }
    push(l, b->from, b->to);
}

void sim_lbr_batch(struct sim_lbr *l, const struct sim_batch *b)
{
    for (const struct sim_step *t = b->steps; t < b->steps + b->n_steps; t++) {
        if (t->access.kind || !(t->op & OP_TAKEN)) continue;
        const struct sim_branch branch = {t->lin, t->access.lin, t->end, t->op, b->cpl};
        sim_lbr_branch(l, &branch);
    }
}
