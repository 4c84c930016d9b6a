/* Entries of bench=list and events=list. */
#include "report/text.h"
#include <string.h>

/* ---- private ---- */

#define INDENT 20

static void line(text_put put, const char *label, const char *text)
{
    struct para p;
    if (!*text) return;
    para_begin(&p, put, label, INDENT);
    para_str(&p, text);
    para_end(&p);
}

static void param(const struct field *o, text_put put)
{
    struct para p;
    const struct field *def = member(o, "default"), *min = member(o, "min"), *max = member(o, "max");
    const char *unit = member_text(o, "unit", "");

    para_begin(&p, put, "    ", INDENT);
    p.n = 4;
    para_str(&p, member_text(o, "name", "?"));
    para_str(&p, "=");
    if (def) para_field(&p, def);
    do para_str(&p, " ");
    while (p.n < INDENT);
    para_str(&p, member_text(o, "help", ""));
    if (min && max) {
        para_str(&p, " (");
        para_field(&p, min);
        para_str(&p, " to ");
        para_field(&p, max);
        if (*unit) para_str(&p, " ");
        para_str(&p, unit);
        if (member(o, "step")) {
            para_str(&p, " in steps of ");
            para_field(&p, member(o, "step"));
        }
        if (field_number(member(o, "range"), 0) != 0) para_str(&p, ", or FIRST..LAST");
        para_str(&p, ")");
    }
    para_end(&p);
}

/* ---- public ---- */

void text_bench(const struct record *r, text_put put)
{
    struct para p;

    put("");
    para_begin(&p, put, rec_text(r, "bench", "?"), INDENT);
    para_str(&p, rec_text(r, "desc", ""));
    if (rec_number(r, "main", 0) != 0) para_str(&p, " [runs by default]");
    para_end(&p);
    line(put, "    unit", rec_text(r, "unit", ""));
    line(put, rec_find(r, "experiment") ? "    expected" : "    expected cost", rec_text(r, "cost", ""));
    if (members(rec_find(r, "variants"))) {
        para_begin(&p, put, "    variants", INDENT);
        para_list(&p, r, "variants");
        para_end(&p);
    }
    for (const struct field *o = members(rec_find(r, "params")); o; o = member_next(o)) param(o, put);
}

static void needs_msr(struct para *p, const struct record *r)
{
    const char *msr = rec_text(r, "msr", "");
    if (strcmp(msr, "0x3f6") == 0 || strcmp(msr, "0x3f7") == 0)
        para_printf(p, "; for sample=pebs alone: it needs MSR %s", msr);
    else if (*msr)
        para_printf(p, "; cannot be counted: it also needs MSR %s", msr);
}

/* "; counters 0-3, 5" */
static void counters(struct para *p, const struct record *r)
{
    const struct field *f = members(rec_find(r, "counters"));
    if (!f) return;
    para_str(p, f[1].type == FIELD_CLOSE ? "; counter" : "; counters");
    for (const char *before = " "; f; before = ", ") {
        const uint64_t first = f->u;
        uint64_t last = first;
        while ((f = member_next(f)) != NULL && f->u == last + 1) last++;
        para_printf(p, last == first ? "%s%llu" : "%s%llu-%llu", before, (unsigned long long)first,
                    (unsigned long long)last);
    }
}

void text_event(const struct record *r, text_put put)
{
    struct para p;
    const char *stands_for = rec_text(r, "stands_for", "");
    para_begin(&p, put, rec_text(r, "event", "?"), INDENT);
    para_str(&p, " "); /* a name may fill its room */
    if (*stands_for) {
        para_str(&p, "= ");
        para_str(&p, stands_for);
        needs_msr(&p, r);
        para_end(&p);
        return;
    }
    para_str(&p, rec_text(r, "code", ""));
    if (rec_find(r, "umask")) para_printf(&p, "/%s", rec_text(r, "umask", ""));
    para_str(&p, "  ");
    para_str(&p, rec_text(r, "desc", ""));
    needs_msr(&p, r);
    counters(&p, r);
    if (members(rec_find(r, "umasks"))) {
        para_str(&p, "; unit masks ");
        para_list(&p, r, "umasks");
    }
    para_end(&p);
}
