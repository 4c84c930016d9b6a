/* Branch prediction of the P5 (256 entries in four ways, 2-bit states) and of the P55C (four-bit local
 * history, return stack). Rules and their sources: docs/pmu-model.md, "Branch prediction". */
#include "sim/p5.h"
#include <string.h>

#define STRONGLY_TAKEN 3

void p5_btb_reset(struct p5_btb *b, bool local_history)
{
    memset(b, 0, sizeof *b);
    b->local_history = local_history;
}

/* ---- the 2-bit states ---- */

static unsigned step(unsigned state, bool taken)
{
    if (taken) return state < 3 ? state + 1 : 3;
    return state ? state - 1 : 0;
}

static bool predicts_taken(const struct p5_btb *b, const struct p5_btb_entry *e)
{
    unsigned state = b->local_history ? e->patterns >> (2 * e->history) & 3 : e->state;
    return state >= 2;
}

static void learn(const struct p5_btb *b, struct p5_btb_entry *e, bool taken)
{
    if (b->local_history) {
        unsigned shift = 2 * e->history, state = step(e->patterns >> shift & 3, taken);
        e->patterns = (e->patterns & ~(UINT32_C(3) << shift)) | state << shift;
        e->history = (uint8_t)((e->history << 1 | taken) & 15);
    } else {
        e->state = (uint8_t)step(e->state, taken);
        /* State 0 marks an entry as unused: the branch is forgotten. */
        if (e->state == 0) e->valid = false;
    }
}

/* ---- entries ---- */

static struct p5_btb_entry *find(struct p5_btb *b, uint64_t lin)
{
    struct p5_btb_entry *e = b->entry[lin >> 2 & (P5_BTB_SETS - 1)];
    for (unsigned way = 0; way < P5_BTB_WAYS; way++) {
        if (e[way].valid && e[way].lin == lin) return &e[way];
    }
    return NULL;
}

/* Only a taken branch gets an entry, and as strongly taken. */
static void enter(struct p5_btb *b, uint64_t lin, uint64_t target)
{
    unsigned set = lin >> 2 & (P5_BTB_SETS - 1), way = 0;
    while (way < P5_BTB_WAYS && b->entry[set][way].valid) way++;
    if (way == P5_BTB_WAYS) way = b->next[set]++ % P5_BTB_WAYS;
    b->entry[set][way] = (struct p5_btb_entry){.lin = lin,
                                               .target = target,
                                               .valid = true,
                                               .state = STRONGLY_TAKEN,
                                               .history = 15,
                                               .patterns = UINT32_MAX};
}

/* ---- the return stack ---- */

static void push(struct p5_btb *b, uint64_t address)
{
    b->rsb[b->rsb_top++ % P5_RSB] = address;
    if (b->rsb_depth < P5_RSB) b->rsb_depth++;
}

static bool pop(struct p5_btb *b, uint64_t *address)
{
    if (!b->rsb_depth) return false;
    b->rsb_depth--;
    *address = b->rsb[--b->rsb_top % P5_RSB];
    return true;
}

/* ---- public ---- */

struct p5_prediction p5_btb_branch(struct p5_btb *b, uint64_t lin, uint64_t end, uint32_t op, uint64_t to)
{
    bool taken = op & OP_TAKEN;
    struct p5_btb_entry *e = find(b, lin);
    struct p5_prediction p = {.hit = e != NULL};
    uint64_t target = e ? e->target : 0;
    if (b->local_history && (op & OP_RET)) {
        /* Its entry marks it as a return; the stack gives the target. */
        p.returns = true;
        if (!pop(b, &target)) target = P5_NONE;
    }
    if (b->local_history && (op & OP_CALL)) push(b, end);
    if (e) {
        bool predicted = predicts_taken(b, e);
        p.flush = predicted != taken || (taken && target != to);
        learn(b, e, taken);
        if (taken) e->target = to;
    } else if (taken) {
        p.flush = true;
        enter(b, lin, to);
    }
    return p;
}
