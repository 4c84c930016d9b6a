/* What `anechoic code` was asked for (host/code.c), and its way from the text to the answers
 * (host/code_measure.c).
 */
#pragma once
#include "host/code_answer.h"
#include "host/code_where.h"
#include "host/command.h"
#include "host/script.h"
#include "host/snippets.h"

/* Numbers that the kernel gets as they are; what they may be is its business (docs/code.md). */
enum code_number {
    CODE_UNROLL,
    CODE_LOOP,
    CODE_ALIGNMENT,
    CODE_OFFSET,
    CODE_REPS,
    CODE_WARMUP,
    CODE_STACK,
    CODE_NUMBERS
};

#define CODE_OPTIONS (SCRIPT_OPTIONS - 8) /* the user's: the others are code_measure()'s */
#define CODE_WORDS   32

struct code_job {
    struct code_where where;
    char chosen[256]; /* what the user has not said about it, and why it is so; "": nothing */
    unsigned bits;    /* 32 or 64; 0: as the kernel has them that is at its prompt */
    bool att;         /* AT&T's syntax */
    struct snippets snippets;

    /* Words of the kernel; NULL: its default. */
    const char *number[CODE_NUMBERS];
    const char *range; /* of the unroll count, "A..B" */
    bool basic, no_mem;
    const char *events, *ring, *serialize;
    const char *word[CODE_WORDS]; /* others */
    size_t words;

    const char *to;                   /* the capture; NULL: it is not kept */
    const char *scripts;              /* where they are; NULL: where they usually are */
    const char *option[CODE_OPTIONS]; /* of the script */
    size_t options;
    struct answers answers; /* with its settings */
    bool unread;            /* standard output takes no more of them */
};

/* Assembles the snippets, and measures them or makes the image. To the exit status; what is wrong has been
 * said. */
int code_measure(const struct command *self, struct code_job *j);

/* On a machine at its prompt (host/code_prompt.c): likewise. */
int code_at_prompt(const struct command *self, struct code_job *j);

/* ---- among themselves ---- */

/* The snippets for j->bits; what is wrong has been said. */
int code_assemble(const struct command *self, struct code_job *j);
/* The kernel's words, to be freed; NULL: there is no memory. */
char *code_words(const struct code_job *j, const char *events);
#define CODE_TIMEOUT_S 120 /* of a boot or a run, and a second more for each snippet */
/* Prints the answers, and says what they lack. status: of the boot or the run. Comes to the exit status. */
int code_answered(const struct command *self, struct code_job *j, int status);

/* Prints the answers that are in a capture; "-" is standard input. To the exit status (host/code_from.c). */
int code_from(const struct command *self, struct answers *a, const char *name);
