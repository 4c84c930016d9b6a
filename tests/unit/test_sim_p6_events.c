/* P6 model: the table of events against the manual's, what is not modelled, and what CMASK, INV and E make of
 * an event. */
#include "tests/unit/p6_oracle.h"

/* Every event select of SDM table 19-37 that these processors have, with the counters and models it names. */
static const struct {
    uint8_t code, counters, models;
} manual[] = {
    {0x03, 3, 7}, {0x04, 3, 7}, {0x05, 3, 7}, {0x06, 3, 7}, {0x07, 3, 4}, {0x10, 1, 7}, {0x11, 2, 7},
    {0x12, 2, 7}, {0x13, 2, 7}, {0x14, 1, 7}, {0x21, 3, 7}, {0x22, 3, 7}, {0x23, 3, 7}, {0x24, 3, 7},
    {0x25, 3, 7}, {0x26, 3, 7}, {0x27, 3, 7}, {0x28, 3, 7}, {0x29, 3, 7}, {0x2a, 3, 7}, {0x2e, 3, 7},
    {0x43, 3, 7}, {0x45, 3, 7}, {0x46, 3, 7}, {0x47, 3, 7}, {0x48, 3, 7}, {0x4b, 3, 4}, {0x60, 3, 7},
    {0x61, 3, 7}, {0x62, 3, 7}, {0x63, 3, 7}, {0x64, 3, 7}, {0x65, 3, 7}, {0x66, 3, 7}, {0x67, 3, 7},
    {0x68, 3, 7}, {0x69, 3, 7}, {0x6a, 3, 7}, {0x6b, 3, 7}, {0x6c, 3, 7}, {0x6d, 3, 7}, {0x6e, 3, 7},
    {0x6f, 3, 7}, {0x70, 3, 7}, {0x79, 3, 7}, {0x7a, 3, 7}, {0x7b, 3, 7}, {0x7e, 3, 7}, {0x80, 3, 7},
    {0x81, 3, 7}, {0x85, 3, 7}, {0x86, 3, 7}, {0x87, 3, 7}, {0xa2, 3, 7}, {0xb0, 3, 2}, {0xb1, 3, 6},
    {0xb2, 3, 6}, {0xb3, 3, 6}, {0xc0, 3, 7}, {0xc1, 1, 7}, {0xc2, 3, 7}, {0xc4, 3, 7}, {0xc5, 3, 7},
    {0xc6, 3, 7}, {0xc7, 3, 7}, {0xc8, 3, 7}, {0xc9, 3, 7}, {0xca, 3, 7}, {0xcc, 3, 6}, {0xcd, 3, 6},
    {0xce, 3, 2}, {0xd0, 3, 7}, {0xd2, 3, 7}, {0xd4, 3, 6}, {0xd5, 3, 6}, {0xd6, 3, 6}, {0xd8, 3, 4},
    {0xd9, 3, 4}, {0xe0, 3, 7}, {0xe2, 3, 7}, {0xe4, 3, 7}, {0xe6, 3, 7},
};
#define N_MANUAL (sizeof manual / sizeof *manual)

TEST(test_table)
{
    for (unsigned i = 0; i < P6_EVENTS; i++) {
        const struct sim_event *e = &p6_events[i];
        unsigned k = 0;
        assert_non_null(e->name); /* P6_EVENTS is not too many */
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(e->name, p6_events[j].name);
            assert_int_not_equal(e->code, p6_events[j].code);
        }
        while (k < N_MANUAL && manual[k].code != (e->code & 0xff)) k++;
        assert_true(k < N_MANUAL);
        assert_int_equal(e->counters ? e->counters : 3, manual[k].counters);
        const unsigned models = e->models & ~(unsigned)SIM_SEVERAL;
        assert_int_equal(models ? models : 7, manual[k].models);
        for (unsigned t = 0; t < SIM_TERMS; t++) assert_true(e->terms[t] < T_END);
    }
    for (unsigned k = 0; k < N_MANUAL; k++) {
        unsigned i = 0;
        while (i < P6_EVENTS && (p6_events[i].code & 0xff) != manual[k].code) i++;
        assert_true(i < P6_EVENTS);
    }
}

