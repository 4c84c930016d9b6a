/* The payloads in ring 3 of this machine: the same object files as in the x86_64 kernel, linked into a Linux
 * program.
 *
 * Prints latencies in core cycles, for comparison with published ones (shown by `make silicon`). The ratio of
 * core clock to TSC drifts while a program runs, so it is measured beside each payload, by a chain of
 * dependent one-cycle adds. A check of the loops, without a verdict: other programs run on this machine.
 */
#include "host/silicon_pairs.h"
#include "kernel/breakpoint.h"
#include "kernel/cache.h"
#include "kernel/hw.h"
#include "measure/bracket.h"
#include "measure/plan.h"
#include "measure/reading.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES (64u << 20)
#define REPS       2000
#define CHAIN      10000 /* one-cycle adds */

bracket_fn bracket_lfence; /* measure/bracket.S */

/* Ring 3 has no MSRs; kernel/cpuid.c asks for one. */
bool rdmsr_safe(uint32_t msr, uint64_t *value) { return (void)msr, (void)value, false; }
bool wrmsr_safe(uint32_t msr, uint64_t value) { return (void)msr, (void)value, false; }

/* Nor debug registers; one program of the truth suite, which is not run here, describes breakpoints. */
void breakpoint_describe(unsigned n, uintptr_t at, enum breakpoint_kind kind, unsigned len)
{
    (void)n, (void)at, (void)kind, (void)len;
}

static struct cpu_id id;
static struct cache_info caches;
static struct arena arena;

/* Register to register, since Golden Cove and its relatives add small constants at renaming, in no time. */
static void chain(void *arg)
{
    unsigned long n = CHAIN / 100;
    (void)arg;
    __asm__ volatile("1: .rept 100\n\tadd %%rcx, %%rax\n\t.endr\n\tdec %0\n\tjnz 1b" : "+r"(n)::"rax", "cc");
}

static void nothing(void *arg) { (void)arg; }

/* Least raw value of many calls, ticks. */
static double least(payload_fn *payload, void *arg, unsigned reps)
{
    struct reading r;
    uint64_t min = UINT64_MAX;
    for (unsigned i = 0; i < reps; i++) {
        bracket_lfence(payload, arg, &r);
        if (r.tsc[1] - r.tsc[0] < min) min = r.tsc[1] - r.tsc[0];
    }
    return (double)min;
}

static double chain_ticks(void) { return (least(chain, NULL, 20) - least(nothing, NULL, 100)) / CHAIN; }

static void measure(const struct plan_item *item)
{
    const struct bench *b = item->bench;
    const struct program program = bench_program(b, item->variant);
    struct bench_run run = {
        .caches = &caches, .arena = &arena, .payload = program.payload, .ops = 1, .own = program.own};
    char params[64] = "";
    memcpy(run.param, item->param, sizeof run.param);
    arena.used = 0;
    run.arg = arena_alloc(&arena, BENCH_ARG_BYTES, BENCH_ARG_BYTES);
    if (program.prepare && !program.prepare(&run)) {
        printf("%-16s %s\n", program.name, run.error);
        return;
    }
    for (unsigned i = 0; i < b->params && strlen(params) < 40; i++)
        sprintf(params + strlen(params), "%s=%lld ", b->param[i].name, (long long)run.param[i]);
    double before = chain_ticks();
    double ticks = (least(run.payload, run.arg, REPS) - least(nothing, NULL, 100)) / run.ops;
    double core = (before + chain_ticks()) / 2; /* ticks of a core cycle */
    printf("%-15s %-10s %-27s %9.3f %7.3f %9.2f\n", program.name, program.variant, params, ticks, 1 / core,
           ticks / core);
}

static bool named(const struct bench *b, char *const *names)
{
    for (; *names; names++)
        if (strcmp(b->program.name, *names) == 0) return true;
    return false;
}

/* What to print: the main benchmarks, or those with these names (up to NULL) if there are any, and the chase
 * over an increasing number of lines. */
static void show(const struct bench *b, char *const *names)
{
    static const unsigned lines[] = {1, 2, 4, 6, 8, 10, 12, 13, 14, 16, 20, 24, 32};
    static struct plan plan;
    struct param_range range[BENCH_PARAMS];
    bool chase = strcmp(b->program.name, "stride_thrash") == 0;
    if (*names ? !named(b, names) : !b->main_job) return;
    plan.n = 0;
    plan_defaults(b, range);
    for (unsigned i = 0; i < (chase ? sizeof lines / sizeof lines[0] : 1); i++) {
        if (chase) range[0].from = range[0].to = lines[i];
        plan_add(&plan, b, PLAN_ALL, range);
    }
    for (struct plan_cursor at = {.line = 0}; plan_next(&plan, &at);) measure(&at.item);
}

int main(int argc, char **argv)
{
    (void)argc;
    cpu_identify(&id);
    cache_probe(&id, &caches);
    if (!(id.f1_edx & CPUID_1_EDX_SSE2)) {
        fprintf(stderr, "silicon: this CPU has no LFENCE\n");
        return 4;
    }
    arena.base = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena.base == MAP_FAILED) {
        perror("silicon: memory");
        return 5;
    }
    arena.size = POOL_BYTES;
    madvise(arena.base, POOL_BYTES, MADV_HUGEPAGE);
    memset(arena.base, 1, POOL_BYTES);
    printf("%s, family %u model %u stepping %u%s\n", id.brand[0] ? id.brand : id.vendor, id.family, id.model,
           id.stepping, id.has_hypervisor ? ", under a hypervisor" : "");
    for (unsigned i = 0; i < caches.n; i++)
        printf("L%u%s %u KiB, %u ways of %u sets, %u B lines\n", caches.c[i].level,
               caches.c[i].kind == CACHE_DATA   ? "d"
               : caches.c[i].kind == CACHE_CODE ? "i"
                                                : "",
               (unsigned)(caches.c[i].bytes / 1024), (unsigned)caches.c[i].ways,
               (unsigned)cache_sets(&caches.c[i]), (unsigned)caches.c[i].line);
    printf("\nring 3 under Linux, least of %d, LFENCE bracket\n\n", REPS);
    printf("%-15s %-10s %-27s %9s %7s %9s\n", "benchmark", "", "parameters", "tsc/op", "core/tsc",
           "core cyc/op");
    for (const struct bench *const *b = benches_start; b < benches_end; b++) show(*b, argv + 1);
    return argv[1] || silicon_pairs() ? 0 : 1;
}
