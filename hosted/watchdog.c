/* The watchdog's device in a Linux process: a timer of Linux', whose signal stands for the NMI. */
#include <asm/signal.h>
#include <linux/time.h>
#include <linux/time_types.h>
/* These first: newlib has signals of its own. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "measure/watchdog_kind.h"

#define SHOT_US  1000
#define AGAIN_US 10000 /* until it is wound up again */

static uint64_t hz;

/* ITIMER_REAL: the time of the wall, so that code which sleeps ends, too. Linux gives the signal to the
 * first thread of the process, which is the one that booted. After the first signal more come by themselves:
 * a handler makes no system call, for it may have a payload's GS. */
static void set(uint64_t us)
{
    const struct __kernel_old_itimerval t = {
        .it_interval = {.tv_usec = us ? AGAIN_US : 0},
        .it_value = {.tv_sec = (long)(us / 1000000), .tv_usec = (long)(us % 1000000)}};
    sys_call(__NR_setitimer, (long)ITIMER_REAL, &t, 0L);
}

static bool begin(const struct cpu *cpu)
{
    hz = cpu->machine->clock.tsc_hz;
    return true;
}

static void shot(void) { set(SHOT_US); }

static uint64_t wind(uint64_t ticks)
{
    if (!hosted_in_handler()) set((uint64_t)((double)ticks * 1e6 / (double)hz) + 1);
    return ticks;
}

static bool came(const struct trap_frame *f) { return f->vector == VECTOR_NMI; }
static void end(void) { set(0); }

const struct watchdog_device watchdog_rtc = {
    .in_halt = true, .begin = begin, .shot = shot, .wind = wind, .came = came, .end = end};

/* One is enough. */
static bool none(const struct cpu *cpu) { return (void)cpu, false; }
const struct watchdog_device watchdog_pit_nmi = {.begin = none}, watchdog_pit_interrupt = {.begin = none};
