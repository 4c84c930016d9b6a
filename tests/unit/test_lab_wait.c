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

/* The last test: the processor stays lost. */
TEST(test_lost)
{
    assert_int_equal(wait_for(1, 60 * HZ, false), RUN_LOST);
    assert_int_equal(trap_ends, 0);
    assert_true(given_up);
    assert_ptr_equal(run.cpu, &other);
    watch_goes_on();
}
