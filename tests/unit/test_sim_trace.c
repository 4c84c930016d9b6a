/* The oracle's trace: occurrences of one event in their order (sim/oracle_trace.c). */
#include "sim/sim.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <string.h>

static json_t *line;

static void keep(void *ctx, const char *text)
{
    (void)ctx;
    json_error_t e;
    line = json_loads(text, 0, &e);
    assert_non_null(line);
}

static const json_t *entry(unsigned k)
{
    return json_array_get(json_object_get(json_object_get(line, "trace"), "at"), k);
}
static json_int_t of(const json_t *e, const char *key) { return json_integer_value(json_object_get(e, key)); }
static json_int_t in_trace(const char *key) { return of(json_object_get(line, "trace"), key); }
static const char *hex(const json_t *e, const char *key)
{
    return json_string_value(json_object_get(e, key));
}

static void after(void *ctx, struct sim_registers *r)
{
    (void)ctx;
    for (unsigned k = 0; k < 16; k++) r->reg[k] = 0xfedcba9876543210 + k;
    r->flags = 0x246;
}

static struct sim *given(const char *model, const char *spec)
{
    static const struct sim_host host = {.registers = after};
    struct sim *s = sim_new(model, NULL, &host);
    assert_non_null(s);
    sim_oracle_begin(s, "x");
    assert_true(sim_oracle_trace(s, spec));
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    return s;
}

static void end(struct sim *s)
{
    sim_oracle_end(s, keep, NULL, NULL);
    sim_free(s);
}

static void done(void)
{
    json_decref(line);
    line = NULL;
}

/* Loads at CPL 3 from 1000h on, 3 bytes each; every third is at CPL 0; then a jump. */
static void run(struct sim *s, unsigned n)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 3};
    i.access[0] = (struct sim_access){.lin = 0x5000, .phys = 0x5000, .bytes = 4, .kind = SIM_READ};
    for (unsigned k = 0; k < n; k++, i.lin += 3) {
        i.n_access = k % 2 == 0;
        i.cpl = k % 3 ? 3 : 0;
        sim_instruction(s, &i);
    }
    i.op = OP_BRANCH | OP_TAKEN;
    i.target = 0x7000;
    i.cpl = 3;
    i.n_access = 1;
    sim_instruction(s, &i);
}

TEST(test_entries)
{
    struct sim *s = given("p3", "DATA_MEM_REFS");
    run(s, 12);
    end(s);
    assert_string_equal(json_string_value(json_object_get(json_object_get(line, "trace"), "event")),
                        "DATA_MEM_REFS");
    assert_int_equal(in_trace("n"), 7);
    assert_int_equal(in_trace("kept"), 7);
    assert_string_equal(hex(entry(0), "ip"), "1000");
    assert_string_equal(hex(entry(0), "next"), "1003");
    assert_int_equal(of(entry(0), "cpl"), 0);
    assert_string_equal(hex(entry(1), "ip"), "1006");
    assert_int_equal(of(entry(1), "n"), 1);
    assert_int_equal(of(entry(1), "cpl"), 3);
    assert_null(json_object_get(entry(1), "times"));
    assert_null(json_object_get(entry(1), "regs"));
    assert_string_equal(hex(entry(6), "ip"), "1024");
    assert_string_equal(hex(entry(6), "next"), "7000");
    assert_true(json_is_true(json_object_get(entry(6), "taken")));
    assert_null(json_object_get(entry(5), "taken"));
    assert_null(entry(7));
    done();
}

TEST(test_levels)
{
    static const struct {
        const char *spec;
        unsigned n;
    } rows[] = {{"DATA_MEM_REFS,user", 5}, {"DATA_MEM_REFS,kernel", 2}, {"DATA_MEM_REFS,kernel,user", 7}};
    for (unsigned k = 0; k < 3; k++) {
        struct sim *s = given("p3", rows[k].spec);
        run(s, 12);
        end(s);
        assert_int_equal(in_trace("n"), rows[k].n);
        for (unsigned e = 0; e < rows[k].n; e++) assert_int_equal(of(entry(e), "n"), e);
        done();
    }
}

