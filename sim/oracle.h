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

/* ---- sim/oracle_trace.c ---- */
/* Is there an occurrence of its event in the tally? */
void sim_trace_add(struct sim_trace *t, const struct sim *s);
/* The line's member. */
void sim_trace_put(const struct sim_trace *t, struct sim_text *line);
void sim_trace_free(struct sim_trace *t); /* NULL: nothing */

/* The innermost bracket is over. */
void sim_oracle_drop(struct sim *s);
