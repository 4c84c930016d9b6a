/* CPUID of several modelled processors: one core a package, of one thread or two. */
#include "sim/core.h"
#include "tests/unit/unit.h"

enum { EAX, EBX, ECX, EDX };

/* What the emulator answers, of a processor with eight cores of two threads. */
static void dump(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    static const struct {
        uint32_t leaf, subleaf, regs[4];
    } rows[] = {
        {1, 0, {0x50654, 0x05100800, 0, 1u << 28}},
        {4, 0, {0x1c004121, 0x1c0003f, 63, 0}},
        {4, 3, {0x1c03c163, 0x2c0003f, 12287, 4}},
        {4, 4, {0x1c000000, 0, 0, 0}}, /* no cache */
        {0xb, 0, {1, 2, 0x100, 5}},
        {0xb, 1, {4, 16, 0x201, 5}},
        {0xb, 2, {6, 32, 0x302, 5}},
        {0xb, 3, {0, 0, 3, 5}},
        {0x80000001, 0, {0, 0, 0x103, 0}},
        {0x80000008, 0, {0x3030, 0, 0x400f, 0}},
        {0x8000001d, 3, {0x3c163, 0x3c0003f, 16383, 1}},
        {0x8000001e, 0, {5, 0x102, 0x101, 0}},
    };
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].leaf == leaf && rows[r].subleaf == subleaf) {
            for (unsigned k = 0; k < 4; k++) regs[k] = rows[r].regs[k];
            sim_topology_cpuid(s, leaf, subleaf, regs);
            return;
        }
    fail();
}

static void is(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t a, uint32_t b, uint32_t c,
               uint32_t d)
{
    uint32_t regs[4];
    dump(s, leaf, subleaf, regs);
    if (regs[EAX] != a || regs[EBX] != b || regs[ECX] != c || regs[EDX] != d)
        fail_msg("%Xh.%u: %x %x %x %x", leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
}

TEST(test_packages)
{
    struct sim *s[2] = {sim_new("zen4", NULL, NULL), sim_new("zen4", NULL, NULL)};
    struct sim_bus *bus = sim_bus_new(s, 2);
    is(s[1], 1, 0, 0x50654, 0x05010800, 0, 0);
    is(s[1], 4, 0, 0x00000121, 0x1c0003f, 63, 0);
    is(s[1], 4, 3, 0x00000163, 0x2c0003f, 12287, 4);
    is(s[1], 4, 4, 0x1c000000, 0, 0, 0);
    is(s[1], 0xb, 0, 0, 1, 0x100, 5);
    is(s[1], 0xb, 1, 0, 1, 0x201, 5);
    is(s[1], 0xb, 2, 0, 0, 2, 5);
    is(s[1], 0xb, 3, 0, 0, 3, 5);
    is(s[1], 0x80000001, 0, 0, 0, 0x101, 0);
    is(s[1], 0x80000008, 0, 0x3030, 0, 0, 0);
    is(s[1], 0x8000001d, 3, 0x163, 0x3c0003f, 16383, 1);
    is(s[0], 0x8000001e, 0, 5, 0, 0, 0);
    is(s[1], 0x8000001e, 0, 5, 1, 1, 0);
    sim_bus_free(bus);
    for (unsigned k = 0; k < 2; k++) sim_free(s[k]);
}

TEST(test_threads)
{
    struct sim *first = sim_new("skylake", NULL, NULL), *second = sim_thread(first, NULL);
    assert_non_null(second);
    is(second, 1, 0, 0x50654, 0x05020800, 0, 1u << 28);
    is(second, 4, 0, 0x00004121, 0x1c0003f, 63, 0);
    is(first, 4, 3, 0x00004163, 0x2c0003f, 12287, 4);
    is(second, 0xb, 0, 1, 2, 0x100, 5);
    is(second, 0xb, 1, 1, 2, 0x201, 5);
    is(second, 0xb, 2, 0, 0, 2, 5);
    sim_free(second);
    sim_free(first);
}

/* One alone has the whole dump, as it is. */
TEST(test_alone)
{
    struct sim *s = sim_new("skylake", NULL, NULL);
    uint32_t regs[4] = {4, 16, 0x201, 5};
    sim_cpuid(s, 0xb, 1, regs);
    assert_int_equal(regs[EAX], 4);
    assert_int_equal(regs[EBX], 16);
    sim_free(s);
}
