/* Sampling by timers, the kernel's code against an 8254, a real-time clock and the 8259s: which one is taken,
 * every interrupt is acknowledged, all is as before in the end, and what does not answer is told. */
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "measure/sampler.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>

#define LVT_TIMER  0x320
#define LVT_LINT0  0x350
#define TIMER_INIT 0x380
#define TIMER_NOW  0x390
#define PER_CLOCK  4 /* instructions a clock of the timer */
#define CLOCKS     (N / PER_CLOCK)
#define A_FOUND    0x26
#define B_FOUND    0x32 /* alarm and update interrupt: another's; 24 hours */
#define B_SAMPLING 0x42

static struct {
    uint8_t index, cmos[128];
    bool absent, mute, line; /* line: IRQ 8 is high, until C is read */
    unsigned nmis_off;       /* writes of the index that would mask NMIs */
    unsigned post;           /* writes of port 80h, which lock up some machines (kernel/pic.c) */
    unsigned pit, pit_left;  /* its count, and what is left of this period; 0: it stands still */
    unsigned pit_next; /* from the end of this period on (8254 data sheet, mode 2: a new count does not affect
                          the current counting sequence); 0: the same */
    bool at_once;      /* ... or at once, as QEMU's */
    bool counts;       /* the APIC's timer; otherwise its registers are a test's */
    uint32_t init, left, late;
    uint8_t low;
    bool half;
    struct pic {
        uint8_t mask, init, asks, serves;
    } pic[2];
    unsigned clock, interrupts;
    unsigned nmi_at;  /* before this instruction, while sampling; 0: none */
    unsigned starved; /* passes that are over before the machine raises an interrupt: */
    unsigned lets_in; /* it comes when they have been let in so often afterwards, */
    unsigned let_in;  /* which is as often as they have been */
    bool b_seen_wrong;
} d;

/* ---- devices ---- */

static uint8_t port_in(uint16_t port)
{
    if (port == 0x20 || port == 0xa0) return d.pic[port >> 7].serves; /* after OCW3 0Bh */
    if (port != 0x71 || d.absent) return 0xff;
    uint8_t value = d.cmos[d.index];
    if (d.index == 0x0c) d.cmos[0x0c] = 0, d.line = false;
    return value;
}

static void pic_out(struct pic *p, bool data, uint8_t value)
{
    if (!data && value == 0x11)
        *p = (struct pic){.init = 3};
    else if (!data && value == 0x20)
        p->serves &= (uint8_t)(p->serves - 1); /* the highest priority */
    else if (data && p->init)
        p->init--;
    else if (data)
        p->mask = value;
}

static void port_out(uint16_t port, uint8_t value)
{
    if ((port & ~0x81) == 0x20) pic_out(&d.pic[port >> 7], port & 1, value);
    d.post += port == 0x80;
    if (port == 0x43) d.pit = d.pit_next = 0, d.half = false;
    if (port == 0x40) {
        const unsigned count = (unsigned)value << 8 | d.low;
        if (d.half && (!d.pit || d.at_once))
            d.pit = d.pit_left = count;
        else if (d.half)
            d.pit_next = count;
        d.low = value;
        d.half = !d.half;
    }
    if (port == 0x70) {
        d.index = value & 0x7f;
        d.nmis_off += value >> 7;
    }
    if (port == 0x71 && !d.absent) d.cmos[d.index] = value;
}

static void rtc_clock(void)
{
    unsigned rate = d.cmos[0x0a] & 15;
    if ((d.cmos[0x0a] & 0x70) != 0x20 || rate < 3 || d.clock % (1u << (rate - 1)) || d.absent || d.mute)
        return;
    d.cmos[0x0c] |= 0x40;
    if (!(d.cmos[0x0b] & 0x40) || d.line) return;
    d.line = true;
    d.pic[1].asks |= 1;
}

static void pit_clock(void)
{
    if (!d.pit || --d.pit_left) return;
    if (d.pit_next) d.pit = d.pit_next;
    d.pit_next = 0;
    d.pit_left = d.pit;
    d.pic[0].asks |= 1;
}

/* The local APIC's, which begins again by itself, or at once with what is written. */
static void apic_clock(unsigned k)
{
    uint32_t *const init = apic_at(TIMER_INIT), *const now = apic_at(TIMER_NOW);
    if (!d.counts) return;
    if (*init != d.init) d.init = d.left = *init;
    if (!d.left) return;
    const bool over = --d.left == 0;
    if (over) d.left = d.init;
    *now = d.left;
    if (!over || *apic_at(LVT_TIMER) & LVT_MASKED) return;
    d.interrupts++;
    *now -= d.late; /* the handler comes so many clocks later */
    *init = 0;
    interrupt(VECTOR_SAMPLE, 0x1000 + 2 * (k % 8), k);
    if (*init)
        d.init = *init, d.left = d.init + d.late; /* of which none has passed here */
    else
        *init = d.init;
}

