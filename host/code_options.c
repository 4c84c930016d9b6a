#include "host/code_options.h"
#include "host/bytes.h"
#include "report/schema.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_ON = 256,
    OPTION_RANGE,
    OPTION_BASIC,
    OPTION_NO_MEM,
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

const struct command_option code_options[] = {
    {'e', "events", "LIST",
     "what to count, as events= has it, separated by commas (default instructions,cycles; here and in QEMU "
     "the "
     "time-stamp counter)"},
    {OPTION_ON, "on", "WHERE",
     "here, as a Linux process; bochs:CPU, qemu, kvm, image:FILE for a real machine, or tty:DEVICE[,BAUD] "
     "for one at "
     "its prompt (default here, and bochs:skylake for what cannot be had here)"},
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
    {OPTION_NUMBER + CODE_STACK, "stack", "BYTES", "the stack that the code has (default 256K)"},
    {OPTION_BASIC, "basic", NULL,
     "subtract what the code costs with no copy, instead of running N and 2 N copies"},
    {OPTION_NO_MEM, "no-mem", NULL,
     "counts stay in registers, and no memory is written while they are taken; the code may stop_counting "
     "and "
     "start_counting"},
    {OPTION_NO_NORMALIZATION, "no-normalization", NULL, "of all copies together, not of one"},
    {OPTION_AGGREGATE, "aggregate", "NAME",
     ANSWER_AGGREGATES ": which of the statistics of the repetitions (default median)"},
    {OPTION_NUMBER + CODE_ALIGNMENT, "alignment", "N",
     "the first copy begins at a multiple of so many bytes (default 64)"},
    {OPTION_NUMBER + CODE_OFFSET, "offset", "N", "and so many bytes after that (default 0)"},
    {OPTION_RING, "ring", "N", "the privilege level: 0 (default) or 3, the only one here"},
    {OPTION_SERIALIZE, "serialize", "HOW",
     "cpuid, lfence or serialize orders the readings (default cpuid; here lfence)"},
    {OPTION_SYNTAX, "syntax", "NAME", "of the code: intel (default) or att"},
    {OPTION_BITS, "bits", "N",
     "32 or 64: which kernel and mode (default 64 where the CPU has it; at a prompt that of its kernel)"},
    {OPTION_FORMAT, "format", "NAME", TABLE_FORMATS ": text (default) as it comes, the others at the end"},
    {'o', "output", "FILE", "the capture: every line that the kernel sends"},
    {OPTION_FROM, "from", "CAPTURE", "measure nothing: show the answers that are in this capture"},
    {'x', "script-option", "OPTION",
     "an option for the emulator's script, such as --timeout=600; may be repeated"},
    {OPTION_SCRIPTS, "scripts", "DIR",
     "where run-here.sh, run-qemu.sh and run-bochs.sh are, as in anechoic run"},
    {0},
};

/* ---- values ---- */

bool code_is_word(const char *s) { return *s && !s[strcspn(s, " \t\r\n")]; }
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
    const struct command_option *o = code_options;
    while (o->id != id) o++;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].id == id && !schema_has_value(choices[i].values, value))
            return command_misused(self, "--%s %s: it is one of %s", o->name, value, choices[i].values);
    if (o->value && strcmp(o->value, "N") == 0 && !is_number(value))
        return command_misused(self, "--%s %s: a number is expected, such as 100", o->name, value);
    if (id == OPTION_NUMBER + CODE_STACK && !bytes_read(value, &(uint64_t){0}))
        return command_misused(self, "--stack %s: a number of bytes is expected, such as 65536 or 256K",
                               value);
    if (id == 'e' && !code_is_word(value))
        return command_misused(self, "--events \"%s\": names of events, separated by commas without blanks",
                               value);
    return STATUS_GOOD;
}

/* ---- all of them ---- */

int code_option(const struct command *self, struct code_job *j, struct code_given *g, int id)
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
    case OPTION_NO_MEM:
        j->no_mem = true;
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
