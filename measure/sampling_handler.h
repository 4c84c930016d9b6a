/* The interrupt side of sampling: what sampling_run() sets up and the handler works on.
 *
 * On i586 and x86_64 the handler is entered through the common stub of kernel/vectors.S; from there to its
 * IRET it may take 150 instructions a sample. docs/sampling.md says how they are spent.
 */
#pragma once
#include "kernel/apic.h"
#include "kernel/trap.h"
#include "measure/samples.h"
#include "pmu/pebs.h"
#include "pmu/pmu.h"

struct sampler {
    struct sample *next, *end; /* of the buffer */
    uint32_t valid;            /* of each sample */
    uint32_t (*overflowed)(struct pmu *pmu,
                           const struct apic_pmi_entry *pmi); /* the driver's; NULL: a timer's */
    struct pmu *pmu;                                          /* NULL: likewise */
    struct apic_pmi_entry pmi;
    volatile uint32_t *eoi;        /* the local APIC's register */
    uint32_t nowhere;              /* where nothing is to be written, that writes go to */
    bool other;                    /* a timer, PEBS or x2APIC: not by the short way */
    bool (*ticks)(unsigned);       /* the 8254 or the RTC interrupts; 0 silences it. NULL: neither */
    void (*acknowledge)(void);     /* to it and the 8259s; likewise */
    bool fixed;                    /* delivery; else NMI, which others may raise as well */
    bool stopped;                  /* there were too many */
    bool closed;                   /* the payload does not run: what comes is not its */
    uint32_t late;                 /* came so */
    uint32_t due;                  /* interrupts that may still come for overflows that were seen without */
    const struct apic *apic_timer; /* NULL: it is not this that interrupts */
    struct pebs *pebs;             /* samples are in its buffer; NULL: the interrupted code is one */
    struct samples *samples;       /* they go there; without PEBS counted when sampling is over */
    uint32_t *period;              /* what the driver reloads: the low half of pmu->period[counter] */
    uint32_t least, range;         /* with jitter: a period is drawn from so many, from this on; 0: none */
    uint32_t random;               /* the generator's state */
    uint32_t lost, limit;          /* interrupts with the buffer full; at the limit sampling stops itself */
    uint32_t drains;               /* interrupts of PEBS that had records */
};

/* One sampler at a time: of the CPU that measures. */
extern struct sampler sampler;

/* For trap_interrupt. An NMI without an overflow is somebody else's: a stray. */
void sampling_interrupt(const struct trap_frame *f);
