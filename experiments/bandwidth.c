/* How many bytes 1, 2, ... processors read, write and copy together, each in memory of its own.
 *
 * REP MOVS and REP STOS write, four or eight bytes at a time as the microcode likes; reading is a loop of
 * loads, eight of a register's width in a turn. With buffers that fit into caches it is their bandwidth, with
 * larger ones memory's. */
#include "experiments/several.h"

enum { BYTES, ROUNDS };
enum way { READ, WRITE, COPY, WAYS };

#define TURN (8 * sizeof(uintptr_t)) /* bytes of a turn of the loop that reads */

struct side {
    uint8_t *from, *to;
    struct barrier *barrier;
    size_t bytes;
    unsigned me, rounds;
    uint64_t ticks;
    bool through;
};

static void reading(const struct side *s)
{
    const uintptr_t *at = (const uintptr_t *)(const void *)s->from;
    uintptr_t left = s->bytes / TURN, any;
    __asm__ volatile("1:\n\t"
                     "mov 0*%c3(%0), %2\n\tmov 1*%c3(%0), %2\n\tmov 2*%c3(%0), %2\n\tmov 3*%c3(%0), %2\n\t"
                     "mov 4*%c3(%0), %2\n\tmov 5*%c3(%0), %2\n\tmov 6*%c3(%0), %2\n\tmov 7*%c3(%0), %2\n\t"
                     "add $8*%c3, %0\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(at), "+r"(left), "=&r"(any)
                     : "i"(sizeof(uintptr_t))
                     : "cc", "memory");
}

static void writing(const struct side *s)
{
    void *to = s->to;
    size_t words = s->bytes / 4;
    __asm__ volatile("cld; rep stosl" : "+D"(to), "+c"(words) : "a"(0) : "memory", "cc");
}

static void copying(const struct side *s)
{
    void *to = s->to;
    const void *from = s->from;
    size_t words = s->bytes / 4;
    __asm__ volatile("cld; rep movsl" : "+D"(to), "+S"(from), "+c"(words)::"memory", "cc");
}

/* The first round brings in what fits, and is not timed. Each times itself until all are through, so that
 * none is alone for a part of it. */
static inline __attribute__((always_inline)) void stream(struct side *s, void (*once)(const struct side *))
{
    once(s);
    if (!barrier_wait(s->barrier, s->me)) return;
    const uint64_t begin = hw_rdtsc();
    for (unsigned i = s->rounds; i--;) once(s);
    if (!barrier_wait(s->barrier, s->me)) return;
    s->ticks = hw_rdtsc() - begin;
    s->through = true;
}

static void stream_reads(void *arg) { stream(arg, reading); }
static void stream_writes(void *arg) { stream(arg, writing); }
static void stream_copies(void *arg) { stream(arg, copying); }

struct streams {
    struct barrier *barrier;
    struct side **side;
    struct lab_job *job;
    uint64_t *ticks;
};

/* Bytes of a tick, of the first n of them together. Of a copy they are read and written, and count once. */
static double bytes_per_tick(struct lab *lab, const struct streams *x, unsigned n, enum way way)
{
    static void (*const fn[WAYS])(void *) = {stream_reads, stream_writes, stream_copies};
    struct stats stats;
    const uint64_t begin = hw_rdtsc();
    unsigned rep = 0;
    for (; rep < lab->reps && (!rep || hw_rdtsc() - begin <= several_budget(lab)); rep++) {
        barrier_init(x->barrier, n, lab_patience(lab));
        for (unsigned i = 0; i < n; i++) {
            x->side[i]->through = false;
            x->job[i] = (struct lab_job){i, fn[way], x->side[i]};
        }
        lab_together(lab, x->job, n);
        for (unsigned i = 0; i < n; i++)
            if (!x->side[i]->through)
                lab_fail(lab,
                         "processor %u has waited for the others longer than limit= allows; fewer rounds=",
                         lab_processor(lab, i));
        x->ticks[rep] = x->side[0]->ticks;
    }
    if (rep < lab->reps) several_fewer(lab, "repetitions", rep, lab->reps, n - 1);
    stats_compute(x->ticks, rep, 0, 1, 95, &stats);
    return stats.median > 0 ? (double)x->side[0]->bytes * x->side[0]->rounds * n / stats.median : 0;
}

#define ROWS 10 /* 1, 2, 4, ... 256 processors, and how many there are */

static void table(struct lab *lab, const char *name, const char *unit, const unsigned *n, double (*of)[WAYS],
                  unsigned rows, double scale)
{
    for (unsigned i = 0; i < rows; i++) {
        const struct lab_quantity q[] = {
            known("processors", "", n[i]), times("read", unit, of[i][READ] * scale),
            times("write", unit, of[i][WRITE] * scale), times("copy", unit, of[i][COPY] * scale)};
        lab_row(lab, name, q, ARRAY_N(q));
    }
}

static void run(struct lab *lab)
{
    struct streams x = {.barrier = lab_barrier(lab, lab->cpus)};
    const size_t bytes = (size_t)lab->param[BYTES];
    x.side = lab_alloc(lab, lab->cpus * sizeof *x.side, 8);
    x.job = lab_alloc(lab, lab->cpus * sizeof *x.job, 8);
    x.ticks = lab_alloc(lab, lab->reps * sizeof *x.ticks, 8);
    if (lab_memory(lab) / lab->cpus < 2 * bytes + 4096)
        lab_fail(lab, "bytes=%llu: %u processors need twice as much each, and %llu bytes are free",
                 (unsigned long long)bytes, lab->cpus, (unsigned long long)lab_memory(lab));
    for (unsigned i = 0; i < lab->cpus; i++) {
        x.side[i] = lab_alloc(lab, sizeof *x.side[i], LINES_APART);
        *x.side[i] = (struct side){.from = lab_alloc(lab, bytes, 64),
                                   .to = lab_alloc(lab, bytes, 64),
                                   .barrier = x.barrier,
                                   .bytes = bytes,
                                   .me = i,
                                   .rounds = (unsigned)lab->param[ROUNDS]};
    }
    double of[ROWS][WAYS];
    unsigned n[ROWS], rows = 0;
    for (unsigned k = 1; k; k = next_count(lab, k)) {
        for (unsigned way = 0; way < WAYS; way++) of[rows][way] = bytes_per_tick(lab, &x, k, (enum way)way);
        n[rows++] = k;
    }
    table(lab, "bytes of a tick, all together", "B/tsc", n, of, rows, 1);
    if (lab->tsc_hz) table(lab, "the same in units of time", "GB/s", n, of, rows, (double)lab->tsc_hz / 1e9);
}

EXPERIMENT(bandwidth) = {
    .program = {.name = "bandwidth",
                .desc = "1, 2, 4, ... processors read, write and copy memory of their own"},
    .experiment = run,
    .processors = true,
    .op = "byte",
    .cost = "in caches it grows with the processors; memory's ends with some of them",
    BENCH_PARAM_LIST([BYTES] = {"bytes", "bytes", "of a buffer; two for each processor", 4096, 1 << 30,
                                STEP_DOUBLES, 1 << 18, true},
                     [ROUNDS] = {"rounds", "rounds", "through the buffer, in a repetition", 1, 1000000, 1, 4,
                                 false}),
};
