/* Registers in words, and back: for every event of every modelled CPU, what pmu_ops.settings says is what the
 * driver writes to the model, and what decode says of these values names the event and nothing reserved. */
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/netburst.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *family;
    unsigned signature;
} models[] = {
#define MODEL(name, family, signature, ...) {#name, #family, signature},
#include "sim/models.def"
#undef MODEL
};

static struct sim *sim;
static char near[128], text[16384], again[PMU_NAME];

/* Of newer CPUs the model answers the leaves about counters; Bochs answers the others. */
static void identify(const char *model, struct cpu_id *id)
{
    unsigned i = 0;
    while (strcmp(models[i].name, model) != 0) i++;
    const unsigned s = models[i].signature, family = s >> 8 & 15;
    const bool amd = strcmp(models[i].family, "amd") == 0;
    id->family = family == 15 ? 15 + (s >> 20 & 255) : family;
    id->model = (s >> 4 & 15) | (s >> 12 & 0xf0);
    id->stepping = s & 15;
    strcpy(id->vendor, amd ? "AuthenticAMD" : "GenuineIntel");
    if (amd && id->family >= 0x15) id->x1_ecx |= CPUID_X1_ECX_PERFCTR_CORE;
    if (strcmp(models[i].family, "arch") == 0) {
        const struct cpuid_regs a = hw_cpuid(10, 0);
        id->fa.eax = a.eax, id->fa.ebx = a.ebx, id->fa.ecx = a.ecx, id->fa.edx = a.edx;
    }
}

static void plug(const char *model)
{
    static const struct sim_host host;
    struct cpu_id id;
    if (sim) sim_free(sim);
    sim = sim_new(model, NULL, &host);
    assert_non_null(sim);
    sim_hw_plug(sim, &id);
    identify(model, &id);
    probe(&id);
}

/* "label|text\n" for each line; the word that counts the same goes to again[]. */
static void line(void *ctx, const char *label, const char *words)
{
    const size_t n = strlen(text);
    (void)ctx;
    snprintf(text + n, sizeof text - n, "%s|%s\n", label, words);
    if (strcmp(label, "events=") == 0) snprintf(again, sizeof again, "%s", words);
}

static void decode(uint64_t value, const char *as)
{
    text[0] = again[0] = '\0';
    if (!pmu_decode_value(&pmu, value, as, strlen(as), line, NULL, why, sizeof why))
        fail_msg("%s: %s", as, why);
}

static void refuse(uint64_t value, const char *as, const char *part)
{
    text[0] = '\0';
    assert_false(pmu_decode_value(&pmu, value, as, strlen(as), line, NULL, why, sizeof why));
    if (!strstr(why, part)) fail_msg("%s: %s", as, why);
    assert_string_equal(text, "");
}

static void has(const char *part)
{
    if (!strstr(text, part)) fail_msg("no \"%s\" in:\n%s", part, text);
}

static void lacks(const char *part)
{
    if (strstr(text, part)) fail_msg("\"%s\" in:\n%s", part, text);
}

/* ---- every event ---- */

/* The counter's registers on the model are as settings() says. Bits that reads of the model change do not
 * matter: OVF. */
static void check_settings(const struct pmu_code *c, unsigned counter, const struct pmu_setting *s,
                           unsigned n)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL};
    uint64_t value;
    codes[counter] = c;
    if (!program(codes)) fail_msg("%s: %s", c->name, why);
    pmu_start(&pmu);
    for (unsigned i = 0; i < n; i++) {
        assert_true(rdmsr_safe(s[i].msr, &value));
        if (value != s[i].value)
            fail_msg("%s %s: MSR %x is %llx, not %llx", pmu.model, c->name, s[i].msr, (long long)value,
                     (long long)s[i].value);
    }
    pmu_stop(&pmu);
    pmu.ops->release(&pmu);
}

/* The event's name is said of one of its registers; nothing reserved is said of any. */
static void check_words(const struct pmu_code *c, const char *name, const struct pmu_setting *s, unsigned n)
{
    char msr[16], is[PMU_NAME + 8];
    bool named = false;
    for (unsigned i = 0; i < n; i++) {
        if (s[i].msr == 0x38f || s[i].msr == 0xc0000301) continue; /* all counters' enable bits */
        snprintf(msr, sizeof msr, "%x", s[i].msr);
        strcat(msr, "h");
        decode(s[i].value, msr);
        lacks("reserved");
        snprintf(is, sizeof is, "|%s:", name);
        named |= strstr(text, is) != NULL;
        snprintf(is, sizeof is, "|%s at ", name); /* of a fixed counter */
        named |= strstr(text, is) != NULL;
        if (!again[0]) continue;
        const struct pmu_code back = code(again);
        if (back.select != c->select) fail_msg("%s is not %s", again, c->name);
    }
    if (!named) fail_msg("%s: %s is not named:\n%s", pmu.model, name, text);
}

