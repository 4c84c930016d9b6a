/* The fields of one record, judged by the catalogue (report/schema.def). */
#pragma once
#include <jansson.h>
#include <stdbool.h>

struct fields_check {
    bool strict; /* a field that the catalogue does not have is a fault, too */
    void (*fault)(void *ctx, const char *what);
    void *ctx;
};

/* o: the record; where: what faults call it. */
void fields_check(const struct fields_check *c, json_t *o, const char *where);

/* Is it an integer as records have them: beyond 2^53 a string. */
bool fields_is_integer(const json_t *v, bool negative_too);
