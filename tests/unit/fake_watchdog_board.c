#include "tests/unit/fake_watchdog_board.h"

#define ACCESS    50 /* ticks that reading or writing anything takes */
#define LINT0     0x350
#define LVT_MASK  0x10000u
#define LVT_PC    0x340
#define MODE_NMI  4u
#define MODE_EXT  7u
#define ALL_QUIET 0xff

struct fake_board b;

static _Alignas(4096) uint8_t page[4096]; /* the local APIC's registers */
static uint32_t *const lint0 = (uint32_t *)(page + LINT0);
static uint32_t *const lvt_pc = (uint32_t *)(page + LVT_PC);

/* ---- 8259 and CPU ---- */

enum { RTC_A = 10, RTC_B, RTC_C, BINARY = 4, AIE = 0x20, PIE = 0x40, UIP = 0x80 };

static bool takes(unsigned mode)
{
    return !b.no_apic && !b.unwired && !(*lint0 & LVT_MASK) && (*lint0 >> 8 & 7) == mode;
}

static void handle(uint32_t vector)
{
    struct trap_frame f = {.vector = vector, .ip = 0x1000, .cs = 0x43};
    b.in_handler = true;
    b.handled++;
    fake_interrupt(&f);
    b.in_handler = false;
}

/* QEMU raises the RTC's line at each tick, also when the CPU has taken the NMI and C has not been read. */
void interrupt(uint32_t vector)
{
    const bool again = b.kind == QEMU && b.rtc && b.reg[RTC_B] & PIE && takes(MODE_NMI);
    handle(vector);
    if (vector == VECTOR_NMI && again) handle(vector);
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

void pass(uint64_t ticks)
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
        assert_true(value == 0x0a || value == 0x0b);
        b.service_read = value == 0x0b;
        b.requests_read = value == 0x0a;
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
    assert_true(b.requests_read || b.service_read);
    return b.requests_read ? b.requested : b.in_service;
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

struct machine machine;
static struct cpu cpus[4096]; /* another for each machine, since a CPU is tried once */
struct cpu *cpu = cpus;
static struct trap_guard payload_guard;
struct pmu pmu;

void plug(enum apic_mode mode)
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

void plug_rtc(bool binary)
{
    static const uint8_t found[16] = {[1] = 0x12, [3] = 0x34, [5] = 0x05, [RTC_A] = 0x2f, [RTC_B] = 0x12};
    memcpy(b.reg, found, sizeof found);
    b.rtc = true;
    b.binary = binary;
    b.reg[RTC_B] |= binary ? BINARY : 0;
}

void plug_counters(bool masks)
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

void is_quiet(void)
{
    assert_null(interrupts_go_to);
    assert_int_equal(b.mask, ALL_QUIET);
    assert_true(*lint0 & *lvt_pc & LVT_MASK);
    assert_true(!b.rtc || (b.reg[1] == 0x12 && b.reg[3] == 0x34 && b.reg[5] == 0x05 && b.reg[RTC_A] == 0x2f &&
                           b.reg[RTC_B] == (0x12 | (b.binary ? BINARY : 0)) && b.slave_mask == ALL_QUIET));
    assert_true(!b.enabled && !b.pin && !b.fires && trap_strays <= (b.latency > 0));
}

unsigned so_far;

void call(unsigned by, uint64_t ticks)
{
    const unsigned ends = trap_ends;
    watchdog_call();
    so_far = trap_disturbances;
    b.enabled = by == SET(PIT_INTERRUPT);
    for (const uint64_t to = b.now + ticks; b.now < to && trap_ends == ends;) pass(5000);
    b.enabled = false;
}
