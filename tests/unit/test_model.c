/* What the PMU model answers when it is asked which counters have no count: by CPUID, of every family. */
#include "kernel/model.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

#define OS_USR    0x030000u
#define OS_USR_EN 0x430000u

static struct sim *sim;

static void plug(const char *model)
{
    static const struct sim_host host;
    struct cpu_id id;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    assert_true(model_present());
    assert_false(id.has_hypervisor);
}

static int unplug(void **state)
{
    (void)state;
    sim_free(sim);
    sim = NULL;
    return 0;
}

static void wr(uint32_t msr, uint64_t value) { assert_int_equal(sim_wrmsr(sim, msr, value), 1); }

/* Of the first 32 counters, bit by number; fixed: those. */
static uint32_t lacking(uint32_t fixed)
{
    uint32_t set = 0;
    for (unsigned n = 0; n < 32; n++) set |= (uint32_t)model_lacks(n | fixed) << n;
    return set;
}

TEST(test_p5)
{
    plug("p5");
    assert_int_equal(lacking(0), 0);
    wr(0x11, 0xd6 | 0xdful << 16); /* instructions; AGI stalls, at every level */
    assert_int_equal(lacking(0), 2);
    wr(0x11, 0x5f | 0xd6ul << 16); /* at level 0 */
    assert_int_equal(lacking(0), 1);
    wr(0x11, 0x1f); /* at none: it is off */
    assert_int_equal(lacking(0), 0);
    wr(0x11, 0x1df); /* clocks, whatever is selected */
    assert_int_equal(lacking(0), 0);
}

TEST(test_p6)
{
    plug("p3");
    wr(0x186, OS_USR_EN | 0xc0);
    wr(0x187, OS_USR | 0xa2);
    assert_int_equal(lacking(0), 2);
    wr(0x186, 0xc0); /* counter 0's enable is both's */
    assert_int_equal(lacking(0), 0);
    wr(0x186, OS_USR_EN | 0xc0 | 2u << 24); /* how many retire in a clock */
    wr(0x187, 0);
    assert_int_equal(lacking(0), 1);
}

/* Fixed counters have numbers of their own: as for RDPMC. */
TEST(test_arch)
{
    plug("icelake");
    wr(0x38f, 0); /* the general ones are enabled after reset */
    wr(0x186 + 7, OS_USR_EN | 0x1a2);
    wr(0x186 + 1, OS_USR_EN | 0xc0);
    wr(0x38d, 0x3003); /* fixed counters 0 and 3: instructions, and slots */
    assert_int_equal(lacking(0), 0);
    wr(0x38f, 0x9000000ffull);
    assert_int_equal(lacking(0), 1u << 7);
    assert_int_equal(lacking(MODEL_FIXED), 1u << 3);
    wr(0x38f, 1ull << 35);
    assert_int_equal(lacking(0), 0);
    assert_int_equal(lacking(MODEL_FIXED), 1u << 3);
}

TEST(test_amd)
{
    plug("k8");
    wr(0xc0010003, OS_USR_EN | 0xd1);
    wr(0xc0010000, OS_USR_EN | 0xc0);
    assert_int_equal(lacking(0), 1u << 3);
}

/* By what the ESCR selects, all of its mask; and of a counter that waits for another to start it. */
TEST(test_netburst)
{
    enum { ENABLE = 1 << 12, CASCADE = 1 << 30, CRU_ESCR0 = 0x3b8, IQ_CCCR0 = 0x36c, CRU0 = 4 << 13 };
    const uint32_t uops = 1u << 25 | 3u << 2, nbogus = 1u << 9, bogus = 2u << 9, reserved = 3u << 16;
    plug("willamette");
    wr(CRU_ESCR0, uops | nbogus);
    wr(IQ_CCCR0, reserved | CRU0 | ENABLE);
    assert_int_equal(lacking(0), 0);
    wr(CRU_ESCR0, uops | nbogus | bogus);
    assert_int_equal(lacking(0), 1u << 12);
    wr(IQ_CCCR0, reserved | CRU0);
    assert_int_equal(lacking(0), 0);
    wr(IQ_CCCR0, reserved | CRU0 | CASCADE);
    assert_int_equal(lacking(0), 1u << 12);
}

/* ---- cycles, which are no results ---- */

struct select {
    uint32_t msr;
    uint64_t value;
};

