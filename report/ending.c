#include "report/ending.h"
#include "kernel/keyboard.h"
#include "kernel/screen.h"
#include "kernel/stopwatch.h"
#include "report/codes_show.h"
#include "report/ending_key.h"
#include "report/kept.h"
#include <stdio.h>

struct reader {
    bool codes;           /* Enter, and time, lead to them */
    bool by_time;         /* pages turn by themselves */
    unsigned patience;    /* seconds until the codes begin */
    unsigned rows, page;  /* of the text, of a page */
    unsigned last, first; /* the first row of the last page, and of the one on display */
};

/* The keys come first: narrow screens cut the line off. */
static void draw(const struct reader *r)
{
    char line[160], codes[40] = "";
    const unsigned shown = r->rows - r->first < r->page ? r->rows - r->first : r->page;
    if (r->codes && r->by_time) snprintf(codes, sizeof codes, ", then QR codes");
    if (r->codes && !r->by_time) snprintf(codes, sizeof codes, "  Enter: QR codes, in %u s", r->patience);
    snprintf(line, sizeof line, "%s%s%s  %u-%u/%u",
             r->by_time ? "No keyboard answers: pages turn by themselves" : "PgUp PgDn Home End: read", codes,
             r->by_time ? "" : "  Esc: end", shown ? r->first + 1 : 0, r->first + shown, r->rows);
    screen_page(r->first, line);
}

static unsigned forward(const struct reader *r, unsigned rows)
{
    return r->last - r->first < rows ? r->last : r->first + rows;
}
static unsigned back(const struct reader *r, unsigned rows) { return r->first < rows ? 0 : r->first - rows; }

/* False: this key turns nothing. */
static bool turned(struct reader *r, enum ending_key key)
{
    switch (key) {
    case KEY_NEXT:
    case KEY_SPACE:
        r->first = forward(r, r->page);
        return true;
    case KEY_PREVIOUS:
        r->first = back(r, r->page);
        return true;
    case KEY_DOWN:
        r->first = forward(r, 1);
        return true;
    case KEY_UP:
        r->first = back(r, 1);
        return true;
    case KEY_FIRST:
        r->first = 0;
        return true;
    case KEY_LAST:
        r->first = r->last;
        return true;
    default:
        return false;
    }
}

static bool codes_are_due(const struct reader *r, struct stopwatch *time, uint64_t since)
{
    const bool between_rounds = !r->by_time || r->first == r->last;
    return r->codes && between_rounds && stopwatch_passed(time, since, r->patience);
}

/* True: now the codes. */
static bool read(struct reader *r, struct stopwatch *time)
{
    uint64_t since = stopwatch_now(time), shown = since;
    draw(r);
    for (;;) {
        const enum ending_key key = ending_key();
        if (key == KEY_LEAVE) return false;
        if (key == KEY_ENTER && r->codes) return true;
        if (turned(r, key)) {
            r->by_time = false;
            r->patience = ENDING_READ_S;
            since = stopwatch_now(time);
            draw(r);
        }
        if (r->by_time && !stopwatch_passed(time, shown, ENDING_PAGE_S)) continue;
        if (codes_are_due(r, time, since)) return true;
        if (!r->by_time) continue;
        r->first = r->first == r->last ? 0 : forward(r, r->page);
        shown = stopwatch_now(time);
        draw(r);
    }
}

/* False: they are not wanted. */
static bool offered(struct stopwatch *time, bool keyboard, bool codes)
{
    struct reader r = {codes, !keyboard, ENDING_OFFER_S, screen_kept_rows(), screen_page_rows(), 0, 0};
    if (r.rows == 0 && !codes) return false;
    if (r.rows > r.page) r.first = r.last = r.rows - r.page;
    if (read(&r, time)) return true;
    screen_page(r.first, "The machine has halted.");
    return false;
}

/* True: NULL. Otherwise the reason is said on the screen only: a serial port has the records. */
static bool possible(const char *why)
{
    if (!why) return true;
    screen_write("No QR codes: ");
    screen_write(why);
    screen_write("\n");
    return false;
}

/* ---- public ---- */

void ending_show(const struct ending *how)
{
    const struct codes_show show = {how->halts, how->memory, how->clock};
    const bool keyboard = keyboard_init() == KEYBOARD_READY;
    struct stopwatch time;
    stopwatch_begin(&time, how->clock);
    bool codes = kept_any() && possible(codes_impossible());
    if (codes && how->codes_at_once) {
        codes = possible(codes_show(&show));
        if (codes) return;
    }
    while (how->halts && offered(&time, keyboard, codes)) {
        codes = possible(codes_show(&show));
        if (codes) return;
    }
}
