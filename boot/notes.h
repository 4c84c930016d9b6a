/* Notes: what a reader of the results should know of, told beside them. */
#pragma once
#include "kernel/usb.h"
#include "measure/schedule.h"
#include "report/emit.h"

/* Of the machine, as it was found. */
void tell_conditions(const struct machine *m);
/* What became of USB controllers that the firmware had; empty where none was looked for. */
void tell_usb(const struct usb *usb);
/* Why not every event can be named. */
void tell_events(const struct pmu *pmu);
/* Events that were asked for and are in none of the groups: each is named, none prints as 0. */
void tell_unmeasured(const struct pmu *pmu, const struct options *opt, const struct group *group,
                     unsigned groups);
/* Of these events, which were measured, the PMU model knows nothing. */
void tell_unmodelled(const char *const *event, unsigned n);
/* Events that are counted and cannot count what runs at this CPL: their 0 is true, and says nothing. */
void tell_impossible(const struct options *opt, const struct plan *plan);
/* What came or waits although everything is masked. */
void tell_interrupts(const struct cpu *cpu);
