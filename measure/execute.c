#include "measure/execute.h"
#include "kernel/cpu_state.h"
#include "kernel/hw.h"
#include "kernel/percpu.h"
#include "kernel/repeated.h"
#include "kernel/user.h"
#include "measure/trace.h"
#include "measure/watchdog.h"
#include <string.h>

#define OPS_MOST 1e18 /* operations in one call */

_Static_assert(BRACKET_COUNTERS == PMU_COUNTERS && READING_COUNTERS == PMU_COUNTERS,
               "a group's counters are read by one bracket");

/* ---- a call ---- */

/* Read the lines that a bracket writes: of its reading, of the stack below, and of that at CPL 3. Where
 * writes do not fill the cache (on a Pentium) they would hit or miss depending on the code that ran before,
 * and that differs between the brackets of the overhead and the repetitions. */
static inline __attribute__((always_inline)) void fetch_written(const struct execution *x,
                                                                const volatile uint32_t *stack)
{
    const volatile uint32_t *user = x->user_stack;
    const volatile struct reading *r = x->reading;
    (void)(stack[-1], stack[-9], stack[-17]);
    if (user) (void)(user[-1], user[-9], user[-17]);
    (void)(r->tsc[0], r->start[0], r->start[1], r->end[0], r->end[1]);
}

static inline __attribute__((always_inline)) void ready(const struct execution *x,
                                                        const volatile uint32_t *stack)
{
    if (x->before) x->before(x->bench);
    fetch_written(x, stack);
    x->reading->tsc[1] = 0;
    if (x->many) /* start[] is zero from the beginning */
        memset(x->reading->end, 0, x->many * sizeof x->reading->end[0]);
}

/* Every bracket writes its last time stamp at its end, and ready() clears it. If it is still 0, the payload
 * went past the bracket, to where that returns to: the readings are those of another call. */
static inline __attribute__((always_inline)) void enter(const struct execution *x, payload_fn *payload,
                                                        void *arg)
{
    if (x->user_stack)
        user_call(x->user_stack, (user_fn *)x->bracket, (void *)payload, arg, x->reading);
    else
        x->bracket(payload, arg, x->reading);
    if (!x->reading->tsc[1]) trap_raise(TRAP_ASTRAY);
}

/* What the bracket pushes begins at one place in a line: some bytes below the line's beginning, since GCC's
 * alloca() takes more than it is asked for. Else the callers' frames would decide whether the payload's own
 * pushes come into another line than those of an empty bracket. */
#define STACK_LINE 64
#ifdef HOST /* where AddressSanitizer would watch what is read below it */
#define ALIGN_STACK(line) ((line) = __builtin_frame_address(0))
#else
#ifdef __x86_64__
#define READ_SP(sp) __asm__ volatile("movq %%rsp, %0" : "=r"(sp))
#else
#define READ_SP(sp) __asm__ volatile("movl %%esp, %0" : "=r"(sp))
#endif
#define ALIGN_STACK(line)                                                     \
    do {                                                                      \
        READ_SP(line);                                                        \
        void *const rest_ = __builtin_alloca((uintptr_t)(line) % STACK_LINE); \
        __asm__ volatile("" ::"r"(rest_)); /* there may be no byte of it */   \
        (line) -= (uintptr_t)(line) % STACK_LINE / sizeof *(line);            \
    } while (0)
#endif

REPEATED void execute(const struct execution *x, payload_fn *payload, void *arg)
{
    const volatile uint32_t *stack;
    ALIGN_STACK(stack);
    ready(x, stack);
    enter(x, payload, arg);
}

void execution_ready(const struct execution *x) { ready(x, __builtin_frame_address(0)); }

void execution_call(const struct execution *x, payload_fn *payload, void *arg, bool interrupts)
{
    const bool masks = !x->user_stack; /* ring 3 runs with IF set, and the way back clears it */
    if (interrupts && masks) hw_interrupts_on();
    enter(x, payload, arg);
    if (masks) hw_interrupts_off();
}

/* ---- the resources of a run ---- */

void *run_alloc(struct run *run, struct arena *arena, size_t bytes, size_t align, const char *what)
{
    void *p = arena_alloc(arena, bytes, align);
    if (p) return memset(p, 0, bytes);
    run_refuse(run, RUN_MEMORY, "not enough memory for %s", what);
    return NULL;
}

void run_trapped(struct run *run, const struct trap *trap)
{
    run->trap = *trap;
    if (trap->vector == TRAP_ASTRAY)
        run_refuse(run, RUN_IMPOSSIBLE,
                   "it did not return to the bracket that had called it, so nothing was measured");
    else if (trap->vector == TRAP_NO_COUNT)
        run_refuse_count(run, (const char *)(uintptr_t)trap->ip, trap->error, trap->cr2);
    else
        run->status = trap->vector == VECTOR_NMI ? RUN_ENDED : RUN_TRAP;
}

