/* The CPUID bit of each feature, against GCC's <cpuid.h>; where GCC has no name for it, from the manuals: SDM
 * vol. 2A, CPUID; Intel's ISA extensions (319433); APM vol. 3 appendix E. */
#include "measure/isa_table.h"
#include "tests/unit/unit.h"
#include <cpuid.h>
#include <string.h>

#define MASK(name, field, mask)                                \
    {                                                          \
        name, offsetof(struct cpu_id, field), (uint32_t)(mask) \
    }
#define BIT(name, field, n) MASK(name, field, 1u << (n))

static const struct known {
    const char *name;
    size_t at;
    uint32_t mask;
} known[] = {
    /* leaf 1 */
    BIT("the TSC", f1_edx, 4),
    BIT("MSRs", f1_edx, 5),
    MASK("CMPXCHG8B", f1_edx, bit_CMPXCHG8B),
    BIT("SYSENTER", f1_edx, 11),
    MASK("CMOV", f1_edx, bit_CMOV),
    BIT("CLFLUSH", f1_edx, 19),
    MASK("MMX", f1_edx, bit_MMX),
    MASK("FXSAVE", f1_edx, bit_FXSAVE),
    MASK("SSE", f1_edx, bit_SSE),
    MASK("SSE2", f1_edx, bit_SSE2),
    MASK("SSE3", f1_ecx, bit_SSE3),
    MASK("PCLMULQDQ", f1_ecx, bit_PCLMUL),
    BIT("MONITOR", f1_ecx, 3),
    BIT("VMX", f1_ecx, 5),
    BIT("SMX", f1_ecx, 6),
    MASK("SSSE3", f1_ecx, bit_SSSE3),
    MASK("FMA", f1_ecx, bit_FMA),
    MASK("CMPXCHG16B", f1_ecx, bit_CMPXCHG16B),
    MASK("SSE4.1", f1_ecx, bit_SSE4_1),
    MASK("SSE4.2", f1_ecx, bit_SSE4_2),
    MASK("MOVBE", f1_ecx, bit_MOVBE),
    MASK("POPCNT", f1_ecx, bit_POPCNT),
    MASK("AES", f1_ecx, bit_AES),
    MASK("XSAVE", f1_ecx, bit_XSAVE),
    MASK("AVX", f1_ecx, bit_AVX),
    MASK("F16C", f1_ecx, bit_F16C),
    MASK("RDRAND", f1_ecx, bit_RDRND),
    /* leaf 7 */
    MASK("FSGSBASE", f7_ebx, bit_FSGSBASE),
    MASK("SGX", f7_ebx, bit_SGX),
    MASK("BMI1", f7_ebx, bit_BMI),
    MASK("AVX2", f7_ebx, bit_AVX2),
    MASK("BMI2", f7_ebx, bit_BMI2),
    BIT("INVPCID", f7_ebx, 10),
    MASK("RTM", f7_ebx, bit_RTM),
    MASK("AVX512F", f7_ebx, bit_AVX512F),
    MASK("AVX512DQ", f7_ebx, bit_AVX512DQ),
    MASK("RDSEED", f7_ebx, bit_RDSEED),
    MASK("ADX", f7_ebx, bit_ADX),
    BIT("SMAP", f7_ebx, 20),
    MASK("AVX512_IFMA", f7_ebx, bit_AVX512IFMA),
    MASK("CLFLUSHOPT", f7_ebx, bit_CLFLUSHOPT),
    MASK("CLWB", f7_ebx, bit_CLWB),
    BIT("AVX512PF", f7_ebx, 26), /* GCC 15 has forgotten what only Xeon Phi has */
    BIT("AVX512ER", f7_ebx, 27),
    MASK("AVX512CD", f7_ebx, bit_AVX512CD),
    MASK("SHA", f7_ebx, bit_SHA),
    MASK("AVX512BW", f7_ebx, bit_AVX512BW),
    MASK("AVX512VL", f7_ebx, bit_AVX512VL),
    MASK("AVX512_VBMI", f7_ecx, bit_AVX512VBMI),
    MASK("PKU", f7_ecx, bit_PKU),
    MASK("WAITPKG", f7_ecx, bit_WAITPKG),
    MASK("AVX512_VBMI2", f7_ecx, bit_AVX512VBMI2),
    MASK("CET_SS", f7_ecx, bit_SHSTK),
    MASK("GFNI", f7_ecx, bit_GFNI),
    MASK("VAES", f7_ecx, bit_VAES),
    MASK("VPCLMULQDQ", f7_ecx, bit_VPCLMULQDQ),
    MASK("AVX512_VNNI", f7_ecx, bit_AVX512VNNI),
    MASK("AVX512_BITALG", f7_ecx, bit_AVX512BITALG),
    MASK("AVX512_VPOPCNTDQ", f7_ecx, bit_AVX512VPOPCNTDQ),
    MASK("RDPID", f7_ecx, bit_RDPID),
    MASK("KL", f7_ecx, bit_KL),
    MASK("MOVDIRI", f7_ecx, bit_MOVDIRI),
    MASK("MOVDIR64B", f7_ecx, bit_MOVDIR64B),
    MASK("ENQCMD", f7_ecx, bit_ENQCMD),
    BIT("AVX512_4VNNIW", f7_edx, 2),
    BIT("AVX512_4FMAPS", f7_edx, 3),
    MASK("UINTR", f7_edx, bit_UINTR),
    MASK("AVX512_VP2INTERSECT", f7_edx, bit_AVX512VP2INTERSECT),
    MASK("SERIALIZE", f7_edx, bit_SERIALIZE),
    MASK("TSXLDTRK", f7_edx, bit_TSXLDTRK),
    MASK("PCONFIG", f7_edx, bit_PCONFIG),
    MASK("AMX-BF16", f7_edx, bit_AMX_BF16),
    MASK("AVX512_FP16", f7_edx, bit_AVX512FP16),
    MASK("AMX-TILE", f7_edx, bit_AMX_TILE),
    MASK("AMX-INT8", f7_edx, bit_AMX_INT8),
    /* leaf 7 subleaf 1 */
    BIT("SHA512", f7_1_eax, 0),
    BIT("SM3", f7_1_eax, 1),
    BIT("SM4", f7_1_eax, 2),
    BIT("RAO-INT", f7_1_eax, 3),
    MASK("AVX-VNNI", f7_1_eax, bit_AVXVNNI),
    MASK("AVX512_BF16", f7_1_eax, bit_AVX512BF16),
    BIT("CMPCCXADD", f7_1_eax, 7),
    BIT("FRED", f7_1_eax, 17),
    BIT("LKGS", f7_1_eax, 18),
    BIT("WRMSRNS", f7_1_eax, 19),
    BIT("AMX-FP16", f7_1_eax, 21),
    MASK("HRESET", f7_1_eax, bit_HRESET),
    BIT("AVX-IFMA", f7_1_eax, 23),
    BIT("MSRLIST", f7_1_eax, 27),
    BIT("PBNDKB", f7_1_ebx, 1),
    BIT("MSR_IMM", f7_1_ecx, 5),
    BIT("AVX-VNNI-INT8", f7_1_edx, 4),
    BIT("AVX-NE-CONVERT", f7_1_edx, 5),
    BIT("AMX-COMPLEX", f7_1_edx, 8),
    BIT("AVX-VNNI-INT16", f7_1_edx, 10),
    BIT("USER_MSR", f7_1_edx, 15),
    BIT("APX_F", f7_1_edx, 21),
    /* leaves 0DH, 14H and 19H */
    MASK("XSAVEOPT", fd_1_eax, bit_XSAVEOPT),
    MASK("XSAVEC", fd_1_eax, bit_XSAVEC),
    MASK("XSAVES", fd_1_eax, bit_XSAVES),
    MASK("PTWRITE", f14_ebx, bit_PTWRITE),
    MASK("AESKLE", f19_ebx, bit_AESKLE),
    MASK("WIDE_KL", f19_ebx, bit_WIDEKL),
    /* leaves 80000001h, 80000008h and 8000001Fh */
    MASK("LAHF", x1_ecx, bit_LAHF_LM),
    BIT("SVM", x1_ecx, 2),
    MASK("SSE4A", x1_ecx, bit_SSE4a),
    MASK("PREFETCHW", x1_ecx, bit_PRFCHW),
    MASK("XOP", x1_ecx, bit_XOP),
    BIT("SKINIT", x1_ecx, 12),
    MASK("LWP", x1_ecx, bit_LWP),
    MASK("FMA4", x1_ecx, bit_FMA4),
    MASK("TBM", x1_ecx, bit_TBM),
    MASK("MONITORX", x1_ecx, bit_MWAITX),
    BIT("SYSCALL", x1_edx, 11),
    BIT("RDTSCP", x1_edx, 27),
    MASK("3DNow! extensions", x1_edx, bit_3DNOWP),
    MASK("3DNow!", x1_edx, bit_3DNOW),
    MASK("CLZERO", x8_ebx, bit_CLZERO),
    BIT("INVLPGB", x8_ebx, 3),
    BIT("RDPRU", x8_ebx, 4),
    BIT("MCOMMIT", x8_ebx, 8),
    MASK("WBNOINVD", x8_ebx, bit_WBNOINVD),
    BIT("SEV-SNP", x1f_eax, 4),
};
enum { KNOWN = sizeof known / sizeof *known };

static const struct known *find(const char *name)
{
    for (const struct known *k = known; k < known + KNOWN; k++)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

TEST(each_feature_has_its_cpuid_bit)
{
    unsigned found = 0;
    for (unsigned f = 0; f <= SNP; f++) {
        const struct isa_feature *is = &isa_features[f];
        const struct known *k = find(is->name);
        if (is->at == NO_CPUID) {
            assert_null(k);
            continue;
        }
        if (!k) fail_msg("%s is not in the list", is->name);
        if (is->at != k->at || 1u << is->bit != k->mask)
            fail_msg("%s: bit %u of the word at %u", is->name, is->bit, is->at);
        found++;
    }
    assert_int_equal(found, KNOWN);
}
