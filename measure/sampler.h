/* A sampler: the source of interrupts, their delivery, and the destination of samples. All sampling code arms
 * it in the same way (sampler.c); the interrupt handler works on it (sampler_interrupt.c).
 *
 * On i586 and x86_64 the handler is entered through the common stub of kernel/vectors.S; from there to its
 * IRET it may take 100 instructions a sample. docs/sampling.md says how they are spent.
 */
#pragma once
#include "kernel/apic.h"
#include "kernel/trap.h"
#include "pmu/ibs.h"
#include "pmu/lbr.h"
#include "pmu/pebs.h"
#include "pmu/pmu.h"
#include "pmu/sole.h"

/* How an overflow interrupts: through the APIC's performance entry, as a fixed interrupt or as an NMI, or
 * through the pin PM0 and the board's wire to NMI. */
enum sampler_delivery { SAMPLER_FIXED, SAMPLER_NMI, SAMPLER_PIN };

/* More interrupts than this many times the buffer's size, and SAMPLER_MORE: a storm. It is ended. */
#define SAMPLER_STORM 4
#define SAMPLER_MORE  1000

/* Of one of several counters that interrupt: what of the sampler is its own. */
struct sampler_each {
    uint32_t *period; /* as in struct sampler */
    uint32_t least, range;
    uint32_t late, lost; /* likewise */
};

struct sampler;
typedef INTERRUPT_FN void sampler_way(struct sampler *s);

struct sampler {
    const struct trap_frame *frame; /* while the handler runs: the interrupted state */
    sampler_way *way;               /* through the handler */
    sampler_way *drawn;   /* the way after the next period was drawn, or the records of branches stopped */
    struct pmu_sole sole; /* one counter alone; its way is SOLE_NONE if sampler_way's is another */
    struct apic_pmi_entry pmi;
    struct sample *next, *end; /* of the buffer */
    uint64_t head;             /* of each sample of that counter: its first eight bytes */
    uint32_t valid;            /* of each sample */
    uint32_t (*overflowed)(struct pmu *pmu,
                           const struct apic_pmi_entry *pmi); /* the driver's; NULL: a timer's */
    struct pmu *pmu;                                          /* NULL: likewise */
    volatile uint32_t *eoi;                                   /* the local APIC's register */
    uint32_t nowhere;        /* target of writes that are to have no effect */
    bool (*ticks)(unsigned); /* the 8254 or the RTC interrupts; 0 silences it. NULL: neither */
    bool fixed;              /* delivery; else NMI, which other sources may raise as well */
    bool stopped;            /* there were too many */
    bool closed;             /* the payload does not run: interrupts do not belong to it */
    uint32_t late;           /* interrupts that came while it was closed */
    uint32_t due;            /* interrupts that may still come for overflows that were detected without one */
    enum sampling_timer timer;   /* this interrupts; TIMER_AUTO: none does */
    uint32_t count;              /* the APIC's timer counts down from it, */
    volatile uint32_t *timer_at; /* which is written here; NULL: x2APIC */
    struct pebs *pebs;           /* samples are in its buffer; NULL: the interrupted code is one */
    struct samples *samples;     /* they go there; without PEBS counted when sampling is over */
    const struct ibs *ibs;       /* samples are in its registers; NULL: likewise */
    unsigned ibs_entry;          /* of the extended table: this interrupts */
    uint32_t *period;            /* what the driver reloads: the low half of pmu->period[counter] */
    uint32_t least,
        range;       /* with jitter: the lowest period, and the number of periods to draw from; 0: none */
    uint32_t random; /* the generator's state */
    struct sampler_each *each; /* by counter, where several interrupt; NULL: one does */
    uint32_t several;          /* bit i: counter i is one of them */
    uint32_t lost, limit;      /* interrupts with the buffer full; at the limit sampling stops itself */
    uint32_t drains;           /* interrupts of PEBS that had records */
    bool full;                 /* the last one found no room left */
    const struct apic *apic;
    struct lbr *lbr; /* each sample has the last branches; NULL: it has not */
    bool on;         /* from sampler_begin() to sampler_off() */
    bool pin;        /* SAMPLER_PIN */
};

/* Set s up anew and direct this CPU's interrupts to it: closed, with samples into the empty buffer of to. s
 * must not move. */
void sampler_begin(struct sampler *s, struct samples *to, const struct apic *apic);

/* The source of interrupts: overflows of pmu's counters, which are armed already and do not run yet, ... */
void sampler_counters(struct sampler *s, struct pmu *pmu, enum sampler_delivery delivery);
/* ... with samples by PEBS, which is armed likewise, (before sampler_counters()) ... */
void sampler_pebs(struct sampler *s, struct pebs *pebs);
/* ... from several counters, each of which makes samples of its own, (likewise; bit i of which: counter i
 * interrupts, and each[i] says how; each stays where it is) ... */
void sampler_several(struct sampler *s, uint32_t which, struct sampler_each *each);
/* ... or IBS, which is armed and does not run yet, through this entry of the extended table; delivery is not
 * SAMPLER_PIN ... */
void sampler_ibs(struct sampler *s, const struct ibs *ibs, unsigned entry, enum sampler_delivery delivery);
/* ... or a timer, which begins. period in its own clocks. With s->range, which is set before, the handler
 * draws each period after the first (the RTC keeps it) and takes up to 31 instructions more, by the same
 * generator. False: there is none (the RTC). */
bool sampler_timer(struct sampler *s, enum sampling_timer timer, uint32_t period);

/* Each sample is to have the last branches, as lbr_read() leaves them, in the pool of the buffer. lbr is
 * armed; sampler_off() releases it. After sampler_begin(). */
void sampler_branches(struct sampler *s, struct lbr *lbr);

/* Samples are kept only between these two calls, which surround each call of the payload. */
void sampler_open(struct sampler *s);
void sampler_close(struct sampler *s);

/* Let pending interrupts in. Returns the TSC. */
uint64_t sampler_let_in(void);

/* Silence the source first, then let pending interrupts in, so that none stays pending. Also valid after a
 * trap, and if s was never begun (all zero). */
void sampler_off(struct sampler *s);

/* The way through the handler that fits s. After each change of the source. */
void sampler_choose_way(struct sampler *s);

/* For trap_interrupts(). An NMI without an overflow has another source: a stray. */
INTERRUPT_FN void sampler_interrupt(void *sampler, const struct trap_frame *f);
