/* The event database against libpfm4, which it was made from: what pfmdump wrote down of the library is read
 * here a second time, and the defects that are mended are known from a list of this test's own. */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/perfmon.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UMASKS 256

static char directory[256]; /* where events.db and events/ are */
static uint8_t *file;       /* a copy that fits exactly */
static size_t size;
static char why[200], near[200];

static void *load(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    data[*bytes] = '\0';
    fclose(f);
    return data;
}

static int open_it(void **state)
{
    (void)state;
    uint8_t *data = load("events.db", &size);
    file = malloc(size);
    memcpy(file, data, size);
    free(data);
    if (!db_open(file, size, why, sizeof why)) fail_msg("%s", why);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    db_open(NULL, 0, why, sizeof why);
    free(file);
    return 0;
}

/* ---- the round trip ---- */

static char *field(char **rest)
{
    char *s = *rest, *tab = strchr(s, '\t');
    *rest = tab ? tab + 1 : s + strlen(s);
    if (tab) *tab = '\0';
    return s;
}

static void lower(char *s)
{
    for (; *s; s++) *s = (char)tolower((unsigned char)*s);
}

/* The event being read, as the database ought to have it. */
static struct {
    const struct db_pmu *pmu;
    const char *pmu_name;
    char name[128], umask[UMASKS][128];
    unsigned n;
    bool bare, skip, together[UMASKS][UMASKS];
    bool inv_alone[UMASKS]; /* INV without CMASK, which the CPU ignores: mended with CMASK 1 */
    unsigned encodings, refused, events;
    unsigned odd[UMASKS][3], n_odd; /* threes that the database refuses and the library does not */
} at;

/* The library's code after what facts section 3.7 says of it. */
static uint64_t mended(uint64_t code, const unsigned *of, unsigned n)
{
    bool four = false, wrong = false;
    uint64_t right = 0;
    for (unsigned i = 0; at.pmu->form == DB_SELECT && i < n; i++)
        if (at.inv_alone[of[i]] && (code & 1 << 23)) code |= 1 << 24;
    if (strncmp(at.pmu_name, "netburst", 8) != 0 || strcmp(at.name, "b2b_cycles") != 0) return code;
    for (unsigned i = 0; i < n; i++) {
        const char *u = at.umask[of[i]];
        four |= strcmp(u, "bit4") == 0;
        if (strcmp(u, "bit5") == 0) wrong = true, right |= 1u << 14;
        if (strcmp(u, "bit6") == 0) wrong = true, right |= 1u << 15;
    }
    return (wrong && !four ? code & ~(1ull << 13) : code) | right;
}

static void check_encoding(char *rest)
{
    char spec[512], *codes;
    unsigned of[3], n = 0;
    snprintf(spec, sizeof spec, "%s", field(&rest));
    codes = rest;
    uint64_t select = strtoull(field(&codes), NULL, 16), extra = strtoull(field(&codes), NULL, 16);
    const struct db_event *e = db_event_named(at.pmu, at.name);
    if (!e) fail_msg("%s::%s is missing", at.pmu_name, at.name);
    for (char *u = strtok(spec, ":"); u; u = strtok(NULL, ":")) {
        lower(u);
        if (strcmp(at.name, "mispred_branch_retired") == 0 && strcmp(u, "bogus") == 0) u = (char *)"nbogus";
        unsigned i = 0;
        while (i < at.n && strcmp(at.umask[i], u) != 0) i++;
        assert_true(i < at.n && n < 3);
        of[n++] = i;
    }
    if (n == 2) at.together[of[0]][of[1]] = at.together[of[1]][of[0]] = true;
    if (n == 0) at.bare = true;
    for (unsigned turn = 0; turn < (n == 2 ? 2 : 1); turn++) { /* whatever comes first */
        struct db_pick pick = {.event = e};
        for (unsigned i = 0; i < n; i++) {
            const char *u = at.umask[of[(i + turn) % n]];
            enum db_answer answer = db_pick_umask(&pick, u);
            if (answer == DB_EXCLUDED && n == 3) {
                assert_true(at.n_odd < UMASKS);
                memcpy(at.odd[at.n_odd++], of, sizeof of);
                return;
            }
            if (answer != DB_TAKEN) fail_msg("%s::%s:%s is refused", at.pmu_name, at.name, u);
        }
        /* Left to the drivers: privilege, enable and interrupt (facts section 8 for the ESCR's four bits). */
        uint64_t mask = at.pmu->form == DB_ESCR ? ~0xfull : ~0x530000ull;
        uint64_t wanted = mended(select, of, n) & mask;
        if (db_select(&pick) != wanted || db_extra(&pick) != extra)
            fail_msg("%s::%s with %u unit masks (%s): %llx %llx, not %llx %llx", at.pmu_name, at.name, n,
                     n ? at.umask[of[0]] : "", (long long)db_select(&pick), (long long)db_extra(&pick),
                     (long long)wanted, (long long)extra);
    }
    at.encodings++;
}

