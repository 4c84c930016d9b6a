/* Runs with the payload's values in the registers: general registers only, no library, no GS. */
#include "kernel/hw.h"
#include "measure/sampler.h"
#include "pmu/ibs_take.h"

/* In the 32-bit kernel upper halves stay as they are in the buffer, cleared. */
#define LOW(field) (*(uintptr_t *)&(field))

/* The counter is stored before the time: RDTSC overwrites registers, and `which` would need a saved one. */
static inline void keep(const struct sampler *s, struct sample *out, uint32_t which)
{
    out->counter = (uint16_t)__builtin_ctz(which);
    out->tsc = hw_rdtsc();
    out->valid = s->valid;
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
#endif
    LOW(out->reg[4]) = trap_frame_sp(f);
}

/* A linear congruential generator (Knuth, vol. 2, 3.3.4, table 1, line 16): few instructions, and its upper
 * bits, which the product with the range takes, are the good ones. */
static inline uint32_t draw(struct sampler *s, uint32_t least, uint32_t range)
{
    uint32_t r = s->random;
    __asm__("imul $1664525, %0" : "+r"(r)); /* GCC would rather add nine times */
    s->random = r += 1013904223;
    return least + (uint32_t)((uint64_t)r * range >> 32);
}

static inline void draw_period(struct sampler *s) { *s->period = draw(s, s->least, s->range); }

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
        s->pmu->ops->stop(s->pmu);
        s->pmi.entry |= LVT_MASKED;
        apic_pmi_again(&s->pmi);
    }
    if (s->ibs) {
        ibs_stop(s->ibs);
        apic_extended(s->apic, s->ibs_entry, LVT_MASKED | VECTOR_SPURIOUS);
    }
    if (s->ticks) s->ticks(0);
    if (s->apic_timer) apic_timer(s->apic, LVT_MASKED | VECTOR_SAMPLE, 0);
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

static inline void acknowledge(const struct sampler *s)
{
    if (s->acknowledge) s->acknowledge();
    if (s->pmi.x2apic && s->fixed) hw_wrmsr(X2APIC_EOI, 0);
}

#define RARELY(x) __builtin_expect(!!(x), 0)

static inline void keep_or_lose(struct sampler *s, uint32_t which)
{
    if (RARELY(s->next >= s->end)) /* closed: it is the first */
        lose(s);
    else
        keep(s, s->next++, which);
}

/* The place in the pool that belongs to a sample. */
static __attribute__((noinline)) void read_branches(const struct sampler *s, struct sample *of)
{
    of->branches = lbr_read(s->lbr, s->samples->branch + (of - s->samples->at) * BRANCHES_MOST);
}

static void keep_or_lose_all(struct sampler *s, uint32_t which)
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
    if (!nmi && s->fixed) return;
    if (nmi && !s->fixed && s->due)
        s->due--;
    else
        trap_stray(f);
}

static __attribute__((noinline)) void lose_by_ibs(struct sampler *s, uint32_t high)
{
    lose(s);
    if (!s->stopped) ibs_go_on(s->ibs, high);
}

/* What was tagged is in registers, and IBS rests until they are read. It does not know privilege levels: what
 * follows here is in its next period. */
static __attribute__((noinline)) void by_ibs(struct sampler *s)
{
    const struct ibs *ibs = s->ibs;
    struct sample *out = s->next;
    uint32_t high;
    const uint32_t low = hw_rdmsr_halves(ibs->control, &high);
    if (RARELY(!ibs_has(ibs, low, high))) {
        unasked(s);
    } else if (RARELY(out >= s->end)) {
        lose_by_ibs(s, high);
    } else {
        s->next = out + 1;
        out->valid = s->valid;
        ibs_read(ibs, low, high, out);
        out->tsc = hw_rdtsc();
        ibs_go_on(ibs, high);
    }
    *s->eoi = 0;
    if (RARELY(s->pmi.x2apic)) acknowledge(s);
}

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

/* Timers, PEBS, several counters, last branches, registers that are not in memory. */
static __attribute__((noinline)) void otherwise(struct sampler *s)
{
    const struct apic_pmi_entry none = {.at = &s->nowhere};
    uint32_t which = 1;
    if (RARELY(s->frame->vector == VECTOR_NMI) && s->fixed && !s->overflowed) { /* no timer's */
        trap_stray(s->frame);
        return;
    }
    if (s->overflowed) {
        if (s->each)
            draw_periods(s);
        else if (s->range)
            draw_period(s);
        which = s->overflowed(s->pmu, s->pebs ? &none : &s->pmi);
    }
    if (s->pebs) {
        which = by_pebs(s, which);
    } else if (s->each) {
        keep_each(s, which);
    } else if (which) {
        keep_or_lose_all(s, which);
    }
    *s->eoi = 0;
    acknowledge(s);
    if (!which) unasked(s);
}

/* The records are stopped first, so that the handler's own branches push out as few as can be: those of its
 * way to here, where they were neither frozen by the interrupt nor left out by their ring. Reading
 * acknowledges nothing; overflowed() ends the freezing (LBR_FRZ) while they are stopped. */
static __attribute__((noinline)) void with_branches(struct sampler *s)
{
    if (!s->closed) lbr_stop(s->lbr);
    otherwise(s);
    if (!s->closed) lbr_start(s->lbr);
}

/* The driver sets the LVT entry again, at its own time; the EOI comes after that. Values needed after its
 * call are in the sampler, since each register that must survive a call is saved and restored. */
INTERRUPT_FN void sampler_interrupt(void *sampler, const struct trap_frame *f)
{
    struct sampler *s = sampler;
    s->frame = f;
    if (RARELY(s->other)) {
        s->lbr ? with_branches(s) : s->ibs ? by_ibs(s) : otherwise(s);
        return;
    }
    if (s->range) draw_period(s);
    uint32_t which = s->overflowed(s->pmu, &s->pmi);
    if (which) keep_or_lose(s, which);
    *s->eoi = 0;
    if (RARELY(!which)) unasked(s);
}
