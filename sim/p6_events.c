/* The events of the P6 family (SDM table 19-37) and the translation of a PerfEvtSel into the tallies that its
 * counter adds.
 */
#include "sim/p6.h"
#include <string.h>

/* clang-format off */

/* For the oracle, and by code for the counters. Rows without terms are not modelled. Unit masks of MESI
 * events combine (I 1, S 2, E 4, M 8); a bus agent's is 20h for any agent. */
enum { CTR0 = 1, CTR1 = 2 };
#define PLAIN(code, name, ...) {name, code, {__VA_ARGS__}, 0, 0}
#define ON(counter, code, name, ...) {name, code, {__VA_ARGS__}, counter, 0}
#define OF(models, code, name, ...) {name, code, {__VA_ARGS__}, 0, models}
#define SEVERAL(code, name, ...) OF(SIM_SEVERAL | P6_PPRO | P6_P2 | P6_P3, code, name, __VA_ARGS__)
#define UNMODELLED 0
#define MESI(code, name, t) \
    PLAIN((code) | 0x0f00, name, (t) + LINE_I, (t) + LINE_S, (t) + LINE_E, (t) + LINE_M), \
    PLAIN((code) | 0x0100, name ":I", (t) + LINE_I), PLAIN((code) | 0x0200, name ":S", (t) + LINE_S), \
    PLAIN((code) | 0x0400, name ":E", (t) + LINE_E), PLAIN((code) | 0x0800, name ":M", (t) + LINE_M)
#define AGENT(code, name, what) \
    PLAIN(code, name, P6_BUS(P6_SELF, what)), \
    PLAIN((code) | 0x2000, name ":ANY", P6_BUS(P6_SELF, what), P6_BUS(P6_OTHER, what))

