/* The payloads of latency and throughput, executed here: they leave the x87 as it was, and divide to the
 * precision that their benchmark names. */
#include "bench/unit_costs.c"
#include "tests/unit/unit.h"
#include <setjmp.h>
#include <signal.h>

static const struct bench *const units[] = {&imul_bench,         &l1_load_bench,     &fadd_bench,
                                            &fmul_bench,         &fdiv_single_bench, &fdiv_double_bench,
                                            &fdiv_extended_bench};
#define UNITS (sizeof units / sizeof *units)

static struct unit_arg argument;

static void prepared(const struct bench *b, int64_t n)
{
    struct bench_run run = {.param = {n}, .arg = &argument, .own = b->program.own, .ops = 1};
    assert_true(b->program.prepare(&run));
    assert_true(run.ops == (double)n);
}

/* The state of the x87: its control word, and its tag word, where FFFFh is empty. */
static void x87_state(uint16_t *control, uint16_t *tags)
{
    uint32_t environment[7];
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(environment));
    *control = (uint16_t)environment[0];
    *tags = (uint16_t)environment[2];
}

TEST(test_state)
{
    uint16_t before, control, tags;
    x87_state(&before, &tags);
    for (unsigned i = 0; i < UNITS; i++)
        for (unsigned v = 0; v < 2; v++) {
            prepared(units[i], units[i]->param->def);
            units[i]->variant[v].payload(&argument);
            x87_state(&control, &tags);
            assert_int_equal(control, before);
            assert_int_equal(tags, 0xffff);
        }
}

/* The control word's precision, which is all in which the three differ. */
TEST(test_precision)
{
    static const uint16_t field[] = {0, 2, 3}; /* SDM 1, table 8-2: 24, 53, 64 bits */
    for (unsigned i = 0; i < 3; i++) {
        prepared(units[4 + i], UNROLL);
        assert_int_equal(argument.control >> 8 & 3, field[i]);
        assert_int_equal(argument.control & 0x3f, 0x3f);
    }
}

static sigjmp_buf back;
static void leave(int signal) { siglongjmp(back, signal); }

/* Each x87 payload loads the control word that it is given: with the inexact result not masked it traps. */
TEST(test_control)
{
    signal(SIGFPE, leave);
    for (unsigned i = 2; i < UNITS; i++)
        for (unsigned v = 0; v < 2; v++) {
            volatile bool trapped = true;
            prepared(units[i], UNROLL);
            if (sigsetjmp(back, 1) == 0) {
                /* A product of 1 is exact to the last bit, but not to 24 bits. */
                argument.control = X87_SINGLE & ~0x20;
                units[i]->variant[v].payload(&argument);
                trapped = false;
            }
            __asm__ volatile("fninit");
            assert_true(trapped);
        }
    signal(SIGFPE, SIG_DFL);
}

TEST(test_descriptors)
{
    assert_int_equal(UNROLL % CHAINS, 0);
    for (unsigned i = 0; i < UNITS; i++) {
        assert_string_equal(units[i]->variant[0].name, "latency");
        assert_string_equal(units[i]->variant[1].name, "throughput");
        assert_int_equal(units[i]->param->def % UNROLL, 0);
        prepared(units[i], 3 * UNROLL);
        assert_int_equal(argument.turns, 3);
    }
}
