/* The watchdog on a machine with an 8254, two 8259s, a real-time clock, a P6's counters and a local APIC,
 * whose time passes with each access and whose NMIs come between any two of them. */
#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/vectors.h"
#include "measure/watchdog.h"
#include "pmu/p6.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"
#include <string.h>

#define HZ        (1000ull * PIT_HZ) /* of the TSC: 1,000 ticks for a clock of the 8254 */
#define MS        (HZ / 1000)
#define ACCESS    50 /* ticks that reading or writing anything takes */
#define LINT0     0x350
#define LVT_MASK  0x10000u
#define LVT_PC    0x340
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
    bool rtc, binary, updating; /* there is a real-time clock; its time is not in BCD */
    uint64_t ticked, periodic;  /* seconds and 1/1024 s that have begun */
    uint8_t reg[16], index, slave_mask;
    bool rtc_line, slave_requests;
    bool masks; /* the APIC's performance entry, at delivery */
    uint64_t select[2], counter[2], counted;
    bool halted;
    bool no_apic;
    bool enabled, in_handler; /* interrupts: IF */
    unsigned handled;
    unsigned latency, nmi_in; /* accesses from an NMI to its handler; those left */
} b;

static _Alignas(4096) uint8_t page[4096]; /* the local APIC's registers */
static uint32_t *const lint0 = (uint32_t *)(page + LINT0);
static uint32_t *const lvt_pc = (uint32_t *)(page + LVT_PC);

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

static void request_nmi(void)
{
    if (b.in_handler) return; /* one that waits there would be asked nothing */
    b.nmi_in = b.latency + 1;
    if (!b.latency) nmi();
}

/* The pin follows the requests; its rising edge is the NMI. */
static void set_pin(void)
{
    const bool was = b.pin;
    b.pin = b.requested & ~b.mask & 5 && !(b.in_service & 1);
    if (b.pin && !was && takes(MODE_NMI)) request_nmi();
}

static void set_output(bool high)
{
    if (high && !b.output) b.requested |= 1;
    if (!high && b.kind != QEMU) b.requested &= (uint8_t)~1;
    b.output = high;
    if (high || b.kind == DATA_SHEET) set_pin();
}

/* ---- the real-time clock ---- */

enum { RTC_A = 10, RTC_B, RTC_C, BINARY = 4, AIE = 0x20, PIE = 0x40, UIP = 0x80 };

static void rtc_irq(void)
{
    const bool high = b.reg[RTC_C] & b.reg[RTC_B] & (AIE | PIE);
    if (high && !b.rtc_line) b.slave_requests = true;
    b.rtc_line = high;
    if (b.slave_requests && !(b.slave_mask & 1)) b.requested |= 1 << IRQ_CASCADE;
    set_pin();
}

static void rtc_pass(void)
{
    const uint64_t second = b.now / HZ, period = b.now / (HZ / 1024);
    if (period != b.periodic) b.reg[RTC_C] |= PIE;
    b.periodic = period;
    if (second != b.ticked) {
        const unsigned s = (unsigned)(second % 60), at = b.reg[1];
        const bool any = b.reg[1] >= 0xc0;
        assert_true(!(b.reg[RTC_B] & AIE) || (b.reg[3] >= 0xc0 && b.reg[5] >= 0xc0));
        if (any || s == (b.binary ? at : (at >> 4) * 10 + (at & 15))) b.reg[RTC_C] |= AIE;
    }
    b.ticked = second;
    b.updating = b.now % HZ > HZ - 2 * MS;
    rtc_irq();
}

static uint8_t rtc_in(void)
{
    const unsigned s = (unsigned)(b.now / HZ % 60);
    const uint8_t was = b.reg[b.index];
    if (!b.rtc) return 0xff;
    if (b.index == RTC_A) return (uint8_t)(was | (b.updating ? UIP : 0));
    if (b.index == 0) return b.updating ? 0xee : (uint8_t)(b.binary ? s : s / 10 << 4 | s % 10);
    if (b.index == RTC_C) {
        b.reg[RTC_C] = 0;
        rtc_irq();
        return (uint8_t)(was | (was & b.reg[RTC_B] ? 0x80 : 0));
    }
    return was;
}

static void rtc_out(unsigned port, uint8_t value)
{
    if (port == 0x70)
        b.index = value & 15;
    else if (b.rtc && b.index != RTC_C)
        b.reg[b.index] = value;
    assert_true(port == 0x71 || value < 16);
}

/* ---- the P6's counters: PerfEvtSel0 enables both ---- */

