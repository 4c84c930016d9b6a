/* Intel's architectural events: those that CPUID says are there, and what words are as codes. */
#include "pmu/driver.h"
#include "tests/unit/arch_machines.h"

/* ---- CPUID ---- */

/* EBX: 1 = not there, as far as the vector goes. */
TEST(availability)
{
    struct cpu_id id = id_of(&skylake);
    struct pmu_code c;
    char near[64];
    id.fa.ebx = 1 << 6 | 1 << 2;
    machine(&skylake);
    probe(&id);
    code("llc_misses");
    assert_false(pmu_event_parse(&pmu, "branch_misses_retired", 21, &c, why, sizeof why, near, sizeof near));
    assert_non_null(strstr(why, "another model"));
    assert_false(pmu_event_parse(&pmu, "branch-misses", 13, &c, why, sizeof why, near, sizeof near));
    assert_non_null(strstr(why, "absent"));

    id.fa.ebx = 0;
    id.fa.eax = (id.fa.eax & 0xffffff) | 3 << 24; /* three events */
    probe(&id);
    code("unhalted_reference_cycles");
    assert_false(pmu_event_parse(&pmu, "llc_reference", 13, &c, why, sizeof why, near, sizeof near));
}

/* Table 18-1's order: each event goes with its bit of EBX, and with a vector that is too short for it. */
TEST(each_event)
{
    static const char *const name[] = {
        "unhalted_core_cycles", "instruction_retired",        "unhalted_reference_cycles", "llc_reference",
        "llc_misses",           "branch_instruction_retired", "branch_misses_retired"};
    machine(&skylake);
    for (unsigned fixed = 0; fixed < 2; fixed++)
        for (unsigned k = 0; k < 2 * N(name) + 2; k++) {
            const unsigned bit = k < N(name) ? k : 31, length = k < N(name) ? 32 : k - N(name);
            struct cpu_id id = id_of(&skylake);
            struct pmu found = {.ops = &pmu_arch_ops};
            id.fa.ebx = 1u << bit;
            id.fa.eax = (id.fa.eax & 0xffff00) | length << 24 | (fixed ? 4 : 1);
            assert_true(pmu_arch_ops.detect(&id, &found));
            for (unsigned i = 0; i < N(name); i++)
                if ((pmu_event_named(&found, name[i]) != NULL) != (i != bit && i < length))
                    fail_msg("%s: bit %u, %u events", name[i], bit, length);
        }
}

/* ---- words ---- */

TEST_WITH(events, on_skylake, NULL)
{
    static const struct {
        const char *word;
        uint64_t select;
        uint32_t counters; /* 4 general, 3 fixed */
    } want[] = {
        {"unhalted_core_cycles", 0x3003c, 0x2f},
        {"instruction_retired", 0x300c0, 0x1f},
        {"unhalted_reference_cycles", 0x3013c, 0x0f},
        {"llc_reference", 0x34f2e, 0x0f},
        {"llc_misses", 0x3412e, 0x0f},
        {"branch_instruction_retired", 0x300c4, 0x0f},
        {"branch_misses_retired", 0x300c5, 0x0f},
        {"cpu_clk_unhalted.ref_tsc", 0x30300, 0x40},
        {"cycles:u", 0x1003c, 0x2f},
        {"instructions:k", 0x200c0, 0x1f},
        {"branches", 0x300c4, 0x0f},
        {"cache-misses", 0x3412e, 0x0f},
        {"cache-references", 0x34f2e, 0x0f},
        {"branch-misses", 0x300c5, 0x0f},
        {"ref-cycles", 0x30300, 0x40},
        {"bus-cycles", 0x3013c, 0x0f},
        {"r01c2", 0x301c2, 0x0f},
        {"instruction_retired:cmask=1", 0x10300c0, 0x0f},
        {"instruction_retired:cmask=16:inv:k", 0x108200c0, 0x0f},
        {"unhalted_core_cycles:edge", 0x7003c, 0x0f},
        {"unhalted_core_cycles:any", 0x23003c, 0x2f},
        {"/event=0xc2,umask=1,cmask=2,inv,edge,any/u", 0x2a501c2, 0x0f},
        {"r2a401c2:u", 0x2a501c2, 0x0f}, /* the same in one number */
        {"arch::llc_misses", 0x3412e, 0x0f},
        {"/event=0xff,umask=0xff,cmask=0xff/", 0xff03ffff, 0x0f},
    };
    for (unsigned i = 0; i < N(want); i++) {
        struct pmu_code c;
        char near[64];
        assert_true(pmu_event_parse(&pmu, want[i].word, strlen(want[i].word), &c, why, sizeof why, near,
                                    sizeof near));
        if (c.select != want[i].select || c.counters != want[i].counters)
            fail_msg("%s: %llx on %x", want[i].word, (unsigned long long)c.select, c.counters);
    }
    assert_int_equal(pmu_event_counters(&pmu, pmu_event_next(&pmu, pmu_event_next(&pmu, NULL))), 0x1f);
}

TEST_WITH(refusals, on_skylake, NULL)
{
    static const struct {
        const char *word, *why;
    } want[] = {{"/event=0x1c0/", "0 to 0xff"},
                {"/event=0xc0,umask=0x100/", "0 to 0xff"},
                {"/event=0xc0,cmask=0x100/", "0 to 0xff"},
                {"/event=0x100,umask=0xff,cmask=0xff/", "0 to 0xff"},
                {"r1000000c0", "0 to 0xff"},
                {"instructions:any", "only u, k"},
                {"topdown.slots", "another model"},
                {"cpu_clk_unhalted.ref_tsc:cmask=1", "fixed counter"},
                {"r0400", "fixed counter"},
                {"r0200", "fixed counter"}, /* event 0 is none */
                {"/clocks/", "only a Pentium has clocks"},
                {"llc_misses:inv", "inv inverts"}};
    char near[64];
    struct pmu_code c;
    for (unsigned i = 0; i < N(want); i++) {
        assert_false(pmu_event_parse(&pmu, want[i].word, strlen(want[i].word), &c, why, sizeof why, near,
                                     sizeof near));
        if (!strstr(why, want[i].why)) fail_msg("%s: %s", want[i].word, why);
    }
    start_on(&penryn);
    assert_false(
        pmu_event_parse(&pmu, "llc_misses:any", 14, &c, why, sizeof why, near, sizeof near)); /* version 2 */
    assert_non_null(strstr(why, "cannot count both threads"));
}
