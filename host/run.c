/* anechoic run: boots the kernel in an emulator, once or several times, and keeps what it reports. */
#include "host/boot.h"
#include "host/keep.h"
#include "host/run_prompt.h"
#include "host/stop.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOTS_MAX 10000

struct job {
    const char *target, *scripts, *to, *module, *stack;
    const char *words[2]; /* the second, where two alternatives take turns */
    unsigned long boots;
    const char *option[SCRIPT_OPTIONS]; /* of the script */
    size_t options;
};

static void show(void *ctx, const char *line, size_t len)
{
    (void)ctx;
    printf("%.*s\n", (int)len, line);
}

static int at_prompt(const struct job *j, const char *words)
{
    const struct run_prompt r = {.command = &command_run,
                                 .spec = j->target + strlen(PROMPT_PREFIX),
                                 .words = words,
                                 .module = j->module,
                                 .to = j->to,
                                 .text = show};
    return run_at_prompt(&r);
}

static int boot(const struct job *j, const char *words, const char *to, const char *name)
{
    const struct boot b = {.command = &command_run,
                           .target = j->target,
                           .scripts = j->scripts,
                           .words = words,
                           .to = to,
                           .name = name,
                           .option = j->option,
                           .options = j->options,
                           .text = show};
    return boot_run(&b);
}

/* ---- several ---- */

/* results.txt: results-old-3.txt. To be freed; NULL: nothing is kept, or there is no memory. */
static char *name_of_boot(const struct job *j, unsigned alternative, unsigned long number)
{
    static const char *const sides[] = {"-old", "-new"};
    if (!j->to) return NULL;
    const size_t room = strlen(j->to) + 32;
    char *name = malloc(room);
    const int stem = keep_stem(j->to);
    char count[24] = "";
    if (j->boots > 1) snprintf(count, sizeof count, "-%lu", number);
    if (name)
        snprintf(name, room, "%.*s%s%s%s", stem, j->to, j->words[1] ? sides[alternative] : "", count,
                 j->to + stem);
    return name;
}

static int run_all(struct job *j)
{
    const unsigned alternatives = j->words[1] ? 2 : 1;
    const unsigned long all = j->boots * alternatives;
    int worst = STATUS_GOOD;
    for (unsigned long i = 0; i < all; i++) {
        char name[256];
        const unsigned a = (unsigned)(i % alternatives);
        char *to = name_of_boot(j, a, i / alternatives + 1);
        if (j->to && !to) return command_failed(&command_run, STATUS_IMPOSSIBLE, "there is no memory");
        if (all == 1)
            snprintf(name, sizeof name, "%s", j->target);
        else
            snprintf(name, sizeof name, "%s, boot %lu of %lu", j->target, i + 1, all);
        const int status = boot(j, j->words[a], to, name);
        free(to);
        if (status > worst) worst = status;
        if (status > STATUS_FOUND) break; /* the next one would fail likewise, or it was Ctrl-C */
    }
    return worst;
}

/* ---- words and options ---- */

/* Words of the kernel's command line, joined by blanks; and stack=, unless that is NULL. */
static char *join(int n, char *const *words, const char *stack)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    for (int i = 0; i < n; i++) fprintf(to, "%s%s", i ? " " : "", words[i]);
    if (stack) fprintf(to, "%sstack=%s", n ? " " : "", stack);
    if (fclose(to) == 0) return line;
    free(line);
    return NULL;
}

enum { OPTION_AGAINST = 256, OPTION_SCRIPTS, OPTION_MODULE, OPTION_STACK };

