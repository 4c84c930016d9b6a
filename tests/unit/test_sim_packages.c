/* Two packages of two threads each: a line goes from the caches of one package to those of the other,
 * whichever of its threads asks, and is there for both (docs/pmu-model.md, "Several processors"). */
#include "tests/unit/oracle_json.h"
#include "tests/unit/steps_drive.h"

enum { CPUS = 4 };

static const char *const models[] = {"prescott", "sandybridge", "haswell", "skylake", "icelake", "tigerlake"};

/* Steps are steps_drive.h's; a digit in brackets: that processor's, of which 0 and 1 are one core, 2 and 3
 * the other. lines: what each processor's oracle then has, in:out:lost. */
static const struct row {
    const char *steps, *lines[CPUS];
} rows[] = {
    /* modified, read by the other package: once, however many of its threads read it */
    {"[0]s[2]l", {"0:1:0", "0:1:0", "1:0:0", "0:0:0"}},
    {"[1]s[2]l", {"0:1:0", "0:1:0", "1:0:0", "0:0:0"}},
    {"[1]s[3]l", {"0:1:0", "0:1:0", "0:0:0", "1:0:0"}},
    {"[1]s[3]l[2]ll[3]l", {"0:1:0", "0:1:0", "0:0:0", "1:0:0"}},
    {"[0]s[1]s[0]l", {"0:0:0", "0:0:0", "0:0:0", "0:0:0"}},
    /* a write takes the copy of the core, once */
    {"[0]l[1]l[2]ls", {"0:0:1", "0:0:1", "0:0:0", "0:0:0"}},
    {"[3]l[0]l[1]s", {"0:0:0", "0:0:0", "0:0:1", "0:0:1"}},
    {"[3]l[0]l[1]s[0]s", {"0:0:0", "0:0:0", "0:0:1", "0:0:1"}},
    /* a ping-pong in which both threads of each package take part */
    {"[0]ls[2]l[3]s[1]l[0]s[3]l[2]s[1]l", {"0:2:2", "2:2:2", "1:2:1", "1:2:1"}},
    /* what has been flushed comes from memory */
    {"[1]s[2]l[3]f[0]l", {"0:1:0", "0:1:0", "1:0:0", "0:0:0"}},
};

static void run(struct sim *const cpu[CPUS], const char *steps)
{
    struct sim *now = cpu[0];
    for (const char *c = steps; *c; c++) {
        if (*c == '[') {
            now = cpu[c[1] - '0'];
            c += 2;
            continue;
        }
        step(now, *c, false, 0);
    }
}

TEST(test_rows)
{
    unsigned wrong = 0;
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++)
        for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
            struct sim *cpu[CPUS];
            for (unsigned k = 0; k < CPUS; k++) {
                cpu[k] = k & 1 ? sim_thread(cpu[k - 1], NULL) : machine(models[m]);
                assert_non_null(cpu[k]);
            }
            struct sim_bus *bus = sim_bus_new(cpu, CPUS);
            assert_non_null(bus);
            for (unsigned k = 0; k < CPUS; k++) sim_oracle_begin(cpu[k], "before");
            for (unsigned k = 0; k < CPUS; k++) step(cpu[k], 'x', false, 0); /* the line of the code */
            for (unsigned k = 0; k < CPUS; k++) sim_oracle_begin(cpu[k], "steps");
            run(cpu, r->steps);
            for (unsigned k = 0; k < CPUS; k++) {
                char got[40];
                json_t *line = oracle_line(cpu[k]), *lines = json_object_get(line, "lines");
                snprintf(got, sizeof got, "%d:%d:%d", (int)json_integer_value(json_object_get(lines, "in")),
                         (int)json_integer_value(json_object_get(lines, "out")),
                         (int)json_integer_value(json_object_get(lines, "lost")));
                if (strcmp(got, r->lines[k]) != 0) {
                    print_error("%s: cpu %u after \"%s\" has %s, not %s\n", models[m], k, r->steps, got,
                                r->lines[k]);
                    wrong++;
                }
                assert_int_equal(json_integer_value(json_object_get(line, "cpu")), k);
                json_decref(line);
            }
            sim_bus_free(bus);
            for (unsigned k = CPUS; k--;) sim_free(cpu[k]);
        }
    assert_int_equal(wrong, 0);
}

/* Facts are wanted of all as soon as of one. */
TEST(test_active)
{
    struct sim *cpu[CPUS];
    for (unsigned k = 0; k < CPUS; k++) cpu[k] = k & 1 ? sim_thread(cpu[k - 1], NULL) : machine("haswell");
    struct sim_bus *bus = sim_bus_new(cpu, CPUS);
    for (unsigned k = 0; k < CPUS; k++) assert_false(sim_wants_facts(cpu[k]));
    assert_int_equal(sim_wrmsr(cpu[3], 0x38f, 1), 1);
    assert_int_equal(sim_wrmsr(cpu[3], 0x186, 0x4300c0), 1);
    for (unsigned k = 0; k < CPUS; k++) assert_true(sim_wants_facts(cpu[k]));
    sim_bus_free(bus);
    for (unsigned k = CPUS; k--;) sim_free(cpu[k]);
}
