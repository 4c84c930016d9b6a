/* Why an instruction faulted: features as GNU as assembles instructions of each, control bits, rings. Each
 * opcode's feature is in test_isa_as.c. */
#include "measure/isa.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static struct cpu_id none, all;

/* Everything that may be enabled is. */
static const struct trap ud = {.vector = 6,
                               .cs = 8,
                               .cr0 = 0x80000011,
                               .cr4 = ~(1ull << 2 | 1ull << 11),
                               .xcr0 = UINT64_MAX,
                               .efer = UINT64_MAX};

static int setup(void **state)
{
    (void)state;
    memset(&all, 0xff, sizeof all);
    return 0;
}

static struct isa_reason explain(const uint8_t *code, unsigned n, bool long_mode, const struct cpu_id *id,
                                 const struct trap *t)
{
    struct isa_reason r;
    isa_explain(code, n, long_mode, id, t, &r);
    return r;
}

static const struct {
    const char *feature; /* NULL: not known */
    uint8_t code[11];
    bool only_long;
} cases[] = {
    {"SSE", {0x0f, 0x58, 0xc1}},                          /* addps xmm0, xmm1 */
    {"SSE", {0xf3, 0x0f, 0x58, 0xc1}},                    /* addss */
    {"SSE2", {0x66, 0x0f, 0x58, 0xc1}},                   /* addpd */
    {"SSE2", {0xf2, 0x0f, 0x58, 0xc1}},                   /* addsd */
    {"SSE2", {0x66, 0xf2, 0x41, 0x0f, 0x58, 0xc1}, true}, /* addsd xmm0, xmm9, with a 66 of no effect */
    {"MMX", {0x0f, 0xfc, 0xc1}},                          /* paddb mm0, mm1 */
    {"MMX", {0x0f, 0x77}},                                /* emms */
    {"SSE2", {0x66, 0x0f, 0xfc, 0xc1}},                   /* paddb xmm0, xmm1 */
    {"SSE", {0x0f, 0xda, 0xc1}},                          /* pminub mm0, mm1 */
    {"SSE2", {0x0f, 0xd4, 0xc1}},                         /* paddq mm0, mm1 */
    {"SSE2", {0x0f, 0xc3, 0x00}},                         /* movnti [eax], eax */
    {"SSE3", {0xf2, 0x0f, 0x7c, 0xc1}},                   /* haddps */
    {"SSE3", {0xf2, 0x0f, 0xf0, 0x00}},                   /* lddqu xmm0, [eax] */
    {"SSSE3", {0x66, 0x0f, 0x38, 0x00, 0xc1}},            /* pshufb */
    {"SSE4.1", {0x66, 0x0f, 0x38, 0x40, 0xc1}},           /* pmulld */
    {"SSE4.1", {0x66, 0x0f, 0x3a, 0x0e, 0xc1, 0}},        /* pblendw */
    {"SSE4.2", {0x66, 0x0f, 0x38, 0x37, 0xc1}},           /* pcmpgtq */
    {"SSE4.2", {0xf2, 0x0f, 0x38, 0xf1, 0xc1}},           /* crc32 eax, ecx */
    {"SSE4.2", {0x66, 0x0f, 0x3a, 0x63, 0xc1, 0}},        /* pcmpistri */
    {"MOVBE", {0x0f, 0x38, 0xf0, 0x00}},                  /* movbe eax, [eax] */
    {"POPCNT", {0xf3, 0x0f, 0xb8, 0xc1}},                 /* popcnt eax, ecx */
    {"POPCNT", {0xf3, 0x48, 0x0f, 0xb8, 0xc1}, true},     /* popcnt rax, rcx */
    {"AES", {0x66, 0x0f, 0x38, 0xdc, 0xc1}},              /* aesenc */
    {"PCLMULQDQ", {0x66, 0x0f, 0x3a, 0x44, 0xc1, 0}},     /* pclmulqdq */
    {"SHA", {0x0f, 0x38, 0xc8, 0xc1}},                    /* sha1nexte */
    {"ADX", {0x66, 0x0f, 0x38, 0xf6, 0xc1}},              /* adcx eax, ecx */
    {"CMOV", {0x0f, 0x44, 0xc1}},                         /* cmove eax, ecx */
    {"CMOV", {0xda, 0xc1}},                               /* fcmovb st, st(1) */
    {"CMOV", {0xdb, 0xf1}},                               /* fcomi st, st(1) */
    {NULL, {0xda, 0x00}},                                 /* fiadd dword [eax] */
    {"CMPXCHG8B", {0x0f, 0xc7, 0x08}},                    /* cmpxchg8b [eax] */
    {"CMPXCHG16B", {0x48, 0x0f, 0xc7, 0x08}, true},       /* cmpxchg16b [rax] */
    {"RDRAND", {0x0f, 0xc7, 0xf0}},                       /* rdrand eax */
    {"RDSEED", {0x0f, 0xc7, 0xf8}},                       /* rdseed eax */
    {"RDPID", {0xf3, 0x0f, 0xc7, 0xf8}},                  /* rdpid */
    {"FXSAVE", {0x0f, 0xae, 0x00}},                       /* fxsave [eax] */
    {"SSE", {0x0f, 0xae, 0x50, 0x08}},                    /* ldmxcsr [eax+8] */
    {"CLFLUSH", {0x0f, 0xae, 0x38}},                      /* clflush [eax] */
    {"CLFLUSHOPT", {0x66, 0x0f, 0xae, 0x38}},             /* clflushopt [eax] */
    {"CLWB", {0x66, 0x0f, 0xae, 0x30}},                   /* clwb [eax] */
    {"SSE2", {0x0f, 0xae, 0xe8}},                         /* lfence */
    {"SSE", {0x0f, 0xae, 0xf8}},                          /* sfence */
    {"FSGSBASE", {0xf3, 0x48, 0x0f, 0xae, 0xc0}, true},   /* rdfsbase rax */
    {"MONITOR", {0x0f, 0x01, 0xc9}},                      /* mwait */
    {"RDTSCP", {0x0f, 0x01, 0xf9}},                       /* rdtscp */
    {"SERIALIZE", {0x0f, 0x01, 0xe8}},                    /* serialize */
    {"RTM", {0xc7, 0xf8, 0, 0, 0, 0}},                    /* xbegin */
    {"3DNow!", {0x0f, 0x0f, 0xc1, 0x9e}},                 /* pfadd */
    {"SSE4A", {0xf2, 0x0f, 0x79, 0xc1}},                  /* insertq */
    {"AVX", {0xc5, 0xf8, 0x58, 0xc1}},                    /* vaddps xmm0, xmm0, xmm1 */
    {"AVX", {0xc5, 0xfd, 0x58, 0xc1}},                    /* vaddpd ymm0, ymm0, ymm1 */
    {"AVX", {0xc5, 0xf9, 0xfe, 0xc1}},                    /* vpaddd xmm */
    {"AVX2", {0xc5, 0xfd, 0xfe, 0xc1}},                   /* vpaddd ymm */
    {"FMA", {0xc4, 0xe2, 0x79, 0x98, 0xc1}},              /* vfmadd132ps */
    {"BMI1", {0xc4, 0xe2, 0x78, 0xf2, 0xc1}},             /* andn eax, eax, ecx */
    {"BMI2", {0xc4, 0xe2, 0x7b, 0xf5, 0xc1}},             /* pdep eax, eax, ecx */
    {"F16C", {0xc4, 0xe2, 0x79, 0x13, 0xc1}},             /* vcvtph2ps */
    {"AVX512F", {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}},    /* vaddps zmm0, zmm0, zmm1 */
    {"LAHF", {0x9f}, true},
    {NULL, {0x90}},
    {NULL, {0xf4}}, /* hlt: #GP at most */
    {NULL, {0x0f, 0x0a}},
    {"3DNow! extensions", {0x0f, 0x0f, 0x44, 0x24, 0x08, 0xbb}}, /* pswapd mm0, [esp+8] */
    /* Newer than Debian 12's as: SDM vol. 2, Intel's 319433-058. */
    {"SHA512", {0xc4, 0xe2, 0x7f, 0xcc, 0xc1}},                  /* vsha512msg1 */
    {"SM3", {0xc4, 0xe2, 0x71, 0xda, 0xc2}},                     /* vsm3msg2 */
    {"SM3", {0xc4, 0xe3, 0x71, 0xde, 0xc2, 0}},                  /* vsm3rnds2 */
    {"SM4", {0xc4, 0xe2, 0x72, 0xda, 0xc2}},                     /* vsm4key4 */
    {"SM4", {0xc4, 0xe2, 0x77, 0xda, 0xc2}},                     /* vsm4rnds4 ymm */
    {"AVX-VNNI-INT16", {0xc4, 0xe2, 0x72, 0xd2, 0xc2}},          /* vpdpwsud */
    {"AMX-COMPLEX", {0xc4, 0xe2, 0x69, 0x6c, 0xc1}, true},       /* tcmmimfp16ps */
    {"USER_MSR", {0xf2, 0x0f, 0x38, 0xf8, 0xc1}, true},          /* urdmsr */
    {"USER_MSR", {0xc4, 0xe7, 0x7b, 0xf8, 0xc1, 1, 0, 0}, true}, /* urdmsr with a constant */
    {"PBNDKB", {0x0f, 0x01, 0xc7}, true},                        /* pbndkb */
    {"LKGS", {0xf2, 0x0f, 0x00, 0xf1}, true},                    /* lkgs */
    {"FRED", {0xf3, 0x0f, 0x01, 0xca}, true},                    /* eretu */
    {"APX_F", {0xd5, 0x18, 0xff, 0xc0}, true},                   /* REX2 */
    {"APX_F", {0xd5, 0x18, 0x01, 0xc1}, true},                   /* add r17, r16 */
    {"APX_F", {0xd5, 0x98, 0xaf, 0xc0}, true},                   /* imul rax, r16 */
    {"APX_F", {0xd5, 0, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8}, true},    /* jmpabs */
    {"APX_F", {0x62, 0xf4, 0x6c, 0x18, 0x83, 0xc1, 1}, true},    /* add edx, ecx, 1 */
    {"APX_F", {0x62, 0xf2, 0x7c, 0x08, 0xf2, 0xc1}, true},       /* andn with EVEX */
    {"APX_F", {0x62, 0xf2, 0x7c, 0x0c, 0xf7, 0xc1}, true},       /* {nf} bextr */
    {"APX_F", {0x62, 0xf3, 0x7f, 0x08, 0xf0, 0xc1, 1}, true},    /* rorx with EVEX */
    {"APX_F", {0x62, 0xf4, 0x74, 0x18, 0x01, 0xc0}, true},       /* add with a new destination */
    {"AVX512_4VNNIW", {0x62, 0xf2, 0x7f, 0x48, 0x52, 0x08}},     /* vp4dpwssd */
    {"AVX512_4FMAPS", {0x62, 0xf2, 0x7f, 0x48, 0x9a, 0x08}},     /* v4fmaddps */
};

