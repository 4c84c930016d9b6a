/* Samples folded into profiles; distances and names of addresses. */
#include "report/deduction_text.h"
#include "tests/unit/profile_samples.h"
#include "tests/unit/unit.h"

/* ---- folding ---- */

TEST_WITH(table_1_by_data, prepare, NULL)
{
    struct profile p;
    struct deduction d;
    char text[DEDUCTION_TEXT];
    take_table_1();
    assert_true(profile_by_data(&samples, &all, &article, DECODE_BEFORE | DECODE_LOADS, &arena, &p));
    assert_int_equal(p.n, N(table_1));
    assert_memory_equal(p.line, table_1, sizeof table_1);
    assert_int_equal(p.samples, 800);
    assert_int_equal(p.unknown, 0);
    deduce(&p, &p4, 99999, &arena, &d);
    assert_string_equal(deduction_text(&d, text, sizeof text),
                        "8 lines map to one set of a 4-way cache: they evict each other");
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    assert_int_equal(p.n, 1);
    assert_int_equal(p.line[0].key, 0x080484c3);
    assert_int_equal(p.line[0].count, 800);
    assert_int_equal(p.imprecise, 0);
    samples.at[3].valid &= ~(uint32_t)SAMPLE_PRECISE;
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    assert_int_equal(p.imprecise, 1);
}

/* EAX has been overwritten: with the registers after the load nothing is known. */
TEST_WITH(registers_after, prepare, NULL)
{
    struct profile p;
    take_table_1();
    assert_true(profile_by_data(&samples, &all, &article, DECODE_LOADS, &arena, &p));
    assert_int_equal(p.n, 0);
    assert_int_equal(p.samples, 800);
    assert_int_equal(p.unknown, 800);
}

TEST_WITH(what_is_unknown, prepare, NULL)
{
    struct profile p;
    struct sample *s;
    take_none();
    s = take(0x080484c3); /* imprecise: not the instruction of the event */
    s->valid |= SAMPLE_REGS;
    s = take(0x080484c3); /* without registers */
    s->valid |= SAMPLE_PRECISE;
    s = take(0x1000); /* outside of the code */
    s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
    s = take(0x1000); /* what the hardware says needs no decoding */
    s->valid |= SAMPLE_DATA;
    s->data = 0x777;
    s = take(article.base + sizeof bytes - 1); /* the last byte: cut off */
    s->valid |= SAMPLE_PRECISE | SAMPLE_REGS;
    samples.lost = 9;
    assert_true(profile_by_data(&samples, &all, &article, DECODE_BEFORE, &arena, &p));
    assert_int_equal(p.samples, 5);
    assert_int_equal(p.unknown, 4);
    assert_int_equal(p.lost, 9);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.line[0].key, 0x777);
}

TEST_WITH(filters, prepare, NULL)
{
    struct profile p;
    take_none();
    take(0x100)->counter = 12;
    take(0x200)->counter = 13;
    take(0x200)->counter = 12;
    take(0x300)->valid = SAMPLE_IP; /* nobody says of which counter */
    take(0)->valid = SAMPLE_TSC;    /* no address at all */
    take(0x200)->valid = SAMPLE_TSC;
    take(0x200)->valid |= SAMPLE_OUTSIDE; /* is none of the payload's */
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
    assert_int_equal(p.samples, 6);
    assert_int_equal(p.unknown, 2);
    assert_int_equal(p.n, 3);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){.counter = 12}, &arena, &p));
    assert_int_equal(p.samples, 2);
    assert_int_equal(p.n, 2);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){.counter = -1, .ip = 0x200}, &arena, &p));
    assert_int_equal(p.samples, 2);
    assert_int_equal(p.n, 1);
    assert_true(profile_by_ip(&samples, &(struct profile_filter){.counter = 0}, &arena, &p));
    assert_int_equal(p.samples, 0);
    assert_int_equal(p.n, 0);
}

TEST(ranked)
{
    static struct profile_line line[1000];
    uint32_t seed = 5;
    for (unsigned n = 0; n <= N(line); n += n < 200 ? 1 : 400) {
        struct profile p = {.line = line, .n = n};
        for (unsigned i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            line[i] = (struct profile_line){.key = i, .count = 1 + (seed >> 8) % 50};
        }
        profile_rank(&p);
        for (unsigned i = 1; i < n; i++)
            assert_true(line[i - 1].count > line[i].count ||
                        (line[i - 1].count == line[i].count && line[i - 1].key < line[i].key));
    }
}

TEST_WITH(arena_full, prepare, NULL)
{
    struct profile p;
    take_none();
    for (unsigned i = 0; i < 10; i++) take(i);
    arena.size = 79; /* the keys do not fit */
    assert_false(profile_by_ip(&samples, &all, &arena, &p));
    arena.size = 80 + 319; /* the lines do not */
    assert_false(profile_by_ip(&samples, &all, &arena, &p));
    arena = (struct arena){memory, 80 + 320, 0};
    assert_true(profile_by_ip(&samples, &all, &arena, &p));
}

/* ---- distances and names ---- */

