/* What is wrong with a capture, a line a fault on standard error: "p5.txt: line 7: record 3 is missing". */
#pragma once
#include "host/records.h"

#define FAULTS_SHOWN 20 /* those that are named; the others are counted */

struct faults {
    const char *name; /* of the capture */
    unsigned long n;
};

/* A sentence, in which a record's strings may be: it is escaped. */
void faults_say(struct faults *all, const char *what);
/* One that the reader found. */
void faults_add(struct faults *all, const struct fault *found);
