/* The real-time clock as a watchdog: see measure/watchdog_kind.h. */
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "measure/watchdog_kind.h"

static const struct apic *apic;
static uint64_t hz;
static volatile bool busy;  /* the RTC's port is in use: the handler must not touch it */
static volatile bool often; /* the trial's interrupts, one a millisecond */

/* Nobody acknowledges an NMI to the 8259s, whose requests stay: beginning anew clears them. */
static void renew_pic(void)
{
    pic_mask_all();
    pic_unmask(1 << IRQ_CASCADE | 1 << IRQ_RTC);
}

static bool begin(const struct cpu *cpu)
{
    busy = true; /* until set() */
    if (cpu->apic.mode < APIC_XAPIC || !rtc_alarm_begin()) return false;
    apic = &cpu->apic;
    hz = cpu->machine->clock.tsc_hz;
    renew_pic();
    apic_pic_nmi(apic);
    return true;
}

static void set(unsigned seconds)
{
    busy = true;
    often = seconds == 0;
    rtc_alarm(seconds);
    renew_pic();
    busy = false;
}

static void shot(void) { set(0); }

/* The second that runs is some part of one. */
static uint64_t wind(uint64_t ticks)
{
    const uint64_t whole = (ticks + hz - 1) / hz;
    const unsigned seconds = whole < RTC_ALARM_MAX ? (unsigned)whole + 1 : RTC_ALARM_MAX;
    set(seconds);
    return (seconds - 1) * hz;
}

/* What comes while it is wound up or put back is an earlier request, which is cleared there. QEMU sends an
 * NMI for each of the trial's ticks, so that there may be two for one request. In Bochs code with IF=1 gets
 * the interrupt itself, whatever LINT0's entry says. */
static bool came(const struct trap_frame *f)
{
    if (f->vector != VECTOR_NMI && f->vector != VECTOR_PIC + IRQ_RTC) return false;
    if (busy) return true;
    if (!rtc_alarm_came() && !often) return false;
    renew_pic();
    return true;
}

/* An NMI that was under way when LINT0 was masked may still come. */
static void end(void)
{
    busy = true;
    apic_extint(apic, false);
    rtc_alarm_end();
    pic_mask_all();
}

const struct watchdog_device watchdog_rtc = {
    .in_halt = true, .begin = begin, .shot = shot, .wind = wind, .came = came, .end = end};
