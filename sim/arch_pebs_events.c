/* Which events a counter can record, and what the record then says of the data.
 *
 * Sources: SDM vol. 3B (June 2016), tables 18-10 (Core), 18-32 (Sandy Bridge, Haswell) and 18-56 (Skylake);
 * libpfm4's flags of the CPUs for what those tables leave out (Ice Lake; C4/00 and D3h of Haswell and
 * Skylake); Linux' intel_core2_ and intel_skl_pebs_event_constraints for the two with INV and CMASK. Data
 * addresses: SDM 18.9.4.2, 18.9.4.3, table 18-45.
 */
#include "sim/arch.h"

#define CORE2   ARCH_CORE2
#define BRIDGES (ARCH_SANDYBRIDGE | ARCH_HASWELL)
#define LAKES   (ARCH_ICELAKE | ARCH_TIGERLAKE)
#define NEW     (BRIDGES | ARCH_SKYLAKE | LAKES)
#define LATER   (ARCH_SKYLAKE | LAKES)

#define END 0xff /* no unit mask of these */
static const struct precise {
    uint8_t models, event;
    uint8_t umask[8]; /* ended by END */
    uint8_t data;     /* enum arch_pebs_data of these */
} precise[] = {
    {CORE2, 0xc0, {0x00, END}, PEBS_DATA_NONE},
    {CORE2, 0xc1, {0xfe, END}, PEBS_DATA_NONE},
    {CORE2, 0xc5, {0x00, END}, PEBS_DATA_NONE},
    {CORE2, 0xc7, {0x1f, END}, PEBS_DATA_NONE},
    {CORE2, 0xcb, {0x01, 0x02, 0x04, 0x08, 0x10, END}, PEBS_DATA_NONE},

    {BRIDGES | ARCH_SKYLAKE, 0xc0, {0x01, END}, PEBS_DATA_NONE},
    {ARCH_HASWELL, 0xc0, {0x02, END}, PEBS_DATA_NONE},
    {BRIDGES | ARCH_SKYLAKE, 0xc2, {0x01, 0x02, END}, PEBS_DATA_NONE},
    {NEW, 0xc4, {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, END}, PEBS_DATA_NONE},
    {NEW & ~ARCH_SANDYBRIDGE, 0xc4, {0x00, END}, PEBS_DATA_NONE},
    {LAKES, 0xc4, {0x11, 0x80, END}, PEBS_DATA_NONE},
    {NEW, 0xc5, {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, END}, PEBS_DATA_NONE},
    {NEW & ~ARCH_SANDYBRIDGE, 0xc5, {0x00, END}, PEBS_DATA_NONE},
    {LAKES, 0xc5, {0x11, 0x80, END}, PEBS_DATA_NONE},
    {LATER, 0xc6, {0x01, END}, PEBS_DATA_NONE},
    {NEW & ~ARCH_SANDYBRIDGE, 0xc8, {0x04, END}, PEBS_DATA_NONE},
    {NEW & ~ARCH_SANDYBRIDGE, 0xc9, {0x04, END}, PEBS_DATA_NONE},
    {NEW, 0xcd, {0x01, END}, PEBS_DATA_LATENCY},
    {ARCH_SANDYBRIDGE, 0xcd, {0x02, END}, PEBS_DATA_STORE},
    {NEW, 0xd0, {0x11, 0x21, 0x41, 0x81, END}, PEBS_DATA_LOAD},
    {NEW, 0xd0, {0x12, 0x22, 0x42, 0x82, END}, PEBS_DATA_STORE},
    {LATER, 0xd0, {0x83, END}, PEBS_DATA_LOAD},
    {NEW, 0xd1, {0x01, 0x02, 0x04, 0x40, END}, PEBS_DATA_LOAD},
    {NEW & ~ARCH_SANDYBRIDGE, 0xd1, {0x08, 0x10, 0x20, END}, PEBS_DATA_LOAD},
    {NEW, 0xd2, {0x01, 0x02, 0x04, 0x08, END}, PEBS_DATA_LOAD},
    {NEW, 0xd3, {0x01, 0x02, 0x04, 0x08, END}, PEBS_DATA_LOAD},
    {LATER, 0xd4, {0x04, END}, PEBS_DATA_LOAD},
};

