/* Which events the PEBS of each of Intel's cores takes, and on which counters. Written down from the SDM's
 * tables (vol. 3B, order 325384-059), Linux' intel_*_pebs_event_constraints and Intel's lists of events
 * (github.com/intel/perfmon). */
#include "tests/unit/arch_pebs_plan.h"

/* counters: bit i is counter i as the driver numbers them, fixed ones behind the general ones. */
struct row {
    const char *word;
    uint32_t counters;
    bool precise;
};

static void check_rows(const struct part *p, const struct row *rows, unsigned n)
{
    on(p);
    for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < pmu.counters; c++) {
            const bool want_it = rows[i].counters >> c & 1;
            if (planned(rows[i].word, c) != want_it)
                fail_msg("%s: %s on %u: %s", p->name, rows[i].word, c, why);
            if (want_it && !(plan.valid & (SAMPLE_PRECISE | SAMPLE_NEXT)) == rows[i].precise)
                fail_msg("%s: %s: precise?", p->name, rows[i].word);
        }
}

TEST(rules_of_each)
{
    static const struct row of_core2[] = {{"r00c0", 1, true},  {"rfec1", 1, true},  {"r00c5", 1, true},
                                          {"r1fc7", 1, true},  {"r01cb", 1, true},  {"r10cb", 1, true},
                                          {"r00c4", 0, false}, {"r01c0", 0, false}, {"r003c", 0, false}};
    static const struct row of_bonnell[] = {
        {"r00c0", 1, true}, {"r00c5", 1, true}, {"r04cb", 1, true}, {"r00c4", 0, false}};
    static const struct row of_silvermont[] = {
        {"r00c0", 1, true}, {"r00c4", 1, true},  {"r7ec4", 1, true}, {"rf7c5", 1, true}, {"r0103", 1, true},
        {"r0803", 1, true}, {"r0403", 0, false}, {"r0204", 1, true}, {"r0404", 1, true}, {"r0804", 1, true},
        {"r2004", 1, true}, {"r1004", 0, false}, {"r003c", 0, false}};
    static const struct row of_nehalem[] = {{"r100b", 0xf, true}, {"r010b", 0xf, true}, {"r020b", 0xf, true},
                                            {"r080b", 0, false},  {"r01c0", 0xf, true}, {"r02c5", 0xf, true},
                                            {"r00c5", 0, false},  {"r01cb", 0xf, true}, {"r010c", 0xf, true},
                                            {"r020c", 0, false},  {"r020f", 0xf, true}, {"r01c2", 0xf, true},
                                            {"r02c4", 0xf, true}, {"r01c7", 0xf, true}, {"r20c8", 0xf, true},
                                            {"r10c8", 0, false},  {"r01f7", 0xf, true}, {"r003c", 0, false}};
    static const struct row of_westmere[] = {{"r100b", 0xf, true},
                                             {"r01c5", 0xf, true},
                                             {"r01cb", 0xf, true},
                                             {"r20c8", 0xf, true},
                                             {"r003c", 0, false}};
    static const struct row of_bridge[] = {{"r01c0", 2, true},   {"r00c0", 0, false},  {"r01cd", 8, true},
                                           {"r02cd", 8, true},   {"r01c2", 0xf, true}, {"r04c4", 0xf, true},
                                           {"r00c4", 0, false},  {"r00c5", 0, false},  {"r81d0", 0xf, true},
                                           {"r01d1", 0xf, true}, {"r08d2", 0xf, true}, {"r01d3", 0xf, true},
                                           {"r412e", 0, false}};
    static const struct row of_haswell[] = {{"r01c0", 2, true},   {"r01cd", 0xf, true}, {"r02cd", 0, false},
                                            {"r81d0", 0xf, true}, {"r82d0", 0xf, true}, {"r20d1", 0xf, true},
                                            {"r01d3", 0xf, true}, {"r04c8", 0xf, true}, {"r04c9", 0xf, true},
                                            {"r01c9", 0, false},  {"r01c2", 0xf, true}, {"r00c0", 0, false}};
    static const struct row of_skylake[] = {{"r01c0", 2, true},   {"r01cd", 0xf, true}, {"r3fc1", 0xf, true},
                                            {"r01c2", 0, false},  {"r01c6", 0, false},  {"r81d0", 0xf, true},
                                            {"r83d0", 0xf, true}, {"r08d1", 0xf, true}, {"r40c4", 0xf, true},
                                            {"r00c4", 0, false},  {"r04c8", 0xf, true}, {"r01c8", 0, false},
                                            {"r01d2", 0xf, true}, {"r01d3", 0xf, true}, {"r04d4", 0xf, true}};
    static const struct row of_icl[] = {
        {"r0100", 1 << 8, true}, {"r00c0", 0x1ff, true}, {"r01cd", 0xff, true},   {"r81d0", 0xf, true},
        {"r83d0", 0xf, true},    {"r01d2", 0xf, true},   {"r04d4", 0xf, true},    {"r00c4", 0xff, true},
        {"r00c5", 0xff, true},   {"r04c9", 0xff, true},  {"r01c9", 0xfff, false}, {"r0151", 0xfff, false}};
    static const struct row of_golden_cove[] = {
        {"r0100", 1 << 8, true}, {"r00c0", 0x1fe, true}, {"r08c0", 0xfe, true}, {"r01cd", 0xfe, true},
        {"r02cd", 1, true},      {"r00c4", 0xff, true},  {"r81d0", 0xf, true},  {"r83d0", 0xf, true},
        {"r01d3", 0xf, true},    {"r0151", 0xfff, false}};
    static const struct row of_lion_cove[] = {
        {"r0100", 1 << 10, true}, {"r00c0", 0x7ff, true}, {"r08c0", 0x3ff, true},
        {"r01cd", 0x3fc, true},   {"r02cd", 3, true},     {"r00c4", 0x3ff, true},
        {"r81d0", 0xf, true},     {"r83d0", 0xf, true},   {"r0151", 0x3fff, false}};
    static const struct row of_goldmont[] = {{"r00c0", 1, true},  {"r0103", 1, true}, {"r0213", 1, true},
                                             {"r0113", 1, false}, {"r01c2", 1, true}, {"r00c4", 1, true},
                                             {"r81d0", 1, true},  {"r82d0", 1, true}, {"r83d0", 1, true},
                                             {"r08d1", 1, true},  {"r4f2e", 1, false}};
    static const struct row of_goldmont_plus[] = {
        {"r00c0", 0xf, true}, {"r08d1", 0xf, true}, {"r4f2e", 0xf, false}};
    static const struct row of_tremont[] = {
        {"r00c0", 0x1f, true}, {"r08d1", 0xf, true}, {"r4f2e", 0x7f, false}};
    static const struct row of_gracemont[] = {{"r05d0", 3, true},
                                              {"r06d0", 0xf, true},
                                              {"r00c0", 0x7f, true},
                                              {"r08d1", 0x3f, true},
                                              {"r4f2e", 0x1ff, false}};
    check_rows(&core2, of_core2, N(of_core2));
    check_rows(&bonnell, of_bonnell, N(of_bonnell));
    check_rows(&silvermont, of_silvermont, N(of_silvermont));
    check_rows(&nehalem, of_nehalem, N(of_nehalem));
    check_rows(&westmere, of_westmere, N(of_westmere));
    check_rows(&sandy_bridge, of_bridge, N(of_bridge));
    check_rows(&ivy_bridge, of_bridge, N(of_bridge));
    check_rows(&haswell, of_haswell, N(of_haswell));
    check_rows(&broadwell, of_haswell, N(of_haswell));
    check_rows(&skl, of_skylake, N(of_skylake));
    check_rows(&icl, of_icl, N(of_icl));
    check_rows(&spr, of_golden_cove, N(of_golden_cove));
    check_rows(&lion_cove, of_lion_cove, N(of_lion_cove));
    check_rows(&goldmont, of_goldmont, N(of_goldmont));
    check_rows(&goldmont_plus, of_goldmont_plus, N(of_goldmont_plus));
    check_rows(&tremont, of_tremont, N(of_tremont));
    check_rows(&gracemont, of_gracemont, N(of_gracemont));
    check_rows(&sierra_forest, of_gracemont, N(of_gracemont));
}
