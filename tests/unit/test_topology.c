/* Where each processor sits, by the leaves of real machines. */
#include "tests/unit/fake_cpus.h"
#include "tests/unit/fake_topology.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof *(a))

static struct topology t;
static struct topology_ids ids[PROCESSORS_MAX];

#define LEAF(name) (1u << TOPOLOGY_LEAF_##name)

/* What is known of these machines. A level that no leaf tells has no units. */
static const struct {
    const char *name;
    unsigned processors, packages, dies, complexes, modules, cores, threads, p, e;
    unsigned leaves;
} machines[] = {
    {"katmai_dp", 2, 2, 0, 0, 0, 2, 1, 0, 0, LEAF(1)},
    {"gallatin_dp", 4, 2, 0, 0, 0, 2, 2, 0, 0, LEAF(1)},
    {"clovertown_dp", 8, 2, 0, 0, 0, 8, 1, 0, 0, LEAF(4) | LEAF(1)},
    {"skylake_dp", 96, 2, 0, 0, 0, 48, 2, 0, 0, LEAF(B) | LEAF(4)},
    {"alder_lake", 24, 1, 0, 0, 0, 16, 2, 16, 8, LEAF(1F) | LEAF(4) | LEAF(1A)},
    {"meteor_lake", 18, 1, 0, 0, 7, 14, 2, 8, 10, LEAF(1F) | LEAF(4) | LEAF(1A)},
    {"barcelona_dp", 8, 2, 0, 0, 0, 8, 1, 0, 0, LEAF(8X)},
    {"interlagos_dp", 32, 2, 4, 0, 16, 32, 1, 0, 0, LEAF(1EX) | LEAF(8X) | LEAF(1DX)},
    {"threadripper", 32, 1, 2, 0, 0, 16, 2, 0, 0, LEAF(1EX) | LEAF(8X) | LEAF(1DX)},
    {"strix_point", 24, 1, 1, 2, 0, 12, 2, 8, 16, LEAF(26X) | LEAF(1DX)},
    {"genoa_dp", 256, 2, 16, 16, 0, 128, 2, 0, 0, LEAF(26X) | LEAF(1DX)},
};

TEST(real_machines)
{
    for (size_t i = 0; i < N(machines); i++) {
        fake_topology(machines[i].name, &t);
        assert_int_equal(t.processors, machines[i].processors);
        assert_int_equal(t.units[LEVEL_PACKAGE], machines[i].packages);
        assert_int_equal(t.units[LEVEL_DIE], machines[i].dies);
        assert_int_equal(t.units[LEVEL_COMPLEX], machines[i].complexes);
        assert_int_equal(t.units[LEVEL_MODULE], machines[i].modules);
        assert_int_equal(t.units[LEVEL_CORE], machines[i].cores);
        assert_int_equal(t.units[LEVEL_TILE] + t.units[LEVEL_DIE_GROUP], 0);
        assert_int_equal(t.threads, machines[i].threads);
        assert_int_equal(t.kinds[CORE_KIND_P], machines[i].p);
        assert_int_equal(t.kinds[CORE_KIND_E], machines[i].e);
        assert_int_equal(t.leaves, machines[i].leaves);
        assert_false(t.ids_twice);
    }
}

/* level, kind, KiB, how many, how many share one */
struct caches {
    unsigned level, kind, kib, number, shared;
};

static void has_caches(const char *name, const struct caches *c, size_t n)
{
    unsigned first = 0;
    fake_topology(name, &t);
    assert_int_equal(t.cache_kinds, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(t.cache[i].level, c[i].level);
        assert_int_equal(t.cache[i].kind, c[i].kind);
        assert_int_equal(t.cache[i].bytes, c[i].kib << 10);
        assert_int_equal(t.cache[i].number, c[i].number);
        assert_int_equal(t.cache[i].shared, c[i].shared);
        assert_int_equal(t.cache[i].first, first);
        first += c[i].number;
    }
}