static void count_cycles(void)
{
    const uint64_t ticks = b.now - b.counted;
    b.counted = b.now;
    for (unsigned i = 0; i < 2; i++) {
        if (!(b.select[0] & EVNTSEL_EN) || !(b.select[i] & EVNTSEL_OS) || b.halted) continue;
        const uint64_t before = b.counter[i];
        b.counter[i] = (before + ticks) & ((1ull << P6_WIDTH) - 1);
        if (b.counter[i] >= before || !(b.select[i] & EVNTSEL_INT)) continue;
        if (*lvt_pc & LVT_MASK || (*lvt_pc >> 8 & 7) != MODE_NMI) continue;
        if (b.masks) *lvt_pc |= LVT_MASK;
        request_nmi();
    }
}

static uint64_t *counter_register(uint32_t msr)
{
    return msr == MSR_P6_EVNTSEL0 || msr == MSR_P6_EVNTSEL1   ? &b.select[msr - MSR_P6_EVNTSEL0]
           : msr == MSR_P6_PERFCTR0 || msr == MSR_P6_PERFCTR1 ? &b.counter[msr - MSR_P6_PERFCTR0]
                                                              : NULL;
}

/* ---- time ---- */

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
    if (!b.in_handler) count_cycles();
    if (b.rtc && !b.in_handler) rtc_pass();
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
    if (port == 0x70 || port == 0x71) rtc_out(port, value);
    if (port == 0xa0 && value == 0x11) b.slave_requests = false;
    if (port == 0xa1) b.slave_mask = value;
    if (port == 0xa1 && b.rtc) rtc_irq();
}

uint8_t hw_inb(uint16_t port)
{
    pass(ACCESS);
    if (port == 0x71) return rtc_in();
    if (port != 0x20) return 0xff;
    if (b.polled) return poll();
    assert_true(b.requests_read);
    return b.requested;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    const uint64_t *r = counter_register(msr);
    pass(ACCESS);
    if (r) *value = *r;
    return r != NULL;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    uint64_t *r = counter_register(msr);
    pass(ACCESS);
    if (r)
        *r = (r == &b.select[0] || r == &b.select[1]) ? value
                                                      : (uint64_t)(int32_t)value & ((1ull << P6_WIDTH) - 1);
    return r != NULL;
}

/* ---- what is not asked here ---- */

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)leaf, (void)subleaf;
    return (struct cpuid_regs){0, 0, 0, 0};
}
void host_interrupts(bool on) { b.enabled = on; }

/* ---- the machine ---- */

static struct machine machine;
static struct cpu cpus[4096], *cpu = cpus; /* another for each machine, since a CPU is tried once */
static struct trap_guard payload_guard;
static struct pmu pmu;

#define SET(kind) (1u << WATCHDOG_##kind)

static void plug(enum apic_mode mode)
{
    memset(&b, 0, sizeof b);
    b.mask = ALL_QUIET;
    b.no_apic = mode == APIC_ABSENT;
    *lint0 = *lvt_pc = LVT_MASK;
    b.slave_mask = ALL_QUIET;
    b.now = 12345;
    machine = (struct machine){.clock.tsc_hz = HZ};
    cpu = &cpus[(unsigned)(cpu - cpus + 1) % (sizeof cpus / sizeof *cpus)];
    *cpu = (struct cpu){.machine = &machine, .apic = {.mode = mode, .base = (uintptr_t)page}};
    trap_strays = trap_disturbances = trap_ends = 0;
    guard = &payload_guard;
}

static void plug_rtc(bool binary)
{
    static const uint8_t found[16] = {[1] = 0x12, [3] = 0x34, [5] = 0x05, [RTC_A] = 0x2f, [RTC_B] = 0x12};
    memcpy(b.reg, found, sizeof found);
    b.rtc = true;
    b.binary = binary;
    b.reg[RTC_B] |= binary ? BINARY : 0;
}

static void plug_counters(bool masks)
{
    const struct cpu_id id = {.vendor = "GenuineIntel", .family = 6, .model = 8};
    memset(&pmu, 0, sizeof pmu);
    pmu.ops = &pmu_p6_ops;
    assert_true(pmu_p6_ops.detect(&id, &pmu));
    pmu.usable = 3;
    cpu->pmu = &pmu;
    cpu->apic.lvts = 5;
    b.masks = masks;
}

/* As it was found: everything masked, nobody's interrupts. An NMI on its way while its request was withdrawn
 * is a stray. */
