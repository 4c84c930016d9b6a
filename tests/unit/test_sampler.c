/* The sampler and its handler alone: what is kept, late, lost or another's, and silence afterwards. */
#include "measure/sampler.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include <string.h>

#define ROOM      8
#define LVT_TIMER 0x320
#define LVT_LINT0 0x350
#define COUNT     0x380 /* the timer's initial count */
#define LEFT      0x390

static struct sampler s;
static struct sample buffer[ROOM + 1];
static struct samples samples = {.at = buffer, .cap = ROOM};

/* ---- a driver ---- */

static uint32_t which; /* has overflowed */
static unsigned stops;
static uint32_t overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    (void)pmu, (void)pmi;
    return which;
}
static void switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    (void)pmu, (void)out;
    if (!on) stops++;
}
static unsigned pebs_stops;
static void pebs_stop(struct pmu *pmu) { (void)pmu, pebs_stops++; }
static unsigned pebs_agains; /* when the index was back at the base */
static void pebs_again(struct pmu *pmu, bool full);
static const struct pmu_ops ops = {
    .overflowed = overflowed, .switching = switching, .pebs_stop = pebs_stop, .pebs_again = pebs_again};
static struct pmu pmu = {.ops = &ops};

/* The same with one counter that pmu/sole.h knows: the model's PERFCTR1, by its sign. */
#define COUNTER 1
#define CTR1    0xc2
static bool sole(const struct pmu *pmu, struct pmu_sole *out)
{
    (void)pmu;
    *out = (struct pmu_sole){.way = SOLE_SIGN, .counter = COUNTER, .msr = CTR1};
    return true;
}
static const struct pmu_ops sole_ops = {.overflowed = overflowed,
                                        .sole = sole,
                                        .switching = switching,
                                        .pebs_stop = pebs_stop,
                                        .pebs_again = pebs_again};
static struct pmu sole_pmu = {.ops = &sole_ops, .period = {[COUNTER] = 1000}};

static void set_counter(int32_t value) { hw_wrmsr(CTR1, (uint32_t)value); }
static int32_t counter(void) { return (int32_t)hw_rdmsr(CTR1); }

static void begin(void)
{
    plug("p3", NULL);
    memset(buffer, 0, sizeof buffer);
    stops = 0;
    which = 1;
    samples.n = 5, samples.lost = 5, samples.more = true; /* an earlier run's */
    sampler_begin(&s, &samples, &m.apic);
    assert_true(samples.n == 0 && samples.lost == 0 && !samples.more);
    assert_true(interrupts_go_to == sampler_interrupt);
}

static void off(void)
{
    sampler_off(&s);
    assert_null(interrupts_go_to);
    assert_true(s.stopped && s.next >= s.end);
    sampler_off(&s); /* once is enough */
}

static bool pending; /* while they are disabled */
void host_interrupts(bool on)
{
    if (on && pending) interrupt(VECTOR_SAMPLE, 0x333, 3);
    pending &= !on;
}

static unsigned kept(void) { return (unsigned)(s.next - buffer); }

/* ---- tests ---- */

/* The lowest counter of several; no sample before it is open, nor after it is closed. */
TEST(keeps)
{
    begin();
    sampler_counters(&s, &pmu, SAMPLER_FIXED);
    assert_int_equal(*apic_at(LVT_PC), VECTOR_SAMPLE);
    interrupt(VECTOR_SAMPLE, 0x111, 1);
    assert_true(kept() == 0 && s.late == 1);
    s.due = 3;
    sampler_open(&s);
    assert_int_equal(s.due, 0); /* those have come, or never will */
    which = 0x18;
    interrupt(VECTOR_SAMPLE, 0x222, 2);
    assert_int_equal(kept(), 1);
    assert_true(buffer[0].counter == 3 && buffer[0].ip == 0x222 && buffer[0].flags == 0x202);
    assert_int_equal(buffer[0].valid, SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC | SAMPLE_COUNTER);
    for (unsigned r = 0; r < 16; r++) assert_int_equal(buffer[0].reg[r], r == 4 ? 0x7002 : 100 * r + 2);
    pending = true;
    sampler_close(&s);
    assert_true(!pending && kept() == 1 && s.late == 2 && s.lost == 0);
    assert_int_equal(m.eois, 3);
    pending = true;
    off();
    assert_false(pending);
    assert_int_equal(m.eois, 4);
    assert_int_equal(s.late, 2); /* after the end it is nobody's */
    assert_int_equal(stops, 1);
    assert_true(*apic_at(LVT_PC) & LVT_MASKED);
    assert_int_equal(trap_strays, 0);
}