const struct sim_event p6_events[] = {
    PLAIN(0x03, "LD_BLOCKS", UNMODELLED),
    PLAIN(0x04, "SB_DRAINS", UNMODELLED),
    PLAIN(0x05, "MISALIGN_MEM_REF", T_MISALIGNED),
    PLAIN(0x06, "SEGMENT_REG_LOADS", T_SEGMENT),
    /* Mask 00 is PREFETCHNTA. The sources differ on which of T0, T1 and T2 are 01 and 02. */
    OF(P6_P3, 0x07, "EMON_KNI_PREF_DISPATCHED", T_PREFETCH_NTA),
    OF(P6_P3, 0x0107, "EMON_KNI_PREF_DISPATCHED:T1", UNMODELLED),
    OF(P6_P3, 0x0207, "EMON_KNI_PREF_DISPATCHED:T2", UNMODELLED),
    OF(P6_P3, 0x0307, "EMON_KNI_PREF_DISPATCHED:WEAK", T_WEAK_STORE),
    ON(CTR0, 0x10, "FP_COMP_OPS_EXE", T_FP_EXE),
    ON(CTR1, 0x11, "FP_ASSIST", T_FP_ASSIST),
    ON(CTR1, 0x12, "MUL", T_MUL),
    ON(CTR1, 0x13, "DIV", T_DIV),
    ON(CTR0, 0x14, "CYCLES_DIV_BUSY", UNMODELLED),
    PLAIN(0x21, "L2_ADS", T_L2_ADS),
    PLAIN(0x22, "L2_DBUS_BUSY", T_L2_DBUS),
    PLAIN(0x23, "L2_DBUS_BUSY_RD", T_L2_DBUS_READ),
    PLAIN(0x24, "L2_LINES_IN", T_L2_IN),
    PLAIN(0x25, "L2_M_LINES_INM", T_L2_M_IN),
    PLAIN(0x26, "L2_LINES_OUT", T_L2_OUT),
    PLAIN(0x27, "L2_M_LINES_OUTM", T_L2_M_OUT),
    MESI(0x28, "L2_IFETCH", P6_L2(P6_REQ_IFETCH, 0)),
    MESI(0x29, "L2_LD", P6_L2(P6_REQ_LOAD, 0)),
    MESI(0x2a, "L2_ST", P6_L2(P6_REQ_STORE, 0)),
    MESI(0x2e, "L2_RQSTS", T_L2_RQSTS),
    PLAIN(0x43, "DATA_MEM_REFS", T_DATA_REF),
    PLAIN(0x45, "DCU_LINES_IN", T_DCU_IN),
    PLAIN(0x46, "DCU_M_LINES_IN", T_DCU_M_IN),
    PLAIN(0x47, "DCU_M_LINES_OUT", T_DCU_M_OUT),
    PLAIN(0x48, "DCU_MISS_OUTSTANDING", T_DCU_OUTSTANDING),
    OF(P6_P3, 0x4b, "EMON_KNI_PREF_MISS", T_PREFETCH_NTA_MISS),
    OF(P6_P3, 0x014b, "EMON_KNI_PREF_MISS:T1", UNMODELLED),
    OF(P6_P3, 0x024b, "EMON_KNI_PREF_MISS:T2", UNMODELLED),
    OF(P6_P3, 0x034b, "EMON_KNI_PREF_MISS:WEAK", T_WEAK_STORE_MISS),
    PLAIN(0x60, "BUS_REQ_OUTSTANDING", T_BUS_OUTSTANDING),
    PLAIN(0x61, "BUS_BNR_DRV", UNMODELLED),
    PLAIN(0x62, "BUS_DRDY_CLOCKS", T_DRDY_SELF),
    PLAIN(0x2062, "BUS_DRDY_CLOCKS:ANY", T_DRDY_ANY),
    PLAIN(0x63, "BUS_LOCK_CLOCKS", UNMODELLED),
    PLAIN(0x64, "BUS_DATA_RCV", T_DATA_RCV),
    AGENT(0x65, "BUS_TRAN_BRD", BUS_BRD),
    AGENT(0x66, "BUS_TRAN_RFO", BUS_RFO),
    AGENT(0x67, "BUS_TRANS_WB", BUS_WB),
    AGENT(0x68, "BUS_TRAN_IFETCH", BUS_IFETCH),
    AGENT(0x69, "BUS_TRAN_INVAL", BUS_INVAL),
    AGENT(0x6a, "BUS_TRAN_PWR", BUS_PWR),
    AGENT(0x6b, "BUS_TRANS_P", BUS_P),
    AGENT(0x6c, "BUS_TRANS_IO", BUS_IO),
    AGENT(0x6d, "BUS_TRAN_DEF", BUS_DEF),
    AGENT(0x6e, "BUS_TRAN_BURST", BUS_BURST),
    AGENT(0x6f, "BUS_TRAN_MEM", BUS_MEM),
    AGENT(0x70, "BUS_TRAN_ANY", BUS_ANY),
    PLAIN(0x79, "CPU_CLK_UNHALTED", T_CYCLES),
    SEVERAL(0x7a, "BUS_HIT_DRV", T_HIT_DRV),
    SEVERAL(0x7b, "BUS_HITM_DRV", T_HITM_DRV),
    PLAIN(0x7e, "BUS_SNOOP_STALL", UNMODELLED),
    PLAIN(0x80, "IFU_IFETCH", T_IFETCH),
    PLAIN(0x81, "IFU_IFETCH_MISS", T_IFETCH_MISS),
    PLAIN(0x85, "ITLB_MISS", T_ITLB_MISS),
    PLAIN(0x86, "IFU_MEM_STALL", UNMODELLED),
    PLAIN(0x87, "ILD_STALL", UNMODELLED),
    PLAIN(0xa2, "RESOURCE_STALLS", UNMODELLED),
    OF(P6_P2, 0xb0, "MMX_INSTR_EXEC", T_MMX, T_EMMS),
    OF(P6_P2 | P6_P3, 0xb1, "MMX_SAT_INSTR_EXEC", T_MMX_SATURATES),
    OF(P6_P2 | P6_P3, 0x0fb2, "MMX_UOPS_EXEC", UNMODELLED),
    OF(P6_P2 | P6_P3, 0xb3, "MMX_INSTR_TYPE_EXEC", UNMODELLED),
    OF(P6_P2 | P6_P3, 0x01b3, "MMX_INSTR_TYPE_EXEC:MUL", T_MMX_MULTIPLY),
    OF(P6_P2 | P6_P3, 0x02b3, "MMX_INSTR_TYPE_EXEC:SHIFT", T_MMX_SHIFT),
    OF(P6_P2 | P6_P3, 0x04b3, "MMX_INSTR_TYPE_EXEC:PACK", T_MMX_PACK),
    OF(P6_P2 | P6_P3, 0x08b3, "MMX_INSTR_TYPE_EXEC:UNPACK", T_MMX_UNPACK),
    OF(P6_P2 | P6_P3, 0x10b3, "MMX_INSTR_TYPE_EXEC:LOGICAL", T_MMX_LOGIC),
    OF(P6_P2 | P6_P3, 0x20b3, "MMX_INSTR_TYPE_EXEC:ARITH", UNMODELLED),
    PLAIN(0xc0, "INST_RETIRED", T_INSN),
    ON(CTR0, 0xc1, "FLOPS", T_FLOPS),
    PLAIN(0xc2, "UOPS_RETIRED", UNMODELLED),
    PLAIN(0xc4, "BR_INST_RETIRED", T_BRANCH),
    PLAIN(0xc5, "BR_MISS_PRED_RETIRED", UNMODELLED),
    PLAIN(0xc6, "CYCLES_INT_MASKED", UNMODELLED),
    PLAIN(0xc7, "CYCLES_INT_PENDING_AND_MASKED", UNMODELLED),
    PLAIN(0xc8, "HW_INT_RX", T_INTERRUPT),
    PLAIN(0xc9, "BR_TAKEN_RETIRED", T_TAKEN),
    PLAIN(0xca, "BR_MISS_PRED_TAKEN_RET", UNMODELLED),
    OF(P6_P2 | P6_P3, 0xcc, "FP_MMX_TRANS", T_MMX_TO_FP),
    OF(P6_P2 | P6_P3, 0x01cc, "FP_MMX_TRANS:FP_TO_MMX", T_FP_TO_MMX),
    OF(P6_P2 | P6_P3, 0xcd, "MMX_ASSIST", T_EMMS),
    OF(P6_P2, 0xce, "MMX_INSTR_RET", T_MMX, T_EMMS),
    PLAIN(0xd0, "INST_DECODED", T_INSN), /* every decoded instruction retires: no speculation */
    PLAIN(0xd2, "PARTIAL_RAT_STALLS", UNMODELLED),
    OF(P6_P2 | P6_P3, 0xd4, "SEG_RENAME_STALLS", UNMODELLED),
    OF(P6_P2 | P6_P3, 0xd5, "SEG_REG_RENAMES", UNMODELLED),
    OF(P6_P2 | P6_P3, 0xd6, "RET_SEG_RENAMES", UNMODELLED),
    OF(P6_P3, 0xd8, "EMON_KNI_INST_RETIRED", T_SSE),
    OF(P6_P3, 0x01d8, "EMON_KNI_INST_RETIRED:SCALAR", T_SSE_SCALAR),
    OF(P6_P3, 0xd9, "EMON_KNI_COMP_INST_RET", T_SSE_COMPUTES_PACKED, T_SSE_COMPUTES_SCALAR),
    OF(P6_P3, 0x01d9, "EMON_KNI_COMP_INST_RET:SCALAR", T_SSE_COMPUTES_SCALAR),
    PLAIN(0xe0, "BR_INST_DECODED", UNMODELLED),
    PLAIN(0xe2, "BTB_MISSES", UNMODELLED),
    PLAIN(0xe4, "BR_BOGUS", UNMODELLED),
    PLAIN(0xe6, "BACLEARS", UNMODELLED),
};
/* clang-format on */

