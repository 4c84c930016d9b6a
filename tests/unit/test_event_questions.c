/* "What to count" of docs/events.md: every event in its tables is one of that CPU's. Where there is a model
 * of the CPU, and it has the event, it also counts what its column promises, and nothing of what the column
 * excludes.
 *
 * "+" after an event says that it counts more than its column promises.
 * A table is read as it stands: columns "CPU" and "PMU" (libpfm4's names, or the model's where libpfm4 has
 * none), then one for each question. What happens for a question is in questions[], by the heading of its
 * column.
 */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/driver.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/event_cpus.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/steps_drive.h"

#define PAGE    "docs/events.md"
#define HEADING "## What to count"
#define TIMES   8 /* how often what is asked for happens */

/* ---- the questions ---- */

/* What makes it happen once, and what does not, as steps_drive.h has it; F: caches are emptied, T: TLBs are,
 * I: an interrupt. The first steps of each come before counting begins. */
static const struct question {
    const char *column, *before, *happens, *otherwise;
} questions[] = {
    {"load misses L1D", "l", "Fl", "lls"},
    {"load misses L2", "le", "Fl", "el"},
    {"miss of the last level", "le", "Fl", "el"},
    {"code misses L1I", "cx", "Fc", "cx"},
    {"load misses DTLB", "l", "Tl", "ll"},
    {"branch mispredicted", "x", "", "x"},
    {"load", "ls", "l", "xJ"},
    {"store", "ls", "s", "xJ"},
    {"taken branch", "x", "J", "xl"},
    {"interrupt", "x", "I", "xl"},
};

static const struct question *question_named(const char *column)
{
    for (unsigned i = 0; i < N(questions); i++)
        if (strcmp(questions[i].column, column) == 0) return &questions[i];
    fail_msg("%s: nothing is known of the column \"%s\"", PAGE, column);
    return NULL;
}

/* ---- the CPUs ---- */

/* libpfm4's PMUs that a model has, and what Bochs's CPUID says where the model leaves that to Bochs. */
static const struct modelled {
    const char *library, *model;
    unsigned family, number, stepping;
    uint32_t leaf_a_eax, leaf_a_edx;
} modelled[] = {
    {.library = "p5", .model = "p5"},
    {.library = "p55c", .model = "p55c"},
    {.library = "ppro", .model = "ppro"},
    {.library = "pii", .model = "p2"},
    {.library = "p6", .model = "p3"},
    {.library = "netburst", .model = "willamette"},
    {.library = "netburst_p", .model = "prescott"},
    {"coreduo", "coreduo", 6, 14, 12, 0x07280201, 0},
    {"core", "core2", 6, 0x17, 10, 0x07280202, 0x503},
    {"snb", "sandybridge", 6, 0x2a, 7, 0x07300803, 0x603},
    {"hsw", "haswell", 6, 0x3c, 3, 0x07300403, 0x603},
    {"skx", "skylake", 6, 0x55, 4, 0x07300404, 0x603},
    {"icl", "icelake", 6, 0x7e, 5, 0x08300805, 0x8604},
    {"amd64_k8_reve", "k8", 0x0f, 0x2f, 2, 0, 0},
    {"amd64_fam10h_barcelona", "fam10h", 0x10, 2, 3, 0, 0},
    {"amd64_fam15h_interlagos", "bulldozer", 0x15, 1, 2, 0, 0},
    {"amd64_fam17h_zen1", "zen", 0x17, 1, 1, 0, 0},
    {"amd64_fam19h_zen4", "zen4", 0x19, 0x61, 2, 0, 0},
};

static const struct modelled *model_of(const char *library)
{
    for (unsigned i = 0; i < N(modelled); i++)
        if (strcmp(modelled[i].library, library) == 0) return &modelled[i];
    return NULL;
}

static struct sim *sim;

/* A new machine of this model, as its driver finds it. */
static void plug(const struct modelled *m, struct pmu *pmu)
{
    static struct cpu_id id;
    sim = machine(m->model);
    sim_hw_plug(sim, &id);
    if (m->family) {
        const bool amd = m->leaf_a_eax == 0;
        snprintf(id.vendor, sizeof id.vendor, "%s", amd ? "AuthenticAMD" : "GenuineIntel");
        id.family = m->family;
        id.model = m->number;
        id.stepping = m->stepping;
        id.fa = (struct cpuid_regs){.eax = m->leaf_a_eax, .edx = m->leaf_a_edx};
        if (amd && m->family >= 0x15) id.x1_ecx |= CPUID_X1_ECX_PERFCTR_CORE;
    }
    if (!pmu_probe(&id, pmu)) fail_msg("%s: no driver knows it", m->model);
    if (m->family && strcmp(pmu->database, m->library) != 0)
        fail_msg("%s is a %s to the driver", m->model, pmu->database);
}

/* A CPU without a model: its driver and its events. */
static struct pmu without_model(const char *library)
{
    if (strcmp(library, "pm") == 0) return pm();
    return cpu_of(library, strncmp(library, "amd64_", 6) == 0 ? &pmu_amd_ops : &pmu_arch_ops);
}

/* Has the library that the database was made of this PMU? An older one, and one without the i386 part, lacks
 * some. */
