/* The PEBS record of each format (SDM vol. 3B, tables 18-23, 18-44 and 18-55; adaptive: facts 4.3, Linux'
 * setup_pebs_adaptive_sample_data()). */
#include "sim/arch.h"
#include <string.h>

/* What is written: fields of 64 bits, one after the other. */
struct output {
    uint8_t *at;
    unsigned bytes;
};

static void put(struct output *o, uint64_t field)
{
    memcpy(o->at + o->bytes, &field, sizeof field); /* little-endian on either side */
    o->bytes += sizeof field;
}

/* The data that all of these counters can say something of: of the first that does. */
static void data_of(const struct sim *s, uint64_t counters, uint64_t field[3])
{
    const struct arch *p = s->state;
    const struct arch_data *d = &p->memory.data;
    field[0] = field[1] = field[2] = 0;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        if (!(counters & arch_pebs_bit(n)) || p->pebs.counter[n].data == PEBS_DATA_NONE) continue;
        const bool store = p->pebs.counter[n].data == PEBS_DATA_STORE;
        field[0] = store ? d->store.lin : d->load.lin;
        if (store) field[1] = arch_store_status(&d->store);
        if (p->pebs.counter[n].data == PEBS_DATA_LATENCY) {
            field[1] = arch_data_source(s, &d->load);
            field[2] = arch_latency(&d->load);
        }
        return;
    }
}

/* Formats 0 to 3, each of which is the one before and more. AX BX CX DX SI DI BP SP, by their encoding. */
static void fixed_format(const struct sim *s, unsigned format, uint64_t counters, struct output *o,
                         const struct sim_registers *r)
{
    static const uint8_t order[16] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    const struct arch *p = s->state;
    uint64_t data[3];
    put(o, r->flags);
    put(o, sim_next(s->current));
    for (unsigned k = 0; k < 16; k++) put(o, r->reg[order[k]]);
    if (format < 1) return;
    data_of(s, counters, data);
    put(o, format < 3 ? p->global_status : counters); /* before the assist, which clears bits */
    for (unsigned k = 0; k < 3; k++) put(o, data[k]);
    if (format < 2) return;
    put(o, s->current->lin);
    put(o, 0); /* there are no transactions */
    if (format < 3) return;
    put(o, r->tsc);
}

static void branches(const struct sim *s, struct output *o, unsigned n)
{
    struct sim_lbr_entry entry[256]; /* zeros behind the end of the stack */
    memset(entry, 0, sizeof entry);
    sim_lbr_entries(s, entry, n);
    for (unsigned k = 0; k < n; k++) {
        put(o, entry[k].from);
        put(o, entry[k].to);
        put(o, entry[k].info);
    }
}

/* Formats 4 and 5: groups as MSR_PEBS_DATA_CFG says, where one of the counters asks for them. */
static void adaptive_format(const struct sim *s, uint64_t counters, struct output *o,
                            const struct sim_registers *r)
{
    const struct arch *p = s->state;
    uint64_t groups = 0, data[3];
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        const uint64_t asks = n < ARCH_GENERAL ? SEL_ADAPTIVE : FIXED_ADAPTIVE;
        if (counters & arch_pebs_bit(n) && p->counter[n].select & asks) groups = p->pebs.data_cfg;
    }
    put(o, 0); /* below */
    put(o, s->current->lin);
    put(o, counters);
    put(o, r->tsc);
    if (groups & DATA_CFG_MEMORY) {
        data_of(s, counters, data);
        for (unsigned k = 0; k < 3; k++) put(o, data[k]);
        put(o, 0); /* there are no transactions */
    }
    if (groups & DATA_CFG_GENERAL) {
        put(o, r->flags);
        put(o, sim_next(s->current));
        for (unsigned k = 0; k < 16; k++) put(o, r->reg[k]);
    }
    if (groups & DATA_CFG_XMM) {
        memcpy(o->at + o->bytes, r->xmm, sizeof r->xmm);
        o->bytes += sizeof r->xmm;
    }
    if (groups & DATA_CFG_LBR) branches(s, o, DATA_CFG_LBRS(groups));
    groups |= (uint64_t)o->bytes << 48; /* the latency of retirement, 47:32, comes with later processors */
    memcpy(o->at, &groups, sizeof groups);
}

unsigned arch_pebs_format(const struct sim *s, uint64_t counters, uint8_t *record)
{
    const unsigned format = CAP_PEBS_FORMAT(((const struct arch *)s->state)->traits);
    struct output o = {record, 0};
    struct sim_registers r = sim_after(s);
    /* "If the processor is not operating in IA-32e mode, 32-bit value is written to registers with bits 63:32
     * zeroed. Registers not defined in 32-bit mode are written with zero." (SDM 18.8.1.1) */
    if (!s->host.long_mode || !s->host.long_mode(s->host.ctx))
        for (unsigned k = 0; k < 16; k++) r.reg[k] = k < 8 ? (uint32_t)r.reg[k] : 0;
    if (format < 4)
        fixed_format(s, format, counters, &o, &r);
    else
        adaptive_format(s, counters, &o, &r);
    return o.bytes;
}
