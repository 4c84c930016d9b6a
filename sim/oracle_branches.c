/* The oracle's log of transfers of control: the last ones before an entry of a trace (sim/oracle_trace.c). A
 * test compares a stack of last branch records with it. It knows no register, and so no filter: whoever
 * compares leaves out what a filter does.
 */
#include "sim/oracle.h"

static const char *kind_of(uint32_t op)
{
    return op & OP_FAR        ? "far"
           : op & OP_COND     ? "jcc"
           : op & OP_RET      ? "ret"
           : op & OP_CALL     ? op & OP_INDIRECT ? "ind_call" : "call"
           : op & OP_INDIRECT ? "ind_jmp"
                              : "jmp";
}

void sim_transfers_add(struct sim_transfers *t, const struct sim_branch *b, const char *kind, uint64_t now)
{
    struct sim_transfer *e = &t->at[t->n++ % SIM_TRANSFERS];
    *e = (struct sim_transfer){b->from, b->to, now - t->last, kind ? kind : kind_of(b->op), b->cpl_after};
    t->last = now;
}

void sim_transfers_put(const struct sim_transfers *t, unsigned most, struct sim_text *entry)
{
    const uint64_t n = t->n < most ? t->n : most;
    sim_out(entry, ",\"branches\":[");
    for (uint64_t k = 1; k <= n; k++) {
        const struct sim_transfer *e = &t->at[(t->n - k) % SIM_TRANSFERS];
        sim_out(entry, "%s{\"from\":\"%llx\",\"to\":\"%llx\",\"kind\":\"%s\",\"cpl\":%u,\"clocks\":%llu}",
                k > 1 ? "," : "", (unsigned long long)e->from, (unsigned long long)e->to, e->kind, e->cpl,
                (unsigned long long)e->clocks);
    }
    sim_out(entry, "]");
}
