/* P6 model: what goes by the caches, other agents on the bus, and the relations of Heller's notes on random
 * streams. */
#include "tests/unit/p6_mem_drive.h"

/* ---- uncached, I/O ---- */

TEST(test_uncached)
{
    struct sim *s = warm_machine(&cpus[0]);
    touch_as(s, 0xa0000, 4, SIM_READ, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 1}, {"BUS_TRAN_PWR", 0}, {"BUS_TRAN_MEM", 1}, {"BUS_TRAN_BURST", 0},
           {"BUS_TRAN_ANY", 1}, {"DATA_MEM_REFS", 1}, {"DCU_LINES_IN", 0}, {"L2_RQSTS", 0});
    touch_as(s, 0xa0000, 4, SIM_WRITE, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 1}, {"BUS_TRAN_PWR", 1}, {"BUS_TRAN_ANY", 1});
    touch_as(s, 0xa0006, 4, SIM_RMW, true, 0); /* across the 8 bytes of the bus */
    COUNTS(s, {"BUS_TRANS_P", 4}, {"BUS_TRAN_PWR", 2}, {"BUS_TRAN_ANY", 4}, {"BUS_DRDY_CLOCKS:ANY", 12});
    touch_as(s, 0xa001e, 4, SIM_WRITE, true, 0);
    COUNTS(s, {"BUS_TRANS_P", 2}, {"DATA_MEM_REFS", 2});
    touch_as(s, 0xfee00340, 4, SIM_RMW, true, 0); /* the local APIC is inside */
    COUNTS(s, {"BUS_TRAN_ANY", 0}, {"DATA_MEM_REFS", 2});
    touch_as(s, 0xfee01000, 4, SIM_READ, true, 0);
    COUNTS(s, {"BUS_TRAN_ANY", 1});
    sim_free(s);
}

TEST(test_io)
{
    static const struct {
        unsigned port, bytes, n, transactions;
    } rows[] = {{0x3f8, 1, 1, 1}, {0x3fb, 1, 1, 1}, {0x1f0, 2, 256, 256}, {0x3f9, 2, 1, 1},
                {0x3fb, 2, 1, 2}, {0xcf8, 4, 1, 1}, {0xcf9, 4, 1, 2},     {0xcfa, 4, 300, 600}};
    struct sim *s = warm_machine(&cpus[2]);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .op = OP_IO};
        i.io_port = rows[r].port;
        i.io_bytes = rows[r].bytes;
        i.iterations_io = rows[r].n;
        sim_instruction(s, &i);
        tell(s);
        assert_int_equal(sum("BUS_TRANS_IO"), rows[r].transactions);
        assert_int_equal(sum("BUS_TRAN_ANY"), rows[r].transactions);
        assert_int_equal(sum("BUS_TRAN_MEM"), 0);
        assert_int_equal(sum("DATA_MEM_REFS"), 0);
    }
    sim_free(s);
}

/* ---- other agents ---- */

TEST(test_shared_lines)
{
    struct sim *s = warm_machine(&cpus[1]);
    touch(s, 0x100000, 4, SIM_READ);
    tell(s);
    sim_p6_snoop_read(s, 0x100000, 0);
    COUNTS(s, {"BUS_TRAN_BRD", 0}, {"BUS_TRAN_BRD:ANY", 1}, {"BUS_TRAN_ANY", 0}, {"BUS_TRAN_ANY:ANY", 1},
           {"DCU_M_LINES_OUT", 0});
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"DCU_LINES_IN", 0}, {"BUS_TRAN_ANY", 0});
    touch(s, 0x100000, 4, SIM_WRITE); /* the other's copy has to go first */
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1}, {"BUS_TRAN_MEM", 1}, {"BUS_TRAN_BURST", 0},
           {"BUS_TRANS_P", 0}, {"DCU_LINES_IN", 0}, {"DCU_MISS_OUTSTANDING", 14 * 4 - 2});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_RQSTS", 0}, {"BUS_TRAN_ANY", 0});
    sim_p6_snoop_read(s, 0x100000, 0); /* HITM */
    COUNTS(s, {"DCU_M_LINES_OUT", 1}, {"BUS_TRANS_WB", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1});
    sim_p6_snoop_read(s, 0x100000, 0);
    tell(s);
    /* shared in the L2 alone: a load brings it in as shared, a store invalidates */
    sweep(s, 0x200000, 4, 128, SIM_READ);
    COUNTS(s, {"DCU_M_LINES_OUT", 0});
    touch(s, 0x100000, 4, SIM_READ);
    COUNTS(s, {"L2_LD:S", 1}, {"BUS_TRAN_ANY", 0});
    touch(s, 0x100000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:S", 1}, {"BUS_TRAN_INVAL", 1});
    sim_p6_snoop_read(s, 0x900000, 0); /* not here */
    touch(s, 0x900000, 4, SIM_WRITE);
    COUNTS(s, {"L2_ST:I", 1}, {"BUS_TRAN_INVAL", 0}, {"BUS_TRAN_RFO", 1});
    sim_free(s);
}

