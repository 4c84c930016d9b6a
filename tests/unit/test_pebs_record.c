/* PEBS records of a fixed layout, formats 0 to 3, byte by byte: SDM vol. 3B (order 325384-059) tables 17-4,
 * 18-23, 18-44 and 18-55. Offsets are written down here, not taken from the driver. */
#include "tests/unit/pebs_buffer.h"

/* ax bx cx dx si di bp sp r8-r15 from 10h on, by their numbers in instructions. */
static const uint8_t in_record[] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

static const struct format {
    const struct pebs_layout *layout;
    unsigned bytes, resets;
    int ip; /* where the address that counts is */
    bool memory, tsc;
} formats[] = {{&pebs_core2, 0x90, 1, 0x08, false, false},
               {&pebs_nehalem, 0xb0, 4, 0x08, true, false},
               {&pebs_haswell, 0xc0, 4, 0xb0, true, false},
               {&pebs_skylake, 0xc8, 4, 0xb0, true, true}};
#define EACH_FORMAT(f) for (const struct format *f = formats; f < formats + 4; f++)

static const struct pebs_sources sources = {.level = {[3] = LEVEL_L2}, .walk = 0x10};
static const uint32_t all = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_REGS | SAMPLE_COUNTER;

static struct pebs plan(const struct format *f, bool memory)
{
    return (struct pebs){.layout = f->layout,
                         .valid = all,
                         .record = f->layout->record,
                         .counter = 2,
                         .reset = f->resets == 1 ? 0 : 2,
                         .skid = 1,
                         .reset_high = 0xffff,
                         .memory = memory,
                         .source = &sources,
                         .source_kind = PEBS_SOURCE_LOAD,
                         .latency_bits = UINT32_MAX};
}

static void put(uint8_t *record, unsigned at, uint64_t v) { memcpy(record + at, &v, 8); }

static void make(const struct format *f, unsigned seed, uint8_t record[0xc8])
{
    memset(record, 0xee, 0xc8);
    put(record, 0x00, 0x246 + seed);
    put(record, 0x08, 0xffffffff81000000ull + seed);
    for (unsigned i = 0; i < 16; i++) put(record, 0x10 + 8 * i, reg_value(seed, in_record[i]));
    if (f->bytes > 0x90) {
        put(record, 0x90, 4);
        put(record, 0x98, 0x7fff00000000ull + seed);
        put(record, 0xa0, 0x13);
        put(record, 0xa8, 0x1234 + seed);
    }
    if (f->bytes > 0xb0) {
        put(record, 0xb0, 0xffffffff82000000ull + seed);
        put(record, 0xb8, 0xdeadull << 32);
    }
    if (f->bytes > 0xc0) put(record, 0xc0, 0x123456789abcull + seed);
}

static void check(const struct format *f, const struct sample *s, unsigned seed, bool memory)
{
    assert_int_equal(s->valid, all);
    assert_int_equal(s->counter, 2);
    assert_int_equal(s->cpu, 0);
    assert_int_equal(s->flags, 0x246 + seed);
    assert_int_equal(s->ip, (f->ip == 8 ? 0xffffffff81000000ull : 0xffffffff82000000ull) + seed);
    for (unsigned r = 0; r < 16; r++) assert_int_equal(s->reg[r], reg_value(seed, r));
    assert_int_equal(s->tsc, f->tsc ? 0x123456789abcull + seed : 0);
    assert_int_equal(s->data, memory ? 0x7fff00000000ull + seed : 0);
    assert_int_equal(s->latency, memory ? 0x1234 + seed : 0);
    assert_int_equal(s->level, memory ? LEVEL_L2 : 0);
    assert_int_equal(s->tlb, memory ? TLB_WALK : 0);
    assert_int_equal(s->traits, memory ? SAMPLE_LOAD : 0);
}

