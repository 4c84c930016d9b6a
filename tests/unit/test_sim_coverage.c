/* How much of each processor's list of events the model has, and why not the rest: docs/pmu-model.md,
 * "Coverage".
 *
 * A list is libpfm4's, from the build's own dump; of the Pentium, which libpfm4 does not know, it is the
 * manual's (pmu/p5_events.c). Whether an event is modelled the model itself says: it is
 * programmed, and sim_unmodelled() asked. What is not has a reason in tests/coverage/FAMILY.txt, by the first
 * pattern that matches; an event without model and reason, a pattern that gives no event its reason, a list
 * of which more than a tenth follow from the facts and are not written, and a table in the page that is not
 * this one are failures. `make coverage` writes the table.
 */
#include "pmu/p5.h"
#include "tests/unit/coverage_modelled.h"
#include "tests/unit/sim_drive.h"
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE  "docs/pmu-model.md"
#define BEGIN "<!-- coverage: made by `make coverage` -->\n"
#define END   "<!-- end of coverage -->\n"

/* ---- reasons ---- */

enum reason {
    STREAM,
    FACTS,
    TIMING,
    UOPS,
    PREDICTION,
    SPECULATION,
    PREFETCHER,
    AGENTS,
    ABSENT,
    UNSAID,
    REASONS,
    NONE = REASONS
};
/* As the files spell them, and the head of the table's column. */
static const struct {
    const char *word, *head;
} reasons[REASONS] = {
    [STREAM] = {"stream", "not written yet"},
    [FACTS] = {"facts", "no such fact"},
    [TIMING] = {"timing", "timing"},
    [UOPS] = {"uops", "micro-operations"},
    [PREDICTION] = {"prediction", "prediction"},
    [SPECULATION] = {"speculation", "speculation"},
    [PREFETCHER] = {"prefetcher", "prefetchers"},
    [AGENTS] = {"agents", "other agents"},
    [ABSENT] = {"absent", "absent part"},
    [UNSAID] = {"unsaid", "not said"},
};

#define PATTERNS 512
static struct pattern {
    char text[LENGTH];
    enum reason reason;
    bool used;
} patterns[PATTERNS];
static unsigned n_patterns;

static enum reason reason_called(const char *word)
{
    for (unsigned r = 0; r < REASONS; r++)
        if (strcmp(reasons[r].word, word) == 0) return (enum reason)r;
    fail_msg("no reason \"%s\"", word);
    return NONE;
}

/* Lines "PATTERN REASON", # begins a comment. */
static void load_patterns(const char *family)
{
    char path[LENGTH], line[LENGTH];
    snprintf(path, sizeof path, "tests/coverage/%s.txt", family);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot read %s", path);
    for (n_patterns = 0; fgets(line, sizeof line, f);) {
        char *rest = NULL, *text = strtok_r(line, " \t\n", &rest), *word = strtok_r(NULL, " \t\n", &rest);
        if (!text || text[0] == '#') continue;
        if (!word || n_patterns == PATTERNS)
            fail_msg("%s: \"%s\" has no reason, or is one too many", path, text);
        struct pattern *p = &patterns[n_patterns++];
        *p = (struct pattern){.reason = reason_called(word)};
        snprintf(p->text, sizeof p->text, "%s", text);
    }
    fclose(f);
}

static enum reason reason_of(const char *event)
{
    for (struct pattern *p = patterns; p < patterns + n_patterns; p++)
        if (fnmatch(p->text, event, 0) == 0) {
            p->used = true;
            return p->reason;
        }
    return NONE;
}

/* ---- the table ---- */

static const struct family {
    const char *name; /* of its file of reasons */
    modelled_fn *modelled;
    struct {
        const char *model, *file, *pmu;
    } of[8];
} families[] = {
    {"p5", p5_modelled, {{"p5", NULL, "SDM table 19-38"}, {"p55c", NULL, "SDM table 19-38"}}},
    {"p6", p6_modelled, {{"ppro", "i386", "ppro"}, {"p2", "i386", "pii"}, {"p3", "i386", "p6"}}},
    {"netburst",
     netburst_modelled,
     {{"willamette", "amd64", "netburst"},
      {"northwood", "amd64", "netburst"},
      {"prescott", "amd64", "netburst_p"}}},
    {"arch",
     arch_modelled,
     {{"coreduo", "i386", "coreduo"},
      {"core2", "amd64", "core"},
      {"sandybridge", "amd64", "snb"},
      {"haswell", "amd64", "hsw"},
      {"skylake", "amd64", "skx"},
      {"icelake", "amd64", "icl"},
      {"tigerlake", "amd64", "icl"}}},
    {"amd",
     amd_modelled,
     {{"k8", "amd64", "amd64_k8_reve"},
      {"fam10h", "amd64", "amd64_fam10h_barcelona"},
      {"bulldozer", "amd64", "amd64_fam15h_interlagos"},
      {"zen", "amd64", "amd64_fam17h_zen1"},
      {"zen4", "amd64", "amd64_fam19h_zen4"}}},
};
#define FAMILIES (sizeof families / sizeof *families)

