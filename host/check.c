/* anechoic check: is a capture complete, undamaged, and what the catalogue says (report/schema.def)? */
#include "host/command.h"
#include "host/fields.h"
#include "host/records.h"
#include <errno.h>
#include <getopt.h>
#include <string.h>

#define FAULTS_SHOWN 20

struct check {
    const char *name; /* of the capture */
    bool strict, text;
    unsigned long faults, sessions;
    long long records, status;
    const struct received *record; /* at hand, for its fields' faults */
};

__attribute__((format(printf, 2, 3))) static void found(struct check *c, const char *format, ...)
{
    va_list args;
    if (++c->faults > FAULTS_SHOWN) return;
    fprintf(stderr, "%s: ", c->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (c->faults == FAULTS_SHOWN) fprintf(stderr, "%s: further faults are only counted\n", c->name);
}

static void fault(void *ctx, const struct fault *f) { found(ctx, "line %lu: %s", f->line, f->what); }

static void field_fault(void *ctx, const char *what)
{
    struct check *c = ctx;
    found(c, "%s", what);
}

static void record(void *ctx, const struct received *r)
{
    struct check *c = ctx;
    const struct fields_check fields = {c->strict, field_fault, c};
    char where[96];
    snprintf(where, sizeof where, "record %lld (%.32s)", r->n, r->type);
    fields_check(&fields, r->object, where);
}

static void text(void *ctx, const char *line, size_t len)
{
    const struct check *c = ctx;
    if (c->text) printf("%.*s\n", (int)len, line);
}

static void session(void *ctx, const struct session_seen *s)
{
    struct check *c = ctx;
    c->sessions++;
    c->records += s->next;
    if (s->status) c->status = s->status;
}

static int check(FILE *in, struct check *c)
{
    const struct records_sink sink = {record, text, fault, session, c};
    if (!records_read(in, &sink)) {
        fprintf(stderr, "anechoic check: %s: %s\n", c->name, strerror(errno));
        return STATUS_USAGE;
    }
    printf("%s: %lld records", c->name, c->records);
    if (c->sessions > 1) printf(" in %lu sessions", c->sessions);
    if (c->faults)
        printf(", NOT COMPLETE, %lu fault%s\n", c->faults, c->faults == 1 ? "" : "s");
    else
        printf(", complete, status %lld\n", c->status);
    return c->faults ? STATUS_FOUND : STATUS_GOOD;
}

static void help(FILE *to)
{
    fputs("usage: anechoic check [OPTION...] FILE...\n"
          "Proves that captures are complete and undamaged. - is standard input.\n"
          "      --strict   refuse fields that this version does not know\n"
          "      --text     print the lines for people as well\n"
          "  -h, --help     show this\n"
          "Exit status: 0 complete, 1 damaged or incomplete, 2 wrong usage or an unreadable file.\n",
          to);
}

int command_check(int argc, char **argv)
{
    static const struct option options[] = {{"strict", no_argument, NULL, 's'},
                                            {"text", no_argument, NULL, 't'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct check asked = {0};
    int worst = STATUS_GOOD;
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (o == 'h') {
            help(stdout);
            return STATUS_GOOD;
        }
        if (o == '?') return usage_error("check", "unknown option");
        asked.strict |= o == 's';
        asked.text |= o == 't';
    }
    if (optind == argc) return usage_error("check", "no file is named");
    for (int i = optind; i < argc; i++) {
        const bool standard = strcmp(argv[i], "-") == 0;
        struct check c = asked;
        FILE *in = standard ? stdin : fopen(argv[i], "r");
        int status = STATUS_USAGE;
        c.name = standard ? "standard input" : argv[i];
        if (!in)
            fprintf(stderr, "anechoic check: %s: %s\n", argv[i], strerror(errno));
        else
            status = check(in, &c);
        if (in && !standard) fclose(in);
        if (status > worst) worst = status;
    }
    return worst;
}