/* On each counter. */
static void check(const char *word, const char *name)
{
    const struct pmu_code c = code(word);
    struct pmu_setting s[PMU_SETTINGS];
    unsigned done = 0;
    for (unsigned i = 0; i < pmu.counters; i++) {
        const unsigned n = pmu.ops->settings(&pmu, &c, i, s);
        if (!(c.counters >> i & 1)) assert_int_equal(n, 0);
        if (!n) continue;
        assert_true(n <= PMU_SETTINGS);
        if (pmu.usable >> i & 1) check_settings(&c, i, s, n); /* topdown.slots is not modelled */
        check_words(&c, name, s, n);
        done++;
    }
    if (!done) fail_msg("%s: no counter of %s", word, pmu.model);
}

static void check_event(const struct pmu_event *e)
{
    char word[2 * PMU_NAME];
    check(e->name, e->name);
    snprintf(word, sizeof word, "%s:u", e->name);
    if (!(pmu.classes & CLASS_NETBURST) || !(e->code & NB_ANY_CPL)) check(word, e->name);
    for (unsigned i = 0; i < pmu.ops->n_umasks; i++) {
        if (!e->umasks || pmu.ops->umasks[i].set != e->umasks) continue;
        struct pmu_code c;
        snprintf(word, sizeof word, "%s:%s", e->name, pmu.ops->umasks[i].name);
        if (pmu_event_parse(&pmu, word, strlen(word), &c, why, sizeof why, NULL, 0)) {
            const struct pmu_code with = code(word);
            struct pmu_setting s[PMU_SETTINGS];
            const unsigned counter = (unsigned)__builtin_ctz(with.counters),
                           n = pmu.ops->settings(&pmu, &with, counter, s);
            text[0] = '\0';
            assert_true(n > 0);
            assert_true(
                pmu_decode_event(&pmu, word, strlen(word), line, NULL, why, sizeof why, near, sizeof near));
            has(e->name);
            lacks("reserved");
        }
    }
}

TEST(test_every_event)
{
    unsigned events = 0;
    for (unsigned i = 0; i < N(models); i++) {
        plug(models[i].name);
        for (const struct pmu_event *e = NULL; (e = pmu_event_next(&pmu, e)); events++) check_event(e);
    }
    if (events < 590) fail_msg("%u events", events);
}

/* Modifiers come back, too. */
TEST(test_modifiers)
{
    static const char *const words[] = {"%s:cmask=3", "%s:cmask=1:inv:k", "%s:edge:u",
                                        "%s:cmask=255:inv:edge"};
    for (unsigned i = 0; i < N(models); i++) {
        plug(models[i].name);
        if (pmu.classes & (CLASS_P5 | CLASS_NETBURST)) continue;
        for (unsigned k = 0; k < N(words); k++) {
            char word[64], raw[64];
            struct pmu_setting s[PMU_SETTINGS];
            snprintf(raw, sizeof raw, "/event=0xc0,umask=0x00%s/", k == 0 ? ",cmask=3" : ",edge,cmask=2");
            snprintf(word, sizeof word, words[k],
                     pmu.classes & CLASS_P6 ? "uops_retired" : "instruction_retired");
            const struct pmu_code c = code(pmu.classes & CLASS_AMD ? raw : word);
            const unsigned counter = (unsigned)__builtin_ctz(c.counters);
            pmu.ops->settings(&pmu, &c, counter, s);
            decode(s[0].value, "");
            if (!again[0]) fail_msg("%s: %s", c.name, text);
            assert_true(code(again).select == c.select);
        }
    }
}

/* ---- values ---- */

TEST(test_p5)
{
    plug("p55c");
    decode(0x00c00096, "");
    has("|CESR (MSR 0x11) = 0xc00096\n");
    has("|instructions_executed: ");
    has("CC0|events at CPL 3\n");
    has("ES1|0x00\n");
    has("CC1|events at any CPL\n");
    lacks("reserved");
    decode(0x0f000000ull | 1ull << 40 | 0xc00, "cesr");
    has("reserved|but set: bits 10 to 11, 26 to 27, 40\n");
    has("PC1|");
    decode(0x2f | 0x2f << 16, "0x11"); /* one code, two events: each by its counter */
    has("is|saturating_mmx_instructions_executed: ");
    has("is|saturations_performed: ");
    refuse(0, "evntsel", "has no register \"evntsel\" that selects events. Valid: cesr,");
    refuse(0, "0x12", "such as 0x11");
}

