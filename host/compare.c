/* anechoic compare: did anything change, from OLD's captures to NEW's? */
#include "host/compare.h"
#include "host/command.h"
#include "host/compare_table.h"
#include "host/escape.h"
#include "report/json.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARGIN_USUAL 0.01

struct asked {
    struct judging how;
    enum table_format format;
    bool changed_only;
};

struct files {
    char **name[SIDES];
    int n[SIDES];
};

/* ---- the verdict ---- */

/* Rows that a side has. */
static size_t rows_of(const struct comparison *c, enum side side)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) n += c->row[i].side[side].n > 0;
    return n;
}

/* The rows that fail, for the log of a CI job, whatever the format is. */
static size_t name_failures(const struct command *self, const struct comparison *c, double fail_over)
{
    char what[1024], shown[1024], much[160], from[REAL_TEXT], to[REAL_TEXT];
    size_t n = 0;
    for (const struct compared *row = c->row; row < c->row + c->n; row++) {
        if (!row->beyond) continue;
        n++;
        if (row->verdict == ONLY_OLD)
            snprintf(much, sizeof much, "NEW does not have it");
        else if (row->mean[OLD] <= 0) {
            real_text(from, row->mean[OLD]);
            real_text(to, row->mean[NEW]);
            snprintf(much, sizeof much, "%s: from %s to %s", verdict_name[row->verdict], from, to);
        } else
            snprintf(much, sizeof much, "%s by %.3g %% at least, beyond %g %%", verdict_name[row->verdict],
                     100 * (row->low - 1), 100 * fail_over);
        snprintf(what, sizeof what, "%s, %s", row->label, row->event);
        command_failed(self, STATUS_FOUND, "%s: %s", escape_text(shown, sizeof shown, what), much);
    }
    return n;
}

static int conclude(const struct command *self, struct comparison *c, const struct asked *a)
{
    const char *refused = comparison_refused(c);
    if (refused) return command_failed(self, STATUS_USAGE, "%s", refused);
    if (c->no_memory || !comparison_judge(c, &a->how))
        return command_failed(self, STATUS_IMPOSSIBLE, "no memory left");
    const size_t old = rows_of(c, OLD), new = rows_of(c, NEW);
    if (!old || !new)
        return command_failed(self, STATUS_USAGE, "%s has no result, region or truth row with a value",
                              side_name[old ? NEW : OLD]);
    if (old + new == c->n)
        return command_failed(self, STATUS_USAGE,
                              "OLD's %zu rows and NEW's %zu have nothing in common: no benchmark, variant, "
                              "parameters, event, CPU and ring are the same",
                              old, new);
    if (!comparison_print(c, &a->how, a->changed_only, a->format, stdout))
        return command_failed(self, STATUS_IMPOSSIBLE, "no memory left");
    const int printed = command_finished(self, STATUS_GOOD); /* what fails is named below the table */
    if (printed != STATUS_GOOD) return printed;
    const size_t failures = name_failures(self, c, a->how.fail_over);
    if (c->faults)
        return command_failed(self, STATUS_USAGE, "%zu fault%s in the captures; what was good is compared",
                              c->faults, c->faults == 1 ? "" : "s");
    return failures ? STATUS_FOUND : STATUS_GOOD;
}

/* ---- the command line ---- */

enum { OPTION_MARGIN = 256, OPTION_FAIL_OVER, OPTION_FORMAT, OPTION_CHANGED };

static const struct command_option options[] = {
    {OPTION_MARGIN, "margin", "PCT",
     "call what lies within PCT percent the same, where it is not known to differ (default 1)"},
    {OPTION_FAIL_OVER, "fail-over", "PCT",
     "exit with 1 where a row's whole interval lies more than PCT percent above OLD, or NEW lacks a row of "
     "OLD"},
    {OPTION_FORMAT, "format", "NAME", TABLE_FORMATS " (default text)"},
    {OPTION_CHANGED, "changed", NULL, "leave out the rows that are the same"},
    {0},
};

/* False: it is no percentage. */
static bool percentage(const char *text, double *share)
{
    char *end;
    errno = 0;
    *share = strtod(text, &end) / 100;
    return end != text && !*end && !errno && isfinite(*share) && *share >= 0;
}

