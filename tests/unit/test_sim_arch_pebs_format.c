/* The records of PEBS on the architectural model, field by field from the manual's tables; data addresses,
 * sources and latencies; the load latency event. */
#include "tests/unit/arch_pebs_drive.h"

#define NOWHERE 0x100000ull /* data that no cache has */

/* What the fixed formats begin with: R/EFLAGS, R/EIP, R/EAX EBX ECX EDX ESI EDI EBP ESP, R8 to R15 (table
 * 18-23). */
static void check_registers(uint64_t at, uint64_t next)
{
    static const uint8_t order[16] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    assert_int_equal(at64(at), 0x246);
    assert_int_equal(at64(at + 8), next);
    for (unsigned k = 0; k < 16; k++) {
        uint64_t v = guest.after.reg[order[k]];
        if (!guest.long_mode) v = k < 8 ? v & 0xffffffff : 0;
        assert_int_equal(at64(at + 0x10 + 8 * k), v);
    }
}

static void one_load(const char *model, unsigned code, uint64_t enable)
{
    given(model);
    memset(guest.memory + BUFFER, 0xee, 0x1000);
    wr(sim, PEBS_ON, enable);
    if (strcmp(model, "core2")) wr(sim, LATENCY, 3);
    sample_more(3 * (code == 0x01cd), code, MINUS(1), MINUS(1000), 0);
}

/* ---- fixed formats ---- */

TEST(test_format_0)
{
    for (unsigned mode = 0; mode < 2; mode++) {
        one_load("core2", 0x01cb, 1);
        guest.long_mode = mode;
        load_at(0x3000, NOWHERE);
        load_at(0x3100, NOWHERE + 0x1000);
        assert_int_equal(ds_index() - BUFFER, 0x90);
        check_registers(BUFFER, 0x3103);
        assert_int_equal(at64(BUFFER + 0x90), 0xeeeeeeeeeeeeeeee);
        finish();
    }
}

TEST(test_format_1)
{
    one_load("sandybridge", 0x20c4, 1);
    wr(sim, SEL0 + 7, 0x00c4 | BOTH | EN); /* the status has other counters' overflows as well */
    wr(sim, PMC0 + 7, MINUS(1));
    go(0x3000, OP_BRANCH | OP_TAKEN, 0, 0);
    go(0x3100, OP_BRANCH | OP_TAKEN | OP_CALL, NOWHERE, SIM_WRITE);
    assert_int_equal(ds_index() - BUFFER, 0xb0);
    check_registers(BUFFER, 0x4321);
    assert_int_equal(at64(BUFFER + 0x90), 0x81);
    for (unsigned k = 0x98; k < 0xb0; k += 8) assert_int_equal(at64(BUFFER + k), 0);
    assert_int_equal(at64(BUFFER + 0xb0), 0xeeeeeeeeeeeeeeee);
    finish();
}

TEST(test_format_2)
{
    one_load("haswell", 0x20c4, 1);
    branch_at(0x3000);
    branch_at(0x3100);
    assert_int_equal(ds_index() - BUFFER, 0xc0);
    check_registers(BUFFER, 0x4321);
    assert_int_equal(at64(BUFFER + 0x90), 1);
    for (unsigned k = 0x98; k < 0xb0; k += 8) assert_int_equal(at64(BUFFER + k), 0);
    assert_int_equal(at64(BUFFER + 0xb0), 0x3100);
    assert_int_equal(at64(BUFFER + 0xb8), 0);
    assert_int_equal(at64(BUFFER + 0xc0), 0xeeeeeeeeeeeeeeee);
    finish();
}

TEST(test_format_3)
{
    one_load("skylake", 0x81d0, 1);
    wr(sim, PMC0 + 2, MINUS(1)); /* not in the applicable counters */
    wr(sim, SEL0 + 2, 0x00c0 | BOTH | EN);
    load_at(0x3000, NOWHERE);
    load_at(0x3100, NOWHERE + 0x1008);
    assert_int_equal(ds_index() - BUFFER, 0xc8);
    check_registers(BUFFER, 0x3103);
    assert_int_equal(at64(BUFFER + 0x90), 1);
    assert_int_equal(at64(BUFFER + 0x98), NOWHERE + 0x1008);
    assert_int_equal(at64(BUFFER + 0xa0), 0); /* not of this event */
    assert_int_equal(at64(BUFFER + 0xa8), 0);
    assert_int_equal(at64(BUFFER + 0xb0), 0x3100);
    assert_int_equal(at64(BUFFER + 0xb8), 0);
    assert_int_equal(at64(BUFFER + 0xc0), 0x123456789abc);
    assert_int_equal(at64(BUFFER + 0xc8), 0xeeeeeeeeeeeeeeee);
    finish();
}

