/* Accesses by level, by translation and by latency: each figure against one that is counted by hand. */
#include "measure/memory_profile.h"
#include "tests/unit/profile_samples.h"
#include "tests/unit/unit.h"

static struct memory_profile m;

static void assert_spread(const struct quantiles *s, uint32_t n, uint32_t least, uint32_t median,
                          uint32_t p95, uint32_t most)
{
    assert_int_equal(s->n, n);
    if (!n) return;
    assert_int_equal(s->least, least);
    assert_int_equal(s->median, median);
    assert_int_equal(s->p95, p95);
    assert_int_equal(s->most, most);
}

/* Nearest rank: of one, of an even number, of 20 and 21, where the 95th is one of two. */
TEST_WITH(spreads, prepare, NULL)
{
    static uint64_t v[100];
    struct quantiles s;
    for (unsigned i = 0; i < N(v); i++)
        v[i] = (uint64_t)0xabcd << 32 | (i + 1); /* the upper half is another's */
    quantiles_of(v, 0, &s);
    assert_int_equal(s.n, 0);
    quantiles_of(v, 1, &s);
    assert_spread(&s, 1, 1, 1, 1, 1);
    quantiles_of(v, 2, &s);
    assert_spread(&s, 2, 1, 1, 2, 2);
    quantiles_of(v, 3, &s);
    assert_spread(&s, 3, 1, 2, 3, 3);
    quantiles_of(v, 20, &s);
    assert_spread(&s, 20, 1, 10, 19, 20);
    quantiles_of(v, 21, &s);
    assert_spread(&s, 21, 1, 11, 20, 21);
    quantiles_of(v, 100, &s);
    assert_spread(&s, 100, 1, 50, 95, 100);
}

/* 60 from L2 in 14 cycles and one in 20, 30 from L3 in 40 to 69, 9 from memory in 300; in no order. */
TEST_WITH(by_level, prepare, NULL)
{
    take_none();
    for (unsigned i = 0; i < 30; i++) {
        take_load(LEVEL_L3, TLB_L2, 40 + (i * 7) % 30);
        take_load(LEVEL_L2, TLB_L1, 14);
        take_load(LEVEL_L2, TLB_L1, i == 11 ? 20 : 14);
        if (i < 9) take_load(LEVEL_MEMORY, TLB_WALK, 300)->traits |= SAMPLE_LOCKED;
    }
    assert_true(memory_profile(&samples, &all, &arena, &m));
    assert_int_equal(arena.used, 0);
    assert_int_equal(m.samples, 99);
    assert_int_equal(m.all.samples, 99);
    assert_spread(&m.all.latency, 99, 14, 14, 300, 300);
    assert_spread(&m.level[LEVEL_L2].latency, 60, 14, 14, 14, 20);
    assert_spread(&m.level[LEVEL_L3].latency, 30, 40, 54, 68, 69);
    assert_spread(&m.level[LEVEL_MEMORY].latency, 9, 300, 300, 300, 300);
    assert_int_equal(m.level[LEVEL_L2].samples, 60);
    assert_int_equal(m.level[LEVEL_L3].samples, 30);
    assert_int_equal(m.level[LEVEL_MEMORY].samples, 9);
    assert_int_equal(m.level[LEVEL_UNKNOWN].samples, 0);
    assert_int_equal(m.level[LEVEL_L1].samples, 0);
    assert_int_equal(m.tlb[TLB_L1].samples, 60);
    assert_int_equal(m.tlb[TLB_L2].samples, 30);
    assert_int_equal(m.tlb[TLB_WALK].samples, 9);
    assert_spread(&m.tlb[TLB_WALK].latency, 9, 300, 300, 300, 300);
    assert_int_equal(m.all.trait[0], 99); /* loads */
    assert_int_equal(m.all.trait[1], 0);
    assert_int_equal(m.all.trait[2], 9); /* locked */
    assert_int_equal(m.level[LEVEL_MEMORY].trait[2], 9);
    assert_int_equal(m.level[LEVEL_L2].trait[2], 0);
    assert_int_equal(m.histogram[4], 59); /* 8 to 15 */
    assert_int_equal(m.histogram[5], 1);  /* 16 to 31 */
    assert_int_equal(m.histogram[6], 24); /* 32 to 63 */
    assert_int_equal(m.histogram[7], 6);
    assert_int_equal(m.histogram[9], 9); /* 256 to 511 */
}

