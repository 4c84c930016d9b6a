/* The table of errata: all that Intel's lists name, servers like their client cores, and nothing else. */
#include "tests/unit/errata_listed.h"
#include "tests/unit/errata_named.h"
#include "tests/unit/unit.h"
#include <stdlib.h>

#define N(a) (sizeof(a) / sizeof *(a))
enum kind { ONE, CORE, ATOM };

static uint32_t intel(unsigned model, enum kind kind, uint32_t native)
{
    struct cpu_id id = {.vendor = "GenuineIntel", .family = 6, .model = model};
    if (kind != ONE) {
        id.f7_edx = CPUID_7_EDX_HYBRID;
        id.f1a_eax = (kind == ATOM ? 0x20u : 0x40u) << 24 | native;
    }
    return pmu_errata_cpu(&id);
}

static const struct {
    const char *list;
    unsigned model;
    enum kind kind;
} cpus[] = {{"HSW", 0x3c, ONE},  {"HSW", 0x45, ONE},  {"HSW", 0x46, ONE},  {"HSX", 0x3f, ONE},
            {"BDW", 0x3d, ONE},  {"BDW", 0x47, ONE},  {"BDX", 0x4f, ONE},  {"BDW-DE", 0x56, ONE},
            {"SKL", 0x4e, ONE},  {"SKL", 0x5e, ONE},  {"SKL", 0x8e, ONE},  {"SKL", 0x9e, ONE},
            {"SKL", 0xa5, ONE},  {"SKL", 0xa6, ONE},  {"SKX", 0x55, ONE},  {"CLX", 0x55, ONE},
            {"ADL", 0x97, CORE}, {"ADL", 0x9a, CORE}, {"ADL", 0xb7, CORE}, {"ADL", 0xba, CORE},
            {"ADL", 0xbf, CORE}, {"MTL", 0xaa, ATOM}, {"MTL", 0xac, ATOM}, {"MTL", 0xb5, ATOM},
            {"ARL", 0xc5, ATOM}, {"SRF", 0xaf, ONE}};

/* Is it one of the words? */
static bool has_word(const char *words, const char *word)
{
    const size_t len = strlen(word);
    for (const char *s = words; (s = strstr(s, word)); s += len)
        if ((s == words || s[-1] == ' ') && (s[len] == ' ' || !s[len])) return true;
    return false;
}

static uint64_t named(const char *names)
{
    char copy[80], *rest = NULL;
    uint64_t set = 0;
    assert_true(strlen(names) < sizeof copy);
    strcpy(copy, names);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        if (!erratum_named(name)) fail_msg("no erratum %s", name);
        set |= erratum_named(name);
    }
    return set;
}

TEST(all_that_is_listed)
{
    unsigned events = 0;
    for (unsigned i = 0; i < N(listed); i++)
        for (unsigned c = 0; c < N(cpus); c++) {
            if (!has_word(listed[i].lists, cpus[c].list)) continue;
            const uint32_t cpu = intel(cpus[c].model, cpus[c].kind, 2);
            char *end;
            for (const char *s = listed[i].umasks; *s; s = end) {
                const uint32_t umask = (uint32_t)strtoul(s, &end, 16);
                const uint64_t want = named(listed[i].errata);
                if ((pmu_errata(cpu, listed[i].event, umask) & want) != want)
                    fail_msg("model %xh, event %xh, unit mask %xh: not %s", cpus[c].model, listed[i].event,
                             umask, listed[i].errata);
                events++;
            }
        }
    assert_true(events > 500);
}

/* Unit masks are sets of causes. A bit that all masks have which are listed for an event and an erratum is a
 * cause that has the erratum, alone as well. */
TEST(each_common_cause)
{
    unsigned causes = 0;
    for (unsigned i = 0; i < N(listed); i++)
        for (unsigned c = 0; c < N(cpus); c++) {
            if (!has_word(listed[i].lists, cpus[c].list)) continue;
            const uint32_t cpu = intel(cpus[c].model, cpus[c].kind, 2);
            uint32_t common = 0xff;
            char *end;
            for (const char *s = listed[i].umasks; *s; s = end) common &= (uint32_t)strtoul(s, &end, 16);
            for (unsigned bit = 1; bit < 256; bit <<= 1) {
                /* Of D0h, bit 0 is loads, and bit 5 those that are locked; of A3h, masks are numbers. */
                if (!(common & bit) || (listed[i].event == 0xd0 && bit == 1) || listed[i].event == 0xa3)
                    continue;
                const uint64_t want = named(listed[i].errata);
                if ((pmu_errata(cpu, listed[i].event, bit) & want) != want)
                    fail_msg("model %xh, event %xh, unit mask %xh: not %s", cpus[c].model, listed[i].event,
                             bit, listed[i].errata);
                causes++;
            }
        }
    assert_true(causes > 100);
}

