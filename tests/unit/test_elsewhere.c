/* What other processors execute, and neighbours, with processors that execute at once (fake_processors.h). */
#include "kernel/user.h"
#include "measure/elsewhere.h"
#include "measure/neighbour.h"
#include "measure/watchdog.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/fake_processors.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static struct machine m;
static struct cpu cpu[4];
static struct run run;

void trap_guard_after(struct trap_guard *g) { (void)g; }

void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    (void)top;
    fn(a, b, c);
}

static int machine(void **state)
{
    (void)state;
    fake_reset();
    fake_tsc(0, 1000);
    m = (struct machine){.cpus = 4, .clock = {.tsc_hz = 1000000}};
    for (unsigned i = 0; i < 4; i++) {
        cpu[i] = (struct cpu){.machine = &m, .index = i};
        m.cpu[i] = &cpu[i];
    }
    processors_end_with = PROCESSOR_RETURNED;
    processor_calls = processor_stops = processors_given_up = 0;
    run = (struct run){.status = RUN_OK};
    return 0;
}

static unsigned executed;
static void count(void *arg) { executed += *(unsigned *)arg; }

TEST_WITH(each_way_to_end, machine, NULL)
{
    static const struct {
        enum processor_end end;
        enum run_status status;
    } at[] = {{PROCESSOR_RETURNED, RUN_OK}, {PROCESSOR_TRAPPED, RUN_TRAP}, {PROCESSOR_STOPPED, RUN_ENDED}};
    unsigned one = 1;
    processors_trap = (struct trap){.vector = 13, .ip = 0x1234};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        executed = 0;
        run = (struct run){.status = RUN_OK};
        processors_end_with = at[i].end;
        run_elsewhere(&cpu[1], &run, count, &one);
        assert_int_equal(executed, 1);
        assert_int_equal(run.status, at[i].status);
        assert_int_equal(run.trap.ip, at[i].status == RUN_OK ? 0 : 0x1234);
        assert_ptr_equal(run.cpu, &cpu[1]);
    }
    assert_ptr_equal(processor_called, &cpu[1]);
}

/* Plainly, whatever others do; also with a copy of what describes it. */
TEST_WITH(on_the_boot_processor, machine, NULL)
{
    unsigned one = 1;
    struct cpu copy = cpu[0];
    executed = 0;
    processors_end_with = PROCESSOR_LOST;
    run_elsewhere(&copy, &run, count, &one);
    assert_int_equal(executed, 1);
    assert_int_equal(processor_calls, 0);
    assert_int_equal(run.status, RUN_OK);
}

/* A suite measures with a copy: others know the original. What executes there may measure, too. */
static void nested(void *arg)
{
    struct cpu copy = cpu[2];
    run_elsewhere(&copy, &run, count, arg);
}

TEST_WITH(a_call_inside, machine, NULL)
{
    unsigned one = 1;
    struct cpu copy = cpu[2];
    executed = 0;
    run_elsewhere(&copy, &run, nested, &one);
    assert_int_equal(executed, 1);
    assert_int_equal(processor_calls, 1);
    assert_ptr_equal(processor_called, &cpu[2]);
}

/* ---- the watchdog of others ---- */

TEST_WITH(overdue, machine, NULL)
{
    assert_int_equal(watchdog_find(&cpu[1], 0, true), 1u << WATCHDOG_PROCESSOR);
    assert_int_equal(watchdog_find(&cpu[1], 3, false), 1u << WATCHDOG_PROCESSOR);
    watchdog_begin(&cpu[1], 1u << WATCHDOG_PROCESSOR, 1); /* 1,000,000 ticks: 1,000 looks of 1,000 */
    assert_false(watchdog_overdue(&cpu[1]));              /* no call has begun */
    for (unsigned call = 0; call < 2; call++) {
        watchdog_call();
        unsigned looks = 0;
        while (!watchdog_overdue(&cpu[1])) looks++;
        assert_in_range(looks, 999, 1001);
    }
    watchdog_call();
    assert_false(watchdog_overdue(&cpu[1]));
    watchdog_end();
    for (unsigned i = 0; i < 3000; i++) assert_false(watchdog_overdue(&cpu[1]));
}

/* A lost processor never ends its watch, which must not end the call of the next processor. A suite describes
 * both in the same copy. */
TEST_WITH(overdue_by_the_watch_of_a_lost_one, machine, NULL)
{
    unsigned one = 1;
    struct cpu copy = cpu[1];
    watchdog_begin(&copy, 1u << WATCHDOG_PROCESSOR, 1);
    watchdog_call();
    while (!watchdog_overdue(&cpu[1])) {
    }
    copy = cpu[2];
    processors_busy = 100;
    run_elsewhere(&cpu[2], &run, count, &one);
    assert_int_equal(processor_stops, 0);
    assert_int_equal(run.status, RUN_OK);
    watchdog_end();
}

/* ---- neighbours ---- */

static _Alignas(4096) uint8_t memory[1 << 20];
static uintptr_t argument[8];
static unsigned calls;
static void payload(void *arg) { argument[calls++ % 8] = (uintptr_t)arg; }

static bool refuses(struct bench_run *b)
{
    strcpy(b->error, "not today");
    return false;
}
static bool traps(struct bench_run *b)
{
    (void)b;
    guard->trap = (struct trap){.vector = 6};
    longjmp(guard->resume, 1);
}

static const struct bench fine = {.program = {.name = "fine", .payload = payload}, .op = "op"},
                          refusing = {.program = {.name = "refusing",
                                                  .payload = payload,
                                                  .prepare = refuses}},
                          trapping = {.program = {.name = "trapping", .payload = payload, .prepare = traps}},
                          users = {.program = {.name = "users", .payload = payload, .users = true}};