TEST(test_unmodelled)
{
    struct sim *s = machine("p3");
    assert_string_equal(unmodelled(s, 0, 0xc5 | BOTH), "BR_MISS_PRED_RETIRED");
    assert_string_equal(unmodelled(s, 1, 0xc2 | BOTH), "UOPS_RETIRED");
    assert_string_equal(unmodelled(s, 0, 0x4f | BOTH), "r4f");
    assert_string_equal(unmodelled(s, 0, 0x00 | BOTH), "r00");
    assert_string_equal(unmodelled(s, 0, 0xb0 | BOTH), "MMX_INSTR_EXEC"); /* not this processor's */
    assert_string_equal(unmodelled(s, 0, 0x01c0 | BOTH), "INST_RETIRED"); /* its unit mask is 0 */
    assert_string_equal(unmodelled(s, 0, 0x1f29 | BOTH), "L2_LD");        /* the Pentium M's mask bits */
    assert_string_equal(unmodelled(s, 0, 0x1070 | BOTH), "BUS_TRAN_ANY");
    assert_string_equal(unmodelled(s, 0, 0x0063 | BOTH), "BUS_LOCK_CLOCKS");
    assert_string_equal(unmodelled(s, 0, 0x02d8 | BOTH), "EMON_KNI_INST_RETIRED");
    assert_string_equal(unmodelled(s, 0, 0x0107 | BOTH), "EMON_KNI_PREF_DISPATCHED:T1");
    assert_string_equal(unmodelled(s, 0, 0x20b3 | BOTH), "MMX_INSTR_TYPE_EXEC:ARITH");
    assert_string_equal(unmodelled(s, 0, 0x03b3 | BOTH), "MMX_INSTR_TYPE_EXEC"); /* of two kinds */
    assert_null(unmodelled(s, 0, 0xc0 | BOTH));
    assert_null(
        unmodelled(s, 0, 0x2e | BOTH));  /* an empty MESI mask counts nothing: Linux's way to stop one */
    assert_null(unmodelled(s, 0, 0xc5)); /* counts at no level */
    assert_null(unmodelled(s, 0, 0x2062 | BOTH));
    sim_free(s);
}

TEST(test_restrictions)
{
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < N_MANUAL; k++) {
            struct sim *s = machine(models[m]);
            for (unsigned n = 0; n < 2; n++) {
                const char *name = unmodelled(s, n,
                                              manual[k].code |
                                                  (manual[k].code == 0xb2   ? 0x0f00
                                                   : manual[k].code == 0xb3 ? 0x0100
                                                                            : 0) |
                                                  BOTH);
                if (!(manual[k].counters >> n & 1)) {
                    assert_null(name);
                    assert_int_equal(rd(s, CTR0 + n), 0);
                } else if (!(manual[k].models >> m & 1)) {
                    assert_non_null(name);
                }
            }
            sim_free(s);
        }
}

/* ---- one clock: CMASK, INV, E ---- */

TEST(test_thresholds)
{
    enum { NONE = -1 }; /* unmodelled */
    static const struct {
        uint32_t select;
        int want;
    } rows[] = {
        /* 10 instructions, one a branch taken; 3 interrupts; 20 clocks, then 30 halted, then 5 */
        {0xc0, 10},
        {0xc0 | INV, 10}, /* INV without CMASK is ignored */
        {0xc0 | CMASK(1), NONE},
        {0xc0 | CMASK(3), NONE},
        {0xc0 | CMASK(4), 0}, /* three retire in a clock */
        {0xc0 | CMASK(4) | INV, 25},
        {0xc0 | CMASK(255) | INV, 25},
        {0xc0 | CMASK(4) | INV | E, 0},
        {0xc0 | CMASK(1) | INV, NONE},
        {0xc0 | E, NONE},
        {0x79, 25},
        {0x79 | CMASK(1), 25},
        {0x79 | CMASK(2), 0},
        {0x79 | CMASK(2) | INV, 25},
        {0x79 | CMASK(1) | INV, NONE},
        {0x79 | E, 1},
        {0x79 | E | CMASK(1), 1},
        {0xc8, 3},
        {0xc8 | CMASK(1), 3},
        {0xc8 | E, 3},
        {0xc8 | CMASK(2), 0},
        {0x70 | E, 1}, /* the first instruction comes from memory */
        {0x43 | CMASK(3), 0},
        {0x43 | CMASK(2), NONE},
        {0x48 | CMASK(1), NONE},
        {0x48 | CMASK(5), 0},
        {0x06 | CMASK(200), NONE}, /* nothing known of one clock of it */
        {0x2e | E | CMASK(1), 0},
        {0x2e | INV | CMASK(1), 25}, /* an empty mask is below 1 in every clock */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sim *s = machine("p2");
        sim_oracle_begin(s, "x");
        program(s, 1, rows[r].select | BOTH);
        sim_ticks(s, 10, false, 0);
        for (unsigned i = 0; i < 10; i++) retire(s, 1, i ? 0 : OP_BRANCH | OP_TAKEN, 0);
        for (unsigned i = 0; i < 3; i++) sim_interrupt(s, 0x20, false, 0);
        sim_ticks(s, 30, true, 0);
        sim_ticks(s, 0, false, 0);
        sim_ticks(s, 5, false, 0);
        const uint64_t v = rd(s, CTR1);
        sim_oracle_end(s, keep, NULL, NULL);
        const bool listed = !strstr(line, "\"unmodelled\":[]");
        if (rows[r].want == NONE)
            assert_true(listed && v == 0);
        else if (listed || v != (uint64_t)rows[r].want)
            fail_msg("%08x: %llu, not %d%s", rows[r].select, (unsigned long long)v, rows[r].want,
                     listed ? ", and unmodelled" : "");
        sim_free(s);
    }
}
