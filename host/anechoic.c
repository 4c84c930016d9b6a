/* anechoic: works with what the kernel reported, on the computer where it was kept. */
#include "host/command.h"
#include "report/emit.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"check", "prove that a capture is complete and undamaged", command_check},
    {"show", "print a capture's results: text, csv, json", command_show},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void help(FILE *to)
{
    fputs("usage: anechoic COMMAND [OPTION...] [ARGUMENT...]\n"
          "Works with the results of Anechoic's kernel.\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("  -h --help     show this; anechoic COMMAND --help shows a command's own\n"
          "     --version  show the version\n"
          "Exit status: 0 good, 1 what was looked for was found, 2 wrong usage, 4 not possible here;\n"
          "each command's help says what that means.\n",
          to);
}

int usage_error(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "anechoic %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; try anechoic %s --help\n", command);
    return STATUS_USAGE;
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
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "anechoic: unknown command \"%s\"; there are:", argv[1]);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
    fputs("\n", stderr);
    return STATUS_USAGE;
}
