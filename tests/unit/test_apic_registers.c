/* The local APIC's registers: the entries of the local vector table by version and mode, what does not
 * answer, the error status register, requests that wait, the timer. */
#include "kernel/trap.h"
#include "tests/unit/fake_apic.h"
#include "tests/unit/unit.h"
#include <string.h>

/* ---- by version ---- */

/* The entries of the local vector table in the order in which CPUs have got them (SDM vol. 3A 10.5.1): those
 * that the version register counts are masked, each with a legal vector, the others do not exist. */
TEST(test_entries)
{
    static const uint8_t entry[] = {0x32, LINT0, 0x36, ERROR, 0x34, 0x33, CMCI};
    for (unsigned lvts = 1; lvts <= sizeof entry; lvts++) {
        plug_x2apic();
        m.reg[VERSION_REG] = (lvts - 1) << 16 | 0x14;
        m.reg[TIMER_INIT] = 1000;
        for (unsigned i = 0; i < sizeof entry; i++) m.reg[entry[i]] = 0x55;
        struct apic a = init(false);
        assert_int_equal(a.version, 0x14);
        for (unsigned i = 0; i < sizeof entry; i++)
            assert_int_equal(m.reg[entry[i]], i < lvts ? 0x100ff : 0x55);
        assert_int_equal(m.reg[SVR], 0x1ff);
        assert_int_equal(m.reg[TIMER_INIT], 0);
        /* Mask bits stay only while it is enabled; an error's own entry is masked before what may cause one.
         */
        assert_int_equal(m.order[0], SVR);
        if (lvts >= 4) assert_int_equal(m.order[1], ERROR);
    }
}

/* An entry that raises SMIs belongs to the firmware: it stays, also when what shares it is silenced. A
 * processor that was started has lost it by INIT, and gets that of the one that booted (Linux,
 * intel_init_thermal()). */
TEST(test_smi_entries)
{
    enum { THERMAL = 0x33, PC = 0x34, LINT1 = 0x36, SMI = 0x200, MASKED = 0x10000, OURS = 0x100ff };
    static const uint8_t entry[] = {THERMAL, PC, LINT0, LINT1, CMCI};
    for (unsigned i = 0; i < sizeof entry; i++) {
        plug_x2apic();
        m.reg[VERSION_REG] = 6u << 16 | 0x15;
        for (unsigned k = 0; k < sizeof entry; k++) m.reg[entry[k]] = k == i ? SMI : 0x4f1;
        struct apic a = init(false), other;
        for (unsigned k = 0; k < sizeof entry; k++) assert_int_equal(m.reg[entry[k]], k == i ? SMI : OURS);
        apic_pmi(&a, LVT_MASKED | 0xff);
        apic_extint(&a, false);
        apic_nmi(&a, false);
        for (unsigned k = 0; k < sizeof entry; k++) assert_int_equal(m.reg[entry[k]], k == i ? SMI : OURS);

        plug_x2apic(); /* another one, after INIT */
        m.reg[VERSION_REG] = 6u << 16 | 0x15;
        for (unsigned k = 0; k < sizeof entry; k++) m.reg[entry[k]] = MASKED;
        other = init(true);
        apic_restore_smi(&other, &a);
        const bool each = entry[i] != LINT0 && entry[i] != LINT1;
        for (unsigned k = 0; k < sizeof entry; k++)
            assert_int_equal(m.reg[entry[k]], k == i && each ? SMI : OURS);
    }
    plug_x2apic(); /* one that has fewer entries */
    m.reg[VERSION_REG] = 4u << 16 | 0x15;
    struct apic few = init(true), booted = few;
    booted.smi[APIC_THERMAL] = SMI;
    m.reg[THERMAL] = 0x55;
    apic_restore_smi(&few, &booted);
    assert_int_equal(m.reg[THERMAL], 0x55);
    plug_x2apic(); /* masked: the firmware's nevertheless */
    m.reg[THERMAL] = SMI | MASKED;
    init(false);
    assert_int_equal(m.reg[THERMAL], SMI | MASKED);
}

