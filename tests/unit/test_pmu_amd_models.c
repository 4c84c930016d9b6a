/* AMD's core counters, each model of each family: its names, what it is like, and family 15h's restrictions
 * of events to counters. */
#include "pmu/amd.h"
#include "tests/unit/amd_machines.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* Every model of every family, by Linux (bsp_init_amd) and libpfm4 (amd64_get_revision). */
static const struct range {
    unsigned family, first, last;
    const char *name, *database;
    const struct pmu_words *words;
} ranges[] = {
    {0x06, 0x00, 0xff, "K7", "amd64_k7", &pmu_words_k7},
    {0x0f, 0x00, 0x0f, "K8", "amd64_k8_revb", &pmu_words_k8_early},
    {0x0f, 0x10, 0x1f, "K8", "amd64_k8_revd", &pmu_words_k8_early},
    {0x0f, 0x20, 0x3f, "K8", "amd64_k8_reve", &pmu_words_k8},
    {0x0f, 0x40, 0x5f, "K8", "amd64_k8_revf", &pmu_words_k8},
    {0x0f, 0x60, 0xff, "K8", "amd64_k8_revg", &pmu_words_k8},
    {0x10, 0x00, 0x03, "Fam10h", "amd64_fam10h_barcelona", &pmu_words_k8},
    {0x10, 0x04, 0x07, "Fam10h", "amd64_fam10h_shanghai", &pmu_words_k8},
    {0x10, 0x08, 0xff, "Fam10h", "amd64_fam10h_istanbul", &pmu_words_k8},
    {0x11, 0x00, 0xff, "Fam11h", "amd64_fam11h_turion", &pmu_words_k8},
    {0x12, 0x00, 0xff, "Fam12h", "amd64_fam12h_llano", &pmu_words_k8},
    {0x14, 0x00, 0xff, "Fam14h", "amd64_fam14h_bobcat", &pmu_words_bobcat},
    {0x15, 0x00, 0xff, "Fam15h", "amd64_fam15h_interlagos", &pmu_words_bulldozer},
    {0x16, 0x00, 0xff, "Fam16h", "amd64_fam16h", &pmu_words_jaguar},
    {0x17, 0x00, 0x2f, "Zen", "amd64_fam17h_zen1", &pmu_words_zen},
    {0x17, 0x30, 0x4f, "Zen 2", "amd64_fam17h_zen2", &pmu_words_zen},
    {0x17, 0x50, 0x5f, "Zen", "amd64_fam17h_zen1", &pmu_words_zen},
    {0x17, 0x60, 0xff, "Zen 2", "amd64_fam17h_zen2", &pmu_words_zen},
    {0x18, 0x00, 0xff, "Zen", "amd64_fam17h_zen1", &pmu_words_zen},
    {0x19, 0x00, 0x0f, "Zen 3", "amd64_fam19h_zen3", &pmu_words_zen},
    {0x19, 0x10, 0x1f, "Zen 4", "amd64_fam19h_zen4", &pmu_words_zen4},
    {0x19, 0x20, 0x5f, "Zen 3", "amd64_fam19h_zen3", &pmu_words_zen},
    {0x19, 0x60, 0xff, "Zen 4", "amd64_fam19h_zen4", &pmu_words_zen4},
    {0x1a, 0x00, 0x4f, "Zen 5", "amd64_fam1ah_zen5", &pmu_words_zen4},
    {0x1a, 0x50, 0x5f, "Zen 6", "amd64_fam1ah_zen6", &pmu_words_zen4},
    {0x1a, 0x60, 0x7f, "Zen 5", "amd64_fam1ah_zen5", &pmu_words_zen4},
    {0x1a, 0x80, 0xff, "Zen 6", "amd64_fam1ah_zen6", &pmu_words_zen4},
};

/* "SMIs received": by libpfm4's tables, and for what came later by Linux' (amdzen5, ls_smi_rx). */
static bool counts_smis(const struct range *r)
{
    return r->family == 0x12 || r->family == 0x15 || (r->family == 0x17 && strcmp(r->name, "Zen 2") == 0) ||
           r->family >= 0x19;
}

