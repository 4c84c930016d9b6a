/* cpu_identify() on the CPUID values of real processors, and on values no processor should give. */
#include "kernel/cpuid.h"
#include "tests/unit/fake_cpus.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Family, model and stepping as Intel's and AMD's lists of processors name them. */
static struct identity {
    const char *cpu, *vendor, *brand;
    unsigned family, model, stepping;
    uint32_t max_leaf, max_ext_leaf;
} identities[] = {
    {"p54c", "GenuineIntel", "", 5, 2, 5, 1, 0},
    {"p24t", "GenuineIntel", "", 5, 3, 2, 1, 0},
    {"pentium_mmx", "GenuineIntel", "", 5, 4, 3, 1, 0},
    {"pentium_pro", "GenuineIntel", "", 6, 1, 9, 2, 0},
    {"coppermine", "GenuineIntel", "", 6, 8, 3, 3, 0},
    {"willamette", "GenuineIntel", "Intel(R) Pentium(R) 4 CPU 1700MHz", 15, 0, 10, 2, 0x80000004},
    {"northwood", "GenuineIntel", "Intel(R) Pentium(R) 4 CPU 2.80GHz", 15, 2, 9, 2, 0x80000004},
    {"tulsa", "GenuineIntel", "Intel(R) Xeon(TM) CPU 3.40GHz", 15, 6, 8, 6, 0x80000008},
    {"conroe", "GenuineIntel", "Intel(R) Core(TM)2 CPU X6800 @ 2.93GHz", 6, 15, 6, 10, 0x80000008},
    {"atom_230", "GenuineIntel", "", 6, 28, 2, 10, 0x80000008},
    {"skylake", "GenuineIntel", "Intel(R) Core(TM) i5-6400T CPU @ 2.20GHz", 6, 94, 3, 22, 0x80000008},
    {"k5", "AuthenticAMD", "AMD-K5(tm) Processor", 5, 1, 4, 1, 0x80000005},
    {"k6_iii", "AuthenticAMD", "AMD-K6(tm) 3D+ Processor", 5, 9, 1, 1, 0x80000006},
    {"duron_a0", "AuthenticAMD", "AMD Duron(tm) processor", 6, 3, 0, 1, 0x80000006},
    {"clawhammer", "AuthenticAMD", "AMD Athlon(tm) 64 Processor 2800+", 15, 4, 10, 1, 0x80000018},
    {"deneb", "AuthenticAMD", "AMD Phenom(tm) II X4 940 Processor", 16, 4, 2, 5, 0x8000001b},
    {"ryzen_1800x", "AuthenticAMD", "AMD Ryzen 7 1800X Eight-Core Processor", 23, 1, 1, 13, 0x8000001f},
    {"isaiah", "CentaurHauls", "VIA Eden X4 C4250@1.2+GHz", 6, 15, 14, 13, 0x80000008},
    {"cyrix_6x86", "CyrixInstead", "", 5, 2, 0, 1, 0},
};

#define N_IDENTITIES (sizeof identities / sizeof *identities)

/* One test for each row. */
static void test_identity(void **state)
{
    const struct identity *want = *state;
    struct cpu_id id;
    fake_reset();
    fake_cpu(want->cpu);
    cpu_identify(&id);
    assert_string_equal(id.vendor, want->vendor);
    assert_string_equal(id.brand, want->brand);
    assert_int_equal(id.family, want->family);
    assert_int_equal(id.model, want->model);
    assert_int_equal(id.stepping, want->stepping);
    assert_int_equal(id.max_leaf, want->max_leaf);
    assert_int_equal(id.max_ext_leaf, want->max_ext_leaf);
    assert_false(id.has_hypervisor);
    assert_string_equal(id.hypervisor, "");
}

