/* PEBS of the architectural model: registers, which events and counters record, when, the preset, the
 * threshold, a full buffer, several counters. The records' contents: test_sim_arch_pebs_format.c. */
#include "tests/unit/arch_pebs_drive.h"

static const char *const with_pebs[] = {"core2", "sandybridge", "haswell", "skylake", "icelake", "tigerlake"};
#define EACH_MODEL(name) \
    for (const char *const *name = with_pebs; name < with_pebs + sizeof with_pebs / sizeof *with_pebs; name++)

/* ---- registers ---- */

static void test_registers(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        uint64_t enable, data_cfg, latency, frontend;
    } rows[] = {{"core2", 1, 0, 0, 0},
                {"sandybridge", 0x8000000f0000000f, 0, 0xffff, 0},
                {"haswell", 0xf0000000f, 0, 0xffff, 0},
                {"skylake", 0xf0000000f, 0, 0xffff, 0x7fff17},
                {"icelake", 0xf000000ff, 0xff00000f, 0xffff, 0x7fff17},
                {"tigerlake", 0xf000000ff, 0xff00000f, 0xffff, 0x7fff17}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct sim *s = machine(rows[k].model);
        const struct {
            uint32_t msr;
            uint64_t mask;
        } regs[] = {{PEBS_ON, rows[k].enable},
                    {DATA_CFG, rows[k].data_cfg},
                    {LATENCY, rows[k].latency},
                    {FRONTEND, rows[k].frontend}};
        for (size_t r = 0; r < sizeof regs / sizeof *regs; r++) {
            if (!regs[r].mask) {
                absent(s, regs[r].msr);
                continue;
            }
            assert_int_equal(rd(s, regs[r].msr), 0);
            writable(s, regs[r].msr, regs[r].mask);
        }
        wr(s, DS_AREA, 0xffff800012345678);
        faults(s, DS_AREA, 0x800000000000); /* not canonical */
        assert_int_equal(rd(s, DS_AREA), 0xffff800012345678);
        wr(s, DS_AREA, 0x7fffffffffff);
        wr(s, PEBS_ON, 1);
        sim_reset(s);
        assert_int_equal(rd(s, DS_AREA), 0);
        assert_int_equal(rd(s, PEBS_ON), 0);
        sim_free(s);
    }
    struct sim *s = machine("coreduo");
    for (uint32_t msr = PEBS_ON; msr <= FRONTEND; msr++) absent(s, msr);
    absent(s, DS_AREA);
    sim_free(s);
}

/* SDM 9.11.7.1: software writes 0, executes CPUID, reads. */
static void test_microcode(void **state)
{
    (void)state;
    struct sim *s = machine("sandybridge");
    uint32_t regs[4];
    assert_int_equal(rd(s, 0x8b), 0x2f00000000);
    wr(s, 0x8b, 0);
    assert_int_equal(rd(s, 0x8b), 0);
    sim_cpuid(s, 0, 0, regs);
    assert_int_equal(rd(s, 0x8b), 0);
    sim_cpuid(s, 1, 0, regs);
    assert_int_equal(rd(s, 0x8b), 0x2f00000000); /* Linux wants 28h for PEBS */
    sim_free(s);
}

/* ---- arming, trigger, preset ---- */

/* The overflow arms, the next occurrence is recorded and is not counted: every N + 1st for a preset of -N. */
static void test_next(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        const bool core2 = strcmp(*m, "core2") == 0;
        given(*m);
        sample(0, core2 ? 0x00c0 : 0x20c4, 2);
        for (unsigned k = 0; k < 9; k++) {
            if (core2)
                nop_at(0x3000 + 3 * k);
            else {
                branch_at(0x3000 + 3 * k);
                nop_at(0x6000);
            }
            assert_int_equal(records(), (k + 1) / 3);
            assert_int_equal(rd(sim, STATUS), k % 3 == 1);
            static const uint64_t value[] = {MINUS(1), 0, MINUS(2)};
            assert_int_equal(rd(sim, PMC0), value[k % 3] & (core2 ? 0xffffffffff : COUNT48));
        }
        assert_int_equal(guest.pmi, 0);
        for (unsigned k = 0; k < 3; k++) {
            if (core2)
                assert_int_equal(field(k, 0x8), 0x3000 + 9 * k + 9);
            else if (record_bytes() == 0xb0)
                assert_int_equal(field(k, 0x8), 0x4321);
            else
                assert_int_equal(field(k, record_bytes() == 0x20 ? 0x8 : 0xb0), 0x3000 + 9 * k + 6);
        }
        finish();
    }
}

