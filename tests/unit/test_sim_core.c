/* The PMU model's core and oracle, through the P5: names, errata, when facts are wanted, what belongs to
 * whom. */
#include "sim/core.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define CESR  0x11
#define CTR0  0x12
#define CTR1  0x13
/* Instructions and data reads, at any CPL. */
#define INSNS 0xD6u
#define READS 0xC0u

static json_t *line;

static void keep(void *ctx, const char *text)
{
    json_error_t error;
    assert_ptr_equal(ctx, &line);
    assert_null(strchr(text, '\n'));
    line = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(line);
}

static void drop_line(void)
{
    json_decref(line);
    line = NULL;
}

static json_int_t event(const char *name, const char *level)
{
    json_t *e = json_object_get(json_object_get(line, "events"), name);
    assert_non_null(e);
    return json_integer_value(json_object_get(e, level));
}

static void end(struct sim *s, const char *histogram) { sim_oracle_end(s, keep, &line, histogram); }

static uint64_t read_msr(struct sim *s, uint32_t msr)
{
    uint64_t value;
    assert_int_equal(sim_rdmsr(s, msr, &value), 1);
    return value;
}

static void nop(struct sim *s, uint64_t lin, unsigned cpl)
{
    sim_instruction(s, &(struct sim_insn){.lin = lin, .phys = lin, .len = 1, .cpl = (uint8_t)cpl});
}

static const struct sim_access some_read = {.lin = 0x5000, .phys = 0x5000, .bytes = 4, .kind = SIM_READ};

TEST(test_names)
{
    unsigned n = 0;
    for (const char *name; (name = sim_model_name(n)) != NULL; n++) {
        struct sim *s = sim_new(name, NULL, NULL);
        assert_non_null(s);
        assert_string_equal(s->model->name, name);
        assert_false(sim_wants_facts(s));
        for (unsigned k = 0; k < n; k++) assert_string_not_equal(sim_model_name(k), name);
        /* which of its family it is, is its bit */
        unsigned m = 0;
        while (strcmp(sim_family_model(s->family->name, m), name) != 0) m++;
        assert_int_equal(s->model_bit, 1u << m);
        sim_free(s);
    }
    assert_true(n >= 20);
    assert_null(sim_model_name(n));
    assert_null(sim_family_model("p4", 0));
    assert_null(sim_new("p4", NULL, NULL));
    assert_null(sim_new("", NULL, NULL));
    assert_null(sim_new("p5x", NULL, NULL));
    sim_free(NULL);
}

TEST(test_errata)
{
    static const struct {
        const char *list;
        bool good;
        uint32_t bits;
    } cases[] = {
        {NULL, true, 0},
        {"", true, 0},
        {"misaligned-misses", true, 1},
        {"misaligned-fst,misaligned-misses", true, 3},
        {"misaligned-misses,misaligned-misses", true, 1},
        {"misaligned", false, 0},
        {"misaligned-misses,", false, 0},
        {",misaligned-misses", false, 0},
        {"misaligned-misses,nonsense", false, 0},
        {"misaligned-missesx", false, 0},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sim *s = sim_new("p5", cases[k].list, NULL);
        assert_int_equal(s != NULL, cases[k].good);
        if (s) assert_int_equal(s->errata, cases[k].bits);
        sim_free(s);
    }
}

/* The list that an error shows: all of it is taken, and what has none says so. */
TEST(test_errata_listed)
{
    assert_string_equal(sim_erratum_name("p5", 0), "misaligned-misses");
    assert_string_equal(sim_erratum_name("p55c", 1), "misaligned-fst");
    assert_string_equal(sim_erratum_name("p5", 2), "io-reads");
    assert_null(sim_erratum_name("p5", 3));
    assert_null(sim_erratum_name("skylake", 0));
    assert_null(sim_erratum_name("p4", 0));
    unsigned all = 0;
    for (const char *name; (name = sim_erratum_name("northwood", all)); all++) {
        struct sim *s = sim_new("northwood", name, NULL);
        assert_non_null(s);
        assert_int_equal(s->errata, 1 << all);
        sim_free(s);
    }
    assert_int_equal(all, 6);
}

/* Asked of a model that tallies nothing, too. */
TEST(test_unmodelled)
{
    struct sim *s = sim_new("skylake", NULL, NULL);
    const char *names[4] = {NULL};
    assert_int_equal(sim_unmodelled(s, names, 4), 0);
    assert_int_equal(sim_wrmsr(s, 0x186, 0x4300c0), 1); /* instructions */
    assert_int_equal(sim_unmodelled(s, names, 4), 0);
    assert_int_equal(sim_wrmsr(s, 0x187, 0x43010e), 1); /* uops_issued:any */
    assert_int_equal(sim_wrmsr(s, 0x38f, 3), 1);
    assert_int_equal(sim_unmodelled(s, names, 4), 1);
    assert_string_equal(names[0], "r010e");
    assert_int_equal(sim_unmodelled(s, names, 0), 0);
    assert_int_equal(sim_wrmsr(s, 0x187, 0), 1);
    assert_int_equal(sim_unmodelled(s, names, 4), 0);
    sim_free(s);
}