/* What is not said is in no figure: no 0 comes of it, though the field holds one. */
TEST_WITH(unknown_stays_unknown, prepare, NULL)
{
    take_none();
    take_load(LEVEL_L2, TLB_L1, 14);
    take_load(LEVEL_L2, TLB_L1, 0)->valid &= ~(uint32_t)SAMPLE_LATENCY;
    take_load(LEVEL_L3, TLB_WALK, 50)->valid &= ~(uint32_t)(SAMPLE_LEVEL | SAMPLE_TLB);
    take_load(LEVEL_UNKNOWN, TLB_UNKNOWN, 70);
    take_load(LEVELS, TLBS, 70); /* of a driver that knows more than this */
    take(0x1000);                /* no access */
    take(0x1000)->traits = SAMPLE_STORE;
    take_load(LEVEL_L1, TLB_L1, 1)->valid |= SAMPLE_OUTSIDE;
    take_load(LEVEL_L1, TLB_L1, 1)->counter = 3;
    const struct profile_filter filter = {.counter = 16};
    assert_true(memory_profile(&samples, &filter, &arena, &m));
    assert_int_equal(m.samples, 7);
    assert_int_equal(m.all.samples, 6);
    assert_spread(&m.all.latency, 4, 14, 50, 70, 70);
    assert_spread(&m.level[LEVEL_L2].latency, 1, 14, 14, 14, 14);
    assert_int_equal(m.level[LEVEL_L2].samples, 2);
    assert_int_equal(m.level[LEVEL_L3].samples, 0);
    assert_int_equal(m.level[LEVEL_L1].samples, 0);
    assert_int_equal(m.level[LEVEL_UNKNOWN].samples, 4);
    assert_spread(&m.level[LEVEL_UNKNOWN].latency, 3, 50, 70, 70, 70);
    assert_int_equal(m.tlb[TLB_UNKNOWN].samples, 4);
    assert_int_equal(m.tlb[TLB_L1].samples, 2);
    assert_int_equal(m.all.cache.n, 0);
    assert_int_equal(m.all.retire.n, 0);
    assert_int_equal(m.all.trait[1], 1);
    assert_int_equal(m.histogram[0], 0);
}

TEST_WITH(other_durations, prepare, NULL)
{
    take_none();
    for (unsigned i = 1; i <= 40; i++) {
        struct sample *s = take_load(i % 2 ? LEVEL_L2 : LEVEL_MEMORY, TLB_L1, 10 * i);
        if (i % 2) {
            s->valid |= SAMPLE_CACHE_LATENCY;
            s->cache_latency = 3 * i;
        }
        s->valid |= SAMPLE_RETIRE;
        s->retire = i == 1 ? UINT32_MAX : i;
    }
    assert_true(memory_profile(&samples, &all, &arena, &m));
    assert_spread(&m.all.cache, 20, 3, 57, 111, 117);
    assert_spread(&m.level[LEVEL_L2].cache, 20, 3, 57, 111, 117);
    assert_int_equal(m.level[LEVEL_MEMORY].cache.n, 0);
    assert_spread(&m.all.retire, 40, 2, 21, 39, UINT32_MAX);
    assert_spread(&m.level[LEVEL_MEMORY].retire, 20, 2, 20, 38, 40);
    assert_spread(&m.tlb[TLB_L1].latency, 40, 10, 200, 380, 400);
}

/* Each power of two begins a range. */
TEST_WITH(histogram, prepare, NULL)
{
    take_none();
    take_load(LEVEL_L1, TLB_L1, 0);
    for (unsigned bit = 0; bit < 32; bit++) {
        take_load(LEVEL_L1, TLB_L1, 1u << bit);
        take_load(LEVEL_L1, TLB_L1, (uint32_t)((1ull << (bit + 1)) - 1));
    }
    assert_true(memory_profile(&samples, &all, &arena, &m));
    assert_int_equal(m.histogram[0], 1);
    for (unsigned i = 1; i < MEMORY_BUCKETS; i++) assert_int_equal(m.histogram[i], 2);
    assert_spread(&m.all.latency, 65, 0, 65535, 1u << 30, UINT32_MAX);
}