/* AMD's further entries, as many as their register of features says (APM vol. 2, 16.4.5): the version's top
 * bit. */
TEST(test_extended_entries)
{
    for (unsigned extended = 0; extended < 2; extended++) {
        plug_xapic(true);
        uint32_t *const reg = (uint32_t *)page;
        reg[0x30 / 4] = extended << 31 | VERSION;
        reg[0x400 / 4] = 0xff04ffff;
        const struct apic a = init(false);
        assert_int_equal(a.extended, extended ? 4 : 0);
        for (unsigned at = 0x500; at < 0x600; at += 4)
            assert_int_equal(reg[at / 4], extended && at < 0x540 && at % 16 == 0 ? 0x100ff : 0);
        apic_extended(&a, 3, LVT_NMI);
        assert_int_equal(reg[0x530 / 4], 0x400);
    }
    plug_x2apic(); /* MSR 803h, 840h, 850h on */
    m.reg[VERSION_REG] = 1u << 31 | VERSION;
    m.reg[0x40] = 0x00020000;
    const struct apic a = init(false);
    assert_int_equal(a.extended, 2);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(m.reg[0x50 + i], i < 2 ? 0x100ff : 0);
    apic_extended(&a, 1, 0x45);
    assert_int_equal(m.reg[0x51], 0x45);
    assert_int_equal(a.extended_smi, 0);
    m.reg[0x50] = LVT_SMI; /* the firmware's */
    assert_int_equal(init(false).extended_smi, 1);
    assert_int_equal(m.reg[0x50], LVT_SMI);
    assert_int_equal(m.reg[0x51], 0x100ff);
}

/* What the version register holds where nothing answers. */
TEST(test_no_answer)
{
    static const struct {
        uint32_t version;
        enum apic_mode mode;
    } cases[] = {
        {0, APIC_DISABLED}, {UINT32_MAX, APIC_DISABLED}, {1, APIC_XAPIC}, {UINT32_MAX - 1, APIC_XAPIC}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        plug_xapic(true);
        *(uint32_t *)(page + 0x30) = cases[i].version;
        assert_int_equal(init(false).mode, cases[i].mode);
        assert_int_equal(*(uint32_t *)(page + 0xf0) != 0, cases[i].mode == APIC_XAPIC);
    }
    plug_x2apic();
    m.deaf = true;
    assert_int_equal(init(false).mode, APIC_DISABLED);
}

/* The Pentium's error status register is not to be written: erratum 3AP. It is the one with four entries. */
TEST(test_pentium_esr)
{
    for (unsigned lvts = 4; lvts <= 7; lvts++) {
        plug_x2apic();
        m.reg[VERSION_REG] = (lvts - 1) << 16 | 0x10;
        struct apic a = init(false);
        assert_int_equal(a.lvts, lvts);
        assert_int_equal(m.esr, lvts > 4);
    }
}

/* ---- sampling ---- */

TEST(test_pending)
{
    plug_x2apic();
    struct apic a = init(false);
    assert_int_equal(apic_pending(&a), -1);
    for (int vector = 255; vector >= 0; vector--) { /* the lowest one */
        m.waiting[vector] = true;
        assert_int_equal(apic_pending(&a), vector);
    }
    memset(m.waiting, 0, sizeof m.waiting);
    m.reg[ESR] = 0xff; /* behind the requests */
    assert_int_equal(apic_pending(&a), -1);
    plug_xapic(true);
    a = init(false);
    *(uint32_t *)(page + 0x270) = 1;
    assert_int_equal(apic_pending(&a), 0xe0);
    *(uint32_t *)(page + 0x170) = 7;
    assert_int_equal(init(false).left, 4);
    for (enum apic_mode mode = APIC_ABSENT; mode < APIC_XAPIC; mode++) {
        a.mode = mode;
        assert_int_equal(apic_pending(&a), -1);
    }
}