static void is_quiet(void)
{
    assert_null(interrupts_go_to);
    assert_int_equal(b.mask, ALL_QUIET);
    assert_true(*lint0 & *lvt_pc & LVT_MASK);
    assert_true(!b.rtc || (b.reg[1] == 0x12 && b.reg[3] == 0x34 && b.reg[5] == 0x05 && b.reg[RTC_A] == 0x2f &&
                           b.reg[RTC_B] == (0x12 | (b.binary ? BINARY : 0)) && b.slave_mask == ALL_QUIET));
    assert_true(!b.enabled && !b.pin && !b.fires && trap_strays <= (b.latency > 0));
}

static void test_found(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        plug(APIC_XAPIC);
        b.kind = kind;
        assert_int_equal(watchdog_find(cpu, 0, true), SET(PIT_NMI));
        assert_int_equal(b.handled, 1);
        is_quiet();
        assert_true(b.now < 20 * MS);
        assert_int_equal(watchdog_find(cpu, 3, true), SET(PIT_NMI));
        assert_int_equal(b.handled, 1); /* it was tried once */
    }
    plug(APIC_ABSENT); /* its interrupt arrives, with IF=1 only */
    assert_int_equal(watchdog_find(cpu, 0, true), 0);
    assert_int_equal(watchdog_find(cpu, 3, true), SET(PIT_INTERRUPT));
    assert_int_equal(b.handled, 1);
    is_quiet();
    plug(APIC_XAPIC);
    b.unwired = true;
    assert_int_equal(watchdog_find(cpu, 3, true), 0);
    is_quiet();
    plug(APIC_ABSENT);
    b.no_timer = true;
    assert_int_equal(watchdog_find(cpu, 3, true), 0);
    is_quiet();
    plug(APIC_XAPIC);
    machine.clock.tsc_hz = 0; /* limit= could not be kept */
    assert_int_equal(watchdog_find(cpu, 0, true), 0);
    assert_int_equal(b.handled, 0);
}

static unsigned so_far; /* disturbances before the last call */

/* A call of so many ticks, at CPL 3 where by is the interrupt. */
static void call(unsigned by, uint64_t ticks)
{
    const unsigned ends = trap_ends;
    watchdog_call();
    so_far = trap_disturbances;
    b.enabled = by == SET(PIT_INTERRUPT);
    for (const uint64_t to = b.now + ticks; b.now < to && trap_ends == ends;) pass(5000);
    b.enabled = false;
}

/* Short calls are never interrupted, whatever lies between them; longer ones are disturbed each 55 ms; those
 * beyond the limit are ended, within 55 ms. */
static void watched(unsigned by)
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
        watched(SET(PIT_NMI));
    }
    plug(APIC_ABSENT);
    watched(SET(PIT_INTERRUPT));
}

/* The kernel was busy between two calls, or between the last one and the end, so that the interrupt comes
 * before, during or after the winding up: at every access of it. */
static void at_phase(int late, bool ends)
{
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    call(SET(PIT_NMI), MS);
    assert_true(b.fires > b.now + 2000);
    b.now = b.fires + (uint64_t)(late < 0 ? late : -1);
    if (late >= 0) pass((uint64_t)late + 1);
    if (!ends) {
        call(SET(PIT_NMI), 20 * MS); /* short: not disturbed */
        assert_int_equal(trap_disturbances, so_far);
        assert_int_equal(trap_ends, 0);
        call(SET(PIT_NMI), 60 * HZ);
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
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    watchdog_call();
    interrupt(VECTOR_NMI);
    assert_true(trap_strays == 1 && trap_disturbances == 0);
    trap_strays = 0;
    call(SET(PIT_NMI), 60 * HZ);
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
    watchdog_begin(cpu, SET(PIT_NMI), 1);
    call(SET(PIT_NMI), 3 * HZ);
    assert_int_equal(trap_ends, 0);
    watchdog_end();
    is_quiet();
}

/* ---- the other kinds ---- */

static void test_kinds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        plug(APIC_XAPIC);
        plug_rtc(i & 1);
        assert_int_equal(watchdog_find(cpu, 0, true), SET(RTC));
        assert_int_equal(watchdog_find(cpu, 3, true), SET(RTC));
        is_quiet();
        assert_true(b.now < 20 * MS);
        plug(APIC_XAPIC);
        plug_rtc(i & 1);
        plug_counters(i >> 1);
        /* HLT stops the counter, but not at ring 3, where it is none */
        assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER) | SET(RTC));
        assert_int_equal(watchdog_find(cpu, 3, true), SET(COUNTER));
        assert_int_equal(watchdog_find(cpu, 3, false), SET(RTC));
        is_quiet();
        assert_false(b.select[0] & EVNTSEL_EN);
    }
    plug(APIC_XAPIC); /* the 8254 stands in for a clock that is not there, or whose interrupt does not arrive
                       */
    plug_counters(true);
    assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER) | SET(PIT_NMI));
    plug(APIC_XAPIC);
    plug_counters(true);
    plug_rtc(false);
    b.unwired = true;
    assert_int_equal(watchdog_find(cpu, 0, true), SET(COUNTER));
    assert_int_equal(watchdog_find(cpu, 0, false), 0);
    is_quiet();
    plug(APIC_XAPIC);
    plug_counters(true);
    cpu->apic.lvts = 4; /* no entry for them */
    assert_int_equal(watchdog_find(cpu, 0, true), SET(PIT_NMI));
}

