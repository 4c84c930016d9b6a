#include "host/assemble.h"
#include "host/boot.h"
#include "host/code.h"
#include "host/image.h"
#include "host/module.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMED_OUT   124 /* the scripts' status */
#define MODULE_NAME "snippets.mod"

/* ---- the kernel's words ---- */

static const struct {
    const char *key;
    bool parameter; /* of bench=code, else a word of its own */
} numbers[CODE_NUMBERS] = {
    [CODE_UNROLL] = {"unroll", true}, [CODE_LOOP] = {"loop", true},  [CODE_ALIGNMENT] = {"alignment", true},
    [CODE_OFFSET] = {"offset", true}, [CODE_REPS] = {"reps", false}, [CODE_WARMUP] = {"warmup", false},
    [CODE_STACK] = {"stack", false},
};

char *code_words(const struct code_job *j, const char *events)
{
    char *words = NULL;
    size_t size;
    FILE *to = open_memstream(&words, &size);
    if (!to) return NULL;
    if (j->where.target)
        fputs("text=none ", to); /* answers come from records; a serial line takes its time */
    fputs("bench=code", to);
    for (int i = 0; i < CODE_NUMBERS; i++)
        if (numbers[i].parameter && j->number[i]) fprintf(to, ":%s=%s", numbers[i].key, j->number[i]);
    if (j->range) fprintf(to, ":unroll=%s", j->range);
    if (j->basic) fputs(":basic=1", to);
    if (j->no_mem) fputs(":no_mem=1", to);
    for (int i = 0; i < CODE_NUMBERS; i++)
        if (!numbers[i].parameter && j->number[i]) fprintf(to, " %s=%s", numbers[i].key, j->number[i]);
    if (events) fprintf(to, " events=%s", events);
    if (j->ring) fprintf(to, " ring=%s", j->ring);
    if (j->serialize) fprintf(to, " serialize=%s", j->serialize);
    for (size_t i = 0; i < j->words; i++) fprintf(to, " %s", j->word[i]);
    if (fclose(to) == 0) return words;
    free(words);
    return NULL;
}

static const char *flavour(const struct code_job *j) { return j->bits == 64 ? "x86_64" : "i586"; }

/* ---- the module ---- */

static void say(void *ctx, const char *what)
{
    const struct command *self = ctx;
    command_failed(self, 0, "%s", what);
}

static int write_module(const struct command *self, const struct code_job *j, const char *path)
{
    size_t size;
    uint8_t *module = module_of_snippets(&j->snippets, j->bits, &size);
    FILE *to = module ? fopen(path, "wb") : NULL;
    bool good = to && fwrite(module, 1, size, to) == size;
    if (to && fclose(to) != 0) good = false;
    if (!good) command_failed(self, 0, "the module: %s", strerror(errno));
    free(module);
    return good ? STATUS_GOOD : STATUS_IMPOSSIBLE;
}

/* ---- in an emulator, or on this machine ---- */

/* Not ignored: a signal that is ignored would be so in the script, too. */
static void note_pipe(int signal) { (void)signal; }

/* Where nobody reads the answers any more, as after | head, the boot ends, unless it is kept. */
static void record(void *ctx, const struct received *r)
{
    struct code_job *j = ctx;
    answers_record(&j->answers, r);
    if (!ferror(stdout) || j->to || j->unread) return;
    j->unread = true;
    raise(SIGTERM);
}

static int boot(const struct command *self, struct code_job *j, const char *module, const char *words)
{
    char timeout[48];
    struct boot b = {.command = self,
                     .target = j->where.target,
                     .scripts = j->scripts,
                     .words = words,
                     .to = j->to,
                     .name = j->where.target,
                     .quiet = true,
                     .record = record,
                     .ctx = j};
    const char *option[SCRIPT_OPTIONS] = {"--flavour", flavour(j), "--module", module, timeout};
    b.option = option;
    b.options = 5;
    snprintf(timeout, sizeof timeout, "--timeout=%zu", CODE_TIMEOUT_S + j->snippets.n);
    if (j->where.option) option[b.options++] = j->where.option;
    for (size_t i = 0; i < j->options; i++) option[b.options++] = j->option[i];

    signal(SIGPIPE, note_pipe);
    j->answers.snippets = &j->snippets;
    answers_begin(&j->answers);
    return code_answered(self, j, boot_run(&b));
}

