/* The local APIC as firmware may leave it: disabled, with interrupts in service or waiting, with a task
 * priority. */
#include "kernel/trap.h"
#include "tests/unit/fake_apic.h"
#include "tests/unit/unit.h"
#include <string.h>

/* ---- what was left behind ---- */

static void check_open(const struct apic *a)
{
    assert_int_equal(a->mode, APIC_X2APIC);
    assert_int_equal(a->id, 7);
    assert_false(apic_draining(a) || m.open);
    assert_int_equal(highest(m.in_service), -1);
    assert_true(m.reg[SVR] & 0x100);
    /* Our own class comes through, no other does. */
    assert_true(m.reg[TPR] / 16 < VECTOR_TIMER / 16 && m.reg[TPR] / 16 < VECTOR_SAMPLE / 16);
    assert_int_equal(m.reg[TPR] / 16, VECTOR_TIMER / 16 - 1);
    for (unsigned r = LVT_FIRST; r <= LVT_LAST; r++) assert_true(m.reg[r] & LVT_MASKED);
}

TEST(test_nothing_left)
{
    plug_x2apic();
    struct apic a = init(false);
    check_open(&a);
    assert_int_equal(a.left + m.eois, 0);
    assert_int_equal(m.written, 0);
}

TEST(test_left_in_service)
{
    static const uint8_t vectors[] = {0x20, 0x22, 0x41, 0xef, 0xf1, 0xfe};
    for (unsigned set = 1; set < 1u << sizeof vectors; set++) {
        plug_x2apic();
        m.reg[TPR] = 0xff;
        for (unsigned i = 0; i < sizeof vectors; i++) m.in_service[vectors[i]] = set >> i & 1;
        m.waiting[0x31] = m.waiting[0x51] = m.waiting[0xf3] = true;
        struct apic a = init(false);
        check_open(&a);
        assert_int_equal(a.left, 3 + __builtin_popcount(set));
        assert_int_equal(m.opened, 3); /* all in service have their EOI at once */
        assert_int_equal(highest(m.waiting), -1);
        assert_int_equal(m.taken[0x51], 1);
        assert_int_equal(m.taken[0xf3], 1);
        assert_int_equal(m.eois, a.left);
    }
}

/* It waits again as soon as it has its EOI: the CPU goes on, and from then on that device does not disturb.
 */
TEST(test_asks_for_ever)
{
    plug_x2apic();
    m.waiting[0x61] = m.again[0x61] = true;
    struct apic a = init(false);
    check_open(&a);
    assert_int_equal(m.taken[0x61], 512); /* Linux, apic_pending_intr_clear() */
    assert_int_equal(a.left, 1);
    assert_true(m.waiting[0x61]);
    assert_int_equal(apic_pending(&a), 0x61);
    host_interrupts(true);
    hw_rdtsc();
    assert_false(m.in_service[0x61]);
}

/* A vector below 32 would be taken for an exception. */
TEST(test_exceptions_vectors)
{
    plug_x2apic();
    m.waiting[0x1e] = true;
    m.in_service[0x1f] = true;
    struct apic a = init(false);
    check_open(&a);
    assert_int_equal(a.left, 1); /* the one in service */
    assert_int_equal(m.taken[0x1e], 0);
    assert_true(m.waiting[0x1e]);
}

TEST(test_acknowledge)
{
    plug_x2apic();
    struct apic a = init(false);
    assert_false(apic_acknowledge(&a, 0x45)); /* an INT, or the 8259s' */
    assert_false(apic_acknowledge(&a, VECTOR_SPURIOUS));
    assert_int_equal(m.eois, 0);
    m.in_service[0x45] = true;
    assert_false(apic_acknowledge(&a, 0x44));
    assert_true(apic_acknowledge(&a, 0x45));
    assert_int_equal(m.eois, 1);
    m.reg[0x36] = LVT_MASKED;
    apic_nmi(&a, true);
    assert_int_equal(m.reg[0x36], LVT_NMI);
    apic_nmi(&a, false);
    assert_true(m.reg[0x36] & LVT_MASKED);

    plug_xapic(true);
    a = init(false);
    uint32_t *const eoi = (uint32_t *)(page + 0xb0);
    for (unsigned vector = 0x20; vector < 0x100; vector++) {
        uint32_t *const isr = (uint32_t *)(page + 0x100 + vector / 32 * 16);
        *eoi = 1;
        *isr = ~(1u << vector % 32);
        assert_false(apic_acknowledge(&a, vector));
        assert_int_equal(*eoi, 1);
        *isr = 1u << vector % 32;
        assert_true(apic_acknowledge(&a, vector));
        assert_int_equal(*eoi, 0);
        *isr = 0;
    }
}

