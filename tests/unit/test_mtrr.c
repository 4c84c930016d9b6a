/* mtrr_type() on register settings that firmware really makes, and on broken ones. */
#include "kernel/mtrr.h"
#include "tests/unit/fake_cpus.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

#define MIB    (1ull << 20)
#define GIB    (1ull << 30)
#define VALID  (1ull << 11)
#define MASK36 0xfffffffffull
#define MASK39 0x7fffffffffull /* the Skylake of fake_cpus.c has 39 physical address bits */

static struct cpu_id id;

static void machine(const char *cpu, uint64_t def_type, unsigned n_ranges)
{
    fake_reset();
    fake_cpu(cpu);
    cpu_identify(&id);
    fake_msr(0xfe, 0x500 | n_ranges); /* fixed ranges and WC supported */
    fake_msr(0x2ff, def_type);
    for (unsigned i = 0; i < n_ranges; i++) {
        fake_msr(0x200 + 2 * i, 0);
        fake_msr(0x201 + 2 * i, 0);
    }
}

static void range(unsigned i, uint64_t base, uint64_t size, unsigned type, uint64_t phys_mask)
{
    fake_msr(0x200 + 2 * i, base | type);
    fake_msr(0x201 + 2 * i, (phys_mask & ~(size - 1)) | VALID);
}

/* A Pentium III with 384 MiB, as its firmware sets it up: default UC, 256 + 128 MiB WB. */
TEST(test_default_uc)
{
    machine("coppermine", 0xc00, 8);
    range(0, 0, 256 * MIB, MT_WB, MASK36);
    range(1, 256 * MIB, 128 * MIB, MT_WB, MASK36);
    range(2, 0xe0000000, 64 * MIB, MT_WC, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, 383 * MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 16 * MIB, 4096), MT_WB);
    assert_int_equal(mtrr_type(&id, 383 * MIB, 2 * MIB), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 384 * MIB, MIB), MT_UC);
    assert_int_equal(mtrr_type(&id, 384 * MIB - 1, 1), MT_WB);
    assert_int_equal(mtrr_type(&id, 384 * MIB - 1, 2), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 0xe0000000, 64 * MIB), MT_WC);
    assert_int_equal(mtrr_type(&id, 0xe0000000 - 1, 2), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 0xfee00000, 4096), MT_UC);
    assert_int_equal(mtrr_type(&id, 512 * MIB, 3 * GIB), MT_UC); /* ends where WC begins */
    assert_int_equal(mtrr_type(&id, 512 * MIB, 3 * GIB + 1), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 512 * MIB, 4 * GIB), MT_MIXED); /* begins and ends as UC */
}

/* SeaBIOS and OVMF: default WB, UC from the PCI hole to 4 GiB; memory again above it. */
TEST(test_default_wb)
{
    machine("skylake", 0xc06, 8);
    range(0, 0xc0000000, GIB, MT_UC, MASK39);
    assert_int_equal(mtrr_type(&id, MIB, 3 * GIB - MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 3 * GIB, GIB), MT_UC);
    assert_int_equal(mtrr_type(&id, 4 * GIB, 64 * GIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 2 * GIB, 4 * GIB), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 512 * GIB - 4096, 4096), MT_WB);
    assert_int_equal(mtrr_type(&id, 512 * GIB - 4096, 8192), MT_UNKNOWN); /* beyond 39 bits */
}

/* SDM vol. 3A, 11.11.4.1: UC wins, WT wins over WB; all else is undefined. Types 2 and 3 are reserved, as are
 * those from 7 on (table 11-8). */
