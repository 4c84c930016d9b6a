/* Shared by the files of the option parser (options.c, options_events.c, options_sampling.c, bench_word.c):
 * the state, helpers, and the keys of each file. */
#pragma once
#include "measure/options.h"

/* A piece of a word. */
struct piece {
    const char *s;
    size_t len;
};
bool piece_is(struct piece p, const char *literal);
/* A decimal number, with an optional K, M or G (binary) when suffix is allowed. False when it is not one, or
 * beyond 2^62. */
bool piece_number(struct piece p, bool suffix, int64_t *out);
/* The fault of a number that was refused: its syntax, or, if that is right, its value. */
const char *piece_number_fault(struct piece p, bool suffix);
/* Cut p at the first c: returns the part before it; *rest is the part after it (s == NULL if there was no c).
 */
struct piece piece_cut(struct piece p, char c, struct piece *rest);

/* The state of the parser. */
struct parser {
    const char *line; /* from the user's first word on */
    const struct options_context *with;
    struct options *opt;
    struct plan *plan;
    const struct word *word;
    unsigned needed; /* so many processors are named, the boot processor included */
    bool needs_all;  /* a word may mean any of them */
    bool elsewhere;  /* the line has cpu=: another processor may know an event that this one lacks */
    const char *why; /* for the fault that is reported next; NULL: nothing to add */
    fault_fn *report;
    void *ctx;
    unsigned faults;
};
void parser_fault(struct parser *ps, struct piece part, const char *what, const char *valid_fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A number from min to max; after a fault *out is min. */
void key_number(struct parser *ps, struct piece v, int64_t min, int64_t max, int64_t *out);
/* One of a list of words; the index, or -1 after a fault. */
int key_choice(struct parser *ps, struct piece v, const char *const *names, unsigned n);

void key_events(struct parser *ps, struct piece v);
/* One more event to count; a fault if it is none. */
void options_event(struct parser *ps, struct piece name);
void key_ratio(struct parser *ps, struct piece v);
/* Faults of ratio= or levels= that depend on the whole line; w: where the line has it, or NULL. */
void judge_counted(struct parser *ps, const struct word *w);

void key_cpu(struct parser *ps, struct piece v);
void key_with(struct parser *ps, struct piece v);
void key_pair(struct parser *ps, struct piece v);
/* Where the line has these words; NULL: it has not. */
struct word_places {
    const struct word *bench, *cpu, *cpus, *with, *pair, *sample;
};
/* Faults of cpu=, with= and pair= that depend on the whole line. */
void judge_processors(struct parser *ps, const struct word_places *at);

void key_sample(struct parser *ps, struct piece v);
void key_pmi(struct parser *ps, struct piece v);
void key_period(struct parser *ps, struct piece v);
void key_samples(struct parser *ps, struct piece v);
void key_jitter(struct parser *ps, struct piece v);
void key_buffer(struct parser *ps, struct piece v);
void key_timer(struct parser *ps, struct piece v);
void key_at_once(struct parser *ps, struct piece v);
void key_ibs(struct parser *ps, struct piece v);
void key_together(struct parser *ps, struct piece v);
void key_latency(struct parser *ps, struct piece v);
void key_data(struct parser *ps, struct piece v);
void key_branches(struct parser *ps, struct piece v);
/* The words of sampling, in the order in which the last ones of options.c's table stand. */
enum {
    WORD_SAMPLE,
    WORD_PMI,
    WORD_PERIOD,
    WORD_SAMPLES,
    WORD_JITTER,
    WORD_BUFFER,
    WORD_TIMER,
    WORD_TOGETHER,
    WORD_AT_ONCE,
    WORD_IBS,
    WORD_LATENCY,
    WORD_DATA,
    WORD_BRANCHES,
    WORDS_OF_SAMPLING
};
/* Events that only PEBS can count, without it. The words are where the line names events, or NULL. */
void judge_events(struct parser *ps, const struct word *events, const struct word *ratio);
/* branches= without sample= samples by branches that are taken, at ring 3 unless ring= is given; sample=pmi
 * without events= does so, too. w: where the line has it, or NULL. */
void judge_branches(struct parser *ps, const struct word *w, const struct word *sample);
/* Faults that depend on the whole line: words of sampling without sample=, or with a method that does not use
 * them. word: NULL where the line has none. */
void judge_sampling(struct parser *ps, const struct word *const word[WORDS_OF_SAMPLING]);

void key_steps(struct parser *ps, struct piece v);
/* Faults of steps= that depend on the whole line. The words are where it has steps= and events=, or NULL. */
void judge_steps(struct parser *ps, const struct word *w, const struct word *events);

void key_trace(struct parser *ps, struct piece v);
void key_pins(struct parser *ps, struct piece v);
void key_dr0(struct parser *ps, struct piece v);
void key_dr1(struct parser *ps, struct piece v);
void key_dr2(struct parser *ps, struct piece v);
void key_dr3(struct parser *ps, struct piece v);
/* Where the line has these words; NULL: it has not. Faults of theirs that depend on the whole line. */
struct probe_words {
    const struct word *trace, *pins, *dr[BREAKPOINTS];
};
void judge_probes(struct parser *ps, const struct probe_words *at);

/* Parse the value of bench=, NAME[:param=value...][,NAME...], into ps->plan and ps->opt->action. */
void bench_word_parse(struct parser *ps, struct piece value);
/* NAME[:param=value...] of with= and pair=: one program with one value for each parameter. Of several
 * variants the first, unless one is named; also by its name alone. False: it was a fault. */
bool bench_word_load(struct parser *ps, struct piece spec, struct load *out);
/* What runs without a bench= word: all benchmarks of the user's modules, the main job if there are no
 * modules.
 */
void bench_word_default(struct parser *ps);
