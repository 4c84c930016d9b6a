/* PEBS with two threads (SDM vol. 3, 18.16.3): the first one's records come from counter 16 and the second
 * one's from counter 17, each into its own DS area; 3F1h names "my thread" and "the other one" from the view
 * of whoever executes the WRMSR. */
#include "tests/unit/netburst_threads.h"

enum { CRU_ESCR3 = 0x3cd, RAT_ESCR0 = 0x3bc, MSR_DS_AREA = 0x600, MSR_PEBS_ENABLE = 0x3f1 };
#define MINE        (1u << 25)
#define OTHERS      (1u << 26)
#define PMI(t)      (1u << (26 + (t)))
#define DS(t)       (0x100u + 0x100 * (t))
#define BUFFER(t)   (0x1000u + 0x1000 * (t))
#define RECORD      144u /* a Prescott's, in every mode */
#define PERIOD      4
#define TAGGED(lvl) EVENT(0x08, 1, lvl) /* front_end_event, NBOGUS */
static const uint32_t escr[] = {CRU_ESCR2, CRU_ESCR3}, levels[] = {0xc, 0x3};

static void put(uint32_t at, uint64_t value) { memcpy(memory + at, &value, 8); }
static uint64_t get(uint32_t at)
{
    uint64_t value;
    memcpy(&value, memory + at, 8);
    return value;
}
static unsigned records(unsigned t) { return (unsigned)(get(DS(t) + 0x28) - BUFFER(t)) / RECORD; }

/* Loads of both threads are tagged, and each counts its own on its own counter. */
static void sample_loads(unsigned threshold)
{
    wr(0, RAT_ESCR0, EVENT(0x02, 2, 0xf));   /* uop_type TAGLOADS */
    wr(0, CCCR(13), ENABLE | ANY | ESEL(2)); /* powers the RAT's ESCR */
    for (unsigned t = 0; t < 2; t++) {
        put(DS(t) + 0x20, BUFFER(t));
        put(DS(t) + 0x28, BUFFER(t));
        put(DS(t) + 0x30, BUFFER(t) + 10 * RECORD);
        put(DS(t) + 0x38, BUFFER(t) + threshold * RECORD);
        put(DS(t) + 0x40, -(uint64_t)PERIOD);
        wr(t, MSR_DS_AREA, DS(t));
        wr(t, escr[t], TAGGED(levels[t]));
        wr(t, COUNTER(16 + t), -(uint64_t)PERIOD & NB_COUNTER_MASK);
        wr(t, CCCR(16 + t), ENABLE | ANY | ESEL(5) | PMI(t));
    }
}

static void loads(unsigned t, unsigned n) { retire(t, n, 0, 0x5000, 0); }

static void test_enable(void **state)
{
    (void)state;
    wr(0, MSR_PEBS_ENABLE, MINE);
    assert_int_equal(rd(0, MSR_PEBS_ENABLE), MINE);
    assert_int_equal(rd(1, MSR_PEBS_ENABLE), OTHERS);
    wr(1, MSR_PEBS_ENABLE, MINE | 1u << 24 | 1);
    assert_int_equal(rd(1, MSR_PEBS_ENABLE), MINE | 1u << 24 | 1);
    assert_int_equal(rd(0, MSR_PEBS_ENABLE), OTHERS | 1u << 24 | 1); /* the first one's went out */
    wr(1, MSR_PEBS_ENABLE, MINE | OTHERS);
    assert_int_equal(rd(0, MSR_PEBS_ENABLE), MINE | OTHERS);
    refused(0, MSR_PEBS_ENABLE, 1u << 27);
    refused(0, MSR_PEBS_ENABLE, 1u << 13);
    wr(0, MSR_PEBS_ENABLE, 0);

    const struct sim_host host = {.ctx = NULL};
    struct sim *alone = sim_new("prescott", NULL, &host);
    assert_int_equal(sim_wrmsr(alone, MSR_PEBS_ENABLE, OTHERS), 0);
    sim_free(alone);
}

/* The records of one alone: the other's loads go on being counted, and interrupt as any event does. */
static void of_one(unsigned by, unsigned of)
{
    const unsigned other = !of;
    sample_loads(2);
    wr(by, MSR_PEBS_ENABLE, by == of ? MINE : OTHERS);
    for (unsigned k = 0; k < 2 * (PERIOD + 1); k++)
        for (unsigned t = 0; t < 2; t++) loads(t, 1);
    assert_int_equal(records(of), 2);
    assert_int_equal(records(other), 0);
    assert_int_equal(get(BUFFER(of) + 8), 0x1000);
    assert_int_equal(rd(0, COUNTER(16 + other)), PERIOD + 2);
    for (unsigned t = 0; t < 2; t++) assert_true(thread[t].pmi); /* the threshold; the overflow */
}
static void test_of_one(void **state)
{
    for (unsigned k = 0; k < 4; k++) {
        of_one(k & 1, k >> 1);
        end(state);
        two_threads(state);
    }
}

static void test_of_both(void **state)
{
    (void)state;
    sample_loads(3);
    wr(1, MSR_PEBS_ENABLE, MINE | OTHERS);
    for (unsigned k = 0; k < 3 * (PERIOD + 1); k++) loads(0, 1);
    assert_int_equal(records(0), 3);
    assert_int_equal(records(1), 0);
    assert_true(thread[0].pmi);
    assert_int_equal(thread[1].pmi, 0);
    for (unsigned k = 0; k < 2 * (PERIOD + 1); k++) loads(1, 1);
    assert_int_equal(records(0), 3);
    assert_int_equal(records(1), 2);
    assert_int_equal(thread[1].pmi, 0);
}

/* An armed record waits for its own thread, whatever the other one does (rule of the model). */
static void test_armed(void **state)
{
    (void)state;
    sample_loads(1);
    wr(0, CRU_ESCR2, TAGGED(0xf)); /* the first one's counter counts both */
    wr(0, MSR_PEBS_ENABLE, MINE);
    loads(1, PERIOD);
    assert_true(rd(0, CCCR(16)) & OVF);
    loads(1, 3);
    assert_int_equal(records(0), 0);
    loads(0, 1);
    assert_int_equal(records(0), 1);
    assert_int_equal(records(1), 0);
}

/* Registers are wanted of the thread whose record is near. */
static void test_registers(void **state)
{
    (void)state;
    sample_loads(1);
    assert_false(sim_wants_registers(thread[0].sim) || sim_wants_registers(thread[1].sim));
    wr(0, MSR_PEBS_ENABLE, OTHERS);
    assert_false(sim_wants_registers(thread[0].sim));
    assert_true(sim_wants_registers(thread[1].sim));
    wr(1, MSR_PEBS_ENABLE, OTHERS);
    assert_true(sim_wants_registers(thread[0].sim));
    assert_false(sim_wants_registers(thread[1].sim));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(test_##name, two_threads, end)
    const struct CMUnitTest tests[] = {CASE(enable), CASE(of_one), CASE(of_both), CASE(armed),
                                       CASE(registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
