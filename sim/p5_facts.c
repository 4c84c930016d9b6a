/* From instructions, exceptions and interrupts to the P5's tally. Rules: docs/pmu-model.md, "Events". */
#include "sim/batch.h"
#include "sim/p5.h"

/* Treated as branches beside the control transfers: SDM table 19-38, event 12h. */
#define BRANCH_LIKE (OP_BRANCH | OP_SERIALIZE | OP_VERR)

/* Instructions that need more than the count of instructions. */
#define SPECIAL (OP_IO | OP_FLOP | OP_IMUL | OP_TRANSCENDENTAL | OP_EMMS | OP_X87 | OP_MMX)

/* The counts of a near branch, into a tally by add. */
static inline __attribute__((always_inline)) void
near_branch(struct sim *s, uint64_t lin, uint64_t end, uint32_t op, uint64_t target,
            void (*add)(struct sim_tally *y, unsigned t, uint64_t n))
{
    struct sim_tally *y = &s->tally;
    struct p5 *p = s->state;
    bool taken = op & OP_TAKEN;
    struct p5_prediction r = p5_btb_branch(&p->btb, lin, end, op, target);
    add(y, T_BRANCH, 1);
    add(y, T_TAKEN, taken);
    add(y, T_BTB_HIT, r.hit && taken);
    add(y, T_TAKEN_OR_HIT, taken || r.hit);
    if (r.flush) {
        add(y, T_FLUSH, 1);
        add(y, T_MISPREDICT, 1);
        add(y, T_MISPREDICT_NT, !taken);
    }
    if (r.returns) {
        add(y, T_RETURN, 1);
        add(y, r.flush ? T_RETURN_WRONG : T_RETURN_RIGHT, 1);
    }
    if (taken) p->code_block = P5_NONE;
}

/* Not in the BTB. A serialising instruction and a software interrupt empty the prefetch queue only; any other
 * far transfer is a taken branch that misses the BTB. */
static void far_branch(struct sim *s, struct p5 *p, uint32_t op)
{
    struct sim_tally *y = &s->tally;
    sim_add(y, T_BRANCH, 1);
    if ((op & OP_COND) && !(op & OP_TAKEN)) return; /* INTO without overflow */
    sim_add(y, T_TAKEN_OR_HIT, 1);
    if (op & OP_BRANCH) sim_add(y, T_TAKEN, 1);
    if (!(op & (OP_SERIALIZE | OP_SOFTINT | OP_VERR))) {
        sim_add(y, T_FLUSH, 1);
        sim_add(y, T_MISPREDICT, 1);
    }
    p->code_block = P5_NONE;
}

static void io(struct sim *s, struct p5 *p, const struct sim_insn *i)
{
    bool misaligned = p5_misaligned(i->io_port, i->io_bytes);
    sim_add(&s->tally, T_IO, (uint64_t)i->iterations_io * (1 + misaligned));
    if (misaligned) sim_add(&s->tally, T_MISALIGNED, i->iterations_io);
    if ((s->errata & E_IO_READS) && (i->op & OP_IN))
        sim_add(&s->tally, T_READ_UC, (uint64_t)i->iterations_io * (1 + misaligned));
    for (unsigned k = 0; p->breakpoints && k < 4; k++) { /* R/W = 2: I/O; LEN of 1, 2, 4 bytes */
        unsigned field = p->dr7 >> (16 + 4 * k) & 15, size = (field >> 2) + 1;
        if ((field & 3) != 2) continue;
        uint64_t at = p->dr[k] & ~(uint64_t)(size - 1);
        if (i->io_port < at + size && at < (uint64_t)i->io_port + i->io_bytes) {
            sim_add(&s->tally, T_DR0 + k, i->iterations_io);
        }
    }
}

/* n instructions. A transcendental consists of an unknown number of additions and multiplications, so it
 * counts as one. */
static void arithmetic(struct sim *s, struct p5 *p, uint32_t op, unsigned n)
{
    if (op & (OP_FLOP | OP_IMUL | OP_TRANSCENDENTAL)) sim_add(&s->tally, T_FLOP, n);
    if (op & (OP_X87 | OP_MMX)) {
        int now = op & OP_MMX ? MMX_MMX : MMX_FP;
        if (p->mmx_state != MMX_NEITHER && (int)p->mmx_state != now) sim_add(&s->tally, T_MMX_SWITCH, 1);
        p->mmx_state = now;
    }
}

static void special(struct sim *s, struct p5 *p, const struct sim_insn *i)
{
    if (i->op & OP_IO) io(s, p, i);
    if (i->op & OP_EMMS) sim_add(&s->tally, T_EMMS, 1);
    if (i->op & OP_MMX) sim_add(&s->tally, T_MMX_SATURATES, (i->simd & SIMD_SATURATES) != 0);
    arithmetic(s, p, i->op, 1);
}

/* A breakpoint that is not enabled is looked for in the U pipe only (SDM table 19-38, 23h). Pairs are not
 * modelled: what follows a taken branch is in the U pipe, and of the rest nobody knows. */
