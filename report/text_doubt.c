/* Doubts about a result: its flags, and disturbed repetitions. */
#include <string.h>

#include "pmu/errata.h"
#include "report/text.h"

/* ---- private ---- */

static const struct {
    const char *flag, *meaning;
} doubts[] = {{"overhead-lowered", "a raw count was below the overhead, which was lowered to it"},
              {"below-zero", "the payload counted less than its baseline: a difference within the noise"},
              {"wrapped", "this took so long that the counter may have wrapped around"},
              {"upper-bits", "read by RDPMC: bits above 31 are wrong on CPUs with erratum N17"},
              {"overcount", "may be too high"},
              {"undercount", "may be too low"},
              {"erratum", "may be wrong"}};

static const struct {
    const char *key, *words;
} disturbances[] = {{"slow", "slow"},
                    {"smi", "with an SMI"},
                    {"smis", "SMIs in all of the run"},
                    {"stray", "with an unexpected interrupt"},
                    {"culled", "culled"}};

/* An event's name without its preset, which is said in words. */
static void plain_name(struct para *p, const char *name)
{
    const char *init = strstr(name, ":init=");
    const size_t n = init ? (size_t)(init - name) : strlen(name);
    para_printf(p, "%.*s", (int)n, name);
    if (init) para_str(p, init + 1 + strcspn(init + 1, ":"));
}

/* ---- public ---- */

/* ": errata SKL044 and SKL091". Records from before issue 30 have no list, and are AMD's. */
void text_errata(struct para *p, const struct field *list)
{
    const struct field *f = members(list), *second = member_next(f);
    para_str(p, !f ? ": errata 990, 1291, 1292" : second ? ": errata " : ": erratum ");
    for (; f; f = member_next(f)) {
        const struct erratum *e = pmu_erratum_named(f->s);
        para_str(p, f->s);
        if (e && e->when == ERRATUM_FAR) para_str(p, pmu_erratum_condition(e));
        if (member_next(f)) para_str(p, ", ");
    }
}

bool text_has_preset(const struct record *r) { return rec_find(r, "starter") || rec_find(r, "init"); }

void text_preset(const struct record *r, text_put put)
{
    const double reps = rec_number(r, "reps", 0), off = rec_number(r, "init_off", 0);
    struct para p;
    if (rec_find(r, "starter")) {
        para_begin(&p, put, "    ", 6);
        para_printf(&p, "counted from event %.0f of ", rec_number(r, "after", 0));
        plain_name(&p, rec_text(r, "starter", "?"));
        para_printf(&p, " on, which came in %.0f of %.0f repetitions", rec_number(r, "started", 0), reps);
        para_end(&p);
    }
    if (rec_find(r, "init")) {
        para_begin(&p, put, "    ", 6);
        para_printf(&p, "the counter began at %.0f; it overflowed in %.0f of %.0f repetitions",
                    rec_number(r, "init", 0), rec_number(r, "overflowed", 0), reps);
        if (off > 0) para_printf(&p, "; it was up to %.0f off when the payload began", off);
        para_end(&p);
    }
}

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
        if (strstr("overcount undercount erratum", doubts[i].flag)) text_errata(&p, rec_find(r, "errata"));
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