TEST(who_shares_which_cache)
{
    has_caches("alder_lake",
               (const struct caches[]){{1, CACHE_DATA, 48, 8, 2},
                                       {1, CACHE_DATA, 32, 8, 1},
                                       {1, CACHE_CODE, 32, 8, 2},
                                       {1, CACHE_CODE, 64, 8, 1},
                                       {2, CACHE_UNIFIED, 1280, 8, 2},
                                       {2, CACHE_UNIFIED, 2048, 2, 4},
                                       {3, CACHE_UNIFIED, 30720, 1, 24}},
               7);
    has_caches("meteor_lake", /* the two LP E-cores have no part in the L3 */
               (const struct caches[]){{1, CACHE_DATA, 32, 10, 1},
                                       {1, CACHE_DATA, 48, 4, 2},
                                       {1, CACHE_CODE, 64, 14, 2},
                                       {2, CACHE_UNIFIED, 2048, 7, 4},
                                       {3, CACHE_UNIFIED, 18432, 1, 16}},
               5);
    has_caches("interlagos_dp", /* a compute unit's cores share what fetches code */
               (const struct caches[]){{1, CACHE_DATA, 16, 32, 1},
                                       {1, CACHE_CODE, 64, 16, 2},
                                       {2, CACHE_UNIFIED, 2048, 16, 2},
                                       {3, CACHE_UNIFIED, 6144, 4, 8}},
               4);
    has_caches("gallatin_dp", /* leaf 2 says what there is, not who shares it */
               (const struct caches[]){
                   {1, CACHE_DATA, 8, 0, 0}, {2, CACHE_UNIFIED, 512, 0, 0}, {3, CACHE_UNIFIED, 1024, 0, 0}},
               3);
    fake_topology("meteor_lake", &t);
    assert_int_equal(t.place[2].caches, 4);
    assert_int_equal(t.place[16].caches, 3);
    assert_int_equal(t.place[2].cache[2].number, t.place[5].cache[2].number); /* L2 of IDs 0 to 6 */
    assert_int_not_equal(t.place[5].cache[2].number, t.place[6].cache[2].number);
    fake_topology("clovertown_dp", &t);
    assert_int_equal(topology_shared_level(&t, 0, 4), 2);
    assert_int_equal(topology_shared_level(&t, 0, 1), 0);
    fake_topology("genoa_dp", &t);
    assert_int_equal(topology_shared_level(&t, 0, 1), 1);
    assert_int_equal(topology_shared_level(&t, 0, 15), 3);
    assert_int_equal(topology_shared_level(&t, 0, 16), 0);
}

static void at(unsigned cpu, uint32_t apic_id, unsigned package, unsigned core, unsigned thread)
{
    assert_int_equal(t.place[cpu].apic_id, apic_id);
    assert_int_equal(t.place[cpu].unit[LEVEL_PACKAGE], package);
    assert_int_equal(t.place[cpu].unit[LEVEL_CORE], core);
    assert_int_equal(t.place[cpu].thread, thread);
}

TEST(each_has_its_place)
{
    fake_topology("gallatin_dp", &t); /* the firmware lists the second threads last */
    at(0, 0, 0, 0, 0);
    at(1, 6, 1, 1, 0);
    at(2, 1, 0, 0, 1);
    at(3, 7, 1, 1, 1);
    fake_topology("clovertown_dp", &t);
    at(1, 2, 0, 2, 0);
    at(2, 4, 1, 4, 0);
    at(4, 1, 0, 1, 0);
    fake_topology("meteor_lake", &t); /* the one that boots has not the lowest ID */
    at(0, 0x20, 0, 10, 0);
    at(1, 0x21, 0, 10, 1);
    at(2, 0, 0, 0, 0);
    at(17, 0x42, 0, 13, 0);
    assert_int_equal(t.place[17].kind, CORE_KIND_E);
    assert_int_equal(t.place[17].unit[LEVEL_MODULE], 6);
    assert_int_equal(t.order[0], 2);
    assert_int_equal(t.order[17], 17);
    fake_topology("skylake_dp", &t); /* IDs 0ch to 0fh are missing */
    at(11, 0xb, 0, 5, 1);
    at(12, 0x10, 0, 6, 0);
    at(95, 0x7b, 1, 47, 1);
    fake_topology("interlagos_dp", &t);
    at(16, 0x40, 1, 16, 0);
    assert_int_equal(t.place[15].unit[LEVEL_DIE], 1);
    assert_int_equal(t.place[31].unit[LEVEL_DIE], 3);
    assert_int_equal(t.place[31].unit[LEVEL_MODULE], 15);
    fake_topology("genoa_dp", &t); /* x2APIC */
    at(127, 0x7f, 0, 63, 1);
    at(128, 0x100, 1, 64, 0);
    at(255, 0x17f, 1, 127, 1);
    assert_int_equal(t.place[255].unit[LEVEL_COMPLEX], 15);
}

