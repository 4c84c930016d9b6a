/* The watchdog on a machine with an 8254, an 8259 and a local APIC, whose time passes with each access and
 * whose NMIs come between any two of them. */
#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/vectors.h"
#include "measure/watchdog.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"
#include <string.h>

#define HZ        (1000ull * PIT_HZ) /* of the TSC: 1,000 ticks for a clock of the 8254 */
#define MS        (HZ / 1000)
#define ACCESS    50 /* ticks that reading or writing anything takes */
#define LINT0     0x350
#define LVT_MASK  0x10000u
#define MODE_NMI  4u
#define MODE_EXT  7u
#define ALL_QUIET 0xff

static struct board {
    bool no_timer, unwired; /* no 8254; the 8259 does not reach LINT0 */
    /* QEMU's requests do not fall with the input, Bochs's are not acknowledged by the poll command. */
    enum { DATA_SHEET, QEMU, BOCHS, KINDS } kind;
    uint64_t now, fires;   /* fires: when the 8254's output rises; 0: it does not */
    unsigned bytes, count; /* written behind the control word */
    bool one_shot, output;
    uint8_t mask, requested, in_service, step;
    bool polled, requests_read, pin;
    bool no_apic;
    bool enabled, in_handler; /* interrupts: IF */
    unsigned handled;
    unsigned latency, nmi_in; /* accesses from an NMI to its handler; those left */
} b;

static _Alignas(4096) uint8_t page[4096]; /* the local APIC's registers */
static uint32_t *const lint0 = (uint32_t *)(page + LINT0);

/* ---- 8259 and CPU ---- */

static bool takes(unsigned mode)
{
    return !b.no_apic && !b.unwired && !(*lint0 & LVT_MASK) && (*lint0 >> 8 & 7) == mode;
}

static void interrupt(uint32_t vector)
{
    struct trap_frame f = {.vector = vector, .ip = 0x1000, .cs = 0x43};
    b.in_handler = true;
    b.handled++;
    fake_interrupt(&f);
    b.in_handler = false;
}

static void nmi(void)
{
    if (b.nmi_in && --b.nmi_in == 0) interrupt(VECTOR_NMI);
}

/* The pin follows the requests; its rising edge is the NMI. */
static void set_pin(void)
{
    const bool was = b.pin;
    b.pin = b.requested & ~b.mask & 1 && !(b.in_service & 1);
    if (b.pin && !was && takes(MODE_NMI) && !b.in_handler) b.nmi_in = b.latency + 1;
    if (b.nmi_in == 1 && !b.latency) nmi();
}

static void set_output(bool high)
{
    if (high && !b.output) b.requested |= 1;
    if (!high && b.kind != QEMU) b.requested &= (uint8_t)~1;
    b.output = high;
    if (high || b.kind == DATA_SHEET) set_pin();
}

static void pass(uint64_t ticks)
{
    const uint64_t to = b.now + ticks;
    if (b.latency) nmi();
    while (b.fires && b.fires <= to) {
        b.now = b.fires;
        b.fires = 0;
        set_output(true);
        if (b.now > to) return; /* a handler took longer */
    }
    if (b.now < to) b.now = to;
    if (b.pin && b.enabled && !b.in_handler && (b.no_apic || takes(MODE_EXT))) {
        b.requested &= (uint8_t)~1;
        b.in_service |= 1;
        set_pin();
        interrupt(VECTOR_PIC);
    }
}

uint64_t hw_rdtsc(void)
{
    pass(ACCESS);
    return b.now;
}

/* ---- ports ---- */

static void timer_out(unsigned port, uint8_t value)
{
    if (b.no_timer) return;
    if (port == 0x43) {
        b.one_shot = value == 0x30;
        assert_true(b.one_shot || value == 0x34);
        b.bytes = b.fires = 0;
        set_output(!b.one_shot);
    } else {
        b.fires = 0; /* the first byte of two stops it */
        b.count = b.bytes++ % 2 ? b.count | (unsigned)value << 8 : value;
        if (b.bytes % 2 == 0 && b.one_shot) b.fires = b.now + 1000ull * b.count;
    }
}

static uint8_t poll(void)
{
    b.polled = false;
    if (b.kind == BOCHS || !b.pin) return 0;
    b.requested &= (uint8_t)~1;
    b.in_service |= 1;
    set_pin();
    return 0x80;
}

