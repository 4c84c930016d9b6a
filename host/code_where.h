/* Where snippets run: `anechoic code --on`, and what follows from it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct code_where {
    const char *target; /* of a boot (host/boot.h); NULL: none, but the next or the one after */
    const char *image;  /* its file */
    const char *tty;    /* a machine at its prompt (host/prompt.h): DEVICE[,BAUD] */
    const char *option; /* of the script; NULL: none */
    const char *events; /* what is counted where the user does not say; NULL: the time-stamp counter */
    unsigned bits;      /* of the kernel where the user does not say: 32 or 64; 0: it is asked */
    bool only32;        /* the CPU has no other mode */
    bool only64;        /* nor the kernel */
};

/* True: *w is what `on` means. False: `why` says what there is. */
bool code_where(struct code_where *w, const char *on, char *why, size_t size);
