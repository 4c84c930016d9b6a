/* The truth suite in a test: a CPU of the PMU model, and payloads that count what the test tells them. */
#pragma once
#include "measure/truth.h"
#include "tests/unit/sim_hw.h"

/* ---- the CPU ---- */

extern struct cpu_id id;
extern struct pmu pmu;
extern const struct cache_info katmai, nothing;

/* id and pmu are that model's from now on. */
void plug(const char *model);
int unplug(void **state); /* a group's teardown */

/* The row of this program for one of these classes (enum pmu_class), which has to be there. */
const struct truth_row *find_row(const char *program, uint32_t classes, const char *event);

/* ---- what the payloads do: the expected values, and one liar among the events ---- */

extern const char *liar;
extern const char *lacking; /* the model does not have this event */
extern int liar_by;
extern bool no_timer;
extern bool small;                /* an arena too small for the suite itself */
extern unsigned too_high;         /* runs whose overhead was measured too high */
extern unsigned prepared_to_fail; /* this run from now on traps; 0: none */
extern const struct cache_info *geometry;
extern enum action action;

/* What the last suite handed on. */
struct truth_got {
    unsigned results, relations, failures, left_out, differ, absent, still;
    unsigned within, lowered, sums_lowered;
    const char *last_differs;
    char lacks[16][48];
};
extern struct truth_got got;

struct truth_totals run_suite(unsigned ring, bool (*cancelled)(void));