TEST(features)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned long_mode = 0; long_mode < 2; long_mode++) {
            if (cases[i].only_long && !long_mode) continue;
            const uint8_t *code = cases[i].code;
            const struct isa_reason lacks = explain(code, sizeof cases[i].code, long_mode, &none, &ud);
            if (lacks.verdict != (cases[i].feature ? ISA_LACKING : ISA_UNKNOWN) ||
                (cases[i].feature && strcmp(lacks.name, cases[i].feature) != 0))
                fail_msg("case %u: %u %s, not %s", i, lacks.verdict, lacks.name, cases[i].feature);
            const struct isa_reason with = explain(code, sizeof cases[i].code, long_mode, &all, &ud);
            const bool only64 = cases[i].only_long || memcmp(code, "\xf3\x48\x0f\xae", 4) == 0;
            if (with.verdict != ISA_UNKNOWN && !(only64 && with.verdict == ISA_ONLY64))
                fail_msg("case %u: %u with all", i, with.verdict);
        }
}

/* What an instruction needs besides its own feature. lacks: the word of CPUID without that bit. */
TEST(implied)
{
    static const uint8_t vpermb[] = {0x62, 0xf2, 0x75, 0x28, 0x8d, 0xc2}, /* vpermb ymm */
        vpermb512[] = {0x62, 0xf2, 0x75, 0x48, 0x8d, 0xc2},
                         rounding[] = {0x62, 0xf1, 0x74,
                                       0x38, 0x58, 0xc2}, /* vaddps zmm0, zmm1, zmm2, {rd-sae} */
        vaes[] = {0xc4, 0xe2, 0x75, 0xdc, 0xc2}, vaes512[] = {0x62, 0xf2, 0x75, 0x48, 0xdc, 0xc2},
                         scalar[] = {0x62, 0xf1, 0x76, 0x08, 0x58, 0xc2}; /* vaddss */
    struct cpu_id id;
    memset(&id, 0xff, sizeof id);
    id.f7_ebx &= ~(1u << 31);
    assert_string_equal(explain(vpermb, sizeof vpermb, true, &id, &ud).name, "AVX512VL");
    assert_int_equal(explain(vpermb512, sizeof vpermb512, true, &id, &ud).verdict, ISA_UNKNOWN);
    assert_int_equal(explain(rounding, sizeof rounding, true, &id, &ud).verdict, ISA_UNKNOWN);
    assert_int_equal(explain(scalar, sizeof scalar, true, &id, &ud).verdict, ISA_UNKNOWN);
    id.f7_ecx &= ~(1u << 1);
    assert_string_equal(explain(vpermb, sizeof vpermb, true, &id, &ud).name, "AVX512_VBMI");
    id.f7_ebx &= ~(1u << 16);
    id.f1_ecx &= ~(1u << 28);
    assert_string_equal(explain(vaes, sizeof vaes, true, &id, &ud).name, "AVX");
    assert_string_equal(explain(vaes512, sizeof vaes512, true, &id, &ud).name, "AVX512F");
}