/* The highest of a controller that may interrupt now, -1: none. */
static int ready(const struct pic *p)
{
    uint8_t may = p->asks & ~p->mask;
    if (!may || (p->serves && (p->serves & -p->serves) <= (may & -may))) return -1;
    return __builtin_ctz(may);
}

static void serve(struct pic *p, int irq)
{
    p->asks &= (uint8_t) ~(1 << irq);
    p->serves |= (uint8_t)(1 << irq);
}

PAYLOAD static void payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < N; k++) {
        sim_hw_run(1, 3);
        if (d.nmi_at && k == d.nmi_at && d.pit) interrupt(VECTOR_NMI, 0x1000, k);
        if (k % PER_CLOCK) continue;
        d.clock++;
        rtc_clock();
        pit_clock();
        apic_clock(k);
        if (ready(&d.pic[1]) >= 0) d.pic[0].asks |= 1 << 2;
        int irq = ready(&d.pic[0]);
        bool open = m.apic.mode < APIC_XAPIC || *apic_at(LVT_LINT0) == LVT_EXTINT;
        if (irq < 0 || !open || d.starved) continue;
        d.b_seen_wrong |= irq == 2 && d.cmos[0x0b] != B_SAMPLING;
        serve(&d.pic[0], irq);
        if (irq == 2) serve(&d.pic[1], 0);
        d.interrupts++;
        interrupt(VECTOR_PIC + (irq == 2 ? 8 : (unsigned)irq), 0x1000 + 2 * (k % 8), k);
    }
}

void host_interrupts(bool on)
{
    if (!on || !d.starved || !d.pit || ++d.let_in < d.lets_in) return;
    d.starved--;
    d.let_in = 0;
    serve(&d.pic[0], 0);
    interrupt(VECTOR_PIC, HARNESS, 0);
}

/* ---- runs ---- */

static void plug_timers(enum sampling_timer timer, uint32_t period)
{
    plug("p3", NULL);
    memset(&d, 0, sizeof d);
    d.cmos[0x0a] = A_FOUND;
    d.cmos[0x0b] = B_FOUND;
    m.in = port_in;
    m.out = port_out;
    *apic_at(LVT_LINT0) = *apic_at(LVT_TIMER) = LVT_MASKED;
    pic_mask_all();
    tsc_hz = PER_CLOCK * (uint64_t)(timer == TIMER_RTC ? RTC_HZ : PIT_HZ);
    ask(SAMPLE_BY_TIMER, NULL, period);
    opt.timer = timer;
    opt.jitter_given = true; /* 0: what is tested here is when interrupts come */
}

static void run_timed(const char *refusal)
{
    run_payload(payload);
    if (refusal) {
        assert_int_equal(out.run.status, RUN_PMU);
        if (!strstr(out.run.bench.error, refusal))
            fail_msg("\"%s\" is not in: %s", refusal, out.run.bench.error);
    } else if (out.run.status != RUN_OK)
        fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(d.pic[i].mask, 0xff);
        assert_int_equal(d.pic[i].init + d.pic[i].serves, 0);
    }
    assert_true(*apic_at(LVT_LINT0) & LVT_MASKED);
    assert_true(*apic_at(LVT_TIMER) & LVT_MASKED);
    assert_int_equal(d.pit, 0);
    assert_int_equal(d.cmos[0x0a], A_FOUND);
    assert_int_equal(d.cmos[0x0b], B_FOUND);
    assert_int_equal(d.nmis_off + d.post, 0);
    assert_false(d.b_seen_wrong);
    assert_int_equal(trap_strays, 0);
    if (!d.counts) assert_int_equal(m.eois, 0); /* the local APIC has no part in these */
}

/* ---- tests ---- */

static void check_counts(uint32_t period)
{
    assert_int_equal(out.period, period);
    assert_true(out.occurred >= CLOCKS && out.occurred <= CLOCKS + 10);
    /* The first one comes anywhere within a period. */
    assert_true(out.samples.n >= CLOCKS / period && out.samples.n <= CLOCKS / period + 1);
    assert_int_equal(out.samples.n + out.samples.lost, d.interrupts);
    for (unsigned i = 1; i < out.samples.n; i++)
        assert_int_equal(out.samples.at[i].reg[0] - out.samples.at[i - 1].reg[0], period * PER_CLOCK);
}