TEST(test_agents)
{
    static const struct {
        enum p6_transaction what;
        const char *own;
        bool memory, burst, partial;
        unsigned sent, received; /* chunks of 8 bytes */
    } rows[] = {{P6_BURST_READ, "BUS_TRAN_BRD", 1, 1, 0, 0, 4},
                {P6_READ_FOR_OWNERSHIP, "BUS_TRAN_RFO", 1, 1, 0, 0, 4},
                {P6_WRITE_BACK, "BUS_TRANS_WB", 1, 1, 0, 4, 0},
                {P6_INSTRUCTION_FETCH, "BUS_TRAN_IFETCH", 1, 1, 0, 0, 4},
                {P6_INVALIDATE, "BUS_TRAN_INVAL", 1, 0, 0, 0, 0},
                {P6_PARTIAL_READ, "BUS_TRANS_P", 1, 0, 1, 0, 1},
                {P6_PARTIAL_WRITE, "BUS_TRAN_PWR", 1, 0, 1, 1, 0},
                {P6_IO_WRITE, "BUS_TRANS_IO", 0, 0, 0, 1, 0},
                {P6_IO_READ, "BUS_TRANS_IO", 0, 0, 0, 0, 1},
                {P6_DEFERRED, "BUS_TRAN_DEF", 0, 0, 0, 0, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char any[40];
        struct sim *s = warm_machine(&cpus[0]);
        snprintf(any, sizeof any, "%s:ANY", rows[r].own);
        sim_p6_bus(s, P6_SELF, rows[r].what, 3, 3);
        sim_p6_bus(s, P6_OTHER, rows[r].what, 5, 0);
        tell(s);
        assert_int_equal(value(rows[r].own, 'u'), 3);
        assert_int_equal(value(rows[r].own, 'k'), 0);
        assert_int_equal(value(any, 'u'), 3);
        assert_int_equal(value(any, 'k'), 5);
        assert_int_equal(sum("BUS_TRAN_ANY:ANY"), 8);
        assert_int_equal(sum("BUS_TRAN_MEM:ANY"), 8 * rows[r].memory);
        assert_int_equal(sum("BUS_TRAN_BURST:ANY"), 8 * rows[r].burst);
        assert_int_equal(sum("BUS_TRANS_P:ANY"), 8 * rows[r].partial);
        /* the bus has a third of the processor's clock; of its own only what this processor does */
        assert_int_equal(sum("BUS_DRDY_CLOCKS:ANY"), 8 * 3 * (rows[r].sent + rows[r].received));
        assert_int_equal(value("BUS_DRDY_CLOCKS", 'u'), 3 * rows[r].sent);
        assert_int_equal(value("BUS_DATA_RCV", 'u'), 3 * rows[r].received);
        assert_int_equal(value("BUS_DRDY_CLOCKS", 'k') + value("BUS_DATA_RCV", 'k'), 0);
        sim_free(s);
    }
}

/* ---- random streams ---- */

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) * n >> 32);
}

/* Code and data near and far, more than the ways of their L2 sets, cached and not, at two levels, with
 * everything else thrown in. */