/* ---- adaptive ---- */

/* All groups, each with its size; asked for by the counter's bit 34. */
TEST(test_format_4)
{
    for (unsigned groups = 0; groups < 16; groups++)
        for (unsigned adaptive = 0; adaptive < 2; adaptive++) {
            const uint64_t cfg = groups | 2u << 24; /* three branches */
            const uint64_t shown = adaptive ? cfg : 0;
            one_load("icelake", 0x81d0, 1);
            wr(sim, DATA_CFG, cfg);
            wr(sim, SEL0, 0x81d0 | BOTH | EN | (adaptive ? BIT(34) : 0));
            put64(DS + 0x30, BUFFER + 0x1000);
            load_at(0x3000, NOWHERE);
            load_at(0x3100, NOWHERE + 0x1008);
            uint64_t at = BUFFER + 0x20;
            assert_int_equal(at64(BUFFER + 0x8), 0x3100);
            assert_int_equal(at64(BUFFER + 0x10), 1);
            assert_int_equal(at64(BUFFER + 0x18), 0x123456789abc);
            if (shown & 1) {
                assert_int_equal(at64(at), NOWHERE + 0x1008);
                for (unsigned k = 8; k < 0x20; k += 8) assert_int_equal(at64(at + k), 0);
                at += 0x20;
            }
            if (shown & 2) {
                /* flags, ip, then AX CX DX BX SP BP SI DI R8 to R15 */
                assert_int_equal(at64(at), 0x246);
                assert_int_equal(at64(at + 8), 0x3103);
                for (unsigned k = 0; k < 16; k++)
                    assert_int_equal(at64(at + 0x10 + 8 * k), guest.after.reg[k]);
                at += 0x90;
            }
            if (shown & 4) {
                assert_memory_equal(guest.memory + at, guest.after.xmm, 0x100);
                at += 0x100;
            }
            if (shown & 8) {
                for (unsigned k = 0; k < 3 * 0x18; k += 8) assert_int_equal(at64(at + k), 0);
                at += 3 * 0x18;
            }
            assert_int_equal(at64(BUFFER), shown | (at - BUFFER) << 48);
            assert_int_equal(ds_index(), at);
            assert_int_equal(at64(at), 0xeeeeeeeeeeeeeeee);
            finish();
        }
}

/* The last branches, the record's own among them; zeros where nothing was recorded. */
TEST(test_last_branches)
{
    static const uint64_t from[] = {0x3100, 0x3000, 0, 0}, info[] = {1, 0xffff, 0, 0};
    one_load("icelake", 0x20c4, 1);
    wr(sim, DEBUGCTL, 1);
    wr(sim, DATA_CFG, 8 | 3u << 24);
    wr(sim, SEL0, 0x20c4 | BOTH | EN | BIT(34));
    branch_at(0x3000);
    branch_at(0x3100);
    assert_int_equal(at64(BUFFER), 8 | 3u << 24 | (0x20ull + 4 * 0x18) << 48);
    for (unsigned k = 0; k < 4; k++) {
        const uint64_t at = BUFFER + 0x20 + 0x18 * k;
        assert_int_equal(at64(at), from[k]);
        assert_int_equal(at64(at + 8), from[k] ? 0x4321 : 0);
        assert_int_equal(at64(at + 16), info[k]);
    }
    finish();
}

/* The largest: 256 branches. Fixed counter 0 asks by its own bit. */
TEST(test_largest)
{
    given("tigerlake");
    put64(DS + 0x30, BUFFER + 0x4000);
    wr(sim, DATA_CFG, 0xff00000f);
    preset(8, MINUS(1000));
    wr(sim, PEBS_ON, BIT(32));
    wr(sim, FIXED0, MINUS(1) & COUNT48);
    wr(sim, FIXED_CTRL, 3 | BIT(32));
    wr(sim, CTRL, BIT(32));
    nop_at(0x3000);
    assert_int_equal(ds_index() - BUFFER, 0x20 + 0x20 + 0x90 + 0x100 + 256 * 0x18);
    assert_int_equal(at64(BUFFER), 0xff00000f | (uint64_t)(0x1d0 + 256 * 0x18) << 48);
    finish();
}

/* ---- data ---- */

