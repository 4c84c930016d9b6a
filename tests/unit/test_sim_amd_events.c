/* AMD model: what a select counts, and which events each fact moves, by the oracle and by counters. */
#include "tests/unit/amd_drive.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- event selects ---- */

/* The value after ten instructions and ten clocks; "unmodelled" as -1. */
static int64_t tens(const char *model, uint64_t select)
{
    struct sim *s = machine(model);
    wr(s, SEL0, select | ON);
    retire(s, 10, 0, 0);
    const int64_t n = unmodelled(s) ? -1 : (int64_t)rd(s, CTR0);
    if (n < 0) assert_int_equal(rd(s, CTR0), 0);
    sim_free(s);
    return n;
}

TEST(test_thresholds)
{
    for (unsigned m = 0; m < MODELS; m++) {
        const char *name = models[m].name;
        assert_int_equal(tens(name, 0x76), 10);
        assert_int_equal(tens(name, 0x76 | CMASK(1)), 10);
        assert_int_equal(tens(name, 0x76 | CMASK(2)), 0);
        assert_int_equal(tens(name, 0x76 | INV), 10); /* without a mask it means nothing */
        assert_int_equal(tens(name, 0x76 | INV | CMASK(2)), 10);
        assert_int_equal(tens(name, 0x76 | INV | CMASK(1)), -1);
        assert_int_equal(tens(name, 0x76 | E), 0); /* never halted */
        assert_int_equal(tens(name, 0x76 | INV | E | CMASK(2)), 0);
        assert_int_equal(tens(name, 0xc0 | CMASK(1)), -1);
        assert_int_equal(tens(name, 0xc0 | CMASK(17)), 0);
        assert_int_equal(tens(name, 0xc0 | CMASK(17) | INV), 10);
        assert_int_equal(tens(name, 0xc0 | E), -1);
    }
    assert_int_equal(tens("k8", 0xc0 | CMASK(4)), 0);
    assert_int_equal(tens("k8", 0xc0 | CMASK(3)), -1);
    assert_int_equal(tens("zen", 0xc0 | CMASK(4)), -1);
}

TEST(test_leaving_halt)
{
    struct sim *s = machine("fam10h");
    wr(s, SEL0, 0x76 | ON | E);
    wr(s, SEL0 + 1, 0x76 | ON);
    for (unsigned n = 0; n < 3; n++) {
        retire(s, 4, 0, 0);
        sim_ticks(s, 1000, true, 0);
    }
    retire(s, 1, 0, 0);
    assert_int_equal(rd(s, CTR0), 3);
    assert_int_equal(rd(s, CTR0 + 1), 13);
    sim_free(s);
}

/* Bits 35:32 are part of the select, where there are any. */
TEST(test_twelve_bits)
{
    assert_int_equal(tens("zen", UINT64_C(0x100000120)), 10);
    assert_int_equal(tens("zen", 0x120), -1); /* 20h */
    assert_int_equal(tens("zen", UINT64_C(0x1000000c0)), -1);
    assert_int_equal(tens("k8", UINT64_C(0x1000000c0)), 10); /* no such bits */

    struct sim *s = machine("zen4");
    wr(s, SEL0, UINT64_C(0xf000000ff) | ON);
    assert_string_equal(unmodelled(s), "rfff");
    wr(s, SEL0, 0xc3 | ON);
    assert_string_equal(unmodelled(s), "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED");
    wr(s, SEL0, 0);
    assert_null(unmodelled(s));
    sim_free(s);
}

/* An event without unit masks does not look at them; of one that has some, each must be known. */
TEST(test_unit_masks)
{
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = machine(models[m].name);
        wr(s, SEL0, 0x0141 | ON); /* Linux's L1-dcache-load-misses */
        wr(s, SEL0 + 1, 0x037e | ON);
        wr(s, SEL0 + 2, 0x077e | ON);
        wr(s, SEL0 + 3, 0x007e | ON);
        retire(s, 1, 0, 0);
        for (unsigned n = 0; n < 9; n++) load(s, 0x100000 + 64 * n);
        assert_int_equal(rd(s, CTR0), 9);
        assert_int_equal(rd(s, CTR0 + 1), 10);
        assert_int_equal(rd(s, CTR0 + 2), 0);
        assert_int_equal(rd(s, CTR0 + 3), 0);
        assert_string_equal(unmodelled(s), "L2_CACHE_MISS:TLB_WALK");
        wr(s, SEL0 + 2, 0);
        assert_null(unmodelled(s));
        sim_free(s);
    }
    assert_int_equal(tens("k8", 0x04cb), -1);
    assert_int_equal(tens("k8", 0x0ccb), 0);
    assert_int_equal(tens("k8", 0x0fcb), 0);
    assert_int_equal(tens("k8", 0x1fcb), -1);
    assert_int_equal(tens("fam10h", 0x07cb), 0);
    assert_int_equal(tens("zen", 0xc860), 0);
    assert_int_equal(tens("zen", 0x0964), 1); /* the code's line */
    assert_int_equal(tens("zen", 0xff60), -1);
}

