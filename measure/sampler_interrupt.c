/* Runs with the payload's values in the registers: general registers only, no library, no GS. */
#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "measure/sampler.h"
#include "pmu/ibs_take.h"

/* In the 32-bit kernel upper halves stay as they are in the buffer, cleared. */
#define LOW(field) (*(uintptr_t *)&(field))

/* What differs from sample to sample, but for the counter. */
static inline void fill(const struct sampler *s, struct sample *out)
{
    hw_rdtsc_stored(&out->tsc);
    const struct trap_frame *f = s->frame;
    LOW(out->ip) = f->ip;
    LOW(out->flags) = f->flags;
#ifdef __x86_64__
    /* One instruction instead of 32. */
    uint64_t *to = out->reg;
    const uint64_t *from = f->reg;
    unsigned long n = 16;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n)::"memory");
#else
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        if (i != 4) LOW(out->reg[i]) = f->reg[TRAP_FRAME_REG(i)];
    LOW(out->reg[4]) = trap_frame_sp(f);
#endif
}

/* A linear congruential generator (Knuth, vol. 2, 3.3.4, table 1, line 16): few instructions, and its upper
 * bits, which the product with the range takes, are the good ones. */
static inline uint32_t next_random(struct sampler *s)
{
    uint32_t r = s->random;
    __asm__("imul $1664525, %0" : "+r"(r)); /* GCC would rather add nine times */
    return s->random = r + 1013904223;
}

static inline uint32_t draw(struct sampler *s, uint32_t least, uint32_t range)
{
    return least + (uint32_t)((uint64_t)next_random(s) * range >> 32);
}

static inline void draw_period(struct sampler *s)
{
    const uint32_t period = draw(s, s->least, s->range);
    *s->period = period;
    s->sole.preset = s->sole.skid - period;
}

/* It is not known yet whose will be used. */
static __attribute__((noinline)) void draw_periods(struct sampler *s)
{
    for (uint32_t left = s->several; left; left &= left - 1) {
        const struct sampler_each *e = &s->each[__builtin_ctz(left)];
        if (e->range) *e->period = draw(s, e->least, e->range);
    }
}

/* It would continue for ever, or for too long: the payload runs to its end unsampled. */
static void give_up(struct sampler *s)
{
    s->stopped = true;
    if (s->pmu) {
        pmu_stop(s->pmu);
        s->pmi.entry |= LVT_MASKED;
        apic_pmi_again(&s->pmi);
    }
    if (s->ibs) {
        ibs_stop(s->ibs);
        apic_extended(s->apic, s->ibs_entry, LVT_MASKED | VECTOR_SPURIOUS);
    }
    /* Linux' timer needs a system call, which a handler cannot make: GS may be the payload's. */
    if (s->ticks && s->timer != TIMER_LINUX) s->ticks(0);
    if (s->timer == TIMER_APIC) apic_timer(s->apic, LVT_MASKED | VECTOR_SAMPLE, 0);
}

static __attribute__((noinline)) void lose(struct sampler *s)
{
    if (s->stopped) return;
    if (s->closed) {
        s->late++;
        return;
    }
    if (++s->lost == s->limit) give_up(s);
}

/* All cases except a sample of the interrupted code. */
static __attribute__((noinline)) uint32_t drain(struct sampler *s)
{
    uint64_t lost = s->samples->lost;
    if (s->closed) return 1; /* sampler_close() is about to, or in the middle of it */
    const bool more = s->samples->more;
    s->samples->more = false;
    uint32_t records = pebs_drain(s->pebs, s->samples);
    s->full = s->samples->more;
    s->samples->more |= more;
    s->drains += records > 0;
    if (s->range) pebs_reload(s->pebs, *s->period);
    if (s->samples->lost != lost && s->samples->lost > s->limit) give_up(s);
    return records;
}

#define RARELY(x) __builtin_expect(!!(x), 0)

static __attribute__((noinline)) void x2apic_eoi(const struct sampler *s)
{
    if (s->fixed) hw_wrmsr(X2APIC_EOI, 0);
}

