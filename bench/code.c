/* Snippets: code of the user's own, from modules, each a variant (docs/code.md).
 *
 * A result is a difference: of a payload with twice as many copies and one with `unroll` copies; with basic=1
 * of one with `unroll` copies and one with none. What a payload executes beside them is in both. */
#include "bench/bench.h"
#include "bench/code_payload.h"
#include <stdio.h>
#include <string.h>

enum { UNROLL, LOOP, ALIGNMENT, OFFSET, BASIC, NO_MEM };

/* Neither payload has been written. c: the shorter one; longer: copies of the other one. */
static bool no_room(struct bench_run *run, const struct code_payload *c, uint32_t longer)
{
    const uint64_t unroll = (uint64_t)run->param[UNROLL], left = arena_left(run->arena);
    const uint64_t bytes = code_copy_bytes(c);
    const uint64_t copies = (uint64_t)c->copies + longer,
                   frames = 2 * (code_bytes(c) - (uint64_t)c->copies * bytes);
    const uint64_t usable = left - left / 16; /* the values of the repetitions need some, too */
    const uint64_t most = usable > frames && bytes ? (usable - frames) / (copies / unroll * bytes) : 0;
    snprintf(run->error, sizeof run->error,
             "unroll=%llu needs %llu KiB of memory for copies of %u bytes, and %llu KiB are left: "
             "unroll=%llu fits",
             (unsigned long long)unroll, (unsigned long long)((frames + copies * bytes) / 1024),
             (unsigned)bytes, (unsigned long long)(left / 1024), (unsigned long long)most);
    return false;
}

/* ---- counting from inside ---- */

#define PAUSES_WRONG (BENCH_ARG_BYTES / sizeof(uint32_t) - 1) /* of *arg, behind the sums */
_Static_assert((1 + CODE_EVENTS) * sizeof(uint64_t) <= PAUSES_WRONG * sizeof(uint32_t), "they overlap");

static bool refuse(struct bench_run *run, const char *why)
{
    snprintf(run->error, sizeof run->error, "%s", why);
    return false;
}

static const char *other_pauses(const struct bench_run *run)
{
    return ((const uint32_t *)run->arg)[PAUSES_WRONG] ? "each stop_counting and start_counting must run once "
                                                        "in each copy; one ran more often, or less"
                                                      : NULL;
}

/* What no_mem= asks for. False: not possible. */
static bool count_inside(struct bench_run *run, const struct module_snippet *s, struct code_payload *code)
{
    const struct bench_counters *counters = run->counters;
    const int pauses = code_pauses(code->body);
    if (code_pauses(code->init) || code_pauses(code->late) ||
        code_pauses(module_snippet_part(s, SNIPPET_ONE_TIME)))
        return refuse(run, "stop_counting and start_counting belong into the code, not into init code");
    if (pauses < 0) return refuse(run, "each stop_counting needs a start_counting behind it, in turn");
    if (!run->param[NO_MEM])
        return !pauses || refuse(run, "only no_mem=1 (--no-mem) can stop counting and start it again");
    if (sizeof(void *) == 4 && code->turns)
        return refuse(run, "no_mem=1 with loop=: this kernel's loop counts its turns in memory");
    if (counters->n && !counters->opcode)
        return refuse(run, "no_mem=1: this CPU reads its counters at CPL 3 through a call gate, which writes "
                           "memory; ring=0 has none");
    code->pauses = (uint32_t)pauses;
    code->count = (struct code_count){
        counters, {counters->fence, counters->fence_bytes}, run->arg, (uint32_t *)run->arg + PAUSES_WRONG};
    run->reads = true;
    if (pauses) run->fault = other_pauses;
    return true;
}

static bool prepare(struct bench_run *run)
{
    const struct module_snippet *s = run->own;
    const uint32_t unroll = (uint32_t)run->param[UNROLL];
    struct code_memory memory;
    if (!code_memory(&memory, code_area_bytes(run->arena->size), run->arena)) {
        snprintf(run->error, sizeof run->error, "not enough memory for what " CODE_REGISTERS " point to");
        return false;
    }
    struct code_payload code = {.init = module_snippet_part(s, SNIPPET_INIT),
                                .fence = {run->fence, run->fence_bytes},
                                .late = module_snippet_part(s, SNIPPET_LATE),
                                .body = module_snippet_part(s, SNIPPET_BODY),
                                .copies = run->param[BASIC] ? 0 : unroll,
                                .turns = (uint32_t)run->param[LOOP],
                                .alignment = (uint32_t)run->param[ALIGNMENT],
                                .offset = (uint32_t)run->param[OFFSET],
                                .memory = &memory};
    if (!count_inside(run, s, &code)) return false;
    const struct code_payload once = {
        .body = module_snippet_part(s, SNIPPET_ONE_TIME), .copies = 1, .alignment = 1, .memory = &memory};
    const struct arena before = *run->arena;
    if (once.body.n) run->once = code_write(&once, run->arena);
    code.copied = code.copies + unroll; /* the longer one's, so that both have as many pauses */
    run->baseline = code_write(&code, run->arena);
    code.copies += unroll;
    run->payload = code_write(&code, run->arena);
    code_places(&code, &run->copies);
    run->copies.shorter = code.copies - unroll;
    run->copies.longer = code.copies;
    run->copies.once = (struct bench_part){code_head(&once), once.body.n};
    run->ops = (double)unroll * (code.turns ? code.turns : 1);
    if (run->payload && run->baseline && (run->once || !once.body.n)) return true;
    *run->arena = before;
    code.copies -= unroll;
    return no_room(run, &code, code.copies + unroll);
}

/* ---- the variants ---- */

static unsigned events_at_once(const int64_t *param) { return param[NO_MEM] ? CODE_EVENTS : 0; }

static struct program snippet(unsigned i);
static const char *missing(void)
{
    return modules_refused()
               ? NULL
               : "a module with snippets: --module FILE of run-qemu.sh, run-bochs.sh or anechoic "
                 "image, GRUB's module2, or load at the prompt";
}

static const struct bench_found snippets = {.n = module_snippets, .program = snippet, .missing = missing};

BENCHMARK(code) = {
    .program = {.name = "code",
                .desc = "code of your own: each snippet of a module is a variant",
                .prepare = prepare,
                .users = true},
    .op = "copy",
    .cost = "of nop: 1 instruction; of an empty snippet: nothing",
    BENCH_PARAM_LIST([UNROLL] = {"unroll", "copies",
                                 "copies of the snippet; the result is the difference to twice as many", 1,
                                 10000000, 1, 100, true},
                     [LOOP] = {"loop", "turns", "of a loop around the copies; 0: no loop", 0, 1000000000, 1,
                               0, true},
                     [ALIGNMENT] = {"alignment", "bytes", "of the first copy: a power of two", 1, 4096,
                                    STEP_DOUBLES, 64, true},
                     [OFFSET] = {"offset", "bytes", "from that alignment to the first copy", 0, 4095, 1, 0,
                                 true},
                     [BASIC] = {"basic", "", "1: the difference of the copies and none", 0, 1, 1, 0, false},
                     [NO_MEM] = {"no_mem", "", "1: counts stay in registers, no memory is written", 0, 1, 1,
                                 0, false}),
    .events_at_once = events_at_once,
    .found = &snippets,
};

static struct program snippet(unsigned i)
{
    struct program p = code_bench.program;
    p.own = module_snippet(i);
    p.variant = module_snippet_name(p.own);
    return p;
}
