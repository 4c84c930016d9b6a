/* Run one plan item: prepare, warm up, measure the overhead, repeat the bracket. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/trap.h"
#include "measure/options.h"
#include "measure/schedule.h"

/* What run and reduce need to know of the machine. */
struct machine {
    const struct cpu_id *id;
    const struct cache_info *caches;
    uint64_t tsc_hz;                 /* 0 = unknown */
    bool smi_counter;                /* MSR 34h counts SMIs here */
    uint32_t tsc_step;               /* the TSC advances in multiples of this; 0 = unknown */
    const volatile uint32_t *strays; /* how many such interrupts so far */
    bool (*cancelled)(void);         /* asked between repetitions; NULL = never */
};

/* Flags of a repetition. */
#define REP_SMI   1 /* the SMI counter changed */
#define REP_STRAY 4 /* an interrupt or NMI that nobody had asked for arrived */
#define REP_SLOW  2 /* raw above the median by more than max(10 %, 1 us); set by reduce */

enum run_status { RUN_OK, RUN_PREPARE, RUN_TRAP, RUN_CANCELLED, RUN_MEMORY };

struct run {
    const struct plan_item *item;
    struct bench_run bench; /* parameters as they were used, ops */
    enum run_status status;
    struct trap trap;      /* RUN_TRAP */
    unsigned reps;         /* repetitions, or quanta of a series */
    uint64_t *raw;         /* reps of them */
    uint8_t *flags;        /* REP_* of each */
    unsigned smis, strays; /* of a series as a whole: which quantum they hit is not known */
    uint64_t overhead;     /* least raw value of the empty bracket; 0 for a series, which has none */
};

/* arena is emptied first and holds raw[] and flags[] afterwards, until the next run. */
void run_item(const struct plan_item *item, const struct options *opt, const struct machine *m,
              struct arena *arena, struct run *run);

/* True where MSR 34h counts SMIs and can be believed (Intel since Nehalem, not under a hypervisor). */
bool smi_counter_present(const struct cpu_id *id);
uint32_t smi_counter_read(void);