TEST(test_wanted)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    nop(s, 0x1000, 0);
    assert_int_equal(s->retired, 0);
    sim_wrmsr(s, CESR, 0x16); /* an event, but disabled */
    assert_false(sim_wants_facts(s));
    sim_wrmsr(s, CESR, INSNS);
    assert_true(sim_wants_facts(s));
    sim_wrmsr(s, CESR, 0);
    assert_true(sim_wants_facts(s)); /* the caches go on being fed */
    nop(s, 0x1000, 0);
    assert_int_equal(s->retired, 1);
    assert_int_equal(read_msr(s, CTR0), 0);
    sim_reset(s);
    assert_false(sim_wants_facts(s));
    sim_oracle_begin(s, "x");
    assert_true(sim_wants_facts(s));
    sim_reset(s);
    assert_true(sim_wants_facts(s)); /* the oracle is not the machine's */
    sim_free(s);
}

/* Facts before a retirement belong to that instruction; a change of level or a look at a counter settles
 * them. */
TEST(test_belonging)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    sim_wrmsr(s, CESR, READS | INSNS << 16);
    sim_oracle_begin_histogram(s, "x", "DATA_READ,CLOCKS");
    nop(s, 0x1000, 0);
    sim_more_accesses(s, &some_read, 1, 0);
    sim_more_accesses(s, &some_read, 1, 0);
    sim_ticks(s, 7, false, 0);
    nop(s, 0x1001, 0);
    assert_int_equal(read_msr(s, CTR0), 2);
    assert_int_equal(read_msr(s, CTR1), 2);
    sim_more_accesses(s, &some_read, 1, 0);
    assert_int_equal(read_msr(s, CTR0), 3); /* not late */
    sim_ticks(s, 5, false, 0);
    nop(s, 0x1002, 3); /* the ticks stay the kernel's */
    sim_ticks(s, 3, false, 3);
    nop(s, 0x1003, 1); /* all that is not CPL 0 is u */
    end(s, "*");
    assert_int_equal(event("CLOCKS", "k"), 12);
    assert_int_equal(event("CLOCKS", "u"), 3);
    assert_int_equal(event("DATA_READ", "k"), 3);
    assert_int_equal(event("INSTRUCTIONS_EXECUTED", "u"), 2);
    json_t *h = json_object_get(line, "histogram");
    json_t *reads = json_object_get(h, "DATA_READ");
    assert_int_equal(json_object_size(reads), 1);
    assert_int_equal(json_integer_value(json_object_get(reads, "1001")), 3);
    json_t *clocks = json_object_get(h, "CLOCKS");
    assert_int_equal(json_integer_value(json_object_get(clocks, "1001")), 12);
    assert_int_equal(json_integer_value(json_object_get(clocks, "1002")), 3);
    drop_line();
    sim_free(s);
}

TEST(test_flush_level)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    struct sim_access a = some_read;
    a.kind = SIM_RMW;
    sim_oracle_begin(s, "x");
    sim_more_accesses(s, &a, 1, 3);
    sim_cache_flush(s, true);
    end(s, NULL);
    assert_int_equal(event("DATA_READ", "u"), 1);
    assert_int_equal(event("DATA_CACHE_LINES_WRITTEN_BACK", "k"), 1);
    assert_int_equal(event("DATA_CACHE_LINES_WRITTEN_BACK", "u"), 0);
    drop_line();
    sim_free(s);
}

static void pulse(void *ctx, unsigned pin, bool overflow)
{
    (void)pin;
    (void)overflow;
    ++*(unsigned *)ctx;
}

/* In HLT no instruction comes to settle anything: an overflow must not wait for one. */
TEST(test_halted)
{
    unsigned pulses = 0;
    struct sim *s = sim_new("p5", NULL, &(struct sim_host){.ctx = &pulses, .pin = pulse});
    sim_wrmsr(s, CTR0, (UINT64_C(1) << 40) - 5);
    sim_wrmsr(s, CESR, 0x3C0); /* clocks, pin on overflow */
    sim_ticks(s, 4, true, 0);
    assert_int_equal(pulses, 0);
    sim_ticks(s, 1, true, 0);
    assert_int_equal(pulses, 1);
    sim_free(s);
}

/* WRMSR takes effect before its own retirement: the one that enables counts itself, the one that disables
 * does not. */
TEST(test_boundary)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    sim_oracle_begin(s, "facts are wanted");
    sim_more_accesses(s, &some_read, 1, 0);
    sim_ticks(s, 100, false, 0);
    sim_wrmsr(s, CESR, INSNS | 0x1C0u << 16);
    assert_int_equal(read_msr(s, CTR1), 0);
    nop(s, 0x1000, 0); /* WRMSR itself */
    nop(s, 0x1002, 0);
    sim_ticks(s, 3, false, 0);
    sim_wrmsr(s, CESR, 0);
    nop(s, 0x1003, 0);
    sim_ticks(s, 3, false, 0);
    assert_int_equal(read_msr(s, CTR0), 2);
    assert_int_equal(read_msr(s, CTR1), 3);
    sim_free(s);
}

