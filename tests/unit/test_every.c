/* events=all: each event once, those of the database too; what is passed over is counted by its reason. */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/every.h"
#include "pmu/netburst.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define MOST 1024
static char name[MOST][PMU_NAME];

/* All of them, each a word that gives the same code; none twice. */
static struct pmu_every walk(const struct pmu *pmu)
{
    struct pmu_every at = {.row = NULL};
    struct pmu_code c;
    while (pmu_every_next(pmu, &at, &c)) {
        assert_in_range(at.found, 1, MOST);
        assert_true(c.counters & pmu->usable);
        if (!parse(pmu, c.name) || !pmu_code_same(&c, &code)) fail_msg("%s: %s", c.name, why);
        strcpy(name[at.found - 1], c.name);
        for (unsigned i = 0; i + 1 < at.found; i++)
            if (strcmp(name[i], c.name) == 0) fail_msg("%s twice", c.name);
    }
    assert_false(pmu_every_next(pmu, &at, &c)); /* and stays at the end */
    return at;
}

static bool listed(const struct pmu_every *at, const char *word)
{
    for (unsigned i = 0; i < at->found; i++)
        if (strcmp(name[i], word) == 0) return true;
    return false;
}

static struct pmu of_table(const struct pmu_ops *ops, uint32_t models, unsigned counters)
{
    return (struct pmu){
        .ops = ops, .model = "test", .models = models, .counters = counters, .usable = (1u << counters) - 1};
}

static void test_tables(void **state)
{
    (void)state;
    const struct pmu p5 = of_table(&pmu_p5_ops, P5_PLAIN, 2), p55c = of_table(&pmu_p5_ops, P5_MMX, 2);
    struct pmu p6 = of_table(&pmu_p6_ops, P6_PIII, 2);
    assert_int_equal(walk(&p5).found, 38); /* SDM table 19-38 */
    assert_int_equal(walk(&p55c).found, 73);
    unsigned rows = 0, first = 0;
    for (const struct pmu_event *e = NULL; (e = pmu_event_next(&p6, e)); rows++) first += e->counters != 2;
    assert_int_equal(walk(&p6).found, rows);
    p6.usable = 1; /* counter 1 is broken: events that only it has are passed over, and counted */
    const struct pmu_every at = walk(&p6);
    assert_int_equal(at.found, first);
    assert_int_equal(at.no_counter, rows - first);
    assert_true(rows > first);
    struct pmu nb = of_table(&pmu_netburst_ops, 1 << 3 | NB_F27 | NB_NO_IQ_ESCR, NETBURST_COUNTERS);
    nb.classes = CLASS_NETBURST;
    const struct pmu_every n = walk(&nb);
    assert_true(listed(&n, "memory_loads") && listed(&n, "instr_completed"));
    assert_int_equal(n.absent + n.no_counter, 0);
    const struct pmu none = {.ops = NULL};
    assert_int_equal(walk(&none).found, 0);
}

static void test_database(void **state)
{
    static const char *const pmus[] = {"core",
                                       "snb",
                                       "hsw",
                                       "skl",
                                       "icl",
                                       "slm",
                                       "amd64_k8_revg",
                                       "amd64_fam15h_interlagos",
                                       "amd64_fam17h_zen1"};
    (void)state;
    for (unsigned i = 0; i < sizeof pmus / sizeof *pmus; i++) {
        struct pmu pmu = cpu_of(pmus[i], strncmp(pmus[i], "amd", 3) ? &pmu_arch_ops : &pmu_amd_ops);
        const struct db_pmu *db = db_pmu_named(pmus[i]);
        const struct db_event *e;
        unsigned words = 0, registers = 0, rows = 0;
        pmu.usable = (1u << pmu.counters) - 1;
        for (const struct pmu_event *r = NULL; (r = pmu_event_next(&pmu, r));) rows++;
        for (unsigned k = 0; (e = db_event_at(db, k)); k++) {
            if (pmu_event_named(&pmu, db_text(e->name))) continue;
            const unsigned masks = e->flags & DB_WANTS_UMASK ? e->n_umasks : 0;
            for (unsigned m = 0; m < (masks ? masks : 1); m++, words++) {
                struct db_pick pick = {.event = e};
                if (masks) db_pick_umask(&pick, db_text(db_umask_at(e, m)->name & DB_NAME));
                registers += e->extra_msr && db_extra(&pick);
            }
        }
        const struct pmu_every at = walk(&pmu);
        assert_int_equal(at.extra_register, registers);
        assert_int_equal(at.found + at.extra_register + at.absent + at.no_counter, words + rows);
        if (at.found < 40) fail_msg("%s: %u", pmus[i], at.found);
        if (strcmp(pmus[i], "skl") != 0) continue;
        assert_true(registers > 5);
        assert_true(listed(&at, "mem_load_retired:l2_miss"));
        assert_true(listed(&at, "instruction_retired"));
        assert_false(listed(&at, "mem_load_retired"));
    }
}

/* Without one there is the driver's own table. */
static void test_no_database(void **state)
{
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    (void)state;
    pmu.models = ARCH_EVENTS;
    pmu.usable = 0xff;
    assert_true(walk(&pmu).found > 7);
    db_open(NULL, 0, why, sizeof why);
    assert_int_equal(walk(&pmu).found, 7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {OPENED(test_tables), OPENED(test_database), OPENED(test_no_database)};
    (void)argc;
    find_build(argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
