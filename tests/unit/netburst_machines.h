/* Driving NetBurst's driver in a test: the processors' registers, event words, programs, cascades. */
#pragma once
#include "pmu/netburst.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/netburst_manual.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])
enum { CTR0 = 0x300, CCCR0 = 0x360, MISC = 0x1a0, ENABLE = 0x3f1, VERT = 0x3f2, DS = 0x600 };

/* ---- a machine ---- */

/* The ESCR that a CCCR selects. */
static inline unsigned escr_of(unsigned counter, uint32_t cccr)
{
    unsigned column = 0;
    while (!(nb_column[column] >> counter & 1)) column++;
    return nb_route[cccr >> 13 & 7][column];
}

/* 18.15.5.9: compared with <= 15 every clock counts; otherwise say that everything happens at CPL 0 always.
 */
static inline bool counting(unsigned i)
{
    uint32_t cccr = (uint32_t)fake_pmu_value(CCCR0 + i);
    unsigned msr = escr_of(i, cccr);
    if (!(cccr >> 12 & 1) || !msr || (cccr >> 16 & 3) != 3) return false;
    uint32_t escr = (uint32_t)fake_pmu_value(msr);
    if (!(escr >> 25)) return false;
    return (cccr & 0xfc0000) == 0xfc0000 || (!(cccr >> 18 & 1) && (escr & 8));
}

static struct fake_pmu_rules rules = {.counting = counting, .fast_rdpmc = true};
static struct pmu pmu;

/* IQ_ESCR0 and 1 up to model 2. */
static inline void machine(unsigned model)
{
    for (unsigned i = 0; i < 18; i++) rules.counter_msr[i] = CTR0 + i;
    fake_pmu_reset(&rules);
    for (unsigned i = 0; i < 18; i++) {
        fake_pmu_msr(CTR0 + i, 0x1234500000ull + i);
        fake_pmu_msr(CCCR0 + i, 0x30000);
    }
    for (unsigned e = 0; e < 8; e++)
        for (unsigned c = 0; c < 8; c++)
            if (nb_route[e][c] && (model < 3 || (nb_route[e][c] != 0x3ba && nb_route[e][c] != 0x3bb)))
                fake_pmu_msr(nb_route[e][c], 0);
    fake_pmu_msr(0x3b8, 0x04000204); /* somebody was counting */
    fake_pmu_msr(CCCR0 + 12, 0x39000);
    fake_pmu_msr(MISC, 0x81);
    fake_pmu_msr(ENABLE, 0);
    fake_pmu_msr(VERT, 0);
    fake_pmu_msr(DS, 0xabc000);
    fake_pmu_msr(0x1d9, 0);
    fake_pmu_rdpmc(FAKE_RDPMC_READS);
}

static inline struct cpu_id intel(unsigned model, unsigned stepping)
{
    return (struct cpu_id){
        .vendor = "GenuineIntel", .family = 15, .model = model, .stepping = stepping, .f1_edx = 1u << 21};
}

static inline void plug(unsigned model, unsigned stepping)
{
    struct cpu_id id = intel(model, stepping);
    machine(model);
    assert_true(pmu_probe(&id, &pmu));
    fake_pmu_clear_log();
}

static inline int willamette(void **state)
{
    (void)state;
    plug(1, 2);
    return 0;
}
static inline int northwood(void **state)
{
    (void)state;
    plug(2, 9);
    return 0;
}
static inline int prescott(void **state)
{
    (void)state;
    plug(4, 1);
    return 0;
}
/* Logical processor `apic` of a Northwood with Hyper-Threading. */
static inline void threads(unsigned apic)
{
    struct cpu_id id = intel(2, 9);
    id.f1_edx |= 1u << 28;
    id.f1_ebx = apic << 24 | 2u << 16;
    machine(2);
    assert_true(pmu_probe(&id, &pmu));
    fake_pmu_clear_log();
}

/* ---- words ---- */

static struct {
    struct pmu_code code;
    char why[200], near[200];
} got;

static inline bool parse(const char *word)
{
    return pmu_event_parse(&pmu, word, strlen(word), &got.code, got.why, sizeof got.why, got.near,
                           sizeof got.near);
}
static inline struct pmu_code code(const char *word)
{
    if (!parse(word)) fail_msg("%s: %s", word, got.why);
    return got.code;
}
#define ACCEPTS(word, escr, cccr, want_counters)                   \
    do {                                                           \
        struct pmu_code accepted = code(word);                     \
        assert_int_equal((uint32_t)accepted.select, escr);         \
        assert_int_equal((uint32_t)(accepted.select >> 32), cccr); \
        assert_int_equal(accepted.counters, want_counters);        \
    } while (0)
#define REFUSES(word, part)                                                                     \
    do {                                                                                        \
        if (parse(word)) fail_msg("%s was accepted", word);                                     \
        if (!strstr(got.why, part)) fail_msg("%s: \"%s\" without \"%s\"", word, got.why, part); \
    } while (0)

static char why[200];
static inline bool program(const struct pmu_code *const code_of[PMU_COUNTERS])
{
    why[0] = '\0';
    return pmu.ops->program(&pmu, code_of, why, sizeof why);
}
static inline bool program_one(const struct pmu_code *c, unsigned counter)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL};
    codes[counter] = c;
    return program(codes);
}
static inline bool arm(unsigned counter, uint64_t period)
{
    return pmu.ops->arm(&pmu, counter, period, why, sizeof why);
}

/* Of the last cascade(): what starts, and what is started. */
static struct pmu_code half[2];
static inline bool cascade(const char *word)
{
    return pmu_cascade_parse(&pmu, word, strlen(word), half, got.why, sizeof got.why, got.near,
                             sizeof got.near);
}