/* The CPU has the feature, and one bit is as it must not be: all others stay as they may be. */
TEST(controls)
{
    enum { IN_CR0, IN_CR4, IN_XCR0, IN_EFER };
    static const struct {
        const char *bit;
        unsigned in, n;
        uint8_t code[8];
    } bits[] = {
        {"CR0.EM", IN_CR0, 2, {0x0f, 0xfc, 0xc1}},                      /* paddb mm */
        {"CR0.EM", IN_CR0, 2, {0x0f, 0x58, 0xc1}},                      /* addps */
        {"CR0.EM", IN_CR0, 2, {0x0f, 0x0f, 0xc1, 0x9e}},                /* pfadd */
        {"CR4.OSFXSR", IN_CR4, 9, {0x0f, 0x58, 0xc1}},                  /* addps */
        {"CR4.OSFXSR", IN_CR4, 9, {0x66, 0x0f, 0x38, 0xcf, 0xc1}},      /* gf2p8mulb */
        {"CR4.OSFXSR", IN_CR4, 9, {0xf2, 0x0f, 0x79, 0xc1}},            /* insertq */
        {"CR4.OSXSAVE", IN_CR4, 18, {0xc5, 0xf8, 0x58, 0xc1}},          /* vaddps */
        {"CR4.OSXSAVE", IN_CR4, 18, {0x0f, 0x01, 0xd0}},                /* xgetbv */
        {"CR4.OSXSAVE", IN_CR4, 18, {0x0f, 0xc7, 0x20}},                /* xsavec */
        {"XCR0.AVX", IN_XCR0, 2, {0xc5, 0xf8, 0x58, 0xc1}},             /* vaddps */
        {"XCR0.AVX", IN_XCR0, 2, {0xc4, 0xe2, 0x71, 0x50, 0xc2}},       /* vpdpbusd, VEX */
        {"XCR0.AVX", IN_XCR0, 2, {0x8f, 0xe8, 0x78, 0xa2, 0xc1, 0x10}}, /* vpcmov */
        {"XCR0.opmask", IN_XCR0, 5, {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}},
        {"XCR0.opmask", IN_XCR0, 5, {0xc5, 0xf4, 0x41, 0xc2}}, /* kandw */
        {"XCR0.ZMM_Hi256", IN_XCR0, 6, {0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}},
        {"XCR0.Hi16_ZMM", IN_XCR0, 7, {0x62, 0xf1, 0x7c, 0x08, 0x58, 0xc1}},
        {"XCR0.TILECFG", IN_XCR0, 17, {0xc4, 0xe2, 0x78, 0x49, 0xc0}},  /* tilerelease */
        {"XCR0.TILEDATA", IN_XCR0, 18, {0xc4, 0xe2, 0x63, 0x5e, 0xca}}, /* tdpbssd */
        {"CR4.FSGSBASE", IN_CR4, 16, {0xf3, 0x48, 0x0f, 0xae, 0xc0}},   /* rdfsbase */
        {"EFER.SCE", IN_EFER, 0, {0x0f, 0x05}},                         /* syscall */
        {"EFER.SCE", IN_EFER, 0, {0x48, 0x0f, 0x07}},                   /* sysret */
        {"CR4.VMXE", IN_CR4, 13, {0xf3, 0x0f, 0xc7, 0x30}},             /* vmxon */
        {"CR4.VMXE", IN_CR4, 13, {0x0f, 0x78, 0xc1}},                   /* vmread */
        {"CR4.SMXE", IN_CR4, 14, {0x0f, 0x37}},                         /* getsec */
        {"EFER.SVME", IN_EFER, 12, {0x0f, 0x01, 0xd8}},                 /* vmrun */
        {"EFER.SVME", IN_EFER, 12, {0x0f, 0x01, 0xde}},                 /* skinit */
        {"CR4.PKE", IN_CR4, 22, {0x0f, 0x01, 0xee}},                    /* rdpkru */
        {"CR4.UINTR", IN_CR4, 25, {0xf3, 0x0f, 0x01, 0xee}},            /* clui */
        {"CR4.CET", IN_CR4, 23, {0xf3, 0x0f, 0xae, 0xe8}},              /* incsspd */
        {"CR4.KL", IN_CR4, 19, {0xf3, 0x0f, 0x38, 0xfa, 0xc1}},         /* encodekey128 */
        {"CR4.FRED", IN_CR4, 32, {0xf2, 0x0f, 0x01, 0xca}},             /* erets */
    };
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct trap t = ud;
        uint64_t *reg = bits[i].in == IN_CR0    ? &t.cr0
                        : bits[i].in == IN_CR4  ? &t.cr4
                        : bits[i].in == IN_EFER ? &t.efer
                                                : &t.xcr0;
        struct isa_reason r = explain(bits[i].code, sizeof bits[i].code, true, &all, &t);
        if (r.verdict != ISA_UNKNOWN) fail_msg("row %u: %u with all", i, r.verdict);
        *reg ^= 1ull << bits[i].n;
        r = explain(bits[i].code, sizeof bits[i].code, true, &all, &t);
        if (r.verdict != ISA_DISABLED || strcmp(r.bit, bits[i].bit) != 0 ||
            r.is_set != (bits[i].in == IN_CR0))
            fail_msg("row %u: %u %s, not %s", i, r.verdict, r.bit, bits[i].bit);
        r = explain(bits[i].code, sizeof bits[i].code, true, &none, &t);
        if (r.verdict != ISA_LACKING) fail_msg("row %u: %u with none", i, r.verdict);
    }
}

