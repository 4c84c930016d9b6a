/* Which processors a word means, and which two are neighbours. */
#include "tests/unit/fake_topology.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof *(a))

static struct topology t;
static struct cpu_set set;
static char why[160];

/* The set as "0,1,5". */
static const char *select_(const char *word)
{
    static char got[1200];
    size_t n = 0;
    char exact[64]; /* without a NUL behind it */
    const size_t len = strlen(word);
    assert_true(len <= sizeof exact);
    memset(exact, '7', sizeof exact);
    memcpy(exact, word, len);
    got[0] = '\0';
    memset(&set, 0xff, sizeof set);
    const bool good = topology_select(&t, exact, len, &set, why, sizeof why);
    for (unsigned i = cpu_set_next(&set, 0); i < PROCESSORS_MAX; i = cpu_set_next(&set, i + 1))
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%u", n ? "," : "", i);
    assert_int_equal(good, n != 0);
    return good ? got : why;
}

TEST(words)
{
    static const struct {
        const char *machine, *word, *means;
    } cases[] = {
        {"gallatin_dp", "0", "0"},
        {"gallatin_dp", "3", "3"},
        {"gallatin_dp", "0-3", "0,1,2,3"},
        {"gallatin_dp", "1-1", "1"},
        {"gallatin_dp", "all", "0,1,2,3"},
        {"gallatin_dp", "each", "0,1,2,3"},
        {"gallatin_dp", "core:0", "0,2"},
        {"gallatin_dp", "core:1", "1,3"},
        {"gallatin_dp", "core:0-1", "0,1,2,3"},
        {"gallatin_dp", "3,0", "0,3"},
        {"gallatin_dp", "2,2,2-3", "2,3"},
        {"gallatin_dp", "core:1,0", "0,1,3"},
        {"gallatin_dp", "003", "3"},
        {"meteor_lake", "core:10", "0,1"},
        {"meteor_lake", "E", "2,3,4,5,6,7,8,9,16,17"},
        {"meteor_lake", "P", "0,1,10,11,12,13,14,15"},
        {"meteor_lake", "0,E", "0,2,3,4,5,6,7,8,9,16,17"},
        {"genoa_dp", "255", "255"},
        {"genoa_dp", "core:127", "254,255"},
        /* what is wrong */
        {"gallatin_dp", "4", "4: this machine has 0-3"},
        {"gallatin_dp", "1-4", "1-4: this machine has 0-3"},
        {"gallatin_dp", "4-1", "4-1: this machine has 0-3"},
        {"gallatin_dp", "3-1", "3-1: the range runs backwards; valid: 1-3"},
        {"gallatin_dp", "99999999999999999999", "99999999999999999999: this machine has 0-3"},
        {"gallatin_dp", "core:2", "core:2: this machine has cores 0-1"},
        {"gallatin_dp", "core:", "core:: no core; valid: core:N, core:N-M"},
        {"gallatin_dp", "core:x", "core:x: no core; valid: core:N, core:N-M"},
        {"gallatin_dp", "core:1,4", "4: this machine has 0-3"},
        {"gallatin_dp", "E", "E: no processor says that it is an E-core"},
        {"gallatin_dp", "0,P", "P: no processor says that it is a P-core"},
        {"gallatin_dp", "p", "p: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "", ": no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "0,", ": no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "-1", "-1: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "1-", "1-: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "1-2-3", "1-2-3: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "1 ", "1 : no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "alles", "alles: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "al", "al: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "\x80\n", "?\?: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"gallatin_dp", "abcdefghijklmnopqrstuvwxyz",
         "abcdefghijklmnopqrstuvwx...: no processor; valid: " TOPOLOGY_SELECT_HELP},
        {"genoa_dp", "256", "256: this machine has 0-255"},
    };
    for (size_t i = 0; i < N(cases); i++) {
        fake_topology(cases[i].machine, &t);
        assert_string_equal(select_(cases[i].word), cases[i].means);
    }
    struct topology_ids one = {.shift = {0}};
    fake_build(&t, &one, 1);
    assert_string_equal(select_("0"), "0");
    assert_string_equal(select_("core:0"), "0");
    assert_string_equal(select_("1"), "1: this machine has 0 only");
    assert_string_equal(select_("core:1"), "core:1: this machine has core 0 only");
}

/* However little room there is for the reason, it ends in it. */
TEST(little_room)
{
    fake_topology("gallatin_dp", &t);
    for (size_t size = 1; size < 60; size++) {
        char *small = malloc(size);
        memset(small, '#', size);
        assert_false(topology_select(&t, "abcdefghijklmnopqrstuvwxyz", 26, &set, small, size));
        assert_true(memchr(small, '\0', size) != NULL);
        free(small);
    }
}

