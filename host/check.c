/* anechoic check: is a capture complete, undamaged, and what the catalogue says (report/schema.def)? */
#include "host/command.h"
#include "host/escape.h"
#include "host/faults.h"
#include "host/fields.h"
#include "host/values.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct check {
    bool strict, text;
    bool modelled; /* this session */
    struct faults faults;
    unsigned long sessions;
    unsigned long unknown;  /* records of types that the catalogue does not have */
    char unknown_type[64];  /* the first one's */
    unsigned long records;  /* good ones */
    unsigned long repeated; /* that came again, as they were */
    long long left_out;     /* of the QR codes that a capture was made from */
    long long status;
};

static void fault(void *ctx, const struct fault *f)
{
    struct check *c = ctx;
    faults_add(&c->faults, f);
}

static void field_fault(void *ctx, const char *what)
{
    struct check *c = ctx;
    faults_say(&c->faults, what);
}

static void record(void *ctx, const struct received *r)
{
    struct check *c = ctx;
    if (strcmp(r->type, "boot") == 0) c->modelled = *text_of(r->object, "modelled");
    const struct fields_check fields = {c->strict, c->modelled, field_fault, c};
    char where[96];
    snprintf(where, sizeof where, "record %lld (%.32s)", r->n, r->type);
    if (!fields_check(&fields, r->object, where) && c->unknown++ == 0)
        escape_text(c->unknown_type, sizeof c->unknown_type, r->type);
}

static void text(void *ctx, const char *line, size_t len)
{
    const struct check *c = ctx;
    if (!c->text) return;
    escape_print(stdout, line, len);
    putchar('\n');
}

static void session(void *ctx, const struct session_seen *s)
{
    struct check *c = ctx;
    c->sessions++;
    c->records += s->received;
    c->repeated += s->repeated;
    c->left_out += s->left_out;
    if (s->status) c->status = s->status;
}

static int check(void *asked, const char *name, FILE *in)
{
    struct check c = *(const struct check *)asked;
    char left_out[96];
    const struct records_sink sink = {
        .record = record, .text = text, .fault = fault, .session = session, .ctx = &c};
    c.faults.name = name;
    if (!records_read(in, &sink))
        return command_failed(&command_check, STATUS_USAGE, "%s: %s", name, strerror(errno));
    if (c.unknown)
        fprintf(stderr, "%s: %lu record%s of types that this version does not know, such as %s\n", name,
                c.unknown, c.unknown == 1 ? "" : "s", c.unknown_type);
    printf("%s: %lu %srecord%s", name, c.records, c.faults.n ? "good " : "", c.records == 1 ? "" : "s");
    snprintf(left_out, sizeof left_out, " as QR codes (%lld more were left out of them)", c.left_out);
    if (c.sessions > 1) printf(" in %lu sessions", c.sessions);
    if (c.faults.n)
        printf(", NOT COMPLETE, %lu fault%s", c.faults.n, c.faults.n == 1 ? "" : "s");
    else
        printf(", complete%s, status %lld", c.left_out ? left_out : "", c.status);
    if (c.repeated) printf("; %lu record%s came again, unchanged", c.repeated, c.repeated == 1 ? "" : "s");
    putchar('\n');
    return c.faults.n ? STATUS_FOUND : STATUS_GOOD;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct check asked = {0};
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        asked.strict |= id == 's';
        asked.text |= id == 't';
    }
    return command_files(self, argc - optind, argv + optind, check, &asked);
}

static const struct command_option options[] = {
    {'s', "strict", NULL,
     "refuse fields and types of records that this version does not know, and times of the PMU model"},
    {'t', "text", NULL, "print the lines for people as well"},
    {0},
};

const struct command command_check = {
    .name = "check",
    .summary = "prove that a capture is complete and undamaged",
    .arguments = "FILE...",
    .about = "Proves that captures are complete and undamaged: that each record has the checksum that it "
             "carries, its number, and the fields that docs/records.md promises. - is standard input.",
    .options = options,
    .statuses = "0 complete, 1 damaged or incomplete, 2 wrong usage or an unreadable file, 4 the output "
                "cannot be written.",
    .run = run,
};
