/* The serial text that a LAVA job's log has (https://validation.linaro.org): the log has an entry a line, a
 * YAML map with the keys dt, lvl and msg, from a server with "- " in front. What the machine sent is the msg
 * of entries whose lvl is "target" or "feedback"; LAVA puts a backslash before each quote of it
 * (lava_dispatcher/shell.py, ShellLogger), and YAML then escapes both.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct lava_log {
    bool recognised;          /* an entry was seen: what follows is a log */
    unsigned long line;       /* that was read last: 1.. */
    unsigned long serial;     /* entries with serial text */
    unsigned long strange;    /* lines that are no entries, after the first entry */
    unsigned long first_line; /* of these; what is wrong with it: */
    char first_why[200];
    char error[200]; /* the job's first message of level "error"; empty: none */
    bool cut;        /* the piece before this one was part of the same line */
};

/* The next line, or a piece of one (without a line end) that is too long to be held. Before the first entry
 * lines are passed through as they are, so a capture of another kind is not changed. From there on, what is
 * in `line` is replaced by the serial text with a line end, or by nothing. Comes to its length, which is
 * never more than n. */
size_t lava_line(struct lava_log *log, char *line, size_t n);