/* Only vectors of SSE need CR4.OSFXSR: not MMX's registers, fences, hints and general registers. */
TEST(without_osfxsr)
{
    static const uint8_t code[][6] = {{0x0f, 0x70, 0xc1, 0},          /* pshufw */
                                      {0x0f, 0xae, 0xf8},             /* sfence */
                                      {0x0f, 0xae, 0xe8},             /* lfence */
                                      {0x0f, 0x18, 0x08},             /* prefetcht0 */
                                      {0x0f, 0xc3, 0x00},             /* movnti */
                                      {0x0f, 0x38, 0x00, 0xc1},       /* pshufb mm */
                                      {0xf2, 0x0f, 0x38, 0xf1, 0xc1}, /* crc32 */
                                      {0xc4, 0xe2, 0x78, 0xf2, 0xc1}, /* andn */
                                      {0x8f, 0xe9, 0x78, 0x01, 0xc9}};
    struct trap t = ud;
    t.cr4 = t.xcr0 = 0;
    for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
        if (explain(code[i], sizeof code[i], true, &all, &t).verdict != ISA_UNKNOWN) fail_msg("case %u", i);
}

/* #NM: x87 and the others, by CR0. */
TEST(no_device)
{
    static const uint8_t fld1[] = {0xd9, 0xe8};
    struct trap t = {.vector = 7, .cs = 8, .cr0 = 1 << 3};
    assert_string_equal(explain(fld1, 2, true, &all, &t).bit, "CR0.TS");
    t.cr0 |= 1 << 2;
    assert_string_equal(explain(fld1, 2, true, &all, &t).bit, "CR0.EM");
    t.cr0 = 0;
    assert_non_null(strstr(explain(fld1, 2, true, &all, &t).bit, "IA32_XFD"));
}

