/* The DS area and PEBS records, in both layouts, against offsets written down from SDM vol. 3B 17.4.9 (the
 * facts sheet's section 3.6). */
#include "pmu/pebs.h"
#include "tests/unit/unit.h"
#include <string.h>

static _Alignas(4096) uint8_t area[65536];
static struct sample buffer[64];

static uint64_t u64(unsigned at)
{
    uint64_t v;
    memcpy(&v, area + at, 8);
    return v;
}
static uint32_t u32(unsigned at)
{
    uint32_t v;
    memcpy(&v, area + at, 4);
    return v;
}

TEST(test_wide)
{
    struct pebs p;
    memset(area, 0xff, sizeof area);
    pebs_plain(&p, 16, true);
    assert_true(pebs_bytes(&p, 4) >= 128 + (4 + PEBS_SLACK) * 144);
    pebs_init(&p, area, 4, 100000);
    uint64_t base = u64(0x20);
    assert_ptr_equal(p.ds, area);
    for (unsigned at = 0; at < 0x20; at += 8) assert_int_equal(u64(at), 0); /* no branch trace store */
    assert_true(base >= (uintptr_t)area + 0x60 && base < (uintptr_t)area + sizeof area);
    assert_int_equal(u64(0x28), base);
    assert_int_equal(u64(0x30), base + (4 + PEBS_SLACK) * 144);
    assert_int_equal(u64(0x38), base + 4 * 144);
    assert_int_equal(u64(0x40), 0xfffffe7961ull); /* -99999 in 40 bits */
    assert_true(u64(0x30) <= (uintptr_t)area + pebs_bytes(&p, 4));

    /* rax rbx rcx rdx rsi rdi rbp rsp r8-r15, in the record's order. */
    struct samples out = {.at = buffer, .cap = 64};
    uint64_t record[18] = {
        0x202, 0xffffffff80001234ull, 10, 13, 11, 12, 16, 17, 15, 14, 18, 19, 110, 111, 112, 113, 114, 115};
    memcpy((void *)(uintptr_t)base, record, sizeof record);
    record[1]++;
    memcpy((void *)(uintptr_t)(base + 144), record, sizeof record);
    uint64_t index = base + 288;
    memcpy(area + 0x28, &index, 8);
    memset(buffer, 0, sizeof buffer);
    assert_int_equal(pebs_drain(&p, &out), 2);
    assert_int_equal(out.n, 2);
    assert_int_equal(u64(0x28), base); /* empty again */
    assert_int_equal(pebs_drain(&p, &out), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(buffer[i].ip, 0xffffffff80001234ull + i);
        assert_int_equal(buffer[i].flags, 0x202);
        assert_int_equal(buffer[i].counter, 16);
        for (unsigned r = 0; r < 10; r++) assert_int_equal(buffer[i].reg[r], 10 + r);
        for (unsigned r = 10; r < 16; r++) assert_int_equal(buffer[i].reg[r], 100 + r);
        assert_int_equal(buffer[i].valid, SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER);
    }
}

/* The area lies above 4 GiB on this host, so that the 32-bit fields cannot be followed: their form only. */
TEST(test_narrow)
{
    struct pebs p;
    memset(area, 0xff, sizeof area);
    pebs_plain(&p, 16, false);
    pebs_init(&p, area, 3, 100000);
    uint32_t base = u32(0x10);
    for (unsigned at = 0; at < 0x10; at += 4) assert_int_equal(u32(at), 0);
    assert_int_equal(base, (uint32_t)(uintptr_t)p.base);
    assert_int_equal(u32(0x14), base);
    assert_int_equal(u32(0x18), base + (3 + PEBS_SLACK) * 40);
    assert_int_equal(u32(0x1c), base + 3 * 40);
    assert_int_equal(u64(0x20), 0xfffffe7961ull);
    assert_true(p.base >= area + 0x30);
    assert_true(pebs_bytes(&p, 3) >= (size_t)(p.base - area) + (3 + PEBS_SLACK) * 40);
}

TEST(test_lost)
{
    struct pebs p;
    struct samples out = {.at = buffer, .cap = 3};
    pebs_plain(&p, 16, true);
    pebs_init(&p, area, 8, 2);
    uint64_t index = u64(0x20) + 5 * 144;
    memcpy(area + 0x28, &index, 8);
    assert_int_equal(pebs_drain(&p, &out), 5);
    assert_int_equal(out.n, 3);
    assert_int_equal(out.lost, 2);
    assert_false(out.more);
}

/* Full up to its end: the processor drops what comes then, and nobody counts it. */
TEST(test_full)
{
    struct pebs p;
    struct samples out = {.at = buffer, .cap = 64};
    pebs_plain(&p, 16, true);
    pebs_init(&p, area, 8, 2);
    uint64_t index = u64(0x20) + (8 + PEBS_SLACK - 1) * 144;
    memcpy(area + 0x28, &index, 8);
    assert_int_equal(pebs_drain(&p, &out), 8 + PEBS_SLACK - 1);
    assert_false(out.more);
    memcpy(area + 0x28, area + 0x30, 8);
    assert_int_equal(pebs_drain(&p, &out), 8 + PEBS_SLACK);
    assert_true(out.more);
    assert_int_equal(pebs_drain(&p, &out), 0);
    assert_true(out.more); /* and stays */
}