TEST_WITH(distances, prepare, NULL)
{
    int64_t n = 1234;
    assert_true(profile_distance(&article, 0x080484c3, ip_behind(69), &n) == false); /* beyond the code */
    for (int i = 0; i < 60; i++) {
        assert_true(profile_distance(&article, 0x080484c3, ip_behind((unsigned)i), &n));
        assert_int_equal(n, i);
    }
    for (int i = 0; i <= TARGET_AT / 2; i++) {
        assert_true(profile_distance(&article, 0x080484c3, 0x080484c3 - 2 * (unsigned)i, &n));
        assert_int_equal(n, -i);
    }
    n = 1234;
    assert_false(profile_distance(&article, 0x080484c3, 0x080484c3 + 3, &n)); /* inside an instruction */
    assert_false(profile_distance(&article, 0x080484c3, article.base - 1, &n));
    assert_false(profile_distance(&article, 0x080484c3, article.base + sizeof bytes, &n));
    bytes[TARGET_AT + 2] = 0x0f; /* not an instruction */
    bytes[TARGET_AT + 3] = 0xff;
    assert_false(profile_distance(&article, 0x080484c3, ip_behind(2), &n));
    assert_int_equal(n, 1234);
}

static void payload_at(void *arg) { (void)arg; }

static struct bench first = {.program = {.name = "first", .payload = payload_at}, .op = "load"},
                    second = {.program = {.name = "second"}, .op = "load"};
static const struct bench experiment = {.program = {.name = "third"}, .op = "load"}; /* without a payload */
static const struct bench *const benches[] = {&first, &experiment, &second};

TEST(symbols)
{
    uint64_t base = (uintptr_t)payload_at;
    struct code code = {NULL, base - 0x10, 0x400, true, 0x200, benches, benches + 3};
    struct symbol s = {0};
    second.variant[0] = (struct bench_variant){"x87", (payload_fn *)(base + 0x40)};
    second.variant[1] = (struct bench_variant){"sse2", (payload_fn *)(base + 0x80)};
    assert_false(profile_symbol(&code, base - 1, &s));
    assert_false(profile_symbol(&code, base + 0x3f0, &s));
    assert_true(profile_symbol(&code, base + 0x3f, &s));
    assert_true(s.bench == &first && s.variant == 0 && s.offset == 0x3f);
    assert_true(profile_symbol(&code, base + 0x40, &s));
    assert_true(s.bench == &second && s.variant == 0 && s.offset == 0);
    assert_true(profile_symbol(&code, base + 0x100, &s));
    assert_true(s.bench == &second && s.variant == 1 && s.offset == 0x80);
    assert_true(profile_symbol(&code, base + 0x1ef, &s));
    assert_false(profile_symbol(&code, base + 0x1f0, &s)); /* brackets */
    assert_int_equal(profile_payload_bytes(&code, base), 0x40);
    assert_int_equal(profile_payload_bytes(&code, base + 0x40), 0x40);
    assert_int_equal(profile_payload_bytes(&code, base + 0x80), 0x170); /* up to the brackets */
    assert_int_equal(profile_payload_bytes(&code, base + 0x1ef), 1);
    assert_int_equal(profile_payload_bytes(&code, base + 0x1f0), 0);
    assert_int_equal(profile_payload_bytes(&code, base - 0x10), 0x10);
    assert_int_equal(profile_payload_bytes(&code, base - 0x11), 0);
    second.variant[0].payload = payload_at; /* of two the first */
    assert_true(profile_symbol(&code, base + 1, &s));
    assert_ptr_equal(s.bench, &first);
    code.benches_end = benches;
    assert_false(profile_symbol(&code, base, &s));
}

TEST_WITH(places, prepare, NULL)
{
    struct profile_line line[] = {{0x080484c3, 5},
                                  {ip_behind(2), 3},
                                  {article.base, 1},
                                  {article.base + sizeof bytes, 1},
                                  {0x080484c4, 1}};
    struct profile p = {.line = line, .n = N(line)};
    static const unsigned length[] = {2, 6, 2, 0, 0};
    for (unsigned target = 0; target < 2; target++) {
        assert_true(profile_places(&p, &article, target ? 0x080484c3 : 0, &arena));
        for (unsigned i = 0; i < N(line); i++) {
            const struct profile_place *at = &p.place[i];
            const bool inside = i != 3;
            assert_int_equal(at->has_target, target);
            assert_int_equal(at->bytes, (int64_t)(line[i].key - (target ? 0x080484c3 : 0)));
            assert_ptr_equal(at->code, inside ? bytes + (line[i].key - article.base) : NULL);
            assert_int_equal(at->length, i == 4 ? decode_length(at->code, 16, article.long_mode) : length[i]);
            assert_int_equal(at->decoded, target && i < 3);
            if (at->decoded) assert_int_equal(at->instructions, i == 0 ? 0 : i == 1 ? 2 : -TARGET_AT / 2);
            assert_false(at->named);
        }
    }
    arena.size = arena.used + N(line) * sizeof *p.place - 1;
    assert_false(profile_places(&p, &article, 0, &arena));
}