/* What the library refuses. */
static void check_refusals(void)
{
    if (!at.name[0] || at.skip) return;
    const struct db_event *e = db_event_named(at.pmu, at.name);
    assert_non_null(e);
    assert_int_equal(e->n_umasks, at.n);
    assert_int_equal(!(e->flags & DB_WANTS_UMASK), at.bare);
    for (unsigned a = 0; a < at.n; a++) {
        struct db_pick first = {.event = e};
        assert_int_equal(db_pick_umask(&first, at.umask[a]), DB_TAKEN);
        for (unsigned b = 0; b < at.n; b++) {
            struct db_pick pick = first;
            if (a == b) continue;
            enum db_answer answer = db_pick_umask(&pick, at.umask[b]);
            if ((answer == DB_TAKEN) != at.together[a][b])
                fail_msg("%s::%s:%s:%s", at.pmu_name, at.name, at.umask[a], at.umask[b]);
            at.refused += answer == DB_EXCLUDED;
        }
    }
    /* The library takes some threes of which it refuses two (bdw's uops_executed with three values of cmask).
     */
    for (unsigned i = 0; i < at.n_odd; i++) {
        const unsigned *of = at.odd[i];
        assert_false(at.together[of[0]][of[1]] && at.together[of[0]][of[2]] && at.together[of[1]][of[2]]);
    }
    struct db_pick pick = {.event = e};
    assert_int_equal(db_pick_umask(&pick, "no such thing"), DB_UNKNOWN);
    at.events++;
}

static void round_trip(const char *name)
{
    size_t bytes;
    char *text = load(name, &bytes), *rest, *next;
    memset(&at, 0, sizeof at);
    for (char *line = text; *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';
        rest = line;
        char kind = *field(&rest);
        if (kind == 'P' || kind == 'E') check_refusals();
        if (kind == 'P') {
            at.name[0] = '\0';
            at.pmu_name = field(&rest);
            at.skip = strcmp(at.pmu_name, "amd64_fam17h") == 0; /* deprecated: its events are zen1's */
            at.pmu = db_pmu_named(at.pmu_name);
            assert_true(at.skip == !at.pmu);
        }
        if (at.skip) continue;
        if (kind == 'E') {
            at.n = at.n_odd = 0;
            at.bare = false;
            memset(at.together, 0, sizeof at.together);
            snprintf(at.name, sizeof at.name, "%s", field(&rest));
            lower(at.name);
            if (strcmp(at.name, "uops_type") == 0) strcpy(at.name, "uop_type");
        }
        if (kind == 'U') {
            char *u = at.umask[at.n++];
            snprintf(u, sizeof at.umask[0], "%s", field(&rest));
            lower(u);
            field(&rest);
            uint64_t bits = strtoull(field(&rest), NULL, 16);
            at.inv_alone[at.n - 1] = (bits & 0x8000) && !(bits & 0xff0000);
            if (strcmp(at.name, "mispred_branch_retired") == 0 && strcmp(u, "bogus") == 0 &&
                strncmp(at.pmu_name, "netburst", 8) == 0)
                strcpy(u, "nbogus");
        }
        if (kind == 'X') check_encoding(rest);
    }
    check_refusals();
    free(text);
}

static void test_round_trip_amd64(void **state)
{
    (void)state;
    round_trip("events/amd64.txt");
    assert_true(at.events > 3500 && at.encodings > 60000 && at.refused > 10000);
}