/* ---- disabled by the firmware ---- */

TEST(test_disabled)
{
    plug_xapic(false);
    struct apic a = init(false);
    assert_int_equal(a.mode, APIC_DISABLED);
    assert_true(a.firmware_off);
    assert_int_equal(m.written, 0); /* untouched */
    assert_int_equal(*(uint32_t *)(page + 0xf0), 0);
    m.edx = CPUID_1_EDX_APIC; /* a CPU whose CPUID does not follow */
    a = init(false);
    assert_int_equal(a.mode, APIC_DISABLED);
    assert_true(a.firmware_off);
    assert_int_equal(m.written, 0);

    plug_xapic(false);
    a = init(true);
    assert_int_equal(a.mode, APIC_XAPIC);
    assert_true(a.firmware_off);
    assert_int_equal(m.base, (uintptr_t)page | BASE_ENABLE);
    assert_true(*(uint32_t *)(page + 0xf0) & 0x100);

    plug_xapic(false); /* a P6 */
    m.stuck = true;
    a = init(true);
    assert_int_equal(a.mode, APIC_DISABLED);
    assert_true(a.firmware_off && a.asked);
    m.edx = CPUID_1_EDX_APIC; /* whose CPUID says that it is there */
    a = init(true);
    assert_int_equal(a.mode, APIC_DISABLED);
    plug_xapic(false);
    m.cpuid_stuck = true; /* Linux' apic_verify() */
    a = init(true);
    assert_int_equal(a.mode, APIC_DISABLED);
    assert_int_equal(*(uint32_t *)(page + 0xf0), 0);
}

TEST(test_not_disabled)
{
    for (unsigned enable = 0; enable < 2; enable++) {
        plug_xapic(true);
        struct apic a = init(enable);
        assert_int_equal(a.mode, APIC_XAPIC);
        assert_false(a.firmware_off);
        assert_int_equal(m.written, 0);

        plug_xapic(false); /* QEMU without one */
        m.base = 0;
        a = init(enable);
        assert_int_equal(a.mode, APIC_ABSENT);
        assert_false(a.firmware_off);
        assert_int_equal(m.written, 0);

        plug_xapic(false);
        m.no_base = true;
        a = init(enable);
        assert_int_equal(a.mode, APIC_ABSENT);
        assert_int_equal(a.base, 0xfee00000); /* where reset puts it */

        plug_xapic(false); /* MSR 1Bh of family 5 is another one */
        a = (struct apic){0};
        apic_init(&(struct cpu_id){.family = 5}, &a, enable);
        assert_int_equal(a.mode, APIC_ABSENT);
        assert_int_equal(m.written, 0);

        plug_xapic(true); /* x2APIC mode of a CPU that has none */
        m.base |= BASE_X2APIC;
        apic_init(&(struct cpu_id){.family = 6, .f1_edx = CPUID_1_EDX_APIC}, &a, enable);
        assert_int_equal(a.mode, APIC_XAPIC);
        *(uint32_t *)(page + 0x20) = 0x0b000000;
        m.reg[VERSION_REG] = VERSION;
        a = init(enable); /* and one that can, but does not */
        assert_int_equal(a.mode, APIC_X2APIC);
        m.base &= ~(uint64_t)BASE_X2APIC;
        a = init(enable);
        assert_int_equal(a.mode, APIC_XAPIC);
        assert_int_equal(a.base, (uintptr_t)page);
        assert_int_equal(a.id, 0x0b);

        plug_xapic(true);
        m.edx = 0; /* a hypervisor that keeps it to itself */
        a = init(enable);
        assert_int_equal(a.mode, APIC_ABSENT);

        plug_xapic(true);
        memset(page + 0x30, 0xff, 4); /* the bus has none */
        a = init(enable);
        assert_int_equal(a.mode, APIC_DISABLED);
        assert_false(a.firmware_off);
    }
}
