/* What interrupts code for the watchdog (measure/watchdog.h): one file for each device. Times are in ticks of
 * the TSC. */
#pragma once
#include "kernel/machine.h"
#include "kernel/trap.h"

struct pmu_code; /* pmu/pmu.h */

struct watchdog_device {
    bool if_only; /* an interrupt, which ends only code with IF=1; else an NMI */
    bool in_halt; /* it counts in HLT, too */
    /* It may interrupt this CPU from now on. False: it is not here, and nothing has changed. */
    bool (*begin)(const struct cpu *cpu);
    void (*shot)(void); /* at least one interrupt, within some milliseconds: for the trial */
    /* One interrupt, after so many ticks (a millisecond at least), or as many as it can count. Returns how
     * many pass for sure without one. Also called in the handler, not then while it works itself. */
    uint64_t (*wind)(uint64_t ticks);
    /* In the handler: it was this device, and the next one can come. Also called while wind() works. */
    bool (*came)(const struct trap_frame *f);
    void (*end)(void); /* nothing comes any more but what is pending */
};

/* A counter of unhalted cycles whose overflow is an NMI (the local APIC's performance entry). It counts 2^31
 * at most (pmu_ops.arm(): what the P6's, Intel's since Core and AMD's counters can be preset to by 32 bits of
 * a signed number, and the NetBurst's likewise), and stands still in HLT. A Pentium has no such entry. */
extern const struct watchdog_device watchdog_counter;

/* As watchdog_program() and watchdog_programmed(), which see. */
bool watchdog_counter_program(const struct cpu *cpu, const struct pmu_code *const *code);
bool watchdog_counter_programmed(void);
void watchdog_counter_stop(void); /* nothing is programmed for it any more */

/* The real-time clock's alarm, as an NMI by the 8259s and LINT0. It counts seconds, 58 at most. */
extern const struct watchdog_device watchdog_rtc;

/* Channel 0 of the 8254, by the same way as an NMI, or as the interrupt that it is. It counts 55 ms. */
extern const struct watchdog_device watchdog_pit_nmi, watchdog_pit_interrupt;