static void test_features(void **state)
{
    struct cpu_id id;
    (void)state;

    fake_reset();
    fake_cpu("skylake");
    cpu_identify(&id);
    assert_true(id.f1_edx & CPUID_1_EDX_SSE2);
    assert_int_equal(id.f1_ebx, 0x100800);
    assert_int_equal(id.f7_ebx, 0x029c67af);
    assert_false(id.f7_edx & CPUID_7_EDX_SERIALIZE);
    assert_true(id.x1_edx & CPUID_X1_EDX_LM);
    assert_int_equal(id.x1_ecx, 0x121);
    assert_true(id.x7_edx & CPUID_X7_EDX_INVARIANT_TSC);
    assert_int_equal(id.x21_eax, 0);

    fake_reset();
    fake_cpu("p54c"); /* asked for leaf 7 or 80000001h, it would answer with the data of leaf 1 */
    cpu_identify(&id);
    assert_true(id.f1_edx & CPUID_1_EDX_TSC);
    assert_false(id.f1_edx & CPUID_1_EDX_SSE);
    assert_int_equal(id.f7_ebx | id.f7_ecx | id.f7_edx, 0);
    assert_int_equal(id.x1_ecx | id.x1_edx | id.x7_edx | id.x21_eax, 0);

    fake_reset();
    fake_cpu("northwood"); /* 80000004h is its highest extended leaf */
    cpu_identify(&id);
    assert_false(id.x7_edx & CPUID_X7_EDX_INVARIANT_TSC);
}

/* Leaves that are beyond the highest one must not be asked: Intel's CPUs answer with the highest one's data.
 */
