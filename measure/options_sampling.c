/* The words of sampling, and the benchmark's values where they are not given. */
#include "bench/experiment.h"
#include "kernel/linux_timer.h"
#include "kernel/rtc.h"
#include "measure/options_parser.h"
#include <string.h>

void key_sample(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"pmi", "pebs", "timer", "nmi", "ibs", "ibs-fetch"};
    ps->opt->sample = (enum sampling_by)(key_choice(ps, v, names, 6) + 1);
}

void key_pmi(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"fixed", "nmi"};
    ps->opt->pmi_nmi = key_choice(ps, v, names, 2) == 1;
}

void key_period(struct parser *ps, struct piece v)
{
    int64_t n;
    ps->opt->period_given = true;
    if (piece_is(v, "auto")) return;
    if (!piece_number(v, false, &n) || n < 1 || n > INT32_MAX)
        parser_fault(ps, v, piece_number_fault(v, false), "1 to %d, in digits, or auto", INT32_MAX);
    else
        ps->opt->period = (uint32_t)n;
}

void key_samples(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 1, SAMPLES_MAX, &n);
    ps->opt->samples = (unsigned)n;
}

void key_jitter(struct parser *ps, struct piece v)
{
    struct piece seed, range = piece_cut(v, ':', &seed);
    int64_t n;
    key_number(ps, range, 0, 1 << 30, &n);
    ps->opt->jitter = (uint32_t)n;
    ps->opt->jitter_given = true;
    if (!seed.s) return;
    key_number(ps, seed, 1, UINT32_MAX, &n);
    ps->opt->jitter_seed = (uint32_t)n;
}

void key_buffer(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 1, PEBS_DEPTH_MAX, &n);
    ps->opt->pebs_depth = (unsigned)n;
}

void key_timer(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"apic", "pit", "rtc", "linux"};
    ps->opt->timer = (enum sampling_timer)(key_choice(ps, v, names, 4) + 1);
}

void key_together(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"0", "1"};
    ps->opt->together = key_choice(ps, v, names, 2) == 1;
}

void key_at_once(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"0", "1"};
    ps->opt->at_once = key_choice(ps, v, names, 2) == 1;
}

void key_ibs(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"ops", "cycles", "l3miss"};
    bool seen[3] = {false};
    struct ibs_asked *ibs = &ps->opt->ibs;
    for (struct piece rest; v.s; v = rest) {
        const int i = key_choice(ps, piece_cut(v, ',', &rest), names, 3);
        if (i < 0) return;
        seen[i] = true;
    }
    if (seen[0] && seen[1])
        parser_fault(ps, (struct piece){ps->word->text, ps->word->len}, "a period has one unit",
                     "ibs=ops or ibs=cycles");
    ibs->ops = seen[0];
    ibs->cycles = seen[1];
    ibs->l3miss = seen[2];
}

void key_latency(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, PEBS_LATENCY_LEAST, UINT16_MAX, &n);
    ps->opt->pebs.latency = (uint16_t)n;
}

void key_data(struct parser *ps, struct piece v)
{
    while (v.s) {
        struct piece rest, word = piece_cut(v, ',', &rest);
        const int k = key_choice(ps, word, pebs_data_names, PEBS_DATA);
        if (k >= 0) ps->opt->pebs.data |= 1u << k;
        v = rest;
    }
}

/* A fault of this word as a whole. */
static void line_fault(struct parser *ps, const struct word *w, const char *what, const char *valid)
{
    ps->word = w;
    parser_fault(ps, (struct piece){w->text, w->len}, what, "%s", valid);
    ps->word = NULL;
}

static void judge_ibs(struct parser *ps, const struct word *const word[WORDS_OF_SAMPLING])
{
    struct options *opt = ps->opt;
    if (!options_ibs(opt)) {
        if (word[WORD_IBS])
            line_fault(ps, word[WORD_IBS],
                       "this word does not go with this sample=", "sample=ibs or ibs-fetch");
        return;
    }
    opt->ibs.fetch = opt->sample == SAMPLE_BY_IBS_FETCH;
    if (opt->n_events)
        line_fault(ps, word[WORD_SAMPLE], "IBS samples ops or fetches, not events",
                   "sample=ibs or ibs-fetch without events=");
    const struct word *w = word[WORD_IBS];
    if (opt->ibs.fetch && w && !piece_is((struct piece){w->text, w->len}, "ibs=l3miss"))
        line_fault(ps, w, "a period of fetches is in fetches",
                   "sample=ibs-fetch with ibs=l3miss, or without ibs=");
    if (opt->period % 16)
        line_fault(ps, word[WORD_PERIOD], "IBS counts in steps of 16", "a multiple of 16, or auto");
    if (opt->jitter)
        line_fault(ps, word[WORD_JITTER], "the processor itself varies the periods of IBS",
                   "sample=ibs or ibs-fetch without jitter=");
}