static void master_out(unsigned port, uint8_t value)
{
    if (port == 0x21 && b.step) { /* ICW2 to ICW4 */
        b.step = (uint8_t)((b.step + 1) % 4);
    } else if (port == 0x21) {
        b.mask = value;
        set_pin();
    } else if (value == 0x11) {
        b.step = 1;
        b.mask = b.requested = b.in_service = 0;
        b.pin = false;
    } else if (value == 0x20) {
        b.in_service = 0;
        set_pin();
    } else if (value == 0x0c) {
        b.polled = true;
    } else {
        assert_int_equal(value, 0x0a);
        b.requests_read = true;
    }
}

void hw_outb(uint16_t port, uint8_t value)
{
    pass(ACCESS);
    if (port >= 0x40 && port <= 0x43) timer_out(port, value);
    if (port == 0x20 || port == 0x21) master_out(port, value);
}

uint8_t hw_inb(uint16_t port)
{
    pass(ACCESS);
    if (port != 0x20) return 0xff;
    if (b.polled) return poll();
    assert_true(b.requests_read);
    return b.requested;
}

/* ---- what is not asked here ---- */

bool rdmsr_safe(uint32_t msr, uint64_t *value) { return (void)msr, (void)value, false; }
bool wrmsr_safe(uint32_t msr, uint64_t value) { return (void)msr, (void)value, false; }
struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)leaf, (void)subleaf;
    return (struct cpuid_regs){0, 0, 0, 0};
}
void host_interrupts(bool on) { b.enabled = on; }

/* ---- the machine ---- */

static struct machine machine;
static struct cpu cpus[16], *cpu = cpus; /* another for each machine, since a CPU is tried once */
static struct trap_guard payload_guard;

static void plug(enum apic_mode mode)
{
    memset(&b, 0, sizeof b);
    b.mask = ALL_QUIET;
    b.no_apic = mode == APIC_ABSENT;
    *lint0 = LVT_MASK;
    b.now = 12345;
    machine = (struct machine){.clock.tsc_hz = HZ};
    cpu = &cpus[(unsigned)(cpu - cpus + 1) % (sizeof cpus / sizeof *cpus)];
    *cpu = (struct cpu){.machine = &machine, .apic = {.mode = mode, .base = (uintptr_t)page}};
    trap_strays = trap_disturbances = trap_ends = 0;
    guard = &payload_guard;
}

/* As it was found: everything masked, nobody's interrupts. An NMI on its way while its request was withdrawn
 * is a stray. */
static void is_quiet(void)
{
    assert_null(interrupts_go_to);
    assert_int_equal(b.mask, ALL_QUIET);
    assert_true(*lint0 & LVT_MASK);
    assert_true(!b.enabled && !b.pin && !b.fires && trap_strays <= (b.latency > 0));
}

static void test_found(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        plug(APIC_XAPIC);
        b.kind = kind;
        assert_int_equal(watchdog_find(cpu, 0), WATCHDOG_NMI);
        assert_int_equal(b.handled, 1);
        is_quiet();
        assert_true(b.now < 20 * MS);
        assert_int_equal(watchdog_find(cpu, 3), WATCHDOG_NMI);
        assert_int_equal(b.handled, 1); /* it was tried once */
    }
    plug(APIC_ABSENT); /* its interrupt arrives, with IF=1 only */
    assert_int_equal(watchdog_find(cpu, 0), WATCHDOG_NONE);
    assert_int_equal(watchdog_find(cpu, 3), WATCHDOG_INTERRUPT);
    assert_int_equal(b.handled, 1);
    is_quiet();
    plug(APIC_XAPIC);
    b.unwired = true;
    assert_int_equal(watchdog_find(cpu, 3), WATCHDOG_NONE);
    is_quiet();
    plug(APIC_ABSENT);
    b.no_timer = true;
    assert_int_equal(watchdog_find(cpu, 3), WATCHDOG_NONE);
    is_quiet();
    plug(APIC_XAPIC);
    machine.clock.tsc_hz = 0; /* limit= could not be kept */
    assert_int_equal(watchdog_find(cpu, 0), WATCHDOG_NONE);
    assert_int_equal(b.handled, 0);
}

static unsigned so_far; /* disturbances before the last call */