/* The short way keeps the same, and has the counter's number without asking. */
TEST(keeps_sole)
{
    begin();
    sampler_counters(&s, &sole_pmu, SAMPLER_FIXED);
    set_counter(3);
    interrupt(VECTOR_SAMPLE, 0x111, 1);
    assert_true(kept() == 0 && s.late == 1 && counter() == -1000);
    sampler_open(&s);
    for (unsigned i = 0; i < 2; i++) {
        which = 0; /* overflowed() is not asked */
        set_counter(3);
        *apic_at(LVT_PC) |= LVT_MASKED;
        interrupt(VECTOR_SAMPLE, 0x222 + i, 2 + i);
        assert_int_equal(*apic_at(LVT_PC), VECTOR_SAMPLE);
        assert_true(kept() == i + 1 && counter() == -1000);
        const struct sample *of = &buffer[i];
        assert_true(of->counter == COUNTER && of->cpu == 0 && of->ip == 0x222 + i && of->flags == 0x202);
        assert_int_equal(of->valid, SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC | SAMPLE_COUNTER);
        for (unsigned r = 0; r < 16; r++) assert_int_equal(of->reg[r], r == 4 ? 0x7002 + i : 100 * r + 2 + i);
    }
    assert_true(buffer[1].tsc > buffer[0].tsc);
    which = 1 << 5; /* it has not, but overflowed() finds another */
    interrupt(VECTOR_SAMPLE, 0x224, 4);
    assert_true(kept() == 3 && buffer[2].counter == 5 && counter() == -1000);
    while (kept() < ROOM) set_counter(0), interrupt(VECTOR_SAMPLE, 0x225, 5);
    set_counter(0);
    interrupt(VECTOR_SAMPLE, 0x226, 6);
    assert_true(kept() == ROOM && s.lost == 1 && counter() == -1000 && buffer[ROOM].valid == 0);
    assert_int_equal(m.eois, 1 + ROOM + 1);
    sampler_close(&s);
    off();
}

/* With x2APIC the entry and the EOI are MSRs: on either way, and no EOI with an NMI. */
TEST(x2apic)
{
    for (unsigned i = 0; i < 4; i++) {
        const bool nmi = i & 1;
        struct pmu *const of = i & 2 ? &sole_pmu : &pmu;
        begin();
        m.apic.mode = APIC_X2APIC;
        sampler_counters(&s, of, nmi ? SAMPLER_NMI : SAMPLER_FIXED);
        assert_true(s.pmi.x2apic);
        sampler_open(&s);
        set_counter(3);
        *apic_at(LVT_PC) = 1;
        interrupt(nmi ? VECTOR_NMI : VECTOR_SAMPLE, 0x222, 2);
        assert_int_equal(kept(), 1);
        assert_int_equal(*apic_at(LVT_PC), 1); /* nothing in memory */
        assert_int_equal(m.eois, 0);
        off();
    }
}

