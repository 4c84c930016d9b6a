/* One boot of the kernel in an emulator, by its script: what arrives is shown, checked and kept. */
#pragma once
#include "host/command.h"
#include "host/records.h"
#include "host/script.h"

struct boot {
    const struct command *command; /* in messages */
    const char *target, *scripts;  /* as script_find() has them */
    const char *words;             /* the kernel's */
    const char *to;                /* the capture; NULL: it is not kept */
    const char *name;              /* of this boot, in messages */
    const char *const *option;     /* of the script: at most SCRIPT_OPTIONS */
    size_t options;
    bool quiet; /* nothing is said of a session that is complete */
    /* Each may be NULL. The line that shows how far it is (host/progress.h) is gone when they are called. */
    void (*record)(void *ctx, const struct received *r);
    void (*text)(void *ctx, const char *line, size_t len);
    void *ctx;
};

/* To the script's status, where that is 0 STATUS_FOUND if the session is not complete or could not be kept.
 * Ctrl-C reaches the script, after stop_catch(), and ends it. */
int boot_run(const struct boot *b);
