#include "report/codes_show.h"
#include "kernel/console.h"
#include "kernel/keyboard.h"
#include "kernel/screen.h"
#include "kernel/stopwatch.h"
#include "report/codes.h"
#include "report/kept.h"
#include <stdio.h>

#define ESC    27
#define CTRL_C 3

enum key { KEY_NONE, KEY_NEXT, KEY_PREVIOUS, KEY_TURN, KEY_END };

/* Of the keyboard, else of a serial line. There Esc begins what an arrow key sends, and so ends nothing. */
static enum key key(void)
{
    int k = keyboard_key();
    if (k == ESC) return KEY_END;
    if (k == KEYBOARD_NONE && console_has_keys()) k = console_key();
    switch (k) {
    case 'n':
    case KEYBOARD_RIGHT:
        return KEY_NEXT;
    case 'p':
    case KEYBOARD_LEFT:
        return KEY_PREVIOUS;
    case ' ':
    case '\r':
    case '\n':
        return KEY_TURN;
    case 'q':
    case CTRL_C:
        return KEY_END;
    default:
        return KEY_NONE;
    }
}

/* To the screen only: a serial port has the records. */
static void say(const char *what, const char *why)
{
    screen_write(what);
    screen_write(why);
    screen_write("\n");
}

/* False: the user does not want them. */
static bool offered(struct stopwatch *time, enum keyboard_state keyboard)
{
    char line[160];
    snprintf(line, sizeof line, "The records as QR codes: %sthey begin in %d s.",
             keyboard == KEYBOARD_ABSENT ? "(no PS/2 keyboard answers) " : "Enter shows them, Esc does not; ",
             CODES_OFFER_S);
    say(line, "");
    const uint64_t since = stopwatch_now(time);
    while (!stopwatch_passed(time, since, CODES_OFFER_S)) {
        const enum key k = key();
        if (k != KEY_NONE) return k != KEY_END;
    }
    return true;
}

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
        const enum key k = key();
        if (k == KEY_END) return 0;
        if (k != KEY_NONE) *touched = stopwatch_now(time);
        if (k == KEY_TURN) *turns = !*turns;
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

void codes_show(const struct codes_show *how)
{
    static const char *const over[CODES_LINES] = {"The QR codes have ended.", "", ""};
    struct stopwatch time;
    struct codes c;
    struct graphics g;
    struct arena memory = how->memory;
    const char *why = codes_impossible();
    if (!kept_any()) return;
    if (why) {
        say("No QR codes: ", why);
        return;
    }
    stopwatch_begin(&time, how->clock);
    const enum keyboard_state keyboard = keyboard_init();
    if (!how->at_once && !offered(&time, keyboard)) return;
    if ((why = codes_make(&c, &memory)) != NULL || !graphics_open(&g, &why)) {
        say("No QR codes: ", why);
        return;
    }
    if (!draw(&c, 1, &g)) {
        say("No QR codes: ", "the screen has fewer than 258 lines of 210 dots");
        return;
    }
    turn(how, &time, &c, &g);
    codes_draw(&c, 0, over, &g);
}
