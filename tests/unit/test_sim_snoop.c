/* Several processors: which caches a line is in after what each of them did, by the oracle of each and by
 * what they count (docs/pmu-model.md, "Several processors"). */
#include "tests/unit/oracle_json.h"
#include "tests/unit/steps_drive.h"

#define ALL                                                                                               \
    "p5 p55c ppro p2 p3 willamette northwood prescott coreduo core2 sandybridge haswell skylake icelake " \
    "tigerlake k8 "                                                                                       \
    "fam10h bulldozer zen zen4"
#define P6       "ppro p2 p3"
#define NETBURST "willamette northwood prescott"
#define DUO      "coreduo core2"
#define AMD      "k8 fam10h bulldozer zen zen4"
#define MESI     "ppro p2 p3 " NETBURST " coreduo core2 sandybridge haswell skylake icelake tigerlake"

/* Steps are steps_drive.h's, of the first processor; a slash: the other one is next. cpu: whose event; "in",
 * "out" and "lost" are the oracle's lines. */
static const struct row {
    const char *models;
    unsigned cpu;
    const char *event, *steps;
    unsigned count;
} rows[] = {
    /* what was modified goes over, once: then both have it */
    {ALL, 1, "in", "ls/l", 1},
    {ALL, 0, "out", "ls/l", 1},
    {ALL, 1, "in", "ls/lll", 1},
    {ALL, 0, "in", "ls/l/ll", 0},
    {ALL, 0, "lost", "ls/lll", 0},
    /* what was not modified does not */
    {ALL, 1, "in", "l/l", 0},
    {ALL, 0, "out", "l/l", 0},
    {ALL, 0, "lost", "l/l", 0},
    /* a write takes the others' copies, whatever they were */
    {ALL, 0, "lost", "l/ls", 1},
    {ALL, 0, "lost", "l/lss", 1},
    {ALL, 0, "in", "l/lss/l", 1},
    {MESI " " AMD, 1, "in", "s/s", 1},
    {MESI " " AMD, 0, "in", "s/s/s", 1},
    {MESI " " AMD, 0, "lost", "s/s", 0},
    /* the ping-pong: each round two lines go over, and two copies are lost */
    {MESI " " AMD, 0, "in", "ls/l/s/ls/l/s/ls/l", 2},
    {MESI " " AMD, 1, "in", "ls/l/s/ls/l/s/ls/l", 3},
    {MESI " " AMD, 0, "lost", "ls/l/s/ls/l/s/ls/l", 2},
    {MESI " " AMD, 1, "lost", "ls/l/s/ls/l/s/ls/l", 2},
    /* ... of a Pentium, whose stores to a shared line go to memory: the other one has its line from there */
    {"p5 p55c", 0, "in", "ls/l/s/ls/l/s/ls/l", 0},
    {"p5 p55c", 0, "DATA_READ_MISS", "ls/l/s/ls/l/s/ls/l", 3},
    /* a locked instruction, code, PREFETCHW; across two lines */
    {MESI " " AMD, 1, "in", "s/k", 1},
    {MESI " " AMD, 0, "in", "s/k/l", 1},
    {"p5 p3 " DUO " skylake " AMD, 1, "in", "ls/c", 1},
    {"haswell skylake zen zen4", 1, "in", "s/w", 1},
    {AMD, 0, "in", "s/w/l", 1},
    {MESI " " AMD, 1, "in", "z/y", 2},
    {"ppro p3 " DUO " skylake " AMD, 0, "lost", "c/ls", 1},
    /* CLFLUSH and stores past the caches take the line from all, and to none */
    {NETBURST " " DUO " skylake " AMD, 0, "in", "ls/f/l", 0},
    {NETBURST " " DUO " skylake " AMD, 0, "out", "ls/f/l", 0},
    {"core2", 0, "L1D_REPL", "ls/f/l", 2},
    {"p3 " NETBURST " " DUO " skylake k8 zen4", 0, "in", "ls/t/l", 0},
    {"p3", 0, "DCU_LINES_IN", "ls/t/l", 2},
    /* not cached */
    {ALL, 1, "in", "s/,l", 0},
    /* replaced: a modified line that left goes to nobody */
    {DUO " " P6, 1, "in", "sE/l", 0},

    /* P6: HIT# for a copy that stays, HITM# for a modified line, neither for one that goes */
    {P6, 0, "BUS_HIT_DRV", "l/l", 1},
    {P6, 0, "BUS_HIT_DRV", "l/s", 0},
    {P6, 0, "BUS_HITM_DRV", "s/l", 1},
    {P6, 0, "BUS_HITM_DRV", "s/s", 1},
    {P6, 0, "BUS_HIT_DRV", "s/l", 0},
    {P6, 0, "BUS_HITM_DRV", "l/l", 0},
    {P6, 0, "BUS_HITM_DRV", "'s/'l", 1},
    {P6, 0, "DCU_M_LINES_OUT", "s/l", 1},
    {P6, 0, "BUS_DRDY_CLOCKS", "s/l", 4},
    {P6, 0, "BUS_TRANS_WB", "s/l", 0},
    {P6, 0, "L2_LINES_OUT", "l/s", 1},
    {P6, 0, "L2_M_LINES_OUTM", "s/s", 1},
    {P6, 0, "L2_LINES_OUT", "s/l", 0},
    {P6, 0, "BUS_TRAN_INVAL", "l/l/s", 1},
    {P6, 0, "BUS_TRAN_INVAL:ANY", "l/l/s", 1},
    {P6, 1, "BUS_TRAN_INVAL", "l/l/s", 0},
    {P6, 1, "BUS_TRAN_INVAL:ANY", "l/l/s", 1},
    {P6, 0, "BUS_TRAN_BRD:ANY", "l/l", 2},
    {P6, 0, "BUS_TRAN_BRD", "l/l", 1},
    {P6, 0, "L2_ST:S", "l/l/s", 1},
    {P6, 1, "DCU_LINES_IN", "l/l/s/l", 2},
    {P6, 1, "BUS_TRANS_IO:ANY", "i", 1},
    /* NetBurst: loads and stores that missed the L2, stores to a shared line */
    {NETBURST, 0, "BSQ_cache_reference:RD_2ndL_MISS", "s/l/l", 1},
    {NETBURST, 1, "BSQ_cache_reference:RD_2ndL_MISS", "s/l/s/l", 2},
    {NETBURST, 0, "BSQ_cache_reference:RD_2ndL_HITS", "s/l/s", 1},
    {NETBURST, 0, "BSQ_cache_reference:RD_2ndL_HITS", "s/l/ss", 1},
    {NETBURST, 1, "2ndL_cache_load_miss_retired", "l/l/s/l", 2},
    {NETBURST, 0, "1stL_cache_load_miss_retired", "l/s/l", 2},
    /* Core */
    {"core2", 0, "L1D_CACHE_LD:S_STATE", "s/l/ll", 2},
    {"core2", 0, "L1D_CACHE_ST:S_STATE", "s/l/ss", 1},
    {"core2", 0, "L1D_CACHE_ST:M_STATE", "s/l/ss", 1},
    {"core2", 0, "L1D_CACHE_LOCK:S_STATE", "s/l/k", 1},
    {DUO, 0, "BUS_TRANS_INVAL:SELF", "s/l/s", 1},
    {DUO, 0, "BUS_TRANS_INVAL:SELF", "s/l/k", 1},
    {DUO, 0, "L2_ST:S_STATE", "s/l/s", 1},
    {DUO, 0, "BUS_TRANS_RFO:SELF", "s/l/s", 1},
    {"core2", 0, "L1D_M_EVICT", "s/l", 1},
    {"skylake", 1, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM", "s/l", 1},
    {"skylake", 1, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM", "l/l", 0},
    {"skylake", 1, "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", "s/l", 0},
    {"skylake", 1, "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", "l/l", 1},
    {"skylake icelake tigerlake", 1, "MEM_LOAD_RETIRED:L3_MISS", "s/l", 1},
    {"haswell skylake", 1, "LLC_MISSES", "l/l/s/l", 2},
    /* AMD: modified and shared is owned; who owns it answers again */
    {AMD, 0, "out", "s/l", 1},
    {"zen zen4", 0, "REQUESTS_TO_L2_GROUP1:CHANGE_TO_X", "s/l/s", 1},
    {"zen zen4", 1, "REQUESTS_TO_L2_GROUP1:CHANGE_TO_X", "s/ls", 1},
    {"zen zen4", 0, "lost", "s/ls", 1},
    {"k8 fam10h", 0, "DATA_CACHE_LINES_EVICTED:OWNED", "s/l/e", 1},
    {"k8 fam10h", 1, "DATA_CACHE_LINES_EVICTED:SHARED", "s/le", 1},
    {"k8 fam10h", 0, "DATA_CACHE_REFILLS:L2_OWNED", "s/l/el", 1},
    {"k8 fam10h", 1, "DATA_CACHE_REFILLS:L2_SHARED", "s/lel", 1},
    {"k8 fam10h", 1, "in", "s/l/e/el", 1},
    {"k8 fam10h bulldozer", 0, "REQUESTS_TO_L2:SNOOP", "l/ll", 1},
    /* Pentium: a store to a shared line goes out, and makes it exclusive */
    {"p5 p55c", 0, "EXTERNAL_SNOOPS", "l/ll", 1},
    {"p5 p55c", 0, "EXTERNAL_DATA_CACHE_SNOOP_HITS", "l/l", 1},
    {"p5 p55c", 0, "EXTERNAL_DATA_CACHE_SNOOP_HITS", "x/l", 0},
    {"p5 p55c", 0, "DATA_CACHE_LINES_WRITTEN_BACK", "ls/l", 1},
    {"p5 p55c", 0, "WRITE_HIT_TO_M_OR_E_STATE_LINES", "l/l/ss", 1},
    {"p5 p55c", 0, "DATA_READ_MISS", "l/s/l", 2},
};

struct pair {
    struct sim *cpu[2];
    struct sim_bus *bus;
};

static struct pair two(const char *model)
{
    struct pair p = {.cpu = {machine(model), machine(model)}};
    p.bus = sim_bus_new(p.cpu, 2);
    assert_non_null(p.bus);
    for (unsigned k = 0; k < 2; k++) {
        sim_oracle_begin(p.cpu[k], "before");
        /* the line of the code, which both have */
        step(p.cpu[k], 'x', false, 0);
    }
    return p;
}

static void end(struct pair *p)
{
    sim_bus_free(p->bus);
    sim_free(p->cpu[0]);
    sim_free(p->cpu[1]);
}

static void run(const struct pair *p, const char *steps)
{
    unsigned now = 0;
    for (const char *c = steps; *c; c++) {
        if (*c == '/') {
            now ^= 1;
            continue;
        }
        const bool uncached = *c == ',';
        c += uncached;
        const bool user = *c == '\'';
        c += user;
        step(p->cpu[now], *c, uncached, user ? 3 : 0);
    }
}

static long value(const json_t *line, const char *event)
{
    const json_t *n = json_object_get(json_object_get(line, "lines"), event);
    if (n) return (long)json_integer_value(n);
    n = json_object_get(json_object_get(line, "events"), event);
    if (!n) return -1;
    return (long)(json_integer_value(json_object_get(n, "k")) + json_integer_value(json_object_get(n, "u")));
}

TEST(test_rows)
{
    unsigned wrong = 0;
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        char models[256], *rest = NULL;
        snprintf(models, sizeof models, "%s", r->models);
        for (char *m = strtok_r(models, " ", &rest); m; m = strtok_r(NULL, " ", &rest)) {
            struct pair p = two(m);
            for (unsigned k = 0; k < 2; k++) sim_oracle_begin(p.cpu[k], "steps");
            run(&p, r->steps);
            json_t *line = oracle_line(p.cpu[r->cpu]);
            const long got = value(line, r->event);
            if (got != (long)r->count) {
                print_error("%s: %s of cpu %u after \"%s\" is %ld, not %u\n", m, r->event, r->cpu, r->steps,
                            got, r->count);
                wrong++;
            }
            assert_int_equal(json_integer_value(json_object_get(line, "cpu")), r->cpu);
            json_decref(line);
            end(&p);
        }
    }
    assert_int_equal(wrong, 0);
}

/* Random steps: of a line that one has modified nobody else has a copy; what one wrote last the other one
 * gets before it reads; and both sides of a transfer count it. */
TEST(test_random)
{
    static const char letters[] = "lllssk";
    for (unsigned i = 0; sim_model_name(i); i++) {
        const char *model = sim_model_name(i);
        if (strncmp(model, "p5", 2) == 0) continue; /* not what its write-once does */
        struct pair p = two(model);
        uint32_t seed = 12345 + i;
        int writer = -1;
        for (unsigned n = 0; n < 4000; n++) {
            seed = seed * 1664525 + 1013904223;
            const unsigned who = seed >> 31;
            const char c = letters[(seed >> 16) % (sizeof letters - 1)];
            const struct sim_lines before = p.cpu[who]->lines;
            step(p.cpu[who], c, false, 0);
            const uint64_t came = p.cpu[who]->lines.in - before.in;
            const bool foreign = writer >= 0 && writer != (int)who;
            if (came != foreign)
                fail_msg("%s: step %u: %u lines came, not %d", model, n, (unsigned)came, foreign);
            writer = c != 'l' ? (int)who : foreign ? -1 : writer;
        }
        assert_int_equal(p.cpu[0]->lines.in, p.cpu[1]->lines.out);
        assert_int_equal(p.cpu[1]->lines.in, p.cpu[0]->lines.out);
        assert_true(p.cpu[0]->lines.in > 100 && p.cpu[1]->lines.in > 100);
        end(&p);
    }
}

/* A third one: a write takes the line from both others, only one of them had it modified. */
TEST(test_three)
{
    struct sim *cpu[] = {machine("p3"), machine("p3"), machine("p3")};
    struct sim_bus *bus = sim_bus_new(cpu, 3);
    assert_non_null(bus);
    for (unsigned k = 0; k < 3; k++) sim_oracle_begin(cpu[k], "all");
    step(cpu[0], 's', false, 0);
    step(cpu[1], 'l', false, 0);
    step(cpu[2], 's', false, 0);
    assert_int_equal(cpu[0]->lines.out, 1);
    assert_int_equal(cpu[0]->lines.lost, 1);
    assert_int_equal(cpu[1]->lines.lost, 1);
    assert_int_equal(cpu[1]->lines.in, 1);
    assert_int_equal(cpu[2]->lines.in, 0);
    step(cpu[1], 'l', false, 0);
    assert_int_equal(cpu[1]->lines.in, 2);
    assert_int_equal(cpu[2]->lines.out, 1);
    sim_bus_free(bus);
    for (unsigned k = 0; k < 3; k++) sim_free(cpu[k]);
}

/* Facts are wanted of all as soon as one counts; a counter of another's requests moves without an
 * instruction, and may ask for its interrupt. */
TEST(test_activity)
{
    struct pair p = {.cpu = {machine("p3"), machine("p3")}};
    p.bus = sim_bus_new(p.cpu, 2);
    assert_false(sim_wants_facts(p.cpu[0]));
    wr(p.cpu[1], 0x186, 0x53007b); /* BUS_HITM_DRV with an interrupt */
    wr(p.cpu[1], 0xc1, 0xffffffff);
    assert_true(sim_wants_facts(p.cpu[0]) && sim_wants_facts(p.cpu[1]));
    step(p.cpu[1], 's', false, 0);
    assert_int_equal(seen.pmi, 0);
    step(p.cpu[0], 'l', false, 0);
    assert_int_equal(seen.pmi, 1);
    assert_int_equal(rd(p.cpu[1], 0xc1), 0);
    end(&p);
}

/* Alone, the events about others are unmodelled, and the line is as it ever was. */
TEST(test_alone)
{
    static const struct {
        const char *model, *event;
        uint32_t msr;
        uint64_t select;
    } programmed[] = {{"p3", "BUS_HITM_DRV", 0x186, 0x43007b}, {"p5", "EXTERNAL_SNOOPS", 0x11, 0x00c7}};
    for (unsigned k = 0; k < 2; k++) {
        const char *name = NULL;
        struct sim *s = machine(programmed[k].model);
        wr(s, programmed[k].msr, programmed[k].select);
        assert_int_equal(sim_unmodelled(s, &name, 1), 1);
        assert_string_equal(name, programmed[k].event);
        sim_oracle_begin(s, "alone");
        json_t *line = oracle_line(s);
        assert_null(json_object_get(line, "lines"));
        assert_null(json_object_get(line, "cpu"));
        assert_int_equal(value(line, programmed[k].event), -1);
        json_decref(line);
        sim_free(s);
        struct pair p = {.cpu = {machine(programmed[k].model), machine(programmed[k].model)}};
        p.bus = sim_bus_new(p.cpu, 2);
        wr(p.cpu[0], programmed[k].msr, programmed[k].select);
        assert_int_equal(sim_unmodelled(p.cpu[0], &name, 1), 0);
        end(&p);
    }
}

TEST(test_members)
{
    struct sim *cpu[SIM_PROCESSORS + 1];
    for (unsigned k = 0; k <= SIM_PROCESSORS; k++) cpu[k] = machine(k < 2 ? "core2" : "skylake");
    assert_null(sim_bus_new(cpu, 0));
    assert_null(sim_bus_new(cpu + 1, 2));                  /* not of one model */
    assert_null(sim_bus_new(cpu + 2, SIM_PROCESSORS + 1)); /* too many: not looked at */
    struct sim_bus *bus = sim_bus_new(cpu, 2);
    assert_non_null(bus);
    assert_null(sim_bus_new(cpu, 2)); /* on a bus already */
    sim_bus_free(bus);
    bus = sim_bus_new(cpu + 1, 1);
    assert_non_null(bus);
    sim_bus_free(bus);
    sim_bus_free(NULL);
    for (unsigned k = 0; k <= SIM_PROCESSORS; k++) sim_free(cpu[k]);
}
