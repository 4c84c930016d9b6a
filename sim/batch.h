/* The loop of a family over a batch: code up to each step, then the step. Families include this, so that the
 * compiler inlines their own functions for the arguments. */
#pragma once
#include "sim/core.h"

#define SIM_PAGE (UINT64_C(1) << SIM_PAGE_LOG2)

/* Straight-line code from lin up to end, page by page. */
typedef void sim_code_fn(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes);
/* True: the code continues in the block that was read last, so that there is nothing to do. */
typedef bool sim_same_code_fn(struct sim *s, uint64_t lin, uint64_t end);

/* The page whose physical address is known. */
struct sim_batch_page {
    uint64_t lin, phys;
};
#define SIM_NO_PAGE ((struct sim_batch_page){UINT64_C(1) << 63, 0}) /* no code has such an address */

static inline void sim_batch_code(struct sim *s, const struct sim_batch *b, struct sim_batch_page *page,
                                  uint64_t lin, uint64_t end, sim_code_fn *code)
{
    while (lin < end) {
        uint64_t offset = lin - page->lin;
        if (offset >= SIM_PAGE) {
            offset = lin & (SIM_PAGE - 1);
            *page = (struct sim_batch_page){lin - offset, b->code(b->ctx, lin - offset)};
        }
        const uint64_t bytes = end - lin < SIM_PAGE - offset ? end - lin : SIM_PAGE - offset;
        code(s, lin, page->phys + offset, (unsigned)bytes);
        lin += bytes;
    }
}

/* An access with all data that a family may need; one that hits a cache does not need them. */
static inline struct sim_access sim_batch_access(const struct sim_batch *b, const struct sim_access *a)
{
    struct sim_access full = *a;
    full.uncached = b->uncached(b->ctx, a->phys);
    return full;
}

static inline __attribute__((always_inline)) void
sim_batch_walk(struct sim *s, const struct sim_batch *b, sim_same_code_fn *same, sim_code_fn *code,
               void (*data)(struct sim *s, const struct sim_batch *b, const struct sim_access *a),
               void (*branch)(struct sim *s, const struct sim_step *step))
{
    struct sim_batch_page page = SIM_NO_PAGE;
    uint64_t at = b->lin;
    for (const struct sim_step *t = b->steps, *last = t + b->n_steps; t < last; t++) {
        if (t->end != at && !same(s, at, t->end)) sim_batch_code(s, b, &page, at, t->end, code);
        at = t->end;
        if (t->access.kind) {
            data(s, b, &t->access);
        } else {
            branch(s, t);
            if (t->op & OP_TAKEN) at = t->access.lin;
        }
    }
    if (b->end != at) sim_batch_code(s, b, &page, at, b->end, code);
}

/* The same for a family where no code that is read can take a line out of the data cache. So hot(), whether
 * an access is to the line that its set used last and changes nothing, may be asked before the code in front
 * of it is read, and code is read in one go up to a step that does change something. branch() says whether
 * that step is one of the many that are only counted, as are hot accesses: by their kind, 0 for branches. */
struct sim_batch_usual {
    uint64_t n[SIM_RMW + 1];
};

static inline __attribute__((always_inline)) struct sim_batch_usual
sim_batch_walk_apart(struct sim *s, const struct sim_batch *b, sim_code_fn *code,
                     bool (*hot)(const struct sim *s, const struct sim_access *a),
                     void (*data)(struct sim *s, const struct sim_batch *b, const struct sim_access *a),
                     bool (*branch)(struct sim *s, const struct sim_step *step))
{
    struct sim_batch_usual usual = {{0}};
    struct sim_batch_page page = SIM_NO_PAGE;
    uint64_t at = b->lin;
    for (const struct sim_step *t = b->steps, *last = t + b->n_steps; t < last; t++) {
        const unsigned kind = t->access.kind;
        if (kind && hot(s, &t->access)) {
            usual.n[kind]++;
            continue;
        }
        if (kind || t->op & OP_TAKEN) {
            sim_batch_code(s, b, &page, at, t->end, code);
            at = t->end;
        }
        if (kind) {
            data(s, b, &t->access);
            continue;
        }
        usual.n[0] += branch(s, t);
        if (t->op & OP_TAKEN) at = t->access.lin;
    }
    sim_batch_code(s, b, &page, at, b->end, code);
    return usual;
}
