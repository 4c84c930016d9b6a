/* `run WORDS` on a machine at its prompt. */
#include "host/prompt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET_MS 1000 /* all has come but the prompt: an empty line brings another one */
#define END_MS   6000 /* from Ctrl-C to the prompt */

static time_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Where a record is damaged it may be the one that is waited for. */
static bool over(const struct prompt *p)
{
    return p->ended || (p->shown && (p->done || p->error || p->damaged || !ledger_complete(&p->ledger)));
}

/* A line of the kernel's that wraps is the kernel's business. */
static bool ask(struct prompt *p, const char *words)
{
    const size_t room = strlen(words) + 8;
    char *line = malloc(room);
    if (!line) return false;
    snprintf(line, room, "run %s\r", words);
    const bool good = prompt_ask(p, line);
    free(line);
    return good;
}

static int timed_out(struct prompt *p, unsigned long seconds)
{
    prompt_ask(p, "\003");
    prompt_pump(p, prompt_shown, END_MS, -1);
    return command_failed(
        p->command, PROMPT_TIME_OUT, "%s: the time is over (%lu s)%s", p->source.name, seconds,
        p->shown ? "" : ", and the prompt does not come back: the machine has to be booted again");
}

int prompt_run(struct prompt *p, const char *words, unsigned long seconds)
{
    enum prompt_pump r = ask(p, words) ? PUMP_QUIET : PUMP_GONE;
    const time_t begun = now_s();
    while (r == PUMP_QUIET) {
        r = prompt_pump(p, over, -1, QUIET_MS);
        if (r == PUMP_QUIET && (p->done || p->bad_words)) source_send(&p->source, "\r", 1);
        if (r == PUMP_QUIET && seconds && now_s() - begun >= (time_t)seconds) return timed_out(p, seconds);
    }
    if (r != PUMP_ENOUGH) return prompt_lost(p, r, "it measured");
    if (p->ended)
        return command_failed(p->command, 3, "%s: its session has ended, so there is no prompt any more",
                              p->source.name);
    if (!prompt_mend(p)) return STATUS_FOUND;
    return p->bad_words ? PROMPT_WORDS : p->failed || p->refused ? PROMPT_FAULTS : STATUS_GOOD;
}