/* A load of a line from each level, and the latency event's record of it. */
TEST(test_sources)
{
    static const char *const models[] = {"sandybridge", "haswell", "skylake", "icelake"};
    for (unsigned m = 0; m < 4; m++)
        for (unsigned place = 0; place < 5; place++) {
            const struct {
                unsigned source, latency;
            } want[] = {{0x1, 5}, {0x3, 14}, {0x4, 50}, {m < 2 ? 0xc : 0xa, 200}, {0xf, 300}};
            const uint64_t there = NOWHERE + 0x40000;
            const unsigned at = m == 3 ? 0x28 : 0xa0;
            one_load(models[m], 0x01cd, m == 3 ? 8 : BIT(3) | BIT(35));
            wr(sim, LATENCY, 3);
            if (m == 3) wr(sim, DATA_CFG, 1);
            if (m == 3) wr(sim, SEL0 + 3, 0x01cd | BOTH | EN | BIT(34));
            put64(DS + 0x30, BUFFER + 0x1000);
            wr(sim, PMC0 + 3, 0);
            struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .n_access = 1};
            i.access[0] = (struct sim_access){
                .lin = there + 4, .phys = there + 4, .bytes = 4, .kind = SIM_READ, .uncached = place == 4};
            for (unsigned k = 0; k < 64 && records() == 0; k++) { /* until one is tagged */
                struct sim_access flush = i.access[0];
                const struct sim_insn out = {.lin = 0x3000,
                                             .phys = 0x3000,
                                             .len = 3,
                                             .cache_op = CACHE_FLUSH,
                                             .line = {flush.lin, flush.phys, false}};
                sim_instruction(sim, &out);
                wr(sim, SEL0 + 3, rd(sim, SEL0 + 3) & ~(uint64_t)EN);
                if (place < 3) load_at(0x3000, there);
                if (place == 1) /* 8 or 12 others of its set in the L1, none of its set in the L2 */
                    for (unsigned n = 1; n <= 16; n++) load_at(0x3000, there + n * 0x1000 + (n << 16));
                if (place == 2)
                    for (unsigned n = 1; n <= 40; n++) load_at(0x3000, there + n * 0x10000);
                wr(sim, SEL0 + 3, rd(sim, SEL0 + 3) | EN);
                wr(sim, PMC0 + 3, rd(sim, STATUS) & 8 ? 0 : MINUS(1));
                sim_instruction(sim, &i);
            }
            assert_true(ds_index() > BUFFER);
            assert_int_equal(at64(BUFFER + at - 8), there + 4);
            assert_int_equal(at64(BUFFER + at), want[place].source);
            assert_int_equal(at64(BUFFER + at + 8), want[place].latency);
            finish();
        }
}

/* A line that another processor has modified, and one that it has as it is in memory. */
TEST(test_other_processors)
{
    static const struct {
        const char *model;
        unsigned modified;
    } rows[] = {{"sandybridge", 0x9}, {"haswell", 0x9}, {"skylake", 0xd}, {"icelake", 0xd}};
    for (unsigned k = 0; k < 4; k++) {
        given(rows[k].model);
        struct sim *cpu[2] = {sim, sim_new(rows[k].model, NULL, &sim->host)};
        struct sim_bus *bus = sim_bus_new(cpu, 2);
        const struct arch_datum *load = &((struct arch *)sim->state)->memory.data.load;
        assert_non_null(bus);
        sample(0, 0x20c4, 1000); /* facts are wanted */
        sim = cpu[1];
        wr(sim, SEL0, 0x00c0 | BOTH | EN);
        go(0x3000, 0, NOWHERE, SIM_WRITE);
        load_at(0x3000, NOWHERE + 64);
        sim = cpu[0];
        load_at(0x3000, NOWHERE);
        assert_int_equal(arch_data_source(sim, load), rows[k].modified);
        assert_int_equal(arch_latency(load), 250);
        load_at(0x3000, NOWHERE + 64);
        assert_int_equal(arch_data_source(sim, load), 0xa);
        assert_int_equal(arch_latency(load), 200);
        sim_bus_free(bus);
        sim_free(cpu[1]);
        finish();
    }
}

/* Locked; two loads, of which the slower one counts; across two lines. */
TEST(test_which_access)
{
    given("haswell");
    struct sim_insn i = {.lin = 0x3000, .phys = 0x3000, .len = 3, .op = OP_LOCK, .n_access = 1};
    struct arch *p = sim->state;
    sample(0, 0x20c4, 1000); /* facts are wanted */
    i.access[0] = (struct sim_access){.lin = 0x5000, .phys = 0x5000, .bytes = 4, .kind = SIM_RMW};
    sim_instruction(sim, &i);
    assert_int_equal(arch_data_source(sim, &p->memory.data.load), 0x2c);
    assert_int_equal(arch_store_status(&p->memory.data.store), 0x21);
    i.op = 0;
    i.n_access = 3;
    i.access[0].kind = i.access[1].kind = i.access[2].kind = SIM_READ;
    i.access[1].bytes = i.access[2].bytes = 4;
    i.access[1].lin = i.access[1].phys = 0x6000;
    i.access[2].lin = i.access[2].phys = 0x7000;
    sim_instruction(sim, &i);
    assert_int_equal(p->memory.data.load.lin, 0x6000); /* the first of two from memory */
    assert_int_equal(p->memory.data.store.found, 0);
    i.n_access = 1;
    i.access[0].lin = i.access[0].phys = 0x503e; /* 5000h is there, 5040h is not */
    sim_instruction(sim, &i);
    assert_int_equal(p->memory.data.load.lin, 0x503e);
    assert_int_equal(arch_latency(&p->memory.data.load), 200);
    nop_at(0x3000);
    assert_int_equal(p->memory.data.load.found, 0);
    finish();
}

