/* The period of sampling: a given one, or one that is searched for. */
#include "kernel/linux_timer.h"
#include "kernel/rtc.h"
#include "measure/sampling_job.h"

#define PIT_TICKS_MAX  65535
#define PIT_TICKS_MIN  2    /* mode 2 */
#define EVENTS_LEAST   100  /* of auto: with a shorter period the handler dominates the samples */
#define TIMER_LEAST_S  5e-6 /* ... of timers: QEMU's never catch up with less */
#define TSC_HZ_AT_MOST 4e9  /* for that, if its rate is unknown */
#define SHARE_AIM      0.08 /* of the handler, once it was found to be SHARE_MOST or more */
#define TIMER_JITTER \
    4 /* without jitter=: a timer's periods are this part of their average longer or shorter */

static void limits(const struct job *j, uint32_t *least, uint32_t *most)
{
    if (is_ibs(j)) {
        *least = j->ibs.least, *most = j->ibs.most;
        return;
    }
    *least = !j->event ? PIT_TICKS_MIN : is_pebs(j) ? j->pebs.least : 1;
    *most = j->timer == TIMER_PIT ? PIT_TICKS_MAX : INT32_MAX;
    if (j->timer == TIMER_RTC) *least = RTC_TICKS_MIN, *most = RTC_TICKS_MAX;
    if (j->timer == TIMER_LINUX) *least = LINUX_TIMER_MIN;
}

/* The RTC has no other period to draw, and Linux' timer keeps its own, but their handlers vary
 * (measure/sampler.h). */
static uint32_t jitter_of(const struct job *j, uint32_t period)
{
    if (j->opt->sample != SAMPLE_BY_TIMER || j->opt->jitter_given) return j->opt->jitter;
    return j->timer == TIMER_RTC || j->timer == TIMER_LINUX ? 0 : period / TIMER_JITTER;
}

bool sampling_period_possible(struct job *j)
{
    uint32_t least, most, given = j->opt->period;
    limits(j, &least, &most);
    if (j->opt->sample == SAMPLE_BY_TIMER && given && given <= most && j->opt->jitter > most - given)
        return run_refuse(&j->out->run, RUN_PMU, "period= plus jitter= may be %u %s here at most",
                          (unsigned)most, j->out->unit);
    if (is_pebs(j) && j->pebs.step > 1 && (given % j->pebs.step || j->opt->jitter))
        return run_refuse(
            &j->out->run, RUN_PMU,
            "period= takes multiples of %u here, without jitter=: an erratum of this CPU's PEBS",
            (unsigned)j->pebs.step);
    if (!given || (given >= least && given <= most)) return true;
    return run_refuse(&j->out->run, RUN_PMU, "period= takes %u to %u %s here", (unsigned)least,
                      (unsigned)most, j->out->unit);
}

void sampling_use_period(struct job *j, uint32_t period)
{
    uint32_t least, most;
    limits(j, &least, &most);
    if (least < 2) least = 2;
    j->out->period = period;
    /* Every period that is drawn is one that period= could name, except 1. */
    const uint32_t below = period > least ? period - least : 0, above = most > period ? most - period : 0;
    const uint32_t room = below < above ? below : above, jitter = jitter_of(j, period);
    j->out->jitter = jitter < room ? jitter : room;
}

/* The first prime not below the wanted period: a period that shares a factor with a loop's length would hit
 * the same few instructions for ever. (The RTC has only powers of two: the nearest one is used. Its crystal
 * is independent of the CPU's clock, so that the two drift.) Below 2^31 gaps are less than 300 and square
 * roots less than 46341; 2^31 - 1 is prime. */
void sampling_find_period(struct job *j, double wanted)
{
    const uint64_t tsc_hz = j->cpu->machine->clock.tsc_hz;
    uint32_t least, most, d = 2, n;
    if (is_ibs(j)) {
        sampling_use_period(j, ibs_period_near(&j->ibs, wanted < INT32_MAX ? (uint32_t)wanted : INT32_MAX));
        return;
    }
    limits(j, &least, &most);
    if (j->event)
        least = least > EVENTS_LEAST ? least : EVENTS_LEAST;
    else if (j->out->tsc[0]) /* the pass without sampling has shown the timer's rate */
        least += (uint32_t)((double)j->out->occurred / (double)j->out->tsc[0] * TIMER_LEAST_S *
                            (tsc_hz ? (double)tsc_hz : TSC_HZ_AT_MOST));
    if (j->timer == TIMER_PIT && !j->opt->jitter_given)
        most -= most / (TIMER_JITTER + 1); /* the longest that is drawn fits, too */
    n = wanted < least ? least : wanted > most ? most : (uint32_t)wanted;
    if (j->timer == TIMER_RTC) {
        /* Between 2/3 and 4/3 of the wanted number. */
        for (d = least; d < most && d * 3 <= n * 2; d *= 2) {
        }
        sampling_use_period(j, d);
        return;
    }
    if (is_pebs(j) && j->pebs.step > 1) {
        sampling_use_period(j, sampling_pebs_period(&j->pebs, n));
        return;
    }
    for (; d * d <= n; d++)
        if (n % d == 0 && n < most) {
            n++;
            d = 1;
        }
    sampling_use_period(j, n);
}

/* A period is longer than the work between two samples by the interrupt's own part (its events at CPL 0 or,
 * for a timer, its time; negative if events after an overflow are not counted), which the last try has shown.
 * If the handler's share was too large, the work is made longer by the factor that reduces the share to
 * SHARE_AIM, and no later try uses less. */
double sampling_better_period(struct job *j)
{
    const struct sampling *s = j->out;
    const double period = s->period, occurred = (double)s->occurred;
    const double all = (double)s->inside + s->outside + (double)s->samples.lost;
    if (s->storm) return period * 4;
    if (all == 0) return j->repeat ? period : period / 8;
    const double work = occurred > 0 ? occurred / all : period, own = period - work;
    double better = period;
    if (!j->repeat || sampling_came(s) > s->wanted)
        better = occurred > 0 ? occurred / s->wanted + own : period * all / s->wanted;
    if (sampling_heavy(s)) {
        const double handler = (double)s->tsc[1] - (double)s->tsc[0];
        const double slower = own + work * handler / (double)s->tsc[0] * (1 - SHARE_AIM) / SHARE_AIM;
        if (slower > j->least) j->least = slower;
    }
    return better > j->least ? better : j->least;
}