/* PDIR: the occurrence that overflows is itself recorded, every N-th for a preset of -N. */
static void test_same(void **state)
{
    (void)state;
    static const char *const models[] = {"sandybridge", "haswell", "skylake"};
    for (unsigned m = 0; m < 3; m++) {
        given(models[m]);
        sample(1, 0x01c0, 4);
        for (unsigned k = 1; k <= 9; k++) {
            nop_at(0x3000 + 3 * k);
            assert_int_equal(records(), k / 4);
            assert_int_equal(rd(sim, STATUS), 0);
        }
        assert_int_equal(field(1, 0x8), 0x3000 + 3 * 9);
        assert_int_equal(rd(sim, PMC0 + 1), MINUS(3) & COUNT48);
        finish();
    }
    given("icelake");
    preset(8, MINUS(4));
    wr(sim, FIXED0, MINUS(4) & COUNT48);
    wr(sim, FIXED_CTRL, 3);
    wr(sim, PEBS_ON, BIT(32));
    wr(sim, CTRL, BIT(32));
    /* The WRMSR that starts is no fact here. */
    for (unsigned k = 1; k <= 9; k++) {
        nop_at(0x3000 + 3 * k);
        assert_int_equal(records(), k / 4);
    }
    assert_int_equal(field(1, 0x8), 0x3000 + 3 * 8);
    assert_int_equal(field(1, 0x10), BIT(32));
    finish();
}

/* Period 1 with PDIR: each instruction is recorded. */
static void test_every_instruction(void **state)
{
    (void)state;
    given("skylake");
    sample(1, 0x01c0, 1);
    for (unsigned k = 0; k < 5; k++) nop_at(0x3000 + 3 * k);
    assert_int_equal(records(), 5);
    assert_int_equal(field(4, 0xb0), 0x300c);
    finish();
}

/* Several occurrences in one instruction: the one behind the overflow is recorded, the others count on the
 * preset. */
static void test_several_in_one(void **state)
{
    (void)state;
    given("core2");
    sample(0, 0x02cb, 10);
    wr(sim, PMC0, MINUS(1));
    struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .n_access = 4};
    for (unsigned k = 0; k < 4; k++)
        i.access[k] = (struct sim_access){
            .lin = 0x100000 + 64 * k, .phys = 0x100000 + 64 * k, .bytes = 4, .kind = SIM_READ};
    sim_instruction(sim, &i);
    assert_int_equal(records(), 1);
    assert_int_equal(rd(sim, PMC0), MINUS(8) & 0xffffffffff);
    /* It overflows again behind its own record. */
    sample(0, 0x02cb, 1);
    for (unsigned k = 0; k < 4; k++) i.access[k].lin = i.access[k].phys = 0x200000 + 64 * k;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 2);
    assert_int_equal(rd(sim, STATUS), 1);
    assert_int_equal(rd(sim, PMC0), 1);
    i.n_access = 1;
    i.access[0].lin = i.access[0].phys = 0x300000;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 3);
    finish();
}

/* Not at a level that is not counted, and by no delivery. */
static void test_levels(void **state)
{
    (void)state;
    given("skylake");
    wr(sim, SEL0, 0);
    wr(sim, PMC0, MINUS(1));
    preset(0, MINUS(100));
    wr(sim, PEBS_ON, 1);
    wr(sim, SEL0, 0x20c4 | USR | EN);
    struct sim_insn i = {
        .lin = 0x3000, .phys = 0x3000, .len = 3, .op = OP_BRANCH | OP_TAKEN, .cpl = 3, .cpl_after = 3};
    sim_instruction(sim, &i);
    branch_at(0x3100);
    assert_int_equal(records(), 0);
    i.lin = 0x3200;
    sim_instruction(sim, &i);
    assert_int_equal(records(), 1);
    assert_int_equal(field(0, 0xb0), 0x3200);
    finish();
}

/* ---- which events ---- */

