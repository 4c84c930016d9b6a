/* anechoic code: measures a line of assembly, or thousands of them, without building a kernel. */
#include "host/code.h"
#include "host/code_default.h"
#include "host/code_options.h"
#include "host/stop.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was given, put together. */
static int complete(const struct command *self, struct code_job *j, const struct code_given *g)
{
    char why[512];
    j->bits = g->bits ? (unsigned)atoi(g->bits) : 0;
    j->range = *g->range ? g->range : NULL;
    const char *on = code_default(j, g->on);
    if (!code_where(&j->where, on, why, sizeof why)) return command_misused(self, "%s", why);
    if (!g->bits) j->bits = j->where.bits;
    if (j->bits == 64 && j->where.only32)
        return command_misused(self, "--bits 64: the CPU of --on %s has 32 bits only", g->on);
    if (j->bits == 32 && j->where.only64)
        return command_misused(self, "--bits 32: the kernel of --on %s has 64 bits only", g->on);
    if (j->range && j->number[CODE_UNROLL])
        return command_misused(self, "--range has the numbers of copies, so there is no --unroll beside it");
    if (j->to && strcmp(j->to, "-") == 0)
        return command_misused(self, "-o -: standard output has the answers; the capture needs a file");
    if (j->where.tty && j->number[CODE_STACK])
        return command_misused(
            self, "--stack does not work with --on tty:, because that machine has already booted; set stack= "
                  "on its kernel command line");
    if (j->where.tty && j->options)
        return command_misused(self, "-x is for an emulator's script, and --on tty: has none");
    if (j->to && j->where.image) return command_misused(self, "-o: an image is made, and nothing captured");
    return STATUS_GOOD;
}

/* The snippets: of a file, or the first argument. */
static int gather(const struct command *self, struct code_job *j, const struct code_given *g, char **argv)
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
        if (key == word || *key != '=' || !code_is_word(word))
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
    struct code_given g = {0};
    int status = STATUS_GOOD;
    j.answers.command = self->name;
    for (int id; status == STATUS_GOOD && (id = command_option(self, argc, argv)) != -1;)
        status = code_option(self, &j, &g, id);
    if (status == STATUS_GOOD && g.from) {
        if (argv[optind] || g.file || j.to)
            status =
                command_misused(self, "--from measures nothing, so there are no code, -f and -o beside it");
        else
            status = code_from(self, &j.answers, g.from);
    } else if (status == STATUS_GOOD) {
        status = gather(self, &j, &g, argv);
        if (status == STATUS_GOOD) status = take_words(self, &j, argv);
        if (status == STATUS_GOOD) status = complete(self, &j, &g);
        j.answers.headings = j.snippets.n > 1 || j.range;
        stop_catch();
        if (status == STATUS_GOOD) status = j.where.tty ? code_at_prompt(self, &j) : code_measure(self, &j);
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
        "--on image:FILE makes a stick for that; --on tty:DEVICE asks a machine that has booted with "
        "exit=monitor, "
        "without another boot. WORDS are further words for the kernel, such as all=1.\n\n"
        "The form of -f's file, and what to expect, are in docs/code.md; nanoBench's options in "
        "docs/nanobench.md.",
    .options = code_options,
    .statuses = "0 all have answers, 1 a snippet failed or a capture is not complete, 2 wrong usage, or code "
                "that does not "
                "assemble, 3 the kernel could not run, 4 not possible here, 5 packages, build or emulator "
                "failed, 124 "
                "time-out, 130 Ctrl-C.",
    .run = run,
};
