/* The subcommands of `anechoic`. */
#pragma once

/* Statuses of all of them, beside what a command's own help says. */
enum { STATUS_GOOD = 0, STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_IMPOSSIBLE = 4 };

struct command {
    const char *name;
    const char *summary;               /* in the list of commands */
    int (*run)(int argc, char **argv); /* argv[0] is the name; comes to the exit status */
};

int command_check(int argc, char **argv);
int command_show(int argc, char **argv);

/* What getopt_long() did not know, or what is missing: says where help is. Comes to STATUS_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