TEST(every_model)
{
    for (const struct range *r = ranges; r < ranges + N(ranges); r++)
        for (unsigned model = r->first; model <= r->last; model++) {
            const struct part part = {.family = r->family, .model = model, .counters = 4};
            const bool k8 = (r->family >= 0x0f && r->family <= 0x12) || r->family == 0x15,
                       zen4 = r->words == &pmu_words_zen4;
            start_on(&part);
            if (strcmp(pmu.model, r->name) != 0 || strcmp(pmu.database, r->database) != 0 ||
                pmu.words != r->words)
                fail_msg("family 0x%x model 0x%x is %s, %s", r->family, model, pmu.model, pmu.database);
            assert_int_equal(pmu.classes, CLASS_AMD | (k8 ? CLASS_K8 : 0) | (zen4 ? CLASS_ZEN4 : 0) |
                                              (r->family >= 0x17 ? CLASS_ZEN : 0) |
                                              (k8 || r->family == 0x14 || r->family == 0x16 ? CLASS_OLD : 0));
            assert_int_equal(pmu.smi_event, counts_smis(r) ? 0x2b : 0);
            assert_int_equal((pmu.models & AMD_K7) != 0, r->family == 6);
            assert_int_equal((pmu.models & AMD_15H) != 0, r->family == 0x15);
            assert_int_equal(pmu.models & AMD_ZEN ? 1 : 0, r->family >= 0x17);
            assert_int_equal(pmu.models & AMD_ZEN4 ? 1 : 0, zen4);
        }
}

/* A family between two of the table has what the one before it has, and no names. */
TEST(unknown_families)
{
    static const unsigned families[] = {0x13, 0x1b, 0xff};
    for (unsigned i = 0; i < N(families); i++) {
        const struct part part = {.family = families[i], .counters = 4};
        start_on(&part);
        assert_string_equal(pmu.model, "newer than Zen 6");
        assert_string_equal(pmu.database, "");
    }
}

/* Family 15h, every event: Linux' amd_get_event_constraints_f15h by its answers. Groups 00h and 10h are the
 * FPU's, 20h to 50h and C0h of load, store, data cache and execution, 60h to 90h and D0h of caches, fetch and
 * decoding. */
TEST(bulldozer_events)
{
    static const struct {
        uint32_t counters;
        uint16_t event[14];
    } single[] = {{1u << 3, {0x000, 0x003, 0x004, 0x00b, 0x00d, 0x02d}},
                  {1u << 3 | 1u << 0, {0x02e}},
                  {0x07, {0x023, 0x031, 0x043, 0x045, 0x046, 0x054, 0x055}},
                  {1u << 5 | 1u << 4 | 1u << 3, {0x1c0}},
                  {1u << 0, {0x08f, 0x187, 0x188}},
                  {0x3f, {0x0db, 0x0dc, 0x0dd, 0x0de, 0x0df, 0x1d6, 0x1d8}}};
    start_on(&parts[FAM15H]);
    for (unsigned event = 0; event < 0x1000; event++) {
        struct pmu_code c = {.counters = 0};
        char word[24], near[64];
        uint32_t want = strchr("01", "0123456789abcdef"[event >> 4 & 15])      ? 0x38
                        : strchr("2345c", "0123456789abcdef"[event >> 4 & 15]) ? 0x3f
                        : strchr("6789d", "0123456789abcdef"[event >> 4 & 15]) ? 0x07
                                                                               : 0;
        for (unsigned s = 0; s < N(single); s++)
            for (unsigned i = 0; i < N(single[s].event) && (single[s].event[i] || !(s | i)); i++)
                if (single[s].event[i] == event) want = single[s].counters;
        snprintf(word, sizeof word, "/event=0x%x,umask=1/", event);
        const bool ok = pmu_event_parse(&pmu, word, strlen(word), &c, why, sizeof why, near, sizeof near);
        if (ok != (want != 0) || (ok && c.counters != want))
            fail_msg("%s: %x, not %x", word, c.counters, want);
    }
}