static void test_round_trip_i386(void **state)
{
    size_t bytes;
    (void)state;
    char *text = load("events/i386.txt", &bytes);
    free(text);
    if (!bytes) skip();
    round_trip("events/i386.txt");
    assert_true(at.events > 3900);
    assert_non_null(db_pmu_named("coreduo"));
    assert_non_null(db_pmu_named("pm"));
    assert_non_null(db_pmu_named("p6"));
}

/* ---- through the event words, to what a driver programs ---- */

/* Eight general-purpose counters, and Intel's four fixed ones behind them. */
static struct pmu cpu_of(const char *database, const struct pmu_ops *ops)
{
    struct pmu pmu = {.ops = ops, .model = "test", .counters = 8, .width = 48, .database = database};
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu.rdpmc_index[i] = i;
    pmu.own[OWN_GENERAL] = 8;
    if (ops != &pmu_arch_ops) return pmu;
    pmu.any_thread = true;
    pmu.counters = 12;
    for (unsigned i = 0; i < 4; i++) pmu.rdpmc_index[8 + i] = 0x40000000u + i;
    return pmu;
}

static struct pmu_code code;
static bool parse(const struct pmu *pmu, const char *word)
{
    return pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}

#define EVENT_BITS 0xfff84ffffull /* 35:32, CMASK, INV, E, unit mask, event */

static void check_words(const struct db_pmu *p, const struct db_event *e, const struct db_umask *u,
                        bool intel)
{
    char word[PMU_NAME * 2];
    struct db_pick pick = {.event = e};
    struct pmu pmu = cpu_of(db_text(p->name), intel ? &pmu_arch_ops : &pmu_amd_ops);
    if (u) db_pick_umask(&pick, db_text(u->name & DB_NAME));
    snprintf(word, sizeof word, "%s%s%s", db_text(e->name), u ? ":" : "",
             u ? db_text(u->name & DB_NAME) : "");
    assert_true(strlen(word) < PMU_NAME);
    bool programmable = !(e->extra_msr && db_extra(&pick)) && (u || !(e->flags & DB_WANTS_UMASK));
    if (parse(&pmu, word) != programmable) fail_msg("%s::%s: %s", pmu.database, word, why);
    if (!programmable) return;
    if ((code.select & EVENT_BITS) != (db_select(&pick) & EVENT_BITS))
        fail_msg("%s::%s: %llx", pmu.database, word, (long long)code.select);
}

