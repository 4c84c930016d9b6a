#include "measure/watchdog.h"
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include "measure/watchdog_kind.h"

#define TRY_WAIT 50   /* the trial waits for 1/50 s */
#define LEAST    1000 /* what is left of a limit is 1/1000 s at least */

/* The boot processor needs no device: it sends an NMI (measure/elsewhere.c). */
static bool watched_from_elsewhere(const struct cpu *cpu) { return cpu->index != 0; }
static void no_shot(void) {}
static uint64_t never(uint64_t ticks) { return ticks > UINT64_MAX ? ticks : UINT64_MAX; }
static bool not_here(const struct trap_frame *f) { return f == NULL; }
static const struct watchdog_device watchdog_processor = {.in_halt = true,
                                                          .begin = watched_from_elsewhere,
                                                          .shot = no_shot,
                                                          .wind = never,
                                                          .came = not_here,
                                                          .end = no_shot};

static const struct watchdog_device *const device[WATCHDOG_KINDS] = {
    [WATCHDOG_PROCESSOR] = &watchdog_processor,
    [WATCHDOG_COUNTER] = &watchdog_counter,
    [WATCHDOG_RTC] = &watchdog_rtc,
    [WATCHDOG_PIT_NMI] = &watchdog_pit_nmi,
    [WATCHDOG_PIT_INTERRUPT] = &watchdog_pit_interrupt,
};

/* Read before each call of what is the user's own. */
REPEATED_DATA static struct watchdog {
    const struct cpu *cpu;
    volatile unsigned on; /* kinds */
    unsigned paused;      /* those that go on afterwards */
    uint64_t limit, least;
    volatile uint64_t wound[WATCHDOG_KINDS], half[WATCHDOG_KINDS]; /* when, and how long it may stay so */
    volatile uint64_t called;                                      /* when the call began; 0: none has */
    volatile bool winding;                                         /* registers are being written */
    volatile uint32_t came;                                        /* interrupts so far */
} w;

static volatile uint32_t disturbed;
static volatile unsigned watched; /* the index of w.cpu, which may be a copy that is gone */
uint32_t watchdog_interrupts(void) { return disturbed; }

static bool is_on(unsigned kind) { return w.on >> kind & 1; }

static void wind(unsigned kind, uint64_t ticks)
{
    w.half[kind] = device[kind]->wind(ticks) / 2;
    w.wound[kind] = hw_rdtsc();
}

/* The kinds that have interrupted: more than one can have, since two NMIs may come as one. */
static unsigned who_came(const struct trap_frame *f)
{
    unsigned came = 0;
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++)
        if (is_on(k) && device[k]->came(f)) came |= 1u << k;
    return came;
}

static INTERRUPT_FN void interrupt(void *to, const struct trap_frame *f)
{
    (void)to;
    const unsigned came = who_came(f);
    if (!came) {
        trap_stray(f);
        return;
    }
    w.came++;
    if (w.winding || !w.called) return;
    const uint64_t since = hw_rdtsc() - w.called;
    if (since >= w.limit) {
        w.called = 0;
        trap_end((struct trap_frame *)f);
        return;
    }
    const uint64_t left = w.limit - since;
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++)
        if (came >> k & 1) wind(k, left > w.least ? left : w.least);
    trap_disturbed();
    disturbed++;
}

/* A kind is on before it begins, since it may interrupt at once. */
static void on(unsigned kinds)
{
    w.on = 0;
    w.called = w.came = 0;
    trap_interrupts(interrupt, NULL);
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++) {
        if (!(kinds >> k & 1)) continue;
        w.on |= 1u << k;
        if (!device[k]->begin(w.cpu)) w.on &= ~(1u << k);
    }
}

static void off(void)
{
    if (!w.on) return;
    w.called = 0;
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++)
        if (is_on(k)) device[k]->end();
    w.on = 0;
    hw_interrupts_pass();
    trap_interrupts(NULL, NULL);
}

