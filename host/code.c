/* anechoic code: measures a line of assembly, or thousands of them, without building a kernel. */
#include "host/code.h"
#include "host/stop.h"
#include "report/schema.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ON_USUAL    "bochs:skylake"
#define RANGE_BYTES 24

/* ---- options ---- */

enum {
    OPTION_ON = 256,
    OPTION_RANGE,
    OPTION_BASIC,
    OPTION_NO_NORMALIZATION,
    OPTION_AGGREGATE,
    OPTION_RING,
    OPTION_SERIALIZE,
    OPTION_SYNTAX,
    OPTION_BITS,
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_SCRIPTS,
    OPTION_PART,                                /* and a part of a snippet, of enum snippet_part */
    OPTION_NUMBER = OPTION_PART + SNIPPET_PARTS /* and one of enum code_number */
};

static const struct command_option options[] = {
    {'e', "events", "LIST",
     "what to count, as events= has it, separated by commas (default instructions,cycles; in QEMU the "
     "time-stamp "
     "counter)"},
    {OPTION_ON, "on", "WHERE",
     "bochs:CPU, qemu, kvm, or image:FILE for a real machine (default " ON_USUAL ")"},
    {'f', "file", "FILE",
     "snippets, each with a name, instead of the one on the command line; - is standard input"},
    {OPTION_PART + SNIPPET_INIT, "init", "CODE", "runs before the code, in each repetition"},
    {OPTION_PART + SNIPPET_LATE, "late-init", "CODE",
     "the same, right before the code, which may begin while it still runs"},
    {OPTION_PART + SNIPPET_ONE_TIME, "one-time-init", "CODE", "runs once, before everything else"},
    {OPTION_NUMBER + CODE_UNROLL, "unroll", "N",
     "copies of the code in a row (default 100); twice as many in the second run"},
    {OPTION_RANGE, "range", "RANGE", "as 1-16: each of these numbers of copies, an answer for each"},
    {OPTION_NUMBER + CODE_LOOP, "loop", "N", "a loop of N turns around the copies (default 0: none)"},
    {OPTION_NUMBER + CODE_REPS, "reps", "N", "repetitions (default 20)"},
    {OPTION_NUMBER + CODE_WARMUP, "warmup", "N", "runs before the first repetition (default 2)"},
    {OPTION_BASIC, "basic", NULL,
     "subtract what the code costs with no copy, instead of running N and 2 N copies"},
    {OPTION_NO_NORMALIZATION, "no-normalization", NULL, "of all copies together, not of one"},
    {OPTION_AGGREGATE, "aggregate", "NAME",
     ANSWER_AGGREGATES ": which of the statistics of the repetitions (default median)"},
    {OPTION_NUMBER + CODE_ALIGNMENT, "alignment", "N",
     "the first copy begins at a multiple of so many bytes (default 64)"},
    {OPTION_NUMBER + CODE_OFFSET, "offset", "N", "and so many bytes after that (default 0)"},
    {OPTION_RING, "ring", "N", "the privilege level: 0 (default) or 3"},
    {OPTION_SERIALIZE, "serialize", "HOW", "cpuid, lfence or serialize orders the readings (default cpuid)"},
    {OPTION_SYNTAX, "syntax", "NAME", "of the code: intel (default) or att"},
    {OPTION_BITS, "bits", "N", "32 or 64: which kernel and mode (default 64 where the CPU has it)"},
    {OPTION_FORMAT, "format", "NAME", TABLE_FORMATS ": text (default) as it comes, the others at the end"},
    {'o', "output", "FILE", "the capture: every line that the kernel sends"},
    {OPTION_FROM, "from", "CAPTURE", "measure nothing: show the answers that are in this capture"},
    {'x', "script-option", "OPTION",
     "an option for the emulator's script, such as --timeout=600; may be repeated"},
    {OPTION_SCRIPTS, "scripts", "DIR", "where run-qemu.sh and run-bochs.sh are, as in anechoic run"},
    {0},
};

/* ---- values ---- */

/* Blanks would begin another word of the kernel's line. */
static bool is_word(const char *s) { return *s && !s[strcspn(s, " \t\r\n")]; }
static bool is_number(const char *s) { return *s && !s[strspn(s, "0123456789")] && strlen(s) <= 9; }

