/* perf's words for caches on every CPU: Linux' encodings, and what is absent or needs an MSR.
 *
 * The codes are written down here a second time, from hw_cache_event_ids of arch/x86/events/intel/p6.c, p4.c,
 * core.c (with what intel_pmu_init() changes) and amd/core.c, in perf's order: loads, load-misses, stores,
 * store-misses, prefetches, prefetch-misses of L1-dcache; the same without stores of L1-icache; LLC and dTLB
 * as L1-dcache; loads and load-misses of iTLB and branch; node as L1-dcache.
 */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/names.h"
#include "pmu/netburst.h"
#include "tests/unit/event_cpus.h"
#include "tests/unit/fake_pmu.h"
#include <ctype.h>
#include <stdlib.h>

#define CACHE_WORDS (PMU_WORDS - L1D_LOADS)

static struct pmu_code code;
static char why[200], near[200];

static bool parse(const struct pmu *pmu, const char *word)
{
    return pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}

static const char *cache_word(unsigned i)
{
    static const struct pmu none;
    return pmu_word_at(&none, L1D_LOADS + i)->word;
}

/* As its driver finds it, with eight general counters and four fixed ones, or AMD's six. */
static struct pmu plug(const struct pmu_ops *ops, unsigned family, unsigned model, bool atom)
{
    static const struct fake_pmu_rules none;
    const bool amd = ops == &pmu_amd_ops;
    struct cpu_id id = {.family = family,
                        .model = model,
                        .f7_edx = atom ? CPUID_7_EDX_HYBRID : 0,
                        .f1a_eax = atom ? 0x20000000 : 0,
                        .x1_ecx = CPUID_X1_ECX_PERFCTR_CORE,
                        .fa = {.eax = 0x07300804, .edx = 48 << 5 | 4}};
    struct pmu pmu = {.ops = ops};
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu.rdpmc_index[i] = i;
    strcpy(id.vendor, amd ? "AuthenticAMD" : "GenuineIntel");
    fake_pmu_reset(&none);
    assert_true(ops->detect(&id, &pmu));
    return pmu;
}

/* ---- the codes ---- */

#define MSR 0x1b7, 0x1b7
#define GLC 0x12a, 0x12a
#define NO  0, 0