static void wind_all(void)
{
    w.winding = true;
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++)
        if (is_on(k)) wind(k, w.limit);
    w.winding = false;
}

/* ---- which ones there are ---- */

static bool arrives(const struct cpu *cpu, unsigned kind)
{
    const uint64_t from = hw_rdtsc(), wait = cpu->machine->clock.tsc_hz / TRY_WAIT;
    w.cpu = cpu;
    on(1u << kind);
    if (!w.on) {
        trap_interrupts(NULL, NULL);
        return false;
    }
    device[kind]->shot();
    while (!w.came && hw_rdtsc() - from < wait)
        if (device[kind]->if_only) hw_interrupts_pass();
    const bool came = w.came != 0;
    watchdog_end();
    return came;
}

/* Until there is an NMI that ends HLT as well: nothing after that would be used. */
static unsigned try_all(const struct cpu *cpu)
{
    unsigned here = 0;
    for (unsigned k = WATCHDOG_COUNTER; k < WATCHDOG_KINDS; k++) {
        if (!arrives(cpu, k)) continue;
        here |= 1u << k;
        if (device[k]->in_halt) break;
    }
    return here;
}

/* As try_all(). HLT is a #GP at ring 3, which runs with IF=1. */
static unsigned choose(unsigned here, unsigned ring)
{
    unsigned kinds = 0;
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++) {
        if (!(here >> k & 1) || (device[k]->if_only && (ring == 0 || kinds))) continue;
        kinds |= 1u << k;
        if (device[k]->in_halt || ring == 3) break;
    }
    return kinds;
}

unsigned watchdog_find(const struct cpu *cpu, unsigned ring, bool counter)
{
    static const struct cpu *tried;
    static unsigned here;
    if (!cpu->machine->clock.tsc_hz) return 0;
    if (cpu->index) return 1u << WATCHDOG_PROCESSOR;
    if (tried != cpu) {
        tried = cpu;
        here = try_all(cpu);
    }
    return choose(counter ? here : here & ~(1u << WATCHDOG_COUNTER), ring);
}

bool watchdog_program(const struct cpu *cpu, const struct pmu_code *const *code)
{
    return watchdog_find(cpu, 3, true) >> WATCHDOG_COUNTER & 1 && watchdog_counter_program(cpu, code);
}

bool watchdog_programmed(void) { return watchdog_counter_programmed(); }

/* ---- calls ---- */

void watchdog_begin(const struct cpu *cpu, unsigned kinds, unsigned limit)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz;
    off();
    w.cpu = cpu;
    watched = cpu->index;
    w.limit = limit * hz;
    w.least = hz / LEAST;
    if (!kinds) return;
    on(kinds);
    wind_all();
}

REPEATED_BEHIND void watchdog_call(void)
{
    if (!w.on) return;
    const uint64_t now = hw_rdtsc();
    for (unsigned k = 0; k < WATCHDOG_KINDS; k++) {
        if (!is_on(k) || now - w.wound[k] <= w.half[k]) continue;
        w.winding = true;
        wind(k, w.limit);
        w.winding = false;
    }
    w.called = now;
}

/* The time stamp may be read in two halves; then it differs from the one before, and the time starts again. A
 * lost processor leaves its watch on, so a watch counts only for the processor that began it. */
bool watchdog_overdue(const struct cpu *cpu)
{
    static uint64_t seen, since;
    const bool its = w.on >> WATCHDOG_PROCESSOR & 1 && watched == cpu->index;
    const uint64_t called = its ? w.called : 0, now = hw_rdtsc();
    if (!called || called != seen) {
        seen = called;
        since = now;
        return false;
    }
    return now - since >= w.limit;
}

void watchdog_pause(void)
{
    w.paused = w.on;
    off();
}

void watchdog_resume(void)
{
    if (!w.paused) return;
    on(w.paused);
    wind_all();
    w.paused = 0;
}

void watchdog_end(void)
{
    off();
    watchdog_counter_stop();
    w.paused = 0;
}
