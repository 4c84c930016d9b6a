/* decode: what a register that selects events says, and what selects an event. */
#include "pmu/decode.h"
#include "kernel/console.h"
#include "monitor/command.h"
#include "monitor/say.h"
#include "report/text.h"
#include <string.h>

#define INDENT 14

static void put(void *ctx, const char *label, const char *text)
{
    char indented[32] = "  ";
    struct para p;
    (void)ctx;
    strncat(indented, label, sizeof indented - sizeof "   ");
    if (*label) strcat(indented, " ");
    para_begin(&p, console_text, *label ? indented : "", *label ? INDENT : 0);
    para_str(&p, text);
    para_end(&p);
}

void command_decode(struct monitor *m, const struct command_line *line)
{
    const struct words *words = line->words;
    const struct word *w = &words->w[1];
    const struct pmu *pmu = m->session->words.pmu;
    char why[320], near[128] = "";
    uint64_t value;
    bool good;
    if (words->n > 2 && (words->n != 4 || !word_is(&words->w[2], "as"))) {
        complain("decode: \"%.*s\" is not valid here. Valid: decode VALUE as REGISTER, or decode EVENT alone",
                 (int)(words->w[2].len < 64 ? words->w[2].len : 64), words->w[2].text);
        return;
    }
    const bool digits = strspn(w->text, "0123456789") >= w->len; /* some names begin with one */
    if ((words->n > 2 || digits) && !argument_number(w, "VALUE", UINT64_MAX, &value)) return;
    if (number_parse(w->text, w->len, &value)) {
        const struct word *as = words->n > 2 ? &words->w[3] : NULL;
        good = pmu_decode_value(pmu, value, as ? as->text : "", as ? as->len : 0, put, NULL, why, sizeof why);
    } else {
        good = pmu_decode_event(pmu, w->text, w->len, put, NULL, why, sizeof why, near, sizeof near);
    }
    if (!good) complain("decode: %s%s%s", why, near[0] ? "; there are " : "", near);
}
