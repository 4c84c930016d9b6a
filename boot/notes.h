/* Notes: facts about the machine or the run that a reader of the results needs. */
#pragma once
#include "kernel/usb.h"
#include "measure/schedule.h"
#include "report/emit.h"

/* About the machine, as it was found. */
void tell_conditions(const struct machine *m);
/* Errors: modules that are not used. */
void tell_modules(const struct machine *m);
/* Where nothing can end code that never returns (limit=). */
void tell_watchdog(const struct cpu *cpu, const struct options *opt, const struct plan *plan);
/* About snippets whose memory is less than it should be. */
void tell_areas(const struct memory *memory, const struct plan *plan);
/* About controls that could not be switched off, and counters that the firmware had left running. */
void tell_controls(const struct cpu *cpu);
/* About the firmware's USB controllers; nothing if they were not looked for. */
void tell_usb(const struct usb *usb);
/* About events that have no name here. */
void tell_events(const struct pmu *pmu);
/* Names the requested events that cannot be counted, so that none is printed as 0. */
void tell_unmeasured(const struct pmu *pmu, const struct options *opt, const struct group *group,
                     unsigned groups, enum platform platform);
/* For options_elsewhere(): an event that this processor lacks. index: an unsigned. */
void tell_lacks(void *index, const struct text_part *event);
/* In its place, where that has been said already. */
void tell_nothing(void *index, const struct text_part *event);
/* Names the events that the PMU model lacks. */
void tell_unmodelled(const char *const *event, unsigned n);
/* Without bench= the user's modules are run: names their benchmarks. */
void tell_default(const struct options *opt, const struct plan *plan);
/* Names the events that cannot count anything at the payload's CPL: their 0 is true but means nothing. */
void tell_impossible(const struct options *opt, const struct plan *plan);
/* About breakpoints at code, of which not every match is counted (dr0=). */
void tell_breakpoints(const struct options *opt);
/* About the parts of a suite that cannot run here. False: none of it can. */
bool tell_suite(const struct pmu *pmu, const struct options *opt);
/* About interrupts that came, or are pending, although everything is masked. */
void tell_interrupts(const struct cpu *cpu);
