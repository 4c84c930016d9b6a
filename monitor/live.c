/* live: rates, drawn in place. */
#include "kernel/console.h"
#include "kernel/screen.h"
#include "monitor/live_view.h"
#include "monitor/prompt.h"
#include "monitor/rates.h"
#include "monitor/say.h"
#include <stdio.h>
#include <string.h>

#define MS_DEF 1000
#define CTRL_C KEY_CTRL('c')

/* ---- drawing: rows of ECMA-48 terminals, and of the screen ---- */

static struct {
    unsigned rows; /* that are shown */
    char row[LIVE_ROWS][LIVE_COLUMNS + 1];
} shown;

static void terminal(const char *bytes) { console_terminal(bytes, strlen(bytes)); }

static void clear(void)
{
    terminal("\033[H\033[2J");
    screen_clear();
    shown.rows = 0;
}

/* Only rows that have changed are sent: a serial line needs 7 ms for one. */
static void draw(char row[LIVE_ROWS][LIVE_COLUMNS + 1], unsigned rows)
{
    terminal("\033[H");
    for (unsigned i = 0; i < rows; i++) {
        if (i) terminal("\r\n");
        if (i < shown.rows && strcmp(shown.row[i], row[i]) == 0) continue;
        terminal(row[i]);
        terminal("\033[K"); /* the rest of the row is erased */
        screen_put_row(i, row[i]);
        strcpy(shown.row[i], row[i]);
    }
    shown.rows = rows;
}

/* The last rows stay, as text like any other. */
static void leave_rows(void)
{
    const unsigned rows = shown.rows;
    clear();
    for (unsigned i = 0; i < rows; i++) say("%s", shown.row[i]);
}

/* ---- keys ---- */

/* In place of struct cpu's cancelled(): q and Ctrl-C leave, other keys do nothing. */
static bool left(void)
{
    for (int key = prompt_key(); key != PROMPT_NO_KEY; key = prompt_key())
        if (key == 'q' || key == 'Q' || key == CTRL_C) return true;
    return false;
}

/* ---- the command ---- */

static void show_intervals(const struct rates *r, uint64_t hz, unsigned ms)
{
    static struct live_view view;
    static char row[LIVE_ROWS][LIVE_COLUMNS + 1];
    const struct options *opt = rates_options();
    struct rates_interval interval;
    live_view_begin(&view, r, opt->tsc);
    clear();
    while (rates_interval(&rates_running, hz * ms / 1000, &interval)) {
        live_view_add(&view, r, &interval, hz);
        draw(row, live_view_rows(&view, r, opt->ring, row));
    }
    leave_rows();
}

void command_live(struct monitor *m, const struct command_line *line)
{
    const struct words *words = line->words;
    const bool timed = words->n > 2 && words->w[2].text[0] >= '0' && words->w[2].text[0] <= '9';
    struct cpu *boot = m->session->machine->cpu[0];
    bool (*const cancelled)(void) = boot->cancelled;
    unsigned ms = MS_DEF;
    if (timed && !rates_milliseconds("live", &words->w[2], &ms)) return;
    if (!rates_open(m, "live", &words->w[1], words, timed ? 3 : 2)) return;
    boot->cancelled = left;
    console_accept(true); /* the key comes in with hardware handshake, too */
    show_intervals(&rates_running, m->session->machine->clock.tsc_hz, ms);
    console_accept(false);
    boot->cancelled = cancelled;
    rates_close(m);
}
