/* The meaning of the tables' marks and columns: printed once, before the closing line, for those that were
 * used. */
#include "report/text.h"
#include <string.h>

#define INDENT 13

static const struct {
    const char *mark, *meaning;
} entries[LEGEND_COUNT] = {
    [LEGEND_OVERHEAD] = {"overhead", "the least cost of an empty measurement (of code: of the one with fewer "
                                     "copies); it is subtracted already"},
    [LEGEND_INTERVAL] = {"+/-", "confidence interval of the mean over the "},
    [LEGEND_WIDE] = {"~", "the interval is wider than 1 % of the mean"},
    [LEGEND_DOUBT] = {"!", "repetitions were disturbed, or the value is in doubt: see its record"},
    [LEGEND_SLOW] = {"slow", "repetitions more than 10 % and more than 1 us above the median"},
    [LEGEND_WITHIN] = {"within", "no less than the least that follows from the program; more depends on the "
                                 "machine"},
    [LEGEND_DIFFERS] = {"DIFFERS",
                        "not the value that follows from the program: the counter or the rule is wrong"},
    [LEGEND_VARIES] = {"*", "repetitions of this step counted differently: see its record"},
};

static bool used[LEGEND_COUNT];

void text_legend_begin(void)
{
    for (unsigned i = 0; i < LEGEND_COUNT; i++) used[i] = false;
}

void text_legend_use(enum legend entry) { used[entry] = true; }

static const struct {
    const char *flag, *sentence;
} origins[] = {{"hosted", "Hosted: Linux' work in between is part of the numbers."},
               {"emulated", "Emulated: times are the emulator's, not a processor's."},
               {"virtualized", "Virtualized: the hypervisor's work is part of the numbers."},
               {"modelled", "Modelled: counted by the PMU model in the emulator, not by a processor."}};
#define ORIGINS (sizeof origins / sizeof *origins)

static unsigned whole = ORIGINS; /* of the rows that follow; ORIGINS: a processor, or unknown */

void text_origin_begin(const char *origin)
{
    for (whole = 0; whole < ORIGINS && !(origin && strcmp(origin, origins[whole].flag) == 0);) whole++;
}

const char *text_origin(void) { return whole < ORIGINS ? origins[whole].flag : NULL; }

void text_origin_put(text_put put)
{
    if (whole < ORIGINS) put(origins[whole].sentence);
}

const char *text_origin_other(const struct record *r)
{
    if (whole < ORIGINS && has_flag(r, "flags", origins[whole].flag)) return NULL;
    for (unsigned i = 0; i < ORIGINS; i++)
        if (has_flag(r, "flags", origins[i].flag)) return origins[i].flag;
    return NULL;
}

void text_legend_put(const char *intervals, text_put put)
{
    bool any = false;
    for (unsigned i = 0; i < LEGEND_COUNT; i++) {
        struct para p;
        if (!used[i]) continue;
        if (!any) put("");
        any = true;
        para_begin(&p, put, "  ", INDENT);
        p.n = 2;
        para_str(&p, entries[i].mark);
        while (p.n < INDENT) para_str(&p, " ");
        para_str(&p, entries[i].meaning);
        if (i == LEGEND_INTERVAL) {
            para_str(&p, intervals);
            para_str(&p, ", not how boots differ");
        }
        para_end(&p);
    }
    text_legend_begin();
}
