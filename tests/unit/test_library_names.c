/* Every name of libpfm4's, as its dump has them, on every CPU that has it here: accepted with the library's
 * encoding, or in the table of docs/events.md ("Names that are not as in the library"), with the reason.
 *
 * The table is held from both sides: a name that is refused, or is another code here, has to be in it; each
 * of its rows has to speak of some name of the PMUs that the dump has, and of none that is as in the library.
 * Rows "by version" are free to: libraries differ there.
 */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/driver.h"
#include "pmu/netburst.h"
#include "pmu/p6.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES 128

/* ---- the CPUs, each as its driver finds it ---- */

/* One for each of the library's PMUs. */
static struct machine {
    const char *library; /* libpfm4's name of its PMU */
    struct pmu pmu;
    unsigned names, refused, other; /* what the library has, and how often it is not the same here */
} machines[MACHINES];
static unsigned n_machines;

static struct machine *machine_of(const char *library)
{
    for (unsigned i = 0; i < n_machines; i++)
        if (strcmp(machines[i].library, library) == 0) return &machines[i];
    return NULL;
}

/* Which of the library's it is, where the driver has a table of its own (pmu.database is NULL). */
static const char *library_of(const struct pmu *pmu)
{
    if (pmu->ops == &pmu_netburst_ops) return pmu->models & NB_NO_IQ_ESCR ? "netburst_p" : "netburst";
    if (pmu->ops != &pmu_p6_ops) return pmu->database;
    return pmu->models & P6_PPRO   ? "ppro"
           : pmu->models & P6_PII  ? "pii"
           : pmu->models & P6_PIII ? "p6"
                                   : "pm";
}

static void plug(const struct pmu_ops *ops, const struct cpu_id *id)
{
    static const struct fake_pmu_rules none;
    struct pmu pmu = {.ops = ops};
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu.rdpmc_index[i] = i;
    fake_pmu_reset(&none);
    fake_pmu_msr(MSR_NB_MISC_ENABLE, MISC_ENABLE_PMU);
    if (!ops->detect(id, &pmu) || !pmu.counters) return;
    const char *library = library_of(&pmu);
    if (!library || !*library || machine_of(library)) return;
    assert_true(n_machines < MACHINES);
    machines[n_machines++] = (struct machine){library, pmu, 0, 0, 0};
}

/* Whatever CPUID can say: eight general counters and four fixed ones, six of AMD's. */
static void plug_all(void)
{
    static const struct pmu_ops *const intel[] = {&pmu_p6_ops, &pmu_netburst_ops, &pmu_arch_ops};
    for (unsigned k = 0; k < 0x20 * 0x100 * 2 * 2; k++) {
        struct cpu_id id = {.vendor = "GenuineIntel",
                            .family = k >> 8 & 0x1f,
                            .model = k & 0xff,
                            .stepping = k >> 13 & 1 ? 15 : 0,
                            .f7_edx = CPUID_7_EDX_HYBRID,
                            .f1a_eax = k >> 14 & 1 ? 0x20000000 : 0x40000000,
                            .f1_edx = CPUID_1_EDX_DS};
        bool architectural = false;
        for (unsigned i = 0; i < 2; i++) plug(intel[i], &id);
        id.fa = (struct cpuid_regs){.eax = 0x07300804, .edx = 48 << 5 | 4};
        architectural = pmu_arch_cpu(&id) != NULL;
        if (architectural) plug(&pmu_arch_ops, &id);
        memcpy(id.vendor, "AuthenticAMD", sizeof "AuthenticAMD");
        id.x1_ecx = CPUID_X1_ECX_PERFCTR_CORE;
        plug(&pmu_amd_ops, &id);
    }
}

/* ---- the table of docs/events.md ---- */

#define ROWS      64
#define LISTED_AS "### Names that are not as in the library"

static struct row {
    char pmu[160], name[128], is[32], reason[256];
    bool by_version; /* may be as in the library of this machine, or not in there */
    bool there;      /* one of its PMUs is in a dump */
    unsigned names;
} rows[ROWS];
static unsigned n_rows;

/* The next cell of a row, without its quotes. */
static void cell(char **at, char *out, size_t cap)
{
    char *s = *at + strspn(*at, " |`"), *end = s + strcspn(s, "|");
    *at = end;
    while (end > s && strchr(" `", end[-1])) end--;
    assert_true((size_t)(end - s) < cap);
    snprintf(out, cap, "%.*s", (int)(end - s), s);
}

static void read_table(const char *path)
{
    char line[640];
    bool inside = false;
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s is missing", path);
    while (fgets(line, sizeof line, f)) {
        char *at = line;
        if (line[0] == '#') inside = strncmp(line, LISTED_AS, sizeof LISTED_AS - 1) == 0;
        if (!inside || strncmp(line, "| `", 3) != 0) continue;
        assert_true(n_rows < ROWS);
        struct row *r = &rows[n_rows++];
        line[strcspn(line, "\n")] = '\0';
        cell(&at, r->pmu, sizeof r->pmu);
        cell(&at, r->name, sizeof r->name);
        cell(&at, r->is, sizeof r->is);
        cell(&at, r->reason, sizeof r->reason);
        char *version = strstr(r->is, ", by version");
        if (version) r->by_version = true, *version = '\0';
        if (strcmp(r->is, "refused") != 0 && strcmp(r->is, "other code") != 0) fail_msg("\"%s\"", r->is);
        assert_true(strlen(r->reason) > 10);
    }
    fclose(f);
}