/* Precise events from the tables, others, and qualifiers. */
static void test_which_events(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        unsigned counter;
        uint64_t select;
        bool precise;
    } rows[] = {
        {"core2", 0, 0x00c0, true},
        {"core2", 0, 0x00c0 | INV | CMASK(16), true}, /* Linux' cycles:p */
        {"core2", 0, 0x00c0 | INV | CMASK(2), false},
        {"core2", 0, 0x00c4, false},
        {"core2", 0, 0x003c, false},
        {"sandybridge", 0, 0x00c0, false},
        {"sandybridge", 0, 0x00c4, false},
        {"sandybridge", 0, 0x04c4, true},
        {"sandybridge", 3, 0x20c4, true},
        {"sandybridge", 0, 0x20c4 | E, false},
        {"sandybridge", 0, 0x20c4 | CMASK(1), false},
        {"haswell", 2, 0x00c4, true},
        {"haswell", 2, 0x003c, false},
        {"skylake", 0, 0x00c4, true},
        {"skylake", 0, 0x00c4 | BIT(21), false}, /* AnyThread */
        {"skylake", 0, 0x00c0 | INV | CMASK(16), true},
        {"skylake", 1, 0x01c0 | INV | CMASK(16), true},
        {"skylake", 0, 0x00c0, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        given(rows[k].model);
        sample_more(rows[k].counter, 0, MINUS(2), MINUS(1000), rows[k].select);
        for (unsigned n = 0; n < 12; n++) branch_at(0x3000);
        if ((records() == 1) != rows[k].precise)
            fail_msg("%s %llx: %u records", rows[k].model, (unsigned long long)rows[k].select, records());
        if (!rows[k].precise) assert_int_equal(guest.pmi, 0);
        finish();
    }
}

/* From Ice Lake on other events, too, at the next instruction, whatever that does. */
static void test_extended(void **state)
{
    (void)state;
    static const char *const models[] = {"icelake", "tigerlake"};
    for (unsigned m = 0; m < 2; m++) {
        given(models[m]);
        sample_more(5, 0x20c4, MINUS(1), MINUS(100), E); /* a qualifier */
        sample_more(6, 0x0151, MINUS(1), MINUS(100), 0);
        sample_more(7, 0x00c0, MINUS(1), MINUS(100), 0);
        wr(sim, PEBS_ON, BIT(7));
        nop_at(0x3000);
        assert_int_equal(records(), 0);
        assert_int_equal(rd(sim, STATUS), BIT(7));
        nop_at(0x3003);
        assert_int_equal(records(), 1);
        assert_int_equal(field(0, 0x8), 0x3003);
        assert_int_equal(field(0, 0x10), BIT(7));
        assert_int_equal(rd(sim, PMC0 + 7), MINUS(100) & COUNT48);
        finish();
    }
}

/* Only counters whose bit there is; and none without its bit. */
static void test_which_counters(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        given(*m);
        const unsigned general = LEAF_A_GENERAL(((struct arch *)sim->state)->traits);
        for (unsigned n = 0; n < general; n++) {
            wr(sim, PEBS_ON, 0);
            const bool can = sim_wrmsr(sim, PEBS_ON, BIT(n)) == 1;
            assert_int_equal(can, strcmp(*m, "core2") == 0           ? n < 1
                                  : strstr(*m, "lake") && **m != 's' ? n < 8
                                                                     : n < 4);
            if (!can) continue;
            sample(n, **m == 'c' ? 0x00c0 : 0x20c4, 1);
            branch_at(0x3000);
            branch_at(0x3000);
            assert_int_equal(records(), 1);
            ds_area(16, 16);
            wr(sim, PEBS_ON, 0);
            wr(sim, PMC0 + n, MINUS(1));
            branch_at(0x3000);
            branch_at(0x3000);
            assert_int_equal(records(), 0);
            wr(sim, SEL0 + n, 0);
        }
        finish();
    }
}

/* ---- buffer ---- */

static void test_threshold(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        given(*m);
        ds_area(8, 3);
        sample(0, **m == 'c' ? 0x00c0 : 0x20c4, 1);
        for (unsigned k = 1; k <= 12; k++) {
            branch_at(0x3000);
            const unsigned n = k / 2;
            assert_int_equal(records(), n);
            assert_int_equal(rd(sim, STATUS) >> 62, n >= 3);
            /* one for each record from the threshold on */
            assert_int_equal(guest.pmi, n < 3 ? 0 : n - 2);
            if (n == 3) wr(sim, RESET, 0); /* which clears nothing */
        }
        wr(sim, RESET, BIT(62));
        assert_int_equal(rd(sim, STATUS) >> 62, 0);
        /* threshold 0: each record is beyond it */
        ds_area(8, 0);
        put64(DS + 0x38, 0);
        guest.pmi = 0;
        for (unsigned k = 0; k < 4; k++) branch_at(0x3000);
        assert_int_equal(guest.pmi, 2);
        finish();
    }
}