static void test_perfmon_leaves(void **state)
{
    struct cpu_id id;
    (void)state;
    fake_reset();
    fake_cpu("skylake");
    cpu_identify(&id);
    assert_int_equal(id.fa.eax, 0x07300404);
    assert_int_equal(id.fa.edx, 0x603);
    assert_true(id.f6_eax & CPUID_6_EAX_TURBO && id.f6_ecx & CPUID_6_ECX_APERFMPERF);
    assert_int_equal(id.f1a_eax | id.f23_eax | id.f7_1_eax, 0);

    fake_cpu("tulsa"); /* six leaves */
    cpu_identify(&id);
    assert_int_equal(id.f4_eax, 0x04004121);
    assert_int_equal(id.fa.eax | id.fa.edx, 0);

    static const struct fake_cpuid lunar_lake[] = {
        {0, FAKE_ANY_SUBLEAF, {0x23, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {7, 0, {1, 0, 0, 1u << 15}},
        {7, 1, {1u << 8, 0, 0, 0}},
        {0x1a, FAKE_ANY_SUBLEAF, {0x40000003, 0, 0, 0}},
        {0x23, 0, {0xb, 0, 0, 0}},
        {0x23, 1, {0x3ff, 0xf, 0, 0}},
    };
    fake_reset();
    fake_cpuid(lunar_lake, sizeof lunar_lake / sizeof *lunar_lake);
    cpu_identify(&id);
    assert_int_equal(id.f1a_eax, 0x40000003);
    assert_int_equal(id.f23_eax, 0x3ff);
    assert_int_equal(id.f23_ebx, 0xf);

    static const struct fake_cpuid genoa[] = {
        {0, FAKE_ANY_SUBLEAF, {0x10, 0x68747541, 0x444d4163, 0x69746e65}},
        {0x80000000, FAKE_ANY_SUBLEAF, {0x80000028, 0, 0, 0}},
        {0x80000022, FAKE_ANY_SUBLEAF, {7, 0x4406, 0, 0}},
    };
    fake_reset();
    fake_cpuid(genoa, sizeof genoa / sizeof *genoa);
    cpu_identify(&id);
    assert_int_equal(id.x22_eax, 7);
    assert_int_equal(id.x22_ebx, 0x4406);
}

static void test_lfence_leaf(void **state)
{
    static const struct fake_cpuid zen4[] = {
        {0, FAKE_ANY_SUBLEAF, {0x10, 0x68747541, 0x444d4163, 0x69746e65}},
        {1, FAKE_ANY_SUBLEAF, {0xa60f12, 0, 0, 0x178bfbff}},
        {0x80000000, FAKE_ANY_SUBLEAF, {0x80000028, 0x68747541, 0x444d4163, 0x69746e65}},
        {0x80000021, FAKE_ANY_SUBLEAF, {0x62fcf, 0, 0, 0}},
    };
    struct cpu_id id;
    (void)state;
    fake_reset();
    fake_cpuid(zen4, sizeof zen4 / sizeof *zen4);
    cpu_identify(&id);
    assert_int_equal(id.family, 25);
    assert_int_equal(id.model, 97);
    assert_int_equal(id.x21_eax, 0x62fcf);
}

static void test_hypervisor(void **state)
{
    static const struct fake_cpuid kvm[] = {
        {0, FAKE_ANY_SUBLEAF, {1, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {1, FAKE_ANY_SUBLEAF, {0x663, 0, 0x80000000, 0x10}},
        {0x40000000, FAKE_ANY_SUBLEAF, {0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d}},
    };
    struct cpu_id id;
    (void)state;

    fake_reset();
    fake_cpu("beckton_hyperv");
    cpu_identify(&id);
    assert_true(id.has_hypervisor);
    assert_string_equal(id.hypervisor, "Microsoft Hv");

    fake_reset();
    fake_cpuid(kvm, sizeof kvm / sizeof *kvm);
    cpu_identify(&id);
    assert_true(id.has_hypervisor);
    assert_string_equal(id.hypervisor, "KVMKVMKVM");
}

/* The extended model field is not part of the model of AMD's family 6. */
static void test_extended_model_of_k7(void **state)
{
    struct fake_cpuid cpu[] = {
        {0, FAKE_ANY_SUBLEAF, {1, 0x68747541, 0x444d4163, 0x69746e65}},
        {1, FAKE_ANY_SUBLEAF, {0xff0f0681, 0, 0, 0}},
    };
    struct cpu_id id;
    (void)state;
    fake_reset();
    fake_cpuid(cpu, 2);
    cpu_identify(&id);
    assert_int_equal(id.family, 6);
    assert_int_equal(id.model, 8);

    cpu[0].regs = (struct cpuid_regs){1, 0x756e6547, 0x6c65746e, 0x49656e69};
    cpu_identify(&id);
    assert_int_equal(id.family, 6);
    assert_int_equal(id.model, 0xf8);
    assert_int_equal(id.stepping, 1);

    cpu[1].regs.eax = 0x0ff00ff1; /* all of the extended family, none of the extended model */
    cpu_identify(&id);
    assert_int_equal(id.family, 15 + 255);
    assert_int_equal(id.model, 15);
}

static void test_strings_stay_printable(void **state)
{
    struct fake_cpuid cpu[] = {
        {0, FAKE_ANY_SUBLEAF, {0, 0x41ff0a1b, 0x427f2043, 0x20202020}},
        {0x80000000, FAKE_ANY_SUBLEAF, {0x80000004, 0, 0, 0}},
        {0x80000002, FAKE_ANY_SUBLEAF, {0x41414141, 0x41414141, 0x41414141, 0x41414141}},
        {0x80000003, FAKE_ANY_SUBLEAF, {0x41414141, 0x41414141, 0x41414141, 0x41414141}},
        {0x80000004, FAKE_ANY_SUBLEAF, {0x41414141, 0x0d414141, 0x7e414141, 0x41414141}},
    };
    struct cpu_id id;
    (void)state;
    fake_reset();
    fake_cpuid(cpu, sizeof cpu / sizeof *cpu);
    cpu_identify(&id);
    assert_string_equal(id.vendor, "???A    C ?B");
    assert_int_equal(strlen(id.brand), 48); /* no NUL in the leaves */
    assert_int_equal(id.brand[39], '?');
    assert_int_equal(id.brand[43], '~');
    assert_int_equal(id.signature, 0); /* there is no leaf 1 */

    cpu[0].regs = (struct cpuid_regs){0, 'V', 0, 0};
    cpu_identify(&id);
    assert_string_equal(id.vendor, "V");

    fake_reset(); /* all leaves are zero */
    cpu_identify(&id);
    assert_string_equal(id.vendor, "unknown");
    assert_string_equal(id.brand, "");
}

/* The type, here an OverDrive, is not part of the model: the Pentium II OverDrive of 1998. */
static void test_overdrive(void **state)
{
    static const struct fake_cpuid cpu[] = {
        {0, 0, {2, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {1, 0, {0x1632, 0, 0, 0}},
    };
    struct cpu_id id;
    (void)state;
    fake_reset();
    fake_cpuid(cpu, 2);
    cpu_identify(&id);
    assert_int_equal(id.family, 6);
    assert_int_equal(id.model, 3);
    assert_int_equal(id.stepping, 2);
}

/* SDM vol. 4, table 2-2: Intel's family 0Fh, and family 6 from model 0Dh on, have the limit. */
static void test_unlimit(void **state)
{
    static const struct {
        uint32_t signature;
        bool intel, lifted;
    } cpus[] = {{0x6d0, true, true},   {0x6e8, true, true},   {0x10660, true, true},   {0xf29, true, true},
                {0x6b1, true, false},  {0x6a0, true, false},  {0x543, true, false},    {0x5d0, true, false},
                {0xf4a, false, false}, {0x6d0, false, false}, {0x600f12, false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct fake_cpuid cpu[] = {
            {0, 0, {2, 0x756e6547, 0x6c65746e, 0x49656e69}},
            {1, 0, {cpus[i].signature, 0, 0, 0}},
        };
        if (!cpus[i].intel) cpu[0].regs = (struct cpuid_regs){2, 0x68747541, 0x444d4163, 0x69746e65};
        uint64_t v;
        fake_reset();
        fake_cpuid(cpu, 2);
        cpu_unlimit(); /* there is no such register */
        assert_false(rdmsr_safe(0x1a0, &v));
        fake_msr(0x1a0, 0x4000c50089);
        cpu_unlimit();
        assert_true(rdmsr_safe(0x1a0, &v));
        if (v != (cpus[i].lifted ? 0x4000850089 : 0x4000c50089))
            fail_msg("%x: %llx", cpus[i].signature, (unsigned long long)v);
        fake_msr(0x1a0, 0x4000850089); /* no limit is set: nothing is changed */
        cpu_unlimit();
        assert_true(rdmsr_safe(0x1a0, &v) && v == 0x4000850089);
    }
}

/* Families have the feature bit from the Pentium on; there it stays unused. */
static void test_machine_checks(void **state)
{
    static const struct {
        const char *cpu;
        bool wanted;
    } rows[] = {{"p54c", false},       {"p24t", false},   {"pentium_mmx", false},
                {"pentium_pro", true}, {"skylake", true}, {"deneb", true}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cpu_id id;
        fake_reset();
        fake_cpu(rows[i].cpu);
        cpu_identify(&id);
        id.f1_edx &= ~CPUID_1_EDX_MCE;
        assert_false(cpu_machine_checks(&id));
        id.f1_edx |= CPUID_1_EDX_MCE; /* as the Pentium and all later CPUs have it */
        if (cpu_machine_checks(&id) != rows[i].wanted) fail_msg("%s: CR4.MCE", rows[i].cpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_machine_checks),
        cmocka_unit_test(test_overdrive),
        cmocka_unit_test(test_unlimit),
        cmocka_unit_test(test_lfence_leaf),
        cmocka_unit_test(test_perfmon_leaves),
        cmocka_unit_test(test_hypervisor),
        cmocka_unit_test(test_extended_model_of_k7),
        cmocka_unit_test(test_strings_stay_printable),
    };
    struct CMUnitTest rows[N_IDENTITIES];
    for (size_t i = 0; i < N_IDENTITIES; i++)
        rows[i] = (struct CMUnitTest){identities[i].cpu, test_identity, NULL, NULL, &identities[i]};
    int failed = cmocka_run_group_tests_name("identities", rows, NULL, NULL);
    return failed + cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