TEST_WITH(arena_full, prepare, NULL)
{
    take_none();
    for (unsigned i = 0; i < 10; i++) take_load(LEVEL_L1, TLB_L1, 4);
    arena.size = 79;
    assert_false(memory_profile(&samples, &all, &arena, &m));
    assert_int_equal(arena.used, 0);
    arena.size = 80;
    assert_true(memory_profile(&samples, &all, &arena, &m));
    take_none();
    assert_true(memory_profile(&samples, &all, &arena, &m));
    assert_int_equal(m.all.samples, 0);
}

/* ---- beside a profile's lines ---- */

TEST_WITH(lines_have_levels, prepare, NULL)
{
    struct profile p;
    take_none();
    for (unsigned i = 0; i < 10; i++) {
        struct sample *s = take_load(i < 7 ? LEVEL_L2 : LEVEL_L3, TLB_L1, 14 + i);
        s->data = 0x5000;
        s->ip = 0x1000 + i % 2;
        s->valid |= SAMPLE_RETIRE;
        s->retire = 100 + i;
    }
    take_load(LEVEL_L1, TLB_L1, 5)->data = 0x4000;
    take_load(LEVEL_UNKNOWN, TLB_L1, 5)->data = 0x6000; /* no level */
    samples.at[11].valid &= ~(uint32_t)SAMPLE_LATENCY;
    samples.at[10].ip = samples.at[11].ip = 0x1000;
    assert_true(profile_by_data(&samples, &all, &article, 0, &arena, &p));
    assert_true(p.hardware && !p.registers);
    assert_int_equal(p.n, 3);
    const struct profile_access *a = p.line[1].access;
    assert_int_equal(a->level[LEVEL_L2], 7);
    assert_int_equal(a->level[LEVEL_L3], 3);
    assert_int_equal(a->level[LEVEL_L1], 0);
    assert_spread(&a->latency, 10, 14, 18, 23, 23);
    assert_spread(&a->retire, 10, 100, 104, 109, 109);
    assert_int_equal(p.line[0].access->level[LEVEL_L1], 1);
    assert_int_equal(p.line[0].access->latency.median, 5);
    assert_int_equal(p.line[0].access->retire.n, 0);
    for (unsigned i = 0; i < LEVELS; i++) assert_int_equal(p.line[2].access->level[i], 0);
    assert_int_equal(p.line[2].access->latency.n, 0);

    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    profile_rank(&p); /* lines keep what is theirs */
    assert_int_equal(p.line[0].key, 0x1000);
    assert_int_equal(p.line[0].count, 7);
    assert_int_equal(p.line[0].access->level[LEVEL_L2], 4);
    assert_int_equal(p.line[0].access->level[LEVEL_L3], 1);
    assert_int_equal(p.line[0].access->latency.n, 6);
    assert_int_equal(p.line[1].access->level[LEVEL_L2], 3);
    assert_spread(&p.line[1].access->latency, 5, 15, 19, 23, 23);

    take_table_1(); /* nothing is said of these */
    assert_true(profile_by_data(&samples, &all, &article, DECODE_BEFORE, &arena, &p));
    assert_true(p.registers && !p.hardware);
    assert_null(p.line[0].access);
}

/* With IBS, ops that are no accesses are in no profile by data address. */
TEST_WITH(accesses_alone, prepare, NULL)
{
    const struct profile_filter filter = {.counter = -1, .accesses = true};
    struct profile p;
    take_none();
    take_load(LEVEL_L1, TLB_L1, 0)->data = 0x5000;
    take(0x1000)->traits = SAMPLE_STORE; /* its address is not known */
    take(0x1000)->traits = SAMPLE_TAKEN;
    take(0x1000);
    assert_true(profile_by_data(&samples, &filter, &article, 0, &arena, &p));
    assert_int_equal(p.samples, 2);
    assert_int_equal(p.unknown, 1);
    assert_int_equal(p.n, 1);
}
