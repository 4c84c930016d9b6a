/* Commands that are short for longer words of `run`. */
#include "kernel/bootinfo.h"
#include "monitor/command.h"
#include "monitor/say.h"
#include <stdio.h>

void command_sections(struct monitor *m, const struct command_line *line)
{
    static char run[CMDLINE_MAX + 32];
    const struct word *w = &line->words->w[1];
    if ((size_t)snprintf(run, sizeof run, "run bench=%.*s events=all%s", (int)w->len, w->text,
                         w->text + w->len) >= sizeof run)
        complain("Longer than the %u characters of a command line.", CMDLINE_MAX);
    else
        command_obey(m, run);
}