/* Haswell's and later ones' store events: the address, and whether the L1 had it. Sandy Bridge: counter 3,
 * with PS_ENABLE. */
TEST(test_stores)
{
    static const struct {
        const char *model;
        unsigned code, counter;
        uint64_t enable;
        bool seen;
    } rows[] = {{"sandybridge", 0x02cd, 3, BIT(3) | BIT(63), true},
                {"sandybridge", 0x02cd, 3, BIT(3), false},
                {"skylake", 0x82d0, 0, 1, true}};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned hit = 0; hit < 2; hit++) {
            given(rows[k].model);
            wr(sim, PEBS_ON, rows[k].enable);
            sample_more(rows[k].counter, rows[k].code, MINUS(1), MINUS(100), 0);
            go(0x3000, 0, NOWHERE, SIM_WRITE);
            go(0x3000, 0, hit ? NOWHERE : NOWHERE + 0x1000, SIM_WRITE);
            assert_int_equal(records(), 1);
            assert_int_equal(field(0, 0x98), !rows[k].seen ? 0 : hit ? NOWHERE : NOWHERE + 0x1000);
            assert_int_equal(field(0, 0xa0), rows[k].seen && hit);
            assert_int_equal(field(0, 0xa8), 0);
            finish();
        }
}

/* ---- the load latency event ---- */

static uint64_t counted(uint64_t threshold, unsigned n, bool flush)
{
    given("skylake");
    wr(sim, LATENCY, threshold);
    wr(sim, SEL0, 0x01cd | BOTH | EN);
    load_at(0x3000, NOWHERE);
    wr(sim, PMC0, 0);
    for (unsigned k = 0; k < n; k++) load_at(0x3000, flush ? NOWHERE + 64 * (k + 1) : NOWHERE);
    const uint64_t v = rd(sim, PMC0);
    finish();
    return v;
}

/* One of four loads is watched; its latency has to be above the threshold, which is 3 at least. */
TEST(test_latency_event)
{
    const uint64_t all = counted(3, 4000, false);
    assert_true(all > 900 && all < 1100);
    assert_int_equal(counted(4, 4000, false), all);
    assert_int_equal(counted(5, 4000, false), 0); /* L1: 5 cycles */
    assert_int_equal(counted(2, 4000, false), 0);
    assert_int_equal(counted(0, 4000, false), 0);
    assert_int_equal(counted(199, 4000, true), all); /* by number, whatever the load is */
    assert_int_equal(counted(200, 4000, true), 0);
    /* It does not depend on what was counted before. */
    given("skylake");
    wr(sim, SEL0, 0x00c0 | BOTH | EN);
    load_at(0x3000, NOWHERE);
    for (unsigned k = 0; k < 1000; k++) load_at(0x3000, NOWHERE);
    const uint64_t loads = ((struct arch *)sim->state)->memory.data.loads;
    assert_int_equal(loads, 1001);
    finish();
}

/* The latency comes with its bit of IA32_PEBS_ENABLE; on Ice Lake with the event. */
TEST(test_latency_enable)
{
    one_load("skylake", 0x01cd, BIT(3));
    for (unsigned k = 0; k < 64 && records() == 0; k++) load_at(0x3000, NOWHERE + 0x1000 * k);
    assert_int_equal(records(), 1);
    assert_true(field(0, 0x98) > NOWHERE);
    assert_int_equal(field(0, 0xa0), 0);
    assert_int_equal(field(0, 0xa8), 0);
    finish();
    /* Sandy Bridge has no address either. */
    one_load("sandybridge", 0x01cd, BIT(3));
    for (unsigned k = 0; k < 64 && records() == 0; k++) load_at(0x3000, NOWHERE + 0x1000 * k);
    assert_int_equal(records(), 1);
    assert_int_equal(field(0, 0x98), 0);
    finish();
}
