/* cpu=, with= and pair= of the command line. Which processors there are is known only after bring-up: what
 * can be judged before that is judged here. */
#include "measure/options_parser.h"
#include "pmu/netburst.h"
#include <string.h>

/* The processors 0 to last are needed. False: the firmware lists fewer, which has been reported. */
static bool need(struct parser *ps, struct piece part, int64_t last)
{
    const unsigned there = ps->with->processors;
    if (last >= there) {
        parser_fault(ps, part, "no such processor", "0%s%.0u: this machine has %u", there > 1 ? " to " : "",
                     there > 1 ? there - 1 : 0, there);
        return false;
    }
    if (last >= ps->needed) ps->needed = (unsigned)last + 1;
    return true;
}

static void no_place(struct parser *ps, struct piece part)
{
    parser_fault(ps, part, "no processor", "N, N-M, core:N, P, E, all, each; several with commas");
}

/* One of a list's parts: N, N-M, core:N, P, E, all or each. Which cores there are, and of which kind, is not
 * known yet. */
static void one_place(struct parser *ps, struct piece part)
{
    static const char core[] = "core:";
    const size_t n = sizeof core - 1;
    const bool cores = part.len >= n && memcmp(part.s, core, n) == 0;
    struct piece to, from = piece_cut(cores ? (struct piece){part.s + n, part.len - n} : part, '-', &to);
    int64_t a, b;
    if (piece_is(part, "P") || piece_is(part, "E") || piece_is(part, "all") || piece_is(part, "each")) {
        ps->needs_all = true;
        return;
    }
    if (!piece_number(from, false, &a) || (to.s && (!piece_number(to, false, &b) || b < a))) {
        no_place(ps, part);
        return;
    }
    if (cores)
        ps->needs_all = true;
    else
        need(ps, part, to.s ? b : a);
}

void key_cpu(struct parser *ps, struct piece v)
{
    ps->opt->cpus_measured = (struct text_part){v.s, v.len};
    for (struct piece rest = v; rest.s;) {
        struct piece part = piece_cut(rest, ',', &rest);
        one_place(ps, part);
    }
}

/* Everything before the last @, and what follows it. */
static struct piece cut_place(struct piece p, struct piece *place)
{
    for (size_t i = p.len; i-- > 0;)
        if (p.s[i] == '@') {
            *place = (struct piece){p.s + i + 1, p.len - i - 1};
            return (struct piece){p.s, i};
        }
    *place = (struct piece){.s = NULL};
    return p;
}

static void one_neighbour(struct parser *ps, struct piece word)
{
    struct options *opt = ps->opt;
    struct piece place, spec = cut_place(word, &place);
    struct load load;
    int64_t cpu;
    if (!place.s || !piece_number(place, false, &cpu)) {
        parser_fault(ps, place.s ? place : word, "no processor for this neighbour",
                     "BENCH[:param=value...]@N, where N is the number of a processor");
        return;
    }
    if (!bench_word_load(ps, spec, &load) || !need(ps, place, cpu)) return;
    for (unsigned i = 0; i < opt->n_with; i++)
        if (opt->with[i].cpu == cpu) {
            parser_fault(ps, place, "two neighbours on one processor", "a processor of its own for each");
            return;
        }
    if (opt->n_with == NEIGHBOURS) {
        parser_fault(ps, word, "too many neighbours", "at most %u", NEIGHBOURS);
        return;
    }
    load.cpu = (unsigned)cpu;
    opt->with[opt->n_with++] = load;
}

void key_with(struct parser *ps, struct piece v)
{
    for (struct piece rest = v; rest.s;) {
        struct piece word = piece_cut(rest, ',', &rest);
        one_neighbour(ps, word);
    }
}

void key_pair(struct parser *ps, struct piece v)
{
    struct piece second, first = piece_cut(v, '+', &second);
    if (!second.s) {
        parser_fault(ps, v, "a pair needs two benchmarks",
                     "pair=BENCH[:param=value...]+BENCH[:param=value...]");
        return;
    }
    bool both = bench_word_load(ps, first, &ps->opt->pair[0]);
    both = bench_word_load(ps, second, &ps->opt->pair[1]) && both; /* each is judged */
    ps->opt->paired = both;
    ps->needs_all = true;
    if (both && ps->with->processors < 2)
        parser_fault(ps, v, "a pair needs two processors",
                     "a machine with more of them; Hyper-Threading may be off in the firmware's setup");
}

/* ---- the line as a whole ---- */

static void line_fault(struct parser *ps, const struct word *w, const char *what, const char *valid)
{
    ps->word = w;
    parser_fault(ps, (struct piece){w->text, w->len}, what, "%s", valid);
    ps->word = NULL;
}

/* Where cpu= is one number, or not given, it is known which processor is measured. */
static bool measured_is(const struct options *opt, unsigned cpu)
{
    const struct piece p = {opt->cpus_measured.s, opt->cpus_measured.len};
    int64_t n = 0;
    return (!p.s || piece_number(p, false, &n)) && n == cpu;
}

static bool has_experiment(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->n; i++)
        if (plan->line[i].bench->experiment) return true;
    return false;
}

/* cpus= says how many run. Without it as many do as the other words need. */
static void how_many(struct parser *ps, const struct word *cpus)
{
    struct options *opt = ps->opt;
    const unsigned given = opt->processors ? opt->processors : 1;
    const unsigned wanted = ps->needs_all && !cpus ? ps->with->processors : ps->needed;
    if (cpus && ps->needed > given)
        line_fault(ps, cpus, "another word needs more processors", "cpus=all, or no cpus=");
    else if (!cpus && wanted > 1)
        opt->processors = wanted;
}

/* An experiment that uses several processors has all of them, unless the user says which. */
static bool uses_several(const struct plan *plan)
{
    bool several = false;
    for (unsigned i = 0; i < plan->n; i++) several |= plan->line[i].bench->processors;
    return several;
}

/* The article's sidebar runs two threads of a Pentium 4. */
static bool hyper_threading(const struct pmu *pmu)
{
    return pmu->ops == &pmu_netburst_ops && pmu->netburst.two_threads;
}

void judge_processors(struct parser *ps, const struct word_places *at)
{
    const struct options *opt = ps->opt;
    if (!at->cpu && uses_several(ps->plan)) ps->needs_all = true;
    if (opt->action == ACTION_ARTICLE && hyper_threading(ps->with->pmu)) ps->needs_all = true;
    how_many(ps, at->cpus);
    if (at->pair) {
        if (at->bench) line_fault(ps, at->bench, "pair= has its own benchmarks", "bench= or pair=");
        if (at->cpu) line_fault(ps, at->cpu, "pair= chooses its processors by topology", "cpu= or pair=");
        if (at->with) line_fault(ps, at->with, "pair= has its own neighbours", "with= or pair=");
        if (opt->every_event)
            line_fault(ps, at->pair, "a pair has up to 64 events", "pair= and events=EVENT,...");
        if (at->sample) line_fault(ps, at->sample, "a pair is counted, not sampled", "pair= without sample=");
        return;
    }
    if (!at->with) return;
    if (opt->action != ACTION_MEASURE)
        line_fault(ps, at->with, "this bench= takes no neighbours",
                   "with= and bench= with names of benchmarks");
    else if (has_experiment(ps->plan))
        line_fault(ps, at->with, "an experiment takes no neighbours", "with= without experiments in bench=");
    for (unsigned i = 0; i < opt->n_with; i++)
        if (measured_is(opt, opt->with[i].cpu)) {
            line_fault(ps, at->with, "a neighbour on the processor that is measured",
                       "another processor behind @, or another cpu=");
            return;
        }
}