/* Limits of an event select in one processor clock. most: the largest number, by the unit's abilities (MANY:
 * unknown). apart: never in two consecutive clocks, so that each is an edge. */
#define MANY 255
static const struct clock {
    uint8_t first, last, most;
    bool apart;
} clocks[] = {
    {0x05, 0x05, 1, false},                         /* "every cycle during which either pipeline ..." (SDM) */
    {0x10, 0x10, 1, false},                         /* one port executes them all */
    {0x12, 0x12, 1, false}, {0x13, 0x13, 1, true},  /* and the divider is not pipelined: 17 clocks and more
                                                       (Heller) */
    {0x21, 0x2e, 1, false},                         /* one address and one data bus to the L2 */
    {0x43, 0x43, 2, false},                         /* one load and one store in a clock (Heller) */
    {0x45, 0x47, 1, false}, {0x48, 0x48, 4, false}, /* four outstanding misses (Heller) */
    {0x60, 0x60, 8, false},                         /* eight outstanding transactions (Heller) */
    {0x62, 0x62, 1, false}, {0x65, 0x70, 1, true}, /* a new request at most every third bus clock (Pentium Pro
                                                      manual vol. 1, request phase) */
    {0x79, 0x79, 1, false}, {0x80, 0x85, 1, false}, /* one fetch of 16 bytes each active cycle (Heller) */
    {0xb0, 0xb3, 2, false},                         /* an MMX unit each at ports 0 and 1 */
    {0xc0, 0xc1, 3, false},                         /* three decoders, three retired in a clock (Heller) */
    {0xc4, 0xc4, 3, false}, {0xc8, 0xc8, 1, true},  /* delivery takes many clocks */
    {0xc9, 0xc9, 3, false}, {0xce, 0xce, 3, false}, {0xd0, 0xd0, 3, false}, {0xd8, 0xd9, 3, false},
};