TEST(test_timer)
{
    static const uint8_t order[] = {DIVIDE, LVT_FIRST, TIMER_INIT}; /* the last one starts it */
    plug_x2apic();
    struct apic a = init(false);
    m.n_order = 0;
    apic_timer(&a, LVT_PERIODIC | VECTOR_SAMPLE, 12345);
    assert_int_equal(m.n_order, 3);
    assert_memory_equal(m.order, order, 3);
    assert_int_equal(m.reg[DIVIDE], 0xb); /* SDM vol. 3A figure 10-10: divide by 1 */
    assert_int_equal(m.reg[LVT_FIRST], 0x200f1);
    assert_int_equal(m.reg[TIMER_INIT], 12345);
    m.reg[TIMER_NOW] = 77;
    assert_int_equal(apic_timer_left(&a), 77);
}

/* Entries and their addresses, by mode: an APIC that is off has none. */
TEST(test_entries_by_mode)
{
    static const char *const names[] = {"absent", "disabled", "xapic", "x2apic"};
    struct apic a;
    for (enum apic_mode mode = APIC_ABSENT; mode <= APIC_X2APIC; mode++) {
        plug_x2apic();
        plug_xapic(true);
        const uint32_t *const reg = mode == APIC_X2APIC ? m.reg : (uint32_t *)page;
        const unsigned apart = mode == APIC_X2APIC ? 1 : 4, on = mode >= APIC_XAPIC;
        a = (struct apic){.mode = mode, .base = (uintptr_t)page};
        assert_string_equal(apic_mode_name(mode), names[mode]);
        for (a.lvts = 0; a.lvts < 8; a.lvts++) assert_int_equal(apic_has_pmi(&a), on && a.lvts >= 5);
        apic_extint(&a, true), apic_nmi(&a, true);
        assert_int_equal(reg[LINT0 * apart], on * 0x700); /* figure 10-8: ExtINT and NMI, not masked */
        assert_int_equal(reg[0x36 * apart], on * 0x400);
        apic_extint(&a, false), apic_nmi(&a, false);
        assert_int_equal(reg[LINT0 * apart], on * 0x100ff);
        assert_int_equal(reg[0x36 * apart], on * 0x100ff);
        if (!on) continue;
        apic_pmi(&a, LVT_NMI);
        assert_int_equal(reg[0x34 * apart], 0x400);
        assert_ptr_equal(apic_pmi_register(&a), mode == APIC_X2APIC ? NULL : page + 0x340);
        assert_ptr_equal(apic_eoi_register(&a), mode == APIC_X2APIC ? NULL : page + 0xb0);
    }
}

/* Interprocessor interrupts: one write of an MSR, or two of registers, the destination first (SDM vol. 3A
 * 10.6.1, 10.12.9). */
TEST(test_ipi)
{
    plug_x2apic();
    struct apic a = init(false);
    assert_true(apic_ipi(&a, 0x12345678, IPI_NMI));
    assert_int_equal(m.reg[0x30], 0x4400);
    assert_int_equal(m.high, 0x12345678);

    plug_xapic(true);
    a = init(false);
    uint32_t *const reg = (uint32_t *)page;
    assert_true(apic_ipi(&a, 0x34, IPI_STARTUP | 8));
    assert_int_equal(reg[0x310 / 4], 0x34000000);
    assert_int_equal(reg[0x300 / 4], 0x4608);
    reg[0x300 / 4] = 1u << 12 | 0x4608; /* still on its way, for ever: nothing is written */
    assert_false(apic_ipi(&a, 0x35, IPI_INIT));
    assert_int_equal(reg[0x310 / 4], 0x34000000);
    assert_int_equal(reg[0x300 / 4], 1u << 12 | 0x4608);
}