/* Does one of the names in a cell, "a, b*", fit? */
static bool fits(const char *cell, const char *what)
{
    char list[sizeof rows[0].pmu];
    snprintf(list, sizeof list, "%s", cell);
    for (char *save, *s = strtok_r(list, "`, ", &save); s; s = strtok_r(NULL, "`, ", &save))
        if (fnmatch(s, what, FNM_CASEFOLD) == 0) return true;
    return false;
}

/* is: "refused" or "other code"; NULL: as in the library. */
static bool listed(const char *pmu, const char *name, const char *is)
{
    bool found = false;
    for (struct row *r = rows; r < rows + n_rows; r++) {
        if (is ? strcmp(r->is, is) != 0 : r->by_version) continue;
        if (!fits(r->pmu, pmu) || !fits(r->name, name)) continue;
        r->names++;
        found = true;
    }
    return found;
}

/* ---- the library's dump ---- */

static unsigned faults;
#define FAULT(...) (faults++ < 40 ? (void)(print_message(__VA_ARGS__), print_message("\n")) : (void)0)

/* Privilege, enable and interrupt are the drivers' business: SDM figures 18-1 and 18-35, ESCR 3:0, CCCR 12.
 */
#define PERFEVTSEL_OURS 0x530000ull
#define ESCR_OURS       0xfull

static bool same_code(const struct pmu *pmu, uint64_t first, uint64_t second)
{
    if (pmu->ops == &pmu_netburst_ops)
        return ((code.select ^ first) & 0xffffffffu & ~ESCR_OURS) == 0 &&
               ((code.select >> 32) ^ second) == CCCR_ENABLE;
    /* The library's least threshold is what latency= may change. */
    const uint64_t extra = code.extra_msr == 0x3f6 && !code.extra ? 3 : code.extra;
    return ((code.select ^ first) & ~PERFEVTSEL_OURS) == 0 && (!code.extra_msr || !second || extra == second);
}

static void one_name(struct machine *m, const char *name, uint64_t first, uint64_t second)
{
    bool good = parse(&m->pmu, name), same = good && same_code(&m->pmu, first, second);
    m->names++;
    m->refused += !good;
    m->other += good && !same;
    if (same) {
        if (listed(m->library, name, NULL))
            FAULT("%s::%s is listed, and as in the library", m->library, name);
    } else if (!listed(m->library, name, good ? "other code" : "refused")) {
        FAULT("%s::%s: %s (%llx)", m->library, name, good ? "another code" : why, (long long)code.select);
    }
}

static char *field(char **rest)
{
    char *s = *rest, *tab = strchr(s, '\t');
    *rest = tab ? tab + 1 : s + strlen(s);
    if (tab) *tab = '\0';
    return s;
}

static void read_dump(const char *name)
{
    static char seen[MACHINES][32];
    static unsigned n_seen;
    size_t n;
    char *text = load(name, &n), *save, event[PMU_NAME] = "", word[2 * PMU_NAME];
    struct machine *m = NULL;
    const unsigned before = n_seen;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *rest = line, kind = *field(&rest);
        if (kind == 'P') {
            const char *pmu = field(&rest);
            unsigned i = 0;
            while (i < before && strcmp(seen[i], pmu) != 0) i++;
            m = i < before ? NULL : machine_of(pmu);
            if (i < before) continue; /* in the other dump already */
            assert_true(n_seen < MACHINES);
            snprintf(seen[n_seen++], sizeof seen[0], "%s", pmu);
            for (struct row *r = rows; r < rows + n_rows; r++) r->there |= fits(r->pmu, pmu);
            if (!m && !listed(pmu, "*", "refused")) FAULT("no CPU has the PMU %s", pmu);
        }
        if (kind == 'E') snprintf(event, sizeof event, "%s", field(&rest));
        if (kind != 'X' || !m) continue;
        const char *spec = field(&rest);
        uint64_t first = strtoull(field(&rest), NULL, 16), second = strtoull(field(&rest), NULL, 16);
        if (strchr(spec, ':')) continue; /* more than one unit mask: test_database.c */
        snprintf(word, sizeof word, "%s%s%s", event, *spec ? ":" : "", spec);
        one_name(m, word, first, second);
    }
    free(text);
}

static void test_names(void **state)
{
    (void)state;
    plug_all();
    read_table("docs/events.md");
    read_dump("events/amd64.txt");
    read_dump("events/i386.txt");
    for (struct machine *m = machines; m < machines + n_machines; m++)
        print_message("%-24s %5u names, %u refused, %u with another code\n", m->library, m->names, m->refused,
                      m->other);
    for (struct row *r = rows; r < rows + n_rows; r++)
        if (!r->names && r->there && !r->by_version)
            FAULT("the table's row %s %s speaks of nothing", r->pmu, r->name);
    if (faults) fail_msg("%u faults", faults);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {OPENED(test_names)};
    find_build(argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
