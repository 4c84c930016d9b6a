/* Write-combining by PAT: one entry is changed, on CPUs that have it. */
#include "kernel/pat.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"

static const struct cpu_id with = {.f1_edx = CPUID_1_EDX_PAT}, without = {.f1_edx = CPUID_1_EDX_MSR};

TEST(test_entry)
{
    uint64_t pat;
    fake_reset();
    fake_msr(0x277, 0x0007040600070406);
    assert_true(pat_combine_writes(&with));
    assert_true(rdmsr_safe(0x277, &pat));
    assert_int_equal(pat, 0x0007040600070106);
    assert_true(pat_combine_writes(&with)); /* again: the same */
    assert_true(rdmsr_safe(0x277, &pat));
    assert_int_equal(pat, 0x0007040600070106);
    fake_msr(0x277, 0x0102030405060406);
    assert_true(pat_combine_writes(&with));
    assert_true(rdmsr_safe(0x277, &pat));
    assert_int_equal(pat, 0x0102030405060106);
}

TEST(test_absent)
{
    uint64_t pat;
    fake_reset();
    assert_false(pat_combine_writes(&with)); /* CPUID says so, and the register is not there */
    fake_msr(0x277, 0x0007040600070406);
    assert_false(pat_combine_writes(&without));
    assert_true(rdmsr_safe(0x277, &pat));
    assert_int_equal(pat, 0x0007040600070406);
}

/* Entry 1 differs before pat_combine_writes(), so that it says nothing about the firmware. */
TEST(test_same_on_another)
{
    static const struct {
        uint64_t own;
        bool differed;
    } cases[] = {{0x0007040600070106, false}, {0x0007040600070406, false}, {0x0007040600070006, false},
                 {0x0007040600060406, true},  {0x0107040600070106, true},  {0x0007040600070100, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_reset();
        fake_msr(0x277, cases[i].own);
        assert_int_equal(pat_load(&with, 0x0007040600070106), cases[i].differed);
        assert_int_equal(pat_read(&with), 0x0007040600070106);
    }
    assert_int_equal(pat_read(&without), 0);
    fake_reset();
    assert_false(pat_load(&without, 0));
}
