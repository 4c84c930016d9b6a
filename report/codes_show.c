#include "report/codes_show.h"
#include "kernel/stopwatch.h"
#include "report/codes.h"
#include "report/ending_key.h"
#include <stdio.h>

static bool draw(const struct codes *c, unsigned number, const struct graphics *to)
{
    char first[128];
    int n = snprintf(first, sizeof first, "QR code %u of %u, run %08X", number, c->count, (unsigned)c->run);
    if (c->left_out)
        snprintf(first + n, sizeof first - (size_t)n, "; reduced: %u records left out", c->left_out);
    const char *const text[CODES_LINES] = {first,
                                           "Photograph or film each; then: anechoic qr FILE... -o FILE",
                                           "n: next  p: previous  space: stop, go on  Esc: end"};
    return codes_draw(c, number, text, to);
}

/* The number that comes after this one, which was drawn at `shown`: when it is time or when a key wants it;
 * 0: it is over. */
static unsigned wait_for_next(const struct codes_show *how, struct stopwatch *time, bool *turns,
                              uint64_t *touched, uint64_t shown, unsigned number, unsigned count)
{
    for (;;) {
        const enum ending_key k = ending_key();
        if (k == KEY_LEAVE) return 0;
        if (k != KEY_NONE) *touched = stopwatch_now(time);
        if (k == KEY_SPACE || k == KEY_ENTER) *turns = !*turns;
        if (k == KEY_NEXT || k == KEY_PREVIOUS) *turns = false;
        if (k == KEY_PREVIOUS) return (number + count - 2) % count + 1;
        if (k == KEY_NEXT || (*turns && stopwatch_passed(time, shown, CODES_TURN_S)))
            return number % count + 1;
        if (!how->for_ever && stopwatch_passed(time, *touched, CODES_LIMIT_S)) return 0;
    }
}

/* The first one is on the screen. */
static void turn(const struct codes_show *how, struct stopwatch *time, const struct codes *c,
                 const struct graphics *to)
{
    bool turns = true;
    uint64_t touched = stopwatch_now(time), shown = touched;
    unsigned number = 1;
    while ((number = wait_for_next(how, time, &turns, &touched, shown, number, c->count)) != 0) {
        shown = stopwatch_now(time); /* what drawing takes is part of the second */
        draw(c, number, to);
    }
}

/* ---- public ---- */

const char *codes_impossible(void)
{
    const char *why;
    return graphics_found(&why) ? NULL : why;
}

const char *codes_show(const struct codes_show *how)
{
    static const char *const over[CODES_LINES] = {"The QR codes have ended.", "", ""};
    struct stopwatch time;
    struct codes c;
    struct graphics g;
    struct arena memory = how->memory;
    const char *why = codes_make(&c, &memory);
    if (why || !graphics_open(&g, &why)) return why;
    if (!draw(&c, 1, &g)) return "the screen has fewer than 258 lines of 210 dots";
    stopwatch_begin(&time, how->clock);
    turn(how, &time, &c, &g);
    codes_draw(&c, 0, over, &g);
    return NULL;
}
