/* The experiment `bogus` on processors that speculate, which no model does: a fake lab counts what the test
 * says. */
#include "experiments/bogus.c"
#include "tests/unit/unit.h"
#include <string.h>

/* ---- the lab ---- */

static struct lab_count told[COUNTS]; /* of the events of a row */
static enum lab_state mispredicted;
static struct lab_quantity row[4]; /* the last one */
static unsigned rows, values, measured;

void *lab_alloc(struct lab *lab, size_t bytes, size_t alignment)
{
    static _Alignas(4096) uint8_t memory[MEMORY + 4096];
    (void)lab, (void)alignment;
    return bytes == MEMORY ? memory : memory + MEMORY;
}

void lab_measure(struct lab *lab, const struct lab_program *program, const char *const *events,
                 struct lab_counts *out)
{
    unsigned n = 0;
    (void)lab;
    assert_ptr_equal(program->code, draw);
    while (events[n]) n++;
    measured++;
    if (n == 1)
        out->event[0] = (struct lab_count){.median = 7, .state = mispredicted};
    else {
        assert_int_equal(n, COUNTS);
        memcpy(out->event, told, sizeof told);
    }
}

void lab_row(struct lab *lab, const char *table, const struct lab_quantity *q, unsigned n)
{
    (void)lab, (void)table;
    assert_int_equal(n, 4);
    memcpy(row, q, sizeof row);
    rows++;
}

void lab_value(struct lab *lab, const struct lab_quantity *q, const char *note)
{
    (void)lab, (void)q, (void)note;
    values++;
}

/* ---- rows ---- */

static void tell(unsigned which, double median, enum lab_state state)
{
    told[which] = (struct lab_count){.median = median, .state = state};
}

static void is(unsigned which, double value, enum lab_state state)
{
    assert_int_equal(row[1 + which].state, state);
    if (state == LAB_COUNTED) assert_true(row[1 + which].value == value);
}

static void ask_one(enum lab_state predictor)
{
    static const int64_t param[] = {100};
    struct lab lab = {.param = param};
    mispredicted = predictor;
    rows = values = measured = 0;
    run(&lab);
    assert_int_equal(rows, 2 * QUESTIONS);
    assert_int_equal(values, 3);
    assert_int_equal(measured, 2 + 2 * QUESTIONS);
}

/* NetBurst counts what is bogus, the others what is executed: the third number follows. */
TEST(test_derived)
{
    tell(RETIRED, 1000, LAB_COUNTED);
    tell(EXECUTED, 0, LAB_ABSENT);
    tell(BOGUS, 50, LAB_COUNTED);
    ask_one(LAB_COUNTED);
    is(RETIRED, 1000, LAB_COUNTED);
    is(EXECUTED, 1050, LAB_COUNTED);
    is(BOGUS, 50, LAB_COUNTED);

    tell(EXECUTED, 1300, LAB_COUNTED);
    tell(BOGUS, 0, LAB_ABSENT);
    ask_one(LAB_COUNTED);
    is(EXECUTED, 1300, LAB_COUNTED);
    is(BOGUS, 300, LAB_COUNTED);
}

/* A count that is missing makes no other one: neither 0 nor a difference to 0. */
TEST(test_missing)
{
    tell(RETIRED, 1000, LAB_COUNTED);
    tell(EXECUTED, 0, LAB_ABSENT);
    tell(BOGUS, 0, LAB_ABSENT);
    ask_one(LAB_COUNTED);
    is(EXECUTED, 0, LAB_ABSENT);
    is(BOGUS, 0, LAB_ABSENT);

    tell(RETIRED, 0, LAB_ABSENT); /* P6 has no loads that retired */
    tell(EXECUTED, 1300, LAB_COUNTED);
    ask_one(LAB_COUNTED);
    is(EXECUTED, 1300, LAB_COUNTED);
    is(BOGUS, 0, LAB_ABSENT);
}

/* A model without a predictor does not speculate, whatever it counts. */
TEST(test_modelled)
{
    tell(RETIRED, 1000, LAB_COUNTED);
    tell(EXECUTED, 1000, LAB_COUNTED);
    tell(BOGUS, 0, LAB_ABSENT);
    ask_one(LAB_UNMODELLED);
    is(RETIRED, 1000, LAB_COUNTED);
    is(EXECUTED, 0, LAB_UNMODELLED);
    is(BOGUS, 0, LAB_UNMODELLED);
}

/* The loop draws as the C function does, and leaves the memory as it is; the loads that it would make in the
 * shadow stay within the megabyte. */
TEST(test_loads)
{
    struct loop l = {lab_alloc(NULL, MEMORY, 4096), 1000, 0};
    draw(&l);
    const uint32_t n = loads_of(&l);
    assert_true(n > 400 && n < 600);
    l.always = 1;
    draw(&l);
    assert_int_equal(loads_of(&l), 1000);
    assert_int_equal((MEMORY - LINE) & (LINE - 1), 0);
}