/* The masks that are listed for this CPU, event and erratum, together. */
static uint32_t listed_causes(const char *list, unsigned event, uint64_t erratum)
{
    uint32_t causes = 0;
    for (unsigned i = 0; i < N(listed); i++) {
        char *end;
        if (listed[i].event != event || !has_word(listed[i].lists, list)) continue;
        if (!(named(listed[i].errata) & erratum)) continue;
        for (const char *s = listed[i].umasks; *s; s = end) causes |= (uint32_t)strtoul(s, &end, 16);
    }
    return causes;
}

/* A bit that no such mask has lacks the erratum, unless all bits of the event have it. */
TEST(no_other_cause)
{
    unsigned others = 0;
    for (unsigned c = 0; c < N(cpus); c++)
        for (unsigned event = 0; event < 256; event++)
            for (unsigned e = 0; e < 64; e++) {
                const uint64_t erratum = 1ull << e;
                const uint32_t cpu = intel(cpus[c].model, cpus[c].kind, 2);
                const uint32_t causes = listed_causes(cpus[c].list, event, erratum);
                uint32_t has = 0;
                for (unsigned bit = 1; bit < 256; bit <<= 1)
                    if (pmu_errata(cpu, event, bit) & erratum) has |= bit;
                if (!causes || has == 0xff) continue;
                if (has & ~causes)
                    fail_msg("model %xh, event %xh, erratum %u: unit masks %xh, not %xh\n", cpus[c].model,
                             event, e, has, causes);
                others++;
            }
    assert_true(others > 100);
}

/* Of D0h, 81h is all loads, and only 21h, those that are locked, is listed with these. */
TEST(locked_loads)
{
    static const unsigned others[] = {0x01, 0x11, 0x12, 0x41, 0x42, 0x81, 0x82};
    for (unsigned i = 0; i < N(others); i++) {
        assert_false(pmu_errata(intel(0x3c, ONE, 0), 0xd0, others[i]) & named("HSD76"));
        assert_false(pmu_errata(intel(0x3d, ONE, 0), 0xd0, others[i]) & named("BDM35"));
    }
}

/* Linux' intel_ht_bug(), which says the same of the servers. */
TEST(hyper_threading)
{
    static const struct {
        unsigned model;
        const char *name;
    } cores[] = {{0x2a, "BJ122"}, {0x2d, "BJ122"}, {0x3a, "BV98"},  {0x3e, "BV98"},
                 {0x3c, "HSD29"}, {0x3f, "HSD29"}, {0x45, "HSD29"}, {0x46, "HSD29"}};
    for (unsigned i = 0; i < N(cores); i++)
        for (unsigned event = 0xcf; event <= 0xd4; event++)
            for (unsigned bit = 0; bit < 8; bit++) {
                const uint64_t set = pmu_errata(intel(cores[i].model, ONE, 0), event, 1u << bit);
                assert_int_equal((set & named(cores[i].name)) != 0, event >= 0xd0 && event <= 0xd3);
                assert_false(pmu_errata_without_smt(set) & named("BJ122 BV98 HSD29 HSM30 HSD62"));
            }
}

/* Sandy Bridge-EP alone undercounts what the L3 serves. */
TEST(l3_of_the_first_server)
{
    static const uint16_t codes[] = {0x04d1, 0x20d1, 0x01d2, 0x02d2, 0x04d2, 0x08d2, 0x01d3, 0x04d3, 0x01cd};
    for (unsigned i = 0; i < N(codes); i++) {
        const uint64_t l3 = named("SNB_EP_L3");
        assert_true(pmu_errata(intel(0x2d, ONE, 0), codes[i] & 0xff, codes[i] >> 8) & l3);
        assert_false(pmu_errata(intel(0x2a, ONE, 0), codes[i] & 0xff, codes[i] >> 8) & l3);
    }
    assert_int_equal(pmu_errata_effect(named("SNB_EP_L3")), ERRATUM_LOW);
    assert_false(pmu_errata(intel(0x2d, ONE, 0), 0xd1, 0x01) & named("SNB_EP_L3"));
}

/* Far transfers: instructions and branches on Atom cores up to Sierra Forest, whose erratum alone has a known
 * name, and instructions on Clearwater Forest. */