/* Rings: what is #GP at ring 3, or #UD, and what only some bits forbid there. */
TEST(rings)
{
    static const uint8_t code[][6] = {
        {0xf4},             /* hlt */
        {0xfa},             /* cli */
        {0xe4, 0x60},       /* in al, 0x60 */
        {0x6c},             /* insb */
        {0xee},             /* out dx, al */
        {0x0f, 0x20, 0xc0}, /* mov rax, cr0 */
        {0x0f, 0x23, 0xc0}, /* mov dr0, rax */
        {0x0f, 0x30},       /* wrmsr */
        {0x0f, 0x01, 0x10}, /* lgdt [rax] */
        {0x0f, 0x01, 0xf0}, /* lmsw ax */
        {0x0f, 0x01, 0x38}, /* invlpg [rax] */
        {0x0f, 0x01, 0xf8}, /* swapgs */
        {0x0f, 0x00, 0xd8}, /* ltr ax */
        {0x0f, 0x06},
        {0x0f, 0x08},
        {0x0f, 0x09},
        {0x0f, 0x35},       /* clts, invd, wbinvd, sysexit */
        {0x0f, 0x01, 0xd1}, /* xsetbv */
        {0x66, 0x0f, 0x38, 0x82, 0x00},
        {0x0f, 0xc7, 0x28}, /* invpcid, xsaves */
        {0xf3, 0x0f, 0x38, 0xf8, 0x00},
        {0x0f, 0x01, 0xc6},
        {0xf3, 0x0f, 0x3a, 0xf0, 0xc0, 0}, /* enqcmds, wrmsrns,
                                              hreset */
    };
    static const struct {
        const char *bit;
        uint64_t mask;
        uint8_t code[4];
    } bits[] = {{"CR4.TSD", 1 << 2, {0x0f, 0x31}},          /* rdtsc */
                {"CR4.TSD", 1 << 2, {0x0f, 0x01, 0xf9}},    /* rdtscp */
                {"CR4.PCE", 1 << 8, {0x0f, 0x33}},          /* rdpmc */
                {"CR4.UMIP", 1 << 11, {0x0f, 0x01, 0x00}},  /* sgdt */
                {"CR4.UMIP", 1 << 11, {0x0f, 0x01, 0xe0}},  /* smsw eax */
                {"CR4.UMIP", 1 << 11, {0x0f, 0x00, 0xc8}}}; /* str eax */
    struct trap gp = ud;
    gp.vector = 13;
    for (unsigned ring = 0; ring < 4; ring += 3) {
        gp.cs = ring ? 0x43 : 8;
        for (unsigned i = 0; i < sizeof code / sizeof *code; i++) {
            const struct isa_reason r = explain(code[i], sizeof code[i], true, &all, &gp);
            if (r.verdict != (ring ? ISA_RING0 : ISA_UNKNOWN))
                fail_msg("ring %u, case %u: %u", ring, i, r.verdict);
        }
        for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
            struct trap t = gp;
            assert_int_equal(explain(bits[i].code, 4, true, &all, &t).verdict, ISA_UNKNOWN);
            t.cr4 ^= bits[i].mask;
            const struct isa_reason r = explain(bits[i].code, 4, true, &all, &t);
            assert_int_equal(r.verdict, ring ? ISA_DISABLED : ISA_UNKNOWN);
            if (ring) assert_string_equal(r.bit, bits[i].bit);
        }
    }
    gp.flags = 3 << 12; /* IOPL 3: the ring is not the reason */
    assert_int_equal(explain(code[1], 1, true, &all, &gp).verdict, ISA_UNKNOWN);
    struct trap t = ud;
    static const uint8_t mwait[] = {0x0f, 0x01, 0xc9}, stac[] = {0x0f, 0x01, 0xcb};
    assert_int_equal(explain(mwait, 3, true, &all, &t).verdict, ISA_UNKNOWN);
    t.cs = 0x43;
    assert_int_equal(explain(mwait, 3, true, &all, &t).verdict, ISA_RING0);
    assert_int_equal(explain(stac, 3, true, &all, &t).verdict, ISA_RING0);
}

