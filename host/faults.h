/* The faults of a capture, named on standard error as they are found: "p4.txt: line 7: record 3 is missing".
 */
#pragma once
#include "host/records.h"

#define FAULTS_SHOWN 20 /* those that are named; the others are counted */

struct faults {
    const char *name; /* of the capture */
    unsigned long n;
};

void faults_add(struct faults *all, const struct fault *f);
/* One that is no fault of the reader's: a sentence. */
void faults_say(struct faults *all, const char *what);