static const struct {
    unsigned family, model;
    bool atom;
    uint32_t select[CACHE_WORDS];
} linux_has[] = {
    /* Core 2 */
    {6, 15, false, {0x0f40, 0x0140, 0x0f41, 0x0141, 0x104e, 0,      0x80,   0x81,   NO,
                    0x4f29, 0x4129, 0x4f2a, 0x412a, NO,     0x0f40, 0x0208, 0x0f41, 0x0808,
                    NO,     0xc0,   0x1282, 0xc4,   0xc5,   NO,     NO,     NO}},
    /* Bonnell */
    {6, 28, false, {0x2140, 0,      0x2240, 0,    NO,     0x0380, 0x0280, NO,     0x4f29,
                    0x4129, 0x4f2a, 0x412a, NO,   0x2140, 0x0508, 0x2240, 0x0608, NO,
                    0xc0,   0x0282, 0xc4,   0xc5, NO,     NO,     NO}},
    /* Nehalem, Westmere */
    {6, 26, false, {0x010b, 0x0151, 0x020b, 0x0251, 0x014e, 0x024e, 0x0380, 0x0280, NO,     MSR, MSR, MSR,
                    0x0f40, 0x0108, 0x0f41, 0x010c, NO,     0x01c0, 0x20c8, 0xc4,   0x03e8, MSR, MSR, MSR}},
    {6, 44, false, {0x010b, 0x0151, 0x020b, 0x0251, 0x014e, 0x024e, 0x0380, 0x0280, NO,     MSR, MSR, MSR,
                    0x010b, 0x0108, 0x020b, 0x010c, NO,     0x01c0, 0x0185, 0xc4,   0x03e8, MSR, MSR, MSR}},
    /* Sandy Bridge, Ivy Bridge, Haswell, Broadwell */
    {6, 42, false, {0xf1d0, 0x0151, 0xf2d0, 0x0851, 0,  0x024e, 0,      0x0280, NO,   MSR, MSR, MSR,
                    0x81d0, 0x0108, 0x82d0, 0x0149, NO, 0x1085, 0x0185, 0xc4,   0xc5, MSR, MSR, MSR}},
    {6, 62, false, {0xf1d0, 0x0151, 0xf2d0, 0x0851, 0,  0x024e, 0,      0x0280, NO,   MSR, MSR, MSR,
                    0x81d0, 0x8108, 0x82d0, 0x0149, NO, 0x1085, 0x0185, 0xc4,   0xc5, MSR, MSR, MSR}},
    {6, 60, false, {0x81d0, 0x0151, 0x82d0, 0,  NO,     0,      0x0280, NO,   MSR, MSR, NO, 0x81d0,
                    0x0108, 0x82d0, 0x0149, NO, 0x6085, 0x0185, 0xc4,   0xc5, MSR, MSR, NO}},
    {6, 79, false, {0x81d0, 0x0151, 0x82d0, 0,  NO,     0,      0x0280, NO,   MSR, MSR, NO, 0x81d0,
                    0x0108, 0x82d0, 0x0149, NO, 0x6085, 0x0185, 0xc4,   0xc5, MSR, MSR, NO}},
    /* Skylake, Ice Lake, Sapphire Rapids, Alder Lake's cores */
    {6, 94, false, {0x81d0, 0x0151, 0x82d0, 0,  NO,     0,      0x0283, NO,   MSR, MSR, NO, 0x81d0,
                    0x0e08, 0x82d0, 0x0e49, NO, 0x2085, 0x0e85, 0xc4,   0xc5, MSR, MSR, NO}},
    {6, 126, false, {0x81d0, 0x0151, 0x82d0, 0,  NO, 0,      0x0283, NO,   MSR, MSR, NO, 0x81d0,
                     0x0e08, 0x82d0, 0x0e49, NO, 0,  0x0e85, 0xc4,   0xc5, MSR, MSR, NO}},
    {6, 0x8f, false, {0x81d0, 0xe124, 0x82d0, 0,  NO, 0,      0xe424, NO,     GLC, GLC, NO, 0x81d0,
                      0x0e12, 0x82d0, 0x0e13, NO, 0,  0x0e11, 0x04c4, 0x04c5, GLC, NO,  NO}},
    {6, 0x97, false, {0x81d0, 0xe124, 0x82d0, 0,  NO, 0,      0xe424, NO,     GLC, GLC, NO, 0x81d0,
                      0x0e12, 0x82d0, 0x0e13, NO, 0,  0x0e11, 0x04c4, 0x04c5, GLC, NO,  NO}},
    {6, 0x97, true, {0x81d0, 0,      0x82d0, 0,  NO, 0x0380, 0x0280, NO,   MSR, MSR, NO, 0x81d0,
                     0x0e08, 0x82d0, 0x0e49, NO, 0,  0x0481, 0xc4,   0xc5, NO,  NO,  NO}},
    /* Silvermont, Goldmont, Goldmont Plus, Tremont, Knights Landing */
    {6, 0x37, false, {0, 0x0104, NO, NO, 0x0380, 0x0280,  NO,   0x1b7, 0,  MSR, MSR,
                      0, 0x0804, NO, NO, 0xc0,   0x40205, 0xc4, 0xc5,  NO, NO,  NO}},
    {6, 0x5c, false, {0x81d0, 0,      0x82d0, 0,  NO,   0x0380, 0x0280, NO,   MSR, MSR, MSR, 0x81d0,
                      0,      0x82d0, 0,      NO, 0xc0, 0x0481, 0xc4,   0xc5, NO,  NO,  NO}},
    {6, 0x7a, false, {0x81d0, 0,      0x82d0, 0,  NO,   0x0380, 0x0280, NO,   MSR, MSR, NO, 0x81d0,
                      0x0e08, 0x82d0, 0x0e49, NO, 0xc0, 0x0481, 0xc4,   0xc5, NO,  NO,  NO}},
    {6, 0x96, false, {0x81d0, 0,      0x82d0, 0,  NO, 0x0380, 0x0280, NO,   MSR, MSR, NO, 0x81d0,
                      0x0e08, 0x82d0, 0x0e49, NO, 0,  0x0481, 0xc4,   0xc5, NO,  NO,  NO}},
    {6, 0x57, false, {0, 0x0104, NO, NO, 0x0380, 0x0280,  NO,   0x1b7, 0,  MSR, MSR,
                      0, 0x0804, NO, NO, 0xc0,   0x40205, 0xc4, 0xc5,  NO, NO,  NO}},
};

