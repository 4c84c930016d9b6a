/* The transfers of control with each entry of an oracle's trace (sim/oracle_branches.c). */
#include "tests/unit/lbr_drive.h"
#include <jansson.h>

static json_t *line;

static void keep(void *ctx, const char *text)
{
    json_error_t e;
    (void)ctx;
    line = json_loads(text, 0, &e);
    assert_non_null(line);
}

static const json_t *branches(unsigned entry)
{
    const json_t *at = json_object_get(json_object_get(line, "trace"), "at");
    return json_object_get(json_array_get(at, entry), "branches");
}

static void is(const json_t *list, unsigned k, const char *from, const char *to, const char *kind,
               unsigned cpl, unsigned clocks)
{
    const char *f, *t, *what;
    int level, n;
    assert_int_equal(json_unpack(json_array_get(list, k), "{s:s,s:s,s:s,s:i,s:i}", "from", &f, "to", &t,
                                 "kind", &what, "cpl", &level, "clocks", &n),
                     0);
    assert_string_equal(f, from);
    assert_string_equal(t, to);
    assert_string_equal(what, kind);
    assert_int_equal(level, cpl);
    assert_int_equal(n, clocks);
}

static struct sim *given(const char *model, const char *spec)
{
    struct sim *s = machine(model);
    retire(s, 9, 0, 0);
    jump(s, 0); /* before the bracket: not known */
    sim_oracle_begin(s, "x");
    assert_true(sim_oracle_trace(s, spec));
    return s;
}

static void end(struct sim *s)
{
    sim_oracle_end(s, keep, NULL, NULL);
    sim_free(s);
}

/* What there is of a kind, whatever the stack records: it is off, and a Pentium III has none. */
TEST(test_kinds)
{
    static const char *const models[] = {"skylake", "p3"};
    static const char *const events[] = {"BR_INST_RETIRED:ALL_BRANCHES,branches=20",
                                         "BR_INST_RETIRED,branches=20"};
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = given(models[m], events[m]);
        go(s, 0x100, 0x200, JCC, 3, 3);
        go(s, 0x200, 0, NO_JCC, 3, 3);
        go(s, 0x202, 0x300, CALL, 3, 3);
        go(s, 0x300, 0x400, IND_CALL, 3, 3);
        go(s, 0x400, 0x302, RET, 3, 3);
        go(s, 0x302, 0x500, IND_JMP, 3, 3);
        retire(s, 4, 0, 3);
        go(s, 0x500, 0x600, JMP, 3, 3);
        go(s, 0x600, 0xffffffff81000000, FAR | OP_CALL, 3, 0);
        deliver(s, 0xffffffff81000010, 0xffffffff82000000, 0x40, false, 0);
        go(s, 0xffffffff82000000, 0x602, IRET, 0, 3);
        deliver(s, 0x604, 0xffffffff83000000, 14, true, 3);
        deliver(s, 0xffffffff83000000, 0xffffffff84000000, 1, true, 0);
        sim_ticks(s, 50, true, 0);
        go(s, 0xffffffff84000000, 0x606, IRET, 0, 3);
        end(s);
        const json_t *all = branches(9);
        assert_int_equal(json_array_size(all), 12);
        is(all, 0, "ffffffff84000000", "606", "far", 3, 1);
        is(all, 1, "ffffffff83000000", "ffffffff84000000", "debug", 0, 0);
        is(all, 2, "604", "ffffffff83000000", "exception", 0, 0);
        is(all, 3, "ffffffff82000000", "602", "far", 3, 1);
        is(all, 4, "ffffffff81000010", "ffffffff82000000", "interrupt", 0, 0);
        is(all, 5, "600", "ffffffff81000000", "far", 0, 1);
        is(all, 6, "500", "600", "jmp", 3, 5);
        is(all, 7, "302", "500", "ind_jmp", 3, 1);
        is(all, 8, "400", "302", "ret", 3, 1);
        is(all, 9, "300", "400", "ind_call", 3, 1);
        is(all, 10, "202", "300", "call", 3, 2);
        is(all, 11, "100", "200", "jcc", 3, 1);
        assert_int_equal(json_array_size(branches(0)), 1); /* the entry's own */
        assert_int_equal(json_array_size(branches(1)), 1); /* not taken */
        json_decref(line);
    }
}

TEST(test_most)
{
    struct sim *s = given("haswell", "BR_INST_RETIRED:NEAR_TAKEN,branches=64,every=100");
    for (unsigned n = 0; n < 201; n++) jump(s, n);
    end(s);
    assert_int_equal(json_array_size(branches(1)), 64);
    is(branches(1), 0, "1640", "8640", "jmp", 0, 1);
    is(branches(1), 63, "1250", "8250", "jmp", 0, 1);
    is(branches(2), 0, "1c80", "8c80", "jmp", 0, 1);
    json_decref(line);
}

TEST(test_wrong)
{
    static const char *const specs[] = {"BR_INST_RETIRED:NEAR_TAKEN,branches=65",
                                        "BR_INST_RETIRED:NEAR_TAKEN,branches=0",
                                        "BR_INST_RETIRED:NEAR_TAKEN,branches"};
    for (unsigned k = 0; k < 3; k++) {
        struct sim *s = machine("haswell");
        sim_oracle_begin(s, "x");
        assert_false(sim_oracle_trace(s, specs[k]));
        sim_free(s);
    }
    struct sim *s = given("haswell", "BR_INST_RETIRED:NEAR_TAKEN");
    jump(s, 1);
    end(s);
    assert_null(branches(0));
    json_decref(line);
}