TEST(far_transfers)
{
    static const unsigned atoms[] = {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5c, 0x5f,
                                     0x7a, 0x86, 0x96, 0x9c, 0xbe, 0xb6};
    const uint64_t far = erratum_named("far transfers");
    for (unsigned i = 0; i < N(atoms); i++) {
        assert_int_equal(pmu_errata(intel(atoms[i], ONE, 0), 0xc0, 0), far);
        assert_true(far && pmu_errata(intel(atoms[i], ONE, 0), 0xc4, 0xbf) & far);
    }
    assert_int_equal(pmu_errata(intel(0xaf, ONE, 0), 0xc0, 0), named("SRF7"));
    assert_true(pmu_errata(intel(0xaf, ONE, 0), 0xc4, 0xbf) & named("SRF7"));
    assert_int_equal(pmu_errata(intel(0x97, ATOM, 1), 0xc4, 0), far);
    assert_int_equal(pmu_errata(intel(0x97, CORE, 1), 0xc4, 0), 0);
    assert_int_equal(pmu_errata(intel(0xdd, ONE, 0), 0xc0, 0), far);
    assert_int_equal(pmu_errata(intel(0xaa, ATOM, 1), 0xc0, 0), far);
    for (unsigned select = 0; select < 256; select++) /* none is listed for its other cores */
        for (unsigned umask = 0; umask < 256; umask += 5)
            assert_int_equal(pmu_errata(intel(0xaa, CORE, 1), select, umask), 0);
    assert_int_equal(pmu_errata(intel(0xdd, ONE, 0), 0xc4, 0), 0);
    assert_int_equal(pmu_errata(intel(0xc5, ATOM, 3), 0xc4, 0), 0); /* Skymont */
    assert_int_equal(pmu_errata_effect(named("SRF7 ARL011 MTL013")), ERRATUM_HIGH);
}

/* CPUs whose lists name none. */
TEST(none)
{
    static const unsigned models[] = {0x0f, 0x1a, 0x1c, 0x25, 0x2c, 0x57, 0x6a, 0x7e,
                                      0x8c, 0x8f, 0xa7, 0xad, 0xcf, 0xbd, 0xcc};
    for (unsigned i = 0; i < N(models); i++)
        for (unsigned event = 0; event < 256; event++)
            for (unsigned umask = 0; umask < 256; umask++)
                assert_int_equal(pmu_errata(intel(models[i], ONE, 0), event, umask), 0);
    /* And events beside those that have some. */
    assert_int_equal(pmu_errata(intel(0x5e, ONE, 0), 0xd1, 0x01), 0);
    assert_int_equal(pmu_errata(intel(0x5e, ONE, 0), 0x3c, 0x00), 0);
    assert_int_equal(pmu_errata(intel(0x3d, ONE, 0), 0x08, 0x20), 0);
    assert_int_equal(pmu_errata(intel(0x3c, ONE, 0), 0x24, 0x42), 0);
}

TEST(amd)
{
    static const struct {
        unsigned family, model;
        const char *name;
    } zens[] = {{0x17, 0x01, "990"},  {0x17, 0x18, "990"},  {0x17, 0x31, "1291"}, {0x17, 0x50, "990"},
                {0x17, 0x71, "1291"}, {0x19, 0x01, "1292"}, {0x19, 0x21, "1292"}, {0x19, 0x50, "1292"},
                {0x19, 0x11, ""},     {0x19, 0x61, ""},     {0x1a, 0x02, ""},     {0x15, 0x01, ""}};
    for (unsigned i = 0; i < N(zens); i++) {
        const struct cpu_id id = {.vendor = "AuthenticAMD", .family = zens[i].family, .model = zens[i].model};
        assert_int_equal(pmu_errata(pmu_errata_cpu(&id), 0xc0, 0), named(zens[i].name));
        assert_int_equal(pmu_errata(pmu_errata_cpu(&id), 0x1c7, 3), named(zens[i].name));
        assert_int_equal(pmu_errata(pmu_errata_cpu(&id), 0x76, 0), 0);
    }
    const struct cpu_id hygon = {.vendor = "HygonGenuine", .family = 0x18};
    assert_int_equal(pmu_errata(pmu_errata_cpu(&hygon), 0xc0, 0), named("990"));
}

TEST(effects)
{
    assert_int_equal(pmu_errata_effect(named("990 1291 1292")), ERRATUM_HIGH);
    assert_int_equal(pmu_errata_effect(named("HSD25 HSD65")), ERRATUM_WRONG);
    assert_int_equal(pmu_errata_effect(named("HSD25 HSM26")), ERRATUM_LOW);
    assert_int_equal(pmu_errata_effect(named("SKL091")), ERRATUM_WRONG);
    for (unsigned i = 0; pmu_erratum(i); i++)
        assert_int_equal(erratum_named(pmu_erratum(i)->name), 1ull << i);
}
