#include "monitor/receive.h"
#include "kernel/console.h"
#include "kernel/stopwatch.h"
#include <stdio.h>

/* Lines as they must be; those that are not are asked for again. */
static void answer(const char *what, unsigned n)
{
    char line[32];
    const int length = snprintf(line, sizeof line, "%s %u\r\n", what, n);
    console_terminal(line, (size_t)length);
}

static bool failed(const struct transfer *t, char *why, size_t cap, const char *what)
{
    snprintf(why, cap, "%s; line %u was due, and %u bytes are here. Nothing is loaded.", what,
             (unsigned)t->due, (unsigned)t->bytes);
    return false;
}

/* Until something has come, or a second or ten have passed without. */
static enum transfer_step next_step(struct transfer *t, struct stopwatch *time, bool *silent)
{
    const uint64_t since = stopwatch_now(time);
    for (;;) {
        const int key = console_typed();
        if (key != CONSOLE_NO_KEY) return transfer_key(t, key);
        if (stopwatch_passed(time, since, RECEIVE_LINE_S)) {
            const enum transfer_step step = transfer_silence(t);
            if (step != TRANSFER_MORE) return step;
        }
        *silent = stopwatch_passed(time, since, RECEIVE_S);
        if (*silent) return TRANSFER_MORE;
    }
}

bool receive(struct transfer *t, const struct clock *clock, char *why, size_t cap)
{
    struct stopwatch time;
    unsigned tries = 0;
    bool silent = false;
    stopwatch_begin(&time, clock);
    while (tries < RECEIVE_TRIES) {
        const uint32_t due = t->due;
        const enum transfer_step step = next_step(t, &time, &silent);
        if (silent) return failed(t, why, cap, "nothing came for 10 s");
        switch (step) {
        case TRANSFER_MORE:
            break;
        case TRANSFER_OK:
            tries = t->due > due ? 0 : tries + 1;
            answer("ok", t->answered);
            break;
        case TRANSFER_AGAIN:
            tries++;
            answer("again", t->due);
            break;
        case TRANSFER_END:
            answer("end", (unsigned)t->bytes);
            return true;
        case TRANSFER_LEFT:
            return failed(t, why, cap, "Ctrl-C");
        case TRANSFER_FULL:
            return failed(t, why, cap, "the file is larger than the bytes that \"ready\" has named");
        }
    }
    return failed(t, why, cap, "30 lines in a row were damaged, or others than those that were due");
}
