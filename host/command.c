#include "host/command.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTIONS_MAX 40

int command_option(const struct command *c, int argc, char **argv)
{
    struct option named[OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    char letters[2 * OPTIONS_MAX + 3] = "h";
    size_t n = 1;
    for (const struct command_option *o = c->options; o->id; o++) {
        if (n > OPTIONS_MAX) abort();
        named[n++] = (struct option){o->name, o->value ? required_argument : no_argument, NULL, o->id};
        const char letter[] = {o->id < 256 ? (char)o->id : '\0', o->value ? ':' : '\0', '\0'};
        strcat(letters, letter);
    }
    static char program[64]; /* getopt_long()'s messages begin with it */
    snprintf(program, sizeof program, "anechoic %s", c->name);
    argv[0] = program;
    opterr = 1;
    const int id = getopt_long(argc, argv, letters, named, NULL);
    if (id == 'h') {
        command_help(c, stdout);
        exit(command_finished(c, STATUS_GOOD));
    }
    if (id == '?') {
        fprintf(stderr, "try: anechoic %s --help\n", c->name);
        exit(STATUS_USAGE);
    }
    return id;
}

static void say(const struct command *c, const char *format, va_list args)
{
    fprintf(stderr, "anechoic %s: ", c->name);
    vfprintf(stderr, format, args);
}

int command_misused(const struct command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(c, format, args);
    va_end(args);
    fprintf(stderr, "; try: anechoic %s --help\n", c->name);
    return STATUS_USAGE;
}

int command_failed(const struct command *c, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(c, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}

int command_finished(const struct command *c, int status)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status >= STATUS_USAGE)
        return status; /* it has said why */
    return command_failed(c, STATUS_IMPOSSIBLE, "standard output: %s",
                          errno ? strerror(errno) : "not all of it could be written");
}

bool command_same_file(const char *in, const char *out)
{
    struct stat a, b;
    if (strcmp(out, "-") == 0) return false;
    if ((strcmp(in, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(in, &a)) != 0 || stat(out, &b) != 0)
        return false;
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int command_files(const struct command *c, int n, char **names,
                  int (*one)(void *ctx, const char *name, FILE *in), void *ctx)
{
    static bool read_once; /* compare opens the files of both sides */
    int worst = STATUS_GOOD;
    if (n == 0) return command_misused(c, "no file is named");
    for (int i = 0; i < n; i++) {
        const bool standard = strcmp(names[i], "-") == 0;
        if (standard && read_once) return command_misused(c, "standard input can be read once only");
        read_once |= standard;
        FILE *in = standard ? stdin : fopen(names[i], "rb");
        const int status = in ? one(ctx, standard ? "standard input" : names[i], in)
                              : command_failed(c, STATUS_USAGE, "%s: %s", names[i], strerror(errno));
        if (in && !standard) fclose(in);
        if (status > worst) worst = status;
    }
    return worst;
}
