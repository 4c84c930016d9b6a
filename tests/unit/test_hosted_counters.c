/* Values of counters that are events of perf's: they start, stop and continue as a processor's do. */
#include "tests/unit/hosted_perf_drive.h"

static const struct {
    uint32_t select, counter, index;
} places[] = {
    {0x186, 0xc1, 0},
    {0x187, 0xc2, 1},
    {0x18d, 0xc8, 7},
    {0x186, 0x4c1, 0},
    {0x18d, 0x4c8, 7},
    {0xc0010000, 0xc0010004, 0},
    {0xc0010003, 0xc0010007, 3},
    {0xc0010200, 0xc0010201, 0},
    {0xc001020a, 0xc001020b, 5},
};

static uint64_t counted(uint32_t index)
{
    uint64_t value = 0xbad;
    assert_true(read_counter(index, &value));
    return value;
}

TEST_WITH(values, started, NULL)
{
    for (unsigned i = 0; i < N(places); i++) {
        const uint32_t select = places[i].select, counter = places[i].counter;
        started(NULL);
        assert_int_equal(msr(counter), 0);
        set(counter, 77); /* without an event it only keeps that */
        assert_int_equal(msr(counter), 77);
        set(select, USR | 0xc0);
        struct fake_event *e = &fake_events[0];
        e->count = 1000; /* Linux counts from the opening on */
        assert_int_equal(msr(counter), 77);
        set(counter, 0);
        set(select, EN | USR | 0xc0);
        assert_int_equal(msr(counter), 0);
        e->count += 123;
        assert_int_equal(msr(counter), 123);
        assert_int_equal(counted(places[i].index), 123);
        set(select, USR | 0xc0);
        e->count += 1000;
        assert_int_equal(msr(counter), 123);
        assert_int_equal(counted(places[i].index), 123);
        set(select, EN | USR | 0xc0);
        e->count += 7;
        assert_int_equal(msr(counter), 130);
        set(counter, UINT64_MAX - 1); /* while it counts */
        e->count += 3;
        assert_int_equal(msr(counter), 1);
        set(select, EN | USR | 0xc4); /* another event continues with the value */
        fake_events[1].count += 10;
        assert_int_equal(msr(counter), 11);
        set(select, 0);
        assert_int_equal(msr(counter), 11);
    }
}

/* USR and OS clear: the processor counts at no privilege level. */
TEST_WITH(no_privilege_counts_nothing, started, NULL)
{
    set(PERFEVTSEL0, EN | 0xc0);
    set(PMC0, 5);
    for (unsigned i = 0; i < fake_events_opened; i++) fake_events[i].count += 100;
    assert_int_equal(msr(PMC0), 5);
    set(PERFEVTSEL0, EN | USR | 0xc0);
    fake_events[fake_events_opened - 1].count += 100;
    assert_int_equal(msr(PMC0), 105);
}

/* IA32_PERF_GLOBAL_CTRL and PerfCntrGlobalCtl. */
TEST_WITH(global_enable, started, NULL)
{
    static const uint32_t global[] = {0x38f, 0xc0000301};
    for (unsigned i = 0; i < N(global); i++) {
        started(NULL);
        set(PERFEVTSEL0, EN | USR | 0xc0);
        set(PERFEVTSEL0 + 1, EN | USR | 0xc4);
        struct fake_event *e = fake_events;
        set(global[i], 0);
        set(PMC0, 0);
        set(PMC0 + 1, 0);
        e[0].count += 10, e[1].count += 20;
        assert_int_equal(msr(PMC0), 0);
        assert_int_equal(msr(PMC0 + 1), 0);
        set(global[i], 3);
        assert_int_equal(msr(global[i]), 3);
        e[0].count += 10, e[1].count += 20;
        assert_int_equal(msr(PMC0), 10);
        assert_int_equal(msr(PMC0 + 1), 20);
        set(global[i], 2);
        e[0].count += 10, e[1].count += 20;
        assert_int_equal(msr(PMC0), 10);
        assert_int_equal(msr(PMC0 + 1), 40);
        set(global[i], 3);
        e[0].count += 10, e[1].count += 20;
        assert_int_equal(msr(PMC0), 20);
        assert_int_equal(msr(PMC0 + 1), 60);
        set(PERFEVTSEL0, USR | 0xc0); /* both bits are needed */
        e[0].count += 10;
        assert_int_equal(msr(PMC0), 20);
        assert_int_equal(fake_events_opened, 2);
    }
}