TEST(test_rtc)
{
    for (unsigned apic = 0; apic < 2; apic++)
        for (unsigned period = RTC_TICKS_MIN; period <= RTC_TICKS_MAX; period *= 2) {
            plug_timers(TIMER_RTC, period);
            if (!apic) m.apic.mode = APIC_DISABLED;
            run_timed(NULL);
            assert_string_equal(out.unit, "rtc-clocks");
            check_counts(period);
        }
}

TEST(test_pit)
{
    for (unsigned apic = 0; apic < 2; apic++) {
        plug_timers(TIMER_PIT, 100);
        if (!apic) m.apic.mode = APIC_ABSENT;
        run_timed(NULL);
        assert_string_equal(out.unit, "pit-clocks");
        check_counts(100);
    }
    opt.period = 65536;
    run_timed("takes 2 to 65535 pit-clocks");
}

/* The nearest that it has, within the tries that there are; also where nothing says how fast the TSC is. */
TEST(test_rtc_auto)
{
    static const unsigned wanted[] = {1, 2, 3, 10, 77, 100, 500, 1000, 2500, 5000, 6250};
    for (unsigned known = 0; known < 2; known++)
        for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            plug_timers(TIMER_RTC, 0);
            if (!known) tsc_hz = 0;
            opt.samples = wanted[i];
            run_timed(NULL);
            assert_int_equal(out.period & (out.period - 1), 0);
            assert_true(out.period >= RTC_TICKS_MIN && out.period <= RTC_TICKS_MAX);
            assert_true(out.tries <= (known ? 1 : SAMPLING_TRIES));
            assert_true(out.samples.n >= wanted[i] / 2 && out.samples.n <= 2 * wanted[i]);
            assert_int_equal(out.samples.lost, 0);
        }
}

/* Out of reach: the shortest and the longest that it has, and no more tries than tell. */
TEST(test_rtc_auto_ends)
{
    plug_timers(TIMER_RTC, 0);
    opt.samples = 13000;
    run_timed(NULL);
    assert_int_equal(out.period, RTC_TICKS_MIN);
    assert_int_equal(out.tries, 1);
    plug_timers(TIMER_RTC, 0);
    tsc_hz *= 1000; /* a payload of 25 clocks */
    opt.samples = 1000;
    run_timed(NULL);
    assert_int_equal(out.period, RTC_TICKS_MIN);
}

/* More than is wanted by far: silenced in the handler, told, and as before in the end. */
TEST(test_rtc_storm)
{
    plug_timers(TIMER_RTC, RTC_TICKS_MIN);
    opt.samples = 10;
    run_timed(NULL);
    assert_true(out.storm);
    assert_int_equal(d.interrupts, 10 + 10 * SAMPLER_STORM + SAMPLER_MORE);
}

TEST(test_choice)
{
    plug_timers(TIMER_AUTO, 1000);
    m.apic.mode = APIC_ABSENT;
    run_timed(NULL);
    assert_string_equal(out.unit, "pit-clocks");
    check_counts(1000);
    plug_timers(TIMER_AUTO, 1u << 30);
    *apic_at(TIMER_NOW) = UINT32_MAX - 1000;
    run_timed(NULL);
    assert_string_equal(out.unit, "apic-clocks");
    assert_int_equal(out.occurred, 1000);
    for (enum apic_mode mode = APIC_ABSENT; mode <= APIC_DISABLED; mode++) {
        plug_timers(TIMER_APIC, 0);
        m.apic.mode = mode;
        run_timed("no local APIC works here; use timer=pit or timer=rtc");
    }
}

TEST(test_silent)
{
    plug_timers(TIMER_RTC, 0);
    d.absent = true;
    run_timed("no RTC answers here; use timer=apic or timer=pit");
    for (unsigned given = 0; given < 2; given++) {
        plug_timers(TIMER_RTC, given ? 64 : 0);
        d.mute = true; /* an HPET has taken its place */
        run_timed("the timer does not interrupt");
        plug_timers(TIMER_PIT, given ? 64 : 0);
        m.out = NULL;
        m.in = NULL;
        run_payload(payload);
        assert_int_equal(out.run.status, RUN_PMU);
        plug_timers(TIMER_APIC, given ? 64 : 0);
        *apic_at(TIMER_NOW) = UINT32_MAX - 1000 * N;
        run_timed("the timer does not interrupt");
    }
    /* None is due yet: that says nothing of the timer. */
    plug_timers(TIMER_RTC, RTC_TICKS_MAX);
    d.mute = true;
    run_timed(NULL);
    assert_int_equal(out.samples.n, 0);
}

/* An emulator's host was too busy: the payload was over before the timer had its turn. That is no timer that
 * does not interrupt, whether the first one comes at once or later, and the pass is made again. */
