/* A sampling run: the method of sampling, and its cost. */
#include "report/text.h"
#include <string.h>

static void heading(const struct record *r, text_put put)
{
    struct para p;
    const char *variant = rec_text(r, "variant", "");
    put("");
    para_begin(&p, put, rec_text(r, "bench", "?"), 2);
    if (*variant) para_printf(&p, ":%s", variant);
    para_printf(&p, ", ring %.0f: ", rec_number(r, "ring", 0));
    para_str(&p, rec_text(r, "event", "?"));
    para_printf(&p, " sampled by %s (%s), every %.0f %s", rec_text(r, "by", "?"),
                rec_text(r, "delivery", "?"), rec_number(r, "period", 0), rec_text(r, "unit", "?"));
    if (rec_find(r, "l3miss")) para_str(&p, ", of those that missed the L3");
    if (rec_find(r, "latency"))
        para_printf(&p, ", of those that took %s %.0f cycles",
                    strncmp(rec_text(r, "by", ""), "ibs", 3) ? "more than" : "at least",
                    rec_number(r, "latency", 0));
    if (rec_find(r, "together"))
        para_printf(&p, ", on %.0f processors at the same time", rec_number(r, "together", 0));
    if (rec_find(r, "at_once")) para_printf(&p, ", at once with %.0f more", rec_number(r, "at_once", 1) - 1);
    if (rec_find(r, "jitter")) para_printf(&p, " +/- %.0f", rec_number(r, "jitter", 0));
    para_end(&p);
}

/* Doubts about a profile. */
static void doubts(const struct record *r, text_put put)
{
    struct para p;
    /* No period is short enough for an event that does not occur. */
    const bool never = rec_number(r, "samples", 0) == 0 && rec_number(r, "occurred", 1) == 0;
    if (has_flag(r, "flags", "few") && !never) {
        para_begin(&p, put, "    ! ", 6);
        para_printf(&p, "fewer than half of the %.0f samples that were asked for",
                    rec_number(r, "wanted", 0));
        para_str(&p, ": use a shorter period=, more reps=, or a more frequent event");
        para_end(&p);
    }
    if (has_flag(r, "flags", "handler-heavy")) {
        para_begin(&p, put, "    ! ", 6);
        para_str(&p, "the handler took a tenth of the time or more: use a longer period=");
        para_end(&p);
    }
    text_doubts(r, put);
}

/* Of the handler, if they were counted. */
static void instructions(struct para *p, const struct record *r, const char *before)
{
    if (!rec_find(r, "handler_instructions")) return;
    para_str(p, before);
    para_printf(p, "%s %.1f instructions", has_flag(r, "flags", "handler-in-part") ? " more than" : "",
                rec_number(r, "handler_instructions", 0));
}

static void counts(const struct record *r, text_put put)
{
    struct para p;
    const double lost = rec_number(r, "lost", 0), samples = rec_number(r, "samples", 0);
    const double outside = rec_number(r, "outside", 0), dropped = rec_number(r, "dropped", 0);
    para_begin(&p, put, "", 2);
    para_printf(&p, "%.0f sample%s, %s%.0f lost", samples, samples == 1 ? "" : "s",
                has_flag(r, "flags", "more-lost") ? "more than " : "", lost);
    if (outside > 0) para_printf(&p, ", %.0f more outside of the payload", outside);
    if (dropped > 0) para_printf(&p, ", %.0f interrupt%s without a sample", dropped, dropped == 1 ? "" : "s");
    if (rec_number(r, "handler_tsc", 0) < 0) {
        para_printf(&p,
                    "; the pass with interrupts took %.2f %% less time than the one without, so their cost "
                    "is within the noise",
                    -100 * rec_number(r, "handler_share", 0));
    } else if (rec_find(r, "handler_tsc")) {
        para_printf(&p, "; an interrupt took %.1f ticks", rec_number(r, "handler_tsc", 0));
        instructions(&p, r, " and");
        para_printf(&p, "; together the interrupts took %.2f %% of the time",
                    100 * rec_number(r, "handler_share", 0));
    } else {
        instructions(&p, r, "; an interrupt took");
    }
    para_end(&p);
    if (has_flag(r, "flags", "storm"))
        put("    ! too many interrupts: sampling stopped before the payload ended");
    else if (has_flag(r, "flags", "lost"))
        put("    ! the buffer was full: use a longer period= or more samples=");
    else if (samples == 0 && rec_number(r, "occurred", 1) == 0)
        put("    ! the event did not occur");
    else if (samples == 0 && outside > 0)
        put("    ! the event hardly occurs inside the payload");
    else if (samples == 0 && !has_flag(r, "flags", "few"))
        put("    ! no period was completed: use a shorter period= or more reps=");
    doubts(r, put);
}

void text_sampling(const struct record *r, text_put put)
{
    heading(r, put);
    counts(r, put);
}
