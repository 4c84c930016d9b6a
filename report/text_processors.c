/* The line about the processors. */
#include "report/text.h"

void text_processors(const struct record *r, text_put put)
{
    struct para p;
    const double up = rec_number(r, "up", 0), ms = rec_number(r, "start_ms", -1);
    unsigned not_up = natural_number(rec_number(r, "more", 0));
    for (const struct field *f = members(rec_find(r, "not_up")); f; f = member_next(f)) not_up++;
    para_begin(&p, put, "  CPUs", TEXT_INDENT);
    para_printf(&p, "%.0f of %.0f run (", up, rec_number(r, "usable", 0));
    para_str(&p, rec_text(r, "source", "?"));
    para_str(&p, "), APIC IDs ");
    para_str(&p, rec_text(r, "apic_ids", "?"));
    if (not_up) para_printf(&p, "; %u did not start", not_up);
    para_str(&p, "; they rest in ");
    para_str(&p, rec_text(r, "rest", "?"));
    if (ms >= 0) para_printf(&p, "; started in %.3g ms", ms);
    para_end(&p);
}