/* Of AMD's: K8, family 10h; K7, 14h, 15h and 16h less what they do not have; Zen to Zen 5. */
#define K8_L1  0x40, 0x0141, NO, 0x0267, 0x0167, 0x80, 0x81
#define K8_L2  0x037d, 0x037e, 0x017f, 0, NO
#define K8_TLB 0x40, 0x0746, NO, NO, 0x80, 0x0385, 0xc2, 0xc3
#define NODE   0xb8e9, 0x98e9, NO, NO
static const struct {
    unsigned family, model;
    uint32_t select[CACHE_WORDS];
} amd_has[] = {
    {0x0f, 0x04, {K8_L1, 0x014b, 0, K8_L2, K8_TLB, NO, NO, NO}},
    {0x0f, 0x40, {K8_L1, 0x014b, 0, K8_L2, K8_TLB, NODE}},
    {0x10, 0x04, {K8_L1, 0x014b, 0, K8_L2, K8_TLB, NODE}},
    {0x06, 0x03, {0x40, 0x0141, NO, NO, 0x80, 0x81, NO, NO, NO, NO, K8_TLB, NO, NO, NO}},
    {0x14, 0x01, {0x40, 0x0141, NO, NO, 0x80, 0x81, 0x014b, 0, K8_L2, K8_TLB, NODE}},
    {0x15, 0x01, {K8_L1, 0x014b, 0, K8_L2, K8_TLB, NO, NO, NO}},
    {0x16, 0x00, {K8_L1, 0x014b, 0, NO, NO, NO, K8_TLB, NO, NO, NO}},
    {0x17, 0x01, {0x40,   0xc860, NO, 0xff5a, 0,    0x80,   0x81, NO,   NO, NO, NO,
                  0xff45, 0xf045, NO, NO,     0x84, 0xff85, 0xc2, 0xc3, NO, NO, NO}},
    {0x1a, 0x44, {0x40,   0xc860, NO, 0xff5a, 0,    0x80,   0x81, NO,   NO, NO, NO,
                  0xff45, 0xf045, NO, NO,     0x84, 0xff85, 0xc2, 0xc3, NO, NO, NO}},
};

static void one(const struct pmu *pmu, unsigned i, uint32_t select)
{
    const char *word = cache_word(i);
    const bool offcore = select == 0x1b7 || (select == 0x12a && pmu->ops == &pmu_arch_ops);
    bool good = parse(pmu, word);
    if (good != (select && !offcore)) fail_msg("%s, %s: %s", pmu->model, word, good ? "accepted" : why);
    if (!good && !strstr(why, select ? "needs MSR 1A6h" : "is absent")) fail_msg("%s: %s", word, why);
    if (good && (code.select & 0xfff4ffffull) != select)
        fail_msg("%s, %s: %llx, not %x", pmu->model, word, (long long)code.select, select);
    /* and it is listed */
    const struct pmu_word *w = pmu_word_named(pmu, word, strlen(word));
    assert_non_null(w);
    assert_string_equal(w->word, word);
    assert_int_equal(w->event != NULL, select != 0);
    assert_int_equal(w->msr, offcore ? 0x1a6 : 0);
}

TEST(test_codes)
{
    for (unsigned k = 0; k < N(linux_has); k++) {
        struct pmu pmu = plug(&pmu_arch_ops, linux_has[k].family, linux_has[k].model, linux_has[k].atom);
        for (unsigned i = 0; i < CACHE_WORDS; i++) one(&pmu, i, linux_has[k].select[i]);
    }
    for (unsigned k = 0; k < N(amd_has); k++) {
        struct pmu pmu = plug(&pmu_amd_ops, amd_has[k].family, amd_has[k].model, false);
        for (unsigned i = 0; i < CACHE_WORDS; i++) one(&pmu, i, amd_has[k].select[i]);
    }
    /* p6_hw_cache_event_ids, and what Knights Corner's table has of the P5's events */
    static const uint32_t p6_has[CACHE_WORDS] = {0x43, 0x45, 0, 0x0f29, NO, 0x80, 0x0f28, NO,   NO,  0, 0x25,
                                                 NO,   0x43, 0, NO,     NO, 0x80, 0x85,   0xc4, 0xc5};
    const struct pmu six = p3(), five = p5();
    for (unsigned i = 0; i < CACHE_WORDS; i++) one(&six, i, p6_has[i]);
    static const char *const p5_has[][2] = {{"L1-dcache-load-misses", "data_read_miss"},
                                            {"L1-dcache-stores", "data_write"},
                                            {"L1-icache-load-misses", "code_cache_miss"},
                                            {"iTLB-load-misses", "code_tlb_miss"}};
    for (unsigned i = 0; i < N(p5_has); i++) {
        assert_true(parse(&five, p5_has[i][1]));
        uint64_t select = code.select;
        assert_true(parse(&five, p5_has[i][0]));
        assert_int_equal(code.select, select);
    }
    assert_false(parse(&five, "LLC-loads"));
}

/* pnc_hw_cache_event_ids: Golden Cove's without node words; its off-core response is programmed by MSR_OMR_0,
 * 3E0h. */
