/* Which instructions order the readings on which CPU, and which bracket is taken. */
#include "kernel/lfence.h"
#include "measure/bracket.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

#define SSE2      (1u << 26) /* CPUID 1, EDX: SDM vol. 2A, table 3-11 */
#define SERIALIZE (1u << 14) /* CPUID 7, EDX: table 3-8 */
#define ALWAYS                                                                                              \
    (1u << 2)             /* CPUID 8000_0021, EAX: "LFENCE is always serializing", AMD's APM vol. 3, E.4.14 \
                           */
#define DE_CFG 0xc0011029 /* AMD, "Software Techniques for Managing Speculation", G-2 */

enum { GP, MSR }; /* does DE_CFG exist? */
static const struct {
    const char *vendor;
    unsigned family;
    uint32_t edx, f7_edx, x21_eax;
    int msr;
    uint64_t cfg, after;
    bool lfence, serialize;
} cpus[] = {
    {"GenuineIntel", 5, 0, 0, 0, GP, 0, 0, false, false},
    {"GenuineIntel", 6, SSE2, 0, 0, GP, 0, 0, true, false},
    {"GenuineIntel", 6, SSE2, SERIALIZE, 0, GP, 0, 0, true, true},
    {"GenuineIntel", 6, ~SSE2, ~SERIALIZE, 0, GP, 0, 0, false, false},
    {"CentaurHauls", 6, SSE2, 0, 0, MSR, 0, 0, true, false},
    {"AuthenticAMD", 6, 0, 0, 0, MSR, 2, 2, false, false}, /* K7 */
    {"AuthenticAMD", 0x0f, SSE2, 0, 0, GP, 0, 0, true, false},
    {"AuthenticAMD", 0x0f, SSE2, 0, 0, MSR, 0, 0, true, false}, /* left as it is */
    {"AuthenticAMD", 0x11, SSE2, 0, 0, GP, 0, 0, true, false},
    {"AuthenticAMD", 0x10, SSE2, 0, 0, GP, 0, 0, false, false},
    {"AuthenticAMD", 0x10, SSE2, 0, 0, MSR, 0x50, 0x52, true, false},
    {"AuthenticAMD", 0x12, SSE2, 0, 0, GP, 0, 0, false, false},
    {"AuthenticAMD", 0x17, SSE2, 0, 0, MSR, 2, 2, true, false},
    {"AuthenticAMD", 0x19, SSE2, 0, ALWAYS, GP, 0, 0, true, false},
    {"AuthenticAMD", 0x19, SSE2, 0, ~ALWAYS, GP, 0, 0, false, false},
    {"HygonGenuine", 0x18, SSE2, 0, 0, GP, 0, 0, false, false},
    {"HygonGenuine", 0x18, SSE2, 0, 0, MSR, 0, 2, true, false},
};

TEST(test_usable)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct cpu_id id = {.family = cpus[i].family,
                            .f1_edx = cpus[i].edx,
                            .f7_edx = cpus[i].f7_edx,
                            .x21_eax = cpus[i].x21_eax};
        uint64_t cfg = 0;
        strcpy(id.vendor, cpus[i].vendor);
        fake_reset();
        if (cpus[i].msr == MSR) fake_msr(DE_CFG, cpus[i].cfg);
        struct control found;
        id.lfence_set = lfence_set(&id, &found); /* as bring-up does, on each processor */
        assert_true(serializers[SERIALIZE_CPUID].usable(&id));
        assert_int_equal(serializers[SERIALIZE_LFENCE].usable(&id), cpus[i].lfence);
        assert_int_equal(serializers[SERIALIZE_SERIALIZE].usable(&id), cpus[i].serialize);
        assert_int_equal(rdmsr_safe(DE_CFG, &cfg), cpus[i].msr == MSR);
        assert_int_equal(cfg, cpus[i].after);
        control_restore(&found);
        rdmsr_safe(DE_CFG, &cfg);
        assert_int_equal(cfg, cpus[i].cfg);
    }
}

/* Two cores of one kind, each with its own DE_CFG: what is set on the first one holds there only, and asking
 * whether LFENCE can be used, of whichever core, changes nothing. */
TEST(test_each_core)
{
    struct cpu_id id[2];
    struct control found[2];
    uint64_t cfg[2] = {0x10, 0};
    for (unsigned i = 0; i < 2; i++) {
        id[i] = (struct cpu_id){.vendor = "AuthenticAMD", .family = 0x17, .f1_edx = SSE2};
        fake_reset();
        fake_msr(DE_CFG, cfg[i]);
        assert_false(serializers[SERIALIZE_LFENCE].usable(&id[i]));
        rdmsr_safe(DE_CFG, &cfg[i]);
        assert_int_equal(cfg[i] & 2, 0);
        id[i].lfence_set = lfence_set(&id[i], &found[i]);
        assert_true(serializers[SERIALIZE_LFENCE].usable(&id[i]));
        rdmsr_safe(DE_CFG, &cfg[i]);
        assert_int_equal(cfg[i] & 2, 2);
    }
    fake_msr(DE_CFG, cfg[0]);
    control_restore(&found[0]);
    rdmsr_safe(DE_CFG, &cfg[0]);
    assert_int_equal(cfg[0], 0x10);
    fake_msr(DE_CFG, 0); /* a core that does not keep the bit */
    fake_msr_loses(DE_CFG, 2);
    assert_false(lfence_set(&id[0], &found[0]));
}

extern bracket_fn bracket_cpuid, bracket_lfence, bracket_serialize;
extern bracket_fn bracket_cpuid_rdpmc1, bracket_cpuid_rdpmc2, bracket_cpuid_rdmsr1, bracket_cpuid_rdmsr2;

TEST(test_bracket)
{
    static bracket_fn *const none[] = {bracket_cpuid, bracket_lfence, bracket_serialize};
    for (unsigned s = 0; s < SERIALIZE_COUNT; s++) {
        assert_ptr_equal(bracket_find(s, READER_NONE, 0), none[s]);
        const struct bracket_code code = bracket_code(s);
        assert_true(code.begin == (uintptr_t)none[s] && code.begin < code.back && code.back < code.end);
        for (unsigned n = 1; n <= BRACKET_COUNTERS + 1; n++) {
            const bool few = s == SERIALIZE_CPUID && n <= 2;
            bracket_fn *by_rdpmc = n > BRACKET_COUNTERS ? NULL : bracket_many, *by_rdmsr = NULL;
            if (few) by_rdpmc = n == 1 ? bracket_cpuid_rdpmc1 : bracket_cpuid_rdpmc2;
            if (few) by_rdmsr = n == 1 ? bracket_cpuid_rdmsr1 : bracket_cpuid_rdmsr2;
            assert_ptr_equal(bracket_find(s, READER_RDPMC, n), by_rdpmc);
            assert_ptr_equal(bracket_find(s, READER_RDMSR, n), by_rdmsr);
        }
    }
    assert_null(bracket_find(SERIALIZE_LFENCE, READER_GATE, 1));
}