TEST(test_overlap)
{
    static const unsigned types[] = {MT_UC, MT_WC, MT_WT, MT_WP, MT_WB};
    static const char *const results[] = {"00000", "01???", "0?4?4", "0??5?", "0?4?6"};
    for (unsigned a = 0; a < 5; a++) {
        for (unsigned b = 0; b < 5; b++) {
            machine("coppermine", 0xc00, 8);
            range(0, 0, GIB, types[a], MASK36);
            range(1, 512 * MIB, 16 * MIB, types[b], MASK36);
            const char result = results[a][b];
            assert_int_equal(mtrr_type(&id, 512 * MIB, 16 * MIB), result == '?' ? MT_UNKNOWN : result - '0');
            assert_int_equal(mtrr_type(&id, 256 * MIB, 16 * MIB), types[a]);
        }
    }
    for (unsigned type = 0; type < 0x100; type++) {
        const bool valid = type < 7 && memchr("\0\1\4\5\6", (int)type, 5);
        machine("coppermine", 0xc00 | type, 8);
        assert_int_equal(mtrr_type(&id, MIB, MIB), valid ? type : MT_UNKNOWN);
        machine("coppermine", 0xc01, 8);
        range(7, 0, GIB, type, MASK36);
        assert_int_equal(mtrr_type(&id, MIB, MIB), valid ? type : MT_UNKNOWN);
    }
    /* The whole of memory WB, its last 8 MiB UC: how firmware hides graphics memory */
    machine("coppermine", 0xc00, 8);
    range(0, 0, 256 * MIB, MT_WB, MASK36);
    range(1, 248 * MIB, 8 * MIB, MT_UC, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, 247 * MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, MIB, 248 * MIB), MT_MIXED);
}

/* How wide addresses are: what CPUID says, if it says so and it can be, else 36 bits (SDM vol.
 * 3A, 11.11.2.3). */
TEST(test_width)
{
    for (unsigned told = 0; told < 0x100; told++) {
        const struct fake_cpuid widths[] = {
            {0x80000000, FAKE_ANY_SUBLEAF, {.eax = 0x80000008}},
            {0x80000008, 0, {.eax = 0xffff00 | told}}, /* and of linear addresses */
        };
        machine("coppermine", 0xc06, 1);
        for (unsigned leaf = 0; leaf < 3; leaf++) {
            const unsigned width = leaf && told >= 32 && told <= 52 ? told : 36;
            id.max_ext_leaf = 0x80000007 + leaf;
            fake_cpuid(widths, 2);
            assert_int_equal(mtrr_type(&id, (1ull << width) - 4096, 4096), MT_WB);
            assert_int_equal(mtrr_type(&id, (1ull << width) - 4096, 4097), MT_UNKNOWN);
        }
    }
}

/* As many ranges as there are registers for, of which the last one counts. */
TEST(test_most_ranges)
{
    machine("coppermine", 0xc06, 40);
    for (unsigned i = 0; i < 39; i++) range(i, 8 * GIB + i * MIB, MIB, MT_UC, MASK36);
    range(39, GIB, GIB, MT_WC, MASK36);
    assert_int_equal(mtrr_type(&id, GIB, GIB), MT_WC);
    fake_msr(0xfe, 0x500 | 39);
    assert_int_equal(mtrr_type(&id, GIB, GIB), MT_WB);
    fake_msr(0xfe, 0x500 | 41);
    fake_msr(0x250, 0), fake_msr(0x251, 0);
    assert_int_equal(mtrr_type(&id, GIB, GIB), MT_UNKNOWN);
}

TEST(test_disabled)
{
    machine("coppermine", 0x406, 8); /* E clear: all of memory is UC, ranges and default are ignored */
    range(0, 0, GIB, MT_WB, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UC);

    machine("coppermine", 0xc00, 8);
    range(0, 0, GIB, MT_WB, MASK36);
    fake_msr(0x201, MASK36 & ~(GIB - 1)); /* V clear */
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UC);
}

