/* Registers of PMUs (sim/registers.c): whatever one model answers is on the list, so that it raises #GP on
 * those that lack it; common registers of processors are not. */
#include "sim/sim.h"
#include "tests/unit/unit.h"

/* MSRs of the models that are no PMU's, or are not only a PMU's: other processors have them without one. */
static bool shared(uint32_t msr)
{
    static const uint32_t not_pmu[] = {0x49,  0x8b,  0x119,      0x1a0,      0x1a4,
                                       0x1d9, 0x345, 0xc001001f, 0xc0010015, 0xc0011029};
    for (size_t k = 0; k < sizeof not_pmu / sizeof *not_pmu; k++)
        if (not_pmu[k] == msr) return true;
    return false;
}

TEST(test_all_of_the_models)
{
    static const uint32_t ranges[][2] = {{0, 0x2000}, {0xc0000000, 0xc0001000}, {0xc0010000, 0xc0012000}};
    const char *name;
    for (unsigned m = 0; (name = sim_model_name(m)) != NULL; m++) {
        struct sim *s = sim_new(name, NULL, NULL);
        assert_non_null(s);
        for (unsigned r = 0; r < 3; r++)
            for (uint32_t msr = ranges[r][0]; msr < ranges[r][1]; msr++) {
                uint64_t v;
                if (sim_rdmsr(s, msr, &v) == 1 && !sim_pmu_register(msr) && !shared(msr))
                    fail_msg("%s has %x", name, msr);
            }
        sim_free(s);
    }
}

TEST(test_others)
{
    static const uint32_t others[] = {0x10,  0x1b,  0x48,       0x49,       0x8b,       0xc0,
                                      0xc9,  0x174, 0x1a0,      0x1d9,      0x277,      0x2ff,
                                      0x345, 0x6e0, 0xc0000080, 0xc0000100, 0xc0010015, 0xc0011029};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) assert_false(sim_pmu_register(others[k]));
}
