/* How an experiment waits for another processor, beside its own watch: an 8254 whose time passes. */
#include "kernel/fpu.h"
#include "kernel/user.h"
#include "measure/lab_events.h"
#include "tests/unit/fake_watchdog_board.h"

/* ---- another processor: it executes until a time, and answers an NMI, or does not ---- */

static struct cpu other;
static uint64_t returns;
static bool answers, stopped, given_up;
static struct trap where = {.vector = VECTOR_NMI, .ip = 0x1234};

bool processor_busy(const struct cpu *it)
{
    (void)it;
    return !given_up && !(stopped && answers) && b.now < returns;
}
enum processor_end processor_end(const struct cpu *it, uint64_t ticks)
{
    const uint64_t until = b.now + ticks;
    while (processor_busy(it) && b.now < until) pass(MS);
    return processor_busy(it) || given_up ? PROCESSOR_LOST : stopped ? PROCESSOR_STOPPED : PROCESSOR_RETURNED;
}
void processor_begin(const struct cpu *it, processor_fn *fn, void *arg) { (void)it, (void)fn, (void)arg; }
enum processor_end processor_call(const struct cpu *it, processor_fn *fn, void *arg)
{
    processor_begin(it, fn, arg);
    return processor_end(it, 0);
}
const struct trap *processor_trap(const struct cpu *it) { return (void)it, &where; }
void processor_stop(const struct cpu *it) { (void)it, stopped = true; }
void processor_give_up(const struct cpu *it) { (void)it, given_up = true; }

/* ---- what is not asked here ---- */

uint64_t lab_reading(const struct pmu *p, unsigned counter, const char *event, uint64_t *last)
{
    return (void)p, (void)counter, (void)event, *last;
}
void lab_find_events(struct lab_work *work, const struct pmu *p, const char *const *events,
                     struct options *with, int8_t *place, struct lab_counts *out)
{
    (void)work, (void)p, (void)events, (void)with, (void)place, (void)out;
}
struct lab_asked lab_asked;
bool fpu_init(void) { return true; }
void user_call(void *top, user_fn *fn, void *x, void *y, void *z)
{
    (void)top, (void)fn, (void)x, (void)y, (void)z;
}

/* ---- waits ---- */

static struct lab_work w;
static struct run run;

/* How the wait ended: RUN_OK: the job returned. */
static enum run_status wait_for(unsigned limit, uint64_t ticks, bool answer)
{
    static struct options opt;
    plug(APIC_XAPIC);
    other = (struct cpu){.machine = &machine, .index = 1};
    machine.cpus = 2;
    machine.cpu[0] = cpu;
    machine.cpu[1] = &other;
    opt = (struct options){.limit = limit};
    run = (struct run){.status = RUN_OK};
    w = (struct lab_work){
        .lab = {.cpus = 2, .tsc_hz = HZ}, .opt = &opt, .cpu = cpu, .out = &run, .processor = {0, 1}};
    w.watched = watchdog_find(cpu, 0, false);
    answers = answer;
    stopped = given_up = false;
    const struct lab_job job = {1, NULL, NULL};
    if (setjmp(w.end)) return run.status;
    lab_watch(&w);
    lab_begin(&w.lab, &job);
    returns = b.now + ticks;
    lab_wait(&w.lab, 1);
    return RUN_OK;
}

static void watch_goes_on(void)
{
    trap_ends = 0;
    call(w.watched, 60 * HZ);
    assert_int_equal(trap_ends, 1);
    watchdog_end();
    is_quiet();
}

TEST(test_returns)
{
    assert_int_equal(wait_for(10, 3 * HZ, true), RUN_OK);
    assert_false(stopped);
    assert_int_equal(trap_ends, 0);
    watch_goes_on();
}

/* It is ended after the limit, and one second more. The experiment's own watch, which has the same limit,
 * must not come first and blame the experiment. */
TEST(test_ended)
{
    for (unsigned limit = 1; limit <= 3; limit++) {
        assert_int_equal(wait_for(limit, 60 * HZ, true), RUN_ENDED);
        assert_int_equal(trap_ends, 0);
        assert_ptr_equal(run.cpu, &other);
        assert_int_equal(run.trap.ip, 0x1234);
        watch_goes_on();
    }
}

/* ---- what an experiment calls ---- */

static unsigned looks, cancel_at, rows, matrices, series;
static bool stands_still;
static struct lab_quantity quantity;

static bool cancelled(void) { return ++looks == cancel_at; }

/* In place of the kernel's watch. */
bool watch_for(struct watch *it, uint64_t ticks) { return (void)it, pass(ticks), !stands_still; }

