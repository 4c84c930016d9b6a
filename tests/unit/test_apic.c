/* The local APIC as firmware may leave it: disabled, with interrupts in service or waiting, with a task
 * priority.
 *
 * The machine is an x2APIC, whose registers are MSRs, so that they can do something; where the mode does not
 * matter a page of memory is an xAPIC that does nothing. */
#include "kernel/apic.h"
#include "kernel/trap.h"
#include "tests/unit/unit.h"
#include <string.h>
#include <sys/mman.h>

#define MSR_BASE    0x1b
#define BASE_ENABLE (1u << 11)
#define BASE_X2APIC (1u << 10)
#define VERSION     0x00060015u

/* MSR 800h + register / 16 */
enum {
    ESR = 0x28,
    ID = 2,
    VERSION_REG = 3,
    TPR = 8,
    EOI = 0xb,
    SVR = 0xf,
    ISR = 0x10,
    TMR = 0x18,
    IRR = 0x20,
    CMCI = 0x2f,
    LVT_FIRST = 0x32,
    LVT_LAST = 0x37,
    LINT0 = 0x35,
    ERROR = 0x37,
    TIMER_INIT = 0x38,
    TIMER_NOW = 0x39,
    DIVIDE = 0x3e
};

static struct {
    uint64_t base;
    bool no_base, stuck, cpuid_stuck; /* no MSR 1Bh; its enable bit cannot be set; CPUID does not follow it */
    bool deaf;                        /* no MSR 800h and so on */
    uint32_t edx;                     /* CPUID.1 */
    uint32_t reg[0x40];
    bool in_service[256], waiting[256], again[256]; /* again: of a device that asks for ever */
    unsigned taken[256], eois, written, esr;        /* written: WRMSRs of MSR 1Bh; esr: writes of that */
    uint8_t order[64];                              /* which registers were written */
    unsigned n_order;
    bool open; /* to interrupts */
    unsigned opened;
} m;

/* ---- the machine ---- */

static uint32_t word(const bool *set, unsigned n)
{
    uint32_t w = 0;
    for (unsigned i = 0; i < 32; i++) w |= (uint32_t)set[32 * n + i] << i;
    return w;
}

static int highest(const bool *set)
{
    int v = 255;
    while (v >= 0 && !set[v]) v--;
    return v;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    const uint32_t r = msr - 0x800;
    if (msr == MSR_BASE && !m.no_base)
        *value = m.base;
    else if (r >= 0x40 || m.deaf)
        return false;
    else if (r >= ISR && r < ISR + 8)
        *value = word(m.in_service, r - ISR);
    else if (r >= IRR && r < IRR + 8)
        *value = word(m.waiting, r - IRR);
    else
        *value = m.reg[r];
    return true;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    const uint32_t r = msr - 0x800;
    if (msr == MSR_BASE && !m.no_base) {
        m.written++;
        if (m.stuck) return true;
        m.base = value;
        if (!m.cpuid_stuck)
            m.edx = value & BASE_ENABLE ? m.edx | CPUID_1_EDX_APIC : m.edx & ~CPUID_1_EDX_APIC;
        return true;
    }
    if (r >= 0x40) return false;
    if (r == EOI) {
        const int v = highest(m.in_service);
        assert_int_equal(value, 0); /* another one is a #GP (SDM vol. 3A 10.12.1.2) */
        m.eois++;
        if (v < 0) return true;
        m.in_service[v] = false;
        if (m.again[v]) m.waiting[v] = true;
    }
    m.esr += r == ESR;
    if (r == ESR) assert_int_equal(value, 0); /* the same */
    if (m.n_order < sizeof m.order) m.order[m.n_order++] = (uint8_t)r;
    m.reg[r] = (uint32_t)value;
    return true;
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(leaf, 1);
    assert_int_equal(subleaf, 0);
    return (struct cpuid_regs){.edx = m.edx};
}

/* What has a higher class than the task priority and than all that are in service comes, with the handler of
 * kernel/trap.c: it acknowledges and, while draining, keeps interrupts off. */
static void take(void)
{
    const int v = highest(m.waiting), serving = highest(m.in_service);
    if (v < 0 || v / 16 <= (int)m.reg[TPR] / 16 || v / 16 <= serving / 16) return;
    m.waiting[v] = false;
    m.in_service[v] = true;
    m.taken[v]++;
    assert_true(apic_acknowledge((uint32_t)v));
    assert_true(apic_draining);
    m.open = false;
}

/* STI takes effect behind the next instruction. */
void host_interrupts(bool on)
{
    m.open = on;
    m.opened += on;
}
uint64_t hw_rdtsc(void)
{
    if (m.open) take();
    return 0;
}

/* ---- what was left behind ---- */

static struct apic init(bool enable)
{
    const struct cpu_id id = {.family = 6, .f1_edx = m.edx, .f1_ecx = CPUID_1_ECX_X2APIC};
    static struct apic a; /* is kept */
    apic_init(&id, &a, enable);
    return a;
}

static void plug_x2apic(void)
{
    memset(&m, 0, sizeof m);
    m.base = 0xfee00000 | BASE_ENABLE | BASE_X2APIC;
    m.edx = CPUID_1_EDX_APIC;
    m.reg[VERSION_REG] = VERSION;
    m.reg[ID] = 7;
    m.reg[TMR] = 0xff; /* behind ISR: of vectors 0 to 7 an interrupt was level-triggered */
}

static uint8_t *page; /* an xAPIC, where 36 bits reach */

