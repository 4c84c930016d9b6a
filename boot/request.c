#include "boot/request.h"
#include "bench/bench.h"
#include "boot/bring_up.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "boot/where.h"
#include "boot/work.h"
#include "report/emit.h"
#include "report/emit_events.h"
#include <string.h>

/* ---- private ---- */

static char line[CMDLINE_MAX + 1]; /* options point into it */

static void word_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

static const char *const boot_only[] = {"console", "records", "text",  "screen",   "exit", "usb",
                                        "apic",    "tsc",     "turbo", "prefetch", "stack"};

/* With several processors up there is no second start. */
static const char *const start_only[] = {"cpus", "rest"};

static const struct word *one_of(const struct words *words, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < words->n; i++)
        for (unsigned k = 0; k < n; k++) {
            const struct word *w = &words->w[i];
            const size_t len = strlen(names[k]);
            if (w->len > len && memcmp(w->text, names[k], len) == 0 && w->text[len] == '=') return w;
        }
    return NULL;
}

static bool refuse(const struct word *w, const char *what, const char *valid)
{
    struct fault f = {.line = line, .word = w, .part = w->text, .part_len = w->len, .what = what};
    strncpy(f.valid, valid, sizeof f.valid - 1);
    emit_word_fault(&f, line);
    return false;
}

static bool judge(struct session *s, const char *words)
{
    static struct words all;
    const struct word *w;
    strncpy(line, words, sizeof line - 1);
    if (options_parse(line, "GRUB", &s->words, &s->opt, &s->plan, word_fault, line)) return false;
    cmdline_split(line, "GRUB", &all);
    if ((w = one_of(&all, boot_only, sizeof boot_only / sizeof *boot_only)))
        return refuse(w, "only at the boot", "words that say what to measure, and how");
    if (s->machine->cpus > 1 && (w = one_of(&all, start_only, 2)))
        return refuse(w, "the other processors run already", "cpu=, with= and pair= with those that run");
    if (s->machine->cpus > 1 && s->opt.processors > s->machine->cpus) {
        report_error("command line",
                     "only %u processors run, and %u are needed; they are started once: boot with cpus=all",
                     s->machine->cpus, s->opt.processors);
        return false;
    }
    return true;
}

/* What opt and plan say. False: something was measured and failed. */
static bool act(struct session *s)
{
    struct machine *m = s->machine;
    const struct options *opt = &s->opt;
    struct cpu_set where;
    if (opt->action == ACTION_LIST) request_list(&s->words);
    if (opt->list_events) request_events(m->cpu[0]->pmu, opt);
    if (opt->action == ACTION_LIST || opt->list_events) return true;
    if (opt->processors > m->cpus) bring_up_and_tell_others(m, opt);
    if (!where_to_measure(m, opt, &where)) return true;
    memset(&items, 0, sizeof items);
    return work(m, opt, &s->plan, &where) || items.cancelled; /* Ctrl-C is the user's wish */
}

/* ---- public ---- */

void request_list(const struct options_context *with)
{
    for (unsigned i = 0; i < with->n_bench; i++)
        if (!with->bench[i]->hidden) emit_bench(with->bench[i]);
}

static void list_ratios(const struct pmu *pmu)
{
    const struct ratio *r;
    char word[RATIO_WORD];
    for (unsigned i = 0; (r = ratio_at(i)); i++) {
        ratio_word(r, word, sizeof word);
        if (ratio_known(pmu, r)) report_note("ratio", "%s: %s / %s", word, r->over, r->under);
    }
}

bool request_events(const struct pmu *pmu, const struct options *opt)
{
    if (!opt->list_ratios) return emit_events(pmu, opt->find[0] ? opt->find : NULL);
    list_ratios(pmu);
    return true;
}

bool request_judge(struct session *s, const char *words) { return judge(s, words); }

bool request_read(struct session *s, const char *words, struct request *out)
{
    session_pause();
    if (!judge(s, words)) return false;
    if (s->opt.processors > s->machine->cpus) bring_up_and_tell_others(s->machine, &s->opt);
    *out = (struct request){.opt = &s->opt, .plan = &s->plan};
    const bool good = where_to_measure(s->machine, &s->opt, &out->where);
    session_pause();
    return good;
}

bool request_words(struct session *s, const char *words)
{
    session_pause(); /* no table of what was before goes on */
    const bool good = !judge(s, words) || act(s);
    session_pause();
    return good;
}
