/* What is wrong with a capture, a line a fault on standard error: "p5.txt: line 7: record 3 is missing". */
#pragma once
#include "host/records.h"

struct faults {
    const char *name; /* of the capture */
    unsigned long n;  /* all of them; the first 20 are shown */
};

void faults_say(struct faults *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One that the reader found. */
void faults_add(struct faults *f, const struct fault *found);
