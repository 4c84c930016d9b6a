/* What it costs two processors to write words that are near to each other.
 *
 * Each adds to a word of its own. Where the two words lie in one line, that goes back and forth between them
 * though they share nothing (false sharing); where each has a line of its own, nothing does. The ratio is
 * that to words that lie a page apart. */
#include "experiments/several.h"

enum { DISTANCE, ADDS };

#define FAR     4096
#define NEAREST 4

struct side {
    volatile uint32_t *word;
    struct barrier *barrier;
    unsigned me, adds;
    uint64_t ticks;
    bool through;
};

static void add(void *arg)
{
    struct side *s = arg;
    volatile uint32_t *word = s->word;
    if (!barrier_wait(s->barrier, s->me)) return;
    const uint64_t begin = hw_rdtsc();
    for (unsigned i = s->adds; i--;) __asm__ volatile("addl $1, %0" : "+m"(*word)::"cc");
    s->ticks = hw_rdtsc() - begin;
    s->through = true;
}

/* Median of the slower one's ticks for an add. */
static double ticks_at(struct lab *lab, uint8_t *memory, struct side *const *side, uint32_t distance)
{
    uint64_t *all = (uint64_t *)(void *)(memory + 2 * FAR);
    const struct lab_job job[] = {{0, add, side[0]}, {1, add, side[1]}};
    struct stats stats;
    const uint64_t begin = hw_rdtsc();
    unsigned rep = 0;
    for (; rep < lab->reps && (!rep || hw_rdtsc() - begin <= several_budget(lab)); rep++) {
        barrier_init(side[0]->barrier, 2, lab_patience(lab));
        for (unsigned i = 0; i < 2; i++) {
            side[i]->word = (volatile uint32_t *)(void *)(memory + (size_t)i * distance);
            *side[i]->word = 0;
            side[i]->through = false;
        }
        lab_together(lab, job, 2);
        for (unsigned i = 0; i < 2; i++)
            if (!side[i]->through || *side[i]->word != side[i]->adds)
                lab_fail(lab, "processor %u has made %u of %u adds", lab_processor(lab, i),
                         (unsigned)*side[i]->word, side[i]->adds);
        all[rep] = side[0]->ticks > side[1]->ticks ? side[0]->ticks : side[1]->ticks;
    }
    if (rep < lab->reps) several_fewer(lab, "repetitions", rep, lab->reps, 1);
    stats_compute(all, rep, 0, side[0]->adds, 95, &stats);
    return stats.median;
}

static void run(struct lab *lab)
{
    struct side *side[2];
    several_needed(lab, 2);
    struct barrier *barrier = lab_barrier(lab, 2);
    uint8_t *memory = lab_alloc(lab, 2 * FAR + lab->reps * sizeof(uint64_t), FAR);
    for (unsigned i = 0; i < 2; i++) {
        side[i] = lab_alloc(lab, sizeof *side[i], LINES_APART);
        *side[i] = (struct side){.barrier = barrier, .me = i, .adds = (unsigned)lab->param[ADDS]};
    }
    const double apart = ticks_at(lab, memory, side, FAR);
    const uint32_t given = (uint32_t)lab->param[DISTANCE];
    for (uint32_t d = given ? given : NEAREST; d <= (given ? given : FAR); d *= 2) {
        const double t = d == FAR ? apart : ticks_at(lab, memory, side, d);
        const struct lab_quantity q[] = {known("distance", "bytes", d), times("tsc", "tsc", t),
                                         times("ratio", "", apart > 0 ? t / apart : 0)};
        lab_row(lab, "two processors, each adds to its own word: ticks of an add", q, ARRAY_N(q));
    }
}

EXPERIMENT(false_sharing) = {
    .program = {.name = "false_sharing", .desc = "two processors write words in one line, and in two"},
    .experiment = run,
    .processors = true,
    .op = "add",
    .cost = "in one line ten times and more of what it costs apart",
    BENCH_PARAM_LIST([DISTANCE] = {"distance", "bytes", "from the one word to the other; auto: 4 to 4096",
                                   NEAREST, FAR, STEP_DOUBLES, PARAM_AUTO, true},
                     [ADDS] = {"adds", "adds", "of each, in a repetition", 1, 100000000, 1, 10000, false}),
};
