/* A machine that waits at its prompt (exit=monitor, docs/monitor.md), at the other end of a serial line: it
 * is asked in its own commands, and answers in records, which are one stretch of its session. What the line
 * damages is asked for again. Functions come to a status, and what is wrong has been said. */
#pragma once
#include "host/command.h"
#include "host/keep.h"
#include "host/ledger.h"
#include "host/records.h"
#include "host/source.h"
#include <stdint.h>

#define PROMPT_PREFIX   "tty:" /* of what users write: tty:DEVICE or tty:DEVICE,BAUD */
#define PROMPT_BYTES    (64 * 1024)
#define PROMPT_FAULTS   1 /* of a benchmark, as the scripts have it */
#define PROMPT_WORDS    2 /* wrong words */
#define PROMPT_TIME_OUT 124

struct prompt {
    /* Set before prompt_open(); each but command may be NULL. */
    const struct command *command; /* in messages */
    struct keep *keep;             /* gets every line that comes after the machine's records have begun */
    void (*record)(void *ctx, const struct received *r);
    void (*text)(void *ctx, const char *line, size_t len); /* what is for people: not the echo */
    void *ctx;
    const char *lock_dir; /* NULL: where it usually is */

    /* prompt_machine() fills these in. */
    unsigned bits; /* of the code that the kernel takes */
    bool counters; /* the processor has some that count */

    struct source source;
    struct source_wanted wanted;
    char device[256];
    struct records_sink sink;
    struct records reader;
    struct ledger ledger; /* of the stretch: from the machine's first record on */
    bool begins;  /* its records were asked for: what came before, such as a whole boot, is passed over */
    bool keeping; /* the first of them has come */
    unsigned long damaged, recovered;
    unsigned long garbage, bytes; /* since it was opened */
    char held[PROMPT_BYTES];      /* the line that comes */
    size_t n_held;

    /* Of the question that is open. */
    bool echo;                    /* the first line is what was asked */
    bool loads;                   /* text is about lines of a module */
    bool repeated;                /* records come again, in any order */
    bool shown;                   /* the prompt came */
    bool taken, not_obeyed, news; /* what comes of a line: a record, or damage, is news */
    bool boot, cpu, done, error, loaded, ended;
    bool bad_words, failed, refused; /* the kernel's opinion */
    unsigned long long room;         /* "ready": bytes, */
    unsigned module_bits;            /* and code of these bits; 0: it did not come */
    enum prompt_answer { ANSWER_NONE, ANSWER_OK, ANSWER_AGAIN, ANSWER_END, ANSWER_FAILED } answer;
    unsigned long answer_n;
    char why[256]; /* of ANSWER_FAILED, or why a module did not arrive */
};

/* spec: behind PROMPT_PREFIX. Opens the device, and waits until the prompt comes. Ctrl-C, which is sent for
 * it, ends what the machine measures. */
int prompt_open(struct prompt *p, const char *spec);

/* The machine's `boot` and `cpu` records. */
int prompt_machine(struct prompt *p);

/* Hands over a module (host/module.h), in place of the one before. */
int prompt_load(struct prompt *p, const char *name, const uint8_t *module, size_t size);

/* `run WORDS`, until the prompt comes again. seconds: at most; 0: no limit. To 0, PROMPT_FAULTS,
 * PROMPT_WORDS, PROMPT_TIME_OUT or another status. */
int prompt_run(struct prompt *p, const char *words, unsigned long seconds);

/* The machine stays at its prompt. */
void prompt_close(struct prompt *p);

/* ---- among themselves (host/prompt*.c) ---- */

/* Keeps in *p what is heard. */
struct records_sink prompt_sink(struct prompt *p);

enum prompt_pump {
    PUMP_ENOUGH,
    PUMP_QUIET,   /* nothing came for that long */
    PUMP_LATE,    /* the time is over */
    PUMP_GONE,    /* said */
    PUMP_STOPPED, /* Ctrl-C */
};

/* Reads until enough() says so, at most `ms` (-1: no limit), or until nothing comes for `quiet_ms` (-1). */
enum prompt_pump prompt_pump(struct prompt *p, bool (*enough)(const struct prompt *p), long ms, int quiet_ms);
bool prompt_shown(const struct prompt *p); /* for enough() */

/* Forgets the last question's answer, and sends this command, until the machine has taken it: PUMP_ENOUGH. */
enum prompt_pump prompt_ask(struct prompt *p, const char *line);
#define PROMPT_LINE_MAX 1000 /* characters of a command */

/* Ctrl-C, until the prompt comes. */
enum prompt_pump prompt_interrupt(struct prompt *p);

/* The records that are missing so far are asked for, and handed on as they come; doubt: the last ones may be,
 * although none is known to be. True: none is missing. */
bool prompt_mend(struct prompt *p, bool doubt);

/* Says why, and comes to the status; Ctrl-C goes on to the machine. */
int prompt_lost(struct prompt *p, enum prompt_pump why, const char *meanwhile);