/* ---- on a real machine ---- */

/* An entry of the menu, "NAME=WORDS". */
static char *entry_of(const struct code_job *j, const char *name, const char *events)
{
    char *words = code_words(j, events);
    const size_t room = strlen(name) + 1 + (words ? strlen(words) : 0) + 1;
    char *entry = words ? malloc(room) : NULL;
    if (entry) snprintf(entry, room, "%s=%s", name, words);
    free(words);
    return entry;
}

/* Where the user names no events, there is an entry for a machine without counters, too. */
static int image(const struct command *self, const struct code_job *j, const char *module)
{
    char *counted = entry_of(j, j->events ? "Snippets" : "Snippets, counted",
                             j->events ? j->events : j->where.events),
         *timed = entry_of(j, "Snippets, time only", NULL);
    const char *const option[] = {"--flavour", flavour(j), "--module", module,
                                  "--entry",   counted,    "--entry",  timed};
    const size_t n = sizeof option / sizeof *option - (j->events ? 2 : 0);
    int status = !counted || !timed ? command_failed(self, STATUS_IMPOSSIBLE, "there is no memory")
                                    : image_make(self, "tools/mkiso.sh", option, n, j->where.image);
    if (status == STATUS_GOOD)
        printf("%s: %zu snippet%s\n"
               "Next: sudo dd if=%s of=/dev/sdX bs=4M conv=fsync writes it to the stick sdX; boot the "
               "machine from it.\n"
               "Keep what comes over its serial line: anechoic capture /dev/ttyUSB0 -o answers.txt\n"
               "Then: anechoic code --from answers.txt\n",
               j->where.image, j->snippets.n, j->snippets.n == 1 ? "" : "s", j->where.image);
    free(counted);
    free(timed);
    return status;
}

/* ---- public ---- */

int code_answered(const struct command *self, struct code_job *j, int status)
{
    const size_t answered = j->answers.answered;
    const bool printed = answers_end(&j->answers);
    if (status == TIMED_OUT)
        command_failed(
            self, 0,
            "the time is over%s%s; -x --timeout=S allows S seconds. Code that overwrites the kernel or "
            "switches paging off cannot be ended",
            answered ? ", the last answer is that of " : ", and there is no answer",
            answered ? j->answers.heading : "");
    if (!printed) command_failed(self, 0, "standard output: %s", strerror(errno));
    if (!j->range && answered < j->snippets.n && answered)
        command_failed(self, 0, "%zu of %zu snippets have an answer", answered, j->snippets.n);
    return status                           ? status
           : !printed                       ? STATUS_IMPOSSIBLE
           : j->answers.failed || !answered ? STATUS_FOUND
                                            : STATUS_GOOD;
}

int code_assemble(const struct command *self, struct code_job *j)
{
    struct assembling how = {.bits = j->bits, .att = j->att, .say = say, .ctx = (void *)self};
    return assemble(&j->snippets, &how);
}

int code_measure(const struct command *self, struct code_job *j)
{
    char dir[] = "/tmp/anechoic.XXXXXX", module[sizeof dir + sizeof MODULE_NAME];
    int status = code_assemble(self, j);
    if (status != STATUS_GOOD) return status;
    if (*j->chosen) command_failed(self, 0, "%s", j->chosen);
    if (!mkdtemp(dir)) return command_failed(self, STATUS_IMPOSSIBLE, "%s: %s", dir, strerror(errno));
    snprintf(module, sizeof module, "%s/" MODULE_NAME, dir);
    status = write_module(self, j, module);
    if (status == STATUS_GOOD && j->where.image) {
        status = image(self, j, module);
    } else if (status == STATUS_GOOD) {
        char *words = code_words(j, j->events ? j->events : j->where.events);
        status = words ? boot(self, j, module, words)
                       : command_failed(self, STATUS_IMPOSSIBLE, "there is no memory");
        free(words);
    }
    unlink(module);
    rmdir(dir);
    return status;
}
