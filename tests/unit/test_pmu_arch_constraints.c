/* Which counters a code may be counted on, against Linux' tables of event constraints
 * (arch/x86/events/intel/core.c), written down apart from the driver's: whatever a word looks like, and
 * without an event database. Each is tried on every counter of the CPU. */
#include "tests/unit/arch_machines.h"
#include <stdio.h>

enum { NO, CORE, ATOM }; /* which core of a hybrid part */

/* clang-format off */
static const struct machine {
    const char *name;
    unsigned family, model, kind;
    uint32_t eax, ecx, edx; /* leaf 0AH */
    unsigned general, fixed;
    struct {
        unsigned code;
        uint32_t general;
        uint32_t fixed; /* bit n: fixed counter n */
    } want[28];
} machines[] = {
    {"Core Duo", 6, 0x0e, NO, 0x07280201, 0, 0, 2, 0,
     {{0x0011, 2, 0}, {0x0012, 2, 0}, {0x0013, 2, 0}, {0x0014, 1, 0}, {0x0019, 2, 0}, {0x00c1, 1, 0},
      {0x00c0, 3, 0}, {0x0010, 3, 0}, {0x0018, 3, 0}, {0x00cb, 3, 0}}},
    {"Core 2", 6, 0x17, NO, 0x07280202, 0, 0x503, 2, 3,
     {{0x0010, 1, 0}, {0x0011, 2, 0}, {0x0112, 2, 0}, {0x0013, 2, 0}, {0x0014, 1, 0}, {0x0018, 1, 0},
      {0x0019, 2, 0}, {0x3fa1, 1, 0}, {0x00c9, 1, 0}, {0x01cb, 1, 0}, {0x04cb, 1, 0}, {0x00c1, 3, 0},
      {0x00c0, 3, 1}, {0x003c, 3, 2}, {0x013c, 3, 0}, {0x0300, 0, 4}, {0x0f45, 3, 0}}},
    {"Nehalem", 6, 0x1a, NO, 0x07300403, 0x44, 0x603, 4, 3,
     {{0x0140, 3, 0}, {0x0f41, 3, 0}, {0x0142, 3, 0}, {0x0143, 3, 0}, {0x0148, 3, 0}, {0x024e, 3, 0},
      {0x0151, 3, 0}, {0x0263, 3, 0}, {0x0160, 15, 0}, {0x01b3, 15, 0}, {0x01cb, 15, 0}, {0x01c0, 15, 0}}},
    {"Westmere-EP", 6, 0x2c, NO, 0x07300403, 0, 0x603, 4, 3,
     {{0x0151, 3, 0}, {0x0160, 1, 0}, {0x0263, 3, 0}, {0x01b3, 1, 0}, {0x0140, 15, 0}, {0x0148, 15, 0}}},
    {"Sandy Bridge", 6, 0x2a, NO, 0x07300803, 0, 0x603, 8, 3,
     {{0x04a3, 0xf, 0}, {0x05a3, 0xf, 0}, {0x02a3, 4, 0}, {0x06a3, 4, 0}, {0x01a3, 0xff, 0}, {0x0148, 4, 0},
      {0x0248, 4, 0}, {0x01c0, 2, 0}, {0x02c0, 0xff, 0}, {0x01cd, 8, 0}, {0x02cd, 8, 0}, {0x81d0, 0xf, 0},
      {0x01d1, 0xf, 0}, {0x01d2, 0xf, 0}, {0x01d3, 0xf, 0}, {0x01d4, 0xff, 0}, {0x0151, 0xff, 0},
      {0x20c4, 0xff, 0}, {0x00c0, 0xff, 1}}},
    {"Ivy Bridge", 6, 0x3a, NO, 0x07300803, 0, 0x603, 8, 3,
     {{0x0148, 4, 0}, {0x0248, 0xff, 0}, {0x0279, 0xf, 0}, {0x0179, 0xff, 0}, {0x019c, 0xf, 0},
      {0x02a3, 0xf, 0}, {0x04a3, 0xf, 0}, {0x05a3, 0xf, 0}, {0x06a3, 0xf, 0}, {0x08a3, 4, 0}, {0x0ca3, 4, 0},
      {0x01c0, 2, 0}, {0x81d0, 0xf, 0}, {0x01d3, 0xf, 0}, {0x01cd, 0xff, 0}}},
    {"Haswell", 6, 0x3c, NO, 0x07300803, 0, 0x603, 8, 3,
     {{0x0148, 4, 0}, {0x0248, 0xff, 0}, {0x01c0, 2, 0}, {0x01cd, 8, 0}, {0x08a3, 4, 0}, {0x0ca3, 4, 0},
      {0x04a3, 0xf, 0}, {0x02a3, 0xff, 0}, {0x81d0, 0xf, 0}, {0x01d3, 0xf, 0}, {0x0151, 0xff, 0}}},
    {"Broadwell", 6, 0x3d, NO, 0x07300803, 0, 0x603, 8, 3,
     {{0x0148, 4, 0}, {0x08a3, 4, 0}, {0x0ca3, 4, 0}, {0x28a3, 4, 0}, {0x04a3, 0xff, 0}, {0x01d0, 0xf, 0},
      {0x01d2, 0xf, 0}, {0x01d3, 0xff, 0}, {0x01cd, 0xf, 0}, {0x01c0, 0xff, 0}}},
    {"Skylake", 6, 0x5e, NO, 0x07300804, 0, 0x603, 8, 3,
     {{0x01c0, 2, 0}, {0x81d0, 0xf, 0}, {0x01d1, 0xf, 0}, {0x01d2, 0xf, 0}, {0x01d3, 0xff, 0},
      {0x01cd, 0xf, 0}, {0x01c6, 0xf, 0}, {0x0148, 0xff, 0}, {0x0151, 0xff, 0}, {0x00c0, 0xff, 1},
      {0x003c, 0xff, 2}, {0x0300, 0, 4}, {0x412e, 0xff, 0}}},
    {"Ice Lake", 6, 0x7e, NO, 0x08300805, 0xf, 0x8604, 8, 4,
     {{0x0151, 0xf, 0}, {0x0148, 0xf, 0}, {0x0147, 0xff, 0}, {0x0155, 0xf, 0}, {0x0156, 0xf, 0},
      {0x0157, 0xff, 0}, {0x0203, 0xf, 0}, {0x010a, 0xf, 0}, {0x010b, 0xff, 0}, {0x011e, 0xff, 0},
      {0x0128, 0xf, 0}, {0x0129, 0xff, 0}, {0x0132, 0xf, 0}, {0x0160, 0xf, 0}, {0x018b, 0xf, 0},
      {0x04a3, 0xff, 0}, {0x14a3, 0xff, 0}, {0x0ca3, 0xf, 0}, {0x01a8, 0xf, 0}, {0x01b1, 0xff, 0},
      {0x01bd, 0xf, 0}, {0x81d0, 0xf, 0}, {0x01e6, 0xf, 0}, {0x01f4, 0xf, 0}, {0x0100, 0, 1}, {0x0400, 0, 8},
      {0x20c4, 0xff, 0}, {0x013c, 0xff, 0}}},
    {"Tiger Lake", 6, 0x8c, NO, 0x08300805, 0xf, 0x8604, 8, 4,
     {{0x0151, 0xf, 0}, {0x01ef, 0xf, 0}, {0x01f0, 0xf, 0}, {0x01c6, 0xff, 0}, {0x01c0, 0, 1},
      {0x00c0, 0xff, 1}}},
    {"Sapphire Rapids", 6, 0x8f, NO, 0x08300805, 0xf, 0x8604, 8, 4,
     {{0x0151, 0xf, 0}, {0x0101, 0xf, 0}, {0x018f, 0xf, 0}, {0x0190, 0xff, 0}, {0x412e, 0xff, 0},
      {0x003c, 0xff, 2}, {0x013c, 0xff, 4}, {0x083c, 0xff, 0}, {0x01a3, 0xf, 0}, {0x06a3, 0xf, 0},
      {0x0ca3, 0xf, 0}, {0x04a3, 0xff, 0}, {0x02a4, 0xff, 0}, {0x04a4, 1, 0}, {0x08a4, 1, 0},
      {0x01cd, 0xfe, 0}, {0x02cd, 1, 0}, {0x01ce, 1, 0}, {0x81d0, 0xf, 0}, {0x01df, 0xf, 0},
      {0x01e0, 0xff, 0}, {0x0100, 0, 1}, {0x0400, 0, 8}, {0x20c4, 0xff, 0}, {0x00c0, 0xff, 1}}},
    {"Alder Lake", 6, 0x97, CORE, 0x07300605, 7, 0x8603, 8, 4,
     {{0x0151, 0xf, 0}, {0x81d0, 0xf, 0}, {0x013c, 0xff, 4}, {0x01c2, 0xff, 0}}},
    {"Alder Lake", 6, 0x97, ATOM, 0x07300605, 7, 0x8603, 6, 3,
     {{0x0151, 0x3f, 0}, {0x81d0, 0x3f, 0}, {0x013c, 0x3f, 4}, {0x00c0, 0x3f, 1}, {0x01cd, 0x3f, 0}}},
    {"Lunar Lake", 6, 0xbd, CORE, 0x07300a06, 0xf, 0x8604, 10, 4,
     {{0x0120, 0xf, 0}, {0x0148, 4, 0}, {0x0248, 0x3ff, 0}, {0x0175, 4, 0}, {0x08a3, 4, 0}, {0x0ca3, 4, 0},
      {0x04a4, 1, 0}, {0x10a4, 8, 0}, {0x01b1, 8, 0}, {0x01cd, 0x3fc, 0}, {0x02cd, 3, 0}, {0x87d0, 0x3ff, 0},
      {0x81d0, 0xf, 0}, {0x01df, 0xf, 0}, {0x0151, 0x3ff, 0}, {0x013c, 0x3ff, 4}}},
    {"Diamond Rapids", 19, 0x01, NO, 0x08300a06, 0xf, 0x8604, 10, 4,
     {{0x0120, 0xf, 0}, {0x0179, 0xf, 0}, {0x0275, 0xf, 0}, {0x0176, 0xf, 0}, {0x04a4, 1, 0},
      {0x01cd, 0xfc, 0}, {0x02cd, 3, 0}, {0x81d0, 0xf, 0}, {0x01d2, 0x3ff, 0}, {0x01d4, 0xf, 0},
      {0x01d6, 0xf, 0}, {0x01df, 0xf, 0}, {0x01ce, 1, 0}, {0x01b1, 8, 0}, {0x0847, 0xf, 0}, {0x0446, 0xf, 0},
      {0x0846, 0xf, 0}, {0x0148, 0xf, 0}, {0x0151, 0x3ff, 0}}},
    {"Nova Lake", 18, 0x03, ATOM, 0x08300805, 7, 0x8603, 8, 3,
     {{0x01b7, 1, 0}, {0x02b7, 2, 0}, {0x04b7, 4, 0}, {0x08b7, 8, 0}, {0x0175, 1, 0}, {0x0275, 2, 0},
      {0x21d3, 1, 0}, {0x22d3, 1, 0}, {0x20d3, 0xff, 0}}},
    {"Silvermont", 6, 0x37, NO, 0x07280203, 0, 0x503, 2, 3,
     {{0x0151, 3, 0}, {0x01cb, 3, 0}, {0x00c0, 3, 1}}},
    /* Nobody has told: what is not architectural keeps to 0 to 3. */
    {"version 6 or later", 6, 0xfe, NO, 0x08300a06, 0xf, 0x8604, 10, 4,
     {{0x00c0, 0x3ff, 1}, {0x003c, 0x3ff, 2}, {0x013c, 0x3ff, 0}, {0x4f2e, 0x3ff, 0}, {0x412e, 0x3ff, 0},
      {0x00c4, 0x3ff, 0}, {0x00c5, 0x3ff, 0}, {0x0300, 0, 4}, {0x0400, 0, 8}, {0x01c4, 0xf, 0},
      {0x0151, 0xf, 0}, {0x01c0, 0xf, 0}, {0x432e, 0xf, 0}}},
    {"version 5", 6, 0xfd, NO, 0x08300805, 0xf, 0x8604, 8, 4, {{0x0151, 0xf, 0}, {0x412e, 0xff, 0}}},
    {"version 4", 6, 0xfd, NO, 0x07300404, 0, 0x603, 4, 3,
     {{0x0151, 0xf, 0}, {0x00c0, 0xf, 1}}},
};
/* clang-format on */