TEST(test_p6)
{
    plug("p3");
    decode(0x2043412e, "evntsel1"); /* EN is EVNTSEL0's */
    has("|EVNTSEL1 (MSR 0x187) = 0x2043412e\n");
    has("|l2_rqsts:0x41: ");
    has("CMASK|0x20");
    has("reserved|but set: bit 22\n");
    decode(0x00d1012e, "186H");
    has("events=|l2_rqsts:i:u\n");
    has("INT|");
    has("INV|");
    decode(0x004000fb, "EVNTSEL");
    has("this CPU has no event with a name for it");
    has("USR OS|counts at no CPL\n");
    refuse(0, "evntsel2", "evntsel2");
    refuse(0, "0x188", "0x188");
}

TEST(test_netburst)
{
    plug("prescott");
    decode(0x0c000204, ""); /* ESCR or CCCR: both */
    has("|ESCR = 0xc000204\n");
    has("|CCCR = 0xc000204\n");
    decode(0x04000204, "escr"); /* one select, several units */
    has("|uop_type:");
    has("|instr_retired");
    has("|machine_clear");
    decode(0x04000204, "0x3b8"); /* CRU_ESCR0 */
    has("is|instr_retired:nbogusntag: ");
    lacks("machine_clear");
    decode(0x8103b000, "cccr12");
    has("|CCCR12 (MSR 0x36c) = 0x8103b000\n");
    has("ESCR|MSR 0x3cc selects its event\n");
    has("OVF|");
    decode(1u << 11, "cccr0");
    has("reserved|but set: bit 11\n");
    decode(1u << 11, "cccr12");
    has("EXTENDED|");
    lacks("reserved");
    decode(0x3000003, "pebs_enable");
    has("UOP_TAG|");
    has("ENABLE|");
    has("L2|");
    decode(0x19, "0x3f2");
    has("loads|");
    has("branches|");
    has("reserved|but set: bit 3\n");
    refuse(0, "0x3a1f", "0x3a1f");
    refuse(0, "escr3", "escr3");
    refuse(0, "0x3ba", "0x3ba"); /* IQ_ESCR0: not on a Prescott */
}

TEST(test_event)
{
    plug("prescott");
    text[0] = '\0';
    assert_true(pmu_decode_event(&pmu, "memory_loads:u", 14, line, NULL, why, sizeof why, near, sizeof near));
    has("|memory_loads:u on counter 12\n|wrmsr 0x3bc 0x400040");
    has("|wrmsr 0x36c 0x3b000\n");
    has("uop_type:tagloads");
    assert_false(pmu_decode_event(&pmu, "bogus_name", 10, line, NULL, why, sizeof why, near, sizeof near));
    plug("skylake");
    text[0] = '\0';
    assert_true(pmu_decode_event(&pmu, "cpu_clk_unhalted.ref_tsc", 24, line, NULL, why, sizeof why, near,
                                 sizeof near));
    has("wrmsr 0x38d 0x300\n");
    has("wrmsr 0x38f 0x400000000\n");
    has("fixed 2|cpu_clk_unhalted.ref_tsc at any CPL\n");
}

TEST(test_numbers)
{
    static const struct {
        const char *s;
        bool good;
        uint64_t value;
    } n[] = {
        {"0", true, 0},   {"0x1F", true, 31}, {"1fh", true, 31}, {"18446744073709551615", true, UINT64_MAX},
        {"", false, 0},   {"0x", false, 0},   {"h", false, 0},   {"18446744073709551616", false, 0},
        {"1g", false, 0}, {"-1", false, 0},   {"1f", false, 0},  {"0x10000000000000000", false, 0}};
    uint64_t v;
    for (unsigned i = 0; i < N(n); i++) {
        v = 0;
        assert_int_equal(pmu_decode_number(n[i].s, strlen(n[i].s), &v), n[i].good);
        if (n[i].good) assert_true(v == n[i].value);
    }
}

TEST(test_none)
{
    const struct pmu none = {.model = NULL};
    assert_false(pmu_decode_value(&none, 1, "", 0, line, NULL, why, sizeof why));
    assert_false(pmu_decode_event(&none, "cycles", 6, line, NULL, why, sizeof why, near, sizeof near));
}
