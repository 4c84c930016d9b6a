/* Words for a machine at its prompt (host/prompt.h), once, as `anechoic run` asks them. */
#pragma once
#include "host/prompt.h"

struct run_prompt {
    const struct command *command; /* in messages */
    const char *spec, *words;      /* DEVICE[,BAUD]; of the command run */
    const char *module, *to;       /* files; NULL: none is loaded, nothing is kept */
    void (*text)(void *ctx, const char *line, size_t len);
};

/* To 0, 1 (a benchmark failed, or what came is not complete), 2 (wrong words), 3 (the kernel has ended), or
 * another of the scripts' statuses; what is wrong has been said. */
int run_at_prompt(const struct run_prompt *r);