TEST(layouts)
{
    EACH_FORMAT(f)
    for (unsigned memory = 0; memory < (f->memory ? 2u : 1u); memory++) {
        struct pebs p = plan(f, memory);
        uint8_t record[0xc8];
        memset(area, 0xff, sizeof area);
        assert_true(pebs_bytes(&p, 5) >= 128 + (5 + PEBS_SLACK) * f->bytes);
        pebs_init(&p, area, 5, 1000);
        for (unsigned at = 0; at < 0x20; at += 8) assert_int_equal(ds(at), 0); /* no branch trace store */
        const uint64_t base = ds(DS_BASE);
        assert_true(base >= (uintptr_t)area + 0x60);
        assert_int_equal(ds(DS_INDEX), base);
        assert_int_equal(ds(DS_MAX), base + (5 + PEBS_SLACK) * f->bytes);
        assert_int_equal(ds(DS_THRESHOLD), base + 5 * f->bytes);
        assert_true(ds(DS_MAX) <= (uintptr_t)area + pebs_bytes(&p, 5));
        for (unsigned n = 0; n < f->resets; n++)
            assert_int_equal(ds(DS_RESET + 8 * n), n == p.reset ? 0xfffffffffc19 : 0); /* -999 in 48 bits */

        struct samples out = empty(64);
        assert_int_equal(pebs_drain(&p, &out), 0);
        for (unsigned seed = 0; seed < 7; seed++) {
            make(f, seed, record);
            push(record, f->bytes);
        }
        assert_int_equal(pebs_drain(&p, &out), 7);
        assert_int_equal(ds(DS_INDEX), base);
        assert_true(out.n == 7 && out.lost == 0 && !out.more);
        for (unsigned seed = 0; seed < 7; seed++) check(f, &buffer[seed], seed, memory);
    }
}

/* The event after the overflow is recorded, or the one that overflows; counters of 40 bits. */
TEST(periods)
{
    struct pebs p = plan(&formats[3], false);
    for (unsigned skid = 0; skid < 2; skid++) {
        p.skid = skid;
        p.reset = 1;
        pebs_init(&p, area, 1, 2);
        assert_int_equal(ds(DS_RESET + 8), skid ? 0xffffffffffff : 0xfffffffffffe);
        pebs_reload(&p, 0x7fffffff);
        assert_int_equal(ds(DS_RESET + 8), skid ? 0xffff80000002 : 0xffff80000001);
        p.reset_high = 0xff;
        pebs_reload(&p, 100);
        assert_int_equal(ds(DS_RESET + 8), skid ? 0xffffffff9d : 0xffffffff9c);
        p.reset_high = 0xffff;
    }
}

/* Any index that the processor could leave, with room for any number. What was lost is known, until the
 * buffer is full to its end; a record that is not whole is none. */
TEST(edges)
{
    EACH_FORMAT(f)
    for (unsigned records = 0; records <= 4 + PEBS_SLACK; records++)
        for (unsigned room = 0; room <= 14; room += 2)
            for (unsigned rest = 0; rest < 2; rest++) {
                struct pebs p = plan(f, f->memory);
                struct samples out = empty(room);
                memset(area, 0, sizeof area);
                pebs_init(&p, area, 4, 100);
                ds_set(DS_INDEX, ds(DS_INDEX) + records * f->bytes + rest * 8);
                assert_int_equal(pebs_drain(&p, &out), records);
                assert_int_equal(out.n, records < room ? records : room);
                assert_int_equal(out.lost, records < room ? 0 : records - room);
                assert_true(out.more == (records + rest > 3 + PEBS_SLACK));
                assert_int_equal(ds(DS_INDEX), ds(DS_BASE));
                assert_int_equal(pebs_drain(&p, &out), 0);
            }
}

/* An index outside of the buffer: nothing is read there. */
TEST(astray)
{
    struct pebs p = plan(&formats[1], true);
    struct samples out = empty(64);
    pebs_init(&p, area, 4, 100);
    ds_set(DS_INDEX, ds(DS_BASE) - 0xb0);
    assert_int_equal(pebs_drain(&p, &out), 0);
    assert_false(out.more);
    assert_int_equal(ds(DS_INDEX), ds(DS_BASE));
    ds_set(DS_INDEX, ds(DS_MAX) + 0x100000);
    assert_int_equal(pebs_drain(&p, &out), 4 + PEBS_SLACK);
    assert_true(out.more);
}

/* A Core 2 hangs if the buffer crosses a page: so many records do not. */
TEST(page)
{
    struct pebs p = plan(&formats[0], false);
    assert_int_equal(pebs_depth(&p, 1), 1);
    assert_int_equal(pebs_depth(&p, 19), 19);
    assert_int_equal(pebs_depth(&p, 20), 19);
    assert_int_equal(pebs_depth(&p, 4096), 19);
    assert_true(pebs_bytes(&p, 19) <= 4096 && pebs_bytes(&p, 20) > 4096);
    p = plan(&formats[1], false);
    assert_int_equal(pebs_depth(&p, 4096), 4096);
}
