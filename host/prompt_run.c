/* `run WORDS` on a machine at its prompt. */
#include "host/prompt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET_MS  1000 /* all has come but the prompt: an empty line brings another one */
#define END_TRIES 4    /* of Ctrl-C, until the prompt comes */

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

static enum prompt_pump ask(struct prompt *p, const char *words)
{
    char line[PROMPT_LINE_MAX + 1];
    snprintf(line, sizeof line, "run %s", words);
    return prompt_ask(p, line);
}

static int timed_out(struct prompt *p, unsigned long seconds)
{
    for (unsigned tries = 0; tries < END_TRIES && prompt_interrupt(p) == PUMP_LATE; tries++) continue;
    return command_failed(
        p->command, PROMPT_TIME_OUT, "%s: the time is over (%lu s)%s", p->source.name, seconds,
        p->shown ? "" : ", and the prompt does not come back: the machine has to be booted again");
}

int prompt_run(struct prompt *p, const char *words, unsigned long seconds)
{
    if (strlen(words) + sizeof "run " > PROMPT_LINE_MAX)
        return command_failed(p->command, STATUS_USAGE,
                              "%s: a line at the prompt has %d characters at most; these words have %zu",
                              p->source.name, PROMPT_LINE_MAX, strlen(words));
    enum prompt_pump r = ask(p, words);
    if (r == PUMP_ENOUGH) r = PUMP_QUIET;
    const time_t begun = now_s();
    while (r == PUMP_QUIET) {
        r = prompt_pump(p, over, -1, QUIET_MS);
        if (r == PUMP_QUIET && (p->done || p->bad_words)) source_send(&p->source, "\r", 1);
        if (r == PUMP_QUIET && p->shown) r = PUMP_ENOUGH; /* over, whatever has come of the answer */
        if (r == PUMP_QUIET && seconds && now_s() - begun >= (time_t)seconds) return timed_out(p, seconds);
    }
    if (r != PUMP_ENOUGH) return prompt_lost(p, r, "it measured");
    if (p->ended)
        return command_failed(p->command, 3, "%s: its session has ended, so there is no prompt any more",
                              p->source.name);
    if (!prompt_mend(p, !p->done && !p->error)) return STATUS_FOUND;
    if (!p->done && !p->error)
        return command_failed(p->command, STATUS_FOUND, "%s: the prompt came back without an answer",
                              p->source.name);
    return p->bad_words ? PROMPT_WORDS : p->failed || p->refused ? PROMPT_FAULTS : STATUS_GOOD;
}
