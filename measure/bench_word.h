/* The value of bench=: NAME[:param=value...][,NAME...]. Private to the option parser. */
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
/* Cut p at the first c: returns what is before it, *rest gets what is after (s == NULL when there was no c).
 */
struct piece piece_cut(struct piece p, char c, struct piece *rest);

/* What the parser of one word needs to speak about faults. */
struct parser {
    const struct options_context *with;
    struct options *opt;
    struct plan *plan;
    const struct word *word;
    fault_fn *report;
    void *ctx;
    unsigned faults;
};
void parser_fault(struct parser *ps, struct piece part, const char *what, const char *valid_fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Parse the value of bench= into ps->plan and ps->opt->action. */
void bench_word_parse(struct parser *ps, struct piece value);
/* The main job: what runs without a bench= word. */
void bench_word_default(struct parser *ps);
