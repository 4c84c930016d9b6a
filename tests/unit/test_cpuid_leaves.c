/* cpu_identify() asks for every leaf and subleaf that there is, and for no other. */
#include "kernel/cpuid.h"
#include "tests/unit/fake_hw.h"
#include "unit.h"
#include <string.h>

enum { EAX, EBX, ECX, EDX };

static const struct {
    uint32_t leaf, subleaf;
    unsigned reg;
    size_t field;
} fields[] = {
    {1, 0, EAX, offsetof(struct cpu_id, signature)},
    {1, 0, EBX, offsetof(struct cpu_id, f1_ebx)},
    {1, 0, ECX, offsetof(struct cpu_id, f1_ecx)},
    {1, 0, EDX, offsetof(struct cpu_id, f1_edx)},
    {4, 0, EAX, offsetof(struct cpu_id, f4_eax)},
    {6, 0, EAX, offsetof(struct cpu_id, f6_eax)},
    {6, 0, ECX, offsetof(struct cpu_id, f6_ecx)},
    {7, 0, EBX, offsetof(struct cpu_id, f7_ebx)},
    {7, 0, ECX, offsetof(struct cpu_id, f7_ecx)},
    {7, 0, EDX, offsetof(struct cpu_id, f7_edx)},
    {7, 1, EAX, offsetof(struct cpu_id, f7_1_eax)},
    {0xa, 0, EAX, offsetof(struct cpu_id, fa.eax)},
    {0xa, 0, EBX, offsetof(struct cpu_id, fa.ebx)},
    {0xa, 0, ECX, offsetof(struct cpu_id, fa.ecx)},
    {0xa, 0, EDX, offsetof(struct cpu_id, fa.edx)},
    {0x1a, 0, EAX, offsetof(struct cpu_id, f1a_eax)},
    {0x23, 1, EAX, offsetof(struct cpu_id, f23_eax)},
    {0x23, 1, EBX, offsetof(struct cpu_id, f23_ebx)},
    {0x23, 4, EBX, offsetof(struct cpu_id, f23_4_ebx)},
    {0x23, 5, EAX, offsetof(struct cpu_id, f23_5.eax)},
    {0x23, 5, EBX, offsetof(struct cpu_id, f23_5.ebx)},
    {0x23, 5, ECX, offsetof(struct cpu_id, f23_5.ecx)},
    {0x23, 5, EDX, offsetof(struct cpu_id, f23_5.edx)},
    {0x80000001, 0, ECX, offsetof(struct cpu_id, x1_ecx)},
    {0x80000001, 0, EDX, offsetof(struct cpu_id, x1_edx)},
    {0x80000007, 0, EDX, offsetof(struct cpu_id, x7_edx)},
    {0x80000021, 0, EAX, offsetof(struct cpu_id, x21_eax)},
    {0x80000022, 0, EAX, offsetof(struct cpu_id, x22_eax)},
    {0x80000022, 0, EBX, offsetof(struct cpu_id, x22_ebx)},
};

/* Another one for each register of each leaf. Leaf 7 has a subleaf 1 by this, and that has leaf 23h. */
static uint32_t value(uint32_t leaf, uint32_t subleaf, unsigned reg)
{
    return 0x5a000000 | (leaf >> 31) << 16 | (leaf & 0xff) << 8 | subleaf << 4 | (reg + 1);
}

/* Every leaf is asked for where there is one, and not beyond the highest. */
TEST(test_every_leaf)
{
    static struct fake_cpuid cpu[120];
    size_t n = 2;
    for (uint32_t range = 0; range <= 0x80000000; range += 0x80000000) {
        for (uint32_t leaf = 1; leaf <= 0x26; leaf++)
            for (uint32_t subleaf = 0; subleaf < (leaf == 0x23 ? 6 : leaf == 7 ? 2 : 1); subleaf++) {
                const uint32_t l = range + leaf;
                cpu[n++] = (struct fake_cpuid){l,
                                               subleaf,
                                               {value(l, subleaf, EAX), value(l, subleaf, EBX),
                                                value(l, subleaf, ECX), value(l, subleaf, EDX)}};
                if (l == 0x23 && subleaf == 0) cpu[n - 1].regs.eax = 0x3b;
                if (l == 0x24) cpu[n - 1].regs.eax = 0;
            }
        if (range) break;
    }
    for (uint32_t max = 0; max <= 0x26; max++) {
        struct cpu_id id;
        cpu[0] = (struct fake_cpuid){0, 0, {max, 0x756e6547, 0x6c65746e, 0x49656e69}};
        cpu[1] = (struct fake_cpuid){0x80000000, 0, {0x80000000 + max, 0, 0, 0}};
        fake_reset();
        fake_cpuid(cpu, n);
        memset(&id, 0xa5, sizeof id);
        cpu_identify(&id);
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            uint32_t got;
            memcpy(&got, (const char *)&id + fields[i].field, sizeof got);
            const bool there = (fields[i].leaf & 0xff) <= max;
            if (got != (there ? value(fields[i].leaf, fields[i].subleaf, fields[i].reg) : 0))
                fail_msg("highest %x: %x.%x register %u is %x", max, fields[i].leaf, fields[i].subleaf,
                         fields[i].reg, got);
        }
        assert_int_equal(id.brand[0] != 0, max >= 4);
    }
}

/* Leaf 23h has a subleaf 1 where two bits say so, and leaf 7 where its EAX does. */
TEST(test_subleaves)
{
    /* 4 and 5 are both there, or are not asked for. */
    struct fake_cpuid cpu[] = {
        {0, 0, {0x24, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {7, 0, {1, 0, 0, 0}},
        {7, 1, {1u << 8, 0, 0, 0}},
        {0x23, 0, {2, 0, 0, 0}},
        {0x23, 1, {0x3ff, 0xf, 0, 0}},
        {0x23, 4, {1, 0x600a0300, 2, 3}},
        {0x23, 5, {0xff, 3, 0xf, 1}},
    };
    struct cpu_id id;
    fake_reset();
    fake_cpuid(cpu, sizeof cpu / sizeof *cpu);
    cpu_identify(&id);
    assert_int_equal(id.f23_eax, 0x3ff);
    cpu[3].regs.eax = 0xd; /* all others */
    cpu_identify(&id);
    assert_int_equal(id.f23_eax | id.f23_ebx, 0);
    assert_int_equal(id.f23_4_ebx | id.f23_5.eax, 0);
    for (uint32_t one = 0x10; one <= 0x20; one += 0x10) {
        cpu[3].regs.eax = one;
        cpu_identify(&id);
        assert_int_equal(id.f23_4_ebx | id.f23_5.eax | id.f23_5.ecx, 0);
    }
    cpu[3].regs.eax = 0x32;
    cpu_identify(&id);
    assert_int_equal(id.f23_4_ebx, 0x600a0300);
    assert_true(id.f23_5.eax == 0xff && id.f23_5.ebx == 3 && id.f23_5.ecx == 0xf && id.f23_5.edx == 1);
    cpu[3].regs.eax = 0xf;
    cpu[2].regs.eax = 0xfffffeff;
    cpu_identify(&id);
    assert_int_equal(id.f7_1_eax, 0xfffffeff);
    assert_int_equal(id.f23_eax | id.f23_ebx, 0);
    cpu[1].regs.eax = 0;
    cpu_identify(&id);
    assert_int_equal(id.f7_1_eax, 0);
}
