/* log: the rates of intervals, as records and as a table. */
#include "kernel/hw.h"
#include "monitor/rates.h"
#include "monitor/say.h"
#include "report/emit_rates.h"

#define INTERVALS_MAX 1000000u
#define WORDS         6 /* log EVENTS every MS for N */

/* False, and said, where a word is another one. */
static bool is_literal(const struct word *w, const char *text)
{
    if (word_is(w, text)) return true;
    complain("log: \"%.*s\" where \"%s\" is needed. Valid: log EVENT[,EVENT...] every MS for N [BENCH...]",
             (int)(w->len < 64 ? w->len : 64), w->text, text);
    return false;
}

static bool intervals(const struct word *w, unsigned *n)
{
    uint64_t value;
    if (number_parse(w->text, w->len, &value) && value >= 1 && value <= INTERVALS_MAX) {
        *n = (unsigned)value;
        return true;
    }
    complain("log: \"%.*s\" is not a number of intervals. Valid: 1 to %u.", (int)(w->len < 64 ? w->len : 64),
             w->text, INTERVALS_MAX);
    return false;
}

static void take_intervals(uint64_t hz, unsigned ms, unsigned of)
{
    struct rates_interval interval;
    uint64_t first = 0;
    unsigned n = 0;
    while (n < of) {
        const uint64_t now = hw_rdtsc();
        if (n == 0) first = now;
        if (!rates_interval(&rates_running, hz * ms / 1000, &interval)) break;
        emit_interval(&(struct logged){&rates_running, &interval, rates_options(), hz, now - first, ++n, of});
    }
    session_pause();
    if (rates_running.run.status == RUN_CANCELLED)
        say("log: stopped by Ctrl-C after %u of %u intervals.", n, of);
}

void command_log(struct monitor *m, const struct command_line *line)
{
    const struct word *w = line->words->w;
    unsigned ms, n;
    if (!is_literal(&w[2], "every") || !rates_milliseconds("log", &w[3], &ms) || !is_literal(&w[4], "for") ||
        !intervals(&w[5], &n) || !rates_open(m, "log", &w[1], line->words, WORDS))
        return;
    take_intervals(m->session->machine->clock.tsc_hz, ms, n);
    rates_close(m);
}
