#include "report/wait.h"
#include "kernel/console.h"
#include "kernel/stopwatch.h"
#include "report/kept.h"
#include "report/put.h"
#include <stdio.h>
#include <string.h>

#define LIMIT_S        3600
#define INVITE_FIRST_S 2 /* from one invitation to the next: first, and at most */
#define INVITE_LAST_S  64
#define REQUEST_BYTES  64
#define KEPT_RECORDS   (2 * 160) /* bytes of "kept" and "end" */
#define CTRL_C         3

/* ---- what is said ---- */

static void say(const char *line) { console_record(line, strlen(line)); }

static void invite(void)
{
    char line[128];
    snprintf(line, sizeof line,
             "waiting: records %u..%u are kept; \"resend N..M\" sends them again, \"leave\" ends the wait",
             kept_first(), kept_last());
    say(line);
}

/* A decimal number. Returns what follows, or NULL. */
static const char *number(const char *s, unsigned *n)
{
    unsigned digits = 0;
    for (*n = 0; *s >= '0' && *s <= '9'; s++, digits++) *n = *n * 10 + (unsigned)(*s - '0');
    return digits && digits < 10 ? s : NULL;
}

/* "N" or "N..M" */
static bool range(const char *s, unsigned *first, unsigned *last)
{
    if (!(s = number(s, first))) return false;
    *last = *first;
    if (s[0] == '.' && s[1] == '.' && !(s = number(s + 2, last))) return false;
    return *s == '\0' && *first <= *last;
}

bool wait_answer(const char *line, bool *understood)
{
    char text[REQUEST_BYTES + 96];
    unsigned first, last;
    *understood = true;
    if (strcmp(line, "leave") == 0) return false;
    if (strncmp(line, "resend ", 7) == 0 && range(line + 7, &first, &last)) {
        kept_each(first, last, console_record);
        return true;
    }
    *understood = false;
    snprintf(text, sizeof text,
             "not understood: \"%s\"; there are \"resend N..M\", \"resend N\" and \"leave\"", line);
    if (*line) say(text);
    return true;
}

/* ---- the wait ---- */

/* Returns why it is over. */
static const char *answer_requests(struct stopwatch *time)
{
    char line[REQUEST_BYTES];
    unsigned n = 0, interval = INVITE_FIRST_S;
    uint64_t asked = stopwatch_now(time), invited = asked;
    invite();
    while (!stopwatch_passed(time, asked, LIMIT_S)) {
        const int key = console_key();
        bool understood = false;
        if (key == CTRL_C) return "Ctrl-C";
        if (key == '\r' || key == '\n') {
            line[n] = '\0';
            if (n && !wait_answer(line, &understood)) return "leave";
            if (n) invite();
            if (n) invited = stopwatch_now(time);
            if (understood) asked = invited, interval = INVITE_FIRST_S;
            n = 0;
        } else if (key != CONSOLE_NO_KEY && n < sizeof line - 1)
            line[n++] = (char)(key >= ' ' && key < 0x7f ? key : '?');
        if (n || !stopwatch_passed(time, invited, interval)) continue;
        invite();
        invited = stopwatch_now(time);
        if (interval < INVITE_LAST_S) interval *= 2;
    }
    return "nothing was asked for in an hour";
}

/* ---- public ---- */

void wait_announce(void)
{
    if (!kept_any()) return;
    kept_room(KEPT_RECORDS);
    if (!kept_any()) return;
    struct record *r = NEW(kept);
    PUT(r, kept, first, kept_first());
    PUT(r, kept, last, session_records() + 1u);
    record_emit(r);
}

void wait_for_requests(const struct clock *clock)
{
    char line[64];
    if (!kept_any() || !console_has_keys()) return;
    struct stopwatch time;
    stopwatch_begin(&time, clock);
    snprintf(line, sizeof line, "the wait is over: %s", answer_requests(&time));
    say(line);
}
