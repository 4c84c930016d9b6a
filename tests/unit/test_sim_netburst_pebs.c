/* PEBS of the NetBurst model: records in both layouts, when they are written, the preset, the threshold, what
 * is left out. */
#include "tests/unit/netburst_drive.h"

#define DS        0x100u
#define BUFFER    0x1000u
#define UOP_TAG   (1u << 24)
#define ENABLE_P  (1u << 25)
#define LOAD_AT   0x2000u
#define RECORD_32 40u
#define RECORD_64 144u
#define L1_MISSES (UOP_TAG | 1u)

static bool wide; /* the layout in use */

static void put(unsigned field, uint64_t value)
{
    memcpy(host.memory + DS + field * (wide ? 8 : 4), &value, wide ? 8 : 4);
}

static uint64_t index_now(void)
{
    uint64_t value = 0;
    memcpy(&value, host.memory + DS + 5 * (wide ? 8 : 4), wide ? 8 : 4);
    return value;
}

static uint64_t in_record(unsigned k, unsigned field)
{
    const unsigned w = wide ? 8 : 4;
    uint64_t value = 0;
    memcpy(&value, host.memory + BUFFER + k * (wide ? RECORD_64 : RECORD_32) + field * w, w);
    return value;
}

/* DS area for n records, interrupt when `threshold` are there, preset -period. Offsets are SDM 17.4.9's. */
static void ds_area(unsigned n, unsigned threshold, uint64_t preset)
{
    const unsigned size = wide ? RECORD_64 : RECORD_32;
    put(4, BUFFER);
    put(5, BUFFER);
    put(6, BUFFER + n * size);
    put(7, BUFFER + threshold * size);
    memcpy(host.memory + DS + (wide ? 0x40 : 0x20), &preset, 8);
    wr(0x600, DS);
}

/* Loads that miss the L1D, replay-tagged, on counter 16. */
static void sample_misses(uint64_t preset, uint32_t cccr)
{
    wr(CCCR(16), 0);
    wr(0x3f1, L1_MISSES | ENABLE_P);
    wr(0x3f2, 1);
    wr(CRU_ESCR2, REPLAY | BOTH);
    wr(COUNTER(16), preset & MASK40);
    wr(CCCR(16), ENABLE | ESEL(5) | cccr);
}

static uint64_t fresh = 0x100000;

/* A load at this code address that misses, or one that hits. */
static void miss_at(uint64_t lin)
{
    struct sim_access a = mem(fresh += 64, 4, SIM_READ);
    insn_at(lin, 0, &a, 0);
}

static void hit_at(uint64_t lin)
{
    struct sim_access a = mem(fresh, 4, SIM_READ);
    insn_at(lin, 0, &a, 0);
}

static void given_ds(const char *model, unsigned n, unsigned threshold, uint64_t preset)
{
    given(model, NULL);
    wide = strcmp(model, "prescott") == 0;
    ds_area(n, threshold, preset);
}

/* Seed 000: the microassist comes just before the tagged μop retires, so the record has the instruction's own
 * address and what the registers held before it. */
static void check_record(unsigned k, uint64_t lin)
{
    /* EAX EBX ECX EDX ESI EDI EBP ESP, by their encoding. */
    static const uint8_t order[8] = {0, 3, 1, 2, 6, 7, 5, 4};
    const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    assert_int_equal(in_record(k, 0), 0x202);
    assert_int_equal(in_record(k, 1), lin);
    for (unsigned r = 0; r < (wide ? 16u : 8u); r++) {
        const unsigned number = r < 8 ? order[r] : r;
        assert_true(in_record(k, 2 + r) == ((UINT64_C(0x0123456700000000) + (lin << 8) + number) & mask));
    }
}

static void one_record(const char *model, bool long_mode)
{
    given(model, NULL);
    host.long_mode = long_mode;
    wide = long_mode || strcmp(model, "prescott") == 0;
    ds_area(4, 4, -(uint64_t)100);
    sample_misses(-(uint64_t)3, 0);
    for (unsigned k = 0; k < 3; k++) miss_at(0x5000 + k);
    assert_int_equal(index_now(), BUFFER); /* overflowed: armed */
    assert_true(rd(CCCR(16)) & OVF);
    hit_at(0x6000);
    assert_int_equal(index_now(), BUFFER);
    miss_at(0x7000);
    assert_int_equal(index_now(), BUFFER + (wide ? RECORD_64 : RECORD_32));
    check_record(0, 0x7000);
    assert_int_equal(rd(COUNTER(16)), MASK40 + 1 - 100);
    assert_int_equal(host.pmi, 0);
}

TEST_WITH(test_record_32, NULL, teardown)
{
    one_record("willamette", false);
    one_record("northwood", false);
}

/* DTES64 means the 64-bit layout in every mode; without it IA-32e mode does (SDM 17.4.9.1). */
TEST_WITH(test_record_64, NULL, teardown)
{
    one_record("prescott", false);
    one_record("prescott", true);
    one_record("northwood", true);
}