/* Fixed counters have no code; what Linux takes for theirs is in its own intel_perfmon_event_map[]: C0h, 3Ch,
 * and 0300h for the reference cycles. */
TEST_WITH(fixed_counters, started, NULL)
{
    static const uint64_t config[] = {0xc0, 0x3c, 0x300};
    set(FIXED_CTR_CTRL, 0x2b2); /* USR each; the second one at any CPL, and with its interrupt */
    assert_int_equal(msr(FIXED_CTR_CTRL), 0x2b2);
    assert_int_equal(fake_events_opened, 3);
    for (unsigned i = 0; i < 3; i++) {
        struct fake_event *e = &fake_events[i];
        assert_int_equal(e->attr.type, PERF_TYPE_RAW);
        assert_int_equal(e->attr.config, config[i]);
        set(FIXED_CTR0 + i, 0);
        e->count += 100 + i;
        assert_int_equal(msr(FIXED_CTR0 + i), 100 + i);
        assert_int_equal(counted(FIXED_ECX(i)), 100 + i);
    }
    set(FIXED_CTR_CTRL, 0x200); /* the other two stop */
    for (unsigned i = 0; i < 3; i++) fake_events[i].count += 1000;
    assert_int_equal(msr(FIXED_CTR0), 100);
    assert_int_equal(msr(FIXED_CTR0 + 1), 101);
    assert_int_equal(msr(FIXED_CTR0 + 2), 1102);
    set(GLOBAL_CTRL, 3ull << 32); /* bits 32 on are theirs: of the first two */
    set(FIXED_CTR_CTRL, 0x222);
    for (unsigned i = 0; i < 3; i++) fake_events[i].count += 1000;
    assert_int_equal(msr(FIXED_CTR0), 1100);
    assert_int_equal(msr(FIXED_CTR0 + 1), 1101);
    assert_int_equal(msr(FIXED_CTR0 + 2), 1102);
    assert_int_equal(fake_events_opened, 3);
}

/* OS alone, in any of the fields: nothing of the write is done. */
TEST_WITH(fixed_needs_user, started, NULL)
{
    static const uint64_t wrong[] = {0x1, 0x10, 0x100, 0x12, 0x192, 0x912};
    for (unsigned i = 0; i < N(wrong); i++) {
        started(NULL);
        assert_false(write_msr(FIXED_CTR_CTRL, wrong[i]));
        assert_int_equal(msr(FIXED_CTR_CTRL), 0);
        assert_int_equal(fake_events_opened, 0);
    }
}

/* ---- RDPMC ---- */

TEST_WITH(index_is_linux_own, started, NULL)
{
    fake_index = 4;
    set(PERFEVTSEL0, EN | USR | 0xc0);
    fake_index = 1u << 30 | 2;
    set(FIXED_CTR_CTRL, 2);
    assert_int_equal(selected(0), 3);
    assert_int_equal(selected(FIXED_ECX(0)), FIXED_ECX(1));
    fake_events[0].page.index = 2; /* Linux has moved it */
    assert_int_equal(selected(0), 1);
    fake_events[0].page.index = 0; /* and has taken it from its counter: no index that there is */
    assert_true(selected(0) > FIXED_ECX(100));
    static const uint32_t none[] = {1, 7, 8, 1000, FIXED_ECX(1), FIXED_ECX(2), FIXED_ECX(3), 0xffffffff};
    for (unsigned i = 0; i < N(none); i++) {
        uint64_t value;
        assert_int_equal(selected(none[i]), none[i]);
        assert_false(read_counter(none[i], &value));
    }
    set(PERFEVTSEL0, 0);
    assert_int_equal(selected(0), 0);
}
