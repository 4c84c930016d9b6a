/* The event database against libpfm4, which it was made from: what pfmdump wrote down of the library is read
 * here a second time, and the defects that are mended are known from a list of this test's own. */
#include "pmu/database.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UMASKS 256

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

/* What the library gives the event 0, which no general counter counts: with the codes of the SDM's tables of
 * architectural events and of Intel's lists (perfmon, SPR and later). Sapphire Rapids' bad_spec_slots has the
 * code of all slots. */
static uint64_t coded(uint64_t code, const char *umask)
{
    static const struct {
        const char *event, *umask;
        uint32_t code;
    } want[] = {{"topdown", "backend_bound_slots", 0x02a4}, {"topdown", "bad_spec_slots", 0x04a4},
                {"topdown", "br_mispredict_slots", 0x08a4}, {"topdown", "memory_bound_slots", 0x10a4},
                {"cpu_clk_unhalted", "thread", 0x003c},     {"cpu_clk_unhalted", "core", 0x003c},
                {"cpu_clk_unhalted", "core_p", 0x003c},     {"cpu_clk_unhalted", "", 0x003c},
                {"cpu_clk_unhalted", "ref", 0x013c}};
    if (strncmp(at.pmu_name, "ic", 2) == 0 && strcmp(at.name, "mem_load_misc_retired") == 0) return 0x04d4;
    if (strcmp(at.name, "mem_trans_retired") == 0 && strcmp(umask, "store_sample") == 0) return 0x02cd;
    if (strncmp(at.pmu_name, "amd64", 5) == 0 || at.pmu->form != DB_SELECT || code & 0xff) return code;
    if (strcmp(at.pmu_name, "adl_grt") == 0 && strcmp(at.name, "inst_retired") == 0) return 0x00c0;
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++)
        if (strcmp(at.name, want[i].event) == 0 && strcmp(umask, want[i].umask) == 0) return want[i].code;
    /* What is left: fixed counters 0, 2 and 3, PERF_METRICS, and Knights Corner, which has an event 0. */
    unsigned kind = code >> 8 & 0xff;
    if (kind != 1 && kind != 3 && kind != 4 && kind < 0x80 && strcmp(at.pmu_name, "knc") != 0)
        fail_msg("%s::%s:%s", at.pmu_name, at.name, umask);
    return code;
}

/* The library's code after what facts section 3.7 says of it. */
static uint64_t mended(uint64_t code, const unsigned *of, unsigned n)
{
    bool four = false, wrong = false;
    uint64_t right = 0;
    if (n < 2) code = coded(code, n ? at.umask[of[0]] : "");
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
        if (strcmp(at.name, "exe") == 0) extra = 0; /* B7h, which is no off-core response there any more */
        if (n == 1 && extra == 0 && strcmp(at.umask[of[0]], "load_latency_gt_512") == 0) extra = 512;
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

int main(int argc, char **argv)
{
    (void)argc;
    find_build(argv[0]);
    const struct CMUnitTest tests[] = {
        OPENED(test_round_trip_amd64),
        OPENED(test_round_trip_i386),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