static bool has_library(const struct pmu *pmu) { return pmu->database == NULL || !pmu_db_lack(pmu)[0]; }

/* ---- counting ---- */

static void steps(const char *s)
{
    for (; *s; s++) {
        if (*s == 'F')
            sim_cache_flush(sim, true);
        else if (*s == 'T')
            sim_tlb_flush(sim);
        else if (*s == 'I')
            sim_interrupt(sim, 0x40, false, 0);
        else
            step(sim, *s, false, 0);
    }
}

/* The code's count of TIMES x happens. False: the model does not have the event. */
static bool count_word(struct pmu *pmu, const struct pmu_code *code, const char *before, const char *happens,
                       uint64_t *n)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL};
    const char *lacking[4];
    char reason[160];
    uint8_t counter = 0;
    if (pmu->ops->allocate) {
        if (!pmu->ops->allocate(pmu, &code, 1, &counter)) fail_msg("%s fits no counter", code->name);
    } else {
        while (!(code->counters & pmu->usable & 1u << counter)) counter++;
    }
    codes[counter] = code;
    if (!pmu->ops->program(pmu, codes, reason, sizeof reason)) fail_msg("%s: %s", code->name, reason);
    for (unsigned i = 0; i < TIMES; i++) steps(before);
    pmu_start(pmu);
    const bool has = sim_unmodelled(sim, lacking, 4) == 0;
    const uint64_t from = pmu->ops->read(pmu, counter);
    for (unsigned i = 0; i < TIMES; i++) steps(happens);
    *n = pmu->ops->read(pmu, counter) - from;
    pmu_stop(pmu);
    return has;
}

/* ---- the tables ---- */

static unsigned cells, counted_cells, wrong;

static void try_word(const char *library, const char *word, bool more, const struct question *q)
{
    const struct modelled *model = model_of(library);
    struct pmu pmu;
    uint64_t n;
    if (model) {
        plug(model, &pmu);
    } else {
        pmu = without_model(library);
    }
    if (!has_library(&pmu)) {
        if (model) sim_free(sim);
        return;
    }
    cells++;
    if (!parse(&pmu, word)) {
        print_error("%s, %s: %s: %s\n", library, q->column, word, why);
        wrong++;
    } else if (model && *q->happens) {
        const struct pmu_code word_code = code;
        if (count_word(&pmu, &word_code, q->before, q->happens, &n)) {
            counted_cells++;
            if (more ? n < TIMES : n != TIMES) {
                print_error("%s, %s: %s counts %llu of \"%s\", not %u\n", library, q->column, word,
                            (unsigned long long)n, q->happens, TIMES);
                wrong++;
            }
            count_word(&pmu, &word_code, q->before, q->otherwise, &n);
            if (n) {
                print_error("%s, %s: %s counts %llu of \"%s\"\n", library, q->column, word,
                            (unsigned long long)n, q->otherwise);
                wrong++;
            }
        }
    }
    if (model) sim_free(sim);
}

/* The next of the words in backquotes; NULL: there is none. */
static char *quoted(char **at)
{
    char *s = strchr(*at, '`'), *end = s ? strchr(s + 1, '`') : NULL;
    if (!end) return NULL;
    *end = '\0';
    *at = end + 1;
    return s + 1;
}

#define COLUMNS 12

/* The cells of a row, without the blanks around them. */
static unsigned split(char *line, char *cell[COLUMNS])
{
    unsigned n = 0;
    for (char *s = line + 1, *end; n < COLUMNS && (end = strchr(s, '|')) != NULL; s = end + 1) {
        *end = '\0';
        s += strspn(s, " ");
        for (char *last = s + strlen(s); last > s && last[-1] == ' ';) *--last = '\0';
        cell[n++] = s;
    }
    return n;
}

static void test_questions(void **state)
{
    char line[1024], header[1024], *heads[COLUMNS], *cell[COLUMNS], pmus[256];
    unsigned columns = 0, rows = 0;
    bool inside = false;
    FILE *f = fopen(PAGE, "r");
    (void)state;
    if (!f) fail_msg("%s is missing", PAGE);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "## ", 3) == 0) inside = strncmp(line, HEADING, sizeof HEADING - 1) == 0;
        if (!inside || line[0] != '|' || line[1] == '-') continue;
        if (strncmp(line, "| CPU | PMU |", 13) == 0) {
            memcpy(header, line, sizeof header);
            columns = split(header, heads);
            continue;
        }
        const unsigned n = split(line, cell);
        if (n != columns) fail_msg("%s: %u cells of %u: %s", PAGE, n, columns, cell[0]);
        rows++;
        for (unsigned k = 2; k < n; k++) {
            for (char *word; (word = quoted(&cell[k])) != NULL;) {
                snprintf(pmus, sizeof pmus, "%s", cell[1]);
                for (char *library, *at = pmus; (library = quoted(&at)) != NULL;)
                    try_word(library, word, cell[k][1] == '+', question_named(heads[k]));
            }
        }
    }
    fclose(f);
    print_message("%u rows, %u events of CPUs, %u of them counted on a model\n", rows, cells, counted_cells);
    assert_true(rows >= 20 && counted_cells >= 60);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {OPENED(test_questions)};
    find_build(argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
