/* cache_probe() against the published geometry of real processors, and against leaves that lie. */
#include "tests/unit/cache_leaves.h"
#include "tests/unit/fake_cpus.h"

struct expected {
    const char *cpu, *source;
    uint32_t max_leaf; /* what the firmware limits CPUID to; 0: nothing */
    struct {
        unsigned level, kind, kib, ways, line;
    } c[4];
};

/* Geometry from the data sheets and Intel's and AMD's processor tables (SDM vol. 3A, table 11-1). Where leaf
 * 2 and leaf 4 both exist, leaf 2 alone (CPUID limited to 2) must tell what leaf 4 tells. */
static struct expected geometries[] = {
    {"p54c", "table", 0, {{1, D, 8, 2, 32}, {1, I, 8, 2, 32}}},
    {"p24t", "table", 0, {{1, D, 16, 4, 32}, {1, I, 16, 4, 32}}},
    {"pentium_mmx", "table", 0, {{1, D, 16, 4, 32}, {1, I, 16, 4, 32}}},
    {"quark_x1000", "table", 0, {{1, U, 16, 4, 16}}},
    {"cyrix_6x86", "table", 0, {{1, U, 16, 4, 32}}},
    {"pentium_pro", "cpuid.2", 0, {{1, D, 8, 2, 32}, {1, I, 8, 4, 32}, {2, U, 256, 4, 32}}},
    {"mendocino", "cpuid.2", 0, {{1, D, 16, 4, 32}, {1, I, 16, 4, 32}, {2, U, 128, 4, 32}}},
    {"coppermine", "cpuid.2", 0, {{1, D, 16, 4, 32}, {1, I, 16, 4, 32}, {2, U, 256, 8, 32}}},
    {"willamette", "cpuid.2", 0, {{1, D, 8, 4, 64}, {2, U, 256, 8, 64}}},
    {"northwood", "cpuid.2", 0, {{1, D, 8, 4, 64}, {2, U, 512, 8, 64}}},
    {"tulsa", "cpuid.4", 0, {{1, D, 16, 8, 64}, {2, U, 1024, 8, 64}, {3, U, 16384, 16, 64}}},
    {"tulsa", "cpuid.2", 3, {{1, D, 16, 8, 64}, {2, U, 1024, 8, 64}, {3, U, 16384, 16, 64}}},
    {"conroe", "cpuid.4", 0, {{1, D, 32, 8, 64}, {1, I, 32, 8, 64}, {2, U, 4096, 16, 64}}},
    {"conroe", "cpuid.2", 2, {{1, D, 32, 8, 64}, {1, I, 32, 8, 64}, {2, U, 4096, 16, 64}}},
    {"atom_230", "cpuid.4", 0, {{1, D, 24, 6, 64}, {1, I, 32, 8, 64}, {2, U, 512, 8, 64}}},
    {"atom_230", "cpuid.2", 2, {{1, D, 24, 6, 64}, {1, I, 32, 8, 64}, {2, U, 512, 8, 64}}},
    {"beckton_hyperv",
     "cpuid.4",
     0,
     {{1, D, 32, 8, 64}, {1, I, 32, 4, 64}, {2, U, 256, 8, 64}, {3, U, 24576, 24, 64}}},
    {"beckton_hyperv",
     "cpuid.2",
     2,
     {{1, D, 32, 8, 64}, {1, I, 32, 4, 64}, {2, U, 256, 8, 64}, {3, U, 24576, 24, 64}}},
    {"skylake",
     "cpuid.4",
     0,
     {{1, D, 32, 8, 64}, {1, I, 32, 8, 64}, {2, U, 256, 4, 64}, {3, U, 6144, 12, 64}}},
    {"skylake", "unknown", 2, {{0, 0, 0, 0, 0}}}, /* its leaf 2 says FFh: ask leaf 4 */
    {"k5", "cpuid.80000005h", 0, {{1, D, 8, 4, 32}, {1, I, 16, 4, 32}}},
    {"k6_iii", "cpuid.80000005h", 0, {{1, D, 32, 2, 32}, {1, I, 32, 2, 32}, {2, U, 256, 4, 32}}},
    {"duron_a0", "cpuid.80000005h", 0, {{1, D, 64, 2, 64}, {1, I, 64, 2, 64}, {2, U, 64, 16, 64}}},
    {"clawhammer", "cpuid.80000005h", 0, {{1, D, 64, 2, 64}, {1, I, 64, 2, 64}, {2, U, 512, 16, 64}}},
    {"deneb",
     "cpuid.80000005h",
     0,
     {{1, D, 64, 2, 64}, {1, I, 64, 2, 64}, {2, U, 512, 16, 64}, {3, U, 6144, 48, 64}}},
    {"ryzen_1800x",
     "cpuid.8000001Dh",
     0,
     {{1, D, 32, 8, 64}, {1, I, 64, 4, 64}, {2, U, 512, 8, 64}, {3, U, 8192, 16, 64}}},
    {"isaiah", "cpuid.4", 0, {{1, D, 32, 8, 64}, {1, I, 32, 8, 64}, {2, U, 2048, 16, 64}}},
    {"isaiah", "cpuid.80000005h", 2, {{1, D, 32, 8, 64}, {1, I, 32, 8, 64}, {2, U, 2048, 16, 64}}},
};
#define N_GEOMETRIES (sizeof geometries / sizeof *geometries)