static void stream(struct sim *s, unsigned n, uint64_t from)
{
    uint64_t ip = CODE;
    seed = from;
    while (n--) {
        struct sim_insn i = {.lin = ip, .phys = ip, .len = 1 + rnd(7), .cpl = rnd(4) ? 3 : 0};
        i.phys_high = (ip & ~0xfffull) + 0x1000;
        i.cpl_after = i.cpl;
        ip += i.len;
        if (!rnd(6)) {
            i.op = OP_BRANCH | OP_COND | (rnd(3) ? OP_TAKEN : 0);
            if (i.op & OP_TAKEN) ip = CODE + rnd(rnd(8) ? 0x2000 : 0x80000);
        } else {
            static const uint32_t ops[] = {OP_X87,
                                           OP_X87 | OP_FLOP,
                                           OP_X87 | OP_FLOP | OP_FMUL,
                                           OP_X87 | OP_FCOM,
                                           OP_IMUL,
                                           OP_IDIV,
                                           OP_X87 | OP_FLOP | OP_FDIV,
                                           OP_MMX,
                                           OP_EMMS,
                                           OP_SSE,
                                           OP_IO};
            if (!rnd(3)) i.op = ops[rnd(sizeof ops / sizeof *ops)];
            if (i.op == OP_IO) {
                i.io_port = 0x3f0 + rnd(16);
                i.io_bytes = 1u << rnd(3);
                i.iterations_io = 1 + rnd(3);
            }
            i.seg_loads = !rnd(20);
        }
        i.n_access = rnd(3);
        for (unsigned k = 0; k < i.n_access; k++) {
            static const uint8_t bytes[] = {1, 2, 4, 4, 4, 8, 10, 16};
            const uint64_t at = 0x1000000 + (rnd(4) ? rnd(0x1000) : rnd(32) * 0x20000 + rnd(0x800));
            i.access[k] =
                (struct sim_access){at, at, (at & ~0xfffull) + 0x1000, bytes[rnd(8)], 1 + rnd(3), !rnd(50)};
        }
        sim_ticks(s, 1, false, i.cpl);
        sim_instruction(s, &i);
        if (!rnd(100)) sim_p6_snoop_read(s, 0x1000000 + rnd(0x1000), rnd(4) ? 3 : 0);
        if (!rnd(100)) sim_p6_bus(s, P6_OTHER, rnd(P6_DEFERRED + 1), 1 + rnd(3), rnd(4) ? 3 : 0);
        if (!rnd(100)) sim_p6_bus(s, P6_SELF, P6_DEFERRED, 1, rnd(4) ? 3 : 0);
        if (!rnd(300)) sim_interrupt(s, 0x20, false, rnd(4) ? 3 : 0);
        if (!rnd(500)) sim_exception(s, 14, 3);
        if (!rnd(1000)) sim_tlb_flush(s);
        if (!rnd(200)) sim_ticks(s, 10, true, 0);
        if (!rnd(4000)) sim_cache_flush(s, rnd(2));
    }
}

/* Heller's relations (seed 001; facts 2.3), every term above 0. */
TEST(test_relations)
{
    static const char *const equal[][6] = {
        {"L2_RQSTS", "L2_IFETCH", "L2_LD", "L2_ST"},
        {"L2_RQSTS:M", "L2_LD:M", "L2_ST:M", NULL},
        {"L2_RQSTS:I", "L2_IFETCH:I", "L2_LD:I", "L2_ST:I"},
        {"BUS_TRAN_BURST", "BUS_TRAN_BRD", "BUS_TRAN_RFO", "BUS_TRANS_WB", "BUS_TRAN_IFETCH"},
        {"BUS_TRAN_MEM", "BUS_TRAN_BURST", "BUS_TRANS_P", "BUS_TRAN_INVAL"},
        {"BUS_TRAN_ANY", "BUS_TRANS_IO", "BUS_TRAN_MEM", "BUS_TRAN_DEF"},
        {"BUS_TRAN_BURST:ANY", "BUS_TRAN_BRD:ANY", "BUS_TRAN_RFO:ANY", "BUS_TRANS_WB:ANY",
         "BUS_TRAN_IFETCH:ANY"},
        {"BUS_TRAN_MEM:ANY", "BUS_TRAN_BURST:ANY", "BUS_TRANS_P:ANY", "BUS_TRAN_INVAL:ANY"},
        {"BUS_TRAN_ANY:ANY", "BUS_TRANS_IO:ANY", "BUS_TRAN_MEM:ANY", "BUS_TRAN_DEF:ANY"},
        /* "Is it always 45 = 46 + 29?" Here it is: a line is allocated for a load or for a store. */
        {"DCU_LINES_IN", "DCU_M_LINES_IN", "L2_LD"},
    };
    static const char *const within[][2] = {{"ITLB_MISS", "IFU_IFETCH_MISS"},
                                            {"DCU_M_LINES_IN", "DCU_LINES_IN"},
                                            {"L2_DBUS_BUSY_RD", "L2_DBUS_BUSY"},
                                            {"L2_M_LINES_INM", "L2_LINES_IN"},
                                            {"L2_M_LINES_OUTM", "L2_LINES_OUT"},
                                            {"BUS_TRAN_PWR", "BUS_TRANS_P"},
                                            {"IFU_IFETCH_MISS", "IFU_IFETCH"},
                                            {"DCU_LINES_IN", "DATA_MEM_REFS"},
                                            {"BUS_TRAN_IFETCH", "L2_IFETCH"},
                                            {"L2_IFETCH", "IFU_IFETCH_MISS"},
                                            {"L2_IFETCH", "L2_RQSTS"},
                                            {"L2_LD", "L2_RQSTS"},
                                            {"L2_ST", "L2_RQSTS"},
                                            {"BUS_TRAN_BRD", "BUS_TRAN_BURST"},
                                            {"BUS_TRAN_RFO", "BUS_TRAN_BURST"},
                                            {"BUS_TRANS_WB", "BUS_TRAN_BURST"},
                                            {"BUS_TRAN_IFETCH", "BUS_TRAN_BURST"}};
    for (unsigned run = 0; run < 9; run++) {
        struct sim *s = machine(&cpus[run % N_CPUS]);
        stream(s, 20000, 0x9e3779b97f4a7c15 + run);
        tell(s);
        for (const char *level = "kub"; *level; level++) { /* the same qualifier on all terms */
            for (size_t r = 0; r < sizeof equal / sizeof *equal; r++) {
                uint64_t right = 0;
                for (unsigned k = 1; k < 6 && equal[r][k]; k++) {
                    assert_true(value(equal[r][k], *level) > 0);
                    right += value(equal[r][k], *level);
                }
                if (value(equal[r][0], *level) != right)
                    fail_msg("run %u, %c: %s is %llu, its parts are %llu", run, *level, equal[r][0],
                             (unsigned long long)value(equal[r][0], *level), (unsigned long long)right);
            }
            for (size_t r = 0; r < sizeof within / sizeof *within; r++) {
                const uint64_t left = value(within[r][0], *level), right = value(within[r][1], *level);
                if (left == 0 || left > right)
                    fail_msg("run %u, %c: %s is %llu, %s %llu", run, *level, within[r][0],
                             (unsigned long long)left, within[r][1], (unsigned long long)right);
            }
        }
        sim_free(s);
    }
}