/* The same whatever the firmware's order. */
TEST(order_does_not_matter)
{
    static struct topology turned;
    for (size_t m = 0; m < N(machines); m++) {
        const unsigned n = fake_processors(machines[m].name, ids);
        fake_build(&t, ids, n);
        for (unsigned i = 0; i < n / 2; i++) {
            const struct topology_ids one = ids[i];
            ids[i] = ids[n - 1 - i];
            ids[n - 1 - i] = one;
        }
        fake_build(&turned, ids, n);
        assert_memory_equal(turned.units, t.units, sizeof t.units);
        assert_memory_equal(turned.cache, t.cache, sizeof t.cache);
        for (unsigned i = 0; i < n; i++)
            assert_memory_equal(&turned.place[i], &t.place[n - 1 - i], sizeof t.place[i]);
    }
}

/* ---- what a lone processor says, and what is garbled ---- */

static void alone(const struct fake_cpuid *table, size_t n, uint32_t apic_id)
{
    struct cpu_id id;
    fake_reset();
    if (table) fake_cpuid(table, n);
    cpu_identify(&id);
    topology_read(&id, apic_id, &ids[0]);
    fake_build(&t, ids, 1);
    assert_int_equal(t.processors, 1);
    assert_int_equal(t.units[LEVEL_PACKAGE], 1);
    assert_int_equal(t.units[LEVEL_CORE], 1);
    assert_int_equal(t.threads, 1);
    for (unsigned level = LEVEL_CORE + 1; level < LEVEL_PACKAGE; level++) assert_true(t.units[level] <= 1);
}

TEST(lone_processors)
{
    static const char *const names[] = {"p54c",    "quark_x1000", "pentium_pro", "k5",
                                        "k6_iii",  "cyrix_6x86",  "tulsa",       "conroe",
                                        "skylake", "isaiah",      "ryzen_1800x", "deneb"};
    alone(NULL, 0, 3); /* no leaf at all */
    assert_int_equal(t.leaves, 0);
    assert_int_equal(t.place[0].apic_id, 3);
    for (size_t i = 0; i < N(names); i++) {
        struct cpu_id id;
        fake_reset();
        fake_cpu(names[i]);
        cpu_identify(&id);
        topology_read(&id, 7, &ids[0]);
        fake_build(&t, ids, 1);
        assert_int_equal(t.units[LEVEL_PACKAGE], 1);
        assert_int_equal(t.units[LEVEL_CORE], 1);
        assert_int_equal(t.threads, 1);
        assert_int_not_equal(t.leaves, 0);
    }
}

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define HTT   (1u << 28)

/* Leaf 0Bh that is there and empty (a hypervisor's), that begins with another level, that never ends, that
 * has an unknown level between two known ones, and whose first shift is 0 though a core has two threads. */
TEST(garbled_leaves)
{
    static const struct fake_cpuid empty[] = {{0, 0, {0xb, INTEL}},
                                              {1, 0, {0x106a5, 0x05100800, 0, HTT}},
                                              {4, 0, {0x1c004121, 0x01c0003f, 0x3f, 0}}};
    static const struct fake_cpuid no_thread[] = {{0, 0, {0xb, INTEL}},
                                                  {1, 0, {0x106a5, 0x05100800, 0, HTT}},
                                                  {4, 0, {0x1c004121, 0x01c0003f, 0x3f, 0}},
                                                  {0xb, 0, {4, 16, 0x200, 5}}};
    static const struct fake_cpuid endless[] = {{0, 0, {0xb, INTEL}},
                                                {0xb, FAKE_ANY_SUBLEAF, {1, 2, 0x100, 9}}};
    static const struct fake_cpuid unknown[] = {
        {0, 0, {0x1f, INTEL}},           {0x1f, 0, {1, 2, 0x100, 0x7b}},  {0x1f, 1, {3, 8, 0x201, 0x7b}},
        {0x1f, 2, {4, 16, 0x902, 0x7b}}, {0x1f, 3, {5, 32, 0x503, 0x7b}}, {0x1f, 4, {6, 64, 0x604, 0x7b}}};
    static const struct fake_cpuid no_shift[] = {
        {0, 0, {0xb, INTEL}}, {0xb, 0, {0, 2, 0x100, 3}}, {0xb, 1, {4, 16, 0x201, 3}}};
    alone(empty, N(empty), 5);
    assert_int_equal(t.leaves, LEAF(4) | LEAF(1));
    assert_int_equal(ids[0].shift[LEVEL_CORE], 1);
    assert_int_equal(ids[0].shift[LEVEL_PACKAGE], 4);
    alone(no_thread, N(no_thread), 5);
    assert_int_equal(t.leaves, LEAF(4) | LEAF(1));
    alone(endless, N(endless), 9);
    assert_int_equal(ids[0].shift[LEVEL_PACKAGE], 1);
    alone(unknown, N(unknown), 0x7b);
    assert_int_equal(ids[0].shift[LEVEL_CORE], 1);
    assert_int_equal(ids[0].shift[LEVEL_MODULE], SHIFT_UNKNOWN);
    assert_int_equal(ids[0].shift[LEVEL_DIE], 4);
    assert_int_equal(ids[0].shift[LEVEL_DIE_GROUP], 5);
    assert_int_equal(ids[0].shift[LEVEL_PACKAGE], 6);
    assert_int_equal(ids[0].initial_id, 0x7b);
    alone(no_shift, N(no_shift), 3);
    assert_int_equal(ids[0].shift[LEVEL_CORE], 1);
    assert_int_equal(t.room, 2);
}