/* INT n whose gate is the kernel's: #GP with the vector in its error code. */
TEST(interrupts)
{
    static const uint8_t int_80[] = {0xcd, 0x80}, int3[] = {0xcc}, into[] = {0xce};
    static const uint8_t prefixed[] = {0x66, 0xf3, 0xcd, 0x31};
    struct trap t = {.vector = 13, .cs = 0x43, .error = 0x80 * 8 + 2};
    struct isa_reason r = explain(int_80, 2, true, &all, &t);
    assert_int_equal(r.verdict, ISA_INTERRUPT);
    assert_int_equal(r.vector, 0x80);
    r = explain(prefixed, sizeof prefixed, true, &all, &t);
    assert_int_equal(r.verdict, ISA_INTERRUPT);
    assert_int_equal(r.vector, 0x31);
    assert_int_equal(r.length, sizeof prefixed);
    t.error = 0;
    assert_int_equal(explain(int_80, 2, true, &all, &t).verdict, ISA_UNKNOWN);
    t.error = 3 * 8 + 2;
    assert_int_equal(explain(int3, 1, true, &all, &t).vector, 3);
    t.error = 4 * 8 + 2;
    assert_int_equal(explain(into, 1, false, &all, &t).vector, 4);
}

/* #UD of RDPMC: no bit of CPUID says that it exists. */
TEST(no_rdpmc)
{
    static const uint8_t rdpmc[] = {0x0f, 0x33}, xstore[] = {0x0f, 0xa7, 0xc0},
                         xsha1[] = {0xf3, 0x0f, 0xa6, 0xc8};
    assert_string_equal(explain(xstore, 3, false, &all, &ud).name, "PadLock");
    assert_int_equal(explain(xstore, 3, false, &all, &ud).verdict, ISA_LACKING);
    assert_string_equal(explain(xsha1, 4, true, &all, &ud).name, "PadLock");
    const struct isa_reason r = explain(rdpmc, 2, false, &all, &ud);
    assert_int_equal(r.verdict, ISA_LACKING);
    assert_string_equal(r.name, "RDPMC");
}