static char table[16384];
static size_t table_length;
static unsigned failures;

static void print(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    table_length += (size_t)vsnprintf(table + table_length, sizeof table - table_length, format, values);
    va_end(values);
    assert_true(table_length < sizeof table);
}

static void complain(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    failures++;
}

static void row(const struct family *f, const char *model, const char *pmu)
{
    const bool list = getenv("COVERAGE_LIST") != NULL; /* what is not written yet, event by event */
    unsigned modelled = 0, why[REASONS + 1] = {0};
    for (struct event *e = events; e < events + n_events; e++) {
        struct sim *s = machine(model);
        const bool has = f->modelled(s, e);
        sim_free(s);
        modelled += has;
        if (has) continue;
        const enum reason r = reason_of(e->name);
        why[r]++;
        if (r == NONE)
            complain("%s: %s (%llx) has neither a model nor a reason\n", model, e->name,
                     (unsigned long long)e->code[0]);
        if (list && r == STREAM)
            fprintf(stderr, "%s: %s (%llx)\n", model, e->name, (unsigned long long)e->code[0]);
    }
    print("| `%s` | %s | %u | %u |", model, pmu, n_events, modelled);
    for (unsigned r = 0; r < REASONS; r++) print(" %u |", why[r]);
    print("\n");
    if (10 * why[STREAM] > n_events)
        complain("%s: %u of %u events follow from the stream and are not written: more than a tenth\n", model,
                 why[STREAM], n_events);
}

static void make_table(void)
{
    table_length = failures = 0;
    print("The lists are those of %s.\n\n", library());
    print("| CPU | list | events | modelled |");
    for (unsigned r = 0; r < REASONS; r++) print(" %s |", reasons[r].head);
    print("\n|---|---|---|---|");
    for (unsigned r = 0; r < REASONS; r++) print("---|");
    print("\n");
    for (const struct family *f = families; f < families + FAMILIES; f++) {
        load_patterns(f->name);
        for (unsigned k = 0; f->of[k].model; k++) {
            if (f->of[k].file)
                load_libpfm4(f->of[k].file, f->of[k].pmu);
            else
                load_p5(k == 0 ? P5_PLAIN : P5_MMX);
            row(f, f->of[k].model, f->of[k].pmu);
        }
        for (const struct pattern *p = patterns; p < patterns + n_patterns; p++)
            if (!p->used)
                complain("tests/coverage/%s.txt: \"%s\" gives no event its reason\n", f->name, p->text);
    }
}

/* ---- the page ---- */

static char *page;

static void read_page(char **begin, char **end)
{
    FILE *f = fopen(PAGE, "r");
    if (!f) fail_msg("cannot read " PAGE);
    page = calloc(1, 1 << 20);
    const size_t length = fread(page, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_true(length < (1 << 20) - 1);
    *begin = strstr(page, BEGIN);
    *end = strstr(page, END);
    if (!*begin || !*end) fail_msg(PAGE " has no place for the table: " BEGIN "..." END);
    *begin += strlen(BEGIN);
}

/* Without the i386 library (make has said why) the lists of the P6, the Pentium M and the Core Duo are not
 * here.
 */
static bool lists_are_missing(const char *test)
{
    if (has_libpfm4("i386")) return false;
    print_message("skipped %s: libpfm4's i386 library is not available\n", test);
    return true;
}

static void test_reasons(void **state)
{
    (void)state;
    if (lists_are_missing("test_reasons")) skip();
    make_table();
    if (failures) fail_msg("%u complaints", failures);
}

static void test_models(void **state)
{
    (void)state;
    for (unsigned i = 0; sim_model_name(i); i++) {
        bool listed = false;
        for (const struct family *f = families; f < families + FAMILIES; f++)
            for (unsigned k = 0; f->of[k].model; k++)
                listed |= strcmp(f->of[k].model, sim_model_name(i)) == 0;
        if (!listed) fail_msg("%s has no list of events: it needs a row of families", sim_model_name(i));
    }
}

static void test_page(void **state)
{
    char *begin, *end;
    (void)state;
    if (lists_are_missing("test_page")) skip();
    read_page(&begin, &end);
    if (!strstr(begin, library())) {
        free(page);
        print_message("skipped test_page: " PAGE " has the lists of another library than %s\n", library());
        skip();
        return;
    }
    const bool same = (size_t)(end - begin) == table_length && memcmp(begin, table, table_length) == 0;
    free(page);
    if (!same) fail_msg(PAGE ": the table of coverage is out of date; `make coverage` writes it");
}

static int write_page(void)
{
    char *begin, *end;
    make_table();
    read_page(&begin, &end);
    FILE *f = fopen(PAGE, "w");
    if (!f) return 1;
    fwrite(page, 1, (size_t)(begin - page), f);
    fwrite(table, 1, table_length, f);
    fputs(end, f);
    free(page);
    return fclose(f) || failures;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_reasons),
                                       cmocka_unit_test(test_page)};
    if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_page();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
