/* `mark`: a section of the session gets a name afterwards, by which the host's `show --mark` finds it. */
#include "monitor/command.h"
#include "monitor/say.h"
#include "report/emit.h"
#include "report/record.h"

#define NAME_MOST 40

void command_mark(struct monitor *m, const struct command_line *line)
{
    const struct word *name = &line->words->w[1];
    const unsigned next = session_records();
    unsigned first = m->marked, last = next - 1;
    if (name->len > NAME_MOST) {
        complain("A name has at most %u characters. Nothing is marked.", NAME_MOST);
        return;
    }
    if (line->words->n > 2) {
        if (!argument_records(&line->words->w[2], 0, next - 1, &first, &last)) return;
    } else if (first == next) {
        complain("There is no record behind the last mark. Valid: mark NAME N..M, from 0 to %u", next - 1);
        return;
    }
    session_pause();
    emit_mark(name->text, name->len, first, last);
    m->marked = session_records();
}
