/* Notes: facts about the machine or the run that a reader of the results needs. */
#pragma once
#include "kernel/usb.h"
#include "measure/schedule.h"
#include "report/emit.h"

/* Of the machine, as it was found. */
void tell_conditions(const struct machine *m);
/* Words that could not switch something off, and counters that the firmware had left running. */
void tell_controls(const struct cpu *cpu);
/* What happened to the firmware's USB controllers; nothing where none were looked for. */
void tell_usb(const struct usb *usb);
/* Why some events have no name here. */
void tell_events(const struct pmu *pmu);
/* Events that were asked for and cannot be counted: each is named, none prints as 0. */
void tell_unmeasured(const struct pmu *pmu, const struct options *opt, const struct group *group,
                     unsigned groups, enum platform platform);
/* Events that the PMU model lacks. */
void tell_unmodelled(const char *const *event, unsigned n);
/* Events that cannot count anything at the payload's CPL: their 0 is true but says nothing. */
void tell_impossible(const struct options *opt, const struct plan *plan);
/* What a suite of programs cannot do here. False: it cannot run. */
bool tell_suite(const struct pmu *pmu, const struct options *opt);
/* Interrupts that came, or wait, although everything is masked. */
void tell_interrupts(const struct cpu *cpu);
