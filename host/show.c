/* anechoic show: the kernel's tables, printed again from the records. */
#include "host/command.h"
#include "host/records.h"
#include "host/to_record.h"
#include "report/text.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

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

static int show(void *ctx, const char *name, FILE *in)
{
    unsigned long faults = 0;
    const struct records_sink sink = {.record = record, .fault = fault, .ctx = &faults};
    (void)ctx;
    text_begin();
    if (!records_read(in, &sink))
        return command_failed(&command_show, STATUS_USAGE, "%s: %s", name, strerror(errno));
    if (!faults) return STATUS_GOOD;
    return command_failed(&command_show, STATUS_FOUND, "%s: %lu fault%s; what was good is shown", name,
                          faults, faults == 1 ? "" : "s");
}

static int run(const struct command *self, int argc, char **argv)
{
    while (command_option(self, argc, argv) != -1) continue;
    return command_files(self, argc - optind, argv + optind, show, NULL);
}

static const struct command_option options[] = {{0}};

const struct command command_show = {
    .name = "show",
    .summary = "print a capture's results",
    .arguments = "FILE...",
    .about = "Prints the kernel's tables from the records of captures. - is standard input.",
    .options = options,
    .statuses = "0 all is shown, 1 a capture is damaged or incomplete, 2 wrong usage or an unreadable file.",
    .run = run,
};