static void boot(const struct machine *m)
{
    static const uint32_t type[] = {[CORE] = 0x40000001, [ATOM] = 0x20000001};
    const struct part p = {.model = m->model,
                           .eax = m->eax,
                           .ecx = m->ecx,
                           .edx = m->edx,
                           .general = m->general,
                           .fixed = m->fixed,
                           .caps = 0x3300};
    struct cpu_id id = id_of(&p);
    id.family = m->family;
    id.f7_edx = m->kind ? 1u << 15 : 0;
    id.f1a_eax = type[m->kind];
    machine(&p);
    probe(&id);
    assert_string_equal(pmu.model, m->name);
    assert_int_equal(pmu.perfmon.general, m->general);
    assert_int_equal(pmu.usable, (1u << (m->general + m->fixed)) - 1);
}

/* The word is taken on these counters and refused on every other. */
static void check(const struct machine *m, const char *word, uint32_t counters)
{
    struct pmu_code c = code(word);
    if (c.counters != counters) fail_msg("%s, %s: on %x, not %x", m->name, word, c.counters, counters);
    for (unsigned i = 0; i < pmu.counters; i++) {
        const struct pmu_code *set[PMU_COUNTERS] = {NULL};
        set[i] = &c;
        fake_pmu_clear_log();
        if (program(set) != (counters >> i & 1)) fail_msg("%s, %s on counter %u: %s", m->name, word, i, why);
    }
}