TEST(test_unknown)
{
    machine("p54c", 0xc06, 8); /* no MTRR feature bit, whatever the MSRs say */
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);

    fake_reset();
    fake_cpu("coppermine"); /* feature bit, but every MSR faults */
    cpu_identify(&id);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);
    fake_msr(0x2ff, 0xc06);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);
    fake_msr(0xfe, 0x502);
    fake_msr(0x200, 0), fake_msr(0x201, 0), fake_msr(0x202, 0);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);
    fake_msr(0x203, 0);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_WB);

    fake_msr(0xfe, 0x5ff); /* more ranges than there is room for in the MSR space */
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);

    machine("coppermine", 0xc02, 2); /* types 2 and 3 are reserved */
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);
    machine("coppermine", 0xc06, 2);
    range(0, GIB, MIB, 3, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, MIB), MT_UNKNOWN);

    machine("coppermine", 0xc06, 2);
    assert_int_equal(mtrr_type(&id, MIB - 1, 2), MT_UNKNOWN); /* fixed ranges are not looked at */
    assert_int_equal(mtrr_type(&id, 0, 16 * MIB), MT_UNKNOWN);
    assert_int_equal(mtrr_type(&id, MIB, 0), MT_UNKNOWN);
    assert_int_equal(mtrr_type(&id, GIB, UINT64_MAX), MT_UNKNOWN);
}

/* Masks with holes are legal: SDM vol. 3A, 11.11.3.2. Here every odd MiB of the first 16 is WC. */
TEST(test_discontiguous_mask)
{
    machine("coppermine", 0xc06, 8);
    fake_msr(0x200, MIB | MT_WC);
    fake_msr(0x201, (MASK36 & ~(16 * MIB - 1)) | MIB | VALID);
    assert_int_equal(mtrr_type(&id, 3 * MIB, MIB), MT_WC);
    assert_int_equal(mtrr_type(&id, 4 * MIB, MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 3 * MIB, MIB + 1), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 4 * MIB - 1, 2), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 17 * MIB, MIB), MT_WB);
    /* Firmware that sets 36 bits on a CPU with 39: the range repeats every 64 GiB. */
    machine("skylake", 0xc00, 8);
    range(0, 0, 2 * GIB, MT_WB, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, 2 * GIB - MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 2 * GIB, 62 * GIB), MT_UC);
    assert_int_equal(mtrr_type(&id, 64 * GIB, 2 * GIB), MT_WB);
    /* Very many pieces, all alike: an answer in bounded time, and no guess. */
    machine("skylake", 0xc06, 8);
    fake_msr(0x200, 0x1000 | MT_WB);
    fake_msr(0x201, 0x1000 | VALID);
    assert_int_equal(mtrr_type(&id, MIB, 65536 * 4096ull), MT_WB);
    assert_int_equal(mtrr_type(&id, MIB, 65537 * 4096ull), MT_UNKNOWN);
    machine("coppermine", 0xc06, 8); /* a single small range is not many pieces */
    range(0, 32 * GIB, 4096, MT_WB, MASK36);
    assert_int_equal(mtrr_type(&id, MIB, 63 * GIB), MT_WB);
    assert_int_equal(mtrr_type(&id, MIB, 64 * GIB), MT_UNKNOWN);
}

/* A mask of zero covers all addresses. */
TEST(test_whole_memory_range)
{
    machine("coppermine", 0xc00, 2);
    fake_msr(0x200, MT_WT);
    fake_msr(0x201, VALID);
    assert_int_equal(mtrr_type(&id, MIB, 63 * GIB), MT_WT);
}

