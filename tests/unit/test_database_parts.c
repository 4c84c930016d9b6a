/* An event database of a few records, byte by byte: what lies inside to its last byte is read, and nothing
 * behind it. tests/unit/test_database_damaged.c has the one that is built, damaged at random. */
#include "pmu/database.h"
#include "tests/unit/unit.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The last event has no unit masks: the file ends with it. */
static struct tiny {
    struct db_header h;
    struct db_pmu pmu[2];
    uint32_t events[3];
    struct db_rule rule[3];
    char text[32];
    struct db_event first;
    struct db_umask umask[3];
    struct db_event wide;
    struct db_layers layers;
    struct db_long_umask wide_umask[2];
    struct db_event last;
} tiny, *open; /* open: a copy of that size exactly */

enum { PMU = 1, NOT, A, B, C, U, V, W }; /* texts, of two bytes each */
#define AT(field)  ((uint32_t)offsetof(struct tiny, field))
#define NAME(text) (2 * (text))

static char why[200];

static int make(void **state)
{
    (void)state;
    tiny = (struct tiny){
        .h = {.magic = DB_MAGIC,
              .version = DB_VERSION,
              .size = sizeof tiny,
              .strings = AT(text),
              .strings_size = 20,
              .source = NAME(NOT),
              .pmus = AT(pmu),
              .n_pmus = 1},
        .pmu = {{.name = NAME(PMU), .events = AT(events), .rules = AT(rule), .n_events = 3, .n_rules = 2},
                {.name = NAME(NOT), .events = AT(events), .n_events = 3}},
        .events = {AT(first), AT(wide), AT(last)},
        .rule = {{.first = 5, .last = 7, .umask = 2, .mask = 3},
                 {.first = 9, .last = 9},
                 {.first = 0, .last = 0xfff}},
        .text = "\0\0p\0n\0a\0b\0c\0u\0v\0w\0x\0full",
        .first = {.name = NAME(A),
                  .select = 0x120004,
                  .select_hi = 3,
                  .extra = 0x40,
                  .extra_hi = 5,
                  .n_umasks = 2},
        .umask = {{.name = NAME(U), .set = 0x0100},
                  {.name = NAME(V) | 0xff000000, .set = 0x0200, .clear = 0x100004},
                  {.name = NAME(W)}},
        .wide = {.name = NAME(B), .n_umasks = 2, .flags = DB_LONG_UMASKS, .extra = 0x80000},
        .layers = {.bits = {1, 2, 4, 8}, .bits_hi = {0x10, 0x20, 0x40, 0x80}, .there = 5},
        .wide_umask =
            {{.is = {.name = NAME(U), .set = 0x300}, .set = 0x100, .set_hi = 1, .drops = 1, .brings = 2},
             {.is = {.name = NAME(V)}, .drops = 2, .brings = 8}},
        .last = {.name = NAME(C)}};
    return 0;
}

/* As it stands now, under a sum that is right. extra: bytes of memory behind it. */
static bool opens_with(size_t extra)
{
    free(open);
    const uint32_t n = tiny.h.size < sizeof tiny ? tiny.h.size : (uint32_t)sizeof tiny;
    if (n > sizeof tiny.h) db_sum(&tiny.h.strings, n - AT(h.strings), tiny.h.sum);
    if (n == sizeof tiny.h) db_sum(&tiny.h.strings, 20, tiny.h.sum);
    open = malloc(sizeof tiny + extra);
    memcpy(open, &tiny, sizeof tiny);
    return db_open(open, sizeof tiny + extra, why, sizeof why);
}
static bool opens(void) { return opens_with(0); }

static int close_it(void **state)
{
    (void)state;
    db_open(NULL, 0, why, sizeof why);
    free(open);
    open = NULL;
    return 0;
}