static struct clock clock_of(uint8_t event)
{
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (clocks[i].first <= event && event <= clocks[i].last) return clocks[i];
    return (struct clock){event, event, MANY, false};
}

/* The first row whose code is this, in the given bits. */
static const struct sim_event *event_of(uint32_t code, uint32_t bits)
{
    for (unsigned i = 0; i < P6_EVENTS; i++)
        if ((p6_events[i].code & bits) == code) return &p6_events[i];
    return NULL;
}

/* The terms of event select and unit mask into c->terms. False: not modelled. None at all is possible: a MESI
 * event with an empty mask counts nothing. */
static bool gather(const struct sim *s, struct sim_counter *c)
{
    const uint32_t event = SEL_EVENT(c->select), umask = SEL_UMASK(c->select);
    const struct sim_event *e = event_of(event | umask << 8, 0xffff);
    unsigned n = 0;

    if (e) {
        memcpy(c->terms, e->terms, sizeof c->terms);
        return sim_event_modelled(s, e);
    }
    if (umask > 0xf || !event_of(event | 0x0100, 0xffff) || !event_of(event | 0x0f00, 0xffff)) return false;
    for (uint32_t bit = 1; bit <= 8; bit <<= 1)
        if (umask & bit && (e = event_of(event | bit << 8, 0xffff)) != NULL) c->terms[n++] = e->terms[0];
    return true;
}

static bool resolve(const struct sim *s, struct sim_counter *c, const struct sim_event *e, unsigned n)
{
    const struct clock x = clock_of(SEL_EVENT(c->select));
    if (e && e->counters && !(e->counters >> n & 1))
        return true; /* "counter 0 only": here it does not count */
    return e && sim_event_fits(e, n, s->model_bit) && gather(s, c) &&
           sim_counter_qualify(s, c, x.most, x.apart);
}

void p6_resolve(const struct sim *s, unsigned n)
{
    struct p6 *p = s->state;
    struct sim_counter *c = &p->counter[n];
    const uint8_t event = SEL_EVENT(c->select);
    const struct sim_event *e = event_of(SEL_CODE(c->select), 0xffff);

    if (!e) e = event_of(event, 0xff);
    memset(c->terms, 0, sizeof c->terms);
    sim_counter_resolved(c, resolve(s, c, e, n), e ? e->name : p->raw[event]);
}