static inline void eoi(const struct sampler *s)
{
    *s->eoi = 0;
    if (RARELY(s->pmi.x2apic)) x2apic_eoi(s);
}

static inline void keep_or_lose(struct sampler *s, uint32_t which)
{
    struct sample *out = s->next;
    if (RARELY(out >= s->end)) { /* closed: it is the first */
        lose(s);
        return;
    }
    s->next = out + 1;
    out->valid = s->valid;
    out->counter = (uint16_t)__builtin_ctz(which);
    fill(s, out);
}

/* The place in the pool that belongs to a sample. */
static __attribute__((noinline)) void read_branches(const struct sampler *s, struct sample *of)
{
    of->branches = lbr_read(s->lbr, s->samples->branch + (of - s->samples->at) * BRANCHES_MOST);
}

static inline void keep_or_lose_all(struct sampler *s, uint32_t which)
{
    struct sample *out = s->next;
    if (RARELY(s->lbr) && out < s->end) read_branches(s, out);
    keep_or_lose(s, which);
}

/* Of several counters one or more have overflowed, each of which makes a sample. */
static __attribute__((noinline)) void keep_each(struct sampler *s, uint32_t which)
{
    for (; which; which &= which - 1) {
        struct sampler_each *e = &s->each[__builtin_ctz(which)];
        if (RARELY(s->next >= s->end) && !s->stopped) s->closed ? e->late++ : e->lost++;
        keep_or_lose_all(s, which);
    }
}

/* Nothing has overflowed. A fixed interrupt may be a late one of ours, and so may as many NMIs as are due.
 * All others, and those of the other delivery mode, have another source. */
static __attribute__((noinline)) void unasked(struct sampler *s)
{
    const struct trap_frame *f = s->frame;
    const bool nmi = f->vector == VECTOR_NMI;
    if (trap_refuse((struct trap_frame *)f)) return;
    if (!nmi && s->fixed) return;
    if (nmi && !s->fixed && s->due)
        s->due--;
    else
        trap_stray(f);
}

/* The end of what is rare is apart, so that the rest needs no register that is saved. */
static __attribute__((noinline)) void unasked_end(struct sampler *s)
{
    unasked(s);
    eoi(s);
}

static __attribute__((noinline)) void lose_end(struct sampler *s)
{
    lose(s);
    eoi(s);
}

static __attribute__((noinline)) void lose_by_ibs(struct sampler *s, uint32_t high)
{
    lose(s);
    if (!s->stopped) ibs_go_on(s->ibs, s->ibs->asked.fetch, s->ibs->special, high);
    eoi(s);
}

/* What was tagged is in registers, and IBS rests until they are read. It does not know privilege levels: what
 * follows here is in its next period. */
static inline __attribute__((always_inline)) void by_ibs(struct sampler *s, bool fetch, bool special)
{
    const struct ibs *ibs = s->ibs;
    struct sample *out = s->next;
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(ibs->control, &high);
    if (RARELY(!ibs_has(fetch, low, high))) {
        unasked_end(s);
    } else if (RARELY(out >= s->end)) {
        lose_by_ibs(s, high);
    } else {
        s->next = out + 1;
        out->valid = s->valid;
        ibs_read(ibs, fetch, low, high, out);
        hw_rdtsc_stored(&out->tsc);
        ibs_go_on(ibs, fetch, special, high);
        eoi(s);
    }
}

static INTERRUPT_FN void by_ops(struct sampler *s) { by_ibs(s, false, false); }
static INTERRUPT_FN void by_ops_special(struct sampler *s) { by_ibs(s, false, true); }
static INTERRUPT_FN void by_fetches(struct sampler *s) { by_ibs(s, true, false); }
static INTERRUPT_FN void by_fetches_special(struct sampler *s) { by_ibs(s, true, true); }

