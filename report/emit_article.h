/* bench=article: B. Sprunt's article (IEEE Micro 22(4), 2002), all of its figures and ours on one page. */
#pragma once
#include "measure/truth.h"
#include "report/emit.h"

/* The benchmarks of the sidebar on Hyper-Threading, whose throughput is DERIVED_UOPS_PER_CYCLE. */
enum { ARTICLE_FP_ADD, ARTICLE_L1_MISS, ARTICLE_SIDEBAR };
extern const char *const article_sidebar[ARTICLE_SIDEBAR];

/* Measurements for the article, besides the experiments. */
struct article {
    struct truth_totals tags, cascades;
    double uops_per_cycle[ARTICLE_SIDEBAR]; /* of one thread; NAN: this CPU does not count them */
    /* Of two threads of one core, each beside the other. */
    struct article_threads {
        char why[128];         /* why they were not measured; "": they were */
        char unit[32];         /* of uops: "uops/add" */
        double uops[2];        /* of each thread, for an operation; NAN: not counted */
        double uops_per_cycle; /* of both together; NAN: not counted */
    } threads[ARTICLE_SIDEBAR];
};

/* After experiments_hold() and the experiments: emits the article's other figures, then the page. */
void emit_article(const struct machine *m, const struct article *a);