/* Family 15h: the module's shared parts count on counters 0 to 2. */
TEST(test_restrictions)
{
    static const uint16_t shared[] = {0x76, 0x037d, 0x037e, 0x81, 0x82, 0x83, 0x43};
    static const uint16_t own[] = {0xc0, 0xc2, 0xc4, 0x40, 0x0141, 0x07cb, 0xcf};
    struct sim *s = machine("bulldozer");
    for (unsigned n = 0; n < 6; n++) {
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
            wr(s, CTL0 + 2 * n, shared[k] | ON);
            assert_int_equal(unmodelled(s) != NULL, n > 2);
        }
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            wr(s, CTL0 + 2 * n, own[k] | ON);
            assert_null(unmodelled(s));
        }
        wr(s, CTL0 + 2 * n, 0);
    }
    sim_free(s);
    s = machine("zen");
    for (unsigned n = 0; n < 6; n++) wr(s, CTL0 + 2 * n, 0x76 | ON);
    retire(s, 2, 0, 0);
    for (unsigned n = 0; n < 6; n++) assert_int_equal(rd(s, CTL0 + 2 * n + 1), 2);
    sim_free(s);
}

/* ---- which events a fact moves ---- */

static void plain(struct sim *s) { retire(s, 1, 0, 0); }
static void jcc_not(struct sim *s) { retire(s, 1, OP_BRANCH | OP_COND, 0); }
static void jcc_taken(struct sim *s) { retire(s, 1, OP_BRANCH | OP_COND | OP_TAKEN, 0); }
static void call_near(struct sim *s) { retire(s, 1, OP_BRANCH | OP_TAKEN | OP_CALL, 0); }
static void ret_near(struct sim *s) { retire(s, 1, OP_BRANCH | OP_TAKEN | OP_RET, 0); }
static void ret_far(struct sim *s) { retire(s, 1, OP_BRANCH | OP_TAKEN | OP_RET | OP_FAR, 0); }
static void into_not(struct sim *s) { retire(s, 1, OP_BRANCH | OP_COND | OP_FAR | OP_SOFTINT, 0); }
static void fault(struct sim *s) { sim_exception(s, 14, 0); }
static void irq(struct sim *s) { sim_interrupt(s, 0x40, false, 0); }
static void nmi(struct sim *s) { sim_interrupt(s, 2, true, 0); }
static void x87(struct sim *s) { retire(s, 1, OP_X87 | OP_FLOP, 0); }
static void mmx(struct sim *s) { retire(s, 1, OP_MMX, 0); }
static void emms(struct sim *s) { retire(s, 1, OP_EMMS, 0); }
static void sse(struct sim *s) { retire(s, 1, OP_SSE, 0); }
static void halted(struct sim *s) { sim_ticks(s, 50, true, 0); }
static void cold_load(struct sim *s) { load(s, 0x200000); }
static void cold_store(struct sim *s) { store(s, 0x200000); }
static void locked(struct sim *s) { access_at(s, 0x300000, 4, SIM_RMW, OP_LOCK, false); }
static void crosses_8(struct sim *s) { access_at(s, 0x300006, 4, SIM_READ, 0, false); }
static void crosses_line(struct sim *s) { access_at(s, 0x30003e, 4, SIM_READ, 0, false); }
static void crosses_page(struct sim *s) { access_at(s, 0x300ffc, 8, SIM_READ, 0, false); }
static void split_store(struct sim *s) { access_at(s, 0x30003e, 4, SIM_WRITE, 0, false); }
static void sixteen(struct sim *s) { access_at(s, 0x300010, 16, SIM_READ, OP_SSE, false); }
static void ten(struct sim *s) { access_at(s, 0x300010, 10, SIM_WRITE, OP_X87, false); }
static void uncached(struct sim *s) { access_at(s, 0xfee00080, 4, SIM_RMW, 0, true); }
static void new_code(struct sim *s)
{
    sim_instruction(s, &(struct sim_insn){.lin = 0x4003e, .phys = 0x4003e, .len = 5});
}
static void stray(struct sim *s)
{
    sim_stray_access(s, &(struct sim_access){0x300000, 0x300000, 0, 8, SIM_WRITE, 0}, 0);
}