TEST(test_panther_cove)
{
    static const unsigned families[] = {18, 19};
    for (unsigned k = 0; k < N(families); k++) {
        struct pmu golden = plug(&pmu_arch_ops, 6, 0x8f, false),
                   panther = plug(&pmu_arch_ops, families[k], 1, false);
        unsigned offcore = 0;
        for (unsigned i = 0; pmu_word_at(&panther, i); i++) {
            const struct pmu_word old = *pmu_word_at(&golden, i), new = *pmu_word_at(&panther, i);
            const bool node = strncmp(new.word, "node-", 5) == 0;
            assert_int_equal(new.event != NULL, !node && old.event);
            if (new.event) assert_string_equal(new.event, old.event);
            assert_int_equal(new.msr, !node && old.msr ? 0x3e0 : 0);
            offcore += new.msr != 0;
        }
        assert_int_equal(offcore, 4);
        assert_false(parse(&panther, "LLC-loads"));
        assert_non_null(strstr(why, "needs MSR 3E0h"));
    }
}

/* p4_hw_cache_event_ids: replay metrics and the code TLB; everything else is absent. */
TEST(test_netburst)
{
    static const char *const has[][2] = {{"L1-dcache-load-misses", "1stl_cache_load_miss_retired:nbogus"},
                                         {"LLC-load-misses", "2ndl_cache_load_miss_retired:nbogus"},
                                         {"dTLB-load-misses", "dtlb_load_miss_retired:nbogus"},
                                         {"dTLB-store-misses", "dtlb_store_miss_retired:nbogus"},
                                         {"iTLB-loads", "itlb_reference:hit"},
                                         {"iTLB-load-misses", "itlb_reference:miss"}};
    struct pmu pmu = cpu(&pmu_netburst_ops, "Pentium 4 (Northwood)", 1 << 2);
    pmu.counters = NETBURST_COUNTERS;
    pmu.words = &pmu_netburst_words;
    unsigned there = 0;
    for (unsigned i = 0; i < N(has); i++) {
        assert_true(parse(&pmu, has[i][1]));
        const struct pmu_code want = code;
        if (!parse(&pmu, has[i][0])) fail_msg("%s: %s", has[i][0], why);
        assert_true(pmu_code_same(&code, &want));
    }
    for (unsigned i = 0; i < CACHE_WORDS; i++) there += parse(&pmu, cache_word(i));
    assert_int_equal(there, N(has));
}

/* Every generation of the driver's table has words, but those for which Linux has none. */
TEST(test_generations)
{
    static const unsigned families[] = {6, 18, 19};
    for (unsigned k = 0; k < 0x200 * N(families); k++) {
        const bool atom = k >> 8 & 1;
        struct cpu_id id = {.vendor = "GenuineIntel",
                            .family = families[k >> 9],
                            .model = k & 0xff,
                            .f7_edx = CPUID_7_EDX_HYBRID,
                            .f1a_eax = atom ? 0x20000000 : 0x40000000};
        const struct arch_cpu *cpu = pmu_arch_cpu(&id);
        if (!cpu) continue;
        struct pmu pmu = plug(&pmu_arch_ops, id.family, id.model, atom);
        bool none = strcmp(cpu->name, "Core Duo") == 0 || strcmp(cpu->name, "Cannon Lake") == 0;
        if (parse(&pmu, "branch-loads") == none) fail_msg("%s", cpu->name);
    }
}

TEST(test_spelling)
{
    struct pmu pmu = plug(&pmu_arch_ops, 6, 94, false);
    char word[64];
    for (unsigned i = 0; i < CACHE_WORDS; i++) {
        const char *as_perf = cache_word(i);
        bool good = parse(&pmu, as_perf);
        for (unsigned how = 0; how < 2; how++) {
            for (size_t c = 0; c <= strlen(as_perf); c++)
                word[c] =
                    (char)(how ? toupper((unsigned char)as_perf[c]) : tolower((unsigned char)as_perf[c]));
            assert_int_equal(parse(&pmu, word), good);
            if (good) assert_string_equal(code.name, word);
        }
    }
    /* as long as its length says: the sanitizer knows where the copy ends */
    static const char *const parts[] = {
        "c", "cycle", "cycles", "cycles:", "branch", "branches", "branch-loads"};
    for (unsigned i = 0; i < N(parts); i++) {
        const size_t n = strlen(parts[i]);
        char *copy = malloc(n);
        memcpy(copy, parts[i], n);
        const struct pmu_word *w = pmu_word_named(&pmu, copy, n);
        const bool whole = parts[i][n - 1] == 's';
        assert_int_equal(w != NULL, whole);
        if (whole) assert_string_equal(w->word, parts[i]);
        free(copy);
    }
    assert_null(pmu_word_named(&pmu, "", 0));
    assert_true(parse(&pmu, "L1-dcache-loads:u"));
    assert_int_equal(code.select & 0x3ffff, 0x181d0);
    assert_false(parse(&pmu, "L1-dcache-loads:all"));
    assert_false(parse(&pmu, "L1-dcache-load"));
    assert_string_equal(near, "L1-dcache-loads, L1-dcache-load-misses");
}
