/* The items of a plan: each measured, sampled or left to its experiment, and its results printed as they
 * come. Shared by the files of the session's work (boot/work.c, boot/suites.c, boot/pairs.c). */
#pragma once
#include "kernel/cpu_set.h"
#include "measure/pair.h"
#include "measure/plan.h"
#include "report/emit.h"

/* What the work is done with, and what has come of it. */
struct items {
    const struct machine *m;
    const struct cpu *cpu;       /* the processor that is measured */
    const struct cpu_set *where; /* cpu=: those that an experiment with several uses; NULL: all that run */
    bool cancelled;              /* Ctrl-C: nothing more is begun */
    unsigned done, failed;
    struct certificate certificate;
    bool results;                       /* some were printed */
    double uops_per_cycle;              /* the last ratio derived */
    struct pair_side *keep;             /* of a pair: where the statistics go as well; NULL: nowhere */
    const char *unmodelled[EVENTS_MAX]; /* measured events that the PMU model lacks, each once */
    unsigned n_unmodelled;
    /* events=all: groups of this item's earlier batches; the processor whose events were told of, and their
     * number */
    unsigned groups_before;
    const struct cpu *told_of;
    unsigned all_events;
};
extern struct items items;

/* The pool, as an empty arena. */
struct arena items_pool(void);

/* The result of a sampling run of items.cpu, whose samples lie in the arena, or why there is none. first: of
 * its benchmark's. False: there is none. */
bool report_samples(const struct options *opt, struct sampling *sampling, struct arena *arena, bool first);

/* Run it with each of these groups, and print the results. False: a run failed, or nothing could be counted.
 */
bool measure_groups(const struct options *opt, const struct plan_item *item, const struct group *group,
                    unsigned groups);

/* Measure this item on items.cpu, with these groups of events, and print its results or why there are none.
 */
void measure_item(const struct options *opt, const struct plan_item *item, const struct group *group,
                  unsigned groups);