static void check_pmu(const char *name)
{
    const struct db_pmu *p = db_pmu_named(name);
    const struct db_event *e;
    const struct db_umask *u;
    bool intel = name[0] != 'a' || name[1] != 'm';
    struct pmu pmu = cpu_of(name, intel ? &pmu_arch_ops : &pmu_amd_ops);
    for (unsigned k = 0; (e = db_event_at(p, k)); k++) {
        if (pmu_event_named(&pmu, db_text(e->name))) continue; /* the driver's own table comes first */
        check_words(p, e, NULL, intel);
        for (unsigned m = 0; (u = db_umask_at(e, m)); m++) check_words(p, e, u, intel);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const char *const pmus[] = {"core",
                                       "nhm",
                                       "snb",
                                       "hsw",
                                       "skl",
                                       "icl",
                                       "spr",
                                       "glm",
                                       "knl",
                                       "amd64_k7",
                                       "amd64_k8_revg",
                                       "amd64_fam10h_istanbul",
                                       "amd64_fam15h_interlagos",
                                       "amd64_fam17h_zen1",
                                       "amd64_fam19h_zen4"};
    /* As the library's version may have them: Debian 12's has none of these. */
    static const char *const newer[] = {
        "emr", "gnr", "adl_glc", "adl_grt", "amd64_fam1ah_zen5", "amd64_fam1ah_zen6"};
    for (unsigned i = 0; i < sizeof pmus / sizeof pmus[0]; i++) {
        assert_non_null(db_pmu_named(pmus[i]));
        check_pmu(pmus[i]);
    }
    for (unsigned i = 0; i < sizeof newer / sizeof newer[0]; i++)
        if (db_pmu_named(newer[i])) check_pmu(newer[i]);
}

/* Facts section 8, found out by hand; and the manuals. */
static void test_known_codes(void **state)
{
    (void)state;
    static const struct {
        const char *database, *word;
        uint32_t select;
    } known[] = {
        {"skl", "uops_retired:all", 0x01c2},
        {"skl", "UOPS_RETIRED.ALL", 0x01c2},
        {"skl", "skl::uops_retired:all:u", 0x01c2},
        {"skl", "uops_retired:0x02", 0x02c2},
        {"skl", "uops_retired:all:cmask=2:inv:edge", 0x028401c2 | 1u << 23},
        {"core", "l2_rqsts:self:mesi", 0x7f2e},
        {"spr", "inst_retired:any_p", 0x00c0},
        {"snb", "l1d_pend_miss:edge", 0x01040148},
        {"hsw", "uops_executed:core_cycles_none", 0x018002b1},
        {"amd64_k7", "cpu_clk_unhalted", 0x76},
        {"amd64_k8_revb", "retired_instructions", 0xc0},
        {"amd64_fam19h_zen4", "retired_instructions:k", 0xc0},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct pmu pmu =
            cpu_of(known[i].database, strncmp(known[i].database, "amd", 3) ? &pmu_arch_ops : &pmu_amd_ops);
        if (!parse(&pmu, known[i].word)) fail_msg("%s: %s", known[i].word, why);
        if ((code.select & EVENT_BITS) != known[i].select)
            fail_msg("%s: %llx", known[i].word, (long long)code.select);
    }
}

static void test_counters(void **state)
{
    (void)state;
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    assert_int_equal(pmu_db_counters(&pmu, 0x01c0), 1 << 1);  /* INST_RETIRED.PREC_DIST */
    assert_int_equal(pmu_db_counters(&pmu, 0x81d0), 0xf);     /* MEM_INST_RETIRED.ALL_LOADS */
    assert_int_equal(pmu_db_counters(&pmu, 0x0300), 1 << 10); /* reference cycles */
    assert_int_equal(pmu_db_counters(&pmu, 0x00c0), 0);       /* wherever it likes */
    pmu.database = "snb";
    assert_int_equal(pmu_db_counters(&pmu, 0x0148), 1 << 2);
    pmu.counters = 7; /* with Hyper-Threading: four and three */
    for (unsigned i = 0; i < 3; i++) pmu.rdpmc_index[4 + i] = 0x40000000u + i;
    pmu.database = "icl";
    assert_int_equal(pmu_db_counters(&pmu, 0x04a3), 0xf); /* of 0-7, those that are there */
    pmu = cpu_of("amd64_fam15h_interlagos", &pmu_amd_ops);
    pmu.counters = 6;
    assert_int_equal(pmu_db_counters(&pmu, 0x0003), 1 << 3);    /* PERF_CTL[3] */
    assert_int_equal(pmu_db_counters(&pmu, 0x1000000c0), 0x38); /* 1C0h: PERF_CTL[5:3] */
    assert_int_equal(pmu_db_counters(&pmu, 0x0f00), 0x38);      /* 000h, one pipe group */
    assert_int_equal(pmu_db_counters(&pmu, 0xff00), 1 << 3);    /* both */
    pmu.database = NULL;
    assert_int_equal(pmu_db_counters(&pmu, 0x0003), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *word, *part, *near;
    } wrong[] = {
        {"uops_retird", "no event of this name", "uops_retired"},
        {"uops_retired:al", "not \"al\": all, ", ""},
        {"uops_retired:al:u", "wants one of", ""},
        {"uops_retired:all:retire_slots", "exclude each other", ""},
        {"uops_retired:all:0x1", "nothing beside it", ""},
        {"uops_retired:0x1:all", "exclude each other", ""},
        {"uops_retired:0x100", "0xff", ""},
        {"offcore_response_0:dmnd_data_rd", "MSR 1A6h", ""},
        {"l1d_pend_miss:edge:cmask=2", "defined with cmask=1", ""},
        {"hsw::uops_retired", "are skl::, not hsw::", ""},
        {"uops_retired:all:cmask=x", "takes a number", ""},
    };
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (parse(&pmu, wrong[i].word)) fail_msg("%s was accepted", wrong[i].word);
        if (!strstr(why, wrong[i].part)) fail_msg("%s: %s", wrong[i].word, why);
        if (strncmp(near, wrong[i].near, strlen(wrong[i].near)) != 0)
            fail_msg("%s: near %s", wrong[i].word, near);
    }
    static const char *const newer[] = {"adl_of_next_year", PMU_TOO_NEW};
    pmu.models = ARCH_EVENTS;
    for (unsigned i = 0; i < 2; i++) {
        pmu.database = newer[i];
        assert_false(parse(&pmu, "uops_retired"));
        assert_non_null(strstr(why, "does not know this CPU: it is newer than the library"));
        assert_true(parse(&pmu, "r01c2"));
        assert_true(parse(&pmu, "arch::instruction_retired"));
    }
}

