/* A section of a session: the records that `mark` gave a name at the kernel's prompt. */
#pragma once
#include "host/records.h"

struct section {
    const char *name;
    unsigned long session; /* of the capture: 1..; 0: none has such a mark */
    long long first, last; /* its records */
    char others[200];      /* the marks that there are: "before, after"; "" if there are none */
};

/* Looks for s->name in a capture, which is then at its beginning again: the first session that has such a
 * mark, and of this name its last mark. False: the capture cannot be read twice (a pipe). */
bool section_find(FILE *in, struct section *s);

/* Is record n of a session one of the section? */
bool section_has(const struct section *s, unsigned long session, long long n);