/* Every event on every counter that can count it, at every qualification, against the oracle, which knows
 * nothing of the programming; and for MESI events each combination of the mask. */
TEST(test_counters_and_oracle)
{
    enum { N = 3000 };
    static const uint32_t levels[] = {USR, OS, USR | OS};
    for (size_t c = 0; c < N_CPUS; c++) {
        char whole[sizeof line];
        struct sim *s = machine(&cpus[c]);
        stream(s, N, 42);
        tell(s);
        memcpy(whole, line, sizeof whole);
        sim_free(s);
        unsigned compared = 0, moved = 0;
        for (unsigned e = 0; e < P6_EVENTS; e++)
            for (unsigned n = 0; n < 2; n++) {
                const struct sim_event *ev = &p6_events[e];
                const unsigned l = (e + n) % 3;
                if (!ev->terms[0] || ev->models & SIM_SEVERAL || (ev->models && !(ev->models >> c & 1)))
                    continue;
                s = sim_new(cpus[c].model, NULL, NULL);
                assert_int_equal(sim_wrmsr(s, SEL0, (n == 0 ? ev->code | levels[l] : 0) | EN), 1);
                assert_int_equal(sim_wrmsr(s, SEL1, n == 1 ? ev->code | levels[l] : 0), 1);
                stream(s, N, 42);
                uint64_t v, want, other;
                assert_int_equal(sim_rdmsr(s, CTR0 + n, &v), 1);
                assert_int_equal(sim_rdmsr(s, CTR0 + !n, &other), 1);
                memcpy(line, whole, sizeof whole);
                want = value(ev->name, "ukb"[l]);
                if (ev->counters && !(ev->counters >> n & 1)) want = 0;
                if (v != want)
                    fail_msg("%s %s on counter %u: %llu, oracle %llu", cpus[c].model, ev->name, n,
                             (unsigned long long)v, (unsigned long long)want);
                assert_int_equal(other, 0);
                compared++;
                moved += v != 0;
                sim_free(s);
            }
        if (compared < 120 || moved < compared / 2) fail_msg("%u compared, %u moved", compared, moved);
    }
}

TEST(test_mesi_masks)
{
    static const char *const names[] = {"L2_IFETCH", "L2_LD", "L2_ST", "L2_RQSTS"};
    static const uint32_t events[] = {0x28, 0x29, 0x2a, 0x2e};
    for (unsigned e = 0; e < 4; e++)
        for (uint32_t mask = 0; mask < 16; mask++) {
            struct sim *s = machine(&cpus[1]);
            uint64_t v, want = 0;
            assert_int_equal(sim_wrmsr(s, SEL0, events[e] | mask << 8 | USR | OS | EN), 1);
            stream(s, 1500, 7);
            assert_int_equal(sim_rdmsr(s, CTR0, &v), 1);
            tell(s);
            for (unsigned b = 0; b < 4; b++) {
                char name[32];
                snprintf(name, sizeof name, "%s:%c", names[e], "ISEM"[b]);
                if (mask >> b & 1) want += sum(name);
            }
            assert_int_equal(v, want);
            if (mask == 15) assert_int_equal(v, sum(names[e]));
            sim_free(s);
        }
}
