/* How a family goes through a batch: code up to each step, then the step. Included by families, whose own
 * functions the compiler then puts in place of the arguments. */
#pragma once
#include "sim/core.h"

#define SIM_PAGE UINT64_C(4096)

/* Straight-line code from lin up to end, page by page. */
typedef void sim_code_fn(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes);
/* Where the code goes on in the block that was read last, so that nothing has to be done. */
typedef bool sim_same_code_fn(struct sim *s, uint64_t lin, uint64_t end);

/* The page whose physical address is known. */
struct sim_batch_page {
    uint64_t lin, phys;
};

static inline void sim_batch_code(struct sim *s, const struct sim_batch *b, struct sim_batch_page *page,
                                  uint64_t lin, uint64_t end, sim_code_fn *code)
{
    while (lin < end) {
        const uint64_t in_page = lin & (SIM_PAGE - 1), left = SIM_PAGE - in_page;
        const uint64_t bytes = end - lin < left ? end - lin : left;
        if (lin - in_page != page->lin)
            *page = (struct sim_batch_page){lin - in_page, b->code(b->ctx, lin - in_page)};
        code(s, lin, page->phys + in_page, (unsigned)bytes);
        lin += bytes;
    }
}

/* An access with everything that a family may ask; what is in a cache needs it not. */
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
    struct sim_batch_page page = {UINT64_MAX, 0};
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
