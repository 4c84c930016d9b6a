/* events= with presets and cascades. */
#include "pmu/netburst.h"
#include "tests/unit/options_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static const struct pmu p3 = {.ops = &pmu_p6_ops,
                              .model = "Pentium III",
                              .counters = 2,
                              .usable = 3,
                              .width = 40,
                              .preset_width = 32,
                              .models = 4},
                        willamette = {.ops = &pmu_netburst_ops,
                                      .model = "Pentium 4",
                                      .words = &pmu_netburst_words,
                                      .counters = 18,
                                      .usable = 0x3fffd,
                                      .width = 40,
                                      .preset_width = 40,
                                      .models = 1u << 1 | NB_BEFORE_F27};

static int unplug(void **state)
{
    (void)state;
    with.pmu = &no_pmu;
    return 0;
}

TEST_WITH(test_preset, NULL, unplug)
{
    with.pmu = &p3;
    assert_int_equal(parse("bench=beta events=inst_retired:u:init=-500,inst_retired:u,data_mem_refs:init=7"),
                     0);
    assert_int_equal(opt.n_events, 3);
    assert_true(opt.event[0].preset && opt.event[0].init == -500);
    assert_false(opt.event[1].preset);
    assert_true(opt.event[2].init == 7);
    expect_fault(
        "bench=beta events=inst_retired,inst_retired:init=-3000000000",
        "unknown event|inst_retired:init=-3000000000|2|events=list shows all, events=find:WORD+WORD finds "
        "some|init= takes a number from -2147483648 to 2147483647 here");
    expect_fault(
        "bench=beta events=inst_retired:init=-5+>data_mem_refs",
        "unknown event|inst_retired:init=-5+>data_mem_refs|2|events=list shows all, events=find:WORD+WORD "
        "finds some|in a cascade (A+>B) one counter starts another, which only NetBurst's can");
}

TEST_WITH(test_cascade, NULL, unplug)
{
    with.pmu = &willamette;
    assert_int_equal(parse("bench=beta events=instr_retired,memory_loads:init=-1000+>instr_retired:u,cycles"),
                     0);
    assert_int_equal(opt.n_events, 4);
    assert_int_equal(opt.n_event_words, 3);
    assert_string_equal(opt.event[1].name, "memory_loads:init=-1000");
    assert_string_equal(opt.event[2].name, "memory_loads:init=-1000+>instr_retired:u");
    assert_int_equal(opt.event[0].cascade, CASCADE_NONE);
    assert_int_equal(opt.event[1].cascade, CASCADE_STARTER);
    assert_int_equal(opt.event[2].cascade, CASCADE_TARGET);
    assert_int_equal(opt.event[3].cascade, CASCADE_NONE);
    /* another processor is asked for the same */
    static struct options other;
    options_elsewhere(&opt, &willamette, NULL, NULL, &other);
    assert_int_equal(other.n_events, 4);
    assert_int_equal(other.event[2].cascade, CASCADE_TARGET);

    /* a starter without a preset would never start anything */
    static const char *const without[] = {"memory_loads+>instr_retired", "memory_loads:init=0+>instr_retired",
                                          "memory_loads:init=5+>instr_retired"};
    for (unsigned i = 0; i < sizeof without / sizeof *without; i++) {
        char line[96];
        snprintf(line, sizeof line, "bench=beta events=%s", without[i]);
        assert_int_equal(parse(line), 1);
        assert_non_null(
            strstr(faults, "would not overflow in less than 2^39 events: give it a preset below 0"));
    }
    expect_fault("bench=beta events=memory_loads:init=-1+>instr_retired+>cycles", "unknown event|");
    assert_non_null(strstr(faults, "is two events, and here one is expected"));
    expect_fault("bench=beta events=nothing:init=-1+>instr_retired",
                 "unknown event|nothing:init=-1+>instr_retired|2|");

    /* two of 64: the last place is not enough */
    char line[EVENTS_MAX * 8 + 96] = "bench=beta events=cycles";
    for (unsigned i = 1; i < EVENTS_MAX - 2; i++) strcat(line, ",cycles");
    char *end = line + strlen(line);
    strcpy(end, ",memory_loads:init=-1+>instr_retired");
    assert_int_equal(parse(line), 0);
    assert_int_equal(opt.n_events, EVENTS_MAX);
    strcpy(end, ",cycles,memory_loads:init=-1+>instr_retired");
    assert_int_equal(parse(line), 1);
    assert_non_null(strstr(faults, "too many events"));
}

TEST_WITH(test_sampling, NULL, unplug)
{
    with.pmu = &willamette;
    assert_int_equal(parse("bench=beta sample=pmi events=instr_retired"), 0);
    expect_fault("bench=beta sample=pmi events=cycles,instr_retired:init=-5",
                 "sampling presets its counters itself|sample=pmi|2|events= without init= and cascades");
    expect_fault("bench=beta sample=pmi events=instr_retired:init=-5+>uops_retired",
                 "sampling presets its counters itself|");
}
