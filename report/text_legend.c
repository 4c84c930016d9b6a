/* The meaning of the tables' marks and columns: printed once, before the closing line, for those that were
 * used. */
#include "report/text.h"

#define INDENT 13

static const struct {
    const char *mark, *meaning;
} entries[LEGEND_COUNT] = {
    [LEGEND_EMULATED] = {"E", "emulated: the emulator's time, not a processor's"},
    [LEGEND_VIRTUALIZED] = {"V", "virtualized: the hypervisor's work is part of the number"},
    [LEGEND_MODELLED] = {"M", "modelled: counted by the PMU model in the emulator, not by a processor"},
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

char text_mark(const struct record *r)
{
    static const struct {
        const char *flag;
        enum legend entry;
    } marks[] = {
        {"emulated", LEGEND_EMULATED}, {"virtualized", LEGEND_VIRTUALIZED}, {"modelled", LEGEND_MODELLED}};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!has_flag(r, "flags", marks[i].flag)) continue;
        text_legend_use(marks[i].entry);
        return entries[marks[i].entry].mark[0];
    }
    return '\0';
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