/* "If the bounds checks fail, the PEBS will be skipped entirely": no record, no preset, no interrupt; the
 * counter goes on. */
static void test_full(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        const uint64_t mask = **m == 'c' ? 0xffffffffff : COUNT48;
        given(*m);
        ds_area(1, 5);
        memset(guest.memory + BUFFER + record_bytes(), 0xee, 8);
        sample(0, **m == 'c' ? 0x00c0 : 0x20c4, 1);
        branch_at(0x3000);
        branch_at(0x3000);
        assert_int_equal(records(), 1);
        assert_int_equal(rd(sim, PMC0), MINUS(1) & mask);
        branch_at(0x3000);
        assert_int_equal(rd(sim, STATUS), 1);
        branch_at(0x3000);
        assert_int_equal(records(), 1);
        assert_int_equal(field(1, 0), 0xeeeeeeeeeeeeeeee);
        assert_int_equal(rd(sim, STATUS), 1);
        assert_int_equal(rd(sim, PMC0), 1);
        branch_at(0x3000);
        assert_int_equal(rd(sim, PMC0), 2);
        assert_int_equal(guest.pmi, 0);
        /* one byte too short for a record */
        ds_area(1, 5);
        put64(DS + 0x30, BUFFER + record_bytes() - 1);
        wr(sim, RESET, 1);
        wr(sim, PMC0, MINUS(1));
        for (unsigned k = 0; k < 3; k++) branch_at(0x3000);
        assert_int_equal(records(), 0);
        finish();
    }
}

static void test_unmapped(void **state)
{
    (void)state;
    static const uint64_t pages[] = {DS, BUFFER};
    for (unsigned k = 0; k < 2; k++) {
        given("skylake");
        ds_area(8, 1);
        guest.unmapped = pages[k] ? pages[k] : 1;
        wr(sim, PMC0, MINUS(1));
        wr(sim, PEBS_ON, 1);
        wr(sim, SEL0, 0x20c4 | BOTH | EN);
        for (unsigned n = 0; n < 4; n++) branch_at(0x3000);
        assert_int_equal(guest.pmi, 0);
        assert_int_equal(rd(sim, STATUS), 1);
        assert_int_equal(rd(sim, PMC0), 3);
        assert_int_equal(ds_index(), BUFFER);
        finish();
    }
}

/* INT interrupts at the overflow, as without PEBS. */
static void test_int(void **state)
{
    (void)state;
    given("haswell");
    sample_more(0, 0x20c4, MINUS(1), MINUS(100), INT);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    assert_int_equal(records(), 1);
    finish();
}

/* The threshold's interrupt freezes as a counter's does. */
static void test_freeze(void **state)
{
    (void)state;
    static const char *const models[] = {"haswell", "skylake"};
    for (unsigned m = 0; m < 2; m++) {
        given(models[m]);
        ds_area(8, 1);
        wr(sim, DEBUGCTL, BIT(12));
        sample(0, 0x20c4, 1);
        for (unsigned k = 0; k < 8; k++) branch_at(0x3000);
        assert_int_equal(records(), 1);
        if (m == 0)
            assert_int_equal(rd(sim, CTRL), 0);
        else
            assert_int_equal(rd(sim, STATUS), BIT(62) | BIT(59));
        finish();
    }
}

/* It is late as any other. */
static void test_skid(void **state)
{
    (void)state;
    given("skylake");
    assert_true(sim_skid(sim, "3", 0));
    ds_area(8, 1);
    sample(0, 0x20c4, 1);
    branch_at(0x3000);
    branch_at(0x3000);
    assert_int_equal(records(), 1);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(guest.pmi, 0);
        nop_at(0x3000);
    }
    assert_int_equal(guest.pmi, 1);
    finish();
}

/* ---- several counters ---- */

