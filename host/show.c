/* anechoic show: the kernel's tables, printed again from the records. */
#include "host/command.h"
#include "host/records.h"
#include "host/to_record.h"
#include "report/text.h"
#include <errno.h>
#include <getopt.h>
#include <string.h>

static void put(const char *line) { puts(line); }

static void record(void *ctx, const struct received *r)
{
    (void)ctx;
    text_render(to_record(r->object), put);
}

static void fault(void *ctx, const struct fault *f)
{
    unsigned long *faults = ctx;
    ++*faults;
    fprintf(stderr, "line %lu: %s\n", f->line, f->what);
}

static int show(const char *name, FILE *in)
{
    unsigned long faults = 0;
    const struct records_sink sink = {.record = record, .fault = fault, .ctx = &faults};
    text_begin();
    if (!records_read(in, &sink)) {
        fprintf(stderr, "anechoic show: %s: %s\n", name, strerror(errno));
        return STATUS_USAGE;
    }
    if (!faults) return STATUS_GOOD;
    fprintf(stderr, "anechoic show: %s: %lu fault%s; what was good is shown\n", name, faults,
            faults == 1 ? "" : "s");
    return STATUS_FOUND;
}

static void help(FILE *to)
{
    fputs("usage: anechoic show FILE...\n"
          "Prints the tables of captures. - is standard input.\n"
          "  -h, --help     show this\n"
          "Exit status: 0 all is shown, 1 a capture is damaged or incomplete, 2 wrong usage or an unreadable "
          "file.\n",
          to);
}

int command_show(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    int worst = STATUS_GOOD;
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (o == '?') return usage_error("show", "unknown option");
        help(stdout);
        return STATUS_GOOD;
    }
    if (optind == argc) return usage_error("show", "no file is named");
    for (int i = optind; i < argc; i++) {
        const bool standard = strcmp(argv[i], "-") == 0;
        FILE *in = standard ? stdin : fopen(argv[i], "r");
        int status = STATUS_USAGE;
        if (!in)
            fprintf(stderr, "anechoic show: %s: %s\n", argv[i], strerror(errno));
        else
            status = show(argv[i], in);
        if (in && !standard) fclose(in);
        if (status > worst) worst = status;
    }
    return worst;
}