TEST(never_valid)
{
    static const uint8_t code[][3] = {{0x0f, 0xff, 0xc0}, {0x0f, 0xb9, 0xc0}, {0x0f, 0x0b}};
    static const char *const names[] = {"UD0", "UD1", "UD2"};
    static const uint8_t push_es[] = {0x06}, lock_add[] = {0xf0, 0x01, 0xd8},
                         rdfsbase[] = {0xf3, 0x0f, 0xae, 0xc0};
    for (unsigned i = 0; i < 3; i++) {
        const struct isa_reason r = explain(code[i], 3, true, &all, &ud);
        assert_int_equal(r.length, i == 2 ? 2 : 3);
        assert_int_equal(r.verdict, ISA_INVALID);
        assert_string_equal(r.name, names[i]);
    }
    assert_int_equal(explain(push_es, 1, true, &all, &ud).verdict, ISA_NOT64);
    assert_int_equal(explain(push_es, 1, false, &all, &ud).verdict, ISA_UNKNOWN);
    assert_int_equal(explain(lock_add, 3, true, &all, &ud).verdict, ISA_LOCKED);
    assert_int_equal(explain(rdfsbase, 4, false, &all, &ud).verdict, ISA_ONLY64);
}

/* Outside of long mode LES, LDS and BOUND have these bytes, with an operand in memory; what is cut off is not
 * known, and is not read. */
