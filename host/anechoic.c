/* anechoic: works with what the kernel reported, on the computer where it was kept. */
#include "host/command.h"
#include "report/emit.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- what the build installs ---- */

static const struct command_option no_options[] = {{0}};

static int print(const struct command *self, int argc, char **argv)
{
    while (command_option(self, argc, argv) != -1) continue;
    if (optind < argc) return command_misused(self, "it takes no argument, as \"%s\"", argv[optind]);
    if (strcmp(self->name, "man") == 0)
        command_man(stdout);
    else
        command_completion(stdout);
    return STATUS_GOOD;
}

static const struct command command_man_page = {
    .name = "man",
    .summary = "print the man page",
    .arguments = "",
    .about = "Prints the man page, for man -l - and for \"make install\".",
    .options = no_options,
    .statuses = "0 printed, 2 wrong usage, 4 the output cannot be written.",
    .run = print,
};

static const struct command command_bash = {
    .name = "completion",
    .summary = "print what bash needs to complete words",
    .arguments = "",
    .about = "Prints functions of bash that complete commands and options: eval \"$(anechoic completion)\".",
    .options = no_options,
    .statuses = "0 printed, 2 wrong usage, 4 the output cannot be written.",
    .run = print,
};

/* ---- all commands ---- */

/* In the order in which a user meets them. */
const struct command *const commands[] = {&command_run,
                                          &command_code,
                                          &command_payload,
                                          &command_capture,
                                          &command_qr,
                                          &command_image,
                                          &command_pxe,
                                          &command_check,
                                          &command_show,
                                          &command_compare,
                                          &command_report,
                                          &command_export,
                                          &command_events,
                                          &command_decode,
                                          &command_man_page,
                                          &command_bash,
                                          NULL};

static void help(FILE *to)
{
    fputs("usage: anechoic COMMAND [OPTION...] [ARGUMENT...]\n"
          "Works with the results of the Anechoic kernel.\n\n",
          to);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fputs("\n  -h, --help     show this; anechoic COMMAND --help shows a command's own\n"
          "      --version  show the version\n\n"
          "Exit status: 0 good, 1 what was looked for was found, 2 wrong usage, 4 not possible here,\n"
          "or standard output cannot be written; each command's help says what that means.\n",
          to);
}

static int run(const struct command *c, int argc, char **argv)
{
    signal(SIGCHLD, SIG_DFL); /* who started this may ignore it: then there are no exit statuses of scripts */
    return command_finished(c, c->run(c, argc, argv));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        help(stdout);
        return STATUS_GOOD;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("anechoic %s\n", ANECHOIC_VERSION);
        return STATUS_GOOD;
    }
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp(argv[1], (*c)->name) == 0) return run(*c, argc - 1, argv + 1);
    fprintf(stderr, "anechoic: unknown command \"%s\"; there are:", argv[1]);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(stderr, "%s %s", c == commands ? "" : ",", (*c)->name);
    fputs("\n", stderr);
    return STATUS_USAGE;
}