/* The record's own event is not counted on the preset: the period is the preset and one. */
TEST_WITH(test_period, NULL, teardown)
{
    for (unsigned p = 1; p < 30; p += 4) {
        given_ds("northwood", 40, 40, -(uint64_t)p);
        sample_misses(-(uint64_t)p, 0);
        for (unsigned k = 1; k <= 10 * (p + 1); k++) miss_at(k);
        assert_int_equal(index_now(), BUFFER + 10 * RECORD_32);
        for (unsigned k = 0; k < 10; k++) check_record(k, (k + 1) * (p + 1));
    }
}

/* Several tagged μops in one instruction: each has its turn. */
TEST_WITH(test_several_in_one, NULL, teardown)
{
    struct sim_insn i = {.lin = 0x7000, .phys = 0x7000, .len = 2};
    given_ds("northwood", 40, 40, -(uint64_t)1);
    sample_misses(-(uint64_t)1, 0);
    for (unsigned k = 0; k < 5; k++) i.access[i.n_access++] = mem(fresh += 64, 4, SIM_READ);
    sim_instruction(sim, &i);
    assert_int_equal(index_now(), BUFFER + 2 * RECORD_32);
    assert_int_equal(in_record(0, 1), 0x7000);
    assert_int_equal(in_record(1, 1), 0x7000);
    assert_int_equal(rd(COUNTER(16)), 0); /* the fifth has armed it again */
    miss_at(0x8000);
    assert_int_equal(in_record(2, 1), 0x8000);
}

TEST_WITH(test_threshold, NULL, teardown)
{
    given_ds("northwood", 10, 3, -(uint64_t)1);
    sample_misses(-(uint64_t)1, OVF_PMI);
    for (unsigned k = 0; k < 4; k++) miss_at(k);
    assert_int_equal(host.pmi, 0); /* two records; overflows by themselves do not interrupt */
    for (unsigned k = 0; k < 2; k++) miss_at(k);
    assert_int_equal(host.pmi, 1);
    assert_int_equal(index_now(), BUFFER + 3 * RECORD_32);
    /* OVF holds the line here, too. */
    host.masked = false;
    retire(1);
    assert_int_equal(host.pmi, 2);
    /* Drained. */
    put(5, BUFFER);
    wr(CCCR(16), ENABLE | ESEL(5) | OVF_PMI);
    host.masked = false;
    for (unsigned k = 0; k < 5; k++) miss_at(k);
    assert_int_equal(host.pmi, 2);
    miss_at(0);
    assert_int_equal(host.pmi, 3);
}

TEST_WITH(test_no_interrupt_without_ovf_pmi, NULL, teardown)
{
    given_ds("northwood", 10, 1, -(uint64_t)1);
    sample_misses(-(uint64_t)1, 0);
    for (unsigned k = 0; k < 8; k++) miss_at(k);
    assert_int_equal(index_now(), BUFFER + 4 * RECORD_32);
    assert_int_equal(host.pmi, 0);
}

/* Not circular: nothing is written past the absolute maximum, and the counter goes on. */
TEST_WITH(test_full, NULL, teardown)
{
    given_ds("northwood", 2, 10, -(uint64_t)1);
    sample_misses(-(uint64_t)1, OVF_PMI);
    memset(host.memory + BUFFER + 2 * RECORD_32, 0xee, RECORD_32);
    for (unsigned k = 0; k < 4; k++) miss_at(k);
    assert_int_equal(host.pmi, 0);
    for (unsigned k = 0; k < 9; k++) miss_at(k);
    assert_int_equal(index_now(), BUFFER + 2 * RECORD_32);
    for (unsigned k = 0; k < RECORD_32; k++) assert_int_equal(host.memory[BUFFER + 2 * RECORD_32 + k], 0xee);
    assert_int_equal(host.pmi, 1);
}

TEST_WITH(test_unmapped, NULL, teardown)
{
    given_ds("northwood", 2, 10, -(uint64_t)1);
    sample_misses(-(uint64_t)1, 0);
    host.unmapped = true;
    for (unsigned k = 0; k < 4; k++) miss_at(k);
    host.unmapped = false;
    assert_int_equal(index_now(), BUFFER);
}

/* Only events of tagged μops, on IQ_COUNTER4, with PEBS on; anything else counts and interrupts as ever. */
TEST_WITH(test_what_has_no_pebs, NULL, teardown)
{
    for (unsigned k = 0; k < 4; k++) {
        static const uint32_t escr[] = {INSTR_RETIRED, REPLAY, REPLAY, REPLAY};
        const unsigned n = k == 1 ? 12 : k == 2 ? 17 : 16;
        given_ds("northwood", 10, 1, -(uint64_t)1);
        sample_misses(0, 0);
        wr(CCCR(16), 0);
        if (k == 3) wr(0x3f1, L1_MISSES);
        count(n, k == 0 ? CRU_ESCR0 : n == 17 ? CRU_ESCR3 : CRU_ESCR2, escr[k] | BOTH, 0);
        wr(CCCR(n), 0);
        wr(COUNTER(n), MASK40 - 1);
        wr(CCCR(n), ENABLE | ESEL(k == 0 ? 4 : 5) | OVF_PMI);
        for (unsigned j = 0; j < 3; j++) miss_at(j);
        assert_int_equal(index_now(), BUFFER);
        assert_int_equal(rd(COUNTER(n)), 1);
        assert_int_equal(host.pmi, 1);
        assert_false(sim_wants_registers(sim));
    }
}

