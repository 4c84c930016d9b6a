/* A line at the bottom of a terminal: which benchmark of how many, since when, and for how long. */
#pragma once
#include "host/records.h"
#include <time.h>

struct progress {
    bool shown; /* there is a terminal */
    long long items,
        at;           /* of the plan (record "plan"); 0: it says nothing. The one that reported last: 1.. */
    char name[48];    /* its benchmark */
    unsigned long id; /* of benchmark, variant and parameters */
    time_t begun;     /* when the plan came */
    bool drawn;       /* the line stands there */
};

void progress_begin(struct progress *p); /* of a session */
void progress_record(struct progress *p, const struct received *r);
void progress_draw(struct progress *p);
void progress_erase(struct progress *p); /* before something else is printed */