/* Of the script, and one for a value. */
static bool add_option(struct job *j, const char *option)
{
    if (j->options == SCRIPT_OPTIONS) return false;
    j->option[j->options++] = option;
    return true;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct job j = {.boots = 1};
    char *end = NULL;
    bool scripts_own = false, several = false;
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        switch (id) {
        case 'b':
            j.boots = strtoul(optarg, &end, 10);
            if (*end || *optarg < '0' || *optarg > '9' || !j.boots || j.boots > BOOTS_MAX)
                return command_misused(self, "--boots %s: a number from 1 to %d", optarg, BOOTS_MAX);
            break;
        case 'o':
            j.to = optarg;
            break;
        case 'x':
            if (!add_option(&j, optarg))
                return command_misused(self, "--script-option: %d at most", SCRIPT_OPTIONS);
            scripts_own = true;
            break;
        case OPTION_AGAINST:
            j.words[1] = optarg;
            break;
        case OPTION_MODULE:
            if (j.module) several = true;
            j.module = optarg;
            if (!add_option(&j, "--module") || !add_option(&j, optarg))
                return command_misused(self, "--module: too many options");
            break;
        case OPTION_STACK:
            j.stack = optarg;
            break;
        case OPTION_SCRIPTS:
            j.scripts = optarg;
            break;
        }
    }
    if (optind == argc)
        return command_misused(self,
                               "where it shall run is missing: here, qemu, kvm, bochs:CPU or tty:DEVICE");
    if ((j.boots > 1 || j.words[1]) && (!j.to || strcmp(j.to, "-") == 0))
        return command_misused(self, "several boots need -o FILE, whose name each capture's is made of");
    j.target = argv[optind++];
    const bool prompt = strncmp(j.target, PROMPT_PREFIX, strlen(PROMPT_PREFIX)) == 0;
    if (prompt && (j.boots > 1 || j.words[1] || scripts_own || several))
        return command_misused(
            self,
            "%s is a machine that has booted: no --boots, no --against, no --script-option, and one --module",
            j.target);
    if (prompt && j.stack)
        return command_misused(self,
                               "--stack does not work with %s, because that machine has already booted; set "
                               "stack= on its kernel command line",
                               j.target);
    char *words = join(argc - optind, argv + optind, j.stack), *against = NULL;
    if (words && j.stack && j.words[1]) {
        char *other = (char *)(uintptr_t)j.words[1];
        j.words[1] = against = join(1, &other, j.stack);
    }
    if (!words || (j.stack && !against != !j.words[1]))
        return command_failed(self, STATUS_IMPOSSIBLE, "there is no memory");
    j.words[0] = words;
    stop_catch();
    const int status = prompt ? at_prompt(&j, words) : run_all(&j);
    free(words);
    free(against);
    return status;
}

static const struct command_option options[] = {
    {OPTION_AGAINST, "against", "WORDS",
     "other words for the kernel, in quotes: both alternatives take turns, and are kept as FILE-old and "
     "FILE-new"},
    {'b', "boots", "N",
     "boot N times; the captures are FILE-1 to FILE-N, the number before the name's ending"},
    {OPTION_MODULE, "module", "FILE",
     "hand this file to the kernel, such as one of anechoic payload; at a prompt it is loaded"},
    {'o', "output", "FILE", "keep every line here, records and text, as it comes"},
    {OPTION_STACK, "stack", "BYTES", "the stack that measured code has: the kernel's stack= (default 256K)"},
    {'x', "script-option", "OPTION",
     "an option for the script, such as --icount or --timeout=600; may be repeated"},
    {OPTION_SCRIPTS, "scripts", "DIR",
     "where run-here.sh, run-qemu.sh and run-bochs.sh are (default: the sources in which this program was "
     "built, what was "
     "installed with it, or here)"},
    {0},
};

const struct command command_run = {
    .name = "run",
    .summary = "boot the kernel in an emulator, or ask one at its prompt, and keep what it reports",
    .arguments = "qemu|kvm|bochs:CPU|tty:DEVICE[,BAUD] [WORDS...]",
    .about = "Builds the kernel and boots it with these words: in QEMU, on this machine's own processor "
             "through KVM, or in Bochs with the counters of a modelled CPU. The text is shown as it comes. "
             "On a terminal a line at the bottom says which benchmark of how many it is, since when, and an "
             "estimate of the rest.\n\n"
             "The work is done by run-qemu.sh and run-bochs.sh of Anechoic's sources, and --script-option "
             "gives them options of their own. Ctrl-C ends it; what has come is kept.\n\n"
             "tty:DEVICE is a machine that has booted with exit=monitor, at the other end of a serial line. "
             "The words are its "
             "command run's, and it stays at its prompt (docs/monitor.md). -o keeps that stretch of its "
             "session.\n\n"
             "Words are documented in docs/measuring.md.",
    .options = options,
    .statuses =
        "those of the scripts: 0 done, 1 a benchmark failed, or a capture is not complete, 2 wrong usage or "
        "wrong words, 3 the kernel could not run, 4 not possible here, such as KVM without counters, 5 "
        "packages, build or emulator failed, 124 time-out, 130 Ctrl-C. Of several boots the highest.",
    .run = run,
};