static struct options opt;

static bool begin(const struct bench *b, unsigned where, struct arena *arena)
{
    *arena = (struct arena){memory, sizeof memory, 0};
    opt = (struct options){.n_with = 1, .with = {{.bench = b, .cpu = where}}, .limit = 1};
    calls = 0;
    return neighbours_begin(&run, &opt, &cpu[1], arena);
}

/* On the boot processor: a round before the measured one begins, and more while it is waited for. */
TEST_WITH(beside_on_the_boot_processor, machine, NULL)
{
    struct arena arena;
    assert_true(begin(&fine, 0, &arena));
    assert_int_equal(calls, 1);
    assert_int_equal(processor_calls, 0);
    assert_ptr_equal(arena.base, memory); /* the measured one's begins where it does alone */
    assert_true(arena.size < sizeof memory / 2);
    assert_true(argument[0] >= (uintptr_t)memory + sizeof memory / 2);
    for (unsigned i = 0; i < 3; i++) assert_true(neighbours_meanwhile(&run, &cpu[1], 10));
    neighbours_end(&run, &opt);
    assert_int_equal(run.beside->n, 1);
    assert_int_equal(run.beside->at[0].rounds, 3); /* not the one before */
    assert_int_equal(run.beside->at[0].run->status, RUN_OK);
    assert_ptr_equal(run.beside->at[0].cpu, &cpu[0]);
    assert_string_equal(run.beside->at[0].run->program.name, "fine");
}

/* What a benchmark executes once comes before the first round, with the same argument. */
static unsigned once_calls, rounds_before;
static void once(void *arg)
{
    assert_int_equal((uintptr_t)arg, 0x4321);
    rounds_before += calls;
    once_calls++;
}
static bool with_once(struct bench_run *b)
{
    b->once = once;
    b->arg = (void *)0x4321;
    return true;
}

TEST_WITH(once_before_the_rounds, machine, NULL)
{
    static const struct bench bench = {.program = {.name = "once", .payload = payload, .prepare = with_once},
                                       .op = "op"};
    struct arena arena;
    once_calls = rounds_before = 0;
    assert_true(begin(&bench, 0, &arena));
    for (unsigned i = 0; i < 3; i++) assert_true(neighbours_meanwhile(&run, &cpu[1], 10));
    neighbours_end(&run, &opt);
    assert_int_equal(calls, 4);
    assert_int_equal(argument[0], 0x4321);
    assert_int_equal(once_calls, 1);
    assert_int_equal(rounds_before, 0);
}

TEST_WITH(nobody_beside, machine, NULL)
{
    struct arena arena = {memory, sizeof memory, 0};
    opt = (struct options){.n_with = 0};
    assert_true(neighbours_begin(&run, &opt, &cpu[1], &arena));
    assert_int_equal(arena.size, sizeof memory);
    assert_null(run.beside);
    assert_false(neighbours_meanwhile(&run, &cpu[1], 10));
    neighbours_end(&run, &opt);
}

TEST_WITH(a_trap_ends_it, machine, NULL)
{
    struct arena arena;
    assert_true(begin(&trapping, 2, &arena));
    assert_int_equal(processor_calls, 1);
    neighbours_end(&run, &opt);
    assert_int_equal(run.status, RUN_OK); /* what is measured goes on */
    assert_int_equal(run.beside->at[0].run->status, RUN_TRAP);
    assert_int_equal(run.beside->at[0].run->trap.vector, 6);
    assert_int_equal(run.beside->at[0].rounds, 0);
}

TEST_WITH(refused, machine, NULL)
{
    struct arena arena;
    assert_false(begin(&refusing, 2, &arena));
    assert_int_equal(run.status, RUN_PREPARE);
    assert_string_equal(run.bench.error, "refusing on processor 2, beside it: not today");
    assert_null(run.beside);
    assert_false(begin(&users, 0, &arena));
    assert_non_null(strstr(run.bench.error, "code of the user's own cannot run on processor 0"));
}

TEST_WITH(no_memory, machine, NULL)
{
    struct arena arena = {memory, 8192, 0};
    opt = (struct options){.n_with = 1, .with = {{.bench = &fine, .cpu = 2}}};
    assert_false(neighbours_begin(&run, &opt, &cpu[1], &arena));
    assert_int_equal(run.status, RUN_MEMORY);
}

/* Nothing is executed on it again. The last test: the
 * processor stays lost. */
TEST_WITH(lost, machine, NULL)
{
    unsigned one = 1;
    executed = 0;
    assert_false(processor_lost(&cpu[3]));
    processors_end_with = PROCESSOR_LOST;
    assert_int_equal(elsewhere_end(&cpu[3], 1), PROCESSOR_LOST);
    assert_int_equal(processor_stops, 1);
    assert_int_equal(processors_given_up, 1);
    assert_true(processor_lost(&cpu[3]));
    assert_false(processor_lost(&cpu[2]));
    processors_end_with = PROCESSOR_RETURNED;
    run_elsewhere(&cpu[3], &run, count, &one);
    assert_int_equal(run.status, RUN_LOST);
    assert_int_equal(executed, 0);
    assert_int_equal(elsewhere_end(&cpu[3], 1), PROCESSOR_LOST);

    /* One that was given up while its call was waited for. */
    run = (struct run){.status = RUN_OK};
    processors_end_with = PROCESSOR_LOST;
    run_elsewhere(&cpu[2], &run, count, &one);
    assert_int_equal(run.status, RUN_LOST);
    assert_true(processor_lost(&cpu[2]));
}