TEST(test_every_and_limit)
{
    struct sim *s = given("p3", "INST_RETIRED,every=5,limit=3");
    run(s, 30);
    end(s);
    assert_int_equal(in_trace("n"), 31);
    assert_int_equal(in_trace("kept"), 3);
    for (unsigned k = 0; k < 3; k++) assert_int_equal(of(entry(k), "n"), 5 * k);
    assert_string_equal(hex(entry(2), "ip"), "101e");
    done();
}

/* Several in one instruction are one entry; every= finds the one among them. */
TEST(test_times)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 3, .n_access = 3};
    for (unsigned k = 0; k < 3; k++)
        i.access[k] = (struct sim_access){.lin = 0x5000, .phys = 0x5000, .bytes = 4, .kind = SIM_READ};
    struct sim *s = given("p3", "DATA_MEM_REFS,every=7");
    for (unsigned k = 0; k < 5; k++) sim_instruction(s, &i);
    end(s);
    /* 0 to 2, 3 to 5, 6 to 8, 9 to 11, 12 to 14: those with 0, 7, 14 */
    assert_int_equal(in_trace("n"), 15);
    assert_int_equal(in_trace("kept"), 3);
    assert_int_equal(of(entry(0), "times"), 3);
    assert_int_equal(of(entry(1), "n"), 6);
    assert_int_equal(of(entry(2), "n"), 12);
    done();
}

TEST(test_registers)
{
    struct sim *s = given("p3", "INST_RETIRED,regs");
    run(s, 0);
    end(s);
    const json_t *regs = json_object_get(entry(0), "regs");
    assert_int_equal(json_array_size(regs), 16);
    assert_string_equal(json_string_value(json_array_get(regs, 0)), "fedcba9876543210");
    assert_string_equal(json_string_value(json_array_get(regs, 15)), "fedcba987654321f");
    assert_string_equal(hex(entry(0), "flags"), "246");
    done();
}

/* What the delivery of an interrupt accesses is no instruction's. */
TEST(test_delivery)
{
    struct sim *s = given("p3", "DATA_MEM_REFS");
    sim_stray_access(s, &(struct sim_access){.lin = 0x5000, .phys = 0x5000, .bytes = 4, .kind = SIM_WRITE},
                     3);
    end(s);
    assert_true(json_is_true(json_object_get(entry(0), "delivery")));
    assert_null(json_object_get(entry(0), "ip"));
    done();
}

/* The line of an outer bracket has no trace, nor has that of the next one. */
TEST(test_innermost)
{
    struct sim *s = sim_new("p3", NULL, NULL);
    sim_oracle_begin(s, "outer");
    sim_oracle_begin(s, "inner");
    assert_true(sim_oracle_trace(s, "INST_RETIRED"));
    assert_false(sim_oracle_trace(s, "INST_RETIRED")); /* one at a time */
    run(s, 2);
    sim_oracle_end(s, keep, NULL, NULL);
    assert_int_equal(in_trace("n"), 3);
    done();
    assert_int_not_equal(sim_batches(s), SIM_BATCH_NONE);
    sim_oracle_end(s, keep, NULL, NULL);
    assert_null(json_object_get(line, "trace"));
    done();
    assert_false(sim_oracle_trace(s, "INST_RETIRED")); /* no bracket */
    sim_free(s);
}

TEST(test_specs)
{
    static const char *const bad[] = {"",
                                      "NONSENSE",
                                      "BR_MISS_PRED_RETIRED",
                                      "INST_RETIRED,",
                                      "INST_RETIRED,users",
                                      "INST_RETIRED,every=0",
                                      "INST_RETIRED,every=",
                                      "INST_RETIRED,limit=x",
                                      "INST_RETIRED,limit=1000000000000000000",
                                      "INST_RETIRED,,user"};
    struct sim *s = sim_new("p3", NULL, NULL);
    sim_oracle_begin(s, "x");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_false(sim_oracle_trace(s, bad[k]));
    sim_oracle_end(s, keep, NULL, NULL);
    assert_null(json_object_get(line, "trace"));
    done();
    sim_free(s);
}
