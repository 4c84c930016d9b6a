/* What the experiments with several processors share. */
#pragma once
#include "include/anechoic/experiment.h"
#include "measure/stats.h"

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
