/* Instructions, exceptions and interrupts into the P5's tally. Rules: docs/pmu-model.md, "Events". */
#include "sim/p5.h"

/* Treated as branches beside the control transfers: SDM table 19-38, event 12h. */
#define BRANCH_LIKE (OP_BRANCH | OP_SERIALIZE | OP_VERR)

/* What needs a closer look than the count of instructions. */
#define SPECIAL (OP_IO | OP_FLOP | OP_IMUL | OP_TRANSCENDENTAL | OP_EMMS | OP_X87 | OP_MMX)

static void branch(struct sim *s, struct p5 *p, const struct sim_insn *i)
{
    struct sim_tally *y = &s->tally;
    sim_add(y, T_BRANCH, 1);
    if (!(i->op & OP_BRANCH) || (i->op & OP_FAR)) {
        /* Not in the BTB. A serialising instruction and a software interrupt empty the prefetch queue only;
         * any other far transfer is a taken branch that misses the BTB. */
        if ((i->op & OP_COND) && !(i->op & OP_TAKEN)) return; /* INTO without overflow */
        sim_add(y, T_TAKEN_OR_HIT, 1);
        if (i->op & OP_BRANCH) sim_add(y, T_TAKEN, 1);
        if (!(i->op & (OP_SERIALIZE | OP_SOFTINT | OP_VERR))) {
            sim_add(y, T_FLUSH, 1);
            sim_add(y, T_MISPREDICT, 1);
        }
        p->code_block = P5_NONE;
        return;
    }
    bool taken = i->op & OP_TAKEN;
    struct p5_prediction r = p5_btb_branch(&p->btb, i);
    sim_add(y, T_TAKEN, taken);
    sim_add(y, T_BTB_HIT, r.hit && taken);
    sim_add(y, T_TAKEN_OR_HIT, taken || r.hit);
    sim_add(y, T_FLUSH, r.flush);
    sim_add(y, T_MISPREDICT, r.flush);
    sim_add(y, T_MISPREDICT_NT, r.flush && !taken);
    if (i->op & OP_RET) {
        sim_add(y, T_RETURN, 1);
        sim_add(y, r.returns && !r.flush ? T_RETURN_RIGHT : T_RETURN_WRONG, 1);
    }
    if (taken) p->code_block = P5_NONE;
}

static void io(struct sim *s, struct p5 *p, const struct sim_insn *i)
{
    bool misaligned = p5_misaligned(i->io_port, i->io_bytes);
    sim_add(&s->tally, T_IO, (uint64_t)i->iterations_io * (1 + misaligned));
    if (misaligned) sim_add(&s->tally, T_MISALIGNED, i->iterations_io);
    for (unsigned k = 0; p->breakpoints && k < 4; k++) { /* R/W = 2: I/O; LEN of 1, 2, 4 bytes */
        unsigned field = p->dr7 >> (16 + 4 * k) & 15, size = (field >> 2) + 1;
        if ((field & 3) != 2) continue;
        uint64_t at = p->dr[k] & ~(uint64_t)(size - 1);
        if (i->io_port < at + size && at < (uint64_t)i->io_port + i->io_bytes) {
            sim_add(&s->tally, T_DR0 + k, i->iterations_io);
        }
    }
}

static void special(struct sim *s, struct p5 *p, const struct sim_insn *i)
{
    struct sim_tally *y = &s->tally;
    uint32_t op = i->op;
    if (op & OP_IO) io(s, p, i);
    /* A transcendental is several additions and multiplications; how many is not known, so it counts as one.
     */
    if (op & (OP_FLOP | OP_IMUL | OP_TRANSCENDENTAL)) sim_add(y, T_FLOP, 1);
    if (op & OP_EMMS) sim_add(y, T_EMMS, 1);
    if (op & (OP_X87 | OP_MMX)) {
        int now = op & OP_MMX ? MMX_MMX : MMX_FP;
        if (p->mmx_state != MMX_NEITHER && (int)p->mmx_state != now) sim_add(y, T_MMX_SWITCH, 1);
        p->mmx_state = now;
    }
}

static void code_breakpoints(struct sim *s, struct p5 *p, uint64_t lin)
{
    for (unsigned k = 0; k < 4; k++) {
        if ((p->dr7 >> (16 + 4 * k) & 3) == 0 && p->dr[k] == lin) sim_add(&s->tally, T_DR0 + k, 1);
    }
}

/* ---- entered from the family's table ---- */

void p5_instruction(struct sim *s, const struct sim_insn *i)
{
    struct p5 *p = s->state;
    sim_add(&s->tally, T_INSN, 1);
    p5_code(s, i->lin, i->phys, i->phys_high, i->len);
    if (i->n_access) p5_data(s, i->access, i->n_access, i->op);
    if (i->seg_loads) {
        bool level_changed = (i->op & OP_FAR) && i->cpl_after != i->cpl;
        sim_add(&s->tally, T_SEGMENT, i->seg_loads + level_changed);
    }
    if (i->op & SPECIAL) special(s, p, i);
    if (i->op & BRANCH_LIKE) branch(s, p, i);
    if (p->breakpoints) code_breakpoints(s, p, i->lin);
}

/* Through a gate into a handler at CPL 0: counts as an instruction, a taken branch and a far transfer. */
static void handler(struct sim *s)
{
    struct p5 *p = s->state;
    sim_add(&s->tally, T_INSN, 1);
    sim_add(&s->tally, T_BRANCH, 1);
    sim_add(&s->tally, T_TAKEN_OR_HIT, 1);
    sim_add(&s->tally, T_FLUSH, 1);
    sim_add(&s->tally, T_SEGMENT, s->cpl ? 2 : 1);
    p->code_block = P5_NONE;
}

void p5_exception(struct sim *s, unsigned vector)
{
    (void)vector;
    handler(s);
}

void p5_interrupt(struct sim *s, unsigned vector, bool nmi)
{
    (void)vector;
    (void)nmi; /* INTR and NMI count alike */
    handler(s);
    sim_add(&s->tally, T_INTERRUPT, 1);
}

/* No event of the modelled ones counts a walk's reads, and the emulator's walks are not those of this TLB. */
void p5_walk(struct sim *s, uint64_t phys)
{
    (void)s;
    (void)phys;
}

void p5_ticks(struct sim *s, uint64_t cycles, bool halted)
{
    sim_add(&s->tally, halted ? T_HALT : T_RUN, cycles);
}