static void code_breakpoints(struct sim *s, struct p5 *p, uint64_t lin, bool in_u)
{
    for (unsigned k = 0; k < 4; k++) {
        if ((p->dr7 >> (16 + 4 * k) & 3) != 0 || p->dr[k] != lin) continue;
        sim_add(&s->tally, T_DR0 + k, 1);
        if (!in_u && !(p->dr7 >> 2 * k & 3)) p->unsure |= 1u << k;
    }
}

/* ---- entered from the family's table ---- */

void p5_instruction(struct sim *s, const struct sim_insn *i)
{
    struct p5 *p = s->state;
    const bool in_u = p->code_block == P5_NONE;
    sim_add(&s->tally, T_INSN, 1);
    p5_code(s, i->lin, i->phys, i->phys_high, i->len);
    if (i->n_access) p5_data(s, i->access, i->n_access, i->op);
    if (i->seg_loads) {
        bool level_changed = (i->op & OP_FAR) && i->cpl_after != i->cpl;
        sim_add(&s->tally, T_SEGMENT, i->seg_loads + level_changed);
    }
    if (i->op & SPECIAL) special(s, p, i);
    if (i->op & BRANCH_LIKE) {
        if (i->op & OP_BRANCH && !(i->op & OP_FAR))
            near_branch(s, i->lin, i->lin + i->len, i->op, i->target, sim_add);
        else
            far_branch(s, p, i->op);
    }
    if (p->breakpoints || i->lin == 0) code_breakpoints(s, p, i->lin, in_u);
}

/* ---- the same in bulk: short paths for most instructions ---- */

/* Any code, within a page. */
static __attribute__((noinline)) void any_code(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes)
{
    if (lin == 0) code_breakpoints(s, s->state, lin, false);
    p5_code(s, lin, phys, 0, bytes);
}

/* Code whose page and lines were used last in their sets. */
static inline void code(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes)
{
    struct p5 *p = s->state;
    const uint64_t last = phys + bytes - 1;
    bool hot = lin != 0 && sim_tlb_hot(p->itlb, lin);
    for (uint64_t at = phys; hot && at / 32 <= last / 32; at += 32) hot = sim_cache_hot(p->icache, at, false);
    if (!hot) {
        any_code(s, lin, phys, bytes);
        return;
    }
    sim_add_bulk(&s->tally, T_CODE_READ, last / 16 - phys / 16 + (phys / 16 != p->code_block));
    p->code_block = last / 16;
}

/* Aligned, in a page and line that were used last in their sets; then it is cached. */
static inline bool hot(const struct sim *s, const struct sim_access *a)
{
    const struct p5 *p = s->state;
    return !p5_misaligned(a->lin, a->bytes) && a->lin >= 8 && sim_tlb_hot(p->dtlb, a->lin) &&
           sim_cache_hot(p->dcache, a->phys, a->kind != SIM_READ);
}

static __attribute__((noinline)) void data(struct sim *s, const struct sim_batch *b,
                                           const struct sim_access *a)
{
    const struct sim_access full = sim_batch_access(b, a);
    p5_data(s, &full, 1, 0);
}

static __attribute__((noinline)) void any_branch(struct sim *s, const struct sim_step *t)
{
    near_branch(s, t->lin, t->end, t->op, t->access.lin, sim_add_bulk);
}

static inline bool branch(struct sim *s, const struct sim_step *t)
{
    struct p5 *p = s->state;
    if (!p5_btb_as_ever(&p->btb, t->lin, t->op, t->access.lin)) {
        any_branch(s, t);
        return false;
    }
    p->code_block = P5_NONE;
    return true;
}

void p5_batch(struct sim *s, const struct sim_batch *b)
{
    struct sim_tally *y = &s->tally;
    for (unsigned k = 0; k < b->n_kinds; k++) {
        const struct sim_kind *kind = &b->kinds[k];
        sim_add(y, T_INSN, kind->n);
        sim_add(y, T_SEGMENT, (uint64_t)kind->seg_loads * kind->n);
        arithmetic(s, s->state, kind->op, kind->n);
    }
    const struct sim_batch_usual usual = sim_batch_walk_apart(s, b, code, hot, data, branch);
    const uint64_t branches = usual.n[0], writes = usual.n[SIM_WRITE] + usual.n[SIM_RMW];
    sim_add(y, T_READ, usual.n[SIM_READ] + usual.n[SIM_RMW]);
    sim_add(y, T_WRITE, writes);
    sim_add(y, T_WRITE_HIT_ME, writes);
    sim_add(y, T_BRANCH, branches);
    sim_add(y, T_TAKEN, branches);
    sim_add(y, T_BTB_HIT, branches);
    sim_add(y, T_TAKEN_OR_HIT, branches);
}

/* Through a gate into a handler at CPL 0: counts as an instruction, a taken branch and a far transfer. */
void p5_exception(struct sim *s)
{
    struct p5 *p = s->state;
    sim_add(&s->tally, T_INSN, 1);
    sim_add(&s->tally, T_BRANCH, 1);
    sim_add(&s->tally, T_TAKEN_OR_HIT, 1);
    sim_add(&s->tally, T_FLUSH, 1);
    sim_add(&s->tally, T_SEGMENT, s->cpl ? 2 : 1);
    p->code_block = P5_NONE;
}

void p5_interrupt(struct sim *s)
{
    p5_exception(s);
    sim_add(&s->tally, T_INTERRUPT, 1);
}