TEST(test_starved)
{
    for (unsigned lets_in = 1; lets_in <= 3; lets_in++) {
        plug_timers(TIMER_PIT, 1000);
        d.lets_in = lets_in;
        d.starved = SAMPLING_TRIES - 1;
        run_timed(NULL);
        check_counts(1000);
        assert_int_equal(d.starved + out.outside, 0);
        plug_timers(TIMER_PIT, 1000);
        d.lets_in = lets_in;
        d.starved = 1000;
        run_timed("interrupts only after the payload has ended");
        assert_int_equal(out.samples.n, 0);
    }
}

/* IRQs that nobody asked for: what is in service has its EOI, at both of the second one's; a spurious IRQ 7
 * is not, of a spurious IRQ 15 the first one's IRQ 2 is. */
TEST(test_stray_irqs)
{
    for (unsigned irq = 0; irq < 16; irq++)
        for (unsigned spurious = 0; spurious <= (irq % 8 == 7 ? 1 : 0); spurious++) {
            plug_timers(TIMER_PIT, 100);
            struct pic *p = &d.pic[irq / 8];
            if (!spurious) p->serves = (uint8_t)(1 << irq % 8);
            if (irq >= 8) d.pic[0].serves = 1 << 2;
            if (irq == 7 && spurious) p->serves = 1 << 0; /* another's, which keeps it */
            pic_acknowledge(irq);
            assert_int_equal(d.pic[0].serves, irq == 7 && spurious);
            assert_int_equal(d.pic[1].serves, 0);
        }
}

/* An NMI while a timer samples is no sample of it. */
TEST(test_stray_nmi)
{
    plug_timers(TIMER_PIT, 1000);
    d.nmi_at = N / 2;
    run_payload(payload);
    assert_int_equal(out.run.status, RUN_OK);
    check_counts(1000);
    assert_int_equal(trap_strays, 1);
}

/* Each period is drawn, from all that there are, and their average is the period, however late the handler
 * comes. With a period that is a multiple of the loop's length both of its addresses are found. */
TEST(test_jitter)
{
    static const struct {
        enum sampling_timer timer;
        bool at_once;
        uint32_t late;
    } how[] = {{TIMER_PIT, false, 0}, {TIMER_PIT, true, 0}, {TIMER_APIC, false, 0}, {TIMER_APIC, false, 5}};
    for (unsigned h = 0; h < 2 * sizeof how / sizeof *how; h++) {
        const bool given = h & 1;
        const uint32_t jitter = given ? 7 : 5;
        unsigned seen[15] = {0}, first = 0, got = 0;
        plug_timers(how[h / 2].timer, 20);
        d.at_once = how[h / 2].at_once;
        d.counts = how[h / 2].timer == TIMER_APIC;
        d.late = how[h / 2].late;
        opt.jitter_given = given;
        opt.jitter = given ? jitter : 0;
        run_timed(NULL);
        assert_int_equal(out.jitter, jitter);
        /* Of 1250 periods the sum scatters by sqrt(1250 * (15 * 15 - 1) / 12), which is 7.6 periods. */
        if (fabs(out.samples.n - CLOCKS / 20.0) >= 4 * 7.6) fail_msg("%u: %u samples", h, out.samples.n);
        for (unsigned i = 0; i < out.samples.n; i++) {
            const struct sample *at = out.samples.at;
            first += at[i].ip == 0x1000;
            if (!i) continue;
            const uint64_t gap = (at[i].reg[0] - at[i - 1].reg[0]) / PER_CLOCK;
            assert_true(gap >= 20 - jitter && gap <= 20 + jitter);
            seen[gap - (20 - jitter)]++;
        }
        for (unsigned i = 0; i < 2 * jitter + 1; i++) got += seen[i] > 1250 / 15 / 2;
        assert_int_equal(got, 2 * jitter + 1);
        assert_true(fabs(first - out.samples.n / 2.0) < 4 * 17.7); /* sqrt(1250) / 2 */
    }
}

/* What cannot be drawn is refused, or not found. */
TEST(test_jitter_limits)
{
    plug_timers(TIMER_PIT, 65535);
    opt.jitter = 1;
    run_timed("period= plus jitter= may be 65535 pit-clocks here at most");
    plug_timers(TIMER_PIT, 0);
    opt.jitter_given = false;
    opt.samples = 1;
    tsc_hz /= 100; /* 2,500,000 clocks */
    run_payload(payload);
    assert_int_equal(out.period, 52428); /* and a quarter is 65535 */
    assert_int_equal(out.jitter, 13107);
    plug_timers(TIMER_RTC, RTC_TICKS_MIN);
    opt.jitter_given = false;
    run_timed(NULL);
    assert_int_equal(out.jitter, 0);
    check_counts(RTC_TICKS_MIN);
}