/* AMD: memory from 4 GiB to TOM2 is WB by default, though MTRRdefType says UC. */
TEST(test_amd_tom2)
{
    machine("ryzen_1800x", 0xc00, 8);
    range(0, 0, 2 * GIB, MT_WB, 0xffffffffffffull);
    fake_msr(0xc0010010, 1u << 21 | 1u << 22);
    fake_msr(0xc001001d, 8 * GIB);
    assert_int_equal(mtrr_type(&id, MIB, 2 * GIB - MIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 2 * GIB, 2 * GIB), MT_UC);
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_WB);
    assert_int_equal(mtrr_type(&id, 4 * GIB - 1, 2), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 8 * GIB - 1, 2), MT_MIXED);
    assert_int_equal(mtrr_type(&id, 8 * GIB, GIB), MT_UC);
    fake_msr(0xc001001d, 8 * GIB + 0x7fffff); /* reserved bits */
    assert_int_equal(mtrr_type(&id, 8 * GIB, GIB), MT_UC);
    fake_msr(0xc001001d, 8 * GIB + 0x800000);
    assert_int_equal(mtrr_type(&id, 8 * GIB, 0x800000), MT_WB);
    id.family = 0xf; /* the first one that has it */
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_WB);
    id.family = 6;
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_UC);
    id.family = 0x17;
    for (unsigned bit = 21; bit <= 22; bit++) { /* TOM2 in use, the type not forced, or the other way round */
        fake_msr(0xc0010010, 1u << bit);
        assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_UC);
    }
    machine("ryzen_1800x", 0xc00, 8); /* one of the registers is missing */
    fake_msr(0xc001001d, 8 * GIB);
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_UC);
    machine("ryzen_1800x", 0xc00, 8);
    fake_msr(0xc0010010, 1u << 21 | 1u << 22);
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_UC);
    /* The same register numbers mean nothing on Intel. */
    machine("skylake", 0xc00, 8);
    fake_msr(0xc0010010, 1u << 21 | 1u << 22);
    fake_msr(0xc001001d, 8 * GIB);
    assert_int_equal(mtrr_type(&id, 4 * GIB, 4 * GIB), MT_UC);
}

TEST(test_names)
{
    assert_string_equal(mem_type_name(MT_UC), "UC");
    assert_string_equal(mem_type_name(MT_WC), "WC");
    assert_string_equal(mem_type_name(MT_WT), "WT");
    assert_string_equal(mem_type_name(MT_WP), "WP");
    assert_string_equal(mem_type_name(MT_WB), "WB");
    assert_string_equal(mem_type_name(MT_MIXED), "mixed");
    assert_string_equal(mem_type_name(MT_UNKNOWN), "unknown");
}

/* One processor's registers on another one, whose firmware has left others. */
TEST(test_same_on_another)
{
    static const uint16_t fixed[] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                     0x26b, 0x26c, 0x26d, 0x26e, 0x26f};
    struct mtrr_state s;
    machine("coppermine", 0xc00, 4);
    range(0, 0, 256 * MIB, 6, MASK36);
    range(3, GIB, 16 * MIB, 1, MASK36);
    for (unsigned i = 0; i < 11; i++) fake_msr(fixed[i], 0x0606060606060600 + i);
    mtrr_save(&id, &s);
    assert_true(s.present);
    assert_int_equal(s.ranges, 4);
    assert_int_equal(mtrr_differ(&id, &s), 0);

    machine("coppermine", 0x800, 4); /* after INIT of some emulators: none of them */
    for (unsigned i = 0; i < 11; i++) fake_msr(fixed[i], 0);
    assert_int_equal(mtrr_differ(&id, &s), 1 + 4 + 11);
    mtrr_load(&s);
    assert_int_equal(mtrr_differ(&id, &s), 0);
    uint64_t value;
    assert_true(rdmsr_safe(0x26f, &value));
    assert_int_equal(value, 0x060606060606060a);
    assert_true(rdmsr_safe(0x2ff, &value));
    assert_int_equal(value, 0xc00);
    assert_int_equal(mtrr_type(&id, 128 * MIB, MIB), MT_WB);

    fake_msr(0x203, 7); /* only one, that is not valid */
    assert_int_equal(mtrr_differ(&id, &s), 1);
    id.f1_edx &= ~CPUID_1_EDX_MTRR;
    mtrr_save(&id, &s);
    assert_false(s.present);
    assert_int_equal(mtrr_differ(&id, &s), 0);
    mtrr_load(&s); /* writes nothing */
    assert_true(rdmsr_safe(0x203, &value));
    assert_int_equal(value, 7);
}
