/* Commands that are short for longer words of `run`. */
#include "kernel/bootinfo.h"
#include "monitor/command.h"
#include "monitor/say.h"
#include <stdio.h>
#include <string.h>

/* Obeys "run" with these words, which snprintf() has cut where n is as long as their room. */
static char words[CMDLINE_MAX + 32];
static void run(struct monitor *m, int n)
{
    if ((size_t)n >= sizeof words)
        complain("Longer than the %u characters of a command line.", CMDLINE_MAX);
    else
        command_obey(m, words);
}

void command_sections(struct monitor *m, const struct command_line *line)
{
    for (unsigned i = 1; i < line->words->n; i++)
        if (line->words->w[i].len > 7 && memcmp(line->words->w[i].text, "events=", 7) == 0) {
            complain("sections counts every event, so events= has no place here. `run` takes it.");
            return;
        }
    run(m, snprintf(words, sizeof words, "run bench=%s events=all", line->rest));
}

void remember_bench(struct monitor *m, const struct words *line)
{
    for (unsigned i = 1; i < line->n; i++)
        if (line->w[i].len > 6 && line->w[i].len < sizeof m->bench &&
            memcmp(line->w[i].text, "bench=", 6) == 0)
            snprintf(m->bench, sizeof m->bench, "%.*s", (int)line->w[i].len, line->w[i].text);
}

/* Is a benchmark named, here or by `set`? */
static bool has_bench(const char *words_of)
{
    const char *at = strstr(words_of, "bench=");
    return at && (at == words_of || at[-1] == ' ');
}

void command_ratio(struct monitor *m, const struct command_line *line)
{
    const bool list = word_is(&line->words->w[1], "list");
    const struct word *next = line->words->n > 2 ? &line->words->w[2] : NULL;
    if (next && !memchr(next->text, '=', next->len)) {
        complain("ratio: \"%.*s\" is not valid here. Valid: ratio A/B bench=NAME",
                 (int)(next->len < 64 ? next->len : 64), next->text);
        return;
    }
    const bool named = has_bench(line->rest) || has_bench(m->words);
    if (!list && !named && !m->bench[0]) {
        complain("ratio: of which benchmark? Valid: ratio A/B bench=NAME; without bench= it is that of the "
                 "last run.");
        return;
    }
    run(m, snprintf(words, sizeof words, "run ratio=%s%s%s", line->rest, list || named ? "" : " ",
                    list || named ? "" : m->bench));
}