/* A database of an older library lacks PMUs that the tables of CPUs name; one without the i386 library, the
 * Core Duo. */
static void test_older_library(void **state)
{
    (void)state;
    static const struct {
        const char *database, *part;
    } lack[] = {{"adl_glc", "newer than the library"},
                {"amd64_fam1ah_zen5", "newer than the library"},
                {"coreduo", "made without the i386 library"}};
    struct db_header *h = (struct db_header *)(void *)file;
    h->n_pmus = 0;
    db_sum(&h->strings, h->size - (uint32_t)offsetof(struct db_header, strings), h->sum);
    assert_true(db_open(file, size, why, sizeof why));
    for (unsigned i = 0; i < sizeof lack / sizeof lack[0]; i++) {
        struct pmu pmu = cpu_of(lack[i].database, lack[i].database[1] == 'm' ? &pmu_amd_ops : &pmu_arch_ops);
        if (!strstr(pmu_db_lack(&pmu), lack[i].part)) fail_msg("%s", pmu_db_lack(&pmu));
        pmu.models = lack[i].database[1] == 'm' ? AMD_ZEN : ARCH_EVENTS;
        assert_true(parse(&pmu, "r00c0"));
        assert_true(parse(&pmu, "instructions"));
    }
}

/* A 50 MIPS machine shall find any name within 1 ms. Cycles of this machine, with the sanitizers' checks, are
 * more than that one's instructions. */
static void test_fast(void **state)
{
    (void)state;
    uint64_t worst = 0;
    const struct db_pmu *p = db_pmu_named("amd64_fam10h_istanbul");
    const struct db_event *e;
    for (unsigned i = 0; (e = db_event_at(p, i)); i++) {
        uint64_t least = UINT64_MAX;
        for (unsigned turn = 0; turn < 20; turn++) {
            uint64_t begin = __builtin_ia32_rdtsc();
            const struct db_event *found =
                db_event_named(db_pmu_named("amd64_fam10h_istanbul"), db_text(e->name));
            uint64_t took = __builtin_ia32_rdtsc() - begin;
            assert_ptr_equal(found, e);
            if (took < least) least = took;
        }
        if (least > worst) worst = least;
    }
    print_message("worst look-up: %u cycles\n", (unsigned)worst);
    assert_true(worst < 50000);
}

/* ---- damage ---- */

static bool opens(const void *copy, size_t bytes) { return db_open(copy, bytes, why, sizeof why); }

/* Names are refused, saying why; raw codes work. */
static void check_closed(const char *part)
{
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    if (!strstr(why, part)) fail_msg("\"%s\" without \"%s\"", why, part);
    assert_string_equal(db_source(), "");
    assert_false(parse(&pmu, "uops_retired:all"));
    if (!strstr(why, "the event database is left aside: ") || !strstr(why, part)) fail_msg("%s", why);
    assert_true(parse(&pmu, "r01c2"));
    assert_true(parse(&pmu, "/event=0xc2,umask=1/"));
}

static void test_without(void **state)
{
    (void)state;
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    assert_true(db_open(NULL, 0, why, sizeof why));
    assert_string_equal(db_trouble(), "");
    assert_false(parse(&pmu, "uops_retired:all"));
    assert_non_null(strstr(why, "the event database is not there"));
    assert_true(parse(&pmu, "r01c2"));
}