/* More than there is room for are counted, and at the limit it silences its counter. */
TEST(storm)
{
    const unsigned limit = 4 * ROOM + 1000;
    begin();
    sampler_counters(&s, &pmu, SAMPLER_FIXED);
    sampler_open(&s);
    for (unsigned i = 1; i < ROOM + limit; i++) interrupt(VECTOR_SAMPLE, 0x1000, i);
    assert_true(kept() == ROOM && s.lost == limit - 1 && !s.stopped && stops == 0);
    assert_int_equal(*apic_at(LVT_PC), VECTOR_SAMPLE);
    interrupt(VECTOR_SAMPLE, 0x1000, 0);
    assert_true(s.stopped && s.lost == limit && stops == 1);
    assert_int_equal(*apic_at(LVT_PC), LVT_MASKED | VECTOR_SAMPLE);
    interrupt(VECTOR_SAMPLE, 0x1000, 0);
    assert_true(s.lost == limit && s.late == 0 && stops == 1);
    assert_int_equal(buffer[ROOM].valid, 0);
    off();
}

/* Whose interrupt it was, where no counter has overflowed. */
TEST(others)
{
    static const struct {
        enum sampler_delivery delivery;
        uint32_t vector, due;
        unsigned strays;
    } cases[] = {
        {SAMPLER_FIXED, VECTOR_SAMPLE, 0, 0},                                    /* may be a late one */
        {SAMPLER_FIXED, VECTOR_NMI, 0, 1},    {SAMPLER_FIXED, VECTOR_NMI, 1, 1}, /* what is due is no NMI */
        {SAMPLER_NMI, VECTOR_NMI, 0, 1},      {SAMPLER_NMI, VECTOR_NMI, 1, 0},
        {SAMPLER_NMI, VECTOR_SAMPLE, 1, 1},   {SAMPLER_PIN, VECTOR_NMI, 2, 0},
        {SAMPLER_PIN, VECTOR_NMI, 0, 1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned short_way = 0; short_way < 2; short_way++) {
            begin();
            sampler_counters(&s, short_way ? &sole_pmu : &pmu, cases[i].delivery);
            set_counter(-1);
            assert_int_equal(*apic_at(LVT_PC), cases[i].delivery == SAMPLER_FIXED ? VECTOR_SAMPLE
                                               : cases[i].delivery == SAMPLER_NMI ? LVT_NMI
                                                                                  : LVT_MASKED);
            assert_int_equal(*apic_at(LVT_LINT1), cases[i].delivery == SAMPLER_PIN ? LVT_NMI : LVT_MASKED);
            sampler_open(&s);
            which = 0;
            s.due = cases[i].due;
            interrupt(cases[i].vector, 0x1000, 0);
            assert_int_equal(trap_strays, cases[i].strays);
            assert_int_equal(s.due, cases[i].due && !cases[i].strays ? cases[i].due - 1 : cases[i].due);
            assert_int_equal(m.eois, cases[i].delivery == SAMPLER_FIXED);
            assert_int_equal(kept(), 0);
            off();
            assert_true(*apic_at(LVT_PC) & *apic_at(LVT_LINT1) & LVT_MASKED);
        }
}

/* Periods from the least on, by Knuth's generator: r * 1664525 + 1013904223, modulo 2^32. */
TEST(jitter)
{
    static unsigned seen[11];
    uint32_t r = 1;
    for (unsigned short_way = 0; short_way < 2; short_way++) {
        uint32_t period = 0;
        begin();
        s.period = &period;
        s.least = 95;
        s.range = 11;
        r = s.random = 1;
        sampler_counters(&s, short_way ? &sole_pmu : &pmu, SAMPLER_FIXED);
        for (unsigned i = 0; i < 1000; i++) {
            set_counter(0);
            interrupt(VECTOR_SAMPLE, 0x1000, 0);
            r = r * 1664525u + 1013904223u;
            assert_int_equal(period, 95 + (uint64_t)r * 11 / 0x100000000);
            if (short_way) assert_int_equal(counter(), -(int32_t)period);
            seen[period - 95]++;
        }
        off();
    }
    for (unsigned i = 0; i < 11; i++) assert_true(seen[i] > 2 * 1000 / 11 / 2);
}

/* ---- PEBS: the DS area in 64-bit layout (SDM vol. 3B 17.4.9) ---- */

static _Alignas(8) uint8_t area[4096];
static struct pebs pebs;

static uint64_t field(unsigned at)
{
    uint64_t x;
    memcpy(&x, area + at, sizeof x);
    return x;
}

static bool was_full;
static void pebs_again(struct pmu *pmu, bool full)
{
    (void)pmu;
    was_full = full;
    assert_int_equal(field(0x28), field(0x20));
    pebs_agains++;
}

/* An interrupt after so many records of 144 bytes. Its delivery masks the entry. */
static void records(unsigned n)
{
    const uint64_t index = field(0x28) + 144 * n;
    memcpy(area + 0x28, &index, sizeof index);
    *apic_at(LVT_PC) |= LVT_MASKED;
    interrupt(VECTOR_SAMPLE, 0x1000, 0);
}

TEST(precise)
{
    const unsigned limit = 4 * ROOM + 1000;
    uint32_t period = 0;
    begin();
    pebs_plain(&pebs, 0, true);
    pebs_init(&pebs, area, 4, 2);
    pebs_stops = pebs_agains = 0;
    sampler_pebs(&s, &pebs);
    sampler_counters(&s, &pmu, SAMPLER_FIXED);
    records(1);
    assert_true(samples.n == 0 && s.drains == 0 && s.late == 0 && m.eois == 1); /* closed: they stay */
    assert_int_equal(pebs_agains, 0);
    which = 0;
    sampler_open(&s);
    records(2);
    assert_true(samples.n == 3 && s.drains == 1 && s.next == buffer);
    assert_int_equal(pebs_agains, 1);
    assert_false(was_full);
    assert_int_equal(*apic_at(LVT_PC), VECTOR_SAMPLE);
    records(0);
    assert_true(samples.n == 3 && s.drains == 1 && trap_strays == 0 && m.eois == 3);
    s.period = &period;
    s.least = 1000;
    s.range = 1;
    records(1);
    assert_int_equal(field(0x40), 0x10000000000 - 999); /* 40 bits of -(N - 1) */
    records(4 + PEBS_SLACK); /* to its end: this interrupt's matter, and the samples' for good */
    assert_true(was_full && samples.more);
    records(1);
    assert_true(!was_full && samples.more);
    for (uint64_t i = samples.n + samples.lost; i < ROOM + limit; i++) records(1);
    assert_true(samples.n == ROOM && samples.lost == limit && !s.stopped);
    pebs_agains = 0;
    records(1);
    assert_true(s.stopped && stops == 1 && pebs_agains == 0);
    stops = 0;
    off();
    assert_true(stops == 1 && pebs_stops == 1 && !s.pebs);
    /* As NMIs: one with records, or for an overflow that has armed PEBS, is no stranger's. */
    for (unsigned i = 0; i < 4; i++) {
        begin();
        pebs_init(&pebs, area, 4, 2);
        sampler_pebs(&s, &pebs);
        sampler_counters(&s, &pmu, SAMPLER_NMI);
        sampler_open(&s);
        which = i & 1;
        const uint64_t index = field(0x28) + 144 * (i >> 1);
        memcpy(area + 0x28, &index, sizeof index);
        interrupt(VECTOR_NMI, 0x1000, 0);
        assert_int_equal(samples.n, i >> 1);
        assert_int_equal(trap_strays, i == 0);
        off();
    }
}

/* An INT n of the code is neither a late interrupt nor an NMI that is due. */
TEST(software)
{
    static const enum sampler_delivery deliveries[] = {SAMPLER_FIXED, SAMPLER_NMI};
    for (unsigned i = 0; i < 2; i++) {
        begin();
        sampler_counters(&s, &pmu, deliveries[i]);
        set_counter(-1);
        sampler_open(&s);
        which = 0;
        s.due = 1;
        trap_refuses = true;
        interrupt(i ? VECTOR_NMI : VECTOR_SAMPLE, 0x1000, 0);
        trap_refuses = false;
        assert_true(trap_strays == 0 && s.due == 1);
        assert_int_equal(kept(), 0);
        off();
    }
}

/* ---- timers ---- */

TEST(apic_timers)
{
    begin();
    assert_true(sampler_timer(&s, TIMER_APIC, 12345));
    assert_int_equal(*apic_at(LVT_TIMER), 1 << 17 | VECTOR_SAMPLE); /* SDM vol. 3A figure 10-8: periodic */
    assert_int_equal(*apic_at(COUNT), 12345);
    sampler_open(&s);
    interrupt(VECTOR_SAMPLE, 0x1000, 0);
    assert_true(kept() == 1 && m.eois == 1);
    assert_int_equal(buffer[0].valid, SAMPLE_IP | SAMPLE_REGS | SAMPLE_TSC);
    interrupt(VECTOR_NMI, 0x1000, 0);
    assert_true(kept() == 1 && trap_strays == 1);
    while (!s.stopped) interrupt(VECTOR_SAMPLE, 0x1000, 0);
    assert_int_equal(s.lost, 4 * ROOM + 1000);
    assert_true(*apic_at(LVT_TIMER) & LVT_MASKED && *apic_at(COUNT) == 0);
    *apic_at(LVT_TIMER) = *apic_at(COUNT) = 7;
    off();
    assert_true(*apic_at(LVT_TIMER) & LVT_MASKED && *apic_at(COUNT) == 0);
}

/* Drawn as those of counters are. What has passed since the timer began again belongs to the period, unless
 * too little would be left. Stopped, it stays so. */
TEST(apic_jitter)
{
    uint32_t r = 1, count = 100;
    begin();
    s.least = 75;
    s.range = 51;
    s.random = r;
    assert_true(sampler_timer(&s, TIMER_APIC, count));
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t late = i % 64;
        *apic_at(LEFT) = count - late;
        interrupt(VECTOR_SAMPLE, 0x1000, 0);
        r = r * 1664525u + 1013904223u;
        const uint32_t period = 75 + (uint32_t)((uint64_t)r * 51 >> 32);
        count = late < period / 2 ? period - late : period;
        assert_int_equal(*apic_at(COUNT), count);
        assert_int_equal(m.eois, i + 1);
    }
    sampler_open(&s);
    while (!s.stopped) interrupt(VECTOR_SAMPLE, 0x1000, 0);
    interrupt(VECTOR_SAMPLE, 0x1000, 0);
    assert_int_equal(*apic_at(COUNT), 0);
    off();
}

