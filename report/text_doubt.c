/* Doubts about a result: its flags, and disturbed repetitions. */
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

static const struct {
    const char *flag, *meaning;
} doubts[] = {{"overhead-lowered", "a raw count was below the overhead, which was lowered to it"},
              {"wrapped", "this took so long that the counter may have wrapped around"},
              {"upper-bits", "read by RDPMC: bits above 31 are wrong on CPUs with erratum N17"},
              {"overcount", "may be too high: errata 990, 1291, 1292"}};

static const struct {
    const char *key, *words;
} disturbances[] = {{"slow", "slow"},
                    {"smi", "with an SMI"},
                    {"smis", "SMIs in all of the run"},
                    {"stray", "with an unexpected interrupt"},
                    {"culled", "culled"}};

/* ---- public ---- */

bool text_has_doubt(const struct record *r)
{
    for (size_t i = 0; i < sizeof disturbances / sizeof *disturbances; i++)
        if (rec_number(r, disturbances[i].key, 0) > 0) return true;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (has_flag(r, "flags", doubts[i].flag)) return true;
    return false;
}

void text_doubts(const struct record *r, text_put put)
{
    struct para p;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        if (!has_flag(r, "flags", doubts[i].flag)) continue;
        para_begin(&p, put, "    !", 6);
        para_str(&p, doubts[i].meaning);
        para_end(&p);
    }
}

void text_certificate(const struct record *done, text_put put)
{
    const struct field *off = member(rec_find(done, "certificate"), "off");
    struct para p;
    const char *before = "not quiet: ";
    for (const struct field *f = members(off); f; f = member_next(f), before = "; ") {
        if (before[0] == 'n') para_begin(&p, put, "  !", 4);
        para_str(&p, before);
        para_str(&p, f->s);
    }
    if (members(off)) para_end(&p);
}

static void text_again(const struct record *r, text_put put)
{
    const double n = rec_number(r, "again", 0);
    struct para p;
    if (n <= 0) return;
    para_begin(&p, put, "  !", 4);
    para_printf(&p, "measured again %.0f time%s, since repetitions were disturbed", n, n == 1 ? "" : "s");
    para_end(&p);
}

void text_disturbances(const struct record *r, text_put put)
{
    struct para p;
    bool any = false;

    for (size_t i = 0; i < sizeof disturbances / sizeof *disturbances; i++) {
        const double n = rec_number(r, disturbances[i].key, 0);
        if (n <= 0) continue;
        if (strcmp(disturbances[i].key, "slow") == 0) text_legend_use(LEGEND_SLOW);
        if (!any) {
            para_begin(&p, put, "  !", 4);
            para_printf(&p, "of %.0f repetitions: ", rec_number(r, "reps", 0) + rec_number(r, "culled", 0));
        }
        para_printf(&p, "%s%.0f %s", any ? ", " : "", n, disturbances[i].words);
        any = true;
    }
    if (any) para_end(&p);
    text_again(r, put);
}