/* One test for each row: exactly these caches, in whatever order. */
static void test_geometry(void **state)
{
    const struct expected *want = *state;
    struct cache_info info;
    unsigned n = 0;

    fake_reset();
    fake_cpu(want->cpu);
    if (want->max_leaf) fake_cpuid_limit(want->max_leaf);
    probe(&info);
    assert_string_equal(info.source, want->source);
    for (; n < 4 && want->c[n].level; n++)
        assert_true(
            has(&info, want->c[n].level, want->c[n].kind, want->c[n].kib, want->c[n].ways, want->c[n].line));
    assert_int_equal(info.n, n);
}

#define MACHINE(...)                                          \
    static const struct fake_cpuid machine[] = {__VA_ARGS__}; \
    fake_reset();                                             \
    fake_cpuid(machine, sizeof machine / sizeof *machine)

/* An emulator announces leaf 4 and leaves it zero: leaf 2 is next. */
static void test_zero_leaf4(void **state)
{
    struct cache_info info;
    (void)state;
    MACHINE(INTEL_MAX(4), SIGNATURE(0x6b1), {2, FAKE_ANY_SUBLEAF, {1, 0, 0, 0x0c040883}});
    probe(&info);
    assert_string_equal(info.source, "cpuid.2");
    assert_int_equal(info.n, 3);
    assert_true(has(&info, 2, U, 512, 8, 32));
}

/* A subleaf that is ignored repeats one cache for ever; one that counts on never ends. */
static void test_endless_leaf4(void **state)
{
    struct cache_info info;
    (void)state;
    {
        MACHINE(INTEL_MAX(4), SIGNATURE(0x6f6), {4, FAKE_ANY_SUBLEAF, {0x121, 0x01c0003f, 0x3f, 0}});
        probe(&info);
        assert_int_equal(info.n, 1);
        assert_true(has(&info, 1, D, 32, 8, 64));
    }
    struct fake_cpuid endless[34] = {INTEL_MAX(4), SIGNATURE(0x6f6)};
    for (uint32_t i = 0; i < 32; i++)
        endless[2 + i] = (struct fake_cpuid){4, i, {0x121, 0x01c0003f, (64u << i % 16) - 1, 0}};
    fake_reset();
    fake_cpuid(endless, 34);
    probe(&info);
    assert_int_equal(info.n, CACHE_MAX);
}

static void test_garbage_leaf4(void **state)
{
    struct cache_info info;
    (void)state;
    MACHINE(INTEL_MAX(4), SIGNATURE(0x6f6), {4, 0, {0x124, 0x01c0003f, 0x3f, 0}}, /* reserved type */
            {4, 1, {0x101, 0x01c0003f, 0x3f, 0}},                                 /* level 0 */
            {4, 2, {0x121, 0xffffffff, 0xffffffff, 0}},                           /* 2^64 bytes */
            {4, 3, {0x121, 0xffffffff, 0, 0}},                                    /* 2^32 bytes, line 4096 */
            {4, 4, {0x121, 0x01c0002f, 0x3f, 0}},                                 /* line of 48 */
            {4, 5, {0x121, 0, 0, 0}},                                             /* 1 byte */
            {4, 6, {0x321, 0x1fc0003f, 0, 0}},          /* 128 lines, fully associative */
            {4, 7, {0x141, 0x01c0003f, 0xfffffff, 0}}); /* 2^37 bytes */
    probe(&info);
    assert_string_equal(info.source, "cpuid.4");
    assert_int_equal(info.n, 1);
    assert_true(has(&info, 1, D, 8, FULL, 64));
    assert_int_equal(cache_sets(&info.c[0]), 1);
}

static void test_leaf2_rules(void **state)
{
    struct cache_info info;
    (void)state;
    {
        /* AL is not a descriptor (66h would be L1D); registers with bit 31 set do not count. */
        MACHINE(INTEL_MAX(2), SIGNATURE(0xf29),
                {2, FAKE_ANY_SUBLEAF, {0x00006066, 0x8000002c, 0xffffff0c, 0x7b}});
        probe(&info);
        assert_string_equal(info.source, "cpuid.2");
        assert_int_equal(info.n, 2);
        assert_true(has(&info, 1, D, 16, 8, 64)); /* 60h */
        assert_true(has(&info, 2, U, 512, 8, 64));
        assert_true(fake_cpuid_calls() < 20); /* 66h = 102 times was asked for */
    }
    {
        /* Outer caches without a first level are not believed; nor is a leaf that need not be asked at all.
         */
        MACHINE(INTEL_MAX(2), SIGNATURE(0x525), {2, FAKE_ANY_SUBLEAF, {1, 0x7b7b7b7b, 0x45454545, 0}});
        probe(&info);
        assert_string_equal(info.source, "table");
        assert_int_equal(info.n, 2);
    }
    {
        MACHINE(INTEL_MAX(2), SIGNATURE(0x6b1), {2, FAKE_ANY_SUBLEAF, {0, 0, 0, 0x45454545}});
        probe(&info);
        assert_string_equal(info.source, "unknown");
        assert_int_equal(info.n, 0);
    }
}

