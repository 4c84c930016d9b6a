/* Traces of a payload's hooks: what the ring has after a run, in the order of time, with the last ones where
 * it overflows; and interrupts on their own channel. */
#include "bench/trace.h"
#include "measure/trace.h"
#include "tests/unit/run_drive.h"

static const char *const two[] = {"in", "out", NULL};

static bool hand_ring(struct bench_run *b)
{
    *(struct trace_ring **)b->arg = b->trace;
    return true;
}

static unsigned calls, hooks = 3;
PAYLOAD static void hooked(void *arg)
{
    struct trace_ring *ring = *(struct trace_ring **)arg;
    calls++;
    for (unsigned i = 0; i < hooks; i++) trace_here(ring, i % 2, 1000 * calls + i);
}

static int traced(void **state)
{
    given(state);
    prepare = hand_ring;
    channels = two;
    opt.trace = 16;
    hooks = 3;
    calls = 0;
    return 0;
}

/* One call after the repetitions, of which alone the entries are. */
TEST_WITH(test_one_call, traced, NULL)
{
    const struct trace *t;
    run(hooked, 0, false);
    t = out.trace;
    assert_int_equal(calls, opt.warmup + opt.reps + 1);
    assert_true(t->asked && t->size == 16 && t->n == 3 && t->written == 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(t->at[i].value, 1000 * calls + i);
        assert_int_equal(t->at[i].channel, i % 2);
        if (i) assert_true(t->at[i].tsc > t->at[i - 1].tsc);
    }
    assert_true(t->overhead > 0 && t->overhead < 100000);
    assert_true(t->ring->mask == 15);
    opt.ring = 3;
    calls = 0;
    run(hooked, 1, false);
    assert_true(out.trace->n == 3 && out.trace->at[2].value == 1000 * calls + 2);
}

/* The first entries are lost; as many as fit are not. */
TEST_WITH(test_overflow, traced, NULL)
{
    static const unsigned many[] = {0, 15, 16, 17, 1000};
    for (unsigned k = 0; k < sizeof many / sizeof *many; k++) {
        const unsigned kept = many[k] < 16 ? many[k] : 16;
        hooks = many[k];
        calls = 0;
        run(hooked, 0, false);
        assert_int_equal(out.trace->written, hooks);
        assert_int_equal(out.trace->n, kept);
        for (unsigned i = 0; i < kept; i++)
            assert_int_equal(out.trace->at[i].value, 1000 * calls + hooks - kept + i);
    }
}

/* Without trace= the hooks have a ring all the same, and nobody calls the payload once more. */
TEST_WITH(test_not_asked, traced, NULL)
{
    opt.trace = 0;
    hooks = 100;
    run(hooked, 0, false);
    assert_int_equal(calls, opt.warmup + opt.reps);
    assert_non_null(out.trace);
    assert_false(out.trace->asked);
    assert_null(out.trace->at);
    channels = NULL;
    prepare = NULL;
    run(few, 0, false);
    assert_null(out.trace);
    assert_null(out.bench.trace);
}

TEST_WITH(test_memory, traced, NULL)
{
    opt.trace = TRACE_MOST; /* two times a MiB, in 2 MiB with all else */
    run_any(hooked, 0, false);
    assert_int_equal(out.status, RUN_MEMORY);
    assert_string_equal(out.bench.error, "not enough memory for a trace of 65536");
    assert_int_equal(calls, 0);
}

static _Alignas(64) uint8_t room[sizeof(struct trace_ring) + 16 * sizeof(struct trace_entry)];
static struct trace_entry kept[16];
static struct trace t = {.size = 16, .asked = true, .at = kept};

static unsigned handled;
static INTERRUPT_FN void handler(void *to, const struct trap_frame *f)
{
    assert_ptr_equal(to, &handled);
    handled += (unsigned)f->vector;
}

/* One comes between a hook's XADD and its RDTSC: its entry is the later one, and has the earlier time. */
TEST_WITH(test_interrupt, traced, NULL)
{
    const struct trap_frame frame = {.vector = 0xf1};
    struct trace_ring *ring = (struct trace_ring *)(void *)room;
    t.ring = ring;
    t.handler = handler;
    t.handler_of = &handled;
    fake_tsc(UINT64_MAX / 2, 10); /* the handler's; hooks read this machine's */
    trace_begin(&t);
    trace_here(ring, 1, 5);
    const uint32_t taken = ring->count++; /* the hook's XADD */
    ring->mask = 0xffffffff;              /* what code at CPL 3 may do */
    trace_interrupt(&t, &frame);
    ring->mask = 15;
    ring->entry[taken] = (struct trace_entry){ring->entry[taken + 1].tsc + 7, 6, 1};
    assert_int_equal(handled, 0xf1);
    trace_keep(&t);
    assert_int_equal(t.n, 3);
    assert_true(kept[0].value == 5 && kept[1].value == 0xf1 && kept[2].value == 6);
    assert_true(kept[1].channel == TRACE_INTERRUPT && kept[2].tsc == kept[1].tsc + 7);
    for (unsigned i = 0; i < 40; i++) trace_interrupt(&t, &frame); /* round and round */
    assert_int_equal(handled, 41 * 0xf1);
    trace_keep(&t);
    assert_true(t.written == 43 && t.n == 16 && kept[0].channel == TRACE_INTERRUPT);
}

/* Another handler is called by way of the trace's. */
TEST_WITH(test_direct, traced, NULL)
{
    trace_interrupts(&t, handler, &handled);
    assert_true(interrupts_to == (void *)&t);
    assert_true(interrupts_go_to == trace_interrupt && t.handler == handler);
}