TEST(test_codes)
{
    for (const struct machine *m = machines; m < machines + N(machines); m++) {
        boot(m);
        for (unsigned k = 0; k < N(m->want) && m->want[k].code; k++) {
            const unsigned event = m->want[k].code & 0xff, umask = m->want[k].code >> 8;
            const uint32_t general = m->want[k].general, all = general | m->want[k].fixed << m->general;
            char word[48];
            snprintf(word, sizeof word, "r%04x", m->want[k].code);
            check(m, word, all);
            snprintf(word, sizeof word, "/event=0x%02x,umask=%u/u", event, umask);
            check(m, word, all);
            if (!general) continue;
            snprintf(word, sizeof word, "r1%06x", m->want[k].code); /* cmask 1: no fixed counter's */
            check(m, word, general);
            snprintf(word, sizeof word, "/event=%u,umask=%u,edge/", event, umask);
            check(m, word, general);
        }
    }
}

/* What only a fixed counter counts, by a code of its own, goes to the others with a modifier. */
TEST(test_old_prec_dist)
{
    const struct machine *m = machines;
    while (strcmp(m->name, "Ice Lake") != 0) m++;
    boot(m);
    check(m, "r01c0", 1 << 8);
    check(m, "r018001c0", 0xff);
}

/* Words and rows of the driver's own table are codes too. */
TEST(test_words)
{
    const struct machine *m = machines;
    while (strcmp(m->name, "Ice Lake") != 0) m++;
    boot(m);
    check(m, "instructions", 0x1ff);
    check(m, "cycles:u", 0x2ff);
    check(m, "cache-misses", 0xff);
    check(m, "ref-cycles", 0x400);
    check(m, "topdown.slots", 0x800);
    check(m, "branch_instruction_retired:cmask=1", 0xff);
}