TEST_WITH(test_header, make, close_it)
{
    static const struct {
        size_t field;
        uint32_t value;
        const char *why; /* NULL: good */
    } cases[] = {
        {AT(h.strings_size), 19, "some parts lie outside"}, /* its last byte is no NUL */
        {AT(h.strings_size), 0, "some parts lie outside"},
        {AT(h.strings), AT(text) + 2, "some parts lie outside"}, /* not at a multiple of 4 */
        {AT(h.strings), sizeof tiny - 20, NULL},
        {AT(h.strings), sizeof tiny - 16, "some parts lie outside"},
        {AT(h.pmus), sizeof tiny, "some parts lie outside"},
        {AT(h.pmus), sizeof tiny - 20, NULL},
        {AT(h.pmus), sizeof tiny - 16, "some parts lie outside"},
        {AT(h.pmus), 0xfffffff0, "some parts lie outside"},
        {AT(h.n_pmus), 0, NULL},
        {AT(h.n_pmus), 0x10000000, "some parts lie outside"},
        {AT(h.size), sizeof tiny, NULL},
        {AT(h.size), sizeof tiny - 2, "truncated"}, /* not a multiple of 4 */
        {AT(h.size), sizeof tiny + 4, "truncated"},
        {AT(h.size), sizeof tiny.h - 4, "truncated"},
        {AT(h.size), 0, "truncated"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(NULL);
        memcpy((char *)&tiny + cases[i].field, &cases[i].value, 4);
        if (opens() != !cases[i].why || (cases[i].why && !strstr(why, cases[i].why)))
            fail_msg("case %u: %s", i, why);
    }
    make(NULL);
    assert_true(opens_with(100)); /* a loader may round up */
    tiny.h.n_pmus = 0;            /* a header alone, its last word the strings */
    tiny.h.pmus = tiny.h.size = sizeof tiny.h;
    tiny.h.strings = AT(h.n_pmus);
    tiny.h.strings_size = 4;
    assert_true(opens());
    assert_true(db_open(open, sizeof tiny.h, why, sizeof why));
    make(NULL);
    assert_true(opens_with(2));
    memmove((char *)open + 2, open, sizeof tiny);
    assert_false(db_open((char *)open + 2, sizeof tiny, why, sizeof why));
    assert_string_equal(why, "the module is not an event database");
}

TEST_WITH(test_texts, make, close_it)
{
    assert_true(opens());
    assert_string_equal(db_source(), "n");
    assert_string_equal(db_text(NAME(W)), "w");
    assert_string_equal(db_text(19), "");
    assert_string_equal(db_text(20), ""); /* "full" is not of the strings */
    assert_string_equal(db_text(0xffffffff), "");
}

/* Closed, or another one that is refused: nothing is left of the one before. */
TEST_WITH(test_closed, make, close_it)
{
    for (unsigned how = 0; how < 3; how++) {
        make(NULL);
        assert_true(opens());
        strcpy(why, "as it was");
        assert_int_equal(how == 2 ? db_open(open, sizeof tiny - 4, why, sizeof why)
                                  : db_open(NULL, how, why, sizeof why),
                         how == 0);
        assert_null(db_pmu_named("p"));
        assert_null(db_pmu_named(""));
        assert_string_equal(db_text(0), "");
        assert_string_equal(db_text(NAME(PMU)), "");
        assert_string_equal(db_source(), "");
        assert_string_equal(db_trouble(), how ? why : "");
        assert_non_null(strstr(why, how == 0   ? "as it was"
                                    : how == 1 ? "memory cannot be read"
                                               : "truncated"));
    }
}

TEST_WITH(test_records, make, close_it)
{
    assert_true(opens());
    const struct db_pmu *p = db_pmu_named("p");
    assert_ptr_equal(p, &open->pmu[0]);
    assert_null(db_pmu_named("n")); /* stands behind the last */
    assert_null(db_pmu_named(NULL));
    assert_ptr_equal(db_event_at(p, 0), &open->first);
    assert_ptr_equal(db_event_at(p, 2), &open->last);
    assert_ptr_equal(db_event_named(p, "a"), &open->first);
    assert_ptr_equal(db_event_named(p, "b"), &open->wide);
    assert_ptr_equal(db_event_named(p, "c"), &open->last);
    assert_null(db_event_named(p, "n"));
    assert_null(db_event_named(p, ""));
    open->pmu[0].n_events = 2;
    assert_null(db_event_at(p, 2));
    assert_null(db_event_named(p, "c"));
    open->pmu[0].n_events = 3;

    assert_ptr_equal(db_umask_at(&open->first, 1), &open->umask[1]);
    assert_null(db_umask_at(&open->first, 2));
    assert_ptr_equal(db_umask_at(&open->wide, 1), &open->wide_umask[1]);
    assert_null(db_umask_at(&open->wide, 2));

    open->last.n_umasks = 1; /* behind the end */
    assert_null(db_event_at(p, 2));
    assert_null(db_event_named(p, "c"));
    open->last.n_umasks = 0;
    for (unsigned wrong = 1; wrong < 4; wrong++) {
        open->events[2] = AT(last) + wrong;
        assert_null(db_event_at(p, 2));
    }
    open->events[2] = sizeof tiny;
    assert_null(db_event_at(p, 2));
    open->pmu[0].events = sizeof tiny - 8; /* three numbers, of which two would be inside */
    assert_null(db_event_at(p, 0));
}

TEST_WITH(test_codes, make, close_it)
{
    assert_true(opens());
    struct db_pick pick = {.event = &open->first};
    assert_int_equal(db_select(&pick), 0x300120004);
    assert_int_equal(db_extra(&pick), 0x500000040);
    assert_int_equal(db_pick_umask(&pick, "w"), DB_UNKNOWN); /* behind the last */
    assert_int_equal(db_pick_umask(&pick, "u"), DB_TAKEN);
    assert_int_equal(pick.classes, 1);
    open->first.apart[7] = 1;
    assert_int_equal(db_pick_umask(&pick, "v"), DB_EXCLUDED);
    assert_int_equal(db_select(&pick), 0x300120104); /* nothing of it */
    open->first.apart[7] = 0xfe;
    assert_int_equal(db_pick_umask(&pick, "v"), DB_TAKEN);
    assert_int_equal(pick.classes, 0x81);
    assert_int_equal(db_select(&pick), 0x300020300);
    assert_int_equal(db_pick_umask(&pick, "v"), DB_EXCLUDED); /* by its own class now */
    assert_int_equal(db_extra(&pick), 0x500000040);

    /* layers 0 and 2; u drops 0 and adds 1, v adds 3 and drops 1 */
    pick = (struct db_pick){.event = &open->wide};
    assert_int_equal(db_extra(&pick), 0x5000080005);
    assert_int_equal(db_pick_umask(&pick, "u"), DB_TAKEN);
    assert_int_equal(db_extra(&pick), 0x6100080106);
    assert_int_equal(db_select(&pick), 0x300);
    assert_int_equal(db_pick_umask(&pick, "v"), DB_TAKEN);
    assert_int_equal(db_extra(&pick), 0xc10008010c);
}

TEST_WITH(test_rules, make, close_it)
{
    assert_true(opens());
    const struct db_pmu *p = &open->pmu[0];
    for (uint32_t event = 0; event < 12; event++)
        for (uint32_t umask = 0; umask < 8; umask++) {
            const struct db_rule *want = event >= 5 && event <= 7 && umask % 4 == 2 ? &open->rule[0]
                                         : event == 9                               ? &open->rule[1]
                                                                                    : NULL;
            assert_ptr_equal(db_rule_for(p, event, umask), want);
        }
    open->pmu[0].n_rules = 0;
    assert_null(db_rule_for(p, 9, 0));
    open->pmu[0].n_rules = 2;
    open->pmu[0].rules = sizeof tiny - 20; /* two of 12 bytes */
    assert_null(db_rule_for(p, 0, 0));
}
