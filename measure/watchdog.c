#include "measure/watchdog.h"
#include "kernel/hw.h"
#include "kernel/pic.h"

#define LONGEST  65535u /* clocks of the 8254 */
#define TRY      1200u  /* likewise: a millisecond */
#define TRY_WAIT 50     /* the trial waits for 1/50 s */

static struct watchdog {
    const struct apic *apic;
    enum watchdog_by by, paused; /* paused: goes on as this one */
    uint64_t limit, half;        /* ticks of the TSC: of a call; after which the 8254 is wound up */
    volatile uint64_t wound;     /* when it was */
    volatile uint64_t called;    /* when the call began; 0: none has */
    volatile bool winding;       /* its registers are being written */
    volatile uint32_t came;      /* interrupts so far */
} w;

static volatile uint32_t disturbed;
uint32_t watchdog_interrupts(void) { return disturbed; }

static void wind_up(unsigned ticks)
{
    w.winding = true;
    pit_shot(ticks);
    pic_unmask(1 << 0);
    w.wound = hw_rdtsc();
    w.winding = false;
}

/* The CPU does not acknowledge an NMI to the 8259, which still requests. */
static bool is_ours(const struct trap_frame *f)
{
    if (f->vector == VECTOR_PIC) {
        pic_eoi();
        return true;
    }
    return f->vector == VECTOR_NMI && w.by == WATCHDOG_NMI && pic_poll_timer();
}

static INTERRUPT_FN void interrupt(void *to, const struct trap_frame *f)
{
    (void)to;
    if (!is_ours(f)) {
        trap_stray(f);
        return;
    }
    w.came++;
    if (w.winding || !w.called) return;
    if (hw_rdtsc() - w.called >= w.limit) {
        w.called = 0;
        trap_end((struct trap_frame *)f);
        return;
    }
    wind_up(LONGEST);
    trap_disturbed();
    disturbed++;
}

static void on(const struct apic *apic, enum watchdog_by by)
{
    w.apic = apic;
    w.by = by;
    w.called = w.came = 0;
    trap_interrupts(interrupt, NULL);
    if (by == WATCHDOG_NMI)
        apic_pic_nmi(apic);
    else
        apic_extint(apic, true);
}

static void off(void)
{
    w.called = 0;
    apic_extint(w.apic, false); /* first: the output rises when the 8254 is stopped, and the mask is opened */
    pit_interrupts(0);
    w.by = WATCHDOG_NONE;
    hw_interrupts_on(); /* what is pending comes now */
    hw_rdtsc();         /* STI takes effect after the next instruction */
    hw_interrupts_off();
    trap_interrupts(NULL, NULL);
}

static bool arrives(const struct cpu *cpu, enum watchdog_by by)
{
    const uint64_t from = hw_rdtsc(), wait = cpu->machine->clock.tsc_hz / TRY_WAIT;
    on(&cpu->apic, by);
    wind_up(TRY);
    while (!w.came && hw_rdtsc() - from < wait)
        if (by == WATCHDOG_INTERRUPT) {
            hw_interrupts_on();
            hw_rdtsc();
            hw_interrupts_off();
        }
    const bool came = w.came != 0;
    off();
    return came;
}

enum watchdog_by watchdog_find(const struct cpu *cpu, unsigned ring)
{
    static const struct cpu *tried;
    static enum watchdog_by best;
    if (!cpu->machine->clock.tsc_hz) return WATCHDOG_NONE;
    if (tried != cpu) {
        tried = cpu;
        best = cpu->apic.mode >= APIC_XAPIC && arrives(cpu, WATCHDOG_NMI) ? WATCHDOG_NMI
               : arrives(cpu, WATCHDOG_INTERRUPT)                         ? WATCHDOG_INTERRUPT
                                                                          : WATCHDOG_NONE;
    }
    return best == WATCHDOG_INTERRUPT && ring == 0 ? WATCHDOG_NONE : best;
}

void watchdog_begin(const struct cpu *cpu, enum watchdog_by by, unsigned limit)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz;
    w.limit = limit * hz;
    w.half = hz / PIT_HZ * (LONGEST / 2);
    on(&cpu->apic, by);
    wind_up(LONGEST);
}

void watchdog_call(void)
{
    if (w.by == WATCHDOG_NONE) return;
    const uint64_t now = hw_rdtsc();
    if (now - w.wound > w.half) wind_up(LONGEST);
    w.called = now;
}

void watchdog_pause(void)
{
    w.paused = w.by;
    if (w.by != WATCHDOG_NONE) off();
}

void watchdog_resume(void)
{
    if (w.paused == WATCHDOG_NONE) return;
    on(w.apic, w.paused);
    wind_up(LONGEST);
    w.paused = WATCHDOG_NONE;
}

void watchdog_end(void)
{
    if (w.by != WATCHDOG_NONE) off();
    w.paused = WATCHDOG_NONE;
}
