/* Accesses to memory by level and by translation, and a picture of their latencies. */
#include "report/text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define NAME_WIDTH 13
#define BAR        40 /* columns of the longest range */

static bool told; /* that the model has no latencies */

/* Columns of the current table, without those that no access fills. */
static struct {
    bool latency, cache, retire;
} table;

static double number(const struct record *r, const char *key) { return rec_number(r, key, 0); }

static void columns(text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_printf(&p, "    share   samples  %-*s", NAME_WIDTH, "found in");
    if (table.latency) para_str(&p, "  least median   95 %   most");
    if (table.cache) para_str(&p, "  cache");
    if (table.retire) para_str(&p, " retire");
    p.glue = false;
    para_end(&p);
}

static void heading(const struct record *r, text_put put)
{
    const double n = number(r, "accesses"), of = number(r, "samples");
    struct para p;
    table.latency = rec_find(r, "latencies");
    table.cache = rec_find(r, "cache_latencies");
    table.retire = rec_find(r, "retires");
    para_begin(&p, put, "", 2);
    para_printf(&p, "memory accesses of %s: %.0f", rec_text(r, "event", "?"), n);
    if (of != n) para_printf(&p, " of %.0f", of);
    para_printf(&p, of == 1 ? " sample by %s" : " samples by %s", rec_text(r, "method", "?"));
    if (table.latency || table.cache || table.retire) para_str(&p, "; latencies in core cycles");
    if (text_origin()) para_printf(&p, ", %s", text_origin());
    if (table.cache || table.retire)
        para_printf(&p, "; %s",
                    !table.retire  ? "cache is a median"
                    : !table.cache ? "retire is a median"
                                   : "cache and retire are medians");
    para_end(&p);
    if (told || table.latency || !has_flag(r, "flags", "modelled")) return;
    told = true;
    para_begin(&p, put, "", 2);
    para_str(&p, "Latencies are unmodelled");
    para_str(&p, rec_find(r, "translation") ? ", and so are TLBs." : ".");
    para_end(&p);
}

/* "8 to 15"; the last of a bucket that is one number alone. */
static void range(struct para *p, unsigned bucket)
{
    const double least = bucket ? (double)(1ull << (bucket - 1)) : 0;
    const double most = bucket ? 2 * least - 1 : 0;
    char s[32];
    if (least == most)
        snprintf(s, sizeof s, "%.0f", least);
    else
        snprintf(s, sizeof s, "%.0f to %.0f", least, most);
    para_printf(p, "%16s", s);
}

/* From the first range that is not empty to the last. */
static void histogram(const struct record *r, text_put put)
{
    const struct field *first = members(rec_find(r, "histogram"));
    double most = 0;
    unsigned bucket = 0;
    for (const struct field *f = first; f; f = member_next(f))
        if (field_number(f, 0) > most) most = field_number(f, 0);
    if (!(most > 0)) return;
    put("            cycles   samples");
    while (!(field_number(first, 0) > 0)) first = member_next(first), bucket++;
    for (const struct field *f = first; f && bucket <= 64; f = member_next(f), bucket++) {
        const double n = field_number(f, 0);
        struct para p;
        para_begin(&p, put, "", 2);
        p.glue = true;
        range(&p, bucket);
        para_printf(&p, " %9.0f  ", n);
        for (double bar = 0; bar < n / most * BAR; bar++) para_str(&p, "#");
        p.glue = false;
        para_end(&p);
    }
}

static void cycles(struct para *p, const struct record *r, const char *key)
{
    const struct field *f = rec_find(r, key);
    if (f)
        para_printf(p, " %6.0f", field_number(f, 0));
    else
        para_str(p, "      -");
}

static void row(const struct record *r, text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    p.glue = true;
    para_printf(&p, "%7.2f %% %9.0f  %-*.*s", 100 * number(r, "share"), number(r, "count"), NAME_WIDTH,
                NAME_WIDTH, text_memory_name(rec_text(r, "by", "?"), rec_text(r, "what", "?")));
    if (table.latency) {
        cycles(&p, r, "latency_least");
        cycles(&p, r, "latency_median");
        cycles(&p, r, "latency_p95");
        cycles(&p, r, "latency_most");
    }
    if (table.cache) cycles(&p, r, "cache_median");
    if (table.retire) cycles(&p, r, "retire_median");
    p.glue = false;
    para_end(&p);
}

/* "800 load, 3 locked, 2 blocked by data". */
static void traits(const struct record *r, text_put put)
{
    const char *comma = "of them: ";
    struct para p;
    if (!members(rec_find(r, "traits"))) return;
    para_begin(&p, put, "", 4);
    for (const struct field *t = members(rec_find(r, "traits")); t; t = member_next(t)) {
        para_printf(&p, "%s%.0f %s", comma, field_number(t, 0), t->key ? t->key : "?");
        comma = ", ";
    }
    para_end(&p);
}

/* ---- public ---- */

const char *text_memory_name(const char *by, const char *what)
{
    static const char *const names[][2] = {
        {"L1", "L1 TLB"}, {"L2", "L2 TLB"}, {"hit", "a TLB"}, {"walk", "page walk"}};
    if (strcmp(by, "translation") != 0) return what;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(what, names[i][0]) == 0) return names[i][1];
    return "TLB unknown";
}

void text_memory_begin(void) { told = false; }

/* The record of all comes first: it says which columns there are. */
void text_memory(const struct record *r, text_put put)
{
    if (strcmp(rec_text(r, "by", "?"), "all") == 0) {
        heading(r, put);
        traits(r, put);
        histogram(r, put);
        columns(put);
    }
    row(r, put);
}