/* "3-9" becomes the kernel's 3..9. */
static bool take_range(const char *s, char range[RANGE_BYTES])
{
    char from[10], to[10];
    int n = 0;
    if (sscanf(s, "%9[0-9]-%9[0-9]%n", from, to, &n) != 2 || s[n] || atol(from) > atol(to)) return false;
    snprintf(range, RANGE_BYTES, "%s..%s", from, to);
    return true;
}

/* Options whose value is one of a few. */
static const struct {
    int id;
    const char *values;
} choices[] = {
    {OPTION_AGGREGATE, ANSWER_AGGREGATES},
    {OPTION_RING, "0|3"},
    {OPTION_SERIALIZE, "cpuid|lfence|serialize"},
    {OPTION_SYNTAX, "intel|att"},
    {OPTION_BITS, "32|64"},
};

/* What is wrong with an option's value. STATUS_GOOD: nothing. */
static int judge(const struct command *self, int id, const char *value)
{
    const struct command_option *o = options;
    while (o->id != id) o++;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].id == id && !schema_has_value(choices[i].values, value))
            return command_misused(self, "--%s %s: it is one of %s", o->name, value, choices[i].values);
    if (o->value && strcmp(o->value, "N") == 0 && !is_number(value))
        return command_misused(self, "--%s %s: a number is expected, such as 100", o->name, value);
    if (id == 'e' && !is_word(value))
        return command_misused(self, "--events \"%s\": names of events, separated by commas without blanks",
                               value);
    return STATUS_GOOD;
}

/* ---- the command line ---- */

/* What options say that is looked at when all are known. */
struct given {
    const char *on, *file, *from, *bits, *part[SNIPPET_PARTS];
    char range[RANGE_BYTES]; /* "": none */
};

static int take_option(const struct command *self, struct code_job *j, struct given *g, int id)
{
    const int wrong = judge(self, id, optarg);
    if (wrong) return wrong;
    if (id >= OPTION_NUMBER) {
        j->number[id - OPTION_NUMBER] = optarg;
        return STATUS_GOOD;
    }
    if (id >= OPTION_PART) {
        g->part[id - OPTION_PART] = optarg;
        return STATUS_GOOD;
    }
    switch (id) {
    case 'e':
        j->events = optarg;
        break;
    case 'f':
        g->file = optarg;
        break;
    case 'o':
        j->to = optarg;
        break;
    case 'x':
        if (j->options == CODE_OPTIONS)
            return command_misused(self, "--script-option: %d at most", CODE_OPTIONS);
        j->option[j->options++] = optarg;
        break;
    case OPTION_ON:
        g->on = optarg;
        break;
    case OPTION_RANGE:
        if (!take_range(optarg, g->range))
            return command_misused(self, "--range %s: two numbers are expected, such as 1-16", optarg);
        break;
    case OPTION_BASIC:
        j->basic = true;
        break;
    case OPTION_NO_NORMALIZATION:
        j->answers.total = true;
        break;
    case OPTION_AGGREGATE:
        j->answers.aggregate = optarg;
        break;
    case OPTION_RING:
        j->ring = optarg;
        break;
    case OPTION_SERIALIZE:
        j->serialize = optarg;
        break;
    case OPTION_SYNTAX:
        j->att = strcmp(optarg, "att") == 0;
        break;
    case OPTION_BITS:
        g->bits = optarg;
        break;
    case OPTION_FORMAT:
        if (!table_format_named(optarg, &j->answers.format))
            return command_misused(self, "--format %s: it is one of " TABLE_FORMATS, optarg);
        break;
    case OPTION_FROM:
        g->from = optarg;
        break;
    case OPTION_SCRIPTS:
        j->scripts = optarg;
        break;
    }
    return STATUS_GOOD;
}

/* What was given, put together. */
static int complete(const struct command *self, struct code_job *j, const struct given *g)
{
    char why[512];
    if (!code_where(&j->where, g->on ? g->on : ON_USUAL, why, sizeof why))
        return command_misused(self, "%s", why);
    j->bits = g->bits ? (unsigned)atoi(g->bits) : j->where.bits;
    if (j->bits == 64 && j->where.only32)
        return command_misused(self, "--bits 64: the CPU of --on %s has 32 bits only", g->on);
    j->range = *g->range ? g->range : NULL;
    if (j->range && j->number[CODE_UNROLL])
        return command_misused(self, "--range has the numbers of copies, so there is no --unroll beside it");
    if (j->to && strcmp(j->to, "-") == 0)
        return command_misused(self, "-o -: standard output has the answers; the capture needs a file");
    if (j->to && j->where.image) return command_misused(self, "-o: an image is made, and nothing captured");
    return STATUS_GOOD;
}

