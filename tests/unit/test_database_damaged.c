/* An event database that is not there, truncated, damaged, of another version or hostile: names are refused,
 * saying why, and the rest goes on. */
#include "pmu/arch.h"
#include "pmu/database.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static bool opens(const void *copy, size_t bytes) { return db_open(copy, bytes, why, sizeof why); }

/* Names are refused, saying why; raw codes work. */
static void check_closed(const char *part)
{
    struct pmu pmu = cpu_of("skl", &pmu_arch_ops);
    if (!strstr(why, part)) fail_msg("\"%s\" without \"%s\"", why, part);
    assert_string_equal(db_source(), "");
    assert_false(parse(&pmu, "uops_retired:all"));
    if (!strstr(why, "the event database is not used: ") || !strstr(why, part)) fail_msg("%s", why);
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
    assert_non_null(strstr(why, "there is no event database"));
    assert_true(parse(&pmu, "r01c2"));
}

/* A loader may tell of a module where no memory is. */
static void test_unreadable(void **state)
{
    (void)state;
    assert_false(opens(NULL, 1));
    check_closed("its memory cannot be read");
    assert_true(opens(file, size));
    assert_string_equal(db_trouble(), "");
}

static void test_truncated(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < size; bytes = bytes < 100 ? bytes + 1 : bytes * 2) {
        uint8_t *copy = malloc(bytes ? bytes : 1);
        memcpy(copy, file, bytes);
        if (opens(copy, bytes)) fail_msg("%u bytes were accepted", (unsigned)bytes);
        check_closed(bytes < sizeof(struct db_header) ? "not an event database" : "truncated");
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
    for (unsigned turn = 0; turn < 90; turn++) {
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
    check_closed("version 2, but this kernel reads version 1");
    ((struct db_header *)(void *)copy)->version = DB_VERSION - 1;
    assert_false(opens(copy, size));
    check_closed("version 0, but this kernel reads version 1");
    memcpy(copy,
           "\x7f"
           "ELF",
           4);
    assert_false(opens(copy, size));
    check_closed("not an event database");
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
    for (unsigned turn = 0; turn < 10; turn++) {
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
    assert_true(open >= 4);
}

int main(int argc, char **argv)
{
    (void)argc;
    find_build(argv[0]);
    const struct CMUnitTest tests[] = {
        OPENED(test_without),   OPENED(test_unreadable), OPENED(test_truncated),
        OPENED(test_corrupted), OPENED(test_versions),   OPENED(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
