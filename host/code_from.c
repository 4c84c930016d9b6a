#include "host/code.h"
#include "host/faults.h"
#include <errno.h>
#include <string.h>

struct reading {
    const struct command *command;
    struct answers *answers;
    struct faults faults;
};

static void record(void *ctx, const struct received *r)
{
    const struct reading *reading = ctx;
    answers_record(reading->answers, r);
}

static void fault(void *ctx, const struct fault *f)
{
    struct reading *reading = ctx;
    faults_add(&reading->faults, f);
}

static int read_one(void *ctx, const char *name, FILE *in)
{
    struct reading *r = ctx;
    const struct records_sink sink = {.record = record, .fault = fault, .ctx = r};
    struct answers *a = r->answers;
    r->faults.name = name;
    answers_begin(a);
    const bool good = records_read(in, &sink);
    const int error = errno;
    const size_t answered = a->answered;
    if (!answers_end(a))
        return command_failed(r->command, STATUS_IMPOSSIBLE, "standard output: %s", strerror(errno));
    if (!good) return command_failed(r->command, STATUS_USAGE, "%s: %s", name, strerror(error));
    if (!answered)
        return command_failed(r->command, STATUS_FOUND, "%s: it has no answer: no result of bench=code",
                              name);
    return a->failed || r->faults.n ? STATUS_FOUND : STATUS_GOOD;
}

int code_from(const struct command *self, struct answers *a, const char *name)
{
    struct reading r = {.command = self, .answers = a};
    char *names[] = {(char *)name};
    a->headings = true;
    return command_files(self, 1, names, read_one, &r);
}