static void plug_xapic(bool enabled)
{
    memset(&m, 0, sizeof m);
    memset(page, 0, 4096);
    *(uint32_t *)(page + 0x30) = VERSION;
    m.base = (uintptr_t)page | (enabled ? BASE_ENABLE : 0);
    m.edx = enabled ? CPUID_1_EDX_APIC : 0;
}

static void check_open(const struct apic *a)
{
    assert_int_equal(a->mode, APIC_X2APIC);
    assert_int_equal(a->id, 7);
    assert_false(apic_draining || m.open);
    assert_int_equal(highest(m.in_service), -1);
    assert_true(m.reg[SVR] & 0x100);
    /* Our own class comes through, no other does. */
    assert_true(m.reg[TPR] / 16 < VECTOR_TIMER / 16 && m.reg[TPR] / 16 < VECTOR_SAMPLE / 16);
    assert_int_equal(m.reg[TPR] / 16, VECTOR_TIMER / 16 - 1);
    for (unsigned r = LVT_FIRST; r <= LVT_LAST; r++) assert_true(m.reg[r] & LVT_MASKED);
}

static void test_nothing_left(void **state)
{
    (void)state;
    plug_x2apic();
    struct apic a = init(false);
    check_open(&a);
    assert_int_equal(a.left + m.eois, 0);
    assert_int_equal(m.written, 0);
}

/* The entries of the local vector table in the order in which CPUs have got them (SDM vol. 3A 10.5.1): those
 * that the version register counts are masked, each with a legal vector, the others do not exist. */
static void test_entries(void **state)
{
    static const uint8_t entry[] = {0x32, LINT0, 0x36, ERROR, 0x34, 0x33, CMCI};
    (void)state;
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

/* AMD's further entries, as many as their register of features says (APM vol. 2, 16.4.5): the version's top
 * bit. */
static void test_extended_entries(void **state)
{
    (void)state;
    for (unsigned extended = 0; extended < 2; extended++) {
        plug_xapic(true);
        uint32_t *const reg = (uint32_t *)page;
        reg[0x30 / 4] = extended << 31 | VERSION;
        reg[0x400 / 4] = 0xff04ffff;
        init(false);
        for (unsigned at = 0x500; at < 0x600; at += 4)
            assert_int_equal(reg[at / 4], extended && at < 0x540 && at % 16 == 0 ? 0x100ff : 0);
    }
}

/* What the version register holds where nothing answers. */
static void test_no_answer(void **state)
{
    static const struct {
        uint32_t version;
        enum apic_mode mode;
    } cases[] = {
        {0, APIC_DISABLED}, {UINT32_MAX, APIC_DISABLED}, {1, APIC_XAPIC}, {UINT32_MAX - 1, APIC_XAPIC}};
    (void)state;
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
static void test_pentium_esr(void **state)
{
    (void)state;
    for (unsigned lvts = 4; lvts <= 7; lvts++) {
        plug_x2apic();
        m.reg[VERSION_REG] = (lvts - 1) << 16 | 0x10;
        struct apic a = init(false);
        assert_int_equal(a.lvts, lvts);
        assert_int_equal(m.esr, lvts > 4);
    }
}

static void test_left_in_service(void **state)
{
    static const uint8_t vectors[] = {0x20, 0x22, 0x41, 0xef, 0xf1, 0xfe};
    (void)state;
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
static void test_asks_for_ever(void **state)
{
    (void)state;
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
static void test_exceptions_vectors(void **state)
{
    (void)state;
    plug_x2apic();
    m.waiting[0x1e] = true;
    m.in_service[0x1f] = true;
    struct apic a = init(false);
    check_open(&a);
    assert_int_equal(a.left, 1); /* the one in service */
    assert_int_equal(m.taken[0x1e], 0);
    assert_true(m.waiting[0x1e]);
}

static void test_acknowledge(void **state)
{
    (void)state;
    plug_x2apic();
    struct apic a = init(false);
    assert_false(apic_acknowledge(0x45)); /* an INT, or the 8259s' */
    assert_false(apic_acknowledge(VECTOR_SPURIOUS));
    assert_int_equal(m.eois, 0);
    m.in_service[0x45] = true;
    assert_false(apic_acknowledge(0x44));
    assert_true(apic_acknowledge(0x45));
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
        assert_false(apic_acknowledge(vector));
        assert_int_equal(*eoi, 1);
        *isr = 1u << vector % 32;
        assert_true(apic_acknowledge(vector));
        assert_int_equal(*eoi, 0);
        *isr = 0;
    }
}

/* ---- sampling ---- */

static void test_pending(void **state)
{
    (void)state;
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

static void test_timer(void **state)
{
    static const uint8_t order[] = {DIVIDE, LVT_FIRST, TIMER_INIT}; /* the last one starts it */
    (void)state;
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
static void test_entries_by_mode(void **state)
{
    (void)state;
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

/* ---- disabled by the firmware ---- */

static void test_disabled(void **state)
{
    (void)state;
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

static void test_not_disabled(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_left),  cmocka_unit_test(test_left_in_service),
        cmocka_unit_test(test_asks_for_ever), cmocka_unit_test(test_exceptions_vectors),
        cmocka_unit_test(test_acknowledge),   cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_not_disabled),  cmocka_unit_test(test_pentium_esr),
        cmocka_unit_test(test_entries),       cmocka_unit_test(test_extended_entries),
        cmocka_unit_test(test_no_answer),     cmocka_unit_test(test_pending),
        cmocka_unit_test(test_timer),         cmocka_unit_test(test_entries_by_mode),
    };
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (page == MAP_FAILED) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