/* Both at the same instruction: one record. */
static void test_together(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        if (**m == 'c') continue; /* one counter */
        given(*m);
        sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
        sample_more(2, 0x02c4, MINUS(1), MINUS(60), 0);
        for (unsigned k = 0; k < 2; k++) go(0x3000, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(records(), 1);
        assert_int_equal(rd(sim, PMC0), MINUS(50) & COUNT48);
        assert_int_equal(rd(sim, PMC0 + 2), MINUS(60) & COUNT48);
        assert_int_equal(rd(sim, STATUS), 0);
        assert_int_equal(field(0, strstr(*m, "lake") && **m != 's' ? 0x10 : 0x90), 5);
        finish();
    }
}

/* One has overflowed, the other's event comes first. Up to Broadwell the record is of both; from Skylake on
 * of the one that made it. */
static void test_collision(void **state)
{
    (void)state;
    EACH_MODEL(m)
    {
        if (**m == 'c') continue;
        given(*m);
        const bool resolves = strstr(*m, "lake");
        sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
        sample_more(2, 0x02c4, MINUS(1), MINUS(60), 0);
        go(0x3000, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(rd(sim, STATUS), 5);
        branch_at(0x3003);
        assert_int_equal(records(), 1);
        assert_int_equal(field(0, strstr(*m, "lake") && **m != 's' ? 0x10 : 0x90), resolves ? 1 : 5);
        assert_int_equal(rd(sim, STATUS), resolves ? 4 : 0);
        assert_int_equal(rd(sim, PMC0 + 2), (resolves ? 0 : MINUS(60)) & COUNT48);
        go(0x3006, OP_BRANCH | OP_TAKEN | OP_CALL, 0, 0);
        assert_int_equal(records(), resolves ? 2 : 1);
        finish();
    }
}

/* Beside one that only counts and interrupts. */
static void test_beside(void **state)
{
    (void)state;
    given("skylake");
    sample_more(0, 0x20c4, MINUS(1), MINUS(50), 0);
    wr(sim, PMC0 + 1, MINUS(2));
    wr(sim, SEL0 + 1, 0x20c4 | BOTH | EN | INT);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 0);
    branch_at(0x3000);
    assert_int_equal(guest.pmi, 1);
    assert_int_equal(records(), 1);
    assert_int_equal(rd(sim, STATUS), 2);
    finish();
}

/* Disabling PEBS disarms. */
static void test_disarmed(void **state)
{
    (void)state;
    given("skylake");
    sample(0, 0x20c4, 1);
    branch_at(0x3000);
    wr(sim, PEBS_ON, 0);
    wr(sim, PEBS_ON, 1);
    branch_at(0x3000);
    assert_int_equal(records(), 0);
    finish();
}

/* Each of two threads has a DS area and registers of its own. */
static void test_threads(void **state)
{
    (void)state;
    given("skylake");
    const struct sim_host host = sim->host;
    struct sim *other = sim_thread(sim, &host);
    assert_non_null(other);
    ds_area(16, 16);
    sample(0, 0x20c4, 1);
    assert_int_equal(rd(other, PEBS_ON), 0);
    assert_int_equal(rd(other, DS_AREA), 0);
    const struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .op = OP_BRANCH | OP_TAKEN};
    for (unsigned k = 0; k < 5; k++) sim_instruction(other, &i);
    assert_int_equal(records(), 0);
    branch_at(0x3000);
    sim_instruction(other, &i);
    assert_int_equal(records(), 0);
    branch_at(0x3000);
    assert_int_equal(records(), 1);
    sim_free(other);
    finish();
}

/* ---- in bulk ---- */

/* One by one only near a record, and while a latency is counted. */
static void test_exact(void **state)
{
    (void)state;
    given("skylake");
    sample(0, 0x20c4, 1ull << 40);
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, A_PMC0, MINUS(300000) & COUNT48); /* far for what accesses and branches make */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, PMC0, MINUS(1000));
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    wr(sim, PEBS_ON, 0); /* it only counts */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, PEBS_ON, 1);
    wr(sim, PMC0, MINUS(1));
    branch_at(0x3000);
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE); /* armed */
    wr(sim, SEL0, 0);
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, SEL0, 0x003c | BOTH | EN); /* records nothing */
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    wr(sim, SEL0, 0x01cd | BOTH | EN);
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    wr(sim, SEL0, 0);
    sample(1, 0x01c0, 300000); /* instructions: a batch may have as many */
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_microcode),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_every_instruction),
        cmocka_unit_test(test_several_in_one),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_which_events),
        cmocka_unit_test(test_extended),
        cmocka_unit_test(test_which_counters),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_unmapped),
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_skid),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_collision),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_disarmed),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
