/* What the experiments with several processors share. */
#pragma once
#include "include/anechoic/experiment.h"
#include "measure/stats.h"

#include <stdio.h>

#define ARRAY_N(a) (sizeof(a) / sizeof *(a))

/* Ends the experiment where it may use fewer than `least`. */
static inline void several_needed(struct lab *lab, unsigned least)
{
    if (lab->cpus < least)
        lab_fail(lab, "%u processors are needed, and %u %s used: cpus= starts them, cpu= chooses", least,
                 lab->cpus, lab->cpus == 1 ? "is" : "are");
}

/* Ends the experiment: of two one did not come. */
__attribute__((noreturn)) static inline void several_waited(struct lab *lab, unsigned a, unsigned b)
{
    lab_fail(lab, "processors %u and %u: one has waited for the other longer than limit= allows",
             lab_processor(lab, a), lab_processor(lab, b));
}

/* Until done, or for `ticks` of this processor, or until the barrier is broken. At first it looks without a
 * pause, as often as it can: the answer of a processor that runs takes less. Then with PAUSE, where an
 * emulator that executes one processor after the other goes on with the next one. */
#define EAGER_LOOKS 1024
#define WAIT_UNTIL(done, barrier, ticks)                                                 \
    ({                                                                                   \
        bool done_ = false;                                                              \
        for (unsigned look_ = 0; look_ < EAGER_LOOKS && !done_; look_++) done_ = (done); \
        const uint64_t begin_ = done_ ? 0 : hw_rdtsc();                                  \
        while (!done_ && !(barrier)->broken) {                                           \
            SPIN_PAUSE();                                                                \
            done_ = (done);                                                              \
            if (!done_ && hw_rdtsc() - begin_ > (ticks)) barrier_break(barrier);         \
        }                                                                                \
        done_;                                                                           \
    })

/* Ticks for one part of an experiment, such as a pair: a quarter of limit=. Where two processors are two
 * threads of an emulator, each wait for the other may take milliseconds, and a fixed number of them would
 * reach limit=. */
static inline uint64_t several_budget(const struct lab *lab) { return lab_patience(lab) / 2; }

/* ... which is said of a part that ended with fewer than were asked for. */
static inline void several_fewer(struct lab *lab, const char *what, double done, double wanted, unsigned cpu)
{
    const struct lab_quantity q = {what, "", done, LAB_KNOWN, LAB_COUNTED};
    char of[112];
    snprintf(of, sizeof of, "of %.0f, with processor %u; stopped after a quarter of limit=", wanted,
             lab_processor(lab, cpu));
    lab_value(lab, &q, of);
}

/* 1, 2, 4, ... and how many there are; 0: these were all. */
static inline unsigned next_count(const struct lab *lab, unsigned n)
{
    if (n >= lab->cpus) return 0;
    return 2 * n < lab->cpus ? 2 * n : lab->cpus;
}

static inline struct lab_quantity times(const char *name, const char *unit, double v)
{
    return (struct lab_quantity){name, unit, v, LAB_TIMES, LAB_COUNTED};
}
static inline struct lab_quantity known(const char *name, const char *unit, double v)
{
    return (struct lab_quantity){name, unit, v, LAB_KNOWN, LAB_COUNTED};
}

static inline double ns_of(const struct lab *lab, double ticks) { return ticks * 1e9 / (double)lab->tsc_hz; }
