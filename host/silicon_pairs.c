/* core_to_core in ring 3 of this machine: the same object file as in the x86_64 kernel, whose processors are
 * threads that each stay on one of Linux' CPUs, and whose report is a table. A check of the loop, for
 * comparison with published figures (docs/core-to-core.md). */
#define _GNU_SOURCE
#include "host/silicon_pairs.h"
#include "include/anechoic/experiment.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPS      50
#define TRIPS     1000 /* round trips in a repetition */
#define MOST_CPUS 64
#define PAIRS     300
#define PATIENCE  2 /* seconds that one waits for the other */

static unsigned linux_cpu[MOST_CPUS]; /* that this program may use */
static jmp_buf end;
static char why[160];
static void *allocated[64];
static unsigned allocations;
static bool played; /* both threads were on their CPUs: what fails from there on is the exchange */

/* ---- the part of include/anechoic/experiment.h that it uses ---- */

void lab_fail(struct lab *lab, const char *format, ...)
{
    va_list args;
    (void)lab;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    longjmp(end, 1);
}

void *lab_alloc(struct lab *lab, size_t bytes, size_t alignment)
{
    void *at = NULL;
    if (allocations == sizeof allocated / sizeof *allocated ||
        posix_memalign(&at, alignment < sizeof at ? sizeof at : alignment, bytes) != 0)
        lab_fail(lab, "no memory");
    allocated[allocations++] = at;
    return memset(at, 0, bytes);
}

unsigned lab_processor(const struct lab *lab, unsigned cpu) { return (void)lab, linux_cpu[cpu]; }
uint64_t lab_patience(const struct lab *lab) { return PATIENCE * lab->tsc_hz; }

struct barrier *lab_barrier(struct lab *lab, unsigned n)
{
    struct barrier *b = lab_alloc(lab, barrier_bytes(n), LINES_APART);
    barrier_init(b, n, lab_patience(lab));
    return b;
}

static bool stay_on(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(linux_cpu[cpu], &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

struct thread {
    pthread_t id;
    const struct lab_job *job;
    bool started, stayed;
};

static void *play(void *arg)
{
    struct thread *t = arg;
    t->stayed = stay_on(t->job->cpu);
    if (t->stayed) t->job->fn(t->job->arg); /* the other one's barrier breaks, where it did not come */
    return NULL;
}

void lab_together(struct lab *lab, const struct lab_job *job, unsigned n)
{
    struct thread thread[2] = {0};
    bool all = n == 2;
    for (unsigned i = 0; i < n && all; i++) {
        thread[i].job = &job[i];
        all = thread[i].started = pthread_create(&thread[i].id, NULL, play, &thread[i]) == 0;
    }
    for (unsigned i = 0; i < 2; i++)
        if (thread[i].started) pthread_join(thread[i].id, NULL);
    if (!all || !thread[0].stayed || !thread[1].stayed)
        lab_fail(lab, "Linux gives no thread that stays on its CPU");
    played = true;
}

/* Ring 3 has no counters. */
void lab_count_on(struct lab *lab, unsigned cpu, const char *const *events, struct lab_counting *out)
{
    (void)lab, (void)cpu, (void)events;
    *out = (struct lab_counting){.n = 1, .state = {LAB_ABSENT}};
}
uint64_t lab_counted(struct lab_counting *c, unsigned i) { return (void)c, (void)i, 0; }

/* ---- the report ---- */

void lab_row(struct lab *lab, const char *table, const struct lab_quantity *q, unsigned n)
{
    (void)table;
    printf("  %-2lld ", (long long)lab->param[0]);
    for (unsigned i = 0; i < n; i++) printf(i < 2 ? " %6.0f" : " %10.2f", q[i].value);
    putchar('\n');
}

void lab_matrix(struct lab *lab, const char *name, const char *unit, const double *value,
                enum lab_source source)
{
    (void)lab, (void)name, (void)unit, (void)value, (void)source; /* the rows have it */
}
void lab_value(struct lab *lab, const struct lab_quantity *q, const char *note)
{
    (void)lab, (void)q, (void)note;
}

/* ---- all ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* In a tenth of a second. */
static uint64_t tsc_hz(void)
{
    const double begin = seconds();
    const uint64_t ticks = hw_rdtsc();
    double now;
    while ((now = seconds()) - begin < 0.1)
        ;
    return (uint64_t)((double)(hw_rdtsc() - ticks) / (now - begin));
}

static unsigned usable(void)
{
    cpu_set_t set;
    unsigned n = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && n < MOST_CPUS; cpu++)
        if (CPU_ISSET(cpu, &set)) linux_cpu[n++] = cpu;
    return n;
}

/* Its descriptor, in the list that the linker gathers. */
static const struct bench *experiment(void)
{
    const struct bench *const *b = benches_start;
    while (strcmp((*b)->program.name, "core_to_core") != 0) b++;
    return *b;
}

bool silicon_pairs(void)
{
    volatile bool right = true; /* longjmp() comes past it */
    int64_t param[] = {1, TRIPS, PAIRS};
    struct lab lab = {.param = param, .tsc_hz = tsc_hz(), .cpus = usable(), .reps = REPS};
    puts("\ncore_to_core: one way of a line from one CPU to another, ring 3 under Linux; "
         "docs/core-to-core.md has");
    puts("published figures to compare by=2 with\n");
    if (lab.cpus < 2) {
        puts("  not measured: Linux lets this program use one CPU only");
        return true;
    }
    printf("  %-2s  %6s %6s %10s %10s %10s %10s\n", "by", "cpu a", "cpu b", "tsc", "min (ns)", "max (ns)",
           "ns");
    for (param[0] = 1; param[0] <= 3; param[0]++) {
        played = false;
        if (setjmp(end) == 0) {
            experiment()->experiment(&lab);
        } else {
            printf("  %-2lld  %s: %s\n", (long long)param[0], played ? "WRONG" : "not measured", why);
            if (played) right = false;
        }
        while (allocations) free(allocated[--allocations]);
    }
    return right;
}