/* Written to a model of this CPU, counters 0 to 31, or fixed ones, have cycles by the bits of clocks. */
static void expect_clocks(const char *cpu, const struct select *select, uint32_t fixed, uint32_t clocks)
{
    uint32_t set = 0;
    plug(cpu);
    for (; select->msr; select++) wr(select->msr, select->value);
    for (unsigned n = 0; n < 32; n++) set |= (uint32_t)model_counts_clocks(n | fixed) << n;
    if (set != clocks) fail_msg("%s: clocks on %x, not %x", cpu, set, clocks);
}
#define CLOCKS(cpu, fixed, clocks, ...) \
    expect_clocks(cpu, (const struct select[]){__VA_ARGS__, {0, 0}}, fixed, clocks)

TEST(test_clocks)
{
    CLOCKS("p5", 0, 0, {0x11, 0xd6 | 0xd6ul << 16});  /* instructions */
    CLOCKS("p5", 0, 2, {0x11, 0xd6 | 0x1dful << 16}); /* clocks, whatever is selected */
    CLOCKS("p5", 0, 0, {0x11, 0x16 | 0x11ful << 16}); /* at no level: off */
    CLOCKS("p3", 0, 1, {0x186, OS_USR_EN | 0x79}, {0x187, OS_USR | 0xc0});
    CLOCKS("p3", 0, 3, {0x186, OS_USR_EN | 0x48}, {0x187, OS_USR | 0x62}); /* durations */
    CLOCKS("p3", 0, 0, {0x186, OS_USR_EN | 0x79 | 1u << 18 | 1u << 24},
           {0x187, OS_USR | 0x45});                                      /* wakes; lines in */
    CLOCKS("p3", 0, 1, {0x186, OS_USR_EN | 0xc0 | 1u << 23 | 9u << 24}); /* all below the threshold */
    CLOCKS("haswell", 0, 7, {0x38f, 7}, {0x186, OS_USR_EN | 0x3c}, {0x187, OS_USR_EN | 0x13c},
           {0x188, OS_USR_EN | 0x15c});
    CLOCKS("skylake", MODEL_FIXED, 6, {0x38f, 7ull << 32},
           {0x38d, 0x333}); /* instructions, cycles, reference cycles */
    CLOCKS("zen4", 0, 2, {0xc0010200, OS_USR_EN | 0xc0}, {0xc0010202, OS_USR_EN | 0x76}, {0xc0000301, 3});
    /* global_power_events on counter 0 of the BPU; then uops_retired by a threshold, and its edges */
    CLOCKS("willamette", 0, 1, {0x3a2, 0x13u << 25 | 1u << 9 | 3u << 2},
           {0x360, 3u << 16 | 6u << 13 | 1 << 12});
    const uint32_t uops = 1u << 25 | 1u << 9 | 3u << 2, cru0 = 3u << 16 | 4u << 13 | 1u << 12;
    CLOCKS("willamette", 0, 0, {0x3b8, uops}, {0x36c, cru0});
    CLOCKS("willamette", 0, 1u << 12, {0x3b8, uops}, {0x36c, cru0 | 1u << 18});
    CLOCKS("willamette", 0, 0, {0x3b8, uops}, {0x36c, cru0 | 1u << 18 | 1u << 24});
    CLOCKS("willamette", 0, 1u << 12, {0x3b8, uops}, {0x36c, cru0 | 3u << 18 | 15u << 20}); /* every clock */
}

/* The name of the CPU; a predictor, which only the Pentiums have, and TLBs, which the Pentium 4s have as
 * well. */
TEST(test_parts)
{
    for (unsigned k = 0; sim_model_name(k); k++) {
        plug(sim_model_name(k));
        const char *name = sim_model_name(k);
        const bool p5 = strncmp(name, "p5", 2) == 0;
        const bool netburst = strcmp(name, "willamette") == 0 || strcmp(name, "northwood") == 0 ||
                              strcmp(name, "prescott") == 0;
        char modelled[MODEL_NAME_BYTES + 1];
        model_name(modelled);
        assert_string_equal(modelled, name);
        assert_int_equal(model_lacks_parts(),
                         (p5 ? 0 : MODEL_NO_PREDICTOR) | (p5 || netburst ? 0 : MODEL_NO_TLBS));
    }
}

AROUND_ALL(NULL, unplug);
