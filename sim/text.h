/* A line of text that grows, for the oracle's JSON. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct sim_text {
    char *at; /* NULL: nothing yet. Freed by its owner */
    size_t len, size;
    bool failed; /* out of memory: text is missing */
};

/* Append; one call writes up to 191 characters, the rest of it is cut off. */
void sim_out(struct sim_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Another one, whatever its length. */
void sim_out_text(struct sim_text *t, const struct sim_text *other);
/* As a JSON string. */
void sim_out_string(struct sim_text *t, const char *s);