TEST(test_oracle)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    sim_oracle_end(s, keep, &line, NULL); /* none has begun: no line */
    assert_null(line);
    sim_wrmsr(s, CESR, 0xD7u | 0xDFu << 16); /* V pipe and AGI: not modelled, programmed before */
    nop(s, 0x1000, 0);
    sim_more_accesses(s, &some_read, 1, 0); /* before the bracket as well */
    sim_oracle_begin(s, "a \"label\"\\\x01");
    nop(s, 0x1000, 0);
    nop(s, 0x1001, 3);
    sim_wrmsr(s, CESR, 0xD6u | 0xD0u << 16);  /* 10h: reserved */
    sim_wrmsr(s, CESR, 0xD8u);                /* bus cycles, only for a moment */
    sim_wrmsr(s, CESR, 0x19u | 0x1D9u << 16); /* disabled, and clocks: ES does not matter */
    end(s, NULL);
    assert_string_equal(json_string_value(json_object_get(line, "label")), "a \"label\"\\\x01");
    assert_string_equal(json_string_value(json_object_get(line, "model")), "p5");
    assert_int_equal(json_integer_value(json_object_get(line, "insns")), 2);
    assert_int_equal(event("INSTRUCTIONS_EXECUTED", "k"), 1);
    assert_int_equal(event("INSTRUCTIONS_EXECUTED", "u"), 1);
    assert_int_equal(event("DATA_READ", "k"), 0);
    assert_null(json_object_get(line, "histogram"));
    json_t *events = json_object_get(line, "events");
    assert_null(json_object_get(events, "INSTRUCTIONS_EXECUTED_V_PIPE")); /* absent, not 0 */
    assert_null(json_object_get(events, "EMMS_INSTRUCTIONS_EXECUTED"));   /* the P5 has none */
    static const char *const expected[] = {"INSTRUCTIONS_EXECUTED_V_PIPE", "PIPELINE_AGI_STALLS", "RESERVED",
                                           "BUS_CYCLE_DURATION"};
    json_t *list = json_object_get(line, "unmodelled");
    assert_int_equal(json_array_size(list), 4);
    for (unsigned k = 0; k < 4; k++) {
        assert_string_equal(json_string_value(json_array_get(list, k)), expected[k]);
    }
    drop_line();
    end(s, NULL); /* it is over */
    assert_null(line);

    /* A second one starts from nothing; one that is replaced is dropped. */
    sim_oracle_begin(s, "dropped");
    nop(s, 0x1000, 0);
    sim_oracle_begin(s, "kept");
    end(s, NULL);
    assert_int_equal(json_integer_value(json_object_get(line, "insns")), 0);
    assert_int_equal(json_array_size(json_object_get(line, "unmodelled")), 0);
    drop_line();
    sim_oracle_begin(s, "never ended");
    sim_free(s);
}

TEST(test_histogram)
{
    struct sim *s = sim_new("p5", NULL, NULL);
    assert_false(sim_oracle_begin_histogram(s, "x", "NONSENSE"));
    assert_false(sim_oracle_begin_histogram(s, "x", "DATA_READ,BANK_CONFLICTS")); /* not modelled */
    assert_false(sim_oracle_begin_histogram(s, "x", "EMMS_INSTRUCTIONS_EXECUTED"));
    assert_false(sim_wants_facts(s));
    assert_true(sim_oracle_begin_histogram(s, "x", "INSTRUCTIONS_EXECUTED,DATA_READ,BRANCHES"));
    /* More addresses than the first table holds, so that it has to grow. */
    enum { ADDRESSES = 3000 };
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 0; k < ADDRESSES; k++) {
            struct sim_insn i = {.lin = 0x10000 + 3 * k, .phys = 0x10000 + 3 * k, .len = 3};
            if (k % 3 == round) {
                i.access[0] = some_read;
                i.n_access = 1;
            }
            sim_instruction(s, &i);
        }
    }
    end(s, "DATA_READ,INSTRUCTIONS_EXECUTED");
    json_t *h = json_object_get(line, "histogram");
    assert_null(json_object_get(h, "BRANCHES")); /* kept, not asked for */
    assert_null(json_object_get(line, "histogram_lost"));
    static const struct {
        const char *name;
        json_int_t each;
    } kept[] = {{"INSTRUCTIONS_EXECUTED", 3}, {"DATA_READ", 1}};
    for (unsigned k = 0; k < 2; k++) {
        json_t *by_address = json_object_get(h, kept[k].name);
        assert_int_equal(json_object_size(by_address), ADDRESSES);
        for (unsigned a = 0; a < ADDRESSES; a++) {
            char at[16];
            snprintf(at, sizeof at, "%x", 0x10000 + 3 * a);
            assert_int_equal(json_integer_value(json_object_get(by_address, at)), kept[k].each);
        }
    }
    drop_line();
    sim_free(s);
}