/* The 8254 through the 8259, which LINT0 lets through as ExtINT (111b) for as long. */
TEST(pit)
{
    begin();
    *apic_at(LVT_LINT0) = LVT_MASKED;
    assert_true(sampler_timer(&s, TIMER_PIT, 0x1234));
    assert_int_equal(*apic_at(LVT_LINT0) & (LVT_MASKED | 0x700), 0x700);
    assert_int_equal(m.ports[0x40], 0x12); /* the high byte last */
    assert_int_equal(m.ports[0x21] & 1, 0);
    sampler_open(&s);
    m.ports[0x20] = 0;
    interrupt(VECTOR_PIC, 0x1000, 0);
    assert_int_equal(kept(), 1);
    assert_int_equal(m.ports[0x20], 0x20); /* the 8259's end of interrupt, unspecific, */
    assert_int_equal(m.eois, 0);           /* not the APIC's */
    while (!s.stopped) interrupt(VECTOR_PIC, 0x1000, 0);
    assert_int_equal(m.ports[0x21], 0xff);
    off();
    assert_true(*apic_at(LVT_LINT0) & LVT_MASKED);
}

TEST(never_begun)
{
    begin();
    off();
    memset(&s, 0, sizeof s);
    interrupts_go_to = sampler_interrupt;
    sampler_off(&s);
    assert_true(interrupts_go_to == sampler_interrupt); /* nobody's but its own */
    interrupts_go_to = NULL;
}