void run_guarded(struct run *run, void (*policy)(void *ctx), void *ctx)
{
    /* What is measured has the end of a page as its stack. Else the sets of a cache that the stack's lines
     * lie in would depend on the frames of the callers, and so on the compiler. */
    struct trap_guard guard;
    void *const rest = __builtin_alloca((uintptr_t)&guard % PAGE_SIZE);
    __asm__ volatile("" ::"r"(rest)); /* which nobody uses; there may be no byte of it */
    if (trap_guard_arm(&guard) == 0) {
        policy(ctx);
        trap_guard_disarm(&guard);
        return;
    }
    run_trapped(run, &guard.trap);
}

/* prepare() of the user's own may do anything, too. */
static bool prepare_users(struct run *run, const struct cpu *cpu, const struct options *opt)
{
    const struct program *p = &run->program;
    struct bench_run *b = &run->bench;
    if (opt->limit) watchdog_begin(cpu, watchdog_find(cpu, 0, false), opt->limit);
    execution_before_users(b);
    const bool good = p->prepare(b);
    watchdog_end();
    cpu_state_plain_flags();
    b->image = p->image;
    b->error[sizeof b->error - 1] = '\0';
    if (!good) return false;
    return (b->ops > 0 && b->ops <= OPS_MOST) ||
           run_refuse(run, RUN_PREPARE, "prepare() has set run->ops to what is no number above 0");
}

bool execution_prepare(struct run *run, const struct cpu *cpu, const struct options *opt, struct arena *arena)
{
    const struct program *p = &run->program;
    struct bench_run *b = &run->bench;
    run->cpu = cpu;
    if (run->item) memcpy(b->param, run->item->param, sizeof b->param);
    b->caches = &cpu->caches;
    b->tsc_hz = cpu->machine->clock.tsc_hz;
    b->arena = arena;
    b->payload = p->payload;
    b->own = p->own;
    b->image = p->image;
    b->ops = 1;
    if (!(b->arg = run_alloc(run, arena, BENCH_ARG_BYTES, BENCH_ARG_BYTES, "the payload"))) return false;
    if (p->regions) {
        if (!(run->regions = run_alloc(run, arena, sizeof *run->regions, 64, "regions"))) return false;
        b->regions = run->regions->table =
            run_alloc(run, arena, sizeof *run->regions->table, 4096, "regions");
        if (!b->regions) return false;
    }
    if (p->channels) {
        if (!(run->trace = trace_open(run, opt, arena))) return false;
        b->trace = run->trace->ring;
    }
    if (p->prepare && !(p->image.at ? prepare_users(run, cpu, opt) : p->prepare(b)))
        run->status = RUN_PREPARE;
    b->before = p->before;
    return run->status == RUN_OK;
}

bool execution_open(struct execution *x, struct run *run, unsigned ring, struct arena *arena)
{
    *x = (struct execution){.mask = UINT64_MAX, .before = run->program.before, .bench = &run->bench};
    if (!(x->reading = run_alloc(run, arena, sizeof *x->reading, 512, "a reading"))) return false;
    if (ring) x->user_stack = run->cpu->stack.user_top;
    return true;
}

bool execution_bracket(struct execution *x, enum serialize serialize, enum reader reader, unsigned counters)
{
    x->bracket = bracket_find(serialize, reader, counters);
    x->counters = counters;
    x->many = x->bracket == bracket_many ? counters : 0;
    if (x->many) slots_prepare(&x->reading->slots, serialize, x->reading->select, counters);
    return x->bracket != NULL;
}

/* Room after all payloads, where ring 3 may execute it. */
static __attribute__((section(".payload.series"))) void call_only(payload_fn *payload, void *arg,
                                                                  struct reading *out)
{
    payload(arg);
    out->tsc[1] = 1; /* it has returned */
}

REPEATED_BEHIND void execution_before_users(const struct bench_run *run)
{
    if (run->before) run->before(run);
    cpu_state_plain_flags(); /* a function of a program may have left any */
    watchdog_call();
}

void execution_watch(struct execution *x, const struct run *run, const struct options *opt,
                     const struct cpu *cpu)
{
    if (!run->program.users) return;
    if (opt->limit) watchdog_begin(cpu, watchdog_find(cpu, opt->ring, watchdog_programmed()), opt->limit);
    x->before = execution_before_users;
}

void execution_no_bracket(struct execution *x) { x->bracket = call_only; }

/* start[] is zero from the beginning. A payload of 32 bits has the lower halves: where the call was longer,
 * its time stamp is that of the call, so that one can tell. The call is longer than what the payload has
 * measured of it; if not, the payload's sum is lost, and that is a time below 0. */
static __attribute__((section(".payload.series"))) void take_sums(payload_fn *payload, void *arg,
                                                                  struct reading *out)
{
    const volatile uint64_t *sum = arg;
    const uint64_t from = __builtin_ia32_rdtsc();
    payload(arg);
    const uint64_t call = __builtin_ia32_rdtsc() - from;
    out->tsc[0] = 1; /* not 0: it has returned */
    out->tsc[1] = 1 + (sizeof(void *) == 4 && call >> 32 ? call : sum[0] > call ? TICKS_MOST + 1 : sum[0]);
    out->end[0] = sum[1];
    out->end[1] = sum[2];
    out->end[2] = sum[3];
    out->end[3] = sum[4];
}

void execution_by_payload(struct execution *x) { x->bracket = take_sums; }
