/* `trace`: a run with the trace of its hooks. */
#include "monitor/command.h"
#include "monitor/say.h"
#include <stdio.h>
#include <string.h>

#define ENTRIES "trace=1024" /* some thirty screens */

static bool has_trace(const struct words *words)
{
    for (unsigned i = 1; i < words->n; i++)
        if (words->w[i].len > 6 && memcmp(words->w[i].text, "trace=", 6) == 0) return true;
    return false;
}

void command_trace(struct monitor *m, const struct command_line *line)
{
    static char text[CMDLINE_MAX + 1];
    static struct words words;
    const int n = snprintf(text, sizeof text, "run %s %s", has_trace(line->words) ? "" : ENTRIES, line->rest);
    if (n < 0 || (size_t)n >= sizeof text) {
        complain("Longer than the %u characters of a command line.", CMDLINE_MAX);
        return;
    }
    cmdline_split(text, "GRUB", &words);
    if (words.too_many) {
        complain("Too many words: at most %u, with " ENTRIES ".", CMDLINE_WORDS);
        return;
    }
    command_run(m, &(const struct command_line){&words, line->rest});
}
