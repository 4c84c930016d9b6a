/* How much each level of cache holds in the model of architectural performance monitoring. */
#include "sim/arch.h"
#include "tests/unit/sim_drive.h"

/* A walk through as much as a level holds, done again, does not miss it; one through a quarter more does. */
static uint64_t walk_again(const char *model, unsigned kib, unsigned event)
{
    struct sim *s = machine(model);
    /* Code that is never in the way. */
    struct sim_insn i = {.lin = 0x1004, .phys = 0x40000000, .len = 2, .n_access = 1};
    wr(s, 0x186, 0x430000 | event);
    for (unsigned pass = 0; pass < 2; pass++) {
        wr(s, 0xc1, 0);
        for (unsigned k = 0; k < kib * 1024 / ARCH_LINE; k++) {
            const uint64_t at = UINT64_C(0x1000000) + k * UINT64_C(64);
            i.access[0] = (struct sim_access){.lin = at, .phys = at, .bytes = 4, .kind = SIM_READ};
            sim_instruction(s, &i);
        }
    }
    const uint64_t n = rd(s, 0xc1);
    sim_free(s);
    return n;
}

TEST(test_sizes)
{
    /* What misses a level: LLC_MISSES of the last one, LLC_REFERENCES of an L2 before an L3. Sizes in KiB: an
     * L3 that takes what the L2 throws out holds what the L2 does not, though not in every set as much. */
    static const struct {
        const char *model;
        unsigned fits, misses, event;
    } levels[] = {
        {"core2", 32, 40, 0x0f45},         {"haswell", 32, 40, 0x0151},
        {"icelake", 48, 60, 0x0151},       {"tigerlake", 48, 60, 0x0151},
        {"coreduo", 2048, 2560, 0x412e},   {"core2", 6144, 7680, 0x412e},
        {"sandybridge", 256, 320, 0x4f2e}, {"haswell", 256, 320, 0x4f2e},
        {"skylake", 1024, 1280, 0x4f2e},   {"icelake", 512, 640, 0x4f2e},
        {"tigerlake", 1280, 1600, 0x4f2e}, {"sandybridge", 8192, 10240, 0x412e},
        {"haswell", 8192, 10240, 0x412e},  {"skylake", 8448, 10240, 0x412e},
        {"icelake", 8192, 10240, 0x412e},  {"tigerlake", 8192, 10240, 0x412e},
    };
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        assert_int_equal(walk_again(levels[i].model, levels[i].fits, levels[i].event), 0);
        assert_true(walk_again(levels[i].model, levels[i].misses, levels[i].event) > levels[i].fits * 4);
    }
}
