/* cache_probe() on AMD's leaves: errata of the K7, units, codes of associativity, and which leaf is asked. */
#include "tests/unit/cache_leaves.h"

/* L2 sizes of early K7: AMD's revision guides, Athlon model 4 and Duron model 3. Others are believed. */
TEST(test_k7_errata)
{
    static const struct {
        uint32_t signature, reported, kib;
    } cpus[] = {{0x630, 1, 64},    {0x631, 64, 64},   {0x640, 512, 256}, {0x641, 512, 256},
                {0x642, 256, 256}, {0x650, 512, 512}, {0x63f, 512, 512}};
    struct fake_cpuid cpu[] = {AMD_MAX(1),
                               SIGNATURE(0),
                               {0x80000000, FAKE_ANY_SUBLEAF, {0x80000006, 0, 0, 0}},
                               {0x80000005, FAKE_ANY_SUBLEAF, {0, 0, 0x40020140, 0x40020140}},
                               {0x80000006, FAKE_ANY_SUBLEAF, {0, 0, 0, 0}}};
    struct cache_info info;
    for (unsigned i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        fake_reset();
        fake_cpuid(cpu, 5);
        cpu[1].regs.eax = cpus[i].signature;
        cpu[4].regs.ecx = cpus[i].reported << 16 | 0x8140;
        probe(&info);
        if (!has(&info, 2, U, cpus[i].kib, 16, 64)) fail_msg("%x", cpus[i].signature);
    }
    cpu[1].regs.eax = 0x630;
    cpu[0].regs = (struct cpuid_regs){1, 0x746e6543, 0x736c7561, 0x48727561}; /* no AMD */
    cpu[4].regs.ecx = 512 << 16 | 0x8140;
    probe(&info);
    assert_true(has(&info, 2, U, 512, 16, 64));
}

/* L3 in units of 512 KiB: 4 GiB and more are no cache. */
TEST(test_amd_l3)
{
    static const unsigned units[][2] = {{0, 0}, {1, 1}, {12, 1}, {8191, 1}, {8192, 0}, {8193, 0}, {16383, 0}};
    struct fake_cpuid cpu[] = {AMD_MAX(1),
                               SIGNATURE(0x100f42),
                               {0x80000000, FAKE_ANY_SUBLEAF, {0x80000006, 0, 0, 0}},
                               {0x80000005, FAKE_ANY_SUBLEAF, {0, 0, 0x40020140, 0x40020140}},
                               {0x80000006, FAKE_ANY_SUBLEAF, {0, 0, 0, 0}}};
    struct cache_info info;
    fake_reset();
    fake_cpuid(cpu, 5);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        cpu[4].regs.edx = units[i][0] << 18 | 0x8140;
        probe(&info);
        assert_int_equal(cache_data(&info, 3) != NULL, units[i][1]);
        if (units[i][1]) assert_int_equal(cache_data(&info, 3)->bytes, units[i][0] * 512u * 1024);
    }
}

/* AMD APM vol. 3, leaf 80000006h: associativity codes */
TEST(test_amd_associativity)
{
    static const struct {
        uint32_t code, ways;
    } codes[] = {{1, 1},    {2, 2},    {3, 3},    {4, 4},     {5, 6},      {6, 8}, {8, 16}, {0xa, 32},
                 {0xb, 48}, {0xc, 64}, {0xd, 96}, {0xe, 128}, {0xf, FULL}, {9, 0}, {7, 0}};
    struct fake_cpuid cpu[] = {AMD_MAX(1),
                               SIGNATURE(0xf4a),
                               {0x80000000, FAKE_ANY_SUBLEAF, {0x80000006, 0, 0, 0}},
                               {0x80000005, FAKE_ANY_SUBLEAF, {0, 0, 0x10ff0140, 0x10010140}},
                               {0x80000006, FAKE_ANY_SUBLEAF, {0, 0, 0, 0}}};
    struct cache_info info;
    fake_reset();
    fake_cpuid(cpu, 5);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        cpu[4].regs.ecx = 0x03000140 | codes[i].code << 12;
        probe(&info);
        assert_int_equal(info.n, 3);
        assert_true(has(&info, 2, U, 768, codes[i].ways, 64));
        assert_int_equal(cache_sets(cache_data(&info, 2)) == 0, codes[i].ways == 0);
    }
    cpu[4].regs.ecx = 0x03000140; /* code 0: switched off */
    probe(&info);
    assert_int_equal(info.n, 2);
    assert_true(has(&info, 1, D, 16, FULL, 64));
    assert_true(has(&info, 1, I, 16, 1, 64));
}

/* AMD's leaf 4 is reserved, and 8000001Dh needs both its place below the maximum and the feature bit. */
TEST(test_amd_leaf_choice)
{
    struct fake_cpuid cpu[] = {AMD_MAX(0xd),
                               SIGNATURE(0x600f12),
                               {4, 0, {0x121, 0x01c0003f, 0x3f, 0}},
                               {0x80000000, FAKE_ANY_SUBLEAF, {0x8000001e, 0, 0, 0}},
                               {0x80000001, FAKE_ANY_SUBLEAF, {0, 0, 1u << 22, 0}},
                               {0x80000005, FAKE_ANY_SUBLEAF, {0, 0, 0x10040140, 0x40020140}},
                               {0x8000001d, 0, {0x121, 0x00c0003f, 0x3f, 0}}};
    struct cache_info info;
    fake_reset();
    fake_cpuid(cpu, 7);
    probe(&info);
    assert_string_equal(info.source, "cpuid.8000001Dh");
    assert_int_equal(info.n, 1);

    cpu[4].regs.ecx = 0; /* no topology extensions */
    probe(&info);
    assert_string_equal(info.source, "cpuid.80000005h");
    assert_int_equal(info.n, 2);

    cpu[4].regs.ecx = 1u << 22;
    cpu[3].regs.eax = 0x8000001c;
    probe(&info);
    assert_string_equal(info.source, "cpuid.80000005h");

    cpu[3].regs.eax = 0x8000001e;
    cpu[6].regs.eax = 0; /* the feature is announced, the leaf is zero */
    probe(&info);
    assert_string_equal(info.source, "cpuid.80000005h");

    cpu[3].regs.eax = 0x80000004;
    probe(&info);
    assert_string_equal(info.source, "unknown");
    assert_int_equal(info.n, 0);
    assert_null(cache_data(&info, 1));
}
