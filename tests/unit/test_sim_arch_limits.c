/* A general counter that cannot count an event does not see it (sim/arch_limits.c): each counter of each
 * model by itself, against what Linux' tables of constraints say. */
#include "sim/arch.h"
#include "tests/unit/arch_facts.h"

static const struct {
    const char *model;
    unsigned code, counters; /* bit n: general counter n counts it */
    void (*run)(void);
} want[] = {
    {"coreduo", 0x00c4, 0x03, run_jcc_taken},     {"coreduo", 0x412e, 0x03, run_read_cold},
    {"core2", 0x00c4, 0x03, run_jcc_taken},       {"core2", 0x01cb, 0x01, run_read_cold},
    {"core2", 0x04cb, 0x01, run_read_cold},       {"core2", 0x0f45, 0x03, run_read_cold},
    {"sandybridge", 0x0151, 0xff, run_read_cold}, {"sandybridge", 0x412e, 0xff, run_read_cold},
    {"haswell", 0x0151, 0x0f, run_read_cold},     {"skylake", 0x08d1, 0x0f, run_read_cold},
    {"icelake", 0x00c0, 0xff, run_read_cold},     {"icelake", 0x412e, 0xff, run_read_cold},
    {"icelake", 0x20c4, 0xff, run_jcc_taken},     {"icelake", 0x0151, 0x0f, run_read_cold},
    {"icelake", 0x81d0, 0x0f, run_read_cold},     {"icelake", 0x20d1, 0x0f, run_read_cold},
    {"tigerlake", 0x0151, 0x0f, run_read_cold},   {"tigerlake", 0x08d1, 0x0f, run_read_cold},
    {"tigerlake", 0x11c4, 0xff, run_jcc_taken},
};

TEST(test_each_counter)
{
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        sim = sim_new(want[i].model, NULL, NULL);
        assert_non_null(sim);
        const unsigned general = LEAF_A_GENERAL(((struct arch *)sim->state)->traits);
        wr(sim, 0x186, 0x4300c0);
        prepare();
        wr(sim, 0x186, 0);
        wr(sim, 0xc1, 0);
        for (unsigned n = 0; n < general; n++) wr(sim, 0x186 + n, 0x430000 | want[i].code);
        want[i].run();
        for (unsigned n = 0; n < general; n++)
            if ((rd(sim, 0xc1 + n) != 0) != (want[i].counters >> n & 1))
                fail_msg("%s, %04x: counter %u has %llu", want[i].model, want[i].code, n,
                         (unsigned long long)rd(sim, 0xc1 + n));
        const char *none[1];
        assert_int_equal(sim_unmodelled(sim, none, 1), 0); /* nothing is counted: the event is modelled */
        sim_free(sim);
        sim = NULL;
    }
}
