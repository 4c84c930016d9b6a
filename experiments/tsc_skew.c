/* How much the time-stamp counters of processors differ, and how the difference grows.
 *
 * The processor that comes first and another one exchange messages (measure/skew.h): of each exchange it is
 * certain between which two numbers the offset lies, and of thousands the tightest bounds are kept. After a
 * while the same again: the change of the offset is the drift. */
#include "experiments/exchange.h"
#include "kernel/madt.h"

enum { EXCHANGES, MILLISECONDS };

#define UNKNOWN_HZ 1000000000u /* of a TSC whose rate is unknown: for the time between the two only */

static void pass_time(struct lab *lab, uint64_t ticks)
{
    struct watch w;
    watch_begin(&w, lab->tsc_hz);
    lab_gaps(lab, &w, ticks);
}

static void run(struct lab *lab)
{
    static struct skew before[PROCESSORS_MAX];
    static uint64_t at[PROCESSORS_MAX];
    several_needed(lab, 2);
    const uint64_t apart =
        (lab->tsc_hz ? lab->tsc_hz : UNKNOWN_HZ) / 1000 * (uint64_t)lab->param[MILLISECONDS];
    struct exchange *x = exchange_open(lab, (unsigned)lab->param[EXCHANGES]);
    for (unsigned i = 1; i < lab->cpus; i++) before[i] = exchange_with(lab, x, i, &at[i]);
    pass_time(lab, apart);
    for (unsigned i = 1; i < lab->cpus; i++) {
        uint64_t later;
        double low, high;
        const struct skew after = exchange_with(lab, x, i, &later);
        skew_drift(&before[i], &after, later - at[i], &low, &high);
        const struct lab_quantity cpu = known("cpu", "", lab_processor(lab, i)),
                                  q[] = {cpu, times("offset", "tsc", skew_offset(&before[i])),
                                         times("+/-", "tsc", skew_uncertainty(&before[i])),
                                         times("drift", "ppm", (low + high) / 2 * 1e6),
                                         times("+/-", "ppm", (high - low) / 2 * 1e6)};
        if (skew_consistent(&before[i]) && skew_consistent(&after))
            lab_row(lab, "its TSC less that of the first one", q, ARRAY_N(q));
        else
            lab_value(lab, &cpu, "no offset agrees with all exchanges: a TSC jumps, or their rates differ");
    }
}

EXPERIMENT(tsc_skew) = {
    .program = {.name = "tsc_skew", .desc = "offset and drift between the time-stamp counters of processors"},
    .experiment = run,
    .processors = true,
    .op = "exchange",
    .cost = "0 within 20 to 100 ticks: firmware sets them together, and one clock drives them",
    BENCH_PARAM_LIST([EXCHANGES] = {"exchanges", "exchanges", "with each processor, before and after", 1,
                                    1000000, 1, 10000, false},
                     [MILLISECONDS] = {"ms", "milliseconds", "between the two, for the drift", 1, 3600000, 1,
                                       100, false}),
};
