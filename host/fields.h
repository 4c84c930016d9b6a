/* The fields of one record, judged by the catalogue (report/schema.def). */
#pragma once
#include <jansson.h>
#include <stdbool.h>

struct fields_check {
    bool strict; /* an unknown field or type of record is a fault, too: a later version's. So is a time of the
                    PMU model's */
    bool modelled; /* the session ran on the PMU model: fields of clocks may be absent */
    void (*fault)(void *ctx, const char *what);
    void *ctx;
};

/* o: the record; name: what messages call it. False: the catalogue has no such type. */
bool fields_check(const struct fields_check *c, json_t *o, const char *name);

/* Is it an integer in the form of records: a string beyond 2^53? */
bool fields_is_integer(const json_t *v, bool negative_too);