/* Apart, so that the ways of others do not save its registers. Returns which with 1 for any records. */
static __attribute__((noinline)) uint32_t by_pebs(struct sampler *s, uint32_t which)
{
    struct sample *first = s->samples->at + s->samples->n;
    which |= drain(s);
    if (s->lbr && first < s->samples->at + s->samples->n && !(first->valid & SAMPLE_BRANCHES)) {
        read_branches(s, first);
        first->valid |= SAMPLE_BRANCHES;
    }
    apic_pmi_again(&s->pmi); /* drained records do not interrupt again */
    if (s->pmu->ops->pebs_again && !s->stopped && !s->closed) s->pmu->ops->pebs_again(s->pmu, s->full);
    return which;
}

/* Whatever it was. */
static __attribute__((noinline)) void take(struct sampler *s)
{
    const struct apic_pmi_entry none = {.at = &s->nowhere};
    uint32_t which = 1;
    if (s->overflowed) which = s->overflowed(s->pmu, s->pebs ? &none : &s->pmi);
    if (s->pebs) {
        which = by_pebs(s, which);
    } else if (s->each) {
        keep_each(s, which);
    } else if (which) {
        keep_or_lose_all(s, which);
    }
    eoi(s);
    if (!which) unasked(s);
}

/* PEBS, several counters, last branches, and counters that pmu/sole.h does not know. */
static INTERRUPT_FN void otherwise(struct sampler *s)
{
    if (s->each)
        draw_periods(s);
    else if (s->range)
        draw_period(s);
    take(s);
}

/* The records are stopped first, so that the handler's own branches push out as few as can be: those of its
 * way to here, where they were neither frozen by the interrupt nor left out by their ring. Reading
 * acknowledges nothing; overflowed() ends the freezing (LBR_FRZ) while they are stopped. */
static INTERRUPT_FN void with_branches(struct sampler *s)
{
    if (!s->closed) lbr_stop(s->lbr);
    s->drawn(s);
    if (!s->closed) lbr_start(s->lbr);
}

/* ---- timers ---- */

/* A timer whose period is a multiple of a loop's length would find a few instructions of the loop and never
 * the others. A prime does not help: the APIC's clock is often made of the core's, and with QEMU's -icount
 * every clock is made of the instructions. So each period is drawn. Then a loop can keep step with the
 * timer's clock only, of which one may be some hundred instructions, and the RTC has none but powers of two:
 * for that the handler takes 0 to 31 instructions more, of a cycle each, which the interrupted code is then
 * behind. */
#define WANDER_BITS 5