static void test_truncated(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < size; bytes = bytes < 100 ? bytes + 1 : bytes * 2) {
        uint8_t *copy = malloc(bytes ? bytes : 1);
        memcpy(copy, file, bytes);
        if (opens(copy, bytes)) fail_msg("%u bytes were accepted", (unsigned)bytes);
        check_closed(bytes < sizeof(struct db_header) ? "no event database" : "truncated");
        free(copy);
    }
    assert_false(opens(file, size - 1));
    check_closed("truncated");
}

static void test_corrupted(void **state)
{
    (void)state;
    uint8_t *copy = malloc(size);
    memcpy(copy, file, size);
    uint32_t random = 1;
    for (unsigned turn = 0; turn < 300; turn++) {
        size_t where =
            turn < sizeof(struct db_header) ? turn : (random = random * 1664525u + 1013904223u) % size;
        copy[where] ^= (uint8_t)(1u << turn % 8);
        if (opens(copy, size)) fail_msg("damage at %u was accepted", (unsigned)where);
        assert_string_equal(db_source(), "");
        copy[where] ^= (uint8_t)(1u << turn % 8);
    }
    copy[size / 2] ^= 1;
    assert_false(opens(copy, size));
    check_closed("damaged");
    copy[size / 2] ^= 1;
    memset(copy + size / 3, 0, 4096);
    assert_false(opens(copy, size));
    check_closed("damaged");
    free(copy);
}

static void test_versions(void **state)
{
    (void)state;
    uint8_t *copy = malloc(size);
    memcpy(copy, file, size);
    ((struct db_header *)(void *)copy)->version = DB_VERSION + 1;
    assert_false(opens(copy, size));
    check_closed("version 2, this kernel reads 1");
    ((struct db_header *)(void *)copy)->version = DB_VERSION - 1;
    assert_false(opens(copy, size));
    check_closed("version 0, this kernel reads 1");
    memcpy(copy,
           "\x7f"
           "ELF",
           4);
    assert_false(opens(copy, size));
    check_closed("no event database");
    free(copy);
}

/* Offsets into nowhere under a checksum that is right: nothing outside is read (the sanitizer looks on). */
static void test_hostile(void **state)
{
    (void)state;
    uint32_t random = 7;
    uint8_t *copy = malloc(size);
    const uint32_t records = ((struct db_header *)(void *)file)->strings;
    unsigned open = 0;
    for (unsigned turn = 0; turn < 60; turn++) {
        memcpy(copy, file, size);
        for (unsigned i = 0; i < 2000; i++) {
            random = random * 1664525u + 1013904223u;
            size_t where = 20 + (random >> 4) % (records - 20) / 4 * 4; /* behind version, size and sum */
            if (turn % 2 && where < 44) continue;
            memcpy(copy + where, &random, 4);
        }
        struct db_header *h = (struct db_header *)(void *)copy;
        db_sum(copy + 24, (uint32_t)size - 24, h->sum);
        if (!opens(copy, size)) continue;
        open++;
        for (unsigned p = 0; p < 40; p++) {
            const struct db_pmu *pmu = (struct db_pmu *)(void *)(copy + sizeof *h) + p;
            const struct db_event *e;
            const struct db_umask *u;
            db_event_named(pmu, "uops_retired");
            db_rule_for(pmu, random & 0xfff, 1);
            for (unsigned i = 0; i < pmu->n_events; i++) {
                if (!(e = db_event_at(pmu, i))) continue;
                struct db_pick pick = {.event = e};
                for (unsigned m = 0; (u = db_umask_at(e, m)); m++)
                    db_pick_umask(&pick, db_text(u->name & DB_NAME));
                (void)(strlen(db_text(e->name)) + strlen(db_text(e->desc)) + db_select(&pick) +
                       db_extra(&pick));
            }
        }
    }
    free(copy);
    assert_true(open >= 25);
}

int main(int argc, char **argv)
{
    (void)argc;
    char *slash = strrchr(argv[0], '/');
    snprintf(directory, sizeof directory, "%.*s/..", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)
        TEST(test_round_trip_amd64), TEST(test_round_trip_i386), TEST(test_words),   TEST(test_known_codes),
        TEST(test_counters),         TEST(test_refusals),        TEST(test_fast),    TEST(test_truncated),
        TEST(test_corrupted),        TEST(test_versions),        TEST(test_hostile), TEST(test_older_library),
        TEST(test_without),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