/* The methods that take this word. */
static const char *methods_of(unsigned word)
{
    switch (word) {
    case WORD_BUFFER:
    case WORD_DATA:
        return "sample=pebs";
    case WORD_LATENCY:
        return "sample=pebs, ibs or ibs-fetch";
    case WORD_IBS:
        return "sample=ibs or ibs-fetch";
    case WORD_TIMER:
        return "sample=timer";
    case WORD_AT_ONCE:
        return "sample=pmi";
    case WORD_PMI:
        return "sample=pmi, pebs, ibs or ibs-fetch";
    default:
        return SAMPLE_HELP;
    }
}

void judge_sampling(struct parser *ps, const struct word *const word[WORDS_OF_SAMPLING])
{
    struct options *opt = ps->opt;
    const struct word *sample = word[WORD_SAMPLE];
    const bool timer = opt->sample == SAMPLE_BY_TIMER, ibs = options_ibs(opt);
    unsigned experiments = 0; /* which bring their own options */
    const struct bench *found = NULL, *experiment = NULL;
    for (unsigned i = 0; i < ps->plan->n; i++) {
        const struct bench *b = ps->plan->line[i].bench;
        experiments += b->sampling != NULL;
        if (b->found) found = b;
        if (b->experiment) experiment = b;
    }
    if (!sample && opt->sample) sample = word[WORD_BRANCHES];
    if (!sample) {
        /* Cascades have interrupts, too, and so accept pmi=. */
        for (unsigned i = opt->action == ACTION_CASCADE ? WORD_PERIOD : WORD_PMI; i < WORDS_OF_SAMPLING; i++)
            if (word[i] && (!experiments || i == WORD_TIMER || i == WORD_AT_ONCE || i == WORD_IBS))
                line_fault(ps, word[i], "this word needs sample=", methods_of(i));
        return;
    }
    if (!opt->reps_given) opt->reps = 1; /* a sample is the repetition */
    if (opt->action != ACTION_MEASURE)
        line_fault(ps, sample, "this bench= cannot be sampled",
                   "bench= with names of benchmarks, or no sample=");
    else if (found)
        line_fault(ps, sample, "snippets are counted, not sampled", "bench= without code, or no sample=");
    else if (experiment)
        line_fault(ps, sample, "an experiment measures by itself",
                   "bench= without experiments, or no sample=");
    if (opt->every_event) {
        line_fault(ps, sample, "all events are counted, not sampled", "events=EVENT, or no sample=");
        return;
    }
    for (unsigned i = 0; i < opt->n_events; i++)
        if (opt->event[i].preset) {
            line_fault(ps, sample, "sampling presets its counters itself",
                       "events= without init= and cascades, or no sample=");
            break;
        }
    if (timer && opt->n_events)
        line_fault(ps, sample, "a timer samples time, not events", "sample=timer without events=");
    judge_ibs(ps, word);
    if (!timer && !ibs && !opt->list_events && (!experiments || experiments < ps->plan->n)) {
        if (!ps->with->pmu->usable)
            line_fault(ps, sample, "this CPU has no working counter", "sample=timer");
        else if (!opt->n_events && !opt->elsewhere) /* also if the word's event is absent here */
            line_fault(ps, sample, "no event to sample by",
                       "events=EVENT, sample=timer, or on AMD sample=ibs");
    }
    if (opt->timer == TIMER_RTC && opt->jitter)
        line_fault(ps, word[WORD_JITTER], "the RTC has powers of two only, none of which can be drawn",
                   "jitter=0, or timer=apic or timer=pit");
    if (timer && opt->jitter && linux_timer_exists)
        line_fault(ps, word[WORD_JITTER], "Linux' timer keeps one period", "jitter=0");
    if (word[WORD_PMI] && opt->sample != SAMPLE_BY_PMI && opt->sample != SAMPLE_BY_PEBS && !ibs)
        line_fault(ps, word[WORD_PMI], "this word does not go with this sample=", "sample=pmi, pebs or ibs");
    if (word[WORD_BUFFER] && opt->sample != SAMPLE_BY_PEBS)
        line_fault(ps, word[WORD_BUFFER], "this word does not go with this sample=", "sample=pebs");
    else if (opt->branches && opt->pebs_depth > 1 && !(opt->pebs.data & PEBS_LBR))
        line_fault(ps, word[WORD_BUFFER], "the branches are read at each interrupt",
                   "buffer=1, or data=lbr where records have them");
    if (word[WORD_DATA] && opt->sample != SAMPLE_BY_PEBS)
        line_fault(ps, word[WORD_DATA], "this word does not go with this sample=", "sample=pebs");
    if (word[WORD_LATENCY] && opt->sample != SAMPLE_BY_PEBS && !ibs)
        line_fault(ps, word[WORD_LATENCY], "this word does not go with this sample=", "sample=pebs or ibs");
    if (opt->together && !opt->cpus_measured.s)
        line_fault(ps, word[WORD_TOGETHER], "no processors to sample together",
                   "cpu=all, or other words of cpu=");
    if (opt->together && opt->n_with)
        line_fault(ps, word[WORD_TOGETHER], "those that are sampled together are each other's neighbours",
                   "together=1 without with=");
    if (opt->at_once && opt->sample != SAMPLE_BY_PMI)
        line_fault(ps, word[WORD_AT_ONCE], "this word does not go with this sample=", "sample=pmi");
    else if (opt->at_once && opt->n_events < 2 && !opt->elsewhere)
        line_fault(ps, word[WORD_AT_ONCE], "there are not several events to sample at once",
                   "events= with two or more, or no at_once=");
    else if (opt->at_once && opt->together)
        line_fault(ps, word[WORD_AT_ONCE],
                   "several events or several processors are sampled at once, not both",
                   "at_once=1 without together=");
    if (word[WORD_TIMER] && !timer)
        line_fault(ps, word[WORD_TIMER], "this word does not go with this sample=", "sample=timer");
    if (opt->timer == TIMER_RTC && opt->period &&
        (opt->period < RTC_TICKS_MIN || opt->period > RTC_TICKS_MAX || opt->period & (opt->period - 1)))
        line_fault(ps, word[WORD_PERIOD], "the RTC does not have this period",
                   "a power of two from 4 to 16384, or auto");
    if (opt->period && opt->jitter &&
        (opt->jitter + 2 > opt->period || opt->jitter > INT32_MAX - opt->period))
        line_fault(ps, word[WORD_JITTER], "period= plus or minus jitter= is out of range",
                   "2 to 2147483647 for each period");
}