static const struct pmu_code instructions = {
    .name = "instructions", .select = 0xc0 | EVNTSEL_OS | EVNTSEL_USR, .counters = 3};

/* Calls of less than half of the limit are never disturbed; what never returns is ended after it, soon. */
static void watched_by(unsigned kinds, uint64_t late)
{
    static const unsigned lengths[] = {0, 1, 400, 3, 60, 27, 450, 20};
    for (unsigned i = 0; i < 40; i++) {
        call(kinds, lengths[i % 8] * MS);
        pass(i % 5 * 100);
        assert_int_equal(trap_disturbances, 0);
    }
    call(kinds, 1900 * MS);
    assert_int_equal(trap_ends, 0);
    assert_true(trap_disturbances < 4);
    const uint64_t from = b.now;
    call(kinds, 60 * HZ);
    assert_int_equal(trap_ends, 1);
    assert_in_range(b.now - from, 2 * HZ, 2 * HZ + late);
    assert_true(trap_strays == 0);
}

static void test_rtc(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        plug(APIC_XAPIC);
        plug_rtc(i);
        b.now += 58 * HZ; /* over the minute's end */
        b.ticked = b.now / HZ;
        const unsigned kinds = watchdog_find(cpu, 0, true);
        watchdog_begin(cpu, kinds, 2);
        b.halted = true;
        watched_by(kinds, 2 * HZ);
        watchdog_end();
        is_quiet();
    }
}

static void test_counter(void **state)
{
    (void)state;
    const struct pmu_code *code[PMU_COUNTERS] = {&instructions};
    for (unsigned i = 0; i < 4; i++) {
        plug(APIC_XAPIC);
        plug_counters(i & 1);
        plug_rtc(false);
        assert_true(watchdog_program(cpu, code) && watchdog_programmed());
        assert_int_equal(b.select[0] & 0xff, 0xc0);
        assert_int_equal(b.select[1] & 0xff, 0x79); /* cpu_clk_unhalted */
        pmu_p6_ops.start(&pmu);
        const unsigned kinds = watchdog_find(cpu, i & 2 ? 3 : 0, true);
        watchdog_begin(cpu, kinds, 2);
        /* Within a pause it counts, but nothing comes, however long that is. */
        watchdog_pause();
        const unsigned handled = b.handled;
        assert_true(b.select[0] & EVNTSEL_EN);
        for (const uint64_t to = b.now + 5 * HZ; b.now < to;) pass(5000);
        assert_int_equal(b.handled, handled);
        watchdog_resume();
        watched_by(kinds, HZ / 100);
        watchdog_end();
        assert_false(watchdog_programmed());
        assert_false(b.select[0] & EVNTSEL_EN);
        is_quiet();
    }
    code[1] = &instructions; /* none is left */
    assert_false(watchdog_program(cpu, code));
    assert_false(watchdog_programmed());
}

/* The counter stands still in HLT: the clock beside it ends that. */
static void test_halt(void **state)
{
    (void)state;
    const struct pmu_code *none[PMU_COUNTERS] = {NULL};
    for (unsigned i = 0; i < 2; i++) {
        plug(APIC_XAPIC);
        plug_counters(true);
        if (i) plug_rtc(true);
        assert_true(watchdog_program(cpu, none));
        pmu_p6_ops.start(&pmu);
        watchdog_begin(cpu, watchdog_find(cpu, 0, true), 2);
        b.halted = true;
        const uint64_t from = b.now;
        call(0, 60 * HZ);
        assert_int_equal(trap_ends, 1);
        assert_in_range(b.now - from, 2 * HZ, 4 * HZ);
        b.halted = false;
        watchdog_end();
        is_quiet();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),  cmocka_unit_test(test_watched),   cmocka_unit_test(test_winding),
        cmocka_unit_test(test_others), cmocka_unit_test(test_unguarded), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_rtc),    cmocka_unit_test(test_counter),   cmocka_unit_test(test_halt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