/* Executes 31 - skipped of these instructions. */
static inline void wander(uintptr_t skipped)
{
    uintptr_t to;
#ifdef __x86_64__
    __asm__ volatile("lea 1f(%%rip), %%rax\n\t"
                     "lea (%%rax,%1,2), %%rax\n\t"
#else
    __asm__ volatile("lea 1f(,%1,2), %%eax\n\t"
#endif
                     "jmp *%0\n\t"
                     "1: .rept 31\n\t"
                     "notl %%eax\n\t" /* two bytes long */
                     ".endr"
                     : "=&a"(to)
                     : "r"(skipped));
}

/* It began again by itself when it interrupted, and has counted since. Where the handler came so late that
 * little is left, nothing is taken off: it would interrupt at once, at the same instruction. */
static inline uint32_t count_anew(struct sampler *s, uint32_t period, uint32_t left)
{
    const uint32_t since = s->count - left;
    return s->count = since < period / 2 ? period - since : period;
}

static __attribute__((noinline)) void x2apic_count(struct sampler *s, uint32_t period)
{
    apic_timer_again(s->apic, count_anew(s, period, apic_timer_left(s->apic)));
}

static inline void apic_count(struct sampler *s, uint32_t period)
{
    volatile uint32_t *const at = s->timer_at;
    if (RARELY(!at))
        x2apic_count(s, period);
    else
        at[0] = count_anew(s, period, at[APIC_TIMER_LEFT]);
}

static inline __attribute__((always_inline)) void by_timer(struct sampler *s, enum sampling_timer timer)
{
    if (RARELY(s->frame->vector == VECTOR_NMI)) {
        trap_stray(s->frame);
        return;
    }
    keep_or_lose_all(s, 1);
    if (timer == TIMER_APIC) eoi(s);
    if (timer == TIMER_PIT) pic_eoi();
    if (timer == TIMER_RTC) rtc_acknowledge();
    if (!s->range || s->stopped) return;
    const uint64_t drawn = (uint64_t)next_random(s) * s->range;
    const uint32_t period = s->least + (uint32_t)(drawn >> 32);
    if (timer == TIMER_APIC) apic_count(s, period);
    if (timer == TIMER_PIT) pit_next(period);
    wander((uint32_t)drawn >> (32 - WANDER_BITS));
}

static INTERRUPT_FN void by_apic(struct sampler *s) { by_timer(s, TIMER_APIC); }
static INTERRUPT_FN void by_pit(struct sampler *s) { by_timer(s, TIMER_PIT); }
static INTERRUPT_FN void by_rtc(struct sampler *s) { by_timer(s, TIMER_RTC); }

/* ---- one counter alone (pmu/sole.h) ---- */

typedef uint64_t __attribute__((may_alias)) first_bytes;
_Static_assert(offsetof(struct sample, counter) == 6 && offsetof(struct sample, flags) == 8, "sampler.head");

static inline void keep_sole(struct sampler *s, bool has_overflowed)
{
    struct sample *out = s->next;
    if (RARELY(!has_overflowed)) {
        take(s);
        return;
    }
    if (RARELY(out >= s->end)) { /* closed: it is the first */
        lose_end(s);
        return;
    }
    s->next = out + 1;
    *(first_bytes *)out = s->head;
    fill(s, out);
    eoi(s);
}

static INTERRUPT_FN void by_sign(struct sampler *s) { keep_sole(s, sole_by_sign(&s->sole, &s->pmi)); }
static INTERRUPT_FN void by_sign_stopped(struct sampler *s)
{
    keep_sole(s, sole_by_sign_stopped(&s->sole, &s->pmi));
}
static INTERRUPT_FN void by_ovf(struct sampler *s) { keep_sole(s, sole_by_ovf(&s->sole, &s->pmi)); }
static INTERRUPT_FN void by_status(struct sampler *s) { keep_sole(s, sole_by_status(&s->sole, &s->pmi)); }

static INTERRUPT_FN void draw_first(struct sampler *s)
{
    draw_period(s);
    s->drawn(s);
}

void sampler_choose_way(struct sampler *s)
{
    static sampler_way *const sole[SOLE_WAYS] = {[SOLE_NONE] = otherwise,
                                                 [SOLE_SIGN] = by_sign,
                                                 [SOLE_STOPPED] = by_sign_stopped,
                                                 [SOLE_OVF] = by_ovf,
                                                 [SOLE_STATUS] = by_status};
    static sampler_way *const ibs[2][2] = {{by_ops, by_ops_special}, {by_fetches, by_fetches_special}};
    /* Linux' timer keeps its period, as the RTC does, which a Linux process has none to acknowledge of. */
    static sampler_way *const timers[] = {
        [TIMER_APIC] = by_apic, [TIMER_PIT] = by_pit, [TIMER_RTC] = by_rtc, [TIMER_LINUX] = by_rtc};
    sampler_way *const way = s->timer                       ? timers[s->timer]
                             : s->ibs                       ? ibs[s->ibs->asked.fetch][s->ibs->special]
                             : s->pebs || s->each || s->lbr ? otherwise
                                                            : sole[s->sole.way];
    const bool draws = s->range && way == sole[s->sole.way] && way != otherwise;
    s->drawn = way;
    s->way = s->lbr ? with_branches : draws ? draw_first : way;
}

/* The drivers set the LVT entry again, at their own time; the EOI comes after that. Each way is a function of
 * its own, so that none saves registers for another. */
INTERRUPT_FN void sampler_interrupt(void *sampler, const struct trap_frame *f)
{
    struct sampler *s = sampler;
    s->frame = f;
    s->way(s);
}
