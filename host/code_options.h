/* The options of `anechoic code`. */
#pragma once
#include "host/code.h"

#define RANGE_BYTES 24

extern const struct command_option code_options[];

/* What options say that is looked at when all are known. */
struct code_given {
    const char *on, *file, *from, *bits, *part[SNIPPET_PARTS];
    char range[RANGE_BYTES]; /* "": none */
};

/* Takes the option that command_option() came to, whose value is optarg. To a status; what is wrong has been
 * said. */
int code_option(const struct command *self, struct code_job *j, struct code_given *g, int id);

/* May it be a word of the kernel's line? Blanks would begin another one. */
bool code_is_word(const char *s);