enum { K10 = AMD_K8 | AMD_10H, OLD = K10 | AMD_15H, ZENS = AMD_ZEN | AMD_ZEN4 };
/* What a warm instruction does beside: clocks and itself. event/unit mask:count in the order of the model's
 * table. */
static const struct {
    void (*run)(struct sim *s);
    struct {
        uint8_t models;
        const char *events;
    } want[5];
} facts[] = {
    {plain, {{OLD, "076:1 0c0:1"}, {ZENS, "076:1 0c0:1 120/01:1"}}},
    {jcc_not, {{OLD, "076:1 0c0:1 0c2:1"}, {ZENS, "076:1 0c0:1 0c2:1 0d1:1 120/01:1"}}},
    {jcc_taken, {{OLD, "076:1 0c0:1 0c2:1 0c4:1"}, {ZENS, "076:1 0c0:1 0c2:1 0c4:1 0d1:1 120/01:1"}}},
    {call_near, {{OLD, "076:1 0c0:1 0c2:1 0c4:1"}, {ZENS, "076:1 0c0:1 0c2:1 0c4:1 120/01:1"}}},
    {ret_near, {{OLD, "076:1 0c0:1 0c2:1 0c4:1 0c8:1"}, {ZENS, "076:1 0c0:1 0c2:1 0c4:1 0c8:1 120/01:1"}}},
    {ret_far, {{OLD, "076:1 0c0:1 0c2:1 0c4:1 0c6:1"}, {ZENS, "076:1 0c0:1 0c2:1 0c4:1 0c6:1 120/01:1"}}},
    {into_not, {{OLD, "076:1 0c0:1 0c2:1"}, {ZENS, "076:1 0c0:1 0c2:1 120/01:1"}}},
    {fault, {{OLD, "0c0:1 0c2:1 0c4:1 0c6:1"}, {ZENS, "0c2:1 0c4:1 0c6:1"}}},
    {irq,
     {{OLD, "0c0:1 0c2:1 0c4:1 0c6:1 0cf:1"},
      {AMD_ZEN, "0c2:1 0c4:1 0c6:1"},
      {AMD_ZEN4, "02c:1 0c2:1 0c4:1 0c6:1"}}},
    {nmi,
     {{OLD, "0c0:1 0c2:1 0c4:1 0c6:1 0cf:1"},
      {AMD_ZEN, "0c2:1 0c4:1 0c6:1"},
      {AMD_ZEN4, "02c:1 0c2:1 0c4:1 0c6:1"}}},
    {x87, {{OLD, "076:1 0c0:1 0cb/01:1"}, {ZENS, "076:1 0c0:1 0cb/01:1 120/01:1"}}},
    {mmx, {{OLD, "076:1 0c0:1 0cb/02:1"}, {ZENS, "076:1 0c0:1 0cb/02:1 120/01:1"}}},
    {emms, {{OLD, "076:1 0c0:1 0cb/02:1"}, {ZENS, "076:1 0c0:1 0cb/02:1 120/01:1"}}},
    {sse,
     {{AMD_K8, "076:1 0c0:1 0cb/0c:1"},
      {AMD_10H | AMD_15H, "076:1 0c0:1 0cb/04:1"},
      {ZENS, "076:1 0c0:1 0cb/04:1 120/01:1"}}},
    {halted, {{OLD | ZENS, ""}}},
    {locked, {{OLD, "024/01:1 040:2 0c0:1"}, {ZENS, "040:2 0c0:1"}}},
    {crosses_8, {{K10, "040:2 047:1 0c0:1"}, {AMD_15H | ZENS, "040:2 0c0:1"}}},
    {crosses_line,
     {{K10, "040:2 047:1 0c0:1"}, {AMD_15H | AMD_ZEN, "040:2 0c0:1"}, {AMD_ZEN4, "040:2 047/01:1 0c0:1"}}},
    {crosses_page,
     {{K10, "040:2 047:1 0c0:1"},
      {AMD_15H | AMD_ZEN, "040:2 0c0:1"},
      {AMD_ZEN4, "040:2 047/01:1 047/02:1 0c0:1"}}},
    {split_store, {{K10, "040:2 047:1 0c0:1"}, {AMD_15H | ZENS, "040:2 0c0:1"}}},
    {sixteen, {{AMD_K8, "040:2 0c0:1 0cb/0c:1"}, {AMD_10H | AMD_15H | ZENS, "040:2 0c0:1 0cb/04:1"}}},
    {ten, {{OLD | ZENS, "040:2 0c0:1 0cb/01:1"}}},
    {uncached, {{OLD | ZENS, "040:2 0c0:1"}}},
    {stray, {{OLD | ZENS, "040:1"}}},
    {cold_load,
     {{K10, "040:1 041:1 042/01:1 043/1f:1 07d/02:1 07e/02:1 0c0:1"},
      {AMD_15H, "040:1 041/01:1 042/01:1 043:1 07d/02:1 07e/02:1 0c0:1"},
      {AMD_ZEN, "040:1 060/80:1 064/08:1 0c0:1"},
      {AMD_ZEN4, "040:1 041/3f:1 043/de:1 044/de:1 060/80:1 064/08:1 0c0:1"}}},
    {cold_store,
     {{K10, "040:1 041:1 042/01:1 043/1f:1 07d/02:1 07e/02:1 0c0:1"},
      {AMD_15H, "040:1 041/01:1 042/01:1 043:1 07d/02:1 07e/02:1 0c0:1"},
      {AMD_ZEN, "040:1 060/40:1 064/08:1 0c0:1"},
      {AMD_ZEN4, "040:1 041/3f:1 043/de:1 044/de:1 060/40:1 064/08:1 0c0:1"}}},
    {new_code, {{OLD, "07d/01:2 07e/01:2 081:2 083:2 0c0:1"}, {ZENS, "060/10:2 064/01:2 083:2 0c0:1"}}},
};
#define FACTS (sizeof facts / sizeof *facts)

