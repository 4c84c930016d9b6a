/* Does a load miss after CLFLUSH? docs/experiments.md. */
#include "anechoic/experiment.h"

LAB_CODE static void load(void *arg) { (void)*(volatile int *)arg; }
static void flush(struct lab *lab, void *arg) { lab_flush_line(lab, arg); }

static void run(struct lab *lab)
{
    static const char *const events[] = {
        "1stL_cache_load_miss_retired|mem_load_retired:l1_miss|L1-dcache-load-misses", "instructions", NULL};
    struct lab_counts warm, cold;
    void *page = lab_map(lab, &(struct lab_mapping){.pages = 1});
    lab_measure(lab, &(struct lab_program){.code = load, .arg = page}, events, &warm);
    lab_measure(lab, &(struct lab_program){.code = load, .arg = page, .before = flush}, events, &cold);
    const struct lab_quantity results[] = {lab_median("a load", "misses", &warm.event[0]),
                                           lab_median("a load after CLFLUSH", "misses", &cold.event[0]),
                                           lab_median("of so many", "instructions", &cold.event[1])};
    for (unsigned i = 0; i < 3; i++) lab_value(lab, &results[i], NULL);
}

EXPERIMENT(flushed) = {
    .program = {.name = "flushed", .desc = "does a load miss after CLFLUSH?"},
    .experiment = run,
    .op = "load",
    .cost = "1 miss",
};
