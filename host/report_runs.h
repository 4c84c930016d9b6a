/* What `anechoic report` keeps of captures: runs, each with its records by type. A run is a session: from a
 * "boot" record to its "end".
 */
#pragma once
#include "host/values.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RUN_FAULTS_MAX 20 /* texts that are kept; the others are counted */

/* The repetitions of one measurement, from all of its `reps` records. */
struct repetitions {
    json_t *record; /* the first of them, without its values */
    double *raw;    /* NaN: a record with this one is missing */
    bool *disturbed;
    size_t n;
};

struct capture {
    char *file;     /* its name, in UTF-8 */
    char *name;     /* "2: FILE", with the session where a file has several; for headings and keys */
    json_t *types;  /* an object: type of record -> array of records */
    json_t *passed; /* the same of types that this version does not know -> how many */
    struct repetitions *reps;
    size_t n_reps;
    bool ended;
    long long records, status; /* of the session; `status` if it ended */
    char *fault[RUN_FAULTS_MAX];
    unsigned long faults;
};

struct runs {
    struct capture *run;
    size_t n;
};

/* Reads a capture and adds its runs; where it has none, nothing is added and *faults says why. False: it
 * could not be read, or memory is short; errno says which. faults: how many the file has. */
bool runs_read(struct runs *rs, const char *file, FILE *in, unsigned long *faults);
/* Gives the runs their names, when all are read. */
void runs_name(struct runs *rs);
void runs_free(struct runs *rs);

/* The records of a type, in their order; never NULL, may be empty. */
json_t *run_records(const struct capture *r, const char *type);
/* The first of them; NULL: there is none. */
json_t *run_record(const struct capture *r, const char *type);

/* Where its numbers come from: one of ORIGINS; "": a processor. By its `boot` record, or by a record's flags
 * if that is missing or too old to say. */
#define ORIGINS "modelled|emulated|virtualized"
const char *run_origin(const struct capture *r);
/* The origin that all runs share; "" if they differ: then the runs' names have it. */
const char *runs_origin(const struct runs *rs);

/* ---- names ---- */

/* What printf() would print, to be freed. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "l1_miss variant bytes=4096, CPL 3": what was measured, without this parameter (may be NULL). To be freed.
 */
char *measurement_of(const json_t *o, const char *without);
/* "l1_miss variant bytes=4096, CPL 3: cycles" */
char *event_of(const json_t *o);
/* measurement_of() behind another name; name "": "bytes=4096, CPL 3". */
char *conditions_of(const json_t *o, const char *without, const char *name);

/* ---- rows ---- Records of all runs that are about the same thing. */
/* An object in the order of first appearance: values of `fields` ("bench|params|event") -> an array with a
 * record or null for each run. A second record that a run has of the same is a row of its own. To be
 * released by json_decref(). */
json_t *rows_of(const struct runs *rs, const char *type, const char *fields);
/* The first record of a row. */
json_t *row_first(const json_t *row);
/* Rows under their headings: what name() says of the first record of each -> an array of rows. name()'s text
 * is freed here, and `rows` are released. To be released by json_decref(). */
json_t *rows_by(json_t *rows, char *(*name)(const json_t *o));
