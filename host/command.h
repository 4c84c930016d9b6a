/* The subcommands of `anechoic`, each with its options in a table. From the table come the options that are
 * accepted, --help, the man page and the words that a shell completes, so that none of them can be untrue.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Statuses of all of them; what STATUS_FOUND means is the command's own. */
enum { STATUS_GOOD = 0, STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_IMPOSSIBLE = 4 };

struct command_option {
    int id;            /* its letter, or from 256 on where it has none */
    const char *name;  /* without the dashes */
    const char *value; /* what follows, such as "FILE"; NULL: nothing does */
    const char *help;  /* one sentence, without a full stop */
};

struct command {
    const char *name;
    const char *summary;                  /* in the list of commands: what it does, in half a sentence */
    const char *arguments;                /* in the usage, after the options */
    const char *about;                    /* paragraphs, parted by \n\n */
    const struct command_option *options; /* ends with id 0; -h --help is not in it */
    const char *statuses;                 /* "0 complete, 1 damaged, ..." */
    int (*run)(const struct command *self, int argc, char **argv); /* argv[0]: the name. To the exit status */
};

extern const struct command command_run, command_code, command_payload, command_capture, command_qr,
    command_image, command_pxe, command_check, command_show, command_compare, command_report, command_export,
    command_events, command_decode;
extern const struct command *const commands[]; /* ends with NULL (host/anechoic.c) */

/* The next option's id, with its value in optarg; -1: there are no more, and the arguments begin at
 * argv[optind]. Does not return from --help, nor from an option that the command does not have. */
int command_option(const struct command *c, int argc, char **argv);

/* Prints what is wrong with how the command was called, and where help is. Comes to STATUS_USAGE. */
int command_misused(const struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "anechoic NAME: ..." on standard error, with a line's end. Comes to `status`. */
int command_failed(const struct command *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A command has printed all: comes to its status, or says that standard output could not be written. */
int command_finished(const struct command *c, int status);

/* Are both the same file on a disk, so that writing one would destroy the other? "-" is standard input and
 * standard output, which destroys nothing. */
bool command_same_file(const char *in, const char *out);

/* Opens the files that are named, "-" (once) for standard input, and gives each to one(), which comes to a
 * status. Comes to the highest; a file that cannot be opened has STATUS_USAGE. No name at all is a misuse. */
int command_files(const struct command *c, int n, char **names,
                  int (*one)(void *ctx, const char *name, FILE *in), void *ctx);

/* ---- faces of the tables (host/command_help.c) ---- */
void command_help(const struct command *c, FILE *to);
void command_man(FILE *to);        /* the man page of all commands, for troff */
void command_completion(FILE *to); /* for bash */
