/* Profiles and deductions from them, as records: `code`, `profile` and `deduction` of docs/records.md.
 */
#pragma once
#include "measure/sampled.h"
#include "report/record.h"

/* The sampled event, and the method. */
struct profile_source {
    const struct run *run;
    unsigned ring;
    const char *event;  /* as the user wrote it */
    const char *method; /* "pmi", "pebs", "timer", "nmi" */
    uint64_t period;    /* from one sample to the next: events, or ticks of the timer */
    bool jitter;        /* the period is an average */
    enum origin origin; /* of its samples */
};

/* The fields of the source, at a record's beginning and end; the second emits it. */
void emit_source(struct record *r, const struct profile_source *from);
void emit_source_end(struct record *r, const struct profile_source *from);

/* The code of the payload that was sampled. */
void emit_code(const struct program *program, const struct payload_code *code);

/* In several records, in the order of the lines; a profile without lines is one record. By instruction: with
 * places.
 */
void emit_profile_ip(const struct profile_source *from, const struct profile *p);
void emit_profile_data(const struct profile_source *from, const struct profile *p);
/* level, ways, sets: of the cache. */
void emit_deduction(const struct profile_source *from, const struct deduction *d);