/* No cache reaches beyond its package, whatever leaf 4 says. */
TEST(a_cache_ends_with_its_package)
{
    unsigned n = fake_processors("skylake_dp", ids);
    for (unsigned i = 0; i < n; i++) ids[i].cache[3].shift = 12;
    fake_build(&t, ids, n);
    assert_int_equal(t.cache[3].level, 3);
    assert_int_equal(t.cache[3].number, 2);
}

/* A hypervisor that gives every processor one ID, and local APICs that know better. */
TEST(ids_that_are_there_twice)
{
    unsigned n = fake_processors("alder_lake", ids);
    for (unsigned i = 0; i < n; i++) ids[i].initial_id = 0;
    fake_build(&t, ids, n);
    assert_true(t.ids_twice);
    assert_int_equal(t.units[LEVEL_CORE], 16);
    assert_int_equal(t.cache[5].number, 2);
    at(17, 0x42, 0, 9, 0);
}

/* What one processor of the machine does not tell is not told. */
TEST(levels_that_some_do_not_tell)
{
    unsigned n = fake_processors("meteor_lake", ids);
    ids[17].shift[LEVEL_MODULE] = SHIFT_UNKNOWN;
    ids[17].cache[2].shift = SHIFT_UNKNOWN;
    fake_build(&t, ids, n);
    assert_int_equal(t.units[LEVEL_MODULE], 0);
    assert_int_equal(t.units[LEVEL_CORE], 14);
    assert_int_equal(t.cache[3].number, 0);
    assert_int_equal(t.cache[4].number, 1);
}

/* 255 packages of one thread, as QEMU makes them: odd IDs only, from 1 to 509. */
TEST(packages_and_nothing_else)
{
    memset(ids, 0, sizeof ids);
    for (unsigned i = 0; i < 255; i++) {
        memset(ids[i].shift, SHIFT_UNKNOWN, sizeof ids[i].shift);
        ids[i].shift[LEVEL_CORE] = ids[i].shift[LEVEL_PACKAGE] = 0;
        ids[i].apic_id = ids[i].initial_id = 2 * i + 1;
    }
    fake_build(&t, ids, 255);
    assert_int_equal(t.units[LEVEL_PACKAGE], 255);
    assert_int_equal(t.units[LEVEL_CORE], 255);
    assert_int_equal(t.cache_kinds, 0);
    at(254, 509, 254, 254, 0);
}

TEST(names)
{
    assert_string_equal(topology_level_name(LEVEL_DIE_GROUP, false), "die group");
    assert_string_equal(topology_level_name(LEVEL_COMPLEX, true), "complexes");
    assert_string_equal(topology_leaf_name(TOPOLOGY_LEAF_1DX), "cpuid.8000001Dh");
    for (unsigned i = 0; i < TOPOLOGY_LEAVES; i++) assert_non_null(topology_leaf_name((enum topology_leaf)i));
    assert_string_equal(core_kind_name(CORE_KIND_E), "E");
    assert_null(core_kind_name(CORE_KIND_UNKNOWN));
}