TEST(not_vectors)
{
    static const uint8_t les[] = {0xc4, 0x00}, lds[] = {0xc5, 0x40, 0x08}, bound[] = {0x62, 0x00};
    assert_int_equal(explain(les, 2, false, &none, &ud).verdict, ISA_UNKNOWN);
    assert_int_equal(explain(lds, 3, false, &none, &ud).verdict, ISA_UNKNOWN);
    assert_int_equal(explain(bound, 2, false, &none, &ud).verdict, ISA_UNKNOWN);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned n = 0; n <= sizeof cases[i].code; n++) {
            uint8_t *exact = malloc(n + !n); /* the sanitizer sees a byte too many */
            memcpy(exact, cases[i].code, n);
            explain(exact, n, true, &none, &ud);
            explain(exact, n, false, &none, &ud);
            free(exact);
        }
    assert_int_equal(explain(cases[0].code, 1, true, &none, &ud).verdict, ISA_UNKNOWN);
}

/* Each verdict's sentence. */
TEST(texts)
{
    static const struct {
        struct isa_reason reason;
        const char *text;
    } rows[] = {
        {{ISA_UNKNOWN, "", "", false, 0, 2}, ": xx"},
        {{ISA_LACKING, "AVX512_VBMI", "", false, 0, 2}, ": xx needs AVX512_VBMI, which this CPU lacks"},
        {{ISA_DISABLED, "FSGSBASE", "CR4.FSGSBASE", false, 0, 2},
         ": xx needs FSGSBASE, but CR4.FSGSBASE is clear"},
        {{ISA_DISABLED, "", "CR0.TS", true, 0, 2}, ": xx cannot run, because CR0.TS is set"},
        {{ISA_RING0, "HLT", "", false, 0, 2}, ": xx (HLT) works only at ring 0"},
        {{ISA_ONLY64, "FSGSBASE", "", false, 0, 2}, ": xx (FSGSBASE) exists only in 64-bit mode"},
        {{ISA_NOT64, "", "", false, 0, 2}, ": xx does not exist in 64-bit mode"},
        {{ISA_INVALID, "UD2", "", false, 0, 2}, ": xx is UD2, invalid on every CPU"},
        {{ISA_LOCKED, "", "", false, 0, 2}, ": xx has a LOCK prefix, which this instruction does not take"},
        {{ISA_INTERRUPT, "", "", false, 128, 2}, ": xx calls vector 128, which belongs to the kernel"}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[ISA_TEXT_BYTES];
        isa_text(&rows[i].reason, "xx", text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

AROUND_ALL(setup, NULL);
