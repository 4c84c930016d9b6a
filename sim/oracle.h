/* The oracle: sums of the tally between begin and end, by privilege level, and by instruction address on
 * request. It reads no register of the PMU; about the programming it only asks which events are not modelled.
 * sim/oracle.c adds, sim/oracle_report.c begins, ends and prints, sim/oracle_trace.c keeps the occurrences of
 * an event one by one.
 */
#pragma once
#include "sim/core.h"
#include "sim/text.h"

#define MAX_UNMODELLED 64
#define MAX_HISTOGRAMS 32

/* Accesses of the delivery of an interrupt or exception belong to no instruction, nor do another processor's
 * requests. */
#define ORACLE_DELIVERY UINT64_MAX

struct bucket {
    uint64_t ip, count; /* count 0: free; ip: of the instruction, or ORACLE_DELIVERY */
    unsigned which;     /* index into kept[] */
};

struct sim_oracle {
    struct sim_oracle *outer; /* the bracket around this one */
    char label[64];
    uint64_t retired;          /* at the beginning */
    uint64_t drawn[SIM_SKIDS]; /* likewise */
    uint64_t pulses[2][2];     /* likewise */
    struct sim_lines lines;    /* likewise */
    uint64_t sum[2][SIM_TALLIES];
    const char *unmodelled[MAX_UNMODELLED];
    unsigned n_unmodelled;
    const struct sim_event *kept[MAX_HISTOGRAMS];
    unsigned n_kept;
    struct bucket *buckets; /* open addressing, at most half full */
    size_t size, used;
    bool lost;               /* out of memory: the histogram is reported as incomplete */
    struct sim_trace *trace; /* NULL: none */
};

/* An event of this model by its name; NULL: none. */
const struct sim_event *sim_oracle_event(const struct sim *s, const char *name, size_t len);

/* ---- sim/oracle_branches.c ---- */
#define SIM_TRANSFERS 64

/* One transfer of control. */
struct sim_transfer {
    uint64_t from, to;
    uint64_t clocks;  /* since the one before */
    const char *kind; /* as in sim.h, sim_oracle_trace() */
    unsigned cpl;     /* where it ends */
};
/* The last ones: the n-th is at[n % SIM_TRANSFERS]. */
struct sim_transfers {
    struct sim_transfer at[SIM_TRANSFERS];
    uint64_t n, last; /* how many there were; the clock of the last one */
};

/* kind: of an interrupt or exception; NULL: the instruction's. now: sim.clocks. */
void sim_transfers_add(struct sim_transfers *t, const struct sim_branch *b, const char *kind, uint64_t now);
/* The member of an entry: the newest ones, at most so many, the newest first. */
void sim_transfers_put(const struct sim_transfers *t, unsigned most, struct sim_text *entry);

/* ---- sim/oracle_trace.c ---- */
void sim_trace_transfer(struct sim_trace *t, const struct sim *s, const struct sim_branch *b,
                        const char *kind);
/* Keep the occurrences of its event that are in the tally. */
void sim_trace_add(struct sim_trace *t, const struct sim *s);
/* The line's member. */
void sim_trace_put(const struct sim_trace *t, struct sim_text *line);
void sim_trace_free(struct sim_trace *t); /* NULL: nothing */

/* The innermost bracket is over. */
void sim_oracle_drop(struct sim *s);