/* A call of so many ticks, at CPL 3 where by is the interrupt. */
static void call(enum watchdog_by by, uint64_t ticks)
{
    const unsigned ends = trap_ends;
    watchdog_call();
    so_far = trap_disturbances;
    b.enabled = by == WATCHDOG_INTERRUPT;
    for (const uint64_t to = b.now + ticks; b.now < to && trap_ends == ends;) pass(5000);
    b.enabled = false;
}

/* Short calls are never interrupted, whatever lies between them; longer ones are disturbed each 55 ms; those
 * beyond the limit are ended, within 55 ms. */
static void watched(enum watchdog_by by)
{
    static const unsigned lengths[] = {0, 1, 26, 3, 13, 27, 7, 20};
    watchdog_begin(cpu, by, 1);
    b.handled = 0;
    for (unsigned i = 0; i < 200; i++) {
        call(by, lengths[i % 8] * MS);
        pass(i % 5 * 100);
    }
    assert_true(b.handled == 0 && trap_disturbances == 0 && b.now > 2 * HZ);

    const uint32_t before = watchdog_interrupts();
    call(by, 990 * MS);
    assert_int_equal(trap_disturbances, 18); /* the first within 55 ms */
    assert_int_equal(watchdog_interrupts() - before, 18);
    assert_int_equal(trap_ends, 0);

    for (unsigned i = 0; i < 20; i++) {
        const uint64_t from = b.now;
        trap_ends = 0;
        call(by, 60 * HZ);
        assert_int_equal(trap_ends, 1);
        assert_in_range(b.now - from, HZ, HZ + 56 * MS);
        pass(i * 7 * MS); /* after the end nothing is called any more */
        call(by, 5 * MS);
        watchdog_end();
        is_quiet();
        pass(HZ);
        watchdog_begin(cpu, by, 1);
    }
    watchdog_end();
    watchdog_end(); /* once is enough */
    is_quiet();
}

static void test_watched(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        plug(APIC_XAPIC);
        b.kind = kind;
        watched(WATCHDOG_NMI);
    }
    plug(APIC_ABSENT);
    watched(WATCHDOG_INTERRUPT);
}

/* The kernel was busy between two calls, or between the last one and the end, so that the interrupt comes
 * before, during or after the winding up: at every access of it. */
static void at_phase(int late, bool ends)
{
    watchdog_begin(cpu, WATCHDOG_NMI, 1);
    call(WATCHDOG_NMI, MS);
    assert_true(b.fires > b.now + 2000);
    b.now = b.fires + (uint64_t)(late < 0 ? late : -1);
    if (late >= 0) pass((uint64_t)late + 1);
    if (!ends) {
        call(WATCHDOG_NMI, 20 * MS); /* short: not disturbed */
        assert_int_equal(trap_disturbances, so_far);
        assert_int_equal(trap_ends, 0);
        call(WATCHDOG_NMI, 60 * HZ);
        assert_int_equal(trap_ends, 1);
    }
    watchdog_end();
    is_quiet();
    assert_true(b.nmi_in == 0 && !b.one_shot);
}

static void test_winding(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8 * KINDS; i++)
        for (int late = -600; late <= 600; late += 10) {
            plug(APIC_XAPIC);
            b.kind = i / 8;
            b.latency = i / 2 % 4;
            at_phase(late, i & 1);
        }
}

/* Another source's NMI is a stray, and the watchdog goes on. */
static void test_others(void **state)
{
    (void)state;
    plug(APIC_XAPIC);
    watchdog_begin(cpu, WATCHDOG_NMI, 1);
    watchdog_call();
    interrupt(VECTOR_NMI);
    assert_true(trap_strays == 1 && trap_disturbances == 0);
    trap_strays = 0;
    call(WATCHDOG_NMI, 60 * HZ);
    assert_int_equal(trap_ends, 1);
    watchdog_end();
    is_quiet();
}

/* Code of the kernel's own that runs without a guard is not ended. */
static void test_unguarded(void **state)
{
    (void)state;
    plug(APIC_XAPIC);
    guard = NULL;
    watchdog_begin(cpu, WATCHDOG_NMI, 1);
    call(WATCHDOG_NMI, 3 * HZ);
    assert_int_equal(trap_ends, 0);
    watchdog_end();
    is_quiet();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found), cmocka_unit_test(test_watched),
                                       cmocka_unit_test(test_winding), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_unguarded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