TEST(sets)
{
    struct cpu_set s = {{0}};
    assert_int_equal(cpu_set_count(&s), 0);
    assert_int_equal(cpu_set_next(&s, 0), PROCESSORS_MAX);
    cpu_set_add(&s, 31);
    cpu_set_add(&s, 32);
    cpu_set_add(&s, 255);
    assert_int_equal(cpu_set_count(&s), 3);
    assert_int_equal(cpu_set_next(&s, 0), 31);
    assert_int_equal(cpu_set_next(&s, 33), 255);
    assert_int_equal(cpu_set_next(&s, 256), PROCESSORS_MAX);
    assert_false(cpu_set_has(&s, 30));
    assert_false(cpu_set_has(&s, 256));
}

TEST(pairs)
{
    static const struct {
        const char *machine;
        enum topology_pair how;
        unsigned a, b;
        const char *why;
    } cases[] = {
        {"gallatin_dp", PAIR_THREADS, 0, 2, NULL},
        {"gallatin_dp", PAIR_CACHE, 0, 0, "these processors do not say who shares their caches"},
        {"gallatin_dp", PAIR_PACKAGES, 0, 1, NULL},
        {"katmai_dp", PAIR_THREADS, 0, 0, "no core has two threads here"},
        {"clovertown_dp", PAIR_CACHE, 0, 4, NULL},
        {"alder_lake", PAIR_THREADS, 0, 1, NULL},
        {"alder_lake", PAIR_CACHE, 0, 2, NULL},
        {"alder_lake", PAIR_PACKAGES, 0, 0, "all 24 processors are in one package"},
        {"meteor_lake", PAIR_CACHE, 0, 10,
         NULL}, /* the nearest P-core, not the E-core with the next number */
        {"genoa_dp", PAIR_PACKAGES, 0, 128, NULL},
        {"interlagos_dp", PAIR_THREADS, 0, 0, "no core has two threads here"},
    };
    unsigned a, b;
    for (size_t i = 0; i < N(cases); i++) {
        fake_topology(cases[i].machine, &t);
        const bool found = topology_pair(&t, cases[i].how, &a, &b, why, sizeof why);
        assert_int_equal(found, !cases[i].why);
        if (!found) {
            assert_string_equal(why, cases[i].why);
            continue;
        }
        assert_int_equal(a, cases[i].a);
        assert_int_equal(b, cases[i].b);
    }
}

TEST(partners)
{
    unsigned b;
    fake_topology("alder_lake", &t);
    assert_false(topology_partner(&t, PAIR_THREADS, 16, &b)); /* an E-core */
    assert_true(topology_partner(&t, PAIR_CACHE, 20, &b));
    assert_int_equal(b, 21); /* of its own cluster, not the first E-core */
    assert_true(topology_partner(&t, PAIR_THREADS, 15, &b));
    assert_int_equal(b, 14);
    fake_topology("meteor_lake", &t);
    assert_true(topology_partner(&t, PAIR_CACHE, 17, &b)); /* the other LP E-core */
    assert_int_equal(b, 16);
    fake_topology("strix_point", &t); /* no cache is common to both complexes */
    assert_true(topology_partner(&t, PAIR_CACHE, 8, &b));
    assert_int_equal(b, 10);
}

static struct topology_ids ids[PROCESSORS_MAX];

/* The firmware has Hyper-Threading off; one P-core and one E-core; a single processor. */
TEST(pairs_that_are_missing)
{
    unsigned a, b, n = fake_processors("skylake_dp", ids);
    for (unsigned i = 0; i < n / 2; i++) ids[i] = ids[2 * i];
    fake_build(&t, ids, n / 2);
    assert_false(topology_pair(&t, PAIR_THREADS, &a, &b, why, sizeof why));
    assert_string_equal(why,
                        "no core has two threads here, though each has room for 2: Hyper-Threading may be "
                        "off in the firmware");
    fake_processors("alder_lake", ids);
    ids[1] = ids[23];
    fake_build(&t, ids, 2);
    assert_true(topology_pair(&t, PAIR_CACHE, &a, &b, why, sizeof why));
    assert_int_equal(b, 1);
    fake_build(&t, ids, 1);
    assert_false(topology_pair(&t, PAIR_CACHE, &a, &b, why, sizeof why));
    assert_string_equal(why, "one processor is up, and a pair needs two");
    fake_processors("strix_point", ids);
    ids[1] = ids[23];
    fake_build(&t, ids, 2);
    assert_false(topology_pair(&t, PAIR_CACHE, &a, &b, why, sizeof why));
    assert_string_equal(why, "no two cores share a cache here");
}