/* The snippets: of a file, or the first argument. */
static int gather(const struct command *self, struct code_job *j, const struct given *g, char **argv)
{
    char why[512];
    bool good;
    if (g->file) {
        const bool standard = strcmp(g->file, "-") == 0;
        FILE *in = standard ? stdin : fopen(g->file, "r");
        if (!in) return command_failed(self, STATUS_USAGE, "%s: %s", g->file, strerror(errno));
        good = snippets_read(&j->snippets, standard ? "standard input" : g->file, in, why, sizeof why);
        if (!standard) fclose(in);
        if (!good) return command_failed(self, STATUS_USAGE, "%s", why);
    } else {
        if (!argv[optind])
            return command_misused(self,
                                   "what shall be measured is missing, such as 'imul rax, rbx'; or -f FILE");
        good = snippets_from_option(&j->snippets, argv[optind++]);
    }
    for (int part = 0; part < SNIPPET_PARTS; part++)
        if (g->part[part] && good)
            good = snippets_default(&j->snippets, (enum snippet_part)part, g->part[part]);
    return good ? STATUS_GOOD : command_failed(self, STATUS_IMPOSSIBLE, "there is no memory");
}

/* Further words of the kernel's, such as all=1. Code in two arguments is the likeliest mistake. */
static int take_words(const struct command *self, struct code_job *j, char **argv)
{
    for (; argv[optind]; optind++) {
        const char *word = argv[optind], *key = word + strspn(word, "abcdefghijklmnopqrstuvwxyz");
        if (key == word || *key != '=' || !is_word(word))
            return command_misused(
                self, "\"%s\" is no word for the kernel, such as all=1; the code is one argument, in quotes",
                word);
        if (j->words == CODE_WORDS) return command_misused(self, "more than %d words", CODE_WORDS);
        j->word[j->words++] = word;
    }
    return STATUS_GOOD;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct code_job j = {.answers = {.aggregate = "median"}};
    struct given g = {0};
    int status = STATUS_GOOD;
    j.answers.command = self->name;
    for (int id; status == STATUS_GOOD && (id = command_option(self, argc, argv)) != -1;)
        status = take_option(self, &j, &g, id);
    if (status == STATUS_GOOD) status = complete(self, &j, &g);
    if (status == STATUS_GOOD && g.from) {
        if (argv[optind] || g.file || j.to)
            status =
                command_misused(self, "--from measures nothing, so there are no code, -f and -o beside it");
        else
            status = code_from(self, &j.answers, g.from);
    } else if (status == STATUS_GOOD) {
        status = gather(self, &j, &g, argv);
        if (status == STATUS_GOOD) status = take_words(self, &j, argv);
        j.answers.headings = j.snippets.n > 1 || j.range;
        stop_catch();
        if (status == STATUS_GOOD) status = code_measure(self, &j);
    }
    snippets_free(&j.snippets);
    return status;
}

const struct command command_code = {
    .name = "code",
    .summary = "measure a line of assembly",
    .arguments = "['CODE'] [WORDS...]",
    .about =
        "Assembles the code with GNU as, hands it to the kernel as a module, and prints what one copy of it "
        "costs: "
        "anechoic code 'imul rax, rbx'. The kernel runs N copies and 2 N copies and subtracts, so that all "
        "else "
        "cancels and counts are exact.\n\n"
        "R14, RDI, RSI, RSP and RBP (32 bits: EDI, ESI, ESP, EBP) each point into the middle of memory of "
        "their own. "
        "With --loop the code must leave R15 alone. Init code runs in front and is not counted.\n\n"
        "Counts of bochs:CPU are exact, but neither it nor QEMU knows the time of a processor: latency needs "
        "silicon. "
        "--on image:FILE makes a stick for that. WORDS are further words for the kernel, such as all=1.\n\n"
        "The form of -f's file, and what to expect, are in docs/code.md; nanoBench's options in "
        "docs/nanobench.md.",
    .options = options,
    .statuses = "0 all have answers, 1 a snippet failed or a capture is not complete, 2 wrong usage, or code "
                "that does not "
                "assemble, 3 the kernel could not run, 4 not possible here, 5 packages, build or emulator "
                "failed, 124 "
                "time-out, 130 Ctrl-C.",
    .run = run,
};