/* Front-end and execution tags. */
TEST_WITH(test_other_mechanisms, NULL, teardown)
{
    struct sim_access a = mem(0x3000, 4, SIM_WRITE);
    given_ds("prescott", 10, 10, -(uint64_t)1);
    wr(0x3f1, ENABLE_P);
    count(13, 0x3bc, EVENT(0x02, 4) | BOTH, ESEL(2));
    wr(CRU_ESCR2, FRONT_END | BOTH);
    wr(COUNTER(16), MASK40);
    wr(CCCR(16), ENABLE | ESEL(5));
    for (unsigned k = 1; k <= 4; k++) {
        insn_at(k, 0, &a, 0);
        miss_at(100 + k);
    }
    assert_int_equal(index_now(), BUFFER + 2 * RECORD_64);
    check_record(0, 2);
    check_record(1, 4);

    wr(CCCR(16), 0);
    ds_area(10, 10, -(uint64_t)2);
    wr(0x3bc, 0);
    count(8, 0x3a4, EVENT(0x0c, 0x8000) | TAG(1) | BOTH, ESEL(1));
    wr(CRU_ESCR2, EXECUTION(1) | BOTH);
    wr(COUNTER(16), MASK40);
    wr(CCCR(16), ENABLE | ESEL(5));
    for (unsigned k = 1; k <= 5; k++) {
        insn_at(k, OP_PACKED_DP, NULL, 0);
        insn_at(100 + k, OP_PACKED_SP, NULL, 0);
    }
    assert_int_equal(index_now(), BUFFER + 2 * RECORD_64);
    check_record(0, 2);
    check_record(1, 5);
}

/* Registers are asked for near the overflow, not before. */
TEST_WITH(test_wants_registers, NULL, teardown)
{
    given_ds("northwood", 10, 10, -(uint64_t)1000000);
    sample_misses(-(uint64_t)1000000, 0);
    assert_false(sim_wants_registers(sim));
    wr(COUNTER(16), MASK40);
    assert_true(sim_wants_registers(sim));
    assert_true(exact(1));
    miss_at(1);
    assert_true(sim_wants_registers(sim));
    miss_at(2);
    assert_false(sim_wants_registers(sim)); /* preset: far away again */
    assert_int_equal(index_now(), BUFFER + RECORD_32);
    wr(COUNTER(16), MASK40);
    wr(CCCR(16), 0);
    assert_false(sim_wants_registers(sim));
}

/* FORCE_OVF: every tagged μop but the first. */
TEST_WITH(test_force, NULL, teardown)
{
    given_ds("northwood", 20, 20, 0);
    sample_misses(0, FORCE_OVF);
    for (unsigned k = 0; k < 8; k++) miss_at(k);
    assert_int_equal(index_now(), BUFFER + 7 * RECORD_32);
    for (unsigned k = 0; k < 7; k++) check_record(k, k + 1);
}

/* Sprunt's profile (seed 000, table 1): eight lines 8 KiB apart in a cache whose way has 2 KiB. With a period
 * that is a multiple of 8 one address is sampled for ever. */
TEST_WITH(test_eight_lines, NULL, teardown)
{
    static const struct {
        unsigned preset, distinct;
    } rows[] = {{999 - 1, 8}, {1000 - 1, 1}};
    for (unsigned row = 0; row < 2; row++) {
        unsigned samples[8] = {0}, distinct = 0;
        given_ds("willamette", 100, 100, -(uint64_t)rows[row].preset);
        sample_misses(-(uint64_t)rows[row].preset, 0);
        for (unsigned k = 0; k < 80000; k++) {
            struct sim_access a = mem(0x09760 + 0x2000 * (k % 8), 4, SIM_READ);
            insn_at(0x84c3 + 0x100 * (k % 8), 0, &a, 0);
        }
        const unsigned n = (unsigned)(index_now() - BUFFER) / RECORD_32;
        assert_int_equal(n, 80);
        for (unsigned k = 0; k < n; k++) {
            const uint64_t ip = in_record(k, 1);
            assert_int_equal((ip - 0x84c3) % 0x100, 0);
            samples[(ip - 0x84c3) / 0x100 % 8]++;
        }
        for (unsigned k = 0; k < 8; k++) distinct += samples[k] != 0;
        assert_int_equal(distinct, rows[row].distinct);
        if (distinct == 8)
            for (unsigned k = 0; k < 8; k++) assert_int_equal(samples[k], 10);
    }
}