/* The code's line, and modified lines where the facts go that are not about misses. */
static void warm_up(struct sim *s)
{
    retire(s, 1, 0, 0);
    store(s, 0x300000);
    store(s, 0x300040);
    store(s, 0x300fc0);
    access_at(s, 0x300ffc, 8, SIM_WRITE, 0, false);
}

/* What a counter with this event comes to. */
static uint64_t counted(const char *model, const struct sim_event *e, void (*run)(struct sim *s))
{
    struct sim *s = machine(model);
    wr(s, SEL0, (e->code & 0xffff) | (uint64_t)(e->code >> 16 & 0xf) << 32 | ON);
    assert_null(unmodelled(s));
    warm_up(s);
    wr(s, CTR0, 0);
    run(s);
    const uint64_t n = rd(s, CTR0);
    sim_free(s);
    return n;
}

TEST(test_facts)
{
    for (unsigned m = 0; m < MODELS; m++) {
        for (unsigned f = 0; f < FACTS; f++) {
            struct sim *s = machine(models[m].name);
            char moved[512] = "", *line = NULL;
            unsigned w = 0;
            sim_oracle_begin(s, "warm");
            warm_up(s);
            sim_oracle_begin(s, "fact");
            facts[f].run(s);
            sim_oracle_end(s, keep, &line, NULL);
            for (unsigned k = 0; k < AMD_EVENTS; k++) {
                const struct sim_event *e = &amd_events[k];
                char word[64];
                if (!sim_event_modelled(s, e) || !(e->models & 1u << m)) continue;
                const uint64_t n = in_line(line, e->name);
                assert_int_equal(counted(models[m].name, e, facts[f].run), n);
                if (!n) continue;
                const unsigned umask = e->code >> 8 & 0xff;
                const unsigned event = (e->code & 0xff) | (e->code >> 8 & 0xf00);
                const char *space = *moved ? " " : "";
                if (umask)
                    snprintf(word, sizeof word, "%s%03x/%02x:%u", space, event, umask, (unsigned)n);
                else
                    snprintf(word, sizeof word, "%s%03x:%u", space, event, (unsigned)n);
                strncat(moved, word, sizeof moved - strlen(moved) - 1);
            }
            while (!(facts[f].want[w].models & 1u << m)) assert_true(++w < 5);
            if (strcmp(moved, facts[f].want[w].events) != 0)
                fail_msg("fact %u on %s moves \"%s\", not \"%s\"", f, models[m].name, moved,
                         facts[f].want[w].events);
            free(line);
            sim_free(s);
        }
    }
}