/* "PEBS events are only valid when the following fields of IA32_PERFEVTSELx are all zero: AnyThread, Edge,
 * Invert, CMask" (SDM 18.9.4, 18.13.1). But these, which count every clock: Linux' cycles:p. */
#define QUALIFIERS  (SEL_ANY | SEL_EDGE | SEL_INV | UINT64_C(0xff) << 24)
#define EVERY_CLOCK (SEL_INV | UINT64_C(0x10) << 24)
static const struct {
    uint8_t models;
    uint16_t code;
} clocks[] = {{CORE2, 0x00c0}, {ARCH_SKYLAKE, 0x00c0}, {BRIDGES | ARCH_SKYLAKE, 0x01c0}, {BRIDGES, 0x01c2}};

static const struct precise *find(const struct sim *s, unsigned code)
{
    for (const struct precise *e = precise; e < precise + sizeof precise / sizeof *precise; e++) {
        if (!(e->models & s->model_bit) || e->event != (code & 0xff)) continue;
        for (const uint8_t *u = e->umask; *u != END; u++)
            if (*u == code >> 8) return e;
    }
    return NULL;
}

static bool counts_clocks(const struct sim *s, uint64_t select)
{
    if ((select & QUALIFIERS) != EVERY_CLOCK) return false;
    for (unsigned k = 0; k < sizeof clocks / sizeof *clocks; k++)
        if (clocks[k].models & s->model_bit && clocks[k].code == SEL_CODE(select)) return true;
    return false;
}

/* The record has addresses from format 1 on. Sandy Bridge: of loads with a latency, and of the stores of
 * counter 3, which bits of IA32_PEBS_ENABLE ask for. Haswell and later: of all events of memory (DataLA);
 * before Ice Lake the latency needs its bit. */
static enum arch_pebs_data data_of(const struct sim *s, unsigned n, enum arch_pebs_data data)
{
    const struct arch *p = s->state;
    const uint64_t enable = p->pebs.enable;
    const unsigned format = CAP_PEBS_FORMAT(p->traits);
    if (format == 0) return PEBS_DATA_NONE;
    if (data == PEBS_DATA_LATENCY && format < 4 && !(enable >> (PEBS_OTHER + n) & 1)) data = PEBS_DATA_LOAD;
    if (format == 1 && data == PEBS_DATA_LOAD) return PEBS_DATA_NONE;
    if (format == 1 && data == PEBS_DATA_STORE && !(n == 3 && enable & PEBS_STORE)) return PEBS_DATA_NONE;
    return data;
}

uint64_t arch_pebs_bit(unsigned n)
{
    return n < ARCH_GENERAL ? UINT64_C(1) << n : UINT64_C(1) << (PEBS_OTHER + n - ARCH_GENERAL);
}

/* PDIR: C0/01 on counter 1, which is the only one that counts it (SDM 18.9.4.4); on Ice Lake fixed counter 0
 * (Linux: INST_RETIRED.PREC_DIST). From there on every counter records every event, those that are not
 * precise at the next opportunity (SDM, "Extended PEBS"). */
struct arch_pebs_counter arch_pebs_counter(const struct sim *s, unsigned n)
{
    const struct arch *p = s->state;
    const struct arch_traits *t = p->traits;
    const struct sim_counter *c = &p->counter[n];
    const bool extended = t->capabilities & CAP_BASELINE;
    struct arch_pebs_counter r = {PEBS_NEVER, PEBS_DATA_NONE};
    if (!(p->pebs.enable & t->pebs_enable & arch_pebs_bit(n)) || (n >= ARCH_GENERAL && !extended)) return r;
    if (n >= ARCH_GENERAL) {
        r.when = n == ARCH_GENERAL ? PEBS_SAME : PEBS_ANYTHING;
        return r;
    }
    const unsigned code = SEL_CODE(c->select);
    const struct precise *e = c->select & QUALIFIERS ? NULL : find(s, code);
    if (e) {
        r.when = code == 0x01c0 && !extended ? PEBS_SAME : PEBS_NEXT;
        r.data = data_of(s, n, e->data);
    } else if (counts_clocks(s, c->select)) {
        r.when = PEBS_NEXT;
    } else if (extended) {
        r.when = PEBS_ANYTHING;
    }
    return r;
}