/* Leaf 2 is asked as often as AL says, four times at most. */
static void test_leaf2_times(void **state)
{
    struct fake_cpuid cpu[] = {INTEL_MAX(2), SIGNATURE(0xf29), {2, FAKE_ANY_SUBLEAF, {0, 0, 0, 0x7b60}}};
    static const unsigned times[][2] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 4}, {255, 4}};
    struct cache_info info;
    unsigned others = 0;
    (void)state;
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        fake_reset();
        fake_cpuid(cpu, 3);
        cpu[2].regs.eax = 0x80000100 | times[i][0];
        probe(&info);
        if (i == 0) others = fake_cpuid_calls() - 1;
        assert_int_equal(fake_cpuid_calls() - others, times[i][1]);
        assert_int_equal(info.n, 2);
    }
}

/* Lines of 16 to 1024 bytes, caches from one line on. */
static void test_leaf4_limits(void **state)
{
    struct fake_cpuid cpu[] = {INTEL_MAX(4), SIGNATURE(0x6f6), {4, 0, {0x121, 0, 7, 0}}};
    struct cache_info info;
    (void)state;
    for (uint32_t line = 1; line <= 4096; line++) {
        const bool plausible = line >= 16 && line <= 1024 && (line & (line - 1)) == 0;
        fake_reset();
        fake_cpuid(cpu, 3);
        cpu[2].regs.ebx = line - 1;
        cpu[2].regs.ecx = line & 1 ? 0 : 7;
        probe(&info);
        if (info.n != plausible) fail_msg("line of %u", line);
    }
    cpu[2].regs = (struct cpuid_regs){0x121, 0x3f, 0, 0}; /* 64 bytes in all */
    probe(&info);
    assert_int_equal(info.n, 1);
    assert_int_equal(info.c[0].bytes, 64);

    struct fake_cpuid reserved[3 + CACHE_MAX] = {INTEL_MAX(4), SIGNATURE(0x6f6)}; /* the list has an end */
    for (uint32_t i = 0; i <= CACHE_MAX; i++)
        reserved[2 + i] = (struct fake_cpuid){4, i, {i < CACHE_MAX ? 0x127 : 0x121, 0x01c0003f, 0x3f, 0}};
    fake_reset();
    fake_cpuid(reserved, 3 + CACHE_MAX);
    probe(&info);
    assert_int_equal(info.n, 0);
}

/* 49h: an L3 on the Xeon MP of family 0Fh, model 6; else an L2. */
static void test_descriptor_49(void **state)
{
    struct fake_cpuid cpu[] = {INTEL_MAX(2), SIGNATURE(0xf64), {2, FAKE_ANY_SUBLEAF, {1, 0, 0, 0x6049}}};
    struct cache_info info;
    (void)state;
    fake_reset();
    fake_cpuid(cpu, 3);
    probe(&info);
    assert_true(has(&info, 3, U, 4096, 16, 64));
    assert_null(cache_data(&info, 2));

    cpu[1].regs.eax = 0xf43;
    probe(&info);
    assert_true(has(&info, 2, U, 4096, 16, 64));
    assert_null(cache_data(&info, 3));
}

static void test_lookup(void **state)
{
    struct cache_info info;
    (void)state;
    fake_reset();
    fake_cpu("ryzen_1800x");
    probe(&info);
    assert_int_equal(cache_data(&info, 1)->kind, D);
    assert_int_equal(cache_sets(cache_data(&info, 1)), 64);
    assert_int_equal(cache_data(&info, 2)->kind, U);
    assert_int_equal(cache_sets(cache_data(&info, 2)), 1024);
    assert_int_equal(cache_sets(cache_data(&info, 3)), 8192);
    assert_null(cache_data(&info, 4));

    const struct cache no_line = {1, D, 1024, 0, 2}, no_ways = {1, D, 1024, 32, 0};
    assert_int_equal(cache_sets(&no_line), 0);
    assert_int_equal(cache_sets(&no_ways), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_leaf4),    cmocka_unit_test(test_endless_leaf4),
        cmocka_unit_test(test_garbage_leaf4), cmocka_unit_test(test_leaf2_rules),
        cmocka_unit_test(test_descriptor_49), cmocka_unit_test(test_leaf2_times),
        cmocka_unit_test(test_leaf4_limits),  cmocka_unit_test(test_lookup),
    };
    struct CMUnitTest rows[N_GEOMETRIES];
    for (size_t i = 0; i < N_GEOMETRIES; i++)
        rows[i] = (struct CMUnitTest){geometries[i].cpu, test_geometry, NULL, NULL, &geometries[i]};
    int failed = cmocka_run_group_tests_name("geometries", rows, NULL, NULL);
    return failed + cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
