/* Commands about the session: measuring, lists, words that are kept, records, its end. */
#include "kernel/console.h"
#include "measure/quiet.h"
#include "monitor/command.h"
#include "monitor/say.h"
#include "report/emit.h"
#include "report/kept.h"
#include <stdio.h>
#include <string.h>

/* ---- words that are kept ---- */

/* The length of NAME of NAME=VALUE; 0: it has no '='. */
static size_t name_length(const struct word *w)
{
    const char *at = memchr(w->text, '=', w->len);
    return at ? (size_t)(at - w->text) : 0;
}

static bool same_name(const struct word *a, const struct word *b)
{
    const size_t n = name_length(a);
    return n && n == name_length(b) && memcmp(a->text, b->text, n) == 0;
}

static bool is_among(const struct word *w, const struct words *words, unsigned first)
{
    for (unsigned i = first; i < words->n; i++)
        if (same_name(w, &words->w[i])) return true;
    return false;
}

/* Those of the kept words that the line does not replace, and then the line's, from its second word on. NAME=
 * alone only drops. False: it is longer than cap. */
static bool merge(const char *kept, const struct words *line, bool drop, char *out, size_t cap)
{
    static struct words before;
    size_t n = 0;
    cmdline_split(kept, "GRUB", &before);
    out[0] = '\0';
    for (unsigned i = 0; i < before.n && n < cap; i++)
        if (!is_among(&before.w[i], line, 1))
            n += (size_t)snprintf(out + n, cap - n, "%s%.*s", n ? " " : "", (int)before.w[i].len,
                                  before.w[i].text);
    for (unsigned i = 1; i < line->n && n < cap; i++) {
        const struct word *w = &line->w[i];
        if (drop && name_length(w) + 1 == w->len) continue;
        n += (size_t)snprintf(out + n, cap - n, "%s%.*s", n ? " " : "", (int)w->len, w->text);
    }
    return n < cap;
}

void command_set(struct monitor *m, const struct command_line *line)
{
    static char words[sizeof m->words];
    if (!merge(m->words, line->words, true, words, sizeof words)) {
        complain("There is room for %u characters of words only. Nothing has changed.",
                 (unsigned)sizeof words - 1);
        return;
    }
    if (!request_judge(m->session, words)) {
        complain("Nothing has changed.");
        return;
    }
    strcpy(m->words, words);
    command_show(m, line);
}

void command_show(struct monitor *m, const struct command_line *line)
{
    (void)line;
    complain("set: %s", m->words[0] ? m->words : "(nothing)");
    say("unsafe: %s", m->unsafe ? "on" : "off");
}

/* ---- measuring and lists ---- */

void command_run(struct monitor *m, const struct command_line *line)
{
    static char words[CMDLINE_MAX + 1];
    if (!merge(m->words, line->words, false, words, sizeof words)) {
        complain("Longer than the %u characters of a command line.", CMDLINE_MAX);
        return;
    }
    if (!request_judge(m->session, words)) return;
    remember_bench(m, line->words);
    if (!request_words(m->session, words)) m->failed = true;
}

void command_list(struct monitor *m, const struct command_line *line)
{
    (void)line;
    request_words(m->session, "bench=list");
}

#define FIND "find:" /* as the command line has it */

void command_events(struct monitor *m, const struct command_line *line)
{
    char words[CMDLINE_MAX / 2];
    const bool all = line->words->n == 1 || (line->words->n == 2 && word_is(&line->words->w[1], "list"));
    size_t n = (size_t)snprintf(words, sizeof words, all ? "events=list" : "events=" FIND);
    for (unsigned i = 1; i < line->words->n && !all; i++) {
        struct word w = line->words->w[i];
        if (w.len > sizeof FIND - 1 && memcmp(w.text, FIND, sizeof FIND - 1) == 0)
            w.text += sizeof FIND - 1, w.len -= sizeof FIND - 1;
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%.*s", i > 1 ? "+" : "", (int)w.len, w.text);
    }
    request_words(m->session, words);
}

void command_topology(struct monitor *m, const struct command_line *line)
{
    const struct machine *of = m->session->machine;
    (void)line;
    if (of->cpus < 2)
        complain(
            m->session->words.processors > 1
                ? "One processor runs, so there is nothing to show. `run` with cpus=all starts the others."
                : "This machine has one processor, so there is nothing to show.");
    else
        emit_topology(&of->topology);
    session_pause();
}

#define ASKED_MS 100

void command_quiet(struct monitor *m, const struct command_line *line)
{
    static struct quiet quiet;
    (void)line;
    quiet_check(m->session->machine->cpu[0], &quiet, ASKED_MS);
    emit_quiet(&quiet, "before", &m->session->machine->clock);
}

/* ---- records, and the end ---- */

void command_resend(struct monitor *m, const struct command_line *line)
{
    unsigned first, last;
    (void)m;
    if (!kept_any())
        complain("No records are kept here: there is no memory for them.");
    else if (argument_records(&line->words->w[1], kept_first(), kept_last(), &first, &last))
        kept_each(first, last, console_record);
}

void command_exit(struct monitor *m, const struct command_line *line)
{
    (void)line;
    m->end = MONITOR_LEAVES;
}

void command_reboot(struct monitor *m, const struct command_line *line)
{
    (void)line;
    m->end = MONITOR_REBOOTS;
}

void command_poweroff(struct monitor *m, const struct command_line *line)
{
    (void)line;
    m->end = MONITOR_POWERS_OFF;
}