/* Has the CPU what this row needs? events: the user gave some, and the row's does not count. A CPU whose
 * class should have PEBS and has none is not passed over but refused, with the reason. */
static bool way_fits(const struct bench_way *w, const struct pmu *pmu, bool events, struct pmu_code *code)
{
    char why[8], near[8];
    if (w->by == SAMPLE_BY_IBS) return pmu->ibs && !events;
    if (events) return true;
    if ((w->classes && !(w->classes & pmu->classes)) || w->without & pmu->classes) return false;
    return pmu->ops &&
           pmu_event_parse(pmu, w->event, strlen(w->event), code, why, sizeof why, near, sizeof near);
}

/* The k-th way to sample this experiment here, by `by` if that is given; NULL: there are fewer. Of the rows
 * of one way the first counts that fits; with events of the user's own all of one method are one. */
static const struct bench_way *way_at(const struct bench_sampling *own, const struct options *given,
                                      const struct pmu *pmu, unsigned k, struct pmu_code *code)
{
    const bool events = given->n_events;
    unsigned seen = 0;
    for (const struct bench_way *w = own->way; w->way; w++) {
        const unsigned bit = events ? 1u << w->by : w->way;
        if (seen & bit || (given->sample && given->sample != (enum sampling_by)w->by)) continue;
        if (!way_fits(w, pmu, events, code)) continue;
        seen |= bit;
        if (k-- == 0) return w;
    }
    return NULL;
}

/* sample= names a method that none of the experiment's rows has here: by the first event of its own. */
static bool any_event(const struct bench_sampling *own, const struct pmu *pmu, struct pmu_code *code)
{
    for (const struct bench_way *w = own->way; w->way; w++)
        if (w->event && !w->latency && way_fits(w, pmu, false, code)) return true;
    return false;
}

bool options_sampling(const struct options *given, const struct plan_item *item, const struct pmu *pmu,
                      unsigned k, struct options *out)
{
    const struct bench_sampling *own = item->bench->sampling;
    struct pmu_code code;
    if ((!own || given->sample) && (k || !given->sample)) return false;
    const struct bench_way *w = own ? way_at(own, given, pmu, k, &code) : NULL;
    if (own && !w && k) return false;
    *out = *given;
    out->repeat = !own && !given->reps_given;
    if (!own) return true;
    if (!given->sample) out->sample = (enum sampling_by)(w ? w : own->way)->by;
    if (!given->reps_given) out->reps = 1;
    if (!given->warmup_given) out->warmup = 0;
    if (!given->ring_given) out->ring = 3;
    if (out->sample == SAMPLE_BY_TIMER || (options_ibs(out) && !w)) return true;
    if (!given->period_given)
        out->period = (w && w->period && !given->n_events ? w->period : own->period)(item->param);
    if (given->n_events || options_ibs(out)) return true;
    out->n_events = w || any_event(own, pmu, &code);
    if (out->n_events) out->event[0] = code;
    if (w && !given->pebs.latency) out->pebs.latency = w->latency;
    return true;
}