/* Where OLD ends and NEW begins, "--" or two names. getopt puts the names last and keeps their order, so that
 * those after "--" are the last ones. */
static int split(const struct command *self, int argc, char **argv, int after_dashes, struct files *f)
{
    int n = argc - optind;
    char **names = argv + optind;
    if (after_dashes < 0) {
        if (n != 2)
            return command_misused(self,
                                   "it takes two captures, or several on both sides of \"--\"; %d %s named",
                                   n, n == 1 ? "is" : "are");
        after_dashes = 1;
    }
    n -= after_dashes;
    if (n > 0 && strcmp(names[n - 1], "--") == 0) n--; /* where POSIXLY_CORRECT stops getopt at a name */
    *f = (struct files){{names, argv + argc - after_dashes}, {n, after_dashes}};
    for (int side = OLD; side < SIDES; side++)
        if (f->n[side] < 1) return command_misused(self, "%s has no capture", side_name[side]);
    return STATUS_GOOD;
}

struct opened {
    struct comparison *c;
    enum side side;
};

static int read_one(void *ctx, const char *name, FILE *in)
{
    const struct opened *o = ctx;
    if (comparison_read(o->c, o->side, name, in)) return STATUS_GOOD;
    return command_failed(&command_compare, STATUS_USAGE, "%s: %s", name, strerror(errno));
}

static int compare(const struct command *self, const struct files *f, const struct asked *a)
{
    struct comparison c;
    int status = STATUS_GOOD;
    comparison_begin(&c);
    for (int side = OLD; side < SIDES && status == STATUS_GOOD; side++)
        status = command_files(self, f->n[side], f->name[side], read_one, &(struct opened){&c, side});
    if (status == STATUS_GOOD) status = conclude(self, &c, a);
    comparison_end(&c);
    return status;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct asked a = {.how = {MARGIN_USUAL, -1}};
    struct files f;
    int after_dashes = -1;
    for (int i = 1; i < argc && after_dashes < 0; i++)
        if (strcmp(argv[i], "--") == 0) after_dashes = argc - 1 - i;
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == OPTION_MARGIN && !percentage(optarg, &a.how.margin))
            return command_misused(self, "--margin: \"%s\" is no percentage", optarg);
        if (id == OPTION_FAIL_OVER && !percentage(optarg, &a.how.fail_over))
            return command_misused(self, "--fail-over: \"%s\" is no percentage", optarg);
        if (id == OPTION_FORMAT && !table_format_named(optarg, &a.format))
            return command_misused(self, "--format: \"%s\" is none of " TABLE_FORMATS, optarg);
        a.changed_only |= id == OPTION_CHANGED;
    }
    const int status = split(self, argc, argv, after_dashes, &f);
    return status == STATUS_GOOD ? compare(self, &f, &a) : status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "say what changed between two sets of captures",
    .arguments = "OLD NEW | OLD... -- NEW...",
    .about = "Matches results, regions and truth rows by benchmark, variant, parameters, event, CPU and "
             "ring, and says of each whether NEW differs from OLD. - is standard input.\n\n"
             "Counts that did not vary are compared exactly. Everything else is compared by the ratio of NEW "
             "to OLD, and its interval comes from the boots: each session of a capture is one boot, and each "
             "boot counts once, with its median. From one boot a side nobody can know how far boots differ, "
             "and compare says so.\n\n"
             "\"faster\" and \"slower\" (of what is not time: \"fewer\" and \"more\") say that the interval "
             "excludes 1; \"same\", that it lies within --margin; \"cannot tell\", neither. The intervals "
             "(Welch's, of the boots' logarithms) are Holm-corrected over the rows: equal sides have a row "
             "that is called different in 5 of 100 comparisons, however many rows there are.\n\n"
             "Different machines are named. A model's or an emulator's results are not compared with a "
             "processor's.",
    .options = options,
    .statuses = "0 compared, 1 a row fails --fail-over, 2 wrong usage, damaged captures, or nothing to "
                "compare, 4 no memory or the output cannot be written.",
    .run = run,
};
