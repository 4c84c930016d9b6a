/* The external bus of the P6: the tallies of a transaction (SDM table 19-37, unit EBL), and transactions of
 * other agents, for host tests. */
#include "sim/p6.h"

/* The request on the bus decides the tallies: address space and length. */
enum space { MEMORY, IO, REPLY };
static const struct {
    uint8_t space, length;
    uint8_t own; /* BUS_TALLIES: no event of its own */
    bool sends;  /* the agent drives the data, else it receives them */
} requests[] = {
    [P6_BURST_READ] = {MEMORY, P6_LINE, BUS_BRD, false},
    [P6_READ_FOR_OWNERSHIP] = {MEMORY, P6_LINE, BUS_RFO, false},
    [P6_WRITE_BACK] = {MEMORY, P6_LINE, BUS_WB, true},
    [P6_INSTRUCTION_FETCH] = {MEMORY, P6_LINE, BUS_IFETCH, false},
    [P6_INVALIDATE] = {MEMORY, 0, BUS_INVAL, false}, /* a read for ownership of length 0 */
    [P6_PARTIAL_READ] = {MEMORY, 8, BUS_TALLIES, false},
    [P6_PARTIAL_WRITE] = {MEMORY, 8, BUS_PWR, true},
    [P6_IO_WRITE] = {IO, 4, BUS_IO, true},
    [P6_IO_READ] = {IO, 4, BUS_IO, false},
    [P6_DEFERRED] = {REPLY, 0, BUS_DEF, false},
};

static void transactions(struct sim *s, enum p6_agent agent, enum p6_transaction what, uint64_t n)
{
    struct sim_tally *y = &s->tally;
    const struct p6 *p = s->state;
    const unsigned length = requests[what].length, chunks = (length + 7) / 8; /* the data bus has 8 bytes */

    if (requests[what].own < BUS_TALLIES) sim_add(y, P6_BUS(agent, requests[what].own), n);
    if (requests[what].space == MEMORY) {
        sim_add(y, P6_BUS(agent, BUS_MEM), n);
        if (length == P6_LINE)
            sim_add(y, P6_BUS(agent, BUS_BURST), n);
        else if (length)
            sim_add(y, P6_BUS(agent, BUS_P), n);
    }
    sim_add(y, P6_BUS(agent, BUS_ANY), n);
    sim_add(y, T_DRDY_ANY, n * chunks * p->memory.bus_ratio);
    if (agent == P6_SELF) sim_add(y, requests[what].sends ? T_DRDY_SELF : T_DATA_RCV, n * chunks);
}

struct noticed {
    enum p6_transaction what;
    uint64_t n;
};

static void notice(struct sim *other, const void *arg)
{
    const struct noticed *t = arg;
    transactions(other, P6_OTHER, t->what, t->n);
}

void p6_bus(struct sim *s, enum p6_agent agent, enum p6_transaction what, uint64_t n)
{
    transactions(s, agent, what, n);
    if (!s->bus || agent != P6_SELF || !n) return;
    const struct noticed t = {what, n};
    sim_bus_tell(s, notice, &t);
}

void sim_p6_bus(struct sim *s, enum p6_agent agent, enum p6_transaction what, unsigned n, unsigned cpl)
{
    sim_settle(s);
    s->cpl = cpl;
    transactions(s, agent, what, n);
    sim_settle(s);
}

void p6_io(struct sim *s, const struct sim_insn *i)
{
    /* An I/O access across a boundary of four bytes takes two bus cycles (SDM vol. 1, 18.3). */
    const unsigned across = (i->io_port & 3) + i->io_bytes > 4;
    p6_bus(s, P6_SELF, i->op & OP_IN ? P6_IO_READ : P6_IO_WRITE, (uint64_t)i->iterations_io << across);
}