static void take_row(void *ctx, const struct run *out, const char *table, const struct lab_quantity *q,
                     unsigned n, const char *note)
{
    (void)ctx, (void)table, (void)note;
    assert_ptr_equal(out, &run);
    assert_ptr_equal(q, &quantity);
    rows += n;
}
static void take_matrix(void *ctx, const struct run *out, const char *name, const char *unit,
                        const unsigned *processor, const double *value, unsigned n, enum lab_source source)
{
    (void)ctx, (void)out, (void)name, (void)unit, (void)processor, (void)value, (void)n, (void)source;
    matrices++;
}
static void take_series(void *ctx, const struct run *out, const char *name, const char *unit,
                        const double *value, unsigned n, enum lab_source source)
{
    (void)ctx, (void)out, (void)name, (void)unit, (void)value, (void)n, (void)source;
    series++;
}

static void gaps(void)
{
    struct watch it = {0};
    lab_gaps(&w.lab, &it, MS);
}
static void smis(void)
{
    uint32_t n;
    lab_smis(&w.lab, &n);
}
static void other_begins(void)
{
    const struct lab_job job = {1, NULL, NULL};
    lab_begin(&w.lab, &job);
}
static void memory(void) { lab_alloc(&w.lab, 8, 8); }
static void value(void) { lab_value(&w.lab, &quantity, NULL); }
static void row(void) { lab_row(&w.lab, "table", &quantity, 1); }
static void matrix(void) { lab_matrix(&w.lab, "m", "cycles", NULL, LAB_TIMES); }
static void a_series(void) { lab_series(&w.lab, "s", "cycles", NULL, 0, LAB_TIMES); }

/* How many times each looks whether the user cancels the run, which ends it there. */
static const struct {
    void (*call)(void);
    unsigned looks;
} calls[] = {{memory, 1}, {gaps, 2}, {smis, 1},   {other_begins, 1},
             {value, 2},  {row, 2},  {matrix, 2}, {a_series, 2}};

static enum run_status try(void (*call)(void), unsigned at)
{
    static const struct lab_sink sink = {take_row, take_series, take_matrix, NULL};
    static uint8_t bytes[64];
    struct arena arena = {bytes, sizeof bytes, 0};
    plug(APIC_XAPIC);
    cpu->cancelled = cancelled;
    run = (struct run){.status = RUN_OK};
    machine.cpu[0] = cpu;
    machine.cpu[1] = &other;
    other = (struct cpu){.machine = &machine, .index = 1};
    w = (struct lab_work){
        .lab = {.cpus = 2}, .cpu = cpu, .out = &run, .sink = &sink, .arena = &arena, .processor = {0, 1}};
    looks = rows = matrices = series = 0;
    cancel_at = at;
    if (setjmp(w.end) == 0) call();
    cpu->cancelled = NULL;
    return run.status;
}

TEST(each_call_can_be_cancelled)
{
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_int_equal(try(calls[i].call, 0), RUN_OK);
        if (looks != calls[i].looks) fail_msg("call %u looks %u times", i, looks);
        assert_int_equal(rows + matrices + series, i >= 4);
        for (unsigned at = 1; at <= calls[i].looks; at++) {
            assert_int_equal(try(calls[i].call, at), RUN_CANCELLED);
            assert_int_equal(looks, at);
            assert_int_equal(rows + matrices + series, i >= 4 && at == 2);
        }
    }
}

/* The processor that drives takes its own part after it has begun the others'. */
static unsigned own_parts;
static void own_part(void *arg)
{
    assert_true(cpu_set_has(&w.called, 1));
    own_parts += *(unsigned *)arg;
}

TEST(together)
{
    unsigned three = 3;
    const struct lab_job job[] = {{0, own_part, &three}, {1, NULL, NULL}};
    assert_int_equal(wait_for(10, 0, true), RUN_OK);
    own_parts = 0;
    returns = 0;
    if (setjmp(w.end)) fail();
    lab_together(&w.lab, job, 2);
    assert_int_equal(own_parts, 3);
    assert_false(cpu_set_has(&w.called, 1));
}

TEST(a_tsc_that_stands_still)
{
    stands_still = true;
    assert_int_equal(try(gaps, 0), RUN_PREPARE);
    assert_string_equal(run.bench.error, "the TSC stands still");
    stands_still = false;
}

/* The last test: the processor stays lost. */
TEST(test_lost)
{
    assert_int_equal(wait_for(1, 60 * HZ, false), RUN_LOST);
    assert_int_equal(trap_ends, 0);
    assert_true(given_up);
    assert_ptr_equal(run.cpu, &other);
    watch_goes_on();
}
