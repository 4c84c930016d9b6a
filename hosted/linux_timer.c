/* A timer for sampling. Its signal arrives at the instruction that Linux' clock interrupted, so the address
 * of a sample is as exact as the interrupt's. It is periodic: the handler makes no system call, because GS
 * may be the payload's. */
#include "kernel/linux_timer.h"
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <linux/time.h>
#include <linux/time_types.h>
/* These first: newlib has signals of its own. */
#include "hosted/hosted.h"
#include "hosted/linux.h"

const bool linux_timer_exists = true;

/* One timer for each processor, because each is a thread. */
static struct timer {
    bool made;
    int id;
} timers[PROCESSORS_MAX];

static bool make(struct timer *t)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL | SIGEV_THREAD_ID, .sigev_signo = HOSTED_SAMPLE};
    event._sigev_un._tid = (int)sys_call(__NR_gettid);
    t->made = !sys_failed(sys_call(__NR_timer_create, (long)CLOCK_MONOTONIC, &event, &t->id));
    return t->made;
}

bool linux_timer(unsigned ns)
{
    struct timer *t = &timers[this_cpu()->index];
    const struct __kernel_timespec period = {ns / LINUX_TIMER_HZ, ns % LINUX_TIMER_HZ};
    const struct __kernel_itimerspec set = {.it_interval = period, .it_value = period};
    if (!t->made && (!ns || !make(t))) return false;
    return !sys_failed(sys_call(__NR_timer_settime, (long)t->id, 0L, &set, 0L));
}
